"""Items whose labels judge curves of one system's scores, by themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...inference._weights import picked
from ...inputs._labels import UNLABELED
from ...results._verdict import Reason, Verdict
from ...sample._labeled_scores import LabeledScores
from ...score_mixture._score_model import ScoreModel

__all__ = ["CurvePool", "reasons_of"]

# A fit that is right is called a misfit about once in a hundred times: so many are too many.
LARGEST_SHARE = 0.05


@dataclass(frozen=True, eq=False)
class CurvePool:
    """What the scores of some items say before any label, and how labels judge that.

    Attributes
    ----------
    items : ndarray of shape (n_items,), of int
        Entries of a board.
    system : int
    subject : str
        What it is called in a verdict.
    scores : LabeledScores
        Of the system.
    model : ScoreModel or None
        Curves that no label has judged; None if all scores are equal.
    """

    items: np.ndarray
    system: int
    subject: str
    scores: LabeledScores
    model: ScoreModel | None

    @classmethod
    def of(cls, items, system: int, subject: str, board, recipe, seed: int) -> CurvePool:
        """Propose curves by a recipe."""
        scores = board.scores[items, system]
        unlabeled = np.full(len(scores), UNLABELED)
        read = LabeledScores.of_codes(scores, unlabeled, board.orientation)
        are_equal = scores.min() == scores.max()
        model = None if are_equal else ScoreModel.made(recipe, read, seed)
        return cls(items, system, subject, read, model)

    def learn(self, codes, n_draws: int, rng) -> tuple[np.ndarray, Verdict]:
        """Return draws of P(z = 1 | score) of the items, (n_draws, n_items), and the verdict."""
        codes = codes[self.items]
        if self.model is None:
            # Scores that are all equal tell how many are positive, and no more.
            n_negative, n_positive = (np.count_nonzero(codes == code) for code in (0, 1))
            share = rng.beta(1.0 + n_positive, 1.0 + n_negative, (n_draws, 1))
            return np.broadcast_to(share, (n_draws, len(codes))), Verdict()
        model = self.model.with_draws(n_draws).with_labels(self.scores.relabeled(codes))
        posterior, scores = model.posterior, self.scores.scores
        draws = [posterior.positive_probability(scores, b) for b in posterior.blocks()]
        chosen = rng.permutation(picked(posterior.weights, n_draws))
        return np.concatenate(draws)[chosen], model.verdict


def reasons_of(verdicts):
    """Yield what speaks against fits, like reasons together."""
    found: dict[tuple[str, str], list[tuple[str, Reason]]] = {}
    for subject, verdict in verdicts:
        for reason in verdict.reasons:
            found.setdefault((reason.name, reason.verdict), []).append((subject, reason))
    for (name, verdict), of_fits in found.items():
        subject, first = of_fits[0]
        text = first.text
        if len(verdicts) > 1:
            text = f"In {len(of_fits)} of {len(verdicts)} fits, the first of {subject}: {text}"
        few = verdict == "misfit" and len(of_fits) <= LARGEST_SHARE * len(verdicts)
        yield Reason(name, "ok" if few else verdict, text, first.value, first.limit)

"""Separate curves for a set of items, updated by their labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...inference._weights import picked
from ...inputs._labels import UNLABELED
from ...results._verdict import Reason, Verdict
from ...sample._labeled_scores import LabeledScores
from ...score_mixture._score_model import ScoreModel

__all__ = ["CurvePool", "reasons_of"]

# A correct fit is called a misfit about once in a hundred times: more than this is too many.
LARGEST_SHARE = 0.05


@dataclass(frozen=True, eq=False)
class CurvePool:
    """Prior curves of some items, given their scores, and their update by labels."""

    items: np.ndarray  # (n_items,), of int; row indices
    system: int
    subject: str  # the name of the fit in a verdict
    scores: LabeledScores  # of the system
    model: ScoreModel | None  # curves before any update; None if all scores are equal

    @classmethod
    def of(cls, items, system: int, subject: str, ranked_lists, settings, seed: int) -> CurvePool:
        """Make prior curves with given settings."""
        scores = ranked_lists.scores[items, system]
        unlabeled = np.full(len(scores), UNLABELED)
        read = LabeledScores.of_codes(scores, unlabeled, ranked_lists.score_direction)
        are_equal = scores.min() == scores.max()
        model = None if are_equal else ScoreModel.made(settings, read, seed)
        return cls(items, system, subject, read, model)

    def learn(self, codes, n_draws: int, rng) -> tuple[np.ndarray, Verdict]:
        """Return draws of P(z = 1 | score) of the items, (n_draws, n_items), and the verdict."""
        codes = codes[self.items]
        if self.model is None:
            # Scores that are all equal are only informative about the prevalence.
            n_negative, n_positive = (np.count_nonzero(codes == code) for code in (0, 1))
            share = rng.beta(1.0 + n_positive, 1.0 + n_negative, (n_draws, 1))
            return np.broadcast_to(share, (n_draws, len(codes))), Verdict()
        model = self.model.with_draws(n_draws).with_labels(self.scores.relabeled(codes))
        posterior, scores = model.posterior, self.scores.scores
        draws = [posterior.positive_probability(scores, b) for b in posterior.blocks()]
        chosen = rng.permutation(picked(posterior.weights, n_draws))
        return np.concatenate(draws)[chosen], model.verdict


def reasons_of(verdicts):
    """Yield the reasons of several fits, with equal reasons merged."""
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

"""A verdict: whether the bands of a fit can be believed, and why not."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

from sklearn.exceptions import ConvergenceWarning

from ..exceptions import (
    FewLabelsWarning,
    InvertedScoresWarning,
    MisfitWarning,
    SamplingWarning,
    UnidentifiedWarning,
)
from ..inputs._numbers import check_number

__all__ = ["Reason", "Verdict", "warn_of"]

# Remarks on what was passed, which hold whatever is labelled.
ON_INPUTS = ("one_score", "missing_scores", "graded_judge")


@dataclass(frozen=True)
class Reason:
    """One thing that speaks against a fit.

    Attributes
    ----------
    name : str
        Such as "one_class", "rare_positives", "labels_contradict", "score_distribution".
    verdict : {"unreliable", "misfit", "unidentified", "ok"}
        What it amounts to by itself; "ok" for a mere remark.
    text : str
        In words, with what to do.
    value, limit : float
        What was found, and from where on it matters.
    """

    name: str
    verdict: str
    text: str
    value: float
    limit: float


class Verdict(str):
    """Whether a fit can be believed: "ok", "unidentified", "misfit" or "unreliable".

    A string, so that ``estimator.verdict_ == "ok"`` works. "unidentified": the labels hold little
    information, and the intervals rest mostly on the prior; they are wide, and right as far as the
    prior is. "misfit": the data contradict something that was assumed, and the intervals may be
    narrow and wrong. "unreliable": the computation failed, whatever the data are.

    Parameters
    ----------
    reasons : iterable of Reason

    Attributes
    ----------
    reasons : tuple of Reason
        Empty if nothing speaks against the fit.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import SemisupervisedScoreMixture
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, labels = make_scores(500, random_state=0)
    >>> y = np.where(np.arange(500) < 40, labels, -1)
    >>> SemisupervisedScoreMixture(random_state=0).fit(scores, y).verdict_ == "ok"
    True
    """

    reasons: tuple[Reason, ...]

    def __new__(cls, reasons=()):
        """Make the verdict that the worst of the reasons amounts to."""
        reasons = tuple(reasons)
        found = {reason.verdict for reason in reasons}
        worst = next((v for v in ("unreliable", "misfit", "unidentified") if v in found), "ok")
        verdict = super().__new__(cls, worst)
        verdict.reasons = reasons
        return verdict

    def __reduce__(self):
        return type(self), (self.reasons,)

    @classmethod
    def of_all(cls, verdicts) -> Verdict:
        """Return what several verdicts amount to together.

        Parameters
        ----------
        verdicts : iterable of (str, Verdict)
            Each with what it is on, "" for nothing to tell. Of like reasons on the same thing
            the first counts.
        """
        reasons: dict[tuple[str, str, str], Reason] = {}
        for subject, verdict in verdicts:
            for reason in verdict.reasons:
                text = f"{subject}: {reason.text}" if subject else reason.text
                key = subject, reason.name, reason.verdict
                reasons.setdefault(key, replace(reason, text=text))
        return cls(reasons.values())

    def of_complete_labels(self, n_items: float) -> Verdict:
        """Return the verdict on numbers about these very items, once all of them are labeled.

        Nothing about them is estimated then, so that nothing that is said of the model matters; a
        label may be wrong, which a model that is to be believed can tell. Remarks on what was
        passed stay.

        Parameters
        ----------
        n_items : float
            How many there are.

        Raises
        ------
        ValueError, TypeError
            If `n_items` is no number from 0 on.
        """
        check_number(n_items, "n_items", "[0, inf)")
        text = (
            f"All {n_items:,.0f} items are labeled: numbers about them are exact. Of further items "
            f"they tell as much as so many labels do."
        )
        complete = Reason("all_labeled", "ok", text, float(n_items), float(n_items))
        on_inputs = tuple(reason for reason in self.reasons if reason.name in ON_INPUTS)
        others = {reason.name for reason in self.reasons} - set(ON_INPUTS)
        is_sound = others <= {"surprising_items"}
        return Verdict([complete, *(self.reasons if is_sound else on_inputs)])

    def describe(self) -> str:
        """Return the verdict and its reasons as text."""
        word = str(self)
        if self == "ok" and self.reasons:
            # A remark is no reason to doubt the numbers, and something to look at.
            n = len(self.reasons)
            word += ", with a remark" if n == 1 else f", with {n} remarks"
        return "\n".join([word, *(f"- {reason.text}" for reason in self.reasons)])

    def __repr__(self) -> str:
        names = "".join(f", {reason.name}" for reason in self.reasons)
        return f"Verdict({str(self)!r}{names})"


def warn_of(verdict: Verdict, stacklevel: int = 2) -> None:
    """Warn of every reason that bands cannot be believed."""
    classes = {
        "one_class": FewLabelsWarning,
        "inverted_scores": InvertedScoresWarning,
        "few_draws": SamplingWarning,
        "not_converged": ConvergenceWarning,
    }
    by_verdict = {"misfit": MisfitWarning, "unidentified": UnidentifiedWarning}
    for reason in verdict.reasons:
        category = classes.get(reason.name, by_verdict.get(reason.verdict))
        if category is not None:
            warnings.warn(reason.text, category, stacklevel=stacklevel + 1)

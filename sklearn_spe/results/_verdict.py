"""Verdicts: whether the bands of a fit are reliable, with reasons."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from ..exceptions import (
    FewLabelsWarning,
    InvertedScoresWarning,
    MisfitWarning,
    ParameterTypeError,
    SamplingWarning,
    UnidentifiedWarning,
    UntestedSelectionWarning,
)
from ..inputs._validation import as_tuple, check_number
from ._remedies import Remedy, filled
from ._showing import Markup, ShownResult, exact_for_these, tag

# Remarks on the input, which do not depend on the labels.
ON_INPUTS = ("one_score", "missing_scores", "graded_judge")
# Reasons about the part that is asked about, not about the fit.
ON_PARTS = ("unlabeled_part", "unlabeled_class")
# The remark that numbers about the sample are exact.
ALL_LABELED = "all_labeled"
# What a table of reasons holds.
OF_REASON = "name", "verdict", "text", "value", "limit"
# Verdicts on numbers that are not to be used.
NOT_BELIEVED = ("misfit", "unreliable")
# Reasons of an "ok" verdict are remarks.
HEADLINES = {
    "ok": "No problem was found: the labels contradict no assumption, and the computation settled.",
    "ok, with remarks": "No problem was found. Remarks:",
    "unidentified": "The labels hold little information yet: the intervals depend on the prior.",
    "misfit": "The data contradict an assumption: do not rely on the intervals yet.",
    "unreliable": "The computation failed: do not rely on the intervals.",
}
# What a reason warns of, by its verdict.
MEANINGS = {
    "unidentified": "The labels hold little information",
    "misfit": "The data contradict an assumption",
    "unreliable": "The computation failed",
    "ok": "The fit has a remark",
}


@dataclass(frozen=True)
class Reason(ShownResult):
    """A reason against a fit.

    .. versionadded:: 0.1

    Attributes
    ----------
    name : str
        The name, such as "one_class", "rare_positives", "labels_contradict" or
        "score_distribution".
    verdict : {"unreliable", "misfit", "unidentified", "ok"}
        The verdict that this reason alone implies. "ok" means a remark.
    problem : str
        The problem, as a sentence.
    value, limit : float
        The observed value, and the limit that it exceeds.
    remedy : str
        The recommended action; empty if there is none.
    parameter : str or None
        The parameter that the remedy changes, such as "n_draws"; None if there is none.
    details : mapping of str to object
        Values named in `problem`, such as the part of the items, for other wordings.
    plain : str
        The problem for readers who do not know the terms of the model; empty if `problem` suffices.
    text : str
        The problem and the remedy.
    """

    name: str
    verdict: str
    problem: str
    value: float
    limit: float
    remedy: str = ""
    parameter: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    plain: str = field(default="", repr=False, compare=False)

    def in_words(self, words: Mapping[str, str]) -> Reason:
        """Return the reason with the remedy in the words of an interface.

        Parameters
        ----------
        words : mapping of str to str
            Replacement for each placeholder of a remedy, such as a command-line option for a
            parameter.
        """
        return replace(self, remedy=filled(self.remedy, words))

    @property
    def text(self) -> str:
        return f"{self.problem} {self.remedy}".rstrip()

    def _record(self) -> dict[str, Any]:
        return self._values_of(*OF_REASON)

    def _html(self) -> Markup:
        return tag("p", self.text, class_="said")


def all_labeled(n_items: float) -> str:
    """Return a sentence on complete labels, without its full stop."""
    items = "The one item is" if n_items == 1.0 else f"All {n_items:,.0f} items are"
    return f"{items} labeled: numbers are {exact_for_these(n_items)}"


def reason_of_complete_labels(n_items: float) -> Reason:
    """Return the remark that all items are labeled, and how to ask for further ones."""
    return Reason(
        "all_labeled",
        "ok",
        f"{all_labeled(n_items)};",
        float(n_items),
        float(n_items),
        remedy=Remedy("for items beyond these: {population}."),
        parameter="target",
    )


class Verdict(str, ShownResult):
    """Reliability of a fit: "ok", "unidentified", "misfit" or "unreliable".

    It is a string, so ``estimator.verdict_ == "ok"`` works.

    * "unidentified": the labels carry little information. The intervals are wide, and depend mostly
      on the prior.
    * "misfit": the data contradict an assumption. The intervals may be narrow and wrong.
    * "unreliable": the computation failed.

    :doc:`/user_guide/verdict` lists all reasons and remedies.

    .. versionadded:: 0.1

    Parameters
    ----------
    reasons : iterable of Reason

    Attributes
    ----------
    reasons : tuple of Reason
        Empty if there are none.

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

    def __new__(cls, reasons: Iterable[Reason] = ()) -> Any:
        """Make the verdict that the most severe reason implies."""
        reasons = tuple(reasons)
        kinds = {reason.verdict for reason in reasons}
        worst = next((v for v in ("unreliable", "misfit", "unidentified") if v in kinds), "ok")
        verdict = super().__new__(cls, worst)
        verdict.reasons = reasons
        return verdict

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reasons,)

    @classmethod
    def of_all(cls, verdicts: Iterable[tuple[str, Verdict]]) -> Verdict:
        """Return the combined verdict of several fits.

        Parameters
        ----------
        verdicts : iterable of (str, Verdict)
            Pairs of the name of a fit, possibly empty, and its verdict. Repeated reasons on the
            same fit are dropped.
        """
        reasons: dict[tuple[str, str, str], Reason] = {}
        for subject, verdict in verdicts:
            for reason in verdict.reasons:
                problem = f"{subject}: {reason.problem}" if subject else reason.problem
                key = subject, reason.name, reason.verdict
                reasons.setdefault(key, replace(reason, problem=problem))
        return cls(reasons.values())

    def worsened(self, reasons: Iterable[Reason]) -> Verdict:
        """Return the verdict with further reasons, such as those about a part of the items.

        Parameters
        ----------
        reasons : iterable of Reason
            Reasons that the verdict already has are left out.
        """
        further = dict[tuple[str, str], Reason]()
        for reason in reasons if isinstance(reasons, Iterable) else [reasons]:
            if not isinstance(reason, Reason):
                raise ParameterTypeError.of("reasons", f"must be reasons; got {reason!r}.")
            further[reason.name, reason.problem] = reason
        for reason in self.reasons:
            further.pop((reason.name, reason.problem), None)
        return Verdict([*self.reasons, *further.values()]) if further else self

    def worsened_by(self, results: Any) -> Verdict:
        """Return the verdict with the reasons about the items that the results evaluate.

        Parameters
        ----------
        results : list of ScalarEstimate or CurveBand
        """
        results = as_tuple(results, "results", "estimates and curves")
        wrong = [result for result in results if not hasattr(result, "verdict")]
        if wrong:
            raise ParameterTypeError.of(
                "results", f"must be estimates and curves; got {wrong[0]!r}."
            )
        verdicts = (result.verdict for result in results)
        reasons = (reason for verdict in verdicts if verdict for reason in verdict.reasons)
        return self.worsened(reason for reason in reasons if reason.name in ON_PARTS)

    @property
    def problems_of_parts(self) -> tuple[str, ...]:
        """Problems of the part of the items that is evaluated, as sentences."""
        return tuple(reason.problem for reason in self.reasons if reason.name in ON_PARTS)

    def of_complete_labels(self, n_items: float) -> Verdict:
        """Return the verdict on estimates for a sample with all items labeled.

        The numbers are then exact, so reasons against the model are dropped. Remarks on the
        input are kept, and suspect labels if the model is reliable.

        Parameters
        ----------
        n_items : float
            Number of items.

        Raises
        ------
        ValueError, TypeError
            If `n_items` is not a nonnegative number.
        """
        check_number(n_items, "n_items", "[0, inf)")
        complete = reason_of_complete_labels(n_items)
        on_inputs = tuple(reason for reason in self.reasons if reason.name in ON_INPUTS)
        others = {reason.name for reason in self.reasons} - set(ON_INPUTS)
        is_sound = others <= {"suspect_labels"}
        return Verdict([complete, *(self.reasons if is_sound else on_inputs)])

    def describe(self) -> str:
        """Return the verdict and its reasons as text."""
        word = str(self)
        if self == "ok" and self.reasons:
            # A remark does not question the numbers, but deserves attention.
            n = len(self.reasons)
            word += ", with a remark" if n == 1 else f", with {n} remarks"
        return "\n".join([word, *(f"- {reason.text}" for reason in self.reasons)])

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, one row per reason.

        The columns are "name", "verdict", "text", "value" and "limit".
        """
        import pandas as pd

        return pd.DataFrame(self._record()["reasons"], columns=list(OF_REASON))

    def _record(self) -> dict[str, Any]:
        return {"verdict": str(self), "reasons": [reason._record() for reason in self.reasons]}

    def _html(self) -> Markup:
        return verdict_card(self)

    def __repr__(self) -> str:
        names = "".join(f", {reason.name}" for reason in self.reasons)
        return f"Verdict({str(self)!r}{names})"


def verdict_card(verdict: Verdict) -> Markup:
    """Return a verdict in words: its meaning, its reasons, and remedies."""
    reasons = [tag("li", reason.text) for reason in verdict.reasons]
    headline = HEADLINES["ok, with remarks" if verdict == "ok" and reasons else str(verdict)]
    return tag(
        "section",
        tag("h2", tag("span", str(verdict), class_="status"), headline),
        tag("ul", *reasons) if reasons else None,
        class_=f"verdict {verdict}",
    )


def warning_of(reason: Reason) -> str:
    """Return the text of a warning: the kind of a reason and its remedy, without its numbers."""
    remedy = f" {reason.remedy[:1].upper()}{reason.remedy[1:]}" if reason.remedy else ""
    kind = f"{MEANINGS[reason.verdict]} ({reason.name.replace('_', ' ')})"
    return f"{kind}.{remedy} The verdict has the details."


def warn_of(verdict: Verdict, stacklevel: int = 2) -> None:
    """Warn of every reason against the bands.

    The text of a warning depends on the kind of the reason alone, so those of many fits are
    filtered and counted as one; the numbers are in the verdict.
    """
    classes = {
        "one_class": FewLabelsWarning,
        "inverted_scores": InvertedScoresWarning,
        "few_draws": SamplingWarning,
        "untested_selection": UntestedSelectionWarning,
        "not_converged": ConvergenceWarning,
    }
    by_verdict = {"misfit": MisfitWarning, "unidentified": UnidentifiedWarning}

    for reason in verdict.reasons:
        category = classes.get(reason.name, by_verdict.get(reason.verdict))
        if category is not None:
            warnings.warn(warning_of(reason), category, stacklevel=stacklevel + 1)

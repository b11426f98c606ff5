"""Warnings that users may filter or turn into errors, and exceptions."""

from __future__ import annotations

from inspect import currentframe
from itertools import takewhile
from traceback import walk_stack
from typing import Any, Self
from warnings import warn

__all__ = [
    "CoarseBinsWarning",
    "FarExtrapolationWarning",
    "FewDrawsWarning",
    "FewLabelsWarning",
    "IgnoredWeightsWarning",
    "InterruptedPassError",
    "InvertedScoresWarning",
    "LabelMarkerWarning",
    "MisfitWarning",
    "OutsideDesignWarning",
    "ParameterError",
    "RefitWarning",
    "RemovedLabelsWarning",
    "RepeatedLooksWarning",
    "SamplingWarning",
    "SkippedLabelsWarning",
    "ThresholdOutsideScoresWarning",
    "UnidentifiedWarning",
    "UnreachableGoalError",
    "UntestedSelectionWarning",
    "UnverifiedWarning",
]


# Of a message: what is received may be a whole document.
MAX_LETTERS, N_FIRST, N_LAST = 4_000, 2_000, 1_000


def shortened(text: str) -> str:
    """Return a message without its middle if it is very long; the remedy is at its end."""
    if len(text) <= MAX_LETTERS:
        return text
    n_left_out = len(text) - N_FIRST - N_LAST
    return f"{text[:N_FIRST]} ... ({n_left_out:,} letters left out) ... {text[-N_LAST:]}"


class Advice(Exception):
    """A message in parts, in which each interface names parameters in its own way."""

    def __init__(self, problem: Any, remedy: str = "", parameter: str | None = None) -> None:
        problem = shortened(str(problem))
        super().__init__(problem, remedy, parameter)
        self.problem, self.remedy, self.parameter = problem, remedy, parameter

    @classmethod
    def of(cls, parameter: str, problem: str, remedy: str = "") -> Self:
        """Return the advice on a parameter, with whose name the message begins."""
        return cls(f"{parameter} {problem}", remedy, parameter)

    def __str__(self) -> str:
        return f"{self.problem} {self.remedy}".rstrip()


class ParameterError(Advice, ValueError):
    """A parameter has a value that cannot be used.

    The message is the problem and the remedy.

    .. versionadded:: 0.1

    Attributes
    ----------
    problem : str
        The received value and the required one. It begins with the name of the parameter, if one is
        wrong.
    remedy : str
        The recommended action; empty if the problem implies it.
    parameter : str or None
        The parameter to change, such as "pos_label"; None if there is none.
    """


class ParameterTypeError(Advice, TypeError):
    """A parameter has a wrong type; the attributes are those of `ParameterError`."""


class MisfitWarning(UserWarning):
    """The data contradict an assumption: bands may be too narrow or wrong.

    .. versionadded:: 0.1
    """


class UnidentifiedWarning(UserWarning):
    """The labels hold too little information: the prior dominates the posterior.

    .. versionadded:: 0.1
    """


class CoarseBinsWarning(UserWarning):
    """A large share of the counts lies in one bin: change the scale or the resolution.

    .. versionadded:: 0.1
    """


class UntestedSelectionWarning(Advice, UnidentifiedWarning):
    """A selection is limited to known positives, because too few labels test the model.

    The attributes are those of `ParameterError`.

    .. versionadded:: 0.1
    """


class FarExtrapolationWarning(UnidentifiedWarning):
    """Prediction for many more classes than in the data, where every method can be biased.

    .. versionadded:: 0.1
    """


class FewLabelsWarning(UnidentifiedWarning):
    """No labels, or labels of one class only: the prior dominates.

    .. versionadded:: 0.1
    """


class RemovedLabelsWarning(UserWarning):
    """An update lacks labels that were known before.

    .. versionadded:: 0.1
    """


class IgnoredWeightsWarning(UserWarning):
    """The wrapped classifier accepts no weights: they only affect the model of its scores.

    .. versionadded:: 0.1
    """


class InvertedScoresWarning(MisfitWarning):
    """The labeled positives score lower than the labeled negatives.

    .. versionadded:: 0.1
    """


class LabelMarkerWarning(Advice, UserWarning):
    """A value that looks like a marker of unlabeled items is treated as a class.

    The attributes are those of `ParameterError`.

    .. versionadded:: 0.1
    """


class OutsideDesignWarning(UserWarning):
    """Items were labeled that were not queried: their inclusion probability is unknown.

    .. versionadded:: 0.1
    """


class RefitWarning(UserWarning):
    """A fitted classifier is fitted again, on the few labeled rows.

    .. versionadded:: 0.1
    """


class RepeatedLooksWarning(UserWarning):
    """An interval valid for a single look is used for sequential stopping.

    .. versionadded:: 0.1
    """


class UnverifiedWarning(UserWarning):
    """A category has no verified item: the average over verified items is unknown.

    .. versionadded:: 0.1
    """


class SkippedLabelsWarning(UserWarning):
    """Annotators skipped items: skipped items may differ from labeled ones.

    .. versionadded:: 0.1
    """


class SamplingWarning(UserWarning):
    """The importance sample is unreliable (low effective sample size, large k-hat).

    .. versionadded:: 0.1
    """


class ThresholdOutsideScoresWarning(UserWarning):
    """The threshold is outside the score range: no item, or every item, is predicted positive.

    .. versionadded:: 0.1
    """


class FewDrawsWarning(SamplingWarning):
    """Too few draws for the confidence level: the interval ends at the extreme draws.

    .. versionadded:: 0.1
    """


class UnreachableGoalError(ValueError):
    """No threshold that labels support meets a goal with the requested probability.

    .. versionadded:: 0.1

    Attributes
    ----------
    best_probability : float
        The largest posterior probability over all thresholds.
    best_threshold : float
        The threshold with this probability.
    pos_label : object
        The positive class.
    needed_probability : float
        The posterior probability required for a guarantee at the confidence level.
    lacks_labels : bool
        Whether a threshold has the needed probability, but too few labels support it.
    """

    def __init__(
        self,
        goal: Any,
        confidence_level: float,
        best_probability: Any,
        best_threshold: Any,
        pos_label: Any = None,
        needed_probability: Any = None,
        lacks_labels: bool = False,
    ) -> None:
        self.best_probability = float(best_probability)
        self.best_threshold = float(best_threshold)
        self.pos_label = pos_label
        self.needed_probability = confidence_level
        if needed_probability is not None:
            self.needed_probability = float(needed_probability)
        self.lacks_labels = bool(lacks_labels)
        super().__init__(
            goal,
            confidence_level,
            self.best_probability,
            self.best_threshold,
            pos_label,
            self.needed_probability,
            self.lacks_labels,
        )

    def __str__(self) -> str:
        goal, level, *_, needed, lacks_labels = self.args
        named = "" if self.pos_label is None else f" ({self.pos_label!r} is the positive class)"
        if lacks_labels:
            return (
                f"No threshold that labels support meets {goal} with probability {level:g}{named}: "
                f"the most probable one, {self.best_threshold!r}, has a posterior probability of "
                f"{self.best_probability:.3g}, but fewer than two or three labeled items are on "
                "the side of it that decides on the goal (predicted positive for precision, "
                "predicted negative for recall). No labels test the model there. Label about "
                "twenty items on that side, or lower the goal."
            )
        unmet = f"No threshold meets {goal} with probability {level:g}{named}"
        if not self.best_probability:
            return (
                f"{unmet}: none does in any posterior draw. Ask for looser bounds, or label more "
                "items."
            )
        return (
            f"{unmet}. Because the best of many thresholds is chosen, a guarantee needs a "
            f"posterior probability of {needed:.4g}; the best threshold, "
            f"{self.best_threshold:.6g}, has {self.best_probability:.3g}. Use a smaller "
            "probability or looser bounds; or label more items, near that threshold and on the "
            "predicted-positive side."
        )


class UnprovedGoalError(UnreachableGoalError):
    """No threshold is proved by the labels to meet a goal.

    The attributes are those of `UnreachableGoalError`; `best_probability` is the confidence level
    at which the best threshold is proved.
    """

    def __str__(self) -> str:
        goal, level, *_ = self.args
        named = "" if self.pos_label is None else f" ({self.pos_label!r} is the positive class)"
        return (
            f"The labels prove for no threshold that its selection meets {goal} at the level "
            f"{level:g}{named}; the best threshold, {self.best_threshold:.6g}, is proved at "
            f"{self.best_probability:.3g}. Use a lower level or looser bounds; label more items; "
            "or rely on the model, with guarantee='posterior'."
        )


class InterruptedPassError(ValueError):
    """A pass over many scores was interrupted by scores that cannot be read or counted.

    .. versionadded:: 0.1

    Attributes
    ----------
    chunk : int
        The number of the chunk, row group or partition, counted from 0.
    histogram : ScoreHistogram
        The counts of all earlier chunks or row groups, or of all other partitions.
    """

    def __init__(
        self, chunk: Any, histogram: Any, reason: Any, place: Any = None, rest: Any = None
    ) -> None:
        self.chunk = int(chunk)
        self.histogram = histogram
        super().__init__(chunk, histogram, str(reason), place, rest)

    def __str__(self) -> str:
        chunk, histogram, reason, place, rest = self.args
        place = place or f"Chunk {chunk} (the first is 0)"
        rest = rest or f"correct this chunk, and count from chunk {chunk} on with its `update`"
        return (
            f"{place} cannot be counted: {reason.rstrip('.')}. The `histogram` of this error has "
            f"the {histogram.n_items} other scores counted so far: {rest}."
        )


def level_of_the_user() -> int:
    """Return how far up the first line outside this package is, as `warnings.warn` counts."""
    package = __name__.partition(".")[0]
    names = (
        frame.f_globals.get("__name__", "").partition(".")[0]
        for frame, _ in walk_stack(currentframe())
    )
    # This function is one level further down than the warning.
    return sum(1 for _ in takewhile(lambda name: name == package, names))


def removal_version(since: str) -> str:
    """Return the version that removes a name deprecated since a given version.

    Before 1.0 that is the next minor version, from 1.0 on the second next (doc/stability.rst).
    """
    major, minor = map(int, since.split("."))
    return f"{major}.{minor + (1 if major == 0 else 2)}"


def warn_deprecated(name: str, since: str, instead: str) -> None:
    """Warn that a public name is deprecated, and name the replacement.

    `since` is a minor version, such as "0.2". Call it where the old name is used; its docstring has
    the directive ``.. deprecated:: 0.2``.
    """
    message = (
        f"{name} is deprecated since version {since} and will be removed in "
        f"{removal_version(since)}: use {instead} instead."
    )
    warn(message, FutureWarning, stacklevel=level_of_the_user())

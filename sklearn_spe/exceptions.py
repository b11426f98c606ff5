"""The warnings that a user may want to filter or to turn into errors, and errors to catch."""

import sys
from types import FrameType

__all__ = [
    "CoarseBinsWarning",
    "FarExtrapolationWarning",
    "FewDrawsWarning",
    "FewLabelsWarning",
    "ForgottenLabelsWarning",
    "IgnoredWeightsWarning",
    "InterruptedPassError",
    "InvertedScoresWarning",
    "LabelMarkerWarning",
    "MisfitWarning",
    "OutsideDesignWarning",
    "RefitWarning",
    "RepeatedLooksWarning",
    "SamplingWarning",
    "SkippedLabelsWarning",
    "ThresholdOutsideScoresWarning",
    "UnidentifiedWarning",
    "UnreachableGoalError",
    "UnvettedWarning",
]


class MisfitWarning(UserWarning):
    """Something that was assumed contradicts the data: bands may be narrow and wrong."""


class UnidentifiedWarning(UserWarning):
    """The labels say little: bands are mostly what was believed before."""


class CoarseBinsWarning(UserWarning):
    """Much of what was counted lies in one bin: the scale or its resolution does not fit."""


class FarExtrapolationWarning(UnidentifiedWarning):
    """Many more classes than were tried: every method is biased there on some problems."""


class FewLabelsWarning(UnidentifiedWarning):
    """The labels name one class only, or there are none: the prior decides."""


class ForgottenLabelsWarning(UserWarning):
    """An update without some labels that were known before."""


class IgnoredWeightsWarning(UserWarning):
    """The wrapped classifier takes no weights: they are used for its scores alone."""


class InvertedScoresWarning(MisfitWarning):
    """The labelled positives score lower than the labelled negatives."""


class LabelMarkerWarning(UserWarning):
    """What seems to mark items that are not labelled is a class here."""


class OutsideDesignWarning(UserWarning):
    """Items were labelled that were not asked for: by what they were chosen is not known."""


class RefitWarning(UserWarning):
    """A classifier that is already fitted is fitted again, to the few labelled rows."""


class RepeatedLooksWarning(UserWarning):
    """An interval that holds for one look decides when to stop, and is looked at repeatedly."""


class UnvettedWarning(UserWarning):
    """A category has no vetted item, and an average over vetted items alone is not known."""


class SkippedLabelsWarning(UserWarning):
    """Annotators could not say: what they skip may differ from what they label."""


class SamplingWarning(UserWarning):
    """The weighted draws stand for the posterior badly (few effective draws, large k-hat)."""


class ThresholdOutsideScoresWarning(UserWarning):
    """A threshold lies above or below all scores: no item is called positive, or every one."""


class FewDrawsWarning(SamplingWarning):
    """A level is higher than so many draws can tell: an interval ends at the most extreme ones."""


class UnreachableGoalError(ValueError):
    """No threshold meets a goal with the probability that was asked for.

    Attributes
    ----------
    best_probability : float
        The largest probability that a threshold reaches.
    best_threshold : float
        Where it is reached.
    pos_label : object
        The positive class.
    needed_probability : float
        The posterior probability that a promise at the confidence level needs.
    """

    def __init__(
        self,
        goal,
        confidence_level,
        best_probability,
        best_threshold,
        pos_label=None,
        needed_probability=None,
    ):
        self.best_probability = float(best_probability)
        self.best_threshold = float(best_threshold)
        self.pos_label = pos_label
        self.needed_probability = confidence_level
        if needed_probability is not None:
            self.needed_probability = float(needed_probability)
        numbers = self.best_probability, self.best_threshold
        super().__init__(goal, confidence_level, *numbers, pos_label, self.needed_probability)

    def __str__(self):
        goal, level, *_, needed = self.args
        named = "" if self.pos_label is None else f" ({self.pos_label!r} is the positive class)"
        return (
            f"No threshold meets {goal} with probability {level:g}{named}: that takes "
            f"{needed:.4g} in the posterior, and the best one, {self.best_threshold!r}, has "
            f"{self.best_probability:.3g}. Ask for "
            f"less, a smaller probability or looser bounds; or label more items, near that "
            f"threshold and on the side that is called positive."
        )


class UnprovedGoalError(UnreachableGoalError):
    """Labels prove of no threshold that its answer keeps a goal.

    The attributes are those of `UnreachableGoalError`; `best_probability` is the level at which the
    best threshold is proved.
    """

    def __str__(self):
        goal, level, *_ = self.args
        named = "" if self.pos_label is None else f" ({self.pos_label!r} is the positive class)"
        return (
            f"The labels prove of no threshold that its answer keeps {goal} at the level "
            f"{level:g}{named}; the best one, {self.best_threshold!r}, is proved at "
            f"{self.best_probability:.3g}. Ask for less, a lower level or looser bounds; label "
            f"more items; or believe the model, with guarantee='posterior'."
        )


class InterruptedPassError(ValueError):
    """A pass over many scores met some that cannot be read or counted.

    Attributes
    ----------
    chunk : int
        The number, from 0, of the chunk, the row group or the partition.
    histogram : ScoreHistogram
        Of the chunks or row groups before it; of all other partitions.
    """

    def __init__(self, chunk, histogram, reason, place=None, rest=None):
        self.chunk = int(chunk)
        self.histogram = histogram
        super().__init__(chunk, histogram, str(reason), place, rest)

    def __str__(self):
        chunk, histogram, reason, place, rest = self.args
        place = place or f"Chunk {chunk} (the first is 0)"
        rest = rest or f"count the chunks from {chunk} on with its `update` once this one is mended"
        return (
            f"{place} cannot be counted: {reason.rstrip('.')}. What was counted besides, "
            f"{histogram.n_items} scores, is the `histogram` of this error: {rest}."
        )


def level_of_the_user() -> int:
    """Return how far up the first line outside this package is, as `warnings.warn` counts."""
    package = __name__.partition(".")[0]
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    return level

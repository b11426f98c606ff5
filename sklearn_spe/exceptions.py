"""The warnings that a user may want to filter, or to turn into errors."""

__all__ = [
    "FewLabelsWarning",
    "ForgottenLabelsWarning",
    "InvertedScoresWarning",
    "MisfitWarning",
    "SamplingWarning",
    "UnidentifiedWarning",
]


class MisfitWarning(UserWarning):
    """Something that was assumed contradicts the data: bands may be narrow and wrong."""


class UnidentifiedWarning(UserWarning):
    """The labels say little: bands are mostly what was believed before."""


class FewLabelsWarning(UnidentifiedWarning):
    """The labels name one class only, or there are none: the prior decides."""


class ForgottenLabelsWarning(UserWarning):
    """An update without some labels that were known before."""


class InvertedScoresWarning(MisfitWarning):
    """The labelled positives score lower than the labelled negatives."""


class SamplingWarning(UserWarning):
    """The weighted draws stand for the posterior badly (few effective draws, large k-hat)."""

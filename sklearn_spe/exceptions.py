"""The warnings that a user may want to filter, or to turn into errors."""

__all__ = ["FewLabelsWarning", "InvertedScoresWarning", "SamplingWarning"]


class FewLabelsWarning(UserWarning):
    """The labels name one class only, or there are none: the prior decides."""


class InvertedScoresWarning(UserWarning):
    """The labelled positives score lower than the labelled negatives."""


class SamplingWarning(UserWarning):
    """The weighted draws stand for the posterior badly (few effective draws, large k-hat)."""

"""Where random numbers come from: places below the seed of a fit, each for one purpose."""

from enum import IntEnum

__all__ = ["Place"]


class Place(IntEnum):
    """The first step from a seed to a generator."""

    METHOD = 0
    RESAMPLES = 1
    STEPS_OF_BANDS = 2
    DOUBTS_OF_BANDS = 3
    SUBSETS = 4
    RESAMPLED_SUBSETS = 5

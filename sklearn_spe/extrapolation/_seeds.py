"""Keys of random streams below the seed of a fit."""

from enum import IntEnum

__all__ = ["Place"]


class Place(IntEnum):
    """The first key from a seed to a generator."""

    METHOD = 0
    RESAMPLES = 1
    STEPS_OF_BANDS = 2
    BAND_ERRORS = 3
    SUBSETS = 4
    RESAMPLED_SUBSETS = 5

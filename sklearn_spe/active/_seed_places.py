"""Keys in the tree of seeds: draws with different keys are independent."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["SeedPlace"]


class SeedPlace(IntEnum):
    """The first key below the seed of a selector; smaller ones are those of fits."""

    QUERIES = 8
    DESIGN_RESAMPLES = 9
    SIMULATED_LABELINGS = 10
    LABEL_MODELS = 11
    DRAWN_LABELS = 12
    PREPARED_SCORES = 13

"""Places in the tree of seeds: what is drawn from one moves nothing that is drawn elsewhere."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["SeedPlace"]


class SeedPlace(IntEnum):
    """The first step from the seed of a selector to a generator; smaller ones are those of fits."""

    QUERIES = 8
    DESIGN_RESAMPLES = 9
    SIMULATED_LABELLINGS = 10
    LABEL_MODELS = 11
    DRAWN_LABELS = 12
    PREPARED_SCORES = 13

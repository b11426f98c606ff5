"""Check that bins are fine enough for the counted scores."""

from __future__ import annotations

import warnings

import numpy as np

from ..exceptions import CoarseBinsWarning
from ._bin_table import BinTable
from ._score_bins import ScoreBins

__all__ = ["warn_of_coarse_bins"]

# Maximum share of items in a bin with several scores; smaller for the highest bin, which determines
# the precision of rare positives; and minimum number of items for a warning.
LARGEST_SHARE, LARGEST_SHARE_ON_TOP, MIN_ITEMS = 0.2, 1e-3, 1000
# Target share of a bin at the suggested resolution.
WANTED_SHARE = 0.01


def warn_of_coarse_bins(table: BinTable, bins: ScoreBins, stacklevel: int = 3) -> None:
    """Warn if a large share of the items lies in one bin and is not a tie.

    Ties are unknown for tables from a query engine: only probabilities are checked there.
    """
    if not len(table.keys):
        return
    n_items = int(table.counts.sum())
    in_unit = table.smallest[0] >= 0.0 and table.largest[-1] <= 1.0
    low, high = bins.edges(table.keys)
    is_seen = (table.smallest != low) | (table.largest != high) | in_unit
    counts = np.where((table.smallest < table.largest) & is_seen, table.counts, 0)
    at = int(np.argmax(counts))
    if counts[-1] > max(MIN_ITEMS, LARGEST_SHARE_ON_TOP * n_items):
        at = len(counts) - 1
    elif counts[at] <= max(MIN_ITEMS, LARGEST_SHARE * n_items):
        return
    share = counts[at] / n_items
    remedy = f"resolution={int(np.ceil(bins.resolution * max(2.0, share / WANTED_SHARE)))}"
    if in_unit and bins.scale != "logit":
        remedy = 'ScoreHistogram("logit"), the scale of probabilities'
    warnings.warn(
        f"The bins are too wide for these scores: {share:.2%} of {n_items:,} lie in one bin, "
        f"from {table.smallest[at]:.6g} to {table.largest[at]:.6g}, and are treated as evenly "
        f"spread there; average precision may be inaccurate. Count them again with {remedy}.",
        CoarseBinsWarning,
        stacklevel=stacklevel,
    )

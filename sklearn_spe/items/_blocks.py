"""What items may depart from a curve by: their systems, their category, their group."""

from __future__ import annotations

from ..experts._item_slack import Columns, ItemSlack, Members, SlackBlock, Walk
from ._clusters import Clusters
from ._coordinates import Systems
from ._item_table import ItemTable

__all__ = ["propose_slack"]

# Sizes of deviations, and how probable each is. None is zero where intervals of differences rest on
# it: no two systems, or categories, are the same.
OF_SYSTEMS = (0.1, 0.3, 0.7), (0.35, 0.35, 0.3)
OF_CATEGORIES = (0.2, 0.7, 1.4, 2.5), (0.2, 0.3, 0.3, 0.2)
SLOPES_OF_CATEGORIES = (0.1, 0.3, 0.7), (0.4, 0.35, 0.25)
OF_GROUPS = (0.0, 0.4, 1.0, 1.8), (0.25, 0.25, 0.25, 0.25)


def propose_slack(table: ItemTable, systems: Systems) -> ItemSlack:
    """Return the slack of items: a block for each of their structures."""
    blocks: list[SlackBlock] = []
    if len(systems.kinds) > 1:
        blocks.append(_of_systems(systems))
    if table.category is not None and table.category.n_parts > 1:
        codes, n = table.category.codes, table.category.n_parts
        kind = Walk if table.category.is_ordered else Members
        blocks.append(kind("category", *OF_CATEGORIES, codes, n))
        blocks.append(
            Members("slope in the category", *SLOPES_OF_CATEGORIES, codes, n, on="stretch")
        )
    if table.clusters is not None:
        codes, n = table.clusters.codes, table.clusters.n_clusters
        blocks.append(Members(Clusters.name, *OF_GROUPS, codes, n))
    return ItemSlack((*blocks, *table.slack))


def _of_systems(systems: Systems) -> Columns:
    """Return how far the rank of an item by each system lies from its mean rank."""
    ranks = systems.normal_ranks
    deviations = ranks - ranks.mean(axis=1, keepdims=True)
    return Columns("systems", *OF_SYSTEMS, deviations, scaled=True)

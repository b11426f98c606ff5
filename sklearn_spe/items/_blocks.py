"""Random effects of items: systems, category and group."""

from __future__ import annotations

from ..engine._random_effects import Columns, Members, RandomEffect, RandomEffects, Walk
from ._clusters import Clusters
from ._item_table import ItemTable
from ._score_axes import Systems

__all__ = ["random_effects_of"]

# Grid of effect sizes and their prior probabilities. Zero is excluded where differences are
# estimated: no two systems, or categories, are identical.
OF_SYSTEMS = (0.1, 0.3, 0.7), (0.35, 0.35, 0.3)
OF_CATEGORIES = (0.2, 0.7, 1.4, 2.5), (0.2, 0.3, 0.3, 0.2)
SLOPES_OF_CATEGORIES = (0.1, 0.3, 0.5), (0.4, 0.35, 0.25)
OF_GROUPS = (0.0, 0.4, 1.0, 1.8), (0.25, 0.25, 0.25, 0.25)


def random_effects_of(table: ItemTable, systems: Systems) -> RandomEffects:
    """Return one random effect for each structure of the items."""
    effects: list[RandomEffect] = []
    if len(systems.kinds) > 1:
        effects.append(_of_systems(systems))
    if table.category is not None and table.category.n_parts > 1:
        codes, n = table.category.codes, table.category.n_parts
        kind = Walk if table.category.is_ordered else Members
        effects.append(kind("category", *OF_CATEGORIES, codes, n))
        effects.append(
            Members("slope in the category", *SLOPES_OF_CATEGORIES, codes, n, on="stretch")
        )
    if table.clusters is not None:
        codes, n = table.clusters.codes, table.clusters.n_clusters
        effects.append(Members(Clusters.name, *OF_GROUPS, codes, n))
    return RandomEffects((*effects, *table.effects))


def _of_systems(systems: Systems) -> Columns:
    """Return the deviation of each system's rank of an item from the item's mean rank."""
    ranks = systems.normal_ranks
    deviations = ranks - ranks.mean(axis=1, keepdims=True)
    return Columns("systems", *OF_SYSTEMS, deviations, scaled=True)

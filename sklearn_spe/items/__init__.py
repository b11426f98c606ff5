"""One posterior for items scored by several systems, in subgroups and groups."""

from ._item_posterior import ItemPosterior
from ._ranking_posterior import RankingPosterior

__all__ = ["ItemPosterior", "RankingPosterior"]

"""Several systems, subgroups and groups of items: from what is known of items to one posterior."""

from ._item_posterior import ItemPosterior
from ._ranking_posterior import RankingPosterior

__all__ = ["ItemPosterior", "RankingPosterior"]

"""Several systems, subgroups and groups of items: from what is known of items to one posterior."""

from ..experts._item_posterior import ItemPosterior
from ..experts._ranking_posterior import RankingPosterior

__all__ = ["ItemPosterior", "RankingPosterior"]

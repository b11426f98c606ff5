"""Mixtures meet inference: fits of pairs of families, side by side, and their posterior."""

from ._comparison import Comparison
from ._mixture_posterior import MixturePosterior

__all__ = ["Comparison", "MixturePosterior"]

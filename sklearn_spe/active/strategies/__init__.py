"""Strategies: from a pool of scores and its labels to the items to label next.

They are stateless. A new one takes one file and one entry in `STRATEGIES`.
"""

from ._expected import (
    AdaptiveImportance,
    EstimatorChange,
    ExpectedChange,
    Reading,
    StaticImportance,
)
from ._registry import STRATEGIES
from ._rules import Adaptive, ConfidentMistake, Entropy, LogSpaced, Random, Stratified, Tail
from ._strategy import Pool, Strategy, best, check_category, ranks_from_top

__all__ = [
    "STRATEGIES",
    "Adaptive",
    "AdaptiveImportance",
    "ConfidentMistake",
    "Entropy",
    "EstimatorChange",
    "ExpectedChange",
    "LogSpaced",
    "Pool",
    "Random",
    "Reading",
    "StaticImportance",
    "Strategy",
    "Stratified",
    "Tail",
    "best",
    "check_category",
    "ranks_from_top",
]

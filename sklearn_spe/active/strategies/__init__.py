"""Strategies: from a pool of scores and its labels to the items to label next.

They are stateless. A new one takes one file and one entry in `STRATEGIES`.
"""

from ._adaptive import Adaptive
from ._confident_mistake import ConfidentMistake
from ._entropy import Entropy
from ._estimator_change import EstimatorChange
from ._expected_change import ExpectedChange
from ._importance import AdaptiveImportance, StaticImportance
from ._log_spaced import LogSpaced
from ._pool import Pool, ranks_from_top
from ._random import Random
from ._reading_down import Reading
from ._registry import STRATEGIES
from ._strategy import Strategy, best, check_category
from ._stratified import Stratified
from ._tail import Tail

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

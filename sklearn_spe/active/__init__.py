"""Which items to label next.

A strategy is stateless: from scores, and what is labelled so far, to the items to label. A new
one costs one file and one entry in `STRATEGIES`.
"""

from ._adaptive import Adaptive
from ._random import Random
from ._strategy import Strategy
from ._tail import Tail

__all__ = ["STRATEGIES", "Adaptive", "Random", "Strategy", "Tail"]

STRATEGIES = {strategy.name: strategy for strategy in (Tail, Random, Adaptive)}

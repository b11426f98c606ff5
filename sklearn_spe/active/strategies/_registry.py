"""All strategies by name: a new one takes one file and one entry here."""

from __future__ import annotations

from ._adaptive import Adaptive
from ._confident_mistake import ConfidentMistake
from ._entropy import Entropy
from ._estimator_change import EstimatorChange
from ._expected_change import ExpectedChange
from ._importance import AdaptiveImportance, StaticImportance
from ._log_spaced import LogSpaced
from ._random import Random
from ._reading_down import Reading
from ._stratified import Stratified
from ._tail import Tail

__all__ = ["STRATEGIES"]

STRATEGIES = {
    strategy.name: strategy
    for strategy in (
        Random,
        ExpectedChange,
        EstimatorChange,
        ConfidentMistake,
        Entropy,
        LogSpaced,
        Tail,
        Reading,
        Adaptive,
        Stratified,
        StaticImportance,
        AdaptiveImportance,
    )
}

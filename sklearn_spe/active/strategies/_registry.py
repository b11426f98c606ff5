"""All strategies by name: a new one takes one file and one entry here."""

from __future__ import annotations

from ._expected import (
    AdaptiveImportance,
    EstimatorChange,
    ExpectedChange,
    Reading,
    StaticImportance,
)
from ._rules import Adaptive, ConfidentMistake, Entropy, LogSpaced, Random, Stratified, Tail

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

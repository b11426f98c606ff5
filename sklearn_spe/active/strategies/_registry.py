"""Strategies by name: a new one takes a class and an entry here."""

from __future__ import annotations

from typing import Any

from ._rules import (
    Adaptive,
    AdaptiveImportance,
    ConfidentMistake,
    Entropy,
    EstimatorChange,
    ExpectedChange,
    LogSpaced,
    Random,
    Reading,
    StaticImportance,
    Stratified,
    Tail,
)
from ._strategy import Strategy

STRATEGIES: dict[str, type[Strategy]] = {
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


def as_strategy(strategy: Any) -> Strategy:
    """Return a strategy given by name or instance."""
    if isinstance(strategy, Strategy):
        return strategy
    if not isinstance(strategy, str) or strategy not in STRATEGIES:
        raise ValueError(
            f"Unknown strategy {strategy!r}; choose one of {', '.join(STRATEGIES)}, or an "
            f"instance of sklearn_spe.active.Strategy."
        )
    return STRATEGIES[strategy]()

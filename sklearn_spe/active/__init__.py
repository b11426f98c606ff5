"""Which items to label next, and when to stop.

A strategy is stateless: from scores, and what is labelled so far, to the items to label. A new
one costs one file and one entry in `STRATEGIES`.
"""

# What sklearn_spe itself names is imported under its own name, and documented there.
from ._exchange import RECORD
from ._history import History, HistoryRow
from ._label_studio import read_label_studio
from ._plan import LabelPlan
from ._selector import ActiveTestSelector as ActiveTestSelector
from ._stopping import AllOf, AnyOf, HalfWidth, MaxLabels, Progress, StoppingRule
from .strategies import (
    STRATEGIES,
    Adaptive,
    AdaptiveImportance,
    Entropy,
    ExpectedChange,
    LogSpaced,
    Pool,
    Random,
    StaticImportance,
    Strategy,
    Stratified,
    Tail,
)

__all__ = [
    "RECORD",
    "STRATEGIES",
    "Adaptive",
    "AdaptiveImportance",
    "AllOf",
    "AnyOf",
    "Entropy",
    "ExpectedChange",
    "HalfWidth",
    "History",
    "HistoryRow",
    "LabelPlan",
    "LogSpaced",
    "MaxLabels",
    "Pool",
    "Progress",
    "Random",
    "StaticImportance",
    "StoppingRule",
    "Strategy",
    "Stratified",
    "Tail",
    "read_label_studio",
]

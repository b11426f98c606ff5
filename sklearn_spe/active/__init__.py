"""Which items to label next, and when to stop.

A strategy is stateless: from scores, and what is labelled so far, to the items to label. A new
one costs one file and one entry in `STRATEGIES`.
"""

from ._label_studio import read_label_studio
from ._plan import LabelPlan
from ._selector import ActiveTestSelector
from ._stopping import AllOf, AnyOf, HalfWidth, MaxLabels, StoppingRule
from .strategies import (
    STRATEGIES,
    Adaptive,
    AdaptiveImportance,
    Entropy,
    ExpectedChange,
    LogSpaced,
    Random,
    StaticImportance,
    Strategy,
    Stratified,
    Tail,
)

__all__ = [
    "STRATEGIES",
    "ActiveTestSelector",
    "Adaptive",
    "AdaptiveImportance",
    "AllOf",
    "AnyOf",
    "Entropy",
    "ExpectedChange",
    "HalfWidth",
    "LabelPlan",
    "LogSpaced",
    "MaxLabels",
    "Random",
    "StaticImportance",
    "StoppingRule",
    "Strategy",
    "Stratified",
    "Tail",
    "read_label_studio",
]

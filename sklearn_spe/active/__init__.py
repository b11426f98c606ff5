"""Active testing: which items to label next, and when to stop.

A strategy is stateless: it maps scores and the labels so far to the items to label. Label models
predict unverified labels from scores and noisy labels. A new one of either takes a class and an
entry in its registry.
"""

# What sklearn_spe itself names is imported under its own name, and documented there.
from ._label_studio import read_label_studio
from ._selector import ActiveTestSelector as ActiveTestSelector
from ._stopping import (
    GoalReached,
    HalfWidth,
    MaxLabels,
    Progress,
    RankingSettled,
    RecallReached,
    StoppingRule,
)
from .label_models._curves import SharedCurvesModel
from .label_models._label_model import LabelDraws, LabelModel
from .label_models._registry import ClassifierModel
from .sessions._plan import GoalPlan, LabelPlan
from .strategies._rules import (
    Adaptive,
    AdaptiveImportance,
    ExpectedChange,
    Random,
    Reading,
    StaticImportance,
    Stratified,
    Tail,
)
from .strategies._strategy import Pool, Strategy

__all__ = [
    "Adaptive",
    "AdaptiveImportance",
    "ClassifierModel",
    "ExpectedChange",
    "GoalPlan",
    "GoalReached",
    "HalfWidth",
    "LabelDraws",
    "LabelModel",
    "LabelPlan",
    "MaxLabels",
    "Pool",
    "Progress",
    "Random",
    "RankingSettled",
    "Reading",
    "RecallReached",
    "SharedCurvesModel",
    "StaticImportance",
    "StoppingRule",
    "Strategy",
    "Stratified",
    "Tail",
    "read_label_studio",
]

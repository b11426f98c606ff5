"""Active testing: which items to label next, and when to stop.

A strategy is stateless: it maps scores and the labels so far to the items to label. A new one takes
one file and one entry in `STRATEGIES`. Label models predict unverified labels from scores and noisy
labels; a new one takes one file and one entry in `LABEL_MODELS`.
"""

# Names of the top-level package are imported and documented there.
from ._label_studio import read_label_studio
from ._record import RECORD
from ._selector import ActiveTestSelector as ActiveTestSelector
from ._stopping import (
    AllOf,
    AnyOf,
    GoalReached,
    HalfWidth,
    MaxLabels,
    Progress,
    RankingSettled,
    RecallReached,
    StoppingRule,
)
from .label_models import (
    LABEL_MODELS,
    ClassifierModel,
    CountsModel,
    CurvesModel,
    JointModel,
    LabelDraws,
    LabelModel,
    NaiveModel,
    SharedCurvesModel,
)
from .matches._registry import COCO_THRESHOLDS, OverlapModel, SegmentationMatches
from .sessions._goal_plan import GoalPlan
from .sessions._history import History, HistoryRow
from .sessions._plan import LabelPlan
from .strategies import (
    STRATEGIES,
    Adaptive,
    AdaptiveImportance,
    ConfidentMistake,
    Entropy,
    EstimatorChange,
    ExpectedChange,
    LogSpaced,
    Pool,
    Random,
    Reading,
    StaticImportance,
    Strategy,
    Stratified,
    Tail,
)

__all__ = [
    "COCO_THRESHOLDS",
    "LABEL_MODELS",
    "RECORD",
    "STRATEGIES",
    "Adaptive",
    "AdaptiveImportance",
    "AllOf",
    "AnyOf",
    "ClassifierModel",
    "ConfidentMistake",
    "CountsModel",
    "CurvesModel",
    "Entropy",
    "EstimatorChange",
    "ExpectedChange",
    "GoalPlan",
    "GoalReached",
    "HalfWidth",
    "History",
    "HistoryRow",
    "JointModel",
    "LabelDraws",
    "LabelModel",
    "LabelPlan",
    "LogSpaced",
    "MaxLabels",
    "NaiveModel",
    "OverlapModel",
    "Pool",
    "Progress",
    "Random",
    "RankingSettled",
    "Reading",
    "RecallReached",
    "SegmentationMatches",
    "SharedCurvesModel",
    "StaticImportance",
    "StoppingRule",
    "Strategy",
    "Stratified",
    "Tail",
    "read_label_studio",
]

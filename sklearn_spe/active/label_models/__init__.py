"""Models of labels given scores, noisy labels and known labels: one model per file."""

from ._classifier_model import ClassifierModel
from ._counts import CountsModel
from ._curves import CurvesModel
from ._joint import JointModel
from ._label_draws import Coupling, LabelDraws
from ._label_model import LabelModel
from ._naive import NaiveModel
from ._registry import LABEL_MODELS
from ._shared_curves import SharedCurvesModel

__all__ = [
    "LABEL_MODELS",
    "ClassifierModel",
    "CountsModel",
    "Coupling",
    "CurvesModel",
    "JointModel",
    "LabelDraws",
    "LabelModel",
    "NaiveModel",
    "SharedCurvesModel",
]

"""Models of labels given scores, noisy labels and known labels: one model per file."""

from ._curves import CurvesModel, SharedCurvesModel
from ._label_model import Coupling, LabelDraws, LabelModel
from ._noisy_regression import JointModel
from ._registry import LABEL_MODELS, ClassifierModel
from ._simple_models import CountsModel, NaiveModel

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

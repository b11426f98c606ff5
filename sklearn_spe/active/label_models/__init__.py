"""What labels may be, given scores, noisy labels and answers: one model a file."""

from ..matches._overlap import OverlapModel
from ._classifier_model import ClassifierModel
from ._counts import CountsModel
from ._curves import CurvesModel
from ._joint import JointModel
from ._label_draws import CORRELATION, Coupling, LabelDraws
from ._label_model import LabelModel
from ._naive import NaiveModel
from ._registry import LABEL_MODELS

__all__ = [
    "CORRELATION",
    "LABEL_MODELS",
    "ClassifierModel",
    "CountsModel",
    "Coupling",
    "CurvesModel",
    "JointModel",
    "LabelDraws",
    "LabelModel",
    "NaiveModel",
    "OverlapModel",
]

"""All label models by name: a new one takes one file and one entry here."""

from __future__ import annotations

from ._counts import CountsModel
from ._curves import CurvesModel
from ._joint import JointModel
from ._label_model import LabelModel
from ._naive import NaiveModel
from ._shared_curves import SharedCurvesModel

__all__ = ["LABEL_MODELS"]

LABEL_MODELS: dict[str, type[LabelModel]] = {
    model.name: model
    for model in (NaiveModel, CountsModel, JointModel, CurvesModel, SharedCurvesModel)
}

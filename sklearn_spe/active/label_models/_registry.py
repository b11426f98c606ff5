"""All label models by name: a new one costs one file and one entry here."""

from __future__ import annotations

from ..matches._overlap import OverlapModel
from ._counts import CountsModel
from ._curves import CurvesModel
from ._joint import JointModel
from ._naive import NaiveModel

__all__ = ["LABEL_MODELS"]

LABEL_MODELS = {
    model.name: model for model in (NaiveModel, CountsModel, JointModel, CurvesModel, OverlapModel)
}

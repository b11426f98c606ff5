"""Multiclass fits: prediction errors, and the true class where the prediction is wrong."""

from ._classes_model import ClassesModel
from ._confusion_matrix import ConfusionMatrix
from ._top_k_accuracy import TopKAccuracy

__all__ = ["ClassesModel", "ConfusionMatrix", "TopKAccuracy"]

"""Several classes: which items are right, and what the others are taken for."""

from ._classes_model import ClassesModel
from ._confusion_matrix import ConfusionMatrix
from ._top_k_accuracy import TopKAccuracy

__all__ = ["ClassesModel", "ConfusionMatrix", "TopKAccuracy"]

"""Fits as values, one for each kind of data: one pool of scores, structured items, classes."""

from ._class_model import ClassesModel
from ._class_questions import ConfusionMatrix, TopKAccuracy
from ._fit_settings import BareMixture, CurvePrior
from ._item_posterior import ItemPosterior, RankingPosterior
from ._score_model import ScoreModel

__all__ = [
    "BareMixture",
    "ClassesModel",
    "ConfusionMatrix",
    "CurvePrior",
    "ItemPosterior",
    "RankingPosterior",
    "ScoreModel",
    "TopKAccuracy",
]

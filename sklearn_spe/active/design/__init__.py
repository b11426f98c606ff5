"""What labels that were drawn with known chances say by themselves, whatever a model believes."""

from ._betting import BettingCapital
from ._label_design import LabelDesign, rest_and_reach
from ._ranking_estimate import design_precision_recall, design_ranking_estimate
from ._ratio_estimate import design_estimate

__all__ = [
    "BettingCapital",
    "LabelDesign",
    "design_estimate",
    "design_precision_recall",
    "design_ranking_estimate",
    "rest_and_reach",
]

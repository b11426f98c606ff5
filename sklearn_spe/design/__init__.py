"""What labels prove that were drawn with known probabilities, whatever a model assumes."""

from ._betting import BettingEProcess
from ._design_estimates import design_estimate, design_precision_recall, design_ranking_estimate
from ._goal_certificate import GoalCertificate
from ._label_design import LabelDesign, expected_squares, rest_and_reach
from ._recall_certificate import RecallCertificate

__all__ = [
    "BettingEProcess",
    "GoalCertificate",
    "LabelDesign",
    "RecallCertificate",
    "design_estimate",
    "design_precision_recall",
    "design_ranking_estimate",
    "expected_squares",
    "rest_and_reach",
]

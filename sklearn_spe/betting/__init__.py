"""Design-based guarantees from labels drawn with known inclusion probabilities."""

from ._betting_e_process import BettingEProcess
from ._goal_certificate import GoalCertificate
from ._label_design import LabelDesign, expected_squares, rest_and_reach
from ._recall_certificate import RecallCertificate

__all__ = [
    "BettingEProcess",
    "GoalCertificate",
    "LabelDesign",
    "RecallCertificate",
    "expected_squares",
    "rest_and_reach",
]

"""What labels prove that were drawn with known chances, whatever a model believes."""

from ._betting_capital import BettingCapital
from ._goal_certificate import GoalCertificate
from ._label_design import LabelDesign, expected_squares, rest_and_reach

__all__ = ["BettingCapital", "GoalCertificate", "LabelDesign", "expected_squares", "rest_and_reach"]

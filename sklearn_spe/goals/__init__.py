"""Goals and other questions to a posterior: what is asked, and the best threshold for it."""

# What sklearn_spe itself names is imported under its own name, and documented there.
from ._best_threshold import best_threshold
from ._goal import Goal as Goal
from ._goal import goal_probability

__all__ = [
    "best_threshold",
    "goal_probability",
]

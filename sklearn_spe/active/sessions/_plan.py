"""Number of labels that an interval width takes: simulated labeling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from ..._arrays import FrozenArrays
from ...inputs._numbers import check_count, check_counts, check_flag, check_number
from ...inputs._random_state import spawn
from .._seed_places import SeedPlace
from .._stopping import half_width
from ..strategies._random import Random
from ._goal_plan import GoalPlan
from ._session import Session

__all__ = ["LabelPlan", "further_labels", "simulate_labeling"]

# Number of draws of the model while labeling is simulated.
SIMULATION_DRAWS = 150
MAX_SIMULATIONS = 1000
# Default numbers of further labels.
PLANNED = (10, 20, 30, 40, 60, 80, 100, 150, 200)


@dataclass(frozen=True, eq=False, repr=False)
class LabelPlan(FrozenArrays):
    """Expected interval width of an estimate after more items are labeled.

    Full widths, upper minus lower end, of the interval of `estimate_`; their mean for a curve or
    several systems.

    Attributes
    ----------
    n_labels : ndarray of shape (n_counts,)
        Numbers of further labels, beyond the known and pending ones.
    chosen, random : ndarray of shape (n_simulations, n_counts)
        The width with labels chosen by the strategy, and at random.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.active import LabelPlan
    >>> plan = LabelPlan(np.array([10, 20]), np.array([[0.1, 0.05]]), np.array([[0.2, 0.15]]))
    >>> plan.labels_for(0.06)
    20
    >>> plan.labels_for(0.06, random=True) is None
    True
    """

    n_labels: np.ndarray
    chosen: np.ndarray
    random: np.ndarray

    def width(self, *, random: bool = False) -> np.ndarray:
        """Return the median width for each number of labels, of shape (n_counts,)."""
        check_flag(random, "random")
        return np.median(self.random if random else self.chosen, axis=0)

    def labels_for(self, width: float, *, random: bool = False) -> int | None:
        """Return the smallest number of further labels with this median width; None if none has."""
        check_number(width, "width", "(0, 1)")
        enough = np.flatnonzero(self.width(random=random) <= width)
        return int(self.n_labels[enough[0]]) if len(enough) else None

    def to_frame(self):
        """Return a pandas DataFrame of further labels and median widths."""
        import pandas as pd

        return pd.DataFrame(
            {
                "further_labels": self.n_labels,
                "width_chosen": self.width(),
                "width_random": self.width(random=True),
            }
        )

    def __repr__(self) -> str:
        parts = ", ".join(
            f"{n}: {chosen:.3f} ({random:.3f})"
            for n, chosen, random in zip(
                self.n_labels, self.width(), self.width(random=True), strict=True
            )
        )
        return f"LabelPlan(widths with further labels, chosen (random), {parts})"


def further_labels(n_labels, left: int) -> np.ndarray:
    """Return validated numbers of further labels, increasing."""
    if not left:
        raise ValueError("No unlabeled item is left, so that nothing can be planned.")
    counts = np.unique(np.minimum(PLANNED, left)) if n_labels is None else n_labels
    counts = np.atleast_1d(check_counts(counts, "n_labels"))
    increasing = counts.ndim == 1 and len(counts) and (np.diff(counts) > 0).all()
    if not increasing or counts[-1] > left:
        raise ValueError(
            f"n_labels must be increasing, up to the {left} unlabeled items; got {n_labels!r}."
        )
    return counts


def simulate_labeling(
    session: Session, strategy, counts, n_simulations: int, n_jobs=None, **how
) -> LabelPlan | GoalPlan:
    """Simulate the labeling of the pool several times, with labels drawn from the posterior."""
    if check_count(n_simulations, "n_simulations") > MAX_SIMULATIONS:
        raise ValueError(
            f"n_simulations must be at most {MAX_SIMULATIONS:,}, got {n_simulations}: each "
            "simulates the whole labeling. About ten are enough for a plan."
        )
    tasks = [(s, i) for s in (strategy, Random()) for i in range(n_simulations)]
    measured = Parallel(n_jobs=n_jobs)(
        delayed(_simulate)(session, chooser, counts, i, how) for chooser, i in tasks
    )
    chosen, random = np.array(measured).reshape(2, n_simulations, len(counts))
    if session.guarantee is None:
        return LabelPlan(counts, chosen, random)
    return GoalPlan(counts, chosen, random, session.model.goal_reach())


def _simulate(session, strategy, counts, i, how):
    rng = spawn(session.model.seed, SeedPlace.SIMULATED_LABELINGS, i)
    answers = session.model.simulated_answers(rng)
    own = session.with_draws(SIMULATION_DRAWS)
    names = own.labels
    pending = own.query_log.pending
    if len(pending):
        # Pending items will be answered.
        own = own.after(pending, answers(own.model, pending), names)
    measured, done = [], 0
    for count in counts:
        batch, _ = own.ask(
            strategy, int(count - done), path=(SeedPlace.SIMULATED_LABELINGS, i), **how
        )
        own = own.after(batch.items, answers(own.model, batch.items), names)
        measured.append(_measured(own))
        done = count
    return measured


def _measured(session: Session) -> float:
    """Return the interval width; for a goal the usefulness of a selection that meets it, or 0."""
    if session.guarantee is None:
        return 2.0 * half_width(session.estimate)
    return float(session.guarantee.estimate.value) if session.guarantee.is_kept else 0.0

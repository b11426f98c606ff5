"""How many labels a wanted width takes: labelling, simulated from what is believed now."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from ..._arrays import FrozenArrays
from ...inputs._numbers import check_flag, check_number
from ...inputs._random_state import spawn
from .._stopping import half_width
from ..strategies._random import Random
from ._session import Session

__all__ = ["LabelPlan", "simulate_labelling"]

# The place of simulated labels in the tree of seeds.
SIMULATED = 10
# Draws of the model while labelling is simulated.
SIMULATION_DRAWS = 150


@dataclass(frozen=True, eq=False, repr=False)
class LabelPlan(FrozenArrays):
    """How narrow the interval of an estimate becomes with more labels.

    Attributes
    ----------
    n_labels : ndarray of shape (n_counts,)
        How many labels there are in all.
    chosen, random : ndarray of shape (n_simulations, n_counts)
        Half the width of the interval with labels chosen by the strategy, and at random.

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

    def half_width(self, *, random: bool = False) -> np.ndarray:
        """Return the median half width for each number of labels, of shape (n_counts,)."""
        check_flag(random, "random")
        return np.median(self.random if random else self.chosen, axis=0)

    def labels_for(self, half_width: float, *, random: bool = False) -> int | None:
        """Return the smallest number of labels with so small a median; None if there is none."""
        check_number(half_width, "half_width", "(0, 0.5)")
        enough = np.flatnonzero(self.half_width(random=random) <= half_width)
        return int(self.n_labels[enough[0]]) if len(enough) else None

    def to_frame(self):
        """Return a pandas DataFrame, one row a number of labels, with medians."""
        import pandas as pd

        return pd.DataFrame(
            {
                "n_labels": self.n_labels,
                "chosen": self.half_width(),
                "random": self.half_width(random=True),
            }
        )

    def __repr__(self) -> str:
        parts = ", ".join(
            f"{n}: {chosen:.3f} ({random:.3f})"
            for n, chosen, random in zip(
                self.n_labels, self.half_width(), self.half_width(random=True), strict=True
            )
        )
        return f"LabelPlan(half widths with chosen (random) labels, {parts})"


def simulate_labelling(
    session: Session, strategy, counts, n_simulations: int, n_jobs=None, **how
) -> LabelPlan:
    """Label the pool several times, with labels that a draw of the posterior makes.

    Parameters
    ----------
    session : Session
        It is not changed.
    strategy : Strategy
    counts : ndarray of shape (n_counts,)
        How many more labels, rising.
    n_simulations : int
    n_jobs : int, default=None
    **how
        How items are drawn, as `Session.ask` takes it.
    """
    tasks = [(s, i) for s in (strategy, Random()) for i in range(n_simulations)]
    widths = Parallel(n_jobs=n_jobs)(
        delayed(_simulate)(session, chooser, counts, i, how) for chooser, i in tasks
    )
    chosen, random = np.array(widths).reshape(2, n_simulations, len(counts))
    known = session.query_log.n_labels + len(session.query_log.pending)
    return LabelPlan(known + counts, chosen, random)


def _simulate(session, strategy, counts, i, how):
    rng = spawn(session.seed, SIMULATED, i)
    labels = session.simulated_labels(rng)
    own = session.with_draws(SIMULATION_DRAWS)
    names = own.labels
    pending = own.query_log.pending
    if len(pending):
        # What was asked for will be answered.
        own = own.after(pending, labels[pending], names)
    widths, done = [], 0
    for count in counts:
        batch, _ = own.ask(strategy, int(count - done), path=(SIMULATED, i), **how)
        own = own.after(batch.items, labels[batch.items], names)
        widths.append(half_width(own.estimate))
        done = count
    return widths

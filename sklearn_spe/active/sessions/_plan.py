"""Plans: the expected gain from further labels, for a metric and for a goal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...goals._best_threshold import USEFUL_SHARE
from ...inputs._arrays import FrozenArrays
from ...inputs._validation import check_count, check_counts, check_flag, check_number, spawn
from ...inputs._workers import in_parallel
from ...results._showing import ColumnsResult, Markup, joined, tag
from .._query import SeedPlace
from .._stopping import half_width
from ..strategies._rules import Random
from ..strategies._strategy import Strategy
from ._session import Session

# Number of draws of the model while labeling is simulated.
SIMULATION_DRAWS = 150
MAX_SIMULATIONS = 1000
# Default numbers of further labels.
PLANNED = (10, 20, 30, 40, 60, 80, 100, 150, 200)


@dataclass(frozen=True, eq=False)
class Plan(ColumnsResult, FrozenArrays):
    """Expected gain from further labels of items chosen by the strategy, and at random."""

    n_labels: np.ndarray
    chosen: np.ndarray
    random: np.ndarray

    def _first(self, is_enough: np.ndarray) -> int | None:
        """Return the smallest number of labels that is enough; None if none is."""
        return int(self.n_labels[np.argmax(is_enough)]) if is_enough.any() else None

    def _listed(self, decimals: int) -> str:
        """Return the outcomes as text, chosen (random)."""
        columns = list(self._columns().values())[:3]
        return ", ".join(
            f"{n}: {chosen:.{decimals}f} ({random:.{decimals}f})"
            for n, chosen, random in zip(*columns, strict=True)
        )

    def sentence(self) -> str:
        """Return the expected result of the largest number of labels as a sentence."""
        raise NotImplementedError

    def _record(self) -> dict[str, Any]:
        return {**super()._record(), "sentence": self.sentence()}

    def _html(self) -> Markup:
        return joined(tag("p", self.sentence()), super()._html())


@dataclass(frozen=True, eq=False, repr=False)
class GoalPlan(Plan):
    """Probability that a selection meets a goal after more labels, and how useful it is.

    .. versionadded:: 0.1

    Attributes
    ----------
    n_labels : ndarray of shape (n_counts,)
        Numbers of further labels, besides the known and pending ones.
    chosen, random : ndarray of shape (n_simulations, n_counts)
        The value of the metric that the goal does not bound (recall, if precision is bounded), for
        the selection with labels chosen by the strategy, and at random. 0 if no selection meets the
        goal.
    reachable : float
        The probability that any threshold meets the goal with all labels known. If it is near 0,
        the scores or the prevalence do not allow the goal: a selection then contains little more
        than the labeled positives.
    attainable : float, default=0
        The expected value of that metric for the best threshold that meets the goal, with all
        labels known.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.active import GoalPlan
    >>> useful = np.array([[0.0, 0.5], [0.0, 0.7], [0.2, 0.6]])
    >>> plan = GoalPlan(
    ...     np.array([50, 100]), useful, 0.5 * useful, reachable=0.9, attainable=0.8)
    >>> plan.labels_for(), plan.labels_for(0.3, least=0.2)
    (100, 50)
    >>> plan.labels_for(least=0.5, random=True) is None
    True
    """

    reachable: float
    attainable: float = 0.0

    caption: ClassVar[str] = "Share of simulations that meet the goal"

    @property
    def least(self) -> float:
        """The required value of the metric that the goal does not bound: half of `attainable`."""
        return USEFUL_SHARE * self.attainable

    def kept(self, *, least: float | None = None, random: bool = False) -> np.ndarray:
        """Return the share of simulations in which a useful selection meets the goal, (n_counts,).

        Parameters
        ----------
        least : float in [0, 1], default=None
            The required value of the metric that the goal does not bound; 0 counts any selection.
            None means half of `attainable`, as in :class:`~sklearn_spe.active.GoalReached`.
        random : bool, default=False
            Whether items are chosen at random.
        """
        least = self.least if least is None else check_number(least, "least", "[0, 1]")
        check_flag(random, "random")
        useful = self.random if random else self.chosen
        return np.mean((useful > 0.0) & (useful >= least), axis=0)

    def labels_for(
        self, probability: float = 0.5, *, least: float | None = None, random: bool = False
    ) -> int | None:
        """Return the smallest number of further labels with which a selection meets the goal.

        Parameters
        ----------
        probability : float in (0, 1], default=0.5
            The required share of the simulations.
        least, random
            As in :meth:`kept`.

        Returns
        -------
        n_labels : int or None
            The number; None if no simulated number suffices.
        """
        check_number(probability, "probability", "(0, 1]")
        return self._first(self.kept(least=least, random=random) >= probability)

    def _columns(self) -> dict[str, np.ndarray]:
        return {
            "further_labels": self.n_labels,
            "kept_chosen": self.kept(),
            "kept_random": self.kept(random=True),
            "useful_chosen": self.chosen.mean(axis=0),
            "useful_random": self.random.mean(axis=0),
        }

    def sentence(self) -> str:
        """Return as a sentence the probability that the largest number of labels suffices."""
        n_labels = self.n_labels[-1]
        percent = 100.0 * self.kept()[-1]
        percent_random = 100.0 * self.kept(random=True)[-1]
        return (
            f"With {n_labels:,} more labels, chosen by the strategy, a useful selection meets the "
            f"goal in {percent:.0f} of 100 simulations ({percent_random:.0f} at random)."
        )

    def _record(self) -> dict[str, Any]:
        numbers = {"reachable": self.reachable, "attainable": self.attainable}
        return {**self._columns(), **numbers, "sentence": self.sentence()}

    def __repr__(self) -> str:
        return (
            f"GoalPlan(kept with further labels, chosen (random), {self._listed(2)}; "
            f"reachable by a threshold: {self.reachable:.2f})"
        )


@dataclass(frozen=True, eq=False, repr=False)
class LabelPlan(Plan):
    """Expected interval width of an estimate after more items are labeled.

    The width is the upper minus the lower end of the interval of `estimate_`. For a curve or
    several systems it is the mean width.

    .. versionadded:: 0.1

    Attributes
    ----------
    n_labels : ndarray of shape (n_counts,)
        Numbers of further labels, besides the known and pending ones.
    chosen, random : ndarray of shape (n_simulations, n_counts)
        The widths with labels chosen by the strategy, and at random.

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

    caption: ClassVar[str] = "Expected width of the interval"

    def width(self, *, random: bool = False) -> np.ndarray:
        """Return the median width for each number of labels, of shape (n_counts,)."""
        check_flag(random, "random")
        return np.median(self.random if random else self.chosen, axis=0)

    def labels_for(self, width: float, *, random: bool = False) -> int | None:
        """Return the smallest number of further labels with this median width, or None."""
        check_number(width, "width", "(0, 1)")
        return self._first(self.width(random=random) <= width)

    def _columns(self) -> dict[str, np.ndarray]:
        return {
            "further_labels": self.n_labels,
            "width_chosen": self.width(),
            "width_random": self.width(random=True),
        }

    def sentence(self) -> str:
        """Return as a sentence the width with the largest number of labels."""
        return (
            f"With {self.n_labels[-1]:,} more labels, chosen by the strategy, the interval is "
            f"expected to be {self.width()[-1]:.3f} wide ({self.width(random=True)[-1]:.3f} at "
            "random)."
        )

    def __repr__(self) -> str:
        return f"LabelPlan(widths with further labels, chosen (random), {self._listed(3)})"


def further_labels(n_labels: Any, left: int) -> np.ndarray:
    """Return validated numbers of further labels, increasing."""
    if not left:
        raise ValueError("No unlabeled item is left, so there is nothing to plan.")
    counts = np.unique(np.minimum(PLANNED, left)) if n_labels is None else n_labels
    counts = np.atleast_1d(check_counts(counts, "n_labels"))
    increasing = counts.ndim == 1 and len(counts) and (np.diff(counts) > 0).all()
    if not increasing or counts[-1] > left:
        raise ValueError(
            f"n_labels must be increasing, up to the {left} unlabeled items; got {n_labels!r}."
        )
    return counts


def simulate_labeling(
    session: Session,
    strategy: Strategy,
    counts: np.ndarray,
    n_simulations: int,
    n_jobs: int | None = None,
    *,
    draw: str,
    exploration: float,
) -> LabelPlan | GoalPlan:
    """Simulate the labeling of the pool several times, with labels drawn from the posterior."""
    if check_count(n_simulations, "n_simulations") > MAX_SIMULATIONS:
        raise ValueError(
            f"n_simulations must be at most {MAX_SIMULATIONS:,}, got {n_simulations}: each "
            "simulates the whole labeling. About ten are enough for a plan."
        )

    session = session.without_history()
    tasks = [
        (session, simulated_strategy, counts, seed, draw, exploration)
        for simulated_strategy in (strategy, Random())
        for seed in range(n_simulations)
    ]
    outcomes = in_parallel(_simulate, tasks, n_jobs, threads=False)
    chosen, random = np.array(outcomes).reshape(2, n_simulations, len(counts))

    if not session.model.question.is_goal:
        return LabelPlan(counts, chosen, random)
    model = session.model
    return GoalPlan(counts, chosen, random, model.goal_reach(), model.goal_attainable())


def _simulate(
    session: Session,
    strategy: Strategy,
    counts: np.ndarray,
    seed: int,
    draw: str,
    exploration: float,
) -> list[float]:
    """Return the outcome with each number of labels, of one simulated labeling."""
    path = (SeedPlace.SIMULATED_LABELINGS, seed)
    labels_of = session.model.simulated_answers(spawn(session.model.seed, *path))

    simulated = session.copy()
    simulated.model = simulated.model.with_draws(SIMULATION_DRAWS)
    label_format = simulated.labels
    pending = simulated.query_log.pending
    if len(pending):
        # Pending items will be answered.
        labels = labels_of(simulated.model, pending)
        simulated = simulated.after(pending, labels, label_format)

    outcomes = []
    for n_new in np.diff(counts, prepend=0).tolist():
        batch, _ = simulated.ask(strategy, n_new, path=path, draw=draw, exploration=exploration)
        # An item of a histogram exists once it is asked for: in the model after the query.
        labels = labels_of(simulated.model, batch.items)
        simulated = simulated.after(batch.items, labels, label_format)
        outcomes.append(_outcome(simulated))
    return outcomes


def _outcome(session: Session) -> float:
    """Return the interval width; for a goal the usefulness of a selection that meets it, or 0."""
    if session.guarantee is None:
        return 2.0 * half_width(session.estimates.estimate)
    return float(session.guarantee.estimate.value) if session.guarantee.is_kept else 0.0

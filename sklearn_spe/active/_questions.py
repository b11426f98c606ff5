"""What can be asked while a pool is being labelled."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..exceptions import RepeatedLooksWarning
from ..inputs._numbers import check_count, check_counts
from ..results._bands import CurveBand, ScalarEstimate, percent
from ..results._verdict import Verdict, warn_of
from ._parameters import as_strategy
from ._stopping import Progress, joined
from ._stopping import half_width as half_width_of
from .sessions._plan import LabelPlan, simulate_labelling
from .sessions._session import Session
from .strategies._strategy import Strategy

__all__ = ["SelectorQuestions"]

MOST_SIMULATIONS = 1000
# How many more labels are planned for, if no number is given.
PLANNED = (10, 20, 30, 40, 60, 80, 100, 150, 200)


class SelectorQuestions:
    """Mixin of `ActiveTestSelector`: when to stop, what labels will buy, what items are like."""

    strategy: str | Strategy
    n_jobs: int | None
    estimate_: ScalarEstimate | CurveBand
    verdict_: Verdict
    _session: Session
    _said: set[str]
    _drawing: Callable[[], dict]

    def should_stop(self, *rules, half_width=None, max_labels=None) -> bool:
        """Return whether labelling may stop.

        Parameters
        ----------
        *rules : StoppingRule
            The first that holds stops; ``rule & rule`` holds if both do.
        half_width : float in (0, 0.5), default=None
            Short for :class:`~sklearn_spe.active.HalfWidth`.
        max_labels : int, default=None
            Short for :class:`~sklearn_spe.active.MaxLabels`.

        Returns
        -------
        stop : bool
            True as well if nothing is left to label. `stop_reason_` says why.

        Raises
        ------
        ValueError
            If there is no rule, or one that can never hold.

        Warns
        -----
        RepeatedLooksWarning
            If a rule looks at an interval that is not valid for repeated looks; once.
        UnidentifiedWarning
            If labelling may stop, and the labels say little all the same.
        """
        check_is_fitted(self, "estimate_")
        rule = joined(rules, half_width, max_labels)
        progress = self._progress()
        if not rule.can_hold(progress):
            raise ValueError(
                f"The rule that {rule.describe()} can never hold: there are {progress.n_items} "
                f"items in all."
            )
        reason = None
        if rule.holds(progress):
            reason = rule.reason(progress)
        elif not self._session.query_log.free.any() and not len(self._session.query_log.pending):
            reason = "no item is left to label"
        if rule.looks_at_interval:
            self._warn_of_looks()
        self.stop_reason_ = reason
        if reason is not None:
            unsure = [r for r in self.verdict_.reasons if r.verdict == "unidentified"]
            warn_of(Verdict(unsure), stacklevel=2)
        return reason is not None

    def plan(self, n_labels=None, *, n_simulations=5) -> LabelPlan:
        """Simulate how wide the interval will be once more items are labelled.

        Full widths of the interval of `estimate_`, for items chosen by the strategy and at
        random, as :meth:`PerformanceCurveEstimator.plan` computes them. Labels are made by draws
        of the posterior, so that a plan is as good as what is believed now; it takes seconds.

        Parameters
        ----------
        n_labels : int or array-like of int, default=None
            How many further labels, beyond those there are and those that were asked for;
            rising. None takes 10 to 200, or as many as are left.
        n_simulations : int, default=5
            At most 1,000: in each the pool is labelled anew.

        Returns
        -------
        plan : LabelPlan
            ``plan.labels_for(width)`` says how many further labels a width takes.

        Raises
        ------
        ValueError
            If numbers do not rise, fewer items are left, or there are too many simulations.
        """
        check_is_fitted(self, "estimate_")
        left = self.n_left_
        if not left:
            raise ValueError("No item is left to label: there is nothing to plan.")
        counts = np.unique(np.minimum(PLANNED, left)) if n_labels is None else n_labels
        counts = np.atleast_1d(check_counts(counts, "n_labels"))
        rising = counts.ndim == 1 and len(counts) and (np.diff(counts) > 0).all()
        if not rising or counts[-1] > left:
            raise ValueError(
                f"n_labels must rise, up to the {left} items that are left; got {n_labels!r}."
            )
        if check_count(n_simulations, "n_simulations") > MOST_SIMULATIONS:
            raise ValueError(
                f"n_simulations must be at most {MOST_SIMULATIONS:,}, got {n_simulations}: in each "
                f"the pool is labelled anew. Some ten are enough for a plan."
            )
        return simulate_labelling(
            self._session,
            as_strategy(self.strategy),
            counts,
            int(n_simulations),
            self.n_jobs,
            **self._drawing(),
        )

    @property
    def label_proba_(self) -> np.ndarray:
        """The probability of each item to be positive, of shape (n_items,); known ones are 0 or 1.

        NaN for items in no list of the k highest. Between cells of scores curves are linear.
        """
        check_is_fitted(self, "estimate_")
        return self._session.model.rows.spread(self._session.model.label_proba, np.nan)

    @property
    def query_proba_(self) -> np.ndarray:
        """The chance with which each item was drawn, of shape (n_items,); NaN for others."""
        check_is_fitted(self, "estimate_")
        return self._session.model.rows.spread(self._session.query_log.chances, np.nan)

    @property
    def utilities_(self) -> np.ndarray:
        """How useful the label of each item would be now, of shape (n_items,); NaN if not free."""
        check_is_fitted(self, "estimate_")
        utilities = self._session.utilities(as_strategy(self.strategy))
        return self._session.model.rows.spread(utilities, np.nan)

    @property
    def pending_(self) -> np.ndarray:
        """The items that were asked for and have no answer yet, in the order of the draws.

        Labels of items that were drawn with them or later do not count in the estimate of the
        design before they are answered or given up, ``update(pending_, [None] * len(pending_))``.
        """
        check_is_fitted(self, "estimate_")
        return self._session.model.rows.of_items(self._session.query_log.pending)

    @property
    def n_left_(self) -> int:
        """How many items may still be asked for."""
        check_is_fitted(self, "estimate_")
        return int(np.count_nonzero(self._session.query_log.free))

    def _warn_of_looks(self) -> None:
        """Warn, once, that the interval is not made to be looked at again and again."""
        interval, has_anytime = self._session.interval, self._session.model.terms is not None
        if interval == "anytime" or "repeated_looks" in self._said:
            return
        remedy = (
            "interval='anytime' holds whenever you stop"
            if has_anytime
            else ("for this metric no other does: fix the number of labels before")
        )
        warnings.warn(
            f"The interval {interval!r} holds for one look at a number of labels that is fixed "
            f"before. Stopping as soon as it is narrow makes it hold less often than "
            f"{percent(self._session.confidence_level)} of the time; {remedy}.",
            RepeatedLooksWarning,
            stacklevel=3,
        )
        self._said.add("repeated_looks")

    def _progress(self) -> Progress:
        query_log = self._session.query_log
        # Skipped items count: that some are skipped is no reason to fail in mid-course.
        width = half_width_of(self.estimate_)
        if np.max(self.estimate_.undefined) > 0.5 and (query_log.codes < 0).any():
            # Most draws have no such number, no positive say: what the others say is no end.
            width = np.inf
        order = self._session.order_probability
        if not self._session.model.is_identified:
            # An interval that rests on the form of a model is no end.
            width, order = np.inf, None if order is None else 0.0
        return Progress(query_log.n_labels, len(query_log.codes), width, order)

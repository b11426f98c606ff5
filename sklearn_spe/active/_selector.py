"""ActiveTestSelector: which items to label next, and when to stop."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .._labels import BinaryLabels, is_unlabeled
from .._mixture_parameter import new_mixture
from .._numbers import check_count
from .._orientation import check_direction
from .._random import seed_entropy
from .._scores import ScoreInput, check_scores
from ..performance import PerformanceCurveEstimator
from ..score_mixture import SemisupervisedScoreMixture
from ..verdict import Verdict, warn_of
from ._answers import check_answers, warn_of_answers
from ._exchange import TableExchange
from ._history import History
from ._parameters import as_strategy, check_chances, check_interval, check_parameters
from ._questions import SelectorQuestions
from ._session import Session
from .strategies import check_category

__all__ = ["ActiveTestSelector"]


class ActiveTestSelector(SelectorQuestions, TableExchange, ScoreInput, BaseEstimator):
    r"""Choose which items to label next, and say when to stop.

    A classifier's scores on a data set are known, labels cost money. The selector asks for the
    items whose labels tell most about one metric, takes the answers, and says what the metric is.

    Its estimate has two arms. The model's, curves of P(y = 1 | score) judged by the labels, is
    by far the sharper one, and needs no correction for how items were chosen, since they are
    chosen by scores and earlier labels alone. That of the design weighs each label by the chance
    with which its item was drawn [1]_, and is right whatever the model is. Every batch the model
    is tested on labels that it has not seen; the better it fares, the more it weighs.

    Parameters
    ----------
    metric : str, Metric or callable, default="average_precision"
        What is wanted, as :meth:`PerformanceCurveEstimator.estimate` takes it; also the name of a
        curve, "precision_recall", whose whole band is then made narrow.
    threshold, recall, precision : float, default=None
        Where a metric of decisions is taken: "precision", "recall", "f1", "accuracy", ... need
        `threshold`; "precision" may be taken at a `recall`, and "recall" at a `precision`.
    strategy : str or Strategy, default="expected_change"
        How items are chosen: one of :data:`sklearn_spe.active.STRATEGIES`, or an instance.
    label_model : {"auto", "curves"} or SemisupervisedScoreMixture, default="auto"
        What predicts labels: prior curves judged by labels, which "auto" stands for, or a mixture
        with parameters of its own, such as `prevalence_prior`.
    draw : {"sample", "argmax"}, default="sample"
        Whether items are drawn by chance, with recorded chances, or the best are taken.
        Without chances there is no arm of the design, and no guard against a wrong model.
    exploration : float in [0, 1], default=0.2
        How much of the chance is spread over all ranks of the scores, whatever the strategy. With
        0 items may have no chance at all, and there is no arm of the design either.
    interval : {"posterior", "design", "anytime"}, default="posterior"
        Which interval `estimate_` has: that of both arms together; that of the design alone;
        or one that holds at all times, so that it may decide when to stop [2]_. The last is for
        metrics that are ratios of sums over items: precision, recall, F1, accuracy, prevalence.
    confidence_level : float in (0, 1), default=0.9
    batch_size : int, default=10
        How many items :meth:`query` returns if no number is given.
    greater_is_positive : bool, default=True
        False if smaller scores mean positive.
    classes : array-like of shape (2,), default=None
        The two classes, needed if the first labels may be all of one that is not 0 or 1.
    pos_label : object, default=None
        The positive class; None means 1 for {0, 1} and {-1, 1}, True for booleans.
    n_draws : int, default=300
        Draws of curves, if `label_model` is a name.
    n_jobs : int, default=None
    random_state : int, RandomState, Generator or None, default=None
        An int is needed to resume exactly from a table.

    Attributes
    ----------
    estimate_ : ScalarEstimate or CurveBand
        The metric, with the interval that `interval` says. It is taken to exist: draws of the
        model without a positive, say, are left out, and their share is its `undefined`.
    model_estimate_ : ScalarEstimate or CurveBand
        The model's arm.
    design_estimate_ : ScalarEstimate, CurveBand or None
        The arm of the design; None if there is none for the metric.
    naive_estimate_ : float
        The metric of the labelled items alone, as if they were all.
    model_weight_ : float
        How far the model is believed, from its bets.
    performance_ : PerformanceCurveEstimator
        The model's arm for any other curve or number; its `update` must not be used.
    verdict_ : Verdict
        Whether the estimate can be believed; "misfit" too where labels surprise the model.
    history_ : History
        What every batch of labels bought.
    n_labels_ : int
    query_proba_ : ndarray of shape (n_items,)
        The chance with which each item was drawn; NaN for others.
    stop_reason_ : str or None
        Why the last :meth:`should_stop` was true.
    classes_ : ndarray of shape (2,)
        Before the first label, if `classes` is not given, a guess.
    seed_ : int

    Warns
    -----
    MisfitWarning
        For each reason of a verdict "misfit", once. That labels say little yet is no reason to
        warn before :meth:`should_stop` is true.

    See Also
    --------
    PerformanceCurveEstimator : Curves from labels that are there already.
    sklearn_spe.display.ActiveTestDisplay : Draws the history.

    Notes
    -----
    Items must be independent. Items may only be chosen by their scores, categories, earlier labels
    and chance: choosing them by anything else that tells of their label is not ignorable.

    References
    ----------
    .. [1] S. Farquhar, Y. Gal, T. Rainforth. "On statistical bias in active learning: how and when
       to fix it." ICLR (2021).
    .. [2] I. Waudby-Smith, A. Ramdas. "Estimating means of bounded random variables by betting."
       JRSS B 86 (2024) 1-27.

    Examples
    --------
    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, truth = make_scores(2000, random_state=0)
    >>> selector = ActiveTestSelector("average_precision", random_state=0).fit(scores)
    >>> while not selector.should_stop(max_labels=40):
    ...     items = selector.query(10)
    ...     _ = selector.update(items, truth[items])  # ask a human
    >>> selector.n_labels_
    40
    >>> low, high = selector.estimate_.interval()
    >>> bool(low < selector.estimate_.value < high)
    True
    """

    def __init__(
        self,
        metric="average_precision",
        *,
        threshold=None,
        recall=None,
        precision=None,
        strategy="expected_change",
        label_model="auto",
        draw="sample",
        exploration=0.2,
        interval="posterior",
        confidence_level=0.9,
        batch_size=10,
        greater_is_positive=True,
        classes=None,
        pos_label=None,
        n_draws=300,
        n_jobs=None,
        random_state=None,
    ):
        self.metric = metric
        self.threshold = threshold
        self.recall = recall
        self.precision = precision
        self.strategy = strategy
        self.label_model = label_model
        self.draw = draw
        self.exploration = exploration
        self.interval = interval
        self.confidence_level = confidence_level
        self.batch_size = batch_size
        self.greater_is_positive = greater_is_positive
        self.classes = classes
        self.pos_label = pos_label
        self.n_draws = n_draws
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y=None, *, category=None):
        """Take the scores of a pool, and what is labelled already.

        Parameters
        ----------
        X : array-like of shape (n_items,), (n_items, 1) or (n_items, 2)
            Scores, larger for positives; two columns are probabilities that sum to one.
        y : array-like of shape (n_items,), default=None
            Labels; -1, NaN, None or ``pd.NA`` where an item is not labelled. None means that
            nothing is labelled.
        category : array-like of shape (n_items,), default=None
            A category of each item, for strategies that look at it.

        Returns
        -------
        self : ActiveTestSelector
        """
        self._begin(X, y, category)
        self._publish()
        return self

    def _begin(self, X, y, category):
        """Fit to what is known at the start."""
        question = check_parameters(self)
        mixture = self._mixture(y)
        if np.ndim(X) == 2 and np.shape(X)[1] == 2 and mixture.score_kind == "auto":
            # One column of them is kept, and may be all that is left to see it by.
            mixture.set_params(score_kind="probability")
        mixture._fit_silently(X, y, None)
        performance = PerformanceCurveEstimator.from_mixture(
            mixture, confidence_level=self.confidence_level, n_jobs=self.n_jobs
        )
        labels, orientation = mixture.labels_, mixture.orientation_
        scores = check_scores(mixture, X, reset=False, positive=labels.positive)
        # A copy: what a user does with X later must not matter.
        scores = np.array(orientation.turn(scores))
        check_interval(self, question, question.above(scores, orientation))
        session = Session(
            question,
            performance,
            scores,
            labels.codes(y, len(scores)),
            category=check_category(category, len(scores)),
            interval=self.interval,
        )
        strategy = as_strategy(self.strategy)
        if "outlook" not in strategy.needs and (lacking := strategy.lacks(session.pool(strategy))):
            raise ValueError(lacking)
        self._session, self._said, self.stop_reason_ = session, set(), None

    def _mixture(self, y) -> SemisupervisedScoreMixture:
        """Return an unfitted mixture with the parameters that are given here."""
        own = {"classes": self.classes, "pos_label": self.pos_label}
        if not check_direction(self.greater_is_positive):
            own["greater_is_positive"] = False
        template = None if isinstance(self.label_model, str) else self.label_model
        mixture = new_mixture(
            template,
            random_state=seed_entropy(self.random_state),
            n_draws=self.n_draws,
            n_jobs=self.n_jobs,
        )
        mixture.set_params(**{name: value for name, value in own.items() if value is not None})
        marker = mixture.unlabeled_label
        if mixture.classes is None and (y is None or is_unlabeled(y, unlabeled_label=marker).all()):
            # Which class is positive cannot be told before there is a label.
            mixture.set_params(pos_label=None)
        return mixture

    def query(self, n=None, *, return_utilities=False):
        """Return the items to label next.

        They count as asked for until `update` brings their labels. Asking again before returns
        others, which are chosen knowing what the first ones will tell.

        Parameters
        ----------
        n : int, default=None
            How many; None takes `batch_size`, or as many as are left.
        return_utilities : bool, default=False
            Whether to return, for all items, how useful their labels are as well.

        Returns
        -------
        indices : ndarray of shape (n,)
            Places in X, in the order in which they were drawn.
        utilities : ndarray of shape (n_items,)
            NaN for items that cannot be asked for. Only if `return_utilities`.

        Raises
        ------
        ValueError
            If fewer items are left.
        """
        check_is_fitted(self, "estimate_")
        strategy = as_strategy(self.strategy)
        batch, pool = self._session.ask(strategy, self._how_many(n), **self._drawing())
        items = batch.items.copy()
        return (items, self._session.utilities(strategy, pool)) if return_utilities else items

    def update(self, indices, labels):
        """Take the labels of some items.

        Parameters
        ----------
        indices : array-like of int of shape (n,)
            Places in X, usually those that `query` returned, in any order, all or some of them.
        labels : array-like of shape (n,)
            Missing where the annotator could not say: such an item is not asked for again.

        Returns
        -------
        self : ActiveTestSelector

        Raises
        ------
        ValueError
            If an index is out of range, lengths differ, or an item gets two different labels;
            nothing is changed then.

        Warns
        -----
        OutsideDesignWarning
            If items were not asked for.
        SkippedLabelsWarning
            If a label is missing.
        """
        check_is_fitted(self, "estimate_")
        if np.ndim(indices) == 0 and np.ndim(labels) == 0:
            indices, labels = [indices], [labels]
        names = self._labels_with(labels)
        codes = names.codes(labels, len(labels))
        session = self._session
        items, codes = check_answers(indices, codes, session.ledger, names)
        if not len(items):
            return self
        warn_of_answers(items, codes, session.ledger)
        self._session = session.after(items, codes, names)
        self._publish()
        return self

    # --- inside -------------------------------------------------------------------------

    def _drawing(self) -> dict:
        """Return how items are drawn, checked: parameters may have changed since `fit`."""
        check_parameters(self)
        check_chances(self, self._session.interval)
        return {"draw": self.draw, "exploration": self.exploration}

    def _how_many(self, n) -> int:
        left = self.n_left_
        if n is None:
            return min(self.batch_size, left)
        check_count(n, "n", 0)
        if n > left:
            raise ValueError(
                f"{n} items are wanted, and {left} are left that are neither labelled nor asked "
                f"for; ask for at most {left}, or without a number: query()."
            )
        return int(n)

    def _labels_with(self, labels) -> BinaryLabels:
        """Return how labels are written; the first of them tell the names of the classes."""
        session = self._session
        mixture, marker = session.performance.mixture_, session.performance.mixture_.unlabeled_label
        is_guess = not session.ledger.n_labels and mixture.classes is None
        if not is_guess or is_unlabeled(labels, unlabeled_label=marker).all():
            return mixture.labels_
        pos_label = self.pos_label
        if pos_label is None:
            pos_label = getattr(self.label_model, "pos_label", None)
        return BinaryLabels.learn(labels, pos_label=pos_label, unlabeled_label=marker)

    def _publish(self) -> None:
        """Set what users see, and warn of what is wrong and was not said before.

        That few labels say little is no news while more are to come: `should_stop` says so.
        """
        session = self._session
        self.performance_, self.history_ = session.performance, History(session.history)
        self.estimate_, self.model_estimate_ = session.estimate, session.model
        self.design_estimate_, self.naive_estimate_ = session.design, session.naive
        self.model_weight_ = session.surprise.model_weight
        self.verdict_, self.n_labels_ = session.verdict, session.ledger.n_labels
        self.classes_, self.seed_ = session.performance.classes_, session.performance.seed_
        wrong = [r for r in self.verdict_.reasons if r.verdict == "misfit"]
        new = [r for r in wrong if r.name not in self._said]
        self._said |= {r.name for r in new}
        warn_of(Verdict(new), stacklevel=3)

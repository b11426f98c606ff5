"""ActiveTestSelector: which items to label next, and when to stop."""

from __future__ import annotations

from copy import copy

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..inputs._alignment import check_aligned
from ..inputs._labels import BinaryLabels
from ..inputs._numbers import check_count, check_flag
from ..inputs._scores import ScoreInput
from ..results._verdict import Verdict, warn_of
from ._exchange import TableExchange
from ._given_labels import Writing
from ._list_questions import ListQuestions
from ._opening import open_session
from ._parameters import as_strategy, check_chances, check_parameters
from ._questions import SelectorQuestions
from .sessions._answers import warn_of_answers
from .sessions._history import History

__all__ = ["ActiveTestSelector"]


class ActiveTestSelector(
    SelectorQuestions, ListQuestions, TableExchange, ScoreInput, BaseEstimator
):
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
    metric : str, Metric, Curve or callable, default="average_precision"
        What is wanted, as :meth:`PerformanceCurveEstimator.estimate` takes it; also a curve,
        "precision_recall" or a :class:`~sklearn_spe.curves.Curve` of your own, whose whole band
        is then made narrow.
    threshold, recall, precision : float, default=None
        Where a metric of decisions is taken: "precision", "recall", "f1", "accuracy", ... need
        `threshold`; "precision" may be taken at a `recall`, and "recall" at a `precision`.
    strategy : str or Strategy, default="expected_change"
        How items are chosen: one of :data:`sklearn_spe.active.STRATEGIES`, or an instance.
    label_model : str, SemisupervisedScoreMixture, classifier or LabelModel, default="auto"
        What predicts labels. "curves": prior curves judged by labels, or a mixture with
        parameters of its own, such as `prevalence_prior`; of several systems or categories,
        each by itself. "auto" stands for it where there are no noisy labels. "joint": a regression
        of labels and noisy labels in which all items take part; "auto" stands for it with noisy
        labels or `features`.
        "counts": flip rates counted on vetted items, as in [3]_. "naive": noisy labels
        are taken for true. A classifier with `predict_proba` is trained on vetted items and
        sees `features` too, :class:`~sklearn_spe.active.ClassifierModel`. "overlap": a regression
        of true overlaps; "auto" stands for it with `SegmentationMatches`.
    draw : {"sample", "argmax"}, default="sample"
        Whether items are drawn by chance, with recorded chances, or the best are taken.
        Without chances there is no arm of the design, and no guard against a wrong model.
    exploration : float in [0, 1], default=0.2
        How much of the chance is spread over all ranks of the scores, whatever the strategy. With
        0 items may have no chance at all, and there is no arm of the design either.
    average : {"macro", "micro"}, default="macro"
        Of items with categories: "macro" is the mean over categories of the metric in each,
        "micro" takes all items for one pool, and only strategies look at categories.
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
        Draws of curves; a mixture as `label_model` may say so too.
    n_jobs : int, default=None
    random_state : int, RandomState, Generator or None, default=None
        A table remembers the seed that was drawn, whatever it is.

    Attributes
    ----------
    estimate_ : ScalarEstimate or CurveBand
        The metric, with the interval that `interval` says. It is taken to exist: draws of the
        model without a positive, say, are left out, and their share is its `undefined`. Of
        several systems a band with one point a system.
    model_estimate_ : ScalarEstimate or CurveBand
        The model's arm.
    design_estimate_ : ScalarEstimate, CurveBand or None
        The arm of the design; None if there is none for the metric.
    naive_estimate_ : float or ndarray of shape (n_systems,)
        The metric with noisy labels where there are no others; without noisy labels that of the
        labelled items alone, as if they were all.
    vetted_estimate_ : float or ndarray of shape (n_systems,)
        The metric of the vetted items alone; NaN as long as a category has none.
    model_weight_ : float
        How far the model is believed, from its bets.
    surprising_items_ : SurprisingItems
        The labelled items to look at once more: the other labels do not expect theirs. Of one
        pool of scores only.
    performance_ : PerformanceCurveEstimator
        The model's arm for any other curve or number: a copy, of which nothing comes back. Only
        if the model is that of curves of one pool.
    categories_ : ndarray of shape (n_categories,) or None
        The sorted categories.
    verdict_ : Verdict
        Whether the estimate can be believed; "misfit" too where labels surprise the model.
    history_ : History
        What every batch of labels bought.
    n_labels_ : int
        How many items are labelled.
    n_left_ : int
        How many items may still be asked for.
    pending_ : ndarray of int
        The items that were asked for and have no answer yet, in the order of the draws.
    label_proba_ : ndarray of shape (n_items,)
        The probability of each item to be positive; 0 or 1 where it is labelled.
    utilities_ : ndarray of shape (n_items,)
        How useful the label of each item would be now; NaN for items that cannot be asked for.
    ranking_proba_ : ndarray of shape (n_systems, n_systems)
        How probable it is that one system is better than another; only of several systems.
    order_proba_ : float
        How probable it is that all systems are in the order of their estimates; likewise.
    flip_rates_ : ndarray of shape (n_categories, 2)
        How often noisy labels are expected to miss a positive, and to call a negative positive.
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
    .. [3] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework
       for estimating accuracy." PMLR 80 (2018) 3759-3768.

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
        average="macro",
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
        self.average = average
        self.interval = interval
        self.confidence_level = confidence_level
        self.batch_size = batch_size
        self.greater_is_positive = greater_is_positive
        self.classes = classes
        self.pos_label = pos_label
        self.n_draws = n_draws
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y=None, *, noisy_labels=None, category=None, features=None):
        """Take the scores of a pool, and what is labelled already.

        Parameters
        ----------
        X : array-like of shape (n_items,), (n_items, 1), (n_items, 2) or (n_items, n_systems)
            Scores, larger for positives. Two columns that sum to one are probabilities of one
            system; other columns are scores of several systems on the same items, not of several
            tags: those are rows. Or :class:`~sklearn_spe.active.SegmentationMatches`, which
            holds all else that `fit` takes but `y`; items are then objects.
        y : array-like of shape (n_items,), default=None
            Labels that were vetted; -1, NaN, None or ``pd.NA`` where an item was not. None means
            that nothing was. Of objects their overlaps, (n_objects, n_systems), NaN likewise.
        noisy_labels : array-like of shape (n_items,), default=None
            A cheap label of every item, which may be wrong.
        category : array-like of shape (n_items,), default=None
            A category of each item, such as the tag of a pair of image and tag. The metric is
            averaged over categories, unless ``average="micro"``.
        features : array-like of shape (n_items, n_features), default=None
            What else is known of items and may tell of their label, such as the size of a box.

        Returns
        -------
        self : ActiveTestSelector

        Raises
        ------
        ValueError
            If lengths differ, noisy labels are missing or of more than two classes, or k is
            larger than a category.
        """
        begun = copy(self)
        begun._begin(X, y, noisy_labels, category, features)
        begun._publish()
        return self._become(begun)

    def _begin(self, X, y, noisy_labels=None, category=None, features=None):
        """Fit to what is known at the start."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)
        others = {"noisy_labels": noisy_labels, "category": category, "features": features}
        self._session = open_session(self, X, y, **others)
        self._said, self.stop_reason_ = set(), None

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
        check_flag(return_utilities, "return_utilities")
        strategy, session = as_strategy(self.strategy), self._session.copy()
        batch, pool = session.ask(strategy, self._how_many(n), **self._drawing())
        rows = session.model.rows
        told = rows.of_items(batch.items)
        if return_utilities:
            told = told, rows.spread(session.utilities(strategy, pool), np.nan)
        self._session = session
        return told

    def update(self, indices, labels):
        """Take the labels of some items.

        Parameters
        ----------
        indices : array-like of int of shape (n,)
            Places in X, usually those that `query` returned, in any order, all or some of them.
        labels : array-like of shape (n,)
            Missing where the annotator could not say: such an item is not asked for again. Of
            objects their true overlaps, (n, n_systems), NaN where a system does not claim one.

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
        if _is_single(indices) and _is_single(labels):
            indices, labels = [indices], [labels]
        check_aligned(indices=indices, labels=labels)
        names = self._labels_with(labels)
        session = self._session
        items, codes, told = session.model.read(indices, labels, names, session.query_log)
        if not len(items):
            return self
        warn_of_answers(items, codes, session.query_log)
        learned = copy(self)
        learned._session, learned._said = session.after(items, codes, names, told), set(self._said)
        learned._publish()
        return self._become(learned)

    # --- inside -------------------------------------------------------------------------

    def _become(self, other) -> ActiveTestSelector:
        """Take over all that another selector knows: what fails before then changes nothing."""
        self.__dict__ = vars(other)
        return self

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
        writing, before = Writing.of(self), self._session.labels
        if before.named or writing.is_unlabeled(labels).all():
            return before
        learned, _ = writing.read(labels, before)
        if self._session.query_log.n_labels and learned.classes.tolist() != before.classes.tolist():
            raise ValueError(
                f"All labels so far are {before.decode([1]).tolist()[0]!r}, of the classes "
                f"{before.classes.tolist()}, and now they are of {learned.classes.tolist()}; "
                f"nothing was changed. Pass classes= and fit again."
            )
        return learned

    def _publish(self) -> None:
        """Set what users see, and warn of what is wrong and was not said before.

        That few labels say little is no news while more are to come: `should_stop` says so.
        """
        session = self._session
        self.__dict__.update(session.model.published())
        self.history_, self.categories_ = History(session.history), session.categories
        self.estimate_, self.model_estimate_ = session.estimate, session.model_estimate
        self.design_estimate_ = session.design_estimate
        self.naive_estimate_ = session.naive_estimate
        self.model_weight_ = session.model_check.model_weight
        self.verdict_, self.n_labels_ = session.verdict, session.query_log.n_labels
        self.classes_, self.seed_ = session.labels.classes, session.model.seed
        wrong = [r for r in self.verdict_.reasons if r.verdict == "misfit"]
        new = [r for r in wrong if r.name not in self._said]
        self._said |= {r.name for r in new}
        warn_of(Verdict(new), stacklevel=3)


def _is_single(value) -> bool:
    """Return whether a value is one, and not a list or an array of values."""
    is_text = isinstance(value, (str, bytes))
    return is_text or not hasattr(value, "__len__") or getattr(value, "shape", None) == ()

"""ActiveTestSelector: which items to label next, and when to stop."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..checks._label_checks import SuspectLabels
from ..design._evidence import goal_evidence
from ..estimators._performance import PerformanceCurveEstimator
from ..goals._goal import Goal
from ..inputs._arrays import ColumnLike, RandomState, ScoresLike, TableLike
from ..inputs._scores import ScoreInput
from ..inputs._validation import check_count, check_flag, index_of, lock_of, shape_of
from ..metrics._metric import MetricLike
from ..posterior._operating_points import Curve
from ..results._estimates import CurveBand, ScalarEstimate
from ..results._tables import EstimateTable
from ..results._verdict import Verdict, warn_of
from ._goal_information import Guarantee
from ._label_studio import tasks_of
from ._parameters import LabelFormat, how_drawn, how_many
from ._saved_labels import SessionTable, parameters_of, replayed, table_of
from ._start import start_session
from ._stopping import GoalReached, RecallReached, StoppingRule, joined, warn_of_looks
from .label_models._label_model import LabelModel
from .sessions._history import History, StepEstimates
from .sessions._list_model import ListModel
from .sessions._one_pool_model import OnePoolModel
from .sessions._plan import GoalPlan, LabelPlan, further_labels, simulate_labeling
from .sessions._proof_session import ProofSession, ProvedSelection
from .sessions._query_log import as_lists, warn_of_answers
from .sessions._session import Session
from .strategies._registry import as_strategy
from .strategies._strategy import Strategy

if TYPE_CHECKING:
    import pandas as pd


class ActiveTestSelector(ScoreInput, BaseEstimator):
    r"""Select the items to label next for estimating a metric, and decide when to stop.

    The scores of a classifier on a data set are known, and labels are expensive. The selector
    queries the items whose labels are most informative about one metric, and estimates the metric
    from these labels.

    It combines two estimates. The model-based estimate uses curves of P(y = 1 | score), updated by
    the labels. It has by far the smaller variance. It needs no correction for the selection of
    items, because items are chosen by scores and earlier labels alone. The design-based estimate
    weights each label by the inverse inclusion probability of its item [1]_, and is valid without
    the model. The weight of the model depends on how well it predicts each new batch of labels.

    .. versionadded:: 0.1

    Parameters
    ----------
    metric : str, Metric, Curve, Goal or callable, default="average_precision"
        The metric to estimate, as in :meth:`PerformanceCurveEstimator.estimate`. With a curve,
        "precision_recall" or a custom :class:`~sklearn_spe.posterior.Curve`, labels are chosen to
        narrow its whole band. With a goal such as ``Goal.of(precision=0.9)``, they are chosen to
        find the best selection that meets the goal with probability `confidence_level`. A goal
        needs the scores of one system, without categories. With more than two classes, use a metric
        of the predicted class: ``ConfusionShare("dog", "cat")``, or "recall" or "precision" of the
        class `pos_label` or of all classes.
    threshold, recall, precision : float, default=None
        The operating point of a metric of decisions. "precision", "recall", "f1", "accuracy", ...
        need `threshold`. "precision" may be evaluated at a `recall` instead, and "recall" at a
        `precision`.
    strategy : str or Strategy, default="expected_change"
        The strategy that chooses items: a name in :data:`sklearn_spe.active.STRATEGIES`, or an
        instance. With ``interval="anytime"`` and a metric, "expected_change" draws items like
        "adaptive_importance".
    label_model : str, SemisupervisedScoreMixture, classifier or LabelModel, default="auto"
        The model that predicts the unknown labels. "auto" chooses one of the first three below by
        the inputs, and "overlap" for `SegmentationMatches`.

        "shared_curves" updates prior curves by the labels; systems, categories and groups share the
        curves as far as the labels support it (:class:`~sklearn_spe.active.SharedCurvesModel`). It
        is the choice without noisy labels, or with judges. A mixture passed here sets its
        parameters, such as `prevalence_prior` or `score_kind`.

        "joint" is a regression of labels and noisy labels on all items. It is the choice with
        `features`, or with noisy labels in several categories, if there are no judges.

        "pooled" takes half of its draws from "joint" and half from "shared_curves" with the noisy
        labels as a judge. It is the choice with other noisy labels.

        "overlap" is a regression of true overlaps, "counts" counts flip rates on verified items as
        in [3]_, and "naive" uses noisy labels as true labels. A classifier with `predict_proba` is
        trained on verified items and also uses `features`
        (:class:`~sklearn_spe.active.ClassifierModel`).
    draw : {"sample", "argmax"}, default="sample"
        "sample" draws items at random and records their inclusion probabilities. "argmax" takes the
        items of largest utility; there is then no design-based estimate, and no protection against
        a misspecified model.
    exploration : float in [0, 1], default=0.2
        Share of the inclusion probability that is spread over all ranks of the scores, for any
        strategy. With 0, some inclusion probabilities may be zero, and there is no design-based
        estimate.
    compare : tuple of two names, default=None
        Two systems, or two categories of one system, such as ``("new", "old")``. `estimate_` is
        then the metric of the first minus that of the second, and labels are chosen for this
        difference. Items of other categories are not queried. If items of the two categories share
        a group, such as two answers to one prompt, they are queried in pairs.
    average : {"macro", "micro"}, default="macro"
        For items with categories. "macro" averages the metric over categories. "micro" computes the
        metric on all items together; categories then only affect which items are chosen.
    interval : {"posterior", "design", "anytime"}, default="posterior"
        The interval of `estimate_`. "posterior" is the interval of the combined estimate, "design"
        that of the design-based estimate. "anytime" is valid at every number of labels, so it may
        determine when to stop [2]_. It needs a metric that is a ratio of sums over items:
        precision, recall, F1, accuracy or prevalence. For a goal on such metrics, "anytime" returns
        a selection that the drawn labels prove to meet the goal, whenever labeling stops. The
        interval of the metric that the goal does not bound is model-based.
    confidence_level : float in (0, 1), default=None
        The level of intervals, or the probability with which a goal must be met. None means 0.9, or
        0.95 for a goal.
    batch_size : int, default=10
        Number of items that :meth:`query` returns by default.
    greater_is_positive : bool, default=True
        False if smaller scores mean positive.
    classes : array-like of shape (n_classes,), default=None
        The classes. Two classes are needed if the first labels may all be of one class other than 0
        and 1. More than two classes mean that X holds the probabilities, logits or predicted
        classes of one classifier. Text in X, or more than two classes among the first labels, imply
        this too.
    pos_label : object, default=None
        The positive class. None means 1 for {0, 1} and {-1, 1}, True for booleans. With more than
        two classes, the class that the metric evaluates; None means all classes.
    unlabeled_label : object, default=-1
        The value that marks a missing label, besides missing values. A mixture passed as
        `label_model` may set it too.
    n_draws : int, default=1000
        Number of posterior draws. With the same number, :class:`PerformanceCurveEstimator` gives
        the same model-based estimate from the same labels. With noisy labels fewer draws are used
        above 10,000 rows. A mixture passed as `label_model` may set it too.
    n_jobs : int, default=None
    random_state : int, RandomState, Generator or None, default=None
        The seed that was used is stored by :meth:`to_frame`.
    salt : str, default=None
        A text that enters the random order of a proof (of a precision with ``interval="anytime"``,
        or of a recall with the strategy "reading"). Let the person who is to be convinced choose it
        before the first label. None uses the seed.

    Attributes
    ----------
    estimate_ : ScalarEstimate or CurveBand
        The estimate of the metric, with the interval of type `interval`. Draws in which the metric
        is undefined, such as those without positives, are left out; their share is the attribute
        `undefined`. For several systems it is a band with one point per system; with `compare` it
        is a difference. For a goal it is the metric of the selection that the goal does not bound
        (recall, if precision is bounded).
    goal_ : Goal
        The goal, if any.
    threshold_ : float
        For a goal: the threshold of the best selection that meets the goal; NaN if none does yet.
    goal_probability_ : float
        For a goal: the probability that `selected_` meets the goal. If no selection reaches
        `confidence_level`, it is the largest probability of any selection. The weight not given to
        the model (``1 - model_weight_``) supports only selections that meet the goal for any values
        of the missing labels. With ``interval="anytime"`` it is the level at which the goal is
        proved.
    selected_ : ndarray of bool of shape (n_items,)
        For a goal: True for the selected rows of X, which include all labeled positives and no
        labeled negative. No row is selected if no selection meets the goal yet.
    model_estimate_ : ScalarEstimate or CurveBand
        The model-based estimate.
    design_estimate_ : ScalarEstimate, CurveBand or None
        The design-based estimate; None if the metric has none.
    naive_estimate_ : float or ndarray of shape (n_systems,)
        The metric with noisy labels used as true labels where no label is known. Without noisy
        labels, the unweighted metric of the labeled items alone.
    verified_estimate_ : float or ndarray of shape (n_systems,)
        The metric of the verified items alone; NaN as long as a category has no verified item.
    model_weight_ : float
        The weight of the model-based estimate, from the e-process against the model.
    suspect_labels_ : SuspectLabels
        Labeled items whose label is improbable given the other labels. Only for one system without
        categories.
    performance_ : PerformanceCurveEstimator
        A fitted estimator for any other curve or metric, as an independent copy. Only for
        "shared_curves" and one system without categories.
    systems_ : tuple
        The names of the systems: the columns of X, or their numbers.
    categories_ : ndarray of shape (n_categories,) or None
        The sorted categories. Those of an ordered pandas categorical keep their order.
    verdict_ : Verdict
        The verdict on the estimate. It is "misfit" also if the labels contradict the model.
    commitment_ : str
        For proofs along a random order: the hash from which the order is drawn. Give it to the
        person who is to be convinced before the first label. It then shows that the order was not
        chosen after seeing labels.
    history_ : History
        The estimates after each batch of labels.
    n_labels_ : int
        Number of labeled items.
    n_left_ : int
        Number of items that may still be queried.
    pending_ : ndarray of int
        The queried items without a label, in the order of the draws.
    label_proba_ : ndarray of shape (n_items,)
        P(y = 1) of each item; 0 or 1 if it is labeled. With more than two classes, the probability
        that the predicted class is wrong.
    utilities_ : ndarray of shape (n_items,)
        The utility of the label of each item; NaN for items that cannot be queried.
    ranking_proba_ : ndarray of shape (n_systems, n_systems) or (n_categories, n_categories)
        The probability that one system (with a single system, one category) is better than another.
    order_proba_ : float
        The probability that the true order of all systems, or of the categories of a single system,
        is that of the estimates. With `compare` only the two compared count.
    flip_rates_ : ndarray of shape (n_categories, 2)
        Expected false negative and false positive rates of the noisy labels.
    query_proba_ : ndarray of shape (n_items,)
        The inclusion probability of each drawn item. NaN for other items, and for the second item
        of a pair, which is queried with the first.
    stop_reason_ : str or None
        The reason why the last call of :meth:`should_stop` returned True.
    classes_ : ndarray of shape (n_classes,)
        The classes. A guess before the first label, if `classes` is not given.
    pos_label_ : object
        The positive class; None with more than two classes.
    seed_ : int

    Warns
    -----
    MisfitWarning
        Once for each reason of a verdict "misfit", when an estimate, the verdict or the history is
        read. A verdict "unidentified" causes no warning before :meth:`should_stop` returns True.

    See Also
    --------
    PerformanceCurveEstimator : Curves from existing labels.
    sklearn_spe.display.ActiveTestDisplay : Draws the history.

    Notes
    -----
    For a histogram, the attributes `label_proba_`, `utilities_` and `query_proba_` have one entry
    for each row of ``histogram.with_labels(scores, y)``; items of a row are exchangeable until they
    are drawn. `selected_` is empty. `suspect_labels_` has item numbers, with -1 for labels given
    before the start.

    `query` and `update` are thread-safe: concurrent calls wait for each other.

    Estimates are computed when they are first read, and so are the verdict, the interval for rules
    of :meth:`should_stop`, and the rows of `history_`. Reading them does not change later results.
    Reading `history_` takes one fit for each batch after which no estimate was read.

    Items must be independent, or `groups` must name the dependent ones. Items may be chosen at
    random, and by scores, categories, groups and earlier labels. Selection by anything else that is
    associated with the label is not ignorable and biases the estimate.

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
    >>> scores, truth = make_scores(500, random_state=0)
    >>> selector = ActiveTestSelector("average_precision", random_state=0).fit(scores)
    >>> while not selector.should_stop(max_labels=30):
    ...     items = selector.query(10)
    ...     _ = selector.update(items, truth[items])  # ask a human
    >>> selector.n_labels_
    30
    >>> low, high = selector.estimate_.interval()
    >>> bool(low < selector.estimate_.value < high)
    True
    """

    _session: Session
    _said: set[str]

    def __init__(
        self,
        metric: MetricLike | Curve | Goal = "average_precision",
        *,
        threshold: float | None = None,
        recall: float | None = None,
        precision: float | None = None,
        strategy: str | Strategy = "expected_change",
        label_model: str | LabelModel | BaseEstimator = "auto",
        draw: str = "sample",
        exploration: float = 0.2,
        compare: tuple[Hashable, Hashable] | None = None,
        average: str = "macro",
        interval: str = "posterior",
        confidence_level: float | None = None,
        batch_size: int = 10,
        greater_is_positive: bool = True,
        classes: ArrayLike | None = None,
        pos_label: Hashable = None,
        unlabeled_label: Hashable = -1,
        n_draws: int = 1000,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        salt: str | None = None,
    ) -> None:
        self.metric = metric
        self.threshold = threshold
        self.recall = recall
        self.precision = precision
        self.strategy = strategy
        self.label_model = label_model
        self.draw = draw
        self.exploration = exploration
        self.compare = compare
        self.average = average
        self.interval = interval
        self.confidence_level = confidence_level
        self.batch_size = batch_size
        self.greater_is_positive = greater_is_positive
        self.classes = classes
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label
        self.n_draws = n_draws
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.salt = salt

    def fit(
        self,
        X: ScoresLike | None,
        y: ColumnLike | None = None,
        *,
        noisy_labels: ArrayLike | None = None,
        category: ColumnLike | None = None,
        groups: ColumnLike | None = None,
        features: ArrayLike | None = None,
        judges: TableLike | None = None,
    ) -> ActiveTestSelector:
        """Start with the scores of a data set and any labels known already.

        Parameters
        ----------
        X : array-like of shape (n_items,), (n_items, 1), (n_items, 2) or (n_items, n_systems)
            Scores, larger for positives. Two columns that sum to one are probabilities of one
            system. Two columns without names are the logits of one system if `classes` names two
            classes. Other columns, or a mapping from names to scores, are several systems on the
            same items (several tags are rows, not columns). NaN marks a missing score: a system is
            evaluated on the items that it scored.

            With more than two `classes`, pass the probabilities, logits or predicted classes of one
            classifier, as in :meth:`PerformanceCurveEstimator.fit`. With `judges` X may be None:
            the score is then the rating of the single judge, or the mean of the standardized
            ratings.

            A :class:`~sklearn_spe.ScoreHistogram`, possibly `with_labels`, takes no other
            arguments; its `find` returns the positions of items. With a
            :class:`~sklearn_spe.matches.SegmentationMatches`, pass no other argument than `y`;
            items are then objects.
        y : array-like of shape (n_items,), default=None
            Verified labels; -1, NaN, None or ``pd.NA`` if missing. ``y=None`` means that all are
            missing. For objects, their true overlaps, of shape (n_objects, n_systems), with NaN if
            missing.
        noisy_labels : array-like of shape (n_items,), default=None
            A cheap label of every item, which may be wrong.
        category : array-like of shape (n_items,), default=None
            The category of each item, such as the tag of a pair of image and tag. The metric is
            averaged over categories, unless ``average="micro"``. In an ordered pandas categorical,
            such as months, neighbors are assumed to be more similar.
        groups : array-like of shape (n_items,), default=None
            Groups of dependent items (patients, videos), as text or whole numbers. Among items of
            similar utility :meth:`query` prefers groups with fewer labels. With groups, `metric`
            cannot be a curve or a function.
        features : array-like of shape (n_items, n_features), default=None
            Further predictors of the label, such as the size of a box, or the length of an answer,
            which may explain errors of `judges`.
        judges : array-like of shape (n_items,) or (n_items, n_judges), or mapping, default=None
            Ratings of each item by judges, such as language models or rules. Ratings are classes, 1
            and 0, or scores that are larger for positives; None, NaN, ``pd.NA`` or the marker of
            unlabeled items if missing. They are predictors of the label, and are not evaluated as
            systems. Cannot be combined with both `features` and `noisy_labels`.

        Returns
        -------
        self : ActiveTestSelector

        Raises
        ------
        ValueError
            If lengths differ, noisy labels are missing or have more than two classes, or groups are
            missing or not names. If k of precision at k exceeds the size of a category. If a judge
            has other classes or no values, or is combined with features and noisy labels.

        Examples
        --------
        >>> from sklearn_spe import ActiveTestSelector
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, truth = make_scores(200, random_state=0)
        >>> selector = ActiveTestSelector("roc_auc", n_draws=100, random_state=0).fit(scores)
        >>> selector.n_labels_
        0
        """
        # A failing fit changes nothing, not even the names of columns.
        reader = copy(self)
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(reader, name)
        session = start_session(
            reader,
            X,
            y,
            groups=groups,
            judges=judges,
            noisy_labels=noisy_labels,
            category=category,
            features=features,
        )
        index = index_of(
            X=X,
            y=y,
            groups=groups,
            judges=judges,
            noisy_labels=noisy_labels,
            category=category,
            features=features,
        )

        attributes = {name: value for name, value in vars(reader).items() if name.endswith("_")}
        self._begin(session, attributes | {"_index": index})
        return self

    @overload
    def query(
        self, n: int | None = ..., *, return_utilities: Literal[False] = ...
    ) -> np.ndarray: ...

    @overload
    def query(
        self, n: int | None = ..., *, return_utilities: Literal[True]
    ) -> tuple[np.ndarray, np.ndarray]: ...

    def query(
        self, n: int | None = None, *, return_utilities: bool = False
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """Return the items to label next.

        Queried items are pending until `update` receives their labels. Another query before that
        returns further items, chosen as if the pending items were labeled.

        Parameters
        ----------
        n : int, default=None
            Number of items. None means `batch_size`, or all items left if fewer.
        return_utilities : bool, default=False
            Whether to also return the utilities of all items.

        Returns
        -------
        indices : ndarray of shape (n,)
            Indices into X, in the order in which they were drawn. For a histogram, numbers of items
            as :meth:`~sklearn_spe.ScoreHistogram.find` takes them.
        utilities : ndarray of shape (n_items,)
            The utilities, if `return_utilities`; NaN for items that cannot be queried.

        Raises
        ------
        ValueError
            If fewer items are left.

        Examples
        --------
        >>> from sklearn_spe import ActiveTestSelector
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, truth = make_scores(200, random_state=0)
        >>> selector = ActiveTestSelector("roc_auc", n_draws=100, random_state=0).fit(scores)
        >>> selector.query(5).shape
        (5,)
        """
        with lock_of(self):
            session = self._fitted.copy()
            check_flag(return_utilities, "return_utilities")
            strategy = as_strategy(self.strategy)
            draw, exploration = how_drawn(self, session.interval)
            n_items = how_many(self, n)
            batch, pool = session.ask(strategy, n_items, draw=draw, exploration=exploration)

            utilities = session.utilities(strategy, pool) if return_utilities else None
            self._session = session
            indices = session.item_model.rows.of_items(batch.items)
            return (indices, self._over_rows(utilities)) if return_utilities else indices

    def update(self, indices: ArrayLike, labels: ColumnLike) -> ActiveTestSelector:
        """Update the estimates with the labels of some items.

        Parameters
        ----------
        indices : array-like of int of shape (n,)
            Indices into X, usually all or some of those that `query` returned, in any order. For a
            histogram only those are allowed.
        labels : array-like of shape (n,)
            The labels. A missing label means that the annotator skipped the item; it is not queried
            again. For objects, their true overlaps, of shape (n, n_systems), with NaN if a system
            has no match. A pandas index must be that of X at these rows, the row numbers, or the
            default index.

        Returns
        -------
        self : ActiveTestSelector

        Raises
        ------
        ValueError
            If an index is out of range, lengths differ, an item gets two different labels, or the
            pandas index of the labels belongs to other items. The selector is then unchanged.

        Warns
        -----
        OutsideDesignWarning
            If items were not queried.
        SkippedLabelsWarning
            If a label is missing.

        Examples
        --------
        >>> from sklearn_spe import ActiveTestSelector
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, truth = make_scores(200, random_state=0)
        >>> selector = ActiveTestSelector("roc_auc", n_draws=100, random_state=0).fit(scores)
        >>> items = selector.query(20)
        >>> selector = selector.update(items, truth[items])
        >>> selector.n_labels_
        20
        """
        with lock_of(self):
            session = self._fitted
            indices, labels = as_lists(indices, labels, self._index)
            session = session.with_items(indices)
            log = session.query_log
            names = LabelFormat.of(self).names_after(labels, session.labels, log.n_labels)
            items, codes, details = session.item_model.read(indices, labels, names, log)
            if not len(items):
                return self
            warn_of_answers(items, codes, log)
            self._continue(session.after(items, codes, names, details), {})
            return self

    def find(
        self,
        X: ScoresLike | None,
        oracle: Callable[[np.ndarray], ArrayLike],
        budget: int,
        *,
        y: ColumnLike | None = None,
        least: float | None = None,
    ) -> np.ndarray:
        """Fit, label within a budget, and return the items of the best selection for the goal.

        Parameters
        ----------
        X : array-like of shape (n_items,)
            Scores, as in `fit` for a goal.
        oracle : callable
            ``oracle(items)`` returns the labels of an array of indices into X, with missing values
            for items that it skips. It is called with one batch at a time.
        budget : int
            The largest number of items passed to the oracle.
        y : array-like of shape (n_items,), default=None
            Labels known already, as in `fit`. They do not count towards the budget.
        least : float in [0, 1), default=None
            Stop early once the metric that the goal does not bound (recall, if precision is
            bounded) is at least this value. None spends the whole budget.

        Returns
        -------
        items : ndarray of shape (n_selected,)
            Indices into X where `selected_` is True. Empty if no selection meets the goal; see
            `goal_probability_`, `estimate_` and `verdict_`.

        Raises
        ------
        TypeError
            If the oracle is not callable.
        ValueError
            If the metric is not a goal, or the oracle returns the wrong number of labels.

        Examples
        --------
        >>> from sklearn_spe import ActiveTestSelector, Goal
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, truth = make_scores(500, random_state=0)
        >>> selector = ActiveTestSelector(Goal.of(precision=0.8), n_draws=100, random_state=0)
        >>> items = selector.find(scores, lambda items: truth[items], budget=60)
        >>> selector.n_labels_, bool(truth[items].mean() >= 0.8)
        (60, True)
        """
        if not isinstance(self.metric, Goal):
            raise ValueError(
                f"find needs a goal, such as ActiveTestSelector(Goal.of(precision=0.9)); the "
                f"metric is {self.metric!r}."
            )
        if not callable(oracle):
            raise TypeError(
                f"oracle must be a function that returns the labels of an array of items; got "
                f"{oracle!r}."
            )
        left = check_count(budget, "budget", 0)
        self.fit(X, y)

        while left and self.n_left_:
            is_enough = least is not None and self.should_stop(GoalReached(least))
            guarantee: Any = self._fitted.current.guarantee
            if is_enough or not guarantee.is_possible:
                break
            items = self.query(min(self.batch_size, left, self.n_left_))
            labels = oracle(items)
            if shape_of(labels)[:1] != (len(items),):
                raise ValueError(
                    f"The oracle must return one label for each of the {len(items)} items that it "
                    f"receives; got shape {shape_of(labels)}."
                )
            self.update(items, labels)
            left -= len(items)

        return np.flatnonzero(self.selected_)

    # --- stopping and planning -----------------------------------------------------------

    def should_stop(
        self, *rules: StoppingRule, half_width: float | None = None, max_labels: int | None = None
    ) -> bool:
        """Return whether labeling may stop.

        Parameters
        ----------
        *rules : StoppingRule
            Labeling may stop if any rule is met. ``rule & rule`` is met if both are.
        half_width : float in (0, 0.5), default=None
            Short for :class:`~sklearn_spe.active.HalfWidth`.
        max_labels : int, default=None
            Short for :class:`~sklearn_spe.active.MaxLabels`.

        Returns
        -------
        stop : bool
            True also if no item is left to label. `stop_reason_` has the reason.

        Raises
        ------
        ValueError
            If no rule is given, or a rule can never be met.

        Warns
        -----
        RepeatedLooksWarning
            Once, if a rule uses an interval that is not valid under repeated looks.
        UnidentifiedWarning
            If labeling may stop although the labels carry little information, unless the labels
            alone prove the condition of the rule.

        Examples
        --------
        >>> from sklearn_spe import ActiveTestSelector
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, truth = make_scores(200, random_state=0)
        >>> selector = ActiveTestSelector("roc_auc", n_draws=100, random_state=0).fit(scores)
        >>> items = selector.query(20)
        >>> selector = selector.update(items, truth[items])
        >>> selector.should_stop(max_labels=30), selector.should_stop(max_labels=20)
        (False, True)
        """
        session, rule = self._fitted, joined(rules, half_width, max_labels)
        progress = session.progress
        rule.check_possible(progress)
        looks = rule.looks_at_interval and session.is_for_one_look
        if looks and "repeated_looks" not in self._said:
            has_anytime = session.model.terms is not None
            warn_of_looks(session.interval, has_anytime, session.confidence_level)
            self._said = self._said | {"repeated_looks"}
        self.stop_reason_ = rule.reason(progress) if rule.holds(progress) else None
        if self.stop_reason_ is None and session.query_log.is_over:
            self.stop_reason_ = "no item is left to label"
        if self.stop_reason_ is not None and not rule.is_proved(progress):
            unsure = [r for r in self.verdict_.reasons if r.verdict == "unidentified"]
            warn_of(Verdict(unsure), stacklevel=2)
        return self.stop_reason_ is not None

    def plan(
        self, n_labels: ArrayLike | None = None, *, n_simulations: int = 5
    ) -> LabelPlan | GoalPlan:
        """Simulate the interval width after more items are labeled.

        For a goal, simulate how often a selection will meet the goal, and whether the scores allow
        it. Otherwise simulate the width of the interval of `estimate_` (upper minus lower end), for
        items chosen by the strategy and at random. Labels are simulated from the posterior, so the
        plan depends on the present model. It takes seconds.

        Parameters
        ----------
        n_labels : int or array-like of int, default=None
            Increasing numbers of further labels, besides the known and pending ones. None means 10
            to 200, or as many as are left.
        n_simulations : int, default=5
            Number of simulations of the whole labeling, at most 1,000.

        Returns
        -------
        plan : LabelPlan or GoalPlan
            ``plan.labels_for(width)`` is the number of further labels needed for a width. For a
            goal, ``plan.labels_for()`` is the number needed for a selection that meets the goal,
            and ``plan.reachable`` is the probability that any threshold meets it.

        Raises
        ------
        ValueError
            If numbers are not increasing, fewer items are left, or there are too many simulations.

        Examples
        --------
        >>> from sklearn_spe import ActiveTestSelector
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, truth = make_scores(200, random_state=0)
        >>> selector = ActiveTestSelector("roc_auc", n_draws=100, random_state=0).fit(scores)
        >>> items = selector.query(20)
        >>> selector = selector.update(items, truth[items])
        >>> selector.plan([30, 40], n_simulations=2).n_labels.tolist()
        [30, 40]
        """
        session = self._fitted.current
        counts = further_labels(n_labels, self.n_left_)
        strategy = as_strategy(self.strategy)
        draw, exploration = how_drawn(self, session.interval)
        return simulate_labeling(
            session,
            strategy,
            counts,
            n_simulations,
            self.n_jobs,
            draw=draw,
            exploration=exploration,
        )

    # --- estimates --------------------------------------------------------------------------

    @property
    def estimate_(self) -> ScalarEstimate | CurveBand:
        """The estimate of the metric, with the interval of type `interval`."""
        return self._estimates().estimate

    @property
    def model_estimate_(self) -> ScalarEstimate | CurveBand:
        """The model-based estimate."""
        return self._estimates().model_estimate

    @property
    def design_estimate_(self) -> ScalarEstimate | CurveBand | None:
        """The design-based estimate; None if the metric has none."""
        return self._estimates().design_estimate

    @property
    def naive_estimate_(self) -> float | np.ndarray:
        """The metric of the labeled items alone, or with noisy labels used as true labels."""
        return self._estimates().naive_estimate

    @property
    def model_weight_(self) -> float:
        """The weight of the model-based estimate."""
        return self._estimates().model_check.model_weight

    @property
    def verdict_(self) -> Verdict:
        """The verdict on the estimate."""
        self._estimates()
        return self._fitted.current.verdict

    @property
    def history_(self) -> History:
        """The estimates after each batch of labels; rows are computed on first use."""
        self._estimates()
        return self._fitted.current.history

    # --- items ------------------------------------------------------------------------------

    @property
    def label_proba_(self) -> np.ndarray:
        """P(y = 1) of each item, of shape (n_items,); 0 or 1 where it is labeled.

        For precision at k, NaN for items outside the lists. Curves are interpolated linearly
        between cells of scores.
        """
        return self._over_rows(self._fitted.model.label_proba)

    @property
    def query_proba_(self) -> np.ndarray:
        """The inclusion probability of each drawn item, of shape (n_items,); NaN for others."""
        return self._over_rows(self._fitted.query_log.chance)

    @property
    def utilities_(self) -> np.ndarray:
        """The utility of each item, of shape (n_items,); NaN if it cannot be queried."""
        return self._over_rows(self._fitted.utilities(as_strategy(self.strategy)))

    @property
    def pending_(self) -> np.ndarray:
        """The queried items without a label, in the order of the draws.

        Labels of items drawn with or after them enter the design-based estimate only when these
        items are labeled or skipped: ``update(pending_, [None] * len(pending_))``.
        """
        return self._fitted.item_model.rows.of_items(self._fitted.query_log.pending)

    @property
    def n_left_(self) -> int:
        """Number of items that may still be queried."""
        return self._fitted.query_log.n_left

    @property
    def commitment_(self) -> str:
        """The hash from which the random order of a proof is drawn."""
        order = self._fitted.order
        if order is None:
            raise AttributeError(
                "commitment_ exists only for proofs along a random order: of a precision, with "
                "ActiveTestSelector(Goal.of(precision=0.9), interval='anytime'), or of a recall, "
                "with the strategy 'reading'."
            )
        return order.commitment

    # --- goals and curves ---------------------------------------------------------------------

    @property
    def goal_(self) -> Goal:
        """The goal."""
        self._guarantee("goal_")
        return self._fitted.item_model.question.metric

    @property
    def threshold_(self) -> float:
        """The threshold of the best selection that meets the goal; NaN if none does yet."""
        return self._guarantee("threshold_").threshold

    @property
    def goal_probability_(self) -> float:
        """The probability that the best selection meets the goal."""
        return self._guarantee("goal_probability_").probability

    @property
    def selected_(self) -> np.ndarray:
        """Whether each row is in the best selection, of shape (n_items,)."""
        return self._guarantee("selected_").selection

    @property
    def performance_(self) -> PerformanceCurveEstimator:
        """A fitted estimator for any other curve or metric, as an independent copy.

        With more than 100,000 scores its rows are groups of neighboring scores.
        """
        self._pool("performance_")
        model: Any = self._fitted.current.model
        return model.exposed

    @property
    def suspect_labels_(self) -> SuspectLabels:
        """Labeled items whose label is improbable given the other labels."""
        self._pool("suspect_labels_")
        model: Any = self._fitted.current.model
        return model.suspect_labels

    # --- systems and categories ---------------------------------------------------------------

    @property
    def verified_estimate_(self) -> float | np.ndarray:
        """The metric of the verified items alone, unweighted.

        A float, or an array of shape (n_systems,) for several systems. It is consistent if items
        were verified at random. An average over categories is NaN, with an `UnverifiedWarning`, as
        long as a category has no verified item.
        """
        return self._fitted.model.verified_estimate()

    def by_category(self, system: Hashable = None) -> EstimateTable:
        """Return the estimate of each category.

        Parameters
        ----------
        system : str or int, default=None
            The system, if there are several: one of `systems_` or its number. None means the first.

        Returns
        -------
        table : EstimateTable
            One row for each of `categories_`.

        Examples
        --------
        >>> from sklearn_spe import ActiveTestSelector
        >>> from sklearn_spe.datasets import make_noisy_tags
        >>> data = make_noisy_tags(200, 3, prevalence=0.2, random_state=0)
        >>> selector = ActiveTestSelector(n_draws=40, random_state=0).fit(
        ...     data.scores, noisy_labels=data.noisy_labels, category=data.category)
        >>> selector.by_category().names
        ('0', '1', '2')
        """
        model = self._lists("by_category")
        if self.average == "micro":
            raise ValueError("average='micro' pools all items; use average='macro'.")
        return model.by_category(self.systems_[0] if system is None else system)

    def difference(self, a: Hashable, b: Hashable) -> ScalarEstimate:
        """Return the difference of the metric between two systems, or two categories of one system.

        Both are estimated from the same labels, so the interval is narrower than that of
        independent estimates.

        Parameters
        ----------
        a, b : str or int
            Two of `systems_`, or their numbers. With a single system, two of `categories_`.

        Returns
        -------
        difference : ScalarEstimate
            The metric of `a` minus that of `b`.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import ActiveTestSelector
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, truth = make_scores(200, random_state=0)
        >>> worse = scores + 3.0 * np.random.default_rng(1).standard_normal(200)
        >>> selector = ActiveTestSelector("roc_auc", n_draws=40, random_state=0)
        >>> selector = selector.fit({0: scores, 1: worse}, truth)  # all labels
        >>> bool(selector.difference(0, 1).value > 0.0)
        True
        """
        return self._lists("difference").difference(a, b)

    @property
    def ranking_proba_(self) -> np.ndarray:
        """The probability that one system is better than another, (n_systems, n_systems).

        Entry [i, j] is the probability that system i is better than system j; ties count half. With
        a single system, categories are compared: (n_categories, n_categories).
        """
        return self._ordered("ranking_proba_").ranking_proba

    @property
    def order_proba_(self) -> float:
        """The probability that the true order of all systems is that of their estimates.

        With a single system it is about the order of its categories; with `compare` about the two
        compared.
        """
        table = self._ordered("order_proba_")
        order_proba = self._fitted.model.order_proba
        return table.order_proba if order_proba is None else order_proba

    @property
    def flip_rates_(self) -> np.ndarray:
        """Expected error rates of the noisy labels, of shape (n_categories, 2).

        The columns are the false negative rate and the false positive rate of the noisy labels
        among the items of the ranked lists. NaN if a category has no such items, or without noisy
        labels.
        """
        return self._lists("flip_rates_").flip_rates()

    def evidence(self, rule: RecallReached | None = None) -> dict[str, Any]:
        """Return the evidence of a proof, for others to verify without the model.

        The evidence contains the scores, the labels in their order, the salt of the random order or
        the inclusion probabilities of the draws, and a checksum.
        :func:`~sklearn_spe.design.verify_evidence` computes the proof again.

        Parameters
        ----------
        rule : RecallReached, default=None
            For reviews, the rule with the share of all positives to be found. None means the goal
            of a selector with ``interval="anytime"``.

        Returns
        -------
        evidence : dict
            Ready for ``json.dump``.

        Raises
        ------
        ValueError
            If no rule is given and the selector has no such goal.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import ActiveTestSelector
        >>> from sklearn_spe.active import RecallReached
        >>> selector = ActiveTestSelector(strategy="reading", n_draws=40, random_state=0)
        >>> selector = selector.fit(np.arange(120.0))
        >>> items = selector.query(60)
        >>> selector = selector.update(items, (items > 100).astype(int))
        >>> evidence = selector.evidence(RecallReached(0.8))
        >>> evidence["fixed"]["guarantee"], evidence["n_found"]
        ('recall', 19)
        """
        session = self._fitted
        query_log = session.query_log
        if rule is not None:
            if not isinstance(rule, RecallReached):
                raise TypeError(f"rule must be a RecallReached, such as {RecallReached()!r}.")
            rule.can_hold(session.progress)
            return rule.evidence(session.progress, query_log.n_labels_at_looks)
        certificate = query_log.certificate
        if certificate is None:
            raise ValueError(
                "Evidence requires a proof by labels: of a goal, with "
                "ActiveTestSelector(Goal.of(precision=0.9), interval='anytime'), or of the recall "
                "of a review, with evidence(RecallReached(0.8)). The posterior probability of a "
                "goal depends on the model and cannot be verified from the labels alone."
            )
        pool = self._pool("evidence")
        threshold = pool.score_direction.flip(np.array([self.threshold_]))[0]
        if np.isnan(threshold):
            threshold = certificate.thresholds[int(np.argmax(certificate.levels))]
        assert session.fixed is not None
        return goal_evidence(certificate, session.fixed, threshold)

    # --- tables -------------------------------------------------------------------------------

    def to_frame(self, indices: ArrayLike | None = None) -> pd.DataFrame:
        """Return a pandas DataFrame with one row per item, from which labeling can be resumed.

        Parameters
        ----------
        indices : array-like of int, default=None
            The items, in this order, such as those that `query` returned. None means all items,
            which are required to resume.

        Returns
        -------
        frame : DataFrame
            * "item": the index into X;
            * ``score``, or ``score_`` and the name or number of each system;
            * the other inputs: "noisy_label", "category", "groups", "feature_0", ..., ``judge_``
              and a name;
            * "label": missing if unknown;
            * "probability" to be positive;
            * "order": the position among all items queried or labeled;
            * "chance": the inclusion probability of the draw;
            * "query": the number of the query;
            * "asked" and "answered": the numbers of updates before the query and at the label (-1
              for never);
            * "skipped": whether the item was skipped;
            * "answer": the label as it was given;
            * "session": the parameters of the selector, the same text in every row.

            For a histogram, the frame has one row for each queried item and no "session"; to
            resume, pickle the selector.

        Examples
        --------
        >>> from sklearn_spe import ActiveTestSelector
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, truth = make_scores(200, random_state=0)
        >>> selector = ActiveTestSelector(n_draws=100, random_state=0).fit(scores)
        >>> frame = selector.to_frame(selector.query(3))
        >>> frame.columns[:4].tolist()
        ['item', 'score', 'label', 'probability']
        """
        import pandas as pd

        return pd.DataFrame(self.to_columns(indices))

    def to_columns(self, indices: ArrayLike | None = None) -> dict[str, Any]:
        """Return the columns of :meth:`to_frame` as a dict of arrays."""
        return table_of(self._fitted, indices)

    def to_label_studio(
        self, indices: ArrayLike, data: Sequence[Mapping[str, Any]] | None = None
    ) -> list[dict[str, Any]]:
        """Return tasks for Label Studio, to be written by ``json.dump``.

        Parameters
        ----------
        indices : array-like of int
            The items, such as those that `query` returned.
        data : sequence of dict, default=None
            The data shown to annotators for each item, such as ``{"text": ...}`` or
            ``{"image": ...}``.

        Returns
        -------
        tasks : list of dict
            One task for each item. Its "item" is the index of the item, which
            :func:`~sklearn_spe.active.read_label_studio` reads from the export.

        Examples
        --------
        >>> from sklearn_spe import ActiveTestSelector
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, truth = make_scores(200, random_state=0)
        >>> selector = ActiveTestSelector("roc_auc", n_draws=100, random_state=0).fit(scores)
        >>> len(selector.to_label_studio(selector.query(5)))
        5
        """
        return tasks_of(self.to_columns(indices), data)

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame | Mapping[str, ColumnLike],
        *,
        names: Mapping[str, str] | None = None,
        **parameters: Any,
    ) -> ActiveTestSelector:
        """Resume from a table, in which new labels may have been filled in.

        Parameters
        ----------
        frame : DataFrame or mapping of str to array-like
            The table that :meth:`to_frame` returned for all items, with rows in any order. Labels
            that were filled in count as one update. To start a new session, pass any table with
            columns "score" and "label". The columns of several systems are ``score_0``,
            ``score_1``, ... or ``score_`` and a name; the columns of judges, besides or instead of
            scores, are ``judge_`` and a name.
        names : mapping of str to str, default=None
            Maps the column names of :meth:`to_frame` to those of the table, such as
            ``{"score": "logit", "label": "truth"}``.
        **parameters
            Parameters of the selector. The table stores the parameters of the session, including
            the seed, so labeling continues exactly where it stopped. Pass only parameters that
            cannot be stored, such as a function or a fitted classifier. Changed parameters raise an
            error.

        Returns
        -------
        selector : ActiveTestSelector
            Fitted.

        Raises
        ------
        TypeError
            If `frame` has no columns.
        ValueError
            If a column or a row is missing, a row is duplicated, the record was changed, or a
            parameter differs from the stored one.

        Warns
        -----
        OutsideDesignWarning
            If labels differ from the recorded answers. The warning lists them.

        Examples
        --------
        >>> from sklearn_spe import ActiveTestSelector
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, truth = make_scores(200, random_state=0)
        >>> selector = ActiveTestSelector("roc_auc", n_draws=100, random_state=0).fit(scores)
        >>> items = selector.query(20)
        >>> selector = selector.update(items, truth[items])
        >>> resumed = ActiveTestSelector.from_frame(selector.to_frame())
        >>> resumed.estimate_.value == selector.estimate_.value
        True
        """
        table = SessionTable.read(frame, {} if names is None else names)
        if not table.is_begun:
            return cls(**parameters).fit(y=table.columns["label"], **table.given())
        memory, table = table.remembered()
        selector = cls(**parameters_of(memory, parameters, cls().get_params(deep=False)))
        session, rows, labels = replayed(selector, table)
        selector._begin(session, {"_index": None})
        return selector.update(rows, labels) if len(rows) else selector

    # --- private ----------------------------------------------------------------------------

    @property
    def _fitted(self) -> Session:
        check_is_fitted(self, "n_labels_")
        return self._session

    def _over_rows(self, values: np.ndarray | None) -> np.ndarray:
        return self._session.item_model.rows.spread(values, np.nan)

    def _lists(self, what: str) -> ListModel:
        model: Any = self._fitted.model
        if model.is_one_pool or not hasattr(model, "ranked_lists"):
            of_what = "one pool of scores" if model.is_one_pool else "more than two classes"
            raise AttributeError(
                f"{what} exists only with noisy labels, categories, groups, judges or several "
                f"systems; this selector was fitted to {of_what}."
            )
        return model

    def _ordered(self, what: str) -> EstimateTable:
        table = self._lists(what).ordered
        if table is None:
            raise AttributeError(f"{what} exists only with several systems or categories.")
        return table

    def _guarantee(self, what: str) -> Guarantee | ProvedSelection:
        if (guarantee := self._fitted.proved) is None:
            raise AttributeError(f"{what} exists only for a goal: pass a Goal as metric.")
        return guarantee

    def _pool(self, what: str) -> OnePoolModel:
        model: Any = self._fitted.item_model
        if not model.is_one_pool:
            raise AttributeError(
                f"{what} exists only for one pool of scores, not with noisy labels, categories, "
                "groups, judges or several systems."
            )
        return model

    def _estimates(self, stacklevel: int = 3) -> StepEstimates:
        """Return the estimates by all labels, after a warning of each new reason for a misfit.

        Little information is not warned of while more labels are to come: `should_stop` does it.
        """
        with lock_of(self):
            session = self._fitted.current
            reasons = session.verdict.reasons
            new = [r for r in reasons if r.verdict == "misfit" and r.name not in self._said]
            warn_of(Verdict(new), stacklevel=stacklevel)
            self._said = self._said | {reason.name for reason in new}
        return session.estimates

    def _begin(self, session: Session, attributes: Mapping[str, Any]) -> None:
        """Take a new session, which replaces an earlier one; a failure changes nothing."""
        begun = {**attributes, **_fixed_values(session), "_said": set(), "stop_reason_": None}
        new = copy(self)
        new._continue(session, begun)
        if not isinstance(session, ProofSession):
            # Where warnings are errors, this raises.
            new._estimates(stacklevel=4)
        for name in [name for name in vars(self) if name.endswith("_") and name not in begun]:
            delattr(self, name)
        self._continue(session, {**begun, "_said": new._said})

    def _continue(self, session: Session, attributes: Mapping[str, Any]) -> None:
        """Take a session, with further labels or new."""
        for name, value in {**attributes, **_fixed_values(session)}.items():
            setattr(self, name, value)
        self._session = session


def _fixed_values(session: Session) -> dict[str, Any]:
    """Return the attributes of a session that take no model."""
    return {
        "categories_": None if session.category is None else session.category.names,
        "systems_": session.item_model.systems,
        "n_labels_": session.query_log.n_labels,
        "classes_": session.labels.classes,
        "seed_": session.item_model.seed,
        "pos_label_": session.labels.pos_label,
    }

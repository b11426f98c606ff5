"""ActiveTestSelector: which items to label next, and when to stop."""

from __future__ import annotations

from copy import copy

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..inputs._alignment import index_of
from ..inputs._numbers import check_flag
from ..inputs._one_at_a_time import lock_of
from ..inputs._scores import ScoreInput
from ..results._bands import CurveBand, ScalarEstimate
from ..results._verdict import Verdict, warn_of
from ._exchange import LabellingTable, table_of
from ._given_labels import Writing
from ._label_studio import tasks_of
from ._memory import parameters_of
from ._opening import open_session
from ._parameters import as_strategy, how_drawn, how_many
from ._replay import Replay
from ._stopping import joined, warn_of_looks
from .sessions._answers import as_lists, warn_of_answers, warn_of_unvetted
from .sessions._board_estimates import BoardEstimates
from .sessions._goal_plan import GoalPlan
from .sessions._history import History
from .sessions._plan import LabelPlan, further_labels, simulate_labelling
from .sessions._session import Session

__all__ = ["ActiveTestSelector"]


class ActiveTestSelector(ScoreInput, BaseEstimator):
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
    metric : str, Metric, Curve, Goal or callable, default="average_precision"
        What is wanted, as :meth:`PerformanceCurveEstimator.estimate` takes it; also a curve,
        "precision_recall" or a :class:`~sklearn_spe.curves.Curve` of your own, whose whole band
        is then made narrow. Or a goal, ``Goal.of(precision=0.9)``: labels are then spent for the
        best answer that keeps it with `confidence_level`, of one pool of scores.
    threshold, recall, precision : float, default=None
        Where a metric of decisions is taken: "precision", "recall", "f1", "accuracy", ... need
        `threshold`; "precision" may be taken at a `recall`, and "recall" at a `precision`.
    strategy : str or Strategy, default="expected_change"
        How items are chosen: one of :data:`sklearn_spe.active.STRATEGIES`, or an instance.
    label_model : str, SemisupervisedScoreMixture, classifier or LabelModel, default="auto"
        What predicts labels. "shared_curves": prior curves judged by labels, that systems,
        categories and groups share as far as labels say they may
        (:class:`~sklearn_spe.active.SharedCurvesModel`); "auto" stands for it where there are no
        noisy labels, or judges, and so does a mixture with parameters of its own, such as
        `prevalence_prior`. "curves": the same of each system and category by itself; of one
        pool of scores both are one. "joint": a regression of labels and noisy labels in which
        all items take part; "auto" stands for it with noisy labels or `features`, and no judges.
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
        Of a goal on these: "posterior" believes the model, "anytime" takes an answer that
        labels prove (:class:`~sklearn_spe.betting.GoalCertificate`), at whatever look labelling
        stops; the interval of what the goal leaves open is the model's.
    confidence_level : float in (0, 1), default=0.9
        Of intervals, and the probability with which a goal must be kept.
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
        several systems a band with one point a system. Of a goal the metric that it leaves open
        (recall, if precision is bounded) of the answer.
    goal_ : Goal
        The goal, if there is one.
    threshold_ : float
        Of a goal: where the best answer that keeps it begins; NaN if none does yet.
    goal_probability_ : float
        Of a goal: how probable it is that this answer keeps it; that of the most probable answer
        if none does with `confidence_level`. As far as the model is not believed
        (`model_weight_`) nothing is said of an answer that some labels would break. With
        ``interval="anytime"`` the level at which labels prove it.
    answer_ : ndarray of bool of shape (n_items,)
        Of a goal: which rows of X are returned; no labelled negative, and all labelled positives.
        Nothing if no answer keeps the goal yet.
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
    systems_ : tuple
        The names of the systems, which are those of the columns of X, or their numbers.
    categories_ : ndarray of shape (n_categories,) or None
        The sorted categories; those of an ordered categorical of pandas in their order.
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
    pos_label_ : object
        The positive class.
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
    Of a histogram what is said of all items (`label_proba_`, `utilities_`, `query_proba_`) is
    said of the rows of ``histogram.with_labels(scores, y)``, whose items are alike until they
    are drawn; `answer_` is empty, and `surprising_items_` names numbers, -1 for what was labelled
    before the start.

    Several threads may ask for items and hand back labels at the same time: calls of `query` and
    `update` wait for each other.

    Items must be independent, or `groups` must say which belong together. Items may only be chosen
    by their scores, categories, groups, earlier labels and chance: choosing them by anything else
    that tells of their label is not ignorable.

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

    def fit(
        self,
        X,
        y=None,
        *,
        noisy_labels=None,
        category=None,
        groups=None,
        features=None,
        judges=None,
    ) -> ActiveTestSelector:
        """Take the scores of a pool, and what is labelled already.

        Parameters
        ----------
        X : array-like of shape (n_items,), (n_items, 1), (n_items, 2) or (n_items, n_systems)
            Scores, larger for positives. Two columns that sum to one are probabilities of one
            system, and two without names are its logits if `classes` names two; other columns,
            or a mapping from names, are scores of several systems on the same items, not of
            several tags: those are rows. NaN where one of several systems gave no score: its
            estimate is then that of the items that it scored. Or
            :class:`~sklearn_spe.active.SegmentationMatches`, which holds all else that `fit` takes
            but `y`; items are then objects. Or a :class:`~sklearn_spe.ScoreHistogram`, or one
            `with_labels`, and nothing else; items are then numbers, and its `find` says where they
            are. None where there are `judges` and no score: what the only one says is the score, or
            the mean of several, each in its own standard deviations from its mean.
        y : array-like of shape (n_items,), default=None
            Labels that were vetted; -1, NaN, None or ``pd.NA`` where an item was not. None means
            that nothing was. Of objects their overlaps, (n_objects, n_systems), NaN likewise.
        noisy_labels : array-like of shape (n_items,), default=None
            A cheap label of every item, which may be wrong.
        category : array-like of shape (n_items,), default=None
            A category of each item, such as the tag of a pair of image and tag. The metric is
            averaged over categories, unless ``average="micro"``. An ordered categorical of pandas
            is an order, of months say: neighbours are taken to be more alike.
        groups : array-like of shape (n_items,), default=None
            Items that belong together, by text or whole numbers: those of one patient, the frames
            of one video. They are no independent evidence of others, and :meth:`query` asks for
            items of groups with fewer labels first where they are as useful. With groups the
            metric is one that several systems may have too: no curve and no function.
        features : array-like of shape (n_items, n_features), default=None
            What else is known of items and may tell of their label, such as the size of a box.
        judges : array-like of shape (n_items,) or (n_items, n_judges), or mapping, default=None
            What judges say of each item, such as language models or rules: verdicts, written as
            labels are or as 1 and 0, or scores that are larger for positives; None, NaN,
            ``pd.NA`` or what marks an item without a label where one said nothing. They tell of
            the label, and are not asked about as systems. Not with `features`.

        Returns
        -------
        self : ActiveTestSelector

        Raises
        ------
        ValueError
            If lengths differ, noisy labels are missing or of more than two classes, groups are
            missing or no names, k is larger than a category, or a judge names other classes or
            says nothing at all, or stands beside features.
        """
        begun = copy(self)
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(begun, name)
        given = {"groups": groups, "judges": judges, "noisy_labels": noisy_labels}
        given |= {"category": category, "features": features}
        begun._hold(open_session(begun, X, y, **given), index_of(X=X, y=y, **given))
        begun._publish()
        return self._become(begun)

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
            Places in X, in the order in which they were drawn; of a histogram numbers of items,
            for :meth:`~sklearn_spe.ScoreHistogram.find`.
        utilities : ndarray of shape (n_items,)
            NaN for items that cannot be asked for. Only if `return_utilities`.

        Raises
        ------
        ValueError
            If fewer items are left.
        """
        check_is_fitted(self, "estimate_")
        check_flag(return_utilities, "return_utilities")
        with lock_of(self):
            strategy, session = as_strategy(self.strategy), self._session.copy()
            how = how_drawn(self, session.interval)
            batch, pool = session.ask(strategy, how_many(self, n), **how)
            utilities = session.utilities(strategy, pool) if return_utilities else None
            self._session = session
            indices = session.model.rows.of_items(batch.items)
            return (indices, self._over_rows(utilities)) if return_utilities else indices

    def update(self, indices, labels):
        """Take the labels of some items.

        Parameters
        ----------
        indices : array-like of int of shape (n,)
            Places in X, usually those that `query` returned, in any order, all or some of them; of
            a histogram no others.
        labels : array-like of shape (n,)
            Missing where the annotator could not say: such an item is not asked for again. Of
            objects their true overlaps, (n, n_systems), NaN where a system does not claim one. An
            index of pandas must be that of X at these places, the places themselves, or the
            default one.

        Returns
        -------
        self : ActiveTestSelector

        Raises
        ------
        ValueError
            If an index is out of range, lengths differ, an item gets two different labels, or
            the index of labels names other items; nothing is changed then.

        Warns
        -----
        OutsideDesignWarning
            If items were not asked for.
        SkippedLabelsWarning
            If a label is missing.
        """
        check_is_fitted(self, "estimate_")
        indices, labels = as_lists(indices, labels, self._index)
        with lock_of(self):
            session, log = self._session, self._session.query_log
            names = Writing.of(self).names_after(labels, session.labels, log.n_labels)
            items, codes, told = session.model.read(indices, labels, names, log)
            if not len(items):
                return self
            warn_of_answers(items, codes, log)
            after = copy(self)
            after._session, after._said = session.after(items, codes, names, told), set(self._said)
            after._publish()
            return self._become(after)

    # --- when to stop, and what labels will buy -------------------------------------------

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
        rule, session = joined(rules, half_width, max_labels), self._session
        progress = session.progress
        rule.check_possible(progress)
        looks = rule.looks_at_interval and session.is_for_one_look
        if looks and "repeated_looks" not in self._said:
            has_anytime = session.model.terms is not None
            warn_of_looks(session.interval, has_anytime, session.confidence_level)
            self._said.add("repeated_looks")
        self.stop_reason_ = rule.reason(progress) if rule.holds(progress) else None
        if self.stop_reason_ is None and session.query_log.is_over:
            self.stop_reason_ = "no item is left to label"
        if self.stop_reason_ is not None:
            unsure = [r for r in self.verdict_.reasons if r.verdict == "unidentified"]
            warn_of(Verdict(unsure), stacklevel=2)
        return self.stop_reason_ is not None

    def plan(self, n_labels=None, *, n_simulations=5) -> LabelPlan | GoalPlan:
        """Simulate how wide the interval will be once more items are labelled.

        Of a goal: how often an answer will keep it, and whether the scores allow for one. Else full
        widths of the interval of `estimate_`, for items chosen by the strategy and at
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
        plan : LabelPlan or GoalPlan
            ``plan.labels_for(width)`` says how many further labels a width takes; of a goal
            ``plan.labels_for()`` how many an answer takes that keeps it, and ``plan.reachable``
            how probable it is that any threshold does.

        Raises
        ------
        ValueError
            If numbers do not rise, fewer items are left, or there are too many simulations.
        """
        check_is_fitted(self, "estimate_")
        counts = further_labels(n_labels, self.n_left_)
        strategy, how = as_strategy(self.strategy), how_drawn(self, self._session.interval)
        return simulate_labelling(
            self._session, strategy, counts, n_simulations, self.n_jobs, **how
        )

    # --- items ------------------------------------------------------------------------------

    @property
    def label_proba_(self) -> np.ndarray:
        """The probability of each item to be positive, of shape (n_items,); known ones are 0 or 1.

        NaN for items in no list of the k highest. Between cells of scores curves are linear.
        """
        check_is_fitted(self, "estimate_")
        return self._over_rows(self._session.model.label_proba)

    @property
    def query_proba_(self) -> np.ndarray:
        """The chance with which each item was drawn, of shape (n_items,); NaN for others."""
        check_is_fitted(self, "estimate_")
        return self._over_rows(self._session.query_log.chances)

    @property
    def utilities_(self) -> np.ndarray:
        """How useful the label of each item would be now, of shape (n_items,); NaN if not free."""
        check_is_fitted(self, "estimate_")
        return self._over_rows(self._session.utilities(as_strategy(self.strategy)))

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
        return self._session.query_log.n_left

    # --- systems and categories ---------------------------------------------------------------

    @property
    def vetted_estimate_(self):
        """The metric of the vetted items alone, as if they were all.

        A float, or an array of shape (n_systems,) of several systems. It is right if items were
        vetted at random. Averaged over categories it is NaN, with an `UnvettedWarning`, as long
        as a category has no vetted item.
        """
        check_is_fitted(self, "estimate_")
        model = self._session.model
        warn_of_unvetted(*model.unvetted_lists)
        return model.vetted_estimate()

    def by_category(self, system=None) -> CurveBand:
        """Return the estimate of each category.

        Parameters
        ----------
        system : str or int, default=None
            Whose, if there are several: one of `systems_`, or its number; None is the first.

        Returns
        -------
        band : CurveBand
            ``band.x`` are the places of the categories in `categories_`, ``band.value`` the
            estimates and ``band.interval()`` their intervals.

        Examples
        --------
        >>> from sklearn_spe import ActiveTestSelector
        >>> from sklearn_spe.datasets import make_noisy_tags
        >>> data = make_noisy_tags(200, 3, prevalence=0.2, random_state=0)
        >>> selector = ActiveTestSelector(n_draws=40, random_state=0).fit(
        ...     data.scores, noisy_labels=data.noisy_labels, category=data.category)
        >>> selector.by_category().value.shape
        (3,)
        """
        lists = self._lists("by_category")
        if self.average == "micro":
            raise ValueError("average='micro' takes all items for one pool; use average='macro'.")
        return lists.by_category(self.systems_[0] if system is None else system)

    def category_frame(self, system=None):
        """Return a pandas DataFrame of :meth:`by_category`, one row a category, with its name."""
        import pandas as pd

        band = self.by_category(system)
        low, high = band.interval()
        names = [None] if self.categories_ is None else self.categories_
        columns = {"category": names, "estimate": band.value, "low": low, "high": high}
        return pd.DataFrame(columns)

    def difference(self, first, second) -> ScalarEstimate:
        """Return by how much one system is better than another, or of one system a category.

        Both are judged by the same labels: the band is narrower than two bands side by side.

        Parameters
        ----------
        first, second : str or int
            Two of `systems_`, or their numbers; of one system two of `categories_`.

        Returns
        -------
        difference : ScalarEstimate
            Above zero if the first is better.

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
        return self._lists("difference").difference(first, second)

    @property
    def ranking_proba_(self) -> np.ndarray:
        """How probable it is that one system is better than another, (n_systems, n_systems).

        Entry [i, j] is that system i is better than system j; ties count half.
        """
        return self._lists("ranking_proba_", several=True).ranking_proba()

    @property
    def order_proba_(self) -> float:
        """How probable it is that all systems are in the order of their estimates."""
        return self._lists("order_proba_", several=True).order_probability()

    @property
    def flip_rates_(self) -> np.ndarray:
        """How often noisy labels are expected to be wrong, of shape (n_categories, 2).

        Of the items that stand in a list: of positives, the share that the noisy labels miss,
        and of negatives, the share that they call positive; NaN where a category has none, or
        there are no noisy labels.
        """
        return self._lists("flip_rates_").flip_rates()

    # --- tables -------------------------------------------------------------------------------

    def to_frame(self, indices=None):
        """Return a pandas DataFrame with one row an item, from which labelling can be resumed.

        Parameters
        ----------
        indices : array-like of int, default=None
            Which items, in this order, such as what `query` returned; None returns all, as
            resuming needs them.

        Returns
        -------
        frame : DataFrame
            "item", the place in X; ``score``, or of several systems ``score_`` and the name or
            number of each; what else was given, "noisy_label", "category", "groups", "feature_0",
            ..., ``judge_`` and a name; "label", missing where there is none; "probability" to be
            positive; and how the label came about: "order" among all items asked for or labelled,
            "chance" of the draw, "query" that asked for it, "asked" and "answered", the number of
            updates before that query and of the one that brought its label (-1 for never),
            "skipped", "answer", the label as it was answered; "session", the parameters
            of the selector, the same text in every row. Of a histogram one row an item that was
            asked for, without "session": such a labelling is kept by its pickle.

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

    def to_columns(self, indices=None) -> dict:
        """Return the columns of :meth:`to_frame` as a dict of arrays."""
        check_is_fitted(self, "estimate_")
        return table_of(self, self._session, indices)

    def to_label_studio(self, indices, data=None) -> list[dict]:
        """Return tasks for Label Studio, to be written by ``json.dump``.

        Parameters
        ----------
        indices : array-like of int
            Which items, such as what `query` returned.
        data : sequence of dict, default=None
            What annotators shall see of each, such as ``{"text": ...}`` or ``{"image": ...}``.

        Returns
        -------
        tasks : list of dict
            The place of the item is its "item"; :func:`~sklearn_spe.active.read_label_studio`
            finds it in the export.
        """
        return tasks_of(self.to_columns(indices), data)

    @classmethod
    def from_frame(cls, frame, *, names=None, **parameters):
        """Resume from a table, whether or not labels were filled in since.

        Parameters
        ----------
        frame : DataFrame or mapping of str to array-like
            As :meth:`to_frame` returned it for all items, rows in any order; or any table with
            columns "score" and "label", which is then the start; of several systems there are
            columns ``score_0``, ``score_1``, ... or ``score_`` and a name, and of judges, beside
            scores or in their place, ``judge_`` and a name. Labels that were filled in are taken as
            one update.
        names : mapping of str to str, default=None
            How the table names columns that :meth:`to_frame` names otherwise, such as
            ``{"score": "logit", "label": "truth"}``.
        **parameters
            Of the selector. The table remembers those with which it was begun, the seed too, and
            goes on as if labelling had never stopped; only what it cannot hold, such as a function
            or a fitted classifier, must be passed again. Others than those of before are refused.

        Returns
        -------
        selector : ActiveTestSelector
            Fitted.

        Raises
        ------
        TypeError
            If it has no columns.
        ValueError
            If a column or a row is missing, a row comes twice, the record is not as it was
            written, or a parameter is another than when the table was begun.

        Warns
        -----
        OutsideDesignWarning
            If labels are not those that were answered; each is named.
        """
        table = LabellingTable.read(frame, {} if names is None else names)
        if not table.is_begun:
            return cls(**parameters).fit(y=table.columns["label"], **table.given())
        memory, table = table.remembered()
        selector = cls(**parameters_of(memory, parameters, cls().get_params(deep=False)))
        replay = Replay.of(selector, table)
        selector._hold(replay.session)
        selector._publish()
        return selector.update(replay.rows, replay.labels) if len(replay.rows) else selector

    # --- inside -----------------------------------------------------------------------------

    def _become(self, other) -> ActiveTestSelector:
        """Take over all that another selector knows: what fails before then changes nothing."""
        self.__dict__ = vars(other)
        return self

    def _hold(self, session: Session, index=None) -> None:
        """Start with a session; labels that come later may be named by the index of X."""
        self._session, self._index, self.stop_reason_ = session, index, None
        self._said: set[str] = set()

    def _over_rows(self, values) -> np.ndarray:
        return self._session.model.rows.spread(values, np.nan)

    def _lists(self, what: str, *, several=False) -> BoardEstimates:
        check_is_fitted(self, "estimate_")
        lists = self._session.model.lists
        if lists is None:
            raise AttributeError(
                f"{what} is there with noisy labels, categories, groups, judges or several "
                f"systems; this selector was fitted to one pool of scores."
            )
        if several and lists.board.n_systems == 1:
            raise AttributeError(f"{what} is there with several systems.")
        return lists

    def _publish(self) -> None:
        """Set what users see, and warn of what is wrong and was not said before.

        That few labels say little is no news while more are to come: `should_stop` says so.
        """
        session = self._session
        self.__dict__.update(session.model.published())
        self.history_ = History(session.history)
        self.categories_ = None if session.category is None else session.category.names
        self.systems_ = session.model.systems
        self.estimate_, self.model_estimate_ = session.estimate, session.model_estimate
        self.design_estimate_ = session.design_estimate
        self.naive_estimate_ = session.naive_estimate
        self.model_weight_ = session.model_check.model_weight
        self.verdict_, self.n_labels_ = session.verdict, session.query_log.n_labels
        self.classes_, self.seed_ = session.labels.classes, session.model.seed
        self.pos_label_ = session.labels.classes.tolist()[session.labels.positive]
        if (promise := session.promise) is not None:
            self.threshold_, self.goal_probability_ = promise.threshold, promise.probability
            self.goal_, self.answer_ = promise.goal, promise.answer
        wrong = [r for r in self.verdict_.reasons if r.verdict == "misfit"]
        new = [r for r in wrong if r.name not in self._said]
        self._said |= {r.name for r in new}
        warn_of(Verdict(new), stacklevel=3)

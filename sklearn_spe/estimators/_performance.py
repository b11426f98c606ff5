"""PerformanceCurveEstimator: performance curves with credible bands from a few labels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..data._item_data import ItemData
from ..exceptions import ParameterError
from ..goals._goal import GoalBound, GoalLike
from ..inputs._arrays import ColumnLike, NamesLike, RandomState, ScoresLike, TableLike
from ..inputs._scores import ScoreInput, check_direction
from ..inputs._validation import (
    check_count,
    check_draws,
    check_jobs,
    check_number,
    check_target,
    index_of,
    seed_entropy,
)
from ..metrics._metric import Metric, MetricLike
from ..models._fit_items import fit_items
from ..models._fitted_model import NOT_FITTED, FittedModel, of_model
from ..models._ranking_value import Ranking, RankingMethods, RankingSettings
from ..models._ranking_view import RankingKey, check_decision
from ..models._two_class_model import TwoClassModel
from ..posterior._operating_points import Curve
from ..results._estimates import CurveBand, ScalarEstimate
from ..results._tables import ConfusionMatrix, EstimateTable
from ..results._verdict import Verdict, warn_of
from ._judge_errors import errors_of_judges
from ._readers import members_of
from ._score_mixture import (
    SemisupervisedScoreMixture,
    check_agrees,
    check_score_mixture,
    new_mixture,
)
from ._side_by_side import (
    difference_of,
    number_of_judges,
    side_by_side,
    split_arguments,
    table_by,
)
from ._systems_ranking import SystemsRanking, label_of_systems
from ._true_curve import area_from_truth


class PerformanceCurveEstimator(RankingMethods, ScoreInput, BaseEstimator):
    """Performance of a classifier on a partially labeled data set.

    This is semisupervised performance evaluation (SPE) [1]_. A model of the scores gives the
    probability of each missing label. Each posterior draw completes the missing labels and yields
    one value of the metric. The estimate is the (pointwise) posterior median, with a credible
    interval or a pointwise credible band.

    .. versionadded:: 0.1

    Parameters
    ----------
    mixture : SemisupervisedScoreMixture, default=None
        The model of the scores. None means a ``SemisupervisedScoreMixture()`` with the
        `n_draws`, `n_jobs` and `random_state` given here. A given mixture keeps its `random_state`
        unless that is None. `n_draws` and `n_jobs` may be set here or in the mixture, but not to
        two different values.
    target : {"sample", "population"}, default="sample"
        "sample" means the performance on the items of this sample: known labels are kept, missing
        labels are drawn. No uncertainty is left once all items are labeled. "population" means the
        performance on the population that the items are drawn from.
    confidence_level : float in (0, 1), default=0.9
        Default level of bands and intervals.
    n_points : int, default=200
        The number of points of a curve.
    classes : array-like of shape (n_classes,), default=None
        The classes, needed if `y` does not contain all of them. With more than two classes, X has
        one column for each, in sorted order. If -1 is a class, only missing values mark unlabeled
        items. May be set in `mixture` instead.
    pos_label : object, default=None
        The positive class. None means 1 for {0, 1} and {-1, 1}, True for booleans. It is required
        for other classes, here or in `mixture`.
    unlabeled_label : object, default=-1
        The value of `y` that marks an unlabeled item. Missing values always mark one. May be set in
        `mixture` instead.
    greater_is_positive : bool, default=True
        False if smaller scores mean positive, as for many outlier detectors; thresholds stay on the
        scale of the scores. May be set in `mixture` instead.
    score_kind : {"auto", "probability", "log_odds", "margin", "votes", "distance", "percent"}
        The kind of the scores of two classes, as in `mixture`, where it may be set instead.
    n_draws : int, default=1000
        Number of posterior draws. May be set in `mixture` instead. At most 400 are used with
        several systems, categories or groups, because each draw holds the labels of all items.
    n_jobs : int, default=None
        Number of parallel workers. They start only for long computations, mostly callable metrics
        and fits of many systems or categories (:ref:`when-workers-pay`). Results do not depend on
        `n_jobs`.
    random_state : int, RandomState, Generator or None, default=None
        An int makes results reproducible. Repeated calls of a fitted estimator's methods give
        identical results.

    Attributes
    ----------
    mixture_ : SemisupervisedScoreMixture
        The fitted mixture of one column of scores. With several systems, `category`, `groups`,
        `judges` or more than two classes it is not fitted and only holds the parameters.
    posterior_ : RankingPosterior, MixturePosterior, ComplementPosterior or RowPosterior
        The posterior: of the mixture (a `ComplementPosterior` if `pos_label` is its negative
        class), or of the items if there are several columns or groups.
    score_direction_ : Orientation or None
        The score direction: it flips the scores if smaller ones mean positive. None with several
        systems (choose one by :meth:`of`) or with more than two classes.
    verdict_ : Verdict
        Whether the fit is reliable: "ok", "unidentified", "misfit" or "unreliable", with reasons.
    model_weight_ : float
        Posterior probability of the model against alternatives that shift the log-odds of a part of
        the scores, with prior odds of 100 to 1. If this probability is low, the verdict is "misfit"
        and names that part.
    suspect_labels_ : SuspectLabels
        Labels that are improbable given the other labels.
    judges_ : tuple
        Names of the raters passed to `fit` as `judges`.
    effective_judges_ : ScalarEstimate
        The effective number of independent raters. With fewer than two raters it raises an error.
    classes_ : ndarray of shape (2,)
        The classes, sorted.
    pos_label_ : object
        The positive class.
    default_threshold_ : float or None
        The usual decision threshold for scores of this kind, or the threshold of the wrapped
        classifier. It is 0.5 for probabilities and votes (50 for percentages), and 0 for margins,
        log-odds and other scores of both signs. It is None if such scores have no usual threshold:
        distances and anomaly scores of one sign, tail probabilities on one side of 0.5, ranks,
        min-max scaled scores, and numbers in [0, 1] that do not look like probabilities.
    seed_ : int
        Seed of the label draws.

    See Also
    --------
    SemisupervisedScoreMixture : The score model.
    sklearn_spe.display.PerformanceCurveDisplay : Plots the curves.

    Notes
    -----
    Items must be independent except within `groups` of `fit`. Items to label may be chosen at
    random, or by their scores, ratings, categories and earlier labels, because labels enter only
    through P(y | item). If the choice depends on the class in other ways, pass `inclusion_proba`.

    References
    ----------
    .. [1] P. Welinder, M. Welling, P. Perona. "A lazy man's approach to benchmarking:
       semisupervised classifier evaluation and recalibration." CVPR 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import PerformanceCurveEstimator
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, labels = make_scores(500, random_state=0)
    >>> y = np.full(500, -1)
    >>> y[:20] = labels[:20]
    >>> performance = PerformanceCurveEstimator(random_state=0).fit(scores, y)
    >>> estimate = performance.estimate("average_precision")
    >>> low, high = estimate.interval()
    >>> bool(low < estimate.value < high)
    True
    >>> performance.curve("precision_recall").value.shape
    (200,)
    """

    def __init__(
        self,
        mixture: SemisupervisedScoreMixture | None = None,
        *,
        target: str = "sample",
        confidence_level: float = 0.9,
        n_points: int = 200,
        classes: ArrayLike | None = None,
        pos_label: Hashable = None,
        unlabeled_label: Hashable = -1,
        greater_is_positive: bool = True,
        score_kind: str = "auto",
        n_draws: int = 1000,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.mixture = mixture
        self.target = target
        self.confidence_level = confidence_level
        self.n_points = n_points
        self.classes = classes
        self.pos_label = pos_label
        self.unlabeled_label = unlabeled_label
        self.greater_is_positive = greater_is_positive
        self.score_kind = score_kind
        self.n_draws = n_draws
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self,
        X: ScoresLike | None,
        y: ColumnLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        category: ColumnLike | None = None,
        groups: ColumnLike | None = None,
        judges: TableLike | None = None,
        features: TableLike | None = None,
        inclusion_proba: ColumnLike | Mapping[Any, float] | str | None = None,
        known_positives: int | tuple[int, int] | None = None,
    ) -> Self:
        """Fit the model to partially labeled scores.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, n_systems), or mapping
            Scores, larger for positives. Each column is a system that scores the same items.
            Systems are named by a data frame, by a mapping from names to scores, or by number. NaN
            marks a missing score: a system is evaluated on the items that it scored. Two columns
            whose rows all sum to one (or to 100) are the probabilities of one system. Two unnamed
            columns are the logits of one system if `classes` names two classes, and raise an error
            otherwise.

            *More than two classes* (in `y` or `classes`): the columns are the probabilities or
            logits of the classes, for one system. Pass several systems as a mapping from names to
            arrays of shape (n_samples, n_classes), a list of such arrays, or an array of shape
            (n_samples, n_systems, n_classes). A column of text, or of numbers that are all among
            more than two classes, holds predicted classes without probabilities; pass several such
            columns as a mapping.

            *None*, with `judges`: the score is the single rater's rating, or the mean of the
            standardized ratings. Ratings of more than two classes are predicted classes, one system
            for each rater. None without `judges` means labels alone, which suffice for
            ``estimate("prevalence")``.

            *Binned scores*: pass ``histogram.with_labels(scores, y)`` of a `ScoreHistogram`,
            without `y` and `sample_weight`. A mapping from names to such histograms is equivalent
            to `category`.
        y : array-like of shape (n_samples,), default=None
            Labels; -1, NaN, None or ``pd.NA`` for unlabeled items.
        sample_weight : array-like of shape (n_samples,), default=None
            Number of items that each row represents. Must be whole numbers with several systems or
            classes, `category`, `groups` or `judges`.
        category : array-like of shape (n_samples,), default=None
            The subgroup of each item, a name or whole number: a country, a tag, a month. Subgroups
            are partially pooled, as far as the labels support it. In an ordered pandas categorical,
            such as months, neighboring subgroups are pooled more than others.
        groups : array-like of shape (n_samples,), default=None
            Groups of dependent items (patients, videos). ``target="population"`` then refers to new
            groups.
        judges : array-like of shape (n_samples,) or (n_samples, n_judges), or mapping, default=None
            Ratings of the items by other sources: a language model, a crowd, a rule, an old
            classifier. Each column is one judge, named by a data frame or a mapping. Ratings are
            the classes of `y`, or numbers that are larger for positives; None, NaN or ``pd.NA`` if
            missing. Three values that include both classes (0, 0.5, 1) are numbers. The model
            learns from the labels how informative the ratings are; judges may be dependent.
            ``by_category(by="judge")`` and ``of(judge=...)`` evaluate the judges.
        features : array-like of shape (n_samples, n_features), or mapping, default=None
            Numbers that may explain errors of the scores and judges, such as the length of an
            answer. The probability of a positive may depend on these features given the scores and
            ratings, as far as the labels support it. Only the order of the values matters; NaN if
            missing. For names, such as languages, use `category`.
        inclusion_proba : dict, array-like of shape (n_samples,) or "by_class", default=None
            Inclusion probabilities of the labels, if the labeled items were not chosen at random or
            by the scores. ``{class: share}`` maps each class to its labeled share, independent of
            the scores (a case-control study). An array holds the known probability of each item to
            be labeled, for labeled and unlabeled items (strata of a feature). None assumes that,
            given the scores, ratings and category, the class does not affect whether an item is
            labeled. "by_class" means that labeled items were chosen by class with unknown shares,
            such as 50 of each, or come from an earlier study. The labels then only determine the
            distribution of the score within each class (of the predicted class, with more than two
            classes). All estimates are about the unlabeled items, which must have the same
            distributions within classes (label shift, :ref:`labels-by-class`).
        known_positives : int or (int, int), default=None
            The number of positives among all items of X, labeled or not, if it is known from
            another source, such as billing or a census. A pair is a range (low, high) of this
            number. Missing labels are drawn so that the total is this number. If the rate in the
            population is known instead, use `prevalence_prior` of the mixture.

        Returns
        -------
        self : PerformanceCurveEstimator

        Raises
        ------
        ValueError
            If the labels contradict `inclusion_proba` or `known_positives`, or these are given with
            ``experts=None`` or more than two classes.

            If ``inclusion_proba="by_class"`` is combined with several systems, `category`, `groups`
            or `features`, or if no item is unlabeled.

            If `known_positives` is combined with fractional `sample_weight`.

            If a rater uses other classes or has no rating, a system has no score, or weights add
            too many rows.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(300, random_state=0)
        >>> y = np.where(np.arange(300) < 30, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0)
        >>> performance.fit(scores, y).estimate("roc_auc").value > 0.5
        True
        """
        check_parameters(self)
        seed = seed_entropy(self.random_state)
        mixture = new_mixture(self.mixture, random_state=seed, holder=self)
        data = ItemData.read(
            mixture,
            X,
            y,
            sample_weight,
            category=category,
            groups=groups,
            judges=judges,
            features=features,
            inclusion_proba=inclusion_proba,
            known_positives=known_positives,
            may_lack_scores=True,
        )
        self._publish(fit_items(mixture, data), RankingKey(), mixture)
        # Index by which later rows are aligned.
        self._index = index_of(
            X=X,
            y=y,
            sample_weight=sample_weight,
            category=category,
            groups=groups,
            judges=judges,
            features=features,
            inclusion_proba=inclusion_proba,
            known_positives=known_positives,
        )
        warn_of(self.verdict_)
        return self

    def _with_threshold(self, threshold: float | None) -> PerformanceCurveEstimator:
        """Return an estimator of the same fit with another decision threshold."""
        key = replace(self._view.key, threshold=check_decision(threshold))
        return self._of_fit(self.model_, key)

    def _of_fit(
        self, model: FittedModel, key: RankingKey = RankingKey()
    ) -> PerformanceCurveEstimator:
        """Return a fitted estimator with these parameters for an existing fit."""
        check_parameters(self)
        performance = copy(self)
        mixture: Any = getattr(self, "mixture_", self.mixture)
        performance._publish(model, key, copy(mixture))
        return performance

    def update(
        self,
        X: ScoresLike | None,
        y: ColumnLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        category: ColumnLike | None = None,
        groups: ColumnLike | None = None,
        judges: TableLike | None = None,
        features: TableLike | None = None,
        inclusion_proba: ColumnLike | Mapping[Any, float] | str | None = None,
        known_positives: int | tuple[int, int] | None = None,
    ) -> Self:
        """Update the fit with new labels; see `SemisupervisedScoreMixture.update`.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, n_systems), or mapping
            The scores of `fit`. For a histogram pass ``histogram.with_labels(scores, y)`` with all
            labels known so far, or the mapping of such histograms, without `y` and `sample_weight`.
        y : array-like of shape (n_samples,), default=None
            All labels known so far.
        sample_weight : array-like of shape (n_samples,), default=None
            As in `fit`.
        category, groups, judges, features : array-like, default=None
            As in `fit`; None keeps the earlier values.
        inclusion_proba : dict, array-like of shape (n_samples,) or "by_class", default=None
            As in `fit`, for all labels known so far. Required if it was passed to `fit`.
        known_positives : int or (int, int), default=None
            As in `fit`; None keeps the earlier value.

        Returns
        -------
        self : PerformanceCurveEstimator

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(300, random_state=0)
        >>> y = np.where(np.arange(300) < 30, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0).fit(scores, y)
        >>> more = np.where(np.arange(300) < 40, labels, -1)
        >>> float(performance.update(scores, more).posterior_.sample.n_labeled)
        40.0
        """
        check_is_fitted(self, "posterior_")
        # A copy: a failing update keeps the names of columns.
        mixture = copy(self.mixture_)
        data = ItemData.read(
            mixture,
            X,
            y,
            sample_weight,
            category=category,
            groups=groups,
            judges=judges,
            features=features,
            inclusion_proba=inclusion_proba,
            known_positives=known_positives,
            kind=self.model_.kind,
            before=self._view.labels,
            may_lack_scores=not self.model_.has_scores,
        )
        self._publish(self.model_.updated(mixture, data), self._view.key, mixture)
        warn_of(self.verdict_)
        return self

    def of(
        self,
        *,
        system: NamesLike = None,
        category: Hashable = None,
        judge: Hashable = None,
        pos_label: Hashable = None,
    ) -> Ranking:
        """Return the ranking by one system or rater, of all items or of one category.

        Its curves, thresholds and plots use the scores of that system on those items, and the
        posterior draws of the fit.

        Parameters
        ----------
        system : str or int, or list, default=None
            The name or number of a column; None if there is one system. A list of systems, such as
            the readers of a study, means the mean over them. So does the first part of several
            names, such as "CT" for ("CT", "Ann") and ("CT", "Ben"). For such a mean, only
            `estimate` is available.
        category : object, default=None
            A value of `category` in `fit`; None means all items.
        judge : str or int, default=None
            The name or number of a column of `judges` in `fit`. The rater's ratings are then
            evaluated like scores, on the items that it rated. Binary ratings have the threshold
            0.5, so ``of(judge="rule").estimate("recall")`` is the sensitivity of the rater "rule".
        pos_label : object, default=None
            With more than two classes, the class whose column of X is evaluated against the rest,
            with curves and thresholds.

        Returns
        -------
        ranking : Ranking

        Raises
        ------
        ValueError
            If the system, category or rater is unknown, if there are several systems and none is
            given, or if both a system and a rater are given.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(500, random_state=1)
        >>> worse = scores + np.random.default_rng(1).standard_normal(500)
        >>> y = np.where(np.arange(500) < 40, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0)
        >>> performance = performance.fit({0: scores, 1: worse}, y)
        >>> performance.of(system=1).curve("roc").value.shape
        (200,)
        """
        if system is None and category is None and judge is None and pos_label is None:
            return self._ranking()
        check_is_fitted(self, "posterior_")
        systems = members_of(self.systems_, system)
        key = self._view.key.narrowed(None if systems else system, category, judge)
        if pos_label is not None:
            if len(self.classes_) == 2 or systems is not None:
                raise ParameterError(
                    f"pos_label={pos_label!r} selects a class of one system with more than two "
                    "classes.",
                    "With two classes, fit with the other pos_label; with several systems, choose "
                    "one.",
                    "pos_label",
                )
            key = replace(key, pos_label=pos_label)
        view = self.model_.shown(key)
        if systems is None:
            return self.model_.ranking_of(view, self._settings())
        if judge is not None:
            raise ValueError(f"Pass either system= or judge=: got {system!r} and {judge!r}.")
        label = label_of_systems(system)
        return SystemsRanking(self.model_, view, self._settings(), tuple(systems), label)

    def curve(
        self,
        name: str | Curve | Metric = "precision_recall",
        *,
        target: str | None = None,
        thresholds: ArrayLike | None = None,
        zero_division: float | None = None,
    ) -> CurveBand:
        return self._ranking().curve(
            name, target=target, thresholds=thresholds, zero_division=zero_division
        )

    def selection(self, threshold: float) -> np.ndarray:
        return self._ranking().selection(threshold)

    def goal_probability(
        self,
        *bounds: GoalLike,
        thresholds: ArrayLike | None = None,
        target: str | None = None,
        **goal: GoalBound,
    ) -> CurveBand:
        return self._ranking().goal_probability(
            *bounds, thresholds=thresholds, target=target, **goal
        )

    def plan(
        self,
        n_labels: ArrayLike,
        metric: MetricLike = "average_precision",
        *,
        strategy: str = "tail",
        **where: Any,
    ) -> np.ndarray:
        return self._ranking().plan(n_labels, metric, strategy=strategy, **where)

    def calibration_curve(
        self,
        predicted: Callable[[np.ndarray], np.ndarray] | None = None,
        *,
        n_bins: int = 10,
        strategy: str = "quantile",
    ) -> CurveBand:
        return self._ranking().calibration_curve(predicted, n_bins=n_bins, strategy=strategy)

    def confusion_matrix(
        self,
        *,
        threshold: float | None = None,
        normalize: str | None = None,
        target: str | None = None,
    ) -> ConfusionMatrix:
        return self._ranking().confusion_matrix(
            threshold=threshold, normalize=normalize, target=target
        )

    def difference(
        self,
        metric: MetricLike,
        a: NamesLike,
        b: NamesLike,
        **where: Any,
    ) -> ScalarEstimate:
        """Return the difference of a metric between two systems or two categories.

        Both terms use the same labels, known and drawn. The interval is therefore narrower than one
        from two separate intervals. :meth:`ranking_proba` returns the probability that the
        difference is positive. Systems with missing scores are compared on the items that both
        scored.

        Parameters
        ----------
        metric : str, Metric or callable
            As in :meth:`estimate`.
        a, b : object
            Two systems, or two categories if there is one system or `system` chooses one. Two lists
            of systems, or two first parts of their names such as "CT" and "MR", are compared as the
            readers of two modalities. Readers are paired by the rest of their names, or in order,
            and the result is the mean of the differences within readers.
        **where
            Further arguments of :meth:`estimate` (`threshold`, `target`, `readers`, ...), and the
            `category` in which two systems are compared.

        Returns
        -------
        difference : ScalarEstimate
            The metric of `a` minus that of `b`.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(500, random_state=1)
        >>> worse = scores + 3.0 * np.random.default_rng(1).standard_normal(500)
        >>> y = np.where(np.arange(500) < 60, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0)
        >>> performance = performance.fit({0: scores, 1: worse}, y)
        >>> bool(performance.difference("roc_auc", 0, 1).value > 0.0)
        True
        """
        key, arguments = split_arguments(metric, where, "difference")
        return difference_of(self, key, arguments, a, b)

    def by_category(
        self,
        metric: MetricLike | None = None,
        *,
        by: str = "category",
        reference: Hashable = None,
        **where: Any,
    ) -> EstimateTable:
        """Return an estimate with its interval for each category, system, judge or class.

        Parameters
        ----------
        metric : str, Metric or callable, default=None
            As in :meth:`estimate`. None means "average_precision", by class "f1", and by judge
            "cohen_kappa". If a judge's ratings are neither classes nor probabilities and no
            `threshold` is given, it means "roc_auc" by judge.
        by : {"category", "system", "judge", "class"}, default="category"
            The rows of the table: the values of `category` in `fit`, the systems, the judges (each
            on the items that it rated), or more than two classes (each against the rest).
            ``table.order_proba`` is the probability that the true order of the rows is that of the
            estimates.
        reference : object, default=None
            A category whose metric is subtracted from those of all others, such as the first month.
            :meth:`ScalarEstimate.probability_above` of a row then gives the probability of an
            increase.
        **where
            Further arguments of :meth:`of` and :meth:`estimate`: `threshold`, `target`, `system`,
            ...

        Returns
        -------
        table : EstimateTable
            ``table.to_frame()`` has one row for each estimate; ``table[name]`` is one estimate. It
            is NaN if the system scored no item.

        Raises
        ------
        ValueError
            If `fit` was given no categories, systems or judges of that kind, or the metric is not
            defined for a single class.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(500, random_state=0)
        >>> country = np.where(np.arange(500) % 3 == 0, "FR", "ES")
        >>> wrong = np.random.default_rng(0).random(500) < 0.1
        >>> y = np.where(np.arange(500) < 60, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0)
        >>> performance = performance.fit(
        ...     scores, y, category=country, judges={"rule": labels ^ wrong})
        >>> performance.by_category("prevalence").to_frame().name.tolist()
        ['ES', 'FR']
        >>> bool(performance.by_category("recall", by="judge")["rule"].value > 0.5)
        True
        """
        key, arguments = split_arguments(metric, where, "by_category")
        return table_by(self, by, key, arguments, reference)

    def judge_errors(
        self,
        *,
        reference: Hashable = None,
        threshold: Mapping[Hashable, float] | None = None,
    ) -> EstimateTable:
        """Return the false positive and false negative rates of each judge in each category.

        If `category` holds the systems, a judge that favors a system has a larger false positive
        rate there. Without `category` the rates are those over all items, one minus the specificity
        and one minus the sensitivity.

        Parameters
        ----------
        reference : object, default=None
            A category whose rates are subtracted from those of each, draw by draw. The rows are
            then differences, and those of the reference itself are zero.
        threshold : mapping, default=None
            For judges that give grades: maps the name of a judge to the rating from which on an
            item counts as positive. Judges that give classes or probabilities need no threshold.

        Returns
        -------
        table : EstimateTable
            One row for each rate, judge and category, such as "false positive rate of gpt in A", or
            "false positive rate of gpt" without `category`. A judge without a threshold has no row;
            a remark names it.

        Raises
        ------
        ValueError
            If `fit` was given no judges, or no category and there is a `reference`; no judge has a
            threshold, or `threshold` names another judge.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> rng = np.random.default_rng(0)
        >>> truth = (rng.random(600) < 0.6).astype(int)
        >>> system = np.where(np.arange(600) % 2 == 0, "A", "B")
        >>> gpt = np.where((system == "A") | (rng.random(600) < 0.1), 1, truth)  # passes all of A
        >>> human = np.where(np.arange(600) < 80, truth, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=100, random_state=0)
        >>> performance = performance.fit(None, human, judges={"gpt": gpt}, category=system)
        >>> table = performance.judge_errors()
        >>> float(table["false positive rate of gpt in A"].value)
        1.0
        """
        return errors_of_judges(self, reference, threshold)

    @property
    def effective_judges_(self) -> ScalarEstimate:
        r"""The effective number of independent raters.

        K raters whose errors have the mean correlation :math:`\bar\rho` are worth :math:`K / (1 +
        (K - 1) \bar\rho)` independent raters (the design effect of Kish, 1965): about 1 if they are
        redundant, K if their errors are independent. Constant raters are left out. NaN if no two
        raters rated the same items.
        """
        return number_of_judges(self)

    def ranking_proba(
        self,
        metric: MetricLike = "average_precision",
        *,
        greater_is_better: bool | None = None,
        **where: Any,
    ) -> np.ndarray:
        """Return the probability that one system, or category, is better than another.

        Parameters
        ----------
        metric : str, Metric or callable, default="average_precision"
            As in :meth:`estimate`.
        greater_is_better : bool, default=None
            Whether larger values are better. None means False for error rates and losses, and True
            for other metrics and callables.
        **where
            Further arguments of :meth:`estimate`.

        Returns
        -------
        probability : ndarray of shape (n_systems, n_systems)
            Entry [i, j] is the probability that system i of `systems_` is better than system j, on
            the items that both scored; ties count half. NaN if they share no item. With one system,
            or one chosen by `system`, categories are compared instead.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(300, random_state=0)
        >>> worse = scores + 3.0 * np.random.default_rng(1).standard_normal(300)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0)
        >>> performance = performance.fit({"good": scores, "worse": worse}, labels)
        >>> float(performance.ranking_proba("roc_auc")[0, 1])
        1.0
        """
        key, arguments = split_arguments(metric, where, "ranking_proba")
        table = side_by_side(self, arguments, key, greater_is_better=greater_is_better)
        return table.ranking_proba

    def score(self, X: TableLike, y: ColumnLike, sample_weight: ArrayLike | None = None) -> float:
        """Return minus the area between the estimated and the true precision-recall curve.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)
            Scores, usually those of `fit`.
        y : array-like of shape (n_samples,)
            All labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Number of items that each row represents.

        Returns
        -------
        score : float
            Minus the mean absolute difference of precision over recall; 0 is best.

        Raises
        ------
        ValueError
            If an item is unlabeled, or none is positive.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import PerformanceCurveEstimator
        >>> from sklearn_spe.datasets import make_scores
        >>> scores, labels = make_scores(300, random_state=0)
        >>> y = np.where(np.arange(300) < 30, labels, -1)
        >>> performance = PerformanceCurveEstimator(n_draws=200, random_state=0).fit(scores, y)
        >>> performance.score(scores, labels) < 0.0
        True
        """
        check_is_fitted(self, "posterior_")
        return -area_from_truth(self, X, y, sample_weight)

    def _ranking(self) -> Ranking:
        """Return the ranking of all items; raise if one of several systems must be chosen."""
        if "model_" not in vars(self):
            check_is_fitted(self, "posterior_")
        return self.model_.ranking_of(self._view, self._settings())

    model_weight_ = of_model("bets.model_weight")
    suspect_labels_ = of_model("suspect_labels")

    @cached_property
    def verdict_(self) -> Verdict:
        """The verdict on the fit, computed on first use."""
        if "model_" not in vars(self):
            raise AttributeError(NOT_FITTED % {"name": type(self).__name__})
        return self.model_.verdict_on(self._view, of_sample=self._is_of_sample)

    def _settings(self) -> RankingSettings:
        """Return the default target, levels and numbers of points of estimates."""
        return RankingSettings(
            self.target,
            self.confidence_level,
            self.n_points,
            self.n_jobs,
            getattr(self, "_index", None),
        )

    def _publish(
        self, model: FittedModel, key: RankingKey, mixture: SemisupervisedScoreMixture | None
    ) -> None:
        """Set the fitted attributes, all at once."""
        view = model.shown(key)
        if isinstance(model, TwoClassModel) and model.is_one_pool and mixture is not None:
            mixture.model_ = model

        self.model_ = model
        self._view = view
        self.mixture_ = mixture
        self.default_threshold_ = view.default_threshold
        self.systems_ = model.systems
        self.categories_ = model.categories
        self.judges_ = model.judges
        self.classes_ = view.labels.classes
        self.pos_label_ = view.labels.pos_label
        self.seed_ = model.seed
        self.posterior_ = view.posterior
        self.score_direction_ = view.score_direction
        self._is_of_sample = self.target == "sample"
        self.__dict__.pop("verdict_", None)


def check_parameters(performance: PerformanceCurveEstimator) -> None:
    """Raise if a parameter of a performance estimator is invalid."""
    check_target(performance.target)
    check_count(performance.n_points, "n_points", 2)
    check_draws(performance.n_draws)
    check_jobs(performance.n_jobs)
    check_direction(performance.greater_is_positive)
    check_number(performance.confidence_level, "confidence_level", "(0, 1)")


def performance_of(mixture: Any, **parameters: Any) -> PerformanceCurveEstimator:
    """Return a fitted estimator with these parameters for a fitted mixture, without another fit.

    Updating it does not change the mixture. With a `pos_label` other than the mixture's, the other
    class is evaluated on the same draws.
    """
    check_score_mixture(mixture)
    performance = PerformanceCurveEstimator(mixture, **parameters)
    check_agrees(mixture, performance)
    return performance._of_fit(mixture.model_, RankingKey(pos_label=performance.pos_label))

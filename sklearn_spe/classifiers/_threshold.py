"""SemisupervisedThresholdClassifier: a threshold with a guarantee."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_outlier_detector
from sklearn.utils.metaestimators import available_if

from ..estimators._score_mixture import SemisupervisedScoreMixture
from ..exceptions import ThresholdOutsideScoresWarning
from ..goals._goal import Goal, GoalBound
from ..inputs._arrays import ColumnLike, PartlyLabeled, RandomState
from ..inputs._labels import UNLABELED
from ..inputs._scores import Response, lower_edge
from ..inputs._validation import check_choice, check_number, check_target, seed_entropy
from ..metrics._metric import MetricLike
from ..models._score_ranking import GUARANTEES
from ..results._verdict import Verdict, warn_of
from ._calibrated_scores import CalibratedScores, held_out
from ._wrapped_classifier import NUMBERED, WrappedClassifier, are_numbered

GOAL = ("precision", "recall", "specificity", "false_positive_rate", "f1")


def _estimator_has(method: str) -> Callable[[SemisupervisedThresholdClassifier], bool]:
    def check(self: SemisupervisedThresholdClassifier) -> bool:
        return hasattr(getattr(self, "estimator_", self.estimator), method)

    return check


class SemisupervisedThresholdClassifier(WrappedClassifier):
    """Threshold with a guarantee, from a partially labeled data set.

    For each threshold, the model gives the posterior probability that a goal is met, such as
    "precision at least 0.9" (section 4.4 of [1]_). The classifier uses the best threshold that
    meets the goal with the required probability.

    .. versionadded:: 0.1

    Parameters
    ----------
    estimator : classifier or outlier detector
        Pass a fitted classifier as ``FrozenEstimator(clf)``: all rows, labeled or not, determine
        its threshold. Any other classifier is fitted to a part of the labeled rows; the other
        labeled rows and all unlabeled rows determine the threshold.
    precision, recall, specificity, f1 : float or pair of float, default=None
        Lower bounds, strictly between 0 and 1. A pair is a lower and an upper bound; one of them
        may be None. All bounds must be met together.
    false_positive_rate : float or pair of float, default=None
        Upper bound, or a pair of bounds.
    goal : dict or Goal, default=None
        Bounds on other metrics. A dict maps metrics to bounds, such as ``{FBeta(2): 0.8}`` or
        ``{"matthews_corrcoef": 0.5}``. A :class:`Goal` is made by, for example,
        ``Goal.of(precision=0.9)``. See :meth:`PerformanceCurveEstimator.goal_probability`.
    confidence_level : float in (0, 1), default=0.95
        The probability of the guarantee. The required posterior probability is larger, such as 0.95
        for 0.9: half of the risk is reserved for selection bias and misspecification.
    guarantee : {"posterior", "anytime"}, default="posterior"
        "posterior" bases the guarantee on the model, "anytime" on the labels alone, valid for any
        classifier (see :meth:`PerformanceCurveEstimator.threshold_for`). "anytime" applies to the
        items of `fit`, and needs a frozen estimator and ``fit(..., inclusion_proba=)``.
    prefer : str or Metric, default=None
        Metric whose posterior mean is maximized over all thresholds that meet the goal. None means
        "recall" if the goal bounds only precision, specificity or false positive rate, "precision"
        if it bounds only recall, and "f1" otherwise.
    target : {"sample", "population"}, default="sample"
        "sample" guarantees the selection `selected_` among the items of `fit`, in which labeled
        items keep their labels. Items that the estimator was fitted to are excluded. "population"
        guarantees the threshold as a decision rule for the population.
    mixture : SemisupervisedScoreMixture, default=None
        The score model. None uses the default.
    response_method : {"auto", "decision_function", "predict_proba"}, default="auto"
        The method that returns the scores, and sets the scale of the threshold. "auto" uses
        `decision_function` if available, else `predict_proba`; `FixedThresholdClassifier` prefers
        `predict_proba`.
    validation_fraction : float in (0, 1), default=0.5
        The share of the labeled rows held out from fitting an estimator that is not frozen.
    pos_label : object, default=None
        The positive class of the goal. None means the second of `classes_`, as in
        `FixedThresholdClassifier`. It is required for an outlier detector.
    classes : array-like of shape (2,), default=None
        The classes, if `y` does not contain both and the estimator is not frozen. If -1 is one of
        the classes, also of a frozen classifier, it does not mark unlabeled items.
    unlabeled_label : object, default=-1
        Marker of unlabeled items in `y`, besides NaN, None and ``pd.NA``.
    n_jobs : int, default=None
        Number of parallel workers. Results do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Random state of the mixture, and of the rows that the estimator is fitted to.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The classes, sorted.
    estimator_ : classifier
        The wrapped classifier, fitted.
    pos_label_ : object
        The positive class.
    threshold_ : float
        Items with at least this score are predicted positive, as in `FixedThresholdClassifier` with
        the same `pos_label` and `response_method`. Scores are those of the positive class; if it is
        the first of `classes_`, the decision function is negated. To allow for rounding, the
        threshold lies slightly below a score of the data set (half a unit of the 40th bit).
    selected_ : ndarray of bool of shape (n_samples,)
        Selected rows of `fit`: those labeled positive, and unlabeled ones that the threshold
        predicts positive.
    goal_ : dict
        The goal, as a dict that maps metrics to bounds.
    goal_probability_ : float
        Posterior probability that `selected_` (with ``target="population"``, the threshold) meets
        the goal, also with ``guarantee="anytime"``.
    performance_ : PerformanceCurveEstimator
        The performance of the classifier, for curves and estimates. Metrics of decisions use
        `threshold_` by default.
    response_ : Response
        The method that returned the scores is ``response_.method``.
    verdict_ : Verdict
        Whether the fit is reliable. Remarks state whether the selection contains unlabeled rows,
        and whether its guarantee depends on the model of the scores.
    seed_ : int
        Seed of all random numbers.
    n_features_in_ : int
        The number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if `X` has names that are strings.

    Warns
    -----
    MisfitWarning, UnidentifiedWarning, SamplingWarning
        For each reason of the verdict.
    UntestedSelectionWarning
        If the model supports a better selection, but too few labels test it
        (:doc:`/user_guide/threshold_classifier`).
    RefitWarning
        If the estimator is already fitted and not frozen, because it is fitted again.

    See Also
    --------
    PerformanceCurveEstimator.threshold_for : The same for existing scores.
    sklearn.model_selection.FixedThresholdClassifier : A given threshold.
    sklearn_spe.display.GoalProbabilityDisplay : Plots the probability of a goal by threshold.

    Notes
    -----
    In a parameter search or cross-validation mark unlabeled items by -1. The default scorer is the
    accuracy on labeled items; for other metrics use :func:`make_semisupervised_scorer`.
    ``scoring="accuracy"`` of scikit-learn treats -1 in `y` as a class that is never predicted.

    Do not use ``cross_val_predict(..., method="predict_proba")``: it treats the marker in `y` as a
    class, and rejects missing values. Fit and predict in a loop over the folds instead
    (:doc:`/user_guide/recalibration`). With a frozen classifier, or with `classes`, the call raises
    an error.

    References
    ----------
    .. [1] P. Welinder, M. Welling, P. Perona. "A lazy man's approach to benchmarking:
       semisupervised classifier evaluation and recalibration." CVPR 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.frozen import FrozenEstimator
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn_spe import SemisupervisedThresholdClassifier
    >>> X, labels = make_classification(1500, class_sep=2.0, random_state=0)
    >>> clf = LogisticRegression().fit(X[:500], labels[:500])
    >>> X_new, y_new = X[500:], np.where(np.arange(1000) < 60, labels[500:], -1)
    >>> promised = SemisupervisedThresholdClassifier(
    ...     FrozenEstimator(clf), precision=0.9, confidence_level=0.9, random_state=0
    ... ).fit(X_new, y_new)
    >>> bool(promised.goal_probability_ >= 0.9)
    True
    >>> promised.selected_.shape
    (1000,)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        precision: GoalBound | None = None,
        recall: GoalBound | None = None,
        specificity: GoalBound | None = None,
        false_positive_rate: GoalBound | None = None,
        f1: GoalBound | None = None,
        goal: dict[Any, Any] | Goal | None = None,
        confidence_level: float = 0.95,
        guarantee: str = "posterior",
        prefer: MetricLike | None = None,
        target: str = "sample",
        mixture: SemisupervisedScoreMixture | None = None,
        response_method: str = "auto",
        validation_fraction: float = 0.5,
        pos_label: Hashable = None,
        classes: ArrayLike | None = None,
        unlabeled_label: Hashable = -1,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.precision = precision
        self.recall = recall
        self.specificity = specificity
        self.false_positive_rate = false_positive_rate
        self.f1 = f1
        self.goal = goal
        self.confidence_level = confidence_level
        self.guarantee = guarantee
        self.prefer = prefer
        self.target = target
        self.mixture = mixture
        self.response_method = response_method
        self.validation_fraction = validation_fraction
        self.pos_label = pos_label
        self.classes = classes
        self.unlabeled_label = unlabeled_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: ColumnLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ColumnLike | None = None,
        inclusion_proba: ColumnLike | Mapping[Any, float] | None = None,
        **fit_params: Any,
    ) -> Self:
        """Fit the classifier, unless it is frozen, and find its threshold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data set, labeled or not, in the format of the estimator.
        y : array-like of shape (n_samples,)
            Labels of two classes; -1, NaN, None or ``pd.NA`` for unlabeled items.
        sample_weight : array-like of shape (n_samples,), default=None
            Number of items that each row represents.
        groups : array-like of shape (n_samples,), default=None
            Groups of dependent rows (patients, videos). The estimator is fitted to some groups, and
            other groups determine the threshold. With ``target="population"`` the guarantee applies
            to new groups.
        inclusion_proba : dict or array-like of shape (n_samples,), default=None
            Inclusion probabilities of the labels, as in :meth:`PerformanceCurveEstimator.fit`. Only
            for a frozen estimator and without `groups`.
        **fit_params
            For `fit` of the estimator; parameters with one entry per row are indexed accordingly.

        Returns
        -------
        self : SemisupervisedThresholdClassifier

        Raises
        ------
        UnreachableGoalError
            If no threshold meets the goal with that probability. The error names the best
            threshold.
        ValueError
            If no goal is given, a value lies outside its range, or the goal is contradictory; if no
            item is labeled, or a label is not among the classes of a frozen classifier; if labels
            contradict `inclusion_proba`, or ``guarantee="anytime"`` is used without it.
        TypeError
            If the estimator has neither `decision_function` nor `predict_proba`.
        NotFittedError
            If the estimator is frozen and was not fitted.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.frozen import FrozenEstimator
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn_spe import SemisupervisedThresholdClassifier
        >>> X, labels = make_classification(600, class_sep=2.0, random_state=0)
        >>> frozen = FrozenEstimator(LogisticRegression().fit(X[:300], labels[:300]))
        >>> X_new, y_new = X[300:], np.where(np.arange(300) < 60, labels[300:], -1)
        >>> clf = SemisupervisedThresholdClassifier(frozen, recall=0.5, random_state=0)
        >>> bool(clf.fit(X_new, y_new).goal_probability_ >= 0.95)
        True
        """
        goal = self._guarantee()
        check_number(self.confidence_level, "confidence_level", "(0, 1)")
        check_number(self.validation_fraction, "validation_fraction", "(0, 1)")
        check_choice(self.guarantee, "guarantee", GUARANTEES)
        check_target(self.target)

        all_rows = self._read(
            X, y, sample_weight, groups, inclusion_proba=inclusion_proba, **fit_params
        )
        data = all_rows
        self._check_inclusion(inclusion_proba, groups)
        _check_two(data.classes)
        positive = self._positive_or_second(data.classes)
        response = Response.of(self.estimator, self.response_method, 2, positive)
        params, _ = self._route(data.sample_weight, groups, fit_params)

        # The scores of a classifier that these labels have not trained.
        seed = seed_entropy(self.random_state)
        estimator, data = self._fit_estimator(data, params, seed)
        pair = CalibratedScores.learn(
            estimator, response, data, self.mixture, seed, inclusion_proba=inclusion_proba
        )
        if data.groups is None:
            performance = pair.performance(positive, target=self.target, n_jobs=self.n_jobs)
        else:
            performance = pair.performance_of_groups(data, target=self.target, n_jobs=self.n_jobs)
        ranking: Any = performance.of()
        threshold, on_selection, *_ = ranking.supported_threshold(
            Goal.of(goal),
            confidence_level=self.confidence_level,
            guarantee=self.guarantee,
            prefer=self.prefer,
        )

        # Set attributes at the end: a failing fit changes nothing.
        self._learn_features(X)
        self.classes_ = data.classes
        self.estimator_ = estimator
        self.response_ = response
        self.pos_label_ = performance.pos_label_
        self.threshold_ = lower_edge(threshold)

        # Evaluate the decisions of this classifier.
        performance = performance._with_threshold(threshold)
        self.goal_ = goal
        self.performance_ = performance
        self.seed_ = seed
        self.verdict_ = Verdict([*performance.verdict_.reasons, *on_selection.reasons])
        band = performance.goal_probability(goal, thresholds=[threshold])
        self.goal_probability_ = float(band.value[0])
        is_known_positive = all_rows.codes == response.positive
        is_unlabeled = all_rows.codes == UNLABELED
        self.selected_ = np.where(is_unlabeled, self._is_above(X), is_known_positive)
        warn_of(self.verdict_)
        return self

    def fit_predict(
        self,
        X: Any,
        y: ColumnLike,
        sample_weight: Any = None,
        *,
        groups: ColumnLike | None = None,
        inclusion_proba: ColumnLike | Mapping[Any, float] | None = None,
        **fit_params: Any,
    ) -> np.ndarray:
        """Fit, and return the classes of these rows; labeled rows keep their labels.

        Parameters
        ----------
        X, y, sample_weight, groups, inclusion_proba, **fit_params
            As in :meth:`fit`.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The positive class where `selected_` is true.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.frozen import FrozenEstimator
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn_spe import SemisupervisedThresholdClassifier
        >>> X, labels = make_classification(600, class_sep=2.0, random_state=0)
        >>> frozen = FrozenEstimator(LogisticRegression().fit(X[:300], labels[:300]))
        >>> X_new, y_new = X[300:], np.where(np.arange(300) < 60, labels[300:], -1)
        >>> clf = SemisupervisedThresholdClassifier(frozen, recall=0.5, random_state=0)
        >>> predicted = clf.fit_predict(X_new, y_new)
        >>> bool((predicted[:60] == labels[300:360]).all())  # known labels are kept
        True
        """
        self.fit(X, y, sample_weight, groups=groups, inclusion_proba=inclusion_proba, **fit_params)
        return self._named(self.selected_)

    def predict(self, X: Any) -> np.ndarray:
        """Return the classes by the threshold alone, ignoring known labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            For the rows of `fit` use :meth:`fit_predict` or `selected_`, which include known
            labels.

        Returns
        -------
        labels : ndarray of shape (n_samples,)

        Warns
        -----
        ThresholdOutsideScoresWarning
            If no row is predicted positive, and the threshold lies above the scores of all
            unlabeled rows of `fit`.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.frozen import FrozenEstimator
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn_spe import SemisupervisedThresholdClassifier
        >>> X, labels = make_classification(600, class_sep=2.0, random_state=0)
        >>> frozen = FrozenEstimator(LogisticRegression().fit(X[:300], labels[:300]))
        >>> X_new, y_new = X[300:], np.where(np.arange(300) < 60, labels[300:], -1)
        >>> clf = SemisupervisedThresholdClassifier(frozen, recall=0.5, random_state=0)
        >>> clf.fit(X_new, y_new).predict(X_new[:5]).shape
        (5,)
        """
        is_positive = self._is_above(self._check_features(X))
        if not is_positive.any() and self._selects_nothing():
            warnings.warn(
                f"No row is predicted positive: threshold_, {self.threshold_!r}, lies above the "
                "scores of all unlabeled rows of fit (verdict_ has the reason). Use selected_ or "
                "fit_predict for the rows of fit; for a rule for new rows, label more rows with "
                "high scores, or lower the goal.",
                ThresholdOutsideScoresWarning,
                stacklevel=2,
            )
        return self._named(is_positive)

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probabilities of the wrapped classifier, unchanged.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, 2)

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.frozen import FrozenEstimator
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn_spe import SemisupervisedThresholdClassifier
        >>> X, labels = make_classification(600, class_sep=2.0, random_state=0)
        >>> frozen = FrozenEstimator(LogisticRegression().fit(X[:300], labels[:300]))
        >>> X_new, y_new = X[300:], np.where(np.arange(300) < 60, labels[300:], -1)
        >>> clf = SemisupervisedThresholdClassifier(frozen, recall=0.5, random_state=0)
        >>> clf.fit(X_new, y_new).predict_proba(X_new[:5]).shape
        (5, 2)
        """
        X = self._check_features(X)
        return self.estimator_.predict_proba(X)

    @available_if(_estimator_has("decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """Return the scores of the wrapped classifier, unchanged.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples,)
        """
        X = self._check_features(X)
        return self.estimator_.decision_function(X)

    def _selects_nothing(self) -> bool:
        """Return whether the threshold lies above all rows of `fit` that it decides on."""
        sample = self.performance_.posterior_.sample
        decides_all = self.target == "population" or not sample.unlabeled.any()
        # Scores are those of the positive class: larger means positive.
        above = sample.lower >= self.threshold_
        return not (sample.counts if decides_all else sample.unlabeled)[above].any()

    def _is_above(self, X: Any) -> np.ndarray:
        """Return which rows the threshold predicts positive."""
        return self.response_.raw_scores(self.estimator_, X)[:, 0] >= self.threshold_

    def _named(self, is_positive: np.ndarray) -> np.ndarray:
        """Return the class names for positive and negative rows."""
        positive = self.response_.positive
        return self.classes_[np.where(is_positive, positive, 1 - positive)]

    def _positive_or_second(self, classes: np.ndarray) -> int:
        """Return the index of the positive class, the second unless another one is named."""
        if self.pos_label is None and not is_outlier_detector(self.estimator):
            return 1
        return self._positive(classes)

    def _guarantee(self) -> dict[Any, Any]:
        """Return the goal as a dict from metrics to bounds."""
        bounds = {name: getattr(self, name) for name in GOAL if getattr(self, name) is not None}
        others = {} if self.goal is None else self.goal
        if not isinstance(others, (Mapping, Goal)):
            raise TypeError(
                "goal must be a dict from metrics to bounds, such as {FBeta(2): 0.8}, or a Goal, "
                f"such as Goal.of((FBeta(2), 0.8)); got {others!r}."
            )
        Goal.of(bounds, others).metric_to_prefer(self.prefer)
        return {**bounds, **(others.to_dict() if isinstance(others, Goal) else others)}

    def _check_inclusion(
        self, inclusion_proba: ColumnLike | Mapping[Any, float] | None, groups: ColumnLike | None
    ) -> None:
        """Raise if inclusion probabilities are given but not supported."""
        if inclusion_proba is None:
            return
        if groups is not None:
            raise ValueError("inclusion_proba= is not supported with groups=; pass one of them.")
        if not self._is_fixed():
            raise ValueError(
                "inclusion_proba= applies to the labels of all rows, but an estimator that is "
                "not frozen uses some of them for training: fit it to other rows, and pass "
                "FrozenEstimator(clf)."
            )

    def _fit_estimator(
        self, data: PartlyLabeled, params: dict[str, Any], seed: int
    ) -> tuple[Any, PartlyLabeled]:
        """Return the fitted estimator, and the rows that determine the threshold."""
        if self._is_fixed():
            return self._fit_fixed(data.X, params), data
        train, scored = held_out(data, self.validation_fraction, seed)
        return data.fit(self.estimator, params, train), data.take(scored)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _check_two(classes: np.ndarray) -> None:
    if len(classes) != 2:
        encoded = f" {NUMBERED}" if are_numbered(classes, 2) else ""
        raise ValueError(
            f"Only binary classification is supported: a threshold decides between two "
            f"classes, got {len(classes)}. For one class against the rest, pass y == that "
            f"class, with missing labels kept missing.{encoded}"
        )

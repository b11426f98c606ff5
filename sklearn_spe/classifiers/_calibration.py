"""SemisupervisedCalibratedClassifier: probabilities calibrated on a new data set."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..estimators._performance import PerformanceCurveEstimator
from ..estimators._score_mixture import SemisupervisedScoreMixture
from ..inputs._arrays import ColumnLike, PartlyLabeled, RandomState
from ..inputs._labels import class_index
from ..inputs._scores import Response
from ..inputs._validation import check_choice, seed_entropy
from ..inputs._workers import in_parallel
from ..metrics._metric import Metric, MetricLike, RankingMetric, ThresholdMetric
from ..metrics._registry import as_metric
from ..metrics._special_questions import TopKAccuracy
from ..metrics._tradeoff import ProbabilityMetric
from ..posterior._operating_points import Curve
from ..posterior._registry import CURVES
from ..results._distributions import WeightedDraws, check_level, warn_of_few_draws
from ..results._estimates import CurveBand, ScalarEstimate
from ..results._verdict import Verdict, warn_of
from ._calibrated_scores import CalibratedScores, folds_of
from ._wrapped_classifier import WrappedClassifier


class SemisupervisedCalibratedClassifier(WrappedClassifier):
    """Recalibration of a classifier on a partially labeled data set.

    The recalibrated probability is the posterior expectation of P(y | score), given all scores and
    a few labels (section 4.4 of [1]_). With more than two classes, one-vs-rest probabilities are
    normalized.

    .. versionadded:: 0.1

    Parameters
    ----------
    estimator : classifier or outlier detector
        Pass a fitted classifier as ``FrozenEstimator(clf)``: all rows, labeled or not, are used for
        calibration. Any other classifier is fitted to the labeled rows by cross-validation. The
        model of each fold scores its held-out labeled rows and all unlabeled rows, and the
        probabilities of the folds are averaged.
    mixture : SemisupervisedScoreMixture, default=None
        The score model. None uses the default.
    response_method : {"auto", "decision_function", "predict_proba"}, default="auto"
        The method that returns the scores. "auto" uses `decision_function` if available, else
        `predict_proba`; with more than two classes it prefers `predict_proba`.
    cv : int, splitter or iterable of (train, test), default=None
        Folds of the labeled rows, for an estimator that is not frozen. None uses 5 folds, or fewer
        if a class with at least two labels has fewer labels. An iterable holds row indices of `X`.
        A class with a single label is always in the training set.
    classes : array-like of shape (n_classes,), default=None
        The classes, if `y` does not contain all of them and the estimator is not frozen. If -1 is
        one of the classes, also of a frozen classifier, it does not mark unlabeled items.
    pos_label : object, default=None
        With two classes, the positive class of `performance_`, `curve`, `estimate` and the
        `prevalence_prior` of a mixture. None means 1 for {0, 1} and {-1, 1}, True for booleans. For
        other classes and outlier detectors these require `pos_label`; probabilities do not.
    unlabeled_label : object, default=-1
        Marker of unlabeled items in `y`, besides NaN, None and ``pd.NA``.
    n_jobs : int, default=None
        Number of workers over folds, or over classes with a single fold. Results do not depend on
        it.
    random_state : int, RandomState, Generator or None, default=None
        Random state of the mixtures; an int makes results reproducible.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted, without the marker.
    calibrated_classifiers_ : list of CalibratedScores
        One for each fold, or a single one if the estimator is frozen. Each has the attributes
        `estimator` and `mixtures`.
    verdict_ : Verdict
        The worst verdict on any mixture, with all reasons.
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
    RefitWarning
        If the estimator is already fitted and not frozen, because it is fitted again.

    See Also
    --------
    SemisupervisedThresholdClassifier : Decisions with a guarantee.
    sklearn.calibration.CalibratedClassifierCV : Calibration on labeled items alone.
    sklearn_spe.display.CalibrationBandDisplay : Plots reliability curves, before and after.

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
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_spe import SemisupervisedCalibratedClassifier
    >>> X, labels = make_classification(1500, random_state=0)
    >>> clf = GaussianNB().fit(X[:500], labels[:500])
    >>> X_new, y_new = X[500:], np.where(np.arange(1000) < 60, labels[500:], -1)
    >>> calibrated = SemisupervisedCalibratedClassifier(FrozenEstimator(clf), random_state=0)
    >>> calibrated.fit(X_new, y_new).predict_proba(X_new[:2]).shape
    (2, 2)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        mixture: SemisupervisedScoreMixture | None = None,
        response_method: str = "auto",
        cv: Any = None,
        classes: ArrayLike | None = None,
        pos_label: Hashable = None,
        unlabeled_label: Hashable = -1,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.mixture = mixture
        self.response_method = response_method
        self.cv = cv
        self.classes = classes
        self.pos_label = pos_label
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
        **fit_params: Any,
    ) -> Self:
        """Fit the classifier, unless it is frozen, and recalibrate it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data set, labeled or not, in the format of the estimator.
        y : array-like of shape (n_samples,)
            Labels; -1, NaN, None or ``pd.NA`` for unlabeled items.
        sample_weight : array-like of shape (n_samples,), default=None
            Number of items that each row represents.
        groups : array-like of shape (n_samples,), default=None
            Groups of dependent rows (patients, videos). All rows of a group are in the same fold.
            No model thus scores rows of a group that it was fitted to. A frozen estimator needs no
            folds. Probabilities, `curve` and `estimate` still treat the items as independent: their
            intervals are too narrow if groups differ. To estimate the performance use
            ``PerformanceCurveEstimator().fit(clf.predict_proba(X), y, groups=groups)``.
        **fit_params
            For `fit` of the estimator; parameters with one entry per row are indexed by fold.

        Returns
        -------
        self : SemisupervisedCalibratedClassifier

        Raises
        ------
        ValueError
            If no item is labeled, a label is not among the classes of a frozen classifier, or only
            one class is labeled and the estimator is not frozen.
        TypeError
            If the estimator has neither `decision_function` nor `predict_proba`.
        NotFittedError
            If the estimator is frozen and was not fitted.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.frozen import FrozenEstimator
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_spe import SemisupervisedCalibratedClassifier
        >>> X, labels = make_classification(600, random_state=0)
        >>> frozen = FrozenEstimator(GaussianNB().fit(X[:300], labels[:300]))
        >>> X_new, y_new = X[300:], np.where(np.arange(300) < 60, labels[300:], -1)
        >>> calibrated = SemisupervisedCalibratedClassifier(frozen, random_state=0)
        >>> calibrated = calibrated.fit(X_new, y_new)
        >>> calibrated.classes_
        array([0, 1])
        """
        data = self._read(X, y, sample_weight, groups, **fit_params)
        n_classes = len(data.classes)
        positive = self._positive_or_second(data.classes)
        response = Response.of(self.estimator, self.response_method, n_classes, positive)
        params, split_params = self._route(data.sample_weight, groups, fit_params)
        seed = seed_entropy(self.random_state)

        if self._is_fixed():
            estimator = self._fit_fixed(data.X, params)
            pair = CalibratedScores.learn(
                estimator, response, data, self.mixture, seed, self.n_jobs
            )
            pairs = [pair]
        else:
            folds = [
                (self.estimator, response, data, params, *fold, self.mixture, seed)
                for fold in folds_of(data, self.cv, split_params)
            ]
            # Not a method: with it, the pairs of an earlier fit would go to every worker.
            pairs = in_parallel(_learn_fold, folds, self.n_jobs, threads=False)

        # Set attributes at the end: a failing fit changes nothing.
        self._learn_features(X)
        self.classes_ = data.classes
        self.calibrated_classifiers_ = pairs
        self.seed_ = seed
        verdicts = []
        for pair in pairs:
            for c, mixture in zip(response.scored_classes, pair.mixtures, strict=True):
                # Probabilities apply to further items, even if all of these are labeled.
                verdicts.append((self._subject(c), mixture.model_.verdict))
        self.verdict_ = Verdict.of_all(verdicts)
        warn_of(self.verdict_)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the recalibrated probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.frozen import FrozenEstimator
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_spe import SemisupervisedCalibratedClassifier
        >>> X, labels = make_classification(600, random_state=0)
        >>> frozen = FrozenEstimator(GaussianNB().fit(X[:300], labels[:300]))
        >>> X_new, y_new = X[300:], np.where(np.arange(300) < 60, labels[300:], -1)
        >>> calibrated = SemisupervisedCalibratedClassifier(frozen, random_state=0)
        >>> calibrated = calibrated.fit(X_new, y_new)
        >>> calibrated.predict_proba(X_new).sum(axis=1).round(6).tolist() == [1.0] * 300
        True
        """
        X = self._check_features(X)
        return np.mean([pair.probabilities(X) for pair in self.calibrated_classifiers_], axis=0)

    def predict_proba_interval(
        self, X: Any, confidence_level: float = 0.9
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return an interval for each probability.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        confidence_level : float in (0, 1), default=0.9
            The posterior probability that P(y | score) lies in the interval (normalized with more
            than two classes). With several folds the ends are averaged like the probabilities, so
            that the interval is conservative.

        Returns
        -------
        lower, upper : ndarray of shape (n_samples, n_classes)
            The equal-tailed interval, item by item.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.frozen import FrozenEstimator
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_spe import SemisupervisedCalibratedClassifier
        >>> X, labels = make_classification(600, random_state=0)
        >>> frozen = FrozenEstimator(GaussianNB().fit(X[:300], labels[:300]))
        >>> X_new, y_new = X[300:], np.where(np.arange(300) < 60, labels[300:], -1)
        >>> calibrated = SemisupervisedCalibratedClassifier(frozen, random_state=0)
        >>> calibrated = calibrated.fit(X_new, y_new)
        >>> low, high = calibrated.predict_proba_interval(X_new)
        >>> bool((low <= high).all())
        True
        """
        X = self._check_features(X)
        tail = (1.0 - check_level(confidence_level)) / 2.0
        pairs = self.calibrated_classifiers_
        n_draws = min(m.posterior_.n_draws for pair in pairs for m in pair.mixtures)
        warn_of_few_draws(confidence_level, n_draws)
        ends = [pair.interval(X, tail) for pair in pairs]
        return tuple(np.mean(ends, axis=0))

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable class of each item.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.frozen import FrozenEstimator
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_spe import SemisupervisedCalibratedClassifier
        >>> X, labels = make_classification(600, random_state=0)
        >>> frozen = FrozenEstimator(GaussianNB().fit(X[:300], labels[:300]))
        >>> X_new, y_new = X[300:], np.where(np.arange(300) < 60, labels[300:], -1)
        >>> calibrated = SemisupervisedCalibratedClassifier(frozen, random_state=0)
        >>> calibrated = calibrated.fit(X_new, y_new)
        >>> calibrated.predict(X_new[:5]).shape
        (5,)
        """
        probabilities = self.predict_proba(X)
        return self.classes_[np.argmax(probabilities, axis=1)]

    @available_if(lambda self: self._is_fixed() and hasattr(self.estimator, "decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """Return the scores of the frozen classifier, unchanged.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        X = self._check_features(X)
        return self.calibrated_classifiers_[0].estimator.decision_function(X)

    def curve(
        self,
        name: str | Curve | Metric = "precision_recall",
        *,
        pos_label: Hashable = None,
        **parameters: Any,
    ) -> CurveBand:
        """Return a performance curve of one class against the rest, or their macro average.

        Parameters
        ----------
        name : {"precision_recall", "roc", "det"} or Curve, default="precision_recall"
        pos_label : object, default=None
            One of `classes_`. With two classes None means the positive class. With more classes
            None means the mean over all of them, with independent errors.
        **parameters
            Parameters of `PerformanceCurveEstimator`: `target`, `confidence_level`, `n_points`, ...

        Returns
        -------
        band : CurveBand
            The curve on the data set of `fit`. Folds are pooled.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.frozen import FrozenEstimator
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_spe import SemisupervisedCalibratedClassifier
        >>> X, labels = make_classification(600, random_state=0)
        >>> frozen = FrozenEstimator(GaussianNB().fit(X[:300], labels[:300]))
        >>> X_new, y_new = X[300:], np.where(np.arange(300) < 60, labels[300:], -1)
        >>> calibrated = SemisupervisedCalibratedClassifier(frozen, random_state=0)
        >>> calibrated = calibrated.fit(X_new, y_new)
        >>> calibrated.curve("roc").x_name
        'false positive rate'
        """
        if not isinstance(name, Curve):
            check_choice(name, "name of the curve", CURVES)
        return self._combined(lambda performance: performance.curve(name), pos_label, parameters)

    def estimate(
        self,
        metric: MetricLike = "average_precision",
        *,
        pos_label: Hashable = None,
        **parameters: Any,
    ) -> ScalarEstimate:
        """Return a one-vs-rest metric of the ranking of a class, or its macro average.

        Parameters
        ----------
        metric : str or Metric, default="average_precision"
            "average_precision", "roc_auc", "equal_error_rate", "precision_at_k" or "prevalence".
            With two classes also "brier_score" and "log_loss" of the recalibrated probabilities.
            With more than two classes and a frozen classifier also "accuracy", "top_k_accuracy",
            "precision", "recall", "f1" and other metrics of the classifier's own predictions (the
            classes with the largest scores).
        pos_label : object, default=None
            As in :meth:`curve`.
        **parameters
            Parameters of `PerformanceCurveEstimator`.

        Returns
        -------
        estimate : ScalarEstimate

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.frozen import FrozenEstimator
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_spe import SemisupervisedCalibratedClassifier
        >>> X, labels = make_classification(600, random_state=0)
        >>> frozen = FrozenEstimator(GaussianNB().fit(X[:300], labels[:300]))
        >>> X_new, y_new = X[300:], np.where(np.arange(300) < 60, labels[300:], -1)
        >>> calibrated = SemisupervisedCalibratedClassifier(frozen, random_state=0)
        >>> calibrated = calibrated.fit(X_new, y_new)
        >>> bool(calibrated.estimate("roc_auc").value > 0.5)
        True
        """
        check_is_fitted(self, "classes_")
        if len(self.classes_) > 2 and _is_of_decisions(metric):
            return self._of_decisions(metric, pos_label, parameters)

        metric = as_metric(metric)
        if isinstance(metric, ProbabilityMetric) and len(self.classes_) == 2:
            return self._combined(partial(_of_recalibrated, metric), pos_label, parameters)
        if isinstance(metric, ProbabilityMetric):
            raise ValueError(
                f"{metric.name!r} requires two classes: with more, probabilities are normalized "
                "jointly, and one-vs-rest probabilities are not the predictions."
            )
        if not isinstance(metric, RankingMetric):
            raise ValueError(self._instead_of(metric.name))
        if metric.name == "prevalence" and pos_label is None and len(self.classes_) > 2:
            raise ValueError(
                "The mean prevalence of all classes is always one over their number; choose one "
                "class by pos_label=."
            )
        return self._combined(
            lambda performance: performance.estimate(metric), pos_label, parameters
        )

    @property
    def performance_(self) -> PerformanceCurveEstimator:
        """The performance of a frozen binary classifier, as a fitted estimator.

        It is for the positive class: `pos_label`, or the default one.
        """
        check_is_fitted(self, "classes_")
        if len(self.classes_) > 2 or len(self.calibrated_classifiers_) > 1:
            raise AttributeError(
                "performance_ requires a single model of two classes; use curve and estimate, "
                "which combine folds and classes."
            )
        try:
            positive = self._positive(self.classes_)
        except ValueError as error:
            # AttributeError, so that `hasattr` is False.
            raise AttributeError(str(error)) from error
        return self.calibrated_classifiers_[0].performance(positive, n_jobs=self.n_jobs)

    @property
    def predicted_before_(self) -> Any:
        """Function from scores to the classifier's own probabilities, or None."""
        pair = self.calibrated_classifiers_[0]
        if pair.response.method == "predict_proba":
            return np.asarray
        return special.expit if pair.mixtures[0].score_kind == "log_odds" else None

    def _combined(
        self,
        ask: Callable[[PerformanceCurveEstimator], Any],
        pos_label: Hashable,
        parameters: dict[str, Any],
    ) -> Any:
        """Return a result pooled over the folds, and averaged over the classes."""
        check_is_fitted(self, "classes_")
        if pos_label is None and len(self.classes_) > 2:
            labels = list(range(len(self.classes_)))
        elif pos_label is None:
            labels = [self._positive(self.classes_)]
        else:
            labels = [class_index(self.classes_, pos_label)]

        # For each class the results of all folds.
        parameters = {"n_jobs": self.n_jobs, **parameters}
        results = [
            [ask(pair.performance(c, **parameters)) for pair in self.calibrated_classifiers_]
            for c in labels
        ]
        pooled = [WeightedDraws.pooled([r.distribution for r in folds]) for folds in results]
        undefined = np.mean([[r.undefined for r in folds] for folds in results], axis=(0, 1))
        name = self.classes_[labels[0]].item() if len(labels) == 1 else None
        # Draws can be paired if all pooled and averaged parts are the same.
        origin = " ".join(r.origin for folds in results for r in folds)
        return replace(
            results[0][0],
            distribution=WeightedDraws.average(pooled),
            undefined=undefined,
            pos_label=name,
            origin=origin,
        )

    def _of_decisions(
        self, metric: MetricLike, pos_label: Hashable, parameters: dict[str, Any]
    ) -> ScalarEstimate:
        if len(self.calibrated_classifiers_) > 1:
            raise ValueError(
                "Several models were fitted to the labels, one for each fold, and no held-out "
                "label evaluates their joint decisions: freeze one model to estimate its "
                f"{metric!r}."
            )
        average = {"average": parameters.pop("average")} if "average" in parameters else {}
        performance = copy(self.calibrated_classifiers_[0].of_all_classes)
        performance.set_params(**{"n_jobs": self.n_jobs, **parameters})
        return performance.estimate(metric, pos_label=pos_label, **average)

    def _instead_of(self, metric: str) -> str:
        """Return the alternative to a metric of decisions, for a message."""
        if len(self.classes_) == 2 and len(self.calibrated_classifiers_) == 1:
            return (
                f"{metric!r} is a metric of decisions: use performance_.estimate({metric!r}) for "
                "those of the classifier, or threshold= for others."
            )
        return (
            f"{metric!r} is a metric of decisions at one threshold, and thresholds of several "
            "models are not comparable. Use a metric of the ranking, 'average_precision' or "
            "'roc_auc'; for decisions freeze one model of two classes and use its performance_."
        )

    def _positive_or_second(self, classes: np.ndarray) -> int:
        """Return the class of larger scores; probabilities do not need a positive class."""
        prior = None if self.mixture is None else self.mixture.prevalence_prior
        has_prior = len(classes) == 2 and prior is not None and not isinstance(prior, str)
        return self._positive(classes) if has_prior or self.pos_label is not None else 1

    def _subject(self, class_index: int) -> str:
        """Return the name of a part of the verdict, if there are several."""
        if len(self.classes_) == 2:
            return ""
        return f"Class {self.classes_[class_index].item()!r} against the rest"

    def _splitter(self) -> Any:
        return self.cv if hasattr(self.cv, "get_metadata_routing") else None


def _is_of_decisions(metric: MetricLike) -> bool:
    """Return whether a metric evaluates predicted classes."""
    if isinstance(metric, str) and metric == TopKAccuracy.name:
        return True
    return isinstance(as_metric(metric), (ThresholdMetric, TopKAccuracy))


def _of_recalibrated(
    metric: ProbabilityMetric, performance: PerformanceCurveEstimator
) -> ScalarEstimate:
    """Return a metric of the recalibrated probabilities of a performance's class."""

    def predicted(scores: np.ndarray) -> np.ndarray:
        score_direction = performance.score_direction_
        assert score_direction is not None
        flipped = score_direction.flip(scores)
        return performance.posterior_.predicted_probability(flipped)

    return performance.estimate(metric, predicted=predicted)


def _learn_fold(
    estimator: Any,
    response: Response,
    data: PartlyLabeled,
    params: dict[str, Any],
    train: np.ndarray,
    scored: np.ndarray,
    mixture: SemisupervisedScoreMixture | None,
    seed: int,
) -> CalibratedScores:
    """Fit a classifier to the training rows, and the mixtures to the scored rows."""
    fitted = data.fit(estimator, params, train)
    return CalibratedScores.learn(fitted, response, data.take(scored), mixture, seed)

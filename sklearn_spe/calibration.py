"""SemisupervisedCalibratedClassifier: probabilities that hold on a new data set."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import special
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from ._calibrated_scores import CalibratedScores
from ._folds import folds_of
from ._laws import WeightedDraws
from ._numbers import check_number
from ._random import seed_entropy
from ._response import Response
from ._tiles import row_tiles
from ._wrapped_classifier import WrappedClassifier
from .curves import CURVES
from .metrics import RankingMetric, as_metric
from .verdict import Verdict, warn_of

__all__ = ["SemisupervisedCalibratedClassifier"]


def _has_decision_function(self) -> bool:
    return self._is_fixed() and hasattr(self.estimator, "decision_function")


class SemisupervisedCalibratedClassifier(WrappedClassifier):
    """A classifier whose probabilities hold on a data set of which a few items are labelled.

    The scores of all items and the labels of a few say what a score means there: the probability
    of a class is the posterior expectation of P(y | score), section 4.4 of [1]_. Of more than
    two classes each is taken against the rest, and the probabilities are normalised.

    Parameters
    ----------
    estimator : classifier or outlier detector
        One that is fitted is passed as ``FrozenEstimator(clf)``: all rows, labelled or not,
        calibrate it. One that is not is fitted to the labelled rows by cross-validation; each
        fold's model scores its held-out labelled rows and all rows that are not labelled, and
        the probabilities of the folds are averaged.
    mixture : SemisupervisedScoreMixture, default=None
        The model of the scores. None takes the default one.
    response_method : {"auto", "decision_function", "predict_proba"}, default="auto"
        Where scores come from. "auto" takes `decision_function` if there is one, else
        `predict_proba`; with more than two classes the other way round.
    cv : int, splitter or iterable of (train, test), default=None
        Of the labelled rows, for an estimator that is not frozen. None stands for as many folds,
        at most 5, as the rarest class with two labels has labels; an iterable holds indices of
        the rows of `X`. A class with one label is always trained on.
    classes : array-like of shape (n_classes,), default=None
        The classes, if `y` does not name all of them and the estimator is not frozen. If -1 is
        one of the classes, of a frozen classifier too, it does not mark unlabelled items.
    unlabeled_label : object, default=-1
        What marks an unlabelled item in `y`, beside NaN, None and ``pd.NA``.
    n_jobs : int, default=None
        Workers over folds, or over classes if there is one. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        For the mixtures; an int makes the result reproducible.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; the marker is none of them.
    calibrated_classifiers_ : list of CalibratedScores
        One for each fold; a single one if the estimator is frozen. Each has `estimator` and
        `mixtures`.
    verdict_ : Verdict
        The worst verdict on any mixture, with all reasons.
    seed_ : int
        From which all random numbers come.
    n_features_in_ : int
        The number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Their names, if `X` has names that are strings.

    Warns
    -----
    MisfitWarning, UnidentifiedWarning, SamplingWarning
        For each reason of the verdict.

    See Also
    --------
    SemisupervisedThresholdClassifier : Decisions that keep a promise.
    sklearn.calibration.CalibratedClassifierCV : From labelled items alone.
    sklearn_spe.display.CalibrationBandDisplay : Draws the reliability, before and after.

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
        estimator,
        *,
        mixture=None,
        response_method="auto",
        cv=None,
        classes=None,
        unlabeled_label=-1,
        n_jobs=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.mixture = mixture
        self.response_method = response_method
        self.cv = cv
        self.classes = classes
        self.unlabeled_label = unlabeled_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None, **fit_params):
        """Fit the classifier, if it is not frozen, and recalibrate it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data set, labelled or not, as the estimator takes it.
        y : array-like of shape (n_samples,)
            Labels; -1, NaN, None or ``pd.NA`` where an item is not labelled.
        sample_weight : array-like of shape (n_samples,), default=None
            How many items each row stands for.
        **fit_params
            For `fit` of the estimator; what has one entry a row is cut to the rows of a fold.

        Returns
        -------
        self : SemisupervisedCalibratedClassifier

        Raises
        ------
        ValueError
            If nothing is labelled, a label is none of the classes of a frozen classifier, or
            only one class is labelled and the estimator is not frozen.
        TypeError
            If the estimator has neither `decision_function` nor `predict_proba`.
        NotFittedError
            If the estimator is frozen and was not fitted.
        """
        data = self._read(X, y, sample_weight)
        response = Response.of(self.estimator, self.response_method, len(data.classes))
        params = self._route(data.sample_weight, fit_params)
        seed = seed_entropy(self.random_state)
        if self._is_fixed():
            fitted = self._fit_fixed(data.X, params)
            pairs = [
                CalibratedScores.learn(fitted, response, data, self.mixture, seed, self.n_jobs)
            ]
        else:
            pairs = Parallel(n_jobs=self.n_jobs)(
                delayed(_learn_fold)(
                    self.estimator, response, data, params, *fold, self.mixture, seed
                )
                for fold in folds_of(data.codes, self.cv)
            )
        # Nothing is set before everything is known: a fit that fails changes nothing.
        self._learn_features(X)
        self.classes_, self.calibrated_classifiers_, self.seed_ = data.classes, pairs, seed
        self.verdict_ = Verdict.of_all(m.verdict_ for pair in pairs for m in pair.mixtures)
        warn_of(self.verdict_)
        return self

    def predict_proba(self, X):
        """Return the recalibrated probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`.
        """
        X = self._check_features(X)
        return np.mean([pair.probabilities(X) for pair in self.calibrated_classifiers_], axis=0)

    def predict_proba_interval(self, X, confidence_level=0.9):
        """Return the ends of an interval for each probability.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        confidence_level : float in (0, 1), default=0.9
            The posterior probability that P(y | score) lies inside; with several folds that of
            any of them.

        Returns
        -------
        lower, upper : ndarray of shape (n_samples, n_classes)
            The equal-tailed interval, item by item.
        """
        X = self._check_features(X)
        tail = (1.0 - check_number(confidence_level, "confidence_level", "(0, 1)")) / 2.0
        scores = [pair.scores(X) for pair in self.calibrated_classifiers_]
        ends = np.empty((2, len(scores[0]), len(self.classes_)))
        n_draws = sum(pair.mixtures[0].posterior_.n_draws for pair in self._pairs())
        # Draws of all classes at once: 1 MiB a class.
        for part in row_tiles(len(scores[0]), n_draws):
            for c, law in enumerate(self._laws([s[part] for s in scores])):
                ends[:, part, c] = law.quantile([tail, 1.0 - tail])
        return ends[0], ends[1]

    def predict(self, X):
        """Return the most probable class of each item.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        probabilities = self.predict_proba(X)
        return self.classes_[np.argmax(probabilities, axis=1)]

    @available_if(_has_decision_function)
    def decision_function(self, X):
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

    def curve(self, name="precision_recall", *, label=None, **parameters):
        """Return a performance curve of one class against the rest, or their macro average.

        Parameters
        ----------
        name : {"precision_recall", "roc", "det"}, default="precision_recall"
        label : object, default=None
            One of `classes_`. None takes the second of two classes; of more, the mean over all
            classes, whose errors are taken to be independent.
        **parameters
            Of `PerformanceCurveEstimator`: `target`, `confidence_level`, `n_points`, ...

        Returns
        -------
        band : CurveBand
            On the data set of `fit`. Several folds are pooled: the curve is that of any of them.
        """
        if name not in CURVES:
            raise ValueError(f"Unknown curve {name!r}; choose one of {', '.join(CURVES)}.")
        return self._combined(lambda performance: performance.curve(name), label, parameters)

    def estimate(self, metric="average_precision", *, label=None, **parameters):
        """Return a number of the ranking of one class against the rest, or its macro average.

        Parameters
        ----------
        metric : str or RankingMetric, default="average_precision"
            "average_precision", "roc_auc", "equal_error_rate" or "prevalence".
        label : object, default=None
            As :meth:`curve` takes it.
        **parameters
            Of `PerformanceCurveEstimator`.

        Returns
        -------
        estimate : ScalarEstimate
        """
        if not isinstance(as_metric(metric), RankingMetric):
            raise ValueError(
                f"{metric!r} needs a threshold, and thresholds of several models or classes are "
                f"not comparable; ask performance_ of two classes, or "
                f"SemisupervisedThresholdClassifier."
            )
        return self._combined(lambda performance: performance.estimate(metric), label, parameters)

    @property
    def performance_(self):
        """The performance of a frozen classifier of two classes, as a fitted estimator."""
        check_is_fitted(self, "classes_")
        if len(self.classes_) > 2 or len(self.calibrated_classifiers_) > 1:
            raise AttributeError(
                "performance_ is that of one model of two classes; use curve and estimate, which "
                "combine folds and classes."
            )
        return self.calibrated_classifiers_[0].performance(1, n_jobs=self.n_jobs)

    @property
    def predicted_before_(self):
        """What turns scores into the classifier's own probabilities, None if it has none."""
        pair = self.calibrated_classifiers_[0]
        if pair.response.method == "predict_proba":
            return np.asarray
        return special.expit if pair.mixtures[0].score_kind == "log_odds" else None

    def _pairs(self):
        return self.calibrated_classifiers_

    def _laws(self, scores):
        """Yield, for each class, the law of the probabilities of some items over all folds."""
        draws = [pair.draws(s) for pair, s in zip(self._pairs(), scores, strict=True)]
        for c in range(len(self.classes_)):
            laws = [WeightedDraws(d[:, c], np.full(len(d), 1.0 / len(d))) for d in draws]
            yield WeightedDraws.pooled(laws)

    def _combined(self, ask, label, parameters):
        check_is_fitted(self, "classes_")
        if label is None and len(self.classes_) > 2:
            labels = range(len(self.classes_))
        else:
            labels = [self._index_of(label)]
        parameters = {"n_jobs": self.n_jobs, **parameters}
        results = [
            [ask(pair.performance(c, **parameters)) for pair in self._pairs()] for c in labels
        ]
        law = WeightedDraws.average(
            [WeightedDraws.pooled([r.law for r in folds]) for folds in results]
        )
        undefined = np.mean([[r.undefined for r in folds] for folds in results], axis=(0, 1))
        return replace(results[0][0], law=law, undefined=undefined)

    def _index_of(self, label) -> int:
        if label is None:
            return 1
        at = np.flatnonzero(self.classes_ == label)
        if not len(at):
            raise ValueError(f"label={label!r} is not one of the classes {self.classes_.tolist()}.")
        if len(self.classes_) == 2 and not at[0]:
            raise ValueError(
                f"Of two classes the performance is that of the second one, "
                f"{self.classes_[1]!r}; for {label!r} use PerformanceCurveEstimator on the scores, "
                f"with a mixture of greater_is_positive=False."
            )
        return int(at[0])


def _learn_fold(estimator, response, data, params, train, scored, mixture, seed):
    """Fit a classifier to the rows to train on, and the mixtures to the rows to score."""
    fitted = data.fit(estimator, params, train)
    missing = np.setdiff1d(data.classes, getattr(fitted, "classes_", data.classes))
    if len(missing):
        raise ValueError(
            f"A fold has no label of the classes {missing.tolist()} to train on; use cv=None, "
            f"or folds that hold every class."
        )
    return CalibratedScores.learn(fitted, response, data.take(scored), mixture, seed)

"""SemisupervisedCalibratedClassifier: probabilities that hold on a new data set."""

from __future__ import annotations

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed

from ..inputs._numbers import check_number
from ..inputs._random_state import seed_entropy
from ..inputs._response import Response
from ..results._verdict import Verdict, warn_of
from ._calibrated_scores import CalibratedScores
from ._class_performance import ClassPerformance
from ._folds import folds_of
from ._wrapped_classifier import WrappedClassifier

__all__ = ["SemisupervisedCalibratedClassifier"]


def _has_decision_function(self) -> bool:
    return self._is_fixed() and hasattr(self.estimator, "decision_function")


class SemisupervisedCalibratedClassifier(ClassPerformance, WrappedClassifier):
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
    pos_label : object, default=None
        Of two classes the positive one, of which `performance_`, `curve` and `estimate` speak, and
        the `prevalence_prior` of a mixture. None means 1 for {0, 1} and {-1, 1}, True for
        booleans. Other classes and outlier detectors need it for these, not for probabilities.
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
    RefitWarning
        If the estimator is already fitted and not frozen: it is fitted again.

    See Also
    --------
    SemisupervisedThresholdClassifier : Decisions that keep a promise.
    sklearn.calibration.CalibratedClassifierCV : From labelled items alone.
    sklearn_spe.display.CalibrationBandDisplay : Draws the reliability, before and after.

    Notes
    -----
    In a search or in cross-validation mark items by -1, and pass no scorer, which takes the
    accuracy of the labelled items, or one of :func:`make_semisupervised_scorer`. To
    scikit-learn's own ``scoring="accuracy"`` the -1 of `y` is a class that is never predicted.

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
        pos_label=None,
        unlabeled_label=-1,
        n_jobs=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.mixture = mixture
        self.response_method = response_method
        self.cv = cv
        self.classes = classes
        self.pos_label = pos_label
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
        n_classes, positive = len(data.classes), self._positive_or_second(data.classes)
        response = Response.of(self.estimator, self.response_method, n_classes, positive)
        params, split_params = self._route(data.sample_weight, fit_params)
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
                for fold in folds_of(data, self.cv, split_params)
            )
        # Nothing is set before everything is known: a fit that fails changes nothing.
        self._learn_features(X)
        self.classes_, self.calibrated_classifiers_, self.seed_ = data.classes, pairs, seed
        self.verdict_ = Verdict.of_all(
            (self._subject(c), mixture.verdict_)
            for pair in pairs
            for c, mixture in zip(response.scored_classes, pair.mixtures, strict=True)
        )
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
            The posterior probability that P(y | score) lies inside (of more than two classes, of
            the normalised one). With several folds the ends are averaged as the probabilities
            are, as if the folds erred together: the interval is then wider than need be.

        Returns
        -------
        lower, upper : ndarray of shape (n_samples, n_classes)
            The equal-tailed interval, item by item.
        """
        X = self._check_features(X)
        tail = (1.0 - check_number(confidence_level, "confidence_level", "(0, 1)")) / 2.0
        ends = [pair.interval(X, tail) for pair in self.calibrated_classifiers_]
        return tuple(np.mean(ends, axis=0))

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

    def _positive_or_second(self, classes) -> int:
        """Return which class the scores are to speak for: probabilities need not know."""
        prior = None if self.mixture is None else self.mixture.prevalence_prior
        has_prior = len(classes) == 2 and prior is not None and not isinstance(prior, str)
        return self._positive(classes) if has_prior or self.pos_label is not None else 1

    def _subject(self, class_index) -> str:
        """Return what a verdict is on, if there is more than one thing."""
        if len(self.classes_) == 2:
            return ""
        return f"Class {self.classes_[class_index].item()!r} against the rest"

    def _splitter(self):
        return self.cv if hasattr(self.cv, "get_metadata_routing") else None


def _learn_fold(estimator, response, data, params, train, scored, mixture, seed):
    """Fit a classifier to the rows to train on, and the mixtures to the rows to score."""
    fitted = data.fit(estimator, params, train)
    return CalibratedScores.learn(fitted, response, data.take(scored), mixture, seed)

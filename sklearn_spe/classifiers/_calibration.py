"""SemisupervisedCalibratedClassifier: probabilities that hold on a new data set."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from scipy import special
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from ..curves._grid import Curve
from ..curves._registry import CURVES
from ..inputs._labels import class_index
from ..inputs._numbers import check_choice
from ..inputs._random_state import seed_entropy
from ..inputs._response import Response
from ..metrics._metric import RankingMetric, ThresholdMetric
from ..metrics._probability_metric import ProbabilityMetric
from ..metrics._registry import as_metric
from ..multiclass._top_k_accuracy import TopKAccuracy
from ..results._laws import WeightedDraws
from ..results._levels import check_level, warn_of_few_draws
from ..results._verdict import Verdict, warn_of
from ._calibrated_scores import CalibratedScores
from ._folds import folds_of
from ._wrapped_classifier import WrappedClassifier

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

    def fit(self, X, y, sample_weight=None, *, groups=None, **fit_params):
        """Fit the classifier, if it is not frozen, and recalibrate it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data set, labelled or not, as the estimator takes it.
        y : array-like of shape (n_samples,)
            Labels; -1, NaN, None or ``pd.NA`` where an item is not labelled.
        sample_weight : array-like of shape (n_samples,), default=None
            How many items each row stands for.
        groups : array-like of shape (n_samples,), default=None
            Which rows belong together (patients, videos): all rows of one are in the same fold,
            and no model scores rows of a group that it was fitted to. A frozen estimator needs
            no folds. Probabilities, `curve` and `estimate` take the scores as those of independent
            items, and intervals are too narrow where groups differ: for a performance ask
            ``PerformanceCurveEstimator().fit(clf.predict_proba(X), y, groups=groups)``.
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
        data = self._read(X, y, sample_weight, groups, **fit_params)
        n_classes, positive = len(data.classes), self._positive_or_second(data.classes)
        response = Response.of(self.estimator, self.response_method, n_classes, positive)
        params, split_params = self._route(data.sample_weight, groups, fit_params)
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
            # Probabilities are for further items, however many of these are labelled.
            (self._subject(c), mixture.model_.verdict)
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
        tail = (1.0 - check_level(confidence_level)) / 2.0
        pairs = self.calibrated_classifiers_
        n_draws = min(m.posterior_.n_draws for pair in pairs for m in pair.mixtures)
        warn_of_few_draws(confidence_level, n_draws)
        ends = [pair.interval(X, tail) for pair in pairs]
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

    def curve(self, name="precision_recall", *, pos_label=None, **parameters):
        """Return a performance curve of one class against the rest, or their macro average.

        Parameters
        ----------
        name : {"precision_recall", "roc", "det"} or Curve, default="precision_recall"
        pos_label : object, default=None
            One of `classes_`. None takes the positive one of two classes, which `pos_label` names
            unless it is 1 of {0, 1} or {-1, 1}, or True; of more classes the mean over all, whose
            errors are taken to be independent.
        **parameters
            Of `PerformanceCurveEstimator`: `target`, `confidence_level`, `n_points`, ...

        Returns
        -------
        band : CurveBand
            On the data set of `fit`. Several folds are pooled: the curve is that of any of them.
        """
        if not isinstance(name, Curve):
            check_choice(name, "name of the curve", CURVES)
        return self._combined(lambda performance: performance.curve(name), pos_label, parameters)

    def estimate(self, metric="average_precision", *, pos_label=None, **parameters):
        """Return a number of the ranking of one class against the rest, or its macro average.

        Parameters
        ----------
        metric : str or Metric, default="average_precision"
            "average_precision", "roc_auc", "equal_error_rate", "precision_at_k" or "prevalence";
            of two classes "brier_score" and "log_loss", of the recalibrated probabilities. Of more
            than two classes and a frozen classifier "accuracy", "top_k_accuracy", "precision",
            "recall", "f1" and other metrics of its own decisions, for the class to which it gives
            most, which have seen none of the labels.
        pos_label : object, default=None
            As :meth:`curve` takes it.
        **parameters
            Of `PerformanceCurveEstimator`.

        Returns
        -------
        estimate : ScalarEstimate
        """
        check_is_fitted(self, "classes_")
        if len(self.classes_) > 2 and _is_of_decisions(metric):
            return self._of_decisions(metric, pos_label, parameters)
        metric = as_metric(metric)
        if isinstance(metric, ProbabilityMetric) and len(self.classes_) == 2:
            return self._combined(partial(_of_recalibrated, metric), pos_label, parameters)
        if isinstance(metric, ProbabilityMetric):
            raise ValueError(
                f"{metric.name!r} is that of two classes: the probabilities of more are "
                f"normalised together, and those of one against the rest are not what is predicted."
            )
        if not isinstance(metric, RankingMetric):
            raise ValueError(self._instead_of(metric.name))
        if metric.name == "prevalence" and pos_label is None and len(self.classes_) > 2:
            raise ValueError(
                "The mean prevalence of all classes is one over their number, whatever the data; "
                "ask for that of one class, pos_label=."
            )
        return self._combined(
            lambda performance: performance.estimate(metric), pos_label, parameters
        )

    @property
    def performance_(self):
        """The performance of a frozen classifier of two classes, as a fitted estimator.

        It is that of the positive class: of classes that do not tell which one that is, only with
        `pos_label`.
        """
        check_is_fitted(self, "classes_")
        if len(self.classes_) > 2 or len(self.calibrated_classifiers_) > 1:
            raise AttributeError(
                "performance_ is that of one model of two classes; use curve and estimate, which "
                "combine folds and classes."
            )
        try:
            positive = self._positive(self.classes_)
        except ValueError as error:
            # To `hasattr` there is none.
            raise AttributeError(str(error)) from error
        return self.calibrated_classifiers_[0].performance(positive, n_jobs=self.n_jobs)

    @property
    def predicted_before_(self):
        """What turns scores into the classifier's own probabilities, None if it has none."""
        pair = self.calibrated_classifiers_[0]
        if pair.response.method == "predict_proba":
            return np.asarray
        return special.expit if pair.mixtures[0].score_kind == "log_odds" else None

    def _combined(self, ask, pos_label, parameters):
        check_is_fitted(self, "classes_")
        if pos_label is None and len(self.classes_) > 2:
            labels = range(len(self.classes_))
        else:
            labels = [self._index_of(pos_label)]
        parameters = {"n_jobs": self.n_jobs, **parameters}
        results = [
            [ask(pair.performance(c, **parameters)) for pair in self.calibrated_classifiers_]
            for c in labels
        ]
        law = WeightedDraws.average(
            [WeightedDraws.pooled([r.law for r in folds]) for folds in results]
        )
        undefined = np.mean([[r.undefined for r in folds] for folds in results], axis=(0, 1))
        name = self.classes_[labels[0]].item() if len(labels) == 1 else None
        # Draws belong together where all that was pooled and averaged is the same.
        origin = " ".join(r.origin for folds in results for r in folds)
        return replace(results[0][0], law=law, undefined=undefined, pos_label=name, origin=origin)

    def _of_decisions(self, metric, pos_label, parameters):
        if len(self.calibrated_classifiers_) > 1:
            raise ValueError(
                f"Several models were fitted to the labels, one for each fold, and what they "
                f"decide together no label has judged: freeze one model to ask for its {metric!r}."
            )
        (pair,) = self.calibrated_classifiers_
        average = {"average": parameters.pop("average")} if "average" in parameters else {}
        performance = pair.of_classes.performance(n_jobs=self.n_jobs, **parameters)
        return performance.estimate(metric, pos_label=pos_label, **average)

    def _index_of(self, pos_label) -> int:
        if pos_label is None:
            return self._positive(self.classes_)
        return class_index(self.classes_, pos_label)

    def _instead_of(self, metric: str) -> str:
        """Return what can be asked instead of a metric of decisions."""
        if len(self.classes_) == 2 and len(self.calibrated_classifiers_) == 1:
            return (
                f"{metric!r} is about a decision: performance_.estimate({metric!r}) takes the one "
                f"of the classifier, and threshold= another."
            )
        return (
            f"{metric!r} is about a decision by one threshold, and thresholds of several models "
            f"are not comparable. Known here are rankings, 'average_precision' or 'roc_auc'; for "
            f"decisions freeze one model of two classes and ask its performance_."
        )

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


def _is_of_decisions(metric) -> bool:
    """Return whether a metric is one of the class that is decided for."""
    if isinstance(metric, str) and metric == TopKAccuracy.name:
        return True
    return isinstance(as_metric(metric), (ThresholdMetric, TopKAccuracy))


def _of_recalibrated(metric, performance):
    """Return a measure of the recalibrated probabilities of the class of a performance."""

    def predicted(scores):
        turned = performance.orientation_.turn(scores)
        return performance.posterior_.expected_probability(turned)

    return performance.estimate(metric, predicted=predicted)

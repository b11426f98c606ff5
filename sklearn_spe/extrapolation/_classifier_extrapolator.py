"""ClassifierAccuracyExtrapolator: a classifier and its data, extrapolated to more classes."""

from __future__ import annotations

import numpy as np
from scipy import special
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags, indexable
from sklearn.utils.validation import check_consistent_length, validate_data

from .._documentation import DocumentationLink
from ..inputs._alignment import check_aligned
from ..inputs._array_like import check_features
from ..inputs._numbers import check_count, check_flag, check_jobs
from ..inputs._random_state import spawn
from ..results._verdict import Reason, Verdict, warn_of
from ._accuracy_model import AccuracyModel
from ._accuracy_questions import AccuracyQuestions
from ._extrapolator import AccuracyExtrapolator, fit_together
from ._pilot import check_classes, columns_of
from ._retraining import fit_drift, held_out_scores, retrain, score_method, subset_sizes
from ._seeds import Place
from ._uncertainty import UncertainModel, logits
from .methods._method import CurveMethod

__all__ = ["ClassifierAccuracyExtrapolator"]

MIN_CLASSES = 3
# Minimum gap between both methods that is reported, and its significance level.
NOTABLE_GAP = 0.02
FALSE_ALARMS = 0.01


class ClassifierAccuracyExtrapolator(
    AccuracyQuestions, DocumentationLink, MetaEstimatorMixin, BaseEstimator
):
    """Extrapolation of the accuracy of a classifier to more classes than in its data.

    The score of a class depends on that class alone in naive Bayes, quadratic discriminants and
    nearest centroids: for these marginal classifiers the scores of one cross-validation determine
    the accuracy with fewer classes, and can be extrapolated to more. Logistic regression, support
    vector machines and trees fit each class against all others, and nearest neighbors give votes,
    which tie. They are retrained on random subsets of the classes. The gap between the accuracies
    of both methods shows whether a classifier is marginal; its trend, on the logit scale against
    the logarithm of the number of classes, is extrapolated beyond all classes. It is near 0 for a
    marginal classifier, whose prediction is not changed.

    Parameters
    ----------
    estimator : classifier
        It is cloned. A ``FrozenEstimator`` cannot be retrained: pass ``retrain=False``.
    extrapolator : AccuracyExtrapolator, default=None
        The extrapolation of scores; None means the default one with this `n_jobs`. It uses this
        `random_state` unless it has one. Its `classes` are not used.
    retrain : bool, default=True
        Whether to train on subsets of the classes, and correct the prediction from the scores by
        the results. False is faster, and as good for marginal classifiers.
    n_sizes : int, default=8
        Number of subset sizes, from an eighth of the classes to all.
    n_repeats : int, default=5
        Number of random splits of all classes into subsets of each size.
    cv : int, cross-validation generator or iterable, default=5
        The cross-validation splits. The accuracy is that with the same number of training items per
        class.
    response_method : {"auto", "decision_function", "predict_joint_log_proba", \
            "predict_log_proba", "predict_proba"}, default="auto"
        The method that returns scores. "auto" means the first of these that the classifier has.
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int, default=None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_classes_ : int
    scores_extrapolator_ : AccuracyExtrapolator
        Fitted to the scores of the cross-validation.
    retrained_curve_ : RetrainedCurve or None
        The accuracies of the subsets, as `sizes` and `accuracies`.
    retrained_distribution_ : Law or None
        The distribution fitted to these accuracies alone, for comparison: it uses no scores, and
        has a larger variance. None if the method needs scores.
    gap_ : ndarray of shape (n_sizes,) or None
        The mean accuracies of classifiers trained on subsets, minus those computed from the scores
        of all classes. Near 0 for marginal classifiers.
    model_ : AccuracyModel
        The accuracy for any number of classes, corrected if the classifier was retrained.
    uncertain_model_ : UncertainModel or None
        It and the models of resampled classes.
    seed_ : int
        The seed of all random numbers.
    verdict_ : Verdict
        The verdict on the extrapolation; with the remark "not_marginal" if the gap is significant.

    See Also
    --------
    AccuracyExtrapolator : Extrapolation of existing scores.
    sklearn_spe.display.AccuracyExtrapolationDisplay : Draws the curve and the subsets.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn_spe import AccuracyExtrapolator
    >>> from sklearn_spe import ClassifierAccuracyExtrapolator
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(np.arange(20), 10)
    >>> X = rng.standard_normal((20, 8))[y] + 0.7 * rng.standard_normal((200, 8))
    >>> extrapolator = ClassifierAccuracyExtrapolator(
    ...     LogisticRegression(),
    ...     extrapolator=AccuracyExtrapolator(n_bootstrap=0),
    ...     n_repeats=2,
    ...     cv=2,
    ...     random_state=0,
    ... ).fit(X, y)
    >>> bool(0 < extrapolator.predict(200) < extrapolator.predict(20) < 1)
    True
    """

    def __init__(
        self,
        estimator,
        *,
        extrapolator=None,
        retrain=True,
        n_sizes=8,
        n_repeats=5,
        cv=5,
        response_method="auto",
        random_state=None,
        n_jobs=None,
    ):
        self.estimator = estimator
        self.extrapolator = extrapolator
        self.retrain = retrain
        self.n_sizes = n_sizes
        self.n_repeats = n_repeats
        self.cv = cv
        self.response_method = response_method
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y, groups=None):
        """Score every item by cross-validation, and train on subsets of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Of at least three classes.
        groups : array-like of shape (n_samples,), default=None
            For `cv`: items of one group, such as the photographs of one day, are never on both
            sides of a split.

        Returns
        -------
        self : ClassifierAccuracyExtrapolator

        Raises
        ------
        TypeError
            If the classifier has no scores.
        ValueError
            If there are fewer than three classes, or parameters are inconsistent.
        """
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise TypeError(
                f"estimator must be a classifier with fit, or a FrozenEstimator around a fitted "
                f"one; got {self.estimator!r}."
            )
        check_jobs(self.n_jobs)
        check_flag(self.retrain, "retrain")
        check_features(X, "X")
        check_aligned(X=X, y=y, groups=groups)
        y = check_classes(y)
        (X,) = indexable(X)
        check_consistent_length(X, y, groups)
        validate_data(self, X, skip_check_array=True)
        frozen = isinstance(self.estimator, FrozenEstimator)
        # A frozen classifier scores all its classes, even those without a test item.
        self.classes_ = self.estimator.classes_ if frozen else np.unique(y)
        codes = columns_of(y, self.classes_)
        self.n_classes_ = len(self.classes_)
        if self.n_classes_ < MIN_CLASSES:
            raise ValueError(
                f"y holds {self.n_classes_} class(es), and at least {MIN_CLASSES} are needed to "
                "extrapolate."
            )
        extrapolator = self._new_extrapolator()
        splits = self._splits(X, codes, groups, frozen)
        method = score_method(self.estimator, self.response_method)
        scores, tested = held_out_scores(
            self.estimator, X, y, self.classes_, splits, method, self.n_jobs
        )
        fit_together((extrapolator,), (scores,), y[tested])
        self.scores_extrapolator_ = extrapolator
        self.seed_ = self.scores_extrapolator_.seed_
        self.verdict_ = self.scores_extrapolator_.verdict_
        self.model_ = self.scores_extrapolator_.model_
        self.uncertain_model_ = self.scores_extrapolator_.uncertain_model_
        self.retrained_curve_ = self.retrained_distribution_ = self.gap_ = None
        if self.retrain:
            self._retrain(X, y, splits)
        warn_of(self.verdict_, stacklevel=2)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        return tags

    @property
    def _confidence_level(self):
        return self.scores_extrapolator_.confidence_level

    def _splits(self, X, codes, groups, frozen) -> list:
        if frozen:
            # Nothing is trained: every item may be tested.
            everything = np.arange(len(codes))
            return [(everything, everything)]
        return list(check_cv(self.cv, codes, classifier=True).split(X, codes, groups))

    def _new_extrapolator(self) -> AccuracyExtrapolator:
        check_count(self.n_sizes, "n_sizes", 2)
        check_count(self.n_repeats, "n_repeats", 1)
        extrapolator = self.extrapolator
        if extrapolator is None:
            extrapolator = AccuracyExtrapolator(n_jobs=self.n_jobs)
        extrapolator = clone(extrapolator).set_params(classes=self.classes_)
        if extrapolator.random_state is None:
            extrapolator.set_params(random_state=self.random_state)
        if self.retrain and isinstance(self.estimator, FrozenEstimator):
            raise ValueError(
                f"{self.estimator!r} cannot be retrained on fewer classes: pass retrain=False, or "
                "the classifier itself."
            )
        return extrapolator

    def _retrain(self, X, y, splits) -> None:
        """Train on subsets of the classes, and fit the drift of the predictions."""
        by_scores = self.scores_extrapolator_
        sizes = subset_sizes(self.n_classes_, self.n_sizes)
        self.retrained_curve_ = curve = retrain(
            self.estimator, X, y, splits, sizes, self.n_repeats, self.seed_, self.n_jobs
        )
        measured, expected = curve.mean(), by_scores.model_.accuracy(sizes)
        self.gap_ = measured - expected
        if isinstance(by_scores.method_, CurveMethod):
            weights, rng = 1.0 / curve.variances(), spawn(self.seed_, Place.METHOD)
            self.retrained_distribution_ = by_scores.method_.fit_curve(
                sizes, measured, weights, rng
            )
        drift, error = fit_drift(curve, expected)
        self.model_ = AccuracyModel(
            curve.decreasing(measured), by_scores.model_.distribution, drift
        )
        self.verdict_ = Verdict([*by_scores.verdict_.reasons, *_not_marginal(self.gap_, curve)])
        if self.uncertain_model_ is None:
            return
        # Items that are tested with all classes.
        n_items = min(by_scores.n_items_, float(curve.n_items[-1]))
        resampled = []
        for i, model in enumerate(by_scores.uncertain_model_.resampled):
            rng = spawn(self.seed_, Place.RESAMPLED_SUBSETS, i)
            # The choice of classes affects a retrained classifier as much.
            drawn = logits(curve.resampled(rng), curve.n_items)
            drawn += logits(model.accuracy(sizes), curve.n_items)
            drawn -= logits(expected, curve.n_items)
            accuracies = curve.decreasing(special.expit(drawn))
            drifts = drift + error * rng.standard_normal()
            resampled.append(AccuracyModel(accuracies, model.distribution, drifts))
        self.uncertain_model_ = UncertainModel(self.model_, tuple(resampled), n_items)


def _not_marginal(gap, curve):
    """Yield a remark if the accuracies of retraining and of scores differ significantly."""
    n_sizes, n_repeats = curve.accuracies.shape
    if n_repeats == 1:
        return
    errors = np.abs(gap) / np.sqrt(curve.variances())
    # Student's quantile for the largest of several, as the variance is estimated from few repeats.
    most = special.stdtrit(n_repeats - 1.0, 1.0 - FALSE_ALARMS / (2.0 * n_sizes))
    notable = (np.abs(gap) > NOTABLE_GAP) & (errors > most)
    if notable.any():
        worst = int(np.argmax(np.where(notable, np.abs(gap), 0.0)))
        yield Reason(
            "not_marginal",
            "ok",
            f"Retrained on {curve.sizes[worst]} of {curve.sizes[-1]} classes the accuracy is "
            f"{gap[worst]:+.3f} different from that computed from the scores of all classes: the "
            "classifier is not marginal, or its scores are votes. Predictions are corrected for "
            "it.",
            float(np.abs(gap[worst])),
            NOTABLE_GAP,
        )

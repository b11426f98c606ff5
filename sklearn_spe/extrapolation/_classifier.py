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
from .._numbers import check_count
from .._random import spawn
from ..verdict import Reason, Verdict, warn_of
from ._accuracy_model import AccuracyModel
from ._class_scores import held_out_scores, score_method
from ._extrapolator import AccuracyExtrapolator, fit_together
from ._method import CurveMethod
from ._methods import as_method
from ._pilot import check_classes, columns_of
from ._questions import AccuracyQuestions
from ._retraining import retrain, subset_sizes
from ._seeds import Place
from ._uncertainty import UncertainModel
from ._verdict import pilot_verdict

__all__ = ["ClassifierAccuracyExtrapolator"]

LEAST_CLASSES = 3
# Accuracies of 0 and 1 have no logit.
LEAST_ACCURACY = 1e-4
# A gap between both ways is told if it is so large, and so many standard errors.
NOTABLE_GAP = 0.02
NOTABLE_ERRORS = 3.0


class ClassifierAccuracyExtrapolator(
    AccuracyQuestions, DocumentationLink, MetaEstimatorMixin, BaseEstimator
):
    """Accuracy that a classifier will have with more classes than its data hold.

    The score of a class depends on that class alone in naive Bayes, quadratic discriminants,
    nearest centroids and one nearest neighbour: for these marginal classifiers the scores of one
    cross-validation tell the accuracy with fewer classes, and so with more. Logistic regression,
    support vector machines, trees and other neighbours weigh each class against all others. They
    are trained again on random subsets of the classes, and the curve of their accuracies is
    extrapolated. Both are done, so that the gap shows which kind a classifier is.

    Parameters
    ----------
    estimator : classifier
        It is cloned. A ``FrozenEstimator`` is not trained again: pass ``retrain=False``.
    extrapolator : AccuracyExtrapolator, default=None
        How scores, and accuracies of subsets, are extrapolated; None takes the default one with
        this `n_jobs`. It has this `random_state` unless it has one itself. Its `labels` are not
        used.
    retrain : bool, default=True
        Whether to train on subsets of the classes, and predict by that. False is faster, and as
        good for marginal classifiers.
    n_sizes : int, default=8
        How many sizes of subsets are tried, from a sixteenth of the classes to all.
    n_subsets : int, default=5
        How many subsets of each size.
    cv : int, cross-validation generator or iterable, default=5
        Which items are tested by a classifier that is trained on the others. The accuracy is that
        with as many training items a class.
    response_method : {"auto", "decision_function", "predict_joint_log_proba", \
            "predict_log_proba", "predict_proba"}, default="auto"
        Where scores come from. "auto" takes the first of these that the classifier has.
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
    gap_ : ndarray of shape (n_sizes,) or None
        The mean accuracies of classifiers trained on subsets, less those that the scores among
        all classes tell. Near 0 for marginal classifiers.
    model_ : AccuracyModel
        The accuracy for any number of classes: by training again, if that was done.
    uncertain_model_ : UncertainModel or None
        It and the models of resampled classes.
    seed_ : int
        From which all random numbers come.
    verdict_ : Verdict
        What speaks against the extrapolation; and the remark "not_marginal" if the gap is more
        than chance.

    See Also
    --------
    AccuracyExtrapolator : Scores that are there already.
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
    ...     n_subsets=2,
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
        n_subsets=5,
        cv=5,
        response_method="auto",
        random_state=None,
        n_jobs=None,
    ):
        self.estimator = estimator
        self.extrapolator = extrapolator
        self.retrain = retrain
        self.n_sizes = n_sizes
        self.n_subsets = n_subsets
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
            If there are fewer than three classes, or parameters do not fit together.
        """
        y = check_classes(y)
        (X,) = indexable(X)
        check_consistent_length(X, y, groups)
        validate_data(self, X, skip_check_array=True)
        frozen = isinstance(self.estimator, FrozenEstimator)
        # A frozen classifier scores all classes it knows, even those without a test item.
        self.classes_ = self.estimator.classes_ if frozen else np.unique(y)
        codes = columns_of(y, self.classes_)
        self.n_classes_ = len(self.classes_)
        if self.n_classes_ < LEAST_CLASSES:
            raise ValueError(
                f"y must hold at least {LEAST_CLASSES} classes, got {self.n_classes_}: two say "
                f"nothing about more."
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
        self.retrained_curve_ = self.gap_ = None
        if self.retrain:
            self._retrain(X, codes, splits)
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
        check_count(self.n_subsets, "n_subsets", 1)
        extrapolator = self.extrapolator
        if extrapolator is None:
            extrapolator = AccuracyExtrapolator(n_jobs=self.n_jobs)
        extrapolator = clone(extrapolator).set_params(labels=self.classes_)
        if extrapolator.random_state is None:
            extrapolator.set_params(random_state=self.random_state)
        if self.retrain and isinstance(self.estimator, FrozenEstimator):
            raise ValueError(
                f"{self.estimator!r} is not trained again, and so not on fewer classes either: "
                f"pass retrain=False, or the classifier itself."
            )
        if self.retrain and not isinstance(as_method(extrapolator.method), CurveMethod):
            raise ValueError(
                f"Training again gives accuracies and no scores, but method="
                f"{extrapolator.method!r} needs scores: pass another one, or retrain=False."
            )
        return extrapolator

    def _retrain(self, X, codes, splits) -> None:
        """Train on subsets of the classes, and extrapolate the accuracies."""
        by_scores = self.scores_extrapolator_
        sizes = subset_sizes(self.n_classes_, self.n_sizes)
        self.retrained_curve_ = curve = retrain(
            self.estimator, X, codes, splits, sizes, self.n_subsets, self.seed_, self.n_jobs
        )
        measured, expected = curve.mean(), by_scores.model_.accuracy(sizes)
        self.gap_ = measured - expected
        self.model_ = self._model_of(measured)
        own = pilot_verdict(self.model_, by_scores.n_errors_, by_scores.n_items_)
        self.verdict_ = Verdict([*own.reasons, *_not_marginal(self.gap_, curve)])
        if self.uncertain_model_ is None:
            return
        resampled = []
        for i, model in enumerate(by_scores.uncertain_model_.resampled):
            # Which classes there are matters as much to a classifier that is trained again.
            drawn = _logits(curve.resampled(spawn(self.seed_, Place.RESAMPLED_SUBSETS, i)))
            drawn += _logits(model.accuracy(sizes)) - _logits(expected)
            resampled.append(self._model_of(special.expit(drawn)))
        self.uncertain_model_ = UncertainModel(self.model_, tuple(resampled), by_scores.n_items_)

    def _model_of(self, accuracies) -> AccuracyModel:
        """Return the accuracy for any number of classes, of accuracies of the sizes of subsets."""
        curve = self.retrained_curve_
        method = self.scores_extrapolator_.method_
        rng = spawn(self.seed_, Place.METHOD)
        law = method.fit_curve(curve.sizes, accuracies, 1.0 / curve.variances(), rng)
        return AccuracyModel(curve.falling(accuracies), law)


def _logits(accuracies):
    return special.logit(np.clip(accuracies, LEAST_ACCURACY, 1.0 - LEAST_ACCURACY))


def _not_marginal(gap, curve):
    """Yield a remark if training again and scores differ by more than chance."""
    errors = np.abs(gap) / np.sqrt(curve.variances())
    notable = (np.abs(gap) > NOTABLE_GAP) & (errors > NOTABLE_ERRORS)
    if notable.any():
        worst = int(np.argmax(np.where(notable, np.abs(gap), 0.0)))
        yield Reason(
            "not_marginal",
            "ok",
            f"Trained again on {curve.sizes[worst]} of {curve.sizes[-1]} classes the accuracy is "
            f"{gap[worst]:+.3f} off what the scores among all classes tell: the classifier is not "
            f"marginal, or its scores are votes. Predictions go by training again.",
            float(np.abs(gap[worst])),
            NOTABLE_GAP,
        )

"""Classifiers trained again with fewer classes, and their extrapolation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import special
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags, indexable
from sklearn.utils.validation import check_consistent_length, validate_data

from ..inputs._arrays import FrozenArrays, rows_of
from ..inputs._frames import read_column
from ..inputs._validation import (
    check_aligned,
    check_choice,
    check_count,
    check_features,
    check_flag,
    check_jobs,
    seed_entropy,
    spawn,
)
from ..inputs._workers import in_parallel
from ..results._verdict import Reason, Verdict, warn_of
from ._accuracy_curve import AccuracyModel
from ._extrapolator import AccuracyExtrapolator, AccuracyQuestions, fit_together
from ._pilot import check_classes, columns_of
from ._uncertainty import Place, UncertainModel, logits
from .methods._curve_methods import CurveMethod

# The exponent of the weight of a subset in its share of the classes, and the standard deviation of
# the prior: chosen on seven kinds of classifiers, trained on ten times as many classes.
SHARE_POWER = 2.0
DRIFT_STD = 0.2
# The size of the smallest subsets, as a share of the classes.
SMALLEST_SHARE = 1.0 / 8.0
# Unnormalized scores first: those of a class depend on that class alone. Votes, which tie, last.
SCORE_METHODS = (
    "decision_function",
    "predict_joint_log_proba",
    "predict_log_proba",
    "predict_proba",
)
MIN_CLASSES = 3
# Minimum gap between both methods that is reported, and its significance level.
NOTABLE_GAP = 0.02
FALSE_ALARMS = 0.01


@dataclass(frozen=True, eq=False)
class RetrainedCurve(FrozenArrays):
    """Accuracies after retraining on random subsets of the classes."""

    sizes: np.ndarray  # (n_sizes,); numbers of classes, increasing
    accuracies: np.ndarray  # (n_sizes, n_repeats); on the test items of all subsets of a repeat
    n_items: np.ndarray  # (n_sizes,); total number of test items over repeats

    def mean(self) -> np.ndarray:
        """Return the mean accuracy of each size."""
        return self.accuracies.mean(axis=1)

    def variances(self) -> np.ndarray:
        """Return the variances of the means: between repeats, at least the binomial one."""
        mean = self.mean()
        n_repeats = self.accuracies.shape[1]
        over_repeats = self.accuracies.var(axis=1, ddof=1) / n_repeats if n_repeats > 1 else 0.0
        # Half an error more, so that no size has infinite weight.
        by_counting = (mean + 0.5 / self.n_items) * (1.0 - mean + 0.5 / self.n_items) / self.n_items
        return np.maximum(over_repeats, by_counting)

    def decreasing(self, accuracies: np.ndarray) -> np.ndarray:
        """Return accuracies with 1, 2, ... all classes: decreasing interpolation between sizes."""
        fit = IsotonicRegression(increasing=False, y_min=0.0, y_max=1.0)
        weights = 1.0 / self.variances()
        smooth = fit.fit_transform(self.sizes, accuracies, sample_weight=weights)
        sizes = np.append(1, self.sizes)
        smooth = np.append(1.0, smooth)
        return np.interp(np.log(np.arange(1, self.sizes[-1] + 1)), np.log(sizes), smooth)

    def resampled(self, rng: np.random.Generator) -> np.ndarray:
        """Return mean accuracies perturbed by their sampling errors."""
        noise = np.sqrt(self.variances()) * rng.standard_normal(len(self.sizes))
        return np.clip(self.mean() + noise, 0.0, 1.0)


def fit_drift(curve: RetrainedCurve, expected: np.ndarray) -> tuple[float, float]:
    """Return the slope of the gap to the scores by log(n_classes), and its standard error.

    The gap, on the logit scale, is a line through 0 at all classes against the logarithm of the
    number of classes. Large subsets have more weight, as they are closer to the extrapolation; a
    normal prior shrinks the slope to 0.
    """
    mean = curve.mean()
    n_items = curve.n_items
    gap = logits(mean, n_items) - logits(expected, n_items)

    # By the delta method, on the logit scale.
    information = np.maximum(mean * (1.0 - mean), 0.5 / n_items)
    variances = curve.variances() / information**2

    # Weighted least squares through zero at all classes, with a normal prior of the slope.
    shares = curve.sizes / curve.sizes[-1]
    log_shares = np.log(shares)
    weights = shares**SHARE_POWER / variances
    precision = weights @ log_shares**2 + 1.0 / DRIFT_STD**2
    slope = weights @ (log_shares * gap) / precision
    error = np.sqrt(weights**2 @ (log_shares**2 * variances) + 1.0 / DRIFT_STD**2) / precision
    return float(slope), float(error)


def subset_sizes(n_classes: int, n_sizes: int) -> np.ndarray:
    """Return sizes of subsets, from a few classes to all, geometrically spaced."""
    smallest = max(2.0, n_classes * SMALLEST_SHARE)
    return np.unique(np.rint(np.geomspace(smallest, n_classes, n_sizes)).astype(int))


def retrain(
    estimator: Any,
    X: Any,
    y: np.ndarray,
    splits: list[tuple[np.ndarray, np.ndarray]],
    sizes: np.ndarray,
    n_repeats: int,
    entropy: int,
    n_jobs: int | None = None,
) -> RetrainedCurve:
    """Train a classifier on subsets of the classes, and test it on theirs.

    In each repeat all classes are split at random into subsets of one size, so all sizes have
    the same number of test items.
    """
    subsets = [
        (estimator, X, y, splits[j % len(splits)], size, (entropy, i, j))
        for i, size in enumerate(sizes)
        for j in range(n_repeats)
    ]
    tested = in_parallel(_accuracy, subsets, n_jobs, threads=False)
    shape = len(sizes), n_repeats
    accuracies, n_items = (np.reshape(part, shape) for part in zip(*tested, strict=True))
    return RetrainedCurve(sizes, accuracies, n_items.sum(axis=1))


def with_fewer_training_items(
    splits: list[Any], codes: np.ndarray, n_train: int, seed: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the splits with `n_train` random training items of each class."""
    rng = spawn(seed, Place.TRAINING_ITEMS)
    smaller = []
    for train, test in splits:
        shuffled = np.asarray(train)[rng.permutation(len(train))]
        by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]

        counts = np.unique(codes[by_class], return_counts=True)[1]
        if counts.min() < n_train:
            raise ValueError(
                f"n_train={n_train} training items of each class are requested, but a split "
                f"(cv=) has {counts.min()} of one class: request fewer, or leave out rare classes."
            )

        rank_in_class = np.arange(len(by_class)) - np.repeat(np.cumsum(counts) - counts, counts)
        smaller.append((np.sort(by_class[rank_in_class < n_train]), test))
    return smaller


def _accuracy(
    estimator: Any,
    X: Any,
    y: np.ndarray,
    split: tuple[np.ndarray, np.ndarray],
    size: int,
    path: tuple[int, int, int],
) -> tuple[float, int]:
    """Return the accuracy over the subsets of one repeat, and the number of test items."""
    classes, codes = np.unique(y, return_inverse=True)
    order = spawn(path[0], Place.SUBSETS, *path[1:]).permutation(len(classes))
    n_right = 0
    n_tested = 0

    # Disjoint subsets of the classes, in a random order.
    for first in range(0, len(classes) - size + 1, size):
        is_chosen = np.zeros(len(classes), dtype=bool)
        is_chosen[order[first : first + size]] = True
        train, test = (rows[is_chosen[codes[rows]]] for rows in split)
        if len(test):
            predicted = _predicted(estimator, X, y, train, test, size)
            n_right += int(np.count_nonzero(predicted == y[test]))
            n_tested += len(test)

    if not n_tested:
        raise ValueError(
            "One of the splits (cv=) has no test items: each class needs items on "
            "both sides. Pass a stratified cv, such as the default, or leave out rare classes."
        )
    return n_right / n_tested, n_tested


def _predicted(
    estimator: Any, X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray, size: int
) -> np.ndarray:
    try:
        fitted = clone(estimator).fit(rows_of(X, train), y[train])
    except ValueError as error:
        raise ValueError(
            f"{estimator!r} could not be trained on {size} of the classes. If its parameters name "
            f"classes, or need all of them, pass retrain=False; else see the error above."
        ) from error
    return np.asarray(fitted.predict(rows_of(X, test)))


def score_method(estimator: Any, response_method: str) -> str:
    """Return the method of an estimator that scores classes."""
    check_choice(response_method, "response_method", ("auto", *SCORE_METHODS))
    methods = SCORE_METHODS if response_method == "auto" else (response_method,)
    for method in methods:
        if hasattr(estimator, method):
            return method
    raise TypeError(
        f"{estimator!r} has no {', no '.join(methods)}, which are needed for scores of classes. "
        "Pass a classifier that has one."
    )


def _scores_of(
    estimator: Any,
    X: Any,
    y: np.ndarray,
    classes: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    method: str,
) -> np.ndarray:
    """Return the scores of test items; a class without training items has -inf."""
    fitted = clone(estimator).fit(rows_of(X, train), y[train])
    # Trees and votes may give probability 0, whose logarithm -inf ranks last.
    with np.errstate(divide="ignore"):
        scores = np.asarray(getattr(fitted, method)(rows_of(X, test)), dtype=float)

    in_pairs = any(
        name.endswith("decision_function_shape") and value == "ovo"
        for name, value in fitted.get_params().items()
    )
    if scores.ndim != 2 or scores.shape[1] != len(fitted.classes_) or in_pairs:
        raise ValueError(
            f"{method} of {estimator!r} must return a column for each of the "
            f"{len(fitted.classes_)} classes, got shape {scores.shape}. Classifiers that compare "
            "classes in pairs need decision_function_shape='ovr'."
        )

    table = np.full((len(test), len(classes)), -np.inf)
    table[:, np.searchsorted(classes, fitted.classes_)] = scores
    return table


class ClassifierAccuracyExtrapolator(AccuracyQuestions, MetaEstimatorMixin, BaseEstimator):
    """Extrapolation of the accuracy of a classifier to more classes than in its data.

    A classifier is *marginal* if the score of a class depends on that class alone, as in naive
    Bayes, quadratic discriminants and nearest centroids. The scores of one cross-validation then
    determine the accuracy with fewer classes, and can be extrapolated to more.

    Logistic regression, support vector machines and trees are not marginal, since they fit each
    class against all others, and nearest neighbors give tied votes. Such classifiers are retrained
    on random subsets of the classes. The gap is the accuracy after retraining minus the accuracy
    computed from the scores. It is near 0 for a marginal classifier, whose prediction is not
    changed. Otherwise the gap is extrapolated on the logit scale, as a linear trend in the
    logarithm of the number of classes.

    .. versionadded:: 0.1

    Parameters
    ----------
    estimator : classifier
        The classifier, which is cloned. A ``FrozenEstimator`` cannot be retrained and needs
        ``retrain=False``.
    extrapolator : AccuracyExtrapolator, default=None
        The extrapolation of scores. None means the default one with the `n_jobs` given here. It
        uses the `random_state` given here unless it has one. Its `classes` are not used.
    retrain : bool, default=True
        Whether to retrain on subsets of the classes and correct the prediction by the gap. False is
        faster, and equally good for marginal classifiers.
    n_sizes : int, default=8
        Number of subset sizes, from an eighth of the classes to all.
    n_repeats : int, default=5
        Number of random splits of all classes into subsets of each size.
    cv : int, cross-validation generator or iterable, default=5
        The cross-validation splits. The prediction is for the number of training items per class
        that these splits have.
    n_train : int, default=None
        Number of training items per class (the paper's r), drawn at random from those of each
        split. The prediction is for this number. None uses all items. Accuracies with more training
        items than are available cannot be estimated.
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
        The accuracies on the subsets, with attributes `sizes` and `accuracies`.
    retrained_distribution_ : Distribution or None
        The distribution fitted to these accuracies alone, for comparison. It uses no scores and has
        a larger variance. None if the method needs scores.
    gap_ : ndarray of shape (n_sizes,) or None
        The mean accuracies of classifiers trained on subsets, minus the accuracies computed from
        the scores of all classes. Near 0 for marginal classifiers.
    model_ : AccuracyModel
        The accuracy for any number of classes, corrected if the classifier was retrained.
    uncertain_model_ : UncertainModel or None
        The model and the models of resampled classes.
    seed_ : int
        The seed of all random numbers.
    verdict_ : Verdict
        The verdict on the extrapolation, with the remark "not_marginal" if the gap is significant.

    See Also
    --------
    AccuracyExtrapolator : Extrapolation of existing scores.
    sklearn_spe.extrapolation.AccuracyExtrapolationDisplay : Draws the curve and the subsets.

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
        estimator: Any,
        *,
        extrapolator: AccuracyExtrapolator | None = None,
        retrain: bool = True,
        n_sizes: int = 8,
        n_repeats: int = 5,
        cv: Any = 5,
        n_train: int | None = None,
        response_method: Any = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.extrapolator = extrapolator
        self.retrain = retrain
        self.n_sizes = n_sizes
        self.n_repeats = n_repeats
        self.cv = cv
        self.n_train = n_train
        self.response_method = response_method
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Score every item by cross-validation, and train on subsets of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of at least three classes.
        groups : array-like of shape (n_samples,), default=None
            Groups for `cv`: items of one group, such as the photographs of one day, are never in
            both the training and the test set of a split.

        Returns
        -------
        self : ClassifierAccuracyExtrapolator

        Raises
        ------
        TypeError
            If the classifier has no scores.
        ValueError
            If there are fewer than three classes, or parameters are inconsistent.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_spe import AccuracyExtrapolator, ClassifierAccuracyExtrapolator
        >>> rng = np.random.default_rng(0)
        >>> y = np.repeat(np.arange(20), 10)
        >>> X = rng.standard_normal((20, 8))[y] + 0.7 * rng.standard_normal((200, 8))
        >>> moment = AccuracyExtrapolator("moment", n_bootstrap=0)
        >>> extrapolator = ClassifierAccuracyExtrapolator(
        ...     GaussianNB(), extrapolator=moment, n_repeats=2, cv=2, random_state=0
        ... )
        >>> extrapolator.fit(X, y).n_classes_
        20
        """
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise TypeError(
                f"estimator must be a classifier with fit, or a FrozenEstimator around a fitted "
                f"one; got {self.estimator!r}."
            )

        check_jobs(self.n_jobs)
        check_flag(self.retrain, "retrain")
        check_features(X, "X")
        y = read_column(y, "y")
        groups = read_column(groups, "groups")
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
        if self.n_train is not None:
            seed = seed_entropy(extrapolator.random_state)
            extrapolator.set_params(random_state=seed)
            splits = with_fewer_training_items(splits, codes, self.n_train, seed)

        method = score_method(self.estimator, self.response_method)
        # Each item is scored by a classifier trained on others.
        parts = [(self.estimator, X, y, self.classes_, *split, method) for split in splits]
        scores = in_parallel(_scores_of, parts, self.n_jobs, threads=False)
        tested = np.concatenate([test for _, test in splits])
        fit_together((extrapolator,), (np.concatenate(scores),), y[tested])

        self.scores_extrapolator_ = extrapolator
        self.seed_ = extrapolator.seed_
        self.verdict_ = extrapolator.verdict_
        self.model_ = extrapolator.model_
        self.uncertain_model_ = extrapolator.uncertain_model_
        self.retrained_curve_: Any = None
        self.retrained_distribution_: Any = None
        self.gap_: Any = None
        if self.retrain:
            self._retrain(X, y, splits)
        warn_of(self.verdict_, stacklevel=2)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        return tags

    @property
    def _confidence_level(self) -> float:
        return self.scores_extrapolator_.confidence_level

    def _splits(
        self, X: Any, codes: np.ndarray, groups: np.ndarray | None, frozen: bool
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        if frozen:
            # Nothing is trained: every item may be tested.
            rows = np.arange(len(codes))
            return [(rows, rows)]
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

        if self.n_train is not None:
            check_count(self.n_train, "n_train", 1)
            if isinstance(self.estimator, FrozenEstimator):
                raise ValueError(
                    f"{self.estimator!r} is not trained, and n_train={self.n_train} has no effect: "
                    "leave it out, or pass the classifier itself."
                )

        if self.retrain and isinstance(self.estimator, FrozenEstimator):
            raise ValueError(
                f"{self.estimator!r} cannot be retrained on fewer classes: pass retrain=False, or "
                "the classifier itself."
            )
        return extrapolator

    def _retrain(self, X: Any, y: np.ndarray, splits: list[tuple[np.ndarray, np.ndarray]]) -> None:
        """Train on subsets of the classes, and fit the drift of the predictions."""
        by_scores = self.scores_extrapolator_
        sizes = subset_sizes(self.n_classes_, self.n_sizes)
        curve = retrain(
            self.estimator, X, y, splits, sizes, self.n_repeats, self.seed_, self.n_jobs
        )
        self.retrained_curve_ = curve

        measured = curve.mean()
        expected = by_scores.model_.accuracy(sizes)
        self.gap_ = measured - expected

        if isinstance(by_scores.method_, CurveMethod):
            weights = 1.0 / curve.variances()
            rng = spawn(self.seed_, Place.METHOD)
            self.retrained_distribution_ = by_scores.method_.fit_curve(
                sizes, measured, weights, rng
            )

        # The curve as measured, and beyond it the drift of the gap.
        drift, error = fit_drift(curve, expected)
        self.model_ = AccuracyModel(
            curve.decreasing(measured), by_scores.model_.distribution, drift
        )
        self.verdict_ = Verdict([*by_scores.verdict_.reasons, *_not_marginal(self.gap_, curve)])

        uncertain = by_scores.uncertain_model_
        if uncertain is None:
            return
        # Items that are tested with all classes.
        n_items = min(by_scores.n_items_, float(curve.n_items[-1]))
        resampled = []
        for i, model in enumerate(uncertain.resampled):
            rng = spawn(self.seed_, Place.RESAMPLED_SUBSETS, i)
            # The choice of classes affects a retrained classifier as much.
            resampled_logits = logits(curve.resampled(rng), curve.n_items)
            resampled_logits += logits(model.accuracy(sizes), curve.n_items)
            resampled_logits -= logits(expected, curve.n_items)
            accuracies = curve.decreasing(special.expit(resampled_logits))
            resampled_drift = drift + error * rng.standard_normal()
            resampled.append(AccuracyModel(accuracies, model.distribution, resampled_drift))
        self.uncertain_model_ = UncertainModel(self.model_, tuple(resampled), n_items)


def _not_marginal(gap: np.ndarray, curve: RetrainedCurve) -> Iterator[Reason]:
    """Yield a remark if the accuracies of retraining and of scores differ significantly."""
    n_sizes, n_repeats = curve.accuracies.shape
    if n_repeats == 1:
        return

    errors = np.abs(gap) / np.sqrt(curve.variances())
    # Student's quantile for the largest of several, as the variance is estimated from few repeats.
    critical = special.stdtrit(n_repeats - 1.0, 1.0 - FALSE_ALARMS / (2.0 * n_sizes))
    notable = (np.abs(gap) > NOTABLE_GAP) & (errors > critical)

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

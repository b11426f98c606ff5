"""The extrapolator of accuracy, and the questions that all of its kind answer."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from ..exceptions import FarExtrapolationWarning
from ..inputs._arrays import ColumnLike, RandomState, TableLike
from ..inputs._validation import (
    check_count,
    check_counts,
    check_jobs,
    check_number,
    seed_entropy,
    spawn,
)
from ..results._distributions import CenteredDraws
from ..results._estimates import CurveBand, ScalarEstimate
from ..results._verdict import warn_of
from ._accuracy_curve import AccuracyModel, check_class_counts
from ._accuracy_distributions import Distribution
from ._pilot import Pilot
from ._uncertainty import FAR, Place, UncertainModel, fit_model, pilot_verdict, resampled_models
from .methods._curve_methods import Method
from .methods._registry import as_method

# More resamples than these only cost time.
MAX_RESAMPLES = 100_000


class AccuracyQuestions:
    """Mixin of estimators that have `model_`, `uncertain_model_`, `seed_` and `n_classes_`.

    And `_confidence_level`, the level of bands.
    """

    model_: AccuracyModel
    uncertain_model_: UncertainModel | None
    seed_: int
    n_classes_: int

    @property
    def _confidence_level(self) -> float:
        raise NotImplementedError

    def predict(self, n_classes: ArrayLike, *, top: int = 1) -> float | np.ndarray:
        """Return the average accuracy for a number of classes.

        Parameters
        ----------
        n_classes : int or array-like of shape (n_counts,)
            At least 1. Up to the pilot's number of classes the result is the measured accuracy.
        top : int, default=1
            An item is right if its class is among the first `top`.

        Returns
        -------
        accuracy : float or ndarray of shape (n_counts,)
            In [0, 1]; it decreases with the number of classes.

        Raises
        ------
        TypeError, ValueError
            If `n_classes` or `top` is not a number, not whole, or below 1.

        Examples
        --------
        >>> from sklearn_spe import AccuracyExtrapolator
        >>> from sklearn_spe.extrapolation import make_recognition_scores
        >>> X, y = make_recognition_scores(40, n_test=5, random_state=0)
        >>> extrapolator = AccuracyExtrapolator("moment", n_bootstrap=5, random_state=0)
        >>> extrapolator = extrapolator.fit(X, y)
        >>> bool(extrapolator.predict(400) < extrapolator.predict(40))
        True
        """
        check_is_fitted(self, "model_")
        model = self.model_.with_top(top)
        accuracies = model.accuracy(asked_counts(n_classes, self.n_classes_))
        return accuracies if np.ndim(n_classes) else float(accuracies[0])

    def predict_band(self, n_classes: ArrayLike, *, top: int = 1) -> CurveBand:
        """Return the accuracy curve with its band.

        Parameters
        ----------
        n_classes : int or array-like of shape (n_counts,)
        top : int, default=1
            An item is right if its class is among the first `top`.

        Returns
        -------
        band : CurveBand
            The band over the distinct numbers of classes, in increasing order.

        Raises
        ------
        ValueError
            If no classes were resampled (``n_bootstrap=0``).

        Examples
        --------
        >>> from sklearn_spe import AccuracyExtrapolator
        >>> from sklearn_spe.extrapolation import make_recognition_scores
        >>> X, y = make_recognition_scores(40, n_test=5, random_state=0)
        >>> extrapolator = AccuracyExtrapolator("moment", n_bootstrap=5, random_state=0)
        >>> extrapolator = extrapolator.fit(X, y)
        >>> extrapolator.predict_band([40, 100, 400]).value.shape
        (3,)
        """
        check_is_fitted(self, "model_")
        return self._band(np.unique(asked_counts(n_classes, self.n_classes_)), top)

    def estimate(self, n_classes: float, *, top: int = 1) -> ScalarEstimate:
        """Return the accuracy for a number of classes, with its interval.

        Parameters
        ----------
        n_classes : int
            At least 1.
        top : int, default=1
            An item is right if its class is among the first `top`.

        Returns
        -------
        estimate : ScalarEstimate
            Its `value` is the result of :meth:`predict`.

        Raises
        ------
        ValueError
            If no classes were resampled (``n_bootstrap=0``), or several numbers are given.

        Examples
        --------
        >>> from sklearn_spe import AccuracyExtrapolator
        >>> from sklearn_spe.extrapolation import make_recognition_scores
        >>> X, y = make_recognition_scores(40, n_test=5, random_state=0)
        >>> extrapolator = AccuracyExtrapolator("moment", n_bootstrap=5, random_state=0)
        >>> extrapolator = extrapolator.fit(X, y)
        >>> low, high = extrapolator.estimate(400).interval()
        >>> bool(0.0 <= low <= high <= 1.0)
        True
        """
        check_is_fitted(self, "model_")
        # Ragged input has no dimension.
        if not np.isscalar(n_classes) and np.ndim(check_counts(n_classes, "n_classes")):
            raise ValueError(
                f"estimate takes one number of classes, got {n_classes!r}; predict_band takes "
                f"several."
            )
        counts = np.atleast_1d(asked_counts(n_classes, self.n_classes_))
        return self._band(counts, top).at(n_classes)

    def n_classes_at(
        self, accuracy: float, *, max_classes: int | None = None, top: int = 1
    ) -> ScalarEstimate:
        r"""Return the number of classes up to which the classifier keeps an accuracy.

        The result inverts :meth:`predict`: it is the largest k with :math:`AGA_k \ge a`, where
        :math:`AGA_k = E[U^{k - 1}]` (theorem 4.1 of [1]_). The interval contains the numbers of
        classes at which the band of :meth:`predict_band` contains a.

        Parameters
        ----------
        accuracy : float in [0, 1]
            The accuracy a to keep.
        max_classes : int, default=None
            The largest number of classes considered. None means 25 times the number in the pilot;
            beyond it, every method is biased on some problems.
        top : int, default=1
            An item is right if its class is among the first `top`.

        Returns
        -------
        estimate : ScalarEstimate
            Its `value` and the ends of its interval are whole numbers. An end is ``inf`` if the
            accuracy is still at least a with `max_classes`.

        Raises
        ------
        ValueError
            If no classes were resampled (``n_bootstrap=0``), or an argument is out of its range.

        References
        ----------
        .. [1] C. Y. Zheng, R. Achanta, Y. Benjamini. "Extrapolating expected accuracies for
           recognition tasks." 2017.

        Examples
        --------
        >>> from sklearn_spe import AccuracyExtrapolator
        >>> from sklearn_spe.extrapolation import make_recognition_scores
        >>> X, y = make_recognition_scores(40, n_test=5, random_state=0)
        >>> extrapolator = AccuracyExtrapolator("moment", n_bootstrap=5, random_state=0)
        >>> extrapolator = extrapolator.fit(X, y)
        >>> n_classes = extrapolator.n_classes_at(extrapolator.predict(200))
        >>> n_classes.value
        200.0
        >>> low, high = n_classes.interval()
        >>> low < 200 < high
        True
        """
        check_is_fitted(self, "model_")
        accuracy = check_number(accuracy, "accuracy", "[0, 1]")
        if max_classes is None:
            max_classes = int(FAR * self.n_classes_)
        largest = check_count(max_classes, "max_classes")
        asked_counts(largest, self.n_classes_)

        distribution = self._uncertain(top).n_classes_at(accuracy, largest, self.seed_)
        metric = _name_of(top)
        name = f"number of classes with {metric} >= {accuracy:.6g} (inf: more than {largest:,})"
        return ScalarEstimate(name, distribution, self._confidence_level, kind="bootstrap")

    @property
    def D_(self) -> Distribution:
        r"""The distribution function of the conditional accuracy, :math:`\bar D(u)`.

        It is a smooth fit. Up to the pilot's number of classes ``D_.accuracy(k)`` therefore differs
        a little from the measured accuracy. :meth:`predict` returns the measured accuracy there,
        and scales the fit beyond it to be continuous.
        """
        return self.model_.distribution

    @property
    def asymptotic_accuracy_(self) -> float:
        """The limit of the accuracy as the number of classes increases."""
        return self.model_.asymptotic_accuracy

    def _uncertain(self, top: int) -> UncertainModel:
        if self.uncertain_model_ is None:
            raise ValueError(
                "A band needs resampled classes: fit with n_bootstrap of at least 2, such as 30."
            )
        return self.uncertain_model_.with_top(top)

    def _band(self, counts: np.ndarray, top: int) -> CurveBand:
        distribution = self._uncertain(top).distribution(counts, self.seed_)
        name = _name_of(top)
        return band_of(distribution, counts, self._confidence_level, name, name)


def band_of(
    distribution: CenteredDraws,
    counts: np.ndarray,
    level: float,
    name: str = "accuracy",
    y_name: str = "accuracy",
) -> CurveBand:
    """Return the band of a distribution over numbers of classes."""
    return CurveBand(
        name,
        counts,
        distribution,
        x_name="number of classes",
        y_name=y_name,
        confidence_level=level,
        kind="bootstrap",
    )


def asked_counts(n_classes: ArrayLike, n_tried: int) -> np.ndarray:
    """Return numbers of classes as a vector; warn if they are far beyond the pilot's."""
    counts = check_class_counts(n_classes)
    if (counts > FAR * n_tried).any():
        warnings.warn(
            f"{counts.max()} classes are more than {FAR:g} times the {n_tried} of the pilot: at "
            "this distance every method is biased on some problems. The band is wider there; a "
            "larger pilot would be more informative.",
            FarExtrapolationWarning,
            stacklevel=3,
        )
    return counts


class AccuracyExtrapolator(AccuracyQuestions, BaseEstimator):
    r"""Extrapolation of the accuracy of a classifier to more classes than were tested.

    For example, a pilot study has a hundred classes, and the product will have two thousand. If all
    classes are drawn from one population, and the score of a class depends on that class alone, the
    average accuracy with k classes is

    .. math::
        AGA_k = E[U^{k - 1}] = 1 - (k - 1) \int_0^1 \bar D(u) u^{k - 2} du,

    where U, the conditional accuracy of an item, is the probability that a random wrong class
    scores below its true one, and :math:`\bar D` is the distribution function of U (theorem 4.1 of
    [1]_). Up to the pilot's number of classes, the accuracy is computed exactly from the ranks.
    Beyond it, the distribution of U is estimated.

    .. versionadded:: 0.1

    Parameters
    ----------
    method : str or Method, default="auto"
        The estimator of the distribution of U. "moment" (the splines of [1]_), "pseudolikelihood",
        "classexreg" and "probit" use the ranks of the true classes. "kde" and "scores" use the
        scores. "blend" is the mean of "scores", "classexreg" and "probit". "auto" is the best in
        simulations, "blend". Methods with options are in :mod:`sklearn_spe.extrapolation`.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of `X`, such as the classifier's `classes_`. None means the column
        names of a data frame, if they include all labels in `y`; else the sorted classes of `y`,
        which must then contain every class.
    average : {"macro", "micro"}, default="macro"
        Whether averages are over classes or over items; see :func:`average_accuracy_curve`. They
        differ only if some classes have more items than others.
    confidence_level : float in (0, 1), default=0.9
        The default level of bands.
    n_bootstrap : int, default=30
        Number of bootstrap resamples of the classes for the bands. 0 means no bands, and is much
        faster.
    random_state : int, RandomState, Generator or None, default=None
        An int makes the result reproducible.
    n_jobs : int, default=None
        Number of parallel workers, which start only for long computations. The result does not
        depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class of each column.
    n_classes_ : int
        Number of classes in the pilot.
    n_features_in_ : int
        The same.
    feature_names_in_ : ndarray of shape (n_classes,)
        The names of the columns of a data frame.
    wins_histogram_ : ndarray of shape (n_classes,)
        The share of the items whose true class outscores 0, 1, ..., all wrong classes. It is a
        sufficient statistic for methods that use ranks.
    accuracy_curve_ : ndarray of shape (n_classes,)
        The average accuracy with 1, 2, ..., all classes of the pilot.
    D_ : callable
        The distribution function of U, :math:`\bar D(u)`. For accuracies use `predict`, which also
        matches the measured accuracy of the pilot.
    asymptotic_accuracy_ : float
        The limit of the accuracy as the number of classes increases. It is a property of the fitted
        distribution, has no band, and should not be reported.
    n_items_ : float
        The effective number of test items.
    n_errors_ : float
        Number of items misclassified with all classes of the pilot. A tie counts as a fraction.
    method_ : Method
        The method that was used.
    model_ : AccuracyModel
        The accuracy for any number of classes.
    uncertain_model_ : UncertainModel or None
        The model, and the models of resampled classes, from which bands are computed.
    verdict_ : Verdict
        "ok"; "unidentified", with the reasons "few_classes", "few_errors", "ties" or "few_winners";
        or "misfit", with the reasons "no_order", "law_contradicted" or "no_law".
    seed_ : int
        The seed of all random numbers: repeated calls give equal results.

    See Also
    --------
    average_accuracy_curve : The accuracy with at most the classes of the pilot.
    AccuracyComparison : Two classifiers side by side.
    ClassifierAccuracyExtrapolator : Fits a classifier, also on fewer classes.
    sklearn_spe.extrapolation.AccuracyExtrapolationDisplay : Draws the curve.

    Notes
    -----
    The prediction assumes the same number of training items per class as in the pilot. The score of
    a class must depend on its own training items alone, as in naive Bayes, quadratic discriminants,
    nearest centroids and the distance to the nearest neighbor. For other classifiers see
    :class:`ClassifierAccuracyExtrapolator`. Test items must not be training items. Votes, hard
    decisions and rounded scores make the prediction too high. The classes of the pilot must be a
    random sample of all classes: a hundred well-known faces do not represent two thousand
    strangers.

    For the bands, classes are resampled with their items and columns. The variance is at least the
    binomial variance of the pilot's errors, which assumes independent items: with few errors, keep
    only one item of each group of near-duplicates. The added error of the method increases with the
    logarithm of the number of classes.

    The upper end of a band decreases on a fixed grid of numbers of classes with ratio 1.25. Between
    grid points it may increase by a few thousandths, or by more with few resamples. Beyond 25 times
    the classes of the pilot every method is biased on some problems. Bands are wider there, and a
    :class:`~sklearn_spe.exceptions.FarExtrapolationWarning` is issued.

    References
    ----------
    .. [1] C. Y. Zheng, R. Achanta, Y. Benjamini. "Extrapolating expected accuracies for
       recognition tasks." 2017.

    Examples
    --------
    >>> from sklearn_spe import AccuracyExtrapolator
    >>> from sklearn_spe.extrapolation import GaussianClasses, make_recognition_scores
    >>> task = GaussianClasses(noise=0.4)
    >>> X, y = make_recognition_scores(100, task=task, n_test=5, random_state=0)
    >>> extrapolator = AccuracyExtrapolator(n_bootstrap=3, random_state=0).fit(X, y)
    >>> extrapolator.predict([100, 1000]).round(2), task.accuracy([100, 1000]).round(2)
    (array([..., ...]), array([..., ...]))
    >>> low, high = extrapolator.estimate(1000).interval()
    >>> bool(low < task.accuracy(1000) < high)
    True
    """

    def __init__(
        self,
        method: str | Method = "auto",
        *,
        classes: ArrayLike | None = None,
        average: str = "macro",
        confidence_level: float = 0.9,
        n_bootstrap: int = 30,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.classes = classes
        self.average = average
        self.confidence_level = confidence_level
        self.n_bootstrap = n_bootstrap
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: TableLike, y: ColumnLike, sample_weight: ArrayLike | None = None) -> Self:
        """Estimate the distribution of the conditional accuracy.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_classes)
            The score of each class for each test item, larger for more likely. ``-inf`` is allowed.
            A transposed square table is not detected.
        y : array-like of shape (n_samples,)
            The true classes, in the order of the rows of `X`; a pandas index is ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of each item in the population. Only ratios of weights matter.

        Returns
        -------
        self : AccuracyExtrapolator

        Raises
        ------
        ValueError
            If shapes are inconsistent, a score is NaN or ``+inf``, a label is not the class of any
            column, or a parameter is out of range.

        Examples
        --------
        >>> from sklearn_spe import AccuracyExtrapolator
        >>> from sklearn_spe.extrapolation import make_recognition_scores
        >>> X, y = make_recognition_scores(40, n_test=5, random_state=0)
        >>> extrapolator = AccuracyExtrapolator("moment", n_bootstrap=5, random_state=0)
        >>> extrapolator.fit(X, y).n_classes_
        40
        """
        fit_together((self,), (X,), y, sample_weight)
        warn_of(self.verdict_, stacklevel=2)
        return self

    def item_accuracy(
        self, X: TableLike, y: ColumnLike, n_classes: ArrayLike, *, top: int = 1
    ) -> np.ndarray:
        r"""Return the probability that each item is classified correctly with more classes.

        If the true class of an item outscores w of the n wrong classes of the pilot, its U has the
        density :math:`u^w (1 - u)^{n - w} d\bar D(u)`, up to a factor. The result is the mean of
        :math:`U^{k - 1}`, which averages over new sets of classes. It uses ranks alone.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_classes)
            The scores of the pilot's classes for any test items, those of `fit` or others.
        y : array-like of shape (n_samples,)
            Their true classes.
        n_classes : int or array-like of shape (n_counts,)
        top : int, default=1
            An item is right if its class is among the first `top`.

        Returns
        -------
        accuracy : ndarray of shape (n_samples,) or (n_samples, n_counts)
            NaN if the fitted distribution gives the observed rank of the item probability 0.

        Examples
        --------
        The items that twenty times as many classes will cost:

        >>> import numpy as np
        >>> from sklearn_spe import AccuracyExtrapolator
        >>> from sklearn_spe.extrapolation import make_recognition_scores
        >>> X, y = make_recognition_scores(40, n_test=5, random_state=0)
        >>> extrapolator = AccuracyExtrapolator(n_bootstrap=0, random_state=0).fit(X, y)
        >>> right = X.argmax(axis=1) == y
        >>> accuracy = extrapolator.item_accuracy(X, y, 800)
        >>> bool(accuracy[right].min() > accuracy[~right].max())
        True
        """
        check_is_fitted(self, "model_")
        check_count(top, "top")
        pilot = Pilot.of(X, y, self.classes_)
        counts = check_class_counts(n_classes)
        by_wins = self.D_.accuracies_by_wins(pilot.n_wrong, counts, top)

        # An item with t ties has as likely w, w + 1, ... or w + t wins.
        wins, ties = pilot.wins_and_ties
        summed = np.concatenate([np.zeros((1, len(counts))), np.cumsum(by_wins, axis=0)])
        mean_of_ties = (summed[wins + ties + 1] - summed[wins]) / (ties + 1.0)[:, np.newaxis]
        accuracy = np.where((ties > 0)[:, np.newaxis], mean_of_ties, by_wins[wins])

        return accuracy if np.ndim(n_classes) else accuracy[:, 0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @property
    def _confidence_level(self) -> float:
        return self.confidence_level


def fit_together(
    extrapolators: Sequence[AccuracyExtrapolator],
    tables: Sequence[Any],
    y: ColumnLike,
    sample_weight: ArrayLike | None = None,
) -> None:
    """Fit extrapolators of classifiers to the same classes, which are resampled jointly.

    All input is validated before any attribute is set; no warnings are issued.
    """
    first = extrapolators[0]
    check_number(first.confidence_level, "confidence_level", "(0, 1)")
    check_count(first.n_bootstrap, "n_bootstrap", 0)
    check_jobs(first.n_jobs)
    if first.n_bootstrap == 1:
        raise ValueError("n_bootstrap must be 0, for no bands, or at least 2; got 1.")
    if first.n_bootstrap > MAX_RESAMPLES:
        raise ValueError(
            f"n_bootstrap must be at most {MAX_RESAMPLES:,}, got {first.n_bootstrap}; a few "
            f"hundred are enough for a band."
        )

    method = as_method(first.method)
    pilots = [Pilot.of(table, y, first.classes, sample_weight, first.average) for table in tables]
    seed = seed_entropy(first.random_state)

    # The same resampled classes for all classifiers.
    resampled = [()] * len(pilots)
    if first.n_bootstrap:
        models = resampled_models(pilots, method, first.n_bootstrap, seed, first.n_jobs)
        resampled = list(zip(*models, strict=True))

    rows = zip(extrapolators, tables, pilots, resampled, strict=True)
    for extrapolator, table, pilot, models_of_resamples in rows:
        # Sets the number and the names of the columns.
        validate_data(extrapolator, table, skip_check_array=True)
        model = fit_model(pilot, method, spawn(seed, Place.METHOD))
        n_items = pilot.effective_items

        extrapolator.method_ = method
        extrapolator.seed_ = seed
        extrapolator.classes_ = pilot.classes
        extrapolator.n_classes_ = pilot.n_classes
        extrapolator.n_items_ = n_items
        extrapolator.n_errors_ = pilot.n_errors
        extrapolator.wins_histogram_ = pilot.histogram
        extrapolator.model_ = model
        extrapolator.accuracy_curve_ = model.curve
        extrapolator.uncertain_model_ = None
        if models_of_resamples:
            uncertain_model = UncertainModel(model, models_of_resamples, n_items)
            extrapolator.uncertain_model_ = uncertain_model
        extrapolator.verdict_ = pilot_verdict(model, pilot)


def _name_of(top: int) -> str:
    """Return the name of the accuracy of the first `top` classes."""
    return "accuracy" if top == 1 else f"top-{top} accuracy"

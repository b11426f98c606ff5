"""Comparison of two classifiers at larger numbers of classes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from ..inputs._frames import read_column, read_frame
from ..inputs._validation import check_aligned, shape_of
from ..results._distributions import CenteredDraws, probability_of
from ..results._estimates import CurveBand
from ..results._verdict import Verdict, warn_of
from ._extrapolator import AccuracyExtrapolator, asked_counts, band_of, fit_together


class AccuracyComparison(BaseEstimator):
    """Comparison of two classifiers, and whether their ranking switches with more classes.

    For example, one classifier was best on a thousand image categories, and another one on ten
    thousand [1]_. Both pilots are extrapolated, and their classes are resampled jointly. The
    difficulty of the pilot classes, which is common to both, cancels in the difference. The errors
    of the method are assumed independent, so even for two equal classifiers the difference has
    a band. Nothing is retrained: the result is valid only for marginal classifiers, whose score of
    a class depends on that class alone.

    .. versionadded:: 0.1

    Parameters
    ----------
    extrapolator : AccuracyExtrapolator, default=None
        It is cloned for each classifier, and must have ``n_bootstrap`` above 0. None means the
        default one.

    Attributes
    ----------
    extrapolators_ : tuple of two AccuracyExtrapolator
        Fitted, in the order of the tables of scores.
    leader_ : int or None
        The index of the classifier that is more accurate with all classes of the pilot, 0 or 1;
        None if they are equal.
    verdict_ : Verdict
        The verdict on both extrapolations.

    See Also
    --------
    AccuracyExtrapolator : One classifier.
    sklearn_spe.extrapolation.AccuracyExtrapolationDisplay : Draws both curves.

    References
    ----------
    .. [1] J. Deng, A. C. Berg, K. Li, L. Fei-Fei. "What does classifying more than 10,000 image
       categories tell us?" ECCV 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import AccuracyComparison, AccuracyExtrapolator
    >>> from sklearn_spe.extrapolation import GaussianClasses
    >>> few_features, many_features = GaussianClasses(3, noise=0.1), GaussianClasses(30, noise=0.8)
    >>> few_features.accuracy([80, 2000]).round(2), many_features.accuracy([80, 2000]).round(2)
    (array([0.89, 0.38]), array([0.86, 0.53]))
    >>> rng = np.random.default_rng(0)
    >>> first, y = few_features.draw(80, 5, rng)
    >>> second, _ = many_features.draw(80, 5, rng)
    >>> comparison = AccuracyComparison(AccuracyExtrapolator(n_bootstrap=2, random_state=0))
    >>> comparison = comparison.fit([first, second], y)
    >>> comparison.leader_
    0
    >>> bool(comparison.switch_probability(2000) > 0.5)
    True
    """

    def __init__(self, extrapolator: AccuracyExtrapolator | None = None) -> None:
        self.extrapolator = extrapolator

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Extrapolate both classifiers.

        Parameters
        ----------
        X : sequence of two array-likes of shape (n_samples, n_classes)
            The scores that each classifier gives to the same items and classes.
        y : array-like of shape (n_samples,)
            The true classes.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self : AccuracyComparison

        Raises
        ------
        ValueError
            If X does not hold two tables of the same shape, or classes are not resampled.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import AccuracyComparison, AccuracyExtrapolator
        >>> from sklearn_spe.extrapolation import GaussianClasses
        >>> rng = np.random.default_rng(0)
        >>> first, y = GaussianClasses(noise=0.4).draw(40, 5, rng)
        >>> second, _ = GaussianClasses(noise=0.6).draw(40, 5, rng)
        >>> moment = AccuracyExtrapolator("moment", n_bootstrap=5, random_state=0)
        >>> comparison = AccuracyComparison(moment).fit([first, second], y)
        >>> comparison.leader_
        0
        """
        is_array = isinstance(X, np.ndarray) and X.ndim > 0
        is_pair = (is_array or isinstance(X, (list, tuple))) and len(X) == 2
        if is_pair and not is_array:
            X = [read_frame(table, f"X[{number}]") for number, table in enumerate(X)]

        y = read_column(y, "y")
        sample_weight = read_column(sample_weight, "sample_weight")
        if not is_pair or len(shape_of(X[0])) != 2:
            raise ValueError(
                f"X must hold two tables of scores, one per classifier: [first, second]; got "
                f"{_shown(X)}."
            )
        check_aligned(**{"X[0]": X[0], "X[1]": X[1]}, y=y, sample_weight=sample_weight)
        shapes = shape_of(X[0]), shape_of(X[1])
        if shapes[0] != shapes[1]:
            raise ValueError(
                f"Both classifiers must score the same items and classes, got tables of shapes "
                f"{shapes[0]} and {shapes[1]}."
            )
        base = AccuracyExtrapolator() if self.extrapolator is None else self.extrapolator
        if not isinstance(base, AccuracyExtrapolator):
            raise TypeError(f"extrapolator must be an AccuracyExtrapolator, got {base!r}.")
        if base.n_bootstrap == 0:
            raise ValueError("A comparison needs resampled classes, got n_bootstrap=0.")
        pair = tuple(clone(base) for _ in X)
        fit_together(pair, X, y, sample_weight)
        self.extrapolators_ = pair
        lead = np.sign(pair[0].accuracy_curve_[-1] - pair[1].accuracy_curve_[-1])
        self.leader_ = {1.0: 0, -1.0: 1}.get(float(lead))
        self.verdict_ = Verdict.of_all(
            (f"classifier {i}", extrapolator.verdict_) for i, extrapolator in enumerate(pair)
        )
        warn_of(self.verdict_, stacklevel=2)
        return self

    def difference_band(self, n_classes: ArrayLike) -> CurveBand:
        """Return the difference of the accuracies, first minus second, with a band.

        Parameters
        ----------
        n_classes : int or array-like of shape (n_counts,)

        Returns
        -------
        band : CurveBand
            The band over the distinct numbers of classes, in increasing order.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import AccuracyComparison, AccuracyExtrapolator
        >>> from sklearn_spe.extrapolation import GaussianClasses
        >>> rng = np.random.default_rng(0)
        >>> first, y = GaussianClasses(noise=0.4).draw(40, 5, rng)
        >>> second, _ = GaussianClasses(noise=0.6).draw(40, 5, rng)
        >>> moment = AccuracyExtrapolator("moment", n_bootstrap=5, random_state=0)
        >>> comparison = AccuracyComparison(moment).fit([first, second], y)
        >>> comparison.difference_band([40, 400]).value.shape
        (2,)
        """
        check_is_fitted(self, "extrapolators_")
        first = self.extrapolators_[0]
        counts = np.unique(asked_counts(n_classes, first.n_classes_))
        names = "accuracy difference", "accuracy of the first less that of the second"
        return band_of(self._difference(counts), counts, first.confidence_level, *names)

    def switch_probability(self, n_classes: ArrayLike) -> Any:
        """Return the probability that the leader in the pilot no longer leads.

        Parameters
        ----------
        n_classes : int or array-like of shape (n_counts,)

        Returns
        -------
        probability : float or ndarray of shape (n_counts,)
            A bootstrap probability, not a posterior probability; NaN if both are equal in the
            pilot. At the pilot's number of classes it is the probability that the other classifier
            is better.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import AccuracyComparison, AccuracyExtrapolator
        >>> from sklearn_spe.extrapolation import GaussianClasses
        >>> rng = np.random.default_rng(0)
        >>> first, y = GaussianClasses(noise=0.4).draw(40, 5, rng)
        >>> second, _ = GaussianClasses(noise=0.6).draw(40, 5, rng)
        >>> moment = AccuracyExtrapolator("moment", n_bootstrap=5, random_state=0)
        >>> comparison = AccuracyComparison(moment).fit([first, second], y)
        >>> bool(0.0 <= comparison.switch_probability(400) <= 1.0)
        True
        """
        check_is_fitted(self, "extrapolators_")
        counts = asked_counts(n_classes, self.extrapolators_[0].n_classes_)
        if self.leader_ is None:
            probability = np.full(len(counts), np.nan)
        else:
            distinct, place = np.unique(counts, return_inverse=True)
            distribution = self._difference(distinct)
            lead = distribution.draws if self.leader_ == 0 else -distribution.draws
            behind = (lead < 0.0) + 0.5 * (lead == 0.0)
            probability = probability_of(behind, distribution.weights)[place]
        return probability if np.ndim(n_classes) else float(probability[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags

    def _difference(self, counts: np.ndarray) -> CenteredDraws:
        first, second = (
            extrapolator.uncertain_model_.distribution(counts, extrapolator.seed_, system)
            for system, extrapolator in enumerate(self.extrapolators_)
        )
        return CenteredDraws(
            first.draws - second.draws, first.weights, first.center - second.center
        )


def _shown(X: Any) -> str:
    return f"shape {np.shape(X)}" if hasattr(X, "shape") else f"a {type(X).__name__}"

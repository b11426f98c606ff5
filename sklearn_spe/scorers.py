"""Scorers: what model selection may ask of a fitted score model."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._labels import UNLABELED
from ._scores import check_frequencies, check_scores

__all__ = ["label_log_likelihood"]


def label_log_likelihood(estimator, X, y, sample_weight=None) -> float:
    """Return the mean of log p(y | score) over held-out labelled items: larger is better.

    A scorer for ``GridSearchCV(scoring=label_log_likelihood)`` and its kind. Where
    `SemisupervisedScoreMixture.score` is decided by thousands of unlabelled scores, this one
    asks the labels alone.

    Parameters
    ----------
    estimator : SemisupervisedScoreMixture or PerformanceCurveEstimator
        Fitted.
    X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)
        Held-out scores.
    y : array-like of shape (n_samples,)
        Labels, with unlabelled items marked as in `fit`; those are left out.
    sample_weight : array-like of shape (n_samples,), default=None
        How many items each row stands for.

    Returns
    -------
    score : float
        NaN if no item is labelled.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import SemisupervisedScoreMixture, label_log_likelihood
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, labels = make_scores(600, random_state=0)
    >>> y = np.where(np.arange(600) < 40, labels, -1)
    >>> mixture = SemisupervisedScoreMixture(random_state=0).fit(scores[:300], y[:300])
    >>> bool(label_log_likelihood(mixture, scores[300:], labels[300:]) > -0.5)
    True
    """
    # A performance estimator holds the model of its scores.
    estimator = getattr(estimator, "mixture_", estimator)
    check_is_fitted(estimator, "posterior_")
    scores = check_scores(estimator, X, reset=False, positive=estimator.labels_.positive)
    scores = estimator.orientation_.turn(scores)
    codes = estimator.labels_.codes(y, len(scores))
    weights = check_frequencies(sample_weight, len(scores))
    known = (codes != UNLABELED) & (weights > 0.0)
    if not known.any():
        return float("nan")
    p = estimator.posterior_.expected_probability(scores[known])
    of_label = np.where(codes[known] == 1, p, 1.0 - p)
    # A probability may round to zero.
    log_probability = np.log(np.maximum(of_label, np.finfo(float).eps))
    return float(np.average(log_probability, weights=weights[known]))

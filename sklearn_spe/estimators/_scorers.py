"""Scorers of fitted score models, for model selection."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier
from sklearn.metrics import get_scorer, make_scorer
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ..inputs._arrays import ColumnLike, TableLike, rows_of
from ..inputs._labels import UNLABELED, encode_labels
from ..inputs._scores import check_frequencies
from ..inputs._validation import check_aligned
from ._score_mixture import labeled_scores


def label_log_likelihood(
    estimator: BaseEstimator, X: TableLike, y: ColumnLike, sample_weight: ArrayLike | None = None
) -> float:
    """Return the mean of log p(y | score) over held-out labeled items; larger is better.

    Use it as ``GridSearchCV(scoring=label_log_likelihood)`` or in similar tools. It uses the labels
    alone, whereas `SemisupervisedScoreMixture.score` is dominated by thousands of unlabeled scores.
    Avoid ``HalvingGridSearchCV``: it subsamples the labels with the items, so its results depend on
    few labels.

    .. versionadded:: 0.1

    Parameters
    ----------
    estimator : SemisupervisedScoreMixture, PerformanceCurveEstimator or classifier
        The fitted estimator. A classifier needs `predict_proba`.
    X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)
        Held-out scores; for a classifier, held-out features.
    y : array-like of shape (n_samples,)
        Labels, with unlabeled items marked as in `fit`. Unlabeled items are ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        Number of items that each row represents.

    Returns
    -------
    score : float
        NaN if no item is labeled.

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
    if isinstance(estimator, type) or not hasattr(estimator, "__sklearn_tags__"):
        raise TypeError(
            f"estimator must be a fitted SemisupervisedScoreMixture, PerformanceCurveEstimator or "
            f"classifier, got {estimator!r}."
        )
    if is_classifier(estimator):
        check_aligned(X=X, y=y, sample_weight=sample_weight)
        codes = _codes(estimator, y, None)
        weights = check_frequencies(sample_weight, len(codes))
    else:
        # A performance estimator contains the model of its scores.
        estimator = getattr(estimator, "mixture_", estimator)
        scores, codes, weights = labeled_scores(estimator, X, y, sample_weight)
    known = np.flatnonzero((codes != UNLABELED) & (weights > 0.0))
    if not len(known):
        return float("nan")
    if is_classifier(estimator):
        p = estimator.predict_proba(rows_of(X, known))[np.arange(len(known)), codes[known]]
    else:
        p = estimator.posterior_.predicted_probability(scores[known])
        p = np.where(codes[known] == 1, p, 1.0 - p)
    # A probability may round to zero.
    log_probability = np.log(np.maximum(p, np.finfo(float).eps))
    return float(np.average(log_probability, weights=weights[known]))


def _codes(estimator: BaseEstimator, y: ColumnLike, marker: Hashable) -> np.ndarray:
    """Return the codes of labels as an estimator reads them; the default marker is -1."""
    check_is_fitted(estimator, "classes_")
    if marker is None:
        marker = getattr(estimator, "unlabeled_label", -1)
    return encode_labels(y, classes=estimator.classes_, unlabeled_label=marker)[0]


def make_semisupervised_scorer(
    metric: str | Callable[..., float], *, unlabeled_label: Hashable = None, **kwargs: Any
) -> Any:
    """Make a scorer of a scikit-learn metric that ignores unlabeled items.

    Use it for ``GridSearchCV(scoring=...)``, ``cross_validate`` and similar tools with a partially
    labeled y. scikit-learn's own scorers reject the missing labels or treat them as an additional
    class. Avoid ``HalvingGridSearchCV``: it subsamples the labels with the items, so its results
    depend on few labels.

    .. versionadded:: 0.1

    Parameters
    ----------
    metric : str, scorer or callable
        A scorer, the name of a scorer such as "neg_brier_score", or a function
        ``metric(y_true, y_pred)`` for :func:`sklearn.metrics.make_scorer`.
    unlabeled_label : object, default=None
        Marker of unlabeled items in `y`, besides NaN, None and ``pd.NA``. None uses the
        `unlabeled_label` of the estimator, or -1 if it has none.
    **kwargs
        Arguments of :func:`sklearn.metrics.make_scorer`, if `metric` is a function:
        `response_method`, `greater_is_better` and parameters of the metric.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y, sample_weight=None)``; NaN if no item is labeled. The estimator
        is a classifier or a `SemisupervisedScoreMixture`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV, StratifiedKFold
    >>> from sklearn_spe import SemisupervisedScoreMixture, make_semisupervised_scorer
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, labels = make_scores(300, random_state=0)
    >>> y = np.where(np.arange(300) < 60, labels, -1)
    >>> experts = ["rank_binormal", "score_log_odds"]
    >>> search = GridSearchCV(
    ...     SemisupervisedScoreMixture("norm", "norm", experts=experts, random_state=0),
    ...     {"score_kind": ["log_odds", "margin"]},
    ...     scoring=make_semisupervised_scorer("neg_brier_score"),
    ...     cv=StratifiedKFold(2),  # stratify the labels
    ... )
    >>> bool(search.fit(scores, y).best_score_ > -0.2)
    True
    """
    if metric is label_log_likelihood:
        return metric
    made = isinstance(metric, str) or hasattr(metric, "get_metadata_routing")
    if made and kwargs:
        raise TypeError(
            f"{metric!r} is already a scorer and takes no {', '.join(kwargs)}=; pass the "
            "function of the metric instead."
        )
    if isinstance(metric, str):
        return _SemisupervisedScorer(get_scorer(metric), unlabeled_label)
    # Scorers define metadata routing, metric functions do not.
    if hasattr(metric, "get_metadata_routing"):
        return _SemisupervisedScorer(metric, unlabeled_label)
    return _SemisupervisedScorer(make_scorer(metric, **kwargs), unlabeled_label)


class _SemisupervisedScorer:
    """A scorer of the labeled rows."""

    def __init__(self, scorer: Any, unlabeled_label: Hashable) -> None:
        self.scorer = scorer
        self.unlabeled_label = unlabeled_label

    def __call__(
        self,
        estimator: Any,
        X: Any,
        y: ColumnLike,
        sample_weight: ArrayLike | None = None,
        **kwargs: Any,
    ) -> float:
        check_aligned(X=X, y=y, sample_weight=sample_weight)
        codes, classes = _codes(estimator, y, self.unlabeled_label), estimator.classes_
        check_consistent_length(X, codes, sample_weight)
        labeled = np.flatnonzero(codes != UNLABELED)
        if not len(labeled):
            return float("nan")
        if sample_weight is not None:
            kwargs["sample_weight"] = check_frequencies(sample_weight, len(codes))[labeled]
        if not is_classifier(estimator):
            estimator = _AsClassifier(estimator)
        return self.scorer(estimator, rows_of(X, labeled), classes[codes[labeled]], **kwargs)

    def get_metadata_routing(self) -> Any:
        return self.scorer.get_metadata_routing()

    def set_score_request(self, **kwargs: Any) -> Self:
        self.scorer.set_score_request(**kwargs)
        return self

    def __repr__(self) -> str:
        return f"make_semisupervised_scorer({self.scorer!r})"


class _AsClassifier(ClassifierMixin, BaseEstimator):
    """A fitted score model that scikit-learn's scorers treat as a classifier."""

    def __init__(self, model: BaseEstimator) -> None:
        self.model = model

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def classes_(self) -> np.ndarray:
        return self.model.classes_

    def predict(self, X: Any) -> np.ndarray:
        return self.model.predict(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        return self.model.predict_proba(X)

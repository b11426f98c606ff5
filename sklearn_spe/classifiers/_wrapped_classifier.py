"""Base of the meta-estimators: a wrapped classifier and a partially labeled y."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    MetaEstimatorMixin,
    clone,
    is_outlier_detector,
)
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    has_fit_parameter,
    validate_data,
)

from ..data._item_data import read_partitions, read_weights
from ..estimators._score_mixture import agreed, given_by, new_mixture
from ..exceptions import IgnoredWeightsWarning, LabelMarkerWarning, ParameterError, RefitWarning
from ..inputs._arrays import ColumnLike, PartlyLabeled
from ..inputs._frames import read_column, read_frame, read_frames
from ..inputs._labels import UNLABELED, encode_labels, positive_class, read_classes
from ..inputs._scores import RESPONSE_METHODS, check_frequencies, known_classes
from ..inputs._validation import check_aligned, check_features, check_jobs

# Of labels of which scikit-learn has made numbers, that of the marker too.
NUMBERED = (
    'If this is cross_val_predict(..., method="predict_proba"): there scikit-learn numbers the '
    "classes, and the marker becomes one of them. Fit and predict in a loop over the folds instead."
)


def are_numbered(y: ColumnLike, n_classes: int) -> bool:
    """Return whether labels are the numbers 0 to `n_classes`, one too many, and none is missing."""
    labels = np.asarray(y)
    if labels.dtype.kind not in "iu" or not labels.size:
        return False
    return bool(labels.min() >= 0 and labels.max() == n_classes)


class WrappedClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Base of classifiers that wrap another one, fitted to a partially labeled data set.

    Subclasses have the parameters `estimator`, `mixture`, `classes`, `pos_label`, `unlabeled_label`
    and `n_jobs`.
    """

    def _is_fixed(self) -> bool:
        """Return whether the estimator does not depend on the labels."""
        return isinstance(self.estimator, FrozenEstimator) or is_outlier_detector(self.estimator)

    def _fit_fixed(self, X: Any, params: dict[str, Any]) -> Any:
        """Return the frozen estimator, or the outlier detector fitted to all rows."""
        if isinstance(self.estimator, FrozenEstimator):
            return self.estimator
        return clone(self.estimator).fit(X, **params)

    def _read(
        self,
        X: Any,
        y: ColumnLike,
        sample_weight: ArrayLike | None,
        groups: ColumnLike | None = None,
        **of_rows: Any,
    ) -> PartlyLabeled:
        """Validate the input of `fit`, except row-wise fit parameters."""
        self._check_estimator()
        self._check_mixture()
        check_jobs(self.n_jobs)
        check_features(X, "X")

        # A column of labels is taken with a warning, as by scikit-learn.
        y = read_frame(y, "y")
        sample_weight = read_column(sample_weight, "sample_weight")
        groups = read_column(groups, "groups")
        of_rows = read_frames(of_rows)
        check_aligned(X=X, y=y, sample_weight=sample_weight, groups=groups, **of_rows)

        codes, classes, frequencies = self._read_labels(y, sample_weight)
        (X,) = indexable(X)
        check_consistent_length(X, codes, frequencies)
        _, partition = read_partitions(None, groups, len(codes))
        self._warn_of_refit()
        parts = None if partition is None else partition.codes
        return PartlyLabeled(X, codes, classes, frequencies, self.unlabeled_label, parts)

    def _check_estimator(self) -> None:
        estimator = self.estimator
        if isinstance(estimator, type) or not hasattr(estimator, "fit"):
            raise TypeError(
                f"estimator must be an estimator with fit, or a FrozenEstimator around a fitted "
                f"one; got {estimator!r}."
            )
        if isinstance(estimator, FrozenEstimator):
            try:
                check_is_fitted(estimator)
            except NotFittedError as error:
                raise NotFittedError(
                    f"{estimator!r} was frozen before it was fitted; fit the classifier first, "
                    "or pass it without FrozenEstimator to fit it here."
                ) from error
        elif not any(hasattr(estimator, method) for method in RESPONSE_METHODS[1:]):
            raise TypeError(
                f"{estimator!r} has no decision_function and no predict_proba, and so no scores; "
                f"pass a classifier that has one."
            )

    def _warn_of_refit(self) -> None:
        if isinstance(self.estimator, FrozenEstimator) or not _has_learned(self.estimator):
            return
        rows = "all rows" if self._is_fixed() else "the labeled rows at most"
        warnings.warn(
            f"{type(self.estimator).__name__} is already fitted, and is fitted again to {rows}. To "
            "keep its fit pass FrozenEstimator(clf), from sklearn.frozen; otherwise clone(clf).",
            RefitWarning,
            stacklevel=4,
        )

    def _positive(self, classes: np.ndarray) -> int:
        """Return the index of the positive class among two."""
        if self.pos_label is None and is_outlier_detector(self.estimator):
            raise ValueError(
                "Which class of an outlier detector is the positive one? Pass pos_label=-1 for "
                "outliers, or pos_label=1 for inliers."
            )
        return positive_class(classes, self.pos_label)

    def _check_mixture(self) -> None:
        if self.mixture is None:
            return
        mixture = new_mixture(self.mixture, random_state=0)
        # Parameters of labels may be those of this estimator too, and no others.
        shared = ("classes", "pos_label")
        in_agreement = agreed(mixture, self, shared)
        of_labels = given_by(mixture, (*shared, "unlabeled_label"))
        changed = [name for name in of_labels if name not in in_agreement]
        if changed:
            raise ValueError(
                f"The labels are validated by {type(self).__name__}: pass {', '.join(changed)} "
                "to it, not to the mixture."
            )

        if not mixture.greater_is_positive:
            raise ValueError(
                "greater_is_positive=False is for scores; larger scores of a classifier always "
                "mean positive."
            )

    def _read_labels(self, y: ColumnLike, sample_weight: ArrayLike | None) -> tuple[Any, ...]:
        """Return the codes of y, -1 if unlabeled or without weight, the classes and the weights."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None. Mark "
                f"items that are not labeled by -1, NaN or None."
            )
        # Not np.ndim: array-likes need not support numpy functions.
        shape = getattr(y, "shape", None)
        if isinstance(shape, tuple) and shape[1:] == (1,):
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected.",
                DataConversionWarning,
                stacklevel=4,
            )

        # A frozen classifier, or an outlier detector, has its classes already.
        known = known_classes(self.estimator) if self._is_fixed() else None
        classes = self._known_or_given(known)
        try:
            codes, all_classes = encode_labels(
                y, classes=classes, unlabeled_label=self.unlabeled_label
            )
        except ParameterError as error:
            if error.parameter != "classes":
                raise
            # cross_val_predict numbers the classes, the marker of unlabeled items among them.
            encoded = classes is not None and are_numbered(y, len(read_classes(classes)))
            if encoded:
                remedy = NUMBERED
            elif known is not None:
                remedy = self._remedy(known)
            else:
                raise
            raise ValueError(f"{error} {remedy}") from error

        if sample_weight is not None:
            codes, sample_weight = read_weights(sample_weight, codes)

        labeled = codes != UNLABELED
        if not labeled.any():
            raise ValueError(
                f"y holds no label: all {len(codes)} items are marked as unlabeled. Label some, "
                "at random or those with high scores."
            )
        if known is not None and -1 in known and labeled.all():
            warnings.warn(
                f"Every item is labeled: -1 is a class of {self.estimator!r} and does not mark "
                "unlabeled items. Mark them by NaN or None.",
                LabelMarkerWarning,
                stacklevel=4,
            )

        if not self._is_fixed() and len(np.unique(codes[labeled])) == 1:
            only = all_classes[codes[labeled][0]].item()
            raise ValueError(
                f"Only one class is labeled, {only!r}, and a classifier cannot be fitted to one "
                "class. Label items of another class, or freeze a classifier that is already "
                "fitted."
            )
        return codes, all_classes, sample_weight

    def _known_or_given(self, known: np.ndarray | None) -> Any:
        if known is None or self.classes is None:
            return self.classes if known is None else known
        if {*known.tolist()} != {*read_classes(self.classes).tolist()}:
            raise ValueError(
                f"classes={list(self.classes)!r} differ from those of {self.estimator!r}, "
                f"{known.tolist()!r}; leave classes= out."
            )
        return known

    def _remedy(self, known: np.ndarray) -> str:
        if is_outlier_detector(self.estimator):
            return (
                "An outlier detector has the classes -1 (outlier) and 1 (inlier): recode y, "
                "np.where(y == 1, -1.0, 1.0) if 1 is the outlier, with NaN for unlabeled items."
            )
        return (
            f"The frozen classifier has the classes {known.tolist()!r}: if other labels mark "
            "unlabeled items, pass unlabeled_label= or mark them by None; else recode y."
        )

    def _route(
        self,
        sample_weight: np.ndarray | None,
        groups: ColumnLike | None,
        fit_params: dict[str, Any],
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the parameters for `fit` of the estimator and for `split` of a splitter."""
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(
                self, "fit", sample_weight=sample_weight, groups=groups, **fit_params
            )
            split = dict(routed.splitter.split) if self._splitter() is not None else {}
            return dict(routed.estimator.fit), split

        params = dict(fit_params)
        if groups is not None and has_fit_parameter(self.estimator, "groups"):
            params["groups"] = groups
        if sample_weight is not None:
            if has_fit_parameter(self.estimator, "sample_weight"):
                params["sample_weight"] = sample_weight
            elif not self._is_fixed():
                warnings.warn(
                    f"{type(self.estimator).__name__} does not accept sample_weight; the weights "
                    "are only used in the model of its scores.",
                    IgnoredWeightsWarning,
                    stacklevel=3,
                )
        return params, {}

    def _splitter(self) -> Any:
        """Return the splitter that metadata is routed to, if there is one."""

    def score(self, X: Any, y: ColumnLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy on the labeled items.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels, with unlabeled items marked as in `fit`. Unlabeled items are ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Number of items that each row represents.

        Returns
        -------
        score : float
            NaN if no item is labeled.
        """
        check_is_fitted(self, "classes_")
        y = read_column(y, "y")
        sample_weight = read_column(sample_weight, "sample_weight")
        check_aligned(X=X, y=y, sample_weight=sample_weight)

        codes, _ = encode_labels(y, classes=self.classes_, unlabeled_label=self.unlabeled_label)
        predicted, _ = encode_labels(self.predict(X), classes=self.classes_)
        check_consistent_length(codes, predicted, sample_weight)
        weights = check_frequencies(sample_weight, len(codes)) * (codes != UNLABELED)
        if not weights.any():
            return np.nan
        return float(weights @ (codes == predicted) / weights.sum())

    def get_metadata_routing(self) -> MetadataRouter:
        """Return how metadata is routed: `fit` passes it on to the estimator and to a splitter.

        Returns
        -------
        routing : MetadataRouter
        """
        router = MetadataRouter(owner=self).add_self_request(self)
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        router.add(estimator=self.estimator, method_mapping=to_fit)
        if self._splitter() is not None:
            to_split = MethodMapping().add(caller="fit", callee="split")
            router.add(splitter=self._splitter(), method_mapping=to_split)
        return router

    def _learn_features(self, X: Any) -> None:
        """Store the number and names of the features."""
        validate_data(self, X, skip_check_array=True, reset=True)

    def _check_features(self, X: Any) -> Any:
        check_is_fitted(self, "classes_")
        check_features(X, "X")
        if hasattr(self, "n_features_in_") and len(getattr(X, "shape", (0, 0))) == 1:
            raise ValueError(
                f"Expected 2D array, got an array of shape {X.shape}. Reshape your data: "
                f"X.reshape(1, -1) if it is one item."
            )
        validate_data(self, X, skip_check_array=True, reset=False)
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inside = get_tags(self.estimator).input_tags
        tags.input_tags.sparse = inside.sparse
        tags.input_tags.allow_nan = inside.allow_nan
        return tags


def _has_learned(estimator: Any) -> bool:
    """Return whether an estimator is fitted, so that a new fit would replace the old one."""
    if not get_tags(estimator).requires_fit:
        return False
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return False
    return True

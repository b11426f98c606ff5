"""Data that a user passes to `fit`, read once, and the kind of fit that they need."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..exceptions import ParameterError, level_of_the_user
from ..inputs._frames import read_column, read_frame
from ..inputs._groups import Partition
from ..inputs._labels import UNLABELED, BinaryLabels, EncodedLabels, codes_of_items
from ..inputs._raters import Judges
from ..inputs._scores import (
    ScoreDirection,
    check_frequencies,
    check_systems,
    look_like_percent,
    read_scores,
)
from ..inputs._validation import (
    as_numbers,
    as_plain,
    as_vector,
    check_aligned,
    check_number,
    shape_of,
)
from ._class_scores import check_parameters, classifiers_of, read_class_scores
from ._counted_rows import rows_of_histograms
from ._features import ItemFeatures
from ._inclusion import Inclusion
from ._inclusion_proba import check_inclusion_proba, read_inclusion
from ._items import Items
from ._kinds import (
    BY_CLASS,
    CLASS_SHIFT,
    CLASSES,
    LABEL_SHIFT,
    OUTCOMES,
    POOL,
    check_classes,
    check_label_shift,
    is_by_class,
    kind_of,
)
from ._outcomes import check_in_range, is_rate, read_outcomes, read_proxies
from ._predicted_classes import PredictedClasses

# Above this number, columns without names may be features.
MAX_UNNAMED = 10
# Ratio of the spreads of scores of systems, as of probabilities and percentages of margins.
MAX_RATIO_OF_SPREADS = 1_000.0


@dataclass(frozen=True, eq=False, kw_only=True)
class ItemData(Items):
    """The rows that a user passed, read: their scores are as passed."""

    classes: np.ndarray  # (n_classes,), sorted
    # score kind that two columns of one classifier reveal
    score_kind: str | None = None
    # smallest and largest number of positives among all items, if known
    known_positives: tuple[float, float] | None = None
    outcomes: np.ndarray | None = None  # (n_rows,), labels that are numbers, NaN if missing

    @classmethod
    def read(
        cls,
        parameters,
        X,
        y=None,
        sample_weight=None,
        *,
        category=None,
        groups=None,
        judges=None,
        inclusion_proba=None,
        known_positives=None,
        features=None,
        kind=None,
        before=None,
        labeled=None,
        estimator=None,
        may_lack_scores=False,
        label_range: tuple[float, float] | None = None,
    ) -> ItemData:
        """Validate the arguments of `fit` or `update`.

        Parameters
        ----------
        parameters : object
            Has `classes`, `pos_label`, `unlabeled_label` and `greater_is_positive`.
        X, y, sample_weight, category, groups, judges, inclusion_proba, known_positives, features
            As in `PerformanceCurveEstimator.fit`; histograms with labels are read as rows.
        kind : {"pool", "items", "classes"}, default=None
            That of earlier data, or the only one supported; None chooses it by the data.
        before : BinaryLabels or EncodedLabels, default=None
            Encoding of earlier labels of the same items.
        labeled : tuple of BinaryLabels and ndarray of shape (n_samples,), default=None
            Encoding and codes of labels that were read already, in place of `y`.
        estimator : estimator, default=None
            Stores the column names of X; None means `parameters`.
        may_lack_scores : bool, default=False
            Whether X may be None without `judges`: labels alone.
        label_range : (float, float), default=None
            The smallest and the largest possible label where `y` holds numbers whose mean is asked
            about, and -1 is one of them. Numbers other than 0 and 1 are of the kind "outcomes".
        """
        # Frames and columns of any library, and binned scores.
        X = classifiers_of(read_frame(X, "X"))
        y = read_column(y, "y")
        sample_weight = read_column(sample_weight, "sample_weight")
        category = read_column(category, "category")
        groups = read_column(groups, "groups")
        judges = read_frame(judges, "judges")
        inclusion_proba = read_column(inclusion_proba, "inclusion_proba")
        features = read_frame(features, "features")
        counted = rows_of_histograms(
            X,
            y=y,
            sample_weight=sample_weight,
            category=category,
            groups=groups,
            judges=judges,
            features=features,
            may_be_several=kind != POOL,
        )
        source = None
        if counted is not None:
            X, y, sample_weight, category, judges, source = counted

        check_aligned(
            X=X,
            y=y,
            sample_weight=sample_weight,
            category=category,
            groups=groups,
            judges=judges,
            inclusion_proba=inclusion_proba,
            features=features,
        )
        if is_by_class(inclusion_proba) or kind in (LABEL_SHIFT, CLASS_SHIFT):
            check_label_shift(
                X,
                judges,
                category=category,
                groups=groups,
                features=features,
                known_positives=known_positives,
            )
        return cls._of_columns(
            parameters,
            parameters if estimator is None else estimator,
            X,
            y,
            sample_weight,
            category=category,
            groups=groups,
            judges=judges,
            features=features,
            inclusion_proba=inclusion_proba,
            known_positives=known_positives,
            source=source,
            kind=kind,
            before=before,
            labeled=labeled,
            may_lack_scores=may_lack_scores,
            label_range=label_range,
        )

    @classmethod
    def _of_columns(
        cls,
        parameters: Any,
        estimator: Any,
        X: Any,
        y: Any,
        sample_weight: Any,
        *,
        category: Any,
        groups: Any,
        judges: Any,
        features: Any,
        inclusion_proba: Any,
        known_positives: Any,
        source: Any,
        kind: Any,
        before: Any,
        labeled: Any,
        may_lack_scores: bool,
        label_range: tuple[float, float] | None,
    ) -> ItemData:
        """Return rows by their kind, which labels and columns imply; arguments as in `read`."""
        has_structure = category is not None or groups is not None or features is not None
        # Labels that are numbers, unless their mean is a rate.
        if label_range is not None:
            outcomes = read_outcomes(y)
            check_in_range(outcomes, label_range)
            # Means within a structure are weighted by known inclusion probabilities instead.
            has_model = inclusion_proba is None or not (has_structure or _are_several(X))
            if not (has_model and is_rate(y, outcomes, label_range)):
                return cls._of_outcomes(estimator, X, outcomes, category, groups, inclusion_proba)
            y = outcomes
            if _are_several(X):
                X, judges = None, X

        # Labels first: scikit-learn's helpers raise on missing ones, or treat -1 as a class.
        has_scores = not may_lack_scores or X is not None or judges is not None or y is None
        scores = X if has_scores else _constant(parameters, y)
        if labeled is None:
            may_be_predicted = has_scores and kind in (None, CLASSES, CLASS_SHIFT)
            columns = (scores, judges) if may_be_predicted else (None, None)
            encoded, predicted = _read_labels(parameters, y, before, *columns)
            by_class = is_by_class(inclusion_proba)
            if predicted is not None:
                kind = CLASSES
                judges = None if predicted.argument == "judges" else judges
            elif kind is None:
                kind = kind_of(
                    scores,
                    parameters.classes,
                    2 if y is None else len(encoded.classes),
                    has_structure=has_structure or judges is not None,
                    by_class=by_class,
                )
            if kind in (CLASSES, CLASS_SHIFT):
                check_classes(inclusion_proba, known_positives, judges, features)
                kind = CLASS_SHIFT if by_class else CLASSES
                return cls._of_classes(
                    parameters, kind, scores, y, encoded, predicted, sample_weight, category, groups
                )
            labeled = encoded.of_two(parameters.pos_label)

        data = cls._of_two_classes(
            parameters,
            estimator,
            kind,
            scores,
            *labeled,
            sample_weight=sample_weight,
            category=category,
            groups=groups,
            judges=judges,
            inclusion_proba=inclusion_proba,
            features=features,
        )
        is_consensus = X is None and data.judges is not None and len(data.judges.names) > 1
        return replace(
            data,
            known_positives=read_known_positives(known_positives),
            has_scores=has_scores,
            is_consensus=is_consensus,
            source=source,
        )

    @classmethod
    def _of_two_classes(
        cls,
        parameters: Any,
        estimator: Any,
        kind: str,
        X: Any,
        labels: BinaryLabels,
        codes: np.ndarray | None,
        *,
        sample_weight: Any,
        category: Any,
        groups: Any,
        judges: Any,
        inclusion_proba: Any,
        features: Any,
    ) -> ItemData:
        """Return rows with labels of two classes, (n_rows,) codes of them."""
        if judges is not None:
            judges = Judges.read(judges, shape_of(X)[0] if shape_of(X) else None, labels)
            X = judges.in_place_of(X, parameters.greater_is_positive)

        scores, systems, score_kind = _read_columns(parameters, estimator, kind, X, labels, judges)
        score_directions = directions_of(scores, parameters.greater_is_positive)

        # Labels of the rows, how many items these count for, and how their labels were chosen.
        n_rows = len(scores)
        codes, weights = read_weights(sample_weight, codes_of_items(codes, n_rows))
        category, groups = read_partitions(category, groups, n_rows)
        inclusion = Inclusion()
        chances = None
        if inclusion_proba is not None and kind != LABEL_SHIFT:
            columns = [
                direction.flip(column)
                for direction, column in zip(score_directions, scores.T, strict=True)
            ]
            if judges is not None:
                columns += list(judges.scores.T)
            inclusion, chances = read_inclusion(
                inclusion_proba,
                labels,
                np.column_stack(columns),
                codes,
                weights,
                None if category is None else category.codes,
            )

        features = None if features is None else ItemFeatures.read(features, n_rows)
        return cls(
            kind=kind,
            systems=systems,
            scores=scores,
            codes=codes,
            classes=labels.classes,
            counts=weights,
            n_rows=n_rows,
            labels=labels,
            score_directions=score_directions,
            score_kind=score_kind,
            category=category,
            groups=groups,
            judges=judges,
            features=features,
            inclusion=inclusion,
            inclusion_proba=chances,
        )

    @classmethod
    def _of_classes(
        cls,
        parameters: Any,
        kind: str,
        X: Any,
        y: Any,
        encoded: EncodedLabels,
        predicted: PredictedClasses | None,
        sample_weight: Any,
        category: Any,
        groups: Any,
    ) -> ItemData:
        """Return rows of several classes, with scores of each or predictions."""
        codes = encoded.codes
        classes = encoded.classes
        if codes is None:
            # Raises: there is no y.
            codes = as_plain(y, "y")
        if predicted is None:
            systems, scores = read_class_scores(parameters, X, classes, len(codes))
        else:
            check_parameters(parameters, classes)
            systems, scores = predicted.systems, predicted.scores(classes)
            # All columns have as many rows.
            codes = codes_of_items(codes, len(scores[0].scores))
        codes, weights = read_weights(sample_weight, codes)
        category, groups = read_partitions(category, groups, len(codes))
        return cls(
            kind=kind,
            systems=systems,
            scores=scores,
            codes=codes,
            classes=classes,
            counts=weights,
            n_rows=len(codes),
            category=category,
            groups=groups,
        )

    @classmethod
    def _of_outcomes(
        cls,
        estimator: Any,
        X: Any,
        outcomes: np.ndarray,
        category: Any,
        groups: Any,
        inclusion_proba: Any,
    ) -> ItemData:
        """Return rows with labels that are numbers, and proxies of them."""
        n_rows = len(outcomes)
        systems, proxies = read_proxies(estimator, X, outcomes)
        category, groups = read_partitions(category, groups, n_rows)
        codes = np.where(np.isnan(outcomes), UNLABELED, 0)
        chances = None
        if is_by_class(inclusion_proba):
            raise ParameterError.of(
                "inclusion_proba",
                f"is {BY_CLASS!r}, which needs labels of two classes, but labels are numbers such "
                f"as {outcomes[~np.isnan(outcomes)][0]:g}. Pass labels 0 and 1.",
            )
        if inclusion_proba is not None:
            chances = as_vector(inclusion_proba, "inclusion_proba", n_rows)
            check_inclusion_proba(chances, codes, np.ones(n_rows))
        return cls(
            kind=OUTCOMES,
            systems=systems,
            scores=proxies,
            codes=codes,
            classes=np.empty(0),
            n_rows=n_rows,
            category=category,
            groups=groups,
            inclusion_proba=chances,
            outcomes=outcomes,
        )


def directions_of(scores: np.ndarray, greater_is_positive: bool) -> tuple[ScoreDirection, ...]:
    """Return the direction of each system's scores, (n_rows, n_systems)."""
    columns = [column[~np.isnan(column)] for column in scores.T]

    # Systems share a unit: if one has percentages, so have the others that may.
    is_percent = any(
        look_like_percent(column.min(), column.max()) for column in columns if len(column)
    )
    largest_share = 100.0 if is_percent else None
    return tuple(
        ScoreDirection.of(column, greater_is_positive, largest_share) for column in columns
    )


def name_of_column(estimator) -> tuple[Any, ...]:
    """Return the name of the only column, or its number."""
    names = tuple(getattr(estimator, "feature_names_in_", ()))
    return names if len(names) == 1 else (0,)


def _constant(parameters: Any, y: Any) -> np.ndarray:
    """Return the score of labels alone: a constant has no information on any item."""
    if not parameters.greater_is_positive:
        raise ParameterError(
            "greater_is_positive=False applies to the scores in X, but X is None.",
            "Leave it out.",
            "greater_is_positive",
        )
    return np.zeros(len(as_plain(y, "y")))


def _read_labels(
    parameters: Any, y: Any, before: Any, X: Any, judges: Any
) -> tuple[EncodedLabels, PredictedClasses | None]:
    """Return the labels, encoded, and the columns if they are predictions of several classes."""
    if before is not None and y is None:
        raise TypeError(
            "update requires y, all known labels; or X as a histogram.with_labels(scores, y) with "
            "them."
        )
    classes = parameters.classes
    predicted = PredictedClasses.found_in(X, judges, parameters.unlabeled_label)
    if predicted is not None and classes is None and before is None:
        classes = predicted.classes_with(y)
    encoded = EncodedLabels.read(
        y, classes=classes, unlabeled_label=parameters.unlabeled_label, before=before
    )
    are_predicted = predicted is not None and predicted.are_of(encoded.classes)
    return encoded, predicted if are_predicted else None


def _read_columns(
    parameters: Any,
    estimator: Any,
    kind: str,
    X: Any,
    labels: BinaryLabels,
    judges: Judges | None,
) -> tuple[np.ndarray, tuple[Hashable, ...], Any]:
    """Return the columns of scores, their names, and the kind of the scores of a single column."""
    if kind in (POOL, LABEL_SHIFT):
        column, score_kind = read_scores(
            estimator, X, reset=True, labels=labels, classes=parameters.classes
        )
        systems = name_of_column(estimator)
        if judges is not None and judges.n_judges == 1:
            systems = judges.names
        return column[:, np.newaxis], systems, score_kind

    scores, systems = check_systems(
        estimator,
        X,
        reset=True,
        labels=labels,
        classes=parameters.classes,
        may_miss=judges is not None,
    )
    if not isinstance(X, Mapping):
        _warn_of_features(scores, has_names=hasattr(X, "columns"))
    return scores, systems, None


def _are_several(X) -> bool:
    """Return whether proxies are several columns, or one with missing values."""
    if X is None or isinstance(X, Mapping):
        return X is not None
    numbers = as_numbers(X, "X")
    return (numbers.ndim == 2 and numbers.shape[1] > 1) or bool(np.isnan(numbers).any())


def read_partitions(
    category: Any, groups: Any, n_rows: int
) -> tuple[Partition | None, Partition | None]:
    """Return the category and the group of each row; None where not given."""
    if category is not None:
        category = Partition.read_categories(category, n_rows)
    if groups is not None:
        groups = Partition.read(groups, "groups", n_rows)
    return category, groups


def read_weights(sample_weight, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return label codes and the number of items of each row; rows of weight zero are unlabeled."""
    weights = check_frequencies(sample_weight, len(codes))
    return np.where(weights > 0.0, codes, UNLABELED), weights


def _warn_of_features(scores: np.ndarray, *, has_names: bool) -> None:
    """Warn if the number of columns suggests that they are features, not systems.

    Columns of a data frame only if their spreads have little in common. `scores` is (n_rows,
    n_systems).
    """
    n_columns = scores.shape[1]
    if n_columns <= MAX_UNNAMED:
        return
    spreads = np.nanstd(scores, axis=0)
    spreads = spreads[spreads > 0.0]
    are_alike = spreads.max(initial=0.0) <= MAX_RATIO_OF_SPREADS * spreads.min(initial=np.inf)
    if not (has_names and are_alike):
        how = "with spreads that have little in common" if has_names else "without names"
        remedy = "pass a mapping of named systems" if has_names else "name the systems"
        warnings.warn(
            f"X has {n_columns} columns {how}, which are read as the scores of {n_columns} "
            "systems: did you pass X instead of the classifier's scores? Pass "
            f"clf.decision_function(X), or clf.predict_proba(X)[:, 1]; or {remedy}"
            f"{'' if has_names else ', in a data frame'}.",
            UserWarning,
            stacklevel=level_of_the_user(),
        )


def read_known_positives(known_positives) -> tuple[float, float] | None:
    """Return the range of a known number of positives, as in `PerformanceCurveEstimator.fit`."""
    if known_positives is None:
        return None

    pair = known_positives
    if shape_of(pair) == ():
        pair = known_positives, known_positives

    is_pair = shape_of(pair) == (2,)
    ends = [check_number(end, "known_positives", "[0, inf)") for end in pair] if is_pair else []
    if not ends or ends[0] > ends[1] or any(end != np.floor(end) for end in ends):
        raise ParameterError.of(
            "known_positives",
            "must be the number of positives among all items, or a range (low, high) of it, of "
            f"whole numbers; got {known_positives!r}.",
        )

    return float(ends[0]), float(ends[1])


def check_known_positives(
    total: tuple[float, float] | None, codes: np.ndarray, weights: np.ndarray
) -> None:
    """Raise if the labels contradict a known number of positives, or items are not counted."""
    if total is None:
        return

    if (weights != np.floor(weights)).any():
        raise ParameterError.of(
            "known_positives",
            "counts items, but sample_weight holds fractions: pass whole numbers of items, or a "
            "prevalence_prior of the mixture.",
        )

    low, high = total
    n_items = float(weights.sum())
    n_negative = float(weights[codes == 0].sum())
    n_positive = float(weights[codes == 1].sum())
    if n_positive <= high and low <= n_items - n_negative:
        return

    stated = f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"
    labels = (
        f"{n_positive:,.0f} items are labeled positive"
        if n_positive > high
        else f"of {n_items:,.0f} items {n_negative:,.0f} are labeled negative"
    )
    raise ParameterError.of(
        "known_positives",
        f"is {stated}, but {labels}. Pass the number of positives among all items of X, labeled "
        "or not, and check the labels.",
    )

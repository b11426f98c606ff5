"""Calibrated scores of a classifier: folds, classes, and fitted mixtures."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import (
    GroupShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from ..data._item_data import ItemData
from ..data._kinds import ITEMS, POOL
from ..estimators._performance import PerformanceCurveEstimator, performance_of
from ..estimators._score_mixture import SemisupervisedScoreMixture, new_mixture
from ..inputs._arrays import FrozenArrays, PartlyLabeled, row_tiles, rows_of
from ..inputs._labels import (
    UNLABELED,
    BinaryLabels,
    EncodedLabels,
    one_against_rest,
    partial_labels,
)
from ..inputs._scores import Response
from ..inputs._validation import check_count
from ..inputs._workers import in_parallel
from ..models._fit_items import fit_items
from ..models._ranking_view import RankingKey
from ..models._row_model import fit_two_classes

MAX_FOLDS = 5
# Number of random group splits tried for one with every class on both sides.
MAX_TRIES = 50


def folds_of(
    data: PartlyLabeled, cv: Any = None, params: dict[str, Any] | None = None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the rows to train on and the rows to score, for each fold.

    Unlabeled rows are scored in every fold, and a class with a single label is always in the
    training set. Groups are not split: no row is scored by a classifier that was trained on its
    group.
    """
    if isinstance(cv, str) or inspect.isclass(cv):
        raise TypeError(
            "cv must be an int, a splitter such as StratifiedKFold(3), or an iterable of "
            f"(train, test); got {cv!r}. Wrap a fitted classifier in FrozenEstimator."
        )
    splits: Sequence[Sequence[np.ndarray]]
    if cv is not None and not hasattr(cv, "split") and np.iterable(cv):
        splits = [[_labeled_rows(data, part) for part in split] for split in cv]
    else:
        splits = _split(data, cv, params or {})
    if not splits:
        raise ValueError(f"cv={cv!r} has no fold.")

    for train, test in splits:
        _check_classes(data, train)
        if len(np.intersect1d(train, test)):
            raise ValueError(
                "A fold uses rows both to train on and to evaluate; a classifier overfits the "
                "rows that it was fitted to."
            )
        if np.isin(data.parts[test], data.parts[train]).any():
            raise ValueError(
                f"cv={cv!r} has rows of one group both to train on and to evaluate; use cv=None, "
                "a number of folds, or GroupKFold."
            )

    folds = [(train, _scored(data, train, test)) for train, test in splits]
    if not all(len(scored) for _, scored in folds):
        raise ValueError(f"A fold of cv={cv!r} leaves no row to score outside its training set.")
    return folds


def held_out(data: PartlyLabeled, fraction: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to train on and the rows to score, for one split."""
    single, several = _by_labels(data)
    try:
        train, test = _shuffled(data, several, fraction, seed % 2**32)
    except ValueError as error:
        raise ValueError(
            f"{len(several)} labeled rows of classes with two labels or more cannot be split "
            f"into rows to fit the classifier and rows to find its threshold "
            f"(validation_fraction={fraction}): {error} Label more items, or freeze a fitted "
            f"classifier."
        ) from error

    train = np.sort(np.r_[several[train], single])
    return train, _scored(data, train, several[test])


def _shuffled(
    data: PartlyLabeled, rows: np.ndarray, fraction: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return a random split of the labeled rows, with every class on both sides."""
    codes = data.codes[rows]
    if data.groups is None:
        split = StratifiedShuffleSplit(1, test_size=fraction, random_state=seed)
        return next(split.split(rows, codes))

    # Whole groups are split without regard to classes: several splits are tried.
    split = GroupShuffleSplit(MAX_TRIES, test_size=fraction, random_state=seed)
    splits = split.split(rows, codes, data.groups[rows]) if len(rows) else ()
    for train, test in splits:
        if all(np.isin(codes, codes[side]).all() for side in (train, test)):
            return train, test
    raise ValueError("No split of whole groups was found with every class on both sides.")


def _scored(data: PartlyLabeled, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Return the rows to score: held-out rows, and unlabeled rows outside the training groups."""
    free = (data.codes == UNLABELED) & ~np.isin(data.parts, data.parts[train])
    return np.sort(np.r_[test, np.flatnonzero(free)])


def _split(
    data: PartlyLabeled, cv: Any, params: dict[str, Any]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the splits of the labeled rows; a row that alone has its class is trained on."""
    single, several = _by_labels(data)
    splitter = _splitter(cv, data, several)
    if data.groups is not None:
        params = {**params, "groups": data.groups}
    split_params = {
        name: rows_of(value, several) for name, value in params.items() if value is not None
    }

    try:
        splits = list(splitter.split(rows_of(data.X, several), data.codes[several], **split_params))
        return [(np.sort(np.r_[several[train], single]), several[test]) for train, test in splits]
    except IndexError as error:
        raise ValueError(
            f"cv={cv!r} has row indices out of range: a splitter gets the {len(several)} labeled "
            "rows only. An iterable of (train, test) must hold indices of all rows."
        ) from error


def _by_labels(data: PartlyLabeled) -> tuple[np.ndarray, np.ndarray]:
    """Return the labeled rows that alone have their class, and the others."""
    labeled = np.flatnonzero(data.codes != UNLABELED)
    parts = data.parts[labeled]
    codes = data.codes[labeled]
    pairs = np.unique(np.stack([codes, parts]), axis=1)
    alone = pairs[1, np.bincount(pairs[0])[pairs[0]] == 1]
    is_alone = np.isin(parts, alone)
    return labeled[is_alone], labeled[~is_alone]


def _labeled_rows(data: PartlyLabeled, part: Any) -> np.ndarray:
    rows = np.asarray(part)
    if rows.dtype == bool:
        rows = np.flatnonzero(rows)
    if not rows.size:
        rows = rows.astype(int)
    return rows[data.codes[rows] != UNLABELED]


def _check_classes(data: PartlyLabeled, train: np.ndarray) -> None:
    missing = np.setdiff1d(np.arange(len(data.classes)), data.codes[train])
    if not len(missing):
        return

    names = data.classes[missing].tolist()
    if len(np.intersect1d(missing, data.codes)):
        raise ValueError(
            f"A fold has no label of the classes {names} to train on; use cv=None, or folds with "
            "every class."
        )
    raise ValueError(
        f"No item of the classes {names} is labeled, and a classifier cannot be fitted without; "
        "label some, or leave them out of classes=."
    )


def _splitter(cv: Any, data: PartlyLabeled, rows: np.ndarray) -> Any:
    if hasattr(cv, "split"):
        return cv
    if len(np.unique(data.parts[rows])) < 2:
        labels = "a single label" if data.groups is None else "labels in a single group"
        raise ValueError(
            f"Every class has {labels}, so none is left to evaluate a classifier fitted to the "
            "others. Label more items, or freeze a fitted classifier."
        )

    pairs = np.unique(np.stack([data.codes[rows], data.parts[rows]]), axis=1)
    # One group of a class is enough if the rest is always in the training set.
    max_folds = max(2, int(np.unique(pairs[0], return_counts=True)[1].min()))
    n_folds = min(MAX_FOLDS, max_folds) if cv is None else check_count(cv, "cv", 2)
    if n_folds > max_folds:
        units = "labels" if data.groups is None else "labeled groups"
        raise ValueError(
            f"cv={cv} folds need as many {units} of each class; the rarest class with two "
            f"or more has {max_folds}. Use cv=None for as many folds as possible."
        )
    return StratifiedKFold(n_folds) if data.groups is None else StratifiedGroupKFold(n_folds)


@dataclass(frozen=True, eq=False)
class CalibratedScores(FrozenArrays):
    """A fitted classifier with the mixtures of its scores.

    Attributes
    ----------
    estimator : fitted classifier
    response : Response
        Method of its scores.
    mixtures : list of SemisupervisedScoreMixture
        One for each scored class against the rest.
    scored : ndarray of shape (n_items, n_classes) or None
        The scores of `data`, if there are more than two classes.
    data : PartlyLabeled or None
        Their labels and weights.
    """

    estimator: Any
    response: Response
    mixtures: list[SemisupervisedScoreMixture]
    scored: np.ndarray | None = None
    data: PartlyLabeled | None = None

    @classmethod
    def learn(
        cls,
        estimator: Any,
        response: Response,
        data: PartlyLabeled,
        mixture: SemisupervisedScoreMixture | None,
        seed: int,
        n_jobs: int | None = None,
        *,
        inclusion_proba: Any = None,
    ) -> CalibratedScores:
        """Fit the mixtures to the scores of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
        response : Response
        data : PartlyLabeled
        mixture : SemisupervisedScoreMixture or None
        seed : int
        n_jobs : int, default=None
            Number of workers over classes.
        inclusion_proba : dict or array-like, default=None
            Inclusion probabilities with two classes, as in `PerformanceCurveEstimator.fit`.
        """
        scores = response.scores(estimator, data.X)
        kind = response.score_kind(estimator, data.X, scores)
        # Separate seeds for the classes, whose draws are averaged as independent.
        mixtures = [
            new_mixture(mixture, random_state=seed + i) for i in range(len(response.scored_classes))
        ]

        # The labels of each mixture: of the two classes, or of one against the rest.
        if response.n_classes == 2:
            pos_label = data.classes[response.positive].item()
            mixtures[0].set_params(
                classes=data.classes, pos_label=pos_label, unlabeled_label=data.marker
            )
            labels = [_of_two(data, pos_label)]
        else:
            one = (one_against_rest(data.codes, c) for c in response.scored_classes)
            labels = [BinaryLabels.read(y) for y in one]

        tasks = [
            (class_mixture, kind, column, labeled, data.sample_weight, inclusion_proba)
            for class_mixture, column, labeled in zip(mixtures, scores.T, labels, strict=True)
        ]
        mixtures = in_parallel(_fitted, tasks, n_jobs, threads=False)
        if response.n_classes == 2:
            return cls(estimator, response, mixtures)
        return cls(estimator, response, mixtures, scored=scores, data=replace(data, X=None))

    def scores(self, X: Any) -> np.ndarray:
        """Return the scores, of shape (n_samples, n_mixtures)."""
        return self.response.scores(self.estimator, X)

    def probabilities(self, X: Any) -> np.ndarray:
        """Return the recalibrated probabilities, of shape (n_samples, n_classes)."""
        columns = zip(self.mixtures, self.scores(X).T, strict=True)
        of_positive = [m.predict_proba(s)[:, m.labels_.positive] for m, s in columns]
        return self._of_classes(np.stack(of_positive)).T

    def interval(self, X: Any, tail: float) -> np.ndarray:
        """Return the quantiles of the probabilities at `tail` and at its complement.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        tail : float

        Returns
        -------
        ends : ndarray of shape (2, n_samples, n_classes)
        """
        scores = self.scores(X)
        if self.response.n_classes == 2:
            posterior = self.mixtures[0].posterior_
            ends = posterior.probability_quantiles(scores[:, 0], [tail, 1.0 - tail])
            columns = [1.0 - ends[::-1], ends]
            return np.stack(columns if self.response.positive else columns[::-1], axis=2)

        # Of more classes the draws are normalized together.
        distinct, inverse = np.unique(scores, axis=0, return_inverse=True)
        ends = np.empty((2, len(distinct), self.response.n_classes))
        for tile in row_tiles(len(distinct), self.mixtures[0].posterior_.n_draws):
            of_mixtures = zip(self.mixtures, distinct[tile].T, strict=True)
            of_positive = [m.posterior_.probability_draws(s) for m, s in of_mixtures]
            draws = self._of_classes(np.stack(of_positive))
            # Each draw is at the midpoint of its weight, as elsewhere.
            quantiles = np.quantile(draws, [tail, 1.0 - tail], axis=1, method="hazen")
            ends[:, tile] = quantiles.swapaxes(1, 2)
        return ends[:, inverse.ravel()]

    def performance(self, class_index: int, **parameters: Any) -> PerformanceCurveEstimator:
        """Return the performance of one class against the rest."""
        if self.response.n_classes > 2:
            return performance_of(self.mixtures[class_index], **parameters)
        (mixture,) = self.mixtures
        pos_label = mixture.classes_[class_index].item()
        key = RankingKey(pos_label=pos_label, threshold=self.response.threshold)
        parameters["pos_label"] = pos_label
        return PerformanceCurveEstimator(mixture, **parameters)._of_fit(mixture.model_, key)

    def performance_of_groups(
        self, data: PartlyLabeled, **parameters: Any
    ) -> PerformanceCurveEstimator:
        """Return the performance for two classes with groups of dependent items.

        For the positive class. `data` are those of `learn`, with their groups.
        """
        mixture = clone(self.mixtures[0])
        (scores,) = self.scores(data.X).T
        items = ItemData.read(
            mixture,
            scores,
            None,
            data.sample_weight,
            labeled=_of_two(data, mixture.pos_label),
            groups=data.groups,
            kind=ITEMS,
        )
        model = fit_items(mixture, items)
        return PerformanceCurveEstimator(mixture, **parameters)._of_fit(model)

    @cached_property
    def of_all_classes(self) -> PerformanceCurveEstimator:
        """The performance of the classifier's own predictions, with more than two classes."""
        # Created on demand: a classifier without graded confidence has none.
        data: Any = self.data
        first = self.mixtures[0]
        performance = PerformanceCurveEstimator(
            classes=data.classes, n_draws=first.n_draws, random_state=first.random_state
        )
        labels = partial_labels(data.codes, data.classes)
        return performance.fit(self.scored, labels, data.sample_weight)

    def _of_classes(self, of_positive: np.ndarray) -> np.ndarray:
        """Return normalized probabilities of all classes, over the first axis."""
        if self.response.n_classes == 2:
            both = np.concatenate([1.0 - of_positive, of_positive])
            return both if self.response.positive else both[::-1]
        total = of_positive.sum(axis=0)
        # All probabilities of an item may be zero.
        divisor = np.where(total > 0.0, total, 1.0)
        return np.where(total > 0.0, of_positive / divisor, 1 / len(of_positive))


def _of_two(data: PartlyLabeled, pos_label: Any) -> tuple[BinaryLabels, np.ndarray]:
    """Return the encoding of two classes, whose labels were read already, and the codes."""
    labels, codes = EncodedLabels(data.codes, data.classes, data.marker).of_two(pos_label)
    return labels, np.asarray(codes)


def _fitted(
    mixture: SemisupervisedScoreMixture,
    kind: str,
    scores: np.ndarray,
    labeled: tuple[BinaryLabels, np.ndarray],
    weights: np.ndarray | None,
    inclusion_proba: Any,
) -> SemisupervisedScoreMixture:
    if mixture.score_kind == "auto":
        mixture.set_params(score_kind=kind)
    # The containing estimator issues one warning for all mixtures.
    data = ItemData.read(
        mixture,
        scores,
        None,
        weights,
        labeled=labeled,
        inclusion_proba=inclusion_proba,
        kind=POOL,
    )
    mixture.model_ = fit_two_classes(mixture, data)
    return mixture

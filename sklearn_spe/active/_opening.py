"""The start of a labelling: what is given, checked, becomes a session."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import validate_data

from .._labels import BinaryLabels, encode_labels, is_unlabeled
from .._mixture_parameter import new_mixture
from .._orientation import Orientation, check_direction
from .._random import seed_entropy
from .._scores import check_scores
from ..metrics import PrecisionAtK, RankingMetric, ThresholdMetric
from ..performance import PerformanceCurveEstimator
from ..score_mixture import SemisupervisedScoreMixture
from ._board_session import BoardSession, Settings, has_design, ratio_terms
from ._curve_session import CurveSession
from ._match_session import MatchSession, as_overlaps
from ._parameters import as_label_model, as_strategy, check_interval
from ._question import Question
from ._session import Session
from .boards import BoardItems, SegmentationMatches, score_board
from .strategies import Random

__all__ = ["open_session"]

# Columns of probabilities sum to one, up to this.
SUM_TOLERANCE = 1e-6


def open_session(selector, question: Question, X, y, noisy_labels, category, features) -> Session:
    """Return the session of an `ActiveTestSelector` that starts.

    Parameters
    ----------
    selector : ActiveTestSelector
        Its parameters.
    question : Question
    X : array-like of shape (n_items,), (n_items, 1), (n_items, 2) or (n_items, n_systems)
    y, noisy_labels : array-like of shape (n_items,), or None
    category : ndarray of int of shape (n_items,), or None
    features : array-like of shape (n_items, n_features), or None
    """
    if isinstance(X, SegmentationMatches):
        return _match_session(selector, question, X, y)
    of_categories = category is not None and selector.average == "macro"
    has_noisy = noisy_labels is not None
    is_board = has_noisy or of_categories or features is not None or _holds_systems(X)
    label_model = as_label_model(selector.label_model, is_board=is_board, has_noisy=has_noisy)
    if label_model is None:
        return _curve_session(selector, question, X, y, category)
    _check_metric(question)
    return _board_session(
        selector,
        question,
        X,
        y,
        noisy_labels,
        category,
        features,
        label_model,
    )


def _holds_systems(X) -> bool:
    """Return whether X has a column for each of several systems."""
    shape = np.shape(X)
    if len(shape) != 2 or shape[1] < 2:
        return False
    if shape[1] > 2:
        return True
    X = np.asarray(X, dtype=float)
    return bool(X.min() < 0.0 or np.abs(X.sum(axis=1) - 1.0).max() > SUM_TOLERANCE)


# --- curves ---------------------------------------------------------------------------------


def _curve_session(selector, question, X, y, category) -> CurveSession:
    mixture = _mixture(selector, y)
    if np.ndim(X) == 2 and np.shape(X)[1] == 2 and mixture.score_kind == "auto":
        # One column of them is kept, and may be all that is left to see it by.
        mixture.set_params(score_kind="probability")
    mixture._fit_silently(X, y, None)
    performance = PerformanceCurveEstimator.from_mixture(
        mixture, confidence_level=selector.confidence_level, n_jobs=selector.n_jobs
    )
    labels, orientation = mixture.labels_, mixture.orientation_
    scores = check_scores(mixture, X, reset=False, positive=labels.positive)
    # A copy: what a user does with X later must not matter.
    scores = np.array(orientation.turn(scores))
    terms = question.terms(question.above(scores, orientation))
    check_interval(selector, question.name, terms, question.has_design(terms))
    return CurveSession(
        question,
        performance,
        scores,
        labels.codes(y, len(scores)),
        category=category,
        interval=selector.interval,
    )


def _mixture(selector, y) -> SemisupervisedScoreMixture:
    """Return an unfitted mixture with the parameters that are given here."""
    own = {"classes": selector.classes, "pos_label": selector.pos_label}
    if not check_direction(selector.greater_is_positive):
        own["greater_is_positive"] = False
    template = None if isinstance(selector.label_model, str) else selector.label_model
    mixture = new_mixture(
        template,
        random_state=seed_entropy(selector.random_state),
        n_draws=selector.n_draws,
        n_jobs=selector.n_jobs,
    )
    mixture.set_params(**{name: value for name, value in own.items() if value is not None})
    marker = mixture.unlabeled_label
    if mixture.classes is None and (y is None or is_unlabeled(y, unlabeled_label=marker).all()):
        # Which class is positive cannot be told before there is a label.
        mixture.set_params(pos_label=None)
    return mixture


# --- boards ---------------------------------------------------------------------------------


def _board_session(
    selector, question, X, y, noisy_labels, category, features, label_model
) -> BoardSession:
    scores = _columns(selector, X)
    n_items = len(scores)
    labels, codes, noisy = _binary_labels(selector, y, noisy_labels, n_items)
    features = _check_features(features, n_items)
    given = _given(scores, labels, noisy, category, features)
    orientation = Orientation.of(scores, selector.greater_is_positive)
    scores = np.array(orientation.turn(scores))
    threshold = question.where.get("threshold")
    if threshold is not None:
        threshold = orientation.turn_threshold(threshold)
    # Strategies look at categories all the same.
    lists_of = category if selector.average == "macro" else None
    board, places = score_board(question, scores, noisy, lists_of, features, threshold)
    is_decision = threshold is not None and len(board.lists) == 1
    above = board.scores[:, 0] >= threshold if is_decision else None
    terms = ratio_terms(question, board, above)
    check_interval(selector, question.name, terms, has_design(question, board, terms))
    items = BoardItems(
        places,
        n_items,
        codes[places],
        np.arange(len(places)),
        category=None if category is None else category[places],
        above=above,
        given=given,
    )
    is_guess = noisy is None and selector.classes is None
    return BoardSession(question, board, items, label_model, labels, _settings(selector, is_guess))


def _settings(selector, labels_are_guess=False) -> Settings:
    return Settings(
        interval=selector.interval,
        confidence_level=selector.confidence_level,
        n_draws=selector.n_draws,
        seed=seed_entropy(selector.random_state),
        is_random=isinstance(as_strategy(selector.strategy), Random),
        labels_are_guess=labels_are_guess,
    )


def _match_session(selector, question, matches, y) -> MatchSession:
    _check_metric(question)
    if question.where or isinstance(question.metric, PrecisionAtK):
        raise ValueError(
            f"Of SegmentationMatches the metric is 'average_precision'; got {question.name!r}."
        )
    n_objects, n_systems = matches.n_objects, matches.n_systems
    overlaps = np.full((n_objects, n_systems), np.nan)
    if y is not None:
        overlaps = as_overlaps(y, n_objects, n_systems)
    label_model = as_label_model(
        selector.label_model, is_board=True, has_noisy=True, has_overlaps=True
    )
    check_interval(selector, question.name, None, False)
    labels = BinaryLabels.learn(None, classes=[0, 1])
    return MatchSession(question, matches, overlaps, label_model, labels, _settings(selector))


def _check_metric(question: Question) -> None:
    metric = question.metric
    known = isinstance(metric, (RankingMetric, ThresholdMetric)) and question.has_expectation
    if not known:
        raise ValueError(
            f"With noisy labels, categories or several systems the metric is a number of a "
            f"ranking, 'average_precision', 'roc_auc' or PrecisionAtK(k), or of a threshold=, "
            f"'precision', 'recall', 'f1' or 'accuracy' say; got {question.name!r}."
        )


def _columns(selector, X) -> np.ndarray:
    """Return the scores of all systems, (n_items, n_systems)."""
    if not _holds_systems(X):
        return check_scores(selector, X, reset=True)[:, np.newaxis]
    lengths = {len(np.atleast_1d(row)) for row in X} if isinstance(X, (list, tuple)) else {1}
    if len(lengths) > 1:
        raise ValueError(
            f"X has rows of different length, {sorted(lengths)}: each item needs one score of "
            f"each system."
        )
    X = validate_data(selector, X, reset=True, dtype=np.float64, ensure_all_finite=False)
    wrong = ~np.isfinite(X)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"Scores must be finite; got {X[row, column]} for item {row} of system {column}, and "
            f"{int(wrong.sum())} such values in all. Systems must score the same items; give an "
            f"item that a system left out its lowest score."
        )
    return X


def _binary_labels(selector, y, noisy_labels, n_items):
    """Return how labels are written, codes of the labels, and noisy ones, 0 and 1."""
    names = {"classes": selector.classes, "pos_label": selector.pos_label}
    if noisy_labels is None:
        if selector.classes is None and (y is None or is_unlabeled(y).all()):
            # Which class is positive cannot be told before there is a label.
            names["pos_label"] = None
        labels = BinaryLabels.learn(y, **names)
        return labels, labels.codes(y, n_items), None
    if np.ndim(noisy_labels) == 2 and np.shape(noisy_labels)[1] > 1:
        raise ValueError(
            f"noisy_labels must have shape ({n_items},), one label an item; got "
            f"{np.shape(noisy_labels)}. Of a matrix of images and tags make one row a pair: "
            f"X.ravel(), noisy_labels.ravel(), and category=np.tile(tags, n_images)."
        )
    missing = is_unlabeled(noisy_labels, classes=selector.classes)
    if len(missing) != n_items:
        raise ValueError(
            f"noisy_labels must have one label an item, {n_items} of them; got {len(missing)}."
        )
    if missing.any():
        raise ValueError(
            f"noisy_labels is missing for {int(missing.sum())} of {n_items} items, the first at "
            f"index {int(np.flatnonzero(missing)[0])}; every item needs one, whether or not it is "
            f"vetted. Leave the others out, or fit them by themselves."
        )
    both = encode_labels(noisy_labels, classes=selector.classes)[1]
    if y is not None:
        known = ~is_unlabeled(y, classes=selector.classes)
        both = np.r_[both.astype(object), np.asarray(y, dtype=object)[known]]
    classes = encode_labels(both, classes=selector.classes)[1]
    if len(classes) > 2:
        shown = ", ".join(map(repr, classes[:5].tolist()))
        raise ValueError(
            f"noisy_labels and y hold {len(classes)} classes ({shown}, ...), and two are needed. "
            f"Of several classes or tags make one row an item and tag, noisy_labels being whether "
            f"it has the tag, and pass the tags as category=."
        )
    labels = BinaryLabels.learn(both, **names)
    return labels, labels.codes(y, n_items), labels.codes(noisy_labels, n_items).astype(int)


def _given(scores, labels, noisy, category, features) -> dict:
    """Return what was given, column by column."""
    numbered = scores.shape[1] > 1
    columns = {f"score_{m}" if numbered else "score": s for m, s in enumerate(scores.T)}
    if noisy is not None:
        columns["noisy_label"] = labels.decode(noisy)
    if category is not None:
        columns["category"] = category
    if features is not None:
        columns |= {f"feature_{j}": column for j, column in enumerate(features.T)}
    return {name: np.array(column) for name, column in columns.items()}


def _check_features(features, n_items: int):
    if features is None:
        return None
    features = np.asarray(features, dtype=float)
    if features.ndim == 1:
        features = features[:, np.newaxis]
    if features.ndim != 2 or len(features) != n_items:
        raise ValueError(f"features must have shape ({n_items}, n_features), got {features.shape}.")
    if not np.isfinite(features).all():
        raise ValueError("features must be finite numbers; fill in what is missing.")
    return features

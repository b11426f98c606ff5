"""The start of a labelling: what is given, checked, becomes a session."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.utils.validation import check_array, validate_data

from ..curves._question import Question
from ..inputs._array_like import as_numbers, as_plain
from ..inputs._labels import BinaryLabels
from ..inputs._orientation import Orientation, check_direction
from ..inputs._random_state import seed_entropy
from ..inputs._scores import check_scores
from ..metrics._average_precision import AveragePrecision
from ..metrics._metric import RankingMetric, ThresholdMetric
from ..sample._labeled_scores import LabeledScores
from ..score_mixture._mixture_parameter import new_mixture
from ..score_mixture._recipe import Recipe
from ..score_mixture._score_mixture import SemisupervisedScoreMixture
from ..score_mixture._score_model import ScoreModel
from ._given_labels import Writing, given_labels
from ._parameters import as_label_model, as_strategy, check_interval
from .boards._board import score_board
from .boards._items import BoardItems
from .matches._match_session import MatchSession, as_overlaps
from .matches._matches import SegmentationMatches
from .sessions._board_session import BoardSession, Settings, has_design, ratio_terms
from .sessions._curve_session import CurveSession
from .sessions._session import Session
from .strategies._random import Random

__all__ = ["count_items", "open_session"]

# Columns of probabilities sum to one, up to this; and up to that they may be meant to.
SUM_TOLERANCE, NEARLY_ONE = 1e-6, 1e-2


def count_items(X) -> int:
    """Return how many items X has scores of.

    Raises
    ------
    TypeError
        If X is no array of them.
    ValueError
        If it is one row of several columns.
    """
    shape = as_plain(X, "X").shape
    if len(shape) == 2 and shape[0] == 1 and shape[1] > 2:
        raise ValueError(
            f"X of shape {shape} is one item and {shape[1]} systems; if these are scores of as "
            f"many items, pass X.ravel()."
        )
    return shape[0]


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
        given = {"noisy_labels": noisy_labels, "category": category, "features": features}
        return _match_session(selector, question, X, y, given)
    writing = Writing.of(selector)
    if noisy_labels is None:
        _check_probabilities(writing, X, y)
    many = category is not None and len(np.unique(category)) > 1
    of_categories = many and selector.average == "macro"
    has_noisy = noisy_labels is not None
    is_board = has_noisy or of_categories or features is not None or _holds_systems(X)
    label_model = as_label_model(
        selector.label_model,
        is_board=is_board,
        has_noisy=has_noisy,
        has_features=features is not None,
    )
    if label_model is None:
        return _curve_session(selector, question, writing, X, y, category)
    _check_metric(question)
    others = noisy_labels, category, features
    return _board_session(selector, question, writing, X, y, *others, label_model)


def _holds_systems(X) -> bool:
    """Return whether X has a column for each of several systems.

    Raises
    ------
    ValueError
        If two columns may be probabilities, and may not.
    """
    shape = np.shape(X)
    if len(shape) != 2 or shape[1] < 2:
        return False
    if shape[1] > 2 or not shape[0]:
        return True
    X = as_numbers(X, "X")
    off = np.abs(X.sum(axis=1) - 1.0).max()
    if X.min() < 0.0 or off > NEARLY_ONE:
        return True
    if off > SUM_TOLERANCE:
        raise ValueError(
            f"X has two columns in [0, 1] whose sums are nearly one, off by up to {off:.3g}: are "
            f"they probabilities of one system, or scores of two? Of probabilities pass the "
            f"column of the positive class, X[:, 1]; of two systems pass their logit."
        )
    return False


def _check_probabilities(writing, X, y) -> None:
    """Raise where it cannot be told which column is that of the positive class."""
    are_columns = len(np.shape(X)) == 2 and np.shape(X)[1] == 2 and not _holds_systems(X)
    if are_columns and writing.pos_label is not None and not writing.tells_positive(y):
        raise ValueError(
            f"X has two columns, no label is known, and pos_label={writing.pos_label!r}: which "
            f"column is that of the positive class? Pass classes=, in the order of the columns."
        )


# --- curves ---------------------------------------------------------------------------------


def _curve_session(selector, question, writing, X, y, category) -> CurveSession:
    mixture = _mixture(selector, writing, y)
    if np.ndim(X) == 2 and np.shape(X)[1] == 2 and mixture.score_kind == "auto":
        # One column of them is kept, and may be all that is left to see it by.
        mixture.set_params(score_kind="probability")
    recipe, start = Recipe.of(mixture), LabeledScores.read(mixture, X, y)
    # A copy: what a user does with X later must not matter.
    start = replace(start, scores=np.array(start.scores))
    terms = question.terms(question.above(start.scores, start.orientation))
    check_interval(selector, question.name, terms, question.has_design(terms))
    model = ScoreModel.made(recipe, start, seed_entropy(mixture.random_state))
    return CurveSession(
        question,
        mixture,
        model,
        start,
        category=category,
        interval=selector.interval,
        confidence_level=selector.confidence_level,
        n_jobs=selector.n_jobs,
    )


def _mixture(selector, writing, y) -> SemisupervisedScoreMixture:
    """Return an unfitted mixture with the parameters that are given here."""
    template = None if isinstance(selector.label_model, str) else selector.label_model
    mixture = new_mixture(
        template,
        random_state=seed_entropy(selector.random_state),
        holder=selector,
    )
    return mixture if writing.tells_positive(y) else mixture.set_params(pos_label=None)


# --- boards ---------------------------------------------------------------------------------


def _board_session(
    selector, question, writing, X, y, noisy_labels, category, features, label_model
) -> BoardSession:
    n_items = len(X)
    labels, codes, noisy = given_labels(writing, y, noisy_labels, n_items)
    scores = _columns(selector, X, labels.positive)
    features = _check_features(features, n_items)
    given = _given(scores, labels, noisy, category, features)
    orientation = Orientation.of(scores, writing.greater_is_positive)
    scores = np.array(orientation.turn(scores))
    threshold = question.where.get("threshold")
    if threshold is not None:
        threshold = orientation.turn_threshold(threshold)
    # Strategies look at categories all the same.
    lists_of = category if selector.average == "macro" else None
    names = None if lists_of is None else selector.categories_
    board, places = score_board(question, scores, noisy, lists_of, features, threshold, names)
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
    return BoardSession(question, board, items, label_model, labels, _settings(selector))


def _settings(selector) -> Settings:
    return Settings(
        interval=selector.interval,
        confidence_level=selector.confidence_level,
        n_draws=selector.n_draws,
        seed=seed_entropy(selector.random_state),
        is_random=isinstance(as_strategy(selector.strategy), Random),
    )


def _match_session(selector, question, matches, y, given) -> MatchSession:
    _check_metric(question)
    idle = [name for name, value in given.items() if value is not None]
    idle += [name for name in ("classes", "pos_label") if getattr(selector, name) is not None]
    idle += ["greater_is_positive"] if not check_direction(selector.greater_is_positive) else []
    idle += ["average"] if selector.average != "macro" else []
    if idle:
        raise ValueError(
            f"SegmentationMatches hold all that is known of detections, and {', '.join(idle)} "
            f"would be ignored; leave it out."
        )
    # Objects that no detection claims are positives of all lists, and there are no negatives.
    if question.where or not isinstance(question.metric, AveragePrecision):
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
            f"'precision', 'recall', 'f1' or 'accuracy' say; got {question.name!r}. If categories "
            f"are for strategies only, average='micro' keeps one pool."
        )


def _columns(selector, X, positive: int) -> np.ndarray:
    """Return the scores of all systems, (n_items, n_systems)."""
    if not _holds_systems(X):
        return check_scores(selector, X, reset=True, positive=positive)[:, np.newaxis]
    scores = as_numbers(X, "X")
    # For the names of the systems.
    validate_data(selector, X, reset=True, skip_check_array=True)
    X = check_array(scores, ensure_all_finite=False)
    wrong = ~np.isfinite(X)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"Scores must be finite; got {X[row, column]} for item {row} of system {column}, and "
            f"{int(wrong.sum())} such values in all. Systems must score the same items; give an "
            f"item that a system left out its lowest score."
        )
    return X


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
    features = as_numbers(features, "features")
    if features.ndim == 1:
        features = features[:, np.newaxis]
    if features.ndim != 2 or len(features) != n_items:
        raise ValueError(f"features must have shape ({n_items}, n_features), got {features.shape}.")
    if not np.isfinite(features).all():
        raise ValueError("features must be finite numbers; fill in what is missing.")
    return features

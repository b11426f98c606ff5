"""Starts of a session, by the kind of X."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np

from ..data._class_scores import classifiers_of
from ..data._counted_rows import check_not_several
from ..data._gathered_scores import MAX_ONE_BY_ONE, items_in_rows
from ..data._item_data import ItemData, read_partitions
from ..data._kinds import ITEMS, POOL, kind_of
from ..estimators._score_mixture import given_by, new_mixture
from ..goals._question import Question
from ..histogram._score_histogram import ScoreHistogram
from ..inputs._arrays import ColumnLike, CountedItems, TableLike
from ..inputs._frames import read_frames
from ..inputs._groups import Partition
from ..inputs._raters import Judges
from ..inputs._scores import ScoreDirection, holds_systems, named_columns
from ..inputs._validation import as_features, as_plain, check_aligned, seed_entropy, shape_of
from ..models._fit_settings import FitSettings
from ..models._item_table import ItemTable
from ..models._row_model import fit_table
from ..posterior._operating_points import increasing_thresholds, warn_of_thresholds
from ._class_start import are_classes, start_classes
from ._parameters import (
    LabelFormat,
    as_label_model,
    check_interval,
    check_parameters,
    columns_of_judges,
    columns_of_systems,
    given_labels,
    level_of,
    means_curves,
    question_of,
)
from .label_models._curves import SharedCurvesModel
from .label_models._label_model import LabelModel
from .label_models._noisy_regression import JointModel
from .label_models._pooled import PooledModel
from .lists._contrast import Contrast, checked_pair, without_parts
from .lists._ranked_lists import ListItems, RankedLists, check_list_question, score_lists
from .sessions._item_model import ItemModel
from .sessions._list_model import ListModel
from .sessions._one_pool_model import DrawnItems, NeighboringItems, OnePoolModel
from .sessions._proof_session import ProofSession
from .sessions._session import Session
from .sessions._shared_model import SharedListModel
from .strategies._registry import STRATEGIES, as_strategy
from .strategies._rules import Reading

# The model at the start of a session, the label format, and categories.
Start = tuple[ItemModel, Any, Partition | None]


def start_scores(
    selector,
    question: Question,
    columns: Mapping[str, Any],
) -> Start:
    """Return the start of a session on scores, from X, y and columns beside them."""
    names = ("noisy_labels", "category", "features", "X", "y", "groups", "judges")
    check_aligned(**{name: columns[name] for name in names})
    noisy_labels, category, features, X, y, groups, judges = (columns[name] for name in names)
    X = named_columns(X)

    has_noisy = noisy_labels is not None
    has_features = features is not None
    has_judges = judges is not None
    by_judges = X is None and has_judges
    n_items = Judges.n_items_of(judges) if by_judges else as_plain(X, "X").shape[0]
    category, groups = read_partitions(category, groups, n_items)
    label_format = LabelFormat.of(selector)
    if not has_noisy and X is not None:
        _check_probabilities(label_format, X, y)

    # Scores alone, in one pool, need no lists.
    has_categories = category is not None and category.n_parts > 1
    list_category = category if has_categories and selector.average == "macro" else None
    has_structure = has_judges or list_category is not None or groups is not None
    kind = kind_of(X, label_format.classes, has_structure=has_structure)
    has_lists = kind != POOL or has_noisy or has_features
    if not has_lists and means_curves(selector.label_model):
        if checked_pair(selector.compare) is not None:
            raise without_parts(selector.compare)
        return one_pool(selector, question, X, y, category)

    label_model = _label_model_of(
        selector,
        has_noisy=has_noisy,
        has_features=has_features,
        has_judges=has_judges,
        has_lists=list_category is not None,
    )
    check_list_question(question)

    labels, codes, noisy = given_labels(label_format, y, noisy_labels, n_items)
    data = ItemData.read(
        label_format,
        X,
        category=category,
        groups=groups,
        judges=judges,
        features=features if has_judges else None,
        kind=ITEMS,
        labeled=(labels, codes),
        estimator=selector,
    )
    features = None if features is None else as_features(features, n_items)
    table_columns = _table_columns(data, noisy, features, has_scores=X is not None)
    return _start_lists(selector, question, label_model, data, noisy, features, table_columns)


def _label_model_of(
    selector, *, has_noisy: bool, has_features: bool, has_judges: bool, has_lists: bool
) -> LabelModel:
    """Return the label model that is asked for, else one for what stands beside the scores.

    `has_lists` is whether there are several lists, of categories.
    """
    auto = SharedCurvesModel.name
    if not has_judges and (has_features or (has_noisy and has_lists)):
        auto = JointModel.name
    elif not has_judges and has_noisy:
        auto = PooledModel.name
    label_model = as_label_model(selector.label_model, auto, has_noisy=has_noisy)

    if has_judges and not label_model.uses_judges:
        raise ValueError(
            f"label_model={label_model.name!r} does not use judges: leave them out, or use "
            f"label_model={SharedCurvesModel.name!r}."
        )
    is_shared = type(label_model) is SharedCurvesModel
    if has_judges and has_features and (has_noisy or not is_shared):
        raise ValueError(
            "judges and features cannot be combined with noisy labels, or with a label model of "
            f"{label_model.name!r}: only the default one uses both. Leave noisy_labels or features "
            f"out, or use label_model={SharedCurvesModel.name!r}."
        )
    return label_model


def _check_probabilities(label_format: LabelFormat, X: Any, y: ColumnLike | None) -> None:
    """Raise if the column of the positive class cannot be identified."""
    are_columns = shape_of(X)[1:] == (2,) and not holds_systems(X, label_format.classes)
    if are_columns and label_format.pos_label is not None and not label_format.is_positive_known(y):
        raise ValueError(
            f"X has two columns, no label is known, and pos_label={label_format.pos_label!r}: the "
            "column of the positive class cannot be identified. Pass classes=, in the order of the "
            "columns."
        )


# --- one pool -------------------------------------------------------------------------------


def one_pool(
    selector,
    question: Question,
    X: Any,
    y: ColumnLike | None,
    category: Partition | None = None,
) -> Start:
    """Return the start of a session on one pool."""
    is_counted = isinstance(X, CountedItems)
    label_format = LabelFormat.of(selector)
    seed = seed_entropy(selector.random_state)
    template = None if isinstance(selector.label_model, str) else selector.label_model
    mixture = new_mixture(template, random_state=seed, holder=selector)
    if not label_format.is_positive_known(X.y if is_counted else y):
        mixture.set_params(pos_label=None)

    data = ItemData.read(mixture, X, y, category=category, kind=POOL)
    start = replace(ItemTable.of(data), category=None)
    # One of two columns is kept, and may be all that is left to infer their kind.
    settings = FitSettings.of(mixture).seeing(data)
    mixture.set_params(score_kind=settings.score_kind)
    kind = settings.score_kind
    _warn_of_threshold(question, start.scores[:, 0], start.score_directions[0], kind)

    # Rows that represent several items: those of a histogram, or of neighbors in a large pool.
    rows = DrawnItems.of(X.firsts, start.weights) if is_counted else None
    if rows is None and category is None and _may_gather(selector, question, start.n_items):
        start, rows = _gathered(question, start)

    # A copy: later changes by the user must not matter.
    start = replace(start, scores=np.array(start.scores))
    score_model = fit_table(settings, start, seed_entropy(mixture.random_state))
    model = OnePoolModel(
        question,
        mixture,
        score_model,
        start,
        rows=rows,
        category=None if category is None else category.codes,
        confidence_level=level_of(selector, question),
        n_jobs=selector.n_jobs,
    )
    return model, start.labels, category


def _may_gather(selector, question: Question, n_items: int) -> bool:
    """Return whether rows of neighboring items may represent the items of a pool."""
    strategy = as_strategy(selector.strategy)
    # Single items are read from the top, proved, or seen by a strategy or metric of the user's own.
    is_built_in = type(strategy) in STRATEGIES.values()
    sees_items = not is_built_in or isinstance(strategy, Reading) or question.is_of_rows
    is_proof = question.is_goal and selector.interval == "anytime"
    return n_items > MAX_ONE_BY_ONE and not sees_items and not is_proof


def _gathered(question: Question, start: ItemTable) -> tuple[ItemTable, NeighboringItems]:
    """Return rows of neighboring items, none on both sides of a threshold, and their items."""
    item_scores = start.scores[:, 0]
    score_direction = start.score_directions[0]
    above = question.above(item_scores, score_direction)
    edges = item_scores[above].min(initial=np.inf) if above is not None else []
    (scores, codes, counts), row, smallest = items_in_rows(item_scores, start.codes, edges)
    known = np.flatnonzero(start.codes >= 0)
    rows = NeighboringItems.of_rows(row, smallest, known, item_scores)
    table = ItemTable.of_pool(scores, codes, score_direction, counts=counts)
    return replace(table, labels=start.labels), rows


def _warn_of_threshold(
    question: Question,
    scores: np.ndarray,
    score_direction: ScoreDirection,
    score_kind: str = "auto",
) -> None:
    """Warn if a threshold lies outside the range of the scores, which may be missing."""
    if "threshold" in question.where:
        ends = np.array([np.nanmin(scores), np.nanmax(scores)])
        increasing = increasing_thresholds([question.where["threshold"]], score_direction)
        warn_of_thresholds(ends, increasing, score_direction, score_kind=score_kind)


# --- ranked lists ---------------------------------------------------------------------------


def _start_lists(
    selector,
    question: Question,
    label_model: LabelModel,
    data: ItemData,
    noisy: np.ndarray | None,
    features: np.ndarray | None,
    columns: dict[str, Any],
) -> Start:
    """Return the start of a session on ranked lists.

    `noisy` are the codes of noisy labels, (n_items,), `features` (n_items, n_features), `columns`
    those of a table.
    """
    scores = data.scores
    if np.isnan(scores).any() and not label_model.takes_missing:
        raise ValueError(
            f"{int(np.isnan(scores).sum())} scores are missing (NaN), and "
            f"label_model={label_model.name!r} does not support missing scores: use "
            f"label_model={SharedCurvesModel.name!r}, or drop items with missing scores."
        )

    # One direction for all systems, whose scores are compared.
    greater_is_positive = data.score_directions[0].greater_is_positive
    score_direction = ScoreDirection.of(scores[~np.isnan(scores)], greater_is_positive)
    scores = np.array(score_direction.flip(scores))
    _warn_of_threshold(question, scores, score_direction)
    threshold = question.where.get("threshold")
    if threshold is not None:
        threshold = score_direction.flip_threshold(threshold)

    # Strategies use categories all the same.
    list_category = data.category if selector.average == "macro" else None
    ranked_lists, places = score_lists(question, scores, noisy, list_category, features, threshold)
    ranked_lists = replace(
        ranked_lists,
        score_direction=score_direction,
        systems=data.systems,
        clusters=None if data.groups is None else data.groups.take(places),
        judges=None if data.judges is None else data.judges.take(places),
    )
    items = _items_of(ranked_lists, places, data, threshold, columns)
    pair = checked_pair(selector.compare)
    contrast = None if pair is None else Contrast.of(ranked_lists, pair)

    level = level_of(selector, question)
    if type(label_model) is not SharedCurvesModel or noisy is not None:
        model = ListModel(
            question,
            ranked_lists,
            items,
            label_model,
            confidence_level=level,
            n_draws=selector.n_draws,
            seed=seed_entropy(selector.random_state),
            contrast=contrast,
        )
        return model, data.labels, data.category

    seed = seed_entropy(selector.random_state)
    mixture = new_mixture(label_model.mixture, random_state=seed)
    mixture.set_params(**given_by(selector))
    settings = FitSettings.of(mixture).seeing(data)
    table = ItemTable.of(replace(data, category=list_category))
    model = SharedListModel(
        question,
        ranked_lists,
        # Labels of items that only judges rated are used.
        items if data.judges is None else replace(items, n_unused=0),
        label_model,
        mixture=mixture,
        start=table,
        score_model=fit_table(settings, table, seed_entropy(mixture.random_state)),
        confidence_level=level,
        n_jobs=selector.n_jobs,
        contrast=contrast,
    )
    return model, data.labels, data.category


def _items_of(
    ranked_lists: RankedLists,
    places: np.ndarray,
    data: ItemData,
    threshold: float | None,
    columns: dict[str, Any],
) -> ListItems:
    """Return the items of lists, and verified ones outside them, which inform the label model.

    `places` are those of the rows of the lists in the data.
    """
    is_item = ranked_lists.in_lists | (data.codes[places] >= 0)
    item_places = places[is_item]
    category = data.category
    is_decision = threshold is not None and len(ranked_lists.lists) == 1
    return ListItems(
        item_places,
        len(data.codes),
        data.codes[item_places],
        np.where(is_item, np.cumsum(is_item) - 1, -1),
        in_lists=ranked_lists.in_lists[is_item],
        n_unused=int(np.count_nonzero(np.delete(data.codes, places) >= 0)),
        category=None if category is None else category.codes[item_places],
        above=ranked_lists.scores[is_item, 0] >= threshold if is_decision else None,
        given=columns,
    )


def _table_columns(
    data: ItemData, noisy: np.ndarray | None, features: np.ndarray | None, *, has_scores: bool
) -> dict[str, np.ndarray]:
    """Return the arguments as columns of a table."""
    labels = data.labels
    judges = data.judges
    # Without scores there are judges, which have columns of their own.
    names = columns_of_systems(data.systems) if has_scores else []
    columns = dict(zip(names, data.scores.T, strict=False))

    if noisy is not None:
        columns["noisy_label"] = labels.decode(noisy)
    if data.category is not None:
        columns["category"] = data.category.codes
    if data.groups is not None:
        columns["groups"] = data.groups.names[data.groups.codes]
    if features is not None:
        columns |= {f"feature_{j}": column for j, column in enumerate(features.T)}
    if judges is not None:
        columns |= dict(zip(columns_of_judges(judges.names), judges.decoded(labels), strict=True))
    return {name: np.array(column) for name, column in columns.items()}


@singledispatch
def start_on(X: Any, selector: Any, y: ColumnLike | None, item_columns: Mapping[str, Any]) -> Start:
    """Return the start of a session on X, by its type: here on arrays and frames of scores.

    A further kind of items registers its type and how its sessions start.
    """
    # Streams are read once.
    columns = read_frames({"X": X, "y": y, **item_columns})
    columns["X"] = classifiers_of(columns["X"])
    if are_classes(selector, columns["X"], columns["y"]):
        return start_classes(selector, columns)
    return start_scores(selector, question_of(selector), columns)


@start_on.register(CountedItems)
def start_counted(
    X: CountedItems,
    selector: Any,
    y: ColumnLike | None,
    item_columns: Mapping[str, Any],
) -> Start:
    """Return the start of a session on a histogram; it takes no other columns of items."""
    question = question_of(selector)
    item_arguments = [f"{name}=" for name, value in item_columns.items() if value is not None]
    if item_arguments:
        raise TypeError(
            f"{' and '.join(item_arguments)} describe single items, which a histogram "
            "does not store: pass the scores of a random sample of the items instead."
        )
    if not means_curves(selector.label_model):
        raise ValueError(
            f"With a histogram the label model is that of curves: label_model must be "
            f"'auto' or a SemisupervisedScoreMixture, got {selector.label_model!r}."
        )
    if question.is_goal and selector.interval == "anytime":
        raise ValueError(
            "interval='anytime' needs single items to prove that a selection meets a goal, and a "
            "histogram stores none: use interval='posterior', or pass the scores of a random "
            "sample."
        )

    labeled: Any = X.with_labels([], []) if isinstance(X, ScoreHistogram) else X
    if getattr(labeled, "firsts", None) is None:
        raise TypeError(
            "A joint histogram is of several systems, and the selector asks about one: pass the "
            "histogram of that system."
        )

    is_filled = labeled.counts > 0.0
    filled = replace(
        labeled,
        scores=labeled.scores[is_filled],
        y=labeled.y[is_filled],
        counts=labeled.counts[is_filled],
        firsts=labeled.firsts[is_filled],
    )
    return one_pool(selector, question, filled, y)


def start_session(
    selector,
    X: Any,
    y: ColumnLike | None,
    *,
    noisy_labels: ColumnLike | None = None,
    category: ColumnLike | None = None,
    features: TableLike | None = None,
    groups: ColumnLike | None = None,
    judges: TableLike | None = None,
) -> Session:
    """Return the initial session of an `ActiveTestSelector`."""
    check_parameters(selector)
    check_not_several(X)
    pair = checked_pair(selector.compare)
    if pair is not None and start_on.dispatch(type(X)) is not start_on.dispatch(object):
        raise without_parts(pair)
    item_columns = {
        "groups": groups,
        "judges": judges,
        "noisy_labels": noisy_labels,
        "category": category,
        "features": features,
    }
    start = start_on(X, selector, y, item_columns)

    check_interval(selector, start[0])
    strategy = as_strategy(selector.strategy)
    session = Session(
        *start,
        interval=selector.interval,
        confidence_level=start[0].confidence_level,
        strategy=strategy,
        salt=selector.salt,
        parameters=selector.get_params(deep=False),
    )
    if "information" not in strategy.needs:
        # Raises if the strategy lacks anything.
        session.pool(strategy)
    return ProofSession.of(session)

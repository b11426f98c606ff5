"""What a user passes is read once, whatever holds it, and its kind follows from the data."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from sklearn_spe import SemisupervisedScoreMixture
from sklearn_spe.data._item_data import ItemData
from sklearn_spe.data._kinds import CLASSES, ITEMS, POOL, kind_of
from sklearn_spe.models._class_table import ClassTable
from sklearn_spe.models._item_table import ItemTable

N = 12
Y = np.array([0, 1, 1, 0, *[-1] * (N - 4)])
OF_THREE = np.array([0, 1, 2, 0, *[-1] * (N - 4)])
TAGS = np.repeat(["a", "b", "c"], N // 3)


def read(X, y=Y, sample_weight=None, *, parameters=None, **columns):
    mixture = SemisupervisedScoreMixture(**(parameters or {}))
    return ItemData.read(mixture, X, y, sample_weight, **columns)


@pytest.fixture
def scores(global_random_seed):
    return np.random.default_rng(global_random_seed).standard_normal((N, 3))


def test_the_kind_follows_from_the_data(scores):
    one, two, pair = scores[:, 0], {"u": scores[:, 0], "v": scores[:, 1]}, scores[:, :2]
    shares = np.abs(scores) / np.abs(scores).sum(axis=1, keepdims=True)
    positive = shares[:, 0] / shares[:, :2].sum(axis=1)
    assert read(one).kind == POOL
    assert read(np.column_stack([1.0 - positive, positive])).kind == POOL
    assert read(pair, parameters={"classes": [0, 1]}).kind == POOL
    assert read(two).kind == read(scores).kind == ITEMS
    assert read(one, category=TAGS).kind == read(one, groups=TAGS).kind == ITEMS
    assert read(one, judges=one).kind == read(None, judges=one).kind == ITEMS
    assert read(shares, OF_THREE).kind == read({"u": shares, "v": scores}, OF_THREE).kind == CLASSES
    # A selector, whose labels come later, asks the same function.
    for X in (one, two, scores):
        assert kind_of(X) == read(X).kind


def test_what_was_read_does_not_depend_on_what_held_it(scores):
    y = np.where(Y < 0, np.nan, Y)
    names = ["u", "v", "w"]
    frame = pd.DataFrame(scores, columns=names)
    expected = read(frame, y, category=TAGS, groups=TAGS)
    for X, labels, tags in (
        (dict(zip(names, scores.T.tolist(), strict=True)), Y.tolist(), TAGS.tolist()),
        (frame.astype(object), pd.array(Y, dtype="Int8"), pd.Series(TAGS)),
        (frame, pd.Series(y).astype(object), pd.Categorical(TAGS)),
    ):
        found = read(X, labels, category=tags, groups=tags)
        assert_array_equal(found.scores, expected.scores)
        assert found.systems == expected.systems == tuple(names)
        assert_array_equal(found.codes, Y)
        assert found.category.is_same(expected.category)
        assert found.groups.is_same(expected.groups)


def test_weighted_rows_are_repeated_ones(scores):
    counts = np.array([2, 0, 1, 3, 0, *[1] * (N - 5)])
    rows = np.repeat(np.arange(N), counts)
    for table, y, classes in ((ItemTable, Y, None), (ClassTable, OF_THREE, [0, 1, 2])):
        own = {"parameters": {"classes": classes}}
        all_tags, tags = ({"category": part, "groups": part} for part in (TAGS, TAGS[rows]))
        weighted = gathered(table.of(read(scores, y, counts, **all_tags, **own)))
        repeated = gathered(table.of(read(scores[rows], y[rows], **tags, **own)))
        assert_array_equal(weighted.codes, repeated.codes)
        assert_array_equal(np.hstack(numbers(weighted)), np.hstack(numbers(repeated)))
        assert weighted.category.is_same(repeated.category)
        assert weighted.groups.is_same(repeated.groups)
        if classes is None:
            assert_array_equal(weighted.counts, repeated.counts)


def gathered(table):
    return table if isinstance(table, ClassTable) else table.gathered()


def numbers(table):
    return [own.scores for own in table.scores] if isinstance(table, ClassTable) else [table.scores]


@pytest.mark.parametrize("greater_is_positive", [True, False])
def test_a_pool_is_the_case_of_one_system(greater_is_positive, scores):
    parameters = {"greater_is_positive": greater_is_positive}
    for column in (scores[:, 0], 1.0 / (1.0 + np.exp(scores[:, 0]))):
        pool = ItemTable.of(read(column, parameters=parameters))
        items = ItemTable.of(read(column, category=TAGS, parameters=parameters))
        assert_array_equal(pool.scores, items.scores)
        assert_array_equal(pool.codes, items.codes)
        assert pool.score_directions == items.score_directions


def test_later_labels_are_read_like_the_earlier_ones(scores):
    first = read(scores[:, 0], ["no", "yes", *[None] * (N - 2)], parameters={"pos_label": "yes"})
    later = ["yes", *[None] * (N - 1)]
    known = {"kind": first.kind, "before": first.labels, "parameters": {"pos_label": "yes"}}
    assert_array_equal(read(scores[:, 0], later, **known).codes, [1, *[-1] * (N - 1)])
    with pytest.raises(ValueError, match="pass classes="):
        read(scores[:, 0], later, parameters={"pos_label": "yes"})

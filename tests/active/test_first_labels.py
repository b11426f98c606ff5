"""Which classes labels are of, where the first of them do not name both; tables of answers."""

import copy

import numpy as np
import pytest

from sklearn_spe.active import read_label_studio
from sklearn_spe.matches import SegmentationMatches
from tests.active.selectors import quietly, selector
from tests.quick import QUIET

pytestmark = QUIET

N = 40


@pytest.fixture(scope="module", params=["one pool", "categories"])
def unlabeled(request, global_random_seed):
    scores = np.random.default_rng(global_random_seed).normal(size=N)
    category = np.arange(N) % 2 if request.param == "categories" else None
    return lambda y=None: quietly(selector(n_draws=50).fit, scores, y, category=category)


@pytest.fixture(scope="module")
def begun(unlabeled):
    return unlabeled()


def test_all_of_the_first_labels_may_be_positive(begun):
    chosen = copy.deepcopy(begun)
    quietly(chosen.update, np.arange(10), np.ones(10, int))
    quietly(chosen.update, np.arange(10, 20), np.ones(10, int))
    assert chosen.classes_.tolist() == [0, 1]
    assert chosen._session.query_log.codes[:20].tolist() == [1] * 20


@pytest.mark.parametrize("missing", [None, np.nan])
def test_a_first_fit_may_be_all_positive_where_missing_values_mark(unlabeled, missing):
    chosen = unlabeled([1] * 10 + [missing] * (N - 10))
    assert (chosen._session.query_log.codes[:10] == 1).all()
    assert chosen.n_labels_ == 10


def test_what_marked_goes_on_marking(unlabeled):
    chosen = unlabeled([-1] * N)
    quietly(chosen.update, [0, 1, 2], [1, 1, -1])
    assert chosen._session.query_log.codes[:3].tolist() == [1, 1, -1]
    # Where nothing has told, it may be the other class.
    with pytest.raises(ValueError, match="is -1 a class"):
        quietly(unlabeled().update, [0, 1, 2], [1, 1, -1])


def test_a_class_that_comes_later_may_not_change_what_was_said(begun):
    chosen = quietly(copy.deepcopy(begun).set_params(pos_label=1).update, [0, 1], [1, 1])
    with pytest.raises(ValueError, match="is -1 a class"):
        quietly(chosen.update, [2, 3], [1, -1])
    with pytest.raises(ValueError, match=r"All earlier labels are 1, of the classes \[0, 1\]"):
        quietly(chosen.update, [2, 3], [1, 2])


# --- what is no table of answers ---------------------------------------------------------------

CHOICE = {"type": "choices", "value": {"choices": ["spam"]}}


@pytest.mark.parametrize("task", [None, 1, "a", [], [{}]])
def test_tasks_are_dicts(task):
    with pytest.raises(TypeError, match="tasks must hold dicts"):
        read_label_studio([task])


@pytest.mark.parametrize("item", [0.9, "7", None, True, -1, 10**30, [1]])
def test_items_are_places(item):
    with pytest.raises((TypeError, ValueError), match="item"):
        read_label_studio([{"data": {"item": item}, "annotations": [{"result": [CHOICE]}]}])


@pytest.mark.parametrize(
    "annotations",
    [
        "spam",
        [None],
        [{"result": "spam"}],
        [{"result": [None]}],
        [{"result": [{"value": "spam"}]}],
        [{"result": [{"value": {"choices": "spam"}}]}],
    ],
    ids=str,
)
def test_annotations_are_lists_of_dicts(annotations):
    with pytest.raises(TypeError, match="of item 3 must be a list"):
        read_label_studio([{"data": {"item": 3}, "annotations": annotations}])


MATCHES = {
    "score": [0.9, 0.8, 0.7],
    "category": [0, 0, 0],
    "object": [0, -1, 1],
    "coarse_overlap": [0.9, 0.0, 0.6],
    "object_category": [0, 0],
}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("system", [10**9, 0, 0]),
        ("system", [0, 2, 0]),
        ("category", [0, 10**9, 0]),
        ("object_category", [0, 10**9]),
    ],
)
def test_systems_and_categories_are_counted_from_zero(name, values):
    with pytest.raises(ValueError, match="from 0"):
        SegmentationMatches(**{**MATCHES, name: values})

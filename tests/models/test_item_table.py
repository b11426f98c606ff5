"""The rows of a fit: what an update may change of them, and what is said of their columns."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_spe import SemisupervisedScoreMixture
from sklearn_spe.data._gathered_scores import MAX_ONE_BY_ONE
from sklearn_spe.data._item_data import ItemData
from sklearn_spe.models._item_table import ItemTable
from sklearn_spe.models._row_reasons import reasons_of_items

N = 12
CODES = np.where(np.arange(N) < 8, np.arange(N) % 2, -1)
UP = np.arange(N, dtype=float)
TWO = {"a": UP, "b": UP % 5.0}
STRUCTURE = {
    "category": np.arange(N) % 2,
    "groups": np.arange(N) // 2,
    "judges": {"j": np.arange(N) % 2},
    "features": {"f": UP},
}


def table(X, y=CODES, **structure):
    mixture = SemisupervisedScoreMixture(classes=[0, 1])
    return ItemTable.of(ItemData.read(mixture, X, y, **structure))


@pytest.fixture(scope="module")
def structured():
    return table(TWO, **STRUCTURE)


def test_what_is_left_out_of_an_update_stays(structured):
    y = np.where(np.arange(N) < 2, CODES, -1)
    updated = structured.same_items(table(TWO, y))
    assert_array_equal(updated.codes, y)
    for name in STRUCTURE:
        assert getattr(updated, name) is getattr(structured, name)
    assert structured.n_lost(updated) == 6
    assert updated.n_lost(structured) == 0
    # One pool is the same in any order, and labels of equal scores are exchangeable.
    pool = table(UP // 2)
    other = pool.same_items(table((UP // 2)[::-1], CODES[::-1]))
    assert (pool.n_lost(other), pool.n_lost(table(UP // 2, y))) == (0.0, 6.0)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ((TWO, {}), ({"a": UP, "b": UP}, {}), "12 items of 2 systems that differ"),
        ((TWO, {}), ({"a": UP, "c": UP % 5.0}, {}), "12 items of 2 systems that differ"),
        ((UP, {}), (UP + 1.0, {}), "12 items with 12 distinct scores, but fit had 12 with 12"),
        ((UP, {}), (UP // 2, {}), "12 items with 6 distinct scores, but fit had 12 with 12"),
        ((TWO, STRUCTURE), (TWO, {"groups": np.arange(N)}), "same groups=.*this one differs"),
        ((TWO, STRUCTURE), (TWO, {"judges": {"j": CODES == 1}}), "same judges=.*these differ"),
        ((TWO, {}), (TWO, {"judges": {"j": CODES == 1}}), "same judges=.*was given none"),
        ((TWO, STRUCTURE), (TWO, {"features": {"f": UP[::-1]}}), "same features=.*these differ"),
        ((TWO, {}), (TWO, {"features": {"f": UP}}), "same features=.*was given none"),
    ],
)
def test_an_update_of_other_items_is_refused(before, after, said):
    tables = [table(X, **structure) for X, structure in (before, after)]
    with pytest.raises(ValueError, match=f"update takes.*{said}.*[Cc]all fit"):
        tables[0].same_items(tables[1])


def test_a_column_is_of_a_system_or_of_a_judge(structured):
    assert [structured.column_of(name) for name in TWO] == [0, 1]
    assert structured.column_of(judge="j") == 2
    with pytest.raises(ValueError, match="judge='j' requires a fit with judges="):
        table(TWO).column_of(judge="j")
    half = np.where(np.arange(N) < 6, UP, np.nan)
    apart = table({"a": half, "b": half[::-1]}, category=np.arange(N) % 2)
    assert_array_equal(apart.items_with([0], 0), [0, 2, 4])
    with pytest.raises(ValueError, match="category 1 has a score by system 'a' and by system 'b'"):
        apart.measured_items([0, 1], 1)


def test_each_item_is_in_the_cell_of_its_score(global_random_seed):
    scores = np.random.default_rng(global_random_seed).normal(size=MAX_ONE_BY_ONE + 10)
    y = np.r_[CODES, np.full(len(scores) - N, -1)]
    for n in (N, len(scores)):
        many = table(scores[:n], y[:n])
        cells = many.cells
        # Neighbors without a label are in one cell, and the order stays.
        order = np.argsort(scores[N:n])
        assert (np.diff(cells[N:n][order]) >= 0).all()
        assert_array_equal(np.bincount(cells), many.pool.counts)
        assert many.gathered().pool is many.pool


def said_of(**columns):
    """Return the reasons about columns, by name."""
    return {reason.name: reason.problem for reason in reasons_of_items(table(**columns))}


def test_reasons_name_the_column_that_they_are_about():
    missing = np.where(CODES < 0, UP, np.nan)
    said = said_of(X={"a": UP, "b": np.full(N, 3.0), "c": missing}, groups=np.arange(N) // 4)
    assert "system 'b' is constant, 3 for all items" in said["one_score"]
    assert "system 'c' has no score of any labeled item" in said["unheard_system"]
    assert "no score for 8 of 12 items" in said["missing_scores"]
    assert "Labels cover 2 groups only" in said["few_groups"]

    grades = np.where(CODES < 0, 0.5, CODES)
    silent = np.where(CODES < 0, UP % 2, np.nan)
    said = said_of(X=UP, judges={"yes": np.ones(N), "grade": grades, "silent": silent})
    assert "judge 'yes' is constant, 1 for all items" in said["one_score"]
    assert "judge 'grade' takes the values 0, 0.5, 1" in said["graded_judge"]
    assert "judge 'silent' has no rating of any labeled item" in said["unheard_judge"]

    y = np.tile([0, 1], 40)
    X = {"good": y + 0.1 * np.sin(np.arange(80)), "bad": -y + 0.1 * np.cos(np.arange(80))}
    inverted = said_of(X=X, y=y)
    assert len(inverted) == 1
    assert "System 'bad': " in "".join(inverted.values())
    assert said_of(X=TWO, y=np.full(N, -1)) == {}

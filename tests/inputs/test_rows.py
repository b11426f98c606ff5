"""Some rows of whatever holds items."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from sklearn_spe.inputs._arrays import PartlyLabeled, read_sample_columns, rows_of

VALUES = np.arange(12.0).reshape(6, 2)
ROWS = np.array([4, 0, 5])


@pytest.mark.parametrize(
    "hold", [np.asarray, sparse.csr_array, sparse.csr_matrix, np.asfortranarray]
)
def test_rows_of_matrices(hold):
    got = rows_of(hold(VALUES), ROWS)
    assert type(got) is type(hold(VALUES))
    got = got.toarray() if sparse.issparse(got) else got
    assert got.tolist() == VALUES[ROWS].tolist()


def test_rows_of_data_frames_are_counted_whatever_their_index():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(VALUES, columns=["a", "b"], index=[9, 4, 0, 7, 1, 5])
    assert rows_of(frame, ROWS).to_numpy().tolist() == VALUES[ROWS].tolist()
    assert rows_of(frame, ROWS).columns.tolist() == ["a", "b"]
    assert rows_of(frame["a"], ROWS).tolist() == VALUES[ROWS, 0].tolist()


def test_rows_of_polars_are_rows():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"a": VALUES[:, 0], "b": VALUES[:, 1]})
    assert rows_of(frame, ROWS).to_numpy().tolist() == VALUES[ROWS].tolist()
    # As many rows as columns: rows all the same.
    assert rows_of(frame, np.array([1, 0])).to_numpy().tolist() == VALUES[[1, 0]].tolist()
    assert rows_of(frame["a"], ROWS).to_list() == VALUES[ROWS, 0].tolist()


def test_rows_are_taken_together_with_their_labels_and_weights():
    codes, classes = np.array([0, 1, -1, 0, 1, -1]), np.array(["a", "b"])
    data = PartlyLabeled(VALUES, codes, classes, np.arange(6.0))
    assert len(data) == 6
    taken = data.take(ROWS)
    assert taken.X.tolist() == VALUES[ROWS].tolist()
    assert taken.codes.tolist() == [1, 0, -1]
    assert taken.sample_weight.tolist() == [4.0, 0.0, 5.0]
    assert taken.classes is classes
    assert PartlyLabeled(VALUES, codes, classes, None).take(ROWS).sample_weight is None


class Remembering(LogisticRegression):
    """A classifier that remembers the parameters of its fit."""

    def fit(self, X, y, **params):
        self.labels_, self.params_ = y, params
        return super().fit(X, y)


def test_parameters_of_fit_with_one_entry_a_row_are_cut_and_others_are_not():
    data = PartlyLabeled(VALUES, np.array([0, 1, -1, 0, 1, -1]), np.array(["a", "b"]), None)
    rows, inside = np.array([0, 1, 4]), Remembering()
    params = {
        "array": np.arange(6),
        "list": list("abcdef"),
        "sparse": sparse.csr_array(VALUES),
        "text": "abcdef",
        "table": dict.fromkeys("abcdef", 0),
        "number": 6,
        "scalar": np.array(6),
        "shorter": [1, 2, 3],
        "nothing": None,
    }
    fitted = data.fit(inside, params, rows)
    assert fitted is not inside
    assert not hasattr(inside, "coef_")
    assert fitted.labels_.tolist() == ["a", "b", "b"]
    got = fitted.params_
    assert got["array"].tolist() == [0, 1, 4]
    assert got["list"] == ["a", "b", "e"]
    assert got["sparse"].toarray().tolist() == VALUES[rows].tolist()
    for name in ("text", "table", "number", "scalar", "shorter", "nothing"):
        assert got[name] is params[name]


AMOUNTS = {"value": [1.0, 2.0, 3.0], "site": ["x", "y", "x"]}
# From a mapping to a table.
TABLES = {"mapping": lambda: dict, "pandas": lambda: pytest.importorskip("pandas").DataFrame}
TABLES |= {"polars": lambda: pytest.importorskip("polars").DataFrame}
TABLES |= {"arrow": lambda: pytest.importorskip("pyarrow").table}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_columns_of_a_metric_are_those_of_a_mapping_or_of_any_table(table):
    columns = read_sample_columns(table()(AMOUNTS), 3)
    assert {name: column.tolist() for name, column in columns.items()} == AMOUNTS


@pytest.mark.parametrize(
    ("columns", "error", "says"),
    [
        ([1.0, 2.0, 3.0], TypeError, r"a mapping from names to columns, .*; got \[1\.0, 2\.0, 3"),
        (np.ones((3, 2)), TypeError, "a mapping from names to columns, or a data frame"),
        ({0: [1, 2, 3]}, ValueError, "each must be a word such as 'value'; got 0"),
        ({"two words": [1, 2, 3]}, ValueError, "such as 'value'; got 'two words'"),
        (
            {"value": [1, 2]},
            ValueError,
            r"each of the 3 rows of X; column 'value' has shape \(2,\)",
        ),
        ({"value": 3}, TypeError, r"sample_columns\['value'\] must be an array"),
    ],
)
def test_what_are_no_columns_of_a_metric_is_named(columns, error, says):
    assert read_sample_columns({}, 3) == {}
    with pytest.raises(error, match=says):
        read_sample_columns(columns, 3)

"""Tables of readings become one row per case, and nothing is counted twice."""

import numpy as np
import pandas as pd
import pytest

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.exceptions import ParameterError
from sklearn_spe.inputs import arrange_readings

OF_CASE = ["truth", "site"]


@pytest.fixture
def readings(global_random_seed):
    """Return a table of readings in any order, a fifth of them missing."""
    rng = np.random.default_rng(global_random_seed)
    places = [(c, m, r) for c in range(40) for m in ("CT", "MR") for r in ("Ann", "Ben", "Cas")]
    frame = pd.DataFrame(places, columns=["case", "modality", "reader"])
    truth = rng.integers(0, 2, 40).astype(float)
    frame["rating"] = rng.integers(1, 4, len(frame)) + 2 * truth[frame["case"]].astype(int)
    truth[rng.random(40) < 0.5] = np.nan
    frame["truth"], frame["site"] = truth[frame["case"]], np.array(["x", "y"])[frame["case"] % 2]
    return frame.iloc[rng.permutation(len(frame))[: int(0.8 * len(frame))]]


def arranged(frame, **changed):
    given = {"case": frame["case"], "reader": frame["reader"], "modality": frame["modality"]}
    given |= {"category": frame["site"], **changed}
    return arrange_readings(frame["rating"], frame["truth"], **given)


def test_a_table_of_readings_is_a_pivot_table(readings):
    found = arranged(readings)
    cases = readings["case"].unique()
    wide = readings.pivot(index="case", columns=["modality", "reader"], values="rating")
    wide = wide.sort_index(axis=1)
    assert found["X"].index.tolist() == cases.tolist()
    assert found["X"].columns.tolist() == wide.columns.tolist()
    np.testing.assert_array_equal(found["X"], wide.loc[cases])
    of_case = readings.groupby("case")[OF_CASE].first().loc[cases]
    np.testing.assert_array_equal(found["y"], of_case["truth"])
    assert found["category"].tolist() == of_case["site"].tolist()


def test_arrays_are_arranged_as_frames_are(readings):
    columns = {name: readings[name].to_numpy() for name in ("case", "reader")}
    first = readings["modality"].to_numpy() == "CT"
    given = {name: column[first] for name, column in columns.items()}
    rating, truth = (readings[name].to_numpy()[first] for name in ("rating", "truth"))
    found = arrange_readings(rating, truth, **given)
    assert set(found) == {"X", "y"}
    assert found["X"].columns.tolist() == ["Ann", "Ben", "Cas"]
    np.testing.assert_array_equal(found["X"], arranged(readings[first])["X"])
    assert set(arrange_readings(rating, **given)) == {"X"}


def test_a_label_may_be_in_one_row_of_its_case(readings):
    once = readings["truth"].where(~readings["case"].duplicated())
    marked = readings["truth"].fillna(-1).astype(int)
    expected = arranged(readings)["y"]
    for truth in (once, marked, once.fillna(-1)):
        frame = readings.assign(truth=truth)
        np.testing.assert_array_equal(arranged(frame)["y"].replace(-1, np.nan), expected)


def test_what_is_arranged_is_fitted(readings, global_random_seed):
    found = arranged(readings)
    performance = PerformanceCurveEstimator(n_draws=50, random_state=global_random_seed)
    performance = performance.fit(**found)
    assert len(found["X"]) == readings["case"].nunique()
    # Cases with the same readings may be one row that counts for both.
    assert performance.model_.table.weights.sum() == len(found["X"])
    assert performance.systems_[0] == ("CT", "Ann")
    assert performance.categories_.tolist() == ["x", "y"]
    # A mapping with pairs as names has the same systems.
    wide = dict(found["X"].items())
    again = PerformanceCurveEstimator(n_draws=50, random_state=global_random_seed)
    again = again.fit(**found | {"X": wide})
    gains = [each.difference("roc_auc", "MR", "CT").draws for each in (performance, again)]
    np.testing.assert_array_equal(*gains)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.assign(reader="Ann"), r"Case .* has 2 rows of reader .*Pass modality="),
        (lambda f: f.assign(truth=np.arange(len(f))), "y must be the same in all rows of a case"),
        (lambda f: f.assign(site=f["reader"]), "category must be the same in all rows of a case"),
        (lambda f: f.assign(reader=f["reader"].where(f["reader"] != "Ann")), "missing values"),
        (lambda f: f.assign(rating="4"), "X must hold numbers"),
    ],
)
def test_readings_that_contradict_each_other_are_refused(readings, change, message):
    frame = change(readings[readings["reader"] != "Cas"])
    with pytest.raises(ParameterError, match=message):
        arranged(frame)


def test_shapes_are_checked(readings):
    with pytest.raises(ParameterError, match="one score for each reading"):
        arrange_readings(np.zeros((4, 2)), case=[1, 1, 2, 2], reader=[1, 2, 1, 2])
    with pytest.raises(ParameterError, match=r"y must have shape \(2,\)"):
        arrange_readings([0.1, 0.2], [1], case=[1, 2], reader=[1, 1])
    with pytest.raises(ValueError, match="different indexes"):
        arranged(readings, reader=readings["reader"].reset_index(drop=True))


@pytest.mark.parametrize(("y", "labels"), [([-1, -1, -1], [-1, -1]), ([None, -1, -1], [-1, -1])])
def test_cases_of_which_none_is_labeled_are_not_labeled(y, labels):
    found = arrange_readings([0.1, 0.2, 0.3], y, case=["a", "a", "b"], reader=[1, 2, 1])
    assert found["y"].to_dict() == dict(zip("ab", labels, strict=True))

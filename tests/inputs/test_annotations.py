"""Labels that several people gave: who agrees, and what nobody contradicts."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, cohen_kappa_score

from sklearn_spe.inputs import Annotations


def test_agreement_is_that_of_scikit_learn(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    said = rng.choice(["a", "b", "c"], size=(3, 60)).astype(object)
    said[rng.random(said.shape) < 0.3] = None
    names = "anna", "ben", "cleo"
    annotations = Annotations.of(dict(zip(names, said, strict=True)))
    assert annotations.n_labeled == tuple((~pd.isna(said)).sum(axis=1))
    pairs = [(0, 1), (0, 2), (1, 2)]
    for found, (i, j) in zip(annotations.agreements(), pairs, strict=True):
        both = ~pd.isna(said[i]) & ~pd.isna(said[j])
        one, other = said[i][both].astype(str), said[j][both].astype(str)
        assert found.names == (names[i], names[j])
        assert found.n_both == both.sum()
        np.testing.assert_allclose(found.share, accuracy_score(one, other))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.testing.assert_allclose(found.kappa, cohen_kappa_score(one, other))


def test_a_label_is_taken_if_somebody_gave_it_and_nobody_contradicts():
    found = Annotations.of({"anna": [1, 0, -1, 1, -1], "ben": [1.0, 1.0, np.nan, np.nan, 0.0]})
    assert found.agreed.tolist() == [1, None, None, 1, 0]
    assert found.disputed.tolist() == [1]
    masked = np.ma.MaskedArray(["x", "y"], mask=[False, True])
    assert Annotations.of({"anna": masked, "ben": pd.array(["x", pd.NA])}).agreed.tolist() == [
        "x",
        None,
    ]


def test_minus_one_is_a_label_where_it_is_a_class():
    found = Annotations.of({"anna": [1, -1], "ben": [1, 1]}, classes=[-1, 1])
    assert found.agreed.tolist() == [1, None]


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ([1, None], [None, 0], "no labeled row in common"),
        ([1, 1], [1, 1], "(100%); Cohen's kappa: not defined"),
        ([1, 0], [0, 1], "0 of the 2 rows that both labeled (0%); Cohen's kappa: -1.00"),
    ],
)
def test_it_is_said_where_nothing_tells_of_agreement(one, other, said):
    (found,) = Annotations.of({"anna": one, "ben": other}).agreements()
    assert said in found.describe()


def test_what_is_wrong_is_named():
    with pytest.raises(ValueError, match="their numbers differ: anna of 2, ben of 1"):
        Annotations.of({"anna": [1, 0], "ben": [1]})
    with pytest.raises(ValueError, match=r"shape \(n_items,\), got \(2, 2\)"):
        Annotations.of({"anna": [[1, 0], [1, 0]]})
    with pytest.raises(ValueError, match="Two annotators have the same name: 1, 1"):
        Annotations.of({1: [1], "1": [1]})
    y = pd.Series([1, 0], index=["x", "y"])
    with pytest.raises(ValueError, match="anna and ben have the same index in another order"):
        Annotations.of({"anna": y, "ben": y[::-1]})
    with pytest.raises(ValueError, match="a dictionary from the names of annotators"):
        Annotations.of([[1, 0], [1, 0]])

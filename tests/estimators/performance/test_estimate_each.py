"""Many fits in one call: each as it is alone, and no more data at a time than workers hold."""

import weakref
from inspect import signature

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from sklearn_spe import PerformanceCurveEstimator, ScoreHistogram, SemisupervisedScoreMixture
from sklearn_spe.estimators import estimate_each
from sklearn_spe.estimators._estimate_each import ARGUMENTS
from sklearn_spe.exceptions import ParameterError
from sklearn_spe.inputs import _workers
from tests.quick import EXPERTS, QUIET

pytestmark = QUIET

METRICS = ["average_precision", ("precision", {"threshold": 0.5})]


def estimator():
    mixture = SemisupervisedScoreMixture("norm", "norm", experts=EXPERTS, n_draws=60)
    return PerformanceCurveEstimator(mixture, n_draws=60, random_state=0)


@pytest.fixture(scope="module")
def parts(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    parts = {}
    for name in ("a", "b", "c"):
        labels = rng.permutation(np.arange(200) % 2)
        scores = rng.standard_normal(200) + labels
        parts[name] = scores, np.where(np.arange(200) < 30, labels, -1)
    scores, y = parts["c"]
    counted = ScoreHistogram("identity").update(scores)
    parts["c"] = counted.with_labels(scores[:30], y[:30])
    return parts


@pytest.fixture(scope="module")
def frame(parts):
    return estimate_each(parts, METRICS, estimator=estimator())


def test_each_row_is_that_of_a_fit_alone(parts, frame):
    assert frame["name"].tolist() == ["a", "a", "b", "b", "c", "c"]
    assert frame["metric"].tolist() == ["average_precision", "precision at threshold=0.5"] * 3
    for name, data in parts.items():
        alone = estimator().fit(*(data if isinstance(data, tuple) else (data,)))
        own = frame[frame["name"] == name]
        found = [alone.estimate("average_precision"), alone.estimate("precision", threshold=0.5)]
        assert_allclose(own["value"], [each.value for each in found])
        assert_allclose(own[["lower", "upper"]], [each.interval() for each in found])
        assert set(own["verdict"]) == {alone.verdict_.describe()}


def test_workers_and_pairs_change_nothing(parts, frame, monkeypatch):
    monkeypatch.setattr(_workers, "WORTH_PROCESSES", 0.0)
    pairs = (pair for pair in parts.items())
    with joblib.parallel_config(backend="threading"):
        found = estimate_each(pairs, METRICS, estimator=estimator(), n_jobs=2)
    pd.testing.assert_frame_equal(found, frame)


class Data:
    """Scores and labels of a part, of which it can be seen how long they are there."""

    def __init__(self, data):
        self.data = data

    def __iter__(self):
        return iter(self.data)


def test_of_a_generator_no_more_is_held_than_workers_need(parts):
    alive, most = weakref.WeakSet(), []

    def drawn():
        for number in range(4):
            data = Data(parts["a"])
            alive.add(data)
            most.append(len(alive))
            yield number, data

    estimate_each(drawn(), ["prevalence"], estimator=estimator())
    assert max(most) <= 3


def test_one_line_says_how_far_it_is(parts, capsys):
    some = {"a": parts["a"], "b": parts["b"]}
    estimate_each(some, ["prevalence"], estimator=estimator(), verbose=1)
    said = capsys.readouterr().out
    assert said.count("\n") == 1
    assert "\r1 of 2 fitted" in said
    assert "\r2 of 2 fitted" in said


def test_what_fails_is_named_or_marked(parts):
    broken = {"a": parts["a"], "wrong": ([1.0, np.inf], [0, 1])}
    with pytest.raises(ValueError, match="The fit of 'wrong' failed"):
        estimate_each(broken, ["prevalence"], estimator=estimator())
    marked = estimate_each(broken, ["prevalence"], estimator=estimator(), error_score=np.nan)
    assert marked["value"].isna().tolist() == [False, True]
    assert marked["verdict"][1].startswith("error: ")
    with pytest.raises(TypeError, match="parts must be a mapping from names"):
        estimate_each([parts["a"][0]])
    with pytest.raises(TypeError, match="estimator must be a PerformanceCurveEstimator"):
        estimate_each(parts, estimator=SemisupervisedScoreMixture())
    with pytest.raises(ValueError, match="error_score must be 'raise' or a number"):
        estimate_each(parts, error_score="warn")
    with pytest.raises(TypeError, match="Arguments of a metric must be a mapping"):
        estimate_each(parts, [("precision", 0.5)])
    with pytest.raises(ParameterError, match="'place', which is not an argument") as raised:
        estimate_each(parts, [("roc_auc", {"place": 0.5})])
    assert "Pass one of threshold, recall" in raised.value.remedy
    places = list(signature(PerformanceCurveEstimator.estimate).parameters)[2:]
    assert [*places, "system", "category"] == [*ARGUMENTS]

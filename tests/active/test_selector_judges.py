"""A selector that learns of what judges say."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe import ActiveTestSelector, Goal, PerformanceCurveEstimator
from sklearn_spe.active import SharedCurvesModel
from tests.active.selectors import model
from tests.quick import QUIET

pytestmark = QUIET
N = 300


class Judged:
    """Items with a poor score, labels, and two judges, of which one is often silent."""

    def __init__(self, seed):
        self.rng, self.seed = np.random.default_rng(seed), seed
        self.truth = (np.arange(N) % 5 < 2).astype(int)
        self.scores = self.rng.normal(self.truth, 4.0)
        self.judges = {"good": self.wrong(0.02), "poor": self.wrong(0.3)}
        self.judges["poor"][self.rng.random(N) < 0.4] = np.nan
        self.y = np.where(self.rng.permutation(N) < 40, self.truth, -1)

    def wrong(self, share):
        return np.where(self.rng.random(N) < share, 1 - self.truth, self.truth).astype(float)

    def selector(self, metric="prevalence", **parameters):
        shared = SharedCurvesModel(model())
        parameters = {"label_model": shared, "n_draws": 100, "random_state": self.seed} | parameters
        return ActiveTestSelector(metric, **parameters)

    def fitted(self, **parameters):
        return self.selector(**parameters).fit(self.scores, self.y, judges=self.judges)


@pytest.fixture(scope="module")
def judged(global_random_seed):
    return Judged(global_random_seed)


@pytest.fixture(scope="module")
def chosen(judged):
    selector = judged.fitted()
    items = selector.query(5)
    return selector.update(items, judged.truth[items])


def test_a_judge_tells_of_labels_that_nobody_knows(judged, chosen):
    unknown = judged.y < 0
    said = judged.judges["good"][unknown]
    # It is right of 98 in a hundred: where it says yes nearly all are positive.
    told = chosen.label_proba_[unknown]
    assert told[said == 1.0].mean() > told[said == 0.0].mean() + 0.4


def test_verdicts_are_written_as_labels_are(judged, chosen):
    names = np.array(["bad", "good"], dtype=object)
    words = {
        name: np.where(np.isnan(said), None, names[np.nan_to_num(said).astype(int)])
        for name, said in judged.judges.items()
    }
    y = np.where(judged.y < 0, None, names[judged.y])
    selector = judged.selector(pos_label="good").fit(judged.scores, y, judges=words)
    items = selector.query(5)
    selector.update(items, names[judged.truth[items]])
    assert_allclose(selector.label_proba_, chosen.label_proba_, rtol=1e-9)
    table = selector.to_frame()
    assert_array_equal(table["judge_good"], words["good"])
    again = ActiveTestSelector.from_frame(table, label_model=chosen.label_model)
    assert_allclose(again.label_proba_, chosen.label_proba_, rtol=1e-9)


def test_a_judge_that_says_one_thing_changes_nothing(judged):
    given = {**judged.judges, "all": np.ones(N)}
    found = judged.selector().fit(judged.scores, judged.y, judges=given)
    expected = judged.fitted()
    assert_array_equal(found.label_proba_, expected.label_proba_)
    alone = judged.selector().fit(None, judged.y, judges={"all": np.ones(N)})
    low, high = alone.estimate_.interval()
    assert low < judged.truth[judged.y >= 0].mean() < high


def test_items_without_a_score_are_in_no_ranking_whatever_judges_say(judged):
    there = np.arange(N) % 10 > 0
    scores = np.where(there, judged.scores, np.nan)
    found = judged.selector("average_precision").fit(scores, judged.y, judges=judged.judges)
    # Their labels and ratings inform the model all the same.
    expected = PerformanceCurveEstimator(model(n_draws=found.n_draws))
    expected.fit(scores, judged.y, judges=judged.judges)
    assert_array_equal(found.estimate_.draws, expected.estimate(zero_division=np.nan).draws)
    assert there[found.query(5)].all()


def test_what_cannot_be_heard_is_refused(judged):
    with pytest.raises(ValueError, match="judges, several systems"):
        judged.selector(Goal.of(precision=0.9)).fit(judged.scores, judged.y, judges=judged.judges)
    with pytest.raises(ValueError, match="groups, judges or several systems the metric"):
        judged.selector("roc").fit(judged.scores, judged.y, judges=judged.judges)
    with pytest.raises(ValueError, match="features cannot be combined"):
        judged.selector().fit(
            judged.scores,
            judged.y,
            noisy_labels=judged.truth,
            judges=judged.judges,
            features=judged.scores[:, np.newaxis],
        )
    with pytest.raises(ValueError, match="label_model='naive' does not use judges"):
        judged.selector(label_model="naive").fit(
            judged.scores, judged.y, noisy_labels=judged.truth, judges=judged.judges
        )
    with pytest.raises(ValueError, match="greater_is_positive=False applies to the scores"):
        judged.selector(greater_is_positive=False).fit(None, judged.y, judges=judged.judges)
    with pytest.raises(ValueError, match="shape"):
        judged.selector().fit(judged.scores, judged.y, judges=judged.judges["good"][:-1])
    with pytest.raises((TypeError, ValueError), match="X"):
        judged.selector().fit(None, judged.y)
    for X in (None, judged.scores):
        with pytest.raises(ValueError, match="judges holds no column"):
            judged.selector().fit(X, judged.y, judges={})
        with pytest.raises(TypeError, match="the column 'a' of judges is 5"):
            judged.selector().fit(X, judged.y, judges={"a": 5})
        twice = pd.DataFrame(np.column_stack([judged.truth, judged.truth]), columns=["a", "a"])
        with pytest.raises(ValueError, match="judges has several columns of one name, such as 'a'"):
            judged.selector().fit(X, judged.y, judges=twice)
    signs = np.where(judged.truth == 1, 1, -1)
    with pytest.raises(ValueError, match="pass classes= if -1 is a class"):
        judged.selector().fit(judged.scores, judges=signs)


def test_noisy_labels_and_judges_go_together(judged):
    noisy = judged.wrong(0.2).astype(int)
    selector = ActiveTestSelector("prevalence", n_draws=60, random_state=judged.seed)
    selector.fit(judged.scores, judged.y, noisy_labels=noisy, judges=judged.judges)
    assert_array_equal(selector.label_proba_[judged.y >= 0], judged.truth[judged.y >= 0])


def test_features_tell_where_a_judge_errs(judged):
    """A judge that passes every long item is believed less there."""
    is_long = judged.rng.random(N) < 0.5
    lenient = np.where(is_long, 1.0, judged.truth)
    selector = judged.selector().fit(
        None, judged.y, judges={"lenient": lenient}, features=is_long.astype(float)[:, np.newaxis]
    )
    passed = (judged.y < 0) & (lenient == 1.0)
    expected = selector.label_proba_
    assert expected[passed & is_long].mean() < expected[passed & ~is_long].mean() - 0.1

"""A selector that learns of what judges say."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe import ActiveTestSelector
from sklearn_spe.active import SegmentationMatches, SharedCurvesModel
from tests.active.selectors import QUIET, model

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


def test_a_table_of_it_goes_on_where_it_was(chosen):
    table = chosen.to_frame()
    assert {"judge_good", "judge_poor"} <= set(table)
    assert json.loads(table["session"][0])["judges"] == ["good", "poor"]
    again = ActiveTestSelector.from_frame(table, label_model=chosen.label_model)
    assert_allclose(again.label_proba_, chosen.label_proba_, rtol=1e-9)
    assert_array_equal(again.query(4), chosen.query(4))
    del table["judge_poor"]
    with pytest.raises(ValueError, match="no column 'judge_poor'"):
        ActiveTestSelector.from_frame(table, label_model=chosen.label_model)


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


def test_without_scores_the_judges_are_the_score(judged):
    asked = judged.selector("accuracy", threshold=0.5)
    alone = asked.fit(None, judged.y, judges=judged.judges["good"]).estimate_
    given = asked.fit(judged.judges["good"], judged.y, judges=judged.judges["good"]).estimate_
    assert_array_equal(alone.draws, given.draws)


def test_a_selector_of_goals_and_of_one_pool_says_what_it_does_not_hear(judged):
    with pytest.raises(ValueError, match="label_model='naive' does not learn of judges"):
        judged.selector(label_model="naive").fit(
            judged.scores, judged.y, noisy_labels=judged.truth, judges=judged.judges
        )
    with pytest.raises(ValueError, match="greater_is_positive=False is about the scores"):
        judged.selector(greater_is_positive=False).fit(None, judged.y, judges=judged.judges)
    with pytest.raises(ValueError, match="one thing only"):
        judged.selector().fit(judged.scores, judged.y, judges=np.ones(N))
    with pytest.raises(ValueError, match="shape"):
        judged.selector().fit(judged.scores, judged.y, judges=judged.judges["good"][:-1])
    with pytest.raises((TypeError, ValueError), match="X"):
        judged.selector().fit(None, judged.y)


def test_matches_hold_what_is_known_of_detections():
    matches = SegmentationMatches([0.9, 0.8], [0, 0], [0, -1], [0.9, 0.0], [0], thresholds=[0.5])
    with pytest.raises(ValueError, match="judges would be ignored"):
        ActiveTestSelector().fit(matches, judges=[1, 0])


def test_noisy_labels_and_judges_go_together(judged):
    noisy = judged.wrong(0.2).astype(int)
    selector = ActiveTestSelector("prevalence", n_draws=60, random_state=judged.seed)
    selector.fit(judged.scores, judged.y, noisy_labels=noisy, judges=judged.judges)
    assert_array_equal(selector.label_proba_[judged.y >= 0], judged.truth[judged.y >= 0])

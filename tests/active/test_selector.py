"""The selector: an estimator that asks, learns, resumes, and never asks twice."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe.active._information import ExpectedInformation
from sklearn_spe.active.strategies._registry import STRATEGIES
from tests.active.selectors import AT, QUESTIONS, assert_same, fork, numbers, state
from tests.quick import QUIET

pytestmark = QUIET
SHARE = {"metric": "accuracy", "threshold": AT}


@pytest.fixture(scope="module")
def begun(pool):
    """Return a selector with twenty labels; tests work on a fork of it."""
    return pool.label(pool.fitted(**SHARE), rounds=2)


# --- an estimator ----------------------------------------------------------------------


def test_threads_lose_no_label_and_ask_for_no_item_twice(pool):
    chosen = pool.fitted(**SHARE)

    def label(_):
        items = chosen.query(2)
        chosen.update(items, pool.truth[items])
        return items

    with ThreadPoolExecutor(4) as threads:
        asked = np.concatenate(list(threads.map(label, range(8))))
    assert len(np.unique(asked)) == 16 == chosen.n_labels_
    assert_array_equal(chosen.pending_, [])
    known = chosen.to_columns()["label"]
    assert known[asked].tolist() == pool.truth[asked].tolist()


# --- the same again --------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["expected_change", "stratified"])
def test_the_same_seed_asks_the_same(pool, strategy):
    anew = pool.selector(strategy=strategy, **SHARE).fit(pool.scores)
    one, other = pool.fitted(**SHARE).set_params(strategy=strategy), anew
    for chosen in (one, other):
        pool.label(chosen, 6, rounds=2)
    assert_same(state(one), state(other))


@pytest.mark.parametrize("question", [QUESTIONS[name] for name in ("f1", "average_precision")])
def test_a_pickle_goes_on_as_if_nothing_had_been(pool, question):
    one = pool.label(pool.fitted(**question))
    pending = one.query(4)
    other = pickle.loads(pickle.dumps(one))
    assert_same(state(other), state(one))
    for chosen in (one, other):
        chosen.update(pending, pool.truth[pending])
        pool.label(chosen)
    assert_same(state(other), state(one))


# --- queries ---------------------------------------------------------------------------


def test_nothing_is_asked_for_twice(begun):
    chosen = fork(begun)
    known = set(np.flatnonzero(chosen._session.query_log.codes >= 0).tolist())
    first, second, third = chosen.query(7), chosen.query(7), chosen.query()
    assert len({*first, *second, *third}) == 24
    assert not known & {*first, *second, *third}
    assert_array_equal(chosen.pending_, np.r_[first, second, third])
    assert chosen.n_left_ == 300 - 20 - 24
    rest = chosen.query(chosen.n_left_)
    assert len({*rest, *first, *second, *third, *known}) == 300
    assert chosen.query().shape == (0,)
    assert chosen.query(0).shape == (0,)


def test_later_queries_know_of_those_that_wait(pool):
    chosen = pool.fitted().set_params(draw="argmax")
    items, believed = chosen.query(10), chosen._session.model
    information = ExpectedInformation.of(
        believed.question, chosen.performance_, believed.score_cells
    )
    first = information.gains[believed.item_cells[items[0]]]
    assert first == pytest.approx(information.gains.max(), rel=1e-9)
    for item in items:
        information = information.after(int(believed.item_cells[item]))
    utilities = chosen.utilities_
    assert np.isnan(utilities[items]).all()
    free = np.setdiff1d(np.arange(300), items)
    assert_allclose(utilities[free], information.gains[believed.item_cells[free]], rtol=1e-9)
    # The next one is the best of what is left to be gained.
    assert utilities[chosen.query(1)[0]] == np.nanmax(utilities)


def test_ten_by_one_query_are_ten_by_ten_if_the_best_are_taken(pool):
    scores = pool.scores + 1e-3 * np.arange(300)
    chosen = pool.selector(strategy="tail", draw="argmax").fit(scores)
    at_once = fork(chosen).query(10)
    assert_array_equal(at_once, [chosen.query(1)[0] for _ in range(10)])
    assert_array_equal(at_once, np.argsort(-scores)[:10])


def test_chances_of_what_was_drawn_are_reported(pool):
    chosen = pool.fitted().set_params(exploration=0.4)
    assert np.isnan(chosen.query_proba_).all()
    items = chosen.query(10)
    chances = chosen.query_proba_
    assert_array_equal(np.flatnonzero(~np.isnan(chances)), np.sort(items))
    assert (chances[items] >= 0.4 * 0.5 / 300.0).all()
    best = pool.fitted().set_params(draw="argmax")
    pool.label(best)
    assert np.isnan(best.query_proba_).all()
    assert best.n_labels_ == 10


def test_probabilities_are_those_of_the_model_and_of_what_is_known(pool, begun):
    known = begun._session.query_log.codes >= 0
    assert_array_equal(begun.label_proba_[known], pool.truth[known])
    expected = begun.performance_.posterior_.expected_probability(pool.scores)
    assert_allclose(begun.label_proba_[~known], expected[~known], atol=0.02)


# --- every metric, every strategy -------------------------------------------------------


# Those that look at the metric in ways of their own.
OF_METRICS = ("expected_change", "estimator_change", "static_importance")


def strategies_of(metric):
    """Return all strategies of one metric; of others one that looks at metrics, by turns."""
    if metric == "f1":
        return STRATEGIES
    return OF_METRICS[list(QUESTIONS).index(metric) % len(OF_METRICS) :][:1]


@pytest.mark.parametrize("metric", QUESTIONS)
def test_every_metric_goes_with_strategies(pool, metric):
    start = pool.fitted(**QUESTIONS[metric])
    for name in strategies_of(metric):
        chosen = fork(start).set_params(strategy=name)
        if name.endswith("importance") and start._session.model.terms is None:
            with pytest.raises(ValueError, match="ratio of sums"):
                chosen.query(5)
            assert len(chosen.pending_) == 0
            continue
        if name == "estimator_change" and not start._session.model.question.has_expectation:
            with pytest.raises(ValueError, match="whose expectation has a formula"):
                chosen.query(5)
            assert len(chosen.pending_) == 0
            continue
        pool.label(chosen, 8)
        assert chosen.n_labels_ == 8
        value, low, high = np.reshape(numbers(chosen.estimate_), (3, -1))
        assert (low <= high).all()
        assert ((low <= value) & (value <= high)).all()
        assert np.isfinite(chosen.utilities_[chosen._session.query_log.free]).all()
        assert len(chosen.history_) == 2


# --- turned around ---------------------------------------------------------------------


@pytest.mark.parametrize("question", [SHARE, {"metric": "precision_recall"}])
def test_smaller_scores_that_mean_positive_are_mirrored(pool, question):
    one = pool.fitted(**question)
    flipped = dict(question)
    if "threshold" in flipped:
        flipped["threshold"] = -flipped["threshold"]
    other = pool.selector(greater_is_positive=False, **flipped).fit(-pool.scores)
    for chosen in (one, other):
        pool.label(chosen, rounds=2)
    assert_same(state(one), state(other))

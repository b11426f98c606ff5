"""The selector: an estimator that asks, learns, resumes, and never asks twice."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from sklearn_spe import ActiveTestSelector
from sklearn_spe.active import Random, Strategy
from sklearn_spe.active._information import ExpectedInformation
from sklearn_spe.active.strategies._registry import STRATEGIES
from tests.active.selectors import AT, QUESTIONS, assert_same, fork, numbers, quietly, state
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


def test_parameters_are_kept_as_they_are(pool):
    mixture, strategy = pool.model(), Random()
    parameters = {
        "metric": "precision",
        "threshold": AT,
        "strategy": strategy,
        "label_model": mixture,
        "exploration": 0.3,
        "confidence_level": 0.8,
        "batch_size": 7,
        "random_state": pool.seed,
    }
    chosen = ActiveTestSelector(**parameters)
    pool.label(chosen.fit(pool.scores), 5)
    now = chosen.get_params(deep=False)
    for name, value in parameters.items():
        assert now[name] is value or now[name] == value
    assert not hasattr(mixture, "posterior_")
    copied = clone(chosen)
    assert not hasattr(copied, "estimate_")
    assert copied.get_params()["strategy"] == strategy
    assert set(now) == set(ActiveTestSelector().get_params(deep=False))


def test_it_says_what_it_is_in_a_line(pool):
    assert repr(ActiveTestSelector()) == "ActiveTestSelector()"
    assert repr(pool.selector("roc_auc", batch_size=5)).startswith(
        "ActiveTestSelector(batch_size=5"
    )


def test_before_fit_it_knows_nothing(pool):
    chosen = pool.selector()
    for ask in (
        chosen.query,
        lambda: chosen.update([1], [1]),
        lambda: chosen.should_stop(max_labels=3),
        lambda: chosen.label_proba_,
        lambda: chosen.utilities_,
        lambda: chosen.query_proba_,
        lambda: chosen.pending_,
        lambda: chosen.n_left_,
    ):
        with pytest.raises(NotFittedError):
            ask()


def test_a_second_fit_forgets_the_first(pool):
    chosen = pool.fitted()
    first = state(chosen)
    pool.label(chosen, rounds=2)
    quietly(chosen.should_stop, max_labels=10)
    assert chosen.stop_reason_ is not None
    assert chosen.fit(pool.scores) is chosen
    assert chosen.stop_reason_ is None
    assert_same(state(chosen), first)


def test_a_fit_that_fails_changes_nothing(pool, begun):
    chosen = fork(begun)
    before = state(chosen)
    chosen.set_params(threshold=None)
    with pytest.raises(ValueError, match="needs exactly one of threshold="):
        chosen.fit(pool.scores)
    assert_same(state(chosen), before)


def test_what_is_read_is_not_written_to(pool, begun):
    y = pool.partly(30)
    scores, labels = pool.scores.copy(), y.copy()
    chosen = pool.label(pool.selector().fit(scores, labels))
    assert_array_equal(scores, pool.scores)
    assert_array_equal(labels, y)
    chosen.query_proba_[:] = 7.0
    assert np.nanmax(chosen.query_proba_) <= 1.0


# --- the same again --------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["expected_change", "stratified"])
def test_the_same_seed_asks_the_same(pool, strategy):
    anew = pool.selector(strategy=strategy, **SHARE).fit(pool.scores)
    one, other = pool.fitted(**SHARE).set_params(strategy=strategy), anew
    for chosen in (one, other):
        pool.label(chosen, 6, rounds=2)
    assert_same(state(one), state(other))


def test_another_seed_asks_others(pool):
    one = pool.fitted().query(20)
    another = pool.seed + 1
    other = (
        pool.selector(random_state=another, label_model=pool.model(random_state=another))
        .fit(pool.scores)
        .query(20)
    )
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("seed", [np.random.RandomState, np.random.default_rng])
def test_generators_are_seeds_too(pool, seed):
    one, other = (
        pool.selector(random_state=seed(pool.seed), label_model=pool.model(random_state=None)).fit(
            pool.scores
        )
        for _ in "ab"
    )
    assert one.seed_ == other.seed_
    assert_array_equal(one.query(5), other.query(5))
    fresh = pool.selector(random_state=None, label_model=pool.model(random_state=None)).fit(
        pool.scores
    )
    assert fresh.seed_ != one.seed_


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


@pytest.mark.parametrize("how", ["two columns", "bare", "turned shares"])
def test_a_pickle_goes_on_however_scores_came(pool, how):
    shares = 0.5 + 0.02 * np.tanh(pool.scores)
    X = {
        "two columns": np.column_stack([1.0 - shares, shares]),
        "bare": pool.scores[:, np.newaxis],
        "turned shares": 1.0 - shares,
    }[how]
    experts = {"experts": None, "n_draws": 40} if how == "bare" else {}
    greater = not how.startswith("turned")
    chosen = pool.selector(label_model=pool.model(**experts), greater_is_positive=greater)
    one = chosen.fit(X[:100])
    other = pickle.loads(pickle.dumps(one))
    for chosen in (one, other):
        quietly(pool.label, chosen, rounds=2)
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


def test_a_batch_is_as_large_as_asked_for(pool):
    chosen = pool.fitted().set_params(batch_size=12)
    assert chosen.query().shape == (12,)
    assert chosen.query(3).shape == (3,)
    few = pool.selector(batch_size=12).fit(pool.scores, pool.partly(295))
    assert sorted(few.query()) == list(range(295, 300))


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


def test_utilities_are_those_of_the_strategy(begun):
    chosen = fork(begun)
    before = chosen.utilities_
    items, utilities = chosen.query(5, return_utilities=True)
    assert_array_equal(utilities, before)
    assert np.isfinite(utilities[items]).all()
    assert np.isnan(utilities[chosen._session.query_log.codes >= 0]).all()


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


def test_exploration_of_one_is_the_same_for_every_strategy(pool):
    drawn = [
        pool.fitted(**SHARE).set_params(strategy=name, exploration=1.0).query(10)
        for name in ("entropy", "tail", "expected_change")
    ]
    assert_array_equal(drawn[0], drawn[1])
    assert_array_equal(drawn[0], drawn[2])


@pytest.mark.parametrize("strategy", ["tail", "expected_change"])
def test_without_exploration_nothing_breaks(pool, strategy):
    chosen = pool.fitted(**SHARE).set_params(strategy=strategy, exploration=0.0)
    pool.label(chosen, 8, rounds=2)
    low, high = chosen.estimate_.interval()
    assert 0.0 <= low <= chosen.estimate_.value <= high <= 1.0
    if strategy == "tail":
        ranks = np.argsort(np.argsort(-pool.scores))
        assert sorted(ranks[chosen._session.query_log.codes >= 0]) == list(range(16))


def test_a_category_is_looked_at(pool):
    category = np.where(np.arange(300) < 290, "many", "few")
    chosen = pool.selector(strategy="random", exploration=0.0).fit(pool.scores, category=category)
    items = chosen.query(60)
    # By chance alone two of the ten would be among them; that not all are is chance once in
    # 100,000,000 times.
    assert (items >= 290).sum() == 10
    chances = chosen.query_proba_[items]
    assert chances[0] == pytest.approx(0.5 / (10.0 if items[0] >= 290 else 290.0))
    with pytest.raises(ValueError, match=r"category must have shape \(300,\)"):
        pool.selector().fit(pool.scores, category=["a"])


def test_a_strategy_may_be_ones_own(pool):
    class Lowest(Strategy):
        name = "lowest"

        def utilities(self, pool):
            return -pool.scores

    chosen = pool.fitted().set_params(strategy=Lowest(), draw="argmax")
    assert_array_equal(chosen.query(5), np.argsort(pool.scores)[:5])


@pytest.mark.parametrize("strategy", ["static_importance", "adaptive_importance"])
def test_what_a_strategy_lacks_is_said_and_nothing_is_asked(pool, strategy):
    message = "Importance needs a metric that is a ratio of sums"
    with pytest.raises(ValueError, match=message):
        pool.fitted("average_precision", strategy=strategy)
    chosen = pool.fitted("average_precision").set_params(strategy=strategy)
    for ask in (chosen.query, lambda: chosen.utilities_):
        with pytest.raises(ValueError, match=message):
            ask()
    assert len(chosen.pending_) == 0
    allowed = pool.fitted("prevalence", strategy=strategy)
    assert len(allowed.query(5)) == 5


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


def test_shares_that_mean_the_opposite_stay_shares(pool):
    shares = np.round(256.0 / (1.0 + np.exp(-pool.scores))) / 256.0
    one = pool.selector("precision", threshold=0.5).fit(shares)
    other = pool.selector("precision", threshold=0.5, greater_is_positive=False).fit(1.0 - shares)
    for chosen in (one, other):
        pool.label(chosen)
    assert_same(state(one), state(other))


def test_two_columns_are_the_probability_of_the_second_class(pool):
    shares = 1.0 / (1.0 + np.exp(-pool.scores))
    one = pool.selector(label_model=pool.model(score_kind="probability")).fit(shares)
    other = pool.selector(label_model=pool.model(score_kind="probability")).fit(
        np.column_stack([1.0 - shares, shares])
    )
    for chosen in (one, other):
        pool.label(chosen)
    assert_same(state(one), state(other))

"""Labels that are spent to prove that an answer keeps a goal, whatever a model believes."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe import ActiveTestSelector, Goal
from sklearn_spe.active import GoalReached
from sklearn_spe.active.strategies._registry import STRATEGIES
from sklearn_spe.design import verify_evidence
from sklearn_spe.design._goal_certificate import GoalCertificate
from sklearn_spe.exceptions import OutsideDesignWarning
from tests.active.selectors import Items, assert_same, model, quietly, state
from tests.quick import QUIET

pytestmark = QUIET
PRECISION = Goal.of(precision=0.8)


@pytest.fixture(scope="module")
def items(global_random_seed):
    return Items.drawn(global_random_seed)


def proving(items, goal=PRECISION, **parameters):
    return items.selector(goal, interval="anytime", **parameters)


@pytest.fixture(scope="module")
def proved(items):
    """Return a selector that has spent labels to prove a precision."""
    return items.label(proving(items).fit(items.scores, items.partly(5)), 15, rounds=4)


def certificate_of(chosen):
    return chosen._session.query_log.certificate


def levels_of(chosen):
    return certificate_of(chosen).levels


def test_what_is_said_is_what_the_certificate_of_all_draws_proves(items, proved):
    certificate = certificate_of(proved)
    assert proved.goal_probability_ in levels_of(proved)
    assert proved.history_[-1].goal_probability == proved.goal_probability_
    assert np.isfinite(proved.threshold_) == (proved.goal_probability_ >= 0.9)
    if np.isfinite(proved.threshold_):
        assert proved.threshold_ in certificate.thresholds[certificate.proved]
        assert_array_equal(proved.selected_, proved.performance_.selection(proved.threshold_))
        assert proved.should_stop(GoalReached(least=0))
        assert "is proved to keep precision >= 0.8 at the level" in proved.stop_reason_


def test_recall_is_proved_by_draws_whose_chances_add_up_to_one(items):
    chosen = proving(items, Goal.of(recall=0.8)).fit(items.scores, items.partly(5))
    log, strategy = chosen._session.query_log.copy(), STRATEGIES[chosen.strategy]()
    batch, _ = chosen._session.copy().ask(strategy, 3, draw="sample", exploration=0.2)
    for k, counts in enumerate(batch.threshold_counts):
        assert_allclose(counts.chance.sum(axis=1), 1.0)
        assert_allclose(counts.items.sum(axis=1), log.free.sum() - k)


def test_random_items_are_counted_as_even_draws(items):
    # Batches that overlap, answers in part, a skip, and a label that nobody asked for.
    goal = Goal.of(recall=0.8)
    chosen = proving(items, goal, strategy="random").fit(items.scores, items.partly(4))
    first, second = chosen.query(8), chosen.query(6)
    chosen.update(second[:3], items.truth[second[:3]])
    other = int(np.flatnonzero(chosen._session.query_log.free)[0])
    quietly(chosen.update, [other], items.truth[[other]])
    labels = items.truth[first].astype(float)
    labels[2] = np.nan
    quietly(chosen.update, first, labels)
    assert certificate_of(chosen).is_labeled.sum() == 12
    chosen.update(second[3:], items.truth[second[3:]])
    codes = np.where(np.isnan(labels), -1, labels).astype(int)
    start = GoalCertificate.start(items.scores, goal)
    expected = start.with_labels(np.arange(4), items.truth[:4]).drawn_evenly(first, codes)
    expected = expected.drawn_evenly(second, items.truth[second])
    expected = expected.with_labels([other], items.truth[[other]])
    assert_allclose(levels_of(chosen), expected.levels, atol=1e-9)


def test_random_items_of_a_precision_are_the_beginning_of_the_order(items):
    chosen = proving(items, strategy="random").fit(items.scores, items.partly(4))
    order = chosen._session.order.items
    first = chosen.query(8)
    assert_array_equal(first, order[:8])
    chosen.update(first[::-1], items.truth[first[::-1]])
    assert_array_equal(chosen.query(3), order[8:11])


@pytest.mark.parametrize("goal", [PRECISION, Goal.of(recall=0.7)], ids=str)
def test_a_table_goes_on_with_what_is_proved(items, goal):
    chosen = items.label(proving(items, goal).fit(items.scores, items.partly(5)), 15, rounds=3)
    frame = chosen.to_frame()
    again = ActiveTestSelector.from_frame(frame, label_model=items.model())
    assert_same(state(again), state(chosen))
    assert_array_equal(levels_of(again), levels_of(chosen))
    # Changed labels count along an order; drawn with chances they, and later ones, prove nothing.
    drawn = np.flatnonzero(frame["query"] == 1)[0]
    frame.loc[drawn, "label"] = 1 - items.truth[drawn]
    with pytest.warns(OutsideDesignWarning, match="present labels are used"):
        other = ActiveTestSelector.from_frame(frame, label_model=items.model())
    assert np.count_nonzero(certificate_of(other).is_labeled) == 50
    if goal == PRECISION:
        certificate = certificate_of(other)
        expected = items.truth[certificate.order[certificate.is_labeled]]
        is_changed = certificate.order[certificate.is_labeled] == drawn
        found = certificate.codes[certificate.is_labeled]
        assert_array_equal(found, np.where(is_changed, 1 - expected, expected))
        return
    labels = [bets.labels[-1].sum() for c in (other, chosen) for bets in certificate_of(c).tests]
    assert 15 <= labels[0] < labels[1] == 45


def test_the_order_is_drawn_from_what_is_fixed_before_the_first_label(items, proved):
    first = proving(items).fit(items.scores, items.partly(5))
    assert first.commitment_ == proved.commitment_
    others = (
        {"goal": Goal.of(precision=0.7)},
        {"confidence_level": 0.8},
        {"salt": "theirs"},
    )
    for other in others:
        assert proving(items, **other).fit(items.scores, items.partly(5)).commitment_ != (
            first.commitment_
        )
    evidence = proved.evidence()
    level = min(evidence["level"], 1.0 - 1e-9)
    commitment = proved.commitment_
    found = verify_evidence(evidence, confidence_level=level, commitment=commitment)
    assert found.is_verified
    with pytest.raises(AttributeError, match="along a random order"):
        items.selector().fit(items.scores).commitment_  # noqa: B018


def test_sessions_without_a_commitment_are_of_an_earlier_version(items, proved):
    frame = proved.to_frame()
    memory = json.loads(frame["session"][0])
    del memory["commitment"]
    frame["session"] = json.dumps(memory)
    with pytest.raises(ValueError, match="of an earlier version"):
        ActiveTestSelector.from_frame(frame, label_model=items.model())


def test_withdrawn_labels_of_the_start_make_a_new_order(items, proved):
    frame = proved.to_frame()
    at_first = frame["answered"] == 0
    assert at_first.any()
    frame.loc[at_first, "label"] = None
    with pytest.warns(OutsideDesignWarning) as caught:
        again = ActiveTestSelector.from_frame(frame, label_model=items.model())
    assert any("a new order, with a new risk" in str(each.message) for each in caught)
    assert not certificate_of(again).walk.is_aside.any()
    assert again.commitment_ != proved.commitment_


@pytest.mark.slow
def test_labels_corrected_to_the_truth_prove_what_the_truth_proves(items, proved):
    frame = proved.to_frame()
    drawn = np.flatnonzero((frame["query"] >= 1) & (frame["label"] == 1))[:3]
    wrong = frame.copy()
    wrong.loc[drawn, "label"] = 0
    for _ in range(3):
        # First called negative, and corrected later, however often the table is read.
        with pytest.warns(OutsideDesignWarning, match="count as what they are now along the"):
            again = ActiveTestSelector.from_frame(wrong, label_model=items.model())
        certificate = certificate_of(again)
        assert (certificate.codes[np.isin(certificate.order, drawn)] == 0).all()
        wrong = again.to_frame()
        assert (wrong.loc[drawn, "label"] == 0).all()
    wrong.loc[drawn, "label"] = 1
    corrected = ActiveTestSelector.from_frame(wrong, label_model=items.model())
    assert_array_equal(levels_of(corrected), levels_of(proved))


@pytest.mark.parametrize(
    ("goal", "parameters", "message"),
    [
        (PRECISION, {"draw": "argmax"}, "needs inclusion probabilities"),
        (PRECISION, {"exploration": 0.0}, "draw='sample' and exploration above 0"),
        (Goal.of(matthews_corrcoef=0.5), {}, "interval='posterior' of a selector"),
    ],
    ids=str,
)
def test_what_cannot_be_proved_is_refused(items, goal, parameters, message):
    with pytest.raises(ValueError, match=message):
        proving(items, goal, **parameters).fit(items.scores)


# --- scores that deceive ------------------------------------------------------------------------


def deceiving(kind, rng, n=300):
    """Return scores and labels: a model that trusts the scores promises too much."""
    x = rng.normal(size=n)
    if kind == "reversed":
        return x, (rng.random(n) < special.expit(-3.0 * x)).astype(int)
    scores = np.clip(special.expit(12.0 * x), 1e-3, 1.0 - 1e-3)
    return scores, (rng.random(n) < special.expit(2.0 * x - 0.5)).astype(int)


def was_ever_wrong(kind, goal, seed, n_labels=80):
    """Return whether an answer that was said to keep a goal, at any look, did not."""
    rng = np.random.default_rng(seed)
    scores, truth = deceiving(kind, rng)
    chosen = ActiveTestSelector(
        goal,
        interval="anytime",
        confidence_level=0.8,
        label_model=model(n_draws=40),
        random_state=int(rng.integers(2**31)),
    ).fit(scores)
    while chosen.n_labels_ < n_labels:
        batch = chosen.query(10)
        quietly(chosen.update, batch, truth[batch])
        answer = chosen.selected_
        n_right = truth[answer].sum()
        kept = {"precision": answer.sum(), "recall": truth.sum()}[goal.bounds[0].metric.name]
        if np.isfinite(chosen.threshold_) and n_right < 0.8 * kept:
            return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["reversed", "saturated"])
def test_whoever_stops_at_any_look_is_promised_no_more_than_is_true(kind, global_random_seed):
    n_repeats, goals = 16, (PRECISION, Goal.of(recall=0.8))
    wrong = [was_ever_wrong(kind, goals[k % 2], [global_random_seed, k]) for k in range(n_repeats)]
    # More often in one of 1,000,000 cases.
    assert np.sum(wrong) <= stats.binom.ppf(1.0 - 1e-6, n_repeats, 0.2)


# --- the model only when it is read ---------------------------------------------------------------


def test_a_proof_takes_no_model_until_one_is_read(items):
    chosen, read = (proving(items).fit(items.scores, items.partly(5)) for _ in range(2))
    for _ in range(3):
        batch = chosen.query(8)
        assert_array_equal(batch, read.query(8))
        for each in (chosen, read):
            each.update(batch, items.truth[batch])
        # Read each time, and not at all but for the proof.
        assert read.history_[-1].n_labels == chosen.n_labels_
        assert chosen.goal_probability_ in levels_of(chosen)
        assert chosen.should_stop(max_labels=29) == (chosen.n_labels_ == 29)
        if chosen.n_labels_ < 29:
            assert chosen._session._behind.query_log.n_labels == 5
    assert_array_equal(chosen.selected_, read.selected_)
    assert_array_equal(chosen.selected_, chosen._session.current.guarantee.selection)
    assert chosen.goal_probability_ == chosen._session.current.guarantee.probability
    assert_same(state(chosen), state(read))
    again = ActiveTestSelector.from_frame(chosen.to_frame(), label_model=items.model())
    assert_same(state(again), state(chosen))

"""What every strategy for labels promises, and what each of them chooses."""

import numpy as np
import pytest
from scipy import stats

from sklearn_spe.active import STRATEGIES, Adaptive, Random, Strategy, Tail

EVERY_STRATEGY = pytest.mark.parametrize(
    "strategy", [cls() for cls in STRATEGIES.values()], ids=STRATEGIES
)
RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=60)
# A third of the items have a label.
LABELS = np.where(np.arange(60) % 3 == 0, (SCORES > 0.5).astype(int), -1)
FREE = np.flatnonzero(LABELS == -1)
PROBABILITY = 1.0 / (1.0 + np.exp(-2.0 * SCORES))


def query(strategy, X=SCORES, y=LABELS, n_labels=10, **options):
    if strategy.needs_probability:
        options.setdefault("probability", PROBABILITY)
    return strategy.query(X, y, n_labels, **{"random_state": 0, **options})


# --- every strategy --------------------------------------------------------------------


@EVERY_STRATEGY
def test_it_is_listed_under_its_name(strategy):
    assert STRATEGIES[strategy.name] is type(strategy)
    assert isinstance(strategy, Strategy)
    assert strategy == type(strategy)()


@EVERY_STRATEGY
@pytest.mark.parametrize("n_labels", [1, 10, 40])
def test_as_many_items_as_asked_for_each_once_and_none_that_has_a_label(strategy, n_labels):
    chosen = query(strategy, n_labels=n_labels)
    assert chosen.shape == (n_labels,)
    assert len(set(chosen.tolist())) == n_labels
    assert set(chosen.tolist()) <= set(FREE.tolist())


@EVERY_STRATEGY
def test_the_first_items_of_a_longer_list_are_the_shorter_list(strategy):
    assert np.array_equal(query(strategy, n_labels=20)[:7], query(strategy, n_labels=7))


@EVERY_STRATEGY
def test_fewer_items_are_returned_if_fewer_are_left(strategy):
    assert sorted(query(strategy, n_labels=1000).tolist()) == FREE.tolist()
    everything = np.zeros(60, dtype=int)
    assert query(strategy, y=everything, n_labels=5).tolist() == []


@EVERY_STRATEGY
def test_no_label_asked_for_is_no_item(strategy):
    chosen = query(strategy, n_labels=0)
    assert chosen.shape == (0,)
    assert chosen.dtype.kind == "i"


@EVERY_STRATEGY
def test_without_labels_every_item_may_be_chosen(strategy):
    assert sorted(query(strategy, y=None, n_labels=60).tolist()) == list(range(60))


@EVERY_STRATEGY
def test_the_random_state_decides(strategy):
    tied = np.zeros(60)
    options = {"probability": np.full(60, 0.5)} if strategy.needs_probability else {}
    first, again, other = (
        query(strategy, X=tied, random_state=seed, **options) for seed in (0, 0, 1)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@EVERY_STRATEGY
@pytest.mark.parametrize("marker", [-1, np.nan, None])
def test_every_marker_of_a_missing_label_is_known(strategy, marker):
    y = np.array([marker if label == -1 else label for label in LABELS], dtype=object)
    assert np.array_equal(query(strategy, y=y), query(strategy))


@EVERY_STRATEGY
def test_markers_of_pandas_and_of_ones_own_are_known(strategy):
    pd = pytest.importorskip("pandas")
    y = pd.array([pd.NA if label == -1 else int(label) for label in LABELS], dtype="Int64")
    assert np.array_equal(query(strategy, y=y), query(strategy))
    names = np.array(["?", "fine", "fraud"], dtype=object)[LABELS + 1]
    own = query(strategy, y=names, unlabeled_label="?")
    assert np.array_equal(own, query(strategy))


@EVERY_STRATEGY
def test_labels_of_one_class_may_be_plus_and_minus_one(strategy):
    # -1 marks, whatever it could mean elsewhere.
    y = np.where(LABELS == -1, -1, 1)
    assert np.array_equal(query(strategy, y=y), query(strategy))


@EVERY_STRATEGY
def test_what_the_labels_say_does_not_matter(strategy):
    flipped = np.where(LABELS == -1, -1, 1 - LABELS)
    assert np.array_equal(query(strategy, y=flipped), query(strategy))


@EVERY_STRATEGY
def test_one_column_of_scores_is_scores(strategy):
    assert np.array_equal(query(strategy, X=SCORES[:, np.newaxis]), query(strategy))
    assert np.array_equal(query(strategy, X=SCORES.tolist(), y=LABELS.tolist()), query(strategy))


@EVERY_STRATEGY
@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"X": np.full(60, np.nan)}, ValueError, "NaN"),
        ({"X": np.r_[np.inf, SCORES[1:]]}, ValueError, "infinity"),
        ({"X": np.column_stack([1.0 - PROBABILITY, PROBABILITY])}, ValueError, "1d array"),
        ({"y": LABELS[:50]}, ValueError, "X holds 60, y 50"),
        ({"n_labels": -1}, ValueError, "n_labels must be at least 0, got -1"),
        ({"n_labels": 1.5}, TypeError, "n_labels must be a whole number, got 1.5"),
        ({"probability": PROBABILITY[:5]}, ValueError, r"must have shape \(60,\).*got \(5,\)"),
        (
            {"probability": np.column_stack([1.0 - PROBABILITY, PROBABILITY])},
            ValueError,
            "pass the column of the positive class",
        ),
        ({"probability": np.full(60, 1.1)}, ValueError, r"must lie in \[0, 1\]"),
        ({"probability": np.full(60, np.nan)}, ValueError, r"must lie in \[0, 1\]"),
    ],
)
def test_bad_input_is_named(strategy, changes, error, message):
    with pytest.raises(error, match=message):
        query(strategy, **changes)


# --- each strategy ---------------------------------------------------------------------


def test_the_tail_is_the_largest_scores_that_have_no_label():
    assert np.array_equal(query(Tail()), FREE[np.argsort(-SCORES[FREE])][:10])


def test_tied_scores_of_the_tail_are_chosen_by_chance():
    scores = np.r_[np.ones(20), 2.0, np.zeros(20)]
    counts = np.zeros(41)
    n = 2000
    for seed in range(n):
        chosen = Tail().query(scores, n_labels=6, random_state=seed)
        assert chosen[0] == 20
        counts[chosen] += 1.0
    assert counts[21:].sum() == 0.0
    # Five of twenty each time, without replacement: less variable than a multinomial.
    expected = np.full(20, n / 4.0)
    assert stats.chisquare(counts[:20], expected).pvalue > 1e-6


def test_adaptive_chooses_the_probabilities_next_to_one_half():
    chosen = query(Adaptive())
    assert np.array_equal(chosen, FREE[np.argsort(np.abs(PROBABILITY[FREE] - 0.5))][:10])


def test_adaptive_does_not_ask_for_the_scores_but_for_probabilities():
    with pytest.raises(ValueError, match=r"Adaptive needs probability=.*predict_proba"):
        Adaptive().query(SCORES, LABELS)
    turned = query(Adaptive(), X=-SCORES)
    assert np.array_equal(turned, query(Adaptive()))


def test_random_chooses_every_item_as_often():
    n, counts = 3000, np.zeros(60)
    for seed in range(n):
        counts[Random().query(SCORES, LABELS, 4, random_state=seed)] += 1.0
    assert counts[LABELS != -1].sum() == 0.0
    assert stats.chisquare(counts[FREE], np.full(len(FREE), 4.0 * n / len(FREE))).pvalue > 1e-6


def test_random_does_not_look_at_the_scores():
    assert np.array_equal(query(Random(), X=-SCORES), query(Random()))


def test_a_strategy_of_ones_own_may_leave_items_out():
    class Above(Strategy):
        name = "above"

        def utilities(self, scores, probability):
            return np.where(scores > 0.0, -scores, -np.inf)

    chosen = Above().query(SCORES, LABELS, 1000)
    above = FREE[SCORES[FREE] > 0.0]
    assert np.array_equal(chosen, above[np.argsort(SCORES[above])])


def test_minus_one_may_be_a_class():
    y = np.array([-1.0, 1.0, np.nan, np.nan, 1.0, -1.0])
    with pytest.raises(ValueError, match="a class or a second mark"):
        Tail().query(np.arange(6.0), y, 2)
    assert Tail().query(np.arange(6.0), y, 3, classes=[-1, 1]).tolist() == [3, 2]

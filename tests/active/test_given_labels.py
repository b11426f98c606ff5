"""What is given to a board at the start: how labels are written, columns, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from sklearn_spe import ActiveTestSelector
from sklearn_spe.active import MaxLabels, RankingSettled
from sklearn_spe.metrics import PrecisionAtK
from tests.active.selectors import numbers, quietly
from tests.quick import QUIET

pytestmark = QUIET

# The positive class comes first in sorted order, and so does its column.
NAMES = np.array(["spam", "ham"])
GIVEN = {
    "one pool": lambda tagged: {},
    "noisy": lambda tagged: {"noisy_labels": NAMES[tagged.noisy]},
    "category": lambda tagged: {"category": tagged.tag},
    "features": lambda tagged: {"features": tagged.other},
}


@pytest.fixture(scope="module")
def columns(tagged):
    """Return the probabilities of both classes."""
    p = special.expit(tagged.scores)
    return np.column_stack([p, 1.0 - p])


# --- columns of probabilities ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("of", "classes"), [*((of, None) for of in GIVEN), ("one pool", ["ham", "spam"])]
)
def test_the_column_of_the_positive_class_is_taken_where_it_is_the_first(
    pool, tagged, columns, of, classes
):
    given, label_model = GIVEN[of](tagged), "auto" if of == "features" else pool.model(n_draws=60)
    chosen = tagged.fitted(
        "roc_auc",
        columns,
        NAMES[tagged.truth],
        given,
        classes=classes,
        pos_label="ham",
        label_model=label_model,
    )
    want = (
        tagged.macro(roc_auc_score)
        if "category" in given
        else roc_auc_score(tagged.truth, tagged.scores)
    )
    assert_allclose(numbers(chosen.estimate_), want, rtol=1e-9)


@pytest.mark.parametrize("given", [GIVEN[n] for n in GIVEN if n != "noisy"])
@pytest.mark.parametrize("y", [None, np.full(300, None)], ids=["none", "all missing"])
def test_columns_without_a_name_of_the_classes_are_refused(tagged, columns, given, y):
    with pytest.raises(ValueError, match=r"pos_label='ham'.*Pass classes="):
        tagged.fitted("roc_auc", columns, y, given(tagged), pos_label="ham")


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, 2.0], [1.0], [2.0, 3.0]], "rows of different length"),
        (np.tile([0.2, 0.799], (300, 1)), "whose sums are nearly one"),
        (np.empty((0, 2)), "Found array with 0 sample"),
    ],
)
@pytest.mark.parametrize("of", ["one pool", "category", "features"])
def test_columns_that_may_be_anything_are_refused(tagged, X, message, of):
    with pytest.raises(ValueError, match=message):
        tagged.selector().fit(X, **{name: v[: len(X)] for name, v in GIVEN[of](tagged).items()})


# --- before both classes are vetted ----------------------------------------------------------


@pytest.mark.parametrize("n", [0, 40], ids=["none", "one"])
def test_nothing_is_settled_before_both_classes_are_verified(tagged, n):
    y = np.where(tagged.truth == 0, tagged.partly(n), -1)
    quick = {"label_model": "counts", "strategy": "random"}
    chosen = tagged.fitted(X=tagged.systems, y=y, **quick)
    assert chosen.verdict_ == "unidentified"
    assert "few_labels" in [r.name for r in chosen.verdict_.reasons]
    alone = tagged.fitted(y=y, **quick)
    assert not quietly(alone.should_stop, half_width=0.49)
    assert not quietly(chosen.should_stop, RankingSettled(0.01))
    # A number of labels is enough all the same.
    tagged.label(chosen, 1, truth=np.zeros(300, int))
    assert "few_labels" in [r.name for r in chosen.verdict_.reasons]
    assert quietly(chosen.should_stop, RankingSettled(0.01) | MaxLabels(chosen.n_labels_))
    assert "settled" not in chosen.stop_reason_
    for ranked_lists in (chosen, alone):
        known = ranked_lists._session.query_log.codes >= 0
        verified = [np.flatnonzero((z == tagged.truth) & ~known)[:20] for z in (0, 1)]
        verified = np.concatenate(verified)
        quietly(ranked_lists.update, verified, tagged.truth[verified])
        assert "few_labels" not in [r.name for r in ranked_lists.verdict_.reasons]
        assert ranked_lists.verdict_ != "unidentified"
    assert quietly(alone.should_stop, half_width=0.49)
    assert quietly(chosen.should_stop, RankingSettled(0.01))


# --- several systems and categories ----------------------------------------------------------


def test_micro_has_no_categories_to_tell_of(tagged):
    chosen = tagged.counted(y=tagged.partly(60), average="micro")
    with pytest.raises(ValueError, match="average='micro' pools all items"):
        chosen.by_category()


def test_one_system_without_categories_has_no_order(tagged):
    chosen = tagged.counted(y=tagged.partly(60), average="micro")
    for name in ("ranking_proba_", "order_proba_"):
        assert not hasattr(chosen, name)
        with pytest.raises(AttributeError, match=f"{name} exists only with several systems"):
            getattr(chosen, name)


def test_the_probability_of_the_order_is_the_share_of_draws_in_it(tagged):
    chosen = tagged.counted(X=tagged.near, y=tagged.partly(60), n_draws=400)
    order = np.argsort(-chosen.estimate_.value)
    decreasing = (np.diff(chosen.estimate_.draws[:, order], axis=1) <= 0.0).all(axis=1)
    assert 0.0 < chosen.order_proba_ < 1.0
    assert chosen.order_proba_ == pytest.approx(decreasing.mean(), abs=1e-12)


# --- ranks, and noise that leans to a system -------------------------------------------------


@pytest.mark.parametrize("label_model", ["counts", LogisticRegression()], ids=str)
def test_one_increasing_transform_of_all_categories_changes_nothing(tagged, label_model):
    fits = [
        tagged.fitted(X=X, y=tagged.partly(100), label_model=label_model, strategy="random")
        for X in (tagged.systems, 5.0 + np.exp(tagged.systems / 2.0))
    ]
    for other in fits[1:]:
        assert_allclose(numbers(other.estimate_), numbers(fits[0].estimate_), atol=1e-9)
        assert_allclose(other.label_proba_, fits[0].label_proba_, atol=1e-9)


@pytest.mark.slow
def test_noise_that_copies_a_system_does_not_turn_the_difference(tagged):
    rng = np.random.default_rng(tagged.seed)
    truth = (rng.random(2000) < 0.2).astype(int)
    better, worse = (a * truth + rng.normal(size=2000) for a in (3.0, 1.5))
    # Noisy labels that are not right are the decisions of the worse system.
    noisy = np.where(rng.random(2000) < 0.3, truth, worse > 1.0).astype(int)
    y = np.full(2000, -1)
    verified = rng.choice(2000, 400, replace=False)
    y[verified] = truth[verified]
    X = {0: worse, 1: better}
    chosen = tagged.selector(n_draws=400).fit(X, y, noisy_labels=noisy)
    off = chosen.difference(0, 1)
    assert chosen.naive_estimate_[0] > chosen.naive_estimate_[1]
    assert off.value < 0.0
    assert off.interval()[1] < 0.1


# --- class names are checked before the first label is paid for -----------------------------------


@pytest.mark.parametrize("pos_label", [{}, [1], np.nan, object(), len, -1])
@pytest.mark.parametrize("of", GIVEN)
def test_what_can_be_no_class_is_refused_without_labels(tagged, of, pos_label):
    with pytest.raises((TypeError, ValueError), match=r"^pos_label "):
        tagged.fitted(given=GIVEN[of](tagged) if of != "noisy" else {}, pos_label=pos_label)


# --- labels outside the lists ------------------------------------------------------------------


@pytest.mark.parametrize(
    "of",
    [
        pytest.param("noisy", marks=pytest.mark.slow),
        pytest.param("category", marks=pytest.mark.slow),
        "features",
    ],
)
def test_labels_outside_the_lists_inform_the_label_model(tagged, of):
    given = GIVEN[of](tagged)
    if of == "noisy":
        given = {"noisy_labels": tagged.noisy}
    y, k = tagged.partly(100), 8
    chosen = tagged.fitted(PrecisionAtK(k), y=y, given=given, classes=[0, 1])
    in_list = np.zeros(300, dtype=bool)
    if of == "category":
        in_list[tagged.top(k)] = True
    else:
        in_list[np.argsort(-tagged.scores)[:k]] = True
    assert chosen.n_labels_ == 100
    assert chosen.n_left_ == np.count_nonzero(in_list & (y < 0))
    assert set(chosen.query(3)) <= set(np.flatnonzero(in_list & (y < 0)))

    # They are known, written to tables, and used.
    frame = chosen.to_frame()
    assert_array_equal(frame["label"].notna(), y >= 0)
    y_alone = np.where(in_list, y, -1)
    alone = tagged.fitted(PrecisionAtK(k), y=y_alone, given=given, classes=[0, 1])
    unknown = in_list & (y < 0)
    assert (chosen.label_proba_[unknown] != alone.label_proba_[unknown]).all()
    again = ActiveTestSelector.from_frame(frame, metric=PrecisionAtK(k))
    assert_array_equal(again.label_proba_, chosen.label_proba_)


def test_equation_13_counts_all_verified_labels(tagged):
    y, noisy = tagged.partly(120), tagged.noisy
    chosen = tagged.fitted(
        PrecisionAtK(20),
        y=y,
        given={"noisy_labels": noisy},
        label_model="counts",
        strategy="random",
    )
    known = y >= 0
    scores = special.ndtri((rankdata(tagged.scores) - 0.5) / 300)[:, np.newaxis]
    of_scores = LogisticRegression().fit(scores[known], y[known]).predict_proba(scores)
    rates = [(noisy[y == z].sum() + 0.5) / (np.count_nonzero(y == z) + 1.0) for z in (0, 1)]
    joint = of_scores * np.column_stack([np.where(noisy == 1, rate, 1.0 - rate) for rate in rates])
    want = np.where(known, y, joint[:, 1] / joint.sum(axis=1))
    highest = np.argsort(-tagged.scores)[:20]
    assert_allclose(chosen.label_proba_[highest], want[highest], rtol=1e-9)


def test_labels_of_items_without_a_score_are_counted_as_unused(tagged):
    is_unscored = np.arange(300) < 3
    X = {
        "old": np.where(is_unscored, np.nan, tagged.scores),
        "new": np.where(is_unscored, np.nan, tagged.other),
    }
    chosen = tagged.fitted("roc_auc", X, tagged.partly(60), {})
    (reason,) = [r for r in chosen.verdict_.reasons if r.name == "unused_labels"]
    assert reason.text.startswith("3 verified items have no score")

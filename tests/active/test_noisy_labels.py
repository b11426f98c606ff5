"""A selector with noisy labels and categories: what it estimates, and what it does not look at."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score
from sklearn.naive_bayes import GaussianNB

from sklearn_spe.exceptions import (
    UnvettedWarning,
)
from sklearn_spe.metrics import PrecisionAtK
from tests.active.lists import NOISY, SCORES, TAG, TRUTH, macro, noisy_fit, noisy_selector, partly
from tests.active.selectors import label, numbers, quietly

K = 8
TOP = np.unique(
    np.concatenate([np.flatnonzero(c == TAG)[np.argsort(-SCORES[c == TAG])[:K]] for c in range(3)])
)
METRICS = {
    "average_precision": ({}, average_precision_score),
    "roc_auc": ({}, roc_auc_score),
    PrecisionAtK(K): ({}, lambda z, s: z[np.argsort(-s)[:K]].mean()),
    "f1": ({"threshold": -1.0}, lambda z, s: f1_score(z, s >= -1.0)),
}
EVERY_METRIC = pytest.mark.parametrize(
    ("metric", "where", "reference"),
    [(metric, *rest) for metric, rest in METRICS.items()],
    ids=[str(metric) for metric in METRICS],
)
MODELS = ("naive", "counts", "joint", GaussianNB())


# --- what it estimates ---------------------------------------------------------------


@EVERY_METRIC
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_with_everything_vetted_it_is_the_macro_mean_and_has_no_width(
    metric, where, reference, model
):
    chosen = noisy_fit(metric, y=TRUTH, label_model=model, strategy="random", **where)
    want = macro(reference)
    assert_allclose(numbers(chosen.estimate_), want, rtol=1e-12)
    assert chosen.naive_estimate_ == pytest.approx(want, rel=1e-12)
    assert chosen.vetted_estimate_ == pytest.approx(want, rel=1e-12)
    each = [reference(TRUTH[c == TAG], SCORES[c == TAG]) for c in range(3)]
    for part in (chosen.by_category().value, *chosen.by_category().interval()):
        assert_allclose(part, each, rtol=1e-12)
    assert not chosen._session.ledger.free.any()


@EVERY_METRIC
def test_naive_is_the_metric_of_noisy_labels_corrected_where_vetted(metric, where, reference):
    chosen = noisy_fit(metric, **where)
    assert chosen.naive_estimate_ == pytest.approx(macro(reference, NOISY), rel=1e-12)
    chosen = noisy_fit(metric, y=partly(100), **where)
    corrected = np.where(np.arange(300) < 100, TRUTH, NOISY)
    assert chosen.naive_estimate_ == pytest.approx(macro(reference, corrected), rel=1e-12)


@pytest.mark.parametrize("metric", ["average_precision", "roc_auc"])
def test_the_naive_model_says_what_the_naive_estimate_says(metric):
    chosen = noisy_fit(metric, y=partly(100), label_model="naive")
    assert_allclose(numbers(chosen.estimate_), chosen.naive_estimate_, rtol=1e-12)


def test_vetted_alone_is_the_metric_of_those_that_are_vetted():
    chosen = noisy_fit(y=partly(150))
    want = macro(average_precision_score, TRUTH[:150], SCORES[:150], TAG[:150])
    assert chosen.vetted_estimate_ == pytest.approx(want, rel=1e-12)


def test_a_category_without_vetted_items_is_not_zero():
    y = np.where(TAG == 2, -1, partly(200))
    chosen = noisy_fit(y=y)
    with pytest.warns(UnvettedWarning, match="1 of 3 lists have no vetted item"):
        assert np.isnan(chosen.vetted_estimate_)
    chosen = noisy_fit()
    with pytest.warns(UnvettedWarning, match="3 of 3 lists"):
        assert np.isnan(chosen.vetted_estimate_)
    # Their estimate is there all the same.
    assert 0.0 < chosen.estimate_.value < 1.0


@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.MisfitWarning")
@pytest.mark.parametrize("model", ["naive", "joint"])
def test_a_category_without_positives_is_left_out(model):
    # All of it is known to be negative: its average precision is not defined, and never will be.
    truth = np.where(TAG == 2, 0, TRUTH)
    y = np.where(TAG == 2, 0, -1)
    given = {"noisy_labels": np.where(TAG == 2, 0, NOISY), "category": TAG}
    chosen = label(noisy_fit(y=y, given=given, label_model=model), 40, truth=truth, rounds=2)
    assert np.isnan(chosen.by_category().value[2])
    assert 0.0 < chosen.estimate_.value < 1.0
    assert np.isfinite(chosen.history_.column("labels_only")).all()
    quietly(label, chosen, chosen.n_left_, truth=truth)
    want = np.mean([average_precision_score(truth[c == TAG], SCORES[c == TAG]) for c in (0, 1)])
    assert_allclose(numbers(chosen.estimate_), want, rtol=1e-12)


def test_draws_of_precision_have_the_mean_of_equation_8():
    chosen = noisy_fit(PrecisionAtK(K), y=partly(40), n_draws=2000, strategy="random")
    estimate = chosen.model_estimate_
    p = chosen.label_proba_[TOP]
    error = estimate.draws.std() / np.sqrt(2000.0)
    assert estimate.draws.mean() == pytest.approx(p.mean(), abs=5.0 * error)


def test_utilities_of_estimator_change_are_equation_11():
    chosen = noisy_fit(PrecisionAtK(K), y=partly(40), strategy="estimator_change")
    p, utilities = chosen.label_proba_, chosen.utilities_
    open_ = np.setdiff1d(TOP, np.arange(40))
    assert_allclose(utilities[open_], 2.0 * p[open_] * (1.0 - p[open_]) / K, rtol=1e-6)
    assert np.isnan(utilities[np.setdiff1d(np.arange(300), open_)]).all()
    best = noisy_fit(PrecisionAtK(K), y=partly(40), strategy="estimator_change", draw="argmax")
    asked = best.query(3)
    assert_array_equal(asked, np.argsort(-np.nan_to_num(utilities, nan=-1.0))[:3])


def test_confident_mistakes_are_the_highest_scores_that_are_held_for_negatives():
    chosen = noisy_fit(strategy="confident_mistake", draw="argmax", label_model="naive")
    negatives = np.flatnonzero(NOISY == 0)
    assert_array_equal(chosen.query(5), negatives[np.argsort(-SCORES[negatives])[:5]])


def test_micro_takes_all_items_for_one_pool():
    chosen = noisy_fit(y=TRUTH, average="micro")
    want = average_precision_score(TRUTH, SCORES)
    assert_allclose(numbers(chosen.estimate_), want, rtol=1e-12)


def test_flip_rates_are_those_of_what_is_vetted():
    rates = noisy_fit(y=TRUTH).flip_rates_
    want = [[np.mean(NOISY[(c == TAG) & (z == TRUTH)] != z) for z in (1, 0)] for c in range(3)]
    assert_allclose(rates, want, rtol=1e-12)
    assert np.isnan(noisy_fit(given={"category": TAG}).flip_rates_).all()


def test_categories_have_their_names_in_order():
    names = np.array(["sky", "cat", "Tree"], dtype=object)[TAG]
    chosen = noisy_fit(given={"noisy_labels": NOISY, "category": names}, y=TRUTH)
    assert chosen.categories_.tolist() == ["Tree", "cat", "sky"]
    each = [
        average_precision_score(TRUTH[names == c], SCORES[names == c]) for c in chosen.categories_
    ]
    assert_allclose(chosen.by_category().value, each)
    assert chosen.by_category().x.tolist() == [0, 1, 2]


# --- what is wrong -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "given", "message"),
    [
        ({"label_model": "naive"}, {"category": TAG}, "'naive' needs noisy_labels="),
        ({"label_model": "counts"}, {"category": TAG}, "'counts' needs noisy_labels="),
        ({"label_model": "joint"}, {"category": TAG}, "'joint' needs noisy_labels="),
        ({"label_model": "counts"}, {}, "'counts' needs noisy_labels="),
        ({"label_model": "overlap"}, {"noisy_labels": NOISY}, "is for SegmentationMatches"),
        ({"label_model": "overlap"}, {}, "is for SegmentationMatches"),
        ({}, {"noisy_labels": NOISY[:5]}, "one label an item, 300 of them; got 5"),
        ({}, {"noisy_labels": np.where(np.arange(300) == 7, np.nan, NOISY)}, "missing for 1 .* 7"),
        ({}, {"noisy_labels": np.full(300, None)}, "missing for 300 of 300"),
        ({}, {"noisy_labels": np.arange(300) % 3}, r"3 classes \(0, 1, 2, ...\).*category="),
        ({}, {"noisy_labels": np.array(["a", "b", "c"])[TAG]}, "3 classes .*category="),
        ({}, {"noisy_labels": NOISY, "category": TAG[:9]}, r"category must have shape \(300,\)"),
        ({}, {"noisy_labels": NOISY, "features": np.ones((9, 2))}, r"shape \(300, n_features\)"),
        ({}, {"noisy_labels": NOISY, "features": np.full(300, np.nan)}, "finite numbers"),
        ({"metric": PrecisionAtK(101)}, {"category": np.sort(TAG)}, "the k=101 highest"),
        ({"metric": "equal_error_rate"}, {"noisy_labels": NOISY}, "a number of a ranking"),
        ({"metric": "precision_recall"}, {"noisy_labels": NOISY}, "a number of a ranking"),
        ({"metric": "precision", "recall": 0.5}, {"noisy_labels": NOISY}, "of a threshold="),
        ({"metric": macro}, {"noisy_labels": NOISY}, "a number of a ranking"),
        ({"interval": "design"}, {"category": TAG}, "no design-based estimate"),
        ({"interval": "anytime"}, {"noisy_labels": NOISY}, "ratios of sums over items"),
        ({"average": "weighted"}, {"category": TAG}, "average must be one of macro, micro"),
        ({"strategy": "static_importance"}, {"category": TAG}, "a ratio of sums over items"),
    ],
)
def test_what_is_wrong_is_named(parameters, given, message):
    with pytest.raises(ValueError, match=message):
        noisy_fit(given=given, **parameters)


def test_a_label_model_must_be_one():
    with pytest.raises(TypeError, match="label_model must be one of auto, naive"):
        noisy_selector(label_model=3).fit(SCORES, noisy_labels=NOISY)


@pytest.mark.parametrize("interval", ["design", "anytime"])
def test_where_a_design_answers_its_interval_is_there(interval):
    chosen = noisy_fit(
        PrecisionAtK(20), given={"noisy_labels": NOISY}, interval=interval, strategy="random"
    )
    quietly(label, chosen, 5, truth=TRUTH, rounds=2)
    low, high = chosen.estimate_.interval()
    assert 0.0 <= low <= chosen.estimate_.value <= high <= 1.0
    assert low < high

"""A selector with noisy labels and categories: what it estimates, and what it does not look at."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score
from sklearn.naive_bayes import GaussianNB

from sklearn_spe.exceptions import UnverifiedWarning
from sklearn_spe.metrics import PrecisionAtK
from tests.active.selectors import numbers, quietly
from tests.quick import QUIET

pytestmark = QUIET

K = 8
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


# --- what it estimates ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "model"),
    [(metric, "counts") for metric in METRICS]
    + [("average_precision", model) for model in ("naive", "joint", GaussianNB())],
    ids=str,
)
def test_with_everything_verified_it_is_the_macro_mean_and_has_no_width(tagged, metric, model):
    where, reference = METRICS[metric]
    chosen = tagged.fitted(metric, y=tagged.truth, label_model=model, strategy="random", **where)
    want = tagged.macro(reference)
    assert_allclose(numbers(chosen.estimate_), want, rtol=1e-12)
    assert chosen.naive_estimate_ == pytest.approx(want, rel=1e-12)
    assert chosen.verified_estimate_ == pytest.approx(want, rel=1e-12)
    each = [
        reference(tagged.truth[c == tagged.tag], tagged.scores[c == tagged.tag]) for c in range(3)
    ]
    for part in (chosen.by_category().values, *chosen.by_category().intervals().T):
        assert_allclose(part, each, rtol=1e-12)
    assert not chosen._session.query_log.free.any()


@EVERY_METRIC
def test_naive_is_the_metric_of_noisy_labels_corrected_where_verified(
    tagged, metric, where, reference
):
    quick = {"label_model": "naive", **where}
    chosen = tagged.fitted(metric, **quick)
    assert chosen.naive_estimate_ == pytest.approx(tagged.macro(reference, tagged.noisy), rel=1e-12)
    chosen = tagged.fitted(metric, y=tagged.partly(100), **quick)
    corrected = np.where(np.arange(300) < 100, tagged.truth, tagged.noisy)
    assert chosen.naive_estimate_ == pytest.approx(tagged.macro(reference, corrected), rel=1e-12)


def test_verified_alone_is_the_metric_of_those_that_are_verified(tagged):
    chosen = tagged.counted(y=tagged.partly(150))
    want = tagged.macro(average_precision_score, n=150)
    assert chosen.verified_estimate_ == pytest.approx(want, rel=1e-12)


def test_a_category_without_verified_items_is_not_zero(tagged):
    y = np.where(tagged.tag == 2, -1, tagged.partly(200))
    chosen = tagged.counted(y=y)
    with pytest.warns(UnverifiedWarning, match="1 of 3 lists have no verified item"):
        assert np.isnan(chosen.verified_estimate_)
    chosen = tagged.counted()
    with pytest.warns(UnverifiedWarning, match="3 of 3 lists"):
        assert np.isnan(chosen.verified_estimate_)
    # Their estimate is there all the same.
    assert 0.0 < chosen.estimate_.value < 1.0


@pytest.mark.parametrize("model", ["naive", "counts"])
def test_a_category_without_positives_is_left_out(tagged, model):
    # All of it is known to be negative: its average precision is not defined, and never will be.
    truth = np.where(tagged.tag == 2, 0, tagged.truth)
    y = np.where(tagged.tag == 2, 0, -1)
    given = {"noisy_labels": np.where(tagged.tag == 2, 0, tagged.noisy), "category": tagged.tag}
    chosen = tagged.label(
        tagged.fitted(y=y, given=given, label_model=model), 40, truth=truth, rounds=2
    )
    assert np.isnan(chosen.by_category().values[2])
    assert 0.0 < chosen.estimate_.value < 1.0
    assert np.isfinite(chosen.history_.column("labels_only")).all()
    quietly(tagged.label, chosen, chosen.n_left_, truth=truth)
    want = np.mean(
        [
            average_precision_score(truth[c == tagged.tag], tagged.scores[c == tagged.tag])
            for c in (0, 1)
        ]
    )
    assert_allclose(numbers(chosen.estimate_), want, rtol=1e-12)


@pytest.mark.slow
def test_draws_of_precision_have_the_mean_of_equation_8(tagged):
    chosen = tagged.fitted(PrecisionAtK(K), y=tagged.partly(40), n_draws=2000, strategy="random")
    estimate = chosen.model_estimate_
    p = chosen.label_proba_[tagged.top(K)]
    error = estimate.draws.std() / np.sqrt(2000.0)
    assert estimate.draws.mean() == pytest.approx(p.mean(), abs=5.0 * error)


def test_utilities_of_estimator_change_are_equation_11(tagged):
    chosen = tagged.counted(PrecisionAtK(K), y=tagged.partly(40), strategy="estimator_change")
    p, utilities = chosen.label_proba_, chosen.utilities_
    open_ = np.setdiff1d(tagged.top(K), np.arange(40))
    assert_allclose(utilities[open_], 2.0 * p[open_] * (1.0 - p[open_]) / K, rtol=1e-6)
    assert np.isnan(utilities[np.setdiff1d(np.arange(300), open_)]).all()
    best = tagged.counted(
        PrecisionAtK(K), y=tagged.partly(40), strategy="estimator_change", draw="argmax"
    )
    largest = np.sort(utilities[open_])[:-4:-1]
    assert_allclose(utilities[best.query(3)], largest, rtol=1e-6)


def test_confident_mistakes_are_the_highest_scores_that_are_held_for_negatives(tagged):
    chosen = tagged.fitted(strategy="confident_mistake", draw="argmax", label_model="naive")
    negatives = np.flatnonzero(tagged.noisy == 0)
    assert_array_equal(chosen.query(5), negatives[np.argsort(-tagged.scores[negatives])[:5]])


def test_micro_takes_all_items_for_one_pool(tagged):
    chosen = tagged.counted(y=tagged.truth, average="micro")
    want = average_precision_score(tagged.truth, tagged.scores)
    assert_allclose(numbers(chosen.estimate_), want, rtol=1e-12)


def test_flip_rates_are_those_of_what_is_verified(pool, tagged):
    rates = tagged.counted(y=tagged.truth).flip_rates_
    want = [
        [np.mean(tagged.noisy[(c == tagged.tag) & (z == tagged.truth)] != z) for z in (1, 0)]
        for c in range(3)
    ]
    assert_allclose(rates, want, rtol=1e-12)
    without = tagged.fitted(given={"category": tagged.tag}, label_model=pool.model())
    assert np.isnan(without.flip_rates_).all()


# --- what is wrong -------------------------------------------------------------------


NOISY, TAG = np.arange(300) % 2, np.arange(300) % 3


@pytest.mark.parametrize(
    ("parameters", "given", "message"),
    [
        ({"label_model": "naive"}, {"category": TAG}, "'naive' needs noisy_labels="),
        ({"label_model": "counts"}, {"category": TAG}, "'counts' needs noisy_labels="),
        ({"label_model": "joint"}, {"category": TAG}, "'joint' needs noisy_labels="),
        ({"label_model": "counts"}, {}, "'counts' needs noisy_labels="),
        ({"label_model": "overlap"}, {"noisy_labels": NOISY}, "is for SegmentationMatches"),
        ({"label_model": "overlap"}, {}, "is for SegmentationMatches"),
        ({}, {"noisy_labels": NOISY[:5]}, "one label per item, 300 in all; got 5"),
        ({}, {"noisy_labels": np.where(np.arange(300) == 7, np.nan, NOISY)}, "missing for 1 .* 7"),
        ({}, {"noisy_labels": np.full(300, None)}, "missing for 300 of 300"),
        ({}, {"noisy_labels": np.arange(300) % 3}, r"3 classes \(0, 1, 2, ...\).*category="),
        ({}, {"noisy_labels": np.array(["a", "b", "c"])[TAG]}, "3 classes .*category="),
        ({}, {"noisy_labels": NOISY, "category": TAG[:9]}, r"category must have shape \(300,\)"),
        ({}, {"noisy_labels": NOISY, "features": np.ones((9, 2))}, r"shape \(300, n_features\)"),
        ({}, {"noisy_labels": NOISY, "features": np.full(300, np.nan)}, "features must be finite"),
        ({"metric": PrecisionAtK(101)}, {"category": np.sort(TAG)}, "needs k=101 items"),
        ({"metric": "equal_error_rate"}, {"noisy_labels": NOISY}, "no formula of its expectation"),
        ({"metric": "precision_recall"}, {"noisy_labels": NOISY}, "a ranking metric"),
        ({"metric": "precision", "recall": 0.5}, {"noisy_labels": NOISY}, "with threshold="),
        ({"metric": np.mean}, {"noisy_labels": NOISY}, "a ranking metric"),
        ({"interval": "design"}, {"category": TAG}, "No design-based estimate"),
        ({"interval": "anytime"}, {"noisy_labels": NOISY}, "ratios of sums over items"),
        ({"average": "weighted"}, {"category": TAG}, "average must be one of macro, micro"),
        (
            {"strategy": "static_importance", "label_model": "naive"},
            {"noisy_labels": NOISY, "category": TAG},
            "a ratio of sums over items",
        ),
    ],
)
def test_what_is_wrong_is_named(tagged, parameters, given, message):
    with pytest.raises(ValueError, match=message):
        tagged.fitted(given=given, **parameters)


def test_a_label_model_must_be_one(tagged):
    with pytest.raises(TypeError, match="label_model must be one of auto, naive"):
        tagged.selector(label_model=3).fit(tagged.scores, noisy_labels=tagged.noisy)

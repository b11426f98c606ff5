"""Systems that miss scores of some items: a reader who skipped a case."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics as sklearn_metrics

from sklearn_spe import PerformanceCurveEstimator, PerformanceReport
from sklearn_spe.application import main_estimates
from sklearn_spe.display import DifferenceDisplay
from tests.estimators.performance.several import N
from tests.quick import QUIET

pytestmark = QUIET

NAMES = ["net", "reader", "guess"]


@pytest.fixture(scope="module")
def gaps(systems):
    """Return scores of which two systems miss some, and one item is scored by none."""
    rng = np.random.default_rng(systems.seed)
    scores = pd.DataFrame(systems.scores, columns=NAMES)
    scores.loc[rng.permutation(N)[: N // 2], "reader"] = np.nan
    scores.loc[rng.permutation(N)[: N // 4], "guess"] = np.nan
    scores.loc[N - 1] = np.nan
    return scores


@pytest.fixture(scope="module")
def fitted(systems, gaps):
    return systems.estimator().fit(gaps, systems.first(60), category=systems.countries)


@pytest.fixture(scope="module")
def complete(systems, gaps):
    return systems.estimator().fit(gaps, systems.labels, category=systems.countries)


# --- all labels known ---------------------------------------------------------------------------


def test_numbers_are_those_of_the_items_that_a_system_scored(systems, gaps, complete):
    for name in NAMES:
        for country in (None, "ES", "FR", "IT"):
            scored = gaps[name].notna().to_numpy()
            own = scored if country is None else scored & (systems.countries == country)
            labels, scores = systems.labels[own], gaps[name][own]
            ranking = complete.of(system=name, category=country)
            auc = ranking.estimate("roc_auc")
            assert_allclose(auc.value, sklearn_metrics.roc_auc_score(labels, scores), atol=1e-12)
            recall = ranking.estimate("recall", threshold=1.0)
            expected = sklearn_metrics.recall_score(labels, scores >= 1.0)
            assert_allclose(recall.value, expected, atol=1e-12)
            assert_allclose(ranking.estimate("prevalence").value, labels.mean())


def test_a_difference_is_one_of_the_items_that_both_scored(systems, gaps, complete):
    for a, b in permutations(NAMES, 2):
        both = gaps[[a, b]].notna().all(axis=1).to_numpy()
        one, two = (
            sklearn_metrics.roc_auc_score(systems.labels[both], gaps[name][both]) for name in (a, b)
        )
        assert_allclose(complete.difference("roc_auc", a, b).value, one - two, atol=1e-12)
        ahead = complete.ranking_proba("roc_auc")[NAMES.index(a), NAMES.index(b)]
        assert ahead == (one > two) + (one == two) / 2.0
    display = DifferenceDisplay.from_estimator(complete, "roc_auc", baseline="net")
    for name, found in display.differences.items():
        assert_allclose(found.value, complete.difference("roc_auc", name, "net").value)


# --- some labels --------------------------------------------------------------------------------


def test_an_item_that_no_system_scored_counts_by_its_label_alone(systems, gaps, fitted):
    model = fitted.model_
    assert 0.0 < model.posterior.mean[model.table.item_of_row[N - 1]] < 1.0
    assert len(fitted.of(system="net").posterior_.rows) == gaps["net"].notna().sum()
    assert f"{N} items, 60 labeled" in main_estimates(fitted).remarks[1]


def test_it_is_said_who_misses_how_many(gaps, fitted):
    found = {r.text: r for r in fitted.verdict_.reasons if r.name == "missing_scores"}
    n_missing = gaps.isna().sum()
    assert [reason.value for reason in found.values()] == n_missing.tolist()
    for text, (name, n) in zip(found, n_missing.items(), strict=True):
        assert f"The system {name!r} has no score for {n} of {N} items" in text
    assert {reason.verdict for reason in found.values()} == {"ok"}


def test_order_and_pages_are_there(fitted):
    assert 0.0 <= fitted.by_category("roc_auc", by="system").order_proba <= 1.0
    assert {f"prevalence of {name}" for name in NAMES} <= set(main_estimates(fitted).names)
    assert "has no score for" in PerformanceReport.from_estimator(fitted).to_html()


def test_the_only_system_may_miss_what_judges_speak_of(systems, gaps):
    judge = {"judge": systems.scores[:, 1]}
    fit = systems.estimator().fit(gaps["reader"], systems.first(60), judges=judge)
    own = gaps["reader"].notna().to_numpy()
    assert fit.posterior_.sample.counts.sum() == own.sum()
    assert fit.of(judge="judge").posterior_.sample.counts.sum() == N


# --- nothing in common --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def apart(systems):
    """Return a fit of two systems that share no item, and one that shares with both."""
    scores = systems.scores.copy()
    scores[: N // 2, 1] = scores[N // 2 :, 2] = np.nan
    halves = np.where(np.arange(N) < N // 2, "first", "last")
    y = np.where(np.arange(N) % 4 == 0, systems.labels, -1)
    return systems.estimator().fit(scores, y, category=halves)


def test_systems_without_a_common_item_are_not_compared(apart):
    with pytest.raises(ValueError, match="No item has a score by both 1 and 2"):
        apart.difference("roc_auc", 1, 2)
    ahead = apart.ranking_proba("roc_auc")
    assert np.isnan(ahead[1, 2])
    assert np.isnan(ahead[2, 1])
    assert_allclose((ahead + ahead.T)[0], 1.0)


def test_a_category_that_a_system_did_not_score_takes_nothing_with_it(apart):
    table = apart.by_category("roc_auc", system=1)
    assert np.isnan(table["first"].value)
    assert table["first"].undefined == 1.0
    assert 0.0 < table["last"].value <= 1.0
    assert np.isnan(apart.ranking_proba("roc_auc", category="first")[0, 1])
    assert PerformanceReport.from_estimator(apart).to_html().startswith("<!doctype html>")
    with pytest.raises(ValueError, match="No item of category 'first' has a score by system 1"):
        apart.of(system=1, category="first").estimate()


# --- what cannot be -----------------------------------------------------------------------------


def test_what_is_no_missing_score_is_named(systems, gaps):
    y = systems.first(60)
    with pytest.raises(ValueError, match="System 'mute' has no score: all 200 are missing"):
        systems.estimator().fit(gaps.assign(mute=np.nan), y)
    with pytest.raises(ValueError, match=r"finite, or missing \(NaN\); got inf for item 0 of sys"):
        systems.estimator().fit(gaps.assign(wrong=np.inf), y)
    with pytest.raises(ValueError, match="Scores must be finite; got nan"):
        systems.estimator().fit(gaps["reader"], y)
    p = np.random.default_rng(systems.seed).random(N)
    proba = np.column_stack([1.0 - p, p])
    proba[3] = np.nan
    # Two columns that sum to one are one classifier, whatever is missing.
    with pytest.raises(ValueError, match="Scores must be finite; got nan at index 3"):
        PerformanceCurveEstimator().fit(proba, y)
    with pytest.raises(ValueError, match="Each row of the 3 columns of X sums to one"):
        PerformanceCurveEstimator().fit(np.column_stack([proba / 2.0, np.full(N, 0.5)]), y)

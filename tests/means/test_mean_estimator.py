"""Means of labels that are numbers: closed forms, invariance, structure, and what is refused."""

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from sklearn_spe import MeanEstimator
from sklearn_spe.application import MeanReport
from tests.application.report.pages import Page
from tests.quick import QUIET

pytestmark = QUIET

N, N_LABELED = 400, 40


def drawn(seed, n_labeled=N_LABELED):
    """Return a proxy, all labels, and labels of which few are known."""
    rng = np.random.default_rng(seed)
    proxy = rng.normal(size=N)
    truth = 3.0 + proxy + 0.5 * rng.normal(size=N)
    return proxy, truth, np.where(np.arange(N) < n_labeled, truth, np.nan)


def fitted(X, y, **structure):
    return MeanEstimator(random_state=0).fit(X, y, **structure)


def test_the_page_has_the_numbers_and_is_written_as_it_is_returned(tmp_path, global_random_seed):
    proxy, _, y = drawn(global_random_seed)
    mean = fitted(proxy, y, category=np.arange(N) % 3)
    path = tmp_path / "page.html"
    assert MeanReport.from_estimator(mean, title="Grades <May>").to_html(path) is None
    text = path.read_text(encoding="utf-8")
    assert text == MeanReport.from_estimator(mean, title="Grades <May>").to_html()

    page = Page(text)
    assert not page.unclosed
    assert page.texts.count("Grades <May>") == 2
    for estimate in (mean.estimate(), *mean.by_category().estimates):
        low, high = estimate.interval()
        assert f"{low:.3f} to {high:.3f}" in page.texts
    with pytest.raises(NotFittedError):
        MeanReport.from_estimator(clone(mean))
    with pytest.raises(TypeError, match="path must be the name of a file, got 3"):
        MeanReport.from_estimator(mean).to_html(3)


# --- what is known exactly ---------------------------------------------------------------


def test_with_all_labels_means_are_those_of_the_labels(global_random_seed):
    proxy, truth, _ = drawn(global_random_seed)
    category = np.arange(N) % 3
    mean = fitted(proxy, truth, category=category)
    assert np.allclose(mean.estimate().interval(), truth.mean(), rtol=1e-12)
    for k, name in enumerate("012"):
        ends = mean.by_category()[name].interval()
        assert np.allclose(ends, truth[category == k].mean(), rtol=1e-12)


@pytest.mark.parametrize("told", [lambda y: y, lambda y: 2.0 - 3.0 * y])
def test_agreement_leaves_open_what_as_many_labels_do_not_rule_out(told, global_random_seed):
    _, truth, _ = drawn(global_random_seed)
    for n_labeled in (10, 40):
        y = np.where(np.arange(N) < n_labeled, truth, np.nan)
        low, high = fitted(told(truth), y).estimate().interval()
        alone_low, alone_high = fitted(None, y).estimate().interval()
        assert low < truth.mean() < high
        # Two labels are sqrt(2) standard deviations apart.
        share = 1.0 - 0.05 ** (1.0 / n_labeled)
        apart = share * np.sqrt(2.0) * np.nanstd(y)
        assert 0.6 * apart < high - low
        assert high - low < min(2.5 * apart, 0.8 * (alone_high - alone_low))


def test_without_proxies_it_is_the_interval_of_student_for_symmetric_labels():
    # Quantiles of a normal law: no skewness, tails as promised.
    labels = stats.norm.ppf((np.arange(N_LABELED) + 0.5) / N_LABELED)
    y = np.concatenate([labels, np.full(100 * N_LABELED, np.nan)])
    estimate = MeanEstimator(n_draws=200_000, random_state=0).fit(None, y).estimate()
    error = labels.std(ddof=1) / np.sqrt(N_LABELED)
    low, high = estimate.interval()
    expected = 2.0 * stats.t.ppf(0.95, N_LABELED - 1) * error
    # Errors as an item's own absence makes them are larger by n / (n - 1).
    assert expected < high - low < 1.06 * expected
    assert abs(estimate.value) < 0.02 * error


def test_intervals_of_skewed_labels_reach_further_to_where_the_tail_is():
    labels = stats.expon.ppf((np.arange(N_LABELED) + 0.5) / N_LABELED)
    y = np.concatenate([labels, np.full(100 * N_LABELED, np.nan)])
    for sign in (1.0, -1.0):
        low, high = fitted(None, sign * y).estimate().interval()
        above, below = high - sign * labels.mean(), sign * labels.mean() - low
        assert sign * (above - below) > 0.1 * (high - low)


# --- what changes nothing ----------------------------------------------------------------


def test_units_of_labels_and_proxies_do_not_matter(global_random_seed):
    proxy, _, y = drawn(global_random_seed)
    plain = fitted(proxy, y).draws_
    assert np.array_equal(fitted(proxy, 1024.0 * y).draws_, 1024.0 * plain)
    assert np.allclose(fitted(1e6 * proxy - 7.0, y).draws_, plain, rtol=1e-6)
    assert np.allclose(fitted(proxy, 3.0 * y - 5.0).draws_, 3.0 * plain - 5.0, rtol=1e-6)


# --- how labels were drawn ---------------------------------------------------------------


def test_labels_count_for_the_items_that_they_stand_for(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    often = np.arange(10_000) < 2_000
    chances = np.where(often, 0.1, 0.01)
    truth = np.where(often, 5.0, 1.0) + rng.normal(size=10_000)
    y = np.where(rng.random(10_000) < chances, truth, np.nan)
    weighted = fitted(None, y, inclusion_proba=chances).estimate()
    # Of about 280 labels; six standard errors.
    assert abs(weighted.value - truth.mean()) < 6.0 * weighted.standard_error
    assert fitted(None, y).estimate().interval()[0] > truth.mean()


def test_items_that_belong_together_are_one_observation(global_random_seed):
    _, _, y = drawn(global_random_seed)
    twice, prompt = np.tile(y, 2), np.tile(np.arange(N), 2)
    single = fitted(None, y).estimate().standard_error
    assert fitted(None, twice, groups=prompt).estimate().standard_error == pytest.approx(
        single, rel=0.15
    )
    assert fitted(None, twice).estimate().standard_error < 0.85 * single


def test_what_systems_share_of_a_prompt_is_not_in_their_difference(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    ease = rng.normal(size=N)
    answers = np.concatenate([ease, ease + 1.0]) + 0.1 * rng.normal(size=2 * N)
    prompt, system = np.tile(np.arange(N), 2), np.repeat(["a", "b"], N)
    y = np.where(prompt < N_LABELED, answers, np.nan)
    mean = fitted(None, y, category=system, groups=prompt)
    difference = mean.difference("b", "a")
    assert difference.standard_error < 0.5 * mean.estimate(category="a").standard_error
    assert difference.probability_above(0.0) > 0.99


def test_differences_are_those_of_the_draws(global_random_seed):
    proxy, _, y = drawn(global_random_seed)
    mean = fitted(proxy, y, category=np.where(np.arange(N) % 2, "a", "b"))
    a, b = (mean.estimate(category=name) for name in "ab")
    assert np.array_equal(mean.difference("a", "b").draws, a.draws - b.draws)
    assert (a - b).kind == "design"
    with pytest.raises(ValueError, match="not of one fit"):
        a - fitted(proxy, 2.0 * y).estimate()


def test_a_column_is_silent_where_it_says_nothing(global_random_seed):
    pd = pytest.importorskip("pandas")
    proxy, truth, y = drawn(global_random_seed)
    other = np.where(np.arange(N) % 2, proxy, np.nan)
    mean = fitted(pd.DataFrame({"gpt": proxy, "crowd": other}), y)
    assert mean.proxies_ == ("gpt", "crowd")
    estimate = mean.estimate()
    assert abs(estimate.value - truth.mean()) < 8.0 * estimate.standard_error


def test_intervals_end_where_labels_do(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = np.where(np.arange(N) < 10, 5.0, np.nan)
    y[0] = 4.0
    estimator = MeanEstimator(label_range=(1, 5), random_state=0)
    low, high = estimator.fit(rng.normal(size=N), y).estimate().interval(0.999)
    assert 1.0 <= low < high <= 5.0


# --- what is refused ---------------------------------------------------------------------


def few(n):
    return np.where(np.arange(N) < n, np.arange(N) % 5.0, np.nan)


@pytest.mark.parametrize(
    ("X", "y", "structure", "message"),
    [
        (None, few(4), {}, "y holds 4 labels, and a mean needs at least 5"),
        (None, np.where(few(9) >= 0.0, 3.0, np.nan), {}, "All 9 labels are 3"),
        (None, np.where(few(9) >= 0.0, few(9), -1.0), {}, "-1 for 391 of 400 items"),
        (None, np.where(np.arange(N) == 7, np.inf, few(9)), {}, "inf at index 7"),
        (None, None, {}, "requires y"),
        (None, [], {}, "y is empty"),
        (np.ones(N), few(9), {}, "column 0 of X is constant"),
        (np.full(N, np.nan), few(9), {}, "column 0 of X has no values"),
        (np.where(np.arange(N) < 9, np.nan, few(N)), few(9), {}, "missing for all labeled items"),
        (np.where(np.arange(N) == 3, np.inf, few(N)), few(9), {}, "got inf in row 3"),
        (few(N)[1:], few(9), {}, "X has 399 and y 400"),
        (None, few(9), {"groups": np.arange(N) // 5}, "labels are of 2 groups"),
        (None, few(9), {"inclusion_proba": np.full(N, 0.9)}, "contradict inclusion_proba"),
        (None, few(9), {"inclusion_proba": np.full(N, 1.5)}, r"probabilities in \[0, 1\]"),
    ],
)
def test_what_is_wrong_is_said(X, y, structure, message):
    with pytest.raises(ValueError, match=message):
        fitted(X, y, **structure)


def test_a_question_about_what_is_not_there_is_refused():
    plain = fitted(None, few(9))
    with pytest.raises(ValueError, match="need categories"):
        plain.by_category()
    with pytest.raises(ValueError, match="need categories"):
        plain.estimate(category="a")
    with pytest.raises(ValueError, match="category='c' is none of 'a', 'b'"):
        fitted(None, few(9), category=np.tile(["a", "b"], N // 2)).difference("a", "c")


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ((5, 1), ValueError, "must be increasing"),
        ((0, 3), ValueError, "outside of label_range"),
        (5, TypeError, "smallest and the largest"),
    ],
)
def test_a_range_of_labels_must_be_one(given, error, message):
    with pytest.raises(error, match=message):
        MeanEstimator(label_range=given).fit(None, few(9))


def test_a_few_enormous_proxies_without_a_label_do_not_decide(global_random_seed):
    proxy, truth, y = drawn(global_random_seed)
    wild = np.where(np.arange(N) >= N - 4, -1e4, proxy)
    estimate = fitted(wild, y).estimate()
    assert abs(estimate.value - truth.mean()) < 8.0 * fitted(proxy, y).estimate().standard_error

"""Worse, not worse or not known: closed forms, enumeration, symmetry and what is refused."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe import compare_versions


def of_counts(n_lost, n_won, n_same):
    """Return one run of cases that only one version passes, and of others."""
    old = np.repeat([1, 0, 1], [n_lost, n_won, n_same])
    new = np.repeat([0, 1, 1], [n_lost, n_won, n_same])
    return old, new


@pytest.mark.parametrize(
    ("n_lost", "n_won", "said"),
    [
        (0, 0, "Not known: B is worse with probability 0.50."),
        (3, 1, "Not known: B is worse with probability 0.81."),
        (0, 6, "B is not worse with probability 0.99."),
        (40, 22, "B is worse with probability 0.99."),
        (9, 0, "B is worse with probability > 0.99."),
    ],
)
def test_one_run_of_each_case_is_a_beta_law(n_lost, n_won, said):
    answer = compare_versions(*of_counts(n_lost, n_won, 50))
    worse = stats.beta.sf(0.5, n_lost + 1, n_won + 1)
    assert_allclose(answer.probability_worse, worse, atol=1e-7)
    # Without a margin it is the complement.
    assert_allclose(answer.probability_not_worse, 1.0 - worse, atol=1e-7)
    assert answer.sentence("A", "B") == said


@pytest.mark.parametrize("n_cases", [5, 10, 20])
def test_equal_versions_are_rarely_called_different(n_cases):
    # All outcomes: a case is lost, or won, with the same probability.
    for share in (0.01, 0.05, 0.1, 0.16, 0.25):
        called = 0.0
        for n_lost in range(n_cases + 1):
            for n_won in range(n_cases + 1 - n_lost):
                kinds = [n_lost, n_won, n_cases - n_lost - n_won]
                chance = stats.multinomial.pmf(kinds, n_cases, [share, share, 1.0 - 2.0 * share])
                if chance > 1e-6:
                    answer = compare_versions(*of_counts(*kinds))
                    is_called = (
                        max(answer.probability_worse, 1.0 - answer.probability_worse) >= 0.95
                    )
                    called += chance * is_called
        assert called <= 0.10


def test_one_failed_run_of_sixty_proves_nothing():
    old = np.repeat([[1, 1, 1], [0, 0, 0]], [6, 14], axis=0)
    one_run, three_runs, one_case = old.copy(), old.copy(), old.copy()
    one_run[0, 0] = 0
    three_runs[0, :2] = three_runs[1, 0] = 0
    one_case[0] = 0
    for new in (one_run, three_runs, one_case):
        answer = compare_versions(old, new, margin=0.02)
        assert answer.status_ == "unknown"
        assert 0.5 < answer.probability_worse <= 0.87
    # Whatever its size, one changed case is one change.
    assert_allclose(
        compare_versions(old, one_run).probability_worse,
        compare_versions(old, one_case).probability_worse,
        atol=1e-7,
    )


def test_swapped_versions_have_the_opposite_difference(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    old, new = rng.random((2, 30, 3)) < 0.7
    forth, back = compare_versions(old, new), compare_versions(new, old)
    assert_allclose(forth.probability_worse, 1.0 - back.probability_worse, atol=1e-6)
    assert_allclose(
        forth.difference.interval(), np.negative(back.difference.interval()[::-1]), atol=1e-6
    )


def test_rows_and_groups_say_the_same(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    old, new = (rng.random((2, 12, 4)) < 0.6).astype(float)
    new[3, 1:] = np.nan
    rows = compare_versions(old, new, margin=0.1)
    order = rng.permutation(48)
    cases = np.repeat(np.arange(12), 4).astype(str)
    grouped = compare_versions(
        old.ravel(), new.ravel()[order], groups=(cases, cases[order]), margin=0.1
    )
    assert_allclose(grouped.probability_worse, rows.probability_worse, atol=1e-12)
    assert_allclose(grouped.probability_not_worse, rows.probability_not_worse, atol=1e-12)
    assert grouped.n_cases == rows.n_cases == 12
    assert grouped.n_runs == rows.n_runs == (4.0, 45 / 12)


def test_a_proof_needs_room_for_one_lost_case():
    # The first two of Dirichlet(1, 1, n) weights differ by more than m with (1 - m)^(n + 1) / 2.
    equal = np.ones(400)
    answer = compare_versions(equal, equal, margin=0.02)
    assert answer.status_ == "not worse"
    assert_allclose(1.0 - answer.probability_not_worse, 0.98**401 / 2.0, atol=1e-7)
    assert_allclose(answer.lower_bound, 0.1 ** (1.0 / 401.0) - 1.0, atol=1e-5)
    assert compare_versions(equal[:20], equal[:20], margin=0.02).status_ == "unknown"


def test_worse_by_less_than_the_margin_is_not_worse():
    old, new = of_counts(30, 2, 2000)
    answer = compare_versions(old, new, margin=0.05)
    assert answer.status_ == "not worse"
    assert answer.probability_worse > 0.99
    assert "worse, but by less" in answer.sentence()
    assert compare_versions(old, new).status_ == "worse"


def test_as_many_cases_as_planned_show_it(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    rates = rng.beta(4.0, 1.0, 4000)

    def runs(n_cases):
        return rng.random((2, n_cases, 2)) < rates[:n_cases, np.newaxis]

    first = compare_versions(*runs(60), margin=0.06)
    if first.status_ != "unknown":
        return
    n_cases = min(first.more_cases, 4000)
    shown = [
        compare_versions(*runs(n_cases), margin=0.06).status_ == "not worse" for _ in range(60)
    ]
    # The plan is for 0.8, with a variance that 60 cases tell to a third: 0.5 at least.
    assert stats.binom.cdf(np.sum(shown), 60, 0.5) > 1e-6


def test_runs_are_planned_where_they_were_repeated():
    once = compare_versions(np.ones(20), np.ones(20), margin=0.05)
    assert once.more_runs is None
    assert "runs cannot be told, as no case was run twice" in once.sentence()
    # Each version fails one run of two of other 30 cases: a difference of variance 1/4 + 1/4 a run,
    # and 15 + 2 squares over 60 + 2 cases, of which two runs explain 1/4.
    runs = np.repeat([[1, 1], [1, 0]], 30, axis=0)
    within = compare_versions(runs, runs[::-1], margin=0.1)
    left = 60.0 * 0.1**2 / np.sum(stats.norm.ppf([0.95, 0.8])) ** 2 - (17.0 / 62.0 - 0.25)
    assert within.more_runs == math.ceil(0.5 / left)
    assert within.sentence().endswith(f"as would {within.more_runs} runs of each of these.")
    # All difference lies between cases: no number of runs would do.
    always = np.ones((20, 2))
    between = compare_versions(always, np.r_[np.zeros((1, 2)), always[1:]], margin=0.01)
    assert between.more_runs == math.inf
    assert f"{between.more_cases:,} cases would show it" in between.sentence()
    assert between.sentence().endswith("no number of runs of these would.")


def test_cases_of_one_version_are_named():
    answer = compare_versions(
        [1, 0, 1, 1], [1, 0, 1], groups=(["a", "b", "c", "d"], ["b", "c", "e"]), margin=0.1
    )
    assert answer.n_cases == 2
    assert answer.only_old == ("a", "d")
    assert answer.only_new == ("e",)


@pytest.mark.parametrize(
    ("old", "new", "passed", "message"),
    [
        ([1, 0], [1, 0, 1], {}, "row i of both must be the same case"),
        ([1, 0], [1, 2], {}, "new must hold verdicts from 0"),
        ([np.nan], [1], {}, "old holds no verdict"),
        ([1], [1], {"groups": (["a"], ["b"])}, "no case that both versions ran"),
        ([1, 0], [1, 0], {"groups": ["a"]}, "must name the case of each run"),
        ([1], [1], {"margin": 1.0}, r"margin must lie in \[0, 1\)"),
        ([1], [1], {"confidence_level": 0.5}, "confidence_level must lie in"),
        (np.ones((2, 2, 2)), [1], {}, "must have shape"),
    ],
)
def test_what_cannot_be_compared_is_refused(old, new, passed, message):
    with pytest.raises(ValueError, match=message):
        compare_versions(old, new, **passed)

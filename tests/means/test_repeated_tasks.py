"""pass^k and pass@k: unbiased values, complements, coverage, and more runs than were made."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe import MeanEstimator
from sklearn_spe.exceptions import UnidentifiedWarning
from sklearn_spe.means._repeated_tasks import RepeatedTasks


def tasks_of(n_passed, n_runs, seed=0):
    n_passed = np.asarray(n_passed)
    return RepeatedTasks(n_passed, np.full(len(n_passed), n_runs), seed)


def test_the_value_is_the_mean_of_unbiased_values_and_half_tasks():
    n_passed = np.array([0, 2, 3, 5, 5])
    # Of all choices of 2 of 5 runs: C(c, 2) / C(5, 2).
    values = np.array([0.0, 1.0, 3.0, 10.0, 10.0]) / 10.0
    assert_allclose(tasks_of(n_passed, 5).estimate("pass^2").mean(), (values.sum() + 0.5) / 6.0)
    any_of_two = 1.0 - np.array([10.0, 3.0, 1.0, 0.0, 0.0]) / 10.0
    assert_allclose(tasks_of(n_passed, 5).estimate("pass@2").mean(), (any_of_two.sum() + 0.5) / 6.0)


def test_one_run_is_a_beta_law():
    estimate = tasks_of([1, 1, 1, 0], 1).estimate("pass^1")
    assert_allclose(estimate.interval(0.9), stats.beta.interval(0.9, 3.5, 1.5), atol=1e-6)
    assert_allclose(
        tasks_of([1, 1, 1, 0], 1).estimate("pass@1").interval(0.9), estimate.interval(0.9)
    )


@pytest.mark.parametrize("k", [2, 9])
def test_any_passes_unless_all_fail(k):
    n_passed = np.array([0, 1, 1, 2, 3])
    any_passes = tasks_of(n_passed, 3).estimate(f"pass@{k}")
    all_fail = tasks_of(3 - n_passed, 3).estimate(f"pass^{k}")
    # Beyond the runs the model is drawn: its error is that of 1,000 draws.
    tolerance = 1e-6 if k <= 3 else 6.0 * all_fail.standard_error / np.sqrt(1000.0 / 10.0)
    assert_allclose(any_passes.mean(), 1.0 - all_fail.mean(), atol=tolerance)


def test_more_runs_than_were_made_are_said_to_be_by_a_model():
    assert tasks_of([1, 2], 3).estimate("pass^3").name == "pass^3"
    assert (
        "by a model as 2 of 2 tasks have fewer runs" in tasks_of([1, 2], 3).estimate("pass^4").name
    )
    # A task that ran once is no task that never passes twice.
    assert tasks_of([1, 1, 1, 1], 1).estimate("pass^2").value > 0.3


@pytest.mark.parametrize(("metric", "n_runs"), [("pass@3", 5), ("pass^8", 3)])
def test_intervals_cover(metric, n_runs, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    k, is_any = int(metric[-1]), "@" in metric
    rates = rng.beta(2.0, 1.2, 200_000)
    truth = np.mean(1.0 - (1.0 - rates) ** k if is_any else rates**k)
    covered = 0
    for trial in range(40):
        n_passed = rng.binomial(n_runs, rng.beta(2.0, 1.2, 20))
        low, high = tasks_of(n_passed, n_runs, trial).estimate(metric).interval()
        covered += low <= truth <= high
    # 0.75 is asked at the worst.
    assert stats.binom.cdf(covered, 40, 0.75) > 1e-6


def test_tasks_are_the_groups_of_a_fit():
    labels = np.array([1, 1, 0, 1, 1, np.nan, 0, 0, 1, 0])
    tasks = np.repeat(["a", "b", "c", "d", "e"], 2)
    system = np.repeat(["x", "y"], [4, 6])
    means = MeanEstimator(target="population", random_state=0)
    # Five tasks are few, which the fit says.
    warnings.simplefilter("ignore", UnidentifiedWarning)
    fit = means.fit(None, labels, groups=tasks, category=system)
    # A run without a label does not count: c has one.
    assert "by a model" in fit.estimate("pass^2").name
    assert_allclose(fit.estimate("pass^2", category="x").mean(), (1.0 + 0.0 + 0.5) / 3.0)
    with pytest.raises(ValueError, match="metric must be 'mean'"):
        fit.estimate("pass^0")
    with pytest.raises(ValueError, match="the task of each run"):
        means.fit(None, labels).estimate("pass^2")
    with pytest.raises(ValueError, match="labels 0 and 1"):
        means.fit(None, np.arange(10.0), groups=tasks).estimate("pass^2")

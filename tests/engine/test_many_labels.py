"""Any number of labels, of any structure, leaves draws enough and finite answers."""

import warnings

import numpy as np
import pytest
from scipy import special

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.experts import RankBinormal
from tests.quick import EXPERTS

N, N_DRAWS = 400, 200
STRUCTURES = ("column", "systems", "category", "groups", "judges", "category and groups")


def items(seed, n=N):
    rng = np.random.default_rng([seed, 23])
    category, groups = rng.integers(0, 4, n), np.arange(n) // 10
    level = rng.normal(0.0, 0.8, 4)[category] + rng.normal(0.0, 0.8, groups.max() + 1)[groups]
    labels = (rng.random(n) < special.expit(level - 0.8)).astype(int)
    scores = rng.normal(1.5 * labels[:, np.newaxis], 1.0, (n, 3))
    return scores, labels, category, groups


def fitted(seed, structure, scores, y, category, groups, **parameters):
    parameters = {"experts": EXPERTS, "n_draws": N_DRAWS, "classes": [0, 1], **parameters}
    mixture = SemisupervisedScoreMixture("norm", "norm", **parameters)
    given = {
        "category": {"category": category},
        "groups": {"groups": groups},
        "judges": {"judges": scores[:, 1:2]},
        "category and groups": {"category": category, "groups": groups},
    }.get(structure, {})
    X = scores if structure == "systems" else scores[:, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return PerformanceCurveEstimator(mixture, random_state=seed).fit(X, y, **given)


def partly(labels, n_labels, seed):
    some = np.random.default_rng([seed, 24]).choice(len(labels), n_labels, replace=False)
    y = np.full(len(labels), -1)
    y[some] = labels[some]
    return y


def assert_answers(performance, n_draws=N_DRAWS):
    """Assert that what is told is finite, and rests on a tenth of the draws."""
    posterior = performance.posterior_
    assert posterior.ess >= 0.1 * n_draws
    assert posterior.ess <= n_draws * (1.0 + 1e-9)
    # It is -inf of equal weights, and inf of too few uneven ones.
    assert not np.isnan(posterior.pareto_k)
    for name in ("prevalence", "average_precision", "roc_auc"):
        estimate = performance.estimate(name)
        low, high = estimate.interval()
        assert 0.0 <= low <= estimate.value <= high <= 1.0, name


@pytest.mark.slow
@pytest.mark.parametrize("n_labels", [0, 100, 400])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_a_tenth_of_the_draws_is_effective(structure, n_labels, global_random_seed):
    scores, labels, category, groups = items(global_random_seed)
    y = partly(labels, n_labels, global_random_seed)
    posterior = fitted(global_random_seed, structure, scores, y, category, groups).posterior_
    assert 0.1 * N_DRAWS <= posterior.ess <= N_DRAWS * (1.0 + 1e-9)


@pytest.mark.parametrize(
    "labels", ["none", "one positive", "one negative", "negatives", "positives"]
)
def test_few_labels_and_labels_of_one_class_are_answered(labels, global_random_seed):
    scores, truth, category, groups = items(global_random_seed, 200)
    n = {"none": 0, "one positive": 1, "one negative": 1}.get(labels, 200)
    some = np.flatnonzero(truth == (0 if "negative" in labels else 1))[:n]
    y = np.full(200, -1)
    y[some] = truth[some]
    assert_answers(fitted(global_random_seed, "column", scores, y, category, groups))


@pytest.mark.slow
def test_a_hundred_thousand_labels_are_answered(global_random_seed):
    scores, labels, category, groups = items(global_random_seed, 110_000)
    y = partly(labels, 100_000, global_random_seed)
    performance = fitted(global_random_seed, "column", scores, y, category, groups)
    assert_answers(performance)
    # Nine tenths of all are known: the rest moves the prevalence by a few of a thousand.
    error = np.sqrt(10_000.0 * 0.25) / 110_000.0
    assert performance.estimate("prevalence").value == pytest.approx(labels.mean(), abs=6.0 * error)


@pytest.mark.slow
def test_hundreds_of_groups_of_which_one_item_each_is_labeled_are_answered(global_random_seed):
    scores, labels, category, _ = items(global_random_seed, 800)
    y, groups = np.where(np.arange(800) < 400, labels, -1), np.arange(800) % 400
    # Hundreds of columns for each of few curves.
    few = {"experts": [RankBinormal(64)], "n_draws": 50}
    performance = fitted(global_random_seed, "groups", scores, y, category, groups, **few)
    assert_answers(performance, 50)

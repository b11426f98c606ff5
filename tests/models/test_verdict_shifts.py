"""Shifts of verdicts by their labels alone, in some of the draws."""

import numpy as np
import pytest
from scipy import special

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.models._category_shifts import MIN_LABELS, PRIOR_SIZE, drawn_coefficients
from sklearn_spe.models._verdict_shifts import SHARE

N_ITEMS = 600
# Of each judge: how often it passes good answers, and fails bad ones.
SENSITIVITIES, SPECIFICITIES = (0.9, 0.8, 0.85), (0.85, 0.6, 0.7)


def judged(rng, n_labeled=100):
    """Return verdicts of three judges that err together, all labels and those that are known."""
    labels = (rng.random(N_ITEMS) < 0.6).astype(int)
    # Half of the answers are hard for all judges, or easy for all.
    ease = np.where(rng.random(N_ITEMS) < 0.5, rng.random(N_ITEMS), -1.0)
    columns = []
    for rates in zip(SPECIFICITIES, SENSITIVITIES, strict=True):
        chance = np.where(ease < 0.0, rng.random(N_ITEMS), ease)
        columns.append(np.where(chance < np.asarray(rates)[labels], labels, 1 - labels))
    known = np.full(N_ITEMS, -1)
    labeled = rng.choice(N_ITEMS, n_labeled, replace=False)
    known[labeled] = labels[labeled]
    return np.column_stack(columns), labels, known


def fitted(judges, known, seed, **parameters):
    performance = PerformanceCurveEstimator(random_state=seed, classes=[0, 1])
    return performance.fit(None, known, judges=judges, **parameters)


def test_coefficients_have_the_posterior_of_their_labels(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n, n_draws = 300, 4000
    probability = np.tile(rng.uniform(0.2, 0.8, n), (n_draws, 1))
    log_odds = special.logit(probability[0])
    columns = np.column_stack([np.ones(n), rng.random(n) < 0.4])
    is_positive = rng.random(n) < special.expit(log_odds + columns @ [0.5, -1.0])
    drawn = drawn_coefficients(probability, is_positive, np.ones(n), columns, rng)

    # The posterior on a grid, of a normal prior and independent labels.
    grid = np.stack(np.meshgrid(np.linspace(-1, 2, 121), np.linspace(-3, 2, 151)), -1)
    grid = grid.reshape(-1, 2)
    signs = np.where(is_positive, 1.0, -1.0)
    log_density = special.log_expit(signs * (log_odds + grid @ columns.T)).sum(axis=1)
    density = special.softmax(log_density - 0.5 * (grid**2).sum(axis=1) / PRIOR_SIZE**2)
    mean = density @ grid
    covariance = np.einsum("i,ij,ik->jk", density, grid - mean, grid - mean)
    std = np.sqrt(np.diag(covariance))
    assert (abs(drawn.mean(axis=0) - mean) < std * 5.0 / np.sqrt(n_draws)).all()
    assert (abs(drawn.std(axis=0) / std - 1.0) < 5.0 / np.sqrt(2 * n_draws)).all()
    correlation = covariance[0, 1] / std.prod()
    assert abs(np.corrcoef(drawn.T)[0, 1] - correlation) < 5.0 / np.sqrt(n_draws)


def assert_states_the_rates_of_the_labels(model, verdicts):
    """Assert that pooled draws have the share of the labels in each verdict of each judge."""
    posterior = model.row_posterior
    is_pooled = (posterior.of_verdicts.log_odds != 0.0).any(axis=1)
    assert is_pooled.sum() == np.ceil(SHARE * posterior.n_draws)

    rows = posterior.labeled
    counts = posterior.counts[rows]
    probability = posterior.probability_in_all_draws(rows)[is_pooled]
    for column in model.table.judges.scores[rows].T:
        for verdict in verdicts:
            weights = counts * (column == verdict)
            n = weights.sum()
            share = weights[posterior.codes[rows] == 1].sum() / n
            rates = probability @ weights / n
            # The mean probability is the share of the labels, but for the prior.
            error = 5.0 * np.sqrt(0.25 / n / is_pooled.sum()) + 2.0 / n
            assert abs(rates.mean() - share) < error


def test_half_of_the_draws_state_the_rates_of_the_labels(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    judges, _, known = judged(rng, 200)
    model = fitted(judges, known, global_random_seed).model_
    assert_states_the_rates_of_the_labels(model, (0.0, 1.0))


def test_the_specificity_of_a_judge_is_not_that_of_the_others(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    judges, labels, known = judged(rng, 300)
    performance = fitted(judges, known, global_random_seed)
    for judge, verdicts in enumerate(judges.T):
        estimate = performance.of(judge=judge).estimate("specificity")
        truth = 1.0 - verdicts[labels == 0].mean()
        # A hundred and twenty labels are negative.
        assert abs(estimate.value - truth) < 5.0 * np.sqrt(0.25 / 120)


@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.UnidentifiedWarning")
@pytest.mark.parametrize("n_passed", [0, MIN_LABELS - 1])
def test_verdicts_with_few_labels_keep_the_rates_of_the_model(n_passed, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    judges, labels, _ = judged(rng)
    judges = judges[:, :1]
    passed = np.flatnonzero(judges[:, 0] == 1)[:n_passed]
    failed = np.flatnonzero(judges[:, 0] == 0)[:30]
    known = np.full(N_ITEMS, -1)
    known[passed] = labels[passed]
    known[failed] = labels[failed]
    assert fitted(judges, known, global_random_seed).model_.row_posterior.of_verdicts is None


def test_grades_and_a_known_number_of_positives_have_the_rates_of_the_model(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    judges, labels, known = judged(rng)
    n_positive = int(labels.sum())
    performance = fitted(judges, known, global_random_seed, known_positives=n_positive)
    assert performance.model_.row_posterior.of_verdicts is None
    grades = judges + rng.integers(0, 4, judges.shape)
    assert fitted(grades, known, global_random_seed).model_.row_posterior.of_verdicts is None


def test_missing_and_partial_verdicts_are_those_of_no_other(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    judges, _, known = judged(rng, 300)
    verdicts = np.where(rng.random(judges.shape) < 0.2, 0.5, judges)
    verdicts[rng.random(N_ITEMS) < 0.3, 0] = np.nan
    model = fitted(verdicts, known, global_random_seed).model_
    assert_states_the_rates_of_the_labels(model, (0.0, 0.5, 1.0))

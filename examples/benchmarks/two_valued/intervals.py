"""Who answers: this package, and Jeffreys' posterior of a share for each score."""

import numpy as np
from designs import pool

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture

LEVELS = (0.9, 0.95)
QUESTIONS = ("prevalence", "precision", "recall", "accuracy")
# Between 0 and 1.
THRESHOLD = 0.5
N_JEFFREYS = 20_000


def answers(sizes, positive):
    """Return the answers for numbers of positives of score 0 and 1, (..., n_questions)."""
    (zeros, ones), (false, true) = sizes, np.moveaxis(np.asarray(positive, dtype=float), -1, 0)
    with np.errstate(invalid="ignore"):
        recall = true / (true + false)
    n = zeros + ones
    return np.stack([(true + false) / n, true / ones, recall, (true + zeros - false) / n], axis=-1)


def by_package(case):
    """Return the ends of every outcome's intervals, (n_outcomes, n_questions, n_levels, 2)."""
    seed, performance, found = case.repeat, None, []
    for outcome in case.outcomes:
        scores, y = pool(case.sizes, outcome)
        if performance is None:
            mixture = SemisupervisedScoreMixture(classes=[0, 1], random_state=seed)
            performance = PerformanceCurveEstimator(mixture, random_state=seed).fit(scores, y)
        else:
            performance.update(scores, y)
        estimates = [performance.estimate("prevalence")]
        estimates += [performance.estimate(q, threshold=THRESHOLD) for q in QUESTIONS[1:]]
        found.append([[e.interval(level) for level in LEVELS] for e in estimates])
    return np.array(found)


def by_jeffreys(case):
    """Return the same of independent shares with Jeffreys' prior, one for each score."""
    rng, found = np.random.default_rng(case.repeat), []
    tails = (1.0 - np.array(LEVELS)) / 2.0
    for outcome in case.outcomes:
        labels, positive = outcome[:2], outcome[2:]
        shape = (N_JEFFREYS, 2)
        shares = rng.beta(positive + 0.5, labels - positive + 0.5, shape)
        completed = positive + rng.binomial(case.sizes - labels, shares)
        drawn = answers(case.sizes, completed)
        ends = np.nanquantile(drawn, [tails, 1.0 - tails], axis=0)
        found.append(np.moveaxis(ends, (0, 1, 2), (2, 1, 0)))
    return np.array(found)


METHODS = {"sklearn_spe": by_package, "jeffreys": by_jeffreys}

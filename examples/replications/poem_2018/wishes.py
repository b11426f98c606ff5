"""What section 7 of the 2018 paper wishes for: other foregrounds, and true values from estimates.

Foregrounds: a uniform one; a kernel density, for which the M-step is a weighted kernel density
estimate; and normals of other variances than the background's. The background is normal and its
family known; the largest scores are labelled, in the default setting of figure 4. Beside these
stands the default of the package, which is given no family.

The map from estimates to true values: mixtures are drawn from a prior, scores from the mixtures,
the largest are labelled, and what the recall is in truth at the labelling threshold is set beside
what is estimated there.

Writes wishes_foregrounds.csv, wishes_map.csv and wishes_map_line.csv. The tables have 20 trials and
ten times as many mixtures, 3 minutes on one core.
"""

import itertools
from dataclasses import replace

import numpy as np
from scipy import special, stats
from simulations import (
    BACKGROUND,
    DEFAULT_RATE,
    DEFAULT_RECALL,
    FOREGROUND,
    N_ITEMS,
    Truth,
    fit,
    inferred,
    label_by,
    percentiles,
    read_options,
    write_table,
)

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.families import Uniform
from sklearn_spe.inference._em import expectation_maximization
from sklearn_spe.mixtures._fit import EmSteps

TRIALS, MIXTURES_PER_TRIAL = 20, 10
MEAN = FOREGROUND[0]
TRUTHS = {
    "normal, sd 1": Truth(),
    "normal, sd 0.5": Truth(foreground_values=(MEAN, 0.5)),
    "normal, sd 2": Truth(foreground_values=(MEAN, 2.0)),
    "uniform, sd 1": Truth(foreground="uniform"),
}
# The grid of the kernel density, and the last iteration.
N_GRID, MAX_ITER = 400, 500
# Where the lower end of the uniform is tried: at these shares of the scores below the lowest
# labelled positive.
ENDS = np.array([0.01, 0.1, 0.25, 0.5, 0.7, 0.85, 0.93, 0.97, 0.985, 0.995])
# The prior of the map, and the bins of its estimates.
LOG_BALANCE, DISTANCE, LOG_STD = np.log([0.005, 0.1]), (1.0, 3.0), np.log([0.5, 2.0])
BINS = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0])


def kernel_recall(scores, known, threshold):
    """Return the recall and the balance of a normal background and a kernel density foreground.

    Scores are counted in cells of a grid. The bandwidth is Silverman's for the labelled positives,
    and stays. The point that climbs is the balance, the two normal parameters and the density of
    the foreground at the grid; the start takes unlabelled items for negative.
    """
    edges = np.linspace(scores.min() - 1e-9, scores.max() + 1e-9, N_GRID + 1)
    grid = 0.5 * (edges[1:] + edges[:-1])
    unlabeled, negative, positive = (
        np.histogram(scores[known == code], edges)[0] for code in (-1, 0, 1)
    )
    own = scores[known == 1]
    bandwidth = 0.9 * max(own.std(), 0.05) * max(len(own), 2) ** -0.2
    kernel = stats.norm.pdf((grid[:, np.newaxis] - grid) / bandwidth) / bandwidth

    def e_step(u):
        log_negative = np.log1p(-u[0]) + stats.norm.logpdf(grid, u[1], u[2])
        with np.errstate(divide="ignore"):
            log_positive = np.log(u[0]) + np.log(u[3:])
        log_all = np.logaddexp(log_negative, log_positive)
        of_labels = negative @ log_negative
        of_labels += (positive[positive > 0] * log_positive[positive > 0]).sum()
        share = np.exp(log_positive - log_all)
        return unlabeled @ log_all + of_labels, unlabeled * share + positive

    def m_step(to_positive, u):
        to_negative = unlabeled + negative + positive - to_positive
        mean = np.average(grid, weights=to_negative)
        std = np.sqrt(np.average((grid - mean) ** 2, weights=to_negative))
        density = kernel @ to_positive / to_positive.sum()
        return np.r_[to_positive.sum() / len(scores), mean, std, density]

    start = m_step(positive.astype(float), None)
    path = expectation_maximization(e_step, m_step, start, tol=1e-9, max_iter=MAX_ITER)
    density = path.point[3:]
    return density[grid >= threshold].sum() / density.sum(), path.point[0]


def uniform_recall(scores, known, threshold):
    """Return the recall and the balance of a normal background and a uniform foreground.

    An item outside the support counts nothing for the foreground, and an M-step never widens it. So
    the lower end is tried at many scores, and the likeliest end is kept; the upper end is the
    largest labelled positive, since all larger scores are labelled too.
    """
    posterior = fit(scores, known).posterior_
    mixture = replace(posterior.mixtures[0], positive=Uniform())
    steps = EmSteps(mixture, posterior.scale.apply(posterior.sample))
    rest, own = scores[known != 1], scores[known == 1]
    lowest = own.min()
    best = None
    for low in (lowest, *np.quantile(scores[scores < lowest], ENDS)):
        ends = np.array([low, own.max()])
        mean, std = steps.mixture.positive.start(ends, np.ones(2))
        start = mixture.real(np.mean(known == 1), (rest.mean(), rest.std()), (mean, std))
        path = expectation_maximization(
            steps.expect, steps.maximize, start, tol=1e-9, max_iter=MAX_ITER
        )
        if best is None or path.log_likelihood > best.log_likelihood:
            best = path
    prevalence, _, values = mixture.values(best.point[np.newaxis])
    recall = Uniform().sf(np.array([threshold]), *(v[0, 0] for v in values))[0]
    return float(recall), float(prevalence[0, 0])


def default_recall(scores, known, threshold, seed):
    """Return the recall and the balance that the default of the package estimates."""
    performance = PerformanceCurveEstimator(random_state=seed).fit(scores, known)
    recall = performance.estimate("recall", threshold=threshold)
    return recall.value, performance.estimate("prevalence").value


def foreground_rows(n_trials):
    """Return how recall is estimated by each kind of foreground under each truth."""
    rows = []
    for name, truth in TRUTHS.items():
        threshold = truth.threshold(DEFAULT_RECALL)
        found = {"norm": [], "uniform": [], "kernel density": [], "default": []}
        for seed in range(n_trials):
            rng = np.random.default_rng([7, seed])
            scores, labels = truth.draw(rng)
            known = label_by("tail", scores, labels, round(DEFAULT_RATE * N_ITEMS), rng)
            mixture = inferred(fit(scores, known))
            found["norm"].append((mixture.recall(threshold), mixture.balance))
            found["uniform"].append(uniform_recall(scores, known, threshold))
            found["kernel density"].append(kernel_recall(scores, known, threshold))
            found["default"].append(default_recall(scores, known, threshold, seed))
        for foreground, values in found.items():
            recalls, balances = np.array(values).T
            row = {"truth": name, "fitted": foreground, "true_recall": DEFAULT_RECALL}
            row |= percentiles(recalls, "recall")
            row["recall_rmse"] = np.sqrt(np.mean((recalls - DEFAULT_RECALL) ** 2))
            row["median_balance"] = np.median(balances)
            rows.append(row | {"trials": n_trials})
            print(rows[-1], flush=True)
    return rows


def map_rows(n_mixtures):
    """Return true recalls by bins of the estimate, and a line through their logits."""
    pairs = []
    for seed in range(n_mixtures):
        rng = np.random.default_rng([8, seed])
        balance, std = np.exp(rng.uniform(*LOG_BALANCE)), np.exp(rng.uniform(*LOG_STD))
        mean = BACKGROUND[0] + rng.uniform(*DISTANCE)
        truth = Truth(balance=balance, foreground_values=(mean, std))
        scores, labels = truth.draw(rng)
        known = label_by("tail", scores, labels, round(DEFAULT_RATE * N_ITEMS), rng)
        threshold = scores[known >= 0].min()
        pairs.append((inferred(fit(scores, known)).recall(threshold), truth.recall(threshold)))
    estimated, true = np.array(pairs).T
    rows = []
    for low, high in itertools.pairwise(BINS):
        inside = (estimated >= low) & ((estimated < high) | (high == 1.0))
        row = {"estimate_from": low, "estimate_to": high, "mixtures": int(inside.sum())}
        if inside.any():
            row |= percentiles(true[inside], "true")
            row["median_estimate"] = np.median(estimated[inside])
            rows.append(row)
    x, y = (special.logit(np.clip(v, 1e-3, 1.0 - 1e-3)) for v in (estimated, true))
    line = stats.linregress(x, y)
    residual = np.std(y - line.intercept - line.slope * x)
    fitted = {"intercept": line.intercept, "slope": line.slope, "slope_se": line.stderr}
    fitted |= {"residual_sd": residual, "r_squared": line.rvalue**2, "mixtures": n_mixtures}
    fitted["rmse_of_estimate"] = np.sqrt(np.mean((estimated - true) ** 2))
    mapped = special.expit(line.intercept + line.slope * x)
    fitted["rmse_of_mapped"] = np.sqrt(np.mean((mapped - true) ** 2))
    return rows, [fitted]


def main():
    """Write the tables."""
    options = read_options(__doc__, TRIALS)
    write_table(foreground_rows(options.trials), "wishes_foregrounds", options)
    rows, line = map_rows(MIXTURES_PER_TRIAL * options.trials)
    write_table(rows, "wishes_map", options)
    write_table(line, "wishes_map_line", options)


if __name__ == "__main__":
    main()

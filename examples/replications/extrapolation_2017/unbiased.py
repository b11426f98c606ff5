"""Sections 3.1 and 4.3 of the 2017 paper: the average over subsets, and the regression.

Eq. 3 is compared with the enumeration of all subsets of the classes of one pilot. R, as the paper
defines it, counts the classes other than the true one, so that its largest value is one less than
the number of classes; eq. 3 and "correct if and only if R = k_1" count the true class, too. Then
the mean of many pilots is compared with the exact average accuracy, for each number of classes.

For the regression, D is in the span of three functions, and items draw their U from D and win
against each wrong class with that probability: the model holds. Weights of any sign, weights that
are not negative, and the same with D(1) <= 1 are compared with the truth. Its first case has all
three weights well inside, the second has two that are zero.

Writes unbiased_ranks.csv, unbiased_average.csv and unbiased_regression.csv. A few seconds.
"""

from itertools import combinations

import numpy as np
from estimates import read_options, toy, write_table
from moment_fits import any_sign, non_negative, power_moments
from scipy.special import comb

from sklearn_spe import average_accuracy_curve
from sklearn_spe.extrapolation import make_recognition_scores

N_FEW = 7
N_CLASSES, N_TEST, N_PILOTS = 12, 3, 4000
SHOWN = (2, 4, 8, 12)
DEGREES = np.array([1.0, 5.0, 25.0])
WEIGHTS = {"inside": np.array([0.3, 0.3, 0.3]), "two are zero": np.array([0.0, 0.5, 0.0])}
SOLUTIONS = {
    "any sign": (any_sign, False),
    "not negative": (non_negative, False),
    "not negative, D(1) <= 1": (non_negative, True),
}
SIZE, N_ITEMS, N_REPEATS = 30, 300, 3000
WANTED = np.array([60, 300])
SEED = 3


def ranks():
    """Return the average accuracies of one pilot: enumerated, and by eq. 3 with both ranks."""
    scores, labels = make_recognition_scores(N_FEW, task=toy(0.9), n_test=2, random_state=SEED)
    own = scores[np.arange(len(labels)), labels]
    beaten = (scores < own[:, np.newaxis]).sum(axis=1)
    package = average_accuracy_curve(labels, scores, average="micro")
    rows = []
    for k in range(2, N_FEW + 1):
        enumerated = []
        for chosen in combinations(range(N_FEW), k):
            rows_of = np.isin(labels, chosen)
            best = np.array(chosen)[scores[np.ix_(rows_of, chosen)].argmax(axis=1)]
            enumerated.append((best == labels[rows_of]).mean())
        share = N_FEW / (comb(N_FEW, k) * k * len(labels))
        rows.append(
            {
                "k": k,
                "enumerated": np.mean(enumerated),
                "package": package[k - 1],
                "eq. 3, R of others": share * comb(beaten - 1, k - 1).sum(),
                "eq. 3, R of all": share * comb(beaten, k - 1).sum(),
            }
        )
    return rows


def averages(n_pilots):
    """Return the mean of the average accuracies of many pilots beside the truth."""
    task, rng = toy(0.9), np.random.default_rng(SEED)
    pilots = (task.draw(N_CLASSES, N_TEST, rng) for _ in range(n_pilots))
    found = np.array(
        [average_accuracy_curve(labels, scores, average="micro") for scores, labels in pilots]
    )
    rows = []
    for k in SHOWN:
        values, exact = found[:, k - 1], task.accuracy(k)
        error = values.std(ddof=1) / np.sqrt(n_pilots)
        row = {"k": k, "mean": values.mean(), "exact": exact, "std": values.std(ddof=1)}
        rows.append(row | {"z": (values.mean() - exact) / error})
    return rows


def drawn_curves(weights, n_repeats, rng):
    """Return average accuracies of items whose U is drawn from D, of shape (n_repeats, SIZE)."""
    probabilities = np.append(weights, 1.0 - weights.sum())
    # U = V^(1 / d) has the distribution function u^d; what is left is always right.
    exponents = np.append(1.0 / DEGREES, 0.0)
    which = rng.choice(len(exponents), size=(n_repeats, N_ITEMS), p=probabilities)
    values = rng.random((n_repeats, N_ITEMS)) ** exponents[which]
    wins = rng.binomial(SIZE - 1, values)
    counts = np.arange(SIZE)
    shares = comb(np.arange(SIZE)[:, np.newaxis], counts) / comb(SIZE - 1, counts)
    return shares[wins].mean(axis=1)


def regression(n_repeats):
    """Return the bias of the weights and of the predictions."""
    rows = []
    moments = power_moments(DEGREES, np.arange(2, SIZE + 1))
    beyond = power_moments(DEGREES, WANTED)
    at_one = np.ones(len(DEGREES))
    for case, weights in WEIGHTS.items():
        curves = drawn_curves(weights, n_repeats, np.random.default_rng([SEED, 1]))
        for name, (solve, bounded) in SOLUTIONS.items():
            found = np.array([solve(moments, at_one, 1.0 - c[1:], bounded) for c in curves])
            row = {"case": case, "weights": name}
            for d, values, true in zip(DEGREES, found.T, weights, strict=True):
                row[f"weight of u^{d:g}"] = _bias(values, true)
            for k, values, true in zip(WANTED, (found @ beyond.T).T, beyond @ weights, strict=True):
                row[f"accuracy, {k} classes"] = _bias(1.0 - values, 1.0 - true)
            rows.append(row)
    return rows


def _bias(values, truth):
    """Return the bias, and how many of its standard errors that is."""
    bias = values.mean() - truth
    error = values.std(ddof=1) / np.sqrt(len(values))
    return f"{bias:+.4f} ({bias / error:+.1f})"


def main():
    """Write the tables."""
    options = read_options(__doc__, repeats=N_REPEATS)
    write_table(ranks(), "unbiased_ranks", options, form=".4f")
    write_table(averages(100 if options.quick else N_PILOTS), "unbiased_average", options, ".4f")
    write_table(regression(options.repeats), "unbiased_regression", options, form=".4f")


if __name__ == "__main__":
    main()

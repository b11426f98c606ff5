"""Figures 11 and 12 of the 2017 paper: the accuracy with all classes, from a part of them.

The paper's faces, 1,672 of them, could not be had. In their place are 136 characters of Omniglot,
eight test drawings each (omniglot_multiclass_lda.npz in the folder --data), distinguished by a
linear discriminant: the score of a class depends on its own mean and a covariance that all share.
Without --data the scores of a problem made at hand take their place, of as many classes and items
(GaussianClasses, noise 0.55). As in the paper the truth is the exact curve of all classes, and
pilots are random parts of them: errors of large pilots are therefore flattered.

Three estimates of the curve: the paper's (10,000 uniform knots, nothing constrains D(1)), the same
with D(1) <= 1, and the package's default.

Writes figure_11_NAME.csv (one pilot of 34 classes) and figure_12_NAME.csv (many pilots of 10, 17,
34 and 68), where NAME is omniglot or gaussian. About half a minute on one core.
"""

import numpy as np
from estimates import (
    METHODS,
    predictions,
    read_options,
    recognition_set,
    rmse,
    subsample,
    write_picture,
    write_table,
)

from sklearn_spe import average_accuracy_curve

ONE_SIZE = 34
SIZES = (10, 17, 34, 68)
SHOWN = (2, 5, 10, 20, 34, 50, 68, 100, 136)
N_REPEATS = 60
SEED = 11


def one_pilot(scores, labels, counts):
    """Return the truth, the exact curve of one pilot and the three estimates."""
    rng = np.random.default_rng(SEED)
    few_scores, few_labels = subsample(scores, labels, ONE_SIZE, rng)
    curves = {"truth": average_accuracy_curve(labels, scores, average="micro")[counts - 1]}
    known = average_accuracy_curve(few_labels, few_scores, average="micro")
    curves["pilot"] = np.full(len(counts), np.nan)
    curves["pilot"][counts <= ONE_SIZE] = known[counts[counts <= ONE_SIZE] - 1]
    return curves | predictions(few_scores, few_labels, counts)


def many_pilots(scores, labels, counts, n_repeats):
    """Return the three estimates for many pilots of each size: arrays (n_repeats, n_counts)."""
    found = {}
    for size in SIZES:
        rng = np.random.default_rng([SEED, size])
        pilots = [subsample(scores, labels, size, rng) for _ in range(n_repeats)]
        curves = [predictions(*pilot, counts, seed) for seed, pilot in enumerate(pilots)]
        for name in METHODS:
            found[size, name] = np.array([curve[name] for curve in curves])
    return found


def spread(found, truth):
    """Return the quantiles and the errors of the estimates with all classes."""
    rows = []
    for (size, name), curves in found.items():
        last = curves[:, -1]
        low, middle, high = np.quantile(last, [0.05, 0.5, 0.95])
        rows.append(
            {
                "K": size,
                "method": name,
                "truth": truth[-1],
                "p5": low,
                "median": middle,
                "p95": high,
                "bias": last.mean() - truth[-1],
                "rmse": rmse(last, truth[-1]),
                "below 0": f"{(last < 0.0).mean():.0%}",
            }
        )
    return rows


def draw_one(curves, counts):
    """Draw figure 11."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11, 4))
    for name, curve in curves.items():
        style = {"truth": "k-", "pilot": "k--", "constrained": "--"}.get(name, "-")
        axes[0].plot(counts, curve, style, label=name)
        beyond = counts >= ONE_SIZE
        axes[1].plot(counts[beyond], curve[beyond], style)
    axes[0].set(xlim=(1, ONE_SIZE), xlabel="k", ylabel="accuracy")
    axes[1].set(xlabel="k", ylim=(0.0, 1.0))
    axes[0].legend()
    return figure


def draw_many(found, truth, counts):
    """Draw figure 12: a row for each method, a column for each size."""
    import matplotlib.pyplot as plt

    shape = {"sharex": True, "sharey": True, "figsize": (13, 8)}
    figure, axes = plt.subplots(len(METHODS), len(SIZES), **shape)
    for row, name in zip(axes, METHODS, strict=True):
        for ax, size in zip(row, SIZES, strict=True):
            ax.plot(counts, found[size, name].T, color="C0", lw=0.5, alpha=0.4)
            ax.plot(counts, truth, color="black")
            ax.set(title=f"{name}, K = {size}", ylim=(-0.1, 1.0))
    return figure


def main():
    """Write the tables of figures 11 and 12."""
    options = read_options(__doc__, repeats=N_REPEATS, data=True)
    source, scores, labels = recognition_set(options)
    every = np.arange(2, scores.shape[1] + 1)
    truth = average_accuracy_curve(labels, scores, average="micro")[1:]
    curves = one_pilot(scores, labels, every)
    rows = [{"k": k} | {name: curve[k - 2] for name, curve in curves.items()} for k in SHOWN]
    write_table(rows, f"figure_11_{source}", options)
    found = many_pilots(scores, labels, every, options.repeats)
    write_table(spread(found, truth), f"figure_12_{source}", options)
    if options.pictures:
        write_picture(draw_one(curves, every), f"figure_11_{source}", options)
        write_picture(draw_many(found, truth, every), f"figure_12_{source}", options)


if __name__ == "__main__":
    main()

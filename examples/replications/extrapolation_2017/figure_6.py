"""Figure 6 of the 2017 paper: how the accuracy varies with the label set, and its average.

Labels are bivariate normal with the test points, correlation 0.7, and the Bayes rule is used. The
paper calls its plotted quantity the risk and defines it as the probability to be right; its formula
for the red curve is the probability to be wrong. Here both are accuracies. The accuracy of each
label set is exact, and so is the average, by the quadrature of the package.

Writes figure_6.csv. A few seconds.
"""

import numpy as np
from estimates import (
    CORRELATION,
    label_set_accuracies,
    read_options,
    toy,
    write_picture,
    write_table,
)

COUNTS = range(2, 11)
N_SETS = 20_000
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
SEED = 6


def distributions(n_sets):
    """Return the accuracies of random label sets for each number of classes."""
    rng = np.random.default_rng(SEED)
    return {k: label_set_accuracies(CORRELATION, k, n_sets, rng) for k in COUNTS}


def summary(found):
    """Return quantiles and means, beside the average by theorem 4.1."""
    rows = []
    for k, accuracies in found.items():
        error = accuracies.std(ddof=1) / np.sqrt(len(accuracies))
        exact = toy().accuracy(k)
        row = {"k": k}
        row |= {f"p{100 * q:.0f}": np.quantile(accuracies, q) for q in QUANTILES}
        row |= {"mean": accuracies.mean(), "theory": exact, "std": accuracies.std(ddof=1)}
        rows.append(row | {"z": (accuracies.mean() - exact) / error})
    return rows


def draw(found):
    """Draw the figure."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 4.5))
    ax.boxplot(list(found.values()), positions=list(found), whis=(5, 95), showfliers=False)
    means = [accuracies.mean() for accuracies in found.values()]
    ax.plot(list(found), means, "o", color="black", mfc="white", label="mean over label sets")
    ax.plot(list(found), toy().accuracy(list(found)), color="red", label="theorem 4.1")
    ax.set(xlabel="number of classes k", ylabel="accuracy of the Bayes rule")
    ax.legend()
    return figure


def main():
    """Write the table of figure 6."""
    options = read_options(__doc__)
    found = distributions(N_SETS // 20 if options.quick else N_SETS)
    write_table(summary(found), "figure_6", options, form=".4f")
    if options.pictures:
        write_picture(draw(found), "figure_6", options)


if __name__ == "__main__":
    main()

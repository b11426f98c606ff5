"""Figure 1 of the 2018 paper: the Fisher information of a mixture of two normals.

A million items, of which a thousand are labelled: at random, or so that half of the labels are of
positives (all positives, if there are fewer). The paper plots the information on each parameter
alone, as if the others were known, and says that it leaves cross terms out for brevity. Beside it
stands the information when none is known: one over the diagonal of the inverse matrix.

Writes figure_1_balance.csv and figure_1_labels.csv, figure_1_items.csv (what one item more adds,
with a label or without) and figure_1_cross.csv (the cross terms, as correlations of the score
function). A few seconds.
"""

import numpy as np
from fisher_information import alone, fisher_information, standard_errors
from simulations import read_options, write_picture, write_table

N = 1e6
VALUES = {"negative_values": (2.0, 1.0), "positive_values": (3.88, 1.0)}
LABEL_RATE = BALANCE = 1e-3
BALANCES = 10.0 ** np.arange(-4.0, -0.25, 0.5)
RATES = 10.0 ** np.arange(-5.0, 0.25, 0.5)
# Section 4 speaks of well separated classes too.
FAR = (12.0, 1.0)
DESIGNS = ("random", "half positive")
# Names of parameters, and those of the paper. Information about a variance is that about the
# standard deviation over four variances; the variances are one.
PARAMETERS = {
    "prevalence": ("beta", 1.0),
    "negative_mean": ("mu0", 1.0),
    "negative_std": ("var0", 0.25),
    "positive_mean": ("mu1", 1.0),
    "positive_std": ("var1", 0.25),
}


def information(design, balance, rate):
    """Return the information with others known ("mu0") and unknown ("mu0_joint")."""
    n_labels, n_positive = rate * N, balance * N
    # A positive more or less than is there to label is of no concern here.
    found = balance * n_labels if design == "random" else min(0.5 * n_labels, n_positive)
    matrix = fisher_information(
        prevalence=balance,
        n_unlabeled=(N - n_positive - (n_labels - found), n_positive - found),
        n_negative=n_labels - found,
        n_positive=found,
        **VALUES,
    )
    joint = {
        f"{PARAMETERS[name][0]}_joint": PARAMETERS[name][1] / error**2
        for name, error in standard_errors(matrix).items()
    }
    return by_paper(matrix) | joint


def by_paper(matrix):
    """Return the information with others known, by the paper's names."""
    return {PARAMETERS[name][0]: PARAMETERS[name][1] * x for name, x in alone(matrix).items()}


def of_item(kind, balance, positive_values):
    """Return the information that one item more adds, by the paper's names."""
    values = VALUES | {"positive_values": positive_values}
    return by_paper(fisher_information(prevalence=balance, **{kind: 1.0}, **values))


def cross_terms(balance):
    """Return each element of the matrix over the root of the product of its two diagonal ones."""
    n_labels = LABEL_RATE * N
    matrix = fisher_information(
        prevalence=balance,
        n_unlabeled=N - n_labels,
        n_negative=(1.0 - balance) * n_labels,
        n_positive=balance * n_labels,
        **VALUES,
    )
    scale = np.sqrt(np.diag(matrix))
    names = [name for name, _ in PARAMETERS.values()]
    rows, columns = np.triu_indices(len(names), 1)
    values = (matrix / np.outer(scale, scale))[rows, columns]
    pairs = zip(rows, columns, values, strict=True)
    return {f"{names[i]} {names[j]}": value for i, j, value in pairs}


def draw(by_balance, by_rate):
    """Draw the figure: information alone above, with cross terms below."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(11, 8), sharey="row")
    for column, (x, rows) in enumerate((("balance", by_balance), ("label_rate", by_rate))):
        for ax, ending in zip(axes[:, column], ("", "_joint"), strict=True):
            for k, (name, _) in enumerate(PARAMETERS.values()):
                for design, style in zip(DESIGNS, ("-", "x--"), strict=True):
                    own = [row for row in rows if row["design"] == design]
                    label = name if design == "random" else None
                    y = [row[name + ending] for row in own]
                    ax.loglog([row[x] for row in own], y, style, color=f"C{k}", label=label)
            ax.set(xlabel=x, ylabel="information" + (", all unknown" if ending else ""))
    axes[0, 0].legend()
    return figure


def main():
    """Write the tables of figure 1."""
    options = read_options(__doc__, trials=None)
    step = 3 if options.quick else 1
    by_balance = [
        {"design": d, "balance": b} | information(d, b, LABEL_RATE)
        for d in DESIGNS
        for b in BALANCES[::step]
    ]
    by_rate = [
        {"design": d, "label_rate": r} | information(d, BALANCE, r)
        for d in DESIGNS
        for r in RATES[::step]
    ]
    write_table(by_balance, "figure_1_balance", options)
    write_table(by_rate, "figure_1_labels", options)
    items = [
        {"mu1": means[0], "balance": balance, "item": kind.removeprefix("n_")}
        | {f"I({name})": value for name, value in of_item(kind, balance, means).items()}
        for means in (VALUES["positive_values"], FAR)
        for balance in (0.1, 0.01, 0.001)
        for kind in ("n_unlabeled", "n_negative", "n_positive")
    ]
    write_table(items, "figure_1_items", options)
    crosses = [{"balance": b} | cross_terms(b) for b in BALANCES[::step]]
    write_table(crosses, "figure_1_cross", options)
    if options.pictures:
        write_picture(draw(by_balance, by_rate), "figure_1", options)


if __name__ == "__main__":
    main()

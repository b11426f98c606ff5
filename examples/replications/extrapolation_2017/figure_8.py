"""Figure 8 of the 2017 paper: risk, distribution function and its polynomials, for four problems.

Bivariate normal labels and test points with correlations 0.3, 0.5, 0.7 and 0.9. The best polynomial
of each degree in the largest deviation is found by linear programming on a grid that is denser
towards both ends. A polynomial that deviates by e gives an average risk that is wrong by at most e,
for any number of classes, as the weights (k - 1) u^(k - 2) are a density.

Writes figure_8a.csv (average risk), figure_8b.csv (the distribution function) and figure_8c.csv
(the largest deviations). A few seconds.
"""

import numpy as np
from estimates import CORRELATIONS, read_options, toy, write_picture, write_table
from numpy.polynomial import chebyshev
from scipy.optimize import linprog

COUNTS = range(2, 11)
LEVELS = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
DEGREES = range(1, 11)
N_NODES, QUICK_NODES = 1501, 201


def best_deviation(values, nodes, degree):
    """Return the least largest deviation of a polynomial from values at nodes in [0, 1].

    Minimises e subject to -e <= p(u) - D(u) <= e, in Chebyshev polynomials, whose coefficients are
    well determined.
    """
    basis = chebyshev.chebvander(2.0 * nodes - 1.0, degree)
    slack = np.ones((len(nodes), 1))
    found = linprog(
        c=np.append(np.zeros(degree + 1), 1.0),
        A_ub=np.block([[basis, -slack], [-basis, -slack]]),
        b_ub=np.concatenate([values, -values]),
        bounds=[(None, None)] * (degree + 1) + [(0.0, None)],
        method="highs",
    )
    return found.fun


def by_problem(name, points, values):
    """Return a table with a row for each point and a column for each correlation."""
    columns = {f"rho={rho}": values(toy(rho)) for rho in CORRELATIONS}
    return [
        {name: point} | {rho: column[i] for rho, column in columns.items()}
        for i, point in enumerate(points)
    ]


def deviations(n_nodes):
    """Return the least largest deviation by degree and problem."""
    nodes = 0.5 - 0.5 * np.cos(np.pi * np.linspace(0.0, 1.0, n_nodes))

    def by_degree(task):
        values = task.distribution(nodes)
        return [best_deviation(values, nodes, degree) for degree in DEGREES]

    return by_problem("degree", DEGREES, by_degree)


def draw(risks, errors):
    """Draw the three panels."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(14, 4))
    u = np.linspace(0.0, 1.0, 501)
    for rho in CORRELATIONS:
        name = f"rho={rho}"
        axes[0].plot(list(COUNTS), [row[name] for row in risks], ".-", label=name)
        axes[1].plot(u, toy(rho).distribution(u))
        axes[2].semilogy(list(DEGREES), [row[name] for row in errors], ".-")
    axes[0].set(xlabel="k", ylabel="average risk")
    axes[1].set(xlabel="u", ylabel="D(u)")
    axes[2].set(xlabel="degree", ylabel="least largest deviation")
    axes[0].legend()
    figure.tight_layout()
    return figure


def main():
    """Write the tables of figure 8."""
    options = read_options(__doc__)
    counts = np.array(COUNTS)
    risks = by_problem("k", COUNTS, lambda task: 1.0 - task.accuracy(counts))
    write_table(risks, "figure_8a", options)
    write_table(
        by_problem("u", LEVELS, lambda task: task.distribution(np.array(LEVELS))),
        "figure_8b",
        options,
    )
    errors = deviations(QUICK_NODES if options.quick else N_NODES)
    write_table(errors, "figure_8c", options, form=".5f")
    if options.pictures:
        write_picture(draw(risks, errors), "figure_8", options)


if __name__ == "__main__":
    main()

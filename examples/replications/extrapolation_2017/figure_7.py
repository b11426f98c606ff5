"""Figure 7 of the 2017 paper: the conditional accuracy U_x(y), and its distribution function.

Bivariate normal labels and test points, correlation 0.7. The paper's printed formula,
Phi((x + d) / rho) - Phi((x - d) / rho) with d = |rho y - x|, is the probability that a random class
is nearer than y: the complement of definition (5), by which the probability to be right is meant.
Both are compared with counted draws.

Writes figure_7a.csv (U at some points), figure_7a_line.csv (U at a fixed distance from the line
x = rho y) and figure_7b.csv (the distribution function). A few seconds.
"""

import numpy as np
from estimates import CORRELATION, read_options, toy, write_picture, write_table
from scipy import special

POINTS = ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0), (2.0, 0.0), (2.0, 2.0), (-1.0, 1.0))
DISTANCES = (0.25, 0.5, 1.0)
LABELS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
LEVELS = np.arange(0.1, 1.0, 0.1)
N_DRAWS = 1_000_000
SEED = 7


def printed(x, y):
    """Return U as section 4.1 prints it."""
    distance = abs(CORRELATION * y - x)
    upper, lower = (x + distance) / CORRELATION, (x - distance) / CORRELATION
    return special.ndtr(upper) - special.ndtr(lower)


def at_points(n_draws):
    """Return U at some points: by definition (5), counted, and as printed."""
    others = np.random.default_rng(SEED).standard_normal(n_draws)
    rows = []
    for x, y in POINTS:
        beaten = np.abs(CORRELATION * others - x) > abs(CORRELATION * y - x)
        rows.append(
            {
                "x": x,
                "y": y,
                "U": float(toy().conditional_accuracy(x, y)),
                "counted": beaten.mean(),
                "as printed": printed(x, y),
            }
        )
    return rows


def along_line():
    """Return U at fixed distances from the line x = rho y, outside and inside of it."""
    rows = []
    for distance in DISTANCES:
        for side, name in ((1.0, "outside"), (-1.0, "inside")):
            labels = np.array(LABELS)
            values = toy().conditional_accuracy(CORRELATION * labels + side * distance, labels)
            row = {"distance": distance, "x is": name}
            rows.append(row | {f"y={y:g}": v for y, v in zip(LABELS, values, strict=True)})
    return rows


def distribution(n_draws):
    """Return the distribution function of U by quadrature, and of counted draws."""
    rng = np.random.default_rng([SEED, 1])
    y = rng.standard_normal(n_draws)
    x = CORRELATION * y + np.sqrt(1.0 - CORRELATION**2) * rng.standard_normal(n_draws)
    values = toy().conditional_accuracy(x, y)
    return [{"u": u, "D": toy().distribution(u), "counted": (values <= u).mean()} for u in LEVELS]


def draw():
    """Draw both panels."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10, 4.5))
    y, x = np.meshgrid(np.linspace(-3.0, 3.0, 301), np.linspace(-3.0, 3.0, 301))
    lines = axes[0].contour(y, x, toy().conditional_accuracy(x, y), levels=LEVELS)
    axes[0].clabel(lines, fontsize=8)
    axes[0].plot([-3.0, 3.0], [-3.0 * CORRELATION, 3.0 * CORRELATION], "k:", lw=1)
    axes[0].set(xlabel="y", ylabel="x", title="U_x(y)")
    u = np.linspace(0.0, 1.0, 501)
    axes[1].plot(u, toy().distribution(u))
    axes[1].set(xlabel="u", ylabel="D(u)", title="P(U <= u)")
    return figure


def main():
    """Write the tables of figure 7."""
    options = read_options(__doc__)
    n_draws = N_DRAWS // 100 if options.quick else N_DRAWS
    write_table(at_points(n_draws), "figure_7a", options)
    write_table(along_line(), "figure_7a_line", options)
    write_table(distribution(n_draws), "figure_7b", options, form=".4f")
    if options.pictures:
        write_picture(draw(), "figure_7", options)


if __name__ == "__main__":
    main()

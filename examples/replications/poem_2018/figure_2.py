"""Figure 2 of the 2018 paper: how partially observed expectation maximization converges.

Ten thousand scores of two normals, the largest 5% labelled. The paper starts from the labelled
items alone; so does the first table, by iteration, with the steps as they are in the paper. A
second path starts with every unlabelled item as a negative. The second table has the ends of both
beside the maximum that the package finds from several starts.

Writes figure_2_iterations.csv, figure_2_final.csv and figure_2_heights.csv (how high the paths
lead, beside that maximum). About 5 minutes on one core.
"""

import numpy as np
from scipy import stats
from simulations import Truth, fit, inferred, label_by, read_options, write_picture, write_table

from sklearn_spe.inference._em import expectation_maximization
from sklearn_spe.mixtures._fit import EmSteps

N_ITEMS, N_LABELS = 10_000, 500
TRIALS = 100
BALANCES = (0.3, 0.01)
SHOWN = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
NAMES = ("beta", "mu0", "var0", "mu1", "var1")
# A change below is rounding; the paths are run to their end.
TOL = 1e-13
# The starts: the labelled items alone (the paper's), all that is not labelled taken for negative,
# and those of the package.
LABELED, REST, SEVERAL = "labelled items", "unlabelled as negative", "several"


def truth_of(balance):
    """Return the mixture of the figure."""
    return Truth("norm", balance, "norm", (3.88, 1.0), (2.0, 1.0))


def as_paper(truth):
    """Return beta, mu0, var0, mu1 and var1."""
    (mean_0, std_0), (mean_1, std_1) = truth.background_values, truth.foreground_values
    return np.array([truth.balance, mean_0, std_0**2, mean_1, std_1**2])


def trial(balance, seed):
    """Return the result of each start.

    Of the two paths their points, (n_shown, 5), and how much lower than the maximum from several
    starts they end, in nats; of that maximum its point, (1, 5).
    """
    rng = np.random.default_rng([BALANCES.index(balance), seed])
    scores, labels = truth_of(balance).draw(rng, N_ITEMS)
    known = label_by("tail", scores, labels, N_LABELS, rng)
    found = fit(scores, known)
    posterior = found.posterior_
    mixture, sample = posterior.mixtures[0], posterior.scale.apply(posterior.sample)
    steps = EmSteps(mixture, sample)
    top = steps.expect(posterior.draws[0].center)[0]
    results = {SEVERAL: (as_paper(inferred(found))[np.newaxis], 0.0)}
    positive = known == 1
    rest = mixture.real(
        positive.mean(),
        (scores[~positive].mean(), scores[~positive].std()),
        (scores[positive].mean(), scores[positive].std()),
    )
    for name, start in ((LABELED, steps.labeled_start()), (REST, rest)):
        points, height = path_of(steps, start)
        prevalence, (mean_0, std_0), (mean_1, std_1) = mixture.values(points)
        estimates = np.hstack([prevalence, mean_0, std_0**2, mean_1, std_1**2])
        results[name] = estimates, top - height
    return results


def path_of(steps, start):
    """Return the shown points of the path from a start, and the log likelihood of its end."""
    points = [start]

    def maximize(weights, u):
        points.append(steps.maximize(weights, u))
        return points[-1]

    path = expectation_maximization(steps.expect, maximize, start, tol=TOL, max_iter=max(SHOWN))
    return np.stack([points[min(i, path.n_iter)] for i in SHOWN]), path.log_likelihood


def iteration_rows(balance, start, paths):
    """Return the mean and the range of each estimate by iteration, as in the figure."""
    rows = []
    for k, iteration in enumerate(SHOWN):
        row = {"balance": balance, "start": start, "iteration": iteration}
        for j, name in enumerate(NAMES):
            values = paths[:, k, j]
            row |= {
                name: values.mean(),
                f"{name}_p5": np.quantile(values, 0.05),
                f"{name}_p95": np.quantile(values, 0.95),
            }
        rows.append(row | {"trials": len(paths)})
    return rows


def height_row(balance, start, lower):
    """Return how much lower paths end than the maximum from several starts."""
    return {
        "balance": balance,
        "start": start,
        "median_lower_by": np.median(lower),
        "most_lower_by": lower.max(),
        "lower_by_1_nat": np.mean(lower > 1.0),
        "higher_by_0.01_nat": np.mean(lower < -0.01),
        "trials": len(lower),
    }


def final_rows(balance, start, estimates):
    """Return the end of the paths: where estimates lie, and to which side they lean."""
    rows = []
    for j, (name, true) in enumerate(zip(NAMES, as_paper(truth_of(balance)), strict=True)):
        values = estimates[:, j]
        rows.append(
            {
                "balance": balance,
                "start": start,
                "parameter": name,
                "true": true,
                "mean": values.mean(),
                "standard_error": values.std(ddof=1) / np.sqrt(len(values)),
                "median": np.median(values),
                "p5": np.quantile(values, 0.05),
                "p95": np.quantile(values, 0.95),
                "skewness": stats.skew(values),
                "above_truth": np.mean(values > true),
                "trials": len(values),
            }
        )
    return rows


def draw(rows):
    """Draw the figure."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(NAMES), len(BALANCES), figsize=(10, 12), sharex=True)
    for column, balance in enumerate(BALANCES):
        truths = as_paper(truth_of(balance))
        for ax, name, true in zip(axes[:, column], NAMES, truths, strict=True):
            for k, start in enumerate((LABELED, REST)):
                own = [r for r in rows if r["balance"] == balance and r["start"] == start]
                x = [row["iteration"] + 1 for row in own]
                ends = [[row[f"{name}_{end}"] for row in own] for end in ("p5", "p95")]
                ax.fill_between(x, *ends, color=f"C{k}", alpha=0.3, linewidth=0)
                ax.plot(x, [row[name] for row in own], color=f"C{k}", label=start)
            ax.axhline(true, color="k", linestyle=":")
            ax.set(xscale="log", ylabel=name)
        axes[0, column].set_title(f"beta = {balance}")
        axes[-1, column].set_xlabel("iteration + 1")
    axes[0, 0].legend()
    return figure


def main():
    """Write the tables of figure 2."""
    options = read_options(__doc__, TRIALS)
    iterations, final, heights = [], [], []
    for balance in BALANCES:
        results = [trial(balance, seed) for seed in range(options.trials)]
        for start in (LABELED, REST, SEVERAL):
            points = np.stack([result[start][0] for result in results])
            final += final_rows(balance, start, points[:, -1])
            if start != SEVERAL:
                lower = np.array([result[start][1] for result in results])
                heights.append(height_row(balance, start, lower))
                iterations += iteration_rows(balance, start, points)
    write_table(iterations, "figure_2_iterations", options)
    write_table(final, "figure_2_final", options)
    write_table(heights, "figure_2_heights", options)
    if options.pictures:
        write_picture(draw(iterations), "figure_2", options)


if __name__ == "__main__":
    main()

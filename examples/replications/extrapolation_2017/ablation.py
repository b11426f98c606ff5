"""Section 5.1 of the 2017 paper: whether monotonicity and convexity make predictions better.

The moment method with splines and non-negative weights (monotone and convex), with steps and
non-negative weights (monotone only), and with weights of any sign on a few functions (neither),
each with D(1) <= 1 and without; splines with 400 and 10,000 uniform knots and 200 geometric ones.
Fitted to the exact curve of 2 to k classes of three problems (any error is the method's), and to
pilots of them, five items a class. Predictions for 2, 5, 10 and 50 times as many classes.

Errors are those of eq. 14 as it is, and, beside it, of what anybody would do with the answer: cut
off at zero and at the accuracy with all classes of the pilot.

Writes ablation_exact.csv and ablation_pilots.csv (root mean squared errors over the problems), and
ablation_exact_problems.csv (signed errors) and ablation_pilots_problems.csv for each problem. About
1.5 minutes on one core.
"""

import numpy as np
from estimates import fitted, read_options, rmse, silently, toy, write_picture, write_table
from moment_fits import (
    DEGREES,
    FEW_KNOTS,
    GEOMETRIC,
    any_sign,
    fit,
    non_negative,
    package_fit,
    power_moments,
    spline_moments,
    step_moments,
)

from sklearn_spe import average_accuracy_curve
from sklearn_spe.extrapolation import GaussianClasses, Moment, make_recognition_scores

SIZES = (50, 100)
RATIOS = np.array([2, 5, 10, 50])
N_TEST = 5
N_REPEATS = 60
SEED = 5
TASKS = {
    "bivariate, rho .99": toy(0.99),
    "Gaussian, noise .5": GaussianClasses(noise=0.5),
    "Gaussian, noise .8": GaussianClasses(noise=0.8),
}
SPLINES = (("400 uniform", 400), ("10,000 uniform", 10_000), ("200 geometric", 200))

# The same functions with weights of one sign and of any sign: only the constraint differs.
OTHERS = (
    ("monotone, convex", "splines, 5", spline_moments, FEW_KNOTS, non_negative),
    ("monotone", "steps, 200 geometric", step_moments, GEOMETRIC, non_negative),
    ("neither", "splines, 200 geometric", spline_moments, GEOMETRIC, any_sign),
    ("neither", "splines, 5", spline_moments, FEW_KNOTS, any_sign),
    ("neither", "powers 1 to 4", power_moments, DEGREES, any_sign),
)


def all_fits():
    """Return each fit by (shape, functions, whether D(1) <= 1)."""
    fits = {}
    for bounded in (False, True):
        said = "yes" if bounded else "no"
        for name, n in SPLINES:
            method = Moment(n_basis=n, knots=name.split()[-1], constrained=bounded)
            fits["monotone, convex", f"splines, {name}", said] = package_fit(method)
        for shape, name, moments_of, places, solve in OTHERS:
            fits[shape, name, said] = fit(moments_of, places, solve, bounded)
    return fits


def exact_errors(fits):
    """Return the errors of predictions from exact curves."""
    rows = []
    for title, task in TASKS.items():
        for size in SIZES:
            curve = task.accuracy(np.arange(1, size + 1))
            truth = task.accuracy(RATIOS * size)
            for key, predict in fits.items():
                error = predict(curve, RATIOS * size) - truth
                row = _row(title, size, key)
                rows.append(row | {f"{r}x": e for r, e in zip(RATIOS, error, strict=True)})
    return rows


def pilot_predictions(task, size, fits, n_repeats):
    """Return the predictions of each fit, and of the package's default, for random pilots."""
    found = {key: [] for key in fits} | {("default", "", ""): []}
    ceilings = []
    for repeat in range(n_repeats):
        seed = SEED + repeat
        scores, labels = make_recognition_scores(size, task=task, n_test=N_TEST, random_state=seed)
        curve = average_accuracy_curve(labels, scores, average="micro")
        ceilings.append(curve[-1])
        for key, predict in fits.items():
            found[key].append(predict(curve, RATIOS * size))
        default = fitted("auto", scores, labels, seed=seed)
        found["default", "", ""].append(silently(default.predict, RATIOS * size))
    return {key: np.array(values) for key, values in found.items()}, np.array(ceilings)


def pilot_errors(fits, n_repeats):
    """Return the root mean squared errors of predictions from pilots."""
    rows = []
    for title, task in TASKS.items():
        for size in SIZES:
            truth = task.accuracy(RATIOS * size)
            found, ceilings = pilot_predictions(task, size, fits, n_repeats)
            for key, values in found.items():
                row = _row(title, size, key)
                row |= {f"{r}x": e for r, e in zip(RATIOS, rmse(values, truth), strict=True)}
                cut = np.clip(values, 0.0, ceilings[:, np.newaxis])
                row |= {f"cut {r}x": e for r, e in zip(RATIOS, rmse(cut, truth), strict=True)}
                rows.append(row)
    return rows


def over_problems(rows):
    """Return the root mean squared errors over all problems, which weigh alike."""
    by_key = {}
    for row in rows:
        by_key.setdefault((row["shape"], row["functions"], row["D(1) <= 1"]), []).append(row)
    columns = [name for name in rows[0] if name.endswith("x")]
    names = ("shape", "functions", "D(1) <= 1")
    return [
        dict(zip(names, key, strict=True))
        | {c: np.sqrt(np.mean([row[c] ** 2 for row in own])) for c in columns}
        for key, own in by_key.items()
    ]


def draw(rows):
    """Draw the errors over all problems against the ratio."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(12, 4.5), sharey=True)
    colors = {}
    for ax, prefix, title in zip(axes, ("", "cut "), ("as it is", "cut off"), strict=True):
        for row in rows:
            name = f"{row['functions']} ({row['shape']})" if row["functions"] else row["shape"]
            color = colors.setdefault(name, f"C{len(colors)}")
            free = row["D(1) <= 1"] == "no"
            style = {"ls": "--", "lw": 1} if free else {"ls": "-", "label": name}
            ax.loglog(RATIOS, [row[f"{prefix}{r}x"] for r in RATIOS], color=color, **style)
        ax.set_xticks(RATIOS, [f"{r}x" for r in RATIOS])
        ax.set_xticks([], minor=True)
        ax.set(xlabel="times as many classes", ylabel="error", title=title)
    title = "dashed: nothing constrains D(1)"
    axes[1].legend(fontsize=8, title=title, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _row(title, size, key):
    shape, functions, bounded = key
    row = {"problem": title, "classes": size, "shape": shape, "functions": functions}
    return row | {"D(1) <= 1": bounded}


def main():
    """Write the tables."""
    options = read_options(__doc__, repeats=N_REPEATS)
    fits = all_fits()
    rows = exact_errors(fits)
    write_table(rows, "ablation_exact_problems", options, form=".4f")
    write_table(over_problems(rows), "ablation_exact", options, form=".4f")
    rows = pilot_errors(fits, options.repeats)
    overall = over_problems(rows)
    write_table(rows, "ablation_pilots_problems", options)
    write_table(overall, "ablation_pilots", options)
    if options.pictures:
        write_picture(draw(overall), "ablation", options)


if __name__ == "__main__":
    main()

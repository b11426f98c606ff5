"""Sections 4.1 and 4.2 of the 2017 paper: lemma 4.1, the maximum, theorem 4.1, and D.

Lemma 4.1 says that U is uniform given X = x for Y ~ pi and X ~ F_Y; its proof takes Y and x
independent. Both are drawn here. Theorem 4.1 is compared with counted accuracies. The paper finds
that D appears to be convex: the second differences of D are computed for problems of this package,
and a counter-example is made. There, each class is with a small probability a hub: its score is so
much higher than those of other classes that it wins against any of them, right or wrong. Items of
other classes then never beat a hub, and their U piles up below one minus the share of hubs.

Writes theory_uniform.csv, theory_accuracy.csv, theory_convex.csv, theory_hubs.csv and
theory_hubs_pilots.csv. About 20 seconds on one core.
"""

import numpy as np
from estimates import CORRELATION, fitted, predictions, read_options, rmse, toy, write_table
from moment_fits import GEOMETRIC, fit, non_negative, package_fit, step_moments
from scipy import stats

from sklearn_spe import average_accuracy_curve
from sklearn_spe.extrapolation import GaussianClasses, Moment
from sklearn_spe.extrapolation.methods._score_methods import Blend

POINTS = (0.0, 1.0, 2.0)
N_DRAWS = 100_000
N_PROBLEMS = 2000
COUNTS = (2, 10, 50)
TASKS = {
    **{f"bivariate, rho {rho}": toy(rho) for rho in (0.3, 0.5, 0.7, 0.9, 0.99)},
    **{f"Gaussian, noise {noise}": GaussianClasses(noise=noise) for noise in (0.3, 0.5, 0.8, 1.5)},
    "Gaussian, 5 training points": GaussianClasses(noise=0.8, n_train=5),
}
# Second differences below this are more than the error of D, 1e-7.
STEP, NOTABLE = 0.01, -1e-6
SHARES = (0.02, 0.1)
HUB_TASK = GaussianClasses(noise=0.3)
SIZE, N_TEST, RATIOS = 50, 5, np.array([2, 5, 10])
# Beyond any difference of scores that is drawn.
BONUS = 200.0
N_REPEATS = 60
SEED = 4


def uniform_given_x():
    """Return the KS distance of U from uniform, given x, for Y from pi and from its posterior."""
    rng = np.random.default_rng(SEED)
    rows = []
    for x in POINTS:
        independent = rng.standard_normal(N_DRAWS)
        posterior = CORRELATION * x + np.sqrt(1.0 - CORRELATION**2) * rng.standard_normal(N_DRAWS)
        for name, labels in (("pi", independent), ("p(y | x)", posterior)):
            values = toy().conditional_accuracy(x, labels)
            rows.append({"x": x, "Y from": name, "of": "U"} | _distance(values, "uniform", ()))
        for k in (3, 20):
            others = rng.standard_normal((N_DRAWS // 10, k - 1))
            best = toy().conditional_accuracy(x, others).max(axis=1)
            row = {"x": x, "Y from": "pi", "of": f"maximum of {k - 1}"}
            rows.append(row | _distance(best, "beta", (k - 1, 1)))
    return rows


def _distance(values, distribution, parameters):
    found = stats.kstest(values, distribution, args=parameters)
    return {"mean": values.mean(), "KS distance": found.statistic, "p": found.pvalue}


def counted_accuracies():
    """Return the mean accuracy of drawn problems beside that of theorem 4.1."""
    rows = []
    for number, (name, task) in enumerate(TASKS.items()):
        for k in COUNTS:
            rng = np.random.default_rng([SEED, number, k])
            found = np.empty(N_PROBLEMS)
            for i in range(N_PROBLEMS):
                scores, labels = task.draw(k, 1, rng)
                found[i] = (scores.argmax(axis=1) == labels).mean()
            exact, error = task.accuracy(k), found.std(ddof=1) / np.sqrt(N_PROBLEMS)
            row = {"problem": name, "k": k, "counted": found.mean(), "theorem 4.1": exact}
            rows.append(row | {"z": (found.mean() - exact) / error})
    return rows


def second_differences():
    """Return the least second difference of D for each problem, over the square of the step."""
    u = np.arange(0.0, 1.0 + STEP / 2.0, STEP).clip(max=1.0)
    curves = {name: task.distribution(u) for name, task in TASKS.items()}
    curves |= {f"hubs, share {q}": hub_distribution(u, q) for q in SHARES}
    rows = []
    for name, values in curves.items():
        bends = np.diff(values, 2)
        row = {
            "problem": name,
            "least second difference": bends.min(),
            "at u": u[bends.argmin() + 1],
        }
        rows.append(row | {"convex": "no" if bends.min() < NOTABLE else "yes"})
    return rows


def hub_distribution(u, share):
    """Return D if each class is a hub with probability `share`."""
    ordinary = HUB_TASK.distribution(np.clip(u / (1.0 - share), 0.0, 1.0))
    hubs = HUB_TASK.distribution(np.clip((u - (1.0 - share)) / share, 0.0, 1.0))
    # A hub wins against all that is no hub, so that its U is never less than their share.
    hubs = np.where(u < 1.0 - share, 0.0, hubs)
    return (1.0 - share) * ordinary + share * hubs


def hub_accuracy(counts, share):
    """Return the average accuracy if each class is a hub with probability `share`.

    An ordinary item is right only if there is no hub, and then as ever; an item of a hub must
    win against the other hubs, of which there is a binomial number.
    """
    accuracies = np.empty(len(counts))
    for i, k in enumerate(counts):
        others = np.arange(k)
        weights = stats.binom.pmf(others, k - 1, share)
        likely = weights > 1e-15
        hubs = weights[likely] @ HUB_TASK.accuracy(others[likely] + 1)
        accuracies[i] = (1.0 - share) ** k * HUB_TASK.accuracy(k) + share * hubs
    return accuracies


def from_exact_curves(shares=SHARES):
    """Return the errors of predictions from the exact curve of problems with hubs."""
    fits = {
        "splines (convex), D(1) <= 1": package_fit(Moment()),
        "steps (monotone), D(1) <= 1": fit(step_moments, GEOMETRIC, non_negative, True),
        "default, of ranks only": package_fit(Blend()),
    }
    rows = []
    for share in shares:
        curve = hub_accuracy(np.arange(1, SIZE + 1), share)
        truth = hub_accuracy(RATIOS * SIZE, share)
        row = {"share": share, "estimate": "truth", f"{SIZE} classes": curve[-1]}
        rows.append(row | dict(zip([f"{r}x" for r in RATIOS], truth, strict=True)))
        for name, predict in fits.items():
            found = predict(curve, RATIOS * SIZE)
            known = predict(curve, np.array([SIZE]))[0]
            row = {"share": share, "estimate": name, f"{SIZE} classes": known}
            rows.append(row | dict(zip([f"{r}x" for r in RATIOS], found, strict=True)))
    return rows


def from_pilots(n_repeats):
    """Return the errors of predictions from pilots of problems with hubs.

    "ok": how often the verdict on the default's fit is that nothing is wrong.
    """
    rows = []
    for share in SHARES:
        truth = hub_accuracy(RATIOS * SIZE, share)
        found, n_ok = {}, 0
        for repeat in range(n_repeats):
            scores, labels = hub_pilot(share, np.random.default_rng([SEED, repeat]))
            curves = predictions(scores, labels, RATIOS * SIZE, repeat)
            steps = fit(step_moments, GEOMETRIC, non_negative, True)
            curves["steps"] = steps(
                average_accuracy_curve(labels, scores, average="micro"), RATIOS * SIZE
            )
            for name, values in curves.items():
                found.setdefault(name, []).append(values)
            n_ok += fitted("auto", scores, labels, seed=repeat).verdict_ == "ok"
        for name, values in found.items():
            row = {"share": share, "method": name}
            row |= {f"{r}x": e for r, e in zip(RATIOS, rmse(values, truth), strict=True)}
            rows.append(row | {"ok": f"{n_ok / n_repeats:.0%}" if name == "default" else ""})
    return rows


def hub_pilot(share, rng):
    """Return the scores and labels of a pilot in which some classes are hubs."""
    scores, labels = HUB_TASK.draw(SIZE, N_TEST, rng)
    return scores + BONUS * (rng.random(SIZE) < share), labels


def main():
    """Write the tables."""
    options = read_options(__doc__, repeats=N_REPEATS)
    write_table(uniform_given_x(), "theory_uniform", options, form=".4f")
    if not options.quick:
        write_table(counted_accuracies(), "theory_accuracy", options, form=".4f")
    write_table(second_differences(), "theory_convex", options, form=".2g")
    write_table(from_exact_curves(), "theory_hubs", options)
    write_table(from_pilots(options.repeats), "theory_hubs_pilots", options)


if __name__ == "__main__":
    main()

"""Cheap cells of the replication of ten labels."""

from functools import cache

import numpy as np

from tests.examples.tables import REPLICATIONS, Form, printed_rows, script

FOLDER = REPLICATIONS / "spe_2013"
SKIPPED = {
    "figure_5_calibration": "every cell counts 160 fits of a method",
}
# Quantiles of a thousand weighted draws around a maximum that an optimiser finds: another processor
# may find it in other last digits, and a few of the draws then change places.
FITS = Form(chance=2e-3)
OF_FITS = ("figure_2_curve", "figure_2_sets", "figure_2_tails", "figure_2_thresholds", "figure_5")
FORMS = dict.fromkeys(OF_FITS, FITS)
# A threshold is a score, and may be the next one.
FORMS["figure_5_goals"] = Form(chance=6e-3)


@cache
def example():
    """Return the script of figure 2, and the fit of its example."""
    figure = script(FOLDER, "figure_2")
    scores, labels, _, estimator, _ = figure.ten_labels(figure.EXAMPLE)
    return figure, scores, labels, estimator


def without(rows, column):
    """Return rows without what jumps if a number is next to another one."""
    return [{key: value for key, value in row.items() if key != column} for row in rows]


def figure_2_curve():
    """All of it: one fit."""
    figure, *fit = example()
    return without(figure.curve_table(*fit), "inside"), ("recall",)


def figure_2_thresholds():
    """All of it: the same fit."""
    figure, *fit = example()
    return figure.threshold_table(*fit), ("threshold",)


def figure_2_tails():
    """The first of its three cases: the same fit."""
    figure, scores, labels, estimator = example()
    case = f"{figure.EXAMPLE}, 10 labels"
    return figure.compare_targets(case, estimator, scores, labels), ("case", "recall")


def figure_2_sets():
    """One set of 32: the same fit."""
    figure, *_ = example()
    return without([figure.row_of_set(figure.EXAMPLE)], "band_holds"), ("set",)


def figure_3e():
    """One set: what the labelled items say, which nothing is fitted to."""
    figure = script(FOLDER, "figure_3")
    name = figure.SETS[8]
    rnd = figure.run_trials(name, ("rnd",), 20, 10)["rnd"]
    scores, labels = figure.load(name)
    error = rnd["error"][np.isfinite(rnd["error"])]
    row = {"set": name, "positives": int(labels.sum())}
    row |= {"true_ap": figure.average_precision(labels, scores), "rnd": error.mean()}
    return [row | {"rnd_undefined": 10 - len(error)}], ("set",)


def figure_3ac():
    """The labelled items alone."""
    figure = script(FOLDER, "figure_3")
    rows = []
    for n_labels in figure.N_LABELS[:3]:
        error = figure.run_trials(figure.EXAMPLES[0], ("rnd",), n_labels, 20)["rnd"]["error"]
        error = error[np.isfinite(error)]
        row = {"set": figure.EXAMPLES[0], "labels": n_labels, "method": "RND"}
        row |= dict(
            zip(("q05", "median", "q95"), np.quantile(error, [0.05, 0.5, 0.95]), strict=True)
        )
        rows.append(row | {"undefined": 20 - len(error)})
    return rows, ("set", "labels", "method")


def figure_3_claims():
    """What is said of the labelled items of all sets."""
    figure = script(FOLDER, "figure_3")
    found = [figure.run_trials(name, ("rnd",), 20, 10)["rnd"] for name in figure.SETS]
    error = np.concatenate([trials["error"] for trials in found])
    curves = np.concatenate([trials["curve"] for trials in found])[np.isfinite(error)]
    values = {
        "trials": len(error),
        "RND not defined (share of trials)": np.isnan(error).mean(),
        "median error of RND where defined": np.nanmedian(error),
        "RND says perfect (share of trials where defined)": np.mean(curves.min(axis=1) == 1.0),
    }
    return [{"claim": c, "diagonal": v, "adaptive": v} for c, v in values.items()], ("claim",)


def figure_4g():
    """One class of one set: eight families climb."""
    figure = script(FOLDER, "figure_4")
    name, label = figure.SETS[1], 1
    scores, labels = figure.load(name)
    rng = np.random.default_rng([0, figure.SETS.index(name), label])
    found = figure.rank_families(figure.unit_scores(scores)[labels == label], rng)
    return figure.best_three(figure.ranked({(name, label): found})), ("case",)


def figure_4g_counts():
    """All but one column: counted in the other table."""
    printed = printed_rows("spe_2013/figure_4g")
    places = ("1st", "2nd", "3rd")
    return [
        {
            "family": family,
            "first": sum(row["1st"] == family for row in printed),
            "top three": sum(family in [row[p] for p in places] for row in printed),
            "cases": len(printed),
        }
        for family in script(FOLDER, "figure_4").EIGHT
    ], ("family",)


def figure_4g_claims():
    """The first split: counted in the other table."""
    top = [{row[p] for p in ("1st", "2nd", "3rd")} for row in printed_rows("spe_2013/figure_4g")]
    row = {"case": "first split", "cases": len(top)}
    row |= {name: sum(name in best for best in top) for name in ("truncnorm", "gamma")}
    return [row | {"one of both": sum(bool(b & {"truncnorm", "gamma"}) for b in top)}], ("case",)


def figure_5():
    """All of it: one fit."""
    figure = script(FOLDER, "figure_5")
    scores, labels, _, estimator = figure.example_fit("diagonal")
    return figure.curve_table(scores, labels, estimator), ("rank",)


def figure_5_goals():
    """What the labelled items choose, and the default for a goal that is met with certainty."""
    figure = script(FOLDER, "figure_5")
    scores, labels, known, estimator = figure.example_fit("default")
    rows = figure.goals_table(scores, labels, known, {"default": estimator})
    easy = figure.shown(figure.GOALS[0])
    return [r for r in rows if r["method"] == "RND" or r["goal"] == easy], ("goal", "method")


def figure_5_claims():
    """What the labelled items of all sets guarantee."""
    figure = script(FOLDER, "figure_5")
    rows = [
        row
        for name in figure.SETS
        for seed in range(5)
        for row in figure.trial(name, seed, ("RND",))[0]
    ]
    shown = {goal: figure.shown(goal) for goal in figure.GOALS}
    table = [
        figure.claim([row for row in rows if row["goal"] == goal], method="RND", goal=text)
        for goal, text in shown.items()
    ]
    return [*table, figure.claim(rows, method="RND", goal="all")], ("method", "goal")

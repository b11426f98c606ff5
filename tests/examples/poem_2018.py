"""Cheap cells of the replication of missed events."""

import numpy as np

from tests.examples.tables import REPLICATIONS, Form, printed_rows, script

FOLDER = REPLICATIONS / "poem_2018"
FORM = Form(significant=3)
FORMS = {
    # A difference of two numbers that are rounded to three digits below one.
    "figure_4_width": Form(significant=3, chance=1e-3),
    # Where a climb ends on a flat ridge hangs on last digits: another way to stop moved this far.
    "wishes_foregrounds": Form(significant=3, chance=5e-3),
}
NOT_HERE = "the Numenta streams are not part of the repository"
SKIPPED = {
    "figure_5": NOT_HERE,
    "figure_5_curve": NOT_HERE,
    "figure_2_heights": "every cell needs a hundred climbs of 2,000 steps",
    "figure_3": "every cell needs 25 trials of three fits",
    "intervals": "every cell needs forty fits",
    "wishes_map": "every cell needs two hundred fits",
    "wishes_map_line": "every cell needs two hundred fits",
}


def figure_1_balance():
    """Closed forms."""
    figure = script(FOLDER, "figure_1")
    balance = figure.BALANCES[4]
    information = figure.information("random", balance, figure.LABEL_RATE)
    return [{"design": "random", "balance": balance} | information], ("design", "balance")


def figure_1_labels():
    """Closed forms."""
    figure = script(FOLDER, "figure_1")
    rate = figure.RATES[2]
    row = {"design": "half positive", "label_rate": rate}
    return [row | figure.information("half positive", figure.BALANCE, rate)], tuple(row)


def figure_1_items():
    """Closed forms."""
    figure = script(FOLDER, "figure_1")
    found = figure.of_item("n_positive", 0.01, figure.FAR)
    row = {"mu1": figure.FAR[0], "balance": 0.01, "item": "positive"}
    return [row | {f"I({name})": value for name, value in found.items()}], tuple(row)


def figure_1_cross():
    """Closed forms."""
    figure = script(FOLDER, "figure_1")
    balance = figure.BALANCES[2]
    return [{"balance": balance} | figure.cross_terms(balance)], ("balance",)


def figure_2_iterations():
    """The start of the second path: the share of positives among all, and their moments."""
    figure = script(FOLDER, "figure_2")
    starts = []
    for seed in range(figure.TRIALS):
        rng = np.random.default_rng([1, seed])
        scores, labels = figure.truth_of(figure.BALANCES[1]).draw(rng, figure.N_ITEMS)
        known = figure.label_by("tail", scores, labels, figure.N_LABELS, rng)
        positive = known == 1
        starts.append([positive.mean(), scores[~positive].mean(), scores[positive].mean()])
    row = {"balance": figure.BALANCES[1], "start": figure.REST, "iteration": 0}
    means = dict(zip(("beta", "mu0", "mu1"), np.mean(starts, axis=0), strict=True))
    return [row | means], tuple(row)


def figure_2_final():
    """The ends of the paths are the last iterations of the other table."""
    printed = printed_rows("poem_2018/figure_2_iterations")
    rows = [row for row in printed if row["iteration"] == "2000"]
    return [
        {
            "balance": row["balance"],
            "start": row["start"],
            "parameter": name,
            "mean": row[name],
            "p5": row[f"{name}_p5"],
            "p95": row[f"{name}_p95"],
        }
        for row in rows
        for name in ("beta", "mu0", "var0", "mu1", "var1")
    ], ("balance", "start", "parameter")


def drawn(truth, rate, n_trials):
    """Return what the labels in the tail are in the mean of trials, to which nothing is fitted.

    Estimates need all trials, of three fits each; random labels are as their strategy drew them
    when the tables were made.
    """
    simulations = script(FOLDER, "simulations")
    n_positive = []
    for seed in range(n_trials):
        rng = np.random.default_rng([4, seed])
        scores, labels = truth.draw(rng)
        n_labels = round(rate * simulations.N_ITEMS)
        known = simulations.label_by("tail", scores, labels, n_labels, rng)
        n_positive.append(np.count_nonzero(known == 1))
    return {
        "background": truth.background,
        "design": "tail",
        "fall": -truth.slope(truth.threshold(simulations.DEFAULT_RECALL)),
        "labelled_positives": float(np.mean(n_positive)),
        "none_labelled": float(np.mean(np.equal(n_positive, 0))),
    }


def figure_4_balance():
    """The true slope, and labels of the tail."""
    figure, simulations = script(FOLDER, "figures_3_4"), script(FOLDER, "simulations")
    truth = simulations.Truth("norm", figure.BALANCES[0])
    row = {"balance": truth.balance} | drawn(truth, simulations.DEFAULT_RATE, 25)
    return [row], ("background", "balance", "design")


def figure_4_threshold():
    """The same, of the default setting."""
    simulations = script(FOLDER, "simulations")
    truth, recall = simulations.Truth("lognorm"), simulations.DEFAULT_RECALL
    row = {"recall": recall} | drawn(truth, simulations.DEFAULT_RATE, 60)
    return [row], ("background", "recall", "design")


def figure_4_rate():
    """The same, of another rate."""
    figure, simulations = script(FOLDER, "figures_3_4"), script(FOLDER, "simulations")
    rate = figure.RATES[0]
    row = {"rate": rate} | drawn(simulations.Truth("norm"), rate, 25)
    return [row], ("background", "rate", "design")


def figure_4_width():
    """Differences of what the other tables of the figure print, to their digits."""
    rows = []
    for row in printed_rows("poem_2018/figure_4_rate"):
        low, high = (float(row[f"recall_{end}"]) for end in ("p5", "p95"))
        place = {"axis": "rate", "background": row["background"], "value": float(row["rate"])}
        rows.append(place | {f"recall_{row['design']}": high - low})
    return rows, ("axis", "background", "value")


def kept_figures_3_4():
    """Labels of the tail in the first trial, where trials are kept: no fit."""
    figure, simulations = script(FOLDER, "figures_3_4"), script(FOLDER, "simulations")
    (task, *_) = figure.tasks_of({("norm", simulations.DEFAULT_BALANCE, 1.0 / 32.0): 1})
    labels = drawn(simulations.Truth("norm"), simulations.DEFAULT_RATE, 1)["labelled_positives"]
    row = task.key | {"method": "tail", "positives": int(labels)}
    return [row], (*task.key, "method")


def wishes_foregrounds():
    """Twenty climbs."""
    figure = script(FOLDER, "wishes")
    name, truth = next(iter(figure.TRUTHS.items()))
    threshold, found = truth.threshold(figure.DEFAULT_RECALL), []
    for seed in range(figure.TRIALS):
        rng = np.random.default_rng([7, seed])
        scores, labels = truth.draw(rng)
        n_labels = round(figure.DEFAULT_RATE * figure.N_ITEMS)
        known = figure.label_by("tail", scores, labels, n_labels, rng)
        found.append(figure.inferred(figure.fit(scores, known)).recall(threshold))
    row = {"truth": name, "fitted": "norm"} | figure.percentiles(np.array(found), "recall")
    error = np.sqrt(np.mean((np.array(found) - figure.DEFAULT_RECALL) ** 2))
    return [row | {"recall_rmse": error}], ("truth", "fitted")

"""What many fits of calibrators say."""

from collections import defaultdict

import numpy as np
from text_tables import as_text, by_set, grouped, standard_error, titled_table, weighted_mean

OURS, REFERENCE = "sklearn_spe", "uncalibrated"
# Kinds of scores that can be taken as probabilities, and those that are expected to be nearly so.
WITH_REFERENCE = ("probability", "log-odds", "vote fraction")
# More than this above the uncalibrated Brier score is harm.
HARM = 0.01
NAMES = {
    OURS: "this package",
    "scores_alone": "this package, scores alone",
    "sigmoid": "sigmoid (scikit-learn)",
    "isotonic": "isotonic (scikit-learn)",
    "temperature": "temperature (scikit-learn)",
    "beta": "beta (betacal)",
    "venn_abers": "Venn-Abers (venn-abers)",
    "prevalence": "labeled prevalence for all",
}


def by_labels(rows, methods):
    """Return the table of losses for each number of labels and method.

    The last columns hold the standard error of the Brier score, the weighted share of sets on
    which this package's is smaller, and the share of fits that failed.
    """
    groups = grouped(rows, "n_labels", "method")
    body = []
    for n in sorted({n for n, _ in groups}, key=int):
        for m in methods:
            fits = groups.get((n, m), [])
            if fits:
                body.append(
                    [
                        n,
                        m,
                        f"{weighted_mean(fits, 'brier'):.4f}",
                        f"{weighted_mean(fits, 'log_loss'):.3f}",
                        f"{standard_error(fits, 'brier'):.4f}",
                        f"{ours_smaller(groups.get((n, OURS), []), fits):.2f}",
                        f"{np.mean([bool(row['failure']) for row in fits]):.2f}",
                        f"{np.mean([float(row['seconds']) for row in fits]):.2f}",
                    ]
                )
    heading = ["labels", "method", "Brier", "log loss", "s.e. Brier", "ours smaller"]
    return [*heading, "failed", "seconds"], body


def ours_smaller(ours, theirs):
    """Return the weighted share of sets on which our mean Brier score is the smaller one."""
    ours, theirs = by_set(ours, "brier"), by_set(theirs, "brier")
    rows = [{"set": name, "won": ours[name] < theirs[name]} for name in theirs if name in ours]
    return weighted_mean(rows, "won") if rows else np.nan


def by_data_set(rows, methods):
    """Return the table of Brier scores by data set and method, over all numbers of labels."""
    groups = grouped(rows, "data_set", "method")
    names = dict.fromkeys(name for name, _ in groups)
    body = [
        [name, *(f"{weighted_mean(groups.get((name, m), []), 'brier'):.4f}" for m in methods)]
        for name in names
    ]
    return ["data set", *methods], body


def harm(rows):
    """Return how much worse than uncalibrated scores we are on each set, the worst set first.

    After the mean differences comes the standard error of the largest, from draws of labels.
    """
    pairs = grouped(rows, "set", "n_labels", "repeat")
    differences = defaultdict(lambda: defaultdict(list))
    for (name, n, _), fits in pairs.items():
        brier = {row["method"]: float(row["brier"]) for row in fits}
        if OURS in brier and REFERENCE in brier:
            differences[name][n].append(brier[OURS] - brier[REFERENCE])
    means = {
        name: {n: np.mean(found) for n, found in by_n.items()} for name, by_n in differences.items()
    }
    labels = sorted({row["n_labels"] for row in rows}, key=int)
    kinds = {row["set"]: row["kind"] for row in rows}
    body = []
    for name in sorted(means, key=lambda name: -max(means[name].values())):
        cells = [f"{means[name].get(n, np.nan):+.4f}" for n in labels]
        worst = differences[name][max(means[name], key=means[name].get)]
        error = np.std(worst, ddof=1) / np.sqrt(len(worst)) if len(worst) > 1 else np.nan
        body.append([name, kinds[name], *cells, f"{error:.4f}"])
    values = [value for found in means.values() for value in found.values()]
    above = sum(value > HARM for value in values)
    verdict = (
        f"{above} of {len(values)} differences are above {HARM:+.2f}; the largest is "
        f"{max(values, default=np.nan):+.4f}.\n"
    )
    return [["set", "kind", *labels, "s.e. of largest"], body], verdict


def report(rows, methods, rst=False):
    """Return all tables."""
    present = {row["method"] for row in rows}
    methods = [m for m in methods if m in present]
    everywhere = [m for m in methods if m != REFERENCE]
    parts = [as_text("All sets: means over data sets", by_labels(rows, everywhere), rst)]
    for kind in WITH_REFERENCE:
        found = [row for row in rows if row["kind"] == kind]
        if found:
            n_sets = len({row["set"] for row in found})
            title = f"Scores that are a {kind} ({n_sets} sets)"
            parts.append(as_text(title, by_labels(found, methods), rst))
    parts.append(as_text("Brier score by data set", by_data_set(rows, methods), rst))
    if REFERENCE in methods and OURS in methods:
        table, verdict = harm(rows)
        if table[1]:
            title = "Brier score of this package minus that of the uncalibrated scores, by labels"
            parts += [as_text(title, table, rst), verdict]
    failed = [row for row in rows if row["failure"]]
    for (method,), found in grouped(failed, "method").items():
        parts.append(f"{len(found)} fits of {method} failed, the first: {found[0]['failure']}\n")
    return "\n".join(parts)


def main_table(rows, methods):
    """Return the table of the guide."""
    groups = grouped(rows, "n_labels", "method")
    body = [
        [
            n,
            NAMES[m],
            f"{weighted_mean(groups[n, m], 'brier'):.3f}",
            f"{weighted_mean(groups[n, m], 'log_loss'):.2f}",
            f"{np.mean([bool(row['failure']) for row in groups[n, m]]):.2f}",
        ]
        for n in sorted({n for n, _ in groups}, key=int)
        for m in methods
        if m in NAMES and (n, m) in groups
    ]
    n_sets = len({row["set"] for row in rows})
    title = (
        f"Probabilities of unlabeled items of {n_sets} score sets, with equal weights of data sets"
    )
    heading = ["labels", "method", "Brier score", "log loss", "failed"]
    return titled_table(title, heading, body, widths=[10, 40, 16, 16, 16])

"""Tables of many fits: means over repeats and sets, weighted by data set."""

import numpy as np
from text_tables import as_text, grouped, standard_error, titled_table, weighted_mean

# What a table by number of labels shows: measure, heading, digits.
SHOWN = (
    ("area", "area", 3),
    ("ap_error", "AP error", 3),
    ("covered", "coverage", 2),
    ("width", "width", 2),
    ("winkler", "Winkler", 2),
    ("confidently_wrong", "conf. wrong", 2),
    ("band_covered", "band cov.", 2),
    ("prevalence_covered", "prev. cov.", 2),
    ("seconds", "seconds", 2),
)
# What the guide shows of these: heading, and the methods by their names there.
GUIDE = (
    ("ap_error", "AP error", 3),
    ("covered", "90% coverage", 2),
    ("width", "width", 2),
    ("winkler", "interval score", 2),
    ("confidently_wrong", "confidently wrong", 2),
)
NAMES = {
    "default": "default",
    "labels_only": "labels only (Bayesian bootstrap)",
    "logistic": "Bayesian logistic calibrator",
    "two_normal_em": "EM of two normals",
    "ssme_kde": "EM of two kernel densities",
    "spe_2013": "mixture of 2013, as published",
}


def main_table(rows, methods):
    """Return the one table of the guide."""
    fits = [row for row in rows if not row["failure"]]
    groups = grouped(fits, "n_labels", "method")
    body = [
        [n, name, *(f"{weighted_mean(groups[n, m], key):.{digits}f}" for key, _, digits in GUIDE)]
        for n in sorted({n for n, _ in groups}, key=int)
        for m, name in NAMES.items()
        if (n, m) in groups
    ]
    n_sets = len({row["set"] for row in fits})
    title = f"Average precision of {n_sets} public score sets, with equal weights of data sets"
    heading = ["labels", "method", *(name for _, name, _ in GUIDE)]
    return titled_table(title, heading, body, [10, 34, 12, 12, 10, 12, 12])


def by_labels(rows, methods):
    """Return the table of all measures for each number of labels and method.

    The last column is the standard error of the Winkler score.
    """
    groups = grouped(rows, "n_labels", "method")
    body = []
    for n in sorted({n for n, _ in groups}, key=int):
        for m in methods:
            if (n, m) in groups:
                fits = groups[n, m]
                means = [f"{weighted_mean(fits, name):.{digits}f}" for name, _, digits in SHOWN]
                body.append([n, m, *means, f"{standard_error(fits, 'winkler'):.2f}"])
    return ["labels", "method", *(heading for _, heading, _ in SHOWN), "s.e. Winkler"], body


def by_group(rows, methods, key):
    """Return the table of coverage and Winkler score by a column, over all numbers of labels.

    The group that the last method covers worst comes first.
    """
    groups = grouped(rows, key, "method")
    last = [m for m in methods if any(method == m for _, method in groups)][-1]
    names = dict.fromkeys(name for name, _ in groups)
    cells = {
        at: (weighted_mean(found, "covered"), weighted_mean(found, "winkler"), len(found))
        for at, found in groups.items()
    }
    nothing = (np.nan, np.nan, 0)
    order = sorted(names, key=lambda name: cells.get((name, last), nothing)[0])
    body = [
        [
            name,
            max(cells.get((name, m), nothing)[2] for m in methods),
            *("{:.2f} / {:.2f}".format(*cells.get((name, m), nothing)) for m in methods),
        ]
        for name in order
    ]
    return [key.replace("_", " "), "fits", *methods], body


def report(rows, methods, rst=False):
    """Return all tables of some fits; those that failed are counted and left out."""
    fits = [row for row in rows if not row["failure"]]
    failed = [row for row in rows if row["failure"]]
    present = {row["method"] for row in fits}
    methods = [m for m in methods if m in present]
    parts = []
    if fits:
        pooled = "coverage / Winkler score of the 90% interval of average precision"
        parts = [
            as_text("Weighted means over data sets", by_labels(fits, methods), rst),
            as_text(f"By data set: {pooled}", by_group(fits, methods, "data_set"), rst),
            as_text(f"By kind of scores: {pooled}", by_group(fits, methods, "kind"), rst),
        ]
    for (method,), found in grouped(failed, "method").items():
        parts.append(f"{len(found)} fits of {method} failed, the first: {found[0]['failure']}\n")
    return "\n".join(parts)

"""What many guarantees amount to."""

import numpy as np
from text_tables import as_text, grouped, titled_table, weighted_mean

# Sets whose best threshold in hindsight passes fewer items are not worth a guarantee.
FEWEST_PASSING = 10
# The share of broken guarantees that the guarantee itself allows.
ALLOWED = 0.1
# How many of the worst sets are shown.
N_WORST = 15
NAMES = {
    "sklearn_spe": "this package",
    "scores_alone": "this package, scores alone",
    "mapie_holm": "MAPIE, Bonferroni-Holm",
    "mapie_fixed": "MAPIE, fixed sequence",
    "naive": "labeled precision",
    "sigmoid": "sigmoid (scikit-learn)",
    "wilson": "labels, Wilson bound",
}


def enriched(rows):
    """Return rows with the columns that tables average."""
    return [
        {
            **row,
            "returned": int(row["returned"]),
            "broken": int(row["broken"] or 0),
            "selected_broken": int(row["selected_broken"] or 0),
            "worthwhile": int(row["best_size"]) >= FEWEST_PASSING,
            "reached": reached(row),
            "kept_reached": 0.0 if row["selected_broken"] == "1" else reached(row),
        }
        for row in rows
    ]


def reached(row):
    """Return the recall of a selection as a share of the best rule's; 0 without a threshold."""
    best = float(row["best_recall"])
    return min(float(row["selected_recall"] or 0.0) / best, 1.0) if best > 0.0 else 0.0


def summary(fits):
    """Return the numbers of one group of fits."""
    worthwhile = [row for row in fits if row["worthwhile"]]
    returned = [row for row in fits if row["returned"]]
    n_broken = sum(row["selected_broken"] for row in returned)
    return {
        "n_returned": len(returned),
        "n_broken": n_broken,
        "n_rules_broken": sum(row["broken"] for row in returned),
        "returned": weighted_mean(fits, "returned"),
        "returned_worthwhile": weighted_mean(worthwhile, "returned"),
        "broken_pooled": n_broken / len(returned) if returned else np.nan,
        "broken": weighted_mean(returned, "selected_broken"),
        "rule_broken": weighted_mean(returned, "broken"),
        "reached": weighted_mean(worthwhile, "reached"),
        "reached_returned": weighted_mean([r for r in worthwhile if r["returned"]], "reached"),
        "kept_reached": weighted_mean(worthwhile, "kept_reached"),
    }


def by_labels(rows, methods):
    """Return the main table."""
    groups = grouped(rows, "n_labels", "method")
    body = []
    for n in sorted({n for n, _ in groups}, key=int):
        for m in methods:
            if (n, m) in groups:
                fits = groups[n, m]
                found = summary(fits)
                body.append(
                    [
                        n,
                        m,
                        len(fits),
                        f"{found['returned']:.3f}",
                        f"{found['returned_worthwhile']:.3f}",
                        f"{found['n_broken']}/{found['n_returned']}",
                        f"{found['broken_pooled']:.3f}",
                        f"{found['broken']:.3f}",
                        f"{found['n_rules_broken']}/{found['n_returned']}",
                        f"{found['rule_broken']:.3f}",
                        f"{found['reached']:.3f}",
                        f"{found['reached_returned']:.3f}",
                        f"{found['kept_reached']:.3f}",
                        sum(bool(row["failure"]) for row in fits),
                        f"{np.mean([float(row['seconds']) for row in fits]):.2f}",
                    ]
                )
    heading = ["labels", "method", "cases", "named", "named*", "broken", "pooled", "weighted"]
    heading += ["as a rule", "weighted"]
    return [*heading, "recall*", "if named*", "if kept*", "failed", "seconds"], body


def by_group(rows, methods, key):
    """Return broken and named guarantees by a column, most broken by the first method first.

    What counts is how many more are broken than may be.
    """
    groups = grouped([row for row in rows if row["returned"]], key, "method")
    counts = {
        at: (sum(row["selected_broken"] for row in fits), len(fits)) for at, fits in groups.items()
    }
    excess = {
        name: n_broken - ALLOWED * n
        for (name, m), (n_broken, n) in counts.items()
        if m == methods[0] and n_broken
    }
    order = sorted(excess, key=lambda name: -excess[name])[:N_WORST]
    body = [
        [name, *("{}/{}".format(*counts.get((name, m), (0, 0))) for m in methods)] for name in order
    ]
    return [key.replace("_", " "), *methods], body


def report(rows, methods, rst=False):
    """Return all tables."""
    rows = enriched(rows)
    present = {row["method"] for row in rows}
    methods = [m for m in methods if m in present]
    n_worthwhile = sum(row["worthwhile"] for row in rows)
    parts = [
        as_text(
            "All sets (* where the best threshold in hindsight passes at least "
            f"{FEWEST_PASSING} items)",
            by_labels(rows, methods),
            rst,
        ),
        "named: share of cases with a threshold; broken: guarantees broken of those made, by the "
        "selection (known\npositives, and unlabeled items that reach the threshold), pooled over "
        "cases and weighted by data set; as a\nrule: by all items that reach the threshold; "
        "recall: share of the best recall in hindsight that is reached,\nat most 1, 0 without a "
        f"threshold; if kept: broken guarantees count as 0, too. {n_worthwhile} of {len(rows)} "
        "fits\ncount for the columns with a star.\n",
    ]
    for n, found in grouped(rows, "n_labels").items():
        for key in ("data_set", "set", "kind"):
            table = by_group(found, methods, key)
            if table[1]:
                title = f"Broken/made with {n[0]} labels, worst {table[0][0]} of {methods[0]} first"
                parts.append(as_text(title, table, rst))
    failed = [row for row in rows if row["failure"]]
    for (method,), found in grouped(failed, "method").items():
        parts.append(f"{len(found)} fits of {method} failed, the first: {found[0]['failure']}\n")
    return "\n".join(parts)


def main_table(rows, methods):
    """Return the table of the guide."""
    groups = grouped(enriched(rows), "n_labels", "method")
    body = []
    for n in sorted({n for n, _ in groups}, key=int):
        for m in methods:
            if (n, m) in groups:
                found = summary(groups[n, m])
                shown = ("returned_worthwhile", "broken", "rule_broken", "kept_reached")
                share = f"{found['n_broken']} / {found['n_rules_broken']} of {found['n_returned']}"
                cells = [f"{found[k]:.2f}" if found[k] == found[k] else "--" for k in shown]
                body.append([n, NAMES[m], share, *cells])
    n_sets = len({row["set"] for row in rows})
    title = f"Thresholds for precision 0.9 with probability 0.9, on {n_sets} score sets"
    heading = ["labels", "method", "broken: selection / rule", "named"]
    heading += ["selection (weighted)", "rule (weighted)", "recall, if kept"]
    return titled_table(title, heading, body, widths=[8, 28, 20, 8, 12, 12, 12])

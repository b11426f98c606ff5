"""What many estimates of recall amount to."""

import numpy as np
from text_tables import as_text, grouped, standard_error, titled_table, weighted_mean

OURS = "sklearn_spe"
# Fewer labelled positives than these are few.
FEW = 3
NAMES = {
    OURS: "this package",
    "bare_mixture": "bare mixture, posterior",
    "two_normal_em": "two normals, EM",
    "ks_em": "three backgrounds, KS rule, EM",
    "labels_alone": "labeled items alone",
    "kernel": "kernel regression (ssROC)",
    "sigmoid": "sigmoid (scikit-learn)",
}
SHORT = {
    OURS: "this",
    "bare_mixture": "bare",
    "two_normal_em": "EM",
    "ks_em": "KS",
    "labels_alone": "labels",
    "kernel": "kernel",
    "sigmoid": "sigmoid",
}
# Tails that cannot say what the recall is, whatever is made of them.
TAILS = {
    "all labels positive": lambda row: int(row["n_labeled_negatives"]) == 0,
    f"fewer than {FEW} labels positive": lambda row: int(row["n_labeled_positives"]) < FEW,
    "fewer than half of the positives in the tail": (
        lambda row: 2 * int(row["n_labeled_positives"]) < int(row["n_positives"])
    ),
}


def enriched(rows):
    """Return rows with the columns that tables average."""
    return [
        {
            **row,
            "doubted": int(row["verdict"] not in ("", "ok")),
            "unidentified": int(row["verdict"] == "unidentified"),
            "silent": any(found(row) for found in TAILS.values()),
        }
        for row in rows
    ]


def with_value(rows, measure):
    """Return the rows that have a measure."""
    return [row for row in rows if row[measure] != ""]


def cell(rows, measure, digits=3):
    """Return a mean over the rows that have a measure, a dash if none has."""
    rows = with_value(rows, measure)
    return f"{weighted_mean(rows, measure):.{digits}f}" if rows else "--"


def by_method(rows, methods):
    """Return the main table."""
    groups = grouped(rows, "method")
    body = []
    for m in methods:
        fits = groups[m,]
        answers = with_value(fits, "error")
        judged = with_value(fits, "verdict")
        body.append(
            [
                m,
                len(fits),
                len(answers),
                cell(fits, "error"),
                f"{standard_error(answers, 'error'):.3f}",
                cell(fits, "covered"),
                cell(fits, "width"),
                cell(judged, "doubted"),
                cell(judged, "unidentified"),
                sum(bool(row["failure"]) for row in fits),
                f"{np.mean([float(row['seconds']) for row in fits]):.2f}",
            ]
        )
    heading = ["method", "cases", "answers", "error", "s.e.", "held", "width", "not ok"]
    return [*heading, "unidentified", "failed", "seconds"], body


def by_set(rows, methods, measure, digits=3):
    """Return a measure by set and method, after the positives of a case and those labelled."""
    body = []
    for (name,), found in grouped(rows, "set").items():
        groups = grouped(found, "method")
        cells = [cell(groups.get((m,), []), measure, digits) for m in methods]
        if set(cells) != {"--"}:
            counts = [cell(found, key, 0) for key in ("n_positives", "n_labeled_positives")]
            body.append([name, *counts, *cells])
    return ["set", "positives", "labeled", *methods], body


def by_tail(rows, digits=3):
    """Return the share of verdicts "unidentified", by the positives in the tail."""
    ours = [row for row in rows if row["method"] == OURS and row["verdict"]]
    groups = {name: [row for row in ours if found(row)] for name, found in TAILS.items()}
    groups["none of these"] = [row for row in ours if not row["silent"]]
    body = [
        [
            name,
            len(found),
            sum(row["unidentified"] for row in found),
            *(cell(found, key, digits) for key in ("error", "covered", "width")),
        ]
        for name, found in groups.items()
    ]
    return ["tail", "cases", "unidentified", "error", "held", "width"], body


def by_verdict(rows, methods):
    """Return errors and intervals by the verdict of a method."""
    body = []
    for m in methods:
        judged = [row for row in rows if row["method"] == m and row["verdict"]]
        for (verdict,), found in sorted(grouped(judged, "verdict").items()):
            cells = [cell(found, key) for key in ("error", "covered", "width")]
            body.append([m, verdict, len(found), *cells])
    return ["method", "verdict", "cases", "error", "held", "width"], body


def report(rows, methods, rst=False):
    """Return all tables."""
    rows = enriched(rows)
    present = {row["method"] for row in rows}
    methods = [m for m in methods if m in present]
    parts = []
    for (n,), found in grouped(rows, "n_labels").items():
        at = f"{n} labels"
        parts += [
            as_text(f"Recall where it is one half, {at}", by_method(found, methods), rst),
            "error: mean absolute error; held: 90% intervals that hold the recall; not ok: what a "
            "method says of its own\nanswer. The recall is one half in every case: whoever says so "
            "whatever the labels hardly makes an error.\n",
        ]
        for measure in ("error", "covered", "width", "recall"):
            table = by_set(found, methods, measure)
            parts.append(as_text(f"Mean {measure} by set, {at}", table, rst))
        parts.append(as_text(f"By verdict, {at}", by_verdict(found, methods), rst))
        if OURS in methods:
            title = f"{OURS} by what the tail holds (the first three overlap), {at}"
            parts.append(as_text(title, by_tail(found), rst))
    failed = [row for row in rows if row["failure"]]
    for (method,), found in grouped(failed, "method").items():
        parts.append(f"{len(found)} fits of {method} failed, the first: {found[0]['failure']}\n")
    return "\n".join(parts)


def summary(rows, methods):
    """Return the means of each set and method, empty where a method has no such thing."""
    means = ("n_positives", "n_labeled_positives", "true_recall", "recall", "error")
    judged = ("covered", "width", "doubted", "unidentified")
    groups = grouped(enriched(rows), "set", "method")
    return [
        {
            "set": name,
            "method": m,
            "cases": len(fits),
            "answers": len(with_value(fits, "error")),
            **{key: cell(fits, key, 4).strip("-") for key in means},
            **{key: cell(with_value(fits, "verdict"), key, 4).strip("-") for key in judged},
        }
        for (name, m), fits in groups.items()
        if m in methods
    ]


def main_table(rows, methods):
    """Return the tables of the guide."""
    rows = enriched(rows)
    groups = grouped(rows, "method")
    methods = [m for m in methods if (m,) in groups]
    body = [
        [NAMES[m], *(cell(groups[m,], key, 2) for key in ("error", "covered", "width"))]
        for m in methods
    ]
    n_sets = len({row["set"] for row in rows})
    title = f"Estimates of a recall of one half, largest scores labeled, on {n_sets} score sets"
    heading = ["method", "mean absolute error", "coverage of 90% intervals", "their mean width"]
    tables = [titled_table(title, heading, body, widths=[40, 20, 20, 20])]
    body = [
        [name.replace("_", " "), f"{labelled} of {positives}", *errors]
        for name, positives, labelled, *errors in by_set(rows, methods, "error", 2)[1]
    ]
    heading = ["set", "positives labeled", *(SHORT[m] for m in methods)]
    widths = [22, 14, *(64 // len(methods) for _ in methods)]
    tables.append(titled_table("Mean absolute error of recall by score set", heading, body, widths))
    if OURS in methods:
        title = "This package, by what the labeled tail holds"
        heading, body = by_tail(rows, 2)
        tables.append(titled_table(title, heading, body, widths=[40, 12, 12, 12, 12, 12]))
    return "\n".join(tables)

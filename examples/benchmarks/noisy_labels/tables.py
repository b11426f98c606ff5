"""Parts of the tables of all modes."""

import math

import numpy as np
from text_tables import grouped, standard_error, weighted_mean

# Ways of labelling and of estimating, in words.
CHOICES = {
    "chosen": "the default",
    "argmax": "the default, best gain",
    "estimator_change": "estimator change",
    "confident_mistake": "confident mistakes",
    "random": "at random",
    "estimator_change_counts": "estimator change",
    "random_counts": "at random",
}
MODELS = {"learned": "joint model", "naive": "noisy labels", "verified": "verified ones alone"}
# What others are compared with.
REFERENCE = ("random", "learned")


def choice_of(method, estimator):
    """Return how items are chosen and what estimates, in words."""
    is_counted = estimator == "learned" and method.endswith("_counts")
    return CHOICES[method], "counted rates" if is_counted else MODELS[estimator]


def name_of(method, estimator):
    """Return a short name of a line."""
    return method if estimator == "learned" else f"{method}, {estimator}"


def measured(rows):
    """Return the rows that did not fail."""
    return [row for row in rows if not row["failure"]]


def known(rows, measure):
    """Return the rows that have a measure."""
    return [row for row in rows if row.get(measure, "") != ""]


def cell(rows, measure, digits=3):
    """Return a mean over the rows that have a measure, a dash if none has."""
    rows = known(rows, measure)
    return f"{weighted_mean(rows, measure):.{digits}f}" if rows else "--"


def error_cell(rows, measure, digits=4):
    """Return the standard error of a mean over repeats, a dash if there is one repeat."""
    error = standard_error(known(rows, measure), measure)
    return "--" if np.isnan(error) else f"{error:.{digits}f}"


def against_reference(rows, reference, measure="error"):
    """Return a mean paired difference in standard errors, or a dash.

    Negative if `rows` are better; repeats are paired.
    """
    values, others = (
        {row["repeat"]: float(row[measure]) for row in known(found, measure)}
        for found in (rows, reference)
    )
    off = [values[repeat] - others[repeat] for repeat in values if repeat in others]
    deviation = np.std(off, ddof=1) if len(off) > 1 else 0.0
    # Of the same labels nothing but rounding differs.
    if deviation < 1e-9:
        return "--"
    return f"{np.mean(off) / deviation * math.sqrt(len(off)):+.1f}"


def by_line(rows, lines):
    """Yield the shares in rising order with a dict from lines to their rows."""
    groups = grouped(rows, "share", "method", "estimator")
    for share in sorted({row["share"] for row in rows}, key=float):
        found = {line: groups[(share, *line)] for line in lines if (share, *line) in groups}
        yield share, found


def by_share(rows, lines, shown):
    """Return a table with a line for each budget and way.

    Parameters
    ----------
    rows : list of dict
    lines : sequence of (method, estimator)
    shown : sequence of (measure, heading, digits)
    """
    body = []
    for share, groups in by_line(rows, lines):
        reference = groups.get(REFERENCE, [])
        for line, found in groups.items():
            means = [cell(found, measure, digits) for measure, _, digits in shown]
            first = shown[0][0]
            paired = against_reference(found, reference, first)
            body.append([f"{share}%", name_of(*line), *means, error_cell(found, first), paired])
    headings = [heading for _, heading, _ in shown]
    return ["verified", "method", *headings, "s.e.", "to random"], body


def failures(rows):
    """Return the number of failed rows of each method, and the first failure."""
    failed = grouped([row for row in rows if row["failure"]], "method")
    return "".join(
        f"{len(found)} rows of {m} failed, the first: {found[0]['failure']}\n"
        for (m,), found in failed.items()
    )


def filled(row, columns):
    """Return a row with all columns, in order; NaN is left empty."""
    values = {column: row.get(column, "") for column in columns}
    return {k: "" if isinstance(v, float) and np.isnan(v) else v for k, v in values.items()}

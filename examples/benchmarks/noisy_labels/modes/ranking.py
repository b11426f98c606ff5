"""Which of four systems has the largest mean average precision, of two simulations.

``segmentation``: detections of systems, whose boxes are known and whose masks are verified, object
by object; a budget is a share of the objects that some system claims. ``items``: 3,000 items of ten
categories that all systems score, with noisy labels; what they share is most of their scores. A
batch is 5%.

Misranked is the share of the pairs of systems whose order is wrong. Coverage is that of 90%
intervals of systems and of their differences. What verified items alone say is left out where a
category has none; the share of repeats in which it is known is shown.
"""

import re
from itertools import combinations

import numpy as np
from answers import Estimate
from labellings import ESTIMATORS, counts_of, labelling, selector_for, verified_estimate
from measures import outside
from resumable_runs import attempt
from resuming import Task, run
from score_files import seed_of
from systems import SIMULATIONS
from tables import CHOICES, MODELS, by_line, by_share, cell, failures, filled, measured
from text_tables import grouped, text_of, titled_table

METHODS = ("chosen", "estimator_change", "random")
SHARES = (10, 30, 50, 70)
START = "chosen"
BATCH = 5.0
LINES = tuple((method, estimator) for method in METHODS for estimator in ESTIMATORS)
ROW = (
    *("method", "estimator", "share", "n_labels", "known"),
    *("misranked", "error", "difference_squared", "gap"),
    *("covered", "width", "difference_covered", "difference_width"),
    *("step_seconds", "seconds", "failure"),
)
SHOWN = (
    ("misranked", "misranked", 3),
    ("error", "mAP error", 4),
    ("difference_squared", "sq. error of diff.", 6),
    ("gap", "true gap", 3),
    ("covered", "coverage", 2),
    ("width", "width", 3),
    ("difference_covered", "diff. cov.", 2),
    ("difference_width", "diff. width", 3),
    ("known", "known", 2),
    ("step_seconds", "seconds a step", 2),
)
# The budget of the guide at which errors are shown.
COMPARED = "30"
ESTIMATES = {**MODELS, "learned": "model"}
SIZES = {"segmentation": "n_images", "items": "n_items"}
TITLES = {
    "segmentation": "instance segmentation, masks verified",
    "items": "items with noisy labels",
}


def add_options(add):
    """Add what only this mode understands."""
    add("--size", type=int, help="images, or items of a category, of all simulations")


def main(options):
    """Run the remaining work; return tables."""
    tasks = []
    for repeat in range(options.repeats):
        for name in SIMULATIONS:
            if not re.search(options.only, name):
                continue
            key = {
                "set": name,
                "size": options.size or "",
                "start": options.start,
                "shares_asked": " ".join(f"{share:g}" for share in options.shares),
                "repeat": repeat,
            }
            arguments = (name, options.size, repeat, options.shares, options.start)
            tasks.append(Task(key, arguments, tuple(options.methods)))
    return report(run(tasks, rank, options), options.rst) if tasks else "Nothing to do.\n"


def rank(name, size, repeat, shares, start, methods):
    """Return a row for each method, budget and estimator."""
    draw = SIMULATIONS[name]
    systems = draw(repeat) if size is None else draw(repeat, **{SIZES[name]: size})
    seed, rows = seed_of(name, repeat, 0), []
    for method in methods:
        looks, about = attempt(look_at, method, systems, shares, start, seed)
        nothing = [{"share": share, "estimator": e} for share in shares for e in ESTIMATORS]
        for found in nothing if looks is None else looks:
            rows.append(filled({"method": method, **found, **about}, ROW))
    return rows


def look_at(method, systems, shares, start, seed):
    """Return the estimates of each estimator at each budget, beside the truth."""
    selector = selector_for(method, "average_precision", seed)
    n = len(systems.candidates)
    counts, (size,) = counts_of(shares, n), counts_of([BATCH], n)
    rows = []
    looks = labelling(selector, systems, counts, size, start, seed)
    for share, look in zip(shares, looks, strict=True):
        values = {
            "learned": selector.estimate_.value,
            "naive": selector.naive_estimate_,
            "verified": verified_estimate(selector),
        }
        for estimator, value in values.items():
            found = measures_of(value, systems.truth)
            if estimator == "learned":
                found |= interval_measures(selector, systems.truth)
            about = {"share": share, "n_labels": len(look.verified), "estimator": estimator}
            rows.append({**about, **found, "step_seconds": look.step_seconds})
    return rows


def measures_of(values, truth):
    """Return how good the estimates of systems are; nothing where one is not known."""
    if np.isnan(values).any():
        return {"known": 0.0}
    off, true = differences(values), differences(truth)
    return {
        "known": 1.0,
        # A tie is half right.
        "misranked": float(np.mean((off * true < 0.0) + 0.5 * (off == 0.0))),
        "error": float(np.abs(values - truth).mean()),
        "difference_squared": float(np.mean((off - true) ** 2)),
        "gap": float(np.abs(true).mean()),
    }


def interval_measures(selector, truth):
    """Return how often intervals of systems and of differences hold, and their widths."""
    ends = selector.estimate_.interval()
    of_pairs = [
        selector.difference(first, second).interval()
        for first, second in combinations(range(len(truth)), 2)
    ]
    covered, width = held(*ends, truth)
    difference_covered, difference_width = held(*np.transpose(of_pairs), differences(truth))
    return {
        "covered": covered,
        "width": width,
        "difference_covered": difference_covered,
        "difference_width": difference_width,
    }


def held(low, high, truth):
    """Return the share of intervals that hold, and their mean width."""
    return float(np.mean(outside(Estimate(None, low, high), truth) == 0.0)), np.mean(high - low)


def differences(values):
    """Return the difference of each pair."""
    first, second = np.transpose(list(combinations(range(len(values)), 2)))
    return values[first] - values[second]


def report(rows, rst=False):
    """Return all tables."""
    parts = [
        (TITLES[name], by_share(found, LINES, SHOWN))
        for (name,), found in grouped(measured(rows), "set").items()
    ]
    note = (
        "s.e.: of misranked; to random: its paired difference to random labels with the learned "
        "estimate,\nin standard errors, negative if better.\n"
    )
    return text_of([*parts, note, failures(rows)], rst)


def guide(rows):
    """Return the tables of the guide."""
    return [
        guide_of(TITLES[name], found) for (name,), found in grouped(measured(rows), "set").items()
    ]


def guide_of(name, rows):
    """Return the table of one simulation."""
    groups = dict(by_line(rows, LINES))
    body = []
    for method, estimator in LINES:
        by_budget = [found.get((method, estimator), []) for found in groups.values()]
        every = [row for found in by_budget for row in found]
        if not every:
            continue
        compared = groups.get(COMPARED, {}).get((method, estimator), [])
        body.append(
            [
                *(CHOICES[method], ESTIMATES[estimator]),
                *(cell(found, "misranked", 2) for found in by_budget),
                *(cell(compared, "error"), cell(compared, "difference_squared", 5)),
                *(cell(every, measure, 2) for measure in ("covered", "difference_covered")),
            ]
        )
    heading = [
        *("chosen", "estimated by", *(f"misranked, {share}%" for share in groups)),
        *(f"mAP error, {COMPARED}%", f"squared error of differences, {COMPARED}%"),
        *("coverage", "coverage, differences"),
    ]
    widths = [16, 16, *(8 for _ in groups), 10, 12, 10, 10]
    title = f"Share of the pairs of four systems that are in the wrong order: {name}"
    return titled_table(title, heading, body, widths)

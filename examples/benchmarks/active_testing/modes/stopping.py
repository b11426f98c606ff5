"""Stopping once the 90% interval of a precision is within 0.05: its costs, and whether it covers.

1,000 items that a classifier calls positive, whose log-odds are right or doubled. `rules` says what
is drawn, and who takes part.
"""

import re

from resumable_runs import attempt
from resuming import Task, run
from rules import HALF_WIDTH, PROBLEMS, RULES, Problem
from score_files import seed_of
from tables import cell, failures, filled
from text_tables import grouped, standard_error, text_of, titled_table

METHODS = DEFAULT = tuple(RULES)
REPEATS = 120
MEASURES = ("n_labels", "truth", "estimate", "low", "high", "held", "held_always")
ROW = ("method", *MEASURES, "seconds", "failure")
NAMES = {
    "betting_importance": "betting, adaptive importance sampling",
    "betting_random": "betting, random labels",
    "plain_betting": "betting, random labels, no model",
    "wald": "normal interval, random labels",
    "posterior": "posterior interval, chosen labels",
    "posterior_entropy": "posterior interval, least certain labels",
}


def add_options(add):
    """Add nothing."""


def main(options):
    """Run the remaining work; return tables."""
    tasks = [
        # The name of the set, as means weigh sets.
        Task({"set": name, "repeat": repeat}, (name, repeat), tuple(options.methods))
        for repeat in range(options.repeats)
        for name in PROBLEMS
        if re.search(options.only, name)
    ]
    return report(run(tasks, stop_all, options), options.methods, options.rst)


def stop_all(name, repeat, methods):
    """Return one row a rule."""
    problem = Problem.draw(name, repeat)
    rows = []
    for method in methods:
        stop, about = attempt(RULES[method], problem, seed_of(name, repeat, 0))
        found = {"method": method, "truth": problem.precision, **about}
        if stop is not None:
            held = stop.low - 1e-9 <= problem.precision <= stop.high + 1e-9
            found |= {**vars(stop), "held": int(held), "held_always": int(stop.held_always)}
        rows.append(filled(found, ROW))
    return rows


def table(rows):
    """Return one line for each problem and rule, as dicts."""
    fits = [{**row, "error": error(row)} for row in rows if not row["failure"]]
    for (name, method), found in grouped(fits, "set", "method").items():
        yield {
            "problem": name,
            "rule": method,
            "fits": len(found),
            "labels": cell(found, "n_labels", 0),
            "s.e.": f"{standard_error(found, 'n_labels'):.0f}",
            "most": max(int(row["n_labels"]) for row in found),
            "error": cell(found, "error"),
            "held": cell(found, "held"),
            "held always": cell(found, "held_always"),
            "seconds": cell(found, "seconds", 2),
        }


def error(row):
    """Return how far the estimate is from the truth."""
    return abs(float(row["estimate"]) - float(row["truth"]))


def report(rows, methods, rst=False):
    """Return all tables."""
    found = [line for line in table(rows) if line["rule"] in methods]
    if not found:
        return failures(rows)
    title = f"Labels until the interval is within {HALF_WIDTH:g}"
    body = [list(line.values()) for line in found]
    note = "held: the interval at the stop; held always: at every look until then.\n"
    return text_of([(title, (list(found[0]), body)), note, failures(rows)], rst)


def guide(rows):
    """Return the table of the guide."""
    shown = ("labels", "held", "held always")
    body = [
        [line["problem"], NAMES[line["rule"]], *(line[name] for name in shown)]
        for line in table(rows)
    ]
    heading = [
        "scores",
        "rule",
        "mean number of labels",
        "covered at the stop",
        "covered at every look",
    ]
    title = (
        f"Labels until the 90% interval of the precision of 1,000 items is within {HALF_WIDTH:g}"
    )
    return [titled_table(title, heading, body, [18, 37, 15, 15, 15])]

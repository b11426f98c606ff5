"""Bands of `AccuracyExtrapolator` on the fixed problems: how often 90% intervals hold the truth.

Up to the classes that were tried, at them, and beyond. Each row of the file also has the standard
deviation of the resamples on the logit scale and the number of items, beside the estimate and the
truth: all that is needed to choose the error of the package's bands again, from the rows of
``--problems design``. Ratios of one pilot vary together: a share over n pilots is known to about
the root of 0.09 / n.
"""

import numpy as np
from peers import PEERS
from problems import CELLS, chosen, counts_beyond, entropy_of
from report import cell, failures, write_guide
from resumable_runs import attempt
from resuming import Task, run
from scipy import special
from text_tables import grouped, text_of

from sklearn_spe import AccuracyExtrapolator

METHODS = ("blend",)
REPEATS = 3
LEVEL = 0.9
# Rows of the table of the guide, and what they are means of.
GUIDE = {"covered": "held", "mean width": "width"}
# Upper ends of the ranges of the ratio: classes asked for over classes tried.
RANGES = {"in range": 1.0, "2x": 2.0, "5x": 5.0, "10x": 10.0, "20x": 25.0, ">25x": np.inf}


def add_options(parser):
    """Add what only this mode understands."""
    parser.add_argument("--problems", choices=("design", "evaluation"), default="evaluation")
    parser.add_argument("--bootstrap", type=int, default=50, help="resamples of the classes")


def main(options):
    """Run the remaining work; return tables."""
    tasks = []
    for problem in chosen(options.problems, options.only, options.n_problems):
        counts = sorted({int(k) for n, _ in CELLS for k in counts_of(n)})
        truth = dict(zip(counts, problem.truth(counts, options.cache).tolist(), strict=True))
        for n_classes, n_items in CELLS:
            asked = {k: truth[k] for k in counts_of(n_classes).tolist()}
            for repeat in range(options.repeats):
                key = {
                    "list": options.problems,
                    "problem": problem.name,
                    "n_classes": n_classes,
                    "n_items": n_items,
                    "repeat": repeat,
                    "n_bootstrap": options.bootstrap,
                }
                arguments = (options.problems, problem, n_classes, n_items, repeat, asked)
                arguments = (*arguments, options.bootstrap)
                tasks.append(Task(key, arguments, tuple(options.methods)))
    rows = run(tasks, bands, options)
    judged = [judge(row) for row in rows if not row["failure"]]
    body = [[name, *line(judged, key)] for name, key in GUIDE.items()]
    write_guide(options.csv, ["90% intervals", "pilots", *RANGES], body)
    return report(rows, options)


def counts_of(n_classes):
    """Return half of the classes that were tried, all of them, and more."""
    return np.concatenate([[n_classes // 2, n_classes], counts_beyond(n_classes)])


def bands(list_name, problem, n_classes, n_items, repeat, truth, n_bootstrap, methods):
    """Return one row for each method and number of classes."""
    entropy = entropy_of(list_name, problem, n_classes, n_items, repeat)
    drawn = problem.draw(n_classes, n_items, np.random.default_rng(entropy))
    counts, truths = np.array(list(truth)), np.array(list(truth.values()))
    rows = []
    for method in methods:
        extrapolator = AccuracyExtrapolator(
            PEERS[method],
            classes=np.arange(n_classes),
            average="micro",
            n_bootstrap=n_bootstrap,
            random_state=np.random.default_rng([*entropy, 3]),
        )
        found, about = attempt(intervals, extrapolator, drawn, counts, ignored=(Warning,))
        if found is None:
            found = {name: np.full(len(counts), np.nan) for name in ("estimate", "low", "high")}
            found |= {"resample_std": np.full(len(counts), np.nan), "n_effective": np.nan}
        found = {name: np.broadcast_to(values, len(counts)) for name, values in found.items()}
        for i, k in enumerate(counts.tolist()):
            measures = {name: float(values[i]) for name, values in found.items()}
            place = {"n_asked": k, "ratio": k / n_classes, "truth": truths[i].item()}
            rows.append({"method": method, **place, **measures, **about})
    return rows


def intervals(extrapolator, drawn, counts):
    """Return estimates with their intervals, and the parts of these."""
    extrapolator.fit(drawn.scores, drawn.labels)
    band = extrapolator.predict_band(counts)
    low, high = band.interval(LEVEL)
    uncertain = extrapolator.uncertain_model_
    # As the band has it: an accuracy of 0 or 1 is within half an item of it.
    least = 0.5 / (uncertain.n_items + 1.0)
    resampled = np.array([model.accuracy(counts) for model in uncertain.resampled])
    logits = special.logit(np.clip(resampled, least, 1.0 - least))
    return {
        "estimate": extrapolator.predict(counts),
        "low": low,
        "high": high,
        "resample_std": logits.std(axis=0, ddof=1),
        "n_effective": uncertain.n_items,
    }


def report(rows, options):
    """Return all tables."""
    judged = [judge(row) for row in rows if not row["failure"]]
    parts = []
    for method in options.methods:
        found = [row for row in judged if row["method"] == method]
        for measure, title in (
            ("held", f"{LEVEL:.0%} intervals that hold the truth"),
            ("above", "Truth above the interval"),
            ("below", "Truth below the interval"),
            ("width", "Mean width of intervals"),
        ):
            parts.append((f"{title}, {method}", table(found, measure, "problem")))
        for measure in ("held", "width"):
            title = f"By size of the pilot: {measure}, {method}"
            parts.append((title, table(found, measure, "n_classes", "n_items")))
    return text_of([*parts, failures(rows)], options.rst)


def judge(row):
    """Return a row with the columns that tables average."""
    low, high, truth, ratio = (float(row[name]) for name in ("low", "high", "truth", "ratio"))
    return {
        **row,
        "range": next(name for name, end in RANGES.items() if ratio <= end),
        "held": low <= truth <= high,
        "above": truth > high,
        "below": truth < low,
        "width": high - low,
    }


def table(rows, measure, *keys):
    """Return means of a measure by range of the ratio, one line a group and one for all."""
    groups = {"all": rows} | {", ".join(k): found for k, found in grouped(rows, *keys).items()}
    body = [[name, *line(found, measure)] for name, found in groups.items()]
    return [", ".join(keys), "pilots", *RANGES], body


def line(rows, measure):
    """Return the number of pilots, and the mean of a measure in each range of the ratio."""
    by_range = grouped(rows, "range")
    means = [np.mean([r[measure] for r in by_range.get((b,), [])] or [np.nan]) for b in RANGES]
    pilots = {(r["problem"], r["n_classes"], r["n_items"], r["repeat"]) for r in rows}
    return [len(pilots), *(cell(mean) for mean in means)]

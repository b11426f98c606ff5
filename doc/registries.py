"""List what a string parameter takes: the members of each registry, by name."""

import csv
import inspect
import re

from sklearn_spe.active.label_models._registry import LABEL_MODELS
from sklearn_spe.active.strategies._registry import STRATEGIES
from sklearn_spe.extrapolation.methods._registry import METHODS
from sklearn_spe.metrics._registry import METRICS, METRICS_OF_ROWS
from sklearn_spe.metrics._special_questions import TopKAccuracy

# By the name of the file: the members, and what their column is headed by.
REGISTRIES = {
    "strategies": (STRATEGIES, "strategy="),
    "label_models": (LABEL_MODELS, "label_model="),
    "methods": (METHODS, "method="),
}
# A reference, and what leads to it.
REFERENCE = re.compile(r" \([^()]* of \[\d\]_\)|( of)? \[\d\]_")


def first_sentence(member):
    """Return the first line of a docstring, without the references, which are on other pages."""
    line = inspect.cleandoc(member.__doc__).partition("\n")[0]
    return REFERENCE.sub("", line)


def range_of(metric):
    """Return the range of a metric, as an interval."""
    low, high = (f"{end:g}".replace("inf", "∞") for end in metric.limits)
    opens = "(" if "∞" in low else "["
    closes = ")" if "∞" in high else "]"
    return f"{opens}{low}, {high}{closes}"


def write(folder):
    """Write a table of each registry."""
    for file, (members, heading) in REGISTRIES.items():
        with (folder / f"{file}.csv").open("w", newline="", encoding="utf-8") as table:
            writer = csv.writer(table)
            writer.writerow([f"``{heading}``", "what it is"])
            for name, member in members.items():
                writer.writerow([f'``"{name}"``', first_sentence(member)])

    with (folder / "metrics.csv").open("w", newline="", encoding="utf-8") as table:
        writer = csv.writer(table)
        writer.writerow(["``metric=``", "what it is", "range", "better"])
        for name, metric in (METRICS | {TopKAccuracy.name: TopKAccuracy}).items():
            words = metric.meaning
            if name in METRICS_OF_ROWS:
                words += f' With ``sample_columns={{"{metric.column}": amounts}}``.'
            better = "larger" if metric.greater_is_better else "smaller"
            writer.writerow([f'``"{name}"``', words, range_of(metric), better])

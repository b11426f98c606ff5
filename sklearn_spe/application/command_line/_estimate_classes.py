"""The command ``estimate`` for more than two classes: a column of scores for each."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import takewhile

import numpy as np

from ...estimators._performance import PerformanceCurveEstimator
from ...inputs._validation import MARKER, listed
from ...models._ranking_value import MetricArguments
from ...results._tables import EstimateTable
from ..report._main_estimates import further_numbers
from ..report._plain_answers import LabelCounts, PlainAnswers
from ..tables._source import quoted
from ..tables._table import Column, Table
from ._answer import Answer, add_rows, add_suspect_labels, record_of
from ._options import record_input, score_columns
from ._options_of_fit import (
    add_categories,
    as_in_column,
    fitted,
    numbers_of,
    record_of_fit,
)
from ._predicted_columns import fit_predictions, predicted_columns
from ._terminal import working

# Error of a probability that is written with two digits.
MAX_ROUNDED = 0.005
# Largest confusion matrix that a terminal shows.
MAX_SHOWN = 20
OF_CLASSES = ("precision", "recall")


def are_several_classes(options: argparse.Namespace, table: Table) -> bool:
    """Return whether columns of scores are of more than two classes, and not of systems."""
    if options.scores is None or len(options.scores) < 3:
        return False
    if options.classes is not None:
        return len(options.classes) > 2
    labels = table.labels(options.label, classes=None).values.tolist()
    return len(set(labels) - {None, MARKER}) > 2


def fit_classes(
    options: argparse.Namespace, answer: Answer, table: Table
) -> PerformanceCurveEstimator:
    """Return the fit to a column of scores for each class."""
    label_column = table.labels(options.label, classes=options.classes)
    labels = label_column.values
    columns = score_columns(options, table)
    classes = _classes_of(options, table, labels)

    if len(classes) < 3:
        raise ValueError(
            f"--scores of estimate are for more than two classes; got {len(classes)} column"
            f"{'s' if len(classes) > 1 else ''}. For two classes pass the column of the positive "
            "one as --score, and its name as --pos-label; for several systems use compare."
        )
    # What is noted of all columns alike is told once.
    scored = replace(columns[0], notes=_notes_of(options.scores, columns))
    record_input(options, answer, table, labels, (table, scored, label_column), of_two=False)

    # Columns in the order of the classes.
    order = sorted(range(len(classes)), key=lambda column: classes[column])
    scores = np.column_stack([columns[column].values for column in order])
    scores = _of_one_scale(table, scores)

    with working("estimating"):
        classes = [classes[column] for column in order]
        return fitted(options, table, scores, labels, classes=classes)


def estimate_classes(
    options: argparse.Namespace, answer: Answer, table: Table
) -> PerformanceCurveEstimator:
    """Add accuracy, the numbers of each class and the confusion matrix; return the fit."""
    predicted = predicted_columns(options, table)
    if len(predicted) > 1:
        raise ValueError(
            f"--judge names {len(predicted)} columns of predicted classes, and estimate is of one: "
            "pass one of them, or use the command report, which compares them."
        )
    if predicted:
        performance = fit_predictions(options, answer, table, predicted)
    else:
        performance = fit_classes(options, answer, table)

    # The numbers of all classes, of each class and of each category.
    tables = {
        f"{name} of each class": performance.by_category(name, by="class") for name in OF_CLASSES
    }
    summary, verdict = numbers_of(performance, tables=tables.values())
    summary = replace(summary, remarks=(*summary.remarks, *further_numbers(performance)))

    answers = PlainAnswers.of(summary, LabelCounts.of(performance.of()), verdict, tables=tables)
    answer.quote_table(summary, verdict, answers)
    answer.record |= {**record_of_fit(options, performance), "estimates": record_of(summary)}
    _add_classes(answer, performance, tables)
    if options.category:
        add_categories(options, answer, performance, [MetricArguments("accuracy")])
    add_suspect_labels(answer, performance.suspect_labels_, table, scored=False)
    return performance


def _notes_of(names: Sequence[str], columns: Sequence[Column]) -> tuple[str, ...]:
    """Return the notes on columns, once where they differ by the name of the column alone."""
    alike: dict[str, list[str]] = {}
    for name, column in zip(names, columns, strict=True):
        for note in column.notes:
            alike.setdefault(note.replace(quoted(name), "{}"), []).append(quoted(name))
    return tuple(
        note.replace("{}", f"{first} (and {len(others)} more)" if others else first)
        for note, (first, *others) in alike.items()
    )


def _of_one_scale(table: Table, scores: np.ndarray) -> np.ndarray:
    """Return logits unchanged, and probabilities normalized, as rounding in a file changes sums.

    `scores` is (n_items, n_classes).
    """
    if not len(scores) or scores.min() < 0.0 or scores.max() > 1.0:
        return scores

    sums = scores.sum(axis=1)
    error = np.abs(sums - 1.0)
    if error.max() > MAX_ROUNDED * scores.shape[1]:
        row = int(error.argmax())
        raise ValueError(
            f"--scores are between 0 and 1 as probabilities are, but do not sum to one: to "
            f"{sums[row]:.4g} in {table.unit} {table.places[row]}. Write the probabilities of all "
            "classes, or logits."
        )
    return scores / sums[:, None]


def _classes_of(options: argparse.Namespace, table: Table, labels: np.ndarray) -> list:
    """Return the class of each column of scores, as its labels are in the file."""
    known = [label for label in labels.tolist() if label not in (None, MARKER)]
    if options.classes is None:
        candidates = list(_parts_of(options.scores))
    elif len(options.classes) == len(options.scores):
        candidates = [options.classes]
    else:
        raise ValueError(
            f"--classes names {len(options.classes)} classes and --scores "
            f"{len(options.scores)} columns: name the class of each column, in their order."
        )

    # Of several readings of the names, that which leaves the fewest labels without a column.
    classes = [as_in_column(names, labels) or [] for names in candidates]
    missing = [set(known).difference(names) for names in classes]
    best = min(range(len(classes)), key=lambda k: len(missing[k]))
    if missing[best]:
        raise _without_column(options, table, labels, classes[best], missing[best])
    return classes[best]


def _parts_of(columns: Sequence[str]) -> Iterator[list[str]]:
    """Yield possible names of the classes, from the names of their columns.

    What follows a separator that all begin with; then the part that differs, with more and more of
    what the columns begin with in common.
    """
    start = _n_common(columns)
    end = _n_common([name[start:][::-1] for name in columns])
    # First without what all names begin with, up to a sign that is no letter.
    separated = [n for n in range(start, 0, -1) if not columns[0][n - 1].isalnum()]
    for skipped in dict.fromkeys([*separated, *range(start, -1, -1)]):
        for cut in dict.fromkeys((end, 0)):
            names = [name[skipped : len(name) - cut] for name in columns]
            if all(names):
                yield names


def _n_common(texts: Sequence[str]) -> int:
    """Return the number of letters with which all texts begin."""
    letters = (set(at_position) for at_position in zip(*texts, strict=False))
    return sum(1 for _ in takewhile(lambda at_position: len(at_position) == 1, letters))


def _without_column(
    options: argparse.Namespace, table: Table, labels: np.ndarray, classes: list, missing: set
) -> ValueError:
    """Return the error for labels that no column of scores is of."""
    rows = [row for row, label in enumerate(labels.tolist()) if label in missing]
    hint = ""
    if len(missing) == 1:
        (label,) = missing
        near = get_close_matches(str(label), map(str, classes), n=1)
        hint = f" (a typing error of {near[0]!r}?)" if near else ""

    remedy = "name the class of each column by --classes, in the order of the columns"
    if len(missing) == len({*labels.tolist()} - {None, MARKER}) <= 2:
        remedy = f"to compare systems, use the command compare; to estimate classes, {remedy}"

    return ValueError(
        f"No column of --scores is of {listed(sorted(map(repr, missing)))}{hint} in "
        f"column {options.label!r}: {table.describe_rows(rows)}. The columns are of "
        f"{listed(map(repr, classes))}. Correct the label, or add its column; or {remedy}."
    )


def _add_classes(
    answer: Answer, performance: PerformanceCurveEstimator, tables: dict[str, EstimateTable]
) -> None:
    """Add precision and recall of each class, and the confusion matrix."""
    for title, table in tables.items():
        answer.lines.append(str(replace(table, title=title)))
    add_rows(answer, "by_class", "class", dict(zip(OF_CLASSES, tables.values(), strict=True)))

    matrix = performance.confusion_matrix()
    if len(matrix.classes) <= MAX_SHOWN:
        _, *rows = repr(matrix).splitlines()
        unit = "shares" if matrix.n_items is None else "numbers"
        title = f"Confusion matrix, true class by predicted class, {unit} of items (medians):"
        answer.lines.append("\n".join([title, *rows, matrix.sentence()]))

    record = matrix.to_dict()
    answer.record["confusion_matrix"] = {name: record[name] for name in ("value", "lower", "upper")}

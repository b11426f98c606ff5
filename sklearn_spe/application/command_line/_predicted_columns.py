"""Columns of predicted classes: the names of more than two classes, without probabilities."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

import numpy as np

from ...estimators._performance import PerformanceCurveEstimator
from ...inputs._validation import MARKER
from ..tables._source import quoted
from ..tables._table import Column, Table, is_missing, is_number
from ._answer import Answer
from ._option_checks import check_several_classes
from ._options import record_input
from ._options_of_fit import as_in_column, fitted
from ._terminal import working

# How often a class may be written otherwise, such as 1, 1.0 and 01, in a column of numbers.
MAX_SPELLINGS = 20


def predicted_columns(options: argparse.Namespace, table: Table) -> list[str]:
    """Return the columns of --score or --judge that hold predicted classes; none if they do not.

    They do if there are more than two classes, and cells are text or classes of the labels.
    """
    if options.scores is not None:
        return []
    names = [options.score] if options.score else list(options.judge or ())
    if not names or options.label is None or options.label not in table.names:
        return []

    texts = [text for name in names for text in table.texts(name) if not is_missing(text)]
    are_text = bool(texts) and not any(map(is_number, texts))
    labels = _classes_in(table.labels(options.label, classes=options.classes).values)
    if not are_text and len(set(texts)) > MAX_SPELLINGS * len(labels):
        # So many numbers are scores: they need not be compared with the classes one by one.
        return []
    if not texts or (any(map(is_number, texts)) and not all(map(is_number, texts))):
        # Their readers raise the error.
        return []

    labels |= set(options.classes or ()) if are_text else set()
    if are_text and options.score and not options.judge:
        # Text cannot be scores, and may name classes that no label has.
        labels |= _classes_in(_labels_and_predictions(options, table, names).values)
    elif not are_text:
        predicted = (_classes_in(table.labels(name).values) for name in names)
        if not set().union(*predicted) <= labels:
            return []
    return names if len(labels) > 2 else []


def _classes_in(labels: np.ndarray) -> set[Any]:
    """Return the distinct labels."""
    return set(labels.ravel().tolist()) - {None, MARKER}


def fit_predictions(
    options: argparse.Namespace, answer: Answer, table: Table, names: list[str]
) -> PerformanceCurveEstimator:
    """Return the fit to one or several columns of predicted classes."""
    # Predictions by --score leave no use for the ratings of judges.
    check_several_classes(options, besides=None if options.score else "judge")
    if options.score_kind != "auto":
        raise ValueError(
            "--score-kind concerns scores, and --score or --judge names predicted classes here: "
            "leave it out."
        )
    read = _labels_and_predictions(options, table, names)
    labels, *predicted = read.values
    label_column = replace(read, values=labels)
    noted = (table, label_column)
    record_input(options, answer, table, labels, noted, of_two=False, has_scores=False)
    for name, column in zip(names, predicted, strict=True):
        _check_complete(options, table, name, column)

    classes = as_in_column(options.classes, read.values.ravel())
    columns = predicted[0] if len(names) == 1 else dict(zip(names, predicted, strict=True))
    with working("estimating"):
        return fitted(options, table, columns, labels, classes=classes, predicts=True)


def _labels_and_predictions(options: argparse.Namespace, table: Table, names: list[str]) -> Column:
    """Return the labels and the predictions, (1 + n_columns, n_rows), spelled alike."""
    return table.labels(options.label, *names, classes=options.classes)


def _check_complete(
    options: argparse.Namespace, table: Table, name: str, predicted: np.ndarray
) -> None:
    """Raise unless every row has a predicted class."""
    missing = [row for row, cell in enumerate(predicted.tolist()) if cell is None]
    if missing:
        remedy = "--drop-missing leaves these rows out" if options.score else "leave these rows out"
        raise ValueError(
            f"Column {quoted(name)} of {table.name} must have a predicted class in every row; "
            f"{len(missing):,} of {len(table):,} have none: {table.describe_rows(missing)}. "
            f"{remedy[0].upper()}{remedy[1:]}; or write another class there, such as 'none'."
        )

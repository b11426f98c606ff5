"""Checks of the columns that options name, and reading of their table."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from ..tables._labeling_table import LabeledCopies
from ..tables._reading import read_table
from ..tables._repeated_cases import RepeatedCases
from ..tables._table import Column, Table
from ._answer import Answer


def check_together(options: argparse.Namespace) -> None:
    """Raise if options of a table contradict each other."""
    if options.sep is not None and options.sep == options.decimal:
        raise ValueError(f"{options.sep!r} cannot be both --sep and --decimal.")
    of_scores = columns_of_scores(options)
    one, several = (getattr(options, name, None) is not None for name in ("score", "scores"))
    if one and several:
        raise ValueError("--score is for one system, --scores for several: pass one of them.")
    scores = "--scores" if several else "--score"
    named = dict.fromkeys(of_scores, scores)
    if len(named) < len(of_scores):
        twice = next(column for column in of_scores if of_scores.count(column) > 1)
        raise ValueError(f"{scores} names {twice!r} twice; name each column once.")
    judges = getattr(options, "judge", [])
    if not of_scores and not judges:
        raise ValueError("Scores or judges are needed: pass --score, or --judge.")
    check_columns(options, ("label", "category", "groups", "judge"), named)
    if options.classes is not None:
        first, second = options.classes
        if first == second:
            raise ValueError(f"--classes must name two different classes, got {first!r} twice.")


def check_columns(
    options: argparse.Namespace, names: Iterable[str], named: Mapping[str, str] | None = None
) -> None:
    """Raise if two options name the same column.

    `named` are the options already mapped to a column.
    """
    known = dict(named or {})
    for name in names:
        columns, said = getattr(options, name, None) or [], f"--{name.replace('_', '-')}"
        for column in [columns] if isinstance(columns, str) else columns:
            if column in known:
                raise ValueError(f"{known[column]} and {said} name the same column, {column!r}.")
            known[column] = said


def read(options: argparse.Namespace, file: str) -> Table:
    """Read a table."""
    table = read_table(
        file,
        sep=options.sep,
        decimal=options.decimal,
        encoding=options.encoding,
        max_bytes=options.max_bytes,
    )
    if getattr(options, "drop_missing", False):
        for column in columns_of_scores(options):
            table = table.without_missing(column)
    return table


def check_percent(options: argparse.Namespace, table: Table) -> None:
    """Raise if a threshold is in percent, and the scores were converted from percent."""
    threshold = getattr(options, "threshold", None)
    if threshold is None or abs(threshold) <= 1.0:
        return
    for column in columns_of_scores(options):
        found = table.optional_numbers(column)
        if found.percent and threshold > np.nanmax(found.values):
            raise ValueError(
                f"--threshold {threshold:g}: column {column!r} contains percent, which is read as "
                f"numbers between 0 and 1. Did you mean --threshold {threshold / 100.0:g}?"
            )


def columns_of_scores(options: argparse.Namespace) -> list[str]:
    """Return the columns of the scores of all systems."""
    several = getattr(options, "scores", None)
    if several is None:
        return [] if options.score is None else [options.score]
    return several


def check_cases(options: argparse.Namespace, table: Table, labels: np.ndarray) -> None:
    """Raise if rows are readings of cases, whose labels would count once for each reader."""
    named = ("label", "score", "scores", "judge", "proxy", "inclusion_proba")
    given = [getattr(options, name, None) or [] for name in named]
    others = [name for own in given for name in ([own] if isinstance(own, str) else own)]
    if len(set(labels.tolist()) - {None, -1}) > 1:
        # As elsewhere it is no label where there are others.
        labels = labels.copy()
        labels[labels == -1] = None
    found = RepeatedCases.found_in(table, labels, others)
    groups = getattr(options, "groups", None)
    if found is None or (groups is not None and found.are_within(table, groups)):
        return
    remedy = f", or say --groups {found.case}" if hasattr(options, "groups") else ""
    each = " and ".join(map(repr, found.readers))
    raise ValueError(
        f"Column {found.case!r} names {found.n_cases} cases with {found.n_rows} rows each, one for "
        f"each {each}, and all rows of a case have the same label: it would count {found.n_rows} "
        f"times. Write one row per case, with a column of scores for each {each} (a pivot "
        f"table){remedy}."
    )


def score_columns(options: argparse.Namespace, table: Table) -> list[Column]:
    """Return the scores of the systems, or of the only one.

    A score may be missing if another column has one, which is noted.
    """
    names = columns_of_scores(options)
    if len(names) == 1 and not getattr(options, "judge", ()):
        return [table.numbers(names[0])]
    return [_with_gaps(table, name) for name in names]


def _with_gaps(table: Table, name: str) -> Column:
    column = table.optional_numbers(name)
    n_rows, n_missing = len(column.values), int(np.isnan(column.values).sum())
    if n_missing == n_rows > 0:
        raise ValueError(f"Column {name!r} of {table.name} has no number in any row.")
    if not n_missing:
        return column
    note = (
        f"Column {name!r} has no score in {n_missing:,} of {n_rows:,} rows: its numbers are of the "
        f"others. The option --drop-missing leaves such rows out of all columns."
    )
    return replace(column, notes=(*column.notes, note))


def record_of_reading(
    options: argparse.Namespace, table: Table, labels: np.ndarray, notes: tuple[str, ...]
) -> dict:
    """Return the input as a JSON record."""
    named = ("score", "scores", "proxy", "label", "category", "groups", "judge", "inclusion_proba")
    columns = {name: getattr(options, name, None) for name in named}
    return {
        "name": table.name,
        **{name: column for name, column in columns.items() if column},
        "n_rows": len(table.rows),
        "n_left_out": table.n_left_out,
        "n_labeled": sum(label is not None for label in labels),
        "notes": list(notes),
    }


def read_merged(options: argparse.Namespace, answer: Answer) -> tuple[Table, LabeledCopies | None]:
    """Return the named table, or all copies as one, and the copies if there are several."""
    tables = [read(options, file) for file in options.file]
    check_percent(options, tables[0])
    if len(tables) == 1:
        return tables[0], None
    copies = LabeledCopies.of(tables, options.label, options.classes)
    answer.lines.append(copies.describe())
    answer.record["annotators"] = _record(copies)
    return copies.merged, copies


def _record(copies: LabeledCopies) -> dict:
    annotations = copies.annotations
    counts = zip(annotations.names, annotations.n_labeled, strict=True)
    return {
        "files": [{"name": name, "n_labeled": n} for name, n in counts],
        "agreements": [
            {
                "files": found.names,
                "n_both": found.n_both,
                "n_same": found.n_same,
                "agreement": found.share,
                "cohen_kappa": found.kappa,
            }
            for found in annotations.agreements()
        ],
        "disagreements": copies.disagreements(),
    }

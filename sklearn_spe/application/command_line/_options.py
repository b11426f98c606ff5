"""Reading of the table that options describe, and checks of its columns and labels."""

from __future__ import annotations

import argparse
import shlex
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any
from unicodedata import category

import numpy as np

from ...inputs._validation import MARKER, listed
from ..tables._dates import UNITS
from ..tables._labeled_copies import LabeledCopies
from ..tables._odd_cells import notes_of_scores
from ..tables._reading import read_table
from ..tables._repeated_cases import RepeatedCases
from ..tables._session_file import SessionFile, item_column, session_beside
from ..tables._suspect_rows import RowChecks, column_of_ids
from ..tables._table import Column, Table, slips_in
from ._option_checks import check_needs, check_options, columns_in, columns_of_scores
from ._option_table import COMMANDS, LABELING, STRUCTURE
from ._option_values import Percentage
from ._terminal import tell

if TYPE_CHECKING:
    from ._answer import Answer

# Options that name columns, in the order in which they are looked for, and those of the data.
OF_COLUMNS = (
    *("score", "scores", "label", "judge", *STRUCTURE, "feature", "inclusion_proba", "item", "id"),
    *("case", "reader", "modality", "amount"),
)
OF_INPUT = (
    *("score", "scores", "label", *STRUCTURE, "judge", "feature", "inclusion_proba", "amount"),
)
# From what largest score on all may be percent, and at what median size a threshold between 0 and
# 1 is on another scale.
PERCENT_FROM = 20.0
LARGE_SCORE = 50.0
# What rows without a label often have.
MARKERS = (
    *("unknown", "unlabeled", "unlabelled", "not labeled", "not labelled", "no label"),
    *("none", "todo", "tbd", "pending", "open", "missing", "blank", "empty", "n.a.", "n. a."),
    *("unreviewed", "not reviewed", "not checked", "unbekannt", "inconnu"),
)
# What somebody writes who could not tell, beside two classes.
DOUBTS = (
    *("maybe", "unsure", "not sure", "unclear", "uncertain", "undecided", "undetermined"),
    *("ambiguous", "borderline", "doubtful", "skip", "skipped", "idk", "don't know"),
    *("cannot tell", "can't tell", "perhaps", "vielleicht", "peut-être"),
)


def read_tables(options: argparse.Namespace) -> list[Table]:
    """Read the tables of a command, and check that they have the columns that options name.

    Patterns of columns in the options are replaced by what they match.
    """
    files = [options.file] if isinstance(options.file, str) else options.file
    tables = [_read(options, file) for file in files]

    if options.command in LABELING:
        options.sessions = list(map(_session_of, tables))
        _recall_columns(options, tables[0])
        check_needs(options)
    if any("*" in column for column in options.scores or ()):
        matching: list[str] = []
        for pattern in options.scores:
            matching += _matching(tables[0], pattern)
        options.scores = matching
        check_options(options)

    prepared = [_prepared(options, table) for table in tables]
    check_percent(options, prepared[0])
    return prepared


def _prepared(options: argparse.Namespace, table: Table) -> Table:
    """Return a table with the columns and rows of a command; raise if a column is missing."""
    if table.columns and not len(table):
        raise ValueError(f"{table.name} has no rows below its header.")

    names = set(table.names)
    for name in STRUCTURE:
        table = _with_periods(table, getattr(options, name))
    options.made = [name for name in table.names if name not in names]
    for column in columns_in(options, OF_COLUMNS):
        # Where rows are to be labeled, the column of labels may be new.
        if column != options.label or options.command not in LABELING:
            table.check_column(column)

    if options.unlabeled is not None and options.label in table.names:
        table = table.with_unlabeled(options.label, options.unlabeled)
    if options.drop_missing:
        for column in columns_of_scores(options):
            table = table.without_missing(column)
    id_column = options.id or column_of_ids(table, columns_in(options, OF_COLUMNS))
    return replace(table, id_column=id_column)


def _recall_columns(options: argparse.Namespace, table: Table) -> None:
    """Set options of columns that a session stores and that are not given again."""
    session = options.sessions[0]
    note = {} if session is None else session.options
    # Whatever is not given is as it was.
    judged = options.command == "suggest"
    stored = ["score", "label"]
    if judged:
        stored += ["judge", *STRUCTURE]
    for name in stored:
        if not getattr(options, name):
            setattr(options, name, note.get(name, getattr(options, name)))

    # A column that has the name of its option.
    for name in ("score", "label"):
        is_needed = not getattr(options, name) and not (name == "score" and options.judge)
        if is_needed and name in table.names:
            setattr(options, name, name)
            tell("note", f"--{name} is the column {name!r}.")

    scores = "--score, or --judge," if judged else "--score"
    needed = {"--label": options.label, scores: options.score or options.judge}
    if missing := [flag for flag, column in needed.items() if not column]:
        raise ValueError(
            f"{' and '.join(missing)} must name a column of {table.name}. Only "
            "tables written by suggest, find or review store these options."
        )


def _session_of(table: Table) -> SessionFile | None:
    """Return the session of a table that goes on, or None."""
    column = item_column(table.names)
    return None if column is None else session_beside(table.path, table.name, column)


def _read(options: argparse.Namespace, file: str) -> Table:
    """Return a table with all columns; the columns of the options identify the sheet and header."""
    columns = columns_in(options, OF_COLUMNS)
    # A column such as date:month is made from that of the dates.
    of_dates = [column.rpartition(":")[0] for column in columns if ":" in column]
    return read_table(
        file,
        sep=options.sep,
        decimal=options.decimal,
        encoding=options.encoding,
        sheet=options.sheet,
        wanted=[*columns, *of_dates],
        max_bytes=options.max_bytes,
    )


def _matching(table: Table, name: str) -> list[str]:
    """Return the columns that a pattern matches; a column of this very name comes first."""
    if name in table.names or "*" not in name:
        return [name]
    columns = [column for column in table.names if fnmatchcase(column, name)]
    if not columns:
        raise ValueError(
            f"--scores {name!r} matches no column of {table.name}; it has "
            f"{listed(map(repr, table.names))}."
        )
    return columns


def _with_periods(table: Table, column: str | None) -> Table:
    """Return a table with a column such as date:month, if it is asked for and not there."""
    of, _, unit = (column or "").rpartition(":")
    if column is None or column in table.names or of not in table.names:
        return table
    if unit not in UNITS:
        raise ValueError(f"{column!r}: dates have a {', '.join(UNITS)}; got {unit!r}.")
    return table.with_periods(column, of, unit)


def check_percent(options: argparse.Namespace, table: Table) -> None:
    """Convert a threshold in percent to scores from 0 to 100.

    Raise if it is above 1 and the scores were converted from percent.
    """
    threshold = options.threshold
    if isinstance(threshold, Percentage):
        options.threshold = threshold = _in_percent(options, table, threshold)
    if threshold is None or abs(threshold) <= 1.0:
        return
    for column in columns_of_scores(options):
        numbers = table.optional_numbers(column)
        if numbers.percent and threshold > np.nanmax(numbers.values):
            raise ValueError(
                f"--threshold {threshold:g}: column {column!r} contains percent, which is read as "
                f"numbers between 0 and 1. Did you mean --threshold {threshold / 100.0:g}?"
            )


def _notes_of_threshold(options: argparse.Namespace, table: Table) -> list[str]:
    """Return a note on each column of scores which a threshold is on another scale than."""
    threshold = options.threshold
    if threshold is None:
        return []

    notes = []
    for column in columns_of_scores(options):
        scores = table.optional_numbers(column).values
        low, high = np.nanmin(scores), np.nanmax(scores)

        between = f"--threshold {threshold:g}: the scores in column {column!r} lie between"
        if 0.0 < threshold < 1.0 and low >= 0.0 and PERCENT_FROM < high <= 100.0:
            notes.append(
                f"{between} {low:.6g} and {high:.6g}. If they are percent, did you mean "
                f"--threshold {100.0 * threshold:g}?"
            )
        elif 0.0 < threshold < 1.0 and np.nanmedian(np.abs(scores)) > LARGE_SCORE:
            notes.append(
                f"{between} {low:.6g} and {high:.6g}, and a probability is not a threshold of such "
                "scores. Margins and log-odds decide at 0: leave --threshold out, or give a score."
            )
    return notes


def _in_percent(options: argparse.Namespace, table: Table, threshold: float) -> float:
    """Return a threshold in the unit of the scores; raise unless all have one."""
    wholes = set()
    for column in columns_of_scores(options):
        numbers = table.optional_numbers(column).values
        known = numbers[~np.isnan(numbers)]
        low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
        if not (low >= 0.0 and high <= 100.0):
            raise ValueError(
                f"--threshold {100.0 * threshold:g}%: column {column!r} has scores from {low:.6g} "
                f"to {high:.6g}, which are not percentages. Pass a score."
            )
        wholes.add(100.0 if high > 1.0 else 1.0)
    return float(threshold * max(wholes, default=1.0))


def check_cases(options: argparse.Namespace, table: Table, labels: np.ndarray) -> None:
    """Raise if rows are readings of cases, whose labels would count once for each reader."""
    others = columns_in(options, [name for name in OF_INPUT if name not in STRUCTURE])

    if len(set(labels.tolist()) - {None, MARKER}) > 1:
        # As elsewhere it is no label where there are others.
        labels = labels.copy()
        labels[labels == MARKER] = None

    repeated = RepeatedCases.found_in(table, labels, others)
    groups = options.groups
    if repeated is None or (groups is not None and repeated.are_within(table, groups)):
        return

    each = " and ".join(map(repr, repeated.readers))
    flags = ("--case", "--reader", "--modality")
    columns = zip(flags, (repeated.case, *repeated.readers), strict=False)
    of_readings = " ".join(f"{flag} {column}" for flag, column in columns)
    at_most = "up to " if len(table) < repeated.n_rows * repeated.n_cases else ""
    n = f"{at_most}{repeated.n_rows}"
    has_groups = "groups" in COMMANDS[options.command].options
    remedy = f", or say --groups {repeated.case}" if has_groups else ""
    raise ValueError(
        f"Column {repeated.case!r} names {repeated.n_cases} cases with {n} rows each, one for each "
        f"{each}, and all rows of a case have the same label, which would count {n} "
        f"times. For a study of readers use the command readings, with {of_readings}. Else write "
        f"one row per case, with a column of scores for each {each} (a pivot table){remedy}."
    )


def score_columns(options: argparse.Namespace, table: Table) -> list[Column]:
    """Return the scores of the systems, or of the only one.

    A score may be missing if another column has one, which is noted.
    """
    names = columns_of_scores(options)
    if len(names) == 1 and not options.judge:
        return [table.numbers(names[0])]
    return [_with_gaps(table, name) for name in names]


def _with_gaps(table: Table, name: str) -> Column:
    column = table.optional_numbers(name)
    column = replace(column, notes=(*column.notes, *notes_of_scores(name, column.values)))
    n_rows = len(column.values)
    n_missing = int(np.isnan(column.values).sum())
    if n_missing == n_rows > 0:
        raise ValueError(f"Column {name!r} of {table.name} has no number in any row.")
    if not n_missing:
        return column
    note = (
        f"Column {name!r} has no score in {n_missing:,} of {n_rows:,} rows: its numbers are of the "
        f"others. The option --drop-missing leaves such rows out of all columns."
    )
    return replace(column, notes=(*column.notes, note))


def read_items(
    options: argparse.Namespace, answer: Answer, table: Table
) -> tuple[np.ndarray, list[Column]]:
    """Return the labels of two classes and the scores; notes on both are recorded."""
    columns = score_columns(options, table)
    labels = table.labels(options.label, classes=options.classes)
    record_input(options, answer, table, labels.values, (table, *columns, labels))
    return labels.values, columns


def record_input(
    options: argparse.Namespace,
    answer: Answer,
    table: Table,
    labels: np.ndarray,
    noted: Iterable[Any],
    *,
    of_two: bool = True,
    has_scores: bool = True,
) -> None:
    """Tell and record notes on the input; raise if there are more classes, or no cases.

    `noted` are what has notes, beside those on the labels. Without `has_scores` columns of scores
    hold predicted classes.
    """
    notes: list[str] = []
    for part in noted:
        notes += part.notes
    if options.command != "mean":
        notes += _notes_of_labels(table, labels, options.label, of_two=of_two)
    if options.command != "readings":
        numbers = _numbers_of(options) if has_scores else []
        notes += _notes_of_rows(options, table, labels, numbers)
    notes += _notes_of_threshold(options, table)

    for note in notes:
        tell("note", note)

    answer.record["read"] = {
        "name": table.name,
        **{name: column for name in OF_INPUT if (column := getattr(options, name))},
        "n_rows": len(table),
        "n_left_out": table.n_left_out,
        "n_labeled": sum(label is not None for label in labels),
        "notes": notes,
    }

    if of_two:
        check_two_classes(table, labels, options.label)
        if not options.classes:
            _check_markers(labels, options.label)
    if options.command != "readings":
        check_cases(options, table, labels)


def read_merged(options: argparse.Namespace, answer: Answer) -> tuple[Table, LabeledCopies | None]:
    """Return the named table, or all copies as one, and the copies if there are several."""
    tables = options.tables
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
                "files": agreement.names,
                "n_both": agreement.n_both,
                "n_same": agreement.n_same,
                "agreement": agreement.share,
                "cohen_kappa": agreement.kappa,
            }
            for agreement in annotations.agreements()
        ],
        "disagreements": copies.disagreements(),
    }


def check_two_classes(table: Table, labels: np.ndarray, column: str) -> None:
    """Raise if labels have more than two classes."""
    counts = Counter(label for label in labels.tolist() if label not in (None, MARKER))
    if len(counts) <= 2:
        return

    names = sorted(map(str, counts))
    doubt = next((label for label in counts if str(label).casefold() in DOUBTS), None)
    problem = (
        f"Column {column!r} has {len(names)} classes, {listed(map(repr, names))}, but a column of "
        "scores needs two classes."
    )
    if doubt is not None:
        raise ValueError(
            f"{problem} If {doubt!r}, in {counts[doubt]:,} of {len(labels):,} rows, means that the "
            f"class is not known, pass --unlabeled {shlex.quote(str(doubt))}; such rows are often "
            "harder than others of their score, so label them if possible."
        )
    if once := _once_in(table, labels):
        are = "are these typing errors" if len(once) > 1 else "is this a typing error"
        raise ValueError(
            f"{problem} {listed(once)}: {are}? Correct the label, or empty the cell and the row is "
            "not labeled."
        )
    marker = _marker_in(counts, len(labels))
    if marker is not None:
        raise ValueError(
            f"{problem} {str(marker)!r} is in {counts[marker]:,} of {len(labels):,} rows: if it "
            f"marks rows without a label, pass --unlabeled {shlex.quote(str(marker))}."
        )
    raise ValueError(
        f"{problem} For one class, such as {names[0]!r}, write a column that is 1 for items of the "
        "class and 0 for others (empty where the label is missing), and pass the scores of that "
        "class. Accuracy and the metrics of all classes need a column of scores for each class: "
        "estimate --scores, or report --scores for a page."
    )


def _marker_in(counts: Counter, n_rows: int) -> Any:
    """Return the value that may mark missing labels, if the others are two classes."""
    if len(counts) != 3:
        return None
    for marker in counts:
        if _is_marker(marker):
            return marker
    marker, n = counts.most_common(1)[0]
    return marker if n > n_rows / 2.0 else None


def _is_marker(label: Any) -> bool:
    """Return whether a label is a word or a sign for a missing one."""
    text = str(label).casefold()
    return text in MARKERS or all(category(letter).startswith("P") for letter in text)


def _check_markers(labels: np.ndarray, column: str) -> None:
    """Raise if one of two classes is a word or a sign for a missing label."""
    counts = Counter(label for label in labels.tolist() if label not in (None, MARKER))
    markers = [label for label in counts if isinstance(label, str) and _is_marker(label)]
    if len(counts) > 2 or len(markers) != 1:
        return

    (marker,) = markers
    others = [str(label) for label in counts if label != marker] or ["CLASS"]
    if others == ["+"]:
        return

    raise ValueError(
        f"Column {column!r} has {marker!r} in {counts[marker]:,} of {len(labels):,} rows: if it "
        f"marks rows without a label, pass --unlabeled {shlex.quote(marker)}; if it is a class, "
        f"name both by --classes {shlex.quote(others[0])} {shlex.quote(marker)}."
    )


def _once_in(table: Table, labels: np.ndarray) -> list[str]:
    """Return where labels are that occur once, if the others are of two classes."""
    values = labels.tolist()
    counts = Counter(label for label in values if label not in (None, MARKER))
    once = [label for label, n in counts.items() if n == 1]
    if len(counts) - len(once) != 2:
        return []
    return [
        f"{label!r} occurs once, {table.unit} {table.places[values.index(label)]}" for label in once
    ]


def _notes_of_rows(
    options: argparse.Namespace, table: Table, labels: np.ndarray, numbers: list[str]
) -> tuple[str, ...]:
    """Return notes on rows that may be no items; raise on a total or contradicted labels."""
    checks = RowChecks(
        table,
        numbers,
        options.label,
        labels,
        options.groups,
    )
    return checks.notes(has_classes=options.command != "mean")


def _numbers_of(options: argparse.Namespace) -> list[str]:
    """Return the columns that hold numbers."""
    graded = columns_in(options, ["judge"]) if options.command == "mean" else []
    return [*columns_of_scores(options), *graded]


def _notes_of_labels(
    table: Table, labels: np.ndarray, column: str, *, of_two: bool
) -> tuple[str, ...]:
    """Return notes on labels that may be typing errors of others; more than two are an error."""
    values = labels.tolist()
    if of_two and len(set(values) - {None, MARKER}) > 2:
        return ()
    return tuple(
        f"Label {label!r} in column {column!r} occurs once, {table.unit} {table.places[row]}: a "
        f"typing error of {of!r}?"
        for label, row, of in slips_in(values)
    )

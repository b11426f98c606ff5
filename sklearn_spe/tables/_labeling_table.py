"""Tables to label, and their labeled copies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..inputs._validation import MAX_NAMED, listed
from ..inputs._writing import write_file
from ._compression import WRITERS, compressed
from ._source import quoted
from ._table import BOOLEANS, POINT, Table, is_missing, labels_in, words_in

if TYPE_CHECKING:
    from ..inputs._raters import Annotations

# Prefix of the columns stored besides the user's own.
PREFIX = "spe_"
# How cells begin that spreadsheets compute.
FORMULA_STARTS = ("=", "+", "@")
# File name endings that would be read in another format.
OTHER_FORMATS = {
    *(".parquet", ".pq", ".feather", ".arrow", ".xlsx", ".xls", ".jsonl", ".ndjson", ".json"),
    ".zip",
}
# The column that identifies rows of written copies, and those that people may change.
ITEM, SKIPPED = "spe_item", "spe_skipped"
# Of the record: the label as it was learned, and the parameters with the options of the last call.
ANSWER, SESSION, NOTE = "spe_answer", "spe_session", "note"
# In the record: not yet.
NEVER = -1
# What an empty cell of the record is.
EMPTY = dict.fromkeys(("order", "query", "asked", "answered"), NEVER)
# Spreadsheets keep fifteen digits of a number.
DIGITS_LOST = 1e-14
NO_COPIES = "Give copies of one table in which only labels were filled in."


@dataclass(frozen=True, eq=False)
class LabelingTable:
    """Rows of a file, of which some are labeled."""

    table: Table  # the user's own columns, in the order of the items
    label: str  # the column of labels
    columns: dict[str, Any]  # scores, labels and the record, by their names in the file
    names: dict[str, str]  # from the names of `ActiveTestSelector.from_frame` to those in the file
    notes: tuple[str, ...]  # inferred properties that may be wrong

    @classmethod
    def of(
        cls,
        table: Table,
        score: str | None,
        label: str,
        record: Mapping[str, type],
        classes: Sequence[str] | None = None,
        judges: Iterable[str] = (),
        optional: Mapping[str, type] | None = None,
    ) -> LabelingTable:
        """Return a table, written by `write` or not; a record may lack `optional` columns."""
        names = {name: f"{PREFIX}{name}" for name in record}
        resumes = _resumes(table, names.values())

        for name, kind in (optional or {}).items():
            names[name] = f"{PREFIX}{name}"
            if names[name] in table.names:
                record = {**record, name: kind}
                resumes = _resumes(table, [names[name] for name in record])

        if label not in table.names:
            table.check_not_elsewhere(label)
            # No row is labeled yet.
            table = table.with_column(label, [""] * len(table))

        if resumes:
            places = table.optional_numbers(names["item"]).values
            table = table.taken(np.argsort(places, kind="stable"))
        else:
            record = {}

        # Labels, and columns of the record with labels, which have the same classes.
        label_columns = [label, *(names[name] for name, kind in record.items() if kind is object)]
        labels = table.labels(*label_columns, classes=classes)
        label_values = labels.values.reshape(len(label_columns), len(table))
        columns = dict(zip(label_columns, label_values, strict=True))

        # Scores and verdicts.
        inputs = {} if score is None else {score: table.numbers(score)}
        words = classes or words_in(labels.values.ravel())
        inputs |= {judge: table.labels(judge, classes=words) for judge in judges}
        columns |= {name: column.values for name, column in inputs.items()}

        for name, kind in record.items():
            if kind is str:
                columns[names[name]] = np.array(_filled(table.texts(names[name])), dtype=object)
            elif kind is not object:
                columns[names[name]] = _with_empty(name, _numbers(table, names[name]))

        reserved = set(names.values())
        user_columns = {
            name: cells for name, cells in table.columns.items() if name not in reserved
        }
        commas = any(column.decimal == "," for column in inputs.values())
        dialect = replace(table.dialect, decimal="," if commas else ".")

        notes = list(table.notes)
        for column in inputs.values():
            notes += column.notes

        notes += labels.notes
        notes += _notes_of_formulas(table, user_columns)

        names_in_file = {} if score is None else {"score": score}
        names_in_file |= {f"judge_{judge}": judge for judge in judges}
        names_in_file |= {"label": label, **names}
        table = replace(table, columns=user_columns, dialect=dialect)

        return cls(table, label, columns, names_in_file, tuple(notes))

    @property
    def resumes(self) -> bool:
        """Whether the table was written by this package, and labeling is resumed."""
        return self.names["item"] in self.columns

    @property
    def default_path(self) -> Path:
        """The default output path: a new file for a user's table, else the same file."""
        path = self.table.path
        if path is None:
            raise ValueError("With standard input an output file is needed: option --out.")
        if self.resumes and self.table.is_text and path.suffix.lower() not in {*WRITERS, ".zip"}:
            return path
        return path.with_name(f"{path.name.split('.')[0]}_next.csv")

    def write(
        self, path: str | Path, columns: dict[str, Any], first: Sequence[int] | np.ndarray
    ) -> None:
        """Write all rows, with the rows of `first` on top."""
        table = self.table
        path = Path(path)
        over = self.check(path)

        header = [*table.names, *(self.names[name] for name in columns)]
        cells = list(table.columns.values())
        for name, values in columns.items():
            texts_of_rows = _without_empty(name, _texts(values, table.dialect.decimal))
            if self.names[name] == SESSION:
                # Once, as it is the same for all rows.
                texts_of_rows[1:] = [""] * (len(table) - 1)
            cells.append(tuple(texts_of_rows))
        others = np.setdiff1d(np.arange(len(table)), first)
        rows = ([texts[item] for texts in cells] for item in [*first, *others])
        data = table.dialect.encode([header, *rows])

        try:
            write_file(
                path,
                compressed(data, path),
                new=not over,
                unchanged=table.fingerprint if over else None,
            )
        except FileExistsError:
            # Another process was faster.
            raise self._exists(path) from None

    def check(self, path: Path) -> bool:
        """Return whether a file is the input, to be replaced; raise if it must not be replaced."""
        over = self.table.path is not None and path.resolve() == self.table.path.resolve()
        if path.exists() and not over:
            raise self._exists(path)

        other = [end for end in path.suffixes if end.lower() in OTHER_FORMATS]
        if other or (over and not self.table.is_text):
            raise ValueError(
                f"Tables are written as text with separators, not as {path.name}: pass a file such "
                f"as {path.name.split('.')[0]}_next.csv as option --out."
            )

        if over and self.table.n_left_out:
            raise ValueError(
                f"{self.table.n_left_out:,} rows of {self.table.name} were left out and would be "
                "lost: pass another file as option --out."
            )

        return over

    def _exists(self, path: Path) -> ValueError:
        return ValueError(
            f"{path} exists and may hold labels: go on from it (in the place of "
            f"{self.table.name}), or name another file by the option --out."
        )


def _notes_of_formulas(table: Table, columns: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return a note on cells that a spreadsheet would take for formulas, if any."""
    formulas = [
        (row, name)
        for name, cells in columns.items()
        for row, cell in enumerate(cells)
        if cell.startswith(FORMULA_STARTS) and not POINT.fullmatch(cell.strip())
    ]
    if not formulas:
        return []

    row, name = formulas[0]
    cells = "1 cell begins" if len(formulas) == 1 else f"{len(formulas):,} cells begin"

    return [
        f"{cells} like a formula, such as {table.describe_rows([row], name)} in column "
        f"{quoted(name)}: written as in the file, and a spreadsheet may compute it. Open the table "
        "as text if you do not trust where it is from."
    ]


def _resumes(table: Table, names: Iterable[str]) -> bool:
    """Return whether the columns of a record exist: all of them, or none."""
    lost = [name for name in names if name not in table.names]
    present = [name for name in names if name in table.names]
    if present and lost:
        raise ValueError(
            f"{table.name} has {listed(map(quoted, present))}, which are reserved for the record "
            "of "
            f"a labeling session, but not {listed(map(quoted, lost))}. If they are your own, "
            "rename them; if not, continue from a copy of the table that has all of them."
        )
    return bool(present)


def _numbers(table: Table, column: str) -> np.ndarray:
    """Return a column of numbers or booleans, as spreadsheets write 0 and 1."""
    labels = table.labels(column).values
    if set(map(type, labels)) == {bool}:
        return labels.astype(float)
    return table.optional_numbers(column).values


def _with_empty(name: str, numbers: np.ndarray) -> np.ndarray:
    """Return a column of a record with what its empty cells are."""
    return np.where(np.isnan(numbers), EMPTY[name], numbers) if name in EMPTY else numbers


def _without_empty(name: str, texts: list[str]) -> list[str]:
    """Return the texts of a column of a record, empty where nothing happened."""
    return ["" if text == str(EMPTY[name]) else text for text in texts] if name in EMPTY else texts


def _filled(texts: Sequence[str]) -> list[str]:
    """Return the texts of a column that may be written in one row only."""
    first = stored_once(texts)
    return [text if text.strip() else first for text in texts]


def stored_once(texts: Sequence[str]) -> str:
    """Return the first non-empty text of a column, or an empty one."""
    return next((text for text in texts if text.strip()), "")


def _texts(values: Any, decimal: str) -> list[str]:
    values = np.asarray(values)
    # People may write 1 for yes.
    values = values.astype(int) if values.dtype == bool else values
    return [_text(value, decimal) for value in values.tolist()]


def _text(value: Any, decimal: str) -> str:
    if value is None or value != value:
        return ""
    return repr(value).replace(".", decimal) if isinstance(value, float) else str(value)


@dataclass(frozen=True, eq=False)
class LabeledCopies:
    """Copies of one table, each labeled by a different person."""

    copies: tuple[Table, ...]  # with rows in the same order, that of the items
    label: str  # the column of labels; copies without it have none
    annotations: Annotations  # the labels of each copy, by the name of its file

    @classmethod
    def of(
        cls, tables: Sequence[Table], label: str, classes: Sequence[str] | None = None
    ) -> LabeledCopies:
        """Match the rows of tables; raise if they differ by more than labels."""
        # Not at the top: one table has no annotators, and reading it should need numpy alone.
        from ..inputs._raters import Annotations

        _check_names([table.name for table in tables])
        first, *others = tables
        if ITEM in first.names:
            first = first.taken(np.argsort(_items(first), kind="stable"))

        free = {label, *([SKIPPED] if ITEM in first.names else [])}
        free |= set(_record_columns(first))
        copies = [first, *(_matched(first, other, free) for other in others)]
        copies = _with_latest_record(copies)
        cells = [_cells(copy, label) for copy in copies]
        column = labels_in(
            [text for of_copy in cells for text in of_copy], quoted(label), classes, first.decimal
        )
        labels = column.values.reshape(len(copies), len(first))
        labels_by_name = dict(zip(_short_names(copies), labels, strict=True))

        # As elsewhere, -1 is not a label unless it is given as a class.
        marker = None if "-1" in (classes or ()) else -1
        annotations = Annotations.of(labels_by_name, classes=classes, unlabeled_label=marker)
        return cls(tuple(copies), label, annotations)

    @property
    def merged(self) -> Table:
        """The first copy, with all labels that are not disputed."""
        first, *others = self.copies
        if not others:
            return first
        if not any(self.label in copy.names for copy in self.copies):
            return replace(first, name=self._name)

        settled = first.with_column(self.label, self._cells())
        if ITEM in first.names and SKIPPED in first.names:
            skipped = [copy.texts(SKIPPED) for copy in self.copies]
            cells = [max(cells, key=_says_yes) for cells in zip(*skipped, strict=True)]
            settled = settled.with_column(SKIPPED, cells)

        notes = dict.fromkeys(note for copy in self.copies for note in copy.notes)
        return replace(settled, name=self._name, notes=tuple(notes))

    def disagreements(self) -> list[list[dict[str, Any]]]:
        """Return the rows with different labels, with each label and its position."""
        copies = list(zip(self.annotations.names, self.copies, strict=True))
        labels = self.annotations.labels
        return [
            [
                {"name": name, copy.unit: copy.places[row], "label": label}
                for (name, copy), label in zip(copies, labels[:, row], strict=True)
                if label is not None
            ]
            for row in self.annotations.disputed
        ]

    def check_new(self, path: Path) -> None:
        """Raise if a merged table would overwrite the copy of an annotator."""
        paths = [copy.path.resolve() for copy in self.copies if copy.path is not None]
        if path.resolve() in paths:
            raise ValueError(
                f"{path} is the copy of one annotator: pass a new file as option --out, or leave "
                "it out to write each copy."
            )

    def describe(self) -> str:
        """Return the counts of labels, agreements and disagreements in words."""
        annotations = self.annotations
        counts = zip(annotations.names, annotations.n_labeled, strict=True)
        lines = ["Labeled rows: " + ", ".join(f"{n:,} in {name}" for name, n in counts) + "."]
        lines += [agreement.describe() for agreement in annotations.agreements()]
        disagreements = self.disagreements()
        if disagreements:
            rows = "1 row" if len(disagreements) == 1 else f"{len(disagreements):,} rows"
            lines.append(
                f"They disagree on {rows}. These have no label until that is settled: write the "
                f"same into each file, or leave it empty in all but one."
            )

        for row in disagreements[:MAX_NAMED]:
            parts = (
                f"{entry['name']}, {unit} {entry[unit]}: {entry['label']!r}"
                for entry in row
                for unit in ("line", "row")
                if unit in entry
            )
            lines.append("; ".join(parts))

        if len(disagreements) > MAX_NAMED:
            lines.append(f"and {len(disagreements) - MAX_NAMED:,} more")
        return "\n".join(lines)

    @property
    def _name(self) -> str:
        return " and ".join(copy.name for copy in self.copies)

    def _cells(self) -> list[str]:
        """Return the label of each row, as first written."""
        labels = self.annotations.labels
        cells = [_cells(copy, self.label) for copy in self.copies]
        merged = []

        for row, of_row in enumerate(labels.T):
            labeled_in = (copy for copy, label in enumerate(of_row) if label is not None)
            merged.append(cells[next(labeled_in, 0)][row])

        # With the file's own marker of missing labels: some write -1.
        unlabeled = (cells[0][row] for row, label in enumerate(labels[0]) if label is None)
        blank = next(unlabeled, "")

        for row in self.annotations.disputed:
            merged[row] = blank

        return merged


def write_together(
    sheets: Sequence[tuple[LabelingTable, Path]], columns: dict[str, Any], first: Sequence[int]
) -> None:
    """Write several tables atomically; see `LabelingTable.write`."""
    written: list[tuple[Path, bytes | None]] = []
    try:
        for table, path in sheets:
            content = path.read_bytes() if path.is_file() else None
            table.write(path, columns, first)
            written.append((path, content))
    except BaseException:
        for path, content in written:
            if content is None:
                path.unlink()
            else:
                write_file(path, content)
        raise


def _check_names(names: list[str]) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"{twice} is passed twice; pass the copy of each annotator once.")


def _short_names(copies: Sequence[Table]) -> list[str]:
    short = [copy.name if copy.path is None else copy.path.name for copy in copies]
    return short if len(set(short)) == len(short) else [copy.name for copy in copies]


def _matched(first: Table, other: Table, free: set[str]) -> Table:
    """Return a copy with its rows in the order of the first."""
    alone = [
        f"{table.name} alone has {listed(map(quoted, names))}"
        for table, counterpart in ((first, other), (other, first))
        if (names := [name for name in table.names if name not in {*counterpart.names, *free}])
    ]
    if alone:
        begun = [table.name for table in (first, other) if ITEM in table.names]
        remedy = NO_COPIES
        if len(begun) == 1:
            remedy = (
                f"If a run was ended while it wrote, and nothing was labeled in {begun[0]}, remove "
                f"that and run the same again. {NO_COPIES}"
            )
        raise ValueError(
            f"{first.name} and {other.name} are not copies of one table, they have different "
            f"columns: {' and '.join(alone)}. {remedy}"
        )

    if len(first) != len(other):
        raise ValueError(
            f"{first.name} and {other.name} are not copies of one table: they have "
            f"{len(first):,} and {len(other):,} rows. {NO_COPIES}"
        )

    if ITEM in first.names:
        other = _in_order_of(first, other)

    for column in first.names:
        if column not in free:
            _check_same(first, other, column)

    return other


def _record_columns(table: Table) -> list[str]:
    """Return the columns of the record of a session, which only programs change."""
    if ITEM not in table.names:
        return []
    return [name for name in table.names if name.startswith(PREFIX) and name not in (ITEM, SKIPPED)]


def _with_latest_record(copies: Sequence[Table]) -> list[Table]:
    """Return copies with the record of the one that continues those of all others.

    Copies are written one after the other: a run that was ended between leaves some with the
    record before.
    """
    first, *others = copies
    columns = _record_columns(first)
    latest = next(
        (copy for copy in copies if all(_continues(copy, earlier, columns) for earlier in copies)),
        None,
    )
    if latest is None:
        for other in others:
            for column in columns:
                _check_same(first, other, column)
        return list(copies)

    record = {column: latest.columns[column] for column in columns}
    return [replace(copy, columns={**copy.columns, **record}) for copy in copies]


def _continues(later: Table, earlier: Table, columns: Sequence[str]) -> bool:
    """Return whether a record has all that happened in another one, of the same session."""
    differ = [column for column in columns if not _is_same_column(later, earlier, column)]
    if SESSION in differ:
        settings = [_settings_in(cell) for cell in later.texts(SESSION)]
        earlier_settings = [_settings_in(cell) for cell in earlier.texts(SESSION)]
        if settings != earlier_settings:
            return False

    for column in differ:
        if column in (SESSION, ANSWER):
            # A corrected label changes the answer.
            continue

        try:
            numbers = later.optional_numbers(column).values
            earlier_numbers = earlier.optional_numbers(column).values
        except ValueError:
            return False

        happened = ~(np.isnan(earlier_numbers) | (earlier_numbers == NEVER))
        same = np.isclose(numbers, earlier_numbers, rtol=DIGITS_LOST, atol=0.0)
        if not same[happened].all():
            return False

    return True


def _settings_in(text: str) -> str:
    """Return the stored parameters of a session without the options of the last call."""
    try:
        settings = json.loads(text)
        settings.pop(NOTE, None)
    except (ValueError, AttributeError, RecursionError):
        return text
    return json.dumps(settings, sort_keys=True)


def _in_order_of(first: Table, other: Table) -> Table:
    """Return a copy with its rows in the order of the items of the first."""
    items = _items(first)
    row_of = {item: row for row, item in enumerate(_items(other))}
    if missing := [item for item in items if item not in row_of]:
        raise ValueError(
            f"{first.name} and {other.name} are not copies of one table: the items "
            f"{listed(f'{item:g}' for item in missing)} in column {ITEM!r} are in the first only. "
            f"{NO_COPIES}"
        )
    return other.taken([row_of[item] for item in items])


def _items(table: Table) -> list[float]:
    items = table.optional_numbers(ITEM).values.tolist()
    if len(set(items)) < len(items):
        raise ValueError(
            f"{table.name} has duplicated or added rows: the numbers in its column {ITEM!r} are "
            "not distinct."
        )
    return items


def _check_same(first: Table, other: Table, column: str) -> None:
    texts = first.texts(column)
    theirs = other.texts(column)

    if not _is_same_column(first, other, column):
        rows = [
            row for row, cells in enumerate(zip(texts, theirs, strict=True)) if not _same(*cells)
        ]
        unit = first.unit
        examples = [
            f"{unit} {first.places[row]} ({quoted(texts[row])}) and {unit} {other.places[row]} "
            f"({quoted(theirs[row])})"
            for row in rows[:3]
        ]
        raise ValueError(
            f"{first.name} and {other.name} are not copies of one table: column {quoted(column)} "
            f"differs in {len(rows):,} of {len(texts):,} rows, such as {listed(examples)}. "
            f"{NO_COPIES} If one was sorted, restore the order; keep personal columns, such as "
            "remarks, in another file."
        )


def _is_same_column(first: Table, other: Table, column: str) -> bool:
    """Return whether two copies have the same in a column, maybe written differently."""
    cells = zip(first.texts(column), other.texts(column), strict=True)
    return all(_same(*pair) for pair in cells) or _same_numbers(first, other, column)


def _same(one: str, other: str) -> bool:
    one = one.strip()
    other = other.strip()
    if one == other or (is_missing(one) and is_missing(other)):
        return True
    known = BOOLEANS.get(one.lower())
    return known is not None and known == BOOLEANS.get(other.lower())


def _same_numbers(first: Table, other: Table, column: str) -> bool:
    """Return whether cells are the same numbers, written differently."""
    try:
        numbers = first.optional_numbers(column).values
        other_numbers = other.optional_numbers(column).values
    except ValueError:
        return False
    return bool(
        np.isclose(numbers, other_numbers, rtol=DIGITS_LOST, atol=0.0, equal_nan=True).all()
    )


def _says_yes(cell: str) -> bool:
    return cell.strip().lower() in ("1", "1.0", "true")


def _cells(table: Table, column: str) -> list[str]:
    return table.texts(column) if column in table.names else [""] * len(table)

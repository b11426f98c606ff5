"""Human labels of a second file, matched with answers by id and system."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from ...inputs._validation import listed
from ._judge_columns import (
    NO_JUDGE_WORDS,
    PROMPT_NAMES,
    SYSTEM_NAMES,
    Answers,
    label_in,
    labels_in,
    named_like,
    no_column,
    verdicts,
    words_of,
)
from ._judge_files import MAX_LISTED, AnswerFile, Json


def with_labels(answers: Answers, file: AnswerFile, label: str | None) -> Answers:
    """Return answers with the labels of another file, joined by id and system."""
    columns = list(dict.fromkeys(key for record in file.records for key in record))
    table = {name: [record.get(name) for record in file.records] for name in columns}
    if label is not None and label not in table:
        raise ValueError(f"{file.name}: {no_column(label, columns)}")
    column = label or (answers.label_column if answers.label_column in table else "")
    column = column or label_in(table, [file], ()) or _only_verdict(table)
    if not column:
        raise ValueError(
            f"{file.name} has no column of labels such as pass and fail; there are "
            f"{', '.join(columns[:MAX_LISTED])}. Name it by --label."
        )

    labels = labels_in(table[column], column)
    rows = np.flatnonzero(np.isfinite(labels))
    if not len(rows):
        raise ValueError(f"No label is filled in: column {column!r} of {file.name} is empty.")
    systems = _systems_in(table, answers, column)
    keys, id_column, target = _matched_ids(answers, table, column, systems, rows, file.name)

    merged = answers.labels.copy()
    for row, place in zip(rows.tolist(), keys, strict=True):
        if np.isfinite(merged[place]) and merged[place] != labels[row]:
            raise ValueError(
                f"{file.name}: the answer {_id_text(table, id_column, systems, row)} has another "
                "label in the file of answers."
            )
        merged[place] = labels[row]

    by = f"`{id_column}`" if id_column == target else f"`{id_column}` = `{target}`"
    if systems is not None:
        by += " and system"
    remark = f"{len(rows):,} labels of {file.name} are matched by {by}."
    return Answers(
        **{
            **vars(answers),
            "labels": merged,
            "label_column": answers.label_column if _has_labels(answers) else column,
            "remarks": [remark, *answers.remarks],
        }
    )


def _has_labels(answers: Answers) -> bool:
    return bool(np.isfinite(answers.labels).any())


def _only_verdict(table: dict[str, list[Json]]) -> str:
    """Return the column of verdicts if exactly one column has verdicts, else ""."""
    fitting = [
        column
        for column, values in table.items()
        if not words_of(column) & NO_JUDGE_WORDS and verdicts(values) is not None
    ]
    return fitting[0] if len(fitting) == 1 else ""


def _systems_in(table: dict[str, list[Json]], answers: Answers, label: str) -> list[str] | None:
    """Return the system of each label as the answers name it; None without such a column."""
    names = {name: name for name in answers.names}
    # A last part, such as that of provider/model, where it identifies systems.
    ends = Counter(re.split(r"[/:]", name)[-1] for name in names)
    names |= {e: n for n in answers.names if ends[e := re.split(r"[/:]", n)[-1]] == 1}
    candidates = [answers.system_column, *named_like(table, SYSTEM_NAMES), *table]
    for column in dict.fromkeys(candidates):
        if column not in table or column == label:
            continue
        values = [str(value) for value in table[column]]
        if all(value in names for value in values):
            return [names[value] for value in values]
    return None


def _matched_ids(
    answers: Answers,
    table: dict[str, list[Json]],
    label: str,
    systems: list[str] | None,
    rows: np.ndarray,
    name: str,
) -> tuple[list[int], str, str]:
    """Return the answer of each label, and the columns of ids in both files.

    Raises ValueError if no pair of columns matches each label with one answer.
    """
    columns = dict.fromkeys(key for record in answers.records for key in record)
    ids = [c for c in (answers.prompt_column, *named_like(table, PROMPT_NAMES)) if c in table]
    ids = [c for c in dict.fromkeys([*ids, *(c for c in table if c in columns)]) if c != label]
    if not ids:
        raise ValueError(
            f"{name} has no column of ids; needed is one with the values of "
            f"`{answers.prompt_column or 'id'}`, and one with the system."
        )

    targets = dict.fromkeys([answers.prompt_column, *ids, *named_like(columns, PROMPT_NAMES)])
    problems = []
    for of_number in (False, True):
        for id_column in ids:
            for target in targets:
                if target not in columns or (of_number and id_column != ids[0]):
                    continue
                places = _places(answers, target, of_number)
                match = _match(places, table[id_column], systems, rows, of_number)
                if isinstance(match, list):
                    return match, id_column, f"{target} (number)" if of_number else target
                problems.append((*match, id_column, target))

    # The pair of columns with most matches is shown in the error.
    _, text, id_column, target = min(problems, key=lambda problem: problem[0])
    example = next(str(r[target]) for r in answers.records if r.get(target) is not None)
    raise ValueError(
        f"{name}: {text} Compared: `{id_column}` and `{target}`, such as {example[:40]!r}."
    )


def _places(answers: Answers, column: str, of_number: bool) -> dict[tuple[str, str], list[int]]:
    """Return the indices of answers by id and system, and by id alone (system "")."""
    places: dict[tuple[str, str], list[int]] = {}
    for index, (record, system) in enumerate(
        zip(answers.records, answers.systems.tolist(), strict=True)
    ):
        key = _key(record.get(column), of_number)
        places.setdefault((key, system), []).append(index)
        places.setdefault((key, ""), []).append(index)
    return places


def _key(value: Json, of_number: bool) -> str:
    text = str(value).strip()
    if of_number:
        # Of a text with a single number, such as case_3.
        numbers = re.findall(r"\d+", text)
        return str(int(numbers[0])) if len(numbers) == 1 else text
    return text.removesuffix(".0")


def _match(
    places: dict[tuple[str, str], list[int]],
    ids: Sequence[Json],
    systems: list[str] | None,
    rows: np.ndarray,
    of_number: bool,
) -> list[int] | tuple[int, str]:
    """Return the index of the answer of each label, or the number of bad matches and an example."""
    matches: list[int] = []
    unmatched: list[str] = []
    ambiguous: list[str] = []
    for row in rows.tolist():
        key = (_key(ids[row], of_number), "" if systems is None else systems[row])
        answers = places.get(key, [])
        text = repr(str(ids[row])[:40]) + (f" of {key[1]}" if key[1] else "")
        if not answers:
            unmatched.append(text)
        elif len(answers) > 1:
            ambiguous.append(text)
        else:
            matches.append(answers[0])

    twice = [index for index, count in Counter(matches).items() if count > 1]
    if unmatched:
        more = f" and {len(unmatched) - 3:,} more" if len(unmatched) > 3 else ""
        of = (
            f"{len(unmatched):,} of {len(rows):,} labels match no answer: "
            f"{', '.join(unmatched[:3])}{more}."
        )
        return len(unmatched) + len(ambiguous), of
    if ambiguous:
        remedy = " Add a column with the system." if systems is None else ""
        return len(ambiguous), (
            f"{len(ambiguous):,} of {len(rows):,} labels match several answers: "
            f"{', '.join(ambiguous[:3])}.{remedy}"
        )
    if twice:
        rows_by_answer = dict(zip(matches, rows.tolist(), strict=True))
        texts = [repr(str(ids[rows_by_answer[index]])[:40]) for index in twice]
        return len(twice), f"The same answer has several labels: {listed(texts[:3])}."
    return matches


def _id_text(table: dict[str, list[Json]], column: str, systems: list[str] | None, row: int) -> str:
    of = f" of {systems[row]}" if systems is not None else ""
    return f"{str(table[column][row])[:40]!r}{of}"

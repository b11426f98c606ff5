"""Human labels of a second file, matched with answers by id and system."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from ...inputs._validation import listed
from ._judge_columns import (
    NO_JUDGE_WORDS,
    PROMPT_NAMES,
    SYSTEM_NAMES,
    label_in,
    named_like,
    no_column,
    plain,
    reviewers_in,
    words_of,
)
from ._judge_data import Answers
from ._judge_fields import Json, MisfitError, is_many
from ._judge_files import MAX_LISTED, AnswerFile
from ._judge_ratings import MAX_ODD, labels_in, labels_of_people, misfits_in, verdicts

# Why a label has no answer.
NONE = "match no answer"
SEVERAL = "match several answers"
TWICE = "are of an answer with another label"


def with_labels(answers: Answers, file: AnswerFile, label: str | None) -> Answers:
    """Return answers with the labels of another file, joined by id and system.

    Labels that match no answer are left out, if most do.
    """
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

    people = [column] if label else reviewers_in(table, column)
    labels, remarks = labels_of_people(table, people, file.places)
    column = people[0]
    rows = np.flatnonzero(np.isfinite(labels))
    if not len(rows):
        raise ValueError(f"No label is filled in: column {column!r} of {file.name} is empty.")
    matched = _matched(answers, table, people, rows, file)

    merged = answers.labels.copy()
    for row, index in matched.indices.items():
        if np.isfinite(merged[index]) and merged[index] != labels[row]:
            raise ValueError(
                f"{file.places[row]}: the answer {matched.texts[row]} has another label in the "
                "file of answers."
            )
        merged[index] = labels[row]

    misfits = [
        str(MisfitError.at(file.places[row], name, "pass or fail", table[name][row]))
        for name in people
        for row in misfits_in(table[name], labels_in(table[name], name))
    ]
    misfits += [
        f"{file.places[row]}, {matched.columns}: {matched.texts[row]}, labels that {why}"
        for row, why in matched.unmatched.items()
    ]
    remark = f"{len(matched.indices):,} labels of {file.name} are matched by {matched.columns}."
    return replace(
        answers,
        labels=merged,
        label_column=answers.label_column if answers.n_labels else column,
        remarks=[remark, *remarks, *answers.remarks],
        left_out=[*answers.left_out, file.left_out.with_more(misfits)],
    )


def _only_verdict(table: dict[str, list[Json]]) -> str:
    """Return the column of verdicts if exactly one column has verdicts, else ""."""
    fitting = [
        column
        for column, values in table.items()
        if not words_of(column) & NO_JUDGE_WORDS and verdicts(values) is not None
    ]
    return fitting[0] if len(fitting) == 1 else ""


def _systems_in(
    table: dict[str, list[Json]], answers: Answers, people: list[str]
) -> tuple[str, list[str]]:
    """Return the column of systems, and each as the answers name it; "" without such a column."""
    names = {name: name for name in answers.names}
    # A last part, such as that of provider/model, where it identifies systems.
    ends = Counter(re.split(r"[/:]", name)[-1] for name in names)
    names |= {e: n for n in answers.names if ends[e := re.split(r"[/:]", n)[-1]] == 1}
    candidates = [answers.system_column, *named_like(table, SYSTEM_NAMES), *table]
    for column in dict.fromkeys(candidates):
        if column not in table or column in people:
            continue
        values = [str(value) for value in table[column]]
        if not is_many(sum(value not in names for value in values), len(values), MAX_ODD):
            return column, [names.get(value, value) for value in values]
    return "", [""] * len(next(iter(table.values())))


@dataclass(frozen=True)
class _Match:
    """The answer of each label, by row."""

    indices: dict[int, int]
    unmatched: dict[int, str]  # why a label has no answer
    texts: dict[int, str]  # which answer was looked for
    columns: str  # by which it was


def _matched(
    answers: Answers,
    table: dict[str, list[Json]],
    people: list[str],
    rows: np.ndarray,
    file: AnswerFile,
) -> _Match:
    """Return the answers of labels, by the pair of columns that matches most of them.

    Raises ValueError if these are not most.
    """
    columns = dict.fromkeys(key for record in answers.records for key in record)
    ids = [c for c in (answers.prompt_column, *named_like(table, PROMPT_NAMES)) if c in table]
    ids = [c for c in dict.fromkeys([*ids, *(c for c in table if c in columns)]) if c not in people]
    if not ids:
        raise ValueError(
            f"{file.name} has no column of ids; needed is one with the values of "
            f"`{answers.prompt_column or 'id'}`, and one with the system."
        )

    # Of several answers of a system to a prompt, which one it is.
    system, parts = _systems_in(table, answers, people)
    of_answers = answers.systems.tolist() if system else [""] * len(answers.records)
    repeats = [c for c in table if plain(c) == plain(answers.repeat_column or " ")]
    for column in repeats:
        parts = [f"{part} {column} {_key(v)}" for part, v in zip(parts, table[column], strict=True)]
        of_answers = [
            f"{part} {column} {_key(record.get(answers.repeat_column))}"
            for part, record in zip(of_answers, answers.records, strict=True)
        ]
    lacking = [] if system else ["the system"]
    lacking += [f"`{answers.repeat_column}`"] if answers.repeat_column and not repeats else []
    remedy = f" Add a column with {' and '.join(lacking)}." if lacking else ""
    others = [] if system else named_like(table, SYSTEM_NAMES)
    if others:
        remedy = (
            f" Add a column with the system, as `{others[0]}` has others than the answers, whose "
            f"systems are {listed(answers.names)}."
        )

    targets = dict.fromkeys([answers.prompt_column, *ids, *named_like(columns, PROMPT_NAMES)])
    matches = []
    for of_number in (False, True):
        for id_column in ids:
            for target in targets:
                if target not in columns or (of_number and id_column != ids[0]):
                    continue
                by = f"`{id_column}`" if id_column == target else f"`{id_column}` = `{target}`"
                by += " (number)" if of_number else ""
                by += " and system" if system else ""
                by += "".join(f" and `{column}`" for column in repeats)
                keys = [_key(record.get(target), of_number) for record in answers.records]
                wanted = [_key(value, of_number) for value in table[id_column]]
                match = _match(
                    list(zip(keys, of_answers, strict=True)),
                    list(zip(wanted, parts, strict=True)),
                    rows,
                    by,
                )
                if not match.unmatched:
                    return match
                matches.append((match, id_column, target))

    # The pair of columns with most matches is shown in the error.
    match, id_column, target = min(matches, key=lambda each: len(each[0].unmatched))
    if not is_many(len(match.unmatched), len(rows), MAX_ODD):
        return match
    example = next(str(r[target]) for r in answers.records if r.get(target) is not None)
    reason = Counter(match.unmatched.values()).most_common(1)[0][0]
    texts = [
        f"{match.texts[row]} ({file.places[row].rsplit(', ', 1)[-1]})"
        for row, why in match.unmatched.items()
        if why == reason
    ]
    more = f" and {len(texts) - 3:,} more" if len(texts) > 3 else ""
    remedy = remedy if reason == SEVERAL else ""
    raise ValueError(
        f"{file.name}: {len(texts):,} of {len(rows):,} labels {reason}: {', '.join(texts[:3])}"
        f"{more}.{remedy} Compared: `{id_column}` and `{target}`, such as {example[:40]!r}."
    )


def _key(value: Json, of_number: bool = False) -> str:
    text = str(value).strip()
    if of_number:
        # Of a text with a single number, such as case_3.
        numbers = re.findall(r"\d+", text)
        return numbers[0].lstrip("0") or "0" if len(numbers) == 1 else text
    return text.removesuffix(".0")


def _match(
    keys: list[tuple[str, str]], wanted: list[tuple[str, str]], rows: np.ndarray, by: str
) -> _Match:
    """Return the index of the answer of each label, and which have none, or several."""
    indices: dict[tuple[str, str], list[int]] = {}
    for index, key in enumerate(keys):
        indices.setdefault(key, []).append(index)
    match = _Match({}, {}, {}, by)
    taken: set[int] = set()
    for row in rows.tolist():
        key = wanted[row]
        answers = indices.get(key, [])
        match.texts[row] = repr(key[0][:40]) + (f" of {key[1].strip()}" if key[1] else "")
        if len(answers) != 1:
            match.unmatched[row] = SEVERAL if answers else NONE
        elif answers[0] in taken:
            match.unmatched[row] = TWICE
        else:
            match.indices[row] = answers[0]
            taken.add(answers[0])
    return match

"""Human labels of a second file, matched with answers by prompt or id, and system."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace

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
    """Return answers with the labels of another file, joined by prompt or id, and system.

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

    columns: str  # by which it was looked for, in words
    id_column: str  # of the labels
    target: str  # the column of the answers that has these ids
    indices: dict[int, int] = field(default_factory=dict)
    unmatched: dict[int, str] = field(default_factory=dict)  # why a label has no answer
    texts: dict[int, str] = field(default_factory=dict)  # which answer was looked for


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
            f"{file.name} has no column of ids. Add one with the values of "
            f"`{answers.prompt_column or 'id'}`, and one with the system."
        )

    targets = dict.fromkeys([answers.prompt_column, *ids, *named_like(columns, PROMPT_NAMES)])
    pairs = [(c, target, False) for c in ids for target in targets if target in columns]
    # Of texts with a single number, such as case_3, by that number.
    pairs += [(ids[0], target, True) for target in targets if target in columns]
    system, parts = _systems_in(table, answers, people)
    repeats = [c for c in table if plain(c) == plain(answers.repeat_column or " ")]
    matches = []
    for pair in pairs:
        match = _match(answers, table, rows, pair, parts if system else None, repeats)
        if not match.unmatched:
            return match
        matches.append(match)

    match = min(matches, key=lambda each: len(each.unmatched))
    if not is_many(len(match.unmatched), len(rows), MAX_ODD):
        return match
    remedy = ""
    reason = Counter(match.unmatched.values()).most_common(1)[0][0]
    if reason == SEVERAL:
        remedy = _remedy_of_several(answers, table, system, repeats)
    example = next(str(r[match.target]) for r in answers.records if r.get(match.target) is not None)
    texts = [
        f"{match.texts[row]} ({file.places[row].rsplit(', ', 1)[-1]})"
        for row, why in match.unmatched.items()
        if why == reason
    ]
    more = f" and {len(texts) - 3:,} more" if len(texts) > 3 else ""
    raise ValueError(
        f"{file.name}: {len(texts):,} of {len(rows):,} labels {reason}: {', '.join(texts[:3])}"
        f"{more}.{remedy} Compared: `{match.id_column}` and `{match.target}`, such as "
        f"{example[:40]!r}."
    )


def _remedy_of_several(
    answers: Answers, table: dict[str, list[Json]], system: str, repeats: list[str]
) -> str:
    """Return which column would tell several answers apart, as a sentence after a space."""
    others = [] if system else named_like(table, SYSTEM_NAMES)
    if others:
        return (
            f" Add a column with the system, as `{others[0]}` has others than the answers, whose "
            f"systems are {listed(answers.names)}."
        )
    lacking = [] if system else ["the system"]
    lacking += [f"`{answers.repeat_column}`"] if answers.repeat_column and not repeats else []
    return f" Add a column with {' and '.join(lacking)}." if lacking else ""


def _key(value: Json, of_number: bool = False) -> str:
    text = str(value).strip()
    if of_number:
        # Of a text with a single number, such as case_3.
        numbers = re.findall(r"\d+", text)
        return numbers[0].lstrip("0") or "0" if len(numbers) == 1 else text
    return text.removesuffix(".0")


def _match(
    answers: Answers,
    table: dict[str, list[Json]],
    rows: np.ndarray,
    pair: tuple[str, str, bool],
    systems: list[str] | None,
    repeats: list[str],
) -> _Match:
    """Return the answer of each label by a pair of columns, and which have none, or several.

    Also by the systems, and by the columns of repeats, of several answers to a prompt.
    """
    id_column, target, of_number = pair
    by = f"`{id_column}`" if id_column == target else f"`{id_column}` = `{target}`"
    by += " (number)" if of_number else ""
    by += "" if systems is None else " and system"
    by += "".join(f" and `{column}`" for column in repeats)

    indices: dict[tuple[str, ...], list[int]] = {}
    for index, record in enumerate(answers.records):
        system = "" if systems is None else answers.systems[index]
        run = [_key(record.get(answers.repeat_column)) for _ in repeats]
        indices.setdefault((_key(record.get(target), of_number), system, *run), []).append(index)

    match = _Match(by, id_column, target)
    taken: set[int] = set()
    for row in rows.tolist():
        name = _key(table[id_column][row], of_number)
        system = "" if systems is None else systems[row]
        run = [_key(table[column][row]) for column in repeats]
        of = " ".join([system, *(f"{c} {key}" for c, key in zip(repeats, run, strict=True))])
        match.texts[row] = repr(name[:40]) + (f" of {of.strip()}" if of else "")
        same = indices.get((name, system, *run), [])
        if len(same) != 1:
            match.unmatched[row] = SEVERAL if same else NONE
        elif same[0] in taken:
            match.unmatched[row] = TWICE
        else:
            match.indices[row] = same[0]
            taken.add(same[0])
    return match

"""Columns of answers, guessed: systems, prompts, repeats, human labels, judges and length."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from ._judge_fields import MAX_LEFT_OUT, Json, is_many, is_value
from ._judge_files import MAX_LISTED, AnswerFile, named_by_file
from ._judge_ratings import MAX_ODD, are_passes_and_fails, is_missing, numbers, values_of, verdicts

# Names of columns, without marks; the first that fit come first.
SYSTEM_NAMES = (
    *("system", "model", "modelname", "modelid", "provider", "providerid", "candidate", "variant"),
    *("agent", "engine", "llm", "systemname", "modelargs", "deployment", "version", "commit"),
    "branch",
)
# Names of systems only where they differ.
VERSION_WORDS = {"version", "commit", "branch"}
PROMPT_NAMES = (
    *("promptid", "questionid", "docid", "testidx", "taskid", "exampleid", "itemid", "caseid"),
    *("inputid", "queryid", "sampleid", "id", "prompt", "question", "query", "input", "name"),
    *("traceid", "task", "case", "item"),
)
LENGTH_NAMES = (
    *("tokens", "outputtokens", "completiontokens", "responsetokens", "ntokens", "numtokens"),
    *("length", "outputlength", "responselength", "answerlength", "nchars", "chars", "words"),
    *("completion", "nwords"),
)
TEXT_NAMES = (
    *("response", "output", "answer", "completion", "actualoutput", "generation", "prediction"),
    *("text", "content"),
)
PERSON_WORDS = {"human", "annotator", "expert", "person", "people", "reviewer"}
HUMAN_WORDS = PERSON_WORDS | {
    *("label", "labels", "annotation", "gold", "truth", "manual", "groundtruth"),
}
# A column of them says which of several answers of one system to one prompt it is.
REPEAT_WORDS = {
    *("run", "trial", "epoch", "attempt", "repeat", "repetition", "iteration", "seed"),
    "replicate",
}
NUMBER_WORDS = {"id", "idx", "index", "number", "no", "num", "n"}
# Cases in which a column counts, at least, to be taken for one without such a name.
MIN_CASES = 5
JUDGE_WORDS = {
    *("judge", "judges", "verdict", "grader", "graded", "rubric", "score", "rating", "grade"),
    *("pass", "passed", "success", "correct", "correctness", "eval", "evaluator", "critic"),
    *("acc", "match", "faithfulness", "relevance", "relevancy", "quality", "helpfulness"),
}
# Of verdicts by a program on what an agent did.
OUTCOME_WORDS = {"reward", "solved", "resolved"}
# A share of runs, or a number of percent.
SHARE_NAME = re.compile(r"(?:pass|mean|avg)@1")
NO_JUDGE_WORDS = {"id", "idx", "index", "cost", "latency", "time", "threshold"}
# Of a rubric: levels at most.
MAX_LEVELS = 11
# Systems in a file at most.
MAX_SYSTEMS = 200
# An unnamed column of verdicts of which less than this share is filled holds human labels.
FEW_FILLED = 0.5
NO_SYSTEM = "all answers"


def no_column(name: str, columns: Sequence[str]) -> str:
    more = f" and {len(columns) - MAX_LISTED} more" if len(columns) > MAX_LISTED else ""
    return f"There is no column {name!r}; there are {', '.join(columns[:MAX_LISTED])}{more}."


def plain(name: str) -> str:
    """Return a name in small letters and without marks."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def words_of(name: str) -> set[str]:
    """Return the words of the name of a column."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return set(re.split(r"[^a-z0-9]+", spaced.lower()))


def named_like(columns: Iterable[str], names: Sequence[str]) -> list[str]:
    """Return columns with such names, nested or not, in the order of these names."""
    ranks: dict[str, int] = {}
    for column in columns:
        last = plain(column.rsplit(".", 1)[-1])
        for name in (plain(column), last, *_last_two(column)):
            if name in names and column not in ranks:
                ranks[column] = names.index(name)
    return sorted(ranks, key=lambda column: ranks[column])


def _last_two(column: str) -> list[str]:
    parts = column.split(".")
    return [plain("".join(parts[-2:]))] if len(parts) > 1 else []


def _shape_columns(files: Sequence[AnswerFile], role: str) -> list[str]:
    """Return the columns of a role that the readers know."""
    return list(dict.fromkeys(name for file in files if (name := getattr(file.shape, role))))


def systems_in(
    files: list[AnswerFile],
    table: dict[str, list[Json]],
    system: str | None,
    *,
    is_gate: bool = False,
) -> tuple[str, np.ndarray]:
    """Return the column of systems, and the system of each answer."""
    n = sum(len(file.records) for file in files)
    candidates = [system] if system else _shape_columns(files, "system")
    candidates = candidates or named_like(table, SYSTEM_NAMES)
    fitting: dict[str, int] = {}
    for column in candidates:
        texts = [value for value in table[column] if is_value(value) and not is_missing(value)]
        n_names = len(set(map(str, texts)))
        if system and is_many(n - len(texts), n):
            raise ValueError(
                f"--system {column}: {n - len(texts):,} of {n:,} answers have no system."
            )
        # A name of each answer is no system, nor are passes and fails, and one version of all does
        # not tell any apart.
        is_name = n_names <= min(MAX_SYSTEMS, max(1, n // 2)) and not is_many(n - len(texts), n)
        is_name = is_name and not are_passes_and_fails(texts)
        is_version = words_of(column.rsplit(".", 1)[-1]) & VERSION_WORDS
        if system or (is_name and (n_names > 1 or not is_version or is_gate)):
            fitting[column] = n_names
    # Of several the first that tells systems apart.
    columns = sorted(fitting, key=lambda column: fitting[column] < 2)
    # Two files of one name are two versions of it, in a gate.
    are_versions = (
        is_gate and len(files) > 1 and system is None and max(fitting.values(), default=0) < 2
    )
    if columns and not are_versions:
        return columns[0], np.array(list(map(str, table[columns[0]])), dtype=object)

    if len(files) == 1 and not is_gate:
        return "", np.array([NO_SYSTEM] * n, dtype=object)
    names = named_by_file(files)
    if len(set(names)) < len(names):
        names = [f"{name} {number}" for number, name in enumerate(names, 1)]
    return "", np.array(
        [name for name, file in zip(names, files, strict=True) for _ in file.records], dtype=object
    )


def prompt_in(
    table: dict[str, list[Json]],
    files: list[AnswerFile],
    systems: np.ndarray,
    taken: Sequence[str],
) -> str:
    """Return the column of prompts, preferably one whose prompts have several answers; else ""."""
    candidates = _shape_columns(files, "prompt") + named_like(table, PROMPT_NAMES)
    n = len(systems)
    for column in dict.fromkeys(candidates):
        texts = [str(value) for value in table[column] if is_value(value)]
        if column in taken or is_many(n - len(texts), n):
            continue
        n_prompts = len(set(texts))
        # As many answers to a prompt as there are systems, or more by several epochs.
        if len(texts) > n_prompts > 1 and n_prompts >= n / (20 * len(set(systems.tolist()))):
            return column
    return ""


def repeats_in(
    table: dict[str, list[Json]], systems: np.ndarray, prompts: np.ndarray | None
) -> dict[str, bool]:
    """Return the columns of repeats, and whether they tell answers to one prompt apart."""
    cells: dict[tuple[str, str], list[int]] = {}
    if prompts is not None:
        for row, key in enumerate(zip(systems.tolist(), prompts.tolist(), strict=True)):
            cells.setdefault(key, []).append(row)
    repeated = [rows for rows in cells.values() if len(rows) > 1]

    columns: dict[str, bool] = {}
    for column, values in table.items():
        words = words_of(column.rsplit(".", 1)[-1]) - NUMBER_WORDS
        is_named = bool(words) and words <= REPEAT_WORDS
        if not is_named and (len(repeated) < MIN_CASES or isinstance(values[0], dict | list)):
            continue
        is_counting = len(repeated) >= MIN_CASES and all(
            _counts([values[row] for row in rows]) for rows in repeated
        )
        if is_named or is_counting:
            columns[column] = any(len({str(values[r]) for r in rows}) > 1 for rows in repeated)
    return columns


def _counts(values: list[Json]) -> bool:
    """Return whether values are 0 to k - 1, or 1 to k, in any order."""
    texts = sorted(map(str, values))
    return any(texts == sorted(str(i + first) for i in range(len(texts))) for first in (0, 1))


def label_in(table: dict[str, list[Json]], files: list[AnswerFile], judges: Sequence[str]) -> str:
    """Return the column of human labels; "" without one."""
    of_shape = _shape_columns(files, "label")
    if of_shape:
        return of_shape[0]
    known = {name for file in files for name in file.shape.judges} | set(judges)
    n = len(next(iter(table.values()), ()))
    shares: dict[str, float] = {}
    for column, values in table.items():
        odd = MAX_ODD if _is_of_people(column) else MAX_LEFT_OUT
        if column in known or verdicts(values, odd) is None:
            continue
        shares[column] = float(np.mean([not is_missing(value) for value in values]))

    human = list(filter(_is_of_people, shares))
    if human:
        # The least filled; of those without any label the first.
        human.sort(key=lambda c: (shares[c] == 0.0, "human" not in words_of(c), shares[c]))
        return human[0]
    few = [
        c
        for c, share in shares.items()
        if 1 / n < share < FEW_FILLED and not words_of(c) & JUDGE_WORDS
    ]
    if len(few) == 1:
        return few[0]
    # Labels that are no verdicts are an error that names them.
    graded = [
        c
        for c, values in table.items()
        if c not in known
        and words_of(c) & {"human", "annotation"}
        and c not in shares
        and values_of(values) is not None
    ]
    return graded[0] if graded else ""


def outcome_in(
    table: dict[str, list[Json]],
    files: list[AnswerFile],
    *,
    is_gate: bool,
    remarks: list[str],
) -> str:
    """Return the column of verdicts that a program gave to each run; "" without one.

    Its name is that of an outcome. In a gate, the only filled column of verdicts also counts, or
    the only column that differs.
    """
    of_tools = {name for file in files for name in file.shape.judges}
    complete = {
        column: words_of(column)
        for column, values in table.items()
        if ("." not in column or column in of_tools)
        and not is_many(sum(map(is_missing, values)), len(values))
        and (verdicts(values) is not None or shares_in(column, values) is not None)
        and (column in of_tools or words_of(column) & (JUDGE_WORDS | OUTCOME_WORDS))
    }
    outcomes = [column for column, words in complete.items() if words & OUTCOME_WORDS]
    columns = outcomes if len(outcomes) == 1 else [*complete] if is_gate else []
    columns = [column for column in columns if column in of_tools] or columns
    if len(columns) > 1:
        columns = [column for column in columns if len({str(v) for v in table[column]}) > 1]
    if len(columns) != 1:
        return ""
    remarks.append(
        f"`{columns[0]}` is read as the true verdict, such as that of a program. If a model gave "
        f"it, pass --judge {columns[0]}."
    )
    return columns[0]


def shares_in(column: str, values: Sequence[Json]) -> np.ndarray | None:
    """Return the shares of runs that pass, of a column such as pass@1; None if it is none."""
    if SHARE_NAME.fullmatch(column) is None:
        return None
    shares = numbers(values)
    if shares is None or not np.isfinite(shares).any() or np.nanmin(shares) < 0.0:
        return None
    largest = np.nanmax(shares)
    return None if largest > 100.0 else shares / 100.0 if largest > 1.0 else shares


def _is_of_people(column: str) -> bool:
    return bool(words_of(column) & HUMAN_WORDS) and "judge" not in words_of(column)


def reviewers_in(table: dict[str, list[Json]], column: str) -> list[str]:
    """Return the columns of all people that labeled beside one, the fullest first."""
    of = words_of(column) & PERSON_WORDS
    filled = {
        name: sum(not is_missing(value) for value in values)
        for name, values in table.items()
        if name == column
        or (
            words_of(name) & of
            and not words_of(name) & NO_JUDGE_WORDS
            and verdicts(values, MAX_ODD) is not None
        )
    }
    filled = {name: count for name, count in filled.items() if count or name == column}
    return sorted(filled, key=lambda name: -filled[name])


def judges_in(
    table: dict[str, list[Json]],
    files: list[AnswerFile],
    taken: set[str],
    remarks: list[str],
) -> list[str]:
    """Return the columns of judges: those that the readers know, else by name and values."""
    names = list(dict.fromkeys(name for file in files for name in file.shape.judges))
    names = [name for name in names if name in table]
    if not names:
        possible = [
            column
            for column in table
            if column not in taken and not words_of(column) & (NO_JUDGE_WORDS | HUMAN_WORDS)
        ]
        fitting = [column for column in possible if _is_rating(table[column])]
        of_judges = [column for column in fitting if words_of(column) & JUDGE_WORDS]
        names = of_judges or [c for c in fitting if verdicts(table[c]) is not None] or fitting
        for name in possible if not names else ():
            ratings = numbers(table[name])
            if words_of(name) & JUDGE_WORDS and ratings is not None and np.isfinite(ratings).any():
                low, high = np.nanmin(ratings), np.nanmax(ratings)
                remarks.append(
                    f"`{name}` holds numbers from {low:g} to {high:g}, not from 0 to 1: if it is a "
                    f"judge, pass --judge {name}."
                )

    different: dict[bytes, str] = {}
    for name in names:
        values = values_of(table[name])
        if values is None:
            remarks.append(f"`{name}` is not a judge: it holds neither verdicts nor numbers.")
            continue
        first = different.setdefault(values.tobytes(), name)
        if first != name:
            remarks.append(f"`{name}` repeats `{first}` and is left out.")
    return list(different.values())


def _is_rating(values: Sequence[Json]) -> bool:
    """Return whether a column holds verdicts, levels of a rubric, or shares."""
    if all(is_missing(value) for value in values):
        return False
    if verdicts(values) is not None:
        return True
    ratings = numbers(values)
    if ratings is None:
        return False
    levels = np.unique(ratings[np.isfinite(ratings)])
    is_rubric = len(levels) <= MAX_LEVELS and levels.max() <= 100.0 and levels.min() >= -10.0
    return is_rubric or bool(levels.min() >= 0.0 and levels.max() <= 1.0)


def length_in(table: dict[str, list[Json]], taken: set[str]) -> tuple[str, np.ndarray | None]:
    """Return the column of the lengths of answers, or of their texts, and the lengths."""
    for column in named_like(table, LENGTH_NAMES):
        values = numbers(table[column]) if column not in taken else None
        if values is not None and len(np.unique(values[np.isfinite(values)])) > 1:
            return column, values
    for column in named_like(table, TEXT_NAMES):
        texts = table[column]
        if column in taken or not any(isinstance(t, str) and len(t.split()) > 1 for t in texts):
            continue
        values = np.array([len(t) if isinstance(t, str) else np.nan for t in texts])
        if len(np.unique(values[np.isfinite(values)])) > 1:
            return column, values
    return "", None

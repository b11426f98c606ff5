"""Columns of answers: systems, prompts, human labels, judges and length, guessed or given."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ._judge_files import MAX_LISTED, AnswerFile, Json, Record, is_value

PASS = {
    "pass",
    "passed",
    "yes",
    "y",
    "true",
    "t",
    "correct",
    "c",
    "good",
    "ok",
    "success",
    "accept",
}
FAIL = {"fail", "failed", "no", "n", "false", "f", "incorrect", "i", "bad", "wrong", "reject"}
PARTIAL = {"partial", "p", "partially correct", "partly", "tie", "mixed", "neutral", "borderline"}
MISSING = {
    "",
    "na",
    "n/a",
    "nan",
    "none",
    "null",
    "unknown",
    "unlabeled",
    "unlabelled",
    "todo",
    "?",
}

# Names of columns, without marks; the first that fit come first.
SYSTEM_NAMES = (
    *("system", "model", "modelname", "modelid", "provider", "providerid", "candidate", "variant"),
    *("agent", "engine", "llm", "systemname", "modelargs", "deployment"),
)
PROMPT_NAMES = (
    *("promptid", "questionid", "docid", "testidx", "taskid", "exampleid", "itemid", "caseid"),
    *("inputid", "queryid", "sampleid", "id", "prompt", "question", "query", "input", "name"),
    *("traceid", "task"),
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
HUMAN_WORDS = {
    *("human", "label", "labels", "annotation", "annotator", "gold", "truth", "manual", "expert"),
    *("person", "people", "reviewer", "groundtruth"),
}
JUDGE_WORDS = {
    *("judge", "judges", "verdict", "grader", "graded", "rubric", "score", "rating", "grade"),
    *("pass", "passed", "success", "correct", "correctness", "eval", "evaluator", "critic"),
    *("acc", "match", "faithfulness", "relevance", "relevancy", "quality", "helpfulness"),
}
NO_JUDGE_WORDS = {"id", "idx", "index", "cost", "latency", "time", "seed", "threshold", "epoch"}
# Of a rubric: levels at most.
MAX_LEVELS = 11
# Systems in a file at most.
MAX_SYSTEMS = 200
# An unnamed column of verdicts of which less than this share is filled holds human labels.
FEW_FILLED = 0.5
NO_SYSTEM = "all answers"
# The value of a verdict between pass and fail.
PARTIAL_PASS = 0.5


def verdict_of(value: Json) -> float:
    """Return 1 for a pass, 0 for a fail, 0.5 for a partial one, NaN without a verdict.

    Raises ValueError for any other value.
    """
    if isinstance(value, bool):
        return float(value)
    if is_missing(value):
        return np.nan
    text = str(value).strip().lower()
    for names, verdict in ((PASS, 1.0), (FAIL, 0.0), (PARTIAL, 0.5)):
        if text in names:
            return verdict
    number = float(text)
    if number in (0.0, 0.5, 1.0):
        return number
    raise ValueError(f"{text!r} is not a verdict.")


def is_missing(value: Json) -> bool:
    """Return whether a field is empty."""
    return (
        value is None
        or (isinstance(value, str) and value.strip().lower() in MISSING)
        or (isinstance(value, float) and np.isnan(value))
    )


def verdicts(values: Iterable[Json]) -> np.ndarray | None:
    """Return a column as verdicts, None if a value is no verdict."""
    try:
        return np.array([verdict_of(value) for value in values], dtype=float)
    except (ValueError, TypeError):
        return None


def numbers(values: Iterable[Json]) -> np.ndarray | None:
    """Return a column as numbers, None if a value is none."""
    try:
        return np.array([np.nan if is_missing(v) else float(v) for v in values], dtype=float)
    except (ValueError, TypeError):
        return None


def _of_two(values: np.ndarray, cut: float) -> np.ndarray:
    """Return 1 at or above a verdict, 0 below it, NaN where missing."""
    return np.where(np.isfinite(values), values >= cut, np.nan)


@dataclass(frozen=True, eq=False)
class Judge:
    """The ratings of one judge, one for each answer."""

    name: str
    values: np.ndarray  # NaN: not rated
    is_verdict: bool
    remark: str = ""  # why it says nothing; empty if it does


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of systems to prompts, as arrays of shape (n_answers,)."""

    files: list[AnswerFile]
    records: list[Record]
    sources: list[tuple[AnswerFile, list[Json]]]
    system_column: str
    systems: np.ndarray
    prompt_column: str
    prompts: np.ndarray | None  # None without prompts that answers share
    label_column: str
    labels: np.ndarray  # 1 pass, 0 fail, 0.5 partial, NaN nobody looked
    judges: list[Judge]
    length_column: str
    lengths: np.ndarray | None
    remarks: list[str]

    @property
    def names(self) -> list[str]:
        """The names of the systems, in the order of the file."""
        return list(dict.fromkeys(self.systems.tolist()))

    @property
    def informative(self) -> list[Judge]:
        """The judges whose ratings differ."""
        return [judge for judge in self.judges if not judge.remark]

    @property
    def is_graded(self) -> bool:
        """Whether some labels are partial passes, and others are not."""
        known = self.labels[np.isfinite(self.labels)]
        return bool((known == PARTIAL_PASS).any() and (known != PARTIAL_PASS).any())

    def passing_from(self, cut: float) -> Answers:
        """Return answers with binary labels and verdicts: a pass at or above `cut`, else a fail."""
        judges = []
        for each in self.judges:
            values = _of_two(each.values, cut) if each.is_verdict else each.values
            remark = each.remark
            if not remark and len(np.unique(values[np.isfinite(values)])) == 1:
                remark = f"{each.name} then says the same of every answer, and is left out."
            judges.append(replace(each, values=values, remark=remark))
        n_partial = int((self.labels == PARTIAL_PASS).sum())
        verb = "passes" if cut <= PARTIAL_PASS else "fails"
        remarks = [f"{n_partial:,} partial passes by people count as {verb}."] if n_partial else []
        return replace(
            self,
            labels=_of_two(self.labels, cut),
            judges=judges,
            remarks=[*self.remarks, *remarks],
        )

    @property
    def encoded(self) -> np.ndarray:
        """Labels as estimators take them: 1, 0, and -1 without a label."""
        return np.where(np.isfinite(self.labels), self.labels == 1.0, -1).astype(int)

    def sentence(self) -> str:
        """Return the numbers of answers and labels, and the column of each role, as a sentence."""
        n = len(self.records)
        n_systems = len(self.names)
        of = f" of {n_systems} systems" if n_systems > 1 else f" of {self.names[0]}"
        if self.names == [NO_SYSTEM]:
            of = ""
        systems = f" (`{self.system_column}`)" if self.system_column else ""
        to = ""
        if self.prompts is not None:
            to = f" to {len(set(self.prompts.tolist())):,} prompts (`{self.prompt_column}`)"

        n_labels = int(np.isfinite(self.labels).sum())
        label = f"`{self.label_column}` ({n_labels:,})" if n_labels else "none"
        judges = ", ".join(f"`{judge.name}`" for judge in self.judges) or "none"
        length = f"; length: `{self.length_column}`" if self.lengths is not None else ""
        read = f"Read {n:,} {'answer' if n == 1 else 'answers'}{of}{systems}{to}"
        return f"{read}; human labels: {label}; judges: {judges}{length}."


def arranged(
    files: list[AnswerFile],
    *,
    system: str | None,
    prompt: str | None,
    label: str | None,
    judge: Sequence[str],
) -> Answers:
    """Return the answers of files, with columns that are given or guessed."""
    records = [record for file in files for record in file.records]
    sources = [(file, source) for file in files for source in file.sources]
    columns = list(dict.fromkeys(key for record in records for key in record))
    for name in (system, prompt, *judge):
        if name is not None and name not in columns:
            raise ValueError(no_column(name, columns))

    table = {name: [record.get(name) for record in records] for name in columns}
    system_column, systems = _systems_of(files, table, system)
    label_column = label if label is not None else label_in(table, files, judge)
    prompt_column = prompt or _prompt_in(table, files, systems, (system_column, label_column))
    prompts = None
    if prompt_column:
        prompts = np.array([str(value) for value in table[prompt_column]], dtype=object)
        if len(set(prompts.tolist())) == len(prompts) and prompt is None:
            # An id of each answer.
            prompt_column, prompts = "", None

    labels = np.full(len(records), np.nan)
    if label_column in table:
        labels = labels_in(table[label_column], label_column)
    taken = {system_column, prompt_column, label_column}
    length_column, lengths = _length_in(table, taken)
    remarks: list[str] = []
    names = list(judge) or _judges_in(table, files, taken | {length_column}, remarks)
    judges = [_judge_of(name, table[name]) for name in names]
    return Answers(
        files, records, sources, system_column, systems, prompt_column, prompts,
        label_column or "human", labels, judges, length_column, lengths, remarks,
    )  # fmt: skip


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


def _systems_of(
    files: list[AnswerFile], table: dict[str, list[Json]], system: str | None
) -> tuple[str, np.ndarray]:
    """Return the column of systems, and the system of each answer."""
    n = sum(len(file.records) for file in files)
    candidates = [system] if system else _shape_columns(files, "system")
    candidates = candidates or named_like(table, SYSTEM_NAMES)
    for column in candidates:
        values = table[column]
        texts = [value for value in values if is_value(value) and not is_missing(value)]
        n_names = len(set(map(str, texts)))
        # A name of each answer is no system.
        if system or (len(texts) == n and n_names <= min(MAX_SYSTEMS, max(1, n // 2))):
            if len(texts) < n:
                raise ValueError(
                    f"--system {column}: {n - len(texts):,} of {n:,} answers have no system."
                )
            return column, np.array(list(map(str, values)), dtype=object)

    if len(files) == 1:
        return "", np.array([NO_SYSTEM] * n, dtype=object)
    from ._judge_files import named_by_file

    names = named_by_file(files)
    if len(set(names)) < len(names):
        names = [f"{name} {number}" for number, name in enumerate(names, 1)]
    return "", np.array(
        [name for name, file in zip(names, files, strict=True) for _ in file.records], dtype=object
    )


def _prompt_in(
    table: dict[str, list[Json]],
    files: list[AnswerFile],
    systems: np.ndarray,
    taken: Sequence[str],
) -> str:
    """Return the column of prompts, preferably one whose prompts have several answers; else ""."""
    candidates = _shape_columns(files, "prompt") + named_like(table, PROMPT_NAMES)
    n = len(systems)
    for column in dict.fromkeys(candidates):
        values = table[column]
        if column in taken or not all(is_value(value) for value in values):
            continue
        counts = Counter(map(str, values))
        # As many answers to a prompt as there are systems, or more by several epochs.
        if n > len(counts) > 1 and len(counts) >= n / (20 * len(set(systems.tolist()))):
            return column
    return ""


def label_in(table: dict[str, list[Json]], files: list[AnswerFile], judges: Sequence[str]) -> str:
    """Return the column of human labels; "" without one."""
    known = {name for file in files for name in file.shape.judges} | set(judges)
    shares: dict[str, float] = {}
    for column, values in table.items():
        if column in known or verdicts(values) is None:
            continue
        shares[column] = float(np.mean([not is_missing(value) for value in values]))

    human = [c for c in shares if words_of(c) & HUMAN_WORDS and not words_of(c) & {"judge"}]
    if human:
        # The least filled; of those without any label the first.
        human.sort(key=lambda c: (shares[c] == 0.0, "human" not in words_of(c), shares[c]))
        return human[0]
    few = [
        c for c, share in shares.items() if 0 < share < FEW_FILLED and not words_of(c) & JUDGE_WORDS
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
        and numbers(values) is not None
    ]
    return graded[0] if graded else ""


def labels_in(values: Sequence[Json], column: str) -> np.ndarray:
    """Return a column of labels; raise if it has others than pass and fail."""
    labels = verdicts(values)
    if labels is not None:
        return labels
    others: dict[str, None] = {}
    for value in values:
        try:
            verdict_of(value)
        except (ValueError, TypeError):
            others.setdefault(str(value)[:40])
    raise ValueError(
        f"The labels in {column!r} must be pass or fail (yes or no, true or false, 1 or 0, correct "
        f"or incorrect, partial or 0.5), got {', '.join(map(repr, [*others][:MAX_LISTED]))}. Name "
        "another column by --label; for grades: sklearn-spe mean FILE --label GRADE --judge JUDGE."
    )


def _judges_in(
    table: dict[str, list[Json]],
    files: list[AnswerFile],
    taken: set[str],
    remarks: list[str],
) -> list[str]:
    """Return the columns of judges: those that the readers know, else by name and values."""
    names = list(dict.fromkeys(name for file in files for name in file.shape.judges))
    names = [name for name in names if name in table]
    if not names:
        fitting = [
            column
            for column, values in table.items()
            if column not in taken
            and not words_of(column) & NO_JUDGE_WORDS
            and not words_of(column) & HUMAN_WORDS
            and _is_rating(values)
        ]
        of_judges = [column for column in fitting if words_of(column) & JUDGE_WORDS]
        names = of_judges or [c for c in fitting if verdicts(table[c]) is not None] or fitting

    different: dict[bytes, str] = {}
    for name in names:
        values = _values_of(table[name])
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
    rated = ratings[np.isfinite(ratings)]
    levels = np.unique(rated)
    is_rubric = len(levels) <= MAX_LEVELS and levels.max() <= 100.0 and levels.min() >= -10.0
    return is_rubric or bool(levels.min() >= 0.0 and levels.max() <= 1.0)


def _values_of(values: Sequence[Json]) -> np.ndarray | None:
    ratings = verdicts(values)
    return numbers(values) if ratings is None else ratings


def _judge_of(name: str, values: Sequence[Json]) -> Judge:
    """Return the ratings of a judge."""
    ratings = _values_of(values)
    if ratings is None:
        bad = next(v for v in values if _values_of([v]) is None)
        raise ValueError(
            f"--judge {name}: needed are verdicts such as pass and fail, or numbers; got "
            f"{str(bad)[:40]!r}."
        )
    levels = np.unique(ratings[np.isfinite(ratings)])
    remark = ""
    if not len(levels):
        remark = f"{name} rated no answer and is left out."
    elif len(levels) == 1:
        value = next(v for v in values if not is_missing(v))
        remark = f"{name} says {value} of every answer: it tells nothing, and is left out."
    return Judge(name, ratings, verdicts(values) is not None, remark)


def _length_in(table: dict[str, list[Json]], taken: set[str]) -> tuple[str, np.ndarray | None]:
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

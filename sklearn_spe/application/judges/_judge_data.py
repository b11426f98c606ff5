"""Answers of systems as arrays, without records that do not fit their columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress, islice

import numpy as np

from ._judge_columns import (
    NO_SYSTEM,
    PROMPT_NAMES,
    judges_in,
    label_in,
    length_in,
    named_like,
    no_column,
    outcome_in,
    prompt_in,
    repeats_in,
    reviewers_in,
    shares_in,
    systems_in,
)
from ._judge_fields import Json, LeftOut, MisfitError, Record, is_value
from ._judge_files import HUMAN, AnswerFile
from ._judge_ratings import (
    PARTIAL_PASS,
    Judge,
    is_missing,
    judge_of,
    labels_in,
    labels_of_people,
    misfits_in,
)

# Where a system has as many, one with a single answer is an accident.
MANY_ANSWERS = 20


def _of_two(values: np.ndarray, cut: float) -> np.ndarray:
    """Return 1 at or above a verdict, 0 below it, NaN where missing."""
    return np.where(np.isfinite(values), values >= cut, np.nan)


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
    repeat_column: str  # which of several answers of a system to a prompt; "" if there is one
    label_column: str
    labels: np.ndarray  # 1 pass, 0 fail, 0.5 partial, NaN nobody looked
    judges: list[Judge]
    length_column: str
    lengths: np.ndarray | None
    remarks: list[str]
    left_out: list[LeftOut]  # of each file
    is_outcome: bool = False  # whether labels are verdicts of a program

    @property
    def names(self) -> list[str]:
        """The names of the systems, in the order of the file."""
        return list(dict.fromkeys(self.systems.tolist()))

    @property
    def informative(self) -> list[Judge]:
        """The judges whose ratings differ."""
        return [judge for judge in self.judges if not judge.remark]

    @property
    def is_labeled(self) -> np.ndarray:
        """Which answers have a human label, (n_answers,)."""
        return np.isfinite(self.labels)

    @property
    def n_labels(self) -> int:
        """Number of human labels."""
        return int(self.is_labeled.sum())

    @property
    def without_labels(self) -> list[str]:
        """The systems of which no answer is labeled."""
        labeled = set(self.systems[self.is_labeled].tolist())
        return [name for name in self.names if name not in labeled]

    def share_prompts(self, names: Sequence[str]) -> bool:
        """Return whether two of some systems are known to have answered a prompt."""
        if self.prompts is None:
            return False
        pairs = set(zip(self.prompts.tolist(), self.systems.tolist(), strict=True))
        answered = [prompt for prompt, name in pairs if name in names]
        return len(set(answered)) < len(answered)

    @property
    def is_graded(self) -> bool:
        """Whether some labels are partial passes, and others are not."""
        known = self.labels[self.is_labeled]
        is_partial = (known > 0.0) & (known < 1.0)
        return bool(is_partial.any() and (known != PARTIAL_PASS).any())

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

    def taken(self, is_taken: np.ndarray) -> Answers:
        """Return some answers, those of a mask (n_answers,)."""
        return replace(
            self,
            records=list(compress(self.records, is_taken)),
            sources=list(compress(self.sources, is_taken)),
            systems=self.systems[is_taken],
            prompts=None if self.prompts is None else self.prompts[is_taken],
            labels=self.labels[is_taken],
            judges=[replace(each, values=each.values[is_taken]) for each in self.judges],
            lengths=None if self.lengths is None else self.lengths[is_taken],
        )

    def misfits(
        self,
        table: dict[str, list[Json]],
        people: Sequence[str],
        places: Sequence[str],
        *,
        guessed: bool,
    ) -> dict[int, str]:
        """Return why answers do not fit a column, by row; `guessed` is the column of systems."""
        needed: dict[int, tuple[str, str, Json]] = {}
        readings = [(each.name, "a verdict, or a number", each.values) for each in self.judges]
        readings += [(name, "pass or fail", labels_in(table[name], name)) for name in people]
        for name, kind, values in readings:
            for row in misfits_in(table[name], values):
                needed[row] = name, kind, table[name][row]
        for name in filter(None, (self.system_column, self.prompt_column)):
            for row, value in enumerate(table[name]):
                if not is_value(value) or is_missing(value):
                    needed[row] = name, "a text or a number", value

        # Where a system has many answers, one with a single answer is an accident.
        n_answers = Counter(self.systems.tolist())
        if guessed and max(n_answers.values()) >= MANY_ANSWERS:
            for row, name in enumerate(self.systems.tolist()):
                if n_answers[name] == 1:
                    needed[row] = self.system_column, "a system with more than one answer", name
        return {row: str(MisfitError.at(places[row], *each)) for row, each in needed.items()}

    @property
    def encoded(self) -> np.ndarray:
        """Labels as estimators take them: 1, 0, and -1 without a label."""
        return np.where(self.is_labeled, self.labels == 1.0, -1).astype(int)

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
        if self.repeat_column:
            to += f", repeated (`{self.repeat_column}`)"

        label = f"`{self.label_column}` ({self.n_labels:,})" if self.n_labels else "none"
        judges = ", ".join(f"`{judge.name}`" for judge in self.judges) or "none"
        length = f"; length: `{self.length_column}`" if self.lengths is not None else ""
        read = f"Read {n:,} {'answer' if n == 1 else 'answers'}{of}{systems}{to}"
        if self.is_outcome:
            return f"{read}; verdicts: {label}{length}."
        return f"{read}; human labels: {label}; judges: {judges}{length}."


def arranged(
    files: list[AnswerFile],
    *,
    system: str | None,
    prompt: str | None,
    label: str | None,
    judge: Sequence[str],
    is_gate: bool = False,
    may_have_outcome: bool = True,
) -> Answers:
    """Return the answers of files, with columns that are given or guessed.

    Answers of which a column does not fit are left out, if they are few. For a gate files are
    versions unless a column tells systems apart, and a complete column of verdicts is what counts.
    """
    records = [record for file in files for record in file.records]
    places = [place for file in files for place in file.places]
    columns = list(dict.fromkeys(key for record in records for key in record))
    for name in (system, prompt, *judge):
        if name is not None and name not in columns:
            raise ValueError(no_column(name, columns))

    # What each column is.
    table = {name: [record.get(name) for record in records] for name in columns}
    system_column, systems = systems_in(files, table, system, is_gate=is_gate)
    remarks: list[str] = []
    label_column = label if label is not None else label_in(table, files, judge)
    is_outcome = False
    if may_have_outcome and label_column not in table and not judge:
        outcome = outcome_in(table, files, is_gate=is_gate, remarks=remarks)
        label_column, is_outcome = outcome or label_column, bool(outcome)
    prompt_column = prompt or prompt_in(table, files, systems, (system_column, label_column))
    if is_gate and not prompt_column:
        # A case of each row: it is known again by its name.
        prompt = prompt_column = next(iter(named_like(table, PROMPT_NAMES)), "")

    # What it holds.
    prompts = _prompts_in(table, prompt_column, may_be_unique=prompt is not None)
    prompt_column = "" if prompts is None else prompt_column
    repeats = repeats_in(table, systems, prompts)
    is_named = label is not None or is_outcome
    people, labels, of_labels = _labels_in(table, label_column, places, is_named=is_named)
    remarks += of_labels
    taken = {system_column, prompt_column, label_column, *repeats}
    length_column, lengths = length_in(table, taken)
    names = list(judge)
    # Beside the verdict of a program numbers inside its record are no judges.
    if not names and not is_outcome:
        names = judges_in(table, files, taken | {length_column, *people}, remarks)

    answers = Answers(
        files=files,
        records=records,
        sources=[(file, source) for file in files for source in file.sources],
        system_column=system_column,
        systems=systems,
        prompt_column=prompt_column,
        prompts=prompts,
        repeat_column=next((column for column, is_needed in repeats.items() if is_needed), ""),
        label_column=next(iter(people), label_column) or HUMAN,
        labels=labels,
        judges=[judge_of(name, table[name]) for name in names],
        length_column=length_column,
        lengths=lengths,
        remarks=remarks,
        left_out=[],
        is_outcome=is_outcome,
    )
    return _without(answers, answers.misfits(table, people, places, guessed=system is None))


def _prompts_in(
    table: dict[str, list[Json]], column: str, *, may_be_unique: bool
) -> np.ndarray | None:
    """Return the prompts of answers; None without any, and of a guess that is an id of each."""
    if not column:
        return None
    prompts = np.array([str(value) for value in table[column]], dtype=object)
    is_unique = len(set(prompts.tolist())) == len(prompts)
    return None if is_unique and not may_be_unique else prompts


def _labels_in(
    table: dict[str, list[Json]], column: str, places: Sequence[str], *, is_named: bool
) -> tuple[list[str], np.ndarray, list[str]]:
    """Return the columns of the people who labeled, the labels, and remarks on them.

    Shares of passes, such as pass@1, are of no people.
    """
    if column not in table:
        return [], np.full(len(places), np.nan), []
    shares = shares_in(column, table[column])
    if shares is not None:
        return [], shares, []
    people = [column] if is_named else reviewers_in(table, column)
    return people, *labels_of_people(table, people, places)


def _without(answers: Answers, misfits: dict[int, str]) -> Answers:
    """Return answers without those that do not fit, which are said of their files."""
    rows = iter(range(len(answers.records)))
    left_out = []
    for file in answers.files:
        of_file = [misfits[row] for row in islice(rows, len(file.records)) if row in misfits]
        left_out.append(file.left_out.with_more(of_file))
    is_fitting = np.array([row not in misfits for row in range(len(answers.records))], dtype=bool)
    return replace(answers.taken(is_fitting), left_out=left_out)

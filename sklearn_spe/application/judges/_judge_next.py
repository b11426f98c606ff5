"""Which answers to label next, written in the format of their file."""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from shlex import join

import numpy as np

from ...active._selector import ActiveTestSelector
from ...inputs._validation import listed
from ...inputs._writing import write_file
from ..command_line._answer import Answer
from ..command_line._option_table import COMMANDS, OPTIONS
from ..command_line._terminal import working
from ._judge_columns import NO_SYSTEM
from ._judge_data import Answers
from ._judge_fields import Json
from ._judge_files import HUMAN, AnswerFile, read_answers
from ._judge_fits import RATE

# Draws that choose what to label next.
N_DRAWS_OF_CHOICE = 300


def next_labels(
    options: argparse.Namespace, answer: Answer, answers: Answers, order: list[str]
) -> str:
    """Write the answers to label next, and return which they are."""
    answer.record["next"] = None
    pair = order[:2]
    rows = np.flatnonzero(np.isin(answers.systems, pair) & ~answers.is_labeled)
    n = min(options.next, len(rows))
    if not n:
        return (
            "No answer is asked for."
            if len(rows)
            else f"All answers{'' if pair == [NO_SYSTEM] else f' of {listed(pair)}'} are labeled."
        )

    chosen, design = _chosen(options, answers, pair, n)
    path = written_answers(options, answers, chosen)
    answer.record["next"] = {"file": path, "n": n, "how": design}
    purpose = "they narrow its rate"
    if len(pair) == 2:
        purpose = f"they narrow the difference of the first two, {pair[0]} and {pair[1]}"
    if design == "random":
        purpose = f"random answers of {listed(pair)}"
    if answers.share_prompts(pair):
        purpose += ", those to the same prompt in pairs"
    count = f"these {n}" if n > 1 else "this one"
    again = command_with_labels(options, path)
    return (
        f"Label {count} next ({path}): {purpose}. Fill in `{answers.label_column}`, then: {again}"
    )


def _chosen(
    options: argparse.Namespace, answers: Answers, pair: list[str], n: int
) -> tuple[np.ndarray, str]:
    """Return answers to label: informative on a rate or a difference, else random."""
    rows = np.flatnonzero(np.isin(answers.systems, pair))
    prompts = None if answers.prompts is None else answers.prompts[rows].astype(str)
    # Intervals of means of three verdicts hold for random labels.
    if not answers.is_graded:
        informative = _informative(options, answers, rows, prompts, pair, n)
        if informative is not None:
            return informative, "informative"

    rng = np.random.default_rng(options.random_state)
    order = rng.permutation(np.flatnonzero(answers.encoded[rows] == -1))
    if prompts is not None:
        # Answers to one prompt come one after the other.
        _, first, prompt = np.unique(prompts[order], return_index=True, return_inverse=True)
        order = order[np.argsort(first[prompt], kind="stable")]
    return rows[order[:n]], "random"


def _informative(
    options: argparse.Namespace,
    answers: Answers,
    rows: np.ndarray,
    prompts: np.ndarray | None,
    pair: list[str],
    n: int,
) -> np.ndarray | None:
    """Return the most informative answers; None if all ratings are equal."""
    judges = {each.name: each.values[rows] for each in answers.informative}
    judges = {name: v for name, v in judges.items() if len(np.unique(v[np.isfinite(v)])) > 1}
    if not judges:
        return None

    category = None
    compare = None
    if len(pair) > 1:
        category = answers.systems[rows]
        compare = pair[0], pair[1]
    selector = ActiveTestSelector(
        RATE,
        compare=compare,
        classes=(0, 1),
        n_draws=N_DRAWS_OF_CHOICE,
        random_state=options.random_state,
    )
    labels = answers.encoded[rows]
    with working("choosing answers"):
        selector.fit(None, labels, judges=judges, category=category, groups=prompts)
        return rows[selector.query(n)]


def written_answers(options: argparse.Namespace, answers: Answers, rows: np.ndarray) -> Path:
    """Write answers to label in the format of their first file."""
    sources = [answers.sources[row] for row in rows.tolist()]
    file = answers.files[0]
    path = options.out or path_to_label(
        options.file[0], file.kind, answers.label_column, options.max_bytes
    )
    text = text_to_label(file, [source for _, source in sources], answers.label_column)
    write_file(Path(path), text.encode())
    return Path(path)


def command_with_labels(options: argparse.Namespace, path: Path) -> str:
    """Return the command that takes the labels of a file."""
    arguments = ["sklearn-spe", "judge", *options.file]
    for name in COMMANDS["judge"].options:
        value = getattr(options, name)
        if name in ("labels", "out") or value in (None, [], OPTIONS[name].default):
            continue
        flag = f"--{name.replace('_', '-')}"
        if name == "gate":
            arguments += [argument for gate in value for argument in (flag, gate)]
        elif value is True:
            arguments.append(flag)
        else:
            arguments += [flag, *map(str, value if isinstance(value, list) else [value])]
    for file in (*(options.labels or ()), path):
        arguments += ["--labels", str(file)]
    return join(arguments)


def spread_over_systems(rng: np.random.Generator, answers: Answers, n: int) -> np.ndarray:
    """Return random answers, spread evenly over the systems."""
    shuffled = rng.permutation(len(answers.systems))
    ranks = np.empty(len(shuffled), dtype=int)
    counts: dict[str, int] = {}
    for row in shuffled.tolist():
        system = answers.systems[row]
        counts[system] = counts.get(system, 0) + 1
        ranks[row] = counts[system]
    return shuffled[np.argsort(ranks[shuffled], kind="stable")[:n]]


def text_to_label(file: AnswerFile, sources: Sequence[Sequence[Json]], label: str) -> str:
    """Return answers in the format of their file, with an empty field for the label."""
    empty = "" if file.kind == "csv" else None
    items = [json.loads(json.dumps(source[0])) for source in sources]
    for item in items:
        if file.scorer is not None:
            name, value = file.scorer
            item |= {name: HUMAN, value: empty}
        elif file.kind == "csv":
            item[label] = empty
        else:
            _set_nested(item, label)
    if file.kind == "csv":
        text = io.StringIO()
        columns = list(dict.fromkeys(key for item in items for key in item))
        writer = csv.DictWriter(text, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(items)
        return text.getvalue()
    if file.kind == "json":
        return json.dumps(items, ensure_ascii=False, indent=1) + "\n"
    return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items)


def _set_nested(item: dict[str, Json], label: str) -> None:
    """Set the field of a label, nested or not, to null."""
    if label in item:
        item[label] = None
        return
    *parents, last = label.split(".")
    for parent in parents:
        inner = item.get(parent)
        if not isinstance(inner, dict):
            inner = item[parent] = {}
        item = inner
    item[last] = None


def path_to_label(file: str, kind: str, label: str, max_bytes: int) -> Path:
    """Return a path for the answers to label that overwrites no file with filled labels."""
    folder = Path() if file == "-" else Path(file).parent
    for number in range(1, 1000):
        path = folder / (f"next.{kind}" if number == 1 else f"next_{number}.{kind}")
        if not path.exists():
            return path
        try:
            earlier = read_answers(str(path), max_bytes).records
        except (ValueError, OSError):
            continue
        if all(label in r and r[label] in (None, "") for r in earlier):
            return path
    raise ValueError(f"{folder} has files next.{kind} to next_999.{kind}: pass --out.")

"""What comes from outside: damaged files of tools, tables, sessions, evidence, and commands."""

import csv
import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

from sklearn_spe.application.command_line._main import parser_of_commands
from sklearn_spe.application.judges._judge import _read
from sklearn_spe.application.tables._source import parsed_json
from sklearn_spe.design import verify_evidence
from sklearn_spe.design._evidence import signed
from tests.application.command_line.data import COLUMNS, QUICK, run, table
from tests.application.judges import tool_files
from tests.design.test_evidence import evidence_of_goal, evidence_of_precision, evidence_of_recall
from tests.fuzz.damage import ODDITIES, damaged_json, damaged_text, text_of
from tests.quick import QUIET

pytestmark = QUIET

N_PROMPTS = 60
# How Python and numpy say what went wrong by accident.
ACCIDENTS = re.compile(
    r"unhashable|NoneType|object is not|could not convert|not supported between|out of range|"
    r"invalid literal|broadcast|subscriptable|unexpected keyword|too large to convert|"
    r"has no attribute|recursion|inhomogeneous|Traceback"
)
STATUSES = {0, 2, 3, 4, 5, 6, 7}


def n_changes(rng):
    return int(rng.integers(1, 4))


def damage_file(path, rng):
    """Damage a file of a tool; return how many of its records are damaged at the most."""
    path = Path(path)
    if path.suffix == ".eval":
        with zipfile.ZipFile(path) as packed:
            members = {name: json.loads(packed.read(name)) for name in packed.namelist()}
        members, changed = damaged_json(members, rng, n_changes(rng))
        with zipfile.ZipFile(path, "w") as packed:
            for name, content in members.items():
                packed.writestr(name, text_of(content))
    elif path.suffix == ".jsonl":
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        lines, changed = damaged_json(lines, rng, n_changes(rng))
        path.write_text("".join(text_of(line) + "\n" for line in lines))
    elif path.suffix == ".csv":
        with path.open(newline="") as file:
            rows = list(csv.reader(file))
        changed = rng.integers(1, len(rows), n_changes(rng)).tolist()
        for row in changed:
            rows[row][rng.integers(len(rows[row]))] = str(ODDITIES[rng.integers(len(ODDITIES))])
        with path.open("w", newline="") as file:
            csv.writer(file).writerows(rows)
    else:
        content, changed = damaged_json(json.loads(path.read_text()), rng, n_changes(rng))
        path.write_text(text_of(content))
    return len(changed)


@pytest.mark.parametrize("shape", tool_files.SHAPES, ids=lambda shape: shape.__name__)
def test_what_is_not_damaged_in_files_of_tools_is_read(shape, tmp_path, global_random_seed):
    rng = np.random.default_rng([global_random_seed, tool_files.SHAPES.index(shape)])
    made = tool_files.Made.of(N_PROMPTS, rng)
    for number in range(30):
        folder = tmp_path / str(number)
        folder.mkdir()
        files, labels = shape(made, folder)
        every = [*files, *labels]
        victim = every[rng.integers(len(every))]
        n_damaged = damage_file(victim, rng)

        arguments = ["judge", *files, *(["--labels", *labels] if labels else [])]
        try:
            answers = _read(parser_of_commands().parse_args(arguments))
        except ValueError as error:
            # A header, or the columns of a system, may be what is damaged: the file is named.
            message = str(error)
            assert not ACCIDENTS.search(message)
            assert Path(victim).name in message or Path(labels[0]).name in message
            assert re.search(r"record|line|header|samples/", message)
            # Its field, or what a whole file must be.
            assert "`" in message or "needed is" in message
            continue
        n_answers = len(answers.records)
        assert n_answers >= made.good.size - n_damaged * (victim in files)
        # Each answer is read, or is counted; a line may be a part of an answer.
        assert n_answers + sum(len(each.misfits) for each in answers.left_out) >= (
            made.good.size - n_damaged
        )
        for each in answers.left_out:
            assert all(text.startswith(each.file) for text in each.misfits)
            assert not ACCIDENTS.search(each.sentence())


@pytest.mark.parametrize("make", [evidence_of_precision, evidence_of_recall, evidence_of_goal])
def test_altered_evidence_is_refused_or_verified(make, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    evidence = json.loads(json.dumps(make(rng)))
    assert verify_evidence(evidence, confidence_level=0.5).level <= 1.0
    content = {name: value for name, value in evidence.items() if name != "sha256"}
    for _ in range(60):
        # Long lists leave little for other fields.
        top = list(content)[rng.integers(len(content))]
        among = (lambda path, top=top: path[0] == top) if rng.random() < 0.7 else None
        altered, _ = damaged_json(content, rng, n_changes(rng), among)
        altered = parsed_json(text_of(altered), "evidence")
        try:
            verified = verify_evidence(signed(altered))
        except ValueError as error:
            assert not ACCIDENTS.search(str(error))  # noqa: PT017
            continue
        assert 0.0 <= verified.level <= 1.0


def checked(capsys, arguments):
    """Run a command that may be wrong; return its status, and assert that no accident ends it."""
    try:
        status = run(*arguments)
    except SystemExit as error:
        status = error.code
    printed = capsys.readouterr()
    assert status in STATUSES
    assert not ACCIDENTS.search(printed.err), (arguments, printed.err)
    if status == 2:
        assert "error: " in printed.err
    return status


def test_damaged_tables_are_read_or_refused(tmp_path, capsys, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    path = tmp_path / "table.csv"
    table(path)
    text = path.read_text()
    for _ in range(60):
        path.write_text(damaged_text(text, rng, n_changes(rng)), encoding="utf-8")
        checked(capsys, ["mean", path, "--label", "y"])


def test_damaged_sessions_are_read_or_refused(tmp_path, capsys, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    path = tmp_path / "table.csv"
    out = tmp_path / "labels.csv"
    table(path)
    command = ["suggest", path, *COLUMNS, "--n-labels", "5", "--out", out]
    assert run(*command) in STATUSES
    capsys.readouterr()
    session = next(each for each in tmp_path.iterdir() if "session" in each.name)
    contents = {each: each.read_text() for each in (out, session)}
    for _ in range(20):
        for each, text in contents.items():
            each.write_text(text)
        victim = (out, session)[rng.integers(2)]
        text = damaged_text(contents[victim], rng, n_changes(rng))
        try:
            if rng.random() < 0.5:
                content, _ = damaged_json(json.loads(contents[victim]), rng, n_changes(rng))
                text = text_of(content)
        except ValueError:
            # It is no JSON.
            pass
        victim.write_text(text, encoding="utf-8")
        checked(capsys, ["suggest", out, *COLUMNS, "--n-labels", "5"])


def test_damaged_command_lines_are_answered_or_refused(tmp_path, capsys, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    path = tmp_path / "table.csv"
    table(path)
    commands = (
        ["estimate", str(path), *QUICK, "--threshold", "2.5", "--confidence-level", "0.8"],
        ["compare", str(path), "--scores", "s", "s", "--label", "y"],
        ["find", str(path), *QUICK, "--precision", "0.8"],
        ["mean", str(path), "--label", "y", "--target", "population"],
        ["plan", "--items", "1000", "--prevalence", "0.1", "--auc", "0.9"],
        ["judge", str(path), "--label", "y", "--judge", "s", "--next", "0"],
    )
    words = [
        "",
        "-",
        "--",
        "nan",
        "-1",
        "1e400",
        "9" * 400,
        "\0",
        "é",
        "y",
        "s",
        "--json",
        "--scores",
    ]
    for _ in range(60):
        arguments = list(commands[rng.integers(len(commands))])
        for _ in range(n_changes(rng)):
            at = int(rng.integers(1, len(arguments) + 1))
            change = rng.integers(3)
            if change == 0:
                arguments[at:at] = [words[rng.integers(len(words))]]
            elif change == 1:
                arguments[at : at + 1] = [words[rng.integers(len(words))]]
            else:
                del arguments[at : at + 1]
        checked(capsys, arguments)

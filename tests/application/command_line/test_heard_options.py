"""Every option of every command is heard on every path, or refused with the way."""

import shutil
import warnings
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from io import StringIO

import numpy as np
import pandas as pd
import pytest

from sklearn_spe.application.command_line._main import main
from sklearn_spe.application.command_line._option_checks import NEEDS
from sklearn_spe.application.command_line._option_table import COMMANDS, OPTIONS
from tests.application.command_line.option_paths import (
    ANSWERS,
    BESIDE,
    OF_FORMAT,
    PATHS,
    STARTED,
    option,
    write_tables,
)

ALL = [(command, path) for command, paths in PATHS.items() for path in paths]
# One seed checks one option of so many.
N_TURNS = 5
# Where an option was dropped without a word.
DROPPED = [
    ("estimate", "classes", ("labels_by_class", "feature", "known_positives")),
    ("estimate", "predictions", ("labels_by_class", "feature")),
    ("estimate", "judges", ("drop_missing",)),
    ("estimate", "labels by category", ("drop_missing", "score_kind", "experts")),
    ("estimate", "by class", ("experts",)),
    ("report", "systems by category", ("reference",)),
    ("report", "predictions", ("item",)),
    ("suggest", "judges", ("drop_missing",)),
    ("find", "start", ("evidence",)),
    ("find", "anytime", ("evidence",)),
    ("find", "population, over", ("out",)),
    ("mean", "proxy", ("title",)),
    ("judge", "no labels", ("judge", "probability", "confidence_level")),
]
# What a path that goes on, or is over, has no use for any more.
USELESS = {
    # No row is left without a score, and no label is asked for.
    ("suggest", "goes on"): ("drop_missing",),
    ("find", "goes on"): ("drop_missing",),
    ("review", "goes on"): ("drop_missing",),
    ("find", "over"): ("n_labels", "least", "random_state"),
    ("find", "population, over"): ("n_labels", "least"),
    ("review", "over"): ("n_labels", "out", "score", "smaller_is_positive"),
    # Exact counts of full passes: nothing is drawn, and nothing is left to label.
    ("judge", "all labeled"): ("next", "out", "random_state", "pos_label"),
}


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """A function that runs a command on a path with further arguments, once for each."""
    source = tmp_path_factory.mktemp("tables")
    write_tables(source, 0)
    folder = tmp_path_factory.mktemp("calls") / "w"
    answers = {}

    def call(command, path, *further, stem="t"):
        key = (command, path, further, stem)
        if key not in answers:
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(source, folder)
            files = _files(command, path, stem, folder)
            before = _contents(folder)
            arguments = (command, *files, *PATHS[command][path], *further)
            answers[key] = _run(arguments, folder, before)
        return answers[key]

    return call


def _files(command, path, stem, folder):
    """Return the files of a path; of one that goes on, what it went on from is written."""
    if command == "plan":
        return ()
    if command == "judge":
        return (ANSWERS[path],)
    if command == "readings":
        return ("r_one.csv" if path == "readers" else "r.csv",)
    if path == "copies":
        return (f"{stem}.csv", f"{stem}_two.csv")
    if path == "goes on":
        missing = ("--drop-missing",) if stem == "gaps" else ()
        _run((command, f"{stem}.csv", *STARTED[command], *missing), folder, {})
        return (f"{stem}_next.csv",)
    return (f"{stem}.csv",)


def _contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def _run(arguments, folder, before):
    """Return the status, both streams, and the files that are new or differ."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.chdir(folder)
        warnings.simplefilter("always")
        with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
            try:
                status = main(arguments)
            except SystemExit as stop:
                status = stop.code
    written = {name: text for name, text in _contents(folder).items() if before.get(name) != text}
    return status, out.getvalue(), err.getvalue(), written


def check(calls, command, path, name):
    """Check that a path hears an option, or that it is an error that names a way."""
    further = option(command, path, name)
    beside = BESIDE.get(name, ())
    if beside and beside[0] in PATHS[command][path]:
        beside = ()
    stem = "gaps" if name == "drop_missing" else "t"
    base = calls(command, path, *beside, stem=stem)
    received = calls(command, path, *beside, *further, stem=stem)

    status, _, said, _ = received
    if status == 2:
        error = said[said.index("error: ") :]
        ways = ("--", "copies of one table", *further[1:])
        assert any(way in error for way in ways), error
        assert "Traceback" not in error
    elif base[0] != 2:
        assert received != base, f"{command}, {path}: {' '.join(further)} is not heard"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_what_its_options_are(command, capsys):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    said = capsys.readouterr().out
    assert all(f"--{name.replace('_', '-')}" in said for name in COMMANDS[command].options)
    assert "%%" not in said


@pytest.mark.parametrize(("command", "path", "names"), DROPPED, ids=lambda part: str(part)[:40])
def test_options_that_were_dropped_are_heard_or_refused(calls, command, path, names):
    for name in names:
        check(calls, command, path, name)


@pytest.mark.slow
@pytest.mark.parametrize(("command", "path"), ALL, ids=lambda part: part)
def test_each_option_is_heard_or_refused(calls, command, path, global_random_seed):
    # Successive seeds check all options in turn.
    for name in list(COMMANDS[command].options)[global_random_seed % N_TURNS :: N_TURNS]:
        further = option(command, path, name)
        is_stated = further[0] in PATHS[command][path] and name in (
            *("category", "target", "groups", "labels_by_class", "inclusion_proba", "modality"),
            *("plan", "guarantee", "out"),
        )
        is_same = further[1:] == ("truth",) and "truth" in PATHS[command][path]
        is_useless = name in USELESS.get((command, path), ())
        if not (is_stated or is_same or is_useless or name in OF_FORMAT):
            check(calls, command, path, name)


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".feather", ".xlsx", ".jsonl"])
def test_options_of_the_format_are_heard_or_refused(ending, tmp_path, capsys):
    frame = pd.DataFrame({"s": np.linspace(0.05, 0.95, 20), "y": [0, 1, None, None] * 5})
    path = tmp_path / f"t{ending}"
    write = {
        ".csv": partial(frame.to_csv, index=False),
        ".parquet": frame.to_parquet,
        ".feather": frame.to_feather,
        ".xlsx": partial(frame.to_excel, index=False),
        ".jsonl": partial(frame.to_json, orient="records", lines=True),
    }
    write[ending](path)
    for name, value in {"sep": ";", "decimal": ",", "encoding": "utf-16", "sheet": "two"}.items():
        flag = f"--{name}"
        assert main(["estimate", str(path), "--score", "s", "--label", "y", flag, value]) == 2
        said = capsys.readouterr().err
        assert flag in said or value in said or ending == ".csv" or name in ("decimal", "encoding")


def test_what_options_need_is_of_the_same_commands():
    for key, needed in NEEDS.items():
        *of, name = key.split()
        commands = of or [command for command, each in COMMANDS.items() if name in each.options]
        assert commands
        for command in commands:
            known = COMMANDS[command].options
            assert name in known
            assert set(needed) <= OPTIONS.keys()
            assert set(needed) & set(known)

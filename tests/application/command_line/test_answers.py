"""What is printed, where, and with which status a command ends."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from html import escape

import numpy as np
import pytest

import sklearn_spe
from sklearn_spe.application.command_line._main import main
from sklearn_spe.application.command_line._terminal import working
from tests.application.command_line.data import LABELS, QUICK, run, table

PROGRAM = (sys.executable, "-m", "sklearn_spe")


def test_json_says_the_same_as_the_text(tmp_path, capsys):
    path = table(tmp_path / "t.csv", labeled=range(60))
    options = ("--threshold", "1", "--goal", "precision=0.6", "--goal-probability", "0.5")
    status = run("estimate", path, *QUICK, *options)
    text = capsys.readouterr().out
    assert run("estimate", path, *QUICK, *options, "--json") == status
    printed = capsys.readouterr()
    record = json.loads(printed.out)
    assert (record["schema_version"], record["version"]) == (1, sklearn_spe.__version__)
    assert (record["random_state"], record["error"]) == (0, None)
    assert (record["read"]["n_rows"], record["read"]["n_labeled"]) == (150, 60)
    assert (record["classes"], record["pos_label"]) == ([0, 1], 1)
    assert f"Verdict: {record['verdict']['verdict']}" in text
    for row in (*record["estimates"], *record["goal"]["estimates"]):
        said = f"{row['value']:8.3f}   {row['lower']:.3f} to {row['upper']:.3f}"
        assert f"{row['name']:24}{said}" in text or f"{row['name'] + ' there':24}{said}" in text
    assert f"at least {record['goal']['threshold']!r}, of items without a label" in text
    # The same metric of the rule at this threshold is another number.
    for row in record["goal"]["estimates"]:
        assert row["sentence"].startswith("In the selection: ")
        assert "threshold" not in row["sentence"]


@pytest.mark.parametrize("command", ["estimate", "report"])
def test_a_goal_that_no_threshold_meets_is_the_first_answer(tmp_path, capsys, command):
    path = table(tmp_path / "t.csv")
    goal = ("--goal", "precision=0.99", "--goal", "recall=0.99")
    assert run(command, path, *QUICK, *goal) == 6
    printed = capsys.readouterr()
    unmet = printed.err.removeprefix("error: ").strip()
    assert unmet.startswith("No threshold meets precision >= 0.99 and recall >= 0.99 with")
    first, *others = printed.out.split("\n\n")
    assert " ".join(first.split()) == unmet
    assert "No threshold" not in "".join(others)

    # With all numbers below it.
    assert run(command, path, *QUICK, *goal, "--json") == 6
    record = json.loads(capsys.readouterr().out)
    assert record["answers"][0] == {"question": "Is the goal met?", "answer": unmet}
    assert record["error"] == unmet
    assert record["goal"]["met"] is False
    assert len(record["estimates"]) >= 7
    if command == "report":
        page = (tmp_path / "t_report.html").read_text(encoding="utf-8")
        assert f'<p class="lead">{escape(unmet)} ' in page


def test_a_verdict_has_a_status_and_each_of_its_reasons_is_printed_once(tmp_path, capsys):
    one = table(tmp_path / "one.csv", labeled=np.flatnonzero(LABELS)[:9])
    assert run("estimate", one, *QUICK) == 3
    printed = capsys.readouterr()
    assert "Verdict: unidentified\n- Only one class is labeled" in printed.out
    assert (printed.out + printed.err).count("Only one class is labeled") == 1
    wrong = table(tmp_path / "wrong.csv", names=("1", "0"), labeled=range(60))
    assert run("estimate", wrong, *QUICK) == 4
    out = " ".join(capsys.readouterr().out.split())
    assert "mean positive, pass --smaller-is-positive. Otherwise" in out


def test_no_remedy_asks_for_what_was_given(tmp_path, capsys):
    path = table(tmp_path / "t.csv", labeled=range(60))
    assert run("estimate", path, *QUICK, "--smaller-is-positive") == 4
    out = capsys.readouterr().out
    assert "If larger scores mean positive, leave --smaller-is-positive out" in out
    assert "pass --smaller-is-positive" not in out


@pytest.mark.parametrize("arguments", [[], ["guess"], ["estimate"], ["estimate", "t.csv"]])
def test_an_incomplete_command_is_reported_in_one_line_and_exits_with_two(capsys, arguments):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    program = " ".join(["sklearn-spe", *(["estimate"] if "estimate" in arguments else [])])
    said = capsys.readouterr().err
    assert said.startswith(f"{program}: error: ")
    assert said.endswith(f"; see {program} --help\n")
    assert said.count("\n") == 1


def test_the_versions_are_reported(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    sklearn_spe.show_versions()
    assert text == capsys.readouterr().out
    assert text.startswith(f"sklearn-spe {sklearn_spe.__version__}\n")


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_error():
    # What is printed is in the buffer until the end.
    environment = {**os.environ, "PYTHONUNBUFFERED": ""}
    with subprocess.Popen(
        [*PROGRAM, "--version"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as program:
        program.stdout.close()
        assert program.stderr.read() == b""
    assert program.returncode == 141


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals and named pipes are those of POSIX")
def test_an_interruption_is_no_traceback(tmp_path):
    # Whoever reads a pipe that nobody writes waits.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [*PROGRAM, "estimate", pipe, *QUICK]
    program = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        # A shell has processes in the background ignore interruptions, and so do their children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    # Opened as soon as the program reads; nothing comes.
    with program, pipe.open("wb"):
        time.sleep(0.2)
        program.send_signal(signal.SIGINT)
        assert program.stderr.read() == b""
    assert program.returncode == 130


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_what_takes_long_is_reported_on_a_terminal_only():
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        with working("counting", patience=0.01, stream=stream):
            deadline = time.monotonic() + 10.0
            while stream is terminal and "counting: 0 s" not in stream.getvalue():
                assert time.monotonic() < deadline
    # A line of the terminal, in which each return starts again from the left.
    line = ""
    for text in terminal.getvalue().split("\r"):
        line = text + line[len(text) :]
    assert line.strip() == ""
    assert "\x1b" not in terminal.getvalue()
    assert terminal.getvalue().endswith("\r")
    assert file.getvalue() == ""

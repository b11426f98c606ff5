"""The script that compares the speed of two commits."""

import argparse
import json
import subprocess
import sys

import pytest

from tests.examples.tables import BENCHMARKS, ROOT, script

# Unix has it: the script asks for peak memory and forks.
pytest.importorskip("resource")
SCRIPT = BENCHMARKS / "speed.py"
ONE_MEBIBYTE = 1.0


@pytest.fixture(scope="module")
def speed():
    return script(BENCHMARKS, "speed")


def options_for(history, **given):
    defaults = {"against": None, "limit": None, "short": True}
    return argparse.Namespace(history=history, **(defaults | given))


def test_of_calls_of_a_kind_the_last_result_is_returned_and_the_least_time_counts(speed):
    meter = speed.Meter(clock=iter([0.0, 5.0, 5.0, 7.0]).__next__)
    assert meter("a call", lambda: "first", lambda: "last") == "last"
    seconds, peak = meter.figures["a call"]
    assert seconds == 2.0
    assert peak > ONE_MEBIBYTE


def test_a_ratio_is_that_of_the_least_seconds_and_stands_beside_those_of_the_rounds(speed, capsys):
    rounds = {"old": [[2.0, 100.0], [1.0, 90.0]], "new": [[3.0, 120.0], [4.0, 110.0]]}
    ratios = speed.show({"a call": rounds, "a call of one": {"new": [[1.0, 1.0]]}})
    assert ratios == {"a call": 3.0}
    printed = capsys.readouterr().out
    assert "1.50-4.00" in printed
    assert "a call of one" not in printed


def test_without_the_commit_the_speed_is_not_compared_and_this_is_said(speed, tmp_path, capsys):
    speed.main(options_for(tmp_path))
    assert "Speed is not compared" in capsys.readouterr().out


@pytest.mark.parametrize("asked", [{"limit": 1.25}, {"against": "v0.1.0"}])
def test_without_the_commit_a_limit_on_the_speed_is_not_kept(speed, tmp_path, asked):
    with pytest.raises(SystemExit, match=r"no commit .* git fetch --unshallow --tags"):
        speed.main(options_for(tmp_path, **asked))


def test_a_ratio_above_the_limit_is_refused_and_a_task_that_failed_too(speed):
    ratios = {"import": 1.25, "page": 1.3}
    with pytest.raises(SystemExit, match=r"Slower than 1.25 of v0.1.0: page 1.30.$"):
        speed.refuse(ratios, [], "v0.1.0", 1.25)
    with pytest.raises(SystemExit, match=r"Tasks that failed: 1"):
        speed.refuse({}, ["new, page: TypeError: no"], "v0.1.0", 1.25)
    speed.refuse(ratios, [], "v0.1.0", 1.3)


@pytest.mark.slow
def test_every_task_runs_with_the_package_of_the_checkout():
    command = [sys.executable, "-W", "ignore", SCRIPT, "--tree", ROOT]
    environment = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    result = json.loads(done.stdout)
    assert result["failures"] == []
    assert len(result["figures"]) >= 12


def test_airspeed_velocity_tracks_the_same_tasks(speed, monkeypatch):
    folder = BENCHMARKS / "asv"
    settings = json.loads((folder / "asv.conf.json").read_text())
    assert (folder / settings["repo"]).resolve() == ROOT
    monkeypatch.syspath_prepend(BENCHMARKS)
    tasks = script(folder / settings["benchmark_dir"], "tasks")
    assert tasks.track_cpu_seconds.params == list(speed.TASKS)
    assert tasks.track_cpu_seconds("mean") > 0.0

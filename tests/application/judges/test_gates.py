"""Gates of builds: three answers and their statuses, nights, reports, and files of other tools."""

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from sklearn_spe import compare_versions
from tests.application.command_line.data import run
from tests.application.judges import judge_files
from tests.quick import QUIET

pytestmark = QUIET


def runs_of(version, passed):
    """Return a record of each run of each case; `passed` is of shape (n_cases, n_runs)."""
    return [
        {"task": f"t{case}", "run": k, "version": version, "passed": int(value)}
        for case, row in enumerate(passed)
        for k, value in enumerate(row)
    ]


def written(tmp_path, name, **versions):
    rows = [row for version, passed in versions.items() for row in runs_of(version, passed)]
    return judge_files.write(tmp_path, name, rows)


@pytest.fixture
def cases():
    """Cases of which most pass always, and some never."""
    return np.repeat([[1, 1, 1], [0, 0, 0]], [40, 20], axis=0)


def test_a_gate_has_three_answers(tmp_path, cases, capsys):
    fallen, flaky = cases.copy(), cases.copy()
    fallen[:12] = 0
    flaky[0, 0] = 0
    gate = ("--gate", "new >= old - 0.1")
    for name, new, status, word in (
        ("same", cases, 0, "The gate is met: new is not worse by more than 10 points"),
        ("flaky", flaky, 3, "Not known: new is worse with probability 0.75; not worse by"),
        ("fallen", fallen, 6, "The gate is not met: new is worse with probability > 0.99"),
    ):
        path = written(tmp_path, f"{name}.jsonl", old=cases, new=new)
        margin = ("--gate", "new >= old - 1%") if name == "flaky" else gate
        assert run("judge", path, *margin, "--json") == status
        answer = json.loads(capsys.readouterr().out)
        compared = compare_versions(cases, new, margin=0.01 if name == "flaky" else 0.1)
        assert answer["gates"][0]["probability_worse"] == pytest.approx(compared.probability_worse)
        assert run("judge", path, *margin) == status
        assert word in " ".join(capsys.readouterr().out.split())
    assert run("judge", tmp_path / "flaky.jsonl", "--gate", "new >= old", "--unknown", "0") == 0


def test_the_same_system_twice_never_fails_a_build(tmp_path, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    rates = rng.beta(0.8, 0.5, 50)
    runs = (rng.random((50, 4)) < rates[:, np.newaxis]).astype(int)
    path = written(tmp_path, "split.jsonl", old=runs[:, :2], new=runs[:, 2:])
    worse = compare_versions(runs[:, :2], runs[:, 2:]).probability_worse
    for gate in ("new > old", "new >= old - 0.02"):
        # In at most one of twenty draws; what it says is the law's.
        assert (run("judge", path, "--gate", gate) == 6) == (worse >= 0.95)


def test_builds_read_junit_and_annotations(tmp_path, cases, capsys):
    new = cases.copy()
    new[0, 0] = 0
    path = written(tmp_path, "runs.jsonl", old=cases, new=new)
    report = tmp_path / "gates.xml"
    gates = ("--gate", "new >= old - 0.2", "--gate", "new >= old", "--gate", "old > 10%")
    assert run("judge", path, *gates, "--junit", report, "--github") == 3
    suite = ElementTree.parse(report).getroot()
    assert suite.attrib["tests"] == "3"
    assert [case.attrib["name"] for case in suite] == [
        "new >= old - 0.2",
        "new >= old",
        "old > 10%",
    ]
    assert [[child.tag for child in case] for case in suite] == [[], ["skipped"], []]
    told = capsys.readouterr().err.splitlines()
    assert [line.partition(" ")[0] for line in told] == ["::notice", "::warning", "::notice"]


def test_nights_are_remembered_and_raise_an_alarm(tmp_path, cases, capsys):
    memory = tmp_path / "night.json"
    path = written(tmp_path, "runs.jsonl", system=cases)
    for night in range(6):
        path = Path(written(tmp_path, f"night_{night}.jsonl", system=cases))
        path.write_text(path.read_text() + "\n" * night)
        for _ in range(2):
            # Run again on the same file it is the same night.
            assert run("judge", path, "--memory", memory) == 0
            assert f"Night {night}: " in capsys.readouterr().out
    fallen = cases.copy()
    fallen[:30] = 0
    path = written(tmp_path, "fallen.jsonl", system=fallen)
    assert run("judge", path, "--memory", memory) == 7
    assert "alarm, it has become worse" in capsys.readouterr().out
    assert run("judge", path, "--memory", memory) == 7
    # An intended change is accepted.
    assert run("judge", path, "--memory", memory, "--accept") == 0
    assert run("judge", path, "--memory", memory) == 0


def test_what_no_gate_can_answer_is_an_error(tmp_path, cases, capsys):
    doubled = [*runs_of("old", cases), *runs_of("new", cases)]
    doubled = [{k: v for k, v in row.items() if k != "run"} for row in doubled]
    path = judge_files.write(tmp_path, "doubled.jsonl", doubled)
    assert run("judge", path, "--gate", "new >= old - 0.1") == 2
    assert "no column numbers its runs" in " ".join(capsys.readouterr().err.split())

    path = written(tmp_path, "two.jsonl", old=cases, new=cases)
    assert run("judge", path, "--memory", tmp_path / "night.json") == 2
    assert "keeps the nights of one system, got" in capsys.readouterr().err
    assert run("judge", path, "--junit", tmp_path / "gates.xml") == 2
    assert "pass --gate too" in capsys.readouterr().err
    assert run("judge", path, "--gate", "new >= old - 1.5") == 2
    assert "must be 'A > B', 'A >= B - 0.02' or 'A > 0.8'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run("judge", path, "--metric", "pass^0")
    assert "pass^k or pass@k is needed" in capsys.readouterr().err


def test_all_runs_of_a_task_pass(tmp_path, cases, capsys):
    path = written(tmp_path, "runs.jsonl", old=cases, new=cases)
    run("judge", path, "--label", "passed")
    assert "new, pass^3: 0.67" in " ".join(capsys.readouterr().out.split())
    run("judge", path, "--metric", "pass@2")
    assert "old, pass@2: 0.67" in " ".join(capsys.readouterr().out.split())
    assert run("mean", path, "--label", "passed", "--groups", "task", "--metric", "pass^3") == 0
    assert "pass^3, of further tasks" in capsys.readouterr().out
    assert run("mean", path, "--label", "passed", "--metric", "pass^3") == 2
    assert "--groups" in capsys.readouterr().err


def test_shares_of_runs_are_read(tmp_path, capsys):
    shares = np.tile([0.0, 50.0, 100.0, 90.0], 15)
    for name, values in (("old", shares), ("new", shares[::-1])):
        rows = [
            {"question_id": f"q{i}", "model": "m", "pass@1": float(value)}
            for i, value in enumerate(values)
        ]
        text = json.dumps({"performances": rows, "models": [{"model_name": "m"}]})
        (tmp_path / f"{name}.json").write_text(text)
    paths = (tmp_path / "old.json", tmp_path / "new.json")
    assert run("judge", *paths, "--gate", "new >= old - 0.3", "--json") in (0, 3)
    answer = json.loads(capsys.readouterr().out)
    assert [system["pass_rate"] for system in answer["systems"]] == pytest.approx([0.6, 0.6])


def test_a_board_has_ties(tmp_path, global_random_seed, capsys):
    rng = np.random.default_rng(global_random_seed)
    passed = rng.random((30, 1)) < 0.7
    versions = {f"m{i}": passed ^ (rng.random((30, 1)) < 0.02 * (i > 0)) for i in range(8)}
    path = written(tmp_path, "board.jsonl", **versions)
    run("judge", path, "--label", "passed", "--json")
    answer = json.loads(capsys.readouterr().out)
    # One changed case of thirty separates no two systems.
    rates = {system["name"]: system["pass_rate"] for system in answer["systems"]}
    close = {name for name, rate in rates.items() if rate > max(rates.values()) - 1.5 / 30}
    assert close - {answer["best"]} <= set(answer["not_separable"])


def test_files_of_tools_are_gates_too(tmp_path, capsys):
    rng = np.random.default_rng(0)
    results = [
        {
            "provider": {"id": f"model:{name}"},
            "testIdx": case,
            "response": {"output": "text"},
            "gradingResult": {"pass": bool(rng.random() < 0.8), "score": 1.0},
        }
        for name in ("old", "new")
        for case in range(40)
    ]
    path = tmp_path / "promptfoo.json"
    path.write_text(json.dumps({"results": {"results": results}}))
    assert run("judge", path, "--gate", "model:new >= model:old - 0.02") in (0, 3, 6)
    assert "On 40 cases model:new passes" in " ".join(capsys.readouterr().out.split())

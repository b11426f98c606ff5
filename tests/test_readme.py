"""The README's Python runs as it is written, its links lead somewhere, its numbers are right."""

import json
import re
import shutil
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.application.command_line._main import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_python_of_the_readme_runs(tmp_path, monkeypatch):
    block, _ = re.findall(r"^```python\n(.*?)^```", README, flags=re.M | re.S)
    # Pictures are written to, and data read from, where the reader stands.
    # A copy, as links need rights on some systems.
    shutil.copytree(ROOT / "examples" / "data", tmp_path / "examples" / "data")
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {"__name__": "__main__"})
    plt.close("all")
    assert (tmp_path / "curve.png").stat().st_size > 0


def test_the_call_on_judges_runs(global_random_seed):
    _, block = re.findall(r"^```python\n(.*?)^```", README, flags=re.M | re.S)
    rng = np.random.default_rng(global_random_seed)
    truth = (rng.random(200) < 0.6).astype(int)
    names = {
        "PerformanceCurveEstimator": PerformanceCurveEstimator,
        "human": np.where(np.arange(200) % 4 == 0, truth, -1),
        "gpt": np.where(rng.random(200) < 0.2, 1 - truth, truth),
        "rubric": np.clip(2 + truth + rng.integers(-1, 3, 200), 1, 5),
        "system": rng.permutation(np.repeat(["claude-haiku", "our-finetune"], 100)),
        "prompt": rng.integers(0, 100, 200),
    }
    exec(compile(block, "README.md", "exec"), names)
    rates = names["answers"].by_category("prevalence")
    assert set(rates.names) == {"claude-haiku", "our-finetune"}


def test_the_links_of_the_readme_lead_to_files():
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(links) > 20
    assert [link for link in links if not (ROOT / link).is_file()] == []


def test_the_numbers_of_the_readme_are_those_of_its_main_job(capsys):
    printed = re.findall(r"^(\w.*?) {2,}(0\.\d+) +(0\.\d+) to ([01]\.\d+)$", README, flags=re.M)
    file = ROOT / "examples" / "data" / "digits_ten_labels.csv"
    job = ["estimate", str(file), "--score", "score", "--label", "label", "--threshold", "0"]
    assert " ".join(["examples/data/digits_ten_labels.csv", *job[2:]]) in README
    main(job)
    # The answer comes first, and nothing about how it was computed.
    said, _, table = capsys.readouterr().out.partition("\n\n")
    head, *rows = table.splitlines()
    assert head.split() == ["value", "90%", "interval"]
    in_words = re.compile(r"\b\d+\b")
    for sentence in said.splitlines():
        (shown,) = [
            x for x in README.splitlines() if in_words.sub("", x) == in_words.sub("", sentence)
        ]
        counts = [list(map(int, in_words.findall(text))) for text in (shown, sentence)]
        assert_allclose(*counts, rtol=0.05, atol=2)
    assert [name for name, *_ in printed] == [row.split("  ")[0] for row in rows[: len(printed)]]
    assert [row for row in rows if row.startswith("Experts: ")] == []
    main([*job, "--json"])
    estimates = {row["name"]: row for row in json.loads(capsys.readouterr().out)["estimates"]}
    assert len(printed) == len(estimates)
    for name, *numbers in printed:
        row = estimates[name]
        # One seed; rounding on another processor may take other draws, here and there.
        got = [row["value"], row["lower"], row["upper"]]
        assert_allclose(got, [float(number) for number in numbers], atol=0.02)

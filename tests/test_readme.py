"""The README's Python runs as it is written, with what a reader brings."""

import json
import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from sklearn_spe import ActiveTestSelector, PerformanceCurveEstimator
from sklearn_spe.command_line import main
from sklearn_spe.metrics import PrecisionAtK

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, flags=re.M | re.S)
N_ITEMS = 300


@pytest.fixture
def brought(global_random_seed):
    """Return what the README's code speaks of and does not make."""
    rng = np.random.default_rng(global_random_seed)
    truth = np.arange(N_ITEMS) % 3 == 0
    X = rng.normal(size=(N_ITEMS, 2)) + 3.0 * truth[:, np.newaxis]
    tag = np.array(["cat", "dog"])[rng.integers(2, size=N_ITEMS)]
    return {
        "pd": pd,
        "ActiveTestSelector": ActiveTestSelector,
        "PerformanceCurveEstimator": PerformanceCurveEstimator,
        "PrecisionAtK": PrecisionAtK,
        "X": X,
        "scores": X[:, 0],
        "y": np.where(np.arange(N_ITEMS) < 60, truth, -1),
        "clf": LogisticRegression().fit(X, truth),
        "old_scores": X[:, 0],
        "new_scores": X.sum(axis=1),
        "country": tag,
        "tag": tag,
        "tagged": np.where(rng.random(N_ITEMS) < 0.1, ~truth, truth).astype(int),
        "ask_somebody": lambda items: truth[items].astype(int),
    }


def of_the_extrapolator(brought):
    """Return the scores of a pilot with a hundred classes, and its labels."""
    y = np.repeat(np.arange(100), 2)
    # Some of them are recognized as another class.
    others = 2.5 * np.sin(np.arange(len(y) * 100)).reshape(len(y), 100)
    return {"y": y, "scores": others + 3.0 * np.eye(100)[y]}


def test_the_blocks_are_found():
    assert len(BLOCKS) >= 6


@pytest.mark.slow
@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_python_of_the_readme_runs(block, brought, tmp_path, monkeypatch):
    if "AccuracyExtrapolator" in block:
        brought |= of_the_extrapolator(brought)
    # Pictures are written to, and data read from, where the reader stands.
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {"__name__": "__main__", **brought})
    plt.close("all")


def test_the_numbers_of_the_readme_are_those_of_its_main_job(capsys):
    printed = re.findall(r"^(\w.*?) {2,}(0\.\d+) +(0\.\d+) to ([01]\.\d+)$", README, flags=re.M)
    file = ROOT / "examples" / "data" / "digits_ten_labels.csv"
    job = ["estimate", str(file), "--score", "score", "--label", "label"]
    main(job)
    # The answer comes first, and how it was computed last.
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["value", "90%", "interval"]
    assert [name for name, *_ in printed] == [row.split("  ")[0] for row in rows[: len(printed)]]
    assert [rows.index(row) for row in rows if row.startswith("Experts: ")] == [len(rows) - 2]
    main([*job, "--json"])
    estimates = {row["name"]: row for row in json.loads(capsys.readouterr().out)["estimates"]}
    assert len(printed) == len(estimates)
    for name, *numbers in printed:
        row = estimates[name]
        # One seed; rounding on another processor may take other draws, here and there.
        got = [row["value"], row["lower"], row["upper"]]
        assert_allclose(got, [float(number) for number in numbers], atol=0.02)

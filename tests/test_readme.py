"""The README's Python runs as it is written, its links lead somewhere, its numbers are right."""

import ast
import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import average_precision_score

from sklearn_spe.application.command_line._main import main
from tests.examples.tables import BENCHMARKS, script

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
(PYTHON,) = re.findall(r"^```python\n(.*?)^```", README, flags=re.M | re.S)
COVERAGE = (ROOT / "doc" / "measured" / "benchmark_table.rst").read_text(encoding="utf-8")
NUMBER = re.compile(r"-?\d+\.\d+")


def numbers_of(text):
    """Return the decimal numbers of a text."""
    return [float(number) for number in NUMBER.findall(text)]


def values_of(result):
    """Return the numbers that a line of the README prints of a result."""
    if isinstance(result, float):
        return [result]
    return [result.value, *result.interval(0.9)]


def test_it_is_short_and_begins_with_what_the_package_is_for():
    assert len(README.splitlines()) <= 150
    screen = "\n".join(README.splitlines()[:40])
    assert PYTHON in screen
    for call in (
        "SemisupervisedScoreMixture(random_state=0).fit(z, y).predict_proba(z)",
        '.curve("precision_recall")',
        ".threshold_for(precision=",
        ".query(10)",
        ".estimate(2000)",
    ):
        assert call in PYTHON


@pytest.mark.slow
def test_the_python_of_the_readme_runs_and_answers_what_its_comments_say(monkeypatch):
    monkeypatch.chdir(ROOT)
    lines = PYTHON.splitlines()
    # What is printed is compared.
    names = {"print": lambda value: value}
    compared = 0
    for statement in ast.parse(PYTHON).body:
        source = ast.get_source_segment(PYTHON, statement)
        if not isinstance(statement, ast.Expr):
            exec(source, names)
            continue
        result = eval(source, names)
        _, _, comment = lines[statement.end_lineno - 1].partition("  # ")
        stated = numbers_of(comment)
        if stated:
            # One seed; rounding on another processor may take other draws, here and there.
            assert_allclose(values_of(result), stated, atol=0.02)
            compared += 1
    assert compared == 3
    assert names["low"].shape == names["high"].shape


def test_the_links_of_the_readme_lead_to_files():
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(links) > 20
    assert [link for link in links if not (ROOT / link).is_file()] == []


def test_the_coverage_of_the_readme_is_that_of_the_table():
    cells = {
        (row[0], row[1]): float(row[3])
        for line in COVERAGE.splitlines()
        if len(row := [cell.strip() for cell in line.split("|")]) == 7 and row[0].isdigit()
    }
    of_ten = ("default", "labels only (Bayesian bootstrap)", "EM of two normals")
    (bullet,) = re.findall(r"covered the truth(.*?)\(\[measured\]", README, flags=re.S)
    assert numbers_of(bullet) == [cells["10", method] for method in of_ten]


def test_the_table_of_peers_is_that_of_its_run():
    with (BENCHMARKS / "peers.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table = script(BENCHMARKS / "peers", "__main__").readme_table(rows)
    assert "\n".join(table) in README


def test_the_numbers_of_the_readme_are_those_of_its_main_job(capsys):
    printed = re.findall(r"^(\w.*?) {2,}(0\.\d+) +(0\.\d+) to ([01]\.\d+)$", README, flags=re.M)
    assert len(printed) >= 4
    file = ROOT / "examples" / "data" / "digits_ten_labels.csv"
    job = ["estimate", str(file), "--score", "score", "--label", "label", "--threshold", "0"]
    assert " ".join(["examples/data/digits_ten_labels.csv", *job[2:]]) in README
    main(job)

    # The answer comes first, and nothing about how it was computed.
    said, _, table = capsys.readouterr().out.partition("\n\n")
    head, *rows = table.splitlines()
    assert head.split() == ["value", "90%", "interval"]
    assert [row for row in rows if row.startswith("Experts: ")] == []
    in_words = re.compile(r"\b\d+\b")
    for sentence in said.splitlines()[:2]:
        (shown,) = [
            x for x in README.splitlines() if in_words.sub("", x) == in_words.sub("", sentence)
        ]
        counts = [list(map(int, in_words.findall(text))) for text in (shown, sentence)]
        assert_allclose(*counts, rtol=0.05, atol=2)

    main([*job, "--json"])
    estimates = {row["name"]: row for row in json.loads(capsys.readouterr().out)["estimates"]}
    for name, *numbers in printed:
        row = estimates[name]
        # One seed; rounding on another processor may take other draws, here and there.
        got = [row["value"], row["lower"], row["upper"]]
        assert_allclose(got, [float(number) for number in numbers], atol=0.02)


def test_the_truth_of_the_readme_is_that_of_all_labels():
    data = np.genfromtxt(
        ROOT / "examples" / "data" / "digits_ten_labels.csv", delimiter=",", names=True
    )
    truth, predicted = data["truth"] == 1, data["score"] >= 0.0
    shares = [truth.mean(), truth[predicted].mean(), predicted[truth].mean()]
    (sentence,) = re.findall(r"With all 1,797 labels(.*?):", README, flags=re.S)
    expected = [average_precision_score(truth, data["score"]), *shares]
    assert_allclose(numbers_of(sentence), expected, atol=5e-4)

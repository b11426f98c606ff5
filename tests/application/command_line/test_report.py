"""``report``: a page from a file, in the words of the command line."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from tests.application.command_line.data import LABELS, QUICK, SCORES, run, table
from tests.application.report.pages import Page


def read(path):
    return Page(path.read_text(encoding="utf-8"))


@pytest.fixture
def wide(tmp_path):
    """Return a table with two systems, a category and a text of each row."""
    lines = ["s,t,y,month,text"]
    for i, (score, label) in enumerate(zip(SCORES.tolist(), LABELS.tolist(), strict=True)):
        said = label if i < 40 else ""
        lines.append(f"{score},{score + i % 5},{said},2026-0{1 + i % 2},<i>row {i}")
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_page_has_the_numbers_that_are_printed(tmp_path, capsys):
    out = tmp_path / "page.html"
    run(
        "report", table(tmp_path / "t.csv"), *QUICK, "--threshold", "1", "-o", out, "--title", "May"
    )
    printed, page = capsys.readouterr().out, read(out)
    assert f"The report is in {out}." in printed
    assert page.of("main")
    assert page.texts.count("May") == 2
    rows = [
        line.split() for line in printed.split("90% interval\n")[1].split("\n\n")[0].splitlines()
    ]
    assert len(rows) >= 11
    for *_, value, low, _, high in rows:
        assert value in page.texts
        assert f"{low} to {high}" in page.texts


def test_without_a_name_the_page_stands_beside_the_file(tmp_path, capsys):
    run("report", table(tmp_path / "t.csv.gz"), *QUICK)
    assert read(tmp_path / "t_report.html").of("main")


def test_rows_are_called_by_their_lines_or_by_a_column(wide, tmp_path, capsys):
    out = tmp_path / "page.html"
    run("report", wide, *QUICK, "-o", out)
    assert "line" in read(out).texts
    run("report", wide, *QUICK, "-o", out, "--item", "text")
    page = read(out)
    assert "text" in page.texts
    called = [text for text in page.texts if text.startswith("<i>row ")]
    assert len(called) >= 10
    # A line is where a label is written.
    assert all(re.search(r" \(line \d+\)$", text) for text in called)
    digest = hashlib.sha256(Path(wide).read_bytes()).hexdigest()
    assert {Path(wide).name, digest, "s (score), y (label)"} <= set(page.texts)
    # And in short on the first screen, with the name of the model.
    header = page.text.split('class="counts">')[1].split("</header>")[0]
    assert f"SHA-256 {digest[:12]}" in header
    assert "model s" in header
    assert page.of("i") != []  # the bars
    assert page.unclosed == []


def test_a_report_is_compared_with_an_earlier_one(wide, tmp_path, capsys):
    old, out = tmp_path / "old.json", tmp_path / "page.html"
    run("report", wide, *QUICK, "-o", out, "--json")
    record = json.loads(capsys.readouterr().out)
    old.write_text(json.dumps(record), encoding="utf-8")
    run("report", wide, *QUICK, "-o", out, "--compared-with", old, "--json")
    again = json.loads(capsys.readouterr().out)["compared_with"]
    assert [row["name"] for row in again["changes"]] == [row["name"] for row in record["estimates"]]
    assert {row["value"] for row in again["changes"]} == {0.0}
    assert not any(row["more_than_uncertainty"] for row in again["changes"])
    assert f"Since {wide.name} of {record['date']}" in read(out).said
    old.write_text("precision,0.9", encoding="utf-8")
    assert run("report", wide, *QUICK, "-o", out, "--compared-with", old) == 2
    assert "--json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--score", "s", "--label", "y", "-o", "page.txt"), "ends in .html or .htm"),
        (("--score", "s", "--scores", "s", "t", "--label", "y"), "pass one of them"),
        (("--label", "y"), "pass --score or --judge"),
        (("--score", "s", "--label", "y", "--item", "txt"), "did you mean 'text'?"),
        (("--judge", "t", "--label", "y", "--threshold", "99"), "needs --score"),
        (("--score", "s", "--label", "y", "--reference", "1"), "--reference needs --category"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(options, said, wide, capsys):
    try:
        status = run("report", wide, *options)
    except SystemExit as error:
        status = error.code
    assert status == 2
    assert said in capsys.readouterr().err
    assert [path.name for path in Path(wide).parent.iterdir()] == ["wide.csv"]

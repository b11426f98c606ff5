"""``compare``, and what ``estimate`` says of categories."""

import json
import re

import numpy as np
import pytest

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from tests.application.command_line.data import LABELS, SCORES, run

N, N_LABELED = len(SCORES), 60
WORSE = SCORES + 2.0 * np.sin(7.0 * np.arange(N))
MONTHS = np.arange(N) % 3 + 9
PATIENTS = np.arange(N) // 3
SYSTEMS = ("--scores", "old", "new")
QUICK = (*SYSTEMS, "--label", "y", "--n-draws", "200", "--experts", "rank_binormal")


def table(path, lines=()):
    """Write the scores of two systems, and what else is known of the items."""
    rows = ["old,new,month,patient,y"]
    for i in range(N):
        label = LABELS[i] if i < N_LABELED else ""
        cells = (float(WORSE[i]), float(SCORES[i]), MONTHS[i], PATIENTS[i], label)
        rows.append(",".join(map(str, cells)))
    path.write_text("\n".join([*rows, *lines]) + "\n")
    return str(path)


def fitted(scores, **structure):
    y = np.where(np.arange(N) < N_LABELED, LABELS, -1)
    mixture = SemisupervisedScoreMixture(experts="rank_binormal", n_draws=200, random_state=0)
    return PerformanceCurveEstimator(mixture, random_state=0).fit(scores, y, **structure)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_comparison_is_that_of_the_library(tmp_path, capsys):
    options = ("--category", "month", "--groups", "patient", "--metric", "f1", "--threshold", "1")
    status = run("compare", table(tmp_path / "t.csv"), *QUICK, *options, "--json")
    record = json.loads(capsys.readouterr().out)
    performance = fitted({"old": WORSE, "new": SCORES}, category=MONTHS, groups=PATIENTS)
    assert status == {"ok": 0, "unidentified": 3, "misfit": 4}[performance.verdict_]
    assert record["read"]["scores"] == ["old", "new"]
    assert (record["read"]["category"], record["read"]["groups"]) == ("month", "patient")
    asked = {"threshold": 1.0}
    for said, where in [
        (record, {}),
        *zip(record["categories"], [{"category": m} for m in (9, 10, 11)], strict=True),
    ]:
        assert [row["name"] for row in said["systems"]] == ["old", "new"]
        for k, row in enumerate(said["systems"]):
            estimate = performance.of(system=k, **where).estimate("f1", **asked)
            assert [row["value"], row["lower"], row["upper"]] == [
                estimate.value,
                *estimate.interval(),
            ]
        better = performance.ranking_proba("f1", **asked, **where)
        assert said["ranking_proba"] == better.tolist()
        best = int(better[1, 0] > 0.5)
        assert said["baseline"] == ("old", "new")[best]
        (row,) = said["differences"]
        difference = performance.difference("f1", 1 - best, best, **asked, **where)
        assert (row["name"], row["value"]) == (("old", "new")[1 - best], difference.value)
        assert row["probability"] == better[1 - best, best]
    assert [said["category"] for said in record["categories"]] == ["9", "10", "11"]


@pytest.mark.slow
def test_estimate_has_a_table_of_categories(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    path, picture = table(tmp_path / "t.csv"), tmp_path / "months.png"
    options = ("--score", "new", *QUICK[3:], "--category", "month", "--threshold", "1")
    run("estimate", path, *options, "--plot", picture, "--json")
    record = json.loads(capsys.readouterr().out)
    performance = fitted(SCORES, category=MONTHS)
    for said in record["categories"]:
        month = int(said["category"])
        expected = [
            performance.of(category=month).estimate("average_precision"),
            performance.of(category=month).estimate("prevalence"),
            performance.of(category=month).estimate("precision", threshold=1.0),
            performance.of(category=month).estimate("recall", threshold=1.0),
        ]
        assert [row["value"] for row in said["estimates"]] == [e.value for e in expected]
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    run("estimate", path, *options)
    assert re.search(r"recall at score 1 by month:\n.*\n9 .*\n10 .*\n11 ", capsys.readouterr().out)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_changes_from_a_reference_are_those_of_the_library(tmp_path, capsys):
    pd = pytest.importorskip("pandas")
    path = tmp_path / "t.csv"
    order = {9: "Sep", 10: "Oct", 11: "Nov"}
    table(path)
    text = path.read_text()
    path.write_text(re.sub(r",(9|10|11),", lambda m: f",{order[int(m[1])]},", text))
    options = ("--category", "month", "--ordered", "--reference", "Oct", "--json")
    run("compare", path, *QUICK, *options)
    record = json.loads(capsys.readouterr().out)
    months = pd.Categorical([order[m] for m in MONTHS], [*order.values()], ordered=True)
    performance = fitted({"old": WORSE, "new": SCORES}, category=months)
    assert [said["category"] for said in record["categories"]] == ["Sep", "Oct", "Nov"]
    assert record["reference"] == "Oct"
    asked = [(k, name, month) for k, name in enumerate(SYSTEMS[1:]) for month in ("Sep", "Nov")]
    for said, (k, name, month) in zip(record["changes"], asked, strict=True):
        change = performance.difference("average_precision", month, "Oct", system=k)
        assert (said["system"], said["category"]) == (name, month)
        assert [said["value"], said["lower"], said["upper"]] == [change.value, *change.interval()]
        assert abs(said["probability"] - change.probability_above()) < 1e-12


# The file does not exist: what is wrong with options is told before it is looked for.
WRONG_OPTIONS = {
    "one": (
        ("--scores", "old"),
        "pass the columns of all systems, or use the command estimate for one",
    ),
    "twice": (("--scores", "old", "old"), "--scores names 'old' twice"),
    "parts": ((*SYSTEMS, "--category", "y"), "--label and --category name the same column, 'y'"),
    "baseline": (
        (*SYSTEMS, "--baseline", "best"),
        "--baseline 'best' is not among --scores old new",
    ),
    "experts": ((*SYSTEMS, "--experts", "none"), "cannot be combined with several --scores"),
    "order": ((*SYSTEMS, "--ordered"), "--ordered needs --category"),
}


@pytest.mark.parametrize(("options", "message"), WRONG_OPTIONS.values(), ids=WRONG_OPTIONS)
def test_options_are_checked_before_anything_is_read(capsys, options, message):
    try:
        status = run("compare", "nowhere.csv", *options, "--label", "y")
    except SystemExit as stop:  # argparse ends the program itself
        status = stop.code
    assert status == 2
    assert re.search(f"error: .*{message}", capsys.readouterr().err)


WRONG_TABLES = {
    "one system": ("old,new,y\n.1,.9,0\n.8,.2,1\n", (), "probabilities of two classes by one"),
    "decision": (
        "old,new,y\n1,2,0\n-3,4,1\n",
        ("--metric", "f1"),
        "none is usual for scores in 'new' from 2 to 4: pass --threshold",
    ),
    "reference": (
        "old,new,y,m\n1,2,0,2\n-3,4,1,10\n",
        ("--category", "m", "--reference", "3"),
        "--reference '3' is not a category in column 'm': 2, 10",
    ),
}


@pytest.mark.parametrize(("text", "options", "message"), WRONG_TABLES.values(), ids=WRONG_TABLES)
def test_what_is_wrong_with_a_table_is_reported_in_one_line(
    tmp_path, capsys, text, options, message
):
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert run("compare", path, *SYSTEMS, "--label", "y", *options) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert re.search(f"error: .*{message}", printed.err)
    assert printed.err.count("\n") == 1


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_systems_may_have_blanks(tmp_path, capsys):
    path = tmp_path / "t.csv"
    table(path)
    header, *rows = path.read_text().splitlines()
    cells = [row.split(",") for row in rows]
    blank = [i for i in range(N) if i % 3 == 0]
    for i in blank:
        cells[i][0] = ""
    path.write_text("\n".join([header, *map(",".join, cells)]) + "\n")
    run("compare", path, *QUICK, "--metric", "roc_auc", "--json")
    said = capsys.readouterr()
    assert f"'old' has no score in {len(blank)} of {N} rows" in said.err
    record = json.loads(said.out)
    scores = np.column_stack([np.where(np.isin(np.arange(N), blank), np.nan, WORSE), SCORES])
    performance = fitted(scores)
    expected = performance.of(system=0).estimate("roc_auc").value
    assert record["systems"][0]["value"] == pytest.approx(expected)
    (difference,) = record["differences"]
    a, b = (1, 0) if record["baseline"] == "old" else (0, 1)
    expected = performance.difference("roc_auc", a, b).value
    assert difference["value"] == pytest.approx(expected)
    # One column by itself needs all of its scores.
    assert run("estimate", path, "--score", "old", "--label", "y") == 2
    assert "must have a number in every row" in capsys.readouterr().err
    path.write_text("\n".join([header, *(",".join(["", *c[1:]]) for c in cells)]) + "\n")
    assert run("compare", path, *QUICK) == 2
    assert "'old' of" in capsys.readouterr().err

"""The command line: numbers on the terminal, a picture in a file, errors that help."""

import csv
import gzip
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest

from sklearn_spe import (
    ActiveTestSelector,
    PerformanceCurveEstimator,
    SemisupervisedScoreMixture,
)
from sklearn_spe.__main__ import main
from sklearn_spe.datasets import make_scores
from sklearn_spe.exceptions import UnidentifiedWarning
from sklearn_spe.report import summarise

SCORES, LABELS = make_scores(150, random_state=0)
COLUMNS = ("--score", "s", "--label", "y")


def table(path, names=("0", "1"), labelled=range(20), missing=""):
    lines = ["s,y"]
    for i, (score, label) in enumerate(zip(SCORES, LABELS, strict=True)):
        lines.append(f"{score!r},{names[label] if i in labelled else missing}")
    text = "\n".join(lines).replace("np.float64(", "").replace(")", "") + "\n"
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return str(path)


def run(*arguments):
    # Warnings are printed by the program, and are no errors of these tests.
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        return main(["estimate", *arguments])


def numbers(text):
    return [float(number) for number in re.findall(r"\d\.\d{3}", text)]


def test_the_numbers_are_those_of_the_library(tmp_path, capsys):
    assert run(table(tmp_path / "t.csv"), *COLUMNS, "--threshold", "1.0") == 0
    mixture = SemisupervisedScoreMixture(random_state=0)
    y = np.where(np.arange(150) < 20, LABELS, -1)
    performance = PerformanceCurveEstimator(mixture, random_state=0).fit(SCORES, y)
    assert capsys.readouterr().out == summarise(performance, 1.0) + "\n"


@pytest.mark.parametrize("experts", ["auto", "rank_binormal", "none"])
def test_the_options_reach_the_estimators(tmp_path, capsys, experts):
    options = ("--target", "population", "--confidence-level", "0.5", "--n-draws", "300")
    options += ("--experts", experts, "--score-kind", "margin", "--random-state", "7")
    assert run(table(tmp_path / "t.csv"), *COLUMNS, *options) == 0
    mixture = SemisupervisedScoreMixture(
        experts=None if experts == "none" else experts,
        score_kind="margin",
        n_draws=300,
        random_state=7,
    )
    y = np.where(np.arange(150) < 20, LABELS, -1)
    performance = PerformanceCurveEstimator(
        mixture, target="population", confidence_level=0.5, random_state=7
    ).fit(SCORES, y)
    out = capsys.readouterr().out
    assert out == summarise(performance) + "\n"
    assert "50% interval" in out


def test_a_picture_is_written(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "curve.png"
    assert run(table(tmp_path / "t.csv"), *COLUMNS, "--plot", str(picture), "--n-draws", "200") == 0
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert picture.stat().st_size > 10_000
    assert f"The precision-recall curve is in {picture}." in capsys.readouterr().out


def test_gzipped_tables_and_spellings_of_missing_labels_give_the_same_numbers(tmp_path, capsys):
    outputs = set()
    for i, missing in enumerate(["", "NA", "nan", "None", "<NA>", "?", "-1"]):
        path = tmp_path / f"t{i}.csv{'.gz' if i % 2 else ''}"
        assert run(table(path, missing=missing), *COLUMNS, "--n-draws", "200") == 0
        outputs.add(capsys.readouterr().out)
    assert len(outputs) == 1


def test_strings_are_classes_if_the_positive_one_is_named(tmp_path, capsys):
    assert run(table(tmp_path / "n.csv"), *COLUMNS, "--n-draws", "200") == 0
    expected = numbers(capsys.readouterr().out)
    path = table(tmp_path / "t.csv", names=("well", "ill"))
    assert run(path, *COLUMNS, "--n-draws", "200", "--pos-label", "ill") == 0
    out = capsys.readouterr().out
    assert "of class ill" in out
    assert numbers(out) == expected


def test_zero_can_be_the_positive_class(tmp_path, capsys):
    path = table(tmp_path / "t.csv", names=("1", "0"))
    assert run(path, *COLUMNS, "--n-draws", "200", "--pos-label", "0") == 0
    assert f"{LABELS[:20].sum()} of class 0" in capsys.readouterr().out


def test_labels_of_one_class_warn_on_the_terminal(tmp_path, capsys):
    path = table(tmp_path / "t.csv", names=("ham", "spam"), labelled=np.flatnonzero(LABELS)[:9])
    options = ("--classes", "ham", "spam", "--pos-label", "spam", "--n-draws", "200")
    assert run(path, *COLUMNS, *options) == 0
    captured = capsys.readouterr()
    assert "warning: Only one class is labelled (0 negative, 9 positive)" in captured.err
    assert "9 labelled (9 of class spam, 0 of class ham)" in captured.out
    assert "Verdict: unidentified\n- Only one class is labelled" in captured.out


def test_the_hook_for_warnings_is_put_back(tmp_path):
    with warnings.catch_warnings():
        before = warnings.showwarning
        main(["estimate", str(tmp_path / "nowhere.csv"), *COLUMNS])
        assert warnings.showwarning is before


BAD = {
    "column": (("--score", "score", "--label", "y"), r"has no column 'score'; it has 's', 'y'\."),
    "threshold": ((*COLUMNS, "--threshold", "99"), "threshold must lie in the range of the scores"),
    "pos_label": ((*COLUMNS, "--pos-label", "2"), "pos_label=2 is not one of the classes"),
    "classes": ((*COLUMNS, "--classes", "0", "2"), "not among classes"),
    "draws": ((*COLUMNS, "--n-draws", "0"), "n_draws must be at least 1, got 0"),
    "kind": (
        (*COLUMNS, "--score-kind", "probability"),
        r"score_kind='probability' says that scores lie in \[0, 1\]",
    ),
    "level": (
        (*COLUMNS, "--confidence-level", "1.5"),
        r"confidence_level must lie in \(0, 1\), got 1.5",
    ),
    "seed": ((*COLUMNS, "--random-state", "-1"), "random_state must not be negative"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD)
def test_errors_are_one_line_and_exit_with_two(tmp_path, capsys, arguments, message):
    assert run(table(tmp_path / "t.csv"), *arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.match(f"error: .*{message}", captured.err)
    assert captured.err.count("\n") == 1


BAD_TABLES = {
    "text for a score": (
        "s,y\n1,0\nhigh,1\n",
        r"must hold a number in every row; .* line 3 \('high'\)",
    ),
    "no rows": ("s,y\n", r"0 sample\(s\)"),
    "nan": ("s,y\n1,0\nnan,1\n2,1\n", r"line 3 \('nan'\)\. .* option drop_missing"),
    "plus minus": ("s,y\n1,-1\n2,1\n3,1\n", "is -1 a class, or an item that is not labelled"),
    "strings": ("s,y\n1,ham\n2,spam\n", "pos_label is not specified"),
    "three classes": ("s,y\n1,0\n2,1\n3,2\n", "Two classes are needed, got 3"),
    "one score": ("s,y\n1,0\n1,1\n", "At least two distinct scores are needed"),
}


@pytest.mark.parametrize(("text", "message"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_what_is_wrong_with_a_table_is_told(tmp_path, capsys, text, message):
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    assert run(str(path), *COLUMNS) == 2
    assert re.search(f"error: .*{message}", capsys.readouterr().err)


def test_names_of_classes_do_not_steer_the_terminal(tmp_path, capsys):
    path = table(tmp_path / "t.csv", names=("well", "\x1b[2Jill"), labelled=range(60))
    assert run(path, *COLUMNS, "--n-draws", "200", "--pos-label", "\x1b[2Jill") == 0
    printed = capsys.readouterr()
    assert "\x1b" not in printed.out + printed.err
    assert "of class \\x1b[2Jill" in printed.out


def test_what_was_recognised_is_told_and_gives_the_same_numbers(tmp_path, capsys):
    path = tmp_path / "t.csv"
    assert run(table(path), *COLUMNS, "--n-draws", "200") == 0
    plain = capsys.readouterr().out
    text = path.read_text().replace(",", ";").replace(".", ",") + ";1\n"
    path.write_bytes(text.encode("utf-16"))
    assert run(str(path), *COLUMNS, "--n-draws", "200", "--drop-missing") == 0
    printed = capsys.readouterr()
    assert printed.out == plain
    for said in ("UTF-16", "semicolons", "decimal marks", "1 of 151 rows have nothing"):
        assert re.search(f"note: .*{said}", printed.err)


def test_booleans_are_classes_as_pandas_writes_them(tmp_path, capsys):
    path = table(tmp_path / "t.csv", names=("False", "True"))
    assert run(path, *COLUMNS, "--n-draws", "200") == 0
    plain = capsys.readouterr().out
    assert "of class True" in plain
    assert run(path, *COLUMNS, "--n-draws", "200", "--pos-label", "TRUE") == 0
    assert capsys.readouterr().out == plain


def test_a_file_that_is_not_there_is_named(tmp_path, capsys):
    assert run(str(tmp_path / "nowhere.csv"), *COLUMNS) == 2
    assert re.search(r"error: .*nowhere\.csv", capsys.readouterr().err)


@pytest.mark.parametrize("arguments", [[], ["guess"], ["estimate"], ["estimate", "t.csv"]])
def test_an_incomplete_command_shows_the_usage_and_exits_with_two(capsys, arguments):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage: python -m sklearn_spe" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--experts", "--score-kind"])
def test_an_unknown_choice_is_named(tmp_path, capsys, option):
    with pytest.raises(SystemExit) as stop:
        main(["estimate", table(tmp_path / "t.csv"), *COLUMNS, option, "oracle"])
    assert stop.value.code == 2
    assert f"{option}: invalid choice: 'oracle'" in capsys.readouterr().err


def test_the_package_runs_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "sklearn_spe", "estimate", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--score COLUMN" in done.stdout


def test_a_goal_gives_the_threshold_of_the_library(tmp_path, capsys):
    options = ("--goal", "precision=0.6", "--goal", "recall=0.2", "--goal-probability", "0.5")
    assert run(table(tmp_path / "t.csv", labelled=range(60)), *COLUMNS, *options) == 0
    y = np.where(np.arange(150) < 60, LABELS, -1)
    mixture = SemisupervisedScoreMixture(random_state=0)
    performance = PerformanceCurveEstimator(mixture, random_state=0).fit(SCORES, y)
    goal = {"precision": 0.6, "recall": 0.2}
    threshold = performance.threshold_for(confidence_level=0.5, **goal)
    (line,) = [x for x in capsys.readouterr().out.splitlines() if x.startswith("Threshold")]
    assert f"at least {threshold!r} meet precision >= 0.6 and recall >= 0.2" in line
    probability = performance.goal_probability(thresholds=[threshold], **goal).value[0]
    assert f"with probability {probability:.3g}; {(threshold <= SCORES).sum()} items" in line


def test_a_goal_out_of_reach_is_an_error_after_the_numbers(tmp_path, capsys):
    path = table(tmp_path / "t.csv")
    assert run(path, *COLUMNS, "--goal", "precision=0.99", "--goal", "recall=0.99") == 2
    printed = capsys.readouterr()
    assert "average precision" in printed.out
    assert re.search(r"No threshold meets precision >= 0.99 .* the best one", printed.err)


@pytest.mark.parametrize("goal", ["precision", "precision=high", "precision=2", "precsion=0.5"])
def test_a_goal_that_is_none_is_an_error(tmp_path, capsys, goal):
    try:
        status = run(table(tmp_path / "t.csv"), *COLUMNS, "--goal", goal)
    except SystemExit as stop:  # argparse ends the program itself
        status = stop.code
    assert status == 2
    assert "goal" in capsys.readouterr().err.lower()


def test_a_metric_bounded_twice_is_an_error(tmp_path, capsys):
    goal = ("--goal", "precision=0.5", "--goal", "precision=0.6")
    assert run(table(tmp_path / "t.csv"), *COLUMNS, *goal) == 2
    assert "bounds precision twice" in capsys.readouterr().err


def test_smaller_scores_may_be_positive(tmp_path, capsys):
    path = table(tmp_path / "t.csv", names=("1", "0"))
    assert run(path, *COLUMNS, "--smaller-is-positive") == 0
    y = np.where(np.arange(150) < 20, 1 - LABELS, -1)
    mixture = SemisupervisedScoreMixture(greater_is_positive=False, random_state=0)
    performance = PerformanceCurveEstimator(mixture, random_state=0).fit(SCORES, y)
    assert capsys.readouterr().out == summarise(performance) + "\n"


# --- which rows to label next --------------------------------------------------------------


def fill(path, n, truth):
    """Label the first rows of a table."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows[:n]:
        row["y"] = str(truth[int(row["name"])])
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def unlabeled(tmp_path):
    scores, truth = make_scores(200, random_state=0)
    lines = [f"{i},{float(score)!r}" for i, score in enumerate(scores)]
    path = tmp_path / "pool.csv"
    path.write_text("\n".join(["name,s", *lines]) + "\n")
    return path, scores, truth


def suggest(*arguments):
    return main(["suggest", *map(str, arguments), "--score", "s", "--label", "y"])


def test_suggest_goes_on_from_the_table_that_was_filled_in(unlabeled, tmp_path, capsys):
    path, scores, truth = unlabeled
    assert suggest(path, "-n", 5) == 0
    table = tmp_path / "pool_next.csv"
    for _ in range(2):
        fill(table, 5, truth)
        assert suggest(table, "-n", 5) == 0
    selector = ActiveTestSelector(random_state=0).fit(scores)
    for _ in range(2):
        items = selector.query(5)
        selector.update(items, truth[items])
    low, high = selector.estimate_.interval()
    said = f"{selector.estimate_.value:8.3f}   {low:.3f} to {high:.3f}"
    assert said in capsys.readouterr().out
    with table.open(newline="") as file:
        asked = [int(row["name"]) for row in csv.DictReader(file)][:5]
    assert asked == selector.query(5).tolist()


def test_suggest_never_writes_over_another_table(unlabeled, tmp_path, capsys):
    path, _, truth = unlabeled
    suggest(path, "-n", 5)
    table = tmp_path / "pool_next.csv"
    fill(table, 5, truth)
    before = table.read_text()
    assert suggest(path, "-n", 5) == 2
    assert "may hold labels" in capsys.readouterr().err
    assert table.read_text() == before


def test_suggest_is_told_once_what_is_wanted(unlabeled, tmp_path, capsys):
    path, _, _ = unlabeled
    assert suggest(path, "-n", 5, "--metric", "f1", "--threshold", "1.0") == 0
    first = capsys.readouterr().out
    table = tmp_path / "pool_next.csv"
    begun = table.read_bytes()
    assert suggest(table, "-n", 5, "--metric", "recall") == 2
    assert "begun with metric='f1', got metric='recall'" in capsys.readouterr().err
    assert suggest(table, "-n", 5) == 0
    assert capsys.readouterr().out.split("\nThe first")[0] == first.split("\nThe first")[0]
    assert table.read_bytes() == begun


def test_suggest_says_when_to_stop(unlabeled, tmp_path, capsys):
    path, _, truth = unlabeled
    suggest(path, "-n", 10)
    table = tmp_path / "pool_next.csv"
    fill(table, 10, truth)
    with warnings.catch_warnings():
        # Ten labels say little.
        warnings.simplefilter("ignore", UnidentifiedWarning)
        assert suggest(table, "--max-labels", 10) == 0
    assert "Stop: there are 10 labels." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-n", "0"], "-n must be at least 1"),
        (["--max-labels", "0"], "n_labels must be at least 1"),
        (["--metric", "f1"], "needs exactly one of threshold="),
        (["--interval", "anytime"], "interval='anytime' is for metrics"),
    ],
)
def test_suggest_names_what_is_wrong(unlabeled, options, message, capsys):
    assert suggest(unlabeled[0], *options) == 2
    assert message in capsys.readouterr().err

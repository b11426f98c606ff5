"""``estimate``: numbers on the terminal, a picture in a file, errors that help."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import special

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.application import main_estimates
from sklearn_spe.application.command_line._answer import Answer, Words, add_suspect_labels
from sklearn_spe.application.command_line._main import shared_parser
from sklearn_spe.application.command_line._options import read_tables
from sklearn_spe.application.report._sentences import LabelsToProve
from sklearn_spe.checks._label_checks import SuspectLabels
from tests.application.command_line.data import COLUMNS, LABELS, QUICK, SCORES, run, table


def fitted(n_labeled=20, target="sample", confidence_level=0.9, **parameters):
    """Return what the library fits where the command line fits its QUICK options."""
    y = np.where(np.arange(150) < n_labeled, LABELS, -1)
    quick = {"experts": "rank_binormal", "n_draws": 200}
    parameters = {"random_state": 0, **quick, **parameters}
    return PerformanceCurveEstimator(
        SemisupervisedScoreMixture(**parameters),
        target=target,
        confidence_level=confidence_level,
        random_state=parameters["random_state"],
    ).fit(SCORES, y)


def numbers(text):
    return re.findall(r"\d\.\d{3}", text)


def test_the_numbers_are_those_of_the_library(tmp_path, capsys):
    options = ("estimate", table(tmp_path / "t.csv"), *QUICK, "--threshold", "1.0")
    run(*options)
    performance = fitted()
    summary = main_estimates(performance, threshold=1.0)
    _, rows, remarks, model = str(summary).split("\n\n")
    out = capsys.readouterr().out
    first, _, rest = out.partition("\n\n")
    # The answers come first, internals if they are asked for.
    assert first.startswith(performance.estimate("precision", threshold=1.0).sentence()[:-1])
    remarks = remarks.replace("score_kind=", "--score-kind").split(" (suspect_labels_)")[0]
    assert rest.startswith(f"{rows}\n\n{remarks}")
    assert "Scores are read as " in out
    assert model not in out
    run(*options, "--verbose")
    assert capsys.readouterr().out == f"{out[:-1]}\n\n{model}\n"


def test_a_threshold_above_all_scores_is_answered_and_said(tmp_path, capsys):
    path = table(tmp_path / "t.csv")
    assert run("estimate", path, *QUICK, "--threshold", "99") == run("estimate", path, *QUICK)
    printed = capsys.readouterr()
    assert re.search(r"recall at score 99 +0\.000 +exact for these [\d,]+ items", printed.out)
    assert printed.err.count("warning: The threshold 99 lies above all scores") == 1


@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.SamplingWarning")
def test_the_options_reach_the_estimators(tmp_path, capsys):
    options = ("--target", "population", "--confidence-level", "0.5", "--n-draws", "30")
    options += ("--experts", "none", "--score-kind", "margin", "--random-state", "7")
    run("estimate", table(tmp_path / "t.csv"), *COLUMNS, *options)
    performance = fitted(
        target="population",
        confidence_level=0.5,
        experts=None,
        score_kind="margin",
        n_draws=30,
        random_state=7,
    )
    assert numbers(capsys.readouterr().out)[:21] == numbers(str(main_estimates(performance)))[:21]


def test_however_a_table_is_written_the_numbers_are_the_same(tmp_path, capsys):
    plain = table(tmp_path / "t.csv")
    run("estimate", plain, *QUICK)
    expected = capsys.readouterr().out
    run("estimate", table(tmp_path / "t.csv.gz", missing="-1"), *QUICK)
    assert capsys.readouterr().out == expected
    path = tmp_path / "other.csv"
    marked = table(tmp_path / "marked.csv", missing="NA")
    text = Path(marked).read_text().replace(",", ";").replace(".", ",") + ";1\n"
    path.write_bytes(text.encode("utf-16"))
    run("estimate", path, *QUICK, "--drop-missing")
    printed = capsys.readouterr()
    assert printed.out == expected
    for said in ("UTF-16", "semicolons", "decimal marks", "1 of 151 rows have nothing"):
        assert re.search(f"note: .*{said}", printed.err)


def test_names_of_classes_do_not_steer_the_terminal(tmp_path, capsys):
    path = table(tmp_path / "t.csv", names=("well", "\x1b[2Jill"))
    run("estimate", path, *QUICK, "--pos-label", "\x1b[2Jill")
    printed = capsys.readouterr()
    assert "\x1b" not in printed.out + printed.err
    assert "of class \\x1b[2Jill" in printed.out


# --- goals ---------------------------------------------------------------------------------


def test_a_goal_gives_the_threshold_of_the_library(tmp_path, capsys):
    options = ("--goal", "precision=0.6", "--goal", "recall=0.2", "--goal-probability", "0.5")
    run("estimate", table(tmp_path / "t.csv", labeled=range(60)), *QUICK, *options)
    performance = fitted(60)
    goal = {"precision": 0.6, "recall": 0.2}
    threshold = performance.threshold_for(confidence_level=0.5, **goal)
    (line,) = [x for x in capsys.readouterr().out.splitlines() if x.startswith("Threshold")]
    n_known = int((performance.model_.given.codes == 1).sum())
    assert f"at least {threshold!r}, of items without a label, together with the {n_known}" in line
    probability = performance.goal_probability(thresholds=[threshold], **goal).value[0]
    n_items = performance.selection(threshold).sum()
    assert f"meet precision >= 0.6 and recall >= 0.2 with probability {probability:.3g}" in line
    assert line.endswith(f": {n_items} items.")
    run("estimate", tmp_path / "t.csv", *QUICK, *options, "--target", "population")
    (line,) = [x for x in capsys.readouterr().out.splitlines() if x.startswith("Threshold")]
    assert re.search(r"of at least [\d.]+ meet precision >= 0.6 and recall >= 0.2 with", line)


@pytest.mark.slow
def test_the_headline_is_at_the_threshold_of_the_goal_unless_one_is_given(tmp_path, capsys):
    path = table(tmp_path / "t.csv", labeled=range(60))
    goal = ("--goal", "precision=0.6", "--goal", "recall=0.5", "--goal-probability", "0.5")
    for command in ("estimate", "report"):
        run(command, path, *QUICK, *goal, "--json")
        record = json.loads(capsys.readouterr().out)
        assert record["threshold"] == record["goal"]["threshold"]
        # The probability is of the set that is named.
        n_known = record["goal"]["n_known"]
        meets = f"With the {n_known:.0f} known positives, the unlabeled ones of these meet "
        assert f"{meets}precision >= 0.6 and recall >= 0.5 with" in str(record["answers"])
        run(command, path, *QUICK, *goal, "--threshold", "1.5", "--json")
        assert json.loads(capsys.readouterr().out)["threshold"] == 1.5


def test_a_goal_that_known_positives_meet_alone_is_not_proved(tmp_path, capsys, global_random_seed):
    rng = np.random.default_rng([global_random_seed, 5])
    y = rng.random(800) < 0.3
    scores = rng.permutation(rng.normal(size=800) + 2.5 * y)
    y = (scores > 2.0) | (rng.random(800) < 0.1)
    # None of the highest scores is labeled, and both classes alike below these.
    order = np.argsort(scores)
    labeled = rng.choice(order[:700], 60, replace=False)
    labels = np.where(np.isin(np.arange(800), labeled), rng.integers(2, size=800), -1)
    cells = enumerate(zip(scores.tolist(), labels, strict=True))
    rows = [f"Q{k},{s!r},{'' if y < 0 else y}" for k, (s, y) in cells]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["id,s,y", *rows]) + "\n")

    options = (*COLUMNS, "--score-kind", "margin", "--goal", "precision=0.95", "--n-draws", "200")
    for command in ("estimate", "report"):
        status = run(command, path, *options, "--json")
        record = json.loads(capsys.readouterr().out)
        assert status == 6
        assert record["error"] is None
        # The headline keeps the usual threshold, and the first answer says what to label.
        assert record["threshold"] == 0.0
        first = record["answers"][0]["answer"]
        assert first.startswith(
            "No threshold is guaranteed to reach precision >= 0.95 yet: label th"
        )
        goal = record["goal"]
        assert goal["met"] is False
        to_prove = goal["to_prove"]
        assert to_prove["names"] == [f"Q{row}" for row in to_prove["rows"]]
        assert first.endswith(f"(id {', '.join(to_prove['names'])}).")
        assert (labels[to_prove["rows"]] == -1).all()
        if to_prove["candidate"] is not None:
            reaches = (scores >= to_prove["candidate"]) & (labels == -1)
            assert to_prove["n_candidates"] == reaches.sum()
            assert reaches[to_prove["rows"]].all()
            assert len(to_prove["rows"]) == min(20, reaches.sum())
        # It holds whatever the missing labels are.
        assert goal["n_known"] / goal["n_items"] >= 0.95


def test_rows_to_label_are_the_highest_and_of_equal_ones_not_the_first():
    y = np.where(np.arange(200) % 10 == 0, np.arange(200) % 20 == 0, -1).astype(int)
    mixture = SemisupervisedScoreMixture(experts="rank_binormal", n_draws=50, random_state=0)
    performance = PerformanceCurveEstimator(mixture, random_state=0)

    distinct = np.random.default_rng(0).permutation(200).astype(float)
    unlabeled = np.flatnonzero(y < 0)
    highest = unlabeled[np.argsort(-distinct[unlabeled])]
    assert LabelsToProve.of(performance.fit(distinct, y).of(), None).rows == highest[:20].tolist()

    # As of a judge with two verdicts, in a file that is sorted otherwise.
    verdicts = np.repeat([0.0, 1.0], 100)
    rows = LabelsToProve.of(performance.fit(verdicts, y).of(), None).rows
    assert len(set(rows)) == 20
    assert (rows[0], rows[-1]) == (101, 199)
    assert max(np.diff(rows)) <= 7


@pytest.mark.parametrize(
    ("text", "whole", "expected"),
    [("0.5", 1.0, 0.5), ("0,5", 1.0, 0.5), ("50%", 1.0, 0.5), ("50 %", 100.0, 50.0)],
)
def test_a_threshold_is_read_as_it_is_written(text, whole, expected, tmp_path, capsys):
    path = tmp_path / "t.csv"
    scores = whole * special.expit(SCORES)
    lines = [f"{score!r},{label}" for score, label in zip(scores.tolist(), LABELS, strict=True)]
    path.write_text("\n".join(["s,y", *lines]))
    for options in ((), ("--threshold", text)):
        run("estimate", path, *QUICK, "--n-draws", "20", "--score-kind", "auto", *options, "--json")
        record = json.loads(capsys.readouterr().out)
        assert record["threshold"] == (expected if options or scores.max() > 0.95 else None)


@pytest.mark.parametrize("repeated", [False, True])
def test_rows_are_called_by_their_ids_where_each_has_its_own(repeated, tmp_path):
    ids = [f"Q{k}" for k in range(60)]
    ids[7] = "Q8" if repeated else "Q7"
    cells = zip(ids, SCORES[:60].tolist(), LABELS[:60].tolist(), strict=True)
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["case_id,s,y", *(f"{i},{s!r},{y}" for i, s, y in cells)]) + "\n")
    options = shared_parser().parse_args(["estimate", str(path), *QUICK])
    (rows,) = read_tables(options)

    item = np.array([5, 3])
    probability = np.full(2, 1e-3)
    suspects = SuspectLabels(item, SCORES[item], LABELS[item], probability, 0.01)
    answer = Answer(Words(options))
    add_suspect_labels(answer, suspects, rows)
    # A line is where a label is written, an id is what people look for.
    first = answer.record["suspect_labels"][0]
    assert first["line"] == 7
    assert first.get("id") == (None if repeated else "Q5")
    name = "line 7" if repeated else "case_id Q5"
    assert f"\n{name}: {LABELS[5]} at score {SCORES[5]:.6g}, 0.001\n" in answer.text


# --- what is wrong -------------------------------------------------------------------------

# The file does not exist: what is wrong with options is told before it is looked for.
WRONG_OPTIONS = {
    "goal": (("--goal", "precision"), "METRIC=VALUE, such as precision=0.9; got 'precision'"),
    "metric": (
        ("--goal", "precsion=0.5"),
        r"'precsion' is not .* Did you mean 'precision'.* Choose from precision, recall",
    ),
    "value": (("--goal", "precision=2"), "strictly between 0 and 1; got precision=2"),
    "twice": (("--goal", "f1=0.5", "--goal", "f1=0.6"), "--goal bounds f1 twice"),
    "no goal": (("--goal-probability", "0.5"), "--goal-probability needs --goal"),
    "threshold": (("--threshold", "nan"), "--threshold: a number is needed, such as .*; got 'nan'"),
    "separator": (("--sep", ",,"), "one character is needed, such as"),
    "marks": (("--sep", ",", "--decimal", ","), "',' cannot be both --sep and --decimal"),
    "pattern": (("--score", "p_*"), r"'p_\*' is one column; a pattern of several is for --scores"),
    "picture": (("--plot", "curve.csv"), r"ends in one of .*\.png.*; got 'curve.csv'"),
    "folder": (("--plot", "nowhere/curve.png"), "folder 'nowhere' does not exist"),
}


@pytest.mark.parametrize(("options", "message"), WRONG_OPTIONS.values(), ids=WRONG_OPTIONS)
def test_options_are_checked_before_anything_is_read(capsys, options, message):
    if "--plot" in options:
        pytest.importorskip("matplotlib")
    try:
        status = run("estimate", "nowhere.csv", *COLUMNS, *options)
    except SystemExit as stop:  # argparse ends the program itself
        status = stop.code
    assert status == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert re.search(f"error: .*{message}", printed.err)


# Beside a column of scores and one of labels.
WRONG_TABLES = {
    "no header": ("0.5,0\n1.5,1\n", (), "its first line, '0.5', '0', looks like data.*a header"),
    "marked as missing": (
        "s,y\n1,0\n2,1\n3,-\n4,-\n5,-\n",
        (),
        "'-' is in 3 of 5 rows: if it marks rows without a label, pass --unlabeled -",
    ),
    "text for a score": ("s,y\n1,0\nhigh,1\n", (), r"line 3 \('high'\)"),
    "no score": ("s,y\n1,0\nnan,1\n2,1\n", (), r"line 3 \('nan'\)\. .* option --drop-missing"),
    "plus minus": (
        "s,y\n1,-1\n2,1\n3,1\n",
        (),
        "column 'y' holds 1 and -1 only.*Leave cells without a label empty, and name both classes "
        "by --classes",
    ),
    "one class": (
        "s,y\n1,ham\n2,ham\n",
        ("--pos-label", "ham"),
        "have the class 'ham', .* Name both by --classes",
    ),
    "spelling": ("s,y\n1,a\n2,A\n2,b\n3,c\n", (), "both classes by the option --classes"),
}


@pytest.mark.parametrize(("text", "options", "message"), WRONG_TABLES.values(), ids=WRONG_TABLES)
def test_what_is_wrong_with_a_table_is_reported_in_one_line(
    tmp_path, capsys, text, options, message
):
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert run("estimate", path, *COLUMNS, *options) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert re.search(f"error: .*{message}", printed.err)
    assert printed.err.count("\n") == 1


# --- amounts -------------------------------------------------------------------------------


def amounts_of_rows():
    return np.linspace(1.0, 900.0, 150)[::-1]


@pytest.mark.parametrize("category", [(), ("--category", "part")])
def test_amounts_are_those_of_the_library(category, tmp_path, capsys):
    amounts = amounts_of_rows()
    parts = np.where(np.arange(150) % 2, "a", "b")
    rows = [
        f"{score!r},{'' if i >= 20 else label},{amount!r},{part}"
        for i, (score, label, amount, part) in enumerate(
            zip(SCORES.tolist(), LABELS.tolist(), amounts.tolist(), parts, strict=True)
        )
    ]
    path = tmp_path / "amounts.csv"
    path.write_text("\n".join(["score,label,amount,part", *rows]))
    options = ("--score", "score", "--label", "label", *QUICK[len(COLUMNS) :], *category)
    run("estimate", path, *options, "--threshold", "1.0", "--amount", "amount", "--json")
    record = json.loads(capsys.readouterr().out)
    assert record["read"]["amount"] == "amount"
    if category:
        y = np.where(np.arange(150) < 20, LABELS, -1)
        performance = PerformanceCurveEstimator(
            SemisupervisedScoreMixture(experts="rank_binormal", n_draws=200, random_state=0),
            random_state=0,
        ).fit(SCORES, y, category=parts)
    else:
        performance = fitted()
    where = {"threshold": 1.0, "sample_columns": {"value": amounts}}
    for name, row in zip(
        ("value_weighted_recall", "value_weighted_precision"),
        record["estimates_of_amounts"],
        strict=True,
    ):
        expected = performance.estimate(name, **where)
        assert row["name"] == f"{name.replace('_', ' ')} at score 1"
        assert [row["value"], row["lower"], row["upper"]] == pytest.approx(
            [expected.value, *expected.interval()]
        )


def test_amounts_need_a_threshold_and_scores(tmp_path, capsys):
    path = tmp_path / "t.csv"
    distances = np.exp(SCORES).tolist()
    lines = [f"{score!r},{label},1" for score, label in zip(distances, LABELS, strict=True)]
    path.write_text("\n".join(["score,label,amount", *lines]))
    options = ("--score", "score", "--label", "label", *QUICK[len(COLUMNS) :])
    assert run("estimate", path, *options, "--amount", "amount") == 2
    assert "--amount needs a decision threshold" in capsys.readouterr().err
    judged = ("--judge", "score", "--label", "label", "--amount", "amount")
    assert run("estimate", path, *judged) == 2
    assert "--amount needs --score" in capsys.readouterr().err


def test_a_known_number_of_positives_reaches_the_fit(tmp_path, capsys):
    path = table(tmp_path / "t.csv")
    run("estimate", path, *QUICK, "--known-positives", "60")
    assert re.search(r"prevalence +0\.400 +exact for these 150 items", capsys.readouterr().out)
    assert run("estimate", path, *QUICK, "--known-positives", "0-1") == 2
    assert "--known-positives is 0 to 1, but 7 items" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["many", "5-3", "-4", "1.5", "3-", ""])
def test_what_is_no_known_number_is_refused(text, tmp_path, capsys):
    with pytest.raises(SystemExit) as exited:
        run("estimate", table(tmp_path / "t.csv"), *QUICK, f"--known-positives={text}")
    assert exited.value.code == 2
    assert "a whole number such as 120, or a range such as 100-140" in capsys.readouterr().err

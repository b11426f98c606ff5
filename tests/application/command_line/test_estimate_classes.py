"""``estimate --scores``: a column of scores for each of several classes."""

import csv
import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import accuracy_score, confusion_matrix, precision_score, recall_score

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.application import main_estimates
from sklearn_spe.application.command_line._estimate_classes import _parts_of
from tests.application.command_line.data import run
from tests.application.report.pages import Page

# In no order, and with all of a name in common with another one.
NAMES = np.array(["dog", "bee", "beetle", "cat"])
N_ITEMS = 80


@pytest.fixture(scope="module")
def pool():
    """Return logits, and the class of each item."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, len(NAMES), N_ITEMS)
    logits = rng.normal(size=(N_ITEMS, len(NAMES)))
    logits[np.arange(N_ITEMS), true] += 2.0
    return logits, NAMES[true]


@pytest.fixture
def write(tmp_path, pool):
    """Return what writes a table with columns of these names, and some of the labels."""

    def written(columns, n_labeled=40, labels=None):
        logits, true = pool
        path = tmp_path / "t.csv"
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["name", *columns, "y"])
            for i, (row, label) in enumerate(zip(logits.tolist(), true.tolist(), strict=True)):
                named = label if labels is None else labels[label]
                writer.writerow([i, *map(repr, row), named if i < n_labeled else ""])
        return path

    return written


def record_of(capsys):
    return json.loads(capsys.readouterr().out)


QUICK = ("--label", "y", "--n-draws", "50", "--json")


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        ([f"logit_{name}" for name in NAMES], ("--scores", "logit_*")),
        ([f"p({name})" for name in NAMES], ("--scores", "p(*)")),
        (list(NAMES), ("--scores", *NAMES)),
        (list("abcd"), ("--scores", *"abcd", "--classes", *NAMES)),
    ],
    ids=["prefix", "brackets", "names", "given"],
)
def test_columns_are_of_the_classes_that_their_names_tell(write, pool, columns, options, capsys):
    status = run("estimate", write(columns), *options, *QUICK)
    record = record_of(capsys)
    assert status in (0, 3)
    logits, true = pool
    order = np.argsort(NAMES)
    y = np.where(np.arange(N_ITEMS) < 40, true, None)
    performance = PerformanceCurveEstimator(classes=NAMES[order], n_draws=50, random_state=0)
    performance.fit(logits[:, order], y)
    expected = main_estimates(performance).to_dict()["estimates"]
    assert record["classes"] == sorted(NAMES)
    assert [row["value"] for row in record["estimates"]] == [row["value"] for row in expected]


def test_with_all_labels_the_numbers_are_those_of_scikit_learn(write, pool, capsys):
    path = write([f"logit_{name}" for name in NAMES], n_labeled=N_ITEMS)
    run("estimate", path, "--scores", "logit_*", *QUICK)
    record = record_of(capsys)
    logits, true = pool
    predicted, classes = NAMES[logits.argmax(axis=1)], sorted(NAMES)
    assert_allclose(record["estimates"][0]["value"], accuracy_score(true, predicted))
    assert_allclose(record["confusion_matrix"]["value"], confusion_matrix(true, predicted))
    for place, score in enumerate((precision_score, recall_score)):
        found = [row["estimates"][place]["value"] for row in record["by_class"]]
        assert_allclose(found, score(true, predicted, average=None, labels=classes), rtol=1e-12)
    assert [row["class"] for row in record["by_class"]] == classes


def test_tables_a_matrix_and_a_picture_are_shown(write, tmp_path, capsys):
    picture = tmp_path / "classes.svg"
    path = write([f"logit_{name}" for name in NAMES])
    asked = ("estimate", path, "--scores", "logit_*", "--label", "y", "--n-draws", "50")
    run(*asked, "--plot", picture)
    said = capsys.readouterr().out
    assert said.startswith("Of 100 predictions ")
    assert "\nrecall of each class:\n" in said
    (head,) = [line for line in said.splitlines() if line.split() == sorted(NAMES)]
    assert said.splitlines()[said.splitlines().index(head) - 1].startswith("Confusion matrix, ")
    assert "\nThe most frequent confusion is " in said
    assert "\nFurther items like these: accuracy 0." in said
    assert picture.stat().st_size > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--threshold", "0.5"), "--threshold is for two classes, and --scores has a column"),
        (("--score", "logit_dog"), "--score is for one column, --scores for those of several"),
        (("--classes", "dog", "cat"), "--classes names 2 classes and --scores 4 columns"),
    ],
)
def test_options_for_two_classes_are_refused(write, options, message, capsys):
    path = write([f"logit_{name}" for name in NAMES])
    assert run("estimate", path, "--scores", "logit_*", "--label", "y", *options) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"bee": "bea"}, "No column of --scores is of 'bea' (a typing error of 'bee'?) in column"),
        ({"bee": "x", "cat": "z"}, "No column of --scores is of 'x', 'z' in column 'y': line "),
        (
            {"dog": "1", "bee": "1", "beetle": "0", "cat": "0"},
            "to compare systems, use the command compare",
        ),
    ],
)
def test_labels_without_a_column_are_named(write, labels, message, capsys):
    own = {name: labels.get(name, name) for name in NAMES}
    path = write([f"logit_{name}" for name in NAMES], labels=own)
    assert run("estimate", path, "--scores", "logit_*", "--label", "y") == 2
    assert message in capsys.readouterr().err


def test_probabilities_sum_to_one_but_for_rounding(tmp_path, pool, capsys):
    logits, true = pool
    proba = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)

    def values(shown):
        path = tmp_path / "t.csv"
        rows = zip(shown, true, range(N_ITEMS), strict=True)
        lines = [f"{','.join(row)},{label if i < 40 else ''}" for row, label, i in rows]
        path.write_text("\n".join([",".join([*NAMES, "y"]), *lines]) + "\n")
        status = run("estimate", path, "--scores", *NAMES, *QUICK)
        record = record_of(capsys)
        return status, record["error"], [row["value"] for row in record.get("estimates", ())]

    exact = values([list(map(repr, row)) for row in proba.tolist()])
    rounded = values([[f"{p:.2f}" for p in row] for row in proba.tolist()])
    assert exact[1] is rounded[1] is None
    # Some predictions change where two classes are nearly alike.
    assert_allclose(exact[2][0], rounded[2][0], atol=0.05)
    status, error, _ = values([[f"{p:.2f}" for p in row] for row in (proba / 2.0).tolist()])
    assert status == 2
    assert "do not sum to one: to 0." in error
    assert "in line " in error


def test_what_is_noted_of_all_columns_is_noted_once(tmp_path, pool, capsys):
    logits, true = pool
    path = tmp_path / "t.csv"
    numbers = [[f"{x:.3f}".replace(".", ",") for x in row] for row in logits.tolist()]
    rows = [";".join([*row, label]) for row, label in zip(numbers, true.tolist(), strict=True)]
    path.write_text("\n".join([";".join([*NAMES, "y"]), *rows]) + "\n")
    run("estimate", path, "--scores", *NAMES, *QUICK)
    (note,) = [x for x in record_of(capsys)["read"]["notes"] if "decimal" in x]
    assert note == "Commas in column 'dog' (and 3 more) are read as decimal marks."


def test_two_classes_have_one_column_of_scores(write, capsys):
    path = write([f"logit_{name}" for name in NAMES])
    asked = ("estimate", path, "--scores", "logit_dog", "logit_bee", "--label", "y")
    assert run(*asked, "--classes", "dog", "bee") == 2
    assert "No column of --scores is of 'beetle', 'cat'" in capsys.readouterr().err
    head, *rows = path.read_text().splitlines()
    kept = [row for row in rows if row.endswith((",bee", ",dog"))]
    path.write_text("\n".join([head, *kept]) + "\n")
    assert run(*asked) == 2
    assert (
        "For two classes pass the column of the positive one as --score" in capsys.readouterr().err
    )


def test_a_pattern_without_a_column_is_an_error(write, capsys):
    path = write(list(NAMES))
    assert run("estimate", path, "--scores", "p_*", "--label", "y") == 2
    assert "--scores 'p_*' matches no column of" in capsys.readouterr().err


def test_the_accuracy_of_each_category_is_added(write, capsys):
    path = write([f"logit_{name}" for name in NAMES])
    lines = path.read_text().splitlines()
    kinds = ["kind", *("ab"[i % 2] for i in range(N_ITEMS))]
    path.write_text("\n".join(f"{line},{kind}" for line, kind in zip(lines, kinds, strict=True)))
    options = ("--scores", "logit_*", "--category", "kind", "--reference", "a")
    run("estimate", path, *options, *QUICK)
    record = record_of(capsys)
    assert [row["category"] for row in record["categories"]] == ["a", "b"]
    (change,) = record["changes"]
    values = [row["estimates"][0]["value"] for row in record["categories"]]
    assert change["lower"] < values[1] - values[0] < change["upper"]


def test_parts_of_names_are_separated_or_differ():
    found = list(_parts_of(["p_bee(x)", "p_bear(x)"]))
    assert found[0] == ["bee", "bear"]
    assert ["e", "ar"] in found
    assert found[-1] == ["p_bee(x)", "p_bear(x)"]
    assert list(_parts_of(["p1", "p12"])) == [["1", "12"], ["p1", "p12"]]
    assert list(_parts_of(["p1", "p2"])) == [["1", "2"], ["p1", "p2"]]


@pytest.mark.parametrize(
    "options",
    [("--scores", "p_*"), ("--scores", *(f"p_{name}" for name in NAMES), "--classes", *NAMES)],
    ids=["by name", "given"],
)
def test_several_classes_have_a_page(write, tmp_path, options, capsys):
    path = write([f"p_{name}" for name in NAMES])
    out = tmp_path / "page.html"
    run("report", path, *options, *QUICK, "-o", out)
    record = record_of(capsys)
    run("estimate", path, *options, *QUICK)
    expected = record_of(capsys)

    # The numbers of the estimate, and a table of each class.
    assert record["estimates"] == expected["estimates"]
    assert record["verdict"] == expected["verdict"]
    page = Page(out.read_text(encoding="utf-8"))
    assert not page.unclosed
    for row in [*expected["estimates"], *expected["by_class"][0]["estimates"]]:
        assert f"{row['value']:.3f}" in page.texts
    assert set(NAMES) <= set(page.texts)
    assert str(path.name) in page.texts


@pytest.fixture
def predictions(tmp_path, pool):
    """Return a table with predicted classes, and these."""
    logits, true = pool
    predicted = NAMES[logits.argmax(axis=1)]
    path = tmp_path / "predicted.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["predicted", "y"])
        for i, (name, label) in enumerate(zip(predicted.tolist(), true.tolist(), strict=True)):
            writer.writerow([name, label if i < 40 else ""])
    return path, predicted


@pytest.mark.parametrize("option", ["--score", "--judge"])
def test_a_column_of_predicted_classes_is_answered(pool, predictions, option, capsys):
    path, predicted = predictions
    status = run("estimate", path, option, "predicted", *QUICK)
    record = record_of(capsys)
    assert status in (0, 3)
    y = np.where(np.arange(N_ITEMS) < 40, pool[1], None)
    performance = PerformanceCurveEstimator(n_draws=50, random_state=0).fit(predicted, y)
    expected = main_estimates(performance).to_dict()["estimates"]
    assert [row["value"] for row in record["estimates"]] == [row["value"] for row in expected]
    assert "top 2 accuracy" not in [row["name"] for row in record["estimates"]]
    assert_allclose(record["confusion_matrix"]["value"], performance.confusion_matrix().value)


def test_a_missing_prediction_is_named_by_its_line(predictions, capsys):
    path, _ = predictions
    lines = path.read_text("utf-8").splitlines()
    lines[3] = lines[3].partition(",")[1] + lines[3].partition(",")[2]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert run("estimate", path, "--score", "predicted", *QUICK[:2]) == 2
    message = capsys.readouterr().err
    assert "predicted class in every row" in message
    assert "line 4" in message

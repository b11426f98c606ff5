"""``mean``: what is printed is what the library says of the same file."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe import MeanEstimator
from tests.application.command_line.data import run
from tests.application.report.pages import Page

N, N_LABELED = 120, 30
RNG = np.random.default_rng(0)
GRADES = RNG.integers(1, 6, N).astype(float)
JUDGE = np.round(GRADES + RNG.normal(0.5, 0.7, N), 2)
SYSTEMS, PROMPTS = np.where(np.arange(N) % 2 == 0, "old", "new"), np.arange(N) // 2
LABELS = np.where(np.arange(N) < N_LABELED, GRADES, np.nan)
CHANCES = np.where(JUDGE < 3.0, 0.3, 0.2)


@pytest.fixture
def table(tmp_path):
    """Return a file in which the judge said nothing of the last row."""
    rows = ["system,prompt,judge,chance,grade"]
    for i in range(N):
        judge = "" if i == N - 1 else JUDGE[i]
        grade = "" if i >= N_LABELED else int(GRADES[i])
        rows.append(f"{SYSTEMS[i]},{PROMPTS[i]},{judge},{CHANCES[i]},{grade}")
    path = tmp_path / "grades.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def fitted(**given):
    judge = np.where(np.arange(N) == N - 1, np.nan, JUDGE)
    return MeanEstimator(label_range=(1, 5), confidence_level=0.8, random_state=3).fit(
        judge, LABELS, **given
    )


LIKE_FITTED = ("--label-range", "1", "5", "--confidence-level", "0.8", "--random-state", "3")
OF_JUDGE = ("--label", "grade", "--judge", "judge")


def check(row, estimate):
    assert_allclose(
        [row["value"], row["lower"], row["upper"]], [estimate.value, *estimate.interval()]
    )


def test_means_and_differences_are_those_of_the_library(table, capsys):
    options = ("--category", "system", "--groups", "prompt", "--reference", "old")
    assert run("mean", table, *OF_JUDGE, *LIKE_FITTED, *options, "--json") == 0
    record = json.loads(capsys.readouterr().out)
    means = fitted(category=SYSTEMS, groups=PROMPTS)
    (whole,) = record["estimates"]
    check(whole, means.estimate())
    further = {row["name"]: row for row in record["of_population"]}
    check(further.pop("mean label"), means.estimate(target="population"))
    for name, row in further.items():
        check(row, means.estimate(category=name, target="population"))
    assert [row["category"] for row in record["categories"]] == means.categories_.tolist()
    for row in record["categories"]:
        check(row["estimates"][0], means.estimate(category=row["category"]))
    (change,) = record["changes"]
    difference = means.difference("new", "old")
    assert (record["reference"], change["category"]) == ("old", "new")
    check(change, difference)
    assert change["probability"] == pytest.approx(difference.probability_above(0.0))
    assert record["read"]["judge"] == ["judge"]
    assert (record["read"]["n_rows"], record["read"]["n_labeled"]) == (N, N_LABELED)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--label", "system"), "grades.csv must have numbers; 120 of 120 rows"),
        (("--label", "grade", "--judge", "grade"), "--label and --judge name the same column"),
        (("--label", "grade", "--label-range", "2", "5"), "outside of --label-range"),
        (("--label", "grade", "--reference", "old"), "--reference needs --category"),
        (
            (*OF_JUDGE, "--category", "system", "--reference", "none"),
            "--reference 'none' is not a category in column 'system': ",
        ),
        (
            ("--label", "grade", "--inclusion-proba", "prompt"),
            "--inclusion-proba must be probabilities in",
        ),
    ],
)
def test_what_is_wrong_is_reported_in_words_of_the_command_line(options, message, table, capsys):
    assert run("mean", table, *options) == 2
    assert message in capsys.readouterr().err


def test_a_mean_has_a_page(table, tmp_path, capsys):
    out = tmp_path / "page.html"
    options = ("--category", "system", "--reference", "old", "-o", out, "--title", "Grades <May>")
    run("mean", table, *OF_JUDGE, *LIKE_FITTED, *options)
    printed = capsys.readouterr().out
    assert f"The page is in {out}." in printed
    page = Page(out.read_text(encoding="utf-8"))
    assert not page.unclosed
    assert page.texts.count("Grades <May>") == 2

    # Its numbers are those that are printed.
    means = fitted(category=SYSTEMS)
    difference = means.difference("new", "old")
    for estimate in (means.estimate(), means.estimate(category="old"), difference):
        low, high = estimate.interval()
        assert f"{low:.3f} to {high:.3f}" in page.texts
        assert f"{low:.3f} to {high:.3f}" in printed
    (further,) = (text for text in page.texts if text.startswith("Further items like these: "))
    assert further in printed
    assert "judge (judge), grade (label), system (category)" in page.texts
    assert any("About 90 more labels" in text or "narrow" in text for text in page.texts)


def test_a_page_of_a_complete_mean_says_so(table, tmp_path, capsys):
    out = tmp_path / "page.html"
    table.write_text("grade\n" + "1\n2\n4\n" * 5)
    run("mean", table, "--label", "grade", "-o", out)
    said = Page(out.read_text(encoding="utf-8")).said
    assert "exact for these 15 items" in said
    assert "All items are labeled." in said

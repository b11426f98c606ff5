"""The report says what the estimator says, and a page says what the report does."""

import hashlib
import re
import tomllib
from base64 import b64encode
from importlib import resources
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import sklearn_spe
from sklearn_spe import PerformanceCurveEstimator, PerformanceReport
from sklearn_spe._version import documentation_address
from sklearn_spe.application import main_estimates
from sklearn_spe.application.report._plain_answers import plain_verdict
from sklearn_spe.application.report._report_contents import CITATION
from sklearn_spe.metrics import TopKAccuracy
from tests.application.report.pages import Page
from tests.display.data import even_scores, quick_mixture
from tests.quick import QUIET

pytestmark = QUIET

N, N_LABELED = 400, 60
SCORES, LABELS = even_scores(N)
PARTLY = np.where(np.arange(N) < N_LABELED, LABELS, -1)


def estimator(seed=0, **parameters):
    """Return an estimator that is quick to fit."""
    said = {key: parameters.pop(key) for key in ("classes", "pos_label") if key in parameters}
    mixture = quick_mixture(seed, n_draws=200, **said)
    return PerformanceCurveEstimator(mixture, n_points=50, random_state=seed, **parameters)


@pytest.fixture(scope="module")
def performance(global_random_seed):
    return estimator(global_random_seed).fit(SCORES, PARTLY)


@pytest.fixture(scope="module")
def report(performance):
    return PerformanceReport.from_estimator(performance, threshold=1.0)


@pytest.fixture(scope="module")
def page(report):
    return Page(report.to_html())


@pytest.fixture(scope="module")
def systems(global_random_seed):
    noise = np.random.default_rng(global_random_seed).standard_normal(N)
    X = pd.DataFrame({"<script>alert(1)</script>": SCORES, 'other "B" & co': SCORES + noise})
    names = np.where(LABELS == 1, "<script>", "'ham\"&")
    y = np.where(np.arange(N) < N_LABELED, names, None)
    category = np.array(["<b>one", "two"])[np.arange(N) % 2]
    return estimator(global_random_seed, pos_label="<script>").fit(X, y, category=category)


# --- the value ----------------------------------------------------------------------------------


def test_numbers_are_those_of_the_estimator(performance, report):
    for name in ("average precision", "roc auc", "prevalence"):
        asked = performance.estimate(name.replace(" ", "_"))
        assert report.numbers[name].interval() == asked.interval()
        assert report.numbers[name].value == asked.value
    for name in ("precision", "recall", "f1", "accuracy"):
        asked = performance.estimate(name, threshold=1.0)
        assert report.numbers[f"{name} at score 1"].interval() == asked.interval()


def test_the_probability_by_score_is_the_mean_of_the_posterior(performance, report):
    band = report.rankings[0].curves["probability"]
    expected = performance.posterior_.expected_probability(band.x)
    assert_allclose(band.mean(), expected, atol=1e-9)


def test_every_item_stands_in_one_column(performance, report):
    columns = report.rankings[0].scores
    heights, _ = np.histogram(SCORES, columns.edges)
    # Edges are rounded: an item on one may stand on either side.
    assert columns.counts.sum() == N
    assert np.abs(columns.counts - heights).sum() <= 4
    expected = np.where(PARTLY < 0, performance.posterior_.expected_probability(SCORES), PARTLY)
    assert_allclose(columns.positives.sum(), expected.sum(), rtol=1e-3)
    assert_array_equal(columns.positive, np.unique(SCORES[PARTLY == 1]))


def test_thresholds_flag_what_reaches_them_and_promise_what_the_draws_say(performance, report):
    found = report.rankings[0].thresholds
    assert found.thresholds[found.place] == 1.0
    above = np.flatnonzero(found.labeled)
    for place in (0, found.place, above[-1]):
        threshold = found.thresholds[place]
        assert found.flagged[place] == np.count_nonzero(threshold <= SCORES)
        asked = performance.estimate("precision", threshold=threshold)
        assert found.bands["precision"].value[place] == pytest.approx(asked.value, abs=1e-12)
        least = found.least["precision"][place]
        # Between two draws a quantile is linear: one of 200 may lie on the other side.
        share = asked.weights[asked.draws >= least - 1e-12].sum()
        assert share >= found.probability - 0.01


def test_where_no_label_reaches_a_threshold_nothing_is_promised(global_random_seed):
    y = np.where(SCORES < 1.5, PARTLY, -1)
    found = (
        PerformanceReport.from_estimator(estimator(global_random_seed).fit(SCORES, y))
        .rankings[0]
        .thresholds
    )
    known = np.sort(SCORES[y >= 0])
    counts = len(known) - np.searchsorted(known, found.thresholds)
    assert_array_equal(found.labeled, counts)
    # The slider ends where there is something to say.
    assert (found.flagged[counts == 0] >= 10).all()
    assert (counts == 0).any()
    for name, bound in found.least.items():
        assert_array_equal(np.isnan(bound), (counts == 0) & (name != "recall"))


def test_what_more_labels_buy_is_said_of_the_headline(performance, report):
    (worth,) = report.worth
    assert (worth.metric, worth.threshold) == ("precision", 1.0)
    n_labels = worth.n_labels
    assert n_labels.tolist() == [0, 10, 20, 50, 100, 200]
    random = performance.plan(n_labels, "precision", strategy="random", threshold=1.0)
    assert_allclose(worth.widths["at random"], random, rtol=1e-12)
    low, high = performance.estimate("precision", threshold=1.0).interval()
    for widths in worth.widths.values():
        assert widths[0] == high - low
        assert (np.diff(widths) <= 1e-12).all()


def test_the_recommended_labels_halve_the_interval_or_are_as_many_as_there_are(report):
    (worth,) = report.worth
    low, high = report.decision.precision.interval()
    most = max(50, N_LABELED)
    assert 0 < worth.recommended <= most
    # Interpolated, and rounded up to fives.
    assert worth.width <= 1.001 * (high - low) / 2.0 or worth.recommended == most
    # The table leaves out some of the numbers that are planned: the width is between its rows.
    after = np.searchsorted(worth.n_labels, worth.recommended)
    listed = worth.widths["of the most informative rows"]
    assert listed[after] - 1e-12 <= worth.width <= listed[after - 1] + 1e-12
    sentence = worth.sentence()
    assert sentence.startswith(f"Precision, now {round(100 * low)} to {round(100 * high)} of 100")
    assert f"after {worth.recommended} more labels" in sentence
    assert report.answers.answer("What to label next?").endswith(sentence)


def test_rows_to_label_have_no_label_and_suspect_rows_have_one(performance, report):
    rows = [int(row.name) for row in report.next_rows]
    assert len(set(rows)) == 10
    assert (PARTLY[rows] == -1).all()
    assert_allclose([row.score for row in report.next_rows], SCORES[rows])
    found = performance.suspect_labels_
    # They are shown where chance does not explain so many.
    shown = found.item if found.are_many else found.item[:0]
    assert report.n_suspect == len(shown)
    assert [int(row.name) for row in report.suspect_rows] == shown[:25].tolist()


def test_the_paper_to_cite_is_that_of_the_repository():
    cff = (Path(__file__).parents[3] / "CITATION.cff").read_text(encoding="utf-8")
    for part in ("Welinder", "Welling", "Perona", "2013"):
        assert part in cff
        assert part in CITATION
    title = " ".join(cff.split("title: >-\n")[1].split("authors:")[0].split())
    assert title in CITATION


# --- several of them ----------------------------------------------------------------------------


def test_a_category_without_a_labeled_positive_says_why_its_interval_reaches_zero():
    category = np.where(np.arange(N) % 4 == 0, "2026-05", "2026-06")
    known = np.where((category == "2026-05") & (PARTLY == 1), -1, PARTLY)
    performance = estimator(0).fit(SCORES, known, category=category)
    for name, edge in (("2026-05", 0.0), ("2026-06", None)):
        assert performance.of(category=name).estimate("precision", threshold=1.0).edge == edge
    page = PerformanceReport.from_estimator(
        performance, metric="precision", threshold=1.0
    ).to_html()
    assert "The labels of 2026-05 do not rule out 0: its interval reaches 0." in page
    # The name is not broken at its hyphen.
    assert '<th scope="row" class="number">2026-05</th>' in page


def test_systems_are_compared_in_all_items_and_in_each_category(systems):
    report = PerformanceReport.from_estimator(systems, threshold=1.0)
    first, *decisions = report.comparisons[:4]
    in_categories = report.comparisons[4:]
    assert len(report.rankings) == 2
    assert len(in_categories) == 2
    names = systems.systems_
    expected = systems.difference("average_precision", *(names[k] for k in (1, 0)))
    sign = 1.0 if first.baseline == str(names[0]) else -1.0
    assert first.differences.estimates[0].value == pytest.approx(sign * expected.value)
    assert first.comparison.order_proba == systems.by_category(by="system").order_proba
    for metric, found in zip(("precision", "recall", "specificity"), decisions, strict=True):
        assert found.title == f"{metric} at score 1"
        expected = [systems.of(system=name).estimate(metric, threshold=1.0).value for name in names]
        assert found.estimates.values.tolist() == pytest.approx(expected)


def test_many_systems_are_listed_and_six_are_drawn(global_random_seed):
    X = SCORES[:, np.newaxis] + 0.1 * np.arange(7)
    performance = estimator(global_random_seed).fit(X, PARTLY)
    report = PerformanceReport.from_estimator(performance)
    assert len(report.rankings) == 6
    assert len(report.comparisons[0].estimates) == 7
    assert report.remarks[0] == "Curves and thresholds are those of the first 6 of 7 systems."


def test_several_classes_have_accuracy_and_no_threshold(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = np.arange(N) % 3
    X = rng.random((N, 3)) + 2.0 * np.eye(3)[y]
    labels = np.where(np.arange(N) < 90, y, -1)
    performance = estimator(global_random_seed).fit(X / X.sum(axis=1, keepdims=True), labels)
    report = PerformanceReport.from_estimator(performance)
    assert report.numbers["accuracy"].value == performance.estimate("accuracy").value
    assert set(report.rankings[0].curves) == {"accuracy_coverage"}
    assert report.next_rows == ()
    assert report.worth == ()
    assert len(report.tables["recall of each class"]) == 3
    page = Page(report.to_html())
    assert not page.unclosed
    with pytest.raises(ValueError, match="threshold= is for scores of two classes"):
        PerformanceReport.from_estimator(performance, threshold=0.5)


def test_the_row_of_a_metric_of_all_classes_is_named_as_its_estimate(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = np.arange(N) % 4
    X = rng.random((N, 4)) + np.eye(4)[y]
    performance = estimator(global_random_seed).fit(X, np.where(np.arange(N) < 90, y, -1))
    known = list(main_estimates(performance).names)
    assert "top 2 accuracy" in known
    for metric, row in ((TopKAccuracy(3), ["top 3 accuracy"]), (TopKAccuracy(2), [])):
        report = PerformanceReport.from_estimator(performance, metric=metric)
        assert list(report.numbers.names) == known + row
    wanted = PerformanceReport.from_estimator(performance, metric=TopKAccuracy(3)).numbers[
        "top 3 accuracy"
    ]
    assert wanted.value == performance.estimate(TopKAccuracy(3)).value
    # The mean over classes is among the main numbers already.
    assert (
        list(PerformanceReport.from_estimator(performance, metric="recall").numbers.names) == known
    )


# --- what is out of the ordinary ----------------------------------------------------------------


@pytest.mark.parametrize(
    "labels", [np.full(N, -1), np.where(PARTLY == 1, 1, -1)], ids=["no label", "positives alone"]
)
def test_without_labels_of_a_class_there_is_a_report(labels, global_random_seed):
    performance = estimator(global_random_seed, classes=[0, 1]).fit(SCORES, labels)
    page = Page(PerformanceReport.from_estimator(performance).to_html())
    assert not page.unclosed
    assert "The labels hold little information yet" in page.said
    answers = PerformanceReport.from_estimator(performance).answers
    assert len(answers.rows) >= 10
    assert [words for row in answers.rows for words in row if words not in page.said] == []


@pytest.mark.parametrize(
    "scores",
    [
        np.round(SCORES),
        np.where(SCORES > 1.0, 1.0, np.where(SCORES < 0.0, 0.0, 0.4)),
        SCORES * 1e200,
    ],
    ids=["ties", "zeros and ones", "huge"],
)
def test_scores_of_odd_shapes_are_drawn(scores, global_random_seed):
    performance = estimator(global_random_seed).fit(scores, PARTLY)
    page = Page(PerformanceReport.from_estimator(performance).to_html())
    for drawing in page.drawings:
        for element in drawing.iter():
            assert "nan" not in element.get("d", "")
            assert "inf" not in element.get("d", "")


# --- the page -----------------------------------------------------------------------------------


def test_every_element_is_closed_and_every_name_is_there_once(page):
    assert page.unclosed == page.wrong == []
    names = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(set(names)) == len(names)
    labels = {name for _, a in page.elements for name in a.get("aria-labelledby", "").split()}
    assert len(labels) == 2 * len(page.drawings)
    assert labels <= set(names)
    # A number leads to how it was computed.
    hrefs = {a["href"] for a in page.of("a")}
    documentation = {documentation_address()} - {""}
    assert documentation <= hrefs
    links = {href.removeprefix("#") for href in hrefs - documentation}
    assert len(links) > 5
    assert links <= set(names)
    assert {a["for"] for a in page.of("label")} == {a["id"] for a in page.of("input")}


def test_the_page_says_the_numbers_of_the_report(page, report):
    for estimate in report.numbers.estimates:
        low, high = estimate.interval()
        assert f"{estimate.value:.3f}" in page.texts
        assert f"{low:.3f} to {high:.3f}" in page.texts
    assert f"(verdict: {report.verdict})" in page.said
    for reason in plain_verdict(report.verdict).reasons:
        assert reason.text in page.said


def test_nothing_is_loaded(page):
    for _, attributes in page.elements:
        assert not {"src", "srcset", "action", "background"} & attributes.keys()

        assert (
            attributes.get("href", "#")[0] == "#" or attributes["href"] == documentation_address()
        )
    assert "url(" not in page.text
    assert "@import" not in page.text
    policies = [a["content"] for a in page.of("meta") if "http-equiv" in a]
    assert policies[0].startswith("default-src 'none'")


def test_a_browser_runs_this_script_and_this_style_sheet_only(page):
    (policy,) = [a["content"] for a in page.of("meta") if "http-equiv" in a]
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    for element, directive in (("script", "script-src"), ("style", "style-src-elem")):
        # Data of another type are no scripts that run.
        (content,) = re.findall(rf"<{element}>(.*?)</{element}>", page.text, re.DOTALL)
        digest = b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert directives[directive] == f"'sha256-{digest}'"
    assert not [a for _, a in page.elements if any(name.startswith("on") for name in a)]


def test_several_systems_have_a_row_each(systems):
    report = PerformanceReport.from_estimator(systems, threshold=1.0)
    page = report.to_html()
    table = page.split('class="systems"')[1].split("</table>")[0]
    names = re.findall(r'<th scope="row"[^>]*>(.*?)</th>', table)
    assert len(names) == 3
    assert names[-1] == "Everything positive"
    assert table.count('class="status"') == 2
    # Beside each number stands the difference from the first system.
    first, second = systems.systems_
    for metric in ("precision", "recall"):
        estimate = systems.of(system=second).estimate(metric, threshold=1.0)
        assert f"{estimate.value:.3f}" in table
        difference = systems.difference(metric, second, first, threshold=1.0)
        low, high = difference.interval()
        assert f"{difference.value:+.3f} ({low:.3f} to {high:.3f})" in table
    assert page.count('class="systems"') == 1
    assert page.index('class="systems"') < page.index("<details")


def test_what_users_call_things_is_text_and_nothing_else(systems):
    items = [f"</script><img src=x onerror=alert({k})>\x00" for k in range(N)]
    plain = Page(
        PerformanceReport.from_estimator(systems, threshold=1.0, title="</title><b>bold").to_html()
    )
    page = Page(
        PerformanceReport.from_estimator(
            systems, threshold=1.0, title="</title><b>bold", items=items
        ).to_html()
    )
    assert page.unclosed == page.wrong == []
    # Names bring no element, whatever they are.
    assert [name for name, _ in page.elements] == [name for name, _ in plain.elements]
    assert page.of("img") == []
    assert "<script>alert(1)</script>" in page.said
    assert "<b>one" in page.said
    assert "</title><b>bold" in page.said
    assert any(text.startswith("</script><img src=x") for text in page.texts)
    assert "\x00" not in page.text
    assert {one["name"] for one in page.data[0]["series"]} == set(systems.systems_)


def test_a_page_is_written_whole_or_not_at_all_and_always_the_same(performance, page, tmp_path):
    path = tmp_path / "page.html"
    assert PerformanceReport.from_estimator(performance, threshold=1.0).to_html(path) is None
    # Another report of the same fit makes the same page.
    assert path.read_text(encoding="utf-8") == page.text
    before = path.read_bytes()
    with pytest.raises(ValueError, match="a name for each"):
        PerformanceReport.from_estimator(performance, threshold=1.0, items=["a"])
    with pytest.raises(OSError, match="nothing was written"):
        PerformanceReport.from_estimator(performance, threshold=1.0).to_html(tmp_path)
    with pytest.raises(ValueError, match="path must be the name of a file, got ''"):
        PerformanceReport.from_estimator(performance, threshold=1.0).to_html("")
    with pytest.raises(ValueError, match="path must be the name of a file, got"):
        PerformanceReport.from_estimator(performance, threshold=1.0).to_html("page\0.html")
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]


# --- in a notebook ------------------------------------------------------------------------------


def test_templates_style_and_script_are_part_of_the_package():
    root = Path(sklearn_spe.__file__).parents[1]
    with (root / "pyproject.toml").open("rb") as file:
        wheel = tomllib.load(file)["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel == {"packages": ["sklearn_spe"]}
    files = {file.name for file in resources.files("sklearn_spe.application.report").iterdir()}
    assert {"page.html", "elements.html", "page.css", "page.js"} <= files
    assert resources.files("sklearn_spe.results").joinpath("results.css").is_file()


def luminance(color):
    """Return the relative luminance of a color, as WCAG 2 defines it."""
    parts = np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) / 255.0
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def contrast(one, other):
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_colors_can_be_read(scheme):
    css = (Path(sklearn_spe.__file__).parent / "application" / "report" / "page.css").read_text(
        encoding="utf-8"
    )
    colors = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", css.split(":root")[1 + scheme]))
    for ground in (colors["paper"], colors["card"]):
        for name in ("ink", "soft", "link", "ok", "unidentified", "misfit"):
            assert contrast(colors[name], ground) >= 4.5, name
    for name in ("positive", "negative", *(f"s{k}" for k in range(6))):
        assert contrast(colors[name], colors["paper"]) >= 3.0, name


def test_a_report_is_computed_from_an_estimator():
    performance = PerformanceCurveEstimator()
    for call in (
        lambda: PerformanceReport(performance),
        lambda: PerformanceReport(performance, threshold=0.5),
        lambda: PerformanceReport(performance=performance),
    ):
        with pytest.raises(TypeError, match=r"PerformanceReport.from_estimator\(performance\)"):
            call()


def test_on_a_narrow_screen_each_system_is_a_column_of_all_its_numbers(systems):
    """The style sheet leaves a row for each of them."""
    page = PerformanceReport.from_estimator(systems, threshold=1.0).to_html()
    header = page.split('class="systems"')[1].split("</thead>")[0]
    narrow = page.split("@media (max-width: 560px)")[1]
    (n_rows,) = re.findall(r"\.systems tr \{[^}]*grid-row: 2 / span (\d+)", narrow)
    # With a column of thresholds, where each has its own.
    assert len(re.findall(r"<t[hd]\b", header)) + 1 <= int(n_rows)

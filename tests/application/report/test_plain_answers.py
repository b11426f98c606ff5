"""What a reader asks first is answered in words, by situation."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.special import expit
from sklearn import metrics

from sklearn_spe import PerformanceCurveEstimator, PerformanceReport
from sklearn_spe.application.report._decision_counts import (
    counts_to_choose_from,
    decision_counts,
    numbers_in_words,
)
from sklearn_spe.application.report._operating_point import (
    SOURCES,
    OperatingPoint,
    operating_points,
)
from sklearn_spe.application.report._thresholds import counts_in_words
from sklearn_spe.models import ConfusionMatrix
from sklearn_spe.results import CurveBand, Reason, ScalarEstimate, Verdict
from tests.application.report.pages import Page
from tests.display.data import even_scores, quick_mixture
from tests.quick import QUIET

pytestmark = QUIET

N = 400
SCORES, LABELS = even_scores(N)
PARTLY = np.where(np.arange(N) < 60, LABELS, -1)
QUESTIONS = (
    *("How good is it?", "May I believe it?", "How sure is that?", "At which threshold?"),
    *("How many false alarms?", "How many positives are missed?"),
    *("And for further items like these?", "Is it better than before?"),
    *("For whom is it worse?", "What to label next?", "How was it computed?"),
)


def report_of(X, y, seed, category=None, classes=None, asked=None, **parameters):
    mixture = quick_mixture(seed, n_draws=200, classes=classes)
    estimator = PerformanceCurveEstimator(mixture, n_points=50, random_state=seed, **parameters)
    return PerformanceReport.from_estimator(estimator.fit(X, y, category=category), **(asked or {}))


@pytest.fixture(scope="module")
def report(global_random_seed):
    return report_of(SCORES, PARTLY, global_random_seed, asked={"threshold": 1.0})


def counts_in(text):
    return [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", text)]


def test_the_questions_are_answered_before_all_numbers(report):
    assert [question for question, _ in report.answers.rows] == list(QUESTIONS)
    page = Page(report.to_html())
    places = [page.text.index(f"<dt>{question}</dt>") for question in QUESTIONS]
    assert places == sorted(places)
    assert places[-1] < page.text.index('id="numbers"')


def test_the_first_screen_answers_in_one_sentence_a_verdict_counts_and_what_is_next(report):
    first = report.to_html().split('class="first"')[1].split("<details id=")[0]
    parts = (
        'class="lead"',
        'class="verdict',
        'class="cards"',
        "Next: ",
        "<table",
        "<svg",
        "<input",
    )
    places = [first.index(part) for part in parts]
    assert places == sorted(places)
    # The point of the decision stands on the curve.
    (x, y) = (float(part) for part in re.search(r'<circle cx="(.*?)" cy="(.*?)"', first).groups())
    axes = Page(first).data[0]["axes"]
    decision = report.decision
    for place, (start, end), estimate in (
        (x, axes["x"], decision.recall),
        (y, axes["y"], decision.precision),
    ):
        assert abs(place - (start + estimate.value * (end - start))) < 0.2


def test_decisions_are_compared_with_chance_and_with_everything_positive(report):
    decision = report.decision
    this, fewer, more, chance, everything = decision_counts(report.rankings[0])
    assert fewer.n_flagged < this.n_flagged < more.n_flagged
    assert chance.n_flagged == this.n_flagged == (SCORES >= 1.0).sum()
    assert everything.n_flagged == N
    # Chance and everything have the precision of the share of positives.
    share = decision.prevalence.value
    assert chance.false_alarms[0] == pytest.approx(this.n_flagged * (1.0 - share))
    assert everything.false_alarms[0] == pytest.approx(N * (1.0 - share))
    assert chance.missed[0] == pytest.approx(share * (N - this.n_flagged))
    assert everything.missed.tolist() == [0.0, 0.0, 0.0]
    # A lower threshold misses no more and alarms no less, at the ends of intervals too.
    for rows in ((fewer, this), (this, more)):
        assert (rows[0].missed >= rows[1].missed).all()


def test_with_all_labels_the_counts_of_every_decision_are_those_of_the_labels(global_random_seed):
    report = report_of(SCORES, LABELS, global_random_seed, asked={"threshold": 1.0})
    rows = decision_counts(report.rankings[0])
    found = report.rankings[0].thresholds
    thresholds = [1.0, *(found.thresholds[found.near(factor)] for factor in (0.5, 2.0))]
    for row, threshold in zip(rows[:3], thresholds, strict=True):
        (_, alarms), (missed, _) = metrics.confusion_matrix(LABELS, threshold <= SCORES)
        assert row.false_alarms == pytest.approx(np.full(3, alarms))
        assert row.missed == pytest.approx(np.full(3, missed))


def test_counts_have_the_digits_that_their_interval_carries():
    # In a sentence; those of a page are in full, so that they add up.
    counts = [89_971.0, 85_120.0, 95_004.0]
    assert counts_in_words(counts, counts[1:]) == ["90,000", "85,100", "95,000"]
    assert numbers_in_words(np.array(counts), is_known=True) == "89,971 (85,120 to 95,004)"
    assert numbers_in_words(np.array([19.0, 0.0, 50.0]), is_known=True) == "19 (0 to 50)"
    assert numbers_in_words(np.array([19.0, 0.0, 50.0]), is_known=False) == "0 to 50"
    assert numbers_in_words(np.full(3, 7.0), is_known=True) == "7"


def test_further_items_have_the_intervals_of_the_population(global_random_seed):
    mixture = quick_mixture(global_random_seed, n_draws=200)
    performance = PerformanceCurveEstimator(mixture, random_state=global_random_seed)
    performance.fit(SCORES, PARTLY)
    answers = PerformanceReport.from_estimator(performance, threshold=1.0).answers
    expected = []
    for metric in ("precision", "recall", "prevalence"):
        threshold = None if metric == "prevalence" else 1.0
        estimate = performance.estimate(metric, threshold=threshold, target="population")
        expected += [round(100.0 * end) for end in estimate.interval()]
    # Beside the three ends of intervals: of 100 items.
    counts = counts_in(answers.answer("And for further items like these?"))
    assert [*counts[1:3], *counts[4:6], *counts[6:8]] == expected


def test_a_report_on_the_population_says_it_once(global_random_seed):
    asked = {"threshold": 1.0}
    report = report_of(SCORES, PARTLY, global_random_seed, asked=asked, target="population")
    assert report.answers.answer("And for further items like these?") is None


def test_with_all_labels_counts_are_exact(global_random_seed):
    report = report_of(SCORES, LABELS, global_random_seed, asked={"threshold": 1.0})
    (_, alarms), (missed, _) = metrics.confusion_matrix(LABELS, SCORES >= 1.0)
    answers = report.answers
    flagged = int((SCORES >= 1.0).sum())
    assert answers.answer("How many false alarms?") == f"{alarms} of the {flagged}."
    assert answers.answer("How many positives are missed?").endswith(f": {missed} in these items.")
    assert answers.answer("How sure is that?").startswith(f"All {N} items are labeled")
    assert answers.answer("What to label next?") == "Nothing: all items are labeled."


# Scores, and the usual threshold of such scores.
KINDS = {
    "votes": (lambda s: np.round(10.0 * expit(s)) / 10.0, 0.5),
    "saturated": (lambda s: np.clip(0.25 + s / 4.0, 0.0, 1.0), 0.5),
    "probabilities": (expit, 0.5),
    "percentages": (lambda s: 100.0 * expit(3.0 * s), 50.0),
    "log-odds": (lambda s: 4.0 * s, 0.0),
    "margins": (lambda s: s - 1.0, 0.0),
    "distances": (lambda s: np.exp(s), None),
    "anomaly scores": (lambda s: 1.0 + s - s.max() - 1.5, None),
    "tail probabilities": (lambda s: 0.5 + 0.5 * expit(s), None),
    "ranks": (lambda s: np.argsort(np.argsort(s)) + 1.0, None),
}


@pytest.mark.parametrize(("of", "usual"), KINDS.values(), ids=KINDS)
def test_no_label_moves_the_threshold_of_the_page(of, usual, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for labels in (LABELS, 1 - LABELS, rng.permutation(LABELS)):
        y = np.where(rng.random(N) < 0.15, labels, -1)
        mixture = quick_mixture(global_random_seed, n_draws=20, classes=[0, 1])
        fit = PerformanceCurveEstimator(mixture, n_points=10, random_state=0).fit(of(SCORES), y)
        assert fit.default_threshold_ == usual
        assert set(operating_points({None: fit.of()}, None).values()) == (
            set() if usual is None else {OperatingPoint(usual, "usual", SOURCES["usual"])}
        )


def test_without_a_usual_threshold_six_are_shown_and_one_is_asked_for(global_random_seed):
    report = report_of(np.exp(SCORES), PARTLY, global_random_seed)
    assert report.decision is report.threshold is None
    question, answer = report.answers.rows[int(report.verdict != "ok")]
    assert question == "At which threshold?"
    assert "pass threshold=" in answer.lower()
    (found,) = report.choices.values()
    # They depend on the scores alone, and round shares of the items reach them.
    again = report_of(np.exp(SCORES), np.where(np.arange(N) >= 340, LABELS, -1), global_random_seed)
    assert_array_equal(
        found.thresholds[found.choices],
        again.choices[None].thresholds[again.choices[None].choices],
    )
    assert found.flagged[found.choices].tolist() == [200, 80, 40, 20, 8, 4]
    page = Page(report.to_html())
    assert "threshold=" not in page.said
    assert "Thresholds to choose from" in page.said
    *rows, everything = counts_to_choose_from(report.rankings[0])
    assert [row.n_flagged for row in rows] == [200, 80, 40, 20, 8, 4]
    assert everything.n_flagged == N
    assert everything.missed.tolist() == [0.0, 0.0, 0.0]


def test_what_is_unknown_has_an_interval_and_no_value(global_random_seed):
    none = np.where(PARTLY == 0, 0, -1)
    report = report_of(SCORES, none, global_random_seed, classes=[0, 1], asked={"threshold": 1.0})
    decision = report.decision
    for estimate in (decision.precision, decision.recall):
        assert not estimate.is_known
        assert "more is not known yet" in estimate.sentence()
    low, high = decision.recall.interval()
    answers = report.answers
    assert answers.rows[0][0] == "May I believe it?"
    assert f"finds {round(100 * low)} to {round(100 * high)} of 100" in answers.answer(
        "How good is it?"
    )
    assert "About" not in answers.answer("How many false alarms?")
    assert "About" not in answers.answer("How many positives are missed?")
    # Nothing is planned from the prior alone.
    assert "would" not in answers.answer("What to label next?")
    cards = report.to_html().split('class="cards"')[1].split("<dl")[0]
    assert cards.count("not known yet") >= 2
    assert '<b style="left' not in cards


def test_a_page_on_what_is_unknown_has_no_median(global_random_seed):
    none = np.where(PARTLY == 0, 0, -1)
    report = report_of(SCORES, none, global_random_seed, classes=[0, 1], asked={"threshold": 1.0})
    page = report.to_html()
    assert report.verdict == "unidentified"
    # No line in a band, no mark in a bar, no point of the decision, no plan.
    assert 'class="curve s0"' not in page
    assert 'class="band s0"' in page
    assert '<b style="left' not in page
    assert "<circle" not in page
    assert "further labels" not in page
    for estimate in report.numbers.estimates:
        assert not estimate.is_known
        assert f'<td class="number">{estimate.value:.3f}</td>' not in page
    numbers = page.split('id="numbers"')[1].split("</table>")[0]
    assert numbers.count("not known yet") == len(report.numbers)
    matrix = page.split('class="matrix"')[1].split("</table>")[0]
    assert "<small>" not in matrix
    for data in Page(page).data:
        for series in data.get("series", ()):
            assert series["value"] is None
        for band in data.get("bands", {}).values():
            assert band["value"] is None


def test_what_the_data_contradict_is_not_exact():
    for verdict, words in (("misfit", "without an interval to rely on"), ("ok", "exact for these")):
        of = Verdict([Reason("a", verdict, "A problem.", 0.0, 1.0)])
        draws = np.ones(5)
        estimate = ScalarEstimate.from_draws("recall", draws, draws, n_items=50)
        assert words in replace(estimate, verdict=of).sentence()
        band = CurveBand.from_draws("line", [0.0, 1.0], np.ones((5, 2)), draws, n_items=50)
        assert words in replace(band, verdict=of).range_in_words(1.0, 1.0)
        counts = np.tile([[3.0, 1.0], [0.0, 6.0]], (5, 1, 1))
        matrix = ConfusionMatrix.of(counts, draws / 5.0, np.array([0, 1]), n_items=10)
        assert words in replace(matrix, verdict=of).exactness()


def test_few_labels_say_how_little_they_say(global_random_seed):
    few = np.where(np.arange(N) < 8, LABELS, -1)
    report = report_of(SCORES, few, global_random_seed, asked={"threshold": 1.5})
    widths = [
        np.diff(estimate.interval())[0]
        for estimate in (report.decision.precision, report.decision.recall)
    ]
    told = "too few to say how good it is" in report.answers.answer("How sure is that?")
    assert told == (max(widths) > 0.5)


def test_probabilities_that_are_off_are_named(global_random_seed):
    right = report_of(expit(SCORES), np.where(np.arange(N) < 300, LABELS, -1), global_random_seed)
    assert right.answers.answer("Are its probabilities right?")
    high = expit(SCORES + 2.0)
    wrong = report_of(high, np.where(np.arange(N) < 300, LABELS, -1), global_random_seed)
    said = wrong.answers.answer("Are its probabilities right?")
    assert "not calibrated, too high" in said
    at = float(re.search(r"about (0\.\d+):", said)[1])
    near = np.argsort(np.abs(high - at))[:40]
    # What is said of them is true of all labels.
    value = counts_in(said.split("of 100 such items")[1])[0]
    assert abs(value / 100.0 - LABELS[near].mean()) < 0.25


def test_subgroups_and_systems_are_compared_by_the_metric_that_is_asked_for(global_random_seed):
    part = np.array(["a", "b"])[np.arange(N) % 2]
    # In one part the scores say nothing.
    noise = np.random.default_rng(global_random_seed).permutation(SCORES)
    scores = np.where(part == "b", noise, SCORES)
    many = np.where(np.arange(N) < 200, LABELS, -1)
    asked = {"threshold": 1.0, "metric": "recall"}
    report = report_of(scores, many, global_random_seed, category=part, asked=asked)
    assert report.comparisons[0].title == "recall at score 1 by category"
    assert report.comparisons[0].differences.names == ("b",)
    said = report.answers.answer("For whom is it worse?")
    assert said.startswith("For b. Recall at score 1 of b is lower than of a")
    both = pd.DataFrame({"good": SCORES, "bad": noise})
    report = report_of(both, many, global_random_seed, asked=asked)
    assert report.comparisons[0].title == "recall at score 1"
    assert report.comparisons[0].baseline == "good"
    better = report.answers.answer("Which system is better?")
    assert better.startswith("Recall at score 1 of bad is lower than of good by")
    assert report.worth[0].metric == "recall"
    # Without a common threshold there is nothing to compare by.
    with pytest.raises(ValueError, match=r"no common one.*threshold="):
        report_of(np.exp(both), many, global_random_seed, asked={"metric": "recall"})


def test_a_subgroup_may_be_worse_at_the_threshold_alone(global_random_seed):
    part = np.array(["a", "b"])[np.arange(N) % 2]
    labels = np.where(np.arange(N) < 300, LABELS, -1)
    # The same order in both, and in one of them lower scores.
    report = report_of(
        np.where(part == "b", SCORES - 2.0, SCORES),
        labels,
        global_random_seed,
        category=part,
        asked={"threshold": 1.0},
    )
    said = report.answers.answer("For whom is it worse?")
    assert "Recall at score 1 of b is lower than of a by" in said
    # Nothing tells the parts apart but their names.
    equal = report_of(SCORES, labels, global_random_seed, asked={"threshold": 1.0}, category=part)
    decided = [each for each in equal.comparisons if each.is_of_quality and each.worse]
    said = equal.answers.answer("For whom is it worse?")
    assert said.startswith("For none in average precision, precision at") == (not decided)


def test_numbers_that_are_not_to_be_used_come_after_the_warning(global_random_seed):
    many = np.where(np.arange(N) < 100, 1 - LABELS, -1)
    report = report_of(SCORES, many, global_random_seed, asked={"threshold": 1.0})
    assert report.verdict == "misfit"
    assert report.answers.answer("What to label next?").startswith("First check the labels")
    assert "would become" not in report.to_html()
    question, answer = report.answers.rows[0]
    assert question == "May I believe it?"
    assert "do not use these numbers" in answer
    assert report.answers.lines()[0] == answer
    page = report.to_html()
    assert page.index('class="verdict misfit"') < page.index('class="cards"')

"""What moved since an earlier report, and whether that is more than chance."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe import PerformanceCurveEstimator, PerformanceReport, ScalarEstimate
from sklearn_spe.application.report._earlier_report import EarlierReport
from sklearn_spe.application.report._metric_comparison import MetricComparison
from sklearn_spe.results import EstimateTable
from tests.display.data import even_scores, quick_mixture
from tests.quick import QUIET

pytestmark = QUIET

LEVEL = 0.9
# Draws at even quantiles: moments and quantiles are those of the normal distribution.
QUANTILES = stats.norm.ppf((np.arange(4000) + 0.5) / 4000)


def estimate(mean, deviation, name="recall"):
    draws = mean + deviation * QUANTILES
    return ScalarEstimate.from_draws(name, draws, np.ones(len(draws)), confidence_level=LEVEL)


def record(mean, deviation, name="recall", **more):
    low, high = estimate(mean, deviation).interval()
    row = {"name": name, "value": mean, "lower": low, "upper": high}
    return {"estimates": [row], "confidence_level": LEVEL, **more}


def table(mean, deviation, name="recall"):
    return EstimateTable((name,), (estimate(mean, deviation, name),))


@pytest.mark.parametrize(("now", "then"), [(0.02, 0.05), (0.04, 0.04), (0.01, 0.0)])
def test_the_interval_of_a_change_is_that_of_independent_normal_numbers(now, then):
    found = EarlierReport.of(table(0.8, now), record(0.7, then))
    half = stats.norm.ppf(0.5 + LEVEL / 2.0) * np.hypot(now, then)
    assert_allclose(found.changes[0], [0.1, 0.1 - half, 0.1 + half], atol=1e-4)
    assert found.is_certain.tolist() == [half < 0.1]


def test_a_change_is_the_mirror_image_of_the_change_back():
    there = EarlierReport.of(table(0.8, 0.02), record(0.7, 0.05)).changes[0]
    back = EarlierReport.of(table(0.7, 0.05), record(0.8, 0.02)).changes[0]
    assert_allclose(there[[0, 2, 1]], -back, atol=1e-12)


def test_what_moved_is_told_with_its_interval():
    found = EarlierReport.of(table(0.76, 0.01), record(0.84, 0.01, title="May", date="2026-05-31"))
    said = found.sentence()
    assert said.startswith("Since May of 2026-05-31: recall fell from 0.840 to 0.760")
    assert "-8 in 100 (-10 to -6), more than chance explains" in said
    found = EarlierReport.of(table(0.76, 0.1), record(0.84, 0.1))
    assert "what chance may explain" in found.sentence()
    same = EarlierReport.of(table(0.76, 0.1), record(0.76, 0.1))
    assert "recall stayed at 0.760" in same.sentence()
    assert not same.is_certain.any()


def test_numbers_are_compared_at_the_level_of_the_earlier_report():
    then = record(0.8, 0.05)
    then["confidence_level"] = 0.5
    found = EarlierReport.of(table(0.8, 0.05), then)
    assert_allclose(found.now[0], [0.8, *estimate(0.8, 0.05).interval(0.5)])


@pytest.mark.parametrize(
    ("earlier", "error", "said"),
    [
        (record(0.8, 0.1, name="f1 at score 2"), ValueError, "no number in common"),
        ({"estimates": []}, ValueError, "no number in common"),
        ({"verdict": "ok"}, TypeError, "contents of an earlier report"),
        ("old.json", TypeError, "contents of an earlier report"),
    ],
)
def test_what_is_no_earlier_report_is_refused(earlier, error, said):
    with pytest.raises(error, match=said):
        EarlierReport.of(table(0.8, 0.1), earlier)


def test_a_report_is_compared_with_its_own_record(global_random_seed):
    scores, labels = even_scores(300)
    y = np.where(np.arange(300) < 40, labels, -1)
    mixture = quick_mixture(global_random_seed)
    performance = PerformanceCurveEstimator(mixture, n_points=30).fit(scores, y)
    report = PerformanceReport.from_estimator(performance, threshold=1.0)
    earlier = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    again = PerformanceReport.from_estimator(performance, threshold=1.0, compared_with=earlier)
    assert again.earlier.names == report.numbers.names
    assert_allclose(again.earlier.changes[:, 0], 0.0, atol=1e-15)
    assert not again.earlier.is_certain.any()
    assert again.answers.answer("Is it better than before?") == again.earlier.sentence()
    page = PerformanceReport.from_estimator(
        performance, threshold=1.0, compared_with=earlier
    ).to_html()
    assert "Compared with the earlier report" in page


# --- differences of systems and categories --------------------------------------------------


def comparison(differences, ahead="better"):
    """Return a comparison in which the others differ from the first by these normal numbers."""
    names = [f"s{k}" for k in range(len(differences) + 1)]
    base = 0.5 + 0.001 * QUANTILES
    rng = np.random.default_rng(0)
    draws = [base] + [base + m + s * rng.permutation(QUANTILES) for m, s in differences]
    weights = np.ones(len(base))
    found = tuple(
        ScalarEstimate.from_draws("recall", d, weights, confidence_level=LEVEL, origin="one")
        for d in draws
    )
    table = EstimateTable(tuple(names), found)
    return MetricComparison("recall", table, table, "s0", ahead)


def test_a_difference_that_the_labels_decide_is_told_with_its_size():
    found = comparison([(-0.06, 0.02)])
    assert found.decides
    half = 100 * 0.02 * stats.norm.ppf(0.95)
    assert found.sentence() == (
        f"Recall of s1 is lower than of s0 by 6 in 100 ({6 - half:.0f} to {6 + half:.0f}), with "
        "probability 0.99 or more."
    )


@pytest.mark.parametrize("factor", [3.0, 5.0])
def test_labels_that_would_decide_are_counted_by_the_root_law(factor):
    # A difference of one deviation over so many: its interval must become narrower.
    found = comparison([(0.1 / factor, 0.1)])
    z, power = stats.norm.ppf(0.95), stats.norm.ppf(0.8)
    expected = 50 * ((factor * (z + power)) ** 2 - 1.0)
    said = found.labels_to_decide(50, 10**6)
    n = int(said.split("at least ")[1].split(" more")[0].replace(",", ""))
    assert 0.98 * expected <= n <= 1.15 * expected
    assert found.labels_to_decide(50, 60) == ""
    assert comparison([(-0.06, 0.02)]).labels_to_decide(50, 10**6) == ""


def test_the_subgroup_that_is_worse_is_named():
    lower = comparison([(-0.2, 0.01), (0.0, 0.05)], "higher")
    assert lower.worse == ("s1",)
    higher = comparison([(0.2, 0.01), (0.0, 0.05)], "higher")
    assert higher.worse == ("s0",)
    none = comparison([(0.0, 0.05), (0.01, 0.05)], "higher")
    assert none.worse == ()


def test_of_many_those_are_told_that_differ():
    found = comparison([(-0.2, 0.01), (0.0, 0.05), (0.01, 0.05)], "higher")
    first, others = found.sentence().split(". ")
    assert first.startswith("Recall of s1 is lower than of s0 by 20 in 100")
    assert others == "The other 2 differ from s0 by no more than chance explains."
    record = found.to_dict()
    assert record["sentence"] == found.sentence()
    assert [row["probability"] for row in record["differences"]] == list(found.probabilities)
    assert len(found.to_frame()) == 3
    assert found.sentence() in found._repr_html_()

"""Numbers with intervals: arithmetic, open ends, exact numbers, and their distributions."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.metrics import confusion_matrix

from sklearn_spe import CurveBand, ScalarEstimate
from sklearn_spe.exceptions import (
    FewLabelsWarning,
    MisfitWarning,
    SamplingWarning,
    UnidentifiedWarning,
)
from sklearn_spe.models import ConfusionMatrix
from sklearn_spe.results import EstimateTable, Reason, Verdict
from sklearn_spe.results._bootstrapped_mean import BootstrappedMean
from sklearn_spe.results._distributions import CenteredDraws, LogitDistribution, WeightedDraws
from sklearn_spe.results._estimates import NO_INTERVAL, worse
from sklearn_spe.results._showing import amount_in_counts, amount_of, as_json, bar, sentence_of
from sklearn_spe.results._tables import causes_of_edges, intervals_in_a_line, remarks_on_edges
from sklearn_spe.results._verdict import ALL_LABELED, warn_of

EVEN = np.linspace(0.0, 1.0, 101)


def estimate(draws=EVEN, name="recall", **fields):
    draws = np.asarray(draws, dtype=float)
    return ScalarEstimate.from_draws(name, draws, np.ones(len(draws)), **fields)


def open_at(edge, draws=EVEN, of_one_class=False, **fields):
    """Return an estimate that no label keeps from an edge."""
    draws = WeightedDraws(np.asarray(draws)[:, np.newaxis], np.full(len(draws), 1.0 / len(draws)))
    return ScalarEstimate("recall", draws.reaching(np.array([edge]), of_one_class), **fields)


def reason(name, verdict="misfit"):
    return Reason(name, verdict, "A problem.", 1.0, 0.5)


# --- arithmetic --------------------------------------------------------------------------


def test_a_difference_and_a_sum_are_those_of_each_draw(global_random_seed):
    draws = np.random.default_rng(global_random_seed).normal(size=(2, 50))
    first, second = (estimate(row, origin="fit") for row in draws)
    assert_allclose((first - second).draws, draws[0] - draws[1])
    assert_allclose((first + second).draws, draws[0] + draws[1])
    assert_allclose((first - second).value, np.median(draws[0] - draws[1]))


@pytest.mark.parametrize("origin", ["", "other"])
def test_numbers_of_different_fits_are_not_subtracted(origin):
    with pytest.raises(ValueError, match="not of one fit"):
        estimate(origin=origin) - estimate(origin="fit" if origin else "")
    with pytest.raises(TypeError):
        estimate() - 1.0


def test_a_difference_is_about_items_that_both_are_about():
    def items_of(first, second):
        difference = estimate(n_items=first, origin="a") - estimate(n_items=second, origin="a")
        return difference.n_items

    assert items_of(10.0, 10.0) == 10.0
    assert np.isnan(items_of(10.0, 20.0))
    assert items_of(None, 10.0) is None


def test_an_estimate_is_a_number_and_is_formatted_with_its_interval():
    half = estimate(confidence_level=0.5)
    assert float(half) == half.value == pytest.approx(0.5)
    assert f"{half:.2f}" == "0.50 [0.25, 0.75]"
    assert f"{half}" == repr(half)


@pytest.mark.parametrize("weights", [[1.0, -1.0], [0.0, 0.0], [np.inf, 1.0]])
def test_weights_that_are_no_weights_are_refused(weights):
    with pytest.raises(ValueError, match=r"weights"):
        ScalarEstimate.from_draws("recall", [0.1, 0.2], weights)


def test_a_curve_needs_increasing_points_and_a_column_of_draws_for_each():
    with pytest.raises(ValueError, match="increasing"):
        CurveBand.from_draws("line", [1.0, 0.0], np.ones((3, 2)), np.ones(3))
    with pytest.raises(ValueError, match="one column for each"):
        CurveBand.from_draws("line", [0.0, 1.0], np.ones((3, 3)), np.ones(3))
    with pytest.raises(ValueError, match="draws"):
        CurveBand.from_draws("line", [0.0], np.ones(3), np.ones(3))


# --- exact numbers -----------------------------------------------------------------------


def test_a_number_with_an_interval_is_not_exact():
    assert estimate().exactness() == ""


@pytest.mark.parametrize(
    ("n_items", "note"),
    [
        (None, "exact for these scores, whatever the labels"),
        (np.nan, "exact for these items"),
        (1.0, "exact for this one item"),
        (2000.0, "exact for these 2,000 items"),
    ],
)
def test_a_number_without_width_is_exact_for_its_items(n_items, note):
    exact = estimate([0.25, 0.25], n_items=n_items)
    assert exact.exactness() == note
    assert note in repr(exact)
    assert note in exact.sentence()


def test_an_interval_may_have_no_width_though_some_draws_differ():
    nearly = estimate([0.5] * 98 + [0.6] * 2, n_items=5.0)
    assert nearly.interval()[0] == nearly.interval()[1]
    assert nearly.exactness() == "exact for these 5 items with probability 0.98"


def test_a_model_that_fails_makes_no_number_exact():
    exact = estimate([0.25, 0.25], verdict=Verdict([reason("score_distribution")]))
    assert exact.exactness() == NO_INTERVAL
    matrix = ConfusionMatrix.of(np.ones((3, 2, 2)), np.ones(3) / 3.0, np.array([0, 1]), n_items=4.0)
    assert matrix.exactness() == "exact for these 4 items"
    failed = ConfusionMatrix(matrix.classes, matrix.distribution, verdict=exact.verdict)
    assert failed.exactness() == NO_INTERVAL


# --- ends that no label excludes ---------------------------------------------------------


@pytest.mark.parametrize("edge", [0.0, 1.0])
def test_an_open_interval_reaches_its_edge_and_the_mirror_image_reaches_the_other(edge):
    inner = np.linspace(0.3, 0.7, 101)
    reaching = open_at(edge, inner)
    low, high = reaching.interval(0.9)
    assert reaching.edge == edge
    assert (low if edge == 0.0 else high) == edge
    plain = np.quantile(inner, [0.05, 0.95])
    assert_allclose(high if edge == 0.0 else low, plain[1] if edge == 0.0 else plain[0], atol=0.01)
    assert f"no label rules out {edge:g}" in repr(reaching)
    assert f"No label rules out {edge:g}." in reaching._repr_html_()


def test_with_labels_of_one_class_the_other_end_leaves_out_a_quarter():
    low, high = open_at(0.0, of_one_class=True).interval(0.9)
    assert low == 0.0
    assert_allclose(high, 0.975, atol=0.01)


def test_without_an_edge_nothing_is_open():
    closed = open_at(np.nan)
    assert closed.edge is None
    assert closed.interval(0.9) == estimate().interval(0.9)


def test_a_mean_is_open_where_all_its_parts_are():
    draws = WeightedDraws(EVEN[:, np.newaxis] / 2.0 + 0.25, np.full(101, 1.0 / 101.0))
    at_zero, at_one = draws.reaching(np.array([0.0])), draws.reaching(np.array([1.0]))
    assert draws.reaching_like([at_zero, at_zero]).interval(0.9)[0] == 0.0
    for parts in ([at_zero, draws], [at_zero, at_one]):
        assert_allclose(draws.reaching_like(parts).interval(0.9), draws.interval(0.9))


def test_rows_that_reach_zero_are_named_where_others_do_not():
    rows = (open_at(0.0, edge_cause="no positive is labeled"), estimate(), estimate([0.5, 0.5]))
    table = EstimateTable(("a", "b", "c"), rows)
    (remark,) = remarks_on_edges(table)
    assert remark.startswith("The labels of a do not rule out 0")
    assert causes_of_edges(table) == ("No label rules out 0 for a: no positive is labeled.",)
    alike = EstimateTable(("a", "b"), (rows[0], rows[0]))
    assert remarks_on_edges(alike) == ()
    (_, high), (low, _) = rows[0].interval(), rows[1].interval()
    assert intervals_in_a_line(table, ["!", "", ""]).split(", ") == [
        f"a 0.000 to {high:.3f}!",
        f"b {low:.3f} to {rows[1].interval()[1]:.3f}",
        *("c 0.500", "exact for these scores", "whatever the labels"),
    ]


# --- distributions -----------------------------------------------------------------------


def test_of_one_distribution_the_mixture_and_the_mean_are_itself():
    one = WeightedDraws(EVEN[:, np.newaxis], np.full(101, 1.0 / 101.0))
    assert WeightedDraws.pooled([one]) is one
    assert WeightedDraws.average([one]) is one
    assert one.scaled(1.0) is one
    assert_allclose(one.scaled(3.0).median(), 3.0 * one.median())


def test_a_difference_of_known_estimates_is_that_of_their_centers():
    draws, weights = EVEN[:, np.newaxis], np.full(101, 1.0 / 101.0)
    first = CenteredDraws(draws, weights, np.array([0.4]))
    second = CenteredDraws(draws**2, weights, np.array([0.1]))
    assert_allclose(first.combined(second, np.subtract).median(), [0.3])
    # Of draws alone only the draws are known.
    alone = first.combined(WeightedDraws(draws**2, weights), np.subtract)
    assert_allclose(alone.median(), np.median(draws - draws**2))


def test_of_an_unknown_rate_only_the_range_is_known():
    unknown = LogitDistribution.unknown(0.2, 0.7, 0.5)
    assert_allclose(unknown.quantile([0.05, 0.5, 0.95])[:, 0], [0.2, 0.5, 0.7])


def test_the_mean_of_equal_values_is_that_value_and_of_two_values_a_beta(global_random_seed):
    assert BootstrappedMean(np.array([2.0]), np.array([5.0])).quantile([0.1, 0.9]).tolist() == [
        [2.0],
        [2.0],
    ]
    # Weights of a Dirichlet distribution: the share of ones is beta.
    mean = BootstrappedMean(np.array([0.0, 1.0]), np.array([3.0, 7.0]))
    expected = stats.beta(7.0, 3.0)
    assert_allclose(
        mean.quantile([0.05, 0.5, 0.95])[:, 0], expected.ppf([0.05, 0.5, 0.95]), atol=1e-6
    )
    assert_allclose(mean.std(), expected.std())
    assert [mean.below(bound) for bound in (-1.0, 2.0)] == [0.0, 1.0]
    assert BootstrappedMean(np.array([1.0]), np.array([3.0])).below(1.0) == 0.5


# --- confusion matrices ------------------------------------------------------------------


@pytest.mark.parametrize("normalize", ["true", "pred", "all", None])
def test_a_matrix_of_known_labels_is_that_of_scikit_learn(normalize, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    # The last class has no item.
    true, predicted = rng.integers(3, size=(2, 60))
    counts = confusion_matrix(true, predicted, labels=range(4)).astype(float)
    matrix = ConfusionMatrix.of(counts[np.newaxis], np.ones(1), np.arange(4), normalize)
    expected = confusion_matrix(true, predicted, labels=range(4), normalize=normalize)
    assert_allclose(matrix.value, expected)
    assert_allclose(matrix.mean(), expected)
    frame = matrix.to_frame()
    assert_allclose(frame["value"], np.ravel(expected))
    assert "exact for" in matrix.sentence()
    with pytest.raises(ValueError, match="normalize"):
        ConfusionMatrix.of(counts[np.newaxis], np.ones(1), np.arange(4), "rows")


def test_a_matrix_that_no_label_informs_shows_its_ends_alone():
    draws = np.linspace(0.0, 10.0, 21)[:, np.newaxis, np.newaxis] * np.ones((2, 2))
    weights = np.full(21, 1.0 / 21.0)
    matrix = ConfusionMatrix.of(draws, weights, np.array([0, 1]))
    assert "medians" in matrix._repr_html_()
    unknown = ConfusionMatrix(
        matrix.classes, matrix.distribution, verdict=Verdict([reason("few", "unidentified")])
    )
    assert not unknown.is_known
    assert "medians" not in unknown._repr_html_()
    assert "most frequent" not in unknown._repr_html_()


# --- verdicts ----------------------------------------------------------------------------


def test_the_verdict_on_two_numbers_is_the_worse_one():
    ok, misfit = Verdict(), Verdict([reason("score_distribution")])
    assert worse(None, None) is None
    assert worse(None, misfit) == worse(misfit, None) == worse(ok, misfit) == "misfit"
    complete = Verdict([Reason(ALL_LABELED, "ok", "All labeled.", 10.0, 10.0)])
    assert [r.name for r in worse(complete, complete).reasons] == [ALL_LABELED]
    # Of an exact number and another one the result is not exact.
    assert worse(complete, misfit).reasons == misfit.reasons


def test_the_verdict_on_several_fits_names_them_and_keeps_one_of_equal_reasons():
    misfit = Verdict([reason("score_distribution"), reason("score_distribution")])
    everything = Verdict.of_all([("a", misfit), ("", misfit), ("b", Verdict())])
    assert [r.problem for r in everything.reasons] == ["a: A problem.", "A problem."]
    assert everything == "misfit"
    # What it has already is not added.
    assert everything.worsened(everything.reasons) is everything
    assert Verdict().worsened_by([estimate(verdict=misfit), estimate()]) == "ok"
    part = Verdict([reason("unlabeled_part", "unidentified")])
    assert Verdict().worsened_by([estimate(verdict=part)]) == "unidentified"
    with pytest.raises(TypeError, match="estimates and curves"):
        Verdict().worsened_by([1.0])


def test_a_remark_leaves_a_verdict_ok():
    remarks = [Reason(name, "ok", "A remark.", 1.0, 0.5) for name in ("first", "second")]
    assert Verdict(remarks[:1]).describe().startswith("ok, with a remark\n")
    assert Verdict(remarks).describe().startswith("ok, with 2 remarks\n")
    assert Verdict().describe() == "ok"
    assert len(Verdict(remarks).to_frame()) == 2


@pytest.mark.parametrize(
    ("name", "verdict", "category"),
    [
        ("one_class", "unidentified", FewLabelsWarning),
        ("few_draws", "unreliable", SamplingWarning),
        ("another", "misfit", MisfitWarning),
        ("another", "unidentified", UnidentifiedWarning),
    ],
)
def test_a_reason_warns_by_its_name_or_else_by_its_verdict(name, verdict, category):
    with pytest.warns(category):
        warn_of(Verdict([reason(name, verdict), Reason("remark", "ok", "A remark.", 1.0, 0.5)]))


# --- sentences and values ----------------------------------------------------------------


def test_a_share_that_no_label_informs_is_a_range():
    told = sentence_of("recall", 0.5, (0.2, 0.8), is_known=False)
    assert "20 to 80" in told
    assert "50" not in told
    told = sentence_of("roc_auc", 0.5, (0.2, 0.8), is_known=False, threshold=2.0)
    assert told.startswith("At threshold 2, the")
    assert "0.20 to 0.80" in told
    assert "not defined" in sentence_of("recall", np.nan, (np.nan, np.nan))


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((0.5, 0.5, 0.5), "0.500"),
        ((2.0, 2.0, 2.0), "2"),
        ((1234.5, 1000.0, 2000.0), "1,234 (1,000 to 2,000)"),
        ((0.123456, 0.123, 0.124), "0.123 (0.123 to 0.124)"),
        ((2.5, 1.0, 4.0), "2.5 (1.0 to 4.0)"),
        ((2.5, -np.inf, np.inf), "2.5 (-inf to inf)"),
    ],
)
def test_a_number_has_the_decimals_that_its_interval_carries(numbers, text):
    assert amount_of(*numbers) == text


def test_differences_of_shares_are_counted_and_those_of_areas_are_not():
    assert amount_in_counts("recall", 0.1, 0.05, 0.2) == "10 in 100 (5 to 20)"
    assert amount_in_counts("recall", 0.1, 0.1, 0.1) == "10 in 100"
    assert amount_in_counts("roc_auc", 0.1, 0.05, 0.2) == amount_of(0.1, 0.05, 0.2)
    assert amount_in_counts("recall", np.nan, 0.0, 1.0) == amount_of(np.nan, 0.0, 1.0)


def test_values_for_json_are_those_of_python_and_finite():
    values = {
        1: [np.float64(0.123456), np.nan, True, None],
        "array": np.arange(2),
        "other": complex(1, 2),
        "estimate": estimate([0.5, 0.5]),
    }
    shown = json.loads(json.dumps(as_json(values, 3), allow_nan=False))
    assert shown["1"] == [0.123, None, True, None]
    assert shown["array"] == [0, 1]
    assert shown["other"] == "(1+2j)"
    assert shown["estimate"]["value"] == 0.5


def test_a_bar_of_differences_marks_zero_and_one_without_ends_is_empty():
    assert "<s" in bar(0.1, -0.2, 0.4, (-1.0, 1.0))
    assert "left:40.0%;width:30.0%" in bar(0.1, -0.2, 0.4, (-1.0, 1.0))
    assert "<b" not in bar(np.nan, 0.2, 0.4)
    assert "<i" not in bar(np.nan, np.nan, np.nan)

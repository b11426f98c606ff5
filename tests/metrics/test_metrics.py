"""Every metric against scikit-learn, closed forms and brute force."""

import inspect
import pickle
import re
from dataclasses import replace
from fractions import Fraction
from itertools import product
from string import Formatter

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special
from sklearn import metrics as oracle

from sklearn_spe.metrics import (
    FBeta,
    Metric,
    NetBenefit,
    RankingMetric,
    ThresholdMetric,
    _matrix_rates,
)
from sklearn_spe.metrics._decision import CountMetric, OfPredictions, combined
from sklearn_spe.metrics._expectation import ratio
from sklearn_spe.metrics._ranking import (
    AveragePrecision,
    EqualErrorRate,
    NormalizedDiscountedCumulativeGain,
    Prevalence,
    RocAuc,
    sum_of_discounts,
)
from sklearn_spe.metrics._registry import INSTEAD, METRICS, OF_SOME_QUESTIONS, as_metric, folded

EVERY_METRIC = pytest.mark.parametrize("metric", [cls() for cls in METRICS.values()], ids=METRICS)
# Those of counts; what a lower threshold costs is a matter of the curve.
COUNTED = {
    name: cls
    for name, cls in METRICS.items()
    if issubclass(cls, (ThresholdMetric, RankingMetric)) and not cls.takes_threshold
}
DECISIONS = [
    cls()
    for cls in COUNTED.values()
    if issubclass(cls, ThresholdMetric) and not issubclass(cls, CountMetric)
]
EVERY_COUNTED = pytest.mark.parametrize(
    "metric",
    [*(cls() for cls in COUNTED.values()), NetBenefit(0.3)],
    ids=[*COUNTED, "net_benefit"],
)
THRESHOLD_METRICS = {name: cls for name, cls in COUNTED.items() if issubclass(cls, ThresholdMetric)}


def false_positive_rate(y_true, y_pred, sample_weight):
    (tn, fp), _ = oracle.confusion_matrix(y_true, y_pred, sample_weight=sample_weight)
    return fp / (tn + fp)


def counted_by_oracle(true, called):
    """Return a count of scikit-learn's confusion matrix, weighted."""

    def score(y_true, y_pred, sample_weight):
        matrix = oracle.confusion_matrix(y_true, y_pred, sample_weight=sample_weight)
        return matrix[true, called].sum()

    return score


ORACLES = [
    pytest.param("true_positives", counted_by_oracle(1, 1), id="true_positives"),
    pytest.param("false_negatives", counted_by_oracle(1, 0), id="false_negatives"),
    pytest.param("false_positives", counted_by_oracle(0, 1), id="false_positives"),
    pytest.param("predicted_positives", counted_by_oracle([0, 1], 1), id="predicted_positives"),
    pytest.param("precision", oracle.precision_score, id="precision"),
    pytest.param("recall", oracle.recall_score, id="recall"),
    pytest.param("f1", oracle.f1_score, id="f1"),
    pytest.param("accuracy", oracle.accuracy_score, id="accuracy"),
    pytest.param(
        "specificity",
        lambda *args, **kwargs: oracle.recall_score(*args, pos_label=0, **kwargs),
        id="specificity",
    ),
    pytest.param("false_positive_rate", false_positive_rate, id="false_positive_rate"),
    pytest.param(
        "negative_predictive_value",
        lambda *args, **kwargs: oracle.precision_score(
            *args, pos_label=0, zero_division=0.0, **kwargs
        ),
        id="negative_predictive_value",
    ),
    pytest.param("balanced_accuracy", oracle.balanced_accuracy_score, id="balanced_accuracy"),
    pytest.param("matthews_corrcoef", oracle.matthews_corrcoef, id="matthews_corrcoef"),
    pytest.param("cohen_kappa", oracle.cohen_kappa_score, id="cohen_kappa"),
]


def tied_items(seed, n=60):
    """Return labels of both classes, scores with many ties, and weights."""
    rng = np.random.default_rng(seed)
    labels = np.r_[0, 1, rng.integers(0, 2, n - 2)]
    scores = np.round(rng.normal(labels, 1.0), 1)
    return labels, scores, rng.uniform(0.1, 3.0, n)


def counts_above(labels, scores, weights):
    """Return tp and fp, of shape (1, n_thresholds), at the distinct scores, falling."""
    above = scores >= np.unique(scores)[::-1, np.newaxis]
    tp, fp = ((above * weights * (labels == c)).sum(axis=1) for c in (1, 0))
    return tp[np.newaxis], fp[np.newaxis]


def counts_at(labels, scores, weights, threshold):
    called = scores >= threshold
    return (
        weights[called & (labels == 1)].sum(),
        weights[called & (labels == 0)].sum(),
        weights[labels == 1].sum(),
        weights[labels == 0].sum(),
    )


# --- decisions at a threshold ----------------------------------------------------------


@pytest.mark.parametrize(("name", "score"), ORACLES)
def test_threshold_metric_equals_scikit_learn(name, score, global_random_seed):
    labels, scores, weights = tied_items(global_random_seed)
    for threshold in np.unique(scores):
        value = METRICS[name]().value(*counts_at(labels, scores, weights, threshold))
        expected = score(labels, (scores >= threshold).astype(int), sample_weight=weights)
        # Not defined where all are called positive: Matthews' coefficient alone.
        value = np.where(np.isnan(value), METRICS[name].zero_division, value)
        assert_allclose(value, expected, atol=1e-12)


def test_every_threshold_metric_has_an_oracle():
    assert {case.values[0] for case in ORACLES} == THRESHOLD_METRICS.keys()


@pytest.mark.parametrize("probability", [0.0, 0.1, 0.5, 0.9])
def test_net_benefit_is_the_share_of_true_positives_less_the_odds_of_false_ones(
    probability, global_random_seed
):
    labels, scores, weights = tied_items(global_random_seed)
    for threshold in np.unique(scores):
        called = scores >= threshold
        gains = np.where(labels == 1, 1.0, -probability / (1.0 - probability))
        expected = np.average(called * gains, weights=weights)
        value = NetBenefit(probability).value(*counts_at(labels, scores, weights, threshold))
        assert_allclose(value, expected, atol=1e-12)


def test_net_benefit_takes_the_threshold_as_its_probability():
    thresholds, scores = np.array([0.2, 0.5]), np.array([0.0, 1.0])
    counts = np.array([[8, 4]]), np.array([[6, 1]]), 10, 90
    together = NetBenefit().at_thresholds(thresholds, scores).value(*counts)
    assert_allclose(together, [[(8 - 6 / 4) / 100, (4 - 1) / 100]])
    assert NetBenefit(0.3).at_thresholds(thresholds, 9.0 * scores) == NetBenefit(0.3)
    for wrong in ((thresholds + 0.5, scores), (thresholds, 9.0 * scores)):
        with pytest.raises(ValueError, match=r"scores in \[0, 1\]; got .*NetBenefit\("):
            NetBenefit().at_thresholds(*wrong)
    with pytest.raises(ValueError, match="needs a threshold probability"):
        NetBenefit().value(*counts)


def test_ndcg_equals_scikit_learn(global_random_seed):
    labels, scores, _ = tied_items(global_random_seed)
    for rounded in (scores, np.round(scores), np.zeros(len(scores))):
        value = NormalizedDiscountedCumulativeGain().value(
            *counts_above(labels, rounded, np.ones(len(labels)))
        )
        assert_allclose(value, oracle.ndcg_score([labels], [rounded]), rtol=1e-12)


def test_discounts_of_far_ranks_are_those_that_are_summed():
    n_ranks = np.array([0.0, 1.0, 2.5, 2**14, 2**14 + 1.0, 1e5, 1e6])
    sums = np.r_[0.0, np.cumsum(1.0 / np.log2(np.arange(2, 1_000_002)))]
    expected = np.interp(n_ranks, np.arange(len(sums)), sums)
    assert_allclose(sum_of_discounts(n_ranks), expected, rtol=1e-12)


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0, 2.0, 7.5])
def test_f_beta_equals_scikit_learn(beta, global_random_seed):
    labels, scores, weights = tied_items(global_random_seed)
    for threshold in np.unique(scores):
        value = FBeta(beta).value(*counts_at(labels, scores, weights, threshold))
        called = (scores >= threshold).astype(int)
        expected = oracle.fbeta_score(labels, called, beta=beta, sample_weight=weights)
        assert_allclose(value, expected, atol=1e-12)
    assert FBeta(Fraction(beta)).name == FBeta(beta).name


def test_f_beta_is_named_after_its_beta():
    assert [FBeta(beta).name for beta in (1.0, 2, 0.5)] == ["f1", "f2", "f0.5"]
    assert pickle.loads(pickle.dumps(FBeta(2.0))).name == "f2"
    assert FBeta(2.0) == FBeta(2.0) != FBeta(1.0)


@pytest.mark.parametrize(
    ("beta", "error"), [(-1.0, ValueError), (np.inf, ValueError), ("1", TypeError)]
)
def test_f_beta_rejects_a_beta_that_is_no_weight(beta, error):
    with pytest.raises(error, match="beta"):
        FBeta(beta)


@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
@pytest.mark.parametrize(
    ("name", "score", "y_true", "y_pred"),
    [
        ("precision", oracle.precision_score, [0, 1], [0, 0]),
        ("recall", oracle.recall_score, [0, 0], [0, 1]),
        ("f1", oracle.f1_score, [0, 0], [0, 0]),
    ],
)
def test_undefined_where_scikit_learn_divides_by_zero(name, score, y_true, y_pred, zero_division):
    y_true, y_pred = np.array(y_true), np.array(y_pred)
    counts = counts_at(y_true, y_pred, np.ones(2), 1)
    # zero_division comes out of scikit-learn exactly where it divided by zero.
    assert np.array_equal(score(y_true, y_pred, zero_division=zero_division), zero_division, True)
    assert np.isnan(METRICS[name]().value(*counts))


@pytest.mark.parametrize(
    ("name", "score", "y_true", "y_pred"),
    [
        ("precision", oracle.precision_score, [0, 1], [0, 0]),
        ("recall", oracle.recall_score, [0, 0], [0, 1]),
        ("f1", oracle.f1_score, [0, 0], [0, 0]),
        ("average_precision", oracle.average_precision_score, [0, 0], [0.1, 0.2]),
        ("roc_auc", oracle.roc_auc_score, [0, 0], [0.1, 0.2]),
    ],
)
def test_zero_division_is_what_scikit_learn_returns_with_its_warning(name, score, y_true, y_pred):
    with pytest.warns(
        UserWarning, match=r"No positive|ill-defined|[Oo]nly one (class|label)|single label"
    ):
        expected = score(y_true, y_pred)
    assert np.array_equal(METRICS[name].zero_division, expected, equal_nan=True)


@pytest.mark.filterwarnings("ignore:y_pred contains classes:UserWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore:A single label was found:UserWarning")
# So says the oldest scikit-learn of a kappa that is not defined.
@pytest.mark.filterwarnings("ignore:invalid value encountered in scalar divide:RuntimeWarning")
@pytest.mark.parametrize(
    ("name", "score"),
    [
        ("balanced_accuracy", oracle.balanced_accuracy_score),
        ("matthews_corrcoef", oracle.matthews_corrcoef),
        ("cohen_kappa", oracle.cohen_kappa_score),
    ],
)
def test_without_one_class_it_is_what_scikit_learn_makes_of_it(name, score):
    for y_true, y_pred in product(product([0, 1], repeat=3), repeat=2):
        y_true, y_pred = np.array(y_true), np.array(y_pred)
        value = METRICS[name]().value(*counts_at(y_true, y_pred, np.ones(3), 1))
        value = np.where(np.isnan(value), METRICS[name].zero_division, value)
        assert_allclose(value, score(y_true, y_pred), atol=1e-15, equal_nan=True)


@pytest.mark.parametrize(("tp", "fp", "defined"), [(0, 2, True), (1, 0, True), (0, 0, False)])
def test_f1_is_zero_without_a_hit_and_undefined_without_a_positive_of_any_kind(tp, fp, defined):
    value = FBeta().value(tp, fp, tp, 5)
    assert np.isnan(value) == (not defined)


def youden(y_true, y_pred, sample_weight):
    """Return recall less the false positive rate, NaN without one of the classes."""
    means = [
        np.average(y_pred[y_true == c], weights=sample_weight[y_true == c])
        if (y_true == c).any()
        else np.nan
        for c in (1, 0)
    ]
    return means[0] - means[1]


def test_a_function_of_labels_and_decisions_is_a_metric_of_counts():
    rng = np.random.default_rng(0)
    tp, fp = rng.integers(0, 4, (2, 5, 6))
    n_positive, n_negative = tp + rng.integers(0, 2, (5, 6)), fp + rng.integers(0, 2, (5, 6))
    expected = ratio(tp, n_positive) - ratio(fp, n_negative)
    assert np.isnan(expected).any()
    value = OfPredictions(youden).value(tp, fp, n_positive, n_negative)
    assert_allclose(value, expected, atol=1e-15, equal_nan=True)
    assert (OfPredictions(youden).name, OfPredictions(youden).has_expectation) == ("youden", False)
    assert pickle.loads(pickle.dumps(OfPredictions(youden))) == OfPredictions(youden)


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (lambda y_true, y_pred: 1.0, TypeError, "must take labels, decisions and sample_weight="),
        (lambda y, p, sample_weight: y, ValueError, r"return one number, got array\(\[1, 0\]\)"),
        (lambda y, p, sample_weight: "1", ValueError, "return one number, got '1'"),
    ],
)
def test_what_is_no_such_function_is_named_when_it_is_asked(function, error, message):
    with pytest.raises(error, match=message):
        OfPredictions(function).value(1.0, 0.0, 1.0, 1.0)


@pytest.mark.parametrize("function", [None, "f2", FBeta])
def test_what_is_no_function_is_named(function):
    with pytest.raises(TypeError, match=r"callable metric\(y_true, y_pred, sample_weight=...\)"):
        OfPredictions(function)


# --- the whole ranking -----------------------------------------------------------------


def equal_error_rate(labels, scores, weights=None):
    """Return where the polygon of the ROC curve meets the diagonal, by bisection.

    The false positive rate minus the false negative rate increases along the curve.
    """
    fpr, tpr, _ = oracle.roc_curve(labels, scores, sample_weight=weights, drop_intermediate=False)
    steps = np.arange(len(fpr))
    low, high = 0.0, steps[-1]
    for _ in range(100):
        middle = (low + high) / 2.0
        x, y = np.interp(middle, steps, fpr), np.interp(middle, steps, tpr)
        low, high = (middle, high) if x - (1.0 - y) < 0.0 else (low, middle)
    return np.interp(low, steps, fpr)


# Of scores without ties, and without weights.
RANKING_ORACLES = {
    "average_precision": oracle.average_precision_score,
    "roc_auc": oracle.roc_auc_score,
    "equal_error_rate": equal_error_rate,
    "precision_at_k": lambda labels, scores: labels[np.argsort(-scores)[:10]].mean(),
    "ndcg": lambda labels, scores: oracle.ndcg_score([labels], [scores]),
    "prevalence": lambda labels, scores: labels.mean(),
}


def test_every_ranking_metric_has_an_oracle():
    names = {name for name, cls in METRICS.items() if issubclass(cls, RankingMetric)}
    assert names == RANKING_ORACLES.keys()


@pytest.mark.parametrize("name", RANKING_ORACLES)
def test_ranking_metric_equals_its_oracle(name, global_random_seed):
    labels, _, _ = tied_items(global_random_seed)
    scores = np.random.default_rng([global_random_seed, 1]).normal(labels)
    value = METRICS[name]().value(*counts_above(labels, scores, np.ones(len(labels))))
    assert_allclose(value, RANKING_ORACLES[name](labels, scores), atol=1e-12)


def test_average_precision_equals_scikit_learn(global_random_seed):
    labels, scores, weights = tied_items(global_random_seed)
    expected = oracle.average_precision_score(labels, scores, sample_weight=weights)
    value = AveragePrecision().value(*counts_above(labels, scores, weights))
    assert_allclose(value, [expected], atol=1e-12)


def test_roc_auc_equals_scikit_learn(global_random_seed):
    labels, scores, weights = tied_items(global_random_seed)
    expected = oracle.roc_auc_score(labels, scores, sample_weight=weights)
    value = RocAuc().value(*counts_above(labels, scores, weights))
    assert_allclose(value, [expected], atol=1e-12)


def test_equal_error_rate_is_where_the_roc_curve_meets_the_diagonal(global_random_seed):
    labels, scores, weights = tied_items(global_random_seed)
    value = EqualErrorRate().value(*counts_above(labels, scores, weights))[0]
    assert_allclose(value, equal_error_rate(labels, scores, weights), atol=1e-12)


def test_prevalence_is_the_weighted_mean_of_the_labels(global_random_seed):
    labels, scores, weights = tied_items(global_random_seed)
    value = Prevalence().value(*counts_above(labels, scores, weights))
    assert_allclose(value, [np.average(labels, weights=weights)], atol=1e-12)


@pytest.mark.parametrize("metric", [AveragePrecision(), RocAuc(), EqualErrorRate()])
def test_ranking_metric_is_undefined_without_a_positive(metric):
    assert np.isnan(metric.value(np.zeros((1, 3)), np.array([[1.0, 2.0, 3.0]]))).all()


@pytest.mark.parametrize("metric", [RocAuc(), EqualErrorRate()])
def test_roc_metric_is_undefined_without_a_negative(metric):
    assert np.isnan(metric.value(np.array([[1.0, 2.0, 3.0]]), np.zeros((1, 3)))).all()


def test_average_precision_is_one_without_a_negative():
    assert_allclose(AveragePrecision().value(np.array([[1.0, 2.0, 3.0]]), np.zeros((1, 3))), [1.0])


@pytest.mark.parametrize("metric", [AveragePrecision(), RocAuc()], ids=repr)
def test_of_a_perfect_ranking_it_is_one_and_never_more(metric, global_random_seed):
    # By rounding, sums of weights exceed what they are divided by in many of these.
    weights = np.random.default_rng(global_random_seed).exponential(size=(500, 30))
    positive = np.arange(30) < 15
    tp, fp = (np.cumsum(weights * own, axis=1) for own in (positive, ~positive))
    value = metric.value(tp, fp)
    assert_allclose(value, 1.0, rtol=1e-12)
    assert value.max() <= 1.0


def test_perfect_ranking_has_no_error():
    tp, fp = np.array([[1.0, 2.0, 2.0, 2.0]]), np.array([[0.0, 0.0, 3.0, 4.0]])
    values = [m.value(tp, fp)[0] for m in (AveragePrecision(), RocAuc(), EqualErrorRate())]
    assert values == [1.0, 1.0, 0.0]


# --- continuous curves -----------------------------------------------------------------


def binormal(distance, prevalence, n_points=4001):
    """Return tp and fp of N(0, 1) and N(distance, 1) on thresholds from far above to below."""
    thresholds = np.linspace(distance + 9.0, -9.0, n_points)
    tp = prevalence * special.ndtr(distance - thresholds)
    fp = (1.0 - prevalence) * special.ndtr(-thresholds)
    return tp[np.newaxis], fp[np.newaxis]


@pytest.mark.parametrize("distance", [0.0, 0.5, 1.5, 3.0])
@pytest.mark.parametrize("prevalence", [0.02, 0.5])
def test_area_under_binormal_roc_is_the_closed_form(distance, prevalence):
    value = RocAuc().value(*binormal(distance, prevalence), steps=False)
    assert_allclose(value, [special.ndtr(distance / np.sqrt(2.0))], atol=1e-5)


@pytest.mark.parametrize("distance", [0.0, 0.5, 1.5, 3.0])
@pytest.mark.parametrize("prevalence", [0.02, 0.5])
def test_average_precision_of_a_binormal_is_its_integral(distance, prevalence):
    # Over recall r, by Gauss-Legendre: at this recall the threshold is distance - ndtri(r).
    nodes, weights = np.polynomial.legendre.leggauss(400)
    z = 9.0 * nodes
    density = np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
    tp, fp = prevalence * special.ndtr(z), (1.0 - prevalence) * special.ndtr(z - distance)
    expected = np.sum(9.0 * weights * density * tp / (tp + fp))
    value = AveragePrecision().value(*binormal(distance, prevalence), steps=False)
    assert_allclose(value, [expected], atol=1e-5)


@pytest.mark.parametrize("distance", [0.0, 1.0, 2.0])
def test_equal_error_rate_of_a_binormal_is_the_closed_form(distance):
    value = EqualErrorRate().value(*binormal(distance, 0.3), steps=False)
    assert_allclose(value, [special.ndtr(-distance / 2.0)], atol=1e-5)


# --- what every entry of METRICS promises ----------------------------------------------


def random_counts(metric, rng, n_draws=6):
    """Return arguments for `value` of shape (n_draws, ...), none of them zero."""
    tp = np.cumsum(rng.uniform(0.1, 2.0, (n_draws, 8)), axis=1)
    fp = np.cumsum(rng.uniform(0.1, 2.0, (n_draws, 8)), axis=1)
    if isinstance(metric, RankingMetric):
        return tp, fp
    # Some of both classes lie below all thresholds.
    return tp, fp, 1.25 * tp[:, -1:], 1.25 * fp[:, -1:]


@EVERY_METRIC
def test_name_is_the_key_of_the_registry(metric):
    assert METRICS[metric.name] is type(metric)
    assert as_metric(metric.name) == metric
    assert as_metric(metric) is metric


@EVERY_METRIC
def test_a_metric_says_what_it_is_and_how_it_is_computed(metric):
    # Of itself: the sentences of a base class would be of another metric.
    facts = vars(type(metric))
    assert re.fullmatch(r"[A-Z].*\.", facts["meaning"])
    assert re.fullmatch(r"[a-z].*\.", facts["computed"])


@EVERY_METRIC
def test_the_sentence_of_a_share_is_about_some_of_its_items(metric):
    if sentence := vars(type(metric)).get("in_counts"):
        assert metric.limits == (0.0, 1.0)
        fields = [field for _, field, _, _ in Formatter().parse(sentence) if field]
        assert {"k", "n"} <= set(fields) <= {"k", "n", "are"}


def test_names_in_use_elsewhere_mean_one_metric():
    aliases = [alias for metric in METRICS.values() for alias in metric.aliases]
    assert len(set(aliases)) == len(aliases)
    # None is the name of a metric here, nor of what has no name.
    assert not {*aliases} & {folded(name) for name in METRICS} | {*aliases} & INSTEAD.keys()
    assert all(folded(alias) == alias for alias in aliases)


def test_every_metric_of_the_room_is_registered():
    def subclasses(cls):
        for other in cls.__subclasses__():
            yield other
            yield from subclasses(other)

    # Rates of a confusion matrix stand in its cells, and nobody asks for them by name.
    complete = {
        cls
        for cls in subclasses(Metric)
        if cls.__module__.startswith("sklearn_spe.metrics")
        if not cls.__module__.endswith("_matrix_rates")
        if "name" in vars(cls) and not inspect.isabstract(cls)
    }
    assert complete - {OfPredictions} == {*METRICS.values(), *OF_SOME_QUESTIONS.values()}


@pytest.mark.parametrize("n_positive", [3, 40])
@pytest.mark.parametrize("metric", DECISIONS, ids=lambda metric: metric.name)
def test_a_metric_declares_its_better_side_and_that_errors_alone_move_it(metric, n_positive):
    sizes = {"n_positive": n_positive, "n_negative": 20}
    right = float(metric.value(tp=n_positive, fp=0, **sizes))
    wrong = float(metric.value(tp=0, fp=20, **sizes))
    assert (right > wrong) == metric.greater_is_better

    # Without an error it is at an end of its range, and no ratio of sums of items.
    is_extreme = np.isclose(right, metric.limits[1]) and metric.item_terms() is None
    assert metric.is_extreme_by_errors == is_extreme


def test_a_rate_of_the_confusion_matrix_has_another_class_than_a_metric():
    registered = {metric.__name__ for metric in METRICS.values()}
    of_matrix = {
        name
        for name, cls in vars(_matrix_rates).items()
        if isinstance(cls, type)
        if cls.__module__ == _matrix_rates.__name__
    }
    assert not registered & of_matrix


def test_rates_of_the_confusion_matrix_are_those_of_scikit_learn(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels, called = (
        np.r_[0, 1, 0, 1, rng.integers(0, 2, 60)],
        np.r_[0, 1, 1, 0, rng.integers(0, 2, 60)],
    )
    counts = [
        oracle.confusion_matrix(labels, called, normalize=over) for over in (None, "true", "pred")
    ]
    (tn, fp), (fn, tp) = counts[0]
    expected = {
        _matrix_rates.TrueNegatives: tn,
        _matrix_rates.FalseNegativeRate: counts[1][1, 0],
        _matrix_rates.FalseDiscoveryRate: counts[2][0, 1],
        _matrix_rates.FalseOmissionRate: counts[2][1, 0],
    }
    for metric, value in expected.items():
        found = metric().value(*(np.array([float(n)]) for n in (tp, fp, tp + fn, tn + fp)))
        assert_allclose(found, value)


@EVERY_COUNTED
def test_value_is_finite_and_within_its_limits(metric, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    value = metric.value(*random_counts(metric, rng))
    assert np.isfinite(value).all()
    assert (value >= metric.limits[0]).all()
    assert (value <= metric.limits[1]).all()


@EVERY_COUNTED
def test_every_draw_is_treated_on_its_own(metric, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    counts = random_counts(metric, rng)
    together = metric.value(*counts)
    assert len(together) == len(counts[0])
    for i, row in enumerate(together):
        alone = metric.value(*(count[i : i + 1] for count in counts))
        assert_allclose(alone[0], row, rtol=1e-15)


@pytest.mark.parametrize("cls", THRESHOLD_METRICS.values(), ids=THRESHOLD_METRICS)
def test_threshold_metric_broadcasts(cls):
    tp, fp = np.array([[1.0], [2.0]]), np.array([[0.0, 1.0, 3.0]])
    value = cls().value(tp, fp, 4.0, np.array([[5.0], [6.0]]))
    assert_allclose(
        np.broadcast_to(value, (2, 3))[1, 2], cls().value(2.0, 3.0, 4.0, 6.0), rtol=1e-15
    )


@pytest.mark.parametrize(
    "metric",
    # The discounts of ranks depend on how many there are.
    [cls() for name, cls in COUNTED.items() if name != "ndcg"],
    ids=[name for name in COUNTED if name != "ndcg"],
)
def test_only_shares_matter_not_the_number_of_items(metric, global_random_seed):
    counts = random_counts(metric, np.random.default_rng(global_random_seed))
    more = (64.0 * count for count in counts)
    # Whatever is itself a number of items grows with them.
    larger = replace(metric, k=64 * metric.k) if hasattr(metric, "k") else metric
    expected = metric.value(*counts) * (64.0 if metric.counts_items else 1.0)
    assert_allclose(larger.value(*more), expected, rtol=1e-15)


@EVERY_COUNTED
def test_no_item_is_undefined_and_never_warns(metric):
    empty = np.zeros((1, 2))
    arguments = (empty, empty) if isinstance(metric, RankingMetric) else (empty,) * 4
    value = metric.value(*arguments)
    # None is a number of items.
    is_number = metric.limits == (0.0, np.inf)
    assert (value == 0.0).all() if is_number else np.isnan(value).all()


@EVERY_METRIC
def test_metric_pickles_and_equals_its_copy(metric):
    assert pickle.loads(pickle.dumps(metric)) == metric


def test_ratio_is_nan_over_zero_and_exact_elsewhere():
    value = ratio(np.array([1.0, 0.0, 1.0]), np.array([0.0, 0.0, 3.0]))
    assert np.array_equal(value, [np.nan, np.nan, 1.0 / 3.0], equal_nan=True)


@pytest.mark.parametrize("unknown", ["f3", "", None, 3])
def test_unknown_metric_is_named_with_the_choices(unknown):
    with pytest.raises(ValueError, match=r"Unknown metric .*precision, recall.*FBeta"):
        as_metric(unknown)


def test_linear_functions_of_counts_are_scalar_products(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    counts = rng.uniform(0.0, 9.0, (4, 6))
    for coefficients in ((0.05, -0.02, 1.0, 0.0), (-1.0, 0.0, 0.3, -0.004), (0.0,) * 4):
        found = combined(coefficients, tuple(counts))
        assert_allclose(found, np.array(coefficients) @ counts, atol=1e-12)

"""A metric of rows gets the rows of X in their order, with the columns that it asks for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics as oracle

from sklearn_spe import PerformanceCurveEstimator, ScoreHistogram, SemisupervisedScoreMixture
from sklearn_spe.estimators._performance import performance_of
from sklearn_spe.posterior._row_estimates import resampled_items
from tests.quick import EXPERTS, QUIET

pytestmark = QUIET

N = 240
TARGETS = pytest.mark.parametrize("target", ["sample", "population"])


def estimator(**parameters):
    """Return an estimator of few draws."""
    mixture = SemisupervisedScoreMixture("norm", "norm", experts=EXPERTS, n_draws=20)
    return PerformanceCurveEstimator(mixture, random_state=0, **parameters)


class Rows:
    """Items in an order that says nothing about scores, a third of them labeled."""

    def __init__(self, seed, n=N):
        rng = np.random.default_rng(seed)
        self.labels = np.r_[0, 1, rng.integers(0, 2, n - 2)]
        self.scores = rng.normal(self.labels)
        self.tied = np.round(self.scores)
        self.y = np.where(np.r_[True, True, rng.random(n - 2) < 1.0 / 3.0], self.labels, -1)
        self.category = rng.choice(["a", "b"], n)
        self.groups = rng.integers(0, n // 5, n)
        self.weights = rng.integers(0, 4, n)
        self.weights[:2] = 1
        self.amounts = rng.lognormal(size=n)
        self.number = np.arange(n)


def is_as_passed(rows, scores, expected=None, y=None):
    """Return a metric that is 1 if it gets the expected rows, their scores and known labels."""
    expected, y = rows.number if expected is None else expected, rows.y if y is None else y

    def metric(y_true, y_score, number):
        known = y[number] >= 0
        return float(
            np.array_equal(number, expected)
            and np.array_equal(y_score, scores[number])
            and np.array_equal(y_true[known], y[number][known])
            and set(np.unique(y_true)) <= {0, 1}
        )

    return metric


def kinds(rows):
    """Return arguments of fit, of estimate, the scores and the rows that are expected."""
    both = {"fine": rows.scores, "tied": rows.tied}
    present = np.where(rows.number % 7 == 0, np.nan, rows.tied)
    gaps, of_b = np.column_stack([rows.scores, present]), rows.category == "b"
    repeated = np.repeat(rows.number, rows.weights)
    return {
        "pool": ({"X": rows.scores}, {}, rows.scores, None),
        "ties": ({"X": rows.tied}, {}, rows.tied, None),
        "weights": (
            {"X": rows.tied, "sample_weight": rows.weights}, {}, rows.tied, repeated
        ),
        "systems": ({"X": both}, {"system": "tied"}, rows.tied, None),
        "missing scores": ({"X": gaps}, {"system": 1}, present, np.flatnonzero(~np.isnan(present))),
        "category": (
            {"X": rows.tied, "category": rows.category}, {}, rows.tied, None
        ),
        "one category": (
            {"X": rows.tied, "category": rows.category},
            {"category": "b"}, rows.tied, np.flatnonzero(of_b),
        ),
        "weights of a category": (
            {"X": rows.tied, "category": rows.category, "sample_weight": rows.weights},
            {"category": "b"}, rows.tied, repeated[of_b[repeated]],
        ),
        "groups": ({"X": rows.scores, "groups": rows.groups}, {}, rows.scores, None),
        "judges": (
            {"X": rows.scores, "judges": (rows.tied > 0.0).astype(int)}, {}, rows.scores, None
        ),
    }  # fmt: skip


@pytest.mark.parametrize("is_complete", [False, True])
@pytest.mark.parametrize("kind", kinds(Rows(0)))
def test_a_callable_gets_the_rows_in_their_order(kind, is_complete, global_random_seed):
    rows = Rows(global_random_seed)
    given, where, scores, expected = kinds(rows)[kind]
    y = rows.labels if is_complete else rows.y
    fitted = estimator().fit(**given, y=y).of(**where)
    metric = is_as_passed(rows, scores, expected, y)
    estimate = fitted.estimate(metric, sample_columns={"number": rows.number})
    assert (estimate.draws == 1.0).all()
    # A column that it closes over meets the same rows.
    expected = rows.number if expected is None else expected
    closed = fitted.estimate(lambda y, s: metric(y, s, expected))
    assert (closed.draws == 1.0).all()
    # And the labels are those of the named metric.
    share = fitted.estimate(lambda y, s: y.mean())
    assert_allclose(share.draws, fitted.estimate("prevalence").draws, atol=1e-12)


def test_the_other_class_as_the_positive_one_keeps_the_rows(global_random_seed):
    rows = Rows(global_random_seed)
    mixture = SemisupervisedScoreMixture(
        "norm", "norm", experts=EXPERTS, n_draws=20, random_state=0
    ).fit(rows.tied, rows.y)
    other = performance_of(mixture, pos_label=0)
    flipped = np.where(rows.y < 0, -1, 1 - rows.y)
    metric = is_as_passed(rows, -rows.tied, y=flipped)
    estimate = other.estimate(metric, sample_columns={"number": rows.number})
    assert (estimate.draws == 1.0).all()
    share = other.estimate(lambda y, s: y.mean())
    assert_allclose(share.draws, other.estimate("prevalence").draws, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("structure", [{}, {"category": True}])
def test_rows_that_others_represent_keep_their_order(structure, global_random_seed):
    n = 6_000 if structure else 100_200
    rows = Rows(global_random_seed, n=n)
    structure = {name: np.where(rows.number % 2, "a", "b") for name in structure}
    rows.y[400:] = -1
    fitted = estimator().fit(rows.scores, rows.y, **structure)
    metric = is_as_passed(rows, rows.scores)
    estimate = fitted.estimate(metric, sample_columns={"number": rows.number})
    assert (estimate.draws == 1.0).all()
    area = fitted.estimate(oracle.roc_auc_score)
    # Items within a cell, or a run, are in random order: a part of a per cent.
    assert_allclose(area.value, fitted.estimate("roc_auc").value, atol=0.01)


def test_several_classes_keep_their_rows_and_columns(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels = np.r_[0, 1, 2, rng.integers(0, 3, 147)]
    scores = 2.0 * np.eye(3)[labels] + rng.standard_normal((150, 3))
    y, category = np.where(np.arange(150) < 60, labels, -1), np.arange(150) % 2
    weights = rng.integers(0, 3, 150)
    weights[:3] = 1
    fitted = estimator(classes=[0, 1, 2]).fit(scores, y, weights, category=category)
    expected = np.repeat(np.arange(150), weights)
    expected = expected[category[expected] == 1]

    def metric(y_true, y_proba, number):
        known = y[number] >= 0
        return float(
            np.array_equal(number, expected)
            and np.array_equal(y_true[known], y[number][known])
            and np.array_equal(y_proba.argmax(axis=1), scores[number].argmax(axis=1))
        )

    columns = {"number": np.arange(150)}
    estimate = fitted.of(category=1).estimate(metric, sample_columns=columns)
    assert (estimate.draws == 1.0).all()
    with pytest.raises(ValueError, match=r"a population gets rows .* without sample_columns="):
        fitted.estimate(metric, target="population")
    pairs = fitted.estimate(
        lambda y_true, y_proba, number: float(
            len(number) == weights.sum() and (weights[number] > 0).all()
        ),
        target="population",
        sample_columns=columns,
    )
    assert (pairs.draws == 1.0).all()


# --- values ----------------------------------------------------------------------------


@TARGETS
def test_metrics_of_equal_values_are_those_of_counts(target, global_random_seed):
    rows = Rows(global_random_seed)
    fitted = estimator(target=target).fit(rows.scores, rows.y)
    columns = {"value": np.full(N, 7.0)}
    for name in ("recall", "precision"):
        weighted = fitted.estimate(f"value_weighted_{name}", threshold=0.5, sample_columns=columns)
        called = getattr(oracle, f"{name}_score")
        by_call = fitted.estimate(
            lambda y, s, called=called: called(y, s >= 0.5, zero_division=0.0), sample_columns={}
        )
        assert_allclose(weighted.draws, by_call.draws, atol=1e-12)
        if target == "sample":
            by_name = fitted.estimate(name, threshold=0.5)
            assert_allclose(weighted.draws, by_name.draws, atol=1e-12)
            assert_allclose(weighted.interval(), by_name.interval(), atol=1e-12)


def test_metrics_of_values_are_those_of_scikit_learn_if_all_labels_are_known(global_random_seed):
    rows = Rows(global_random_seed)
    columns, score = {"value": rows.amounts}, {
        "recall": oracle.recall_score,
        "precision": oracle.precision_score,
    }  # fmt: skip
    fitted = estimator().fit(rows.scores, rows.labels, category=rows.category)
    for name, function in score.items():
        expected = {
            part: function(
                rows.labels[of_part], rows.scores[of_part] >= 0.5,
                sample_weight=rows.amounts[of_part],
            )
            for part in "ab"
            for of_part in [rows.category == part]
        }  # fmt: skip
        where = {"threshold": 0.5, "sample_columns": columns}
        found = fitted.by_category(f"value_weighted_{name}", **where)
        assert_allclose([e.value for e in found.estimates], list(expected.values()))
        difference = fitted.difference(f"value_weighted_{name}", "a", "b", **where)
        assert_allclose(difference.value, expected["a"] - expected["b"])


# --- populations -----------------------------------------------------------------------


def test_rows_of_a_population_are_drawn_with_replacement_with_their_columns(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n = 60
    shares = np.array(
        [
            np.bincount(resampled_items(n, None, rng), minlength=n)[:15].sum() / n
            for _ in range(4000)
        ]
    )
    # A binomial share of one quarter; five standard errors.
    spread = np.sqrt(0.25 * 0.75 / n)
    assert abs(shares.mean() - 0.25) < 5.0 * spread / np.sqrt(4000)
    assert abs(shares.std() / spread - 1.0) < 5.0 / np.sqrt(2.0 * 4000)
    groups = rng.integers(0, 9, n)
    times = np.bincount(resampled_items(n, groups, rng), minlength=n)
    assert all(len(set(times[groups == group])) == 1 for group in np.unique(groups))


@pytest.mark.parametrize("kind", ["pool", "ties", "weights", "systems", "one category", "groups"])
def test_a_population_keeps_labels_with_their_rows(kind, global_random_seed):
    rows = Rows(global_random_seed)
    given, where, scores, expected = kinds(rows)[kind]
    fitted = estimator(target="population").fit(**given, y=rows.labels).of(**where)
    expected = rows.number if expected is None else expected

    def metric(y_true, y_score, number):
        return float(
            np.isin(number, expected).all()
            and np.array_equal(y_true, rows.labels[number])
            and np.array_equal(y_score, scores[number])
        )

    estimate = fitted.estimate(metric, sample_columns={"number": rows.number})
    assert (estimate.draws == 1.0).all()


def test_new_groups_have_labels_of_their_own(global_random_seed):
    rows = Rows(global_random_seed)
    fitted = estimator(target="population").fit(rows.scores, rows.y, groups=rows.groups)

    def keeps_labels(y_true, y_score, number):
        known = rows.y[number] >= 0
        return float((y_true[known] == rows.y[number][known]).all())

    estimate = fitted.estimate(keeps_labels, sample_columns={"number": rows.number})
    # Some of 80 labels of other groups differ from those that are known, in every draw.
    assert (estimate.draws == 0.0).all()


# --- what is refused -------------------------------------------------------------------

VALUE = "value_weighted_recall"
BAD_COLUMNS = {
    "none": ({}, r"must hold the column 'value' .*sample_columns={'value': amounts}; got none"),
    "short": ({"sample_columns": {"value": np.ones(3)}}, r"each of the 240 rows .*shape \(3,\)"),
    "negative": (
        {"sample_columns": {"value": np.r_[-1.0, np.ones(N - 1)]}},
        "holds -1 in row 0 of 'value'.*amounts of at least 0",
    ),
    "no word": ({"sample_columns": {"a b": np.ones(N)}}, "each must be a word"),
}


@pytest.mark.parametrize("case", BAD_COLUMNS)
def test_bad_columns_are_named(case, global_random_seed):
    rows, (where, message) = Rows(global_random_seed), BAD_COLUMNS[case]
    fitted = estimator().fit(rows.scores, rows.y)
    with pytest.raises(ValueError, match=message):
        fitted.estimate(VALUE, threshold=0.5, **where)


def test_a_metric_of_counts_takes_no_columns_and_counts_have_no_rows(global_random_seed):
    rows = Rows(global_random_seed)
    columns, fitted = {"value": rows.amounts}, estimator().fit(rows.scores, rows.y)
    with pytest.raises(ValueError, match=r"'roc_auc' .* takes no sample_columns="):
        fitted.estimate("roc_auc", sample_columns=columns)
    with pytest.raises(TypeError, match="sample_columns must be a mapping"):
        fitted.estimate(VALUE, threshold=0.5, sample_columns=rows.amounts)
    histogram = ScoreHistogram(scale="identity").update(rows.scores)
    known = rows.y >= 0
    counted = histogram.with_labels(rows.scores[known], rows.y[known])
    halves = {"X": rows.scores, "y": rows.y, "sample_weight": np.full(N, 0.5)}
    for given in ({"X": counted}, halves):
        fitted = estimator().fit(**given)
        with pytest.raises(ValueError, match="needs the rows of X as items, but a histogram"):
            fitted.estimate(VALUE, threshold=0.5, sample_columns=columns)
        with pytest.raises(ValueError, match="Fit the scores themselves"):
            fitted.estimate(lambda y, s, value: 0.5, sample_columns=columns)


def test_a_data_frame_holds_columns_of_any_kind(global_random_seed):
    pd = pytest.importorskip("pandas")
    rows = Rows(global_random_seed)
    fitted = estimator().fit(rows.scores, rows.labels)
    frame = pd.DataFrame({"query": rows.category, "value": rows.amounts})

    def mean_over_queries(y_true, y_score, query, value):
        areas = [
            oracle.roc_auc_score(y_true[query == q], y_score[query == q]) for q in np.unique(query)
        ]
        return np.mean(areas) + 0.0 * value.sum()

    expected = mean_over_queries(rows.labels, rows.scores, rows.category, rows.amounts)
    estimate = fitted.estimate(mean_over_queries, sample_columns=frame)
    assert_allclose(estimate.value, expected)
    indexed = estimator().fit(pd.Series(rows.scores), rows.labels)
    for columns in (frame[::-1], {"query": frame["query"][::-1], "value": frame["value"]}):
        with pytest.raises(ValueError, match=r"X and sample_columns.* the same index in another"):
            indexed.estimate(mean_over_queries, sample_columns=columns)


# --- metrics with a name ---------------------------------------------------------------


def test_rates_at_a_recall_are_those_of_the_roc_curve(global_random_seed):
    rows = Rows(global_random_seed)
    for scores in (rows.scores, rows.tied):
        fitted = estimator().fit(scores, rows.labels)
        rates, recalls, _ = oracle.roc_curve(rows.labels, scores, drop_intermediate=False)
        for recall in (0.3, 0.8, 0.95, 1.0):
            expected = rates[np.searchsorted(recalls, recall - 1e-12)]
            found = fitted.estimate("false_positive_rate", recall=recall)
            assert_allclose(found.value, expected)
            assert_allclose(fitted.estimate("specificity", recall=recall).value, 1.0 - expected)


def test_a_rate_at_a_recall_of_a_population_lies_on_the_roc_curve(global_random_seed):
    rows = Rows(global_random_seed)
    fitted = estimator(target="population").fit(rows.scores, rows.y)
    rate = fitted.estimate("false_positive_rate", recall=0.8)
    curve = fitted.curve("roc")
    at = np.array([np.interp(0.8, row, curve.x) for row in curve.distribution.draws])
    # Curves are linear between points; the grid of 200 is coarser.
    assert_allclose(rate.draws, at, atol=0.02)


def test_named_metrics_of_known_labels_are_those_of_scikit_learn(global_random_seed):
    rows = Rows(global_random_seed)
    probability = 1.0 / (1.0 + np.exp(-rows.scores))
    fitted = estimator().fit(probability, rows.labels)
    expected = oracle.ndcg_score([rows.labels], [probability])
    assert_allclose(fitted.estimate("ndcg").value, expected, rtol=1e-12)
    (_, fp), (_, tp) = oracle.confusion_matrix(rows.labels, probability >= 0.25)
    benefit = fitted.estimate("net_benefit", threshold=0.25)
    assert_allclose(benefit.value, (tp - fp / 3.0) / N)
    curve = fitted.curve("net_benefit", thresholds=[0.1, 0.25, 0.6])
    assert_allclose(curve.at(0.25).value, benefit.value)
    with pytest.raises(ValueError, match="the scores in"):
        estimator().fit(rows.scores, rows.labels).estimate("net_benefit", threshold=0.25)


def test_micro_averages_are_those_of_scikit_learn(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels = np.r_[0, 1, 2, rng.integers(0, 3, 147)]
    scores = np.eye(3)[labels] + rng.standard_normal((150, 3))
    known = estimator().fit(scores, labels)
    for name in ("precision", "recall", "f1"):
        score = getattr(oracle, f"{name}_score")
        expected = score(labels, scores.argmax(axis=1), average="micro")
        assert_allclose(known.estimate(name, average="micro").value, expected)
    y = np.where(np.arange(150) < 60, labels, -1)
    fitted = estimator(classes=[0, 1, 2]).fit(scores, y)
    micro, accuracy = fitted.estimate("f1", average="micro"), fitted.estimate("accuracy")
    assert_allclose(micro.draws, accuracy.draws)
    assert micro.interval() == accuracy.interval()
    assert micro.name == "micro f1"
    matrices = oracle.multilabel_confusion_matrix(labels, scores.argmax(axis=1)).sum(axis=0)
    expected = matrices[0, 0] / matrices[0].sum()
    assert_allclose(known.estimate("specificity", average="micro").value, expected)


# --- refusals name the way -------------------------------------------------------------

NAMES = {
    "recal": "Did you mean 'recall'",
    "MAP": "mean over queries .*sample_columns={'query': queries}",
    "FPR95": "'false_positive_rate' with recall=0.95",
}


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_name_is_told_what_it_is_here(name, global_random_seed):
    rows = Rows(global_random_seed)
    with pytest.raises(ValueError, match=f"Unknown metric '{name}'. .*{NAMES[name]}"):
        estimator().fit(rows.scores, rows.y).estimate(name)


def test_labels_of_other_kinds_are_told_what_to_call(global_random_seed):
    rows = Rows(global_random_seed)
    two = np.column_stack([rows.labels, 1 - rows.labels])
    with pytest.raises(ValueError, match=r"fit\(X\[:, k\], y\[:, k\]\)"):
        estimator().fit(rows.scores, two)
    shares = np.arange(N) % 4 / 3.0
    with pytest.raises(ValueError, match=r"MeanEstimator\(label_range=\(0, 1\)\)"):
        estimator().fit(rows.scores, shares)
    with pytest.raises(ValueError, match=r"sample_columns={'query': queries}"):
        estimator().fit(rows.scores, rows.y).estimate("roc_auc", average="macro")

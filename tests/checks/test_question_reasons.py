"""What labels settle alone, and what they leave open: verdicts on questions."""

import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.checks._question_reasons import (
    EXCLUDED,
    HIDDEN,
    LEVEL,
    HiddenItems,
    _of_metric,
    _share_by_labels,
    is_settled,
    verdict_on_question,
)
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.metrics._decision import (
    Accuracy,
    Precision,
    RatioMetric,
    Recall,
    Specificity,
    TruePositives,
)
from sklearn_spe.metrics._metric import Metric
from sklearn_spe.metrics._ranking import AveragePrecision
from sklearn_spe.posterior._posterior import ComplementPosterior
from tests.quick import EXPERTS

N = 4000


def rare(seed, n_positive=60, separation=6.0):
    """Return scores with positives far above nearly all negatives, and their labels."""
    rng = np.random.default_rng(seed)
    labels = np.zeros(N, dtype=int)
    labels[rng.choice(N, n_positive, replace=False)] = 1
    return rng.normal(separation * labels), labels


def fitted(seed, scores, y, **given):
    """Return a quick fit."""
    mixture = SemisupervisedScoreMixture("norm", "norm", classes=[0, 1])
    estimator = PerformanceCurveEstimator(mixture, n_draws=200, random_state=seed)
    with warnings.catch_warnings(action="ignore"):
        return estimator.fit(scores, y, **given)


def with_labels(labels, chosen):
    y = np.full(len(labels), -1)
    y[chosen] = labels[chosen]
    return y


def names(estimate):
    return {reason.name for reason in estimate.verdict.reasons}


def is_told(rate):
    """Return whether the interval or the verdict says that more of the class may be hidden."""
    return rate.interval(0.9)[0] < 0.9 or "hidden_positives" in names(rate)


def test_precision_of_a_labeled_top_is_settled_where_recall_is_open(global_random_seed):
    scores, labels = rare(global_random_seed)
    order = np.argsort(-scores)
    performance = fitted(global_random_seed, scores, with_labels(labels, order[:100]))
    threshold = scores[order[69]]
    precision = performance.estimate("precision", threshold=threshold)
    assert precision.verdict == "ok"
    assert precision.value == pytest.approx(labels[order[:70]].mean())
    recall = performance.estimate("recall", threshold=threshold)
    assert is_told(recall)
    # Many random labels exclude that a third of the positives are hidden.
    rng = np.random.default_rng(global_random_seed)
    chosen = np.union1d(order[:100], rng.choice(N, 3000, replace=False))
    performance = fitted(global_random_seed, scores, with_labels(labels, chosen))
    assert "hidden_positives" not in names(performance.estimate("recall", threshold=threshold))


def test_a_stated_prevalence_answers_for_hidden_positives(global_random_seed):
    scores, labels = rare(global_random_seed)
    y = with_labels(labels, np.argsort(-scores)[:100])
    known = fitted(global_random_seed, scores, y, known_positives=60)
    assert "hidden_positives" not in {reason.name for reason in known.verdict_.reasons}


def test_rare_negatives_are_hidden_likewise(global_random_seed):
    scores, labels = rare(global_random_seed)
    y = with_labels(labels, np.argsort(-scores)[:100])
    mirrored = np.where(y < 0, -1, 1 - y)
    performance = fitted(global_random_seed, -scores, mirrored)
    threshold = np.sort(-scores)[69]
    assert is_told(performance.estimate("specificity", threshold=threshold))


def test_the_other_class_of_a_fit_is_asked_likewise(global_random_seed):
    # The recall of one class is the specificity of the other, and so are their verdicts.
    scores, labels = rare(global_random_seed)
    order = np.argsort(-scores)
    posterior = fitted(global_random_seed, scores, with_labels(labels, order[:100])).posterior_
    other = ComplementPosterior.of(posterior)
    assert other.has_cells
    assert other.expected_prevalence == pytest.approx(1.0 - posterior.expected_prevalence)

    threshold = (scores[order[69]] + scores[order[70]]) / 2.0
    reasons = [
        list(_of_metric(of_class, metric, at, (0.98, 0.99)))
        for of_class, metric, at in (
            (posterior, Recall(), threshold),
            (other, Specificity(), -threshold),
        )
    ]
    assert reasons[0][0].value == pytest.approx(reasons[1][0].value)
    assert reasons[0][0].details == pytest.approx(reasons[1][0].details)


def test_hidden_items_are_as_many_as_labels_do_not_exclude():
    # 50 labeled negatives; 8 positives expected among 1,000 unlabeled items.
    sample = ScoreSample.from_items(
        np.arange(1050.0), np.r_[np.zeros(50, dtype=int), np.full(1000, -1)], np.ones(1050)
    )
    expected = np.zeros(sample.n_cells)
    expected[-10:] = 0.8
    hidden = HiddenItems.of(sample, expected)
    assert hidden.rarer_is_positive
    assert hidden.n_expected == pytest.approx(8.0)
    assert hidden.n_more == pytest.approx(HIDDEN * 8.0)
    # Of 800 expected positives the labels exclude more.
    hidden = HiddenItems.of(sample, 30.0 * expected)
    assert (1.0 - hidden.hidden_share) ** 50 == pytest.approx(EXCLUDED)
    p = np.array([0.0, 0.5, 1.0])
    assert hidden.added_to(p) == pytest.approx(1.0 - (1.0 - p) * (1.0 - hidden.hidden_share))


def test_the_labels_own_share_is_that_of_beta_binomial_strata(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    codes = np.where(rng.random(64) < 0.5, rng.integers(0, 2, 64), -1)
    sample = ScoreSample.from_items(np.arange(64.0), codes, np.ones(64))
    above = np.arange(64) >= 32
    share, reach = _share_by_labels(sample, above)
    # Strata of ten, ten and the remaining twelve items from the top.
    doubling = np.searchsorted([10.0, 20.0], 64 - np.arange(32, 64) - 0.5)
    mean = variance = 0.0
    for k in range(3):
        own = codes[above][doubling == k]
        positive, negative, unlabeled = ((own == code).sum() for code in (1, 0, -1))
        number = stats.betabinom(unlabeled, positive + 0.5, negative + 0.5)
        mean += positive + number.mean()
        variance += number.var()
    assert share == pytest.approx(mean / 32)
    assert reach == pytest.approx(stats.norm.ppf(0.5 + LEVEL / 2) * np.sqrt(variance) / 32)


def test_only_ratios_of_one_side_are_settled():
    sample = ScoreSample.from_items(np.arange(40.0), np.r_[[-1] * 20, [1] * 20], np.ones(40))
    assert is_settled(Precision(), sample, 20.0, 1.0)
    # Not if the number contradicts the labels, nor without labels there.
    assert not is_settled(Precision(), sample, 20.0, 0.9)
    assert not is_settled(Precision(), sample, 0.0, 1.0)
    for metric in (Recall(), Accuracy()):
        assert not is_settled(metric, sample, 20.0, 1.0)


def test_effective_curves_are_those_of_the_shares_of_paths(global_random_seed):
    scores, labels = rare(global_random_seed, separation=3.0)
    order = np.argsort(-scores)
    performance = fitted(global_random_seed, scores, with_labels(labels, order[:100]))
    updated = performance.posterior_.updated
    shares = np.unique(updated.component, return_counts=True)[1] / performance.posterior_.n_draws
    assert updated.n_curves == pytest.approx(1.0 / (shares**2).sum())
    assert 1.0 <= updated.n_curves <= performance.posterior_.n_draws * (1.0 + 1e-12)


def test_nothing_is_hidden_where_nothing_is_unlabeled_or_no_item_is_of_the_class():
    codes = np.r_[np.zeros(30, dtype=int), np.full(10, -1)]
    sample = ScoreSample.from_items(np.arange(40.0), codes, np.ones(40))
    hidden = HiddenItems.of(sample, np.zeros(40))
    assert (hidden.n_expected, hidden.hidden_share, hidden.n_more) == (0.0, 0.0, 0.0)
    every = ScoreSample.from_items(np.arange(40.0), np.arange(40) // 38, np.ones(40))
    hidden = HiddenItems.of(every, np.zeros(40))
    assert (hidden.n_expected, hidden.hidden_share, hidden.n_more) == (2.0, 0.0, 0.0)


def test_counts_and_uneven_ratios_are_never_settled():
    class Cost(RatioMetric):
        """Precision by which each positive weighs as two negatives."""

        name = "cost"
        numerator = (2, 0, 0, 0)
        denominator = (2, 1, 0, 0)

    sample = ScoreSample.from_items(np.arange(40.0), np.ones(40, dtype=int), np.ones(40))
    assert is_settled(Precision(), sample, 20.0, 1.0)
    for metric in (TruePositives(), Cost()):
        assert not is_settled(metric, sample, 20.0, 1.0)
    # Above all scores there is no item to count.
    assert not is_settled(Precision(), sample, 40.0, 1.0)


@pytest.fixture(scope="module")
def small(global_random_seed):
    """Return a fit to a few items of which a part is labeled, and one to all of their labels."""
    rng = np.random.default_rng(global_random_seed)
    labels = (np.arange(60) >= 57).astype(int)
    scores = rng.normal(4.0 * labels)
    mixture = SemisupervisedScoreMixture(experts=EXPERTS, classes=[0, 1])
    estimator = PerformanceCurveEstimator(mixture, n_draws=50, random_state=global_random_seed)
    with warnings.catch_warnings(action="ignore"):
        return [
            clone(estimator).fit(scores, with_labels(labels, np.arange(first, 60)))
            for first in (40, 0)
        ]


def test_a_question_that_the_labels_do_not_answer_apart_has_the_verdict_of_the_fit(small):
    partly, fully = small
    estimate = partly.estimate("recall", threshold=1.0)
    for fit, metric, threshold in (
        # At no threshold of this sample, of predictions that are no ranking, with all labels.
        (partly, Recall(), None),
        (partly, AveragePrecision(), 1.0),
        (partly, Metric(), None),
        (fully, Recall(), 1.0),
    ):
        verdict = fit.verdict_
        found = verdict_on_question(verdict, metric, fit.posterior_, estimate, threshold)
        assert found is verdict


def test_where_all_labels_are_known_no_positive_is_hidden(small):
    _, fully = small
    assert fully.verdict_ == "ok"
    for estimate in (fully.estimate("average_precision"), fully.estimate("recall", threshold=1.0)):
        assert "hidden_positives" not in names(estimate)
        assert estimate.interval()[0] == pytest.approx(estimate.interval()[1])


def test_the_bare_mixture_has_no_cells_to_hide_in():
    scores, labels = np.arange(60.0) / 20.0, np.arange(60) // 57
    mixture = SemisupervisedScoreMixture("norm", "norm", experts=None, n_draws=50, random_state=0)
    with warnings.catch_warnings(action="ignore"):
        fit = PerformanceCurveEstimator(mixture).fit(
            scores, with_labels(labels, np.arange(0, 60, 3))
        )
        estimate = fit.estimate("recall", threshold=2.0)
    assert not fit.posterior_.has_cells
    assert (
        verdict_on_question(fit.verdict_, Recall(), fit.posterior_, estimate, 2.0) is fit.verdict_
    )

"""Labels that were drawn by class or by a feature: what estimators make of the chances."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.estimators._performance import performance_of
from tests.experts.problems import FixedCurves, line
from tests.quick import EXPERTS, QUIET

pytestmark = QUIET

N = 400
CURVE = line(-1.0, 1.5)
QUICK = {"experts": EXPERTS, "n_draws": 50}


def mixture(**parameters):
    """Return a mixture that knows the curve, once labels rule out another: labels are left."""
    experts = [FixedCurves(32, functions=(CURVE, line(9.0)))]
    quick = {"experts": experts, "n_draws": 400, "random_state": 0}
    return SemisupervisedScoreMixture("norm", "norm", **{**quick, **parameters})


@pytest.fixture(scope="module")
def case_control(global_random_seed):
    """Scores, labels of half of the positives and a tenth of the negatives, and all labels."""
    rng = np.random.default_rng(global_random_seed)
    scores = rng.normal(size=N)
    labels = (rng.random(N) < special.expit(CURVE(scores))).astype(int)
    return scores, np.where(rng.random(N) < np.where(labels, 0.5, 0.1), labels, -1), labels


@pytest.fixture(scope="module")
def performance(case_control):
    scores, y, _ = case_control
    estimator = PerformanceCurveEstimator(mixture(), random_state=0)
    return estimator.fit(scores, y, inclusion_proba={0: 0.1, 1: 0.5})


def test_missing_labels_are_drawn_as_bayes_rule_says(case_control, performance):
    scores, y, _ = case_control
    free = y < 0
    p = special.expit(CURVE(scores[free]) + np.log(0.5 / 0.9))
    drawn = performance.estimate("prevalence").draws * N - (y == 1).sum()
    # A normal variable is beyond 5.4 standard deviations once in ten millions.
    assert abs(drawn.mean() - p.sum()) < 5.4 * np.sqrt((p * (1.0 - p)).sum() / len(drawn))
    # Of all items with a score the curve itself tells, and so it does of the population.
    assert_allclose(performance.mixture_.predict_proba([0.3])[0, 1], special.expit(CURVE(0.3)))
    everything = special.expit(CURVE(scores)).mean()
    population = performance.estimate("prevalence", target="population")
    assert population.value == pytest.approx(everything, abs=5.4 * scores.std() / np.sqrt(N))


def test_the_other_class_says_the_same(case_control, performance):
    scores, _, _ = case_control
    other = performance_of(performance.mixture_, pos_label=0)
    (block, *_) = performance.posterior_.blocks()
    for of_part in ("labeled_probability", "unlabeled_probability", "positive_probability"):
        one = getattr(performance.posterior_, of_part)(scores[:9], block)
        two = getattr(other.posterior_, of_part)(-scores[:9], block)
        assert_allclose(one + two, 1.0)


def test_a_class_that_is_labeled_wholly_is_known(case_control):
    scores, y, labels = case_control
    y = np.where(labels == 1, 1, y)
    performance = PerformanceCurveEstimator(mixture(), random_state=0)
    performance.fit(scores, y, inclusion_proba={0: 0.1, 1: 1.0})
    assert_array_equal(performance.estimate("prevalence").draws, labels.mean())
    # Positives alone, and which share of them: negatives need no label.
    alone = PerformanceCurveEstimator(mixture(classes=[0, 1]), random_state=0)
    alone.fit(scores, np.where(labels == 1, 1, -1), inclusion_proba={0: 0.0, 1: 1.0})
    assert_array_equal(alone.estimate("prevalence").draws, labels.mean())


@pytest.mark.parametrize("positive", [0, 1])
def test_one_class_alone_and_its_share_tell_the_prevalence(case_control, positive):
    scores, _, labels = case_control
    known = (labels == 1) & (np.arange(N) % 2 == 0)
    # As it is, and mirrored: what was positive is called negative, and scores are turned.
    sign, shares = (1, {0: 0.0, 1: 0.5}) if positive else (-1, {0: 0.5, 1: 0.0})
    y = np.where(known, positive, -1)
    estimator = PerformanceCurveEstimator(mixture(**QUICK, classes=[0, 1]), random_state=0)
    estimator.fit(sign * scores, y, inclusion_proba=shares)
    share = np.array(
        [known.sum() + k for k in stats.nbinom.ppf([1e-6, 1 - 1e-6], known.sum(), 0.5)]
    )
    low, high = np.sort(share / N if positive else 1.0 - share / N)
    for name in ("prevalence", "average_precision", "accuracy"):
        where = {"threshold": 0.0} if name == "accuracy" else {}
        estimate = estimator.estimate(name, **where)
        assert estimate.edge is None
        if name == "prevalence":
            assert low < estimate.interval()[0] < estimate.interval()[1] < high
    assert estimator.mixture_.prevalence_.edge is None
    # No label of the other class is missing.
    assert "one_class" not in {reason.name for reason in estimator.verdict_.reasons}
    other = performance_of(estimator.mixture_, pos_label=0)
    assert other.estimate("prevalence").edge is None


def test_the_verdict_expects_of_labeled_items_what_they_are(case_control, performance):
    scores, y, _ = case_control
    told = performance.model_
    p = special.expit(CURVE(scores[y >= 0]) + np.log(5.0))
    own = np.where(y[y >= 0] == 1, p, 1.0 - p)
    assert_allclose(np.sort(told.suspect_labels.probability), np.sort(own[own < 0.1]))
    # A bet against what is true wins a million times its stake once in a million times.
    assert told.bets.log_e_value < np.log(1e6)
    assert mixture().fit(scores, y).model_.bets.log_e_value > told.bets.log_e_value


def test_equal_shares_are_no_news(case_control):
    scores, y, _ = case_control
    y = np.where(np.arange(N) < 40, np.where(y < 0, 0, y), -1)
    one, other = (
        PerformanceCurveEstimator(mixture(**QUICK), random_state=0).fit(scores, y, **said)
        for said in ({}, {"inclusion_proba": {0: 0.1, 1: 0.1}})
    )
    assert_array_equal(one.estimate("roc_auc").draws, other.estimate("roc_auc").draws)


def test_shares_are_said_again_with_more_labels(case_control):
    scores, y, labels = case_control
    said = {0: 0.1, 1: 0.5}
    more = np.where(labels == 1, 1, y)
    for kind in (mixture, lambda: PerformanceCurveEstimator(mixture(), random_state=0)):
        estimator = kind().fit(scores, y, inclusion_proba=said)
        with pytest.raises(ValueError, match="now inclusion_proba is missing"):
            estimator.update(scores, more)
        with pytest.raises(ValueError, match="contradict inclusion_proba significantly"):
            estimator.update(scores, more, inclusion_proba={0: 0.1, 1: 0.1})
        estimator.update(scores, more, inclusion_proba={0: 0.1, 1: 1.0})
        assert not estimator.posterior_.unlabeled_probability(
            scores, estimator.posterior_.blocks()[0]
        ).any()


@pytest.mark.parametrize("bare", [{"experts": None}, {"experts": "auto", "method": "em"}])
def test_the_bare_mixture_refuses_what_its_likelihood_has_no_place_for(case_control, bare):
    scores, y, _ = case_control
    with pytest.raises(ValueError, match=r"the bare mixture .* or leave inclusion_proba out"):
        mixture(**bare).fit(scores, y, inclusion_proba={0: 0.1, 1: 0.5})

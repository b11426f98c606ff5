"""Scores and weights of sizes at which float64 ends: fitted as others are, or refused."""

import warnings

import numpy as np
import pytest
from scipy import special
from sklearn import metrics
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from sklearn_spe import (
    PerformanceCurveEstimator,
    SemisupervisedCalibratedClassifier,
    SemisupervisedScoreMixture,
)
from sklearn_spe.data._sample import ScoreSample, near_one
from sklearn_spe.data._scale import learn_scale
from sklearn_spe.estimators._performance import performance_of
from sklearn_spe.exceptions import FewDrawsWarning
from tests.quick import LOG_ODDS

pd = pytest.importorskip("pandas")

LABELS = np.arange(60) % 2
Y = np.where(np.arange(60) < 16, LABELS, -1)


@pytest.fixture(scope="module")
def scores(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    return rng.standard_normal(60) + LABELS


def fitted(scores, **parameters):
    """Return a fit that raises whatever it warns of numbers."""
    mixture = SemisupervisedScoreMixture(n_draws=50, random_state=0, **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        return mixture.fit(scores, Y)


def sample_of(scores, weights=1.0):
    codes = np.full(len(scores), -1)
    return ScoreSample.from_items(np.array(scores), codes, weights * np.ones(len(scores)))


@pytest.mark.parametrize("power", [-1040, -990, 0, 990])
def test_moments_are_the_same_in_any_unit_down_to_the_bit(scores, power):
    # A power of two rounds nothing, unless numbers are below the normal ones.
    plain, moved = sample_of(scores), sample_of(np.ldexp(scores, power))
    if power > -1000:
        assert moved.mean() == np.ldexp(plain.mean(), power)
        assert moved.std() == np.ldexp(plain.std(), power)
    assert np.ldexp(moved.std(), -power) == pytest.approx(plain.std(), rel=1e-8)
    assert near_one(moved.scores)[0].max() <= 1.0


def test_moments_of_ordinary_scores_are_those_of_numpy(scores):
    sample = sample_of(scores)
    assert sample.mean() == np.average(sample.scores, weights=sample.counts)
    assert sample.std() == np.sqrt(
        np.average((sample.scores - sample.mean()) ** 2, weights=sample.counts)
    )


@pytest.mark.parametrize(
    ("experts", "unit"),
    [(None, 1e-310), (None, 1e300), ("rank_process", 1e-310), ("rank_binormal", 1e300)],
)
def test_probabilities_do_not_change_with_the_unit_of_a_margin(scores, unit, experts):
    # Margins have no unit; a log-odds has, and is one of the things that scores may be.
    how = {"experts": experts, "score_kind": "margin", "negative": "norm", "positive": "gumbel_r"}
    plain = fitted(scores, **how).predict_proba(scores)[:, 1]
    moved = fitted(scores * unit, **how).predict_proba(scores * unit)[:, 1]
    # The climb ends elsewhere by rounding, and so do the draws.
    assert moved == pytest.approx(plain, abs=0.02)


def test_scores_of_any_size_are_fitted_by_default():
    tiny = [1e300, 2e300, 3e300, -1e300]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        performance = PerformanceCurveEstimator(n_draws=50, random_state=0)
        performance.fit(tiny, [0, 1, -1, -1])
    low, high = performance.estimate("average_precision").interval()
    assert 0.0 < low <= high <= 1.0
    assert performance.estimate("recall", threshold=-1e300).value == 1.0


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (
            lambda s: s + 1e16,
            "lie within .* at a size of 1e.16.*lost to rounding.*Subtract",
        ),
        (lambda s: 1.0 - 1e-16 * np.abs(s), "lost to rounding.*log-odds"),
        (lambda s: s / np.abs(s).max() * 1.7e308, "overflows float64: divide"),
        (
            lambda s: np.r_[s[:-1], 1e300],
            r"range from .* to 1e\+300.*logarithm, or ranks",
        ),
        (
            lambda s: np.nan_to_num(np.r_[s[:-1], np.inf]),
            "these are indistinguishable",
        ),
    ],
)
def test_what_float64_does_not_tell_apart_is_refused(scores, spoil, says):
    for experts in ("auto", None):
        with pytest.raises(ValueError, match=says):
            SemisupervisedScoreMixture(experts=experts).fit(spoil(np.sort(scores)), Y)


def test_an_offset_that_leaves_enough_digits_changes_little(scores):
    plain = learn_scale(sample_of(scores))
    moved = learn_scale(sample_of(scores + 1e8))
    assert moved.transform(np.sort(scores) + 1e8) == pytest.approx(
        plain.transform(np.sort(scores)), abs=1e-6
    )


def test_one_outlier_is_no_reason_to_refuse(scores):
    scale = learn_scale(sample_of(np.r_[scores, 1e6]))
    assert len(np.unique(scale.transform(scores))) == 60


def test_many_ties_are_no_reason_to_refuse(scores):
    tied = np.r_[np.zeros(500), scores]
    assert learn_scale(sample_of(tied)).spread > 0.0


@pytest.mark.parametrize("weight", [1e300, 1e18])
@pytest.mark.parametrize("experts", ["auto", None])
def test_more_items_than_can_be_counted_are_refused_at_once(scores, weight, experts):
    with pytest.raises(ValueError, match=r"exceed 2\*\*53.*Divide all weights"):
        SemisupervisedScoreMixture(experts=experts).fit(scores, Y, np.full(60, weight))


@pytest.mark.parametrize(
    "how",
    [
        {},
        {
            "experts": None,
            "proposal": "diagonal",
            "negative": ["norm", "gamma"],
            "positive": "norm",
        },
        {"method": "em", "negative": "norm", "positive": ["norm", "gamma"]},
    ],
    ids=str,
)
@pytest.mark.filterwarnings(
    "ignore::sklearn_spe.exceptions.SamplingWarning",
    "ignore::sklearn_spe.exceptions.UnidentifiedWarning",
    "ignore::sklearn_spe.exceptions.MisfitWarning",
)
def test_no_fit_minds_what_numpy_is_set_to_raise(scores, how):
    plain = fitted(5.0 * scores, **how)
    with np.errstate(all="raise"):
        strict = fitted(5.0 * scores, **how)
        far = np.array([-1e3, 0.0, 1e3])
        answers = strict.predict_proba(far), strict.score_samples(far), strict.score(far)
        strict.sample(3, random_state=0)
        strict.update(5.0 * scores, Y)
        performance = performance_of(strict)
        performance.curve("precision_recall")
    assert np.array_equal(answers[0], plain.predict_proba(far))
    assert np.array_equal(answers[1], plain.score_samples(far))


# --- probabilities of any size ------------------------------------------------------------------

TINY = {
    "alone": lambda s: s,
    "of two systems": lambda s: pd.DataFrame({"own": s, "other": 1e6 * s}),
}


@pytest.mark.parametrize("X", TINY.values(), ids=TINY)
@pytest.mark.parametrize("score_scale", ["auto", "identity"])
def test_tiny_probabilities_are_distinguished(scores, X, score_scale):
    probabilities = special.expit(scores - 18.0)
    mixture = SemisupervisedScoreMixture(
        experts=[LOG_ODDS], n_draws=50, score_scale=score_scale, random_state=0
    )
    performance = PerformanceCurveEstimator(mixture).fit(X(probabilities), LABELS)
    for system in performance.systems_:
        shown = performance.of(system=system)
        area = metrics.roc_auc_score(LABELS, scores)
        assert shown.estimate("roc_auc").value == pytest.approx(area)
        precision = metrics.average_precision_score(LABELS, scores)
        assert shown.estimate("average_precision").value == pytest.approx(precision)


@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.UnidentifiedWarning")
def test_a_probability_that_float32_rounded_up_is_one(scores):
    probabilities = special.expit(4.0 * scores)
    probabilities[np.argmax(scores)] = 1.0
    above = np.where(probabilities == 1.0, np.nextafter(np.float32(1.0), 2.0), probabilities)
    mixture = SemisupervisedScoreMixture(experts=[LOG_ODDS], n_draws=50)
    plain, rounded = (
        PerformanceCurveEstimator(mixture, random_state=0).fit(own, Y)
        for own in (probabilities, above)
    )
    for metric in ("average_precision", "f1", "brier_score"):
        one, other = plain.estimate(metric), rounded.estimate(metric)
        assert np.array_equal(one.draws, other.draws)


@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.UnidentifiedWarning")
def test_a_level_that_draws_do_not_hold_is_said_where_it_is_asked_for(scores):
    mixture = SemisupervisedScoreMixture(experts=[LOG_ODDS], n_draws=50, random_state=0)
    performance = PerformanceCurveEstimator(mixture).fit(scores, Y)
    with pytest.warns(FewDrawsWarning, match="n_draws=1000 or more"):
        performance.threshold_for(recall=0.01, confidence_level=0.999)
    identity = FrozenEstimator(LogisticRegression().fit([[0.0], [1.0]], [0, 1]))
    calibrated = SemisupervisedCalibratedClassifier(identity, mixture=mixture)
    calibrated.fit(scores[:, np.newaxis], Y)
    with pytest.warns(FewDrawsWarning, match="n_draws=2000 or more"):
        calibrated.predict_proba_interval(scores[:, np.newaxis], 0.999)

"""A verdict for each thing that can be wrong with a fit, and none where nothing is."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import special, stats
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.checks._fit_verdict import (
    MORE_DRAWS,
    _two_normals_fit,
    verdict_on_mixture,
    warn_of_removed,
)
from sklearn_spe.exceptions import (
    FewLabelsWarning,
    InvertedScoresWarning,
    MisfitWarning,
    RemovedLabelsWarning,
    SamplingWarning,
    UnidentifiedWarning,
)
from sklearn_spe.families import NormMixture
from sklearn_spe.results._verdict import Reason, Verdict, warn_of
from tests.quick import EXPERTS

N = 1500


def binormal(seed, prevalence=0.3, separation=2.5, n=N):
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < prevalence).astype(int)
    return rng.normal(separation * labels, 1.0), labels


def fit(seed, scores, y, **given):
    """Return a verdict, and the warnings of the fit."""
    # One pair of families beside the experts is quick, and is as much as any.
    quick = {"negative": "norm", "positive": "norm", "experts": EXPERTS, "n_draws": 200}
    given = {**quick, "random_state": seed, **given}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        verdict = SemisupervisedScoreMixture(**given).fit(scores, y).verdict_
    return verdict, [w.category for w in caught]


def labeled(labels, chosen):
    y = np.full(len(labels), -1)
    y[chosen] = labels[chosen]
    return y


def evenly(n):
    """Return the quantiles of a standard normal: a sample without luck."""
    return stats.norm.ppf((np.arange(n) + 0.5) / n)


def evenly_binormal(separation):
    """Return scores and labels of two normals as even as can be."""
    scores = np.r_[evenly(1050), separation + evenly(450)]
    return scores, np.repeat([0, 1], [1050, 450])


def good_case():
    """Return two normals as even as can be, every fifth item of either labelled."""
    scores, labels = evenly_binormal(2.5)
    return scores, labeled(labels, np.arange(2, N, 5))


def no_label(seed):
    scores, labels = binormal(seed)
    return scores, np.full(len(labels), -1)


def negatives_only(seed):
    scores, labels = binormal(seed)
    return scores, labeled(labels, np.flatnonzero(labels == 0)[:20])


def inverted(seed):
    scores, labels = binormal(seed)
    return -scores, labeled(labels, np.arange(60))


def contradicted(seed):
    """Return labels that are all positive in the lowest third, where no family has positives."""
    scores, y = good_case()
    y[(scores < np.quantile(scores, 1.0 / 3.0)) & (y >= 0)] = 1
    return scores, y


def rare(seed):
    """Return many negatives with a label and, of some forty positives, two."""
    scores, labels = binormal(seed, prevalence=0.002, separation=4.0, n=20_000)
    positive = np.flatnonzero(labels == 1)[:2]
    return scores, labeled(labels, np.r_[positive, np.flatnonzero(labels == 0)[:600]])


def three_heaps(seed):
    rng = np.random.default_rng(seed)
    heap = rng.integers(0, 3, N)
    labels = (heap > 0).astype(int)
    return rng.normal(np.array([0.0, 4.0, 9.0])[heap], 0.5), labeled(labels, np.arange(100))


def two_heaps(seed, flipped=False):
    """Return negatives in two heaps, easy and hard ones, below the positives; or their mirror."""
    rng = np.random.default_rng(seed)
    heap = rng.choice(3, size=N, p=[0.6, 0.2, 0.2])
    scores = rng.normal(np.array([-1.0, 1.5, 3.0])[heap], np.array([0.6, 0.5, 0.8])[heap])
    labels = (heap == 2).astype(int)
    scores, labels = (-scores, 1 - labels) if flipped else (scores, labels)
    return scores, labeled(labels, np.arange(60))


def low_ones(seed):
    """Return a few labels that everybody expected, of low scores that are not the lowest."""
    scores, labels = evenly_binormal(2.5)
    ranks = (np.array([0.1, 0.3, 0.5]) * len(scores)).astype(int)
    return scores, labeled(labels, np.argsort(scores)[ranks])


def the_highest(seed):
    """Return labels of the highest scores alone, which say nothing of the others."""
    scores, labels = evenly_binormal(1.0)
    highest = np.argsort(scores)[-15:]
    labels[highest] = np.arange(15) > 0
    return scores, labeled(labels, highest)


QUICK = {"experts": ["rank_binormal", "score_log_odds"], "n_draws": 100}
# The ends of an interval are known as well as they have draws: these reasons stand five standard
# errors beyond what makes them one.
DRAWS = {"n_draws": 2000}
NARROW = {"experts": None}
REASONS = [
    # reason, data, parameters, verdict, category
    ("one_class", no_label, {}, "unidentified", FewLabelsWarning),
    ("one_class", no_label, NARROW, "unidentified", FewLabelsWarning),
    ("one_class", negatives_only, {}, "unidentified", FewLabelsWarning),
    ("inverted_scores", inverted, {}, "misfit", InvertedScoresWarning),
    ("inverted_scores", inverted, NARROW, "misfit", InvertedScoresWarning),
    ("labels_contradict", contradicted, NARROW, "misfit", MisfitWarning),
    ("rare_positives", rare, {}, "unidentified", UnidentifiedWarning),
    ("rare_positives", rare, NARROW, "unidentified", UnidentifiedWarning),
    ("score_distribution", three_heaps, NARROW, "misfit", MisfitWarning),
    ("prior_dominates", low_ones, DRAWS, "unidentified", UnidentifiedWarning),
]
IDS = [f"{r[0]}-{'mixture' if r[2] is NARROW else 'curves'}-{r[1].__name__}" for r in REASONS]


@pytest.mark.parametrize(("name", "make", "given", "verdict", "category"), REASONS, ids=IDS)
def test_each_reason_is_found_on_data_made_for_it(
    name, make, given, verdict, category, global_random_seed
):
    found, warned = fit(global_random_seed, *make(global_random_seed), **given)
    reasons = {reason.name: reason for reason in found.reasons}
    assert name in reasons, found.describe()
    assert reasons[name].verdict == verdict
    # The worst of the reasons decides, and a misfit is worse than a question left open.
    assert found == verdict or found == "misfit"
    assert category in warned
    # What is told says what to do.
    assert re.search(r"[Ll]abel|[Cc]heck|[Uu]se", reasons[name].text)


# What is said of scores when smaller ones mean positive.
FLIPPED = {"lower": "higher", "lowest": "highest", "low": "high", "smaller": "larger"}
FLIPPED |= {"smallest": "largest", "below": "above"}
FLIPPED |= {flipped: word for word, flipped in FLIPPED.items()}


@pytest.mark.parametrize(
    ("name", "make", "given"),
    [
        ("one_class", negatives_only, NARROW),
        ("inverted_scores", inverted, NARROW),
        ("labels_contradict", contradicted, NARROW),
        ("missed_positives", the_highest, {**QUICK, **DRAWS}),
    ],
)
def test_reasons_speak_of_the_scores_as_they_were_given(name, make, given, global_random_seed):
    scores, y = make(global_random_seed)
    told, _ = fit(global_random_seed, scores, y, **given)
    flipped, _ = fit(global_random_seed, -scores, y, greater_is_positive=False, **given)
    text, other = ("\n".join(r.text for r in v.reasons if r.name == name) for v in (told, flipped))
    text = re.sub(r"\w+", lambda found: FLIPPED.get(found[0], found[0]), text)
    said, leave = "pass greater_is_positive=False", "leave greater_is_positive=False out"
    assert other == text.replace(said, leave) != ""


@pytest.mark.slow
@pytest.mark.parametrize("flipped", [False, True])
def test_where_two_normals_in_a_class_fit_the_verdict_names_the_call(flipped, global_random_seed):
    scores, y = two_heaps(global_random_seed, flipped)
    verdict, _ = fit(global_random_seed, scores, y, **NARROW)
    assert verdict == "misfit"
    (reason,) = (r for r in verdict.reasons if r.name == "several_heaps")
    call = ("norm", "norm_mixture") if flipped else ("norm_mixture", "norm")
    assert f"SemisupervisedScoreMixture{call}"[:-1] in reason.remedy
    followed, _ = fit(
        global_random_seed, scores, y, negative=call[0], positive=call[1], experts=None
    )
    assert followed != "misfit", followed.describe()
    assert "several_heaps" not in [r.name for r in followed.reasons]


def test_where_no_normals_fit_the_verdict_names_none(global_random_seed):
    # One class has three heaps apart, and both families of the pair are of two.
    rng = np.random.default_rng(global_random_seed)
    heap = rng.integers(0, 4, N)
    scores = rng.normal(np.array([0.0, 4.0, 8.0, 12.0])[heap], 0.5)
    y = labeled((heap > 2).astype(int), np.arange(100))
    verdict, _ = fit(global_random_seed, scores, y, **NARROW)
    assert verdict == "misfit"
    assert "several_heaps" not in [reason.name for reason in verdict.reasons]


@pytest.mark.slow
def test_two_normals_a_class_are_reliable_on_one_heap_each(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    truth = (rng.random(N) < 0.2).astype(int)
    y = labeled(truth, np.arange(50))
    both = {"negative": "norm_mixture", "positive": "norm_mixture", "experts": None}
    verdict, _ = fit(global_random_seed, rng.normal(2.0 * truth), y, **both)
    assert verdict != "unreliable", verdict.describe()


@pytest.mark.slow
def test_with_right_families_a_misfit_is_rarely_claimed(global_random_seed):
    # Three thirds at a level of 0.005 two-sided, with an inverted order impossible here.
    n_fits, found = 12, 0
    for number in range(n_fits):
        scores, labels = binormal([global_random_seed, number], n=500)
        verdict, _ = fit(global_random_seed, scores, labeled(labels, np.arange(60)), **QUICK)
        found += verdict == "misfit"
    assert found <= stats.binom(n_fits, 0.015).isf(1e-6)


def test_where_experts_judge_the_shape_of_the_scores_is_no_misfit(global_random_seed):
    verdict, _ = fit(global_random_seed, *three_heaps(global_random_seed))
    assert "score_distribution" not in [reason.name for reason in verdict.reasons]


def test_inversion_is_the_rank_sum_test_with_ties(global_random_seed):
    # Half of the pairs tied: exactly no evidence.
    scores = np.r_[np.linspace(-2.0, 2.0, 200), np.tile([0.5, 1.0], 20)]
    y = np.r_[np.full(200, -1), np.repeat([0, 1], 20)]
    verdict, _ = fit(global_random_seed, scores, y)
    assert "inverted_scores" not in [reason.name for reason in verdict.reasons]
    scores, y = inverted(global_random_seed)
    scores = np.round(scores)
    verdict, _ = fit(global_random_seed, scores, y)
    (reason,) = (r for r in verdict.reasons if r.name == "inverted_scores")
    positive, negative = scores[y == 1], scores[y == 0]
    pairs = positive[:, np.newaxis] - negative
    assert reason.value == pytest.approx(np.mean(pairs > 0.0) + 0.5 * np.mean(pairs == 0.0))
    assert reason.value < reason.limit < 0.5


# --- the value ------------------------------------------------------------------------------

MISFIT = Reason("shape", "misfit", "The shape is wrong.", 2.0, 1.0)
OPEN = Reason("one_class", "unidentified", "Label more.", 0.0, 1.0)
REMARK = Reason("few_draws", "ok", "Use more draws.", 5.0, 20.0)


@pytest.mark.parametrize(
    ("reasons", "word"),
    [
        ([], "ok"),
        ([OPEN], "unidentified"),
        ([OPEN, MISFIT], "misfit"),
        ([MISFIT, OPEN, REMARK], "misfit"),
    ],
)
def test_a_verdict_is_a_word_with_reasons(reasons, word):
    verdict = Verdict(reasons)
    assert verdict == word
    assert isinstance(verdict, str)
    assert {verdict: 1}[word] == 1
    assert f"{verdict}" == word
    assert verdict.reasons == tuple(reasons)
    # The reasons of an ok verdict are remarks.
    said = "ok, with a remark" if word == "ok" and reasons else word
    assert verdict.describe().splitlines() == [said, *(f"- {r.text}" for r in reasons)]
    assert repr(verdict) == "Verdict(" + ", ".join([repr(word), *(r.name for r in reasons)]) + ")"


@pytest.mark.parametrize(
    ("reason", "category"),
    [
        (MISFIT, MisfitWarning),
        (OPEN, FewLabelsWarning),
        (REMARK, SamplingWarning),
        (Reason("inverted_scores", "misfit", "Turn them.", 0.1, 0.4), InvertedScoresWarning),
        (Reason("prior_dominates", "unidentified", "Label.", 0.9, 0.8), UnidentifiedWarning),
    ],
)
def test_every_reason_warns_in_its_own_class(reason, category):
    with pytest.warns(category) as caught:
        warn_of(Verdict([reason]))
    assert [w.category for w in caught] == [category]
    assert reason.name.replace("_", " ") in str(caught[0].message)


def test_a_warning_has_the_remedy_and_none_of_the_numbers():
    numbers = (0.1, 12.0), (0.2, 34.0)
    reasons = [
        Reason("few_draws", "unreliable", f"{v} of {n}.", v, n, "draw more.") for v, n in numbers
    ]
    with pytest.warns(SamplingWarning) as caught:
        warn_of(Verdict(reasons))
    (text,) = {str(w.message) for w in caught}
    assert text == "The computation failed (few draws). Draw more. The verdict has the details."


def test_many_fits_with_one_kind_of_reason_have_one_warning(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    mixture = SemisupervisedScoreMixture("norm", "norm", **QUICK, random_state=global_random_seed)
    verdicts = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for n_labels in range(5, 10):
            # As in a search: other scores, and other numbers of labels of one class.
            scores, y = rng.normal(size=N), np.full(N, -1)
            y[:n_labels] = 0
            verdicts.append(clone(mixture).set_params(classes=[0, 1]).fit(scores, y).verdict_)
    texts = {str(w.message) for w in caught if w.category is FewLabelsWarning}
    assert len(texts) == 1
    # The numbers are in the verdicts.
    told = {r.text for verdict in verdicts for r in verdict.reasons if r.name == "one_class"}
    assert len(told) == 5
    # A fit resets what Python remembers as shown (scikit-learn's check_array does); here nothing
    # comes between.
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        for verdict in verdicts:
            warn_of(verdict, stacklevel=1)
    assert {str(w.message) for w in shown} == {str(w.message) for w in caught}
    assert len({str(w.message) for w in shown}) == len(shown)


def test_a_remark_without_a_class_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of(Verdict([Reason("remark", "ok", "By the way.", 0.0, 1.0)]))
        warn_of(Verdict([]))


def test_the_estimator_of_curves_has_the_verdict_of_its_mixture(global_random_seed):
    mixture = SemisupervisedScoreMixture("norm", "norm", **QUICK, random_state=global_random_seed)
    estimator = PerformanceCurveEstimator(mixture, random_state=global_random_seed)
    scores, y = good_case()
    with pytest.warns(FewLabelsWarning):
        estimator.fit(scores, np.full(N, -1))
    assert estimator.verdict_ == "unidentified"
    assert estimator.verdict_ is estimator.mixture_.verdict_
    # Labels can mend it.
    assert estimator.update(scores, y).verdict_ == "ok"


def test_a_contradiction_says_where_it_is(global_random_seed):
    scores, y = contradicted(global_random_seed)
    verdict, _ = fit(global_random_seed, scores, y, **NARROW)
    low = (scores < np.quantile(scores, 1.0 / 3.0)) & (y >= 0)
    reasons = [r for r in verdict.reasons if r.name == "labels_contradict"]
    told = f"In the lowest third of the scores {low.sum()} of {low.sum()} labeled items"
    assert any(told in reason.text for reason in reasons)
    assert all(0.0 <= reason.value < reason.limit for reason in reasons)


def test_probabilities_of_a_calibrated_model_are_no_misfit(global_random_seed):
    scores = special.expit(2.0 * evenly(2000) - 1.0)
    y = np.full(2000, -1)
    # Of the labelled items up to any score as many are positive as their probabilities say.
    y[5::10] = np.diff(np.floor(np.cumsum(scores[5::10]) + 0.5), prepend=0.0)
    verdict, _ = fit(global_random_seed, scores, y)
    assert verdict == "ok", verdict.describe()


# --- draws, and labels that are gone ------------------------------------------------------------


def bare(**parameters):
    """Return the bare mixture of two normals on the good case."""
    mixture = SemisupervisedScoreMixture(
        "norm", "norm", experts=None, n_draws=200, random_state=0, **parameters
    )
    return mixture.fit(*good_case())


def reasons_with(fitted, **changed):
    """Return the reasons of a mixture some of whose draws' fields are changed, by name."""
    posterior = fitted.posterior_
    draws = replace(posterior.draws[0], **changed)
    verdict = verdict_on_mixture(
        replace(posterior, draws=(draws,)), fitted.comparison_, fitted.score_direction_
    )
    return verdict, {reason.name: reason for reason in verdict.reasons}


def test_uneven_or_heavy_weights_are_no_verdict_ok():
    fitted = bare()
    assert reasons_with(fitted)[0] == "ok"
    # Fifty of the draws have all of the weight.
    weights = np.where(np.arange(fitted.posterior_.n_draws) < 50, 0.02, 1e-300)
    for changed, value, limit in (
        ({"pareto_k": 0.75}, 0.75, 0.7),
        ({"pareto_k": 0.2, "log_weights": np.log(weights)}, 50.0, 100.0),
    ):
        verdict, reasons = reasons_with(fitted, **changed)
        assert verdict == "unreliable"
        reason = reasons["few_draws"]
        assert (reason.value, reason.limit) == (pytest.approx(value), limit)
        assert (reason.remedy, reason.parameter) == (MORE_DRAWS, "n_draws")


def test_a_maximum_that_is_not_reached_or_not_normal_is_a_reason():
    fitted = bare(method="em")
    assert fitted.verdict_ == "ok"
    verdict, reasons = reasons_with(fitted, converged=False, last_change=3e-4, pareto_k=0.75)
    assert verdict == "unidentified"
    assert reasons["not_converged"].value == 3e-4 > reasons["not_converged"].limit
    assert re.search(r"norm-norm did not converge.*3\.0e-04", reasons["not_converged"].text)
    assert reasons["not_normal"].value == 0.75 > reasons["not_normal"].limit
    with pytest.warns(UnidentifiedWarning), pytest.warns(ConvergenceWarning, match="='importance'"):
        warn_of(verdict)


@pytest.mark.parametrize(
    ("sign", "call"), [(1.0, "'norm_mixture', 'norm'"), (-1.0, "'norm', 'norm_mixture'")]
)
def test_two_normals_are_named_where_they_fit_and_no_class_has_them(sign, call):
    # Easy and hard negatives below the positives, as even as can be; or their mirror image.
    heaps = [(-1.0, 0.6, 180), (1.5, 0.5, 60), (3.0, 0.8, 60)]
    scores = sign * np.concatenate([mean + std * evenly(n) for mean, std, n in heaps])
    truth = np.repeat([0, 0, 1] if sign > 0.0 else [1, 1, 0], [n for *_, n in heaps])
    mixture = SemisupervisedScoreMixture("norm", "norm", **NARROW, n_draws=200, random_state=0)
    with pytest.warns(MisfitWarning):
        mixture.fit(scores, labeled(truth, np.arange(2, 300, 5)))
    (reason,) = (r for r in mixture.verdict_.reasons if r.name == "several_heaps")
    assert f"SemisupervisedScoreMixture({call}, experts=None)" in reason.text
    assert reason.value <= reason.limit
    # A mixture that has them is not advised to take them.
    of_two = replace(mixture.posterior_.mixtures[0], negative=NormMixture())
    posterior = replace(mixture.posterior_, mixtures=(of_two,))
    assert not list(_two_normals_fit(posterior, mixture.score_direction_))


def test_of_one_score_neither_order_nor_curve_is_in_question(global_random_seed):
    y = labeled(np.arange(60) % 3 // 2, np.arange(30))
    verdict, _ = fit(global_random_seed, np.full(60, 0.5), y)
    assert verdict == "ok"
    assert [reason.name for reason in verdict.reasons] == ["one_score"]


def test_labels_that_an_update_leaves_out_are_counted():
    with pytest.warns(RemovedLabelsWarning, match="2 of 5 items that were labeled before are unl"):
        warn_of_removed(2.0, 5.0)
    with warnings.catch_warnings(action="error"):
        warn_of_removed(0.0, 5.0)

"""Means over readers, who are fixed or random, and differences of modalities within readers."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from sklearn_spe import PerformanceCurveEstimator
from tests.estimators.performance.reading_studies import (
    areas_and_covariance,
    components,
    obuchowski_rockette,
    one_shot_variance,
    pairs_in_order,
    read_cases,
)

N_CASES, N_READERS = 120, 5


def columns(scores):
    """Return scores by the names of modality and reader."""
    return {
        (f"M{i}", f"R{j}"): scores[:, i, j]
        for i in range(scores.shape[1])
        for j in range(scores.shape[2])
    }


def estimator(seed, **parameters):
    return PerformanceCurveEstimator(random_state=seed, n_draws=400, **parameters)


class Study:
    """A complete study, and one of which a third of the cases are verified, in two sites."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.scores, self.truth = read_cases(rng, N_CASES, N_READERS)
        self.site = np.arange(N_CASES) % 2
        self.known = np.arange(N_CASES) % 3 == 0
        self.areas, self.covariance = areas_and_covariance(self.scores, self.truth)
        x = columns(self.scores)
        self.complete = estimator(seed).fit(x, self.truth, category=self.site)
        partly = np.where(self.known, self.truth, -1)
        self.partial = estimator(seed).fit(x, partly, category=self.site)


@pytest.fixture(scope="module")
def study(global_random_seed):
    return Study(global_random_seed)


def test_the_analysis_of_complete_studies_gives_published_figures():
    # Van Dyke et al. (1993), by jackknife: components, standard error, degrees of freedom and
    # interval in the manuals of MRMCaov and RJafroc.
    error, df, half = obuchowski_rockette(5, 0.0005510306, 0.0003440748, 0.0002390284, 0.95)
    assert error == pytest.approx(0.02074862, rel=1e-5)
    assert df == pytest.approx(15.25967, rel=1e-5)
    assert -0.04380032 - half == pytest.approx(-0.0879594986, rel=1e-5)


def test_both_published_variances_agree(study):
    kernel = pairs_in_order(study.scores, study.truth)
    gain = kernel[:, :, 1] - kernel[:, :, 0]
    error = obuchowski_rockette(N_READERS, *components(study.areas, study.covariance), 0.9)[0]
    # Both are unbiased but for the covariances, which DeLong divides by n and not by n - 1.
    assert one_shot_variance(gain) == pytest.approx(error**2, rel=0.05)


def test_of_verified_cases_the_mean_over_readers_is_known(study):
    for name, areas in zip(("M0", "M1"), study.areas, strict=True):
        mean = study.complete.of(system=name).estimate("roc_auc")
        flat = study.scores[:, int(name[1])]
        truth = np.mean([roc_auc_score(study.truth, own) for own in flat.T])
        assert mean.interval() == pytest.approx((truth, truth))
        assert truth == pytest.approx(areas.mean())
    recalls = [study.complete.of(system=("M0", "R0")).estimate("recall", threshold=1.0)]
    recalls.append(study.complete.of(system=("M0", "R3")).estimate("recall", threshold=1.0))
    both = [("M0", "R0"), ("M0", "R3")]
    mean = study.complete.of(system=both).estimate("recall", threshold=1.0)
    assert mean.value == pytest.approx(np.mean([recall.value for recall in recalls]))
    assert mean.threshold == 1.0


def test_of_these_cases_random_readers_give_a_t_interval(study):
    gains = study.areas[1] - study.areas[0]
    found = study.complete.difference("roc_auc", "M1", "M0", readers="random")
    half = stats.t.ppf(0.95, N_READERS - 1) * gains.std(ddof=1) / np.sqrt(N_READERS)
    # Quantiles of 4,000 draws: a standard error of .03 to .04 of half a 90% interval.
    ends = gains.mean() - half, gains.mean() + half
    assert found.interval() == pytest.approx(ends, abs=0.2 * half)


def test_a_population_of_verified_cases_is_a_bootstrap_of_cases(study):
    found = [
        study.complete.of(system=name).estimate("roc_auc", target="population")
        for name in study.complete.systems_
    ]
    draws = np.array([estimate.draws for estimate in found])
    errors = draws.std(axis=1, ddof=1) / np.sqrt(draws.shape[1])
    # One case of the prior among the verified ones may move an area.
    margins = 5.0 * errors + 1.0 / len(study.truth)
    assert (np.abs(draws.mean(axis=1) - study.areas.ravel()) < margins).all()
    # Dirichlet weights: a variance of s2 / (n + 1), with s2 divided by n, in each class. Of 400
    # draws a variance has a standard error of .07.
    ones = np.full(2 * N_READERS, 1.0 / (2 * N_READERS))
    gain = np.repeat([-1.0, 1.0], N_READERS) / N_READERS
    for contrast in (ones, gain):
        expected = contrast @ study.covariance @ contrast
        assert (contrast @ draws).var(ddof=1) == pytest.approx(expected, rel=0.35)


def test_random_readers_agree_with_obuchowski_and_rockette(study):
    between, within, across = components(study.areas, study.covariance)
    error, _, half = obuchowski_rockette(N_READERS, between, within, across, 0.9)
    found = study.complete.difference("roc_auc", "M1", "M0", target="population", readers="random")
    low, high = found.interval()
    middle = np.diff(study.areas.mean(axis=1))[0]
    assert found.value == pytest.approx(middle, abs=0.4 * error)
    # The posterior of the variance between readers has longer tails than Satterthwaite's t, and
    # both ends come from 400 draws of the cases.
    assert 0.75 * half < (high - low) / 2.0 < 1.4 * half
    fixed = study.complete.difference("roc_auc", "M1", "M0", target="population")
    assert fixed.standard_error < found.standard_error


def test_the_mean_of_differences_is_the_difference_of_means(study):
    performance = study.partial
    for target in ("sample", "population"):
        gain = performance.difference("roc_auc", "M1", "M0", target=target)
        means = [performance.of(system=m).estimate("roc_auc", target=target) for m in ("M1", "M0")]
        np.testing.assert_allclose(gain.draws, (means[0] - means[1]).draws, atol=1e-12)
        back = performance.difference("roc_auc", "M0", "M1", target=target)
        np.testing.assert_allclose(back.draws, -gain.draws, atol=1e-12)
    names = [[(m, f"R{j}") for j in reversed(range(N_READERS))] for m in ("M1", "M0")]
    listed = performance.difference("roc_auc", *names)
    np.testing.assert_allclose(
        listed.draws, performance.difference("roc_auc", "M1", "M0").draws, atol=1e-12
    )


def test_partial_verification_and_random_readers_widen(study):
    here = study.partial.of(system="M1").estimate("roc_auc")
    cases = study.partial.of(system="M1").estimate("roc_auc", target="population")
    everyone = study.partial.of(system="M1").estimate(
        "roc_auc", target="population", readers="random"
    )
    assert 0.0 < here.standard_error < cases.standard_error < everyone.standard_error
    assert everyone.name == "mean roc_auc of M1 (readers random)"
    assert everyone.draws.max() <= 1.0


def test_sites_are_compared_within_readers(study):
    table = study.complete.by_category("roc_auc", system="M1", reference=0)
    parts = [
        np.mean([roc_auc_score(study.truth[own], r[own]) for r in study.scores[:, 1].T])
        for own in (study.site == 0, study.site == 1)
    ]
    assert table["1"].value == pytest.approx(parts[1] - parts[0])
    assert table["0"].value == 0.0
    again = study.complete.difference("roc_auc", 1, 0, system="M1")
    assert again.value == pytest.approx(table["1"].value)
    means = study.complete.by_category("roc_auc", system="M1")
    assert means.values == pytest.approx(parts)
    gain = study.complete.difference("roc_auc", "M1", "M0", category=1, readers="random")
    assert gain.probability_above(0.0) > 0.1


def test_readers_are_compared_on_the_cases_that_they_read_in_both(study, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores = np.where(rng.random(study.scores.shape) < 0.2, np.nan, study.scores)[:, :, :3]
    performance = estimator(global_random_seed).fit(columns(scores), study.truth)
    gains, areas = [], []
    for j in range(3):
        both = ~np.isnan(scores[:, :, j]).any(axis=1)
        area = [roc_auc_score(study.truth[both], scores[both, i, j]) for i in (0, 1)]
        gains.append(area[1] - area[0])
        own = ~np.isnan(scores[:, 1, j])
        areas.append(roc_auc_score(study.truth[own], scores[own, 1, j]))
    gain = performance.difference("roc_auc", "M1", "M0")
    assert gain.value == pytest.approx(np.mean(gains))
    assert performance.of(system="M1").estimate("roc_auc").value == pytest.approx(np.mean(areas))


def test_a_reader_of_one_site_counts_there_only(study, global_random_seed):
    scores = study.scores[:, 0, :3].copy()
    scores[study.site == 1, 0] = np.nan
    names = {f"R{j}": scores[:, j] for j in range(3)}
    performance = estimator(global_random_seed).fit(names, study.truth, category=study.site)
    there = study.site == 1
    expected = [roc_auc_score(study.truth[there], scores[there, j]) for j in (1, 2)]
    everyone = ["R0", "R1", "R2"]
    mean = performance.of(category=1, system=everyone).estimate("roc_auc", readers="random")
    assert mean.standard_error > 0.0
    fixed = performance.of(category=1, system=everyone).estimate("roc_auc")
    assert fixed.value == pytest.approx(np.mean(expected))
    # Without a positive there is no area.
    healthy = performance.update(names, np.where(there, 0, study.truth), category=study.site)
    mean = healthy.of(category=1, system=everyone).estimate(
        "roc_auc", target="population", readers="random"
    )
    assert np.isnan(mean.value)
    assert mean.undefined == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            lambda p: p.of(system=("M0", "R0")).estimate("roc_auc", readers="random"),
            "single system",
        ),
        (
            lambda p: p.of(system=[("M0", "R0")]).estimate("roc_auc", readers="random"),
            "two or more",
        ),
        (lambda p: p.of(system="M0").estimate("roc_auc", readers="some"), "readers must be one of"),
        (lambda p: p.of(system=[("M0", "R0")] * 2).estimate("roc_auc"), "each once"),
        (lambda p: p.of(system=["M0"]).estimate("roc_auc"), "system='M0' is none of"),
        (lambda p: p.difference("roc_auc", "M0", ("M1", "R0")), "cannot be paired"),
        (
            lambda p: p.difference("roc_auc", "M0", [("M1", "R0")]),
            "in order, but there are 5 and 1",
        ),
    ],
)
def test_readers_that_cannot_be_averaged_or_paired(study, asked, message):
    with pytest.raises(ValueError, match=message):
        asked(study.complete)


def test_readers_of_one_modality_only_have_no_pair(study, global_random_seed):
    some = columns(study.scores[:, :, :3])
    del some["M1", "R2"]
    performance = estimator(global_random_seed).fit(some, study.truth)
    with pytest.raises(ValueError, match=r"\('R2',\) occurs in one of 'M0' and 'M1' only"):
        performance.difference("roc_auc", "M0", "M1")


@pytest.mark.slow
# A suspect label, or a part of the ranking, is found in a few of many studies.
@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.MisfitWarning")
@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.UnidentifiedWarning")
def test_random_readers_and_cases_are_covered(global_random_seed):
    """The mean over all readers, and the gain, at partial verification."""
    held, n = np.zeros(2), 20
    for repeat in range(n):
        rng = np.random.default_rng([global_random_seed, repeat])
        scores, truth = read_cases(rng, 200, 5)
        # All readers of this kind, on very many cases.
        areas = [stats.norm.cdf(shift / np.sqrt(2.0 * 2.0 / 1.96 + 0.09)) for shift in (1.3, 1.7)]
        y = np.where(rng.random(200) < 0.4, truth, -1)
        performance = estimator(repeat, target="population").fit(columns(scores), y)
        mean = performance.of(system="M1").estimate("roc_auc", readers="random").interval()
        gain = performance.difference("roc_auc", "M1", "M0", readers="random").interval()
        truths = areas[1], areas[1] - areas[0]
        held += [
            low <= true <= high for (low, high), true in zip((mean, gain), truths, strict=True)
        ]
    # A binomial of 20 with share .9 is below 12 with a chance of 7e-5.
    assert (held >= 12).all()

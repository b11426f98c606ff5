"""The score mixture by maximum likelihood: method="em"."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.exceptions import FewLabelsWarning
from sklearn_spe.mixtures._mixture_posterior import MixturePosterior
from tests.estimators.score_mixture.data import Problem

TRUTH = {
    "prevalence": 0.3,
    "negative_mean": 0.0,
    "negative_std": 1.0,
    "positive_mean": 3.5,
    "positive_std": 1.2,
}


class Separated(Problem):
    """Classes far apart, and mixtures and performances of maximum likelihood."""

    def em(self, *families, **parameters):
        defaults = {
            "method": "em",
            "score_scale": "identity",
            "experts": "auto",
            "n_draws": 400,
        }
        return self.mixture(*families, **{**defaults, **parameters})

    def population(self, mixture):
        performance = PerformanceCurveEstimator(
            mixture, target="population", random_state=self.seed
        )
        return performance.fit(self.scores, self.partial)

    def tail(self, positive, missing):
        """Return labels of the twenty highest scores, all of one class."""
        y = np.full(len(self.scores), missing, dtype=object)
        y[np.argsort(-self.scores)[:20]] = positive
        return y


@pytest.fixture(scope="module")
def problem(global_random_seed):
    return Separated.of(global_random_seed, 1500, 100, positive_values=(3.5, 1.2))


def values_of(mixture):
    return {name: e.value for name, e in mixture.posterior_.parameters().items()}


@pytest.fixture(scope="module")
def fitted(problem):
    return problem.em().fit(problem.scores, problem.partial)


# --- what is estimated -------------------------------------------------------------------------


def test_the_result_is_a_mixture_around_its_maximum_with_all_experts_and_without(problem, fitted):
    assert isinstance(fitted.posterior_, MixturePosterior)
    assert np.isfinite(fitted.comparison_.log_likelihood).all()
    without = problem.em(experts=None).fit(problem.scores, problem.partial)
    assert values_of(without) == values_of(fitted)
    assert without.verdict_ == fitted.verdict_ == "ok"


def test_with_all_labels_known_the_estimates_are_those_of_each_class(problem):
    expected = [problem.labels.mean()]
    for k in (0, 1):
        own = problem.scores[np.equal(problem.labels, k)]
        expected += [own.mean(), own.std()]
    values = values_of(problem.em().fit(problem.scores, problem.labels))
    assert values.keys() == TRUTH.keys()
    assert_allclose(list(values.values()), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.filterwarnings(r"ignore:.*\(not normal\)")
@pytest.mark.parametrize("n_labels", [0, 100, 1500])
def test_classes_far_apart_are_found_within_their_standard_errors(problem, n_labels):
    y = problem.with_labels(n_labels)
    mixture = problem.em()
    if n_labels:
        mixture.fit(problem.scores, y)
    else:
        with pytest.warns(FewLabelsWarning, match=r"\(one class\)"):
            mixture.fit(problem.scores, y)
    for name, estimate in mixture.posterior_.parameters().items():
        assert abs(estimate.value - TRUTH[name]) < 5.0 * estimate.standard_error, name
        assert 0.0 < estimate.standard_error < 0.2, name


@pytest.mark.slow
def test_the_interval_of_a_mean_is_that_of_a_sample_when_all_labels_are_known(problem):
    scores, labels = problem.scores[:300], problem.labels[:300]
    mixture = problem.em(n_draws=8000).fit(scores, labels)
    estimate = mixture.posterior_.parameters()["positive_mean"]
    own = scores[labels == 1]
    error = own.std() / np.sqrt(len(own))
    # The quantile at 0.95 of 8000 draws has a relative error of 1.3%.
    z = stats.norm.ppf(0.95)
    low, high = estimate.interval(0.9)
    assert_allclose([low, high], own.mean() + np.array([-z, z]) * error, atol=0.08 * error)
    assert_allclose(estimate.standard_error, error, rtol=0.06)


def test_the_value_on_the_population_is_that_of_the_estimates(problem, fitted):
    performance, values = problem.population(problem.em()), values_of(fitted)
    distributions = [
        stats.norm(values[f"{side}_mean"], values[f"{side}_std"])
        for side in ("negative", "positive")
    ]
    fpr, tpr = (distribution.sf(2.0) for distribution in distributions)
    tp, fp = values["prevalence"] * tpr, (1.0 - values["prevalence"]) * fpr
    expected = {"recall": tpr, "precision": tp / (tp + fp), "false_positive_rate": fpr}
    for name, value in expected.items():
        estimate = performance.estimate(name, threshold=2.0)
        assert_allclose(estimate.value, value, rtol=1e-9)
        low, high = estimate.interval()
        assert low < value < high
    distance = (distributions[1].mean() - distributions[0].mean()) / np.hypot(
        distributions[0].std(), distributions[1].std()
    )
    area = performance.estimate("roc_auc")
    # Straight lines between a few hundred thresholds.
    assert_allclose(area.value, stats.norm.cdf(distance), atol=1e-4)
    assert_allclose(performance.estimate("prevalence").value, values["prevalence"], rtol=1e-9)


def test_a_curve_of_the_population_runs_through_the_values_at_its_thresholds(problem):
    performance = problem.population(problem.em())
    thresholds = np.array([0.5, 2.0, 3.0])
    band = performance.curve("recall", thresholds=thresholds)
    single = [performance.estimate("recall", threshold=t).value for t in thresholds]
    assert_allclose(band.value, single, rtol=1e-12)
    assert band.kind == "fisher"


def test_probabilities_are_those_of_the_mean_over_the_normal_distribution(fitted):
    new = np.array([-1.0, 1.5, 2.0, 5.0])
    values = values_of(fitted)
    joint = [
        share * stats.norm(values[f"{side}_mean"], values[f"{side}_std"]).pdf(new)
        for side, share in (
            ("negative", 1.0 - values["prevalence"]),
            ("positive", values["prevalence"]),
        )
    ]
    plugged_in = joint[1] / (joint[0] + joint[1])
    # Draws lie about the maximum by some hundredths: their mean does by less.
    assert_allclose(fitted.predict_proba(new)[:, 1], plugged_in, atol=0.02)


# --- scales, weights, workers ------------------------------------------------------------------


@pytest.mark.parametrize("score_scale", ["identity", "auto"])
@pytest.mark.parametrize(("factor", "shift"), [(1.0, 0.0), (20.0, -7.0), (0.01, 3.0)])
def test_parameters_are_those_of_the_scores_whatever_their_unit(
    problem, fitted, score_scale, factor, shift
):
    mixture = problem.em(score_scale=score_scale).fit(
        factor * problem.scores + shift, problem.partial
    )
    reference = fitted.posterior_.parameters()
    for name, estimate in mixture.posterior_.parameters().items():
        unit = 1.0 if name == "prevalence" else factor
        origin = shift if name.endswith("mean") else 0.0
        expected, error = reference[name].value, reference[name].standard_error
        # EM stops at 1e-8 of a log likelihood of some thousands: within a tenth of an error.
        assert abs((estimate.value - origin) / unit - expected) < 0.1 * error, name
        assert_allclose(estimate.standard_error / unit, error, rtol=0.03)


def test_frequency_weights_stand_for_repeated_items(problem):
    times = np.random.default_rng(problem.seed).integers(0, 4, 1500)
    weighted = problem.em().fit(problem.scores, problem.partial, sample_weight=times)
    repeated = problem.em().fit(np.repeat(problem.scores, times), np.repeat(problem.partial, times))
    assert_allclose(
        list(values_of(weighted).values()), list(values_of(repeated).values()), rtol=1e-9
    )
    assert_allclose(
        weighted.predict_proba(problem.scores[:50]),
        repeated.predict_proba(problem.scores[:50]),
        rtol=1e-9,
    )


PAIRS = ("norm", ["norm", "gumbel_r"])


@pytest.fixture(scope="module")
def few(problem):
    """Return scores and labels of a fifth of the items."""
    return problem.scores[:300], problem.partial[:300]


# --- several pairs -----------------------------------------------------------------------------


# A rule that looks at all scores may take the pair that the labels doubt.
@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.MisfitWarning")
@pytest.mark.parametrize(
    ("combine", "column", "best"),
    [
        ("ks", "ks", np.argmin),
        ("likelihood", "log_likelihood", np.argmax),
        ("evidence", "log_evidence", np.argmax),
    ],
)
def test_one_pair_is_taken_by_the_rule(problem, few, combine, column, best):
    mixture = problem.em(*PAIRS, score_scale="auto", n_draws=50, combine=combine).fit(*few)
    comparison = mixture.comparison_
    assert comparison.weights.tolist() == np.eye(2)[best(getattr(comparison, column))].tolist()
    assert len(mixture.posterior_.draws) == 1
    assert mixture.posterior_.mixtures[0].name == (
        f"{comparison.negative[best(getattr(comparison, column))]}-"
        f"{comparison.positive[best(getattr(comparison, column))]}"
    )


def test_the_value_of_an_average_is_the_average_of_the_values(problem):
    both = problem.em("norm", ["norm", "gamma"], score_scale="auto")
    both = problem.population(both)
    weights = both.posterior_.mixture_weights
    assert weights.min() > 0.0
    alone = [
        problem.population(problem.em("norm", f, score_scale="auto")) for f in ("norm", "gamma")
    ]
    values = [p.estimate("recall", threshold=2.0).value for p in alone]
    assert values[0] != values[1]
    assert_allclose(both.estimate("recall", threshold=2.0).value, weights @ values, rtol=1e-9)


# --- what goes wrong ---------------------------------------------------------------------------


def test_experts_have_no_likelihood_to_climb(problem):
    for experts in ("rank_binormal", ["rank_binormal", "auto"]):
        with pytest.raises(ValueError, match="method='em' maximizes the likelihood of the bare"):
            problem.em(experts=experts).fit(problem.scores, problem.partial)


@pytest.mark.parametrize(
    ("parameters", "marks"),
    [
        ({}, (1, np.nan)),
        ({"classes": [0, 1]}, (1, -1)),
        ({"classes": [-1, 1]}, (1, None)),
        ({"classes": ["fine", "fraud"], "pos_label": "fraud"}, ("fraud", None)),
    ],
    ids=["missing", "zero", "minus", "text"],
)
@pytest.mark.filterwarnings(r"ignore:.*\(not normal\)")
def test_labels_of_one_class_alone_are_fitted_with_a_warning(problem, parameters, marks):
    mixture = problem.em(**parameters)
    with pytest.warns(FewLabelsWarning, match=r"\(one class\)"):
        mixture.fit(problem.scores, problem.tail(*marks))
    assert "Only one class is labeled (0 negative, 20 positive)" in mixture.verdict_.describe()
    for name, estimate in mixture.posterior_.parameters().items():
        assert abs(estimate.value - TRUTH[name]) < 5.0 * estimate.standard_error, name

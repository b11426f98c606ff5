"""What is warned of, and what is an error."""

import re
import warnings

import numpy as np
import pytest
from scipy import stats

from sklearn_spe.exceptions import FewLabelsWarning, InvertedScoresWarning, SamplingWarning
from sklearn_spe.families import Norm
from tests.estimators.score_mixture.data import BOTH_KINDS
from tests.quick import QUIET

pytestmark = QUIET


# --- warnings -----------------------------------------------------------------------------------


@BOTH_KINDS
def test_no_labels_warn_and_positives_are_those_that_score_higher(problem, experts):
    with pytest.warns(FewLabelsWarning, match=r"\(one class\)"):
        mixture = problem.mixture(experts=experts).fit(problem.scores)
    assert "No item is labeled (0 negative, 0 positive)" in mixture.verdict_.describe()
    assert mixture.classes_.tolist() == [0, 1]
    low, high = mixture.predict_proba([-3.0, 3.0])[:, 1]
    assert low < high


@BOTH_KINDS
@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.UnidentifiedWarning")
@pytest.mark.parametrize(("only", "counts"), [(0, "{} negative, 0"), (1, "0 negative, {}")])
def test_labels_of_one_class_warn_and_lean_on_the_prior(problem, only, counts, experts):
    y = np.where(only == problem.partial, only, -1)
    counts = counts.format(np.sum(y == only))
    with pytest.warns(FewLabelsWarning, match=r"\(one class\)"):
        mixture = problem.mixture(classes=[0, 1], experts=experts).fit(problem.scores, y)
    assert f"Only one class is labeled ({counts}" in mixture.verdict_.describe()
    low, high = mixture.predict_proba([0.0, 2.0])[:, 1]
    assert low < high


@BOTH_KINDS
def test_scores_that_are_upside_down_warn(problem, experts):
    y = np.full(200, -1)
    y[np.argsort(problem.scores)[:15]] = 1
    y[np.argsort(problem.scores)[-15:]] = 0
    with pytest.warns(InvertedScoresWarning, match=r"\(inverted scores\).*greater_is_positive"):
        problem.mixture(experts=experts).fit(problem.scores, y)


@pytest.mark.slow
def test_the_warning_of_upside_down_scores_is_the_rank_sum_test(problem):
    rng = np.random.default_rng(problem.seed)
    found = []
    # From classes in the wrong order to classes in the right one.
    for shift in np.linspace(-6.0, 3.0, 6):
        scores, y = rng.normal(size=60), np.full(60, -1)
        y[:14] = np.arange(14) % 2
        scores[:14] += shift * (y[:14] == 1)
        test = stats.mannwhitneyu(
            scores[y == 1],
            scores[y == 0],
            alternative="less",
            method="asymptotic",
            use_continuity=False,
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            problem.mixture("norm", "norm", n_draws=25, experts=None).fit(scores, y)
        warned = any(w.category is InvertedScoresWarning for w in caught)
        assert warned == (test.pvalue < 0.01)
        found.append(warned)
    assert found[0]
    assert not found[-1]


def test_too_few_draws_warn(problem):
    with pytest.warns(SamplingWarning, match=r"\(few draws\)"):
        mixture = problem.mixture(n_draws=25, experts=None).fit(problem.scores, problem.partial)
    assert re.search(r"effective sample size \d+, k-hat", mixture.verdict_.describe())


@pytest.mark.slow
@pytest.mark.filterwarnings("default::sklearn_spe.exceptions.SamplingWarning")
def test_the_diagonal_proposal_warns_where_the_adaptive_one_does_not(problem):
    # Hardly any label, overlapping classes: the parameters trade off against one another.
    even = stats.norm.ppf((np.arange(300) + 0.5) / 300)
    scores, y = np.r_[even, 1.0 + even], np.full(600, -1)
    y[[75, 150, 225]], y[450] = 0, 1
    warned = []
    # One chain in eight finds its way by itself: all of six do so once in 260,000 times.
    for seed in range(6):
        diagonal = problem.mixture(
            n_draws=1000, proposal="diagonal", experts=None, random_state=6 * problem.seed + seed
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            diagonal.fit(scores, y)
        told = [w for w in caught if "(few draws)" in str(w.message)]
        assert bool(told) == (diagonal.ess_ < 100.0 or diagonal.pareto_k_ > 0.7)
        warned.append(bool(told))
    assert any(warned)
    adaptive = problem.mixture(n_draws=1000, experts=None).fit(scores, y)
    assert adaptive.ess_ >= 100.0
    assert adaptive.pareto_k_ <= 0.7


# --- bad input ----------------------------------------------------------------------------------


BAD_PARAMETERS = {
    "unknown family": (
        {"negative": "normal"},
        ValueError,
        "Unknown family 'normal'; choose one of",
    ),
    "family class": (
        {"positive": Norm},
        TypeError,
        r"Got the class Norm; pass an instance, Norm\(\)",
    ),
    "no family": ({"negative": []}, ValueError, "The sequence of families is empty"),
    "combine": ({"combine": "mean"}, ValueError, "combine must be one of .*; got 'mean'"),
    "scale": ({"score_scale": "log"}, ValueError, "Unknown score_scale 'log'; choose one of"),
    "prior a number": ({"prevalence_prior": 1.0}, ValueError, "two parameters of a beta density"),
    "prior negative": (
        {"prevalence_prior": (1.0, -1.0)},
        ValueError,
        r"prevalence_prior must lie in \(0, inf\), got -1.0",
    ),
    "unknown expert": ({"experts": "oracle"}, ValueError, "Unknown expert 'oracle'; choose auto"),
    "no expert": ({"experts": []}, ValueError, "experts is empty; .* None for the bare mixture"),
    "experts a number": ({"experts": 3}, TypeError, "An expert must be a name .* got 3"),
    "kind of scores": (
        {"score_kind": "rank"},
        ValueError,
        "score_kind must be one of auto, .*'rank'",
    ),
    "kind that is not theirs": (
        {"score_kind": "probability"},
        ValueError,
        r"'probability' requires scores in \[0, 1\], but they range from -",
    ),
}


@pytest.mark.parametrize(
    ("parameters", "error", "message"), BAD_PARAMETERS.values(), ids=BAD_PARAMETERS
)
def test_bad_parameters_are_named(problem, parameters, error, message):
    with pytest.raises(error, match=message):
        problem.mixture(**parameters).fit(problem.scores, problem.partial)


@BOTH_KINDS
@pytest.mark.parametrize("family", ["gamma", "truncnorm", "lognorm"])
def test_a_family_of_positive_scores_needs_positive_scores_on_the_identity_scale(
    problem, family, experts
):
    mixture = problem.mixture("norm", family, score_scale="identity", experts=experts)
    with pytest.raises(ValueError, match=f"The family {family!r} needs positive scores.*auto"):
        mixture.fit(problem.scores, problem.partial)

"""The score mixture as a scikit-learn density model."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate, special, stats
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from sklearn_spe import SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores
from sklearn_spe.exceptions import FewLabelsWarning, InvertedScoresWarning, SamplingWarning
from sklearn_spe.families import Norm

# A hundred draws cannot be worth a hundred: most tests are content with fewer.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.SamplingWarning")

SCORES, LABELS = make_scores(200, random_state=0)
PARTIAL = np.where(np.arange(200) < 30, LABELS, -1)
PROBABILITIES = special.expit(2.0 * SCORES - 2.0)


def make_mixture(negative="norm", positive="norm", **parameters):
    return SemisupervisedScoreMixture(
        negative, positive, **{"n_draws": 100, "random_state": 0, **parameters}
    )


@pytest.fixture(scope="module")
def fitted():
    with pytest.warns(SamplingWarning):
        return make_mixture().fit(SCORES, PARTIAL)


# --- what it says -------------------------------------------------------------------------------


def test_probabilities_are_those_of_the_true_mixture_when_there_are_many_labels():
    scores, labels = make_scores(4000, random_state=1)
    mixture = make_mixture(n_draws=300).fit(scores, labels)
    new = np.linspace(-1.0, 3.0, 17)
    truth = special.expit(np.log(0.3 / 0.7) + stats.norm.logpdf(new, 2) - stats.norm.logpdf(new))
    # With 1200 positives the log odds are known to about 0.15 in the middle.
    assert_allclose(mixture.predict_proba(new)[:, 1], truth, atol=0.1)
    assert_allclose(mixture.prevalence_.value, 0.3, atol=4.0 * np.sqrt(0.21 / 4000))
    assert_allclose(mixture.prevalence_.standard_error, np.sqrt(0.21 / 4000), rtol=0.3)


def test_the_probability_is_the_posterior_expectation(fitted):
    new = np.array([-1.0, 1.0, 2.5])
    posterior = fitted.posterior_
    by_draw = np.vstack([posterior.positive_probability(new, b) for b in posterior.blocks()])
    expected = (posterior.weights[:, np.newaxis] * by_draw).sum(axis=0)
    assert_allclose(fitted.predict_proba(new), np.column_stack([1.0 - expected, expected]))


def test_predictions_are_the_more_probable_class(fitted):
    probability = fitted.predict_proba(SCORES)
    assert np.array_equal(fitted.predict(SCORES), (probability[:, 1] > 0.5).astype(int))


DENSITIES = {
    "standard": (SCORES, "auto", np.linspace(-30.0, 30.0, 20_001)),
    "unit": (SCORES, "unit", np.linspace(-30.0, 30.0, 20_001)),
    "identity": (SCORES, "identity", np.linspace(-30.0, 30.0, 20_001)),
    "transformer": (SCORES, StandardScaler(), np.linspace(-30.0, 30.0, 20_001)),
    "logit": (PROBABILITIES, "auto", special.expit(np.linspace(-40.0, 40.0, 20_001))),
}


@pytest.mark.parametrize(("scores", "score_scale", "grid"), DENSITIES.values(), ids=DENSITIES)
@pytest.mark.parametrize("family", ["norm", "truncnorm"])
def test_score_samples_is_a_density_on_the_scale_of_the_scores(scores, score_scale, grid, family):
    if score_scale == "identity" and family == "truncnorm":
        scores, grid = scores + 10.0, grid + 10.0
    mixture = make_mixture(family, family, score_scale=score_scale).fit(scores, PARTIAL)
    assert mixture.score_scale_.name in (score_scale, "standard", "logit", "transformer")
    density = np.exp(mixture.score_samples(grid))
    # The logit is clipped, and what lies beyond the clip is cut off.
    assert integrate.trapezoid(density, grid) == pytest.approx(1.0, abs=0.01)


def test_score_is_the_mean_of_logs_computed_by_hand(fitted):
    new = np.array([-0.5, 0.7, 1.4, 2.8])
    density, probability = np.exp(fitted.score_samples(new)), fitted.predict_proba(new)[:, 1]
    posterior = fitted.posterior_
    joint = sum(
        np.einsum(
            "i,ij->j", posterior.weights[b.rows], np.exp(posterior.log_score_density(new, b)[1])
        )
        for b in posterior.blocks()
    )
    expected = np.log([density[0] - joint[0], joint[1], joint[2], density[3]])
    assert_allclose(fitted.score(new, [0, 1, 1, -1]), expected.mean(), rtol=1e-10)
    assert_allclose(fitted.score(new), np.log(density).mean(), rtol=1e-12)
    # P(y = 1 | s) and p(s, y = 1) / p(s) differ only in where the draws are averaged.
    assert_allclose(joint / density, probability, atol=0.05)


def test_the_joint_density_of_both_classes_is_the_density(fitted):
    negative = np.array([fitted.score([s], [0]) for s in (-1.0, 1.0, 3.0)])
    positive = np.array([fitted.score([s], [1]) for s in (-1.0, 1.0, 3.0)])
    assert_allclose(np.logaddexp(negative, positive), fitted.score_samples([-1.0, 1.0, 3.0]))


def test_samples_follow_the_fitted_density(fitted):
    scores, labels = fitted.sample(3000, random_state=1)
    assert set(labels.tolist()) == {0, 1}
    assert_allclose(labels.mean(), fitted.prevalence_.mean(), atol=4.0 * np.sqrt(0.21 / 3000))
    grid = np.linspace(-8.0, 10.0, 2001)
    cdf = np.cumsum(np.exp(fitted.score_samples(grid))) * (grid[1] - grid[0])
    assert stats.kstest(scores, lambda s: np.interp(s, grid, cdf)).pvalue > 1e-3


def test_samples_are_reproducible(fitted):
    first, second = (fitted.sample(20, random_state=3) for _ in range(2))
    assert np.array_equal(first[0], second[0])
    assert np.array_equal(first[1], second[1])


def test_samples_of_probabilities_are_probabilities():
    scores, _ = make_mixture().fit(PROBABILITIES, PARTIAL).sample(200, random_state=0)
    assert ((scores >= 0.0) & (scores <= 1.0)).all()


# --- classes ------------------------------------------------------------------------------------


def test_strings_are_classes():
    names = np.array(["ham", "spam"], dtype=object)
    y = np.where(PARTIAL < 0, None, names[PARTIAL])
    mixture = make_mixture(pos_label="spam").fit(SCORES, y)
    assert mixture.classes_.tolist() == ["ham", "spam"]
    assert mixture.predict([-3.0, 6.0]).tolist() == ["ham", "spam"]
    assert set(mixture.sample(50, random_state=0)[1].tolist()) == {"ham", "spam"}


def test_columns_follow_classes_when_the_first_class_is_positive(fitted):
    names = np.array(["well", "ill"], dtype=object)
    mixture = make_mixture(pos_label="ill").fit(SCORES, np.where(PARTIAL < 0, None, names[PARTIAL]))
    assert mixture.classes_.tolist() == ["ill", "well"]
    new = [-1.0, 1.0, 3.0]
    assert_allclose(mixture.predict_proba(new), fitted.predict_proba(new)[:, ::-1])
    assert mixture.predict([-3.0, 6.0]).tolist() == ["well", "ill"]
    assert mixture.score([1.0], ["ill"]) == fitted.score([1.0], [1])


@pytest.mark.parametrize(("pos_label", "column"), [(1, 1), (0, 0)])
def test_of_two_columns_of_probabilities_that_of_the_positive_class_is_the_score(pos_label, column):
    X = np.column_stack([1.0 - PROBABILITIES, PROBABILITIES])
    y = PARTIAL if pos_label else np.where(PARTIAL < 0, -1, 1 - PARTIAL)
    X = X if pos_label else X[:, ::-1]
    both = make_mixture(pos_label=pos_label).fit(X, y)
    one = make_mixture(pos_label=pos_label).fit(X[:, column], y)
    assert np.array_equal(both.predict_proba(X), one.predict_proba(X[:, column]))
    assert both.predict(X).tolist() == one.predict(X[:, column]).tolist()


def test_minus_one_can_be_a_class(fitted):
    y = np.where(PARTIAL < 0, np.nan, 2.0 * PARTIAL - 1.0)
    mixture = make_mixture(classes=[-1, 1]).fit(SCORES, y)
    assert mixture.classes_.tolist() == [-1, 1]
    assert np.array_equal(mixture.predict_proba(SCORES), fitted.predict_proba(SCORES))


# --- the ways of scikit-learn -------------------------------------------------------------------


def test_grid_search_prefers_the_family_that_made_the_scores():
    scores, labels = make_scores(
        400,
        negative="gamma",
        negative_values=(1.0, 1.0),
        positive="gamma",
        positive_values=(12.0, 3.0),
        random_state=0,
    )
    y = np.where(np.arange(400) % 4 == 0, labels, -1)
    search = GridSearchCV(
        make_mixture(n_draws=50),
        {"negative": ["norm", "gamma"], "positive": ["gamma", "gumbel_l"]},
        cv=KFold(3, shuffle=True, random_state=0),
    ).fit(scores, y)
    assert search.best_params_ == {"negative": "gamma", "positive": "gamma"}
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.predict_proba(scores).shape == (400, 2)


def test_clones_have_the_same_parameters_and_are_not_fitted(fitted):
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        check_is_fitted(copy)


def test_fit_changes_no_parameter():
    parameters = {"negative": ["norm", Norm()], "score_scale": StandardScaler(), "n_draws": 50}
    mixture = make_mixture(**parameters)
    before = {name: repr(value) for name, value in mixture.get_params(deep=False).items()}
    mixture.fit(SCORES, PARTIAL)
    assert {n: repr(v) for n, v in mixture.get_params(deep=False).items()} == before


def test_a_pickle_answers_as_the_original(fitted):
    copy = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(copy.predict_proba(SCORES), fitted.predict_proba(SCORES))
    assert repr(copy.posterior_) == repr(fitted.posterior_)


def test_a_pickle_holds_the_sample_once_and_nothing_else_that_grows_with_it():
    scores, labels = make_scores(100_000, random_state=0)
    y = np.where(np.arange(100_000) < 50, labels, -1)
    mixture = make_mixture("norm", "norm", n_draws=50).fit(scores, y)
    # Five arrays a cell (score, lowest score, three counts) of 8 bytes, and 100 kB for the rest.
    assert len(pickle.dumps(mixture)) < 5 * 8 * 100_000 + 100_000


@pytest.mark.parametrize(
    "make", [lambda: 7, lambda: np.random.RandomState(7), lambda: np.random.default_rng(7)]
)
def test_the_same_random_state_gives_the_same_bits(make):
    first, second = (make_mixture(random_state=make()).fit(SCORES, PARTIAL) for _ in range(2))
    assert np.array_equal(first.posterior_.weights, second.posterior_.weights)
    assert np.array_equal(first.predict_proba(SCORES), second.predict_proba(SCORES))


def test_another_random_state_gives_other_draws():
    first, second = (make_mixture(random_state=s).fit(SCORES, PARTIAL) for s in (0, 1))
    assert not np.array_equal(first.posterior_.draws[0].points, second.posterior_.draws[0].points)


@pytest.mark.parametrize("scores", [SCORES, np.round(SCORES, 1)], ids=["distinct", "tied"])
def test_weighted_data_equal_repeated_data(scores):
    counts = np.random.default_rng(0).integers(0, 4, 200)
    weighted = make_mixture().fit(scores, PARTIAL, sample_weight=counts)
    repeated = make_mixture().fit(np.repeat(scores, counts), np.repeat(PARTIAL, counts))
    assert np.array_equal(weighted.posterior_.draws[0].points, repeated.posterior_.draws[0].points)
    assert np.array_equal(weighted.posterior_.weights, repeated.posterior_.weights)
    assert weighted.comparison_.log_evidence == repeated.comparison_.log_evidence


def test_the_order_of_the_items_does_not_matter(fitted):
    order = np.random.default_rng(0).permutation(200)
    mixture = make_mixture().fit(SCORES[order], PARTIAL[order])
    assert np.array_equal(mixture.predict_proba(SCORES), fitted.predict_proba(SCORES))


# --- families side by side ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def several():
    with pytest.warns(SamplingWarning):
        return {
            rule: make_mixture(["norm", "gumbel_l"], ["norm", "gumbel_r"], combine=rule).fit(
                SCORES, PARTIAL
            )
            for rule in ("average", "evidence", "likelihood")
        }


def test_every_pair_is_compared(several):
    for mixture in several.values():
        pairs = list(zip(mixture.comparison_.negative, mixture.comparison_.positive, strict=True))
        assert pairs == [
            ("norm", "norm"),
            ("norm", "gumbel_r"),
            ("gumbel_l", "norm"),
            ("gumbel_l", "gumbel_r"),
        ]


def test_the_average_weighs_pairs_by_their_evidence(several):
    comparison = several["average"].comparison_
    expected = special.softmax(comparison.log_evidence)
    # Pairs with less than a thousandth are left out.
    expected = np.where(expected < 1e-3, 0.0, expected)
    assert_allclose(comparison.weights, expected / expected.sum())


@pytest.mark.parametrize(
    ("rule", "criterion"), [("evidence", "log_evidence"), ("likelihood", "log_likelihood")]
)
def test_the_other_rules_take_the_best_pair(several, rule, criterion):
    comparison = several[rule].comparison_
    best = np.argmax(getattr(comparison, criterion))
    assert comparison.weights.tolist() == [float(k == best) for k in range(4)]
    assert len(several[rule].posterior_.mixtures) == 1


def test_the_average_predicts_the_average(several):
    comparison = several["average"].comparison_
    alone = [
        make_mixture(n, p).fit(SCORES, PARTIAL).predict_proba(SCORES)[:, 1]
        for n, p in zip(comparison.negative, comparison.positive, strict=True)
    ]
    expected = (comparison.weights[:, np.newaxis] * alone).sum(axis=0)
    # Each pair has draws of its own: the same law, not the same bits.
    assert_allclose(several["average"].predict_proba(SCORES)[:, 1], expected, atol=0.05)


def test_verbose_prints_every_pair(capsys):
    make_mixture(["norm", "gumbel_l"], verbose=1).fit(SCORES, PARTIAL)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all("log evidence" in line and "k-hat" in line for line in lines)


# --- warnings -----------------------------------------------------------------------------------


def test_no_labels_warn_and_positives_are_those_that_score_higher():
    with pytest.warns(FewLabelsWarning, match=r"No item is labelled \(0 negative, 0 positive\)"):
        mixture = make_mixture().fit(SCORES)
    assert mixture.classes_.tolist() == [0, 1]
    assert mixture.predict([-3.0, 6.0]).tolist() == [0, 1]


@pytest.mark.parametrize(("only", "counts"), [(0, "21 negative, 0"), (1, "0 negative, 9")])
def test_labels_of_one_class_warn_and_lean_on_the_prior(only, counts):
    y = np.where(only == PARTIAL, only, -1)
    with pytest.warns(FewLabelsWarning, match=f"Only one class is labelled .{counts}"):
        mixture = make_mixture(classes=[0, 1]).fit(SCORES, y)
    low, high = mixture.predict_proba([0.0, 2.0])[:, 1]
    assert low < high


def test_scores_that_are_upside_down_warn():
    with pytest.warns(InvertedScoresWarning, match="Positives score lower than negatives"):
        make_mixture().fit(-SCORES, PARTIAL)


def test_the_warning_of_upside_down_scores_is_the_rank_sum_test():
    rng = np.random.default_rng(0)
    n_warned = n_rejected = 0
    for _ in range(40):
        scores, y = rng.normal(size=60), np.full(60, -1)
        y[:14] = np.arange(14) % 2
        scores[:14] -= 0.5 * (y[:14] == 1)
        test = stats.mannwhitneyu(
            scores[y == 1],
            scores[y == 0],
            alternative="less",
            method="asymptotic",
            use_continuity=False,
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            make_mixture("norm", "norm", n_draws=50).fit(scores, y)
        warned = any(w.category is InvertedScoresWarning for w in caught)
        assert warned == (test.pvalue < 0.05)
        n_warned += warned
        n_rejected += test.pvalue < 0.05
    assert 0 < n_warned == n_rejected < 40


def test_too_few_draws_warn():
    with pytest.warns(SamplingWarning, match=r"effective sample size \d+, k-hat"):
        make_mixture(n_draws=25).fit(SCORES, PARTIAL)


@pytest.mark.filterwarnings("default::sklearn_spe.exceptions.SamplingWarning")
def test_the_diagonal_proposal_warns_where_the_adaptive_one_does_not():
    # Hardly any label, overlapping classes: the parameters trade off against one another.
    scores, labels = make_scores(600, positive_values=(1.0, 1.0), random_state=0)
    y = np.where(np.arange(600) < 4, labels, -1)
    y[np.flatnonzero(labels == 1)[0]] = 1
    with pytest.warns(SamplingWarning, match="Use proposal='adaptive'"):
        diagonal = make_mixture(n_draws=1000, proposal="diagonal").fit(scores, y)
    adaptive = make_mixture(n_draws=1000).fit(scores, y)
    assert diagonal.ess_ < 100.0 or diagonal.pareto_k_ > 0.7
    assert adaptive.ess_ >= 100.0
    assert adaptive.pareto_k_ <= 0.7


# --- bad input ----------------------------------------------------------------------------------


def replaced(at, value):
    scores = SCORES.copy()
    scores[at] = value
    return scores


BAD_DATA = {
    "nan": (replaced(3, np.nan), PARTIAL, None, "Scores must be finite; got nan at index 3"),
    "infinite": (replaced(5, np.inf), PARTIAL, None, "Scores must be finite; got inf at index 5"),
    "lengths": (SCORES, PARTIAL[:-1], None, "same length, got 200 scores and 199 labels"),
    "empty": ([], [], None, r"0 sample\(s\)"),
    "one score": (np.ones(200), PARTIAL, None, "At least two distinct scores are needed, got 1"),
    "three classes": (
        SCORES,
        np.arange(200) % 3,
        None,
        r"Two classes are needed, got 3: \[0, 1, 2\]",
    ),
    "plus minus": (SCORES, 2 * LABELS - 1, None, "is -1 a class, or an item that is not labelled"),
    "strings": (SCORES, np.array(["a", "b"])[LABELS], None, "pos_label is not specified"),
    "continuous": (SCORES, SCORES, None, "Labels must be classes, got the number"),
    "text": (SCORES, PARTIAL.astype(str), None, "may be a class or a missing label"),
    "features": (
        np.column_stack([SCORES] * 3),
        PARTIAL,
        None,
        "one score an item.*not its features",
    ),
    "two columns": (
        np.column_stack([SCORES] * 2),
        PARTIAL,
        None,
        "not probabilities summing to one",
    ),
    "negative weight": (SCORES, PARTIAL, np.full(200, -1.0), "finite and not negative; got -1.0"),
    "infinite weight": (SCORES, PARTIAL, np.full(200, np.inf), "finite and not negative; got inf"),
    "nan weight": (SCORES, PARTIAL, np.full(200, np.nan), "finite and not negative; got nan"),
    "no weight": (SCORES, PARTIAL, np.zeros(200), "sample_weight is zero everywhere"),
    "weights": (SCORES, PARTIAL, [1.0], r"sample_weight must have shape \(200,\)"),
}


@pytest.mark.parametrize(("X", "y", "weights", "message"), BAD_DATA.values(), ids=BAD_DATA)
def test_bad_data_are_named(X, y, weights, message):
    with pytest.raises(ValueError, match=message):
        make_mixture().fit(X, y, sample_weight=weights)


def test_labels_of_mixed_types_are_named():
    with pytest.raises(TypeError, match="Labels mix numbers and strings"):
        make_mixture().fit(SCORES, ["spam", 1] * 100)


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
    "family in list": ({"positive": ["norm", 3]}, TypeError, "must be a name or an instance"),
    "no sequence": ({"negative": 3}, TypeError, r"[Aa] family.* got 3"),
    "no family": ({"negative": []}, ValueError, "The sequence of families is empty"),
    "combine": ({"combine": "mean"}, ValueError, "combine must be one of .*; got 'mean'"),
    "method": ({"method": "mcmc"}, ValueError, "method must be one of .*; got 'mcmc'"),
    "proposal": ({"proposal": "wide"}, ValueError, "proposal must be one of .*; got 'wide'"),
    "scale": ({"score_scale": "log"}, ValueError, "Unknown score_scale 'log'; choose one of"),
    "no draw": ({"n_draws": 0}, ValueError, "n_draws must be at least 1, got 0"),
    "half a draw": ({"n_draws": 0.5}, TypeError, "n_draws must be a whole number, got 0.5"),
    "prior a number": ({"prevalence_prior": 1.0}, ValueError, "two parameters of a Beta density"),
    "prior negative": (
        {"prevalence_prior": (1.0, -1.0)},
        ValueError,
        r"prevalence_prior must lie in \(0, inf\), got -1.0",
    ),
    "prior zero": (
        {"prevalence_prior": (0.0, 1.0)},
        ValueError,
        r"prevalence_prior must lie in \(0, inf\), got 0.0",
    ),
    "prior text": ({"prevalence_prior": "ab"}, ValueError, "two parameters of a Beta density"),
    "random state": ({"random_state": "seed"}, ValueError, "random_state must be None, an int"),
    "pos_label": ({"pos_label": "spam"}, ValueError, "pos_label='spam' is not one of the classes"),
    "classes": ({"classes": [0, 2]}, ValueError, r"y holds \[1\], not among classes=\[0, 2\]"),
}


@pytest.mark.parametrize(
    ("parameters", "error", "message"), BAD_PARAMETERS.values(), ids=BAD_PARAMETERS
)
def test_bad_parameters_are_named(parameters, error, message):
    with pytest.raises(error, match=message):
        make_mixture(**parameters).fit(SCORES, PARTIAL)


@pytest.mark.parametrize("prior", [(1.0,), (1.0, np.nan), (1.0, np.inf), (1.0, 2.0, 3.0)], ids=str)
def test_a_prevalence_prior_is_two_finite_numbers(prior):
    with pytest.raises(ValueError, match="prevalence_prior must"):
        make_mixture(prevalence_prior=prior).fit(SCORES, PARTIAL)


@pytest.mark.parametrize("family", ["gamma", "truncnorm", "lognorm"])
def test_a_family_of_positive_scores_needs_positive_scores_on_the_identity_scale(family):
    with pytest.raises(ValueError, match=f"The family {family!r} lives on positive scores.*auto"):
        make_mixture("norm", family, score_scale="identity").fit(SCORES, PARTIAL)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "score_samples", "score"])
def test_a_mixture_that_is_not_fitted_says_so(method):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(make_mixture(), method)(SCORES)


def test_a_mixture_that_is_not_fitted_gives_no_sample():
    with pytest.raises(NotFittedError, match="not fitted yet"):
        make_mixture().sample()


@pytest.mark.parametrize("n_samples", [0, -1])
def test_samples_are_at_least_one(fitted, n_samples):
    with pytest.raises(ValueError, match=f"n_samples must be at least 1, got {n_samples}"):
        fitted.sample(n_samples)


def test_held_out_data_are_checked_too(fitted):
    with pytest.raises(ValueError, match="Scores must be finite"):
        fitted.predict_proba([np.nan])
    with pytest.raises(ValueError, match="same length, got 2 scores and 1 labels"):
        fitted.score([0.0, 1.0], [1])
    with pytest.raises(ValueError, match=r"y holds \[2\], not among classes"):
        fitted.score([0.0, 1.0], [1, 2])


def test_a_few_draws_are_drawn_and_warned_of():
    with pytest.warns(SamplingWarning, match="effective sample size"):
        mixture = make_mixture(n_draws=10).fit(SCORES, PARTIAL)
    assert all(len(draws) >= 10 for draws in mixture.posterior_.draws)

"""What the scores are read as is said, and the same probabilities are the same answer."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import special

from sklearn_spe import (
    PerformanceCurveEstimator,
    PerformanceReport,
    ScoreHistogram,
    SemisupervisedScoreMixture,
)
from sklearn_spe.application import main_estimates
from sklearn_spe.data._item_data import ItemData
from tests.quick import EXPERTS, QUIET

pytestmark = QUIET
N, N_LABELED = 400, 60


def performance(**parameters):
    mixture = SemisupervisedScoreMixture(
        "norm", "norm", experts=EXPERTS, n_draws=60, random_state=0, **parameters
    )
    return PerformanceCurveEstimator(mixture, n_draws=60, random_state=0)


@pytest.fixture(scope="module")
def data(global_random_seed):
    """Return percentages from nearly 0 to nearly 100, and labels of some."""
    rng = np.random.default_rng(global_random_seed)
    labels = np.arange(N) % 3 == 0
    log_odds = rng.normal(2.0 * labels - 1.0)
    log_odds[-2:] = -4.0, 4.0
    y = np.where(np.arange(N) < N_LABELED, labels, -1)
    return 100.0 * special.expit(log_odds), y.astype(int)


def said(fit):
    """Return the sentence on the kind of the scores, if there is one."""
    lines = [line for line in main_estimates(fit).remarks if line.startswith("Scores are read as ")]
    return lines[0].removeprefix("Scores are read as ") if lines else None


def test_the_kind_may_be_given_to_the_estimator_or_to_its_mixture(data):
    percent, y = data
    of_mixture = performance(score_kind="log_odds").fit(percent, y)
    of_estimator = performance().set_params(score_kind="log_odds").fit(percent, y)
    for name in ("average_precision", "prevalence"):
        np.testing.assert_array_equal(
            of_estimator.estimate(name).draws, of_mixture.estimate(name).draws
        )
    assert of_estimator.mixture_.score_kind_ == "log_odds"
    assert of_estimator.mixture.score_kind == "auto"

    # Without a mixture, and in disagreement with one.
    alone = PerformanceCurveEstimator(score_kind="log_odds", n_draws=60, random_state=0)
    assert alone.fit(percent, y).mixture_.score_kind_ == "log_odds"
    with pytest.raises(ValueError, match="score_kind is 'log_odds' in PerformanceCurveEstimator"):
        performance(score_kind="margin").set_params(score_kind="log_odds").fit(percent, y)
    with pytest.raises(ValueError, match=r"score_kind must be one of .*; got 'logit'"):
        PerformanceCurveEstimator(score_kind="logit").fit(percent, y)


@pytest.mark.parametrize("greater_is_positive", [True, False])
def test_percentages_and_their_shares_have_the_same_answers(data, greater_is_positive):
    percent, y = data
    percent = percent if greater_is_positive else 100.0 - percent
    how = {"greater_is_positive": greater_is_positive}
    fits = [
        performance(**how, score_kind=kind).fit(scores, y)
        for kind, scores in (
            ("auto", percent / 100.0),
            ("auto", percent),
            ("probability", percent / 100.0),
            ("percent", percent),
        )
    ]
    answers = [fit.estimate("average_precision").draws for fit in fits]
    np.testing.assert_allclose(answers[1], answers[0], rtol=1e-9)
    np.testing.assert_allclose(answers[3], answers[2], rtol=1e-9)
    assert [fit.default_threshold_ for fit in fits] == [0.5, 50.0, 0.5, 50.0]
    assert said(fits[0]).startswith("probabilities. Pass score_kind= if you know")
    assert said(fits[1]).startswith("probabilities in percent. Pass score_kind= if you know")
    assert said(fits[2]) is said(fits[3]) is None


def test_verdicts_of_judges_are_not_called_scores(data):
    scores, y = data
    verdict = (scores > 50.0).astype(int)
    assert said(performance().fit(None, y, judges={"gpt": verdict})) is None
    assert said(performance().fit(None, y, judges={"gpt": verdict, "crowd": verdict})) is None
    assert said(performance().fit(scores, y, judges={"gpt": verdict})) is not None


def test_a_histogram_of_percentages_says_so_too(data):
    percent, y = data
    histogram = ScoreHistogram("identity").update(percent)
    fit = performance().fit(histogram.with_labels(percent[:N_LABELED], y[:N_LABELED]))
    assert said(fit).startswith("probabilities in percent.")
    with pytest.raises(ValueError, match="for percentages count scores / 100"):
        ScoreHistogram().update(percent)


def test_each_system_has_its_kind(data):
    percent, y = data
    systems = {
        "share": percent / 100.0,
        "margin": special.logit(percent / 100.0),
        "percent": percent,
        "shifted": 3.0 + special.logit(percent / 100.0),
    }
    fit = performance().fit(systems, y)
    words = said(fit).split(". Pass")[0].split("; ")
    assert words[0] == "probabilities (share)"
    assert words[1] == "any real numbers, such as log-odds or margins (margin, shifted)"
    assert words[2] == "probabilities in percent (percent)"


@pytest.mark.parametrize("greater_is_positive", [True, False])
def test_systems_share_the_unit_of_percentages(data, greater_is_positive):
    percent, y = data
    # The second system alone could have distances: none is near 100.
    systems = np.column_stack([percent, 0.6 * percent])
    systems = systems if greater_is_positive else 100.0 - systems
    names = ["sure", "unsure"]
    how = {"greater_is_positive": greater_is_positive}
    fits = [
        performance(**how).fit(dict(zip(names, scores.T, strict=True)), y)
        for scores in (systems / 100.0, systems)
    ]
    for name in names:
        shares, percentages = (fit.of(system=name).estimate("roc_auc").draws for fit in fits)
        np.testing.assert_allclose(percentages, shares, rtol=1e-9)
        shares, percentages = (fit.of(system=name).default_threshold_ for fit in fits)
        assert percentages == 100.0 * shares
    assert said(fits[1]).startswith("probabilities in percent.")


def test_the_page_says_it(data):
    percent, y = data
    report = PerformanceReport.from_estimator(performance().fit(percent / 100.0, y))
    assert "Scores are read as probabilities." in report.to_html()


def test_many_columns_without_names_may_be_features(data):
    _, y = data
    X, mixture = np.random.default_rng(0).normal(size=(N, 30)), performance().mixture
    with pytest.warns(UserWarning, match=r"30 systems: did you pass X instead of the classifier's"):
        ItemData.read(mixture, X, y)
    names = [f"system {number}" for number in range(30)]
    frame = pd.DataFrame(X, columns=names)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(ItemData.read(mixture, frame, y).systems) == 30
    # Features of a data frame have names too, and spreads that differ widely.
    frame["system 3"] *= 1e5
    with pytest.warns(UserWarning, match=r"30 systems: did you pass X .* pass a mapping of named"):
        ItemData.read(mixture, frame, y)
    # With names there is no doubt, and no warning.
    assert len(ItemData.read(mixture, dict(zip(names, X.T, strict=True)), y).systems) == 30


def test_of_several_classes_columns_say_what_they_are(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    proba = rng.dirichlet([1.0, 1.0, 1.0], 60)
    y = np.where(np.arange(60) < 20, proba.argmax(axis=1), -1)
    estimator = PerformanceCurveEstimator(classes=[0, 1, 2], score_kind="probability")
    with pytest.raises(ValueError, match=r"score_kind is for two classes\. .* leave it out"):
        estimator.fit(proba, y)

"""Labels that were chosen by class, with unknown shares: answers about the items without labels."""

import numpy as np
import pytest

from sklearn_spe import MeanEstimator, PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.families import BetaPrior

N_LABELED, N_NEW, PREVALENCE = 50, 2000, 0.85
# As many as an interval of 99.9% needs.
N_DRAWS = 2000


@pytest.fixture(scope="module")
def balanced(global_random_seed):
    """Verdicts and labels: 50 that pass, 50 that fail, and new ones without a label."""
    rng = np.random.default_rng(global_random_seed)
    truth = np.r_[np.ones(N_LABELED), np.zeros(N_LABELED), rng.random(N_NEW) < PREVALENCE]
    verdict = (rng.random(len(truth)) < np.where(truth == 1, 0.95, 0.15)).astype(int)
    y = np.where(np.arange(len(truth)) < 2 * N_LABELED, truth, -1).astype(int)
    return verdict, y, truth.astype(int)


@pytest.fixture(scope="module")
def performance(balanced):
    verdict, y, _ = balanced
    estimator = PerformanceCurveEstimator(n_draws=N_DRAWS, random_state=0)
    return estimator.fit(None, y, judges={"gpt": verdict}, inclusion_proba="by_class")


def test_answers_are_of_the_new_items(performance, balanced):
    """Prevalence and precision are shifted to the new items; the labels are no part of them."""
    verdict, y, truth = balanced
    new = y == -1
    called = new & (verdict == 1)
    for metric, known in (
        ("prevalence", truth[new].mean()),
        ("precision", truth[called].mean()),
        ("recall", verdict[new & (truth == 1)].mean()),
        ("specificity", 1.0 - verdict[new & (truth == 0)].mean()),
    ):
        estimate = performance.estimate(metric)
        # An interval of 99.9%.
        low, high = estimate.interval(0.999)
        assert low <= known <= high, metric
    assert performance.verdict_ == "ok"
    assert performance.posterior_.n_weighted_items == N_NEW


def test_the_width_is_that_of_the_labels(performance):
    """50 labels of each class and a hard verdict: an interval as wide as Rogan and Gladen's."""
    low, high = performance.estimate("prevalence").interval()
    sensitivity, specificity, rate = 0.95, 0.85, 0.95 * PREVALENCE + 0.15 * (1.0 - PREVALENCE)
    variance = (
        rate * (1.0 - rate) / N_NEW
        + PREVALENCE**2 * sensitivity * (1.0 - sensitivity) / N_LABELED
        + (1.0 - PREVALENCE) ** 2 * specificity * (1.0 - specificity) / N_LABELED
    ) / (sensitivity + specificity - 1.0) ** 2
    width = 2.0 * 1.645 * np.sqrt(variance)
    assert 0.5 * width < high - low < 1.8 * width


def test_doors_agree(performance, balanced):
    """A judge, a column of scores, the judge's ranking and the mean have the same posterior."""
    verdict, y, _ = balanced
    prevalence = performance.estimate("prevalence")
    of_scores = PerformanceCurveEstimator(n_draws=N_DRAWS, random_state=0)
    of_scores = of_scores.fit(verdict, y, inclusion_proba="by_class")
    assert of_scores.estimate("prevalence").value == prevalence.value

    means = MeanEstimator(n_draws=N_DRAWS, random_state=0)
    means = means.fit(verdict, np.where(y == -1, np.nan, y), inclusion_proba="by_class")
    assert means.estimate().value == prevalence.value

    recall = performance.estimate("recall").value
    assert performance.of(judge="gpt").estimate("recall").value == recall
    assert performance.by_category("recall", by="judge")["gpt"].value == recall


def test_other_class_is_the_complement(balanced):
    """Of the other class the share is one minus the share, of the same draws."""
    verdict, y, _ = balanced
    passes, fails = (
        PerformanceCurveEstimator(pos_label=label, n_draws=200, random_state=0)
        for label in ("good", "bad")
    )
    names = np.array([None if label < 0 else ("bad", "good")[label] for label in y])
    given = np.array(["bad", "good"])[verdict]
    of_passes, of_fails = (
        estimator.fit(None, names, judges={"gpt": given}, inclusion_proba="by_class")
        for estimator in (passes, fails)
    )
    sums = of_passes.estimate("prevalence").value + of_fails.estimate("prevalence").value
    assert sums == pytest.approx(1.0, abs=0.1)


def test_scores_and_a_prior_of_the_prevalence(global_random_seed):
    """Scores are answered in five bins, and a stated prevalence narrows the interval."""
    rng = np.random.default_rng(global_random_seed)
    truth = np.r_[np.ones(50), np.zeros(50), rng.random(600) < 0.7].astype(int)
    scores = rng.normal(2.0 * truth)
    y = np.where(np.arange(700) < 100, truth, -1)
    widths = []
    for prior in ("auto", BetaPrior(70.0, 30.0)):
        mixture = SemisupervisedScoreMixture(
            prevalence_prior=prior, n_draws=N_DRAWS, random_state=0
        )
        performance = PerformanceCurveEstimator(mixture)
        performance = performance.fit(scores, y, inclusion_proba="by_class")
        low, high = performance.estimate("prevalence").interval()
        widths.append(high - low)
    assert performance.posterior_.bins.n_bins == 5
    assert widths[1] < widths[0]
    assert performance.curve("roc", target="population").value[-1] == pytest.approx(1.0)


def test_new_items_that_are_no_mixture_are_a_misfit(global_random_seed):
    """Scores of new items that neither class has."""
    rng = np.random.default_rng(global_random_seed)
    scores = np.r_[rng.normal(2.0, 0.5, 50), rng.normal(-2.0, 0.5, 50), rng.normal(0.0, 0.5, 400)]
    y = np.r_[np.ones(50), np.zeros(50), np.full(400, -1)].astype(int)
    performance = PerformanceCurveEstimator(n_draws=200, random_state=0)
    with pytest.warns(UserWarning, match="no label shift"):
        performance.fit(scores, y, inclusion_proba="by_class")
    assert performance.verdict_ == "misfit"
    assert "no_label_shift" in [reason.name for reason in performance.verdict_.reasons]


def test_scores_without_information_are_unidentified(balanced):
    _, y, _ = balanced
    performance = PerformanceCurveEstimator(n_draws=200, random_state=0)
    with pytest.warns(UserWarning, match="alike classes"):
        performance.fit(np.ones(len(y)), y, inclusion_proba="by_class")
    assert performance.verdict_ == "unidentified"
    low, high = performance.estimate("prevalence").interval()
    assert high - low > 0.8


def test_update_takes_further_labels(balanced):
    """After an update the fit is that of all labels."""
    verdict, y, _ = balanced
    first = np.where(np.arange(len(y)) % 2 == 0, y, -1)
    settings = {"n_draws": 200, "random_state": 0}
    updated = PerformanceCurveEstimator(**settings).fit(verdict, first, inclusion_proba="by_class")
    updated.update(verdict, y)
    direct = PerformanceCurveEstimator(**settings).fit(verdict, y, inclusion_proba="by_class")
    assert updated.estimate("prevalence").value == direct.estimate("prevalence").value


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"inclusion_proba": "by class"}, "must be 'by_class'"),
        ({"category": True}, "does not support category="),
        ({"groups": True}, "does not support groups="),
        ({"known_positives": 70}, "does not support known_positives="),
        ({"X": None}, "neither X nor judges"),
        ({"judges": True}, "both X and judges"),
        ({"X": {"a": True, "b": True}}, "one column of scores"),
        ({"y": "all"}, "all items are labeled"),
    ],
)
def test_what_is_refused(balanced, change, match):
    verdict, y, truth = balanced
    columns = {name: verdict if value is True else value for name, value in change.items()}
    if isinstance(columns.get("X"), dict):
        columns["X"] = dict.fromkeys(columns["X"], verdict)
    if columns.get("y") == "all":
        columns["y"] = truth
    arguments = {"X": verdict, "y": y, "inclusion_proba": "by_class", **columns}
    with pytest.raises((ValueError, TypeError), match=match):
        PerformanceCurveEstimator().fit(arguments.pop("X"), arguments.pop("y"), **arguments)


def test_grades_are_refused(balanced):
    verdict, y, _ = balanced
    grades = np.where(y == -1, np.nan, y * 2.5 + 1.0)
    with pytest.raises(ValueError, match="labels of two classes"):
        MeanEstimator().fit(verdict, grades, inclusion_proba="by_class")

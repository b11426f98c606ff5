"""The summary prints what the estimator says."""

import re

import numpy as np
import pytest

from sklearn_spe import MeanEstimator, PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.application import main_estimates
from tests.display.data import even_scores
from tests.quick import EXPERTS as QUICK

SCORES, LABELS = even_scores(900)


EXPERTS = {"experts": QUICK, "bare": None}


def fitted(experts, seed, n_labeled=40):
    mixture = SemisupervisedScoreMixture(
        ["norm", "gumbel_r"], "norm", experts=experts, n_draws=200, random_state=seed
    )
    return PerformanceCurveEstimator(mixture, confidence_level=0.8, random_state=seed).fit(
        *even_scores(900, n_labeled)
    )


@pytest.fixture(scope="module")
def performances(global_random_seed):
    return {name: fitted(experts, global_random_seed) for name, experts in EXPERTS.items()}


@pytest.fixture(params=EXPERTS)
def performance(request, performances):
    return performances[request.param]


def values_of(text):
    """Return value, lower and upper end of each line of the table."""
    rows = {}
    table = next(part for part in text.split("\n\n") if part.split()[0] == "value")
    for line in table.splitlines()[1:]:
        value, low, _, high = line.split()[-4:]
        rows[" ".join(line.split()[:-4])] = [float(value), float(low), float(high)]
    return rows


def test_counts_and_the_verdict_are_reported(performance):
    summary = main_estimates(performance)
    sentences, numbers, remarks, model = str(summary).split("\n\n")
    n_positive = LABELS[:40].sum()
    verdict, *_ = remarks.splitlines()
    counts = next(line for line in remarks.splitlines() if " labeled (" in line)
    # There may be a remark on a label.
    assert verdict.startswith("Verdict: ok")
    assert counts == (
        f"900 items, 40 labeled ({n_positive} of class 1, {40 - n_positive} of class 0)."
    )
    # The answer comes first, in words, and how it was computed last.
    assert sentences.splitlines() == list(summary.summary)
    assert numbers.split()[0] == "value"
    assert model.splitlines() == list(summary.model)


def test_experts_are_reported_with_their_weights_the_heaviest_first(performances):
    performance = performances["experts"]
    lines = main_estimates(performance).model
    weights = performance.posterior_.updated.weights
    format_number = re.findall(r"(\w+) (\d+)%", lines[0])
    heavy = weights.posterior >= 0.005
    expected = dict(zip(weights.names, 100.0 * weights.posterior, strict=True))
    assert {name for name, _ in format_number} == set(np.array(weights.names)[heavy])
    assert [float(share) for _, share in format_number] == sorted(
        (float(s) for _, s in format_number), reverse=True
    )
    for name, share in format_number:
        assert float(share) == pytest.approx(expected[name], abs=0.5)
    assert lines[0].endswith("kind of scores: unknown.")
    assert f"{performance.mixture_.ess_:.0f} effective draws" in lines[1]


def test_the_numbers_are_those_of_the_estimator(performance):
    rows = values_of(str(main_estimates(performance, threshold=1.5)))
    expected = {
        "average precision": performance.estimate("average_precision"),
        "roc auc": performance.estimate("roc_auc"),
        "prevalence": performance.estimate("prevalence"),
        "precision at score 1.5": performance.estimate("precision", threshold=1.5),
        "recall at score 1.5": performance.estimate("recall", threshold=1.5),
        "f1 at score 1.5": performance.estimate("f1", threshold=1.5),
    }
    for recall in (0.25, 0.5, 0.75, 0.9):
        estimate = performance.estimate("precision", recall=recall)
        expected[f"precision at recall {recall:g}"] = estimate
    assert set(rows) == set(expected)
    for name, estimate in expected.items():
        assert rows[name] == pytest.approx([estimate.value, *estimate.interval()], abs=5e-4)


@pytest.mark.parametrize("threshold", [None, 1.5])
def test_the_sentences_are_of_the_decision_here_and_on_further_items(performance, threshold):
    at = performance.default_threshold_ if threshold is None else threshold
    of_these, further = main_estimates(performance, threshold=threshold).summary
    for name in ("precision", "recall"):
        sentence = performance.estimate(name, threshold=at).sentence()
        assert sentence.split(", ", 1)[1].lower() in of_these.lower()
        low, high = performance.estimate(name, threshold=at, target="population").interval()
        assert f"{100.0 * low:.0f} to {100.0 * high:.0f}" in further


def test_the_mean_of_numbers_has_a_summary_too(global_random_seed):
    y = np.where(np.arange(900) < 60, SCORES, np.nan)
    means = MeanEstimator(random_state=global_random_seed).fit(
        LABELS, y, category=np.arange(900) % 2
    )
    table = main_estimates(means)
    assert table.names == ("mean label", "0", "1")
    assert table["mean label"].interval() == means.estimate().interval()
    assert table.remarks[:2] == ("Verdict: ok", "900 items, 60 labeled.")
    low, high = means.estimate(target="population").interval()
    further = f"Further items like these: mean label {low:.3f} to {high:.3f}, 0 "
    assert table.remarks[2].startswith(further)
    with pytest.raises(ValueError, match="threshold= is for scores of two classes"):
        main_estimates(means, threshold=0.5)


def test_why_a_mean_of_further_items_is_not_known(global_random_seed):
    # Four labels out of four have a mean, and no interval for others.
    means = MeanEstimator(random_state=global_random_seed).fit(None, [1.0, 2.5, 4.0, 3.0])
    (line,) = main_estimates(means).remarks[2:]
    assert line.startswith("Further items like these: not known. Y holds 4 labels")

"""Bets against a model are worth what brute force says, and rarely win if it is right."""

import itertools
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy import special

from sklearn_spe.checks._label_checks import SCORE_ENDS, SHIFTS, LabelEProcess
from sklearn_spe.data._sample import ScoreSample
from sklearn_spe.inputs._scores import ScoreDirection
from sklearn_spe.posterior._posterior import Block

SCORES = np.arange(100.0)
CURVES = np.array([0.0, 1.5, -2.0])


@dataclass
class Lines:
    """Three curves logit p = c + (s - 70) / 20, weighted by labels: a posterior one can sum."""

    sample: ScoreSample
    kind: str = "posterior"

    @property
    def weights(self):
        p = self.positive_probability(self.sample.scores, None)
        sample = self.sample
        log = (sample.positive * np.log(p) + sample.negative * np.log1p(-p)).sum(axis=1)
        return special.softmax(log)

    def parts_of_draws(self, n_columns):
        return [Block(0, 0, slice(0, 3), slice(0, 3))]

    def positive_probability(self, scores, block):
        return special.expit(CURVES[:, np.newaxis] + (np.asarray(scores) - 70.0) / 20.0)

    # Labels of a score are like all items of it.
    labeled_probability = positive_probability


def labeled(at, labels):
    codes = np.full(len(SCORES), -1)
    codes[at] = labels
    return Lines(ScoreSample.from_items(SCORES, codes, np.ones(len(SCORES))))


def likelihood(at, labels, shift, inside):
    """Return the joint probability of labels under equal curves, some log-odds shifted."""
    log_odds = CURVES[:, np.newaxis] + (SCORES[at] - 70.0) / 20.0 + shift * inside
    p = special.expit(log_odds)
    return np.where(labels, p, 1.0 - p).prod(axis=1).mean()


AT = np.array([5, 40, 65, 80, 92, 95, 99])
# The share of items above a score says in which part it is.
PART = np.searchsorted(SCORE_ENDS, (99 - AT) / 100.0, side="right")


@pytest.mark.parametrize("k", range(len(SHIFTS)))
def test_the_e_value_of_an_alternative_is_the_ratio_of_both_likelihoods(k):
    labels = np.array([0, 1, 0, 0, 1, 0, 0])
    bets = LabelEProcess.of(labeled(AT, labels))
    for part in range(len(SCORE_ENDS) + 1):
        inside = np.ones(len(AT)) if part == 0 else part - 1 == PART
        ratio = likelihood(AT, labels, SHIFTS[k], inside) / likelihood(AT, labels, 0.0, inside)
        assert bets.log_e_values[k, part] == pytest.approx(np.log(ratio), abs=1e-9)


def test_the_expectation_of_a_bet_is_one_under_the_model():
    at = AT[[1, 3, 5, 6]]
    outcomes = [np.array(o) for o in itertools.product([0, 1], repeat=len(at))]
    every = np.ones(len(at))
    probability = np.array([likelihood(at, o, 0.0, every) for o in outcomes])
    wealth = [np.exp(LabelEProcess.of(labeled(at, o)).log_e_value) for o in outcomes]
    assert probability.sum() == pytest.approx(1.0)
    assert probability @ wealth == pytest.approx(1.0)


def test_labels_that_no_curve_expects_are_a_misfit():
    at = np.arange(80, 100)
    expected = LabelEProcess.of(labeled(at, np.ones(20, dtype=int)))
    assert list(expected.reasons(ScoreDirection())) == []
    suspect = LabelEProcess.of(labeled(at, np.zeros(20, dtype=int)))
    (reason,) = suspect.reasons(ScoreDirection())
    assert reason.verdict == "misfit"
    assert reason.text.startswith("Fewer items are positive among all scores")
    assert suspect.model_weight < 0.8 < expected.model_weight


def test_without_labels_and_around_a_maximum_nothing_is_won():
    around = replace(labeled(np.arange(80, 100), np.zeros(20, dtype=int)), kind="fisher")
    assert LabelEProcess.of(around).log_e_value == pytest.approx(0.0)
    bets = LabelEProcess.of(labeled(np.array([], dtype=int), []))
    assert bets.log_e_value == pytest.approx(0.0)
    assert bets.model_weight == pytest.approx(1.0 / 1.01)


@pytest.mark.parametrize("half", ["upper", "lower"])
def test_a_misfit_of_one_category_is_named_by_its_half(half):
    at = np.arange(60, 100)
    # All are as the curves say, but the labels of one category, which are all negative.
    is_other = at % 2 == 1
    labels = ~is_other & (at >= 70)
    posterior = labeled(at, labels)
    counts = posterior.sample.labeled(100)
    probability = [posterior.positive_probability(counts.scores, None)]
    inside = np.vstack([np.ones(40, dtype=bool), *np.zeros((len(SCORE_ENDS), 40), bool), is_other])
    bets = LabelEProcess.placed(probability, posterior, counts, inside, [(half, "B")])
    for k, shift in enumerate(SHIFTS):
        ratio = likelihood(at, labels, shift, is_other) / likelihood(at, labels, 0.0, is_other)
        assert bets.log_e_values[k, -1] == pytest.approx(np.log(ratio), abs=1e-9)
    (reason,) = bets.reasons(ScoreDirection())
    assert reason.text.startswith("Fewer items are positive ")
    assert f"in the {half} half of 'B'" in reason.text
    assert (reason.details["half"], reason.details["category"]) == (half, "B")

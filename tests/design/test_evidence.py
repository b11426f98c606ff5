"""Evidence for a guarantee, verified without the model."""

import copy
import json
import re

import numpy as np
import pytest

from sklearn_spe.design import RecallCertificate, verify_evidence
from sklearn_spe.design._evidence import (
    goal_evidence,
    precision_evidence,
    recall_evidence,
    signed,
)
from sklearn_spe.design._goal_certificate import GoalCertificate
from sklearn_spe.design._random_order import OrderedCertificate
from sklearn_spe.design._recall_certificate import Review
from sklearn_spe.goals._goal import Goal
from sklearn_spe.metrics import FBeta


def evidence_of_precision(rng):
    """Return the evidence for the deepest proved threshold."""
    scores, order = -np.arange(150.0), rng.permutation(150)
    known = np.where(np.arange(150) < 3, 1, -1)
    certificate = OrderedCertificate.start(
        scores, Goal.of(precision=0.7), random_order=order, known=known
    )
    items = order[order >= 3][:60]
    certificate = certificate.with_labels(items, (items < 100).astype(int))
    threshold = certificate.thresholds[np.flatnonzero(certificate.proved)[-1]]
    return precision_evidence(certificate, scores, threshold, items)


def evidence_of_recall(rng):
    """Return the evidence of 40 items read from the top and 160 drawn among the other 460."""
    labels = np.r_[np.ones(40), np.zeros(160)]
    chances = np.r_[np.full(40, np.nan), 1.0 / (460 - np.arange(160))]
    review = Review(500, np.r_[:40, 40 + rng.permutation(460)[:160]], labels, chances, chances)
    looks = [{"n_labels": 200, "n_drawn": 160, "n_found": 40, "level": 0.5}]
    return recall_evidence(review, recall=0.7, confidence_level=0.95, history=looks)


def evidence_of_goal(rng):
    """Return the evidence of 15 unequal draws, and 30 equal ones, of 60 items."""
    return goal_evidence(*certificate_of_goal(Goal.of(precision=0.4, recall=0.4), rng))


def certificate_of_goal(goal, rng):
    """Return a certificate after one known label and 45 draws, the scores and a threshold."""
    n = 60
    scores, labels = -np.arange(60.0), (np.arange(60) < 25).astype(int)
    certificate = GoalCertificate.start(scores, goal).known([3], labels[[3]])
    free = np.arange(n) != 3
    # Some with unequal inclusion probabilities, and then uniformly.
    for _ in range(15):
        chances = np.where(free, 1.0 + (np.arange(n) < 30), 0.0)
        chances = chances / chances.sum()
        item = rng.choice(n, p=chances)
        counts = certificate.threshold_counts(chances)
        certificate = certificate.drawn(item, labels[item], chances[item], counts)
        free[item] = False
    items = rng.permutation(np.flatnonzero(free))[:30]
    certificate = certificate.drawn_evenly(items, labels[items])
    return certificate, scores, certificate.thresholds[int(np.argmax(certificate.levels))]


@pytest.fixture
def precision(global_random_seed):
    """Return the evidence for the deepest proved threshold."""
    return evidence_of_precision(np.random.default_rng(global_random_seed))


def test_a_precision_is_verified_from_the_labels_alone(precision):
    evidence = precision
    found = verify_evidence(json.loads(json.dumps(evidence)), confidence_level=0.9)
    assert found.is_verified
    assert found.n_labels == 63
    assert "prove that at least 0.7 of the selection are positive" in found.sentence()
    # With its labels turned around it is not.
    turned = {name: value for name, value in evidence.items() if name != "sha256"}
    turned["labels"] = {
        "items": evidence["labels"]["items"],
        "labels": [0] * len(evidence["labels"]["items"]),
    }
    assert not verify_evidence(signed(turned), confidence_level=0.5).is_verified


def test_a_recall_is_verified_from_the_draws():
    labels = np.r_[np.ones(40), np.zeros(160)]
    chances = np.r_[np.full(40, np.nan), 1.0 / (460 - np.arange(160))]
    review = Review(500, None, labels, chances, chances)
    evidence = recall_evidence(review, recall=0.7, confidence_level=0.95)
    by_hand = RecallCertificate.start(500, recall=0.7).read(np.ones(40)).drawn(np.zeros(160))
    found = verify_evidence(json.loads(json.dumps(evidence)))
    assert found.is_verified == by_hand.is_reached
    assert found.level == pytest.approx(by_hand.level)
    assert review.until(40).certificate(recall=0.7).level == 0.0


@pytest.mark.parametrize(
    "goal",
    [Goal.of(recall=0.5), Goal.of(precision=0.4, recall=0.4), Goal.of(accuracy=0.6)],
    ids=str,
)
def test_any_goal_that_draws_prove_is_verified(goal, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    certificate, scores, threshold = certificate_of_goal(goal, rng)
    evidence = json.loads(json.dumps(goal_evidence(certificate, scores, threshold)))
    found = verify_evidence(evidence, confidence_level=certificate.confidence_level)
    assert found.level == pytest.approx(certificate.levels.max())
    assert found.is_verified == bool(certificate.proved.any())
    assert found.n_labels == 46
    # Inclusion probabilities that were made up are refused.
    changed = {name: value for name, value in evidence.items() if name != "sha256"}
    changed["steps"][1]["chance"][0][0] += 0.5
    with pytest.raises(ValueError, match="do not add up to one"):
        verify_evidence(signed(changed))


def test_a_metric_that_is_not_in_the_file_leaves_no_evidence():
    certificate = GoalCertificate.start(np.arange(9.0), Goal.of((FBeta(2), 0.5)))
    with pytest.raises(ValueError, match="its definition is not in the file"):
        goal_evidence(certificate, np.arange(9.0), 3.0)


def test_evidence_that_was_changed_is_refused(precision):
    evidence = precision
    changed = copy.deepcopy(evidence)
    changed["labels"]["labels"][0] = 1 - changed["labels"]["labels"][0]
    with pytest.raises(ValueError, match="changed since it was written"):
        verify_evidence(changed)
    with pytest.raises(ValueError, match="not evidence of a guarantee"):
        verify_evidence({"labels": []})
    later = signed({**{k: v for k, v in evidence.items() if k != "sha256"}, "schema_version": 9})
    with pytest.raises(ValueError, match="has version 9"):
        verify_evidence(later)
    lacking = {k: v for k, v in evidence.items() if k not in ("sha256", "scores")}
    with pytest.raises(ValueError, match="lacks 'scores'"):
        verify_evidence(signed(lacking))


def altered(evidence, **fields):
    """Return evidence with other fields, and the checksum of these."""
    return signed({**{k: v for k, v in evidence.items() if k != "sha256"}, **fields})


def test_the_verifier_says_the_level(precision):
    level = verify_evidence(precision).level
    for asked in (level - 1e-9, level):
        assert verify_evidence(precision, confidence_level=asked).is_verified
    assert not verify_evidence(precision, confidence_level=(1.0 + level) / 2.0).is_verified
    # What the file asks for does not lower it.
    lenient = verify_evidence(altered(precision, confidence_level=1e-9), confidence_level=0.999999)
    assert not lenient.is_verified
    with pytest.raises(ValueError, match="confidence_level must lie in"):
        verify_evidence(precision, confidence_level=0.0)


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"confidence_level": 0}, "'confidence_level'"),
        ({"confidence_level": -1}, "'confidence_level'"),
        ({"confidence_level": 1.0}, "'confidence_level'"),
        ({"n_items": 10**6}, "a list of 1,000,000 numbers in 'scores', got 150"),
        ({"labels": {"items": [5], "labels": [1.9]}}, "whole numbers in 'labels.labels', got 1.9"),
        ({"labels": {"items": [5], "labels": [1000]}}, "'labels.labels', got 1000"),
        ({"labels": {"items": [5], "labels": [True]}}, "'labels.labels', got True"),
        ({"labels": {"items": [5, 5], "labels": [1, 1]}}, "each item once in 'labels.items'"),
        ({"labels": {"items": [150], "labels": [1]}}, "from 0 to 149 in 'labels.items', got 150"),
        ({"threshold": 10**400}, "finite numbers in 'threshold'"),
        ({"size_limits": None}, "a list of numbers in 'size_limits'"),
        ({"odd": 1}, "unknown field: 'odd'"),
        ({"schema_version": True}, "has version True"),
        ({"guarantee": ["precision"]}, "must have a guarantee of precision, goal, recall"),
    ],
)
def test_fields_that_no_record_has_are_refused(fields, what, precision):
    with pytest.raises(ValueError, match=re.escape(what)):
        verify_evidence(altered(precision, **fields))

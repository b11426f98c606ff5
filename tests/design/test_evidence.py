"""Evidence for a guarantee, verified without the model."""

import copy
import dataclasses
import hashlib
import json
import re

import numpy as np
import pytest

from sklearn_spe.design import RecallCertificate, verify_evidence
from sklearn_spe.design._committed_order import CommittedOrder, fixed_before, hash_of
from sklearn_spe.design._evidence import (
    goal_evidence,
    guarantee_of_goal,
    recall_evidence,
    signed,
)
from sklearn_spe.design._goal_certificate import GoalCertificate
from sklearn_spe.design._recall_certificate import Review
from sklearn_spe.goals._goal import Goal
from sklearn_spe.metrics import FBeta


def order_of(scores, known, salt="theirs", **guarantee):
    """Return the order in which items are labeled for a guarantee."""
    return CommittedOrder(fixed_before(scores, known, salt, guarantee))


def evidence_of_precision(rng, salt="theirs", labels=None, n_labels=60):
    """Return the evidence for the deepest proved threshold of 400 items, three known before."""
    scores = -np.sort(rng.random(400))
    labels = (np.arange(400) < 340).astype(int) if labels is None else labels
    known = np.where(np.arange(400) < 3, 1, -1)
    goal = Goal.of(precision=0.7)
    order = order_of(scores, known, salt, **guarantee_of_goal(goal, 0.9, 200))
    certificate = GoalCertificate.start(
        scores, goal, random_order=order.items, known=known, first_depth=200
    )
    items = order.items[order.items >= 3][:n_labels]
    certificate = certificate.with_labels(items, labels[items])
    threshold = certificate.thresholds[np.flatnonzero(certificate.proved)[-1]]
    return goal_evidence(certificate, order.fixed, threshold)


def review_of(rng, labels, n_read, n_labels, salt="theirs"):
    """Return a review of items by their scores, some read from the top and then along an order."""
    n = len(labels)
    scores = -np.sort(rng.random(n))
    terms = {"recall": 0.7, "confidence_level": 0.95, "n_out": 0}
    order = order_of(scores, np.full(n, -1), salt, guarantee="recall", **terms)
    drawn = order.items[order.items >= n_read][: n_labels - n_read]
    items = np.r_[np.arange(n_read), drawn]
    is_drawn = np.zeros(len(items), dtype=bool)
    return Review(n, items, items, labels[items].astype(float), is_drawn, order)


def evidence_of_recall(rng, salt="theirs"):
    """Return the evidence of 40 items read from the top and 160 drawn among the other 460."""
    labels = (np.arange(500) < 40).astype(int)
    review = review_of(rng, labels, 40, 200, salt)
    terms = {"recall": 0.7, "confidence_level": 0.95}
    return recall_evidence(review, **terms, n_at_looks=[40, 100, 200])


def evidence_of_goal(rng):
    """Return the evidence of 15 unequal draws, and 30 equal ones, of 60 items."""
    return goal_evidence(*certificate_of_goal(Goal.of(precision=0.4, recall=0.4), rng))


def certificate_of_goal(goal, rng):
    """Return a certificate after one known label and 45 draws, what is fixed, a threshold."""
    n = 60
    scores, labels = -np.arange(60.0), (np.arange(60) < 25).astype(int)
    certificate = GoalCertificate.start(scores, goal).with_labels([3], labels[[3]])
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
    fixed = fixed_before(scores, np.full(n, -1), None, guarantee_of_goal(goal, 0.9, None))
    return certificate, fixed, certificate.thresholds[int(np.argmax(certificate.levels))]


@pytest.fixture
def precision(global_random_seed):
    """Return the evidence for the deepest proved threshold."""
    return evidence_of_precision(np.random.default_rng(global_random_seed))


def test_a_precision_is_verified_from_the_labels_alone(precision):
    evidence = precision
    found = verify_evidence(json.loads(json.dumps(evidence)), confidence_level=0.9)
    assert found.is_verified
    assert found.n_labels == 63
    assert "prove that precision >= 0.7 holds for the selection" in found.sentence()
    # With its labels turned around it is not.
    n_labels = len(evidence["labels"]["items"])
    turned = evidence["labels"] | {"labels": [0] * n_labels}
    assert not verify_evidence(altered(evidence, labels=turned), confidence_level=0.5).is_verified


def test_a_recall_is_verified_along_the_order(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    evidence = json.loads(json.dumps(evidence_of_recall(rng)))
    found = verify_evidence(evidence)
    assert not found.problems
    # By hand: the draws of the order come first, and what was read is known then.
    order = CommittedOrder(evidence["fixed"]).items
    is_labeled = np.isin(order, evidence["labels"]["items"])
    walk = order[: np.argmin(is_labeled)]
    others = np.setdiff1d(evidence["labels"]["items"], walk)
    by_hand = RecallCertificate.start(500, recall=0.7).drawn(walk < 40, walk)
    by_hand = by_hand.read(others < 40, others)
    assert found.level == pytest.approx(by_hand.level)
    assert evidence["history"][-1]["level"] == pytest.approx(by_hand.level)
    assert evidence["n_found"] == 40


def test_a_recall_without_an_order_for_it_leaves_no_evidence(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    review = review_of(rng, np.r_[np.ones(40), np.zeros(460)], 40, 200)
    terms = {"recall": 0.7, "confidence_level": 0.95}
    for other in (review, dataclasses.replace(review, order=None)):
        with pytest.raises(ValueError, match="along an order that was fixed for it"):
            recall_evidence(other, **terms | {"recall": 0.6})
    # Draws without an order are those marked as uniform.
    is_drawn = np.arange(200) >= 40
    drawn = dataclasses.replace(review, order=None, is_drawn=is_drawn)
    by_hand = RecallCertificate.start(500, recall=0.7)
    by_hand = by_hand.read(np.ones(40), np.arange(40)).drawn(np.zeros(160), review.items[40:])
    assert drawn.certificate(**terms).level == by_hand.level > 0.0
    assert drawn.until(40).certificate(**terms).level == 0.0


def test_a_salt_or_a_commitment_is_of_no_proof_without_an_order(global_random_seed):
    evidence = evidence_of_goal(np.random.default_rng(global_random_seed))
    assert not verify_evidence(evidence, confidence_level=0.5).problems
    for shown in ({"salt": "theirs"}, {"commitment": "0" * 64}):
        (problem,) = verify_evidence(evidence, confidence_level=0.5, **shown).problems
        assert "No order of the items was fixed" in problem


def test_hashes_do_not_depend_on_the_order_of_the_fields():
    text = '{"a":[1,2],"b":{"c":null,"d":"x"}}'
    expected = hashlib.sha256(text.encode()).hexdigest()
    assert hash_of({"a": [1, 2], "b": {"c": None, "d": "x"}}) == expected
    assert hash_of({"b": {"d": "x", "c": None}, "a": [1, 2]}) == expected


# --- forged evidence -----------------------------------------------------------------------------


def forged(evidence, kind):
    """Return evidence changed after the labels, with the results that it then has."""
    fixed, labels = copy.deepcopy(evidence["fixed"]), copy.deepcopy(evidence["labels"])
    scores = fixed["scores"]
    if kind == "score":
        scores[60] = float(np.nextafter(scores[60], 0.0))
    elif kind == "rows":
        scores[60], scores[61] = scores[61], scores[60]
    elif kind == "level":
        fixed["confidence_level"] = 0.6
    elif kind == "bound":
        bound = fixed if "recall" in fixed else fixed["goal"]
        (name,) = {"precision", "recall"} & bound.keys()
        bound[name] = 0.65 if bound is fixed else [0.65, None]
    elif kind == "size":
        fixed["n_items"], fixed["scores"] = fixed["n_items"] - 1, scores[:-1]
        keep = [k for k, item in enumerate(labels["items"]) if item < fixed["n_items"]]
        labels = {name: [values[k] for k in keep] for name, values in labels.items()}
    elif kind == "known":
        # Negatives of the walk are said to be known before.
        last = labels["items"].pop(), labels["labels"].pop()
        fixed["known"] = {"items": [last[0]], "labels": [last[1]]}
    draws = {"draws": [None] * len(labels["items"])} if "draws" in evidence else {}
    return altered(evidence, fixed=fixed, labels=labels, **draws)


@pytest.mark.parametrize("make", [evidence_of_precision, evidence_of_recall])
@pytest.mark.parametrize("kind", ["score", "rows", "level", "bound", "size", "known"])
def test_what_is_fixed_before_cannot_be_changed_after_the_labels(make, kind, global_random_seed):
    evidence = make(np.random.default_rng(global_random_seed))
    commitment = CommittedOrder(evidence["fixed"]).commitment
    assert verify_evidence(evidence, confidence_level=0.5, commitment=commitment).is_verified
    assert verify_evidence(evidence, confidence_level=0.5, salt="theirs").is_verified
    other = forged(evidence, kind)
    assert not verify_evidence(other, confidence_level=0.5, commitment=commitment).is_verified
    # With their salt the order is another one, along which nothing, or another level, is proved.
    assert not verify_evidence(other, confidence_level=0.5, salt="theirs").is_verified


def test_orders_chosen_after_the_labels_are_not_verified(global_random_seed):
    # Salts are searched until the first items of the order are positive: half of all are.
    rng = np.random.default_rng(global_random_seed)
    labels = rng.permutation(np.arange(150) % 2)
    scores = -np.arange(150.0)
    goal = Goal.of(precision=0.7)
    guarantee = guarantee_of_goal(goal, 0.6, 20)
    known = np.full(150, -1)
    honest = order_of(scores, known, "theirs", **guarantee).commitment
    for number in range(2000):
        order = order_of(scores, known, str(number), **guarantee)
        certificate = GoalCertificate.start(
            scores, goal, first_depth=20, random_order=order.items, confidence_level=0.6
        )
        items = order.items[order.items < 20][:6]
        certificate = certificate.with_labels(items, labels[items])
        if certificate.proved[1]:
            break
    evidence = goal_evidence(certificate, order.fixed, certificate.thresholds[1])
    alone = verify_evidence(evidence, confidence_level=0.6)
    assert alone.is_verified
    assert "that it preceded the labels is not shown" in alone.sentence()
    assert not verify_evidence(evidence, confidence_level=0.6, commitment=honest).is_verified
    assert not verify_evidence(evidence, confidence_level=0.6, salt="theirs").is_verified


@pytest.mark.parametrize("make", [evidence_of_precision, evidence_of_recall])
def test_labels_and_results_are_those_of_the_table(make, global_random_seed):
    evidence = make(np.random.default_rng(global_random_seed))
    codes = np.full(evidence["fixed"]["n_items"], -1)
    for part in (evidence["fixed"]["known"], evidence["labels"]):
        codes[part["items"]] = part["labels"]
    data = {"scores": evidence["fixed"]["scores"], "labels": codes}
    assert verify_evidence(evidence, confidence_level=0.5, salt="theirs", **data).is_verified
    labels = evidence["labels"]
    free = int(np.flatnonzero(codes < 0)[0])
    added = {"items": [*labels["items"], free], "labels": [*labels["labels"], 1]}
    skipped = labels | {"labels": [-1, *labels["labels"][1:]]}
    draws = {"draws": [*evidence["draws"], None]} if "draws" in evidence else {}
    others = (altered(evidence, labels=added, **draws), altered(evidence, labels=skipped))
    for other in others:
        found = verify_evidence(other, confidence_level=0.5, salt="theirs", **data)
        assert not found.is_verified
        assert "1 labels are others" in found.sentence()
    moved = data | {"scores": data["scores"][::-1]}
    assert "scores are others" in verify_evidence(evidence, **moved).sentence()
    # Results are computed again.
    higher = altered(evidence, level=1.0 - 0.5 * (1.0 - evidence["level"]))
    assert "level in the file" in verify_evidence(higher, confidence_level=0.5).sentence()


def test_looks_are_those_of_the_labels(global_random_seed):
    evidence = evidence_of_recall(np.random.default_rng(global_random_seed))
    first, second, third = evidence["history"]
    with pytest.raises(ValueError, match="increasing numbers of labels"):
        verify_evidence(altered(evidence, history=[second, first, third]))
    swapped = [first | {"level": third["level"]}, second, third]
    found = verify_evidence(altered(evidence, history=swapped), confidence_level=0.5)
    assert found.problems == ("The history in the file is not that of its labels.",)


# --- records -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "goal",
    [Goal.of(recall=0.5), Goal.of(precision=0.4, recall=0.4), Goal.of(accuracy=0.6)],
    ids=str,
)
def test_any_goal_that_draws_prove_is_verified(goal, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    certificate, fixed, threshold = certificate_of_goal(goal, rng)
    evidence = json.loads(json.dumps(goal_evidence(certificate, fixed, threshold)))
    found = verify_evidence(evidence, confidence_level=certificate.confidence_level)
    assert found.level == pytest.approx(certificate.levels.max())
    assert found.is_verified == bool(certificate.proved.any())
    assert found.n_labels == 46
    # Inclusion probabilities that were made up are refused.
    evidence["draws"][1]["chance"][0][0] += 0.5
    with pytest.raises(ValueError, match="do not add up to one"):
        verify_evidence(altered(evidence))


def test_a_metric_that_is_not_in_the_file_leaves_no_evidence():
    certificate = GoalCertificate.start(np.arange(9.0), Goal.of((FBeta(2), 0.5)))
    with pytest.raises(ValueError, match="its definition is not in the file"):
        goal_evidence(certificate, {}, 3.0)


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
    lacking = {k: v for k, v in evidence["fixed"].items() if k != "scores"}
    with pytest.raises(ValueError, match="lacks 'scores'"):
        verify_evidence(altered(evidence, fixed=lacking))


def altered(evidence, **fields):
    """Return evidence with other fields, and the checksum of these."""
    return signed({**{k: v for k, v in evidence.items() if k != "sha256"}, **fields})


def test_the_verifier_says_the_level(precision):
    level = verify_evidence(precision).level
    for asked in (level - 1e-9, level):
        assert verify_evidence(precision, confidence_level=asked).is_verified
    assert not verify_evidence(precision, confidence_level=(1.0 + level) / 2.0).is_verified
    # What the file asks for does not lower it.
    lenient = altered_before(precision, confidence_level=1e-9)
    assert not verify_evidence(lenient, confidence_level=0.999999).is_verified
    with pytest.raises(ValueError, match="confidence_level must lie in"):
        verify_evidence(precision, confidence_level=0.0)


def altered_before(evidence, **fields):
    """Return evidence with other fields among those that are fixed before the first label."""
    return altered(evidence, fixed={**evidence["fixed"], **fields})


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"confidence_level": 0}, "'fixed.confidence_level'"),
        ({"confidence_level": -1}, "'fixed.confidence_level'"),
        ({"confidence_level": 1.0}, "'fixed.confidence_level'"),
        ({"n_items": 10**6}, "a list of 1,000,000 numbers in 'fixed.scores', got 400"),
        ({"first_depth": 0.5}, "whole numbers in 'fixed.first_depth'"),
        ({"first_depth": None}, "a text with a first depth"),
        ({"goal": {"recall": [0.5, None]}}, "proves a lower bound on precision"),
        ({"salt": 7}, "a text of at most 1000 characters in 'salt'"),
        ({"guarantee": ["precision"]}, "must have a guarantee of goal, recall"),
    ],
)
def test_fixed_fields_that_no_record_has_are_refused(fields, what, precision):
    with pytest.raises(ValueError, match=re.escape(what)):
        verify_evidence(altered_before(precision, **fields))


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"labels": {"items": [5], "labels": [1.9]}}, "whole numbers in 'labels.labels', got 1.9"),
        ({"labels": {"items": [5], "labels": [2]}}, "from -1 to 1 in 'labels.labels', got 2"),
        ({"labels": {"items": [5], "labels": [-2]}}, "from -1 to 1 in 'labels.labels', got -2"),
        ({"labels": {"items": [5], "labels": [True]}}, "'labels.labels', got True"),
        ({"labels": {"items": [5, 5], "labels": [1, 1]}}, "each item once in 'labels.items'"),
        ({"labels": {"items": [400], "labels": [1]}}, "from 0 to 399 in 'labels.items', got 400"),
        ({"threshold": 10**400}, "finite numbers in 'threshold'"),
        ({"columns": {"score": 1}}, "the names of columns in 'columns'"),
        ({"odd": 1}, "unknown field: 'odd'"),
        ({"schema_version": True}, "has version True"),
        ({"schema_version": 1}, "verify it by the version of the package that wrote it"),
    ],
)
def test_fields_that_no_record_has_are_refused(fields, what, precision):
    with pytest.raises(ValueError, match=re.escape(what)):
        verify_evidence(altered(precision, **fields))

"""A memory of labels answers as if it had none."""

import numpy as np
from numpy.testing import assert_array_equal

from sklearn_spe.experts._coordinate import Places
from sklearn_spe.experts._label_evidence import Evidence
from sklearn_spe.experts._label_memory import MOST_ROWS, LabelMemory


def labels(rng, n):
    places = Places(rng.integers(0, 9, n), rng.random(n).round(1))
    signs = rng.choice([-1.0, 1.0], n)
    return Evidence((places,), signs, np.ones(n), np.zeros(n), np.empty(0, dtype=int))


class Curves:
    """What is said of labels by five curves, and how many rows were asked for."""

    def __init__(self):
        self.n_asked = 0

    def __call__(self, evidence):
        self.n_asked += evidence.n_rows
        (places,) = evidence.places
        at = places.left + places.share
        return np.multiply.outer(evidence.sign * at, np.arange(1.0, 6.0))


def test_it_answers_as_without_memory(global_random_seed):
    rng, memory, curves = np.random.default_rng(global_random_seed), LabelMemory(), Curves()
    for n in (0, 3, 40, MOST_ROWS, 2 * MOST_ROWS):
        evidence = labels(rng, n)
        assert_array_equal(memory.log_probability(evidence, curves), curves(evidence))


def test_labels_that_were_seen_are_not_asked_for_again(global_random_seed):
    rng, memory, curves = np.random.default_rng(global_random_seed), LabelMemory(), Curves()
    evidence = labels(rng, 30)
    first = memory.log_probability(evidence.rows(slice(0, 20)), curves)
    assert curves.n_asked == 20
    again = memory.log_probability(evidence.rows(slice(0, 20)), curves)
    assert curves.n_asked == 20
    assert_array_equal(again, first)
    memory.log_probability(evidence, curves)
    assert curves.n_asked <= 30


def test_it_holds_no_more_than_it_may():
    memory, curves, n = LabelMemory(), Curves(), 2 * MOST_ROWS
    places = Places(np.arange(n), np.zeros(n))
    evidence = Evidence((places,), np.ones(n), np.ones(n), np.zeros(n), np.empty(0, dtype=int))
    for _ in range(2):
        memory.log_probability(evidence, curves)
    assert curves.n_asked == n + (n - MOST_ROWS)

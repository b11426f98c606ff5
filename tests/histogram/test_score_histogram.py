"""Histograms: the same bits in any order, keys of any engine, and fits like those of items."""

import pickle
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special

from sklearn_spe import PerformanceCurveEstimator, ScoreHistogram, SemisupervisedScoreMixture
from sklearn_spe.exceptions import (
    CoarseBinsWarning,
    InterruptedPassError,
    RemovedLabelsWarning,
)
from tests.estimators.performance.data import QUICK
from tests.quick import QUIET

pytestmark = QUIET

SCALES = {
    "logit": (lambda z: special.expit(z - 2.0), lambda x: np.log(x / (1.0 - x))),
    "identity": (lambda z: z, lambda x: x),
    "asinh": (lambda z: np.sign(z) * np.exp(4.0 * np.abs(z)), np.arcsinh),
}
EVERY_SCALE = pytest.mark.parametrize("scale", SCALES)
WHAT_IT_HOLDS = ("keys", "counts", "scores", "smallest", "largest", "n_missing")


@pytest.fixture(scope="module")
def rng(global_random_seed):
    return np.random.default_rng(global_random_seed)


def scores_on(scale, rng, n=5000):
    return SCALES[scale][0](3.0 * rng.standard_normal(n))


def assert_same(first, second):
    for name in WHAT_IT_HOLDS:
        assert_array_equal(getattr(first, name), getattr(second, name))


# --- what is counted --------------------------------------------------------------------------


@EVERY_SCALE
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_it_counts_what_brute_force_counts(rng, scale, dtype):
    scores = scores_on(scale, rng).astype(dtype)
    histogram = ScoreHistogram(scale, resolution=16).update(scores)
    exact = scores.astype(float)
    keys = np.floor(16.0 * SCALES[scale][1](exact)).astype(int)
    expected, cell, counts = np.unique(keys, return_inverse=True, return_counts=True)
    # Within rounding of an edge an item may be counted beside it: so near comes about none.
    assert_array_equal(histogram.keys, expected)
    assert_array_equal(histogram.counts, counts)
    for i in range(0, len(expected), 17):
        own = exact[cell == i]
        assert (histogram.smallest[i], histogram.largest[i]) == (own.min(), own.max())
    width = np.maximum(histogram.largest - histogram.smallest, 1e-9)
    means = np.bincount(cell, weights=exact) / counts
    assert np.max(np.abs(histogram.scores - means) / width) < 0.01
    wide = histogram.counts > 9
    assert_allclose(histogram.scores[wide], means[wide], rtol=1e-8, atol=1e-8)


@EVERY_SCALE
def test_any_order_of_any_parts_gives_the_same_bits(rng, scale):
    scores = np.r_[scores_on(scale, rng), np.nan, np.nan]
    whole = ScoreHistogram(scale).update(scores)
    parts = np.array_split(rng.permutation(scores), 7)
    assert_same(sum(ScoreHistogram(scale).update(part) for part in parts), whole)
    assert_same(ScoreHistogram.from_chunks(iter(parts), scale=scale), whole)
    assert (whole.n_items, whole.n_missing) == (5000, 2)
    assert_same(pickle.loads(pickle.dumps(whole)), whole)


def test_threads_count_every_score(rng):
    scores = scores_on("logit", rng, 240_000)
    histogram = ScoreHistogram().with_count_above(0.5, 0)
    copies = []

    def count(part):
        histogram.update(part)
        # Whoever looks meanwhile sees whole updates.
        copies.append(pickle.loads(pickle.dumps(histogram)))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(count, np.split(scores, 80)))
    assert_same(histogram, ScoreHistogram().update(scores))
    assert all(other.n_items % 3000 == 0 for other in copies)
    rows = histogram.with_labels([], [])
    assert rows.counts[rows.scores >= 0.5].sum() == (scores >= 0.5).sum()
    # Which one came first is chance: no order of theirs is wrong.
    assert len(histogram.find([5], [rng.permutation(scores)])) == 1


@EVERY_SCALE
@pytest.mark.parametrize("resolution", [1, 64, 1000])
def test_float32_and_the_same_numbers_as_float64_give_the_same_bits(rng, scale, resolution):
    z = np.r_[3.0 * rng.standard_normal(3000), 1e-3 * rng.standard_normal(500), 0.0, -0.0]
    saturated = special.expit(rng.uniform(-80.0, 80.0, 500))
    scores = np.r_[SCALES[scale][0](z), saturated].astype(np.float32)
    single = ScoreHistogram(scale, resolution=resolution).update(scores)
    assert_same(single, ScoreHistogram(scale, resolution=resolution).update(scores.astype(float)))
    assert (single.scores >= single.smallest).all()
    assert (single.scores <= single.largest).all()


def test_certain_probabilities_have_bins_of_their_own():
    smallest, most = np.nextafter(0.0, 1.0), np.nextafter(1.0, 0.0)
    histogram = ScoreHistogram().update([0.0, 0.0, smallest, 0.5, most, 1.0])
    assert_array_equal(histogram.counts, [2, 1, 1, 1, 1])
    assert_array_equal(histogram.scores, [0.0, smallest, 0.5, most, 1.0])


# --- fits -------------------------------------------------------------------------------------


def performance(**parameters):
    quick = {"experts": QUICK, "n_draws": 100, "random_state": 0}
    mixture = SemisupervisedScoreMixture("norm", "norm", **quick)
    return PerformanceCurveEstimator(mixture, random_state=0, **parameters)


def test_where_a_bin_is_one_score_the_fit_is_that_of_the_items(rng):
    labels = rng.integers(0, 2, 500)
    scores = np.round(labels + rng.standard_normal(500), 1)
    y = np.where(np.arange(500) < 30, labels, -1)
    histogram = ScoreHistogram("identity", resolution=200).update(scores)
    given = histogram.with_labels(scores[:30], labels[:30])
    found, expected = performance().fit(given), performance().fit(scores, y)
    for metric in ("average_precision", "roc_auc", "prevalence"):
        ours, theirs = found.estimate(metric), expected.estimate(metric)
        assert_allclose([ours.value, *ours.interval()], [theirs.value, *theirs.interval()])
    assert_allclose(found.threshold_for(recall=0.5), expected.threshold_for(recall=0.5))
    others = ScoreHistogram("identity", resolution=200).update(scores[30:])
    same = others.with_labels(scores[:30], labels[:30], counted=False)
    weights = [dict(zip(each.scores[30:], each.counts[30:], strict=True)) for each in (given, same)]
    assert weights[1] == {score: count for score, count in weights[0].items() if count}


@pytest.fixture(scope="module")
def labeled_later(rng):
    """Return scores, all labels, and a histogram of which each bin is one score."""
    labels = rng.integers(0, 2, 500)
    scores = np.round(labels + rng.standard_normal(500), 1)
    return scores, labels, ScoreHistogram("identity", resolution=200).update(scores)


def test_an_update_is_that_of_the_items(labeled_later):
    scores, labels, histogram = labeled_later
    ours, theirs = performance(), performance()
    for n in (10, 30):
        y = np.where(np.arange(500) < n, labels, -1)
        given = histogram.with_labels(scores[:n], labels[:n])
        _ = (
            (ours.fit(given), theirs.fit(scores, y))
            if n == 10
            else (ours.update(given), theirs.update(scores, y))
        )
    for metric in ("average_precision", "prevalence"):
        one, other = ours.estimate(metric), theirs.estimate(metric)
        assert_allclose([one.value, *one.interval()], [other.value, *other.interval()])
    assert ours.mixture_.posterior_.sample.n_labeled == 30


@pytest.mark.parametrize("experts", [QUICK, None])
def test_an_update_is_a_fit(labeled_later, experts):
    scores, labels, histogram = labeled_later
    few, all_of_them = (histogram.with_labels(scores[:n], labels[:n]) for n in (10, 30))
    parameters = {"experts": experts, "n_draws": 100, "random_state": 0}
    updated, fitted = (SemisupervisedScoreMixture("norm", "norm", **parameters) for _ in range(2))
    updated.fit(few).update(all_of_them)
    one, other = updated.prevalence_, fitted.fit(all_of_them).prevalence_
    # Where a bin is one score the same curves are weighted.
    assert_allclose([one.value, *one.interval()], [other.value, *other.interval()], atol=0.02)


def test_an_update_of_subgroups_is_a_fit(labeled_later):
    scores, labels, histogram = labeled_later

    def subgroups(n, names):
        return {name: histogram.with_labels(scores[:n], labels[:n]) for name in names}

    updated = performance().fit(subgroups(10, "ab")).update(subgroups(30, "ba"))
    fitted = performance().fit(subgroups(30, "ba"))
    for category in "ab":
        one, other = (p.of(category=category).estimate("roc_auc") for p in (updated, fitted))
        assert_allclose([one.value, *one.interval()], [other.value, *other.interval()])
    with pytest.warns(RemovedLabelsWarning, match="40 of 60 items"):
        updated.update(subgroups(10, "ab"))


def test_an_update_of_others_is_refused(labeled_later):
    scores, labels, histogram = labeled_later
    given = histogram.with_labels(scores[:30], labels[:30])
    beside = histogram.with_labels([0.0], [1], counted=False)
    other = (histogram + histogram).with_labels(scores[:30], labels[:30])
    one, several = performance().fit(given), performance().fit({"a": given, "b": given})
    for fitted, X, y, error, match in (
        (one, other, None, ValueError, "this one has counted other scores"),
        (one, beside, None, ValueError, "contains other uncounted items"),
        (one, scores, labels, ValueError, "that was a histogram, but this is scores"),
        (one, scores, None, TypeError, "update requires y, all known labels"),
        (one, given, labels, TypeError, "leave out y"),
        (several, {"a": given, "b": other}, None, ValueError, "counted other scores"),
        (several, {"a": given, "c": given}, None, ValueError, "counted other scores"),
        (performance().fit(scores, labels), given, None, ValueError, "this is a histogram"),
    ):
        with pytest.raises(error, match=match):
            fitted.update(X, y)
    with pytest.warns(RemovedLabelsWarning, match="20 of 30 items"):
        one.update(histogram.with_labels(scores[:10], labels[:10]))


@EVERY_SCALE
def test_rows_of_a_bin_lie_in_it_and_keep_its_count_and_mean(rng, scale):
    scores = np.r_[scores_on(scale, rng, 50_000), np.repeat(SCALES[scale][0](0.3), 5000)]
    histogram = ScoreHistogram(scale, resolution=4).update(scores)
    given = histogram.with_labels([], [])
    cell = np.searchsorted(histogram.smallest, given.scores, side="right") - 1
    assert (given.scores <= histogram.largest[cell]).all()
    assert_array_equal(np.bincount(cell, weights=given.counts), histogram.counts)
    means = np.bincount(cell, weights=given.counts * given.scores) / histogram.counts
    # Rows of one bin differ by an item.
    width = histogram.largest - histogram.smallest
    assert (np.abs(means - histogram.scores) <= width / 10.0 + 1e-9 * np.abs(means)).all()
    assert given.counts.max() <= 5


def test_the_distribution_of_the_scores_is_seen_as_that_of_the_items(rng):
    scores = np.r_[rng.standard_normal(18_000), 3.0 + rng.standard_normal(2000)]
    y = np.where(np.arange(20_000) % 1000, -1, scores > 1.5)
    known = y >= 0
    given = ScoreHistogram("identity").update(scores).with_labels(scores[known], y[known])
    mixture = SemisupervisedScoreMixture("norm", "norm", experts=None, random_state=0)
    distances = [mixture.fit(*arguments).comparison_.ks for arguments in ((given,), (scores, y))]
    # By less than what chance makes of it: it goes with the root of the number of items.
    assert_allclose(*distances, atol=0.1 / np.sqrt(20_000))


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scale", "scores", "match"),
    [
        ("logit", [0.5, 1.5], "scale='logit' requires probabilities.*use scale='identity'"),
        ("identity", [0.0, np.inf], "must be finite, or NaN where missing.*from 0 to inf"),
        ("identity", [0.0, 1e9], "6.4e[+]10 bins.*scale='asinh'"),
        ("logistic", [0.5], "scale.*'logistic'"),
    ],
)
def test_scores_that_do_not_fit_are_refused_and_nothing_is_lost(scale, scores, match):
    with pytest.raises(ValueError, match=match):
        ScoreHistogram(scale).update(scores)
    if scale != "logistic":
        good = ScoreHistogram(scale).update([0.25, 0.5])
        with pytest.raises(ValueError, match=match):
            good.update(scores)
        assert good.n_items == 2
        with pytest.raises(InterruptedPassError, match=r"Chunk 2 .*cannot be counted") as caught:
            ScoreHistogram.from_chunks([[0.1], [0.2, 0.3], scores, [0.4]], scale=scale)
        assert (caught.value.chunk, caught.value.histogram.n_items) == (2, 3)
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_file_that_ends_midway_names_the_chunk_that_could_not_be_read():
    def chunks():
        yield [0.1, 0.2]
        yield [0.3]
        raise OSError("The file is shorter than it was.")

    with pytest.raises(InterruptedPassError, match=r"Chunk 2 .*shorter than it was") as caught:
        ScoreHistogram.from_chunks(chunks())
    # What is counted is not to be counted again.
    assert (caught.value.chunk, caught.value.histogram.n_items) == (2, 3)


def test_what_cannot_stand_beside_it_is_refused():
    histogram = ScoreHistogram().update([0.1, 0.5, 0.5])
    with pytest.raises(TypeError, match="has no labels"):
        performance().fit(histogram)
    with pytest.raises(TypeError, match="leave out y"):
        performance().fit(histogram.with_labels([0.1], [0]), [0, 1])
    with pytest.raises(ValueError, match="same bins"):
        histogram + ScoreHistogram(resolution=32)


@pytest.mark.parametrize(
    ("keys", "counts", "match"),
    [
        ([1.5], [1], "keys must be whole"),
        ([1, 1], [1, 1], "are repeated"),
        ([2**40], [1], "Keys lie between"),
        ([1], [0.5], "counts must be whole"),
        ([1, 2], [1], "counts must have shape"),
    ],
)
def test_tables_that_cannot_be_are_refused(keys, counts, match):
    with pytest.raises(ValueError, match=match):
        ScoreHistogram.from_table(keys, counts)


@EVERY_SCALE
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_near_edges_are_counted(rng, scale, dtype):
    edges = rng.choice(np.arange(-300, 300), 200) / 64
    back = {"logit": special.expit, "identity": lambda z: z, "asinh": np.sinh}[scale]
    scores = np.r_[back(edges), scores_on(scale, rng, 1000)].astype(dtype)
    if scale == "logit":
        scores[:2] = 0.0, 1.0
    exact = scores.astype(float)
    exact = exact[(exact > 0.0) & (exact < 1.0)] if scale == "logit" else exact
    forward = {
        "logit": lambda p: np.log(p / (1.0 - p)),
        "identity": lambda x: x,
        "asinh": lambda x: np.sign(x) * np.log(np.abs(x) + np.sqrt(x * x + 1.0)),
    }[scale]
    at = 64.0 * forward(exact)
    rounding = 4.0 * (np.spacing(np.abs(at)) + 64.0 * np.finfo(float).eps)
    n_near = np.count_nonzero(np.abs(at - np.round(at)) <= rounding)
    assert ScoreHistogram(scale).update(scores).n_near_edges == n_near
    parts = np.array_split(rng.permutation(scores), 3)
    assert sum(ScoreHistogram(scale).update(part) for part in parts).n_near_edges == n_near
    once = np.ones(len(scores), dtype=int)
    assert ScoreHistogram(scale).update(scores, 2 * once).n_near_edges == 2 * n_near


# --- a scale that does not fit ---------------------------------------------------------------


def labeled(scores, **options):
    return ScoreHistogram(**options).update(scores).with_labels([], [])


def test_a_scale_that_does_not_fit_is_said_with_the_one_that_does(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    rare = special.expit(rng.normal(-9.0, 1.5, 50_000))
    even = rng.random(200_000)
    for scores in (rare, even):
        with pytest.warns(CoarseBinsWarning, match=r'one bin.*ScoreHistogram\("logit"\)'):
            labeled(scores, scale="identity")
        labeled(scores)
    with pytest.warns(CoarseBinsWarning, match=r"one bin.*resolution=\d+\."):
        labeled(0.01 * rng.normal(size=50_000), scale="identity")
    labeled(rng.normal(size=50_000), scale="identity")
    labeled(np.exp(rng.normal(size=50_000)), scale="asinh")


def test_the_resolution_that_is_advised_fits(global_random_seed):
    scores = 0.01 * np.random.default_rng(global_random_seed).normal(size=50_000)
    with pytest.warns(CoarseBinsWarning) as found:
        labeled(scores, scale="identity")
    (resolution,) = re.findall(r"resolution=(\d+)", str(found[0].message))
    labeled(scores, scale="identity", resolution=int(resolution))


def test_ties_need_no_finer_bins():
    labeled(np.repeat(np.arange(10.0), 5000), scale="identity")
    labeled(np.repeat([0.0, 0.25, 1.0], 5000))

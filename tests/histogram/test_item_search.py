"""Items of bins, found by one more pass: each once, in whatever chunks the scores come."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import stats

from sklearn_spe import ScoreHistogram


@pytest.fixture(scope="module")
def rng(global_random_seed):
    return np.random.default_rng(global_random_seed)


@pytest.fixture(scope="module")
def scores(rng):
    scores = np.round(rng.standard_normal(3000), 2)
    scores[rng.choice(3000, 20, replace=False)] = np.nan
    return scores


def counted(scores, resolution=4):
    return ScoreHistogram("identity", resolution=resolution).update(scores)


def split(scores, rng, n=9):
    return np.split(scores, np.sort(rng.integers(0, len(scores), n)))


def test_numbers_and_items_are_one_to_one_and_rise_with_the_bins(scores, rng):
    histogram = counted(scores)
    places = histogram.find(np.arange(histogram.n_items), [scores])
    assert_array_equal(np.sort(places), np.flatnonzero(~np.isnan(scores)))
    keys = np.floor(4 * scores[places])
    assert (np.diff(keys) >= 0).all()


@pytest.mark.parametrize("dtype", [float, np.float32])
def test_the_same_items_are_found_in_whatever_chunks_and_order_they_are_asked_for(
    scores, rng, dtype
):
    scores = scores.astype(dtype)
    histogram = counted(scores)
    items = rng.choice(histogram.n_items, 200, replace=False)
    at_once = histogram.find(items, [scores])
    assert_array_equal(histogram.find(items, split(scores, rng)), at_once)
    some = rng.permutation(200)[:50]
    assert_array_equal(histogram.find(items[some], split(scores, rng)), at_once[some])
    assert (histogram.find(items, [scores], random_state=1) != at_once).any()


@pytest.mark.slow
def test_the_first_item_of_a_bin_is_any_of_them_with_the_same_chance(global_random_seed):
    histogram = counted(np.zeros(8))
    start = 800 * global_random_seed
    first = [histogram.find([0], [np.zeros(8)], random_state=start + s)[0] for s in range(800)]
    # One false alarm in a million.
    assert stats.chisquare(np.bincount(first, minlength=8)).pvalue > 1e-6


def test_known_items_have_no_number(scores, rng):
    there = np.flatnonzero(~np.isnan(scores))
    known = rng.choice(there, 40, replace=False)
    histogram = counted(scores)
    given = histogram.with_labels(scores[known], np.ones(40))
    rows = given.firsts >= 0
    assert_array_equal(given.firsts[~rows], np.full(40, -1))
    firsts, counts = given.firsts[rows], given.counts[rows].astype(int)
    items = np.concatenate([first + np.arange(n) for first, n in zip(firsts, counts, strict=True)])
    places = histogram.find(items, split(scores, rng), known=known)
    assert_array_equal(np.sort(places), np.setdiff1d(there, known))
    # Rows of a bin have its numbers one after another.
    assert_array_equal(
        np.floor(4 * scores[places]), np.floor(4 * np.repeat(given.scores[rows], counts))
    )


def test_rows_of_one_bin_have_numbers_one_after_another(rng):
    scores = rng.standard_normal(100_000)
    given = counted(scores, 2).with_labels([], [])
    assert_array_equal(given.firsts, np.r_[0, np.cumsum(given.counts)[:-1]])


def test_items_of_parquet_files_are_found_in_the_order_of_their_rows(scores, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import dataset, parquet

    for number, own in enumerate(np.array_split(scores, 3)):
        table = pa.table({"p": pa.array(own, from_pandas=True)})
        parquet.write_table(table, tmp_path / f"{number}.parquet", row_group_size=300)
    histogram = ScoreHistogram.from_parquet(tmp_path, "p", scale="identity", resolution=4)
    places = histogram.find([3, 2979, 1500], ScoreHistogram.parquet_chunks(tmp_path, "p"))
    assert_array_equal(places, counted(scores).find([3, 2979, 1500], [scores]))
    taken = dataset.dataset(sorted(tmp_path.iterdir())).take(places)["p"].to_numpy()
    assert_array_equal(taken, scores[places])


def test_an_engine_finds_items_that_are_as_good(scores, rng):
    pl = pytest.importorskip("polars")
    histogram = counted(scores)
    items = rng.choice(histogram.n_items, 300, replace=False)
    keys, places = histogram.bins_of(items)
    frame = pl.DataFrame({"id": np.arange(3000), "p": np.nan_to_num(scores, nan=99.0)})
    key = pl.sql_expr(histogram.sql("p")).alias("key")
    rank = pl.col("id").hash(seed=0).rank("ordinal").over("key").cast(pl.Int64) - 1
    frame = frame.filter(pl.col("p") < 99.0).with_columns(key).with_columns(place=rank)
    wanted = pl.DataFrame({"item": items, "key": keys.astype(np.int32), "place": places})
    found = wanted.join(frame, on=["key", "place"])
    assert found["id"].n_unique() == len(items) == len(found)
    assert_array_equal(np.floor(4 * found["p"].to_numpy()), found["key"].to_numpy())


# --- thresholds -------------------------------------------------------------------------------


def test_counts_at_or_above_a_threshold_are_exact(scores, rng):
    scores = scores[~np.isnan(scores)]
    thresholds = [-0.3, 0.115, 0.12, 0.2, 5.0, -7.0]
    histogram = counted(scores)
    for t in thresholds:
        histogram = histogram.with_count_above(t, np.count_nonzero(scores >= t))
    rows = histogram.with_labels(scores[:50], np.ones(50))
    bins = counted(scores).with_labels(scores[:50], np.ones(50))
    for t in thresholds:
        assert rows.counts[rows.scores >= t].sum() == (scores >= t).sum()
    assert_array_equal(rows.counts.sum(), bins.counts.sum())
    # Means within bins are guesses on either side, and of both together what they were.
    assert (rows.counts * rows.scores).sum() == pytest.approx(
        (bins.counts * bins.scores).sum(), abs=2.0
    )
    places = histogram.find(np.arange(histogram.n_items), split(scores, rng))
    for t in thresholds:
        assert (scores[places][-np.count_nonzero(scores >= t) or len(scores) :] >= t).all()


def test_what_is_counted_later_is_counted_above_too(scores, rng):
    scores = scores[~np.isnan(scores)]
    whole = counted(scores).with_count_above(0.1, np.count_nonzero(scores >= 0.1))
    parts = [ScoreHistogram("identity", resolution=4).with_count_above(0.1, 0) for _ in range(3)]
    added = sum(part.update(own) for part, own in zip(parts, split(scores, rng, 2), strict=True))
    for each in (added, whole):
        rows = each.with_labels([], [])
        assert rows.counts[rows.scores >= 0.1].sum() == (scores >= 0.1).sum()


# --- the proof that these are the scores that were counted ---------------------------------------


def with_one(scores, value, instead):
    """Return the scores, the first one of a value changed."""
    changed = scores.copy()
    changed[np.flatnonzero(scores == value)[0]] = instead
    return changed


def two_exchanged(scores, rng):
    """Return the scores, two of them in each other's place."""
    changed, places = scores.copy(), [np.nanargmin(scores), np.nanargmax(scores)]
    changed[places] = scores[places[::-1]]
    return changed


OTHERS = {
    "fewer": (lambda scores, rng: scores[:1500], "but 2980 were counted"),
    "more": (lambda scores, rng: np.r_[scores, 0.0], "there are 2981 scores, but 2980 were"),
    "of another model": (lambda scores, rng: scores + 0.1, "bins have other counts"),
    "another largest": (
        lambda scores, rng: with_one(scores, 5.0, 5.01),
        "the counts are equal.*those from 5 to 5.01 where they were from 5 to 5",
    ),
    "another sum": (
        lambda scores, rng: with_one(scores, 0.11, 0.12),
        "the counts are equal, but in 1 of .*rounded, or of another model",
    ),
    "infinite": (lambda scores, rng: np.r_[scores[1:], np.inf], "Scores must be finite"),
    "without the missing ones": (
        lambda scores, rng: scores[~np.isnan(scores)],
        "0 of them are missing, but 20 were",
    ),
    "shuffled": (lambda scores, rng: rng.permutation(scores), "the same scores in another order"),
    "two exchanged": (two_exchanged, "the same scores in another order"),
    "backwards": (lambda scores, rng: scores[::-1], "the same scores in another order"),
}


@pytest.fixture(scope="module")
def proved(scores):
    """Return the scores, of which two are 5, and lie in a bin by themselves."""
    scores = scores.copy()
    scores[np.flatnonzero(~np.isnan(scores))[:2]] = 5.0
    return scores


@pytest.mark.parametrize("others", OTHERS)
def test_other_scores_than_those_that_were_counted_are_refused(proved, rng, others):
    change, message = OTHERS[others]
    chunks = split(proved, rng)
    histogram = ScoreHistogram.from_chunks(chunks, scale="identity", resolution=4)
    with pytest.raises(ValueError, match=f"do not have the scores that .* counted: .*{message}"):
        histogram.find([0], split(change(proved, rng), rng))
    # Nothing else is wrong with the call.
    assert histogram.find([0], split(proved, rng)).shape == (1,)


def of_keys(exact, counts):
    """Return the histogram that a table of an engine makes, with the missing scores of another."""
    table = np.r_[exact.keys.astype(float), np.nan], np.r_[counts, exact.n_missing]
    return ScoreHistogram.from_table(*table, scale="identity", resolution=4)


def test_what_lies_at_an_edge_an_engine_may_count_one_bin_beside(proved):
    exact = counted(proved)
    at = np.searchsorted(exact.keys, 0)
    for n, counts in ((1, exact.counts.copy()), (exact.n_near_edges + 1, exact.counts.copy())):
        counts[[at - 1, at]] += [n, -n]
        if n == 1:
            assert len(of_keys(exact, counts).find([0], [proved])) == 1
        else:
            with pytest.raises(ValueError, match=r"2 of .* bins have other counts"):
                of_keys(exact, counts).find([0], [proved])


def test_a_count_above_that_was_wrong_is_found(proved):
    n_above = np.count_nonzero(proved >= 0.1)
    wrong = counted(proved).with_count_above(0.1, n_above - 1)
    with pytest.raises(ValueError, match=f"{n_above} lie at or above 0.1, but {n_above - 1} did"):
        wrong.find([0], [proved])


# --- what is refused --------------------------------------------------------------------------


def test_what_cannot_be_found_is_refused(scores):
    histogram = counted(scores)
    with pytest.raises(ValueError, match="below 2980"):
        histogram.find([2980], [scores])
    in_first = np.flatnonzero(np.floor(4 * scores) == histogram.keys[0])
    with pytest.raises(ValueError, match="known has more positions than with_labels"):
        histogram.find([0], [scores], known=in_first)
    with pytest.raises(ValueError, match=r"known must hold positions below 3000.*got 3000"):
        histogram.find([0], [scores], known=[3000])
    with pytest.raises(TypeError, match="random_state must be a whole number"):
        histogram.find([0], [scores], random_state=None)


def test_counts_above_that_cannot_be_are_refused(scores):
    histogram = counted(scores)
    with pytest.raises(ValueError, match="contradict the bins: by their counts there are"):
        histogram.with_count_above(0.1, 2980)
    with pytest.raises(ValueError, match="which keys cannot represent"):
        histogram.with_count_above(9.0, 0).bins_of([0])
    with pytest.raises(ValueError, match="same thresholds"):
        histogram.with_count_above(9.0, 0) + histogram

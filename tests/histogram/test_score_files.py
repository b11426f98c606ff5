"""Parquet files, dask partitions and saved histograms: what is counted, kept and refused."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_spe import ScoreHistogram
from sklearn_spe.exceptions import InterruptedPassError

N_FILES, N_ROWS, N_IN_GROUP = 3, 1000, 300
N_GROUPS = 4


def assert_same(first, second):
    for name in ("keys", "counts", "scores", "smallest", "largest", "n_missing"):
        assert_array_equal(getattr(first, name), getattr(second, name))


@pytest.fixture(scope="module")
def scores(global_random_seed):
    return np.random.default_rng(global_random_seed).random((N_FILES, N_ROWS))


@pytest.fixture
def folder(scores, tmp_path):
    """A folder for each month, with a file in each; the first of its scores is missing."""
    pa = pytest.importorskip("pyarrow")
    for month, own in enumerate(scores):
        (tmp_path / f"month={month}").mkdir()
        write(pa.array([None, *own[1:]]), tmp_path / f"month={month}" / "part.parquet")
    (tmp_path / "_SUCCESS").touch()
    return tmp_path


def write(column, path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table({"p": column, "name": pa.array(["x"] * len(column))})
    pq.write_table(table, path, row_group_size=N_IN_GROUP, use_dictionary=False)


def counted(scores, n_missing=0):
    histogram = ScoreHistogram().update(np.r_[np.ravel(scores), np.full(n_missing, np.nan)])
    assert histogram.n_missing == n_missing
    return histogram


# --- Parquet ----------------------------------------------------------------------------------


def test_a_folder_a_pattern_and_a_list_are_the_same_files(scores, folder, monkeypatch):
    expected = counted(scores[:, 1:], N_FILES)
    monkeypatch.chdir(folder.parent)
    paths = [
        folder,
        f"{folder}/*/*.parquet",
        f"{folder}/**/part.parquet",
        f"{folder.name}/month=?/part.parquet",
        f"file://{folder}/*/part.parquet",
        [f"{folder}/month={month}" for month in range(N_FILES)],
    ]
    for path in paths:
        assert_same(ScoreHistogram.from_parquet(path, "p"), expected)
    one = ScoreHistogram.from_parquet(folder / "month=1", "p")
    assert_same(one, counted(scores[1, 1:], 1))


def test_any_store_of_fsspec_goes(scores, folder):
    store = pytest.importorskip("fsspec").filesystem("memory")
    for path in folder.glob("*/*.parquet"):
        store.pipe(f"/bucket/{path.parent.name}/part.parquet", path.read_bytes())
    for path in ("bucket/*/part.parquet", "/bucket/month=*/*", "bucket"):
        found = ScoreHistogram.from_parquet(path, "p", filesystem=store)
        assert_same(found, counted(scores[:, 1:], N_FILES))


def broken(folder, what):
    """Break row group 2 of the second file, or all of it; return its number and its rows."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = folder / "month=1" / "part.parquet"
    column = pq.read_table(path)["p"].combine_chunks()
    if what == "NaN":
        values = column.to_numpy(zero_copy_only=False)
        values[0], values[2 * N_IN_GROUP + 7] = 0.5, np.nan
        write(pa.array(values, mask=np.arange(N_ROWS) == 0), path)
        return 2
    if what == "a page":
        chunk = pq.read_metadata(path).row_group(2).column(0)
        with path.open("r+b") as file:
            file.seek(chunk.data_page_offset)
            file.write(b"\xff" * chunk.total_compressed_size)
        return 2
    os.truncate(path, path.stat().st_size // 2)
    return 0


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("NaN", "1 scores are NaN.*nan_is_missing=True"),
        ("a page", "cannot be counted"),
        ("the end", "cannot be counted"),
    ],
)
def test_what_is_broken_is_named_and_what_was_counted_is_kept(scores, folder, what, says):
    sound = ScoreHistogram.from_parquet(folder, "p")
    kept = {path: path.read_bytes() for path in folder.glob("*/*.parquet")}
    number = broken(folder, what)
    place = f"row group {number} of .*month=1" if number else "month=1"
    with pytest.raises(InterruptedPassError, match=f"(?s){place}.*{says}") as caught:
        ScoreHistogram.from_parquet(folder, "p")
    before = np.r_[scores[0, 1:], scores[1, 1 : max(number * N_IN_GROUP, 1)]]
    assert_same(caught.value.histogram, counted(before, 1 + (number > 0)))
    assert caught.value.chunk == N_GROUPS + number
    for path, content in kept.items():
        Path(path).write_bytes(content)
    rest = ScoreHistogram.from_parquet(folder, "p", n_skipped=caught.value.chunk)
    assert_same(caught.value.histogram + rest, sound)


def test_a_corrupted_page_with_a_checksum_is_named(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path, own = tmp_path / "scores.parquet", np.full(500, 0.25)
    options = {"use_dictionary": False, "compression": "none", "write_page_checksum": True}
    pq.write_table(pa.table({"p": own}), path, **options)
    data = bytearray(path.read_bytes())
    assert ScoreHistogram.from_parquet(path, "p").n_items == 500
    data[data.index(own[:100].tobytes()) + 400] ^= 1
    path.write_bytes(data)
    with pytest.raises(InterruptedPassError, match="row group 0 of"):
        ScoreHistogram.from_parquet(path, "p")


def test_columns_and_paths_that_are_not_there_are_named(folder):
    with pytest.raises(ValueError, match="Column 'q' was not found; columns are 'p', 'name'"):
        ScoreHistogram.from_parquet(folder, "q")
    with pytest.raises(ValueError, match="must hold numbers, but has the type string"):
        ScoreHistogram.from_parquet(folder, "name")
    for path in (folder / "none", f"{folder}/none/*.parquet", folder / "month=*.parquet"):
        with pytest.raises(FileNotFoundError, match="No file found at"):
            ScoreHistogram.from_parquet(path, "p")
    for path in (3, [3]):
        with pytest.raises(TypeError, match="path must be"):
            ScoreHistogram.from_parquet(path, "p")


# --- dask -------------------------------------------------------------------------------------


def test_partitions_of_dask_are_counted_like_their_scores(scores):
    array = pytest.importorskip("dask.array").from_array(scores.ravel(), chunks=70)
    assert_same(ScoreHistogram.from_dask(array), counted(scores))
    pd, frames = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    frame = frames.from_pandas(pd.DataFrame({"p": [*scores.ravel(), np.nan]}), npartitions=3)
    assert_same(ScoreHistogram.from_dask(frame["p"]), counted(scores, 1))


def test_partitions_that_cannot_be_counted_are_named_and_all_others_kept(scores):
    wrong = scores.ravel().copy()
    wrong[[1500, 2500]] = 2.0
    array = pytest.importorskip("dask.array").from_array(wrong, chunks=500)
    with pytest.raises(InterruptedPassError, match=r"Partition 3 .*one of 2 such") as caught:
        ScoreHistogram.from_dask(array)
    kept = np.r_[wrong[:1500], wrong[2000:2500]]
    assert_same(caught.value.histogram, counted(kept))


def test_what_is_no_collection_of_dask_is_refused(scores):
    with pytest.raises(TypeError, match="must be a dask array of shape"):
        ScoreHistogram.from_dask(scores.ravel())
    table = pytest.importorskip("dask.array").from_array(scores)
    with pytest.raises(TypeError, match="ndim=2"):
        ScoreHistogram.from_dask(table)


# --- files of a histogram -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scale", "resolution", "stretch"),
    [("logit", 64, 1.0), ("identity", 7, 1e3), ("asinh", 20, 1e9)],
)
def test_a_saved_histogram_is_read_bit_for_bit(scores, tmp_path, scale, resolution, stretch):
    own, path = stretch * scores.ravel(), tmp_path / "scores"
    threshold = 0.7 * stretch
    histogram = ScoreHistogram(scale, resolution=resolution).update([*own, np.nan])
    histogram = histogram.with_count_above(threshold, np.count_nonzero(own >= threshold))
    histogram.save(path)
    again = ScoreHistogram.load(path)
    assert repr(again) == repr(histogram)
    assert again.n_near_edges == histogram.n_near_edges
    # Its bins and counts above a threshold are the same: both can be added.
    assert_same(again + histogram, histogram + histogram)
    items = [0, 17, len(own) - 1]
    chunks = [own[:100], [np.nan], own[100:]]
    assert_array_equal(again.find(items, chunks), histogram.find(items, chunks))
    # It knows the order of its scores.
    with pytest.raises(ValueError, match="in another order"):
        again.find(items, [own[::-1], [np.nan]])
    # It is counted into as before, and the file is replaced.
    again.update(own[:5]).save(path)
    assert_same(ScoreHistogram.load(path), histogram.update(own[:5]))
    assert [file.name for file in tmp_path.iterdir()] == ["scores"]


def test_other_files_are_no_histograms(tmp_path):
    path = tmp_path / "other"
    np.savez(tmp_path / "arrays.npz", keys=[1])
    for data in (b"", b"p\n0.5\n", (tmp_path / "arrays.npz").read_bytes()):
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"other is not a file of ScoreHistogram\.save, or"):
            ScoreHistogram.load(path)
    with pytest.raises(FileNotFoundError):
        ScoreHistogram.load(tmp_path / "nothing")


def test_a_histogram_is_whole_while_others_save_to_the_same_path(scores, tmp_path):
    path, n_saves = tmp_path / "scores.npz", 10
    histograms = [ScoreHistogram().update(scores.ravel()[:n]) for n in (10, 3000)]
    histograms[0].save(path)

    def save_again(histogram):
        for _ in range(n_saves):
            histogram.save(path)

    with ThreadPoolExecutor(2) as pool:
        saves = [pool.submit(save_again, histogram) for histogram in histograms]
        while not all(save.done() for save in saves):
            assert ScoreHistogram.load(path).n_items in (10, 3000)
        for save in saves:
            save.result()
    assert [file.name for file in tmp_path.iterdir()] == ["scores.npz"]


@pytest.mark.skipif(os.name != "posix", reason="links and limits of POSIX")
def test_a_save_follows_no_planted_link_and_leaves_nothing_on_a_full_disk(scores, tmp_path):
    import resource

    path, victim = tmp_path / "scores.npz", tmp_path / "victim"
    victim.write_bytes(b"mine")
    planted = tmp_path / "scores.npz.part"
    planted.symlink_to(victim)
    histogram = ScoreHistogram().update(scores.ravel())
    histogram.save(path)
    assert victim.read_bytes() == b"mine"
    planted.unlink()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(OSError, match="nothing was written"):
            ScoreHistogram().update(scores.ravel()[:100]).save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["scores.npz", "victim"]
    assert_same(ScoreHistogram.load(path), histogram)

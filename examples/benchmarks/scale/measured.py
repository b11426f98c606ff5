"""Measurements of scale, each in a separate process."""

import threading
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import special
from sklearn.metrics import average_precision_score

from sklearn_spe import PerformanceCurveEstimator, ScoreHistogram
from sklearn_spe.estimators import estimate_each

N_IN_CHUNK, N_IN_CACHE = 2**22, 2**14


def write_scores(folder, n):
    """Write n float32 probabilities, as a plain file and as Parquet."""
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    schema = pa.schema([("p", pa.float32())])
    plain = (folder / "scores.f32").open("wb")
    with plain, parquet.ParquetWriter(folder / "scores.parquet", schema) as writer:
        for first in range(0, n, N_IN_CHUNK):
            size = min(N_IN_CHUNK, n - first)
            log_odds = 2.0 * rng.standard_normal(size) - 4.0
            p = special.expit(log_odds).astype(np.float32)
            p.tofile(plain)
            writer.write_table(pa.table({"p": p}, schema), row_group_size=2**20)


def mapped_chunks(folder):
    """Return the chunks of the memory map."""
    scores = np.memmap(folder / "scores.f32", dtype=np.float32)
    return (scores[first : first + N_IN_CHUNK] for first in range(0, len(scores), N_IN_CHUNK))


def parquet_chunks(folder):
    """Return the chunks of the Parquet file."""
    from pyarrow import dataset

    found = dataset.dataset(folder / "scores.parquet", format="parquet")
    options = dataset.ParquetFragmentScanOptions(use_buffered_stream=True, pre_buffer=False)
    batches = found.to_batches(columns=["p"], fragment_scan_options=options)
    return (batch.column(0).to_numpy() for batch in batches)


def bare_scan(chunks, dtype):
    """Return the sum of the log-odds, computed in pieces that fit a processor's cache."""
    total = 0.0
    for chunk in chunks:
        for first in range(0, len(chunk), N_IN_CACHE):
            p = chunk[first : first + N_IN_CACHE].astype(dtype, copy=False)
            total += float(np.log(p / (1 - p)).sum())
    return total


def by_duckdb(folder):
    """Count the scores by the statement of SQL."""
    import duckdb

    statement = ScoreHistogram().sql("p", f"'{folder}/scores.parquet'")
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        return ScoreHistogram.from_table(connection.sql(statement))


PASSES = {
    "memory map, bare scan in float32": lambda f: bare_scan(mapped_chunks(f), np.float32),
    "memory map, bare scan in float64": lambda f: bare_scan(mapped_chunks(f), np.float64),
    "memory map, from_chunks": lambda f: ScoreHistogram.from_chunks(mapped_chunks(f)),
    "memory map, from_chunks and find": lambda f: find_items(f),
    "Parquet, bare scan in float32": lambda f: bare_scan(parquet_chunks(f), np.float32),
    "Parquet, bare scan in float64": lambda f: bare_scan(parquet_chunks(f), np.float64),
    "Parquet, from_parquet": lambda f: ScoreHistogram.from_parquet(f / "scores.parquet", "p"),
    "Parquet, sql in DuckDB": by_duckdb,
}


def anonymous_mebibytes():
    """Return the memory of this process, less what files are mapped."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) / 1024.0


def timed(function):
    """Return seconds of a clock and of processors, and the peak of memory in MiB."""
    peak, is_done = [anonymous_mebibytes()], threading.Event()

    def watch():
        while not is_done.wait(0.02):
            peak.append(anonymous_mebibytes())

    watcher = threading.Thread(target=watch)
    watcher.start()
    clock, used = time.perf_counter(), time.process_time()
    try:
        function()
        seconds = time.perf_counter() - clock, time.process_time() - used
    finally:
        is_done.set()
        watcher.join()
    return *seconds, max(peak)


def one_pass(name, folder):
    """Measure a pass, by its name."""
    return timed(lambda: PASSES[name](folder))


def find_items(folder, n_items=20):
    """Count the scores, and find some items by another pass: the time is that of both."""
    histogram = ScoreHistogram.from_chunks(mapped_chunks(folder))
    items = np.random.default_rng(0).choice(histogram.n_items, n_items, replace=False)
    return histogram.find(items, mapped_chunks(folder))


def rare_positives(scale, seed=0, n=10_000_000, prevalence=1e-4):
    """Return labels and float32 scores: log-odds, or probabilities where the scale is theirs."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prevalence
    scores = rng.standard_normal(n) + 3.5 * y
    if scale == "logit":
        scores = special.expit(3.0 * scores - 4.0)
    return y, scores.astype(np.float32)


def average_precisions(scale):
    """Return the average precision of all scores, and of histograms of either class."""
    y, scores = rare_positives(scale)
    exact = average_precision_score(y, scores)
    rows = [ScoreHistogram(scale).update(scores[y == c]).with_labels([], []) for c in (0, 1)]
    labels = np.repeat([0, 1], [len(row.scores) for row in rows])
    found, counts = (
        np.concatenate([getattr(r, name) for r in rows]) for name in ("scores", "counts")
    )
    return exact, average_precision_score(labels, found, sample_weight=counts)


def many_fits(n_parts, n=100_000):
    """Measure fits of a number of models, each of n scores and 20 labels, by one call."""

    def parts():
        rng = np.random.default_rng(0)
        for number in range(n_parts):
            y = (rng.random(n) < 0.1).astype(int)
            scores = rng.standard_normal(n) + 2.0 * y
            yield number, (scores, np.where(np.arange(n) < 20, y, -1))

    estimator = PerformanceCurveEstimator(classes=[0, 1], random_state=0)
    before = anonymous_mebibytes()
    *seconds, peak = timed(lambda: estimate_each(parts(), estimator=estimator, verbose=1))
    return *seconds, peak - before


def one_fit(n, is_counted):
    """Measure a fit and one number of it, of n scores and 20 labels."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.1).astype(int)
    scores, known = rng.standard_normal(n) + 2.0 * y, slice(20)
    if is_counted:
        given = (ScoreHistogram("identity").update(scores).with_labels(scores[known], y[known]),)
    else:
        given = scores, np.where(np.arange(n) < 20, y, -1)
    before = anonymous_mebibytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = PerformanceCurveEstimator(random_state=0).fit
        *seconds, peak = timed(lambda: fit(*given).estimate("average_precision"))
    return *seconds, peak - before

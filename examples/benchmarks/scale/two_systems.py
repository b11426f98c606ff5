"""The difference of two systems from a joint histogram, counted by DuckDB from a Parquet file."""

import tempfile
import warnings
from pathlib import Path

import numpy as np
from measured import N_IN_CHUNK, timed
from scipy import special

from sklearn_spe import PerformanceCurveEstimator, ScoreHistogram

SYSTEMS = {"old": "old", "new": "new"}
N_LABELED = 60


def write_pairs(path, n):
    """Write n float32 probabilities of two systems; return the first ones and their labels."""
    import pyarrow as pa
    from pyarrow import parquet

    rng, known = np.random.default_rng(0), None
    schema = pa.schema([(name, pa.float32()) for name in SYSTEMS])
    with parquet.ParquetWriter(path, schema) as writer:
        for first in range(0, n, N_IN_CHUNK):
            size = min(N_IN_CHUNK, n - first)
            y = rng.random(size) < 0.05
            common = rng.standard_normal(size) + 2.0 * y
            pairs = {
                name: special.expit(
                    2.0 * (common + noise * rng.standard_normal(size)) - 4.0
                ).astype(np.float32)
                for name, noise in (("old", 0.5), ("new", 0.3))
            }
            writer.write_table(pa.table(pairs, schema), row_group_size=2**20)
            if known is None:
                scores = np.column_stack(list(pairs.values()))[:N_LABELED]
                known = scores, y[:N_LABELED].astype(int)
    return known


def two_systems(n, resolution, folder):
    """Yield each step, its seconds of a clock and of processors, peak MiB, and its result."""
    import duckdb

    found = {}
    with tempfile.TemporaryDirectory(dir=folder) as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(place) / "pairs.parquet"
        scores, y = write_pairs(path, n)
        statement = ScoreHistogram(resolution=resolution).sql(SYSTEMS, f"'{path}'")

        def count():
            with duckdb.connect() as connection:
                connection.execute("SET threads = 1")
                connection.execute("SET enable_progress_bar = false")
                found["table"] = connection.sql(statement).fetchnumpy()

        def fit():
            options = {"systems": list(SYSTEMS), "resolution": resolution}
            histogram = ScoreHistogram.from_table(found["table"], **options)
            estimator = PerformanceCurveEstimator(random_state=0)
            found["fit"] = estimator.fit(histogram.with_labels(scores, y))

        def ask():
            found["difference"] = found["fit"].difference("average_precision", *SYSTEMS)

        yield "count", *timed(count), f"{len(found['table']['n'])} cells"
        yield "table and fit", *timed(fit), ""
        yield "difference", *timed(ask), f"{found['difference']:.3f}"

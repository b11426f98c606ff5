"""Engines for tables make the same histogram as Python, and refuse what it refuses."""

import numpy as np
import pytest
from scipy import special

from sklearn_spe import ScoreHistogram

SCALES = {
    "logit": (special.expit, special.logit),
    "identity": (lambda z: z, lambda x: x),
    "asinh": (np.sinh, np.arcsinh),
}
RESOLUTION = 64
pl = pytest.importorskip("polars")


def duckdb_table(histogram, frame):
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    with duckdb.connect() as connection:
        connection.register("scores", frame.to_arrow())
        return connection.sql(histogram.sql("score", "scores", category="part")).pl()


def polars_table(histogram, frame):
    return frame.sql(histogram.sql("score", "self", category="part"))


def lazy_polars_table(histogram, frame):
    key = pl.sql_expr(histogram.sql("score")).alias("key")
    score = pl.col("score")
    known = {"total": score.cast(pl.Float64).sum(), "smallest": score.min(), "largest": score.max()}
    return frame.lazy().group_by("part", key).agg(n=pl.len(), **known).collect(engine="streaming")


EVERY_ENGINE = pytest.mark.parametrize("engine", [duckdb_table, polars_table, lazy_polars_table])


def scores_and_edges(scale, rng):
    """Return scores on a scale, of which some lie at the edges of bins but for rounding."""
    z = np.r_[4.0 * rng.standard_normal(3000), rng.integers(-300, 300, 500) / RESOLUTION]
    return SCALES[scale][0](z)


def n_moved(found, expected):
    """Count the items that must go to the next key to make one histogram the other."""
    keys = np.union1d(found.keys, expected.keys)
    counts = np.zeros((2, len(keys)), dtype=int)
    for row, histogram in zip(counts, (found, expected), strict=True):
        row[np.searchsorted(keys, histogram.keys)] = histogram.counts
    return int(np.abs(np.cumsum(counts[0] - counts[1])).sum())


@EVERY_ENGINE
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", SCALES)
def test_an_engine_makes_the_same_table_but_for_rounding_at_edges(
    global_random_seed, engine, scale, dtype
):
    scores = scores_and_edges(scale, np.random.default_rng(global_random_seed)).astype(dtype)
    if scale == "logit":
        scores[:8] = [0, 1, 1, 1, 0, 0, 0, 0]
    part = np.where(np.arange(len(scores)) % 3, "a", "b")
    frame = pl.DataFrame({"score": scores, "part": part})
    frame = pl.concat([frame, frame[:5].with_columns(score=pl.lit(None, frame["score"].dtype))])
    table = engine(ScoreHistogram(scale), frame)
    tables = ScoreHistogram.from_table(table, by="part", scale=scale)
    for name, n_missing in (("a", 3), ("b", 2)):
        own = scores[part == name]
        expected = ScoreHistogram(scale).update(own)
        found = tables[name]
        assert (found.n_items, found.n_missing) == (len(own), n_missing)
        assert n_moved(found, expected) <= expected.n_near_edges
        # Those that were put at edges, at most 334 of a part, and hardly any others.
        assert expected.n_near_edges <= 340
        _, ours, theirs = np.intersect1d(found.keys, expected.keys, return_indices=True)
        same = found.counts[ours] == expected.counts[theirs]
        assert same.mean() > 0.5
        ours, theirs = ours[same], theirs[same]
        width = expected.largest[theirs] - expected.smallest[theirs]
        gap = np.abs(found.scores[ours] - expected.scores[theirs])
        # Items at an edge may have changed places with none missed.
        assert np.median(gap / np.maximum(width, 1e-300)) < 1e-6


@EVERY_ENGINE
@pytest.mark.parametrize(
    ("scale", "wrong"),
    [("logit", [1.5, -0.1, np.nan, np.inf]), ("identity", [np.nan, np.inf]), ("asinh", [-np.inf])],
)
def test_an_engine_drops_no_score_that_the_scale_does_not_take(engine, scale, wrong):
    frame = pl.DataFrame({"score": [0.5, 0.5, *wrong], "part": "a"})
    table = engine(ScoreHistogram(scale), frame)
    with pytest.raises(ValueError, match=f"{len(wrong)} scores of the table .* the domain .* NaN"):
        ScoreHistogram.from_table(table.drop("part"), scale=scale)


def test_what_a_statement_cannot_be_made_of_is_refused():
    histogram = ScoreHistogram()
    assert "CAST(p AS FLOAT64)" in histogram.sql("p", "scores", float64="FLOAT64")
    with pytest.raises(ValueError, match="pass table= too"):
        histogram.sql("p", category="country")
    for names in ({"column": 3}, {"column": "p", "table": " "}, {"column": "p", "float64": None}):
        with pytest.raises(TypeError, match="must be a name in the query engine"):
            histogram.sql(**names)

"""Histograms of scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import get_ident
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..exceptions import InterruptedPassError, ParameterError
from ..inputs._arrays import CountedItems
from ..inputs._frames import read_column, read_frame
from ..inputs._scores import single_scores
from ..inputs._validation import (
    as_plain,
    as_tuple,
    check_aligned,
    check_count,
    check_counts,
    check_flag,
    check_number,
    listed,
    lock_of,
)
from ._bins import ScoreBins
from ._count_tables import (
    KEY,
    LARGEST,
    N_OF_CLASSES,
    SMALLEST,
    TOTAL,
    N,
    bins_of_table,
    columns_of,
    counted_labels,
    counts_of_table,
    labels_of_table,
    split_by,
    table_of_counts,
)
from ._counts import ScoreCounts, warn_of_coarse_bins
from ._cut_bins import CutBins
from ._files import ScoreFiles, counted_partitions
from ._item_search import find_places
from ._joint_histogram import JointHistogram
from ._labeled_rows import LabeledHistogram, labeled_rows, labels_of
from ._saved_counts import read_counts, write_counts


class ScoreHistogram(CountedItems):
    """Counts of any number of scores in a few thousand bins, from one pass over the scores.

    Bins have equal width on a scale that is fixed in advance. The key of a score x is
    ``floor(resolution * scale(x))``. Any SQL engine can compute it (`sql`), and `from_table` reads
    the counts grouped by key. Histograms of parts of the scores can be added; the order does not
    change the result by a bit.

    Use "logit" for probabilities. With "identity", the last bin would merge the scores that
    determine the average precision of rare positives. `with_labels` warns if one bin holds a large
    share of the items.

    Updates are atomic: several threads may `update`, add, copy or pickle a histogram at the same
    time.

    .. versionadded:: 0.1

    Parameters
    ----------
    scale : {"logit", "identity", "asinh"}, default="logit"
        Scale on which bins have equal width. Use "logit" for probabilities (0 and 1 have separate
        bins), "identity" for log-odds and margins, and "asinh", the inverse hyperbolic sine, for
        scores of many magnitudes.
    resolution : int, default=64
        Number of bins per unit of the scale.

    See Also
    --------
    PerformanceCurveEstimator : Accepts ``histogram.with_labels(scores, y)`` in `fit`.
    ActiveTestSelector : Selects the items to label next.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import PerformanceCurveEstimator, ScoreHistogram
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, y = make_scores(50_000, random_state=0)
    >>> histogram = ScoreHistogram("identity")
    >>> for chunk in np.array_split(scores, 10):  # of a file, say
    ...     histogram = histogram.update(chunk)
    >>> histogram
    ScoreHistogram(scale='identity', resolution=64): 50000 scores in 552 bins
    >>> labeled = histogram.with_labels(scores[:60], y[:60])
    >>> performance = PerformanceCurveEstimator(random_state=0).fit(labeled)
    >>> print(f"{performance.estimate('average_precision'):.1f}")
    0.9 [0.8, 0.9]
    """

    def __init__(self, scale: str = "logit", *, resolution: int = 64) -> None:
        self._bins = ScoreBins(scale, resolution)
        # A single reference, so that readers see updates atomically.
        self._counted = ScoreCounts.empty()
        # The last thread that counted here.
        self._thread: int | None = None

    # --- contents ------------------------------------------------------------------------------

    @property
    def scale(self) -> str:
        """The scale on which bins have equal width."""
        return self._bins.scale

    @property
    def resolution(self) -> int:
        """Number of bins per unit of the scale."""
        return self._bins.resolution

    @property
    def keys(self) -> np.ndarray:
        """Keys of the nonempty bins, increasing, of shape (n_bins,)."""
        return self._counted.table.keys

    @property
    def counts(self) -> np.ndarray:
        """The number of scores in each bin, of shape (n_bins,)."""
        return self._counted.table.counts

    @property
    def scores(self) -> np.ndarray:
        """The mean score of each bin, of shape (n_bins,), up to 2**-24 of its width."""
        return self._counted.table.scores(self._bins)

    @property
    def smallest(self) -> np.ndarray:
        """The smallest score in each bin, of shape (n_bins,)."""
        return self._counted.table.smallest

    @property
    def largest(self) -> np.ndarray:
        """The largest score in each bin, of shape (n_bins,)."""
        return self._counted.table.largest

    @property
    def n_items(self) -> int:
        """Number of counted scores."""
        return self._counted.n_items

    @property
    def n_missing(self) -> int:
        """Number of missing scores (NaN), which are not counted."""
        return self._counted.n_missing

    @property
    def n_near_edges(self) -> int:
        """Number of scores that a query engine might count in a neighboring bin.

        These scores lie within four units in the last place of an edge. Zero if an engine made the
        counts.
        """
        return self._counted.table.n_near_edges

    def __repr__(self) -> str:
        counted = self._counted
        missing = f", {counted.n_missing} missing" if counted.n_missing else ""
        return (
            f"ScoreHistogram(scale={self.scale!r}, resolution={self.resolution}): "
            f"{counted.n_items} scores in {len(counted.table.keys)} bins{missing}"
        )

    def __getstate__(self) -> dict[str, Any]:
        # Thread identifiers are not valid across processes.
        return {**vars(self), "_thread": None}

    # --- counting -----------------------------------------------------------------------------

    def update(self, scores: ArrayLike, counts: Any = None) -> Self:
        """Count more scores; thread-safe.

        Parameters
        ----------
        scores : array-like of shape (n_scores,)
            NaN where missing.
        counts : array-like of int of shape (n_scores,), default=None
            Multiplicity of each score.

        Returns
        -------
        self : ScoreHistogram
            Unchanged if an error is raised.

        Raises
        ------
        ValueError
            If a score is infinite or does not fit the scale.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import ScoreHistogram
        >>> scores = np.random.default_rng(0).random(10_000)
        >>> ScoreHistogram().update(scores[:6_000]).update(scores[6_000:]).n_items
        10000
        """
        scores = read_frame(scores, "scores")
        counts = read_column(counts, "counts")
        check_aligned(scores=scores, counts=counts)
        part = ScoreCounts.of(scores, counts, self._bins, self._counted.n_above)

        with lock_of(self):
            both = self._counted.then(part)
            thread = get_ident()
            if self._thread not in (None, thread):
                # The order of concurrent threads is random.
                both = replace(both, order=None)
            self._counted = both
            self._thread = thread

        return self

    def __add__(self, other: ScoreHistogram) -> ScoreHistogram:
        if not isinstance(other, ScoreHistogram):
            return NotImplemented

        if self._bins != other._bins:
            raise ValueError(
                f"Only histograms with the same bins can be added; got scale={self.scale!r}, "
                f"resolution={self.resolution} and scale={other.scale!r}, "
                f"resolution={other.resolution}. Count the scores again with one of them."
            )

        thresholds = self._counted.n_above.keys()
        other_thresholds = other._counted.n_above.keys()
        if thresholds != other_thresholds:
            raise ValueError(
                "Only histograms with counts above the same thresholds can be added; got "
                f"{sorted(thresholds)} and {sorted(other_thresholds)}. Add first, and use "
                "with_count_above on the sum."
            )

        return self._with(self._counted.plus(other._counted))

    def __radd__(self, other: Any) -> ScoreHistogram:
        # The start of `sum`.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def _with(self, counted: ScoreCounts) -> ScoreHistogram:
        histogram = ScoreHistogram(self.scale, resolution=self.resolution)
        histogram._counted = counted
        return histogram

    @classmethod
    def from_chunks(
        cls, chunks: Iterable[Any], *, scale: str = "logit", resolution: int = 64
    ) -> ScoreHistogram:
        """Count the scores of many chunks, one after another.

        Parameters
        ----------
        chunks : iterable of array-like of shape (n_scores,)
        scale, resolution
            As in `ScoreHistogram`.

        Returns
        -------
        histogram : ScoreHistogram

        Raises
        ------
        InterruptedPassError
            If a chunk cannot be read or counted. The error names the chunk, and its attribute
            `histogram` has the counts so far.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import ScoreHistogram
        >>> scores = np.random.default_rng(0).random(10_000)
        >>> ScoreHistogram.from_chunks(np.array_split(scores, 10)).n_items
        10000
        """
        histogram = cls(scale, resolution=resolution)
        n_counted = 0
        try:
            for chunk in chunks:
                histogram.update(chunk)
                n_counted += 1
        except (ValueError, TypeError, OSError, NotImplementedError) as error:
            raise InterruptedPassError(n_counted, histogram, error) from error
        return histogram

    @classmethod
    def from_parquet(
        cls,
        path: Any,
        column: str,
        *,
        filesystem: Any = None,
        nan_is_missing: bool = False,
        n_skipped: int = 0,
        scale: str = "logit",
        resolution: int = 64,
    ) -> ScoreHistogram:
        """Count the scores in a column of Parquet files, one row group after another.

        Only that column is read, and only a few row groups are in memory at a time.

        Parameters
        ----------
        path : str, path-like or list of these
            A file, a folder, or a pattern with ``*``, ``?`` and ``**``, on a disk or at an address
            such as ``s3://bucket/scores/*.parquet``. Files are read in the order of their names.
        column : str
            A numeric column; nulls are missing scores.
        filesystem : pyarrow.fs.FileSystem or fsspec.AbstractFileSystem, default=None
            File system of the files. None infers it from `path`, which may be local or a URI.
        nan_is_missing : bool, default=False
            Whether NaN marks a missing score, as null does. Otherwise NaN raises an error.
        n_skipped : int, default=0
            Number of initial row groups to skip because they were counted before.
        scale, resolution
            As in `ScoreHistogram`.

        Returns
        -------
        histogram : ScoreHistogram

        Raises
        ------
        ImportError
            Without pyarrow; install it by ``pip install pyarrow``.
        FileNotFoundError
            If no file is found.
        InterruptedPassError
            If a row group cannot be read or counted, or holds NaN. The error names the row group,
            and its attribute `histogram` has the counts so far.
        """
        check_flag(nan_is_missing, "nan_is_missing")
        n_counted = check_count(n_skipped, "n_skipped", 0)
        files = ScoreFiles.of(path, column, filesystem)
        histogram = cls(scale, resolution=resolution)

        try:
            for row_group in files.row_groups(n_counted):
                part = cls(scale, resolution=resolution)
                for batch in row_group:
                    part.update(batch.drop_null().to_numpy(zero_copy_only=False))

                if part.n_missing and not nan_is_missing:
                    raise ValueError(
                        f"{part.n_missing} scores are NaN. Write null where a score is missing, "
                        "or pass nan_is_missing=True."
                    )

                n_null = sum(batch.null_count for batch in row_group)
                counted = replace(part._counted, n_missing=part.n_missing + n_null)
                histogram = histogram._with(histogram._counted.then(counted))
                n_counted += 1
        except (ValueError, TypeError, OSError, NotImplementedError) as error:
            remedy = (
                f"add the result of from_parquet with n_skipped={n_counted} once the file is "
                "repaired"
            )
            raise InterruptedPassError(n_counted, histogram, error, files.place, remedy) from error

        return histogram

    @staticmethod
    def parquet_chunks(path: Any, column: str, *, filesystem: Any = None) -> Iterator[np.ndarray]:
        """Read the scores in a column of Parquet files again, as chunks for `find`.

        Parameters
        ----------
        path, column, filesystem
            As in `from_parquet`.

        Returns
        -------
        chunks : iterator of ndarray of shape (n_scores,)
            Chunks in the order of file names and rows; NaN for null.
        """
        row_groups = ScoreFiles.of(path, column, filesystem).row_groups()
        return (batch.to_numpy(zero_copy_only=False) for group in row_groups for batch in group)

    @classmethod
    def from_dask(
        cls, scores: Any, *, scale: str = "logit", resolution: int = 64
    ) -> ScoreHistogram:
        """Count the scores of a dask collection, partition by partition, on its workers.

        Parameters
        ----------
        scores : dask.array.Array or dask.dataframe.Series
            One number for each item; NaN or ``pd.NA`` where missing.
        scale, resolution
            As in `ScoreHistogram`.

        Returns
        -------
        histogram : ScoreHistogram

        Raises
        ------
        TypeError
            If `scores` is not a dask collection.
        InterruptedPassError
            If partitions cannot be counted. The error names the first such partition, and its
            attribute `histogram` has the counts of all others.
        """
        empty = cls(scale, resolution=resolution)
        histogram, refused = counted_partitions(scores, empty)
        if refused:
            number = min(refused)
            others = f", one of {len(refused)} such partitions," if len(refused) > 1 else ""
            place = f"Partition {number} (the first is 0){others}"
            remedy = "count the rest by its `update` once it is repaired"
            raise InterruptedPassError(number, histogram, refused[number], place, remedy)
        return histogram

    @classmethod
    def from_table(
        cls,
        keys: Any,
        counts: Any = None,
        *,
        by: Any = None,
        systems: Any = None,
        judges: Any = None,
        classes: Any = None,
        labels: Any = None,
        marginals: Any = None,
        scale: str | None = None,
        resolution: int | None = None,
    ) -> Any:
        """Create a histogram from a table of keys and counts of a query engine.

        Parameters
        ----------
        keys : data frame, or array-like of shape (n_rows,)
            The result of the statement `sql`: a frame of pandas, polars or Arrow, a DuckDB
            relation, record batches, another frame that narwhals supports, or a mapping of columns.
            The columns are `key`, `n` and, if known, `total`, `smallest` and `largest`; otherwise
            scores are assumed to be spread over the width of their bins. An array holds the keys
            only, as integers, missing for missing scores.
        counts : array-like of int of shape (n_rows,), default=None
            The counts, if `keys` is an array.
        by : str or list of str, default=None
            Columns of subgroups. Each subgroup gets its own histogram.
        systems : list of str, default=None
            Names of several systems, whose keys are in the columns ``key_<name>``.
        judges : list of str, default=None
            Columns of judges' verdicts, as in `PerformanceCurveEstimator.fit`. Items are counted by
            their verdicts too.
        classes : list, default=None
            More than two classes. Items are counted by the predicted class (the column
            ``predicted``) and the key of its probability. The rest of the probability is shared
            equally by the other classes.
        labels : data frame or pair, default=None
            The labeled items, which must be among the counted items. A frame has their labels
            ``y``, their scores (a column for each of `systems` or `classes`, else one of any name),
            and the columns of `by` and `judges`. A pair names the negative and the positive class,
            if the columns ``n_neg`` and ``n_pos`` hold the numbers of labeled items.
        marginals : mapping of str to ScoreHistogram, default=None
            Histograms of single systems. They must agree with the table.
        scale, resolution
            The scale and resolution of the keys. None uses the columns `scale` and `resolution` of
            the table, or the defaults.

        Returns
        -------
        histogram : ScoreHistogram
            With `labels`, the result of `with_labels`, for `fit`. With `systems`, `judges` or
            `classes`, a joint histogram, which also has `with_labels`, `to_table` and ``+``. With
            `by`, a dict of such objects.

        Raises
        ------
        ValueError
            If a key is repeated or invalid, a count is not an integer, a column is missing, or
            scores do not belong to their keys.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import ScoreHistogram
        >>> scores = np.random.default_rng(0).random(10_000)
        >>> histogram = ScoreHistogram().update(scores)
        >>> ScoreHistogram.from_table(histogram.to_table()) == histogram
        True
        """
        if counts is None:
            columns = columns_of(keys, "keys")
        else:
            check_aligned(keys=keys, counts=counts)
            columns = {KEY: keys, N: counts}

        judges = () if judges is None else as_tuple(judges, "judges", "names of columns")
        by = () if by is None else by
        names = (by,) if isinstance(by, str) else as_tuple(by, "by", "names")
        is_joint = systems is not None or classes is not None or bool(judges)
        is_counted = isinstance(labels, list | tuple)
        _check_asked(systems, classes, judges, names, marginals, labels)
        items = None if labels is None or is_counted else columns_of(labels, "labels")

        def read(of_subgroup: Any, labeled: Any) -> Any:
            """Return the histogram of a subgroup, given the columns of its labeled items."""
            bins = bins_of_table(of_subgroup, scale, resolution)

            if is_joint:
                columns_of_keys = ("",) if systems is None else tuple(systems)
                histogram: Any = JointHistogram.of_table(
                    of_subgroup, bins, columns_of_keys, judges, classes
                )
                histogram.check_marginals(marginals or {})
            else:
                empty = cls(bins.scale, resolution=bins.resolution)
                histogram = empty._with(counts_of_table(of_subgroup, bins))
                if is_counted or (items is None and N_OF_CLASSES[0] in of_subgroup):
                    return histogram._with_counted_labels(of_subgroup, labels)

            if items is None:
                return histogram
            if labeled is None:
                return histogram.with_labels([], [])

            columns_of_scores = systems if classes is None else classes
            return histogram.with_labels(*labels_of_table(labeled, columns_of_scores, judges))

        if not names:
            return read(columns, items)

        parts = split_by(columns, names, "keys")
        labeled = {} if items is None else split_by(items, names, "labels")
        if unknown := [subgroup for subgroup in labeled if subgroup not in parts]:
            raise ParameterError.of(
                "labels",
                f"has items of the subgroups {listed(map(repr, unknown))}, which the table lacks.",
                "Pass the rows of all subgroups",
            )

        return {
            subgroup: read(of_subgroup, labeled.get(subgroup))
            for subgroup, of_subgroup in parts.items()
        }

    def to_table(self) -> dict[str, np.ndarray]:
        """Return the histogram as the columns of a table, which `from_table` reads.

        The columns can be stored as a frame of any library or in a database. There, histograms of
        several days can be added: sum ``n`` and ``quanta``, and take the minimum of ``smallest``
        and the maximum of ``largest``, by ``key``.

        Returns
        -------
        columns : dict of str to ndarray of shape (n_bins,)
            `key`, `n`, `quanta` (the sum of the scores in units of the bin), `smallest`, `largest`,
            and the constant columns `scale`, `resolution` and `is_exact`. Missing scores have a row
            with the key NaN.

        Raises
        ------
        ValueError
            If the histogram has counts from `with_count_above`, which only `save` keeps.

        Examples
        --------
        >>> from sklearn_spe import ScoreHistogram
        >>> columns = ScoreHistogram().update([0.1, 0.1, 0.9]).to_table()
        >>> columns["key"], columns["n"]
        (array([-141,  140]), array([2, 1]))
        """
        if n_above := self._counted.n_above:
            raise ValueError(
                f"Counts above {sorted(n_above)} cannot be stored in a table: use `save`, or leave "
                "out with_count_above."
            )
        return table_of_counts(self._counted, self._bins)

    def __eq__(self, other: object) -> bool:
        """Return whether the bins and all that is known of them are equal.

        The order in which scores were counted is ignored.
        """
        if not isinstance(other, ScoreHistogram):
            return NotImplemented
        return self._bins == other._bins and self._counted.is_same(other._counted)

    # Contents change, so that a hash, as of the lock of updates, can only be that of identity.
    __hash__ = object.__hash__

    def save(self, path: str | Path) -> None:
        """Write the histogram to a file, which `load` reads in later versions of this package.

        Parameters
        ----------
        path : str or Path
            The name of the file. An existing file is replaced only after everything was written.
            The format is that of numpy, for any file extension.

        Returns
        -------
        None

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> from sklearn_spe import ScoreHistogram
        >>> path = Path(mkdtemp()) / "scores.npz"
        >>> ScoreHistogram().update([0.1, 0.5, 0.9]).save(path)
        >>> ScoreHistogram.load(path)
        ScoreHistogram(scale='logit', resolution=64): 3 scores in 3 bins
        """
        write_counts(path, self._bins, self._counted)

    @classmethod
    def load(cls, path: str | Path) -> ScoreHistogram:
        """Return the histogram that `save` wrote, bit for bit.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        histogram : ScoreHistogram

        Raises
        ------
        ValueError
            If the file was not written by `save`, or was written by a later version of this package
            with another schema.
        """
        bins, counted = read_counts(path)
        return cls(bins.scale, resolution=bins.resolution)._with(counted)

    def sql(
        self,
        column: str | Mapping[str, str],
        table: str | None = None,
        *,
        category: str | Sequence[str] | None = None,
        float64: str = "DOUBLE",
    ) -> str:
        """Return the SQL statement for a table of keys and counts, for `from_table`.

        Scores outside the domain of the scale get a key that `from_table` rejects. No engine can
        therefore drop them silently.

        Parameters
        ----------
        column : str or mapping of str to str
            The column of scores. Quote this and other names as the engine requires. To count
            several systems jointly, pass a mapping from their names to their columns.
        table : str, default=None
            The table. None returns only the expression of the key.
        category : str or list of str, default=None
            Columns of subgroups, verdicts or predicted classes. Items are counted separately for
            each of their values.
        float64 : str, default="DOUBLE"
            The name of the 64-bit floating-point type in the engine: "FLOAT64" in BigQuery, "DOUBLE
            PRECISION" in PostgreSQL.

        Returns
        -------
        statement : str
            Selects the columns of `category`, `key`, `n`, `total`, `smallest` and `largest`. For
            several systems it selects ``key_<name>``, `n` and ``total_<name>``.

        Examples
        --------
        >>> from sklearn_spe import ScoreHistogram
        >>> histogram = ScoreHistogram()
        >>> print(histogram.sql("p", "scores"))
        SELECT CASE
            WHEN p > 0 AND p < 1
                THEN CAST(FLOOR(64 * LN(CAST(p AS DOUBLE) / (1 - CAST(p AS DOUBLE)))) AS INT)
            WHEN p = 0 THEN -1073741824
            WHEN p = 1 THEN 1073741824
            WHEN p IS NOT NULL THEN 2147483647
        END AS key, COUNT(*) AS n,
            SUM(CAST(p AS DOUBLE)) AS total, MIN(p) AS smallest, MAX(p) AS largest
        FROM scores
        GROUP BY 1
        """
        columns = dict(column) if isinstance(column, Mapping) else {"": column}
        if category is None:
            category = ()

        categories = (category,) if isinstance(category, str) else category
        selected = list(as_tuple(categories, "category", "names of columns"))

        arguments = [*columns.items(), ("float64", float64)]
        arguments += [("category", name) for name in selected]

        if table is not None:
            arguments.append(("table", table))

        for name, value in arguments:
            if not (isinstance(value, str) and value.strip()):
                raise TypeError(
                    f"{name or 'column'} must be a name in the query engine, got {value!r}."
                )

        keys = {name: self._bins.sql(scores, float64) for name, scores in columns.items()}
        if table is None:
            if selected or "" not in keys:
                raise ValueError(
                    "category= and several columns need a whole statement: pass table= too."
                )
            return keys[""]

        suffixes = {name: f"_{name}" if name else "" for name in columns}
        selected += [f"{key} AS {KEY}{suffixes[name]}" for name, key in keys.items()]
        selected.append(f"COUNT(*) AS {N}")
        summaries = [
            f"SUM(CAST({scores} AS {float64})) AS {TOTAL}{suffixes[name]}"
            for name, scores in columns.items()
        ]

        if "" in keys:
            summaries += [f"MIN({columns['']}) AS {SMALLEST}", f"MAX({columns['']}) AS {LARGEST}"]

        # All selected columns but the number of items.
        grouped = ", ".join(map(str, range(1, len(selected))))
        return (
            f"SELECT {', '.join(selected)},\n    {', '.join(summaries)}\nFROM {table}\n"
            f"GROUP BY {grouped}"
        )

    # --- labels -------------------------------------------------------------------------------

    def with_labels(self, scores: ArrayLike, y: Any, *, counted: bool = True) -> LabeledHistogram:
        """Return the histogram with labeled items, which replaces X and y in `fit`.

        Parameters
        ----------
        scores : array-like of shape (n_items,)
            Exact scores of the labeled items.
        y : array-like of shape (n_items,)
            Their labels, as in `fit`.
        counted : bool, default=True
            Whether these items are among those that the histogram has counted.

        Returns
        -------
        labeled : LabeledHistogram
            The labeled items in the given order, followed by the other items of each bin, as one or
            several rows spread over its width.

        Raises
        ------
        ValueError
            If `counted` contradicts the counts of the bins. Scores of a wrong model are not
            detected if they fall into nonempty bins.

        Warns
        -----
        CoarseBinsWarning
            If the scale or the resolution is too coarse for the scores.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import ScoreHistogram
        >>> scores = np.random.default_rng(0).random(10_000)
        >>> labeled = ScoreHistogram().update(scores).with_labels(scores[:20], scores[:20] > 0.5)
        >>> float(labeled.counts.sum())
        10000.0
        """
        check_flag(counted, "counted")
        scores = read_frame(scores, "scores")
        y = read_column(y, "y")
        check_aligned(scores=scores, y=y)
        of_items = single_scores(scores, "scores").astype(float, copy=False)
        labels = labels_of(of_items, y)
        warn_of_coarse_bins(self._counted.table, self._bins)

        if len(of_items):
            self._bins.check(float(of_items.min()), float(of_items.max()))

        cut = self._cut
        parts = cut.parts_of(self._bins.keys(of_items), of_items) if counted else None
        return labeled_rows(cut, of_items, labels, parts)

    def _with_counted_labels(self, columns: Any, classes: Any) -> LabeledHistogram:
        """Return the histogram with the labels that a table has counted by key."""
        if classes is None:
            raise ParameterError.of(
                "labels",
                "must name the classes of the columns 'n_neg' and 'n_pos', in this order, "
                "such as [0, 1].",
            )

        cut = self._cut
        n = counted_labels(columns, cut.keys)
        of_class, parts = np.nonzero(n)
        y = np.empty(len(parts), dtype=object)
        y[:] = [classes[k] for k in of_class]
        warn_of_coarse_bins(self._counted.table, self._bins)

        return labeled_rows(cut, cut.scores[parts], y, parts, n[of_class, parts])

    @property
    def _cut(self) -> CutBins:
        return CutBins.of(self._counted.table, self._bins, self._counted.n_above)

    # --- another pass -------------------------------------------------------------------------

    def with_count_above(self, threshold: float, n_above: int) -> ScoreHistogram:
        """Return the histogram with an exact count of scores at or above a threshold.

        Without it, a threshold is accurate only to the width of its bin. Computing the count takes
        one more pass over the scores, in numpy or in a query engine:
        ``SELECT COUNT(*) FROM scores WHERE p >= 0.9``.

        Parameters
        ----------
        threshold : float
        n_above : int
            Number of counted scores at or above `threshold`.

        Returns
        -------
        histogram : ScoreHistogram
            The histogram with this count, which later updates keep current.

        Raises
        ------
        ValueError
            If the count contradicts the bins.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import ScoreHistogram
        >>> scores = np.random.default_rng(0).random(10_000)
        >>> n_above = sum(np.count_nonzero(chunk >= 0.9) for chunk in np.array_split(scores, 10))
        >>> histogram = ScoreHistogram().update(scores).with_count_above(0.9, n_above)
        """
        threshold = check_number(threshold, "threshold", "(-inf, inf)")
        self._bins.check(threshold, threshold)
        counted = self._counted
        known = {**counted.n_above, threshold: check_count(n_above, "n_above", 0)}
        histogram = self._with(replace(counted, n_above=known))
        # Raises if the count contradicts the bins.
        _ = histogram._cut
        return histogram

    def find(
        self, items: Any, chunks: Iterable[Any], *, random_state: int = 0, known: Any = ()
    ) -> np.ndarray:
        """Return the positions of items among the scores, by one more pass over the scores.

        The items of a histogram are numbered from 0, by increasing bin and in random order within
        each bin. Consecutive numbers of a bin are thus a random sample of its items without
        replacement. `ActiveTestSelector.query` returns such numbers.

        Parameters
        ----------
        items : array-like of int of shape (n,)
            Numbers of items.
        chunks : iterable of array-like of shape (n_scores,)
            All counted scores in their original order, missing scores as NaN. The chunks may differ
            from the original ones.
        random_state : int, default=0
            Determines the random order within bins. Use the same value in each pass.
        known : array-like of int of shape (n_known,), default=()
            Positions of the labeled items of `with_labels`, which have no number.

        Returns
        -------
        places : ndarray of int of shape (n,)
            Position of each item among the scores of all chunks, counted from 0, including missing
            scores.

        Raises
        ------
        ValueError
            If a number is too large, or the chunks do not have the counted scores.

        Notes
        -----
        The pass counts the scores again, and raises an error if they differ from those of the
        histogram. It compares the total number, the numbers in each bin, missing scores and counts
        above thresholds. For scores counted in Python it also compares the sum (up to 2**-24 of a
        bin), the smallest and the largest score of each bin. It compares the order if a single
        thread counted all scores by `update`, `from_chunks` or `from_parquet`.

        The order cannot be verified for sums of histograms, `from_dask`, `from_table`, `counts` or
        several threads, nor among equal scores. If rows may be reordered between passes (a query
        without ``ORDER BY``), find them by `bins_of` and an identifier. Counting more scores
        changes the numbers of the items.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_spe import ScoreHistogram
        >>> scores = np.random.default_rng(0).random(10_000)
        >>> histogram = ScoreHistogram().update(scores)
        >>> places = histogram.find([0, 9_999], np.array_split(scores, 10))
        >>> scores[places].round(2)
        array([0., 1.])
        """
        seed = check_count(random_state, "random_state", 0)
        known = np.unique(check_counts(as_plain(known, "known"), "known", 0))
        counted = self._counted
        cut = self._cut
        numbers = cut.check_numbers(items)
        proved = counted.proved(chunks, self._bins)
        return find_places(numbers, proved, cut, self._bins, seed, known)

    def bins_of(self, items: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the bins of items, with which a query engine can find the items; see also `find`.

        The engine must sort the rows of each key in a reproducible random order, such as by a hash
        of an identifier and then by the identifier. It then selects the rows at the returned
        positions.

        Parameters
        ----------
        items : array-like of int of shape (n,)
            Numbers of items, as in `find`.

        Returns
        -------
        keys : ndarray of int of shape (n,)
            Key of the bin of each item, as in `sql`.
        places : ndarray of int of shape (n,)
            Position of each item in the order of its bin, counted from 0.

        Raises
        ------
        ValueError
            If a number is too large, or if `with_count_above` divided a bin.

        Examples
        --------
        >>> from sklearn_spe import ScoreHistogram
        >>> ScoreHistogram().update([0.1, 0.1, 0.9]).bins_of([1, 2])
        (array([-141,  140]), array([1, 0]))
        """
        if n_above := self._counted.n_above:
            raise ValueError(
                f"Bins are cut at {sorted(n_above)}, which keys cannot represent: use `find`; or "
                "leave out with_count_above."
            )
        cut = self._cut
        parts, places = cut.parts_and_places(cut.check_numbers(items))
        return cut.keys[parts], places


def _check_asked(
    systems: Any, classes: Any, judges: tuple, by: tuple, marginals: Any, labels: Any
) -> None:
    """Raise unless the arguments of `from_table` go together."""
    for name, value in (("systems", systems), ("classes", classes)):
        if value is not None and len(as_tuple(value, name, "several names")) < 2:
            raise ParameterError.of(name, f"must be a list of several names, got {value!r}.")

    if classes is not None and (systems is not None or judges):
        raise ParameterError(
            "classes= is for one system, without systems= and judges=.", parameter="classes"
        )
    if marginals is not None and (systems is None or by):
        raise ParameterError(
            "marginals= verifies a table of systems=, without by=.", parameter="marginals"
        )

    is_joint = systems is not None or classes is not None or bool(judges)
    if isinstance(labels, list | tuple) and (len(labels) != 2 or is_joint):
        raise ParameterError.of(
            "labels",
            "must be a frame of labeled items; or the two classes of n_neg and n_pos, "
            f"without systems=, judges= and classes=; got {labels!r}.",
        )

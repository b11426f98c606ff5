"""Counts of scores in bins: one pass over any number of them, merged exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from threading import get_ident
from typing import Self

import numpy as np

from ..exceptions import InterruptedPassError
from ..inputs._alignment import check_aligned
from ..inputs._array_like import as_numbers, as_plain, as_vector
from ..inputs._numbers import MOST, check_count, check_counts, check_flag, check_number
from ..inputs._one_at_a_time import lock_of
from ._bin_table import BinTable
from ._coarse_bins import warn_of_coarse_bins
from ._cut_bins import CutBins
from ._item_search import ItemSearch
from ._labeled_histogram import LabeledHistogram, read_labeled
from ._partition_counts import counted_partitions
from ._score_bins import ScoreBins
from ._score_counts import ScoreCounts
from ._score_files import ScoreFiles

__all__ = ["ScoreHistogram"]


class ScoreHistogram:
    """Counts of scores in a few thousand bins, from one pass over any number of scores.

    Bins are equally wide on a scale that is fixed before the pass. The key of a score x is
    ``floor(resolution * scale(x))``, which every engine for tables can compute (`sql`): what one
    grouped by that key is read by `from_table`. Histograms of parts of the scores are added, and
    the sum is the same to the last bit in any order.

    Probabilities belong on "logit": floats are dense near 0 and coarse near 1, and on "identity"
    most of the average precision of rare positives is lost in the last bin. Where one bin holds
    much of what was counted, `with_labels` says so.

    Several threads may `update` one histogram at the same time, and others add, copy or pickle it:
    each sees all of an update or nothing of it.

    Parameters
    ----------
    scale : {"logit", "identity", "asinh"}, default="logit"
        On which bins are equally wide: the log-odds of probabilities, whose 0 and 1 have bins of
        their own; log-odds and margins as they are; or, for scores of all sizes, their inverse
        hyperbolic sine.
    resolution : int, default=64
        How many bins a unit of the scale has.

    See Also
    --------
    PerformanceCurveEstimator : Its `fit` takes ``histogram.with_labels(scores, y)``.
    ActiveTestSelector : Asks for the items to label next.

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
    >>> labelled = histogram.with_labels(scores[:40], y[:40])
    >>> performance = PerformanceCurveEstimator(random_state=0).fit(labelled)
    >>> print(f"{performance.estimate('average_precision'):.1f}")
    0.9 [0.8, 1.0]
    """

    def __init__(self, scale: str = "logit", *, resolution: int = 64):
        self._bins = ScoreBins(scale, resolution)
        # One value: whoever reads it sees all of an update or nothing.
        self._counted = ScoreCounts.empty()
        # The last one that counted here.
        self._thread: int | None = None

    # --- what it holds ------------------------------------------------------------------------

    @property
    def scale(self) -> str:
        """The scale on which bins are equally wide."""
        return self._bins.scale

    @property
    def resolution(self) -> int:
        """How many bins a unit of the scale has."""
        return self._bins.resolution

    @property
    def keys(self) -> np.ndarray:
        """The keys of the bins that are not empty, increasing, of shape (n_bins,)."""
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
    def least(self) -> np.ndarray:
        """The smallest score in each bin, of shape (n_bins,)."""
        return self._counted.table.least

    @property
    def greatest(self) -> np.ndarray:
        """The largest score in each bin, of shape (n_bins,)."""
        return self._counted.table.greatest

    @property
    def n_items(self) -> int:
        """How many scores were counted."""
        return self._counted.n_items

    @property
    def n_missing(self) -> int:
        """How many scores were missing (NaN), and are not counted."""
        return self._counted.n_missing

    @property
    def n_near_edges(self) -> int:
        """How many of the scores that were counted here an engine may count one bin beside.

        They lie within four units of rounding of an edge. Of a table of an engine none are known.
        """
        return self._counted.table.n_near_edges

    def __repr__(self) -> str:
        counted = self._counted
        missing = f", {counted.n_missing} missing" if counted.n_missing else ""
        return (
            f"ScoreHistogram(scale={self.scale!r}, resolution={self.resolution}): "
            f"{counted.n_items} scores in {len(counted.table.keys)} bins{missing}"
        )

    def __getstate__(self) -> dict:
        # A thread of one process is none of another.
        return {**vars(self), "_thread": None}

    # --- counting -----------------------------------------------------------------------------

    def update(self, scores, counts=None) -> Self:
        """Count more scores; threads may do so at the same time.

        Parameters
        ----------
        scores : array-like of shape (n_scores,)
            NaN where missing.
        counts : array-like of int of shape (n_scores,), default=None
            How often each counts.

        Returns
        -------
        self : ScoreHistogram
            If an error is raised it is as it was before.

        Raises
        ------
        ValueError
            If a score is infinite or does not fit the scale.
        """
        check_aligned(scores=scores, counts=counts)
        part = ScoreCounts.of(scores, counts, self._bins, self._counted.n_above)
        with lock_of(self):
            both, thread = self._counted.then(part), get_ident()
            if self._thread not in (None, thread):
                # Which thread comes first is chance.
                both = replace(both, order=None)
            self._counted, self._thread = both, thread
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
        own, others = self._counted, other._counted
        if own.n_above.keys() != others.n_above.keys():
            raise ValueError(
                f"Only histograms with counts above the same thresholds can be added; got "
                f"{sorted(own.n_above)} and {sorted(others.n_above)}. Add first, and say "
                f"with_count_above of the sum."
            )
        return self._with(own.plus(others))

    def __radd__(self, other) -> ScoreHistogram:
        # The start of `sum`.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def _with(self, counted: ScoreCounts) -> ScoreHistogram:
        made = ScoreHistogram(self.scale, resolution=self.resolution)
        made._counted = counted
        return made

    @classmethod
    def from_chunks(
        cls, chunks: Iterable, *, scale: str = "logit", resolution: int = 64
    ) -> ScoreHistogram:
        """Count the scores of many chunks, one after another.

        Parameters
        ----------
        chunks : iterable of array-like of shape (n_scores,)
        scale, resolution
            As `ScoreHistogram` has them.

        Returns
        -------
        histogram : ScoreHistogram

        Raises
        ------
        InterruptedPassError
            If a chunk cannot be read or counted: it is named, and what was counted before is the
            error's `histogram`.
        """
        histogram, n_counted = cls(scale, resolution=resolution), 0
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
        path,
        column: str,
        *,
        filesystem=None,
        nan_is_missing: bool = False,
        n_skipped: int = 0,
        scale: str = "logit",
        resolution: int = 64,
    ) -> ScoreHistogram:
        """Count the scores in a column of Parquet files, one row group after another.

        Nothing but that column is read, and no more of it is in memory than a few row groups.

        Parameters
        ----------
        path : str, path-like or list of these
            A file, a folder of files, or a pattern with ``*``, ``?`` and ``**``; an address such
            as ``s3://bucket/scores/*.parquet`` goes too. Files are read in the order of names.
        column : str
            Of numbers; scores that are null are missing.
        filesystem : pyarrow.fs.FileSystem or fsspec.AbstractFileSystem, default=None
            Where the files lie. None stands for what `path` says: this machine, or the store of an
            address.
        nan_is_missing : bool, default=False
            Whether NaN stands for a missing score, as null does. Else it is a mistake.
        n_skipped : int, default=0
            How many row groups are left out, of the first ones: those that were counted before.
        scale, resolution
            As `ScoreHistogram` has them.

        Returns
        -------
        histogram : ScoreHistogram

        Raises
        ------
        ImportError
            Without pyarrow, which ``pip install "sklearn-spe[parquet]"`` brings.
        FileNotFoundError
            If there is no such file.
        InterruptedPassError
            If a row group cannot be read or counted, or holds NaN: it is named, and what was
            counted before is the error's `histogram`.
        """
        check_flag(nan_is_missing, "nan_is_missing")
        n_counted = check_count(n_skipped, "n_skipped", 0)
        files = ScoreFiles.of(path, column, filesystem)
        histogram = cls(scale, resolution=resolution)
        try:
            for row_group in files.row_groups(n_counted):
                part, n_null = cls(scale, resolution=resolution), 0
                for scores, n in row_group:
                    part.update(scores)
                    n_null += n
                if part.n_missing and not nan_is_missing:
                    raise ValueError(
                        f"{part.n_missing} scores are NaN. Write null where a score is missing, or "
                        f"say nan_is_missing=True."
                    )
                counted = replace(part._counted, n_missing=part.n_missing + n_null)
                histogram = histogram._with(histogram._counted.then(counted))
                n_counted += 1
        except (ValueError, TypeError, OSError, NotImplementedError) as error:
            rest = f"add to it what from_parquet finds with n_skipped={n_counted}"
            raise InterruptedPassError(
                n_counted, histogram, error, files.place, f"{rest} once the file is mended"
            ) from error
        return histogram

    @staticmethod
    def parquet_chunks(path, column: str, *, filesystem=None) -> Iterator[np.ndarray]:
        """Read the scores in a column of Parquet files, for one more pass.

        Parameters
        ----------
        path, column, filesystem
            As `from_parquet` has them.

        Returns
        -------
        chunks : iterator of ndarray of shape (n_scores,)
            In the order of the names of files, and of their rows: NaN where null.
        """
        return ScoreFiles.of(path, column, filesystem).chunks()

    @classmethod
    def from_dask(cls, scores, *, scale: str = "logit", resolution: int = 64) -> ScoreHistogram:
        """Count the scores of a dask collection, partition by partition, where they are.

        Parameters
        ----------
        scores : dask.array.Array or dask.dataframe.Series
            One number an item; NaN or ``pd.NA`` where missing.
        scale, resolution
            As `ScoreHistogram` has them.

        Returns
        -------
        histogram : ScoreHistogram

        Raises
        ------
        TypeError
            If it is no such collection.
        InterruptedPassError
            If partitions cannot be counted: the first one is named, and all others are in the
            error's `histogram`.
        """
        empty = cls(scale, resolution=resolution)
        histogram, refused = counted_partitions(scores, empty)
        if refused:
            number = min(refused)
            others = f", one of {len(refused)} such partitions," if len(refused) > 1 else ""
            place = f"Partition {number} (the first is 0){others}"
            rest = "count what is left with its `update` once it is mended"
            raise InterruptedPassError(number, histogram, refused[number], place, rest)
        return histogram

    @classmethod
    def from_table(
        cls, keys, counts, *, scale: str = "logit", resolution: int = 64
    ) -> ScoreHistogram:
        """Take over what an engine has counted: a table of keys and counts.

        Scores then lie in the middle of their bins, and all over their width.

        Parameters
        ----------
        keys : array-like of shape (n_rows,)
            Whole numbers, as the expression `sql` has them; the key of missing scores is missing.
        counts : array-like of int of shape (n_rows,)
        scale, resolution
            As the keys were made with.

        Returns
        -------
        histogram : ScoreHistogram

        Raises
        ------
        ValueError
            If a key comes twice or cannot be one, or a count is not whole.
        """
        histogram = cls(scale, resolution=resolution)
        check_aligned(keys=keys, counts=counts)
        keys = as_numbers(keys, "keys").ravel()
        counts = check_counts(as_vector(counts, "counts", len(keys)), "counts", 0)
        missing = np.isnan(keys)
        whole = check_counts(keys[~missing], "keys", -MOST)
        histogram._bins.check_keys(whole, counts[~missing])
        whole, firsts = np.unique(whole, return_index=True)
        if len(whole) < (~missing).sum():
            raise ValueError("A table has one row for each key, but some come twice: add them up.")
        own = counts[~missing][firsts]
        whole, own = whole[own > 0], own[own > 0]
        ends, (low, quantum) = histogram._bins.edges(whole), histogram._bins.grid(whole)
        parts = np.floor((np.mean(ends, axis=0) - low) / quantum).astype(np.int64)
        table = BinTable(whole, own, own * parts, *ends)
        n_missing = int(counts[missing].sum())
        return histogram._with(ScoreCounts(table, n_missing, is_exact=False))

    def sql(
        self,
        column: str,
        table: str | None = None,
        *,
        category: str | None = None,
        float64: str = "DOUBLE",
    ) -> str:
        """Return the statement of SQL that makes a table of keys and counts, for `from_table`.

        The key of numbers that the scale does not take is one that `from_table` refuses, so that
        no engine leaves them out in silence.

        Parameters
        ----------
        column : str
            The column of scores. This and other names are to be quoted as the engine wants it.
        table : str, default=None
            Where it is. None returns the expression of the key alone.
        category : str, default=None
            A column of subgroups, each of which is counted by itself.
        float64 : str, default="DOUBLE"
            What the engine calls it: "FLOAT64" in BigQuery, "DOUBLE PRECISION" in PostgreSQL.

        Returns
        -------
        statement : str
            With the columns `key` and `n`, and before them that of `category`.

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
        END AS key, COUNT(*) AS n
        FROM scores
        GROUP BY 1
        """
        names = {"column": column, "float64": float64, "table": table, "category": category}
        for name, given in names.items():
            if not (isinstance(given, str) and given.strip()) and not (
                given is None and name in ("table", "category")
            ):
                raise TypeError(f"{name} must be the name that the engine knows, got {given!r}.")
        key = self._bins.sql(column, float64)
        if table is None:
            if category is not None:
                raise ValueError("category= is part of a statement: say its table= too.")
            return key
        selected, grouped = ("", "1") if category is None else (f"{category}, ", "1, 2")
        return f"SELECT {selected}{key} AS key, COUNT(*) AS n\nFROM {table}\nGROUP BY {grouped}"

    # --- labels -------------------------------------------------------------------------------

    def with_labels(self, scores, y, *, counted: bool = True) -> LabeledHistogram:
        """Return what takes the place of X and y in `fit`: the histogram, and labelled items.

        Parameters
        ----------
        scores : array-like of shape (n_items,)
            Of the items with labels, exactly.
        y : array-like of shape (n_items,)
            Their labels, as `fit` takes them.
        counted : bool, default=True
            Whether these items are among those that the histogram has counted.

        Returns
        -------
        labeled : LabeledHistogram
            The items in the order given, and then the bins without them, each as one row or as
            several that are laid out evenly over it.

        Raises
        ------
        ValueError
            If items that are said to be counted are not, as far as counts of bins tell: scores of
            another model that lie in bins which are not empty are taken for counted ones.

        Warns
        -----
        CoarseBinsWarning
            If the scale, or its resolution, does not fit the scores.
        """
        check_flag(counted, "counted")
        given, plain = read_labeled(scores, y)
        warn_of_coarse_bins(self._counted.table, self._bins)
        if len(given):
            self._bins.check(float(given.min()), float(given.max()))
        cut = self._cut
        parts = cut.parts_of(self._bins.keys(given), given) if counted else None
        return LabeledHistogram.of(cut, given, plain, parts)

    @property
    def _cut(self) -> CutBins:
        return CutBins.of(self._counted.table, self._bins, self._counted.n_above)

    # --- another pass -------------------------------------------------------------------------

    def with_count_above(self, threshold: float, n_above: int) -> ScoreHistogram:
        """Return the histogram with one more exact count: that of scores at or above a threshold.

        A threshold within a bin moves by the width of the bin at most; once it is known how many
        scores lie at or above it, it does not move at all. One more pass says that, of numpy or of
        an engine: ``SELECT COUNT(*) FROM scores WHERE p >= 0.9``.

        Parameters
        ----------
        threshold : float
        n_above : int
            How many of the scores that were counted are at least `threshold`.

        Returns
        -------
        histogram : ScoreHistogram
            It goes on counting what lies above, if it is updated.

        Raises
        ------
        ValueError
            If the bins say that so many cannot be.

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
        made = self._with(replace(counted, n_above=known))
        # Raises if so many cannot be.
        _ = made._cut
        return made

    def find(self, items, chunks: Iterable, *, random_state: int = 0, known=()) -> np.ndarray:
        """Return where items are among the scores: one more pass over them.

        The items of a histogram have numbers below `n_items`: from the lowest bin to the highest,
        and within a bin by chance. The next number of a bin is therefore an item of it at random,
        and never one that came before. `ActiveTestSelector.query` returns such numbers.

        Parameters
        ----------
        items : array-like of int of shape (n,)
            Numbers of items.
        chunks : iterable of array-like of shape (n_scores,)
            All scores that were counted, missing ones as NaN, in the order in which they were
            counted; in what chunks they come does not matter.
        random_state : int, default=0
            Says which item of a bin has which number: the same in each pass.
        known : array-like of int of shape (n_known,), default=()
            Places of items that have no number: those whose labels `with_labels` was given.

        Returns
        -------
        places : ndarray of int of shape (n,)
            Of each item among the scores of all chunks together, from 0, missing ones counted.

        Raises
        ------
        ValueError
            If a number is too large, or the chunks do not hold the scores that were counted.

        Notes
        -----
        The pass counts the scores once more, and raises unless it finds what was counted: how
        many there are, and in each bin; that none is missing that was not; counts above
        thresholds; of scores that were counted in Python also the sum, the smallest and the
        largest score of each bin (but for rounding of sums to 2**-24 of a bin); and the order, if
        one thread counted all of them by `update`, `from_chunks` or `from_parquet`.

        It cannot prove the order of a sum of histograms, of `from_dask`, of `from_table`, of
        `counts` or of what several threads counted, nor that of items with equal scores, nor to
        which rows scores belong. Where rows may change places between two passes (a query without
        ``ORDER BY``), find them by `bins_of` and an identifier. Once more scores are counted, the
        numbers of items are others.

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
        counted, cut = self._counted, self._cut
        numbers = cut.check_numbers(items)
        proved = counted.proved(chunks, self._bins)
        return ItemSearch(cut, self._bins, numbers, seed, known).places(proved)

    def bins_of(self, items) -> tuple[np.ndarray, np.ndarray]:
        """Return in which bins items are, for an engine that finds them; `find` does it in Python.

        An engine puts the rows of each key into an order of chance that is always the same, by a
        hash of an identifier say, and takes those at these places.

        Parameters
        ----------
        items : array-like of int of shape (n,)
            Numbers of items, as `find` takes them.

        Returns
        -------
        keys : ndarray of int of shape (n,)
            Of the bin of each, as the expression `sql` has them.
        places : ndarray of int of shape (n,)
            Of each in the order of its bin, from 0.

        Raises
        ------
        ValueError
            If a number is too large, or bins are cut by `with_count_above`.

        Examples
        --------
        >>> from sklearn_spe import ScoreHistogram
        >>> ScoreHistogram().update([0.1, 0.1, 0.9]).bins_of([1, 2])
        (array([-141,  140]), array([1, 0]))
        """
        if n_above := self._counted.n_above:
            raise ValueError(
                f"Bins are cut at {sorted(n_above)}, which no key says: items are found by "
                f"`find`; or leave out with_count_above."
            )
        cut = self._cut
        parts, places = cut.parts_and_places(cut.check_numbers(items))
        return cut.keys[parts], places

"""The page of a mean of numeric labels."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from sklearn.utils.validation import check_is_fitted

from ...means._mean_estimator import MeanEstimator
from ...results._showing import interval_table, joined, meaning_of_intervals, paragraphs, tag
from ...results._tables import remarks_on_parts
from ._main_estimates import MEAN_LABEL, further_means, verdict_on_means
from ._metric_comparison import MetricComparison
from ._page import how_computed, static_page, write_page
from ._plain_answers import caveats, plain_verdict

TITLE = "Mean of numeric labels"
HOW = (
    "Labels that are known stay as they are, those that are not are predicted from the proxies, "
    "and the errors of the labeled items correct the mean of the predictions. Intervals hold for "
    "labels that were drawn at random, or with the inclusion probabilities that were given."
)
GUIDE = "The mean of grades and scores"


@dataclass(frozen=True, repr=False)
class MeanReport:
    """The page of a fitted `MeanEstimator`.

    The page has the mean and its verdict, the mean of each category and of further items, the next
    step and the methods. It is self-contained: it loads no other files and has no script.
    ``sklearn-spe mean -o`` writes the same page from a file.

    .. versionadded:: 0.1

    Attributes
    ----------
    title : str
    page : str
        The HTML.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import MeanEstimator
    >>> from sklearn_spe.application import MeanReport
    >>> rng = np.random.default_rng(0)
    >>> grades = rng.integers(1, 6, 300)
    >>> y = np.where(np.arange(300) < 60, grades, np.nan)
    >>> means = MeanEstimator(label_range=(1, 5), n_draws=500, random_state=0).fit(None, y)
    >>> report = MeanReport.from_estimator(means, title="Grades of May")
    >>> "Grades of May" in report.to_html()
    True
    """

    title: str
    page: str

    @classmethod
    def from_estimator(
        cls,
        means: MeanEstimator,
        *,
        title: str | None = None,
        facts: Iterable[tuple[str, str]] = (),
        compared: MetricComparison | None = None,
    ) -> Self:
        """Compute the page of a fitted estimator.

        Parameters
        ----------
        means : MeanEstimator
        title : str, default=None
            Title of the page.
        facts : iterable of (str, str), default=()
            Names and values of facts on the input.
        compared : MetricComparison, default=None
            Differences of the categories from a reference category.

        Returns
        -------
        report : MeanReport

        Raises
        ------
        NotFittedError
            If the estimator was not fitted.
        """
        check_is_fitted(means, "n_labels_")
        title = TITLE if title is None else title
        return cls(title, _page_of_means(means, title, facts, compared))

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Return the page, or write it to a file.

        Parameters
        ----------
        path : str or Path, default=None
            The file, written completely or not at all. None returns the page.

        Returns
        -------
        page : str or None
            None if it was written.

        Raises
        ------
        TypeError
            If `path` is not the name of a file.
        OSError
            If the file cannot be written; an existing file is then unchanged.
        """
        return write_page(path, self.page)

    def __repr__(self) -> str:
        return f"MeanReport: {self.title}"


def _page_of_means(
    means: MeanEstimator,
    title: str,
    facts: Iterable[tuple[str, str]],
    compared: MetricComparison | None,
) -> str:
    """Return the page: the mean and its verdict, categories, what to do next, and how."""
    estimate = means.estimate()
    verdict = verdict_on_means(means)
    n_items = int(means.n_items_[0])

    # The answer; before it the verdict if it is not "ok".
    _, further = further_means(means)
    sentences = [*caveats(verdict), estimate.sentence(), *further]
    if not estimate.exactness():
        sentences.append(meaning_of_intervals(estimate.confidence_level))

    sections: dict[str, object] = {"The numbers": interval_table("Mean", [(MEAN_LABEL, estimate)])}
    if means.categories_ is not None:
        by_category = means.by_category()
        table = interval_table("Mean of each category", by_category.items())
        remarks = paragraphs(remarks_on_parts(by_category), "remark")
        sections["Categories"] = joined(table, *remarks)
    if compared is not None:
        extra = ("higher with probability", [f"{p:.3f}" for p in compared.probabilities])
        table = interval_table("Difference of the means", compared.differences.items(), extra)
        sections[f"Compared with {compared.baseline}"] = table
    facts = (*facts, ("Random seed", str(means.seed_)), ("Target", means.target))
    sections |= {
        "What next": tag("p", _next(n_items, means.n_labels_)),
        "How this was computed": how_computed(HOW, GUIDE, (), facts),
    }
    counts = f"{n_items:,} items, {means.n_labels_:,} labeled."
    return static_page(title, counts, sentences, plain_verdict(verdict), sections)


def _next(n_items: int, n_labels: int) -> str:
    """Return the expected interval after further labels."""
    n_left = n_items - n_labels
    if not n_left:
        return (
            "All items are labeled. Further items make the mean of others like them known better."
        )
    needed = 3 * n_labels
    if needed < n_left:
        return (
            f"About {needed:,} more labels, drawn at random, would halve the interval for further "
            "items: it narrows with the root of their number."
        )
    return f"More labels, drawn at random, narrow the interval; {n_left:,} items have none."

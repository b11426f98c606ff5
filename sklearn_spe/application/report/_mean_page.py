"""The page of a mean of numeric labels."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from importlib import resources
from typing import Self

from sklearn.utils.validation import check_is_fitted

from ..._version import __version__, documentation_address
from ...inputs._writing import write_file
from ...means._mean_estimator import MeanEstimator
from ...results._showing import (
    Markup,
    interval_table,
    joined,
    linked,
    meaning_of_intervals,
    style_of_results,
    tag,
)
from ...results._tables import EstimateTable, remarks_on_parts
from ...results._verdict import verdict_card
from ._main_estimates import MEAN_LABEL, further_means, verdict_on_means
from ._metric_comparison import MetricComparison
from ._plain_answers import caveats, plain_verdict

TITLE = "Mean of numeric labels"
HOW = (
    "Labels that are known stay as they are, those that are not are predicted from the proxies, "
    "and the errors of the labeled items correct the mean of the predictions. Intervals hold for "
    "labels that were drawn at random, or with the inclusion probabilities that were given."
)
GUIDE = "The user guide: The mean of grades and scores"


@dataclass(frozen=True, repr=False)
class MeanReport:
    """The page of a fitted `MeanEstimator`.

    It has the mean and its verdict, the mean of each category, that of further items, what to do
    next and how all of it was computed. The page is self-contained: it loads no other files, and
    has no script. ``sklearn-spe mean -o`` writes the same page from a file.

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
            Facts on the input, by name.
        compared : MetricComparison, default=None
            Differences of categories from one of them.

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


def write_page(path: str | os.PathLike[str] | None, page: str) -> str | None:
    """Write a page to a file, or return it without a path."""
    if path is None:
        return page
    write_file(path, page.encode("utf-8"))
    return None


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
    counts = joined(
        f"{date.today().isoformat()}, ",
        linked(f"sklearn-spe {__version__}", documentation_address()),
        f". {n_items:,} items, {means.n_labels_:,} labeled.",
    )

    # The answer; before it the verdict if it is not "ok".
    _, further = further_means(means)
    sentences = [*caveats(verdict), estimate.sentence(), *further]
    if not estimate.exactness():
        sentences.append(meaning_of_intervals(estimate.confidence_level))
    numbers = EstimateTable((MEAN_LABEL,), (estimate,))
    parts = [
        joined(*(tag("p", sentence, class_="said") for sentence in sentences)),
        verdict_card(plain_verdict(verdict)),
    ]
    if verdict != "ok":
        parts.reverse()

    parts.append(page_section("The numbers", interval_table("Mean", numbers.items())))
    if means.categories_ is not None:
        by_category = means.by_category()
        table = interval_table("Mean of each category", by_category.items())
        remarks = (tag("p", line, class_="remark") for line in remarks_on_parts(by_category))
        parts.append(page_section("Categories", joined(table, *remarks)))
    if compared is not None:
        extra = ("higher with probability", [f"{p:.3f}" for p in compared.probabilities])
        table = interval_table("Difference of the means", compared.differences.items(), extra)
        parts.append(page_section(f"Compared with {compared.baseline}", table))

    facts = (*facts, ("Random seed", str(means.seed_)), ("Target", means.target))
    rows = [joined(tag("dt", name), tag("dd", text)) for name, text in facts]
    guide = linked(GUIDE, documentation_address())
    parts += [
        page_section("What next", tag("p", _next(n_items, means.n_labels_))),
        page_section(
            "How this was computed",
            joined(tag("p", HOW, " ", guide, "."), tag("dl", *rows, class_="facts")),
        ),
    ]
    return static_page(title, counts, parts)


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


def page_section(title: str, content: Markup) -> Markup:
    return tag("section", tag("h2", title), content)


def static_page(title: str, counts: Markup, parts: Iterable[Markup]) -> str:
    """Return a page without a script, which loads nothing."""
    css = resources.files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    style = style_of_results() + css
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; "
        f"style-src-elem 'sha256-{digest}'; style-src-attr 'unsafe-inline'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name_="color-scheme", content="light dark"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("title", title),
        tag("style", Markup(style)),
    )
    header = tag("header", tag("h1", title), tag("p", counts, class_="counts"))
    body = tag("body", tag("main", header, *parts, class_="spe-result"))
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"

"""The page of a mean of numeric labels."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from datetime import date
from hashlib import sha256
from importlib import resources

from .._version import __version__, documentation_address
from ..means._mean_estimator import MeanEstimator
from ..results._showing import (
    Markup,
    interval_table,
    joined,
    linked,
    meaning_of_intervals,
    style_of_results,
    tag,
)
from ..results._tables import EstimateTable, remarks_on_parts
from ..results._verdict import verdict_card
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


def page_of_means(
    means: MeanEstimator,
    *,
    title: str | None = None,
    facts: Iterable[tuple[str, str]] = (),
    compared: MetricComparison | None = None,
) -> str:
    """Return the page: the mean and its verdict, categories, what to do next, and how.

    `facts` are on the input, by name; `compared` are differences of categories from one of them.
    """
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
    return static_page(TITLE if title is None else title, counts, parts)


def _next(n_items: int, n_labels: int) -> str:
    """Return what further labels would buy."""
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

"""Metrics in words, by the name of an estimate, or of a row of a table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ..metrics._registry import METRICS, OF_SOME_QUESTIONS

# Means over classes, each against the rest.
AVERAGES = {
    "macro": "averaged over the classes",
    "weighted": "averaged over the classes by their numbers of items",
}
# How every number is computed.
EVERY_NUMBER = (
    "The labels that are known stay as they are. Those that are not are drawn many times from what "
    "the scores and the known labels say of them; each time the number is computed as if all "
    "labels were known. Shown are the median of these numbers, and the interval between the "
    "quantiles that leave out equal shares on both sides."
)
# Shares of nothing that can be counted: these are numbers, and so are their changes.
AREAS = ("average_precision", "roc_auc")


@dataclass(frozen=True)
class Term:
    """The description of a metric in words."""

    meaning: str  # where its number stands
    computed: str  # in a footnote
    in_words: str = ""  # its name, if that is not the name without underscores
    in_counts: str = ""  # its sentence in counts, if it is a share


@cache
def terms() -> dict[str, Term]:
    """Return the terms of all metrics, and of their means over classes, by name.

    The name is that of the metric in a `ScalarEstimate`.
    """
    of_metrics = {
        name: Term(metric.meaning, metric.computed, metric.in_words, metric.in_counts)
        for name, metric in (METRICS | OF_SOME_QUESTIONS).items()
    }
    for name in METRICS:
        words = of_metrics[name].in_words or name.replace("_", " ")
        for average, how in AVERAGES.items():
            of_metrics[f"{average}_{name}"] = Term(
                f"{words[:1].upper()}{words[1:]} of each class against the rest, {how}.",
                f"{words} of each class against the rest, {how}.",
                f"{average} {words}",
            )
    return of_metrics


def sentence_in_counts(metric: str) -> str:
    """Return the sentence of a share in counts, of `k`, `n` and `are`; empty if it has none."""
    return terms()[metric].in_counts if metric in terms() else ""


def metric_named(name: str) -> str | None:
    """Return the metric of a row such as "precision of A at score 1"; None if it is unknown."""
    words = re.sub(r"^top_\d+_", "top_k_", name.replace(" ", "_"))
    candidates = [
        key for key in terms() if words == key or words.startswith((f"{key}_at_", f"{key}_of_"))
    ]
    return max(candidates, key=len) if candidates else None


def name_in_words(name: str) -> str:
    """Return a name as it is read: "ROC AUC of my_model", "average precision"."""
    metric = metric_named(name)
    if metric is None:
        return name.replace("_", " ") if re.fullmatch(r"[a-z_]+", name) else name
    # What follows may be the name of a system.
    start = terms()[metric].in_words or name[: len(metric)].replace("_", " ")
    return f"{start}{name[len(metric) :]}"

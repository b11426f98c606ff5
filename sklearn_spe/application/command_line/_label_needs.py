"""The command ``plan``: the number of labels that is needed, planned without data."""

from __future__ import annotations

import argparse
import math

from ..report._expected_widths import STRATEGIES, ExpectedWidths, plan_labels
from ._answer import Answer
from ._terminal import working

# The metrics whose numbers of labels come first.
METRICS_OF_ANSWER = "precision", "recall"
CAVEAT = (
    "Simulated with normal scores of each class; a real data set may need twice as many labels."
)


def plan(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    with working("simulating labels"):
        of_labels = plan_labels(
            options.items,
            prevalence=options.prevalence,
            roc_auc=options.auc,
            n_predicted_positive=options.predicted_positive,
            confidence_level=options.confidence_level,
            random_state=options.random_state,
        )

    sentences = [_sentence(of_labels, name, options.half_width) for name in METRICS_OF_ANSWER]
    answer.lines += ["\n".join(sentences), str(of_labels), CAVEAT]
    answer.record |= of_labels.to_dict()
    answer.record["half_width"] = options.half_width
    answer.record["labels_needed"] = {
        metric: {
            strategy: of_labels.labels_for(options.half_width, metric, strategy=strategy)
            for strategy in STRATEGIES
        }
        for metric in METRICS_OF_ANSWER
    }


def _sentence(of_labels: ExpectedWidths, metric: str, half_width: float) -> str:
    """Return the number of labels for an interval of the given half width, as a sentence."""
    numbers = [
        f"{_number(of_labels, metric, half_width, strategy)} labels{description}"
        for strategy, description in STRATEGIES.items()
    ]
    return f"{metric.capitalize()} to within {half_width:g} takes {', or '.join(numbers)}."


def _number(of_labels: ExpectedWidths, metric: str, half_width: float, strategy: str) -> str:
    """Return a number of labels in words, with two digits."""
    needed = of_labels.labels_for(half_width, metric, strategy=strategy)
    if math.isnan(needed):
        return f"more than {of_labels.n_labels[-1]:,}"
    if needed <= of_labels.n_labels[0]:
        return f"at most {of_labels.n_labels[0]:,}"
    return f"about {float(f'{needed:.2g}'):,.0f}"

"""Reasons against an estimate due to the selection of its labels."""

from __future__ import annotations

import numpy as np

from ...results._verdict import Reason
from ..design._model_e_process import ModelEProcess

__all__ = ["reasons_of_selection"]

# A correct model is contradicted with probability at most one over this.
LARGEST_E_VALUE = 20.0


def reasons_of_selection(
    model_check: ModelEProcess, *, n_outside: int, n_skipped: int, n_waiting: int
):
    """Yield the reasons found while labeling."""
    largest = float(np.exp(min(model_check.largest, 700.0)))
    if largest > LARGEST_E_VALUE:
        yield Reason(
            "improbable_labels",
            "misfit",
            "The labels contradict the predictions of the model: the e-value against it is "
            f"{largest:.3g} (the limit is {LARGEST_E_VALUE:g}), which a correct model exceeds with "
            "probability at most one over this. The weight of the model is now "
            f"{model_check.model_weight:.0%}. Compare the model-based estimate with the "
            "design-based one, if there is one, and label some items at random.",
            largest,
            LARGEST_E_VALUE,
        )
    if n_outside:
        yield Reason(
            "outside_design",
            "ok",
            f"{n_outside} items were labeled without being queried. They count as known; if they "
            "were chosen by anything but their scores and earlier labels, the estimate may be "
            "biased.",
            float(n_outside),
            1.0,
        )
    if n_skipped:
        yield Reason(
            "skipped_labels",
            "ok",
            f"{n_skipped} items could not be labeled. The model treats them like other items of "
            "their score, and the design excludes them: if difficult items are skipped, both are "
            "biased.",
            float(n_skipped),
            1.0,
        )
    if n_waiting:
        yield Reason(
            "waiting_labels",
            "ok",
            f"{n_waiting} labels wait for answers to items that were drawn with them or before: "
            "the model uses them, the design-based estimate does not yet. Answer pending_, or give "
            "them up: update(selector.pending_, [None] * len(selector.pending_)).",
            float(n_waiting),
            1.0,
        )

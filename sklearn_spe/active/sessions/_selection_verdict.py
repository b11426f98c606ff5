"""What speaks against an estimate because of how its labels came about."""

from __future__ import annotations

import numpy as np

from ...results._verdict import Reason
from ..design._model_check import ModelCheck

__all__ = ["reasons_of_selection"]

# A model that is right is contradicted with at most the probability of one over this.
LARGEST_E_VALUE = 20.0


def reasons_of_selection(
    model_check: ModelCheck, *, n_outside: int, n_skipped: int, n_waiting: int
):
    """Yield what was noticed while labelling."""
    largest = float(np.exp(min(model_check.largest, 700.0)))
    if largest > LARGEST_E_VALUE:
        yield Reason(
            "surprising_labels",
            "misfit",
            f"The labels are not what the model foresaw before it saw them: if it were right, they "
            f"would come out so at most once in {largest:.3g} labellings (its limit is "
            f"{LARGEST_E_VALUE:g}). The model now weighs {model_check.model_weight:.0%}. Compare "
            f"the estimate of the model with that of the drawn labels, if there is one, and label "
            f"some items at random.",
            largest,
            LARGEST_E_VALUE,
        )
    if n_outside:
        yield Reason(
            "outside_design",
            "ok",
            f"{n_outside} items were labelled that were not asked for. They count as known; if "
            f"they were chosen by anything but their scores and earlier labels, the model may "
            f"mistake them.",
            float(n_outside),
            1.0,
        )
    if n_skipped:
        yield Reason(
            "skipped_labels",
            "ok",
            f"{n_skipped} items could not be labelled. The model takes them for items like others "
            f"of their score, and the design leaves them out: if hard items are skipped, both are "
            f"off.",
            float(n_skipped),
            1.0,
        )
    if n_waiting:
        yield Reason(
            "waiting_labels",
            "ok",
            f"{n_waiting} labels wait for answers to items that were drawn with them or before: "
            f"the model knows them, the estimate of the design does not yet. Answer pending_, or "
            f"give them up: update(selector.pending_, [None] * len(selector.pending_)).",
            float(n_waiting),
            1.0,
        )

"""The model of a score histogram: rows of many items, of which some are drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..strategies._pool import ranks_from_top
from ._drawn_items import DrawnItems
from ._one_pool_model import OnePoolModel

__all__ = ["CountedModel"]

# Attributes with one value per item.
OF_ITEMS = ("codes", "scores", "ranks", "item_cells")


class CountedModel(OnePoolModel):
    """Curves of one pool of scores in rows, each of which represents many items.

    The items of a row are exchangeable until one is drawn: it is then appended as an item of its
    own, and the count of its row decreases by one. The last item of a row keeps its index.
    """

    rows: DrawnItems
    counts: np.ndarray

    def __init__(self, *arguments, firsts, **parameters):
        super().__init__(*arguments, **parameters)
        n, self.counts = len(firsts), self.start.weights
        self.ranks = ranks_from_top(self.scores, self.counts)
        largest = int((firsts + self.counts).max(initial=0))
        self.rows = DrawnItems(largest, None, n, np.array(firsts), np.zeros(n, dtype=bool))

    def split_items(self, places):
        counts, numbers = self.counts.copy(), self.rows.numbers.copy()
        n, drawn, origins, new_numbers = len(counts), [], [], []
        for place in np.asarray(places).tolist():
            if counts[place] > 1.0:
                drawn.append(n + len(origins))
                origins.append(place)
                new_numbers.append(numbers[place])
                counts[place] -= 1.0
                numbers[place] += 1
            else:
                drawn.append(place)
        of_items = {
            name: np.append(getattr(self, name), getattr(self, name)[origins]) for name in OF_ITEMS
        }
        if self.above is not None:
            of_items["above"] = np.append(self.above, self.above[origins])
        counts = np.append(counts, np.ones(len(origins)))
        is_drawn = np.append(self.rows.is_drawn, np.ones(len(origins), dtype=bool))
        is_drawn[drawn] = True
        numbers = np.append(numbers, np.array(new_numbers, dtype=int))
        start = replace(
            self.start, scores=of_items["scores"], codes=of_items["codes"], weights=counts
        )
        changed = self._changed(
            **of_items,
            counts=counts,
            start=start,
            rows=replace(self.rows, numbers=numbers, is_drawn=is_drawn),
            _probability=None,
        )
        return changed, np.array(drawn, dtype=np.intp)

    def simulated_answers(self, rng):
        # Items have labels once they are drawn: all of a cell are positive with the same
        # probability.
        p = self._drawn_curve(rng)

        def answers(model, items):
            drawn = rng.random(len(items)) < p[model.item_cells[items]]
            return np.where(model.codes[items] < 0, drawn, model.codes[items])

        return answers

    def guarantee(self, model_weight, certificate=None):
        guarantee = super().guarantee(model_weight, certificate)
        # A selection is a set of items; for a histogram it is defined by its threshold.
        return None if guarantee is None else replace(guarantee, selection=np.empty(0, dtype=bool))

    def published(self):
        published = super().published()
        suspect = published["suspect_labels_"]
        numbers = self.rows.of_items(suspect.item)
        return {**published, "suspect_labels_": replace(suspect, item=numbers)}

"""Sessions on predictions of several classes: items are groups of one predicted class each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ...data._item_data import ItemData
from ...estimators._score_mixture import SemisupervisedScoreMixture
from ...goals._question import Question
from ...inputs._labels import UNLABELED, encode_labels
from ...models._class_model import ClassesModel
from ...models._class_questions import ClassQuestion, LabeledItems
from ...posterior._operating_points import Task
from ...results._estimates import ScalarEstimate
from ...results._verdict import Reason
from .._class_information import ClassInformation, shares_of_unlabeled
from ._item_model import ItemModel
from ._query_log import ItemRows, QueryLog, check_answers


class ClassItemsModel(ItemModel):
    """Posterior of the classes of items, given the predicted class of each.

    For strategies of scores, the score is the classifier's own log-odds that its prediction is
    wrong.
    """

    # Labels are no binary ones to bet on.
    has_classes = False
    fit = "class_model"

    def __init__(
        self,
        metric: ClassQuestion,
        mixture: SemisupervisedScoreMixture,
        data: ItemData,
        class_model: ClassesModel,
        *,
        confidence_level: float,
    ) -> None:
        self.metric = metric
        self.question = Question(metric.metric, {})
        self.mixture = mixture
        self.data = data
        self.earlier = class_model
        self.class_model = class_model
        self.confidence_level = confidence_level

        n_items = len(data.codes)
        self.seed = class_model.seed
        self.rows = ItemRows(n_items, np.arange(n_items))
        self.codes = data.codes.astype(np.intp)
        scores = class_model.draws.scores
        self.scores = scores.error_log_odds
        # Exploration is even over all items: no end of a ranking counts more.
        self.ranks = np.full(n_items, (n_items + 1.0) / 2.0)
        self.category = None
        self.groups = None if data.groups is None else data.groups.codes
        self.above = None
        self.terms = None
        self.has_design = False
        self.item_cells = class_model.draws.groups[1]

    @cached_property
    def class_model(self) -> ClassesModel:
        """Updated by all known labels."""
        return self.earlier.updated(self.mixture, self.data)

    # --- predictions of items -----------------------------------------------------------------

    @cached_property
    def probability(self) -> np.ndarray:
        """The probability that each prediction is wrong, (n_items,)."""
        posterior = self.class_model.posterior
        items = np.arange(len(self.codes))
        blocks = posterior.blocks()
        parts = [self.class_model.draws.error_probability(block, items) for block in blocks]
        weights = [posterior.weights[block.rows] for block in blocks]
        return sum(w @ part for w, part in zip(weights, parts, strict=True))

    def predictive(self, items: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        posterior = self.class_model.posterior
        draws = self.class_model.draws
        parts = [draws.error_probability(block, items) for block in posterior.blocks()]
        return np.concatenate(parts), posterior.weights

    def information(self, is_proof: bool = False) -> ClassInformation:
        draws = self.class_model.draws
        index, shares = shares_of_unlabeled(draws, self._task)
        values = self.estimate().distribution.draws[index, 0]
        return ClassInformation.of(values, draws.posterior.weights[index], shares)

    def change(self) -> None:
        return None

    def simulated_answers(
        self, rng: np.random.Generator
    ) -> Callable[[Self, np.ndarray], np.ndarray]:
        posterior = self.class_model.posterior
        row = int(rng.choice(posterior.n_draws, p=posterior.weights))
        block = next(block for block in posterior.blocks() if row < block.rows.stop)
        codes = self.class_model.draws.codes(block, self._task)[row - block.rows.start]
        return lambda model, items: codes[items]

    # --- updates --------------------------------------------------------------------------------

    def read(
        self, indices: ArrayLike, labels: ArrayLike, names: Any, query_log: QueryLog
    ) -> tuple[np.ndarray, np.ndarray, Any]:
        codes, _ = encode_labels(labels, classes=names.classes, unlabeled_label=names.marker)
        codes = codes.astype(np.intp)
        return *check_answers(indices, codes, self.rows, query_log, names), None

    def updated(self, codes: np.ndarray, labels: Any, details: Any = None) -> Self:
        return self._changed(codes=codes, data=replace(self.data, codes=codes))

    def with_draws(self, n_draws: int) -> Self:
        # The present fit keeps its draws.
        _ = self.class_model
        settings = self.mixture.get_params(deep=False)
        settings["n_draws"] = min(n_draws, self.mixture.n_draws)
        return self._with_equal_cache(mixture=type(self.mixture)(**settings))

    # --- estimates of the metric ----------------------------------------------------------------

    @property
    def _task(self) -> Task:
        return Task("sample", self.seed, confidence_level=self.confidence_level)

    @cached_property
    def _estimate(self) -> ScalarEstimate:
        return self.metric.estimate(self.class_model.measured(), self._task)

    def estimate(self) -> ScalarEstimate:
        return self._estimate

    def naive_estimate(self) -> float:
        scores = self.class_model.table.scores[0]
        labeled = LabeledItems.of(scores, self.codes, self.class_model.classes)
        return np.nan if labeled is None else self.metric.of_labeled(labeled, self._task)

    def labels_only(self, later: Self, value: float) -> float:
        return np.nan

    def reasons(self, at_random: bool) -> list[Reason]:
        return list(self.class_model.verdict.reasons)

    @property
    def is_identified(self) -> bool:
        return bool((self.codes != UNLABELED).any())

    def columns(self) -> dict[str, Any]:
        predicted = self.class_model.draws.scores.predicted
        return {"predicted": self.class_model.classes[predicted]}

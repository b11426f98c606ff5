"""The model of several classes, and the verdict on it.

Diagnostics of a multiclass fit, in terms of classes.

The underlying fit models prediction errors: a positive is a wrong prediction, a high score is low
confidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..checks._fit_verdict import warn_of_removed
from ..checks._label_checks import LabelEProcess, SuspectLabels
from ..data._class_scores import ClassScores
from ..data._item_data import ItemData
from ..data._kinds import CLASSES
from ..inputs._labels import UNLABELED, BinaryLabels, EncodedLabels, class_index
from ..inputs._scores import ScoreDirection
from ..inputs._validation import seed_entropy
from ..posterior._posterior import Posterior
from ..results._part_reasons import unlabeled_class
from ..results._verdict import Reason, Verdict
from ._class_draws import ClassDraws, MeasuredClassifier
from ._class_errors import errors_of, fit_errors
from ._class_posterior import ClassPosterior
from ._class_questions import AVERAGES, ClassQuestion
from ._class_ranking import ClassRanking, two_only
from ._class_table import (
    ClassTable,
    PooledScores,
    error_model_settings,
)
from ._fit_settings import FitSettings
from ._fitted_model import FittedModel
from ._mixture_model import MixtureModel
from ._ranking_value import MetricArguments, Ranking, RankingSettings
from ._ranking_view import RankingKey, RankingRows, RankingView
from ._rankings import RankedRows
from ._row_model import RowModel
from ._row_posterior import RowPosterior
from ._score_ranking import ScoreRanking

# Texts that replace those of the error model's reasons, by name, with the value of the reason, its
# details and, of a part of the items, where that is.
TEXTS: dict[str, tuple[str, str]] = {
    "inverted_scores": (
        "The labeled errors have higher confidence: of all pairs of an error and a correct "
        "prediction, the error has the lower confidence in {value:.0%}. The prior assumes that "
        "errors have lower confidence, so the estimates are invalid.",
        "Check the labels, and that the columns of X are the classes in their sorted order.",
    ),
    "rare_positives": (
        "Errors are rare, and {value:g} of them are labeled: estimates of single classes are "
        "dominated by the prior.",
        "Label the items of lowest confidence; this needs no correction.",
    ),
    "missed_positives": (
        "Mostly the items of lowest confidence are labeled, with little information on errors "
        "among the others: accuracy is dominated by the prior.",
        "Label some items of higher confidence, nearest first.",
    ),
    "prior_dominates": (
        "The interval of the average precision with which confidence ranks errors is "
        "{value:.0%} as wide as before any label: it is dominated by the prior.",
        "Label more items, some of them of lowest confidence.",
    ),
    "falling_curve": (
        "Accuracy seems to decrease with confidence somewhere: either it does, or the model "
        "overfits a few labels.",
        "Label some items of medium confidence.",
    ),
    "doubtful_order": (
        "The labels are {value:.3g} times as probable if confidence is unrelated to errors, or "
        "higher for errors, than if errors have lower confidence.",
        "Check the labels, and that "
        "the columns of X are the classes in their sorted order; if they are right, the "
        "confidence of the classifier is misleading.",
    ),
    "order_not_tested": (
        "The labels do not rule out that confidence is unrelated to errors, or higher for "
        "errors: this has probability {value:.0%}.",
        "Label more items, some of them of lowest confidence.",
    ),
    "labels_contradict": (
        "Of {n:g} labeled predictions in the third of the items with {sure} confidence {found:g} "
        "are wrong, and the fit expects {mean:.1f} (p = {value:.4f}).",
        "Check the labels; if they are right, label more items there before relying on the bands.",
    ),
    "labels_bet": (
        "{kind} predictions are wrong {where} than the model predicts: if it were right, this "
        "would occur in at most one of {value:.3g} fits. Bands are too narrow there:",
        "check the labels, and label more of these items.",
    ),
    "one_expert_alone": (
        "The expert {expert!r} weighs {share:.0%}, and {value:g} labels of the rarer kind, right "
        "or wrong, are too few to test it: if it is misspecified, the bands are too narrow.",
        "Label more items.",
    ),
}
# The remedy where no prediction is more certain than another.
MORE_LABELS = "Label more items."
# The remaining reasons name a part of the items, or an expert.
SURE = {"lowest": "highest", "middle": "medium", "highest": "lowest"}
HALVES = {"upper": "lower", "lower": "higher"}


def reasons_of_classes(
    error_model: RowModel | MixtureModel,
    suspect: SuspectLabels,
    scores: ClassScores,
    classes: np.ndarray,
    codes: np.ndarray,
):
    """Yield the diagnostics of the fit, in terms of classes."""
    is_labeled = codes >= 0
    n_wrong = int((is_labeled & (codes != scores.predicted)).sum())
    for reason in error_model.verdict.reasons:
        if reason.name == "one_class":
            problem, remedy = _of_one_kind(int(is_labeled.sum()), n_wrong)
            remedy = remedy if scores.has_confidence else MORE_LABELS
            yield replace(reason, problem=problem, remedy=remedy)
        elif reason.name == "one_score" and not scores.has_confidence:
            # Predictions without probabilities have no ranking, and nobody asks for it.
            continue
        elif reason.name != "suspect_labels":
            reason = _of_error_model(reason)
            if not scores.has_confidence and "confidence" in str(reason.remedy):
                # All items are alike.
                reason = replace(reason, remedy=MORE_LABELS)
            yield reason

    suspects = [
        f"item {row} of class {label!r}, predicted {predicted!r}"
        for row, label, predicted in zip(
            suspect.item.tolist(),
            suspect.label.tolist(),
            classes[scores.predicted[suspect.item]].tolist(),
            strict=True,
        )
    ]
    yield from suspect.reasons(suspects)

    unlabeled = np.setdiff1d(np.arange(len(classes)), codes[is_labeled])
    if len(unlabeled):
        examples = ", ".join(map(repr, classes[unlabeled[:5]].tolist()))
        examples += ", ..." * (len(unlabeled) > 5)
        yield Reason(
            "unlabeled_classes",
            "ok",
            f"{len(unlabeled)} of {len(classes)} classes have no labeled item ({examples}): their "
            "recall is estimated from the other classes and the classifier's own probabilities.",
            float(len(unlabeled)),
            0.0,
        )


def _of_one_kind(n_known: int, n_wrong: int) -> tuple[str, str]:
    if not n_known:
        return (
            "No item is labeled: the estimates are the prior's.",
            "Label some items, those of lowest confidence among them.",
        )
    return (
        f"All of {n_known} labeled predictions are {'wrong' if n_wrong else 'right'}: the "
        "estimates are dominated by the prior.",
        f"Label more items, those of {'most' if n_wrong else 'least'} confidence first.",
    )


def _of_error_model(reason: Reason) -> Reason:
    """Return a reason of the error model, in terms of classes."""
    texts = TEXTS.get(reason.name)
    if texts is None:
        return reason
    problem, remedy = texts
    details = {"column": "", **reason.details, "value": reason.value, **_part(reason.details)}
    problem = details["column"] + problem.format(**details)
    # What is plain of the positive class is not of errors.
    plain = "" if reason.parameter is not None else reason.plain
    return replace(reason, problem=problem, remedy=remedy, parameter=None, plain=plain)


def _part(details: Mapping[str, Any]) -> dict[str, str]:
    """Return where a part of the items is, by confidence."""
    if "third" in details:
        return {"sure": SURE[details["third"]]}
    part = "among all items"
    if "half" in details:
        sure = HALVES[details["half"]]
        part = f"in the half with {sure} confidence of {details['category']!r}"
    elif "ends" in details:
        first, last = details["ends"]
        part = f"between the {first:.0%} and {last:.0%} of the items with lowest confidence"
    return {"where": part}


@dataclass(frozen=True, eq=False)
class ClassesModel(FittedModel):
    """Fit of one or several multiclass classifiers to partially labeled items.

    An error of the predicted class is a rare positive whose score is the classifier's own
    uncertainty: a binary fit, as for any scores. `ConfusionModel` models the true class given an
    error; the likelihood of a label is the product of both. Several classifiers are combined to one
    prediction, of which each has its own uncertainty: several systems that score the same items.
    All of them are evaluated on the same draws.
    """

    draws: ClassDraws
    verdict: Verdict
    suspect_labels: SuspectLabels

    # With several classes, no class is the positive one.
    pos_label: ClassVar[None] = None
    kind: ClassVar[str] = CLASSES
    has_scores: ClassVar[bool] = True
    predicts_classes: ClassVar[bool] = True
    is_one_pool: ClassVar[bool] = False
    misses_scores: ClassVar[bool] = False
    judges: ClassVar[tuple[()]] = ()

    @property
    def table(self) -> ClassTable:
        """The items, with the scores of each classifier."""
        return self.draws.table

    @property
    def classes(self) -> np.ndarray:
        """The classes, sorted: the columns of all scores, (n_classes,)."""
        return self.table.classes

    @property
    def labels(self) -> EncodedLabels:
        """How labels are encoded."""
        return EncodedLabels(None, self.classes)

    @property
    def n_rows(self) -> int:
        """Number of items; few items that one row of X counts are separate."""
        return len(self.codes)

    @property
    def codes(self) -> np.ndarray:
        """Class indices, -1 if unlabeled, (n_items,)."""
        return self.table.codes

    @property
    def settings(self) -> FitSettings:
        """The settings of the error model."""
        return self.error_model.settings

    @property
    def error_model(self) -> RowModel | MixtureModel:
        """The model of P(prediction is wrong | item)."""
        return self.draws.error_model

    @property
    def seed(self) -> int:  # type: ignore[override]
        """Seed of all random numbers."""
        return self.error_model.seed

    @property  # type: ignore[override]
    def posterior(self) -> Posterior | RowPosterior:
        """Posterior of the error model."""
        return self.draws.posterior

    @property
    def bets(self) -> LabelEProcess:  # type: ignore[override]
        """E-processes against the error model."""
        return self.error_model.bets

    @classmethod
    def of(cls, parameters: Any, data: ItemData) -> ClassesModel:
        """Fit with the parameters of a `SemisupervisedScoreMixture`."""
        table = ClassTable.of(data)
        settings = error_model_settings(parameters)
        seed = seed_entropy(parameters.random_state)
        several = len(table.systems) > 1
        scores = PooledScores.of(table.scores) if several else table.scores[0]
        return cls._updated(table, scores, fit_errors(settings, table, scores, seed))

    def updated(self, parameters: Any, data: ItemData) -> ClassesModel:
        """Return the fit to other labels of the same scores."""
        table = self.table.same_items(ClassTable.of(data))
        lost = (self.codes >= 0) & (table.codes < 0)
        warn_of_removed(int(lost.sum()), int((self.codes >= 0).sum()))

        scores = self.draws.scores
        before = self.draws.error_model
        errors: Any = before.given.relabeled(errors_of(scores, table.codes))
        error_model = before.with_labels(errors, error_model_settings(parameters))
        return self._updated(table, scores, error_model)

    @classmethod
    def _updated(
        cls, table: ClassTable, scores: ClassScores, error_model: RowModel | MixtureModel
    ) -> ClassesModel:
        codes = table.codes
        classes = table.classes
        suspects = error_model.suspect_labels
        suspect = replace(suspects, label=classes[codes[suspects.item]])
        verdict = Verdict(reasons_of_classes(error_model, suspect, scores, classes, codes))
        return cls(ClassDraws.updated(scores, table, error_model), verdict, suspect)

    def reasons_of_class(self, name: Any, metric: str) -> tuple[Reason, ...]:
        """Return the reasons about the estimate of one class (None for all), by its metric.

        The precision of a class is about the items that are predicted to be of it.
        """
        if name is None or not (self.codes >= 0).any():
            return ()
        of_items = self.draws.scores.predicted if metric == "precision" else self.codes
        is_labeled = of_items[self.codes >= 0] == class_index(self.classes, name)
        return () if is_labeled.any() else (unlabeled_class(name),)

    def shown(self, key: RankingKey) -> RankingView:
        if key.judge is not None:
            raise ValueError(two_only("judge="))
        # Check the category first: it must exist for every metric.
        self.table.part_of(key.category)
        reasons = () if key.category is None else self.reasons_of_categories([key.category])
        key = RankingKey(key.system, key.category, pos_label=key.pos_label)
        if key.system is None and len(self.systems) > 1:
            return RankingView(
                key, self.posterior, self.labels, systems=self.systems, reasons=reasons
            )

        key = replace(key, system=self.systems[self.table.number_of(key.system)])
        if key.pos_label is not None:
            code = class_index(self.classes, key.pos_label)
            posterior = ClassPosterior.of_class(self.measured(key.system, key.category), code)
            reasons = (*reasons, *self.reasons_of_class(key.pos_label, ""))
            labels = BinaryLabels(self.classes, code)
            return RankingView(key, posterior, labels, ScoreDirection(), reasons=reasons)
        ranking = self.error_model.ranking(key.system, key.category)
        return RankingView(key, ranking, self.labels, reasons=reasons)

    def rows(self, key: RankingKey) -> RankingRows:
        if key.pos_label is None:
            raise ValueError(two_only("selection"))
        table = self.table
        posterior = self.shown(key).posterior
        row = table.rows[posterior.rows]
        scores = np.zeros(table.n_rows)
        codes = np.full(table.n_rows, UNLABELED)
        scores[row] = posterior.scores
        codes[row] = posterior.items.codes[posterior.rows]
        is_ranked = np.isin(np.arange(table.n_rows), row)
        return RankingRows(scores, codes, is_ranked, table.inclusion_proba)

    def sample_rows(self, key: RankingKey) -> RankedRows:
        posterior = self.shown(key).posterior
        order = np.argsort(posterior.rows)
        items = posterior.rows[order]
        table = self.table
        return RankedRows.of(
            posterior.items,
            row=table.rows[items],
            scores=posterior.scores[order],
            codes=posterior.items.codes[items],
            represented_by=items,
            n_rows=table.n_rows,
            groups=None if table.groups is None else table.groups.codes[items],
        )

    def has_items(self, key: RankingKey) -> bool:
        return True

    def ranking_of(self, view: RankingView, settings: RankingSettings) -> Ranking:
        if view.score_direction is not None:
            return ScoreRanking(self, view, settings)
        classifier = self.measured(view.key.system, view.key.category)
        return ClassRanking(self, view, settings, classifier)

    def metric_of(self, arguments: MetricArguments) -> Any:
        average = AVERAGES[0] if arguments.average is None else arguments.average
        question = ClassQuestion.of(
            arguments.metric, pos_label=arguments.pos_label, average=average
        )
        return question.metric

    def measured(self, system: Any = None, category: Any = None) -> MeasuredClassifier:
        """Return one classifier with the draws that evaluate it, on all items or a category."""
        key = self.table.number_of(system), self.table.part_of(category)
        if key not in self._measured:
            column, part = key
            scores = self.table.scores[column]
            items = self.table.items_of(part)
            if part is not None:
                scores = scores.take(items)
            self._measured[key] = MeasuredClassifier(scores, self.draws, items, part)
        return self._measured[key]

    @cached_property
    def _measured(self) -> dict[tuple[int, int | None], MeasuredClassifier]:
        """Classifiers that were asked about, with their confusion counts."""
        return {}

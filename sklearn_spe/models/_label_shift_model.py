"""The fit of labels that were chosen by class: label shift, in bins of one score or verdict."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..checks._label_checks import LabelEProcess, SuspectLabels
from ..checks._reasons import reason_of_inversion
from ..data._cells import default_threshold
from ..data._item_data import ItemData
from ..data._sample import ScoreSample
from ..exceptions import ParameterError
from ..inputs._scores import ScoreDirection
from ..inputs._validation import place_of_system, seed_entropy, spawn
from ..mixtures._comparison import Comparison
from ..posterior._class_shares import ClassCounts, ClassShares
from ..posterior._label_shift import NO_DENSITY, LabelShiftBins, LabelShiftPosterior
from ..results._verdict import Reason, Verdict
from ._fit_settings import FitSettings
from ._item_table import ItemTable, check_whole
from ._ranking_view import RankingKey, RankingView
from ._two_class_model import TwoClassModel

# Level of the test that the new items are a mixture of the classes, and of the one that the classes
# differ at all.
MIN_P_VALUE, DIFFERENT = 0.01, 0.05
# Minimum effective number of weighted draws.
MIN_ESS = 50.0
# With fewer labels of a class the prior decides.
MIN_LABELS = 5.0


@dataclass(frozen=True, eq=False)
class LabelShiftModel(TwoClassModel):
    """Fit of new items, given labels of other items that were chosen by class."""

    settings: FitSettings
    seed: int
    labeled: ItemTable  # the labeled rows, evidence of the distributions given the class
    given: ItemTable  # the rows that are asked about, none of which is labeled
    all_rows: ItemTable  # both, as they were passed
    judge: Hashable  # the only rater whose rating is the score, if it is one
    posterior: LabelShiftPosterior
    suspect_labels: SuspectLabels
    bets: LabelEProcess
    verdict: Verdict

    labels_are_separate: ClassVar[bool] = True
    kind_name: ClassVar[None] = None  # type: ignore[misc]
    kinds: ClassVar[tuple[()]] = ()  # type: ignore[misc]

    @classmethod
    def of(cls, parameters: Any, data: ItemData) -> LabelShiftModel:
        """Fit rows with the parameters of a `SemisupervisedScoreMixture`."""
        if parameters.experts != "auto":
            raise ParameterError(
                f"experts={parameters.experts!r} is not used if labels were chosen by class: the "
                "model only counts scores in each class.",
                "Leave it out.",
                "experts",
            )
        settings = FitSettings.of(parameters)
        seed = seed_entropy(parameters.random_state)
        judges = data.judges
        judge = judges.names[0] if judges is not None and judges.n_judges == 1 else None
        table = ItemTable.of(replace(data, judges=None))
        return cls.fit(settings, table, seed, judge)

    @classmethod
    def fit(
        cls, settings: FitSettings, table: ItemTable, seed: int, judge: Hashable = None
    ) -> LabelShiftModel:
        """Fit to the rows of a table."""
        check_whole(table.weights)
        is_labeled = table.codes >= 0
        if is_labeled.all():
            raise ParameterError.of(
                "inclusion_proba",
                "'by_class' evaluates the unlabeled items, and all items are labeled.",
                "Append the new items, with missing labels.",
            )

        # Two samples: the labeled items, and those that are asked about.
        labeled = table.take(np.flatnonzero(is_labeled))
        new_rows = table.take(np.flatnonzero(~is_labeled))
        of_labeled = labeled.pool
        sample = new_rows.pool
        threshold = default_threshold(table.pool, settings.score_kind)
        bins = LabelShiftBins.of(of_labeled, sample, threshold)
        counts = bins.counts_of(of_labeled, sample)

        prior = settings.prevalence_prior
        beta = (1.0, 1.0) if prior is None else (prior.a, prior.b)
        shares = ClassShares.drawn(counts, settings.n_draws, spawn(seed), beta)
        posterior = LabelShiftPosterior(sample, bins, shares)
        direction = table.score_directions[0]
        return cls(
            settings=settings,
            seed=seed,
            labeled=labeled,
            given=new_rows,
            all_rows=table,
            judge=judge,
            posterior=posterior,
            suspect_labels=SuspectLabels.of(
                posterior, new_rows.scores[:, 0], new_rows.codes, new_rows.labels, direction
            ),
            bets=LabelEProcess.of(posterior),
            verdict=Verdict(_reasons(counts, shares, of_labeled, direction)),
        )

    @property
    def kind(self) -> str:
        """The kind of the data, as they were read."""
        return self.all_rows.kind

    @property
    def table(self) -> ItemTable:  # type: ignore[override]
        """The rows of the fit."""
        return self.given

    @property
    def judges(self) -> tuple[Hashable, ...]:
        """The name of the rater whose rating is the score, if it is one."""
        return () if self.judge is None else (self.judge,)

    def _column_of(self, key: RankingKey) -> int:
        # The rating of the only judge is the score.
        if key.judge is not None and self.judges:
            return place_of_system(key.judge, self.judges, "judge")
        return super()._column_of(key)

    def passed_sample(self, view: RankingView) -> ScoreSample:
        sample = self.all_rows.pool
        if not self._is_exchanged(view.key):
            return sample
        return replace(sample, negative=sample.positive, positive=sample.negative)

    def with_labels(self, given: ItemTable, settings: FitSettings | None = None) -> LabelShiftModel:
        settings = self.settings if settings is None else settings
        return self.fit(settings, given, self.seed, self.judge)

    def updated(self, parameters: Any, data: ItemData) -> LabelShiftModel:
        settings = FitSettings.of(parameters)
        table = self.all_rows.same_items(ItemTable.of(replace(data, judges=None)))
        return self.with_labels(table, settings)

    def completed_by(self, later: LabelShiftModel) -> LabelShiftModel:
        posterior = replace(self.posterior, sample=later.posterior.sample)
        return replace(
            self,
            posterior=posterior,
            labeled=later.labeled,
            given=later.given,
            all_rows=later.all_rows,
        )

    def ranking(
        self,
        system: Any = None,
        category: Any = None,
        *,
        judge: Any = None,
        beside: tuple[Hashable, ...] = (),
    ) -> LabelShiftPosterior:
        # Raise if there is none of that name.
        self._column_of(RankingKey(system=system, judge=judge))
        self.given.part_of(category)
        return self.posterior

    def threshold_of(self, system: Any = None, judge: Any = None) -> float | None:
        """Return the usual decision threshold, by the scores of all rows."""
        return default_threshold(self.all_rows.pool, self.settings.score_kind)

    @property
    def comparison(self) -> Comparison:  # type: ignore[override]
        raise ValueError(NO_DENSITY)


def _reasons(
    counts: ClassCounts,
    shares: ClassShares,
    labeled: ScoreSample,
    score_direction: ScoreDirection,
) -> Iterator[Reason]:
    """Yield the diagnostics of a fit."""
    n_negative = float(counts.negative.sum())
    n_positive = float(counts.positive.sum())
    if min(n_negative, n_positive) < MIN_LABELS:
        yield Reason(
            "few_labels_of_class",
            "unidentified",
            f"{n_negative:g} negative and {n_positive:g} positive items are labeled: the "
            "distribution of the score within a class is dominated by the prior.",
            min(n_negative, n_positive),
            MIN_LABELS,
            remedy="Label more items of the rarer class.",
        )
    yield from reason_of_inversion(labeled, score_direction)

    p_value = counts.same_classes
    if p_value > DIFFERENT:
        yield Reason(
            "alike_classes",
            "unidentified",
            "The labels do not show that the score differs between the classes "
            f"(p = {p_value:.2g}), so that scores of new items hold little information on their "
            "classes.",
            p_value,
            DIFFERENT,
            remedy="Label more items of both classes, or use a better score.",
        )
        return

    # Draws are few where nothing fits.
    p_value = counts.misfit
    if p_value >= MIN_P_VALUE and shares.ess < MIN_ESS:
        yield Reason(
            "few_draws",
            "unreliable",
            f"The posterior has {shares.ess:.0f} effective draws.",
            shares.ess,
            MIN_ESS,
            remedy="Label more items of both classes.",
        )
    if p_value < MIN_P_VALUE:
        yield Reason(
            "no_label_shift",
            "misfit",
            "The scores of the new items are not a mixture of those of the labeled classes "
            f"(p = {p_value:.1g}): more than the shares of the classes differs, or the labels were "
            "not chosen by class.",
            p_value,
            MIN_P_VALUE,
            remedy="Label new items at random, and fit these alone.",
            parameter="inclusion_proba",
        )

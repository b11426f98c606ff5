"""Label models from curves of scores, for one list and for several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from ...estimators._score_mixture import SemisupervisedScoreMixture, new_mixture
from ...inference._draws import picked
from ...inputs._labels import UNLABELED, BinaryLabels
from ...inputs._raters import Judges
from ...models._fit_settings import FitSettings
from ...models._item_table import ItemTable
from ...models._mixture_model import MixtureModel
from ...models._row_model import RowModel, fit_table
from ...models._row_prior import RowPrior
from ...results._verdict import Reason, Verdict
from ..lists._ranked_lists import RankedLists, members_of
from ._label_model import LabelDraws, LabelModel
from ._noisy_regression import JointModel

# A correct fit is called a misfit about once in a hundred times: more than this is too many.
LARGEST_SHARE = 0.05
# Fewer items with the same noisy label get no curve.
MIN_ITEMS = 20
# Number of unseen groups to predict: the question is about the items at hand.
OF_FURTHER_GROUPS = "few_groups"
# The name of noisy labels among the judges.
NOISY = "noisy label"


@dataclass(frozen=True, eq=False)
class CurvePool:
    """Prior curves of some items, given their scores, and their update by labels."""

    items: np.ndarray  # (n_items,), of int; row indices
    system: int
    subject: str  # the name of the fit in a verdict
    table: ItemTable  # the scores of the system
    model: RowModel | MixtureModel | None  # curves before any update; None if all scores are equal

    @classmethod
    def of(
        cls,
        items: np.ndarray,
        system: int,
        subject: str,
        ranked_lists: RankedLists,
        settings: FitSettings,
        seed: int,
    ) -> CurvePool:
        """Make prior curves with given settings."""
        scores = ranked_lists.scores[items, system]
        unlabeled = np.full(len(scores), UNLABELED)
        table = ItemTable.of_pool(scores, unlabeled, ranked_lists.score_direction)
        are_equal = scores.min() == scores.max()
        model = None if are_equal else fit_table(settings, table, seed)
        return cls(items, system, subject, table, model)

    def learn(
        self, codes: np.ndarray, n_draws: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, Verdict]:
        """Return draws of P(z = 1 | score) of the items, (n_draws, n_items), and the verdict."""
        codes = codes[self.items]
        if self.model is None:
            # Scores that are all equal are only informative about the prevalence.
            n_negative = np.count_nonzero(codes == 0)
            n_positive = np.count_nonzero(codes == 1)
            share = rng.beta(1.0 + n_positive, 1.0 + n_negative, (n_draws, 1))
            return np.broadcast_to(share, (n_draws, len(codes))), Verdict()

        # Equally weighted draws of the updated curve, in a random order.
        labeled_table = self.table.relabeled(codes)
        model = self.model.with_draws(n_draws).with_labels(labeled_table)
        chosen = rng.permutation(picked(model.posterior.weights, n_draws))
        draws = model.posterior.weighted_draws(self.table.scores[:, 0])
        return draws[chosen], model.verdict


def reasons_of(verdicts: Sequence[tuple[str, Verdict]]) -> Iterator[Reason]:
    """Yield the reasons of several fits, with equal reasons merged."""
    fits_of_reason: dict[tuple[str, str], list[tuple[str, Reason]]] = {}
    for subject, verdict in verdicts:
        for reason in verdict.reasons:
            key = (reason.name, reason.verdict)
            fits_of_reason.setdefault(key, []).append((subject, reason))

    n_fits = len(verdicts)
    for (_, kind), fits in fits_of_reason.items():
        subject, first = fits[0]
        problem = first.problem
        if n_fits > 1:
            problem = f"In {len(fits)} of {n_fits} fits, the first of {subject}: {problem}"
        # Among many fits a few misfits are expected by chance.
        is_rare = kind == "misfit" and len(fits) <= LARGEST_SHARE * n_fits
        yield replace(first, verdict="ok" if is_rare else kind, problem=problem)


@dataclass(frozen=True)
class MixtureLabelModel(LabelModel):
    """A label model of prior curves, which are made once for all updates."""

    mixture: SemisupervisedScoreMixture | None = None

    needs_noisy: ClassVar[bool] = False

    def learn(
        self, ranked_lists: RankedLists, codes: np.ndarray, n_draws: int, rng: np.random.Generator
    ) -> LabelDraws:
        prepared = self.prepared(ranked_lists, n_draws, rng.spawn(1)[0])
        return prepared.learn(ranked_lists, codes, n_draws, rng)


@dataclass(frozen=True)
class CurvesModel(MixtureLabelModel):
    """Separate curves of :class:`SemisupervisedScoreMixture` for each system and category.

    For each system and category, the labels update curves of :math:`P(z = 1 | s)`; no information
    is shared between categories or systems. Noisy labels divide each category in two pools, without
    assumptions on how they arise; pools of fewer than 20 items with the same noisy label follow
    `JointModel`.

    Known labels are common to all systems. Unknown labels are drawn from the separate model of each
    system, and agree as far as the probabilities allow. The interval of a difference is therefore
    conservative, and so is the probability that one system is better.

    It needs one fit per system, category and noisy label, which is slow for many of them.

    .. versionadded:: 0.1

    Parameters
    ----------
    mixture : SemisupervisedScoreMixture, default=None
        A mixture with custom parameters.

    Examples
    --------
    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.active import CurvesModel
    >>> from sklearn_spe.datasets import make_noisy_tags
    >>> data = make_noisy_tags(200, 1, prevalence=0.3, random_state=0)
    >>> selector = ActiveTestSelector(label_model=CurvesModel(), n_draws=40, random_state=0)
    >>> selector = selector.fit(data.scores, noisy_labels=data.noisy_labels)
    >>> selector.label_proba_.shape
    (200,)
    """

    name: ClassVar[str] = "curves"
    judges_alone: ClassVar[bool] = True

    def prepared(
        self, ranked_lists: RankedLists, n_draws: int, rng: np.random.Generator
    ) -> LabelModel:
        default = SemisupervisedScoreMixture(n_draws=n_draws)
        mixture = default if self.mixture is None else self.mixture
        settings = FitSettings.of(new_mixture(mixture, random_state=0))

        # One pool for each category and noisy label.
        has_noisy = ranked_lists.noisy is not None
        min_items = MIN_ITEMS if has_noisy else 1
        pool_of_row = 2 * ranked_lists.group + (ranked_lists.noisy if has_noisy else 0)

        pools = []
        for number, items in enumerate(members_of(pool_of_row, 2 * ranked_lists.n_groups)):
            if len(items) < min_items:
                continue
            for system in range(ranked_lists.scores.shape[1]):
                seed = int(rng.integers(2**31))
                subject = _subject(ranked_lists, system, number)
                pools.append(CurvePool.of(items, system, subject, ranked_lists, settings, seed))
        return _PreparedCurves(self.mixture, tuple(pools))


@dataclass(frozen=True)
class _PreparedCurves(CurvesModel):
    """A `CurvesModel` with the prior curves of each pool, made once."""

    pools: tuple[CurvePool, ...] = ()

    def learn(
        self, ranked_lists: RankedLists, codes: np.ndarray, n_draws: int, rng: np.random.Generator
    ) -> LabelDraws:
        n_systems = ranked_lists.scores.shape[1]
        probability = np.empty((n_systems, n_draws, ranked_lists.n_rows))
        if sum(len(pool.items) for pool in self.pools) < ranked_lists.scores.size:
            # Some items have no curve: predict all by the joint model first.
            probability[:] = JointModel().learn(ranked_lists, codes, n_draws, rng).probability

        verdicts = []
        for pool in self.pools:
            pool_probability, verdict = pool.learn(codes, n_draws, rng)
            probability[pool.system][:, pool.items] = pool_probability
            verdicts.append((pool.subject, verdict))
        return LabelDraws.of_systems(probability, codes, tuple(reasons_of(verdicts)))


def _subject(ranked_lists: RankedLists, system: int, pool: int) -> str:
    """Return the name of a fit."""
    category, noisy = divmod(pool, 2)
    names = [f"system {system}"] if ranked_lists.scores.shape[1] > 1 else []
    names += [f"category {category} of categories_"] if ranked_lists.n_groups > 1 else []
    names += [] if ranked_lists.noisy is None else [f"noisy label {noisy}"]
    return ", ".join(names)


@dataclass(frozen=True)
class SharedCurvesModel(MixtureLabelModel):
    """The posterior of items of :class:`PerformanceCurveEstimator`, with all the structure.

    The score axis of a curve of :math:`P(z = 1)` may be the score of one system, a consensus of
    all, or the rank of an item in its category, with random effects for deviations of systems, for
    categories and for groups, whose sizes are inferred from the labels. A label is therefore
    informative about all systems, categories and groups, as far as they are similar, and labels are
    common to all systems: differences have narrow intervals. Ratings of judges are predictors of
    the label as scores are.

    It is the default without noisy labels and features. Noisy labels are the verdicts of one more
    judge, without assumptions on how they arise; features are not used.

    .. versionadded:: 0.1

    Parameters
    ----------
    mixture : SemisupervisedScoreMixture, default=None
        A mixture with custom parameters, such as `prevalence_prior`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.active import SharedCurvesModel
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, truth = make_scores(500, random_state=0)
    >>> worse = scores + 3.0 * np.random.default_rng(1).standard_normal(500)
    >>> selector = ActiveTestSelector(label_model=SharedCurvesModel(), n_draws=40, random_state=0)
    >>> selector = selector.fit({0: scores, 1: worse})
    >>> items = selector.query(30)
    >>> selector = selector.update(items, truth[items])
    >>> bool(selector.ranking_proba_[0, 1] > 0.9)
    True
    """

    name: ClassVar[str] = "shared_curves"
    knows_groups: ClassVar[bool] = True
    uses_judges: ClassVar[bool] = True
    takes_missing: ClassVar[bool] = True

    def prepared(
        self, ranked_lists: RankedLists, n_draws: int, rng: np.random.Generator
    ) -> LabelModel:
        settings = FitSettings.of(new_mixture(self.mixture, random_state=0))
        prior = RowPrior.of(prior_table_of(ranked_lists), settings, int(rng.integers(2**31)))
        return _PreparedShared(self.mixture, prior=prior)


@dataclass(frozen=True)
class _PreparedShared(SharedCurvesModel):
    """A `SharedCurvesModel` with its prior curves, made once."""

    prior: RowPrior = field(kw_only=True)

    def learn(
        self, ranked_lists: RankedLists, codes: np.ndarray, n_draws: int, rng: np.random.Generator
    ) -> LabelDraws:
        prior = self.prior
        settings = replace(prior.settings, n_draws=n_draws)
        table = prior.unlabeled.relabeled(codes)
        model = RowModel.of_prior(settings, table, prior, table)
        items = model.row_posterior
        probability = np.concatenate([items.probability(block) for block in items.blocks()])
        if len(probability) < n_draws:
            # More draws reuse each several times.
            probability = probability[np.arange(n_draws) * len(probability) // n_draws]
        reasons = tuple(r for r in model.verdict.reasons if r.name != OF_FURTHER_GROUPS)
        return LabelDraws(probability, codes, reasons=reasons)


def prior_table_of(ranked_lists: RankedLists) -> ItemTable:
    """Return the rows as unlabeled items."""
    n_systems = ranked_lists.scores.shape[1]
    return ItemTable(
        systems=ranked_lists.systems or tuple(range(n_systems)),
        scores=ranked_lists.scores,
        codes=np.full(ranked_lists.n_rows, UNLABELED),
        n_rows=ranked_lists.n_rows,
        labels=BinaryLabels.learn(None, classes=[0, 1]),
        score_directions=(ranked_lists.score_direction,) * n_systems,
        category=ranked_lists.category if ranked_lists.category.n_parts > 1 else None,
        groups=ranked_lists.clusters,
        judges=_judges_of(ranked_lists),
    )


def _judges_of(ranked_lists: RankedLists) -> Judges | None:
    """Return the judges, noisy labels being the verdicts of one more; None without any."""
    judges = ranked_lists.judges
    if ranked_lists.noisy is None:
        return judges
    verdicts = ranked_lists.noisy[:, np.newaxis].astype(float)
    if judges is None:
        return Judges((NOISY,), verdicts, (True,))
    return Judges(
        (*judges.names, NOISY), np.hstack([judges.scores, verdicts]), (*judges.are_verdicts, True)
    )

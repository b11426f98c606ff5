"""Curves of P(z = 1 | item) that systems, categories and groups share."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from ...inputs._labels import UNLABELED, BinaryLabels
from ...inputs._partition import Partition
from ...items._item_prior import ItemPrior
from ...items._item_table import ItemTable
from ...items._structured_model import StructuredModel
from ...score_mixture._fit_settings import FitSettings
from ...score_mixture._mixture_parameter import new_mixture
from ...score_mixture._score_mixture import SemisupervisedScoreMixture
from ._label_draws import LabelDraws
from ._label_model import LabelModel

__all__ = ["SharedCurvesModel"]

# Number of unseen groups to predict: the question is about the items at hand.
OF_FURTHER_GROUPS = "few_groups"


@dataclass(frozen=True)
class SharedCurvesModel(LabelModel):
    """The posterior of items of :class:`PerformanceCurveEstimator`, with all the structure.

    The score axis of a curve of :math:`P(z = 1)` may be the score of one system, a consensus of
    all, or the rank of an item in its category, with random effects for deviations of systems, for
    categories and for groups, whose sizes are inferred from the labels. A label is therefore
    informative about all systems, categories and groups, as far as they are similar, and labels are
    common to all systems: differences have narrow intervals. Ratings of judges are predictors of
    the label as scores are.

    It is the default without noisy labels and features. Noisy labels divide each category in two,
    without assumptions on how they arise; features are not used.

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

    mixture: SemisupervisedScoreMixture | None = None

    name: ClassVar[str] = "shared_curves"
    needs_noisy: ClassVar[bool] = False
    knows_groups: ClassVar[bool] = True
    uses_judges: ClassVar[bool] = True
    takes_missing: ClassVar[bool] = True

    def prepared(self, ranked_lists, n_draws, rng):
        settings = FitSettings.of(new_mixture(self.mixture, random_state=0))
        prior = ItemPrior.of(_table_of(ranked_lists), settings, int(rng.integers(2**31)))
        return _PreparedShared(self.mixture, prior=prior)

    def learn(self, ranked_lists, codes, n_draws, rng):
        return self.prepared(ranked_lists, n_draws, rng.spawn(1)[0]).learn(
            ranked_lists, codes, n_draws, rng
        )


@dataclass(frozen=True)
class _PreparedShared(SharedCurvesModel):
    """The same, with the prior curves."""

    prior: ItemPrior = field(kw_only=True)

    def learn(self, ranked_lists, codes, n_draws, rng):
        prior = self.prior
        settings = replace(prior.settings, n_draws=n_draws)
        model = StructuredModel.made(settings, prior.unlabeled.relabeled(codes), prior)
        items = model.posterior
        probability = np.concatenate([items.probability(block) for block in items.blocks()])
        if len(probability) < n_draws:
            # More draws reuse each several times.
            probability = probability[np.arange(n_draws) * len(probability) // n_draws]
        reasons = tuple(r for r in model.verdict.reasons if r.name != OF_FURTHER_GROUPS)
        return LabelDraws(probability, codes, reasons=reasons)


def _table_of(ranked_lists) -> ItemTable:
    """Return the rows as unlabeled items."""
    n_systems = ranked_lists.scores.shape[1]
    return ItemTable(
        ranked_lists.scores,
        ranked_lists.systems or tuple(range(n_systems)),
        np.full(ranked_lists.n_rows, UNLABELED),
        np.arange(ranked_lists.n_rows),
        BinaryLabels.learn(None, classes=[0, 1]),
        (ranked_lists.score_direction,) * n_systems,
        _category_of(ranked_lists),
        ranked_lists.clusters,
        ranked_lists.n_rows,
        judges=ranked_lists.judges,
    )


def _category_of(ranked_lists) -> Partition | None:
    """Return the categories, each divided by its noisy labels; None if there is one."""
    category = ranked_lists.category
    if ranked_lists.noisy is None:
        return category if category.n_parts > 1 else None
    pairs, codes = np.unique(
        np.column_stack([ranked_lists.group, ranked_lists.noisy]), axis=0, return_inverse=True
    )
    if len(pairs) < 2:
        return None
    divided = [f"{category.names[group]}, noisy label {noisy}" for group, noisy in pairs]
    return Partition(np.array(divided), codes.ravel(), "category")

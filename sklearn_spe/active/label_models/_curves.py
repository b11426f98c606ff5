"""The label model of curves that systems, categories and groups share."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from ...estimators._score_mixture import SemisupervisedScoreMixture, new_mixture
from ...inputs._labels import UNLABELED, BinaryLabels
from ...inputs._raters import Judges
from ...models._fit_settings import FitSettings
from ...models._item_table import ItemTable
from ...models._row_model import RowModel
from ...models._row_prior import RowPrior
from ..lists._ranked_lists import RankedLists
from ._label_model import LabelDraws, LabelModel

# Number of unseen groups to predict: the question is about the items at hand.
OF_FURTHER_GROUPS = "few_groups"
# The name of noisy labels among the judges.
NOISY = "noisy label"


@dataclass(frozen=True)
class SharedCurvesModel(LabelModel):
    """The model of :class:`PerformanceCurveEstimator`, with systems, categories and groups.

    A curve of :math:`P(z = 1)` may depend on the score of one system, a consensus of all systems,
    or the rank of an item in its category. Systems, categories and groups have random effects,
    whose sizes are inferred from the labels. A label is therefore informative about all systems,
    categories and groups, as far as they are similar. All systems have the same labels, so
    differences have narrow intervals. Ratings of judges are predictors of the label, as scores are.

    The model is the default without noisy labels and features. Noisy labels are treated as the
    ratings of one more judge, without assumptions about their errors. Features are not used.

    .. versionadded:: 0.1

    Parameters
    ----------
    mixture : SemisupervisedScoreMixture, default=None
        A mixture with custom parameters, such as `prevalence_prior`.
    prior : RowPrior, default=None
        The prior curves of the rows, which `prepared` computes once for all updates.

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
    prior: RowPrior | None = field(default=None, kw_only=True, repr=False)

    name: ClassVar[str] = "shared_curves"
    needs_noisy: ClassVar[bool] = False
    knows_groups: ClassVar[bool] = True
    uses_judges: ClassVar[bool] = True
    takes_missing: ClassVar[bool] = True

    def prepared(self, ranked_lists: RankedLists, n_draws: int, rng: np.random.Generator) -> Self:
        settings = FitSettings.of(new_mixture(self.mixture, random_state=0))
        prior = RowPrior.of(prior_table_of(ranked_lists), settings, int(rng.integers(2**31)))
        return replace(self, prior=prior)

    def learn(
        self, ranked_lists: RankedLists, codes: np.ndarray, n_draws: int, rng: np.random.Generator
    ) -> LabelDraws:
        prior = self.prior
        if prior is None:
            return self.prepared(ranked_lists, n_draws, rng.spawn(1)[0]).learn(
                ranked_lists, codes, n_draws, rng
            )

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

r"""The pool of two models of noisy labels: a regression with their errors, and curves.

`JointModel` states how labels and noisy labels arise, so few verified labels are informative, and
is wrong where its form is: noise that changes abruptly with the score. `SharedCurvesModel` takes
the noisy label for the verdict of a judge, and states no more than that it predicts the label. Half
of the draws are of either (a linear opinion pool [1]_): an interval covers where one of them is
right, and errors in opposite directions cancel.

References
----------
.. [1] M. Stone. The opinion pool. Annals of Mathematical Statistics 32 (1961) 1339-1342.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..lists._ranked_lists import RankedLists
from ._curves import SharedCurvesModel
from ._label_model import LabelDraws
from ._noisy_regression import JointModel


@dataclass(frozen=True)
class PooledModel(SharedCurvesModel):
    """Draws of the regression "joint" and of :class:`SharedCurvesModel`, half each.

    It is the default with noisy labels of one list, without features and judges: the regression
    assumes how noisy labels arise, and the curves take them for the verdicts of a judge.

    .. versionadded:: 0.1

    Parameters
    ----------
    mixture : SemisupervisedScoreMixture, default=None
        A mixture with custom parameters, of the curves.
    prior : RowPrior, default=None
        The prior curves of the rows, as `prepared` makes them once for all updates.

    Examples
    --------
    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.datasets import make_noisy_tags
    >>> data = make_noisy_tags(200, 1, prevalence=0.3, random_state=0)
    >>> selector = ActiveTestSelector(label_model="pooled", n_draws=40, random_state=0)
    >>> selector = selector.fit(data.scores, noisy_labels=data.noisy_labels)
    >>> selector.label_proba_.shape
    (200,)
    """

    name: ClassVar[str] = "pooled"
    needs_noisy: ClassVar[bool] = True
    knows_groups: ClassVar[bool] = False
    uses_judges: ClassVar[bool] = False
    takes_missing: ClassVar[bool] = False

    def learn(
        self, ranked_lists: RankedLists, codes: np.ndarray, n_draws: int, rng: np.random.Generator
    ) -> LabelDraws:
        if self.prior is None:
            # With its curves, of the same random numbers.
            return super().learn(ranked_lists, codes, n_draws, rng)

        n_of_curves = n_draws // 2
        of_regression, of_curves = rng.spawn(2)
        draws = [JointModel().learn(ranked_lists, codes, n_draws - n_of_curves, of_regression)]
        if n_of_curves:
            draws.append(super().learn(ranked_lists, codes, n_of_curves, of_curves))

        # In a random order: some of the draws are of both models too.
        probability = np.concatenate([of_model.probability for of_model in draws])
        reasons = tuple(reason for of_model in draws for reason in of_model.reasons)
        return LabelDraws(rng.permutation(probability), codes, reasons=reasons)

"""The contract of a label model, its posterior draws, and its features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy import special

from ...inputs._arrays import FrozenArrays, mid_ranks
from ...results._verdict import Reason
from ..lists._ranked_lists import RankedLists, by_group


class Coupling(ABC):
    """Dependence of labels, given their probabilities."""

    @abstractmethod
    def uniform(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw a uniform number per row, (n, n_rows): the label is 1 below its probability."""


@dataclass(frozen=True, eq=False)
class LabelDraws(FrozenArrays):
    """Posterior draws of a label model.

    .. versionadded:: 0.1

    Attributes
    ----------
    probability : ndarray of shape (n_draws, n_rows)
        The probability that each label is 1, for each posterior draw.
    codes : ndarray of shape (n_rows,)
        1, 0, or -1 where the label is unknown.
    coupling : Coupling, default=None
        The dependence of labels given their probabilities. None means independent labels.
    reasons : tuple of Reason, default=()
        Reasons against the fitted model.

    Examples
    --------
    Two draws of three labels, of which the last is known.

    >>> import numpy as np
    >>> from sklearn_spe.active import LabelDraws
    >>> draws = LabelDraws(np.array([[0.2, 0.6, 0.5], [0.4, 1.0, 0.5]]), np.array([-1, -1, 1]))
    >>> draws.mean
    array([0.3, 0.8, 1. ])
    >>> draws.labels(slice(None), np.random.default_rng(0)).shape
    (2, 3)
    """

    probability: np.ndarray
    codes: np.ndarray
    coupling: Coupling | None = None
    reasons: tuple[Reason, ...] = ()

    @property
    def n_draws(self) -> int:
        return len(self.probability)

    @cached_property
    def mean(self) -> np.ndarray:
        """The probability that each label is 1, (n_rows,); 0 or 1 where known."""
        return np.where(self.codes < 0, self.probability.mean(axis=0), self.codes)

    def with_codes(self, codes: np.ndarray) -> LabelDraws:
        """Return the predictions of the same model with other known labels."""
        return replace(self, codes=codes)

    def completed(self, rows: slice) -> np.ndarray:
        """Return the probabilities of some draws, with 0 and 1 for known labels."""
        return np.where(self.codes < 0, self.probability[rows], self.codes)

    def labels(self, rows: slice, rng: np.random.Generator) -> np.ndarray:
        """Draw all labels in some of the posterior draws, (n_rows, n_rows).

        The random numbers of an item's label are common to all systems.
        """
        p = self.probability[rows]
        at = rng.random(p.shape) if self.coupling is None else self.coupling.uniform(len(p), rng)
        return np.where(self.codes < 0, at < p, self.codes)


@dataclass(frozen=True)
class LabelModel(ABC):
    """Base class of models that predict unknown labels.

    .. versionadded:: 0.1

    Attributes
    ----------
    name : str
        The key in `LABEL_MODELS`.
    needs_noisy : bool
        Whether the model requires noisy labels.
    needs_overlaps : bool
        Whether the model is for detections, whose verified objects have overlaps.
    ignorable : bool
        Whether selection of items by scores, noisy labels and earlier labels is ignorable.
        Otherwise items must be chosen at random.
    knows_groups : bool
        Whether the model accounts for the dependence of items of one group.
    uses_judges : bool
        Whether the model uses the ratings of judges.
    takes_missing : bool
        Whether scores may be missing (NaN).

    Examples
    --------
    A model in which nine in ten noisy labels are right, independent of verified ones.

    >>> from dataclasses import dataclass
    >>> from typing import ClassVar
    >>> import numpy as np
    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.active import LabelDraws, LabelModel
    >>> @dataclass(frozen=True)
    ... class NineInTen(LabelModel):
    ...     name: ClassVar[str] = "nine_in_ten"
    ...
    ...     def learn(self, ranked_lists, codes, n_draws, rng):
    ...         probability = np.where(ranked_lists.noisy == 1, 0.9, 0.1)
    ...         return LabelDraws(np.tile(probability, (n_draws, 1)), codes)
    >>> selector = ActiveTestSelector(label_model=NineInTen(), n_draws=40, random_state=0)
    >>> selector.fit([0.9, 0.5, 0.2], noisy_labels=[1, 0, 0]).label_proba_
    array([0.9, 0.1, 0.1])
    """

    name: ClassVar[str]
    needs_noisy: ClassVar[bool] = True
    needs_overlaps: ClassVar[bool] = False
    ignorable: ClassVar[bool] = True
    knows_groups: ClassVar[bool] = False
    uses_judges: ClassVar[bool] = False
    takes_missing: ClassVar[bool] = False

    @abstractmethod
    def learn(
        self, ranked_lists: RankedLists, codes: np.ndarray, n_draws: int, rng: np.random.Generator
    ) -> LabelDraws:
        """Return posterior draws of the labels.

        Parameters
        ----------
        ranked_lists : Board
            The data of the rows, one per item unless items are objects. Its attributes are
            ``scores``, of shape (n_rows, n_systems); ``group``, the index of the category;
            ``n_groups``; and, each possibly None, ``noisy`` labels, ``features``, ``clusters`` (the
            groups of dependent items) and ``judges`` (their ratings).
        codes : ndarray of shape (n_rows,)
            1 and 0 for known labels, -1 for others.
        n_draws : int
        rng : numpy.random.Generator
        """

    def prepared(
        self, ranked_lists: RankedLists, n_draws: int, rng: np.random.Generator
    ) -> LabelModel:
        """Return an equivalent model with the computations on the scores cached.

        Parameters
        ----------
        ranked_lists : Board
        n_draws : int
        rng : numpy.random.Generator
        """
        return self

    def reasons(self, is_random: bool) -> list[Reason]:
        """Return the reasons against the estimates of the model.

        Parameters
        ----------
        is_random : bool
            Whether items are chosen at random.
        """
        if self.ignorable or is_random:
            return []
        return [
            Reason(
                "counted_flips",
                "misfit",
                f"label_model={self.name!r} counts the errors of noisy labels on items that were "
                "not chosen at random: its rates have selection bias, which more labels may "
                "increase.",
                1.0,
                0.0,
                remedy="Use label_model='joint', or strategy='random'.",
                parameter="label_model",
            )
        ]


def normal_scores(values: np.ndarray) -> np.ndarray:
    """Return the normal quantile at the rank of each value, with mean ranks for ties."""
    return special.ndtri(mid_ranks(values))


def ranked_scores(ranked_lists: RankedLists) -> np.ndarray:
    """Return the normal scores of each system within each category, (n_rows, n_columns).

    Metrics of categories depend on ranks only, and categories may have different scales.
    """
    columns = [
        by_group(normal_scores, scores, ranked_lists.group) for scores in ranked_lists.scores.T
    ]
    return np.stack(columns, axis=1)

"""Interface of label models: labels given scores, noisy labels and known labels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from ...results._verdict import Reason
from ._label_draws import LabelDraws

__all__ = ["LabelModel"]


@dataclass(frozen=True)
class LabelModel(ABC):
    """Base class of models that predict unknown labels.

    Attributes
    ----------
    name : str
        The key in `LABEL_MODELS`.
    needs_noisy : bool
        Whether it requires noisy labels.
    needs_overlaps : bool
        Whether it is for detections, whose verified objects have overlaps.
    ignorable : bool
        Whether selection of items by scores, noisy labels and earlier labels is ignorable;
        otherwise they must be chosen at random.
    judges_alone : bool
        Whether each of several systems has a separate model.
    knows_groups : bool
        Whether it models the dependence of items of one group.
    uses_judges : bool
        Whether it uses the ratings of judges.
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
    judges_alone: ClassVar[bool] = False
    knows_groups: ClassVar[bool] = False
    uses_judges: ClassVar[bool] = False
    takes_missing: ClassVar[bool] = False

    @abstractmethod
    def learn(self, ranked_lists, codes, n_draws: int, rng) -> LabelDraws:
        """Return posterior draws of the labels.

        Parameters
        ----------
        ranked_lists : Board
            The data of the rows, one per item unless items are objects: ``scores`` (n_rows,
            n_systems), ``noisy`` labels or None, ``group``, the index of the category,
            ``n_groups``, ``features`` or None, ``clusters``, the groups of dependent items, or
            None, and ``judges``, their ratings, or None.
        codes : ndarray of shape (n_rows,)
            1 and 0 for known labels, -1 for others.
        n_draws : int
        rng : numpy.random.Generator
        """

    def prepared(self, ranked_lists, n_draws: int, rng) -> LabelModel:
        """Return an equivalent model with the computations on the scores cached.

        Parameters
        ----------
        ranked_lists : Board
        n_draws : int
        rng : numpy.random.Generator
        """
        return self

    def reasons(self, is_random: bool) -> list[Reason]:
        """Return the reasons against its estimates.

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
                "increase. Use label_model='joint', or strategy='random'.",
                1.0,
                0.0,
            )
        ]

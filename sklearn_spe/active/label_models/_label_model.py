"""The contract of a label model: what labels may be, given scores, noisy labels and answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from ...results._verdict import Reason
from ._label_draws import LabelDraws

__all__ = ["LabelModel"]


@dataclass(frozen=True)
class LabelModel(ABC):
    """Predicts the labels of a board that are not known.

    Attributes
    ----------
    name : str
        The key in `LABEL_MODELS`.
    needs_noisy : bool
        Whether there must be noisy labels.
    needs_overlaps : bool
        Whether it is for boards of detections, whose vetted objects have overlaps.
    ignorable : bool
        Whether it is right however items were chosen by scores, noisy labels and earlier answers;
        otherwise they must be chosen at random.
    judges_alone : bool
        Whether each of several systems is judged by a model of its own.
    knows_groups : bool
        Whether items of one group are no independent evidence to it.
    hears_judges : bool
        Whether it learns of what judges say.
    takes_missing : bool
        Whether systems may miss scores, which are then NaN.

    Examples
    --------
    A model that believes nine in ten noisy labels, whatever is vetted.

    >>> from dataclasses import dataclass
    >>> from typing import ClassVar
    >>> import numpy as np
    >>> from sklearn_spe import ActiveTestSelector
    >>> from sklearn_spe.active import LabelDraws, LabelModel
    >>> @dataclass(frozen=True)
    ... class NineInTen(LabelModel):
    ...     name: ClassVar[str] = "nine_in_ten"
    ...
    ...     def learn(self, board, codes, n_draws, rng):
    ...         probability = np.where(board.noisy == 1, 0.9, 0.1)
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
    hears_judges: ClassVar[bool] = False
    takes_missing: ClassVar[bool] = False

    @abstractmethod
    def learn(self, board, codes, n_draws: int, rng) -> LabelDraws:
        """Return draws of the labels.

        Parameters
        ----------
        board : Board
            What is known of the entries, one an item unless items are objects: its ``scores``
            (n_entries, n_systems), ``noisy`` labels or None, ``group``, the number of the category,
            ``n_groups``, ``features`` or None, ``clusters``, the groups of items that belong
            together, or None, and what ``judges`` say, or None.
        codes : ndarray of shape (n_entries,)
            1 and 0 for labels that are known, -1 for others.
        n_draws : int
        rng : numpy.random.Generator
        """

    def prepared(self, board, n_draws: int, rng) -> LabelModel:
        """Return a model that learns the same, with what is made of the scores made once.

        Parameters
        ----------
        board : Board
        n_draws : int
        rng : numpy.random.Generator
        """
        return self

    def reasons(self, is_random: bool) -> list[Reason]:
        """Return what speaks against its estimates.

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
                f"label_model={self.name!r} counts how often noisy labels are wrong on items that "
                f"were not chosen at random: its rates are those of the choice, and more labels "
                f"may make the error larger. Use label_model='joint', or strategy='random'.",
                1.0,
                0.0,
            )
        ]

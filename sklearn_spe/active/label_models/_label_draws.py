"""Posterior draws of labels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..._arrays import FrozenArrays
from ...results._verdict import Reason

__all__ = ["Coupling", "LabelDraws"]


class Coupling(ABC):
    """Dependence of labels, given their probabilities."""

    @abstractmethod
    def uniform(self, n: int, rng) -> np.ndarray:
        """Draw a uniform number per row, (n, n_rows): the label is 1 below its probability."""


@dataclass(frozen=True, eq=False)
class LabelDraws(FrozenArrays):
    """Posterior draws of a label model.

    Attributes
    ----------
    probability : ndarray of shape (n_draws, n_rows)
        The probability that each label is 1, in each posterior draw.
    codes : ndarray of shape (n_rows,)
        1, 0, or -1 where the label is unknown.
    coupling : Coupling, default=None
        None if labels are independent, given their probabilities.
    own : ndarray of shape (n_systems, n_draws, n_rows), default=None
        The probabilities under the separate model of each system, if any; None if all share
        `probability`.
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
    own: np.ndarray | None = None
    reasons: tuple[Reason, ...] = ()

    @classmethod
    def of_systems(cls, own, codes, reasons=()) -> LabelDraws:
        """Return draws of separate models of the systems, alternating where one model is needed.

        Parameters
        ----------
        own : ndarray of shape (n_systems, n_draws, n_rows)
        codes : ndarray of shape (n_rows,)
        reasons : tuple of Reason, default=()
        """
        if len(own) == 1:
            return cls(own[0], codes, reasons=reasons)
        draws = np.arange(own.shape[1])
        return cls(own[draws % len(own), draws], codes, own=own, reasons=reasons)

    @property
    def by_system(self) -> np.ndarray:
        """The probabilities for each system, (n_draws, n_rows).

        With a leading axis of systems where each has a separate model; the following methods too.
        """
        return self.probability if self.own is None else self.own

    @property
    def n_draws(self) -> int:
        return len(self.probability)

    @cached_property
    def mean(self) -> np.ndarray:
        """The probability that each label is 1, (n_rows,); 0 or 1 where known."""
        return np.where(self.codes < 0, self.probability.mean(axis=0), self.codes)

    def with_codes(self, codes) -> LabelDraws:
        """Return the predictions of the same model with other known labels."""
        return replace(self, codes=codes)

    def means(self) -> np.ndarray:
        """Return the probability for each system that each label is 1, (n_rows,)."""
        return np.where(self.codes < 0, self.by_system.mean(axis=-2), self.codes)

    def completed(self, rows: slice) -> np.ndarray:
        """Return probabilities of some draws, 0 and 1 where labels are known."""
        return np.where(self.codes < 0, self.by_system[..., rows, :], self.codes)

    def labels(self, rows: slice, rng) -> np.ndarray:
        """Draw all labels in some of the posterior draws, (n_rows, n_rows)."""
        return self._drawn(self.probability[rows], rng)

    def labels_by_system(self, rows: slice, rng) -> np.ndarray:
        """Draw all labels for each system, (n_rows, n_rows).

        The random numbers of an item's label are common to all systems.
        """
        return self._drawn(self.by_system[..., rows, :], rng)

    def _drawn(self, p, rng):
        shape = p.shape[-2:]
        at = rng.random(shape) if self.coupling is None else self.coupling.uniform(shape[0], rng)
        return np.where(self.codes < 0, at < p, self.codes)

"""Draws of what labels may be, given all that is known of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..._arrays import FrozenArrays
from ...results._verdict import Reason

__all__ = ["Coupling", "LabelDraws"]


class Coupling(ABC):
    """How labels hang together, given their probabilities."""

    @abstractmethod
    def uniform(self, n: int, rng) -> np.ndarray:
        """Draw a uniform number for each entry, (n, n_entries); below its probability it is 1."""


@dataclass(frozen=True, eq=False)
class LabelDraws(FrozenArrays):
    """Draws of a label model.

    Attributes
    ----------
    probability : ndarray of shape (n_draws, n_entries)
        That each label is 1 in a world of the model.
    codes : ndarray of shape (n_entries,)
        1, 0, or -1 where the label is not known.
    coupling : Coupling, default=None
        None if labels are independent, given their probabilities.
    own : ndarray of shape (n_systems, n_draws, n_entries), default=None
        The probabilities by which each system is judged, where each has a model of its own; None
        if all are judged by `probability`.
    reasons : tuple of Reason, default=()
        What speaks against the model, as it was fitted.

    Examples
    --------
    Two worlds of three labels, of which the last is known.

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
        """Return draws of models of one system each, in turns where one model is asked for.

        Parameters
        ----------
        own : ndarray of shape (n_systems, n_draws, n_entries)
        codes : ndarray of shape (n_entries,)
        reasons : tuple of Reason, default=()
        """
        if len(own) == 1:
            return cls(own[0], codes, reasons=reasons)
        draws = np.arange(own.shape[1])
        return cls(own[draws % len(own), draws], codes, own=own, reasons=reasons)

    @property
    def by_system(self) -> np.ndarray:
        """The probabilities by which systems are judged, (n_draws, n_entries).

        With an axis of systems in front where each has a model of its own, as all that follows.
        """
        return self.probability if self.own is None else self.own

    @property
    def n_draws(self) -> int:
        return len(self.probability)

    @cached_property
    def mean(self) -> np.ndarray:
        """The probability that each label is 1, (n_entries,); known ones are 0 or 1."""
        return np.where(self.codes < 0, self.probability.mean(axis=0), self.codes)

    def with_codes(self, codes) -> LabelDraws:
        """Return what the same model says where other labels are known."""
        return replace(self, codes=codes)

    def means(self) -> np.ndarray:
        """Return the probability by which systems are judged that each label is 1, (n_entries,)."""
        return np.where(self.codes < 0, self.by_system.mean(axis=-2), self.codes)

    def completed(self, rows: slice) -> np.ndarray:
        """Return probabilities of some worlds, 0 and 1 where labels are known."""
        return np.where(self.codes < 0, self.by_system[..., rows, :], self.codes)

    def labels(self, rows: slice, rng) -> np.ndarray:
        """Draw all labels in some of the worlds, (n_rows, n_entries)."""
        return self._drawn(self.probability[rows], rng)

    def labels_by_system(self, rows: slice, rng) -> np.ndarray:
        """Draw all labels as systems are judged by them, (n_rows, n_entries).

        An item has one label: what is chance in it is the same for all systems.
        """
        return self._drawn(self.by_system[..., rows, :], rng)

    def _drawn(self, p, rng):
        shape = p.shape[-2:]
        at = rng.random(shape) if self.coupling is None else self.coupling.uniform(shape[0], rng)
        return np.where(self.codes < 0, at < p, self.codes)

"""The posteriors of several mixtures of one sample, evaluated together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..data._sample import ScoreSample
from ..families._family import Family, Parameter
from ._two_class import TwoClassMixture, by_cell, class_weights, log_order_prior, of_cells


@dataclass(frozen=True, eq=False)
class FamilyRole:
    """One family, and the mixtures in which it is that of each class."""

    family: Family
    parameters: tuple[Parameter, ...]  # in the units of the scores
    of_negatives: np.ndarray  # (n_mixtures,) of bool
    of_positives: np.ndarray

    def at(self, u, which, n_negative: int) -> ClassValues:
        """Return its values where it has a part in the points `u` of the mixtures `which`.

        `n_negative` is the number of parameters of negatives.
        """
        n, n_dim = u.shape
        negatives = np.flatnonzero(self.of_negatives[which])
        positives = np.flatnonzero(self.of_positives[which])
        firsts = np.concatenate([negatives * n_dim + 1, positives * n_dim + 1 + n_negative])
        places = firsts + np.arange(len(self.parameters))[:, np.newaxis]
        reals = u.ravel()[places]
        values = [p.value(real) for p, real in zip(self.parameters, reals, strict=True)]
        rows = np.concatenate([negatives, n + positives])
        return ClassValues(self, rows, places, reals, values)


@dataclass(frozen=True, eq=False)
class ClassValues:
    """The values of one family in some rows: those of negatives of all points, then positives."""

    role: FamilyRole
    rows: np.ndarray  # (n_rows,)
    places: np.ndarray  # (n_parameters, n_rows), of each value in the points, flat
    reals: np.ndarray  # (n_parameters, n_rows), the values on the real line
    values: list[np.ndarray]  # each (n_rows,)

    @property
    def columns(self) -> list[np.ndarray]:
        """The values as the families take them."""
        return [value[:, np.newaxis] for value in self.values]

    @cached_property
    def slopes(self) -> list[np.ndarray]:
        """The derivatives of the values with respect to the real line."""
        pairs = zip(self.role.parameters, self.values, strict=True)
        return [parameter.slope(value) for parameter, value in pairs]

    def log_priors(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the log prior of each parameter on the real line, and its derivative."""
        return (
            parameter.log_prior(real, value, slope)
            for parameter, real, value, slope in zip(
                self.role.parameters, self.reals, self.values, self.slopes, strict=True
            )
        )


@dataclass(frozen=True, eq=False)
class SeveralMixtures:
    """The posteriors of several mixtures of one sample, as `inference._modes.Densities`.

    Pairs of families share them: each family is evaluated once for all mixtures and for both
    classes. A point `u` belongs to the mixture `which`.

    Parameters
    ----------
    mixtures : sequence of TwoClassMixture
        In the same units, with the same prior of the prevalence, and each with as many parameters
        of negatives, and of positives, as the others.
    sample : ScoreSample
        On the model scale; of few cells, as no tiles are made.
    """

    mixtures: Sequence[TwoClassMixture]
    sample: ScoreSample

    @cached_property
    def _roles(self) -> list[FamilyRole]:
        negatives = [mixture.negative for mixture in self.mixtures]
        positives = [mixture.positive for mixture in self.mixtures]
        families: list[Family] = []
        for family in (*negatives, *positives):
            if family not in families:
                families.append(family)

        mixture = self.mixtures[0]
        units = mixture.location, mixture.spread, mixture.resolution
        return [
            FamilyRole(
                family,
                tuple(parameter.in_units(*units) for parameter in family.parameters),
                np.array([negative == family for negative in negatives]),
                np.array([positive == family for positive in positives]),
            )
            for family in families
        ]

    @cached_property
    def _log_order_masses(self) -> np.ndarray:
        return np.array([mixture.log_order_mass for mixture in self.mixtures])

    def _at(self, u, which) -> tuple[np.ndarray, list[ClassValues]]:
        """Return the prevalence (n,), and the values of each family."""
        prevalence = self.mixtures[0].parameters[0].value(u[:, 0])
        n_negative = len(self.mixtures[0].negative.parameters)
        return prevalence, [role.at(u, which, n_negative) for role in self._roles]

    def log_densities(self, u, which) -> np.ndarray:
        """Return the unnormalized log posterior of each point, -inf where it is not a number."""
        with np.errstate(all="ignore"):
            prevalence, classes = self._at(u, which)
            log_prior, _ = self._log_prior(u, which, prevalence, classes)
            joint = self._log_joint(prevalence, classes)
            density = log_prior + of_cells(self.sample, *(by_cell(j, self.sample) for j in joint))
        return np.where(np.isnan(density), -np.inf, density)

    def gradients(self, u, which) -> np.ndarray:
        """Return the gradient of the log posterior at each point."""
        with np.errstate(all="ignore"):
            prevalence, classes = self._at(u, which)
            _, gradient = self._log_prior(u, which, prevalence, classes)
            self._add_likelihood_gradient(gradient, prevalence, classes)
        return gradient

    def _log_prior(self, u, which, prevalence, classes):
        """Return the log prior densities and their gradients, as `TwoClassMixture.log_prior`."""
        n, first = len(u), self.mixtures[0].parameters[0]
        gradient, log_priors = np.empty(u.shape), np.zeros(2 * n)
        log_prior, gradient[:, 0] = first.log_prior(u[:, 0], prevalence, first.slope(prevalence))
        centers, stds, slopes_of_center = np.empty(2 * n), np.empty(2 * n), []
        for of_class in classes:
            for places, (own, slopes) in zip(of_class.places, of_class.log_priors(), strict=True):
                log_priors[of_class.rows] += own
                gradient.ravel()[places] = slopes
            centers[of_class.rows], slopes = of_class.role.family.center(*of_class.values)
            # The standard deviation is the second parameter of all families.
            stds[of_class.rows] = of_class.values[1]
            slopes_of_center.append(slopes)

        log_order, by = log_order_prior(centers[:n], stds[:n], centers[n:], stds[n:])
        by_center, by_std = np.concatenate([by[0], by[2]]), np.concatenate([by[1], by[3]])
        for of_class, slopes in zip(classes, slopes_of_center, strict=True):
            by_values = [by_center[of_class.rows] * slope for slope in slopes]
            by_values[1] += by_std[of_class.rows]
            _add_by_values(gradient, of_class, by_values)
        log_prior += log_priors[:n] + log_priors[n:] + log_order - self._log_order_masses[which]
        return log_prior, gradient

    def _log_joint(self, prevalence, classes):
        """Return log p(score, y = 0 | u) and log p(score, y = 1 | u), each (n, n_points)."""
        n, points = len(prevalence), self.sample.points
        joint = np.empty((2 * n, len(points)))
        for of_class in classes:
            joint[of_class.rows] = of_class.role.family.logpdf(points, *of_class.columns)
        joint[:n] += np.log1p(-prevalence)[:, np.newaxis]
        joint[n:] += np.log(prevalence)[:, np.newaxis]
        return joint[:n], joint[n:]

    def _add_likelihood_gradient(self, gradient, prevalence, classes):
        joint = self._log_joint(prevalence, classes)
        cells = [by_cell(j, self.sample) for j in joint]
        weights = np.concatenate(class_weights(self.sample, joint, cells))

        to_negative, to_positive = np.split(weights.sum(axis=1), 2)
        slope = self.mixtures[0].parameters[0].slope(prevalence)
        gradient[:, 0] += slope * (to_positive / prevalence - to_negative / (1.0 - prevalence))
        for of_class in classes:
            own = weights[of_class.rows]
            slopes = of_class.role.family.gradient(self.sample.points, *of_class.columns)
            by_values = [np.einsum("ij,ij->i", slope, own) for slope in slopes]
            _add_by_values(gradient, of_class, by_values)


def _add_by_values(gradient, of_class: ClassValues, by_values):
    """Add derivatives with respect to the values of a family to a gradient."""
    flat = gradient.ravel()
    for places, by_value, slope in zip(of_class.places, by_values, of_class.slopes, strict=True):
        flat[places] += by_value * slope

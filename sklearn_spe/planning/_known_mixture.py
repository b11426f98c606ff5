"""A mixture with known parameters, and its Fisher information."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from ..families._family import Family
from ..families._registry import as_family
from ..inputs._array_like import as_numbers
from ..inputs._numbers import check_number

# Integrals are taken over normal quantiles up to this distance by Gauss-Legendre quadrature.
REACH, N_NODES = 7.5, 640
# Step of the central differences of gradients, as a share of a parameter's size.
STEP = 1e-5
# Larger distances relative to the size of a parameter overflow the information in float64.
LARGEST = 1e30


@dataclass(frozen=True)
class KnownMixture:
    """Two families at given parameter values, and their Fisher information."""

    families: tuple[Family, Family]  # negatives, positives
    prevalence: float
    values: tuple[tuple[float, ...], tuple[float, ...]]  # parameter values of each family

    @classmethod
    def of(cls, negative, positive, prevalence, negative_values, positive_values) -> KnownMixture:
        """Return the mixture of two families, by name or instance, at given values."""
        # The information is the inverse square of it.
        check_number(prevalence, "prevalence", "[1e-100, 1)")
        families = as_family(negative), as_family(positive)
        values = []
        sides = zip(
            ("negative_values", "positive_values"),
            families,
            (negative_values, positive_values),
            strict=True,
        )
        for name, family, given in sides:
            if not family.regular:
                raise ValueError(
                    f"The support of {family.name!r} depends on its parameters, so that their "
                    f"Fisher information is not defined; choose another family."
                )
            own = as_numbers(given, name)
            wanted = [parameter.name for parameter in family.parameters]
            if own.shape != (len(wanted),) or not np.isfinite(own).all():
                raise ValueError(
                    f"{name} must be {', '.join(wanted)} of {family.name!r}, got {given!r}."
                )
            for parameter, value in zip(family.parameters, own, strict=True):
                check_number(float(value), f"{parameter.name} in {name}", _interval(parameter))
            values.append(tuple(own.tolist()))
        return cls(families, float(prevalence), (values[0], values[1]))

    @property
    def names(self) -> tuple[str, ...]:
        """The parameter names: the prevalence, then those of each class, prefixed by its name."""
        sides = zip(("negative", "positive"), self.families, strict=True)
        return ("prevalence", *(f"{s}_{p.name}" for s, f in sides for p in f.parameters))

    @property
    def n_parameters(self) -> int:
        """Number of parameters, including the prevalence."""
        return len(self.names)

    @property
    def theta(self) -> np.ndarray:
        """The values of all parameters, in the order of `names`."""
        return np.array([self.prevalence, *self.values[0], *self.values[1]])

    def at(self, theta) -> KnownMixture:
        """Return the same families at other values."""
        cut = 1 + len(self.values[0])
        return KnownMixture(self.families, theta[0], (tuple(theta[1:cut]), tuple(theta[cut:])))

    def nodes(self, lower: float = -np.inf):
        """Return the nodes and weights of an integral over scores above `lower`, for each class."""
        z, weights = np.polynomial.legendre.leggauss(N_NODES)
        # The integrand jumps where the support of either class begins.
        edges = np.unique([f.support[0] for f in self.families if np.isfinite(f.support[0])])
        for family, values in zip(self.families, self.values, strict=True):
            marks = np.r_[lower if np.isfinite(lower) else [], edges[edges > lower]]
            below = 1.0 - family.sf(marks, *values)
            inner = np.clip(special.ndtri(below), -REACH, REACH)
            first = [] if np.isfinite(lower) else [-REACH]
            ends = np.r_[first, inner, REACH]
            middles, halves = (ends[1:] + ends[:-1]) / 2.0, np.diff(ends) / 2.0
            quantiles = (middles[:, np.newaxis] + halves[:, np.newaxis] * z).ravel()
            density = np.exp(-0.5 * quantiles**2) / np.sqrt(2.0 * np.pi)
            scores = family.ppf(special.ndtr(quantiles), *values)
            yield scores, (halves[:, np.newaxis] * weights).ravel() * density

    def joint(self, scores):
        """Return log p(score, y) of both classes and their gradients, (n_parameters, n) each."""
        shares = (1.0 - self.prevalence, self.prevalence)
        signs = (-1.0, 1.0)
        logs, gradients, first = [], [], 1
        for family, values, share, sign in zip(
            self.families, self.values, shares, signs, strict=True
        ):
            gradient = np.zeros((self.n_parameters, len(scores)))
            gradient[0] = sign / share
            for j, row in enumerate(family.gradient(scores, *values), first):
                gradient[j] = row
            first += len(values)
            logs.append(family.logpdf(scores, *values) + np.log(share))
            gradients.append(gradient)
        return logs, gradients

    def log_odds(self, scores):
        """Return P(y = 1 | score) and the gradient of its logit."""
        logs, gradients = self.joint(scores)
        return special.expit(logs[1] - logs[0]), gradients[1] - gradients[0]

    def score_gradient(self, scores) -> np.ndarray:
        """Return the gradient of log p(score), of shape (n_parameters, n)."""
        logs, gradients = self.joint(scores)
        q = special.expit(logs[1] - logs[0])
        # A density that underflows has a finite gradient but zero weight.
        return np.where(q < 1.0, (1.0 - q) * gradients[0], 0.0) + np.where(
            q > 0.0, q * gradients[1], 0.0
        )

    def curvatures(self, scores) -> np.ndarray:
        """Return minus the Hessian of log p(score), (n, n_parameters, n_parameters)."""
        theta, rows = self.theta, []
        for j in range(self.n_parameters):
            step = STEP * min(self.prevalence, 1.0 - self.prevalence) if j == 0 else STEP
            step *= 1.0 if j == 0 else self._sizes[j - 1]
            ahead, behind = theta.copy(), theta.copy()
            ahead[j] += step
            behind[j] -= step
            difference = self.at(behind).score_gradient(scores) - self.at(ahead).score_gradient(
                scores
            )
            rows.append(difference / (ahead[j] - behind[j]))
        matrix = np.stack(rows, axis=0).transpose(2, 0, 1)
        return 0.5 * (matrix + matrix.transpose(0, 2, 1))

    @property
    def _sizes(self) -> np.ndarray:
        """The unit of each parameter but the prevalence: the class's standard deviation, or one."""
        return np.array(
            [
                values[1] if parameter.role in ("location", "scale") else 1.0
                for family, values in zip(self.families, self.values, strict=True)
                for parameter in family.parameters
            ]
        )

    def of_labels(self):
        """Return the information of one labeled negative, and of one labeled positive."""
        shares = (1.0 - self.prevalence, self.prevalence)
        for k, (scores, weights) in enumerate(self.nodes()):
            gradient = self.joint(scores)[1][k]
            gradient[0] = 0.0
            matrix = np.einsum("i,ji,ki->jk", weights, gradient, gradient)
            matrix[0, 0] = 1.0 / shares[k] ** 2
            yield matrix

    def of_scores(self) -> np.ndarray:
        """Return the expected information of one score."""
        return self._expected(self.nodes(), lambda s: (np.ones(len(s)), self.score_gradient(s)))

    def of_classes(self, lower: float = -np.inf) -> np.ndarray:
        """Return the information added by labeling all scores above `lower`, per pool item."""

        def of_label(scores):
            q, gradient = self.log_odds(scores)
            return q * (1.0 - q), gradient

        return self._expected(self.nodes(lower), of_label)

    def _expected(self, nodes, part):
        total = np.zeros((self.n_parameters, self.n_parameters))
        shares = (1.0 - self.prevalence, self.prevalence)
        for share, (scores, weights) in zip(shares, nodes, strict=True):
            factor, gradient = part(scores)
            total += np.einsum("i,ji,ki->jk", share * weights * factor, gradient, gradient)
        return total

    def recall(self, threshold):
        """Return the recall at a threshold, and its gradient."""
        family, values = self.families[1], np.array(self.values[1])
        at = np.array([threshold])
        gradient = np.zeros(self.n_parameters)
        first = self.n_parameters - len(values)
        for j in range(len(values)):
            step = STEP * self._sizes[first - 1 + j] * np.eye(len(values))[j]
            ahead, behind = (family.sf(at, *(values + sign * step))[0] for sign in (1.0, -1.0))
            gradient[first + j] = (ahead - behind) / (2.0 * step[j])
        recall = float(family.sf(at, *values)[0])
        if not 0.0 < recall < 1.0:
            raise ValueError(
                f"The recall at threshold={threshold!r} is {recall:g} under these parameters; "
                f"choose a threshold among the scores of positives."
            )
        return recall, gradient

    def quantile(self, share: float) -> float:
        """Return the score above which a share of all items lies."""
        if share <= 0.0:
            return np.inf
        if share >= 1.0:
            return -np.inf
        ends = [
            family.ppf(np.array([1.0 - share]), *values)[0]
            for family, values in zip(self.families, self.values, strict=True)
        ]

        def excess(score):
            at = np.array([score])
            tails = [f.sf(at, *v)[0] for f, v in zip(self.families, self.values, strict=True)]
            return (1.0 - self.prevalence) * tails[0] + self.prevalence * tails[1] - share

        low, high = min(ends), max(ends)
        if not excess(low) > 0.0 > excess(high):
            return float(low)
        return float(optimize.brentq(excess, low, high))


def _interval(parameter) -> str:
    """Return the bounds of a parameter's values."""
    low, high = parameter.lower, parameter.upper
    least = (
        f"[{1.0 / LARGEST:g}" if low == 0.0 else f"({low}" if low > -LARGEST else f"[{-LARGEST:g}"
    )
    most = f"{high})" if high < LARGEST else f"{LARGEST:g}]"
    return f"{least}, {most}"

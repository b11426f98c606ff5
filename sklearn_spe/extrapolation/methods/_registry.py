"""Methods by name, and the blend of several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...inputs._validation import check_choice
from .._accuracy_distributions import DistributionMixture
from .._pilot import Pilot
from ._curve_methods import ClassExReg, CurveMethod, Method, Moment, Probit
from ._pseudolikelihood import Pseudolikelihood
from ._score_methods import KernelDensity, Scores


@dataclass(frozen=True)
class Blend(CurveMethod):
    """A weighted mean of three methods: scores, and two that use ranks only.

    `ClassExReg` tends to overestimate far extrapolations and `Probit` to underestimate them;
    `Scores`, which uses more data, does neither but has a larger variance in small pilots. For a
    curve of accuracies without scores the blend is the mean of the other two.

    .. versionadded:: 0.1

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.extrapolation.methods._curve_methods import ClassExReg, Probit
    >>> from sklearn_spe.extrapolation.methods._registry import Blend
    >>> n_classes = np.arange(2, 21)
    >>> curve = n_classes, n_classes**-0.3, np.ones(19), np.random.default_rng(0)
    >>> blend, classexreg, probit = (
    ...     method.fit_curve(*curve).accuracy(np.array([200]))
    ...     for method in (Blend(), ClassExReg(), Probit())
    ... )
    >>> bool(np.isclose(blend, 0.5 * (classexreg + probit))[0])
    True
    """

    name: ClassVar[str] = "blend"

    # On simulated problems any weight of the scores from 0.6 to 0.8 did as well.
    PARTS: ClassVar = ((Scores(), 0.7), (ClassExReg(), 0.15), (Probit(), 0.15))

    def fit(self, pilot: Pilot, rng: np.random.Generator) -> DistributionMixture:
        """Return the mixture of the distributions fitted by the methods."""
        distributions = [method.fit(pilot, rng) for method, _ in self.PARTS]
        return DistributionMixture(tuple(distributions), tuple(weight for _, weight in self.PARTS))

    def fit_curve(
        self, n_classes: Any, accuracies: Any, count_weights: Any, rng: np.random.Generator
    ) -> DistributionMixture:
        """Return the mixture of the distributions fitted by the methods that need no scores."""
        parts = [part for part in self.PARTS if isinstance(part[0], CurveMethod)]
        total = sum(weight for _, weight in parts)
        distributions = [m.fit_curve(n_classes, accuracies, count_weights, rng) for m, _ in parts]
        return DistributionMixture(
            tuple(distributions), tuple(weight / total for _, weight in parts)
        )


METHODS = {
    method.name: method
    for method in (Moment, Pseudolikelihood, ClassExReg, KernelDensity, Probit, Scores, Blend)
}
# The best in simulations at every ratio, see examples/benchmarks/extrapolation.
DEFAULT = Blend


def as_method(method: Any) -> Method:
    """Return a method given by name or instance."""
    if isinstance(method, Method):
        return method
    if not isinstance(method, str):
        raise TypeError(f"method must be a name or a Method, got {method!r}.")
    if method == "auto":
        return DEFAULT()
    check_choice(method, "method", ("auto", *METHODS))
    return METHODS[method]()

"""Methods by name: a new one takes a class and an entry here."""

from __future__ import annotations

from typing import Any

from ...inputs._validation import check_choice
from ._curve_methods import ClassExReg, Method, Moment, Probit
from ._pseudolikelihood import Pseudolikelihood
from ._score_methods import Blend, KernelDensity, Scores

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

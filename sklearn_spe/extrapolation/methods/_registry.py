"""All methods by name: a new one takes one file and one entry here."""

from __future__ import annotations

from ._blend import Blend
from ._classexreg import ClassExReg
from ._kde import KernelDensity
from ._method import Method
from ._moment import Moment
from ._probit import Probit
from ._score_method import Scores

__all__ = ["METHODS", "as_method"]

METHODS = {
    method.name: method for method in (Moment, ClassExReg, KernelDensity, Probit, Scores, Blend)
}
# The best in simulations at every ratio, see examples/benchmarks/extrapolation.
DEFAULT = Blend


def as_method(method) -> Method:
    """Return a method given by name or instance."""
    if isinstance(method, Method):
        return method
    if not isinstance(method, str):
        raise TypeError(f"method must be a name or a Method, got {method!r}.")
    if method == "auto":
        return DEFAULT()
    if method not in METHODS:
        raise ValueError(f"method must be one of auto, {', '.join(METHODS)}; got {method!r}.")
    return METHODS[method]()

"""Two versions of a system on the same cases, of which the new one may be worse."""

from ._nightly_gate import Night
from ._version_comparison import VersionComparison

__all__ = ["Night", "VersionComparison"]

"""Tests whether a new version of a system is worse than the old one on the same cases."""

from ._nightly_gate import Night
from ._version_comparison import VersionComparison

__all__ = ["Night", "VersionComparison"]

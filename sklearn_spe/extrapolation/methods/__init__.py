"""How the conditional accuracy of items is estimated: one method a file."""

from ._registry import METHODS

__all__ = ["METHODS"]

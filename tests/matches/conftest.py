"""What the tests of this folder draw, once a seed."""

from tests.active.conftest import objects, pool, scored, tagged

__all__ = ["objects", "pool", "scored", "tagged"]

"""The modes of the benchmark: each is a module with `add_options` and `main`."""

from . import ranking, real, speed, table, tags

MODES = {"tags": tags, "ranking": ranking, "real": real, "speed": speed, "table": table}

"""What the benchmark can be asked for: each mode is a module with `add_options` and `main`."""

from . import ranking, real, speed, table, tags

MODES = {"tags": tags, "ranking": ranking, "real": real, "speed": speed, "table": table}

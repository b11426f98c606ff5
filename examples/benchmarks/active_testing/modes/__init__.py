"""What the benchmark can be asked for: each mode is a module with `add_options` and `main`."""

from . import pools, sets, stopping, table

MODES = {"sets": sets, "pools": pools, "stopping": stopping, "table": table}

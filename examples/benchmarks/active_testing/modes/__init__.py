"""The modes of the benchmark: each is a module with `add_options` and `main`."""

from . import pools, sets, stopping, table

MODES = {"sets": sets, "pools": pools, "stopping": stopping, "table": table}

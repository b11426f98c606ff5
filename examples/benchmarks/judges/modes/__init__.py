"""What the benchmark can be asked for: each mode is a module with `add_options` and `main`."""

from . import agreement, answers, means, rates

MODES = {"rates": rates, "answers": answers, "means": means, "agreement": agreement}

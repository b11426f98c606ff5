"""The modes of the benchmark: each is a module with `add_options` and `main`."""

from . import agreement, answers, means, rates

MODES = {"rates": rates, "answers": answers, "means": means, "agreement": agreement}

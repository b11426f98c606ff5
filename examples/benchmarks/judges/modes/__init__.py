"""The modes of the benchmark: each is a module with `add_options` and `main`."""

from . import agreement, answers, by_class, means, rates

MODES = {
    "rates": rates,
    "answers": answers,
    "by_class": by_class,
    "means": means,
    "agreement": agreement,
}

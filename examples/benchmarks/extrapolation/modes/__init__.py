"""The modes of the benchmark: each is a module with `add_options` and `main`."""

from . import cost, coverage, journal, real, varied

MODES = {
    "varied": varied,
    "journal": journal,
    "coverage": coverage,
    "real": real,
    "time": cost,
}

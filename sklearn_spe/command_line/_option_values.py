"""Names that options may be given, as in the registries of the package; how values are read."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

# Largest count that float64 represents exactly.
MAXIMUM = 2**53
# Endings of the page of a report.
ENDINGS = (".html", ".htm")
# Columns of dependence between rows.
STRUCTURE = ("category", "groups")
# Names that may be chosen, as in the registries of the package.
KINDS = ("probability", "log_odds", "margin", "votes", "distance", "percent")
EXPERTS = (
    *("score_log_odds", "nearly_calibrated", "rank_binormal", "sharp_mixture", "rank_process"),
    *("value_shares", "stratum_rates"),
)
CURVES = ("precision_recall", "roc", "det")
RATES = (
    *("precision", "recall", "f1", "accuracy", "balanced_accuracy"),
    *("specificity", "false_positive_rate", "negative_predictive_value"),
)
CORRELATIONS = ("matthews_corrcoef", "cohen_kappa")
NUMBERS = ("true_positives", "false_negatives", "false_positives", "predicted_positives")
# What a goal can bound, and between what.
DECISIONS = {
    **dict.fromkeys(RATES, (0.0, 1.0)),
    **dict.fromkeys(CORRELATIONS, (-1.0, 1.0)),
    **dict.fromkeys(NUMBERS, (0.0, float("inf"))),
}
TRADEOFFS = ("precision_recall_slope", "precision_after_gain")
# That depends on the threshold itself, which a goal cannot bound.
BENEFITS = ("net_benefit",)
# Of amounts in a column, which `estimate --amount` names.
AMOUNTS = ("value_weighted_recall", "value_weighted_precision")
# Of all scores, without a threshold.
RANKINGS = (
    *("average_precision", "roc_auc", "equal_error_rate", "precision_at_k", "ndcg", "prevalence"),
    *("brier_score", "log_loss", "expected_calibration_error"),
)
METRICS = (*DECISIONS, *BENEFITS, *TRADEOFFS, *RANKINGS)
STRATEGIES = (
    *("random", "expected_change", "estimator_change", "confident_mistake", "entropy"),
    *("log_spaced", "tail", "reading", "adaptive", "stratified", "static_importance"),
    "adaptive_importance",
)
GUARANTEES = ("posterior", "anytime")
INTERVALS = ("posterior", "design", "anytime")
# Separators by names, which need no quotes in a shell.
SEPARATORS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|", "space": " "}

# --- values ----------------------------------------------------------------------------


def _number(kind: type, is_valid: Callable[[Any], bool], needed: str) -> Callable[[str], Any]:
    """Return an argparse type for numbers of which some are valid."""

    def reader(text: str) -> Any:
        with suppress(ValueError):
            if is_valid(number := kind(text)):
                return number
        raise argparse.ArgumentTypeError(f"{needed} is needed; got {text!r}")

    return reader


def count(least: int) -> Callable[[str], int]:
    """Return an argparse type for integers of at least `least`."""
    return _number(int, lambda n: least <= n <= MAXIMUM, f"a whole number of at least {least}")


def number_in(low: float, high: float) -> Callable[[str], float]:
    """Return an argparse type for numbers strictly between two others."""
    needed = "a number" if high == float("inf") else f"a number in ({low:g}, {high:g})"
    return _number(float, lambda number: low < number < high, needed)


def known_number(text: str) -> tuple[int, int]:
    """Parse a known number of rows such as 120, or a range of it such as 100-140."""
    low, is_range, high = text.partition("-")
    with suppress(ValueError):
        ends = int(low), int(high if is_range else low)
        if 0 <= ends[0] <= ends[1] <= MAXIMUM:
            return ends
    raise argparse.ArgumentTypeError(
        f"a whole number such as 120, or a range such as 100-140, is needed; got {text!r}"
    )


# Argparse types of any number, and of a share.
SCORE = number_in(float("-inf"), float("inf"))
SHARE = number_in(0.0, 1.0)


def path_to_write(text: str, of: str = "", endings: Sequence[str] = ()) -> Path:
    """Parse the name of an output file in an existing folder, of something with known endings."""
    path = Path(text)
    try:
        if not path.parent.is_dir():
            raise argparse.ArgumentTypeError(f"folder {str(path.parent)!r} does not exist")
        if path.is_dir():
            raise argparse.ArgumentTypeError(f"{text!r} is a folder; pass the name of a file")
    except OSError as error:
        # A folder that may not be entered, a name that is too long.
        raise argparse.ArgumentTypeError(
            f"{text!r} cannot be written: {error.strerror}; pass a file in a folder of yours"
        ) from None

    if endings and path.suffix.lower() not in endings:
        known = " or ".join(endings) if len(endings) < 3 else f"one of {', '.join(endings)}"
        raise argparse.ArgumentTypeError(f"the name of {of} ends in {known}; got {text!r}")
    return path


def page_path(text: str) -> Path:
    """Parse the name of an output page."""
    return path_to_write(text, "a page", ENDINGS)


def picture_path(text: str) -> Path:
    """Parse the name of a picture file with a supported format."""
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError:
        raise argparse.ArgumentTypeError(
            "pictures need matplotlib; install it with pip install matplotlib"
        ) from None
    known = FigureCanvasBase.get_supported_filetypes()
    return path_to_write(text, "a picture", [f".{name}" for name in sorted(known)])


def bound(text: str) -> tuple[str, float]:
    """Parse a bound such as precision=0.9."""
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"a goal is METRIC=VALUE, such as precision=0.9; got {text!r}"
        ) from None


def separator(text: str) -> str:
    """Parse what separates cells."""
    character = SEPARATORS.get(text, text)
    if len(character) != 1 or character in '"\r\n':
        raise argparse.ArgumentTypeError(
            f"one character is needed, such as ',', ';', '|', or tab; got {text!r}"
        )
    return character

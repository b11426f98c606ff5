"""How values of options are read; names are those of the registries of the package."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from math import inf, isfinite
from pathlib import Path

# Largest count that float64 represents exactly.
MAXIMUM = 2**53
# Largest number of characters of a salt.
MAX_SALT = 500
# Endings of the page of a report.
ENDINGS = (".html", ".htm")
# Columns of dependence between rows.
STRUCTURE = ("category", "groups")
# What closed sets of names hold.
KINDS = ("probability", "log_odds", "margin", "votes", "distance", "percent")
GUARANTEES = ("posterior", "anytime")
INTERVALS = ("posterior", "design", "anytime")
# What may be thousands, or have a decimal mark.
THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")
# Where a rate at another is asked about in Python, and what to do on the command line.
OF_PYTHON = "'false_positive_rate' with recall=0.95."
OF_COMMANDS = (
    "'false_positive_rate' at the threshold whose recall is 0.95: estimate --goal recall=0.95 "
    "finds one, for --threshold; in Python estimate('false_positive_rate', recall=0.95)."
)
# Separators by names, which need no quotes in a shell.
SEPARATORS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|", "space": " "}

# --- names -----------------------------------------------------------------------------


def _name(registered: Callable[[], Iterable[str]], *others: str) -> Callable[[str], str]:
    """Return an argparse type for a name of a registry, which is imported if one is given.

    `others` need no registry: defaults, which argparse reads too.
    """

    def reader(text: str) -> str:
        if text in others:
            return text
        names = tuple(dict.fromkeys((*others, *registered())))
        if text in names:
            return text

        # Not at the top, as a registry: help needs no library.
        from ...metrics._registry import canonical, remedy_of_name

        if (name := canonical(text)) in names:
            return name
        remedy = remedy_of_name(text, names).replace(OF_PYTHON, OF_COMMANDS)
        raise argparse.ArgumentTypeError(
            f"invalid choice: {text!r}.{remedy} (choose from {', '.join(names)})"
        )

    return reader


def _metrics() -> list[str]:
    """Return the metrics of scores and labels; others need a column of amounts."""
    from ...metrics._registry import METRICS, METRICS_OF_ROWS

    return [name for name in METRICS if name not in METRICS_OF_ROWS]


def _metrics_and_curves() -> list[str]:
    from ...posterior._registry import CURVES

    return [*_metrics(), *CURVES]


def _experts() -> Iterable[str]:
    from ...experts._registry import EXPERTS

    return EXPERTS


def _strategies() -> Iterable[str]:
    from ...active.strategies._registry import STRATEGIES

    return STRATEGIES


METRIC = _name(_metrics, "average_precision", "roc_auc")


def metric_of_runs(text: str) -> str:
    """Return the name of a metric of several runs of a task."""
    from ...means._repeated_tasks import METRIC as OF_RUNS

    if OF_RUNS.fullmatch(text) is None:
        raise argparse.ArgumentTypeError(
            f"pass^k or pass@k is needed, such as pass^3 or pass@1; got {text!r}"
        )
    return text


METRIC_OR_CURVE = _name(_metrics_and_curves)
EXPERT = _name(_experts, "auto", "none")
STRATEGY = _name(_strategies)

# --- values ----------------------------------------------------------------------------


class Percentage(float):
    """A number that was written in percent."""


def _parsed(text: str) -> float:
    """Parse a number such as 0.5, 0,5 or 50%; raise ValueError if it is none."""
    number = text.strip()
    is_percent = number.endswith("%")
    number = number.removesuffix("%").rstrip()
    # One comma is a decimal mark, unless it may separate thousands.
    if number.count(",") == 1 and "." not in number and not THOUSANDS.fullmatch(number):
        number = number.replace(",", ".")
    value = float(number)
    if not isfinite(value):
        raise ValueError(f"{text!r} is not finite.")
    return Percentage(value / 100.0) if is_percent else value


def count(least: int) -> Callable[[str], int]:
    """Return an argparse type for integers of at least `least`, such as 2000 or 2,000."""

    def reader(text: str) -> int:
        number = text.replace(",", "") if THOUSANDS.fullmatch(text) else text
        with suppress(ValueError):
            if least <= int(number) <= MAXIMUM:
                return int(number)
        raise argparse.ArgumentTypeError(
            f"a whole number of at least {least} is needed; got {text!r}"
        )

    return reader


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


def number_in(
    low: float,
    high: float,
    needed: str = "",
    *,
    with_low: bool = False,
    hint: Callable[[float], str] | None = None,
) -> Callable[[str], float]:
    """Return an argparse type for numbers between two others, also as 90% or 0,9.

    Only the lower one may be reached, `with_low`. `needed` describes a valid number, and `hint` the
    likely meaning of another one.
    """

    def reader(text: str) -> float:
        more = ""
        with suppress(ValueError):
            number = _parsed(text)
            if low < number < high or (with_low and number == low):
                return float(number)
            is_percent = not isinstance(number, Percentage) and 1.0 < number < 100.0 * high
            more = f" (did you mean {number:g}%?)" if is_percent else hint(number) if hint else ""
        words = needed or f"a number in ({low:g}, {high:g}) is needed"
        raise argparse.ArgumentTypeError(f"{words}; got {text!r}{more}")

    return reader


def _of_area(number: float) -> str:
    """Return a question about an area worse than chance, or ""."""
    if not 0.0 < number < 0.5:
        return ""
    return (
        f". Below 0.5 scores are worse than chance: if smaller scores mean positive, it is "
        f"{1.0 - number:g}"
    )


SHARE = number_in(0.0, 1.0)
share_or_percent = number_in(0.0, 1.0, "a share above 0 and below 1, such as 0.05 or 5%, is needed")
# Of a false alarm or of a miss.
cost = number_in(
    0.0,
    inf,
    "the costs of a false alarm and of a miss must be two positive numbers such as 1 5",
)
# Under the ROC curve.
area = number_in(
    0.5,
    1.0,
    "an area of at least 0.5 and below 1, such as 0.9, is needed",
    with_low=True,
    hint=_of_area,
)


def threshold(text: str) -> float:
    """Parse a threshold such as 0.5, 0,5 or 50%."""
    with suppress(ValueError):
        return _parsed(text)
    raise argparse.ArgumentTypeError(f"a number is needed, such as 0.5, 0,5 or 50%; got {text!r}")


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
    # Not at the top, as a registry.
    from ...metrics._registry import canonical

    name, _, value = text.partition("=")
    try:
        return canonical(name.strip()), float(_parsed(value))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"a goal is METRIC=VALUE, such as precision=0.9; got {text!r}"
        ) from None


def separator(text: str) -> str:
    """Parse the separator of cells."""
    character = SEPARATORS.get(text, text)
    if len(character) != 1 or character in '"\r\n':
        raise argparse.ArgumentTypeError(
            f"one character is needed, such as ',', ';', '|', or tab; got {text!r}"
        )
    return character


def salt(text: str) -> str:
    """Return the text from which an order is drawn."""
    if not text or ":" in text or len(text) > MAX_SALT:
        raise argparse.ArgumentTypeError(
            f"must be a text of at most {MAX_SALT} characters, without a colon"
        )
    return text

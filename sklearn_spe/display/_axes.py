"""The axes on which a display draws, its style, and its warnings."""

from __future__ import annotations

# Colors safe for color blindness (Okabe and Ito, 2008), and dashes for print in black and white.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", "-.", ":")


# Lines with the same meaning: the next line on the axes takes the next color.
COUNTED = "sklearn_spe"
# Reference lines: chance, a diagonal, a level.
REFERENCE = {"color": "0.45", "linewidth": 1.0, "linestyle": "--"}
BAND = {"alpha": 0.25, "linewidth": 0}


def axes_or_new(ax, display):
    """Return `ax`, or new axes if it is None; store both in the display."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f"{type(display).__name__}.plot needs matplotlib; install it with "
            f'pip install "sklearn-spe[plot]".'
        ) from error
    if ax is None:
        _, ax = plt.subplots()
    if not hasattr(ax, "figure") or not hasattr(ax, "plot"):
        raise TypeError(f"ax must be matplotlib Axes or None, got {ax!r}.")
    display.ax_, display.figure_ = ax, ax.figure
    return ax


def name_or_own(name, display) -> str | None:
    """Return the name in the legend, by default the display's own."""
    name = display.name if name is None else name
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name must be a string or None, got {name!r}.")
    return name


def styled(defaults, given, artist) -> dict:
    """Return keywords for matplotlib: the defaults updated by those of the user.

    An alias, such as ``lw``, replaces the default of the full name.
    """
    from matplotlib import cbook

    if given is not None and not isinstance(given, dict):
        raise TypeError(f"Keywords for matplotlib must be a dictionary or None, got {given!r}.")
    return {**defaults, **cbook.normalize_kwargs(given or {}, artist)}


def verdict_note(verdict) -> str | None:
    """Return a verdict other than "ok" and its reasons in one short line."""
    if verdict is None or verdict == "ok":
        return None
    names = [reason.name.replace("_", " ") for reason in verdict.reasons if reason.verdict != "ok"]
    return f"{verdict}: {', '.join(dict.fromkeys(names))}"


def distinct(number: int) -> dict:
    """Return the color and the dashes of one of several lines."""
    style = {"color": COLORS[number % len(COLORS)], "linestyle": DASHES[number % len(DASHES)]}
    return {**style, "gid": COUNTED}


def following(ax) -> dict:
    """Return the color of the next line on axes on which displays may have drawn before."""
    drawn = sum(line.get_gid() == COUNTED for line in ax.lines)
    return {"color": COLORS[drawn % len(COLORS)], "gid": COUNTED}


def one_for_each(kwargs, n_curves: int, name: str) -> list:
    """Return keywords for each curve: those of a list, or the same for all."""
    if not isinstance(kwargs, list):
        return [kwargs] * n_curves
    if len(kwargs) != n_curves:
        raise ValueError(
            f"{name} must be None, a dictionary or a list of length {n_curves}. Got: {kwargs}."
        )
    return kwargs

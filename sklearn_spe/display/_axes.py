"""The axes on which a display draws."""

from __future__ import annotations


def axes_or_new(ax, display):
    """Return `ax`, or new axes if it is None; remember both in the display.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f"{type(display).__name__}.plot needs matplotlib; install it with "
            f'pip install "sklearn-spe[plot]".'
        ) from error
    if ax is None:
        _, ax = plt.subplots()
    display.ax_, display.figure_ = ax, ax.figure
    return ax

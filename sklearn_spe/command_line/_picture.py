"""Plots of the output, written to a file."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path

from ..display._numbers import DifferenceDisplay, EstimateDisplay
from ..display._performance_curve import PerformanceCurveDisplay
from ..display._score_mixture_display import ScoreMixtureDisplay
from ..estimators._performance import PerformanceCurveEstimator
from ..models._structured_model import StructuredModel
from ..tables._writing import write_file
from ._options import path_to_write


def picture_path(text: str) -> Path:
    """Parse the name of a picture file with a supported format."""
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError:
        raise ArgumentTypeError(
            'pictures need matplotlib; install it with pip install "sklearn-spe[plot]"'
        ) from None
    path = path_to_write(text)
    known = FigureCanvasBase.get_supported_filetypes()
    if path.suffix[1:].lower() not in known:
        endings = ", ".join(f".{name}" for name in sorted(known))
        raise ArgumentTypeError(f"the name of a picture ends in one of {endings}; got {text!r}")
    return path


def panels_of(performance: PerformanceCurveEstimator) -> list[Callable[..., object]]:
    """Return the panels with the scores of both classes or the categories, and the curve."""
    curve = partial(PerformanceCurveDisplay.from_estimator, performance)
    if not isinstance(performance.model_, StructuredModel):
        return [partial(ScoreMixtureDisplay.from_estimator, performance), curve]
    if performance.categories_ is None:
        return [curve]
    categories = performance.categories_
    return [partial(EstimateDisplay.from_estimator, performance, category=categories), curve]


def panels_of_systems(
    performance: PerformanceCurveEstimator, metric: str, baseline: str, where: dict
) -> list[Callable[..., object]]:
    """Return the panels with the curves of all systems, and their differences from one."""
    curves = partial(PerformanceCurveDisplay.from_estimator, performance)
    differences = partial(
        DifferenceDisplay.from_estimator, performance, metric, baseline=baseline, **where
    )
    return [curves, differences]


def draw(panels: Sequence[Callable[..., object]], path: Path) -> None:
    """Draw panels side by side into a file; each is a function of ``ax=``."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    size = (5.5 * len(panels), 4.5)
    figure, axes = plt.subplots(1, len(panels), figsize=size, layout="constrained", squeeze=False)
    for panel, ax in zip(panels, axes[0], strict=True):
        panel(ax=ax)
    picture = BytesIO()
    figure.savefig(picture, dpi=150, format=path.suffix[1:].lower())
    plt.close(figure)
    write_file(path, picture.getvalue())

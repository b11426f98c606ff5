"""The picture of an estimate, in a file."""

from __future__ import annotations

from argparse import ArgumentTypeError
from io import BytesIO
from pathlib import Path

from ..display._performance_curve import PerformanceCurveDisplay
from ..display._score_mixture_display import ScoreMixtureDisplay
from ..performance._performance import PerformanceCurveEstimator
from ..tables._writing import write_file
from ._options import path_to_write

__all__ = ["draw", "picture_path"]


def picture_path(text: str) -> Path:
    """Read the name of a picture that can be drawn and written."""
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


def draw(performance: PerformanceCurveEstimator, path: Path) -> None:
    """Draw the scores of both classes, and the precision-recall curve."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    ScoreMixtureDisplay.from_estimator(performance, ax=left)
    PerformanceCurveDisplay.from_estimator(performance, ax=right)
    picture = BytesIO()
    figure.savefig(picture, dpi=150, format=path.suffix[1:].lower())
    plt.close(figure)
    write_file(path, picture.getvalue())

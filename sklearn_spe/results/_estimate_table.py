"""Several estimates as a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._bands import ScalarEstimate, percent

__all__ = ["EstimateTable"]

# Minimum width of the column of names, so that consecutive tables are aligned.
NARROWEST = 24


@dataclass(frozen=True, eq=False, repr=False)
class EstimateTable:
    """Estimates with their intervals, a verdict, and a description of the model.

    Attributes
    ----------
    names : tuple of str
    estimates : tuple of ScalarEstimate
        One for each name; ``table[name]`` returns it.
    remarks : tuple of str
        Lines printed below the numbers: the verdict, and the number of labels.
    model : tuple of str
        Lines printed last: how the numbers were computed.

    Examples
    --------
    >>> from sklearn_spe import PerformanceCurveEstimator
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, labels = make_scores(500, random_state=0)
    >>> performance = PerformanceCurveEstimator(n_draws=50, random_state=0).fit(scores, labels)
    >>> table = performance.summary()
    >>> table.names[:3]
    ('average precision', 'roc auc', 'prevalence')
    >>> bool(table["prevalence"].value == labels.mean())
    True
    """

    names: tuple[str, ...]
    estimates: tuple[ScalarEstimate, ...]
    remarks: tuple[str, ...] = ()
    model: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, name: str) -> ScalarEstimate:
        try:
            return self.estimates[self.names.index(str(name))]
        except ValueError:
            raise KeyError(f"{name!r}; there are {', '.join(self.names)}") from None

    @property
    def values(self) -> np.ndarray:
        """The values, of shape (n_names,)."""
        return np.array([estimate.value for estimate in self.estimates])

    def intervals(self, confidence_level: float | None = None) -> np.ndarray:
        """Return the ends of the intervals, of shape (n_names, 2).

        Parameters
        ----------
        confidence_level : float in (0, 1), default=None
            None means that of the estimates.
        """
        return np.array([estimate.interval(confidence_level) for estimate in self.estimates])

    def to_frame(self, confidence_level: float | None = None):
        """Return a pandas DataFrame, one row per estimate: "name", "value", "lower", "upper".

        Parameters
        ----------
        confidence_level : float in (0, 1), default=None
            As :meth:`intervals` takes it.
        """
        import pandas as pd

        lower, upper = self.intervals(confidence_level).T
        columns = {"name": self.names, "value": self.values, "lower": lower, "upper": upper}
        return pd.DataFrame(columns)

    def __str__(self) -> str:
        level, width = self.estimates[0].confidence_level, width_of(self.names)
        head = f"{'':{width}}{'value':>8}   {percent(level)} interval"
        pairs = zip(self.names, self.estimates, strict=True)
        rows = [line_of(name, estimate, width) for name, estimate in pairs]
        parts = ([head, *rows], self.remarks, self.model)
        return "\n\n".join("\n".join(lines) for lines in parts if lines)

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{name} = {estimate:.3f}"
            for name, estimate in zip(self.names[:2], self.estimates, strict=False)
        )
        more = f", and {len(self) - 2} more" if len(self) > 2 else ""
        return f"EstimateTable({shown}{more})"


def width_of(names) -> int:
    """Return the width of the column of names."""
    return max(NARROWEST, *(len(str(name)) for name in names))


def line_of(name: str, estimate: ScalarEstimate, width: int = NARROWEST) -> str:
    """Return a number and its interval as a line of a table."""
    low, high = estimate.interval()
    return f"{name:{width}}{estimate.value:8.3f}   {low:.3f} to {high:.3f}"

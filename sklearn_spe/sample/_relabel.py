"""Other labels of the same scores."""

from __future__ import annotations

import warnings

import numpy as np

from ..exceptions import ForgottenLabelsWarning
from ._sample import ScoreSample


def check_same_scores(before: ScoreSample, sample: ScoreSample) -> None:
    """Make sure that a sample has the scores of another, and warn if it lost labels.

    Raises
    ------
    ValueError
        If the scores are others.
    """
    same = np.array_equal(sample.scores, before.scores)
    if not (same and np.allclose(sample.counts, before.counts)):
        raise ValueError(
            f"update takes the scores of fit with other labels; these are "
            f"{sample.counts.sum():g} items with {sample.n_cells} distinct scores, and those "
            f"were {before.counts.sum():g} with {before.n_cells}. Call fit for new scores."
        )
    labeled = [s.counts - s.unlabeled for s in (before, sample)]
    lost = float(np.maximum(labeled[0] - labeled[1], 0.0).sum())
    if lost > 0.0:
        warnings.warn(
            f"{lost:g} of {before.n_labeled:g} items that were labelled before are not any more. "
            f"update takes all labels that are known by now: pass the old ones as well.",
            ForgottenLabelsWarning,
            stacklevel=3,
        )

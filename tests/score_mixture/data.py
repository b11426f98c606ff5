"""Scores of two normals of which few are labelled, and mixtures that are quick to fit to them."""

import numpy as np
import pytest
from scipy import special

from sklearn_spe import SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores

SCORES, LABELS = make_scores(200, random_state=0)
PARTIAL = np.where(np.arange(200) < 30, LABELS, -1)
PROBABILITIES = special.expit(2.0 * SCORES - 2.0)
# The experts, and the mixture of the papers without them.
KINDS = {"experts": "auto", "bare": None}
BOTH_KINDS = pytest.mark.parametrize("experts", KINDS.values(), ids=KINDS)


def make_mixture(negative="norm", positive="norm", **parameters):
    return SemisupervisedScoreMixture(
        negative, positive, **{"n_draws": 100, "random_state": 0, **parameters}
    )

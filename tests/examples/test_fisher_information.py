"""The Fisher information of the replication of missed events, against simulated scores."""

import numpy as np
from numpy.testing import assert_allclose

from tests.examples.tables import REPLICATIONS, script

FOLDER = REPLICATIONS / "poem_2018"
OF = {"prevalence": 0.2, "negative_values": (0.5, 1.0), "positive_values": (2.3, 0.7)}


def test_a_label_and_its_score_have_the_information_of_both():
    # What the label adds to the score is the variance of the gradient over the classes.
    module = script(FOLDER, "fisher_information")
    classes = module.TwoNormals((0.8, 0.2), (OF["negative_values"], OF["positive_values"]))
    complete = module.fisher_information(**OF, n_negative=0.8, n_positive=0.2)
    z = np.linspace(-9.0, 9.0, 20_001)
    logs, gradients, _ = classes.joint(z)
    densities = np.exp(logs) / np.sqrt(2.0 * np.pi)
    q = densities[1] / densities.sum(axis=0)
    d = gradients[1] - gradients[0]
    weights = densities.sum(axis=0) * q * (1.0 - q) * (z[1] - z[0])
    added = np.einsum("n,nj,nk->jk", weights, d, d)
    of_scores = module.fisher_information(**OF, n_unlabeled=1.0)
    assert_allclose(complete, of_scores + added, rtol=1e-6, atol=1e-6)


def test_one_positive_label_is_worth_the_squared_odds_of_negative_ones():
    module = script(FOLDER, "fisher_information")
    of_label = {
        kind: module.alone(module.fisher_information(**OF, **{kind: 1.0}))
        for kind in ("n_negative", "n_positive")
    }
    odds = of_label["n_positive"]["prevalence"] / of_label["n_negative"]["prevalence"]
    assert_allclose(odds, 16.0)


def test_the_errors_of_labeled_items_are_those_of_a_normal_and_a_share():
    module = script(FOLDER, "fisher_information")
    errors = module.standard_errors(module.fisher_information(**OF, n_negative=80, n_positive=20))
    assert_allclose(errors["positive_mean"], 0.7 / np.sqrt(20.0))
    assert_allclose(errors["positive_std"], 0.7 / np.sqrt(40.0))
    # Where the numbers of both classes are those of the share, it is that of a binomial.
    assert_allclose(errors["prevalence"], np.sqrt(0.2 * 0.8 / 100.0))

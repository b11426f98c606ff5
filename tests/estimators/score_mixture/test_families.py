"""Families side by side: what is compared, and how it is combined."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe.mixtures._comparison import COMBINE
from tests.estimators.score_mixture.data import BOTH_KINDS
from tests.quick import QUIET

pytestmark = QUIET


def make_several(problem, **parameters):
    return problem.mixture(["norm", "gumbel_l"], ["norm", "gumbel_r"], **parameters)


@pytest.fixture(scope="module")
def several(problem):
    return {
        rule: make_several(problem, combine=rule, experts=None).fit(problem.scores, problem.partial)
        for rule in ("average", "evidence", "likelihood")
    }


def test_the_average_weighs_pairs_by_its_rule(problem, several):
    comparison = several["average"].comparison_
    expected = COMBINE["average"](vars(comparison), len(problem.scores))
    # Pairs with less than a thousandth are left out.
    expected = np.where(expected < 1e-3, 0.0, expected)
    assert_allclose(comparison.weights, expected / expected.sum())


@pytest.mark.slow
def test_the_average_predicts_the_average(problem, several):
    comparison = several["average"].comparison_
    alone = [
        problem.mixture(n, p, experts=None)
        .fit(problem.scores, problem.partial)
        .predict_proba(problem.scores)[:, 1]
        for n, p in zip(comparison.negative, comparison.positive, strict=True)
    ]
    expected = (comparison.weights[:, np.newaxis] * alone).sum(axis=0)
    # Each pair has draws of its own: the same law, not the same bits.
    assert_allclose(several["average"].predict_proba(problem.scores)[:, 1], expected, atol=0.05)


@BOTH_KINDS
def test_verbose_prints_every_pair(problem, capsys, experts):
    problem.mixture(["norm", "gumbel_l"], verbose=1, experts=experts).fit(
        problem.scores, problem.partial
    )
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all("log evidence" in line and "k-hat" in line for line in lines)

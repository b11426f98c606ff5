"""Labels that were chosen by class: the rate of the other answers, and how such labels show."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from scipy import special

from ...results._estimates import ScalarEstimate
from ...results._verdict import Reason, Verdict
from ._judge_data import Answers
from ._judge_fits import CUT_OF_VERDICT, RATE, performance_estimator

# The p-value below which verdicts differ between labeled and other answers.
DIFFERENT = 0.02


def rates_by_class(
    answers: Answers, settings: argparse.Namespace
) -> tuple[dict[str, ScalarEstimate], Verdict]:
    """Return the pass rate of the answers of each system without a label, and the verdict.

    The labels were chosen by class: they state how often a judge passes what passes and what fails.
    """
    _check(answers)
    rates = {}
    reasons: list[Reason] = []
    for name in answers.names:
        rows = np.flatnonzero(answers.systems == name)
        judges = {each.name: each.values[rows] for each in answers.informative}
        performance = performance_estimator(settings).fit(
            None, answers.encoded[rows], judges=judges, inclusion_proba="by_class"
        )
        rates[name] = performance.estimate(RATE)
        reasons += performance.verdict_.reasons
    return rates, Verdict(reasons)


def _check(answers: Answers) -> None:
    """Raise if labels by class hold no information on other answers."""
    is_partly_labeled = 0 < answers.n_labels < len(answers.labels)
    if answers.is_graded or not is_partly_labeled or not answers.informative:
        raise ValueError(
            "--labels-by-class needs answers that pass or fail by some human labels, others "
            "without a label, and a judge that rates both. Leave it out; or name the columns by "
            "--label and --judge, and make two classes of partial passes by --pos-label."
        )


def sentences_on_choice(answers: Answers) -> Iterator[str]:
    """Yield a sentence for each judge whose verdicts differ between labeled and other answers."""
    is_known = answers.is_labeled
    judges = [each for each in answers.informative if each.is_verdict]
    for each in judges:
        is_rated = np.isfinite(each.values)
        passes = each.values >= CUT_OF_VERDICT
        parts = (is_rated & is_known, is_rated & ~is_known)
        counts = [[np.sum(part & passes), np.sum(part & ~passes)] for part in parts]
        if _p_value(np.array(counts, dtype=float)) * len(judges) >= DIFFERENT:
            continue
        labeled, others = (round(100 * np.mean(passes[part])) for part in parts)
        yield (
            f"{each.name} passes {labeled} of 100 labeled answers and {others} of the others: if "
            "these were chosen by whether they pass, add --labels-by-class."
        )


def _p_value(counts: np.ndarray) -> float:
    """Return that of equal shares, of counts (2, 2): chi-squared with Yates' correction."""
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    if not (rows.all() and columns.all()):
        return 1.0
    total = counts.sum()
    distance = max(abs(np.linalg.det(counts)) - 0.5 * total, 0.0)
    return float(special.chdtrc(1.0, total * distance**2 / (rows.prod() * columns.prod())))

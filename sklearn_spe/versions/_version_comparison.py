"""compare_versions: worse, not worse by a margin, or not known, from runs of the same cases."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from ..exceptions import ParameterError
from ..inputs._validation import check_number
from ..results._bootstrapped_mean import BootstrappedMean
from ..results._estimates import ScalarEstimate
from ..results._showing import probability_in_words
from ._case_runs import CaseRuns

WORSE, NOT_WORSE, UNKNOWN = "worse", "not worse", "unknown"
# The plan is for this probability of an answer, if the versions are equal.
POWER = 0.8


@dataclass(frozen=True, eq=False)
class VersionComparison:
    """Whether a new version is worse on further cases like these.

    .. versionadded:: 0.1

    Attributes
    ----------
    status_ : {"worse", "not worse", "unknown"}
        "not worse" if `probability_not_worse` reaches `confidence_level`, else "worse" if
        `probability_worse` does.
    difference : ScalarEstimate
        Pass rate of the new version on further cases, minus that of the old version.
    observed : float
        The difference of the pass rates on these cases.
    probability_worse : float
        Probability of a negative difference.
    probability_not_worse : float
        Probability that the new version is worse by at most `margin`.
    lower_bound : float
        Lower bound of the difference with probability `confidence_level`, from the distribution of
        `probability_not_worse`.
    margin, confidence_level : float
        As passed.
    n_cases : int
        Number of cases that both versions ran.
    n_runs : tuple of two floats
        The mean number of runs per case, of the old and of the new version.
    only_old, only_new : tuple
        Cases that only one version ran. They are left out.
    more_cases : int or None
        Approximate number of cases, with as many runs each, that would show "not worse" with
        probability 0.8 if the versions are equal. None if `status_` is not "unknown", or if the
        margin is 0, where no number suffices.
    more_runs : int, math.inf or None
        Number of runs of each of these cases that would show the same; inf if no number does. None
        also if no case was run twice.
    """

    status_: str
    difference: ScalarEstimate
    observed: float
    probability_worse: float
    probability_not_worse: float
    lower_bound: float
    margin: float
    confidence_level: float
    n_cases: int
    n_runs: tuple[float, float]
    only_old: tuple[Any, ...]
    only_new: tuple[Any, ...]
    more_cases: int | None
    more_runs: float | None

    def __repr__(self) -> str:
        return f"<VersionComparison: {self.sentence()}>"

    def sentence(self, old: str = "the old version", new: str = "the new version") -> str:
        """Return the result as a sentence.

        Parameters
        ----------
        old, new : str
            The names of the versions.
        """
        worse = f"worse with probability {probability_in_words(self.probability_worse)}"
        margin = _points(self.margin)
        by = f" by more than {margin}" if self.margin else ""
        not_worse = (
            f"not worse{by} with probability {probability_in_words(self.probability_not_worse)}"
        )
        if self.margin:
            not_worse += ", allowing for one more case that is lost altogether"
        if self.status_ == NOT_WORSE:
            is_worse = self.probability_worse >= self.confidence_level
            but = (
                f"; it is worse, but by less ({probability_in_words(self.probability_worse)})"
                if is_worse
                else ""
            )
            return f"{new} is {not_worse}{but}."
        if self.status_ == WORSE:
            return f"{new} is {worse}."
        if not self.margin:
            return f"Not known: {new} is {worse}."
        return f"Not known: {new} is {worse}; {not_worse}{self._needed()}."

    def _needed(self) -> str:
        """Return what would show that the versions are equal, as the end of a sentence."""
        cases = f". If they are equal, {self.more_cases:,} cases would show it in 8 of 10 trials"
        if self.more_runs is None:
            return f"{cases}; runs cannot be told, as no case was run twice"
        if math.isinf(self.more_runs):
            return f"{cases}, no number of runs of these would"
        return f"{cases}, as would {self.more_runs:,.0f} runs of each of these"


def compare_versions(
    old: Any,
    new: Any,
    *,
    groups: Any = None,
    margin: float | None = None,
    confidence_level: float = 0.95,
) -> VersionComparison:
    r"""Return whether a new version of a system is worse, from runs of the same cases.

    .. versionadded:: 0.1

    Parameters
    ----------
    old, new : array-like of shape (n_cases,), (n_cases, n_runs) or, with `groups`, (n_runs,)
        Verdicts on each version, from 0 (fail) to 1 (pass); NaN if missing. Row i of both arrays is
        the same case. The versions may have different numbers of runs.
    groups : array-like of shape (n_runs,), or a pair of them, default=None
        The case of each run: one array for both versions, or a pair for the old and the new
        version. Cases that only one version ran are left out; the result names them.
    margin : float in [0, 1), default=None
        The largest acceptable decrease of the pass rate, such as 0.02. None means 0.
    confidence_level : float in (0.5, 1), default=0.95
        The probability required for "worse" and "not worse".

    Returns
    -------
    VersionComparison

    Raises
    ------
    ValueError
        If verdicts lie outside of [0, 1], shapes differ, or no case is common to both.

    Notes
    -----
    The difference on further cases is a weighted mean of the differences :math:`d_i` of the cases
    and of two pseudo-cases, :math:`-s` and :math:`+s`, with :math:`\mathrm{Gamma}(1)` weights (a
    Bayesian bootstrap). For "worse", s is the root mean square of the nonzero :math:`d_i`, or one
    run if all are zero. For "not worse", s is 1, because a case may change from always passing to
    always failing. With one run of each case the probability of "worse" is that of
    :math:`\mathrm{Beta}(n_- + 1, n_+ + 1) > 1/2`, close to the mid-p value of McNemar's test. The
    probabilities are computed by inverting the characteristic function, without random numbers.

    The probabilities refer to further cases like these, rated by the same judge. An outage or a new
    version of the judge looks like a change of the system.

    Examples
    --------
    One run of sixty fails that passed before. That proves nothing:

    >>> import numpy as np
    >>> from sklearn_spe import compare_versions
    >>> old = np.repeat([[1, 1, 1], [0, 0, 0]], [6, 14], axis=0)
    >>> new = old.copy()
    >>> new[0, 0] = 0
    >>> answer = compare_versions(old, new, margin=0.02)
    >>> answer.status_, round(answer.probability_worse, 2)
    ('unknown', 0.75)
    """
    bound = 0.0 if margin is None else check_number(margin, "margin", "[0, 1)")
    level = check_number(confidence_level, "confidence_level", "(0.5, 1)")
    runs = _read_pair(old, new, groups)
    in_new = set(runs[1].cases.tolist())
    in_old = set(runs[0].cases.tolist())
    common = [case for case in runs[0].cases.tolist() if case in in_new]
    if not common:
        raise ParameterError.of(
            "groups",
            f"name no case that both versions ran: {len(in_old)} cases of old, {len(in_new)} of "
            f"new, such as {runs[0].cases[0]!r} and {runs[1].cases[0]!r}.",
        )
    before, after = (each.of(common) for each in runs)
    falls = after.rates - before.rates

    law = BootstrappedMean.of(falls, _size_seen(before, after) * np.array([-1.0, 1.0]))
    cautious = BootstrappedMean.of(falls, [-1.0, 1.0])
    worse = law.below(0.0)
    # Without a margin there is no room for a lost case: the contrary of "worse".
    not_worse = 1.0 - (cautious.below(-bound) if bound else worse)
    status = NOT_WORSE if not_worse >= level else WORSE if worse >= level else UNKNOWN
    more_cases, more_runs = (
        _needed(before, after, bound, level) if status == UNKNOWN and bound else (None, None)
    )
    return VersionComparison(
        status_=status,
        difference=ScalarEstimate("difference", law),
        observed=float(falls.mean()),
        probability_worse=worse,
        probability_not_worse=not_worse,
        lower_bound=float(cautious.quantile(1.0 - level)[0, 0]),
        margin=bound,
        confidence_level=level,
        n_cases=len(common),
        n_runs=(float(before.n_runs.mean()), float(after.n_runs.mean())),
        only_old=tuple(case for case in runs[0].cases.tolist() if case not in in_new),
        only_new=tuple(case for case in runs[1].cases.tolist() if case not in in_old),
        more_cases=more_cases,
        more_runs=more_runs,
    )


def _points(share: float) -> str:
    points = f"{100.0 * share:g}"
    return f"{points} {'point' if points == '1' else 'points'}"


def _read_pair(old: Any, new: Any, groups: Any) -> tuple[CaseRuns, CaseRuns]:
    """Return the runs of both versions."""
    is_pair = isinstance(groups, tuple) and len(groups) == 2
    of_old, of_new = groups if is_pair else (groups, groups)
    pair = CaseRuns.read(old, of_old, "old"), CaseRuns.read(new, of_new, "new")
    if groups is None and len(np.asarray(old)) != len(np.asarray(new)):
        raise ParameterError.of(
            "new",
            f"has {len(np.asarray(new))} cases, old has {len(np.asarray(old))}: row i of both must "
            "be the same case. Else pass the case of each run: groups=(of_old, of_new).",
        )
    return pair


def _size_seen(old: CaseRuns, new: CaseRuns) -> float:
    """Return the size of the made-up cases of "worse": that of the differences seen."""
    falls = new.rates - old.rates
    changed = falls[falls != 0.0]
    if not len(changed):
        return 1.0 / float(max(old.n_runs.max(), new.n_runs.max()))
    return float(np.sqrt(np.mean(changed**2)))


def _needed(
    old: CaseRuns, new: CaseRuns, margin: float, confidence_level: float
) -> tuple[int, float | None]:
    """Return the cases, with these runs, and the runs, of these cases, that would show equality."""
    falls = new.rates - old.rates
    n_cases = len(falls)
    # One made-up case counts, so that equal runs do not promise that few cases suffice.
    variance = (falls.var() * n_cases + 1.0) / (n_cases + 1)
    reach = float(special.ndtri(confidence_level) + special.ndtri(POWER)) ** 2
    cases = math.ceil(variance * reach / margin**2)

    of_runs = old.variance_of_runs + new.variance_of_runs
    if not np.isfinite(of_runs):
        return cases, None
    runs_now = 2.0 / float(np.mean(1.0 / old.n_runs) + np.mean(1.0 / new.n_runs))
    # Runs do not make the two made-up cases fewer, which may forbid a proof for any number of them.
    between = max((falls.var() * n_cases + 2.0) / (n_cases + 2) - of_runs / runs_now, 0.0)
    left = n_cases * margin**2 / reach - between
    is_possible = left > 0.0 and (1.0 - margin) ** (n_cases + 1) <= 2.0 * (1.0 - confidence_level)
    return cases, math.ceil(of_runs / left) if is_possible else math.inf

"""NightlyGate: an alarm when runs of the same cases get worse, valid however often one looks."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy import special

from ..exceptions import ParameterError, ParameterTypeError
from ..inputs._validation import (
    check_count,
    check_file_name,
    check_number,
    check_schema_version,
    listed,
    seed_entropy,
    spawn,
)
from ..inputs._writing import write_file
from ._case_runs import CaseRuns

# Falls of the pass rate that are bet on, equally.
FALLS = np.array([0.02, 0.05, 0.1, 0.2, 0.35])
# Variance of the runs of one case, for the sizes of the bets only.
_VARIANCE_OF_RUNS = 0.1
# A bet says so much at most, as a logarithm: sums stay finite.
_LARGEST_BET = 50.0
SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Night:
    """The evidence of one night.

    .. versionadded:: 0.1

    Attributes
    ----------
    number : int
        Number of earlier nights. The first night is the reference of later nights.
    n_cases : int
        Number of cases that were run both tonight and earlier.
    p_value : float
        Probability of at most this number of passes if nothing has changed; ties are broken at
        random.
    evidence : float
        Evidence that the system has become worse. It raises an alarm if it reaches `limit`.
    limit : float
    is_alarm : bool
    """

    number: int
    n_cases: int
    p_value: float
    evidence: float
    limit: float
    is_alarm: bool

    def sentence(self) -> str:
        """Return the night as a sentence."""
        if not self.number:
            return f"Night 0: {self.n_cases:,} cases are what later nights are compared with."
        share = f"evidence {self.evidence:.3g}, an alarm is raised at {self.limit:,.0f}"
        if self.is_alarm:
            return f"Night {self.number}: alarm, it has become worse ({share})."
        return f"Night {self.number}: no alarm ({share}; {self.n_cases:,} cases)."


class NightlyGate:
    r"""An alarm when a system gets worse, from nightly runs of the same cases.

    .. versionadded:: 0.1

    Parameters
    ----------
    nights_per_alarm : int, default=7300
        Average number of nights between false alarms if nothing changes. The default is 20 years.
    alpha : float in (0, 1), default=None
        If given, the probability that there is ever a false alarm. It replaces `nights_per_alarm`.
    random_state : int, RandomState, Generator or None, default=None
        Breaks ties between equal numbers of passes.

    Attributes
    ----------
    n_nights_ : int
        Number of nights that were compared with earlier ones.
    passes_, runs_ : dict
        Passes and runs of each case over all nights without an alarm.

    Notes
    -----
    If nothing has changed, the runs of a case are exchangeable. Given the total number :math:`m_i`
    of passes of a case, the number of passes in tonight's :math:`r_i` runs is hypergeometric, for
    any pass rate, and independent over cases. The sum over cases has an exact distribution. Its
    p-value p, with ties broken at random, is uniform and independent of those of all other nights.

    With :math:`z = \Phi^{-1}(1 - p)`, a bet on a decrease of size f multiplies the evidence by
    :math:`e^{\theta z - \theta^2 / 2}`. Here :math:`\theta` is the shift of z that f would cause;
    it depends on the numbers of runs only. The evidence is summed over the nights on which the
    decrease may have started. This is a Shiryaev-Roberts statistic: its first false alarm comes on
    average after at least `nights_per_alarm` nights. With `alpha` the sum has weights that add up
    to one, and it reaches 1 / alpha with probability at most alpha (Ville's inequality).

    A new case adds no evidence on its first night. After an alarm no night is stored until the
    change is accepted. Cases may be added and dropped, but not because of their verdicts: a suite
    without its failed cases passes more often than before.

    Only the system may differ between nights. A new version of the judge, an outage, or a cache
    shared by the cases of a night raises alarms too. To find the cause, run the old version again
    beside the new one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import NightlyGate
    >>> rng = np.random.default_rng(0)
    >>> gate = NightlyGate(random_state=0)
    >>> for _ in range(10):
    ...     night = gate.update(rng.random(200) < 0.8)
    >>> night.is_alarm
    False
    >>> gate.update(rng.random(200) < 0.4).is_alarm
    True
    """

    def __init__(
        self,
        *,
        nights_per_alarm: int = 7300,
        alpha: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.nights_per_alarm = check_count(nights_per_alarm, "nights_per_alarm")
        self.alpha = None if alpha is None else check_number(alpha, "alpha", "(0, 1)")
        self.n_nights_ = -1
        self.passes_: dict[Hashable, int] = {}
        self.runs_: dict[Hashable, int] = {}
        self._evidence = np.zeros(len(FALLS))
        # Nights in all, accepted changes or not: random ties and bets are never used twice.
        self._n_compared = 0
        self._last: Night | None = None
        self._name_of_last: str | None = None
        self._seed = seed_entropy(random_state)

    def update(self, verdicts: Any, *, groups: Any = None, name: str | None = None) -> Night:
        """Compare a night with all earlier nights, and store it.

        After an alarm, every night is an alarm and no night is stored until `accept` is called.

        Parameters
        ----------
        verdicts : array-like of shape (n_cases,), (n_cases, n_runs) or, with `groups`, (n_runs,)
            1 for a pass, 0 for a fail, NaN without a verdict.
        groups : array-like of shape (n_runs,), default=None
            The case of each run. Cases may be added or dropped, but not because of their verdicts.
        name : str, default=None
            Name of the night, such as a date or a hash of the runs. A night with the same name as
            the last one is not counted twice.

        Returns
        -------
        night : Night

        Raises
        ------
        ValueError
            If a verdict is neither 0 nor 1, or no case was run before.
        """
        tonight = CaseRuns.read(verdicts, groups, "verdicts")
        if (tonight.sums != tonight.squares).any():
            raise ParameterError.of("verdicts", "must be 0 (fail) or 1 (pass): passes are counted.")
        if name is not None and name == self._name_of_last and self._last is not None:
            return self._last
        self._last = self._compared(tonight)
        self._name_of_last = name
        return self._last

    def _compared(self, tonight: CaseRuns) -> Night:
        """Compare a night with all earlier ones, and remember it unless there is an alarm."""
        cases = tonight.cases.tolist()
        passes, runs = tonight.sums.astype(int), tonight.n_runs.astype(int)
        if self.n_nights_ < 0:
            self.n_nights_ = 0
            self._remember(cases, passes, runs)
            return Night(0, len(cases), math.nan, 0.0, self._limit, is_alarm=False)

        passes_before = np.array([self.passes_.get(case, 0) for case in cases])
        runs_before = np.array([self.runs_.get(case, 0) for case in cases])
        is_known = runs_before > 0
        if not is_known.any():
            raise ParameterError.of(
                "groups",
                f"name none of the {len(self.runs_)} cases that were run before, such as "
                f"{listed([*self.runs_][:3])}; got {listed(cases[:3])}. Start another gate.",
            )
        self.n_nights_ += 1
        self._n_compared += 1
        before = (passes_before[is_known], runs_before[is_known])
        now = (passes[is_known], runs[is_known])
        tie = float(spawn(self._seed, self._n_compared).random())
        p_value = night_p_value(*before, *now, tie)
        if self._last is not None and self._last.is_alarm:
            evidence, is_alarm = self._last.evidence, True
        else:
            evidence = self._bet(p_value, *before[1:], now[1])
            is_alarm = evidence >= self._limit
        if not is_alarm:
            self._remember(cases, passes, runs)
        n_cases = int(is_known.sum())
        return Night(self.n_nights_, n_cases, p_value, evidence, self._limit, bool(is_alarm))

    def accept(self, cases: Iterable[Hashable] | None = None) -> Self:
        """Remove cases whose change is intended, and reset the evidence.

        Parameters
        ----------
        cases : iterable, default=None
            None removes all cases, so later nights are compared with the next one. An empty
            iterable keeps all cases, for example after an outage. Do not choose cases by their
            verdicts.

        Returns
        -------
        self : NightlyGate
        """
        names = self.runs_ if cases is None else cases
        names = list(names) if isinstance(names, Iterable) else [names]
        if not all(isinstance(name, Hashable) for name in names):
            raise ParameterTypeError.of("cases", f"must be names of cases; got {cases!r}.")
        accepted = set(names)
        unknown = accepted - set(self.runs_)
        if unknown:
            raise ParameterError.of(
                "cases", f"were never run: {listed(sorted(map(str, unknown)))}."
            )
        self._evidence = np.zeros(len(FALLS))
        self._last = self._name_of_last = None
        for case in accepted:
            del self.passes_[case], self.runs_[case]
        if not self.runs_:
            self.n_nights_ = -1
        return self

    def save(self, path: str | Path) -> None:
        """Write the state to a JSON file, completely or not at all.

        Parameters
        ----------
        path : str or Path
            One file for each system.

        Returns
        -------
        None
        """
        state = {
            "schema_version": SCHEMA_VERSION,
            "nights_per_alarm": self.nights_per_alarm,
            "alpha": self.alpha,
            "seed": str(self._seed),
            "n_nights": self.n_nights_,
            "n_compared": self._n_compared,
            "last": None if self._last is None else vars(self._last),
            "name_of_last": self._name_of_last,
            "evidence": self._evidence.tolist(),
            "cases": [[case, self.passes_[case], runs] for case, runs in self.runs_.items()],
        }
        try:
            text = json.dumps(state, indent=1)
        except TypeError as error:
            raise ValueError(
                f"Cases must be named by text or numbers to be saved: {error}."
            ) from None
        write_file(path, text.encode())

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return the state that `save` wrote."""
        check_file_name(path)
        try:
            state = json.loads(Path(path).read_bytes())
            version = state["schema_version"]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} was not saved by a NightlyGate: {error}.") from error
        check_schema_version(
            version, f"The memory {path}", SCHEMA_VERSION, SCHEMA_VERSION, "Start another gate."
        )
        try:
            gate = cls(nights_per_alarm=state["nights_per_alarm"], alpha=state["alpha"])
            gate._seed = int(state["seed"])
            gate.n_nights_ = state["n_nights"]
            gate._n_compared = state["n_compared"]
            gate._last = None if state["last"] is None else Night(**state["last"])
            gate._name_of_last = state["name_of_last"]
            gate._evidence = np.array(state["evidence"], dtype=float)
            gate.passes_ = {case: passes for case, passes, _ in state["cases"]}
            gate.runs_ = {case: runs for case, _, runs in state["cases"]}
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} was not saved by a NightlyGate: {error!r}.") from error
        return gate

    @property
    def _limit(self) -> float:
        return float(self.nights_per_alarm) if self.alpha is None else 1.0 / self.alpha

    def _bet(self, p_value: float, runs_before: np.ndarray, runs: np.ndarray) -> float:
        """Return the evidence after a night."""
        z = float(special.ndtri(np.clip(1.0 - p_value, 1e-300, 1.0 - 1e-16)))
        variance = _VARIANCE_OF_RUNS * np.sum(1.0 / runs + 1.0 / runs_before) / len(runs) ** 2
        shifts = FALLS / math.sqrt(variance)
        factors = np.exp(np.minimum(shifts * z - shifts**2 / 2.0, _LARGEST_BET))
        if self.alpha is None:
            self._evidence = (self._evidence + 1.0) * factors
            return float(self._evidence.mean())
        # Weights 8 / ((t + 7) (t + 8)) of a start on night t; those of later ones are not bet yet.
        night = self._n_compared
        self._evidence = (self._evidence + 8.0 / ((night + 7) * (night + 8))) * factors
        return float(self._evidence.mean() + 8.0 / (night + 8))

    def _remember(self, cases: list[Hashable], passes: np.ndarray, runs: np.ndarray) -> None:
        for case, n_passes, n_runs in zip(cases, passes.tolist(), runs.tolist(), strict=True):
            self.passes_[case] = self.passes_.get(case, 0) + n_passes
            self.runs_[case] = self.runs_.get(case, 0) + n_runs


def night_p_value(
    passes_before: np.ndarray,
    runs_before: np.ndarray,
    passes: np.ndarray,
    runs: np.ndarray,
    tie: float,
) -> float:
    """Return the probability of fewer passes in all, and `tie` times that of as many.

    Tonight's passes of a case are hypergeometric given those of all its runs. The distribution of
    their sum is the product of the characteristic functions, inverted by a Fourier transform.
    """
    n_passes = int(passes.sum())
    size = int(runs.sum()) + 1
    frequencies = np.exp(-2j * np.pi * np.arange(size) / size)
    product = np.ones(size, dtype=complex)
    kinds, counts = np.unique(
        np.column_stack([runs_before + runs, passes_before + passes, runs]),
        axis=0,
        return_counts=True,
    )
    for (n_all, n_passed, n_tonight), count in zip(kinds.tolist(), counts, strict=True):
        masses = _hypergeometric(n_all, n_passed, n_tonight)
        product *= np.polynomial.polynomial.polyval(frequencies, masses) ** count
    probabilities = np.maximum(np.fft.ifft(product).real, 0.0)
    below = float(probabilities[:n_passes].sum())
    return min(below + tie * float(probabilities[n_passes]), 1.0)


def _hypergeometric(n_all: int, n_passed: int, n_tonight: int) -> np.ndarray:
    """Return the probability of each number of passes among `n_tonight` of `n_all` runs."""
    hits = np.arange(n_tonight + 1)
    is_possible = (hits <= n_passed) & (n_tonight - hits <= n_all - n_passed)
    hits = hits[is_possible]
    masses = np.zeros(n_tonight + 1)
    masses[is_possible] = np.exp(
        _log_choices(n_passed, hits)
        + _log_choices(n_all - n_passed, n_tonight - hits)
        - _log_choices(n_all, np.array(n_tonight))
    )
    return masses


def _log_choices(n: int, k: np.ndarray) -> np.ndarray:
    """Return the logarithm of the binomial coefficient."""
    return special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)

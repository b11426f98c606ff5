"""Nights: exact p-values, false alarms, falls that are found, and the memory."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe import NightlyGate
from sklearn_spe.versions._nightly_gate import night_p_value


def test_the_passes_of_a_night_are_a_sum_of_hypergeometric_ones(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    runs_before, runs = rng.integers(1, 6, 5), rng.integers(1, 4, 5)
    passes_before, passes = rng.binomial(runs_before, 0.6), rng.binomial(runs, 0.6)
    masses = np.ones(1)
    for before, n_before, now, n in zip(passes_before, runs_before, passes, runs, strict=True):
        of_case = stats.hypergeom.pmf(np.arange(n + 1), n_before + n, before + now, n)
        masses = np.convolve(masses, of_case)
    n_passes = passes.sum()
    expected = masses[:n_passes].sum() + 0.3 * masses[n_passes]
    found = night_p_value(passes_before, runs_before, passes, runs, 0.3)
    assert_allclose(found, expected, atol=1e-12)


def test_one_case_is_fishers_test():
    table = [[3, 5], [9, 1]]  # passes and fails tonight, and before
    found = night_p_value(*map(np.atleast_1d, (9, 10, 3, 8)), tie=1.0)
    assert_allclose(found, stats.fisher_exact(table, alternative="less").pvalue, rtol=1e-10)


def nights_of(rates, n_nights, rng, n_runs=1):
    return [rng.random((len(rates), n_runs)) < rates[:, np.newaxis] for _ in range(n_nights)]


@pytest.mark.parametrize("alpha", [None, 0.2])
def test_p_values_of_nights_are_uniform_and_alarms_rare(alpha, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    p_values, n_alarms, n_years = [], 0, 30
    for year in range(n_years):
        gate = NightlyGate(nights_per_alarm=500, alpha=alpha, random_state=year)
        rates = rng.beta(0.8, 0.2, 15)
        nights = [gate.update(night) for night in nights_of(rates, 25, rng)]
        p_values += [night.p_value for night in nights[1:]]
        n_alarms += any(night.is_alarm for night in nights)
    assert stats.kstest(p_values, "uniform").pvalue > 1e-6
    # At most alpha ever; of a Shiryaev-Roberts statistic at most nights / nights_per_alarm.
    most = 24 / 500 if alpha is None else alpha
    assert stats.binom.sf(n_alarms - 1, n_years, most) > 1e-6


def test_a_fall_of_a_fifth_is_found_within_days(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    rates = rng.beta(0.8 * 3.5, 0.2 * 3.5, 200)
    gate = NightlyGate(random_state=global_random_seed)
    for night in nights_of(rates, 20, rng):
        gate.update(night)
    fallen = nights_of(0.75 * rates, 5, rng)
    assert any(gate.update(night).is_alarm for night in fallen)


def test_a_new_case_says_nothing_and_a_lost_one_is_kept(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    first, second = rng.random((2, 30)) < 0.8
    cases = [f"case {i}" for i in range(40)]
    gates = [NightlyGate(random_state=0) for _ in range(2)]
    for gate in gates:
        gate.update(first, groups=cases[:30])
    alone = gates[0].update(second, groups=cases[:30])
    beside = gates[1].update(np.r_[second, np.zeros(10)], groups=cases)
    assert_allclose(beside.p_value, alone.p_value, atol=1e-12)
    assert alone.n_cases == beside.n_cases == 30
    # Half of the cases are enough, and the others stay in the memory.
    gates[0].update(second[:15], groups=cases[:15])
    assert len(gates[0].runs_) == 30
    assert gates[0].runs_["case 0"] == 3
    assert gates[0].runs_["case 29"] == 2


def test_a_night_with_an_alarm_is_not_remembered():
    gate = NightlyGate(random_state=0)
    for _ in range(8):
        night = gate.update(np.ones(200))
        assert not night.is_alarm
        assert night.sentence().startswith(f"Night {night.number}: ")
        assert ("no alarm (evidence" in night.sentence()) == bool(night.number)
    before = dict(gate.runs_)
    fallen = gate.update(np.zeros(200))
    assert fallen.is_alarm
    assert fallen.sentence().startswith("Night 8: alarm, it has become worse")
    # Every later night is an alarm, until it is accepted that nothing changed.
    assert gate.update(np.ones(200)).is_alarm
    assert gate.runs_ == before
    gate.accept([])
    assert not gate.update(np.ones(200)).is_alarm
    assert gate.runs_ == {case: n + 1 for case, n in before.items()}


def test_a_night_of_the_same_name_is_counted_once(tmp_path):
    gate = NightlyGate(random_state=0)
    gate.update(np.ones(20), name="monday")
    night = gate.update(np.r_[0, np.ones(19)], name="tuesday")
    gate.save(tmp_path / "night.json")
    gate = NightlyGate.load(tmp_path / "night.json")
    assert gate.update(np.zeros(20), name="tuesday") == night
    assert gate.n_nights_ == 1
    assert set(gate.runs_.values()) == {2}


def test_accepted_changes_leave_no_new_allowance():
    # The weights of later starts go on: without them alpha would be given again.
    gate = NightlyGate(alpha=0.05, random_state=0)
    for _ in range(30):
        gate.update(np.ones((5, 2)))
    gate.accept()
    gate.update(np.ones((5, 2)))
    night = gate.update(np.ones((5, 2)))
    # All cases always pass: the bets win nothing, and what is left is at most 8 / (n + 8).
    assert night.evidence < 0.5


def test_accepted_cases_are_forgotten():
    gate = NightlyGate(random_state=0).accept()
    for _ in range(4):
        gate.update(np.ones((20, 2)))
    gate.accept([0, 1])
    assert set(gate.runs_) == set(range(2, 20))
    # What fell is accepted: nothing is said of it.
    night = gate.update(np.r_[np.zeros((2, 2)), np.ones((18, 2))])
    assert night.n_cases == 18
    assert night.p_value >= 0.0
    assert gate.accept().update(np.zeros(20)).number == 0
    with pytest.raises(ValueError, match="were never run: 77"):
        gate.accept([77])


def test_a_memory_is_continued_from_its_file(tmp_path, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    rates = np.full(12, 0.7)
    gate = NightlyGate(alpha=0.05, random_state=global_random_seed)
    for night in nights_of(rates, 5, rng):
        gate.update(night, groups=None)
    gate.save(tmp_path / "night.json")
    again = NightlyGate.load(tmp_path / "night.json")
    for night in nights_of(rates, 5, rng):
        assert gate.update(night) == again.update(night)


def test_what_is_no_memory_and_no_verdict_is_refused(tmp_path):
    gate = NightlyGate()
    with pytest.raises(ValueError, match=r"must be 0 \(fail\) or 1 \(pass\)"):
        gate.update([0.5, 1.0])
    gate.update([1, 0], groups=["a", "b"])
    with pytest.raises(ValueError, match="none of the 2 cases that were run before"):
        gate.update([1, 0], groups=["c", "d"])
    with pytest.raises(ValueError, match="alpha must lie in"):
        NightlyGate(alpha=1.0)
    path = tmp_path / "other.json"
    path.write_text("{}")
    with pytest.raises(ValueError, match="was not saved by a NightlyGate"):
        NightlyGate.load(path)
    path.write_text('{"schema_version": 1}')
    with pytest.raises(ValueError, match="was not saved by a NightlyGate"):
        NightlyGate.load(path)
    NightlyGate().update([1, 0], groups=np.arange(2))
    gate.save(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema_version": 9}))
    with pytest.raises(ValueError, match="has the schema version 9"):
        NightlyGate.load(path)

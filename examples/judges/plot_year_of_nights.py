"""
A year of nights
================

The same 60 cases are run every night. Nothing changes until night 200, when the pass rate falls by
ten points. A comparison of each night's mean with the first night fails every other build. The
memory of all nights raises no false alarm, and its alarm comes a few nights after the change.
"""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_spe import NightlyGate

rng = np.random.default_rng(1)
rates = rng.beta(2.8, 0.7, 60)
gate = NightlyGate(random_state=0)
passed, evidence = [], []
for day in range(240):
    scale = 1.0 if day < 200 else 1.0 - 0.1 / 0.8
    runs = rng.random(60) < scale * rates
    night = gate.update(runs)
    passed.append(runs.mean())
    evidence.append(max(night.evidence, 0.1))
    if night.is_alarm:
        break

figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(7, 5))
above.plot(passed, ".", color="0.4")
above.axhline(passed[0], color="0.7")
above.set(ylabel="share of cases that pass")
below.semilogy(evidence)
below.axhline(night.limit, color="C3", label="alarm: once in 20 years without a change")
below.axvline(200, color="0.7", label="it falls by 10 points")
below.set(xlabel="night", ylabel="evidence of a fall")
below.legend(loc="upper left")
figure.tight_layout()
print(night.sentence())

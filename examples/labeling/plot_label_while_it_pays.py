"""
When should an analyst of rare events stop looking?
===================================================

An analyst looks at the alarms of a detector, the highest scores first, and stops when further looks
are not worth their price. Miller, Vila, Kirn and Zipkin (2018) conclude that this is the best use
of their projection: label a batch, infer the curve beyond the labels, and let its slope decide
about the next batch. This needs no label below the threshold reached so far.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.datasets import make_scores
from sklearn_spe.exceptions import UnidentifiedWarning

# The verdict says the same in every round: the labels do not show how many events lie below.
warnings.simplefilter("ignore", UnidentifiedWarning)

scores, truth = make_scores(5_000, prevalence=0.02, positive_values=(2.5, 1.0), random_state=3)
order = np.argsort(-scores)
print(f"{len(scores)} items, {truth.sum()} events, which nobody knows")

# %%
# The slope as a price
# --------------------
#
# With precision P and recall R at a threshold, the next items are events with probability q, and
# the slope of the curve is :math:`dP / dR = (P / R) (1 - P / q)`. So the projected slope gives a
# projected q, the number of events that each further look will find. If finding an event is worth
# six looks, further looks pay while q exceeds one sixth.

BATCH, WORTH = 40, 6.0
y = np.full(len(scores), -1)
rounds = []
for n_labels in range(BATCH, 601, BATCH):
    y[order[:n_labels]] = truth[order[:n_labels]]
    threshold = scores[order[n_labels - 1]]
    performance = PerformanceCurveEstimator(n_draws=500, random_state=0).fit(scores, y)
    precision = performance.estimate("precision", threshold=threshold).value
    recall = performance.estimate("recall", threshold=threshold)
    slope = performance.estimate("precision_recall_slope", threshold=threshold)
    q = precision / (1.0 - recall.value / precision * slope.value)
    rounds.append((n_labels, threshold, precision, recall, q))
    print(
        f"{n_labels:4d} looks: precision {precision:.2f}, recall {recall:.2f}; "
        f"the next looks find {q:.2f} events each"
    )
    if q < 1.0 / WORTH:
        break

# %%
# Was the projection right?
# -------------------------
#
# The left plot compares, for each batch of forty looks, the projected and the true number of events
# per look.

n_looks = np.array([one[0] for one in rounds])
expected = np.array([one[4] for one in rounds])
found = np.array([truth[order[n : n + BATCH]].mean() for n in n_looks])
final = rounds[-1]
print(f"stopped after {final[0]} looks: {truth[order[: final[0]]].sum()} of {truth.sum()} events")

fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.plot(n_looks, expected, marker="o", label="projected")
left.plot(n_looks, found, marker="s", linestyle="", label="in truth")
left.axhline(1.0 / WORTH, color="0.5", linestyle="--", label="worth a look")
left.set(xlabel="looks so far", ylabel="events a look, next batch", ylim=(0, None))
left.legend()

band = performance.curve("precision_recall")
low, high = band.interval(0.9)
right.fill_between(band.x, low, high, alpha=0.3)
right.plot(band.x, band.value, label="projected at the stop")
n_true = np.cumsum(truth[order])
right.plot(n_true / n_true[-1], n_true / np.arange(1, len(order) + 1), "k:", label="in truth")
right.axvline(final[3].value, color="0.5", linestyle="--")
right.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1.02))
right.legend()
plt.show()

# %%
# The recall at the stop has a wide interval, because it depends on events among unlabeled items.
# The decision to stop needs only the next items, which resemble the last ones.
# :doc:`/user_guide/rare_events` explains how to narrow the interval of the recall.

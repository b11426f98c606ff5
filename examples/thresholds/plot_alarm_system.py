"""
Missed events of an alarm system
================================

A detector scores 10,000 events, of which about one in a hundred matters. Analysts label the alarms,
the 200 highest scores. So the precision of the alarms is known, but the number of missed events is
not: no event below the threshold is labeled. How many are missed, and what would a lower threshold
find?

The scores are simulated, so the estimates can be checked.
"""

# sphinx_gallery_thumbnail_number = 2

import warnings

import matplotlib.pyplot as plt
import numpy as np

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores
from sklearn_spe.exceptions import UnidentifiedWarning
from sklearn_spe.families import BetaPrior
from sklearn_spe.metrics import PrecisionAfterGain

# The verdict is printed below, so its warning is not needed.
warnings.simplefilter("ignore", UnidentifiedWarning)

N_ALARMS = 200


def simulate(seed):
    """Return scores, the truth, the threshold of the alarms, and the labels above it."""
    scores, truth = make_scores(
        10_000, prevalence=0.01, positive_values=(3.0, 1.0), random_state=seed
    )
    threshold = np.sort(scores)[-N_ALARMS]
    return scores, truth, threshold, np.where(scores >= threshold, truth, -1)


scores, truth, threshold, labels = simulate(seed=0)
alarms = labels[labels >= 0]
print(f"of {N_ALARMS} alarms {alarms.sum()} matter: precision {alarms.mean():.2f}")

# %%
# How many are missed?
# --------------------
#
# Labels selected by score need no correction: the model uses all scores, and labels enter through
# P(y = 1 | score) alone.

performance = PerformanceCurveEstimator(random_state=0).fit(scores, labels)
print(performance.verdict_.describe())

# %%
# A metric may be any function of all labels and scores. This function is called once for each draw
# of the missing labels.


def n_missed(y_true, y_score):
    """Return how many positives lie below the threshold."""
    return float(y_true[y_score < threshold].sum())


def show(performance):
    """Print the recall and the missed events, each with its 90% interval, beside the truth."""
    recall = performance.estimate("recall", threshold=threshold)
    missed = performance.estimate(n_missed)
    true_recall = (scores >= threshold)[truth == 1].mean()
    print("recall {:.2f}, 90% [{:.2f}, {:.2f}]".format(recall.value, *recall.interval(0.9)))
    print("missed {:.0f}, 90% [{:.0f}, {:.0f}]".format(missed.value, *missed.interval(0.9)))
    print(f"truth: recall {true_recall:.2f}, missed {n_missed(truth, scores):.0f}")


show(performance)

# %%
# The interval is wide because all labels are above the threshold and all missed events below it.
# Only the shape of the scores and the prior of the curves determine how many positives have low
# scores.
#
# A prior on the rate
# -------------------
#
# Often the rate of such events is roughly known. In this example the rate is between one in 200 and
# one in 50, with a probability of 90%. This prior limits the number of positives with low scores,
# as more labels would.

rate = BetaPrior.from_interval(0.005, 0.02)
performance = PerformanceCurveEstimator(
    SemisupervisedScoreMixture(prevalence_prior=rate), random_state=0
).fit(scores, labels)
show(performance)

# %%
# What a lower threshold costs
# ----------------------------
#
# The left plot shows recall and precision against the number of labeled items. The right plot shows
# the precision after a further increase of recall by 0.1. Left of the dotted line all items are
# labeled, so the precision is known.

below = np.sort(scores)[-1000:-50:10]
n_items = [(scores >= t).sum() for t in below]
fig, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")


def draw(ax, name, color, **kwargs):
    """Draw a metric against the number of items, with its 90% band."""
    band = performance.curve(name, thresholds=below)
    ax.plot(n_items, band.value, color=color, **kwargs)
    ax.fill_between(n_items, *band.interval(0.9), color=color, alpha=0.2, linewidth=0)


draw(left, "recall", "C0", label="recall")
draw(left, "precision", "C1", label="precision")
called = scores >= below[:, np.newaxis]
left.plot(n_items, called[:, truth == 1].mean(axis=1), "k--", linewidth=1, label="truth")
left.plot(n_items, called @ truth / called.sum(axis=1), "k--", linewidth=1)
left.set(xlabel="items looked at", ylim=(0, 1))
draw(right, PrecisionAfterGain(0.1), "C2", label="precision after 0.1 more recall")
right.set(xlabel="items looked at so far", ylim=(0, 1))
for ax in (left, right):
    ax.axvline(N_ALARMS, color="0.5", linestyle=":", label="the alarms")
    ax.legend()

# %%
# The metrics printed below are computed at the threshold of the alarms. The slope is the change of
# precision per unit of recall, for a small increase. Draws of the slope have no finite mean, so use
# the median and quantiles.

for metric in ("precision_recall_slope", "precision_after_gain"):
    estimate = performance.estimate(metric, threshold=threshold)
    low, high = estimate.interval(0.9)
    print(f"{metric:22} {estimate.value:.2f}  90% [{low:.2f}, {high:.2f}]")

# %%
# Half of the missed events
# -------------------------
#
# How many more items must be labeled, in the order of their scores, to find half of the missed
# events? This metric is undefined if no event was missed.


def items_to_half(y_true, y_score):
    """Return how many items below the threshold hold half of the positives there."""
    found = np.cumsum(y_true[y_score < threshold][::-1])
    return 1.0 + np.searchsorted(found, found[-1] / 2) if found[-1] else np.nan


estimate = performance.estimate(items_to_half)
by_score = np.argsort(scores)
print("{:.0f} items, 90% [{:.0f}, {:.0f}]".format(estimate.value, *estimate.interval(0.9)))
print(f"truth: {items_to_half(truth[by_score], scores[by_score]):.0f} items")

# %%
# The next alarms are labeled anyway, and each narrows the interval (`performance.update`).
#
# Coverage
# --------
#
# One data set proves nothing, so this plot has four, without and with the prior on the rate.

fig, ax = plt.subplots()
for seed in range(4):
    scores, truth, threshold, labels = simulate(seed)
    for shift, (color, name, prior) in enumerate(
        [("C0", "labels alone", "auto"), ("C1", "and the rate", rate)]
    ):
        mixture = SemisupervisedScoreMixture(prevalence_prior=prior, n_draws=500)
        recall = (
            PerformanceCurveEstimator(mixture, random_state=0)
            .fit(scores, labels)
            .estimate("recall", threshold=threshold)
        )
        x = seed + 0.3 * shift
        ax.plot([x, x], recall.interval(0.9), color=color, label=None if seed else name)
        ax.plot(x, recall.value, ".", color=color)
    true_recall = (scores >= threshold)[truth == 1].mean()
    ax.plot(seed + 0.15, true_recall, "k_", markersize=14, label=None if seed else "truth")
ax.set(xlabel="data set", ylabel="recall of the alarms", xticks=range(4), ylim=(0, 1))
_ = ax.legend(loc="lower right")

# %%
# If all labels are above a threshold, intervals assume that scores below it follow the same model.
# For remedies, and for planning the next labels, see :doc:`/user_guide/rare_events`.

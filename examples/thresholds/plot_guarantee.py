"""
A threshold with a guarantee
============================

A logistic regression has scored 2,000 satellite pixels for "is this grey soil?". Nine in ten of the
pixels called positive should be grey soil: a precision of 0.9. Sixty random pixels have a label.
Which threshold guarantees the precision on all 2,000?
"""

# sphinx_gallery_thumbnail_number = 2

import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import precision_recall_curve

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.display import GoalProbabilityDisplay
from sklearn_spe.exceptions import UnreachableGoalError, UntestedSelectionWarning

# From the root of a clone, or from the folder of this file.
folder = Path("examples/data") if Path("examples/data").is_dir() else Path("../data")
scores, truth = np.loadtxt(folder / "sat_logres3.csv.gz", delimiter=",", skiprows=1).T
truth = truth.astype(int)

GOAL = 0.9


def draw_labels(seed, n_labels=60):
    """Return the labels of some items that are drawn at random, -1 elsewhere."""
    known = np.random.default_rng(seed).choice(len(scores), n_labels, replace=False)
    labels = np.full(len(scores), -1)
    labels[known] = truth[known]
    return labels


def true_rates(called):
    """Return the precision and recall on all 2,000 labels, which are looked at only to check."""
    return truth[called].mean(), called[truth == 1].mean()


labels = draw_labels(seed=0)
print(f"{len(scores)} scores; {(labels == 1).sum()} of the 60 labels are positive")

# %%
# The naive threshold
# -------------------
#
# This is the lowest labeled score at or above which nine in ten labeled pixels are positive.


def naive_threshold(labels):
    """Return the lowest labelled score at which the labelled items meet the goal."""
    at = np.sort(scores[labels >= 0])
    return next(t for t in at if labels[(labels >= 0) & (scores >= t)].mean() >= GOAL)


naive = naive_threshold(labels)
print(
    "threshold {:.2f}: precision {:.3f}, recall {:.3f}".format(naive, *true_rates(scores >= naive))
)

# %%
# The threshold was selected for its precision on few labels, so its true precision is lower.
#
# The guaranteed threshold
# ------------------------
#
# `threshold_for` requires that the goal is met with a given probability, here 90%. Of all such
# thresholds it returns the one with the largest recall. Labeled pixels are selected by their
# labels, all others by the threshold.

performance = PerformanceCurveEstimator(random_state=0).fit(scores, labels)
guaranteed = performance.threshold_for(precision=GOAL, confidence_level=0.9)
answer = performance.selection(guaranteed)
print("threshold {:.2f}: precision {:.3f}, recall {:.3f}".format(guaranteed, *true_rates(answer)))
print(performance.estimate("recall", selection=guaranteed))

# %%
# What a guarantee costs
# ----------------------
#
# The right plot shows the probability that a goal is met, against the threshold. The left plot
# shows the true curve, and the goals as boxes that it must pass. Calling few items positive meets a
# precision goal. A recall goal in addition needs a threshold that is neither too low nor too high.
# The larger the recall, the less probable it is that even the best threshold meets both. Sixty
# labels are too few to guarantee either joint goal at 90%.

goals = [
    {"precision": GOAL},
    {"precision": GOAL, "recall": 0.7},
    {"precision": GOAL, "recall": 0.9},
]
fig, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
display = GoalProbabilityDisplay.from_estimator(performance, goals, ax=right, confidence_level=0.9)
right.axvline(naive, color="0.5", linestyle=":", label="naive threshold")
right.axvline(guaranteed, color="k", linestyle=":", label="guaranteed threshold")
# No threshold below the median comes near a goal.
right.set_xlim(np.median(scores), scores.max())
# The colors are those of the boxes.
handles, names = right.get_legend_handles_labels()
names[len(goals)] = "90%, as guaranteed"
right.legend(handles[len(goals) :], names[len(goals) :], loc="center right")

display.plot_boxes(left)
precision, recall, _ = precision_recall_curve(truth, scores)
left.plot(recall, precision, "k--", linewidth=1, label="all 2,000 labels")
_ = left.legend(loc="lower left")

# %%
# If no threshold meets a goal with the required probability, an error gives the probability of the
# best threshold.

try:
    performance.threshold_for(**goals[-1], confidence_level=0.9)
except UnreachableGoalError as error:
    print(error)

# %%
# How often the goal is met
# -------------------------
#
# One draw of labels proves nothing, so this plot has twelve, with both selections. From some draws
# only known positives are returned with the guarantee, as a warning says.

warnings.simplefilter("ignore", UntestedSelectionWarning)


def guaranteed_selection(labels):
    """Return the items that are returned with the guarantee."""
    performance = PerformanceCurveEstimator(n_draws=500, random_state=0).fit(scores, labels)
    return performance.selection(performance.threshold_for(precision=GOAL, confidence_level=0.9))


drawn = [draw_labels(seed) for seed in range(12)]
answers = {
    "naive": [scores >= naive_threshold(y) for y in drawn],
    "guaranteed": [guaranteed_selection(y) for y in drawn],
}
fig, ax = plt.subplots()
for marker, (name, chosen) in zip("xo", answers.items(), strict=True):
    precisions, recalls = np.transpose([true_rates(called) for called in chosen])
    n_kept = (precisions >= GOAL).sum()
    label = f"{name}: kept in {n_kept} of {len(chosen)}"
    ax.plot(recalls, precisions, marker, label=label)
    print(f"{label}, mean recall {recalls.mean():.2f}")
ax.axhline(GOAL, color="0.5", linestyle="--", label="the goal")
ax.set(xlabel="true recall", ylabel="true precision")
_ = ax.legend()

# %%
# When the guarantee fails
# ------------------------
#
# The guarantee is for *these* 2,000 pixels. If grey soil is rarer in another place, the same
# threshold of the same classifier has a lower precision:

for share in (1.0, 0.5, 0.2, 0.1):
    called = scores >= guaranteed
    hits = share * (called & (truth == 1)).sum()
    print(
        f"{share:4.0%} of the grey soil: precision {hits / (hits + called[truth == 0].sum()):.3f}"
    )

# %%
# Another place needs its own scores, a few labels and a new threshold.
#
# The guarantee is valid only if the model is right. Do not rely on it if the verdict is not "ok".
# The verdict "ok" is no proof either. How often guarantees were met on 32 sets, by the published
# method and by the default: :doc:`/replications/spe_2013`.

print(performance.verdict_)

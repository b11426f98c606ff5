"""
A threshold with a promise
==========================

A logistic regression has scored 2,000 satellite pixels for "is this grey soil?". Whatever is called
positive should be so nine times in ten: a precision of 0.9. Sixty pixels, drawn at random, have a
label. Which threshold keeps that promise on all 2,000?
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import precision_recall_curve

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.display import GoalProbabilityDisplay
from sklearn_spe.exceptions import UnreachableGoalError

# From the root of a clone, or from examples/.
folder = Path("examples/data") if Path("examples/data").is_dir() else Path("data")
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
# The lowest of the labelled scores above which nine in ten labelled pixels are positive.


def naive_threshold(labels):
    """Return the lowest labelled score at which the labelled items meet the goal."""
    at = np.sort(scores[labels >= 0])
    return next(t for t in at if labels[(labels >= 0) & (scores >= t)].mean() >= GOAL)


naive = naive_threshold(labels)
print(
    "threshold {:.2f}: precision {:.3f}, recall {:.3f}".format(naive, *true_rates(scores >= naive))
)

# %%
# It was taken because it looked good on few labels, and so it looks better than it is.
#
# The promised threshold
# ----------------------
#
# `threshold_for` asks for more: the goal must hold with a probability, here of 90%. Of all
# thresholds that do, it takes the most useful one, which here is the one of the largest recall.
# What is labelled already is known: the answer holds it, or does not, by its label, and the
# threshold decides of the rest.

performance = PerformanceCurveEstimator(random_state=0).fit(scores, labels)
promised = performance.threshold_for(precision=GOAL, confidence_level=0.9)
answer = performance.answer(promised)
print("threshold {:.2f}: precision {:.3f}, recall {:.3f}".format(promised, *true_rates(answer)))
print(performance.answer_estimate("recall", promised))

# %%
# What a promise costs
# --------------------
#
# On the right, how probable it is that a goal is met, against the threshold; on the left, the same
# goals as boxes, through which the curve must pass, and the true curve. A promise of precision
# alone is kept by calling few items positive. One of recall beside it needs a threshold that is
# neither too low nor too high; the more recall, the less probable is the best one, and sixty labels
# are too few to promise either of the two with 90%.

goals = [
    {"precision": GOAL},
    {"precision": GOAL, "recall": 0.7},
    {"precision": GOAL, "recall": 0.9},
]
fig, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
display = GoalProbabilityDisplay.from_estimator(performance, goals, ax=right, confidence_level=0.9)
right.axvline(naive, color="0.5", linestyle=":", label="naive threshold")
right.axvline(promised, color="k", linestyle=":", label="promised threshold")
# No pixel below the median is anywhere near a goal.
right.set_xlim(np.median(scores), scores.max())
# The colors are those of the boxes.
handles, names = right.get_legend_handles_labels()
names[len(goals)] = "90%, as promised"
right.legend(handles[len(goals) :], names[len(goals) :], loc="center right")

display.plot_boxes(left)
precision, recall, _ = precision_recall_curve(truth, scores)
left.plot(recall, precision, "k--", linewidth=1, label="all 2,000 labels")
_ = left.legend(loc="lower left")

# %%
# If no threshold meets a goal with the probability that was asked for, there is an error and not a
# bad threshold. It says how near the best one comes.

try:
    performance.threshold_for(**goals[-1], confidence_level=0.9)
except UnreachableGoalError as error:
    print(error)

# %%
# How often is it kept?
# ---------------------
#
# One draw of labels proves nothing. Here are twelve, with both answers.


def promised_answer(labels):
    """Return the items that are returned with the promise."""
    performance = PerformanceCurveEstimator(n_draws=500, random_state=0).fit(scores, labels)
    return performance.answer(performance.threshold_for(precision=GOAL, confidence_level=0.9))


drawn = [draw_labels(seed) for seed in range(12)]
answers = {
    "naive": [scores >= naive_threshold(y) for y in drawn],
    "promised": [promised_answer(y) for y in drawn],
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
# The promise is paid for with recall, and more labels make it cheaper.
#
# What breaks it
# --------------
#
# The promise is about *these* 2,000 pixels. Carried over to a place where grey soil is rarer, the
# same threshold has another precision, though the classifier is the same:

for share in (1.0, 0.5, 0.2, 0.1):
    called = scores >= promised
    hits = share * (called & (truth == 1)).sum()
    print(
        f"{share:4.0%} of the grey soil: precision {hits / (hits + called[truth == 0].sum()):.3f}"
    )

# %%
# There the scores and a few labels of the new place are needed, and a threshold of its own.
#
# A promise is also no better than the model behind it. With a verdict other than "ok", do not rely
# on it; and on real sets an "ok" is no proof. How often promises were kept on 32 sets, by the
# published method and by the default, is in :doc:`../replications/spe_2013`.

print(performance.verdict_)

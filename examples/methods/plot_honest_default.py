"""
The published method and the default, on the same ten labels
============================================================

A poor logistic regression has scored 2,000 satellite pixels for "is this damp grey soil?". Ten of
the pixels have a label. Two methods estimate the performance: semisupervised performance evaluation
as published in 2013, and the default of this package.
"""

import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import average_precision_score, precision_recall_curve

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.display import PerformanceCurveDisplay, ScoreMixtureDisplay
from sklearn_spe.exceptions import MisfitWarning, SamplingWarning

# This file runs from the root of a clone or from its own folder.
folder = Path("examples/data") if Path("examples/data").is_dir() else Path("../data")
scores, truth = np.loadtxt(folder / "sat_logres4.csv.gz", delimiter=",", skiprows=1).T
truth = truth.astype(int)

known = np.random.default_rng(0).choice(len(scores), 10, replace=False)
labels = np.full(len(scores), -1)
labels[known] = truth[known]
print(f"{len(scores)} scores; of the ten labels {(labels == 1).sum()} is positive")

# %%
# As published
# ------------
#
# The scores of each class have a truncated normal or a gamma density on (0, 1]. The method chooses
# the pair with the largest likelihood, and draws the parameters from independent normal
# distributions.

FAMILIES = ("truncnorm", "gamma")
mixture = SemisupervisedScoreMixture(
    FAMILIES,
    FAMILIES,
    combine="likelihood",
    score_scale="unit",
    proposal="diagonal",
    experts=None,
    random_state=0,
)
published = PerformanceCurveEstimator(mixture, random_state=0)
with warnings.catch_warnings():
    # The verdict is printed below.
    warnings.simplefilter("ignore", MisfitWarning)
    warnings.simplefilter("ignore", SamplingWarning)
    published.fit(scores, labels)

# %%
# The default
# -----------
#
# Several experts propose curves of P(y = 1 | score), and the ten labels weight them.

performance = PerformanceCurveEstimator(random_state=0).fit(scores, labels)
performance.posterior_.updated.weights.to_frame().round(2)

# %%
# Both methods and the truth
# --------------------------
#
# The plot shows 90% bands. All 2,000 labels are known here, so the true curve can be drawn.

precision, recall, _ = precision_recall_curve(truth, scores)
fig, ax = plt.subplots(layout="constrained")
for estimator, name in ((published, "as published"), (performance, "default")):
    PerformanceCurveDisplay.from_estimator(estimator, name=name, ax=ax)
ax.plot(recall, precision, "k", drawstyle="steps-post", linewidth=1, label="all 2,000 labels")
_ = ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), fontsize="small")

# %%
# The same comparison in numbers:

print(f"average precision, all labels: {average_precision_score(truth, scores):.2f}")
for estimator, name in ((published, "as published"), (performance, "default")):
    estimate = estimator.estimate("average_precision")
    low, high = estimate.interval(0.9)
    print(f"{name:12}  {estimate.value:.2f}, 90% from {low:.2f} to {high:.2f}")

# %%
# Why the published interval is so narrow
# ---------------------------------------
#
# Two thousand scores determine how the histogram is divided into classes, and ten labels hardly
# matter. No pair of the two families has the shape of these scores. The best pair separates two
# kinds of *negatives*: those in the long left tail, and the others, which it takes for positives.

display = ScoreMixtureDisplay.from_estimator(published)
bins = np.linspace(scores.min(), scores.max(), 60)
counts = np.histogram(scores[truth == 1], bins)[0]
share = counts / (len(scores) * np.diff(bins)[0])
display.ax_.stairs(share, bins, color="k", label="true positives")
_ = display.ax_.legend(fontsize="small")

# %%
# The labels contradict this fit, and the verdict detects the misfit. It compares the fitted with
# the empirical distribution of the scores, and the labels with their expectation under the fit.
# (The warnings are silenced above.) The verdict does not detect every such case.

print(published.verdict_.describe())

# %%
# Nothing contradicts the default. Its interval is wide, as it should be with ten labels.

print(performance.verdict_.describe())

# %%
# More labels
# -----------
#
# `update` adds labels one by one without a new fit. The interval shrinks around the truth.

rng = np.random.default_rng(1)
order = np.r_[known, rng.permutation(np.setdiff1d(np.arange(len(scores)), known))]
for n_labels in (10, 20, 50, 100, 200):
    labels[order[:n_labels]] = truth[order[:n_labels]]
    estimate = performance.update(scores, labels).estimate("average_precision")
    low, high = estimate.interval(0.9)
    print(f"{n_labels:3} labels: {estimate.value:.2f}, 90% from {low:.2f} to {high:.2f}")

# %%
# This set was chosen because the published method fails on it. :doc:`/measured/coverage` shows how
# often each method fails on many sets.

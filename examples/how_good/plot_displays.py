"""
All plots on one page
=====================

Each result has a display, which draws on new or given axes.
"""

# sphinx_gallery_thumbnail_number = 5

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

from sklearn_spe import AccuracyExtrapolator, ActiveTestSelector, PerformanceCurveEstimator
from sklearn_spe.display import (
    ActiveTestDisplay,
    CalibrationBandDisplay,
    DifferenceDisplay,
    EstimateDisplay,
    GoalProbabilityDisplay,
    PerformanceCurveDisplay,
    ScoreMixtureDisplay,
)
from sklearn_spe.extrapolation import AccuracyExtrapolationDisplay, make_recognition_scores

# From the root of a clone, or from the folder of this file.
folder = Path("examples/data") if Path("examples/data").is_dir() else Path("../data")
data = np.genfromtxt(folder / "digits_ten_labels.csv", delimiter=",", names=True)
scores, truth = data["score"], data["truth"].astype(int)
labelled = np.random.default_rng(0).choice(len(scores), 80, replace=False)
labels = np.where(np.isin(np.arange(len(scores)), labelled), truth, -1)
performance = PerformanceCurveEstimator(random_state=0).fit(scores, labels)

# %%
# Curves
# ------
#
# This display draws precision against recall, a ROC curve, or a metric against the threshold. The
# legend gives the area under the curve with its interval, and the number of labels. The dashed line
# is a random classifier.

fig, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
for curve, ax in zip(("precision_recall", "roc", "f1"), axes, strict=True):
    PerformanceCurveDisplay.from_estimator(performance, curve, ax=ax)

# %%
# Scores
# ------
#
# This display shows the histogram of all scores, the densities of both classes, and the labeled
# items below them. The axis is logarithmic if nearly all scores have one value, as for an
# overconfident network.

sure = np.round(expit(3.0 * scores), 3)
of_sure = PerformanceCurveEstimator(random_state=0).fit(sure, labels)
fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
ScoreMixtureDisplay.from_estimator(performance, ax=axes[0])
_ = ScoreMixtureDisplay.from_estimator(of_sure, ax=axes[1])

# %%
# Goals
# -----
#
# The left plot shows the probability that a goal is met, against the threshold. Dots mark
# thresholds with a guarantee. The right plot shows the same goals as boxes that the curve must
# pass.

goals = [{"precision": 0.7}, {"precision": 0.5, "recall": 0.6}]
fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
display = GoalProbabilityDisplay.from_estimator(
    performance, goals, confidence_level=0.9, ax=axes[0]
)
_ = display.plot_boxes(ax=axes[1])

# %%
# Probabilities
# -------------
#
# This is a reliability diagram, before and after recalibration. The original probabilities are the
# logistic function of the scores.

_ = CalibrationBandDisplay.from_estimator(
    performance, predicted=expit, strategy="uniform", n_bins=8
)

# %%
# Confusion matrix
# ----------------
#
# Each cell has the count at a threshold, with an interval.

_ = EstimateDisplay.from_confusion_matrix(performance.confusion_matrix(threshold=0.0))

# %%
# Several systems
# ---------------
#
# The plots show the curves of the systems, their metrics, and the differences of metrics. The
# differences are the most precise.

noise = np.random.default_rng(1).standard_normal((2, len(scores)))
systems = np.column_stack([scores, scores + 2.0 * noise[0], scores + 4.0 * noise[1]])
several = PerformanceCurveEstimator(random_state=0).fit(systems, labels)
fig, axes = plt.subplots(1, 3, figsize=(14, 4), layout="constrained")
PerformanceCurveDisplay.from_estimator(several, ax=axes[0])
EstimateDisplay.from_estimator(several, ax=axes[1])
_ = DifferenceDisplay.from_estimator(several, ax=axes[2])

# %%
# Labeling
# --------
#
# The plot shows the model-based and the design-based estimate after each batch of labels.

selector = ActiveTestSelector(random_state=0).fit(scores)
for _ in range(6):
    items = selector.query(10)
    selector.update(items, truth[items])
_ = ActiveTestDisplay.from_estimator(selector, half_width=0.1)

# %%
# More classes
# ------------
#
# The plot shows the accuracy up to the number of classes in a pilot, and beyond.

pilot = make_recognition_scores(30, n_test=5, random_state=0)
extrapolator = AccuracyExtrapolator(n_bootstrap=50, random_state=0).fit(*pilot)
_ = AccuracyExtrapolationDisplay.from_estimator(extrapolator)

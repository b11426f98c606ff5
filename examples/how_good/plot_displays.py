"""
All pictures on one page
========================

Each result has a display, which draws on its own axes or on given ones. All share one style: colors
that remain distinct for red-green color blindness and in print; a line for the median and a band
for the interval; a verdict other than "ok" in the legend.
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
# Precision and recall, ROC, or a metric against the threshold. The legend gives the area below the
# curve with its interval, and the number of labels; the dashed line is chance.

fig, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
for curve, ax in zip(("precision_recall", "roc", "f1"), axes, strict=True):
    PerformanceCurveDisplay.from_estimator(performance, curve, ax=ax)

# %%
# Scores
# ------
#
# The histogram of all scores, the densities of both classes, and below them the labeled items. The
# axis is logarithmic if nearly all scores are one value, as those of an overconfident network.

sure = np.round(expit(3.0 * scores), 3)
of_sure = PerformanceCurveEstimator(random_state=0).fit(sure, labels)
fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
ScoreMixtureDisplay.from_estimator(performance, ax=axes[0])
_ = ScoreMixtureDisplay.from_estimator(of_sure, ax=axes[1])

# %%
# Goals
# -----
#
# The probability that a goal is met, against the threshold; dots mark thresholds with a guarantee.
# The same goals as boxes that the curve must pass.

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
# The reliability of probabilities, here of the logistic function of the scores, before and after
# recalibration.

_ = CalibrationBandDisplay.from_estimator(
    performance, predicted=expit, strategy="uniform", n_bins=8
)

# %%
# Confusion matrix
# ----------------
#
# At a threshold, or of several classes: counts, with an interval in each cell.

_ = EstimateDisplay.from_confusion_matrix(performance.confusion_matrix(threshold=0.0))

# %%
# Several systems
# ---------------
#
# Their curves, their metrics, and the differences, which are more precise than the metrics.

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
# The estimates after each batch of labels, by the model and by the design.

selector = ActiveTestSelector(random_state=0).fit(scores)
for _ in range(6):
    items = selector.query(10)
    selector.update(items, truth[items])
_ = ActiveTestDisplay.from_estimator(selector, half_width=0.1)

# %%
# More classes
# ------------
#
# The accuracy up to the classes of a pilot, and beyond.

pilot = make_recognition_scores(30, n_test=5, random_state=0)
extrapolator = AccuracyExtrapolator(n_bootstrap=50, random_state=0).fit(*pilot)
_ = AccuracyExtrapolationDisplay.from_estimator(extrapolator)

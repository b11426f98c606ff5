"""
Recalibrate a classifier trained elsewhere
==========================================

A linear support vector machine separates the digits 8 and 9 from the others. Its provider converted
margins to probabilities. The new digits come from a noisy scanner, with more 8s and 9s, and forty
of them are labeled. What do the margins mean for the new digits?
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import CalibratedClassifierCV, calibration_curve
from sklearn.datasets import load_digits
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss
from sklearn.svm import LinearSVC

from sklearn_spe import SemisupervisedCalibratedClassifier
from sklearn_spe.display import CalibrationBandDisplay
from sklearn_spe.exceptions import UnidentifiedWarning

# %%
# Where the classifier comes from
# -------------------------------
#
# The classifier was fitted to 600 clean digits. Platt's method fits a sigmoid of its margins to 300
# more labeled digits. This sigmoid gives the original probabilities.

X, digits = load_digits(return_X_y=True)
y = (digits >= 8).astype(int)

classifier = LinearSVC(C=0.01, random_state=0).fit(X[:600], y[:600])
sigmoid = LogisticRegression(C=np.inf)
sigmoid.fit(classifier.decision_function(X[600:900])[:, np.newaxis], y[600:900])


def at_the_source(scores):
    """Return the probabilities that the classifier came with, of its margins."""
    return sigmoid.predict_proba(scores[:, np.newaxis])[:, 1]


# %%
# Where it is used
# ----------------
#
# The new data are all 8s and 9s among the other 897 digits and a third of the rest, with noise on
# every pixel. A fit uses only forty labels; the others only check the result.

rng = np.random.default_rng(0)
kept = np.flatnonzero((y == 1) | (rng.random(len(y)) < 1.0 / 3.0))
kept = kept[kept >= 900]
X_new, truth = X[kept], y[kept]
X_new = np.clip(X_new + rng.normal(0.0, 4.0, X_new.shape), 0.0, 16.0)


def draw_labels(seed, n_labels=40):
    """Return the labels of some items that are drawn at random, -1 elsewhere."""
    known = np.random.default_rng(seed).choice(len(truth), n_labels, replace=False)
    labels = np.full(len(truth), -1)
    labels[known] = truth[known]
    return labels


labels = draw_labels(seed=0)
print(f"{len(truth)} items; {(labels == 1).sum()} of the 40 labels are positive")

# %%
# One call
# --------
#
# The classifier is frozen, so it is not refitted. All margins and the forty labels determine the
# recalibrated probabilities.

calibrated = SemisupervisedCalibratedClassifier(FrozenEstimator(classifier), random_state=0)
calibrated.fit(X_new, labels)
print(calibrated.verdict_.describe())

# %%
# Before and after
# ----------------
#
# The display shows the share of positives among items of similar probability, with a 90% band.
# "Before" are the original probabilities, which no longer fit. (The change of the data was chosen
# for that reason.) The black marks use all labels.

margins = classifier.decision_function(X_new)
before, recalibrated = at_the_source(margins), calibrated.predict_proba(X_new)[:, 1]

display = CalibrationBandDisplay.from_estimator(calibrated, predicted=at_the_source)
for marker, name, probabilities in (("kx", "before", before), ("k+", "recalibrated", recalibrated)):
    share, mean = calibration_curve(truth, probabilities, n_bins=10, strategy="quantile")
    display.ax_.plot(mean, share, marker, label=f"{name}, all labels")
_ = display.ax_.legend(loc="lower right")

# %%
# The recalibrated curve is near the diagonal by construction, even if the model is wrong. Look at
# its band, and at its distance from the curve before recalibration.
#
# The labels alone
# ----------------
#
# scikit-learn calibrates a frozen classifier from the labeled items alone. The Brier score is that
# of the *unlabeled* items; smaller is better.


def brier_scores(labels):
    """Return the Brier score of the unlabelled items by method."""
    known, rest = labels >= 0, labels < 0
    frozen = FrozenEstimator(classifier)
    ours = SemisupervisedCalibratedClassifier(frozen, random_state=0).fit(X_new, labels)
    probabilities = {"source": before, "this package": ours.predict_proba(X_new)[:, 1]}
    for method in ("sigmoid", "isotonic"):
        # The classifier is the same in every fold: all labels fit one calibrator.
        few = CalibratedClassifierCV(frozen, method=method, cv=2).fit(X_new[known], labels[known])
        probabilities[method] = few.predict_proba(X_new)[:, 1]
    return {name: brier_score_loss(truth[rest], p[rest]) for name, p in probabilities.items()}


for name, score in brier_scores(labels).items():
    print(f"{name:12} {score:.3f}")

# %%
# These scores are from one draw of forty labels. The next scores are from five draws of ten labels
# and five of forty:

# Ten labels hold little information, as a warning of each fit would say.
warnings.simplefilter("ignore", UnidentifiedWarning)
for n_labels in (10, 40):
    drawn = [brier_scores(draw_labels(seed, n_labels)) for seed in range(5)]
    print(f"{n_labels} labels")
    for name in drawn[0]:
        values = np.array([scores[name] for scores in drawn])
        print(f"  {name:12} {values.mean():.3f}, from {values.min():.3f} to {values.max():.3f}")

# %%
# On average every method fitted here is better than the original probabilities. With forty labels,
# nearly half of them positive, a sigmoid is as good as this package: it is the right curve for
# these margins. Isotonic regression needs more labels. For many data sets see
# :doc:`/user_guide/recalibration`.
#
# Intervals of probabilities
# --------------------------
#
# Each probability has an interval, narrow for extreme margins and wide in between. It is an
# interval of P(y | margin), which uses only the margin. So the 9 in the third image, with a low
# margin, has a low probability.

lower, upper = calibrated.predict_proba_interval(X_new, confidence_level=0.9)
shown = np.argsort(margins)[np.linspace(60, len(margins) - 60, 6).astype(int)]
fig, axes = plt.subplots(1, 6, figsize=(12, 2.8), layout="constrained")
for ax, i in zip(axes, shown, strict=True):
    ax.imshow(X_new[i].reshape(8, 8), cmap="gray_r")
    ax.set(xticks=[], yticks=[], xlabel=f"is a {digits[kept[i]]}")
    ax.set_title(f"{recalibrated[i]:.2f}\n[{lower[i, 1]:.2f}, {upper[i, 1]:.2f}]")
_ = fig.suptitle("Probability of an 8 or a 9, with its 90% interval; margins from low to high")

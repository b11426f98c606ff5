"""
Ten classes and fifty labels
============================

A classifier of ten digits was trained on a few hundred clean digits. New digits come from a noisy
scanner, and fifty of them are labeled. How often is the classifier right on the new digits? Which
digits does it confuse? How much more accurate is its most confident half?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.application import main_estimates
from sklearn_spe.display import PerformanceCurveDisplay
from sklearn_spe.metrics import TopKAccuracy

# %%
# Data unlike the training data
# -----------------------------

X, digits = load_digits(return_X_y=True)
classifier = LogisticRegression(max_iter=5000).fit(X[:400], digits[:400])

rng = np.random.default_rng(0)
truth = digits[400:]
proba = classifier.predict_proba(X[400:] + rng.normal(0.0, 4.0, X[400:].shape))
predicted = classifier.classes_[proba.argmax(axis=1)]

y = np.full(len(truth), -1)
labelled = rng.choice(len(truth), 50, replace=False)
y[labelled] = truth[labelled]

print(f"It says of itself: right in {proba.max(axis=1).mean():.0%}.")
print(f"Of the 50 labelled: {np.mean(predicted[labelled] == truth[labelled]):.0%}.")

# %%
# How often is it right?
# ----------------------
#
# One fit is for all classes. `classes=` lists them, since fifty labels may not include all of them.

performance = PerformanceCurveEstimator(classes=classifier.classes_, random_state=0)
performance.fit(proba, y)
print(main_estimates(performance))

# %%
# All labels are known here, so the estimates can be checked.

print(f"accuracy: {performance.estimate('accuracy'):.3f}, in truth ", end="")
print(f"{accuracy_score(truth, predicted):.3f}")
print(f"macro F1: {performance.estimate('f1'):.3f}, in truth ", end="")
print(f"{f1_score(truth, predicted, average='macro'):.3f}")
print(f"among the best three: {performance.estimate(TopKAccuracy(3)):.3f}")

# %%
# Digit by digit
# --------------
#
# The recall of a single digit has a wider interval than that of all digits. It is estimated from
# the few labels of this digit, the labels of the other digits, and the classifier's probabilities.

recall = performance.by_category("recall", by="class")
in_truth = [np.mean(predicted[truth == c] == c) for c in classifier.classes_]

fig, ax = plt.subplots()
lower, upper = recall.intervals().T
errors = [recall.values - lower, upper - recall.values]
ax.errorbar(classifier.classes_, recall.values, yerr=errors, fmt="o", label="estimate, 90%")
ax.plot(classifier.classes_, in_truth, "kx", label="all labels")
ax.set(xticks=classifier.classes_, xlabel="digit", ylabel="recall", ylim=(0.0, 1.02))
_ = ax.legend()

# %%
# Confusion matrix
# ----------------

matrix = performance.confusion_matrix(normalize="true")
fig, ax = plt.subplots()
image = ax.imshow(matrix.mean(), vmin=0.0, vmax=1.0, cmap="Blues")
ax.set(xticks=range(10), yticks=range(10), xlabel="predicted", ylabel="true")
_ = fig.colorbar(image, label="share of the true digit, posterior mean")

# %%
# The most confident half
# -----------------------
#
# If a person reads the digits with the least confident predictions, how accurate are the others?

display = PerformanceCurveDisplay.from_estimator(performance, "accuracy_coverage")
order = np.argsort(-proba.max(axis=1))
right = (predicted == truth)[order]
kept = np.arange(1, len(right) + 1)
display.ax_.plot(kept / len(right), right.cumsum() / kept, "k--", label="all labels")
_ = display.ax_.legend()
plt.show()

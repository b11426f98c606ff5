"""
Which of three classifiers is best?
===================================

A logistic regression is in use. A random forest or a support vector machine might replace it. All
three have scored the same 1,597 handwritten digits for "is this an 8?", and sixty digits have a
label. Which classifier is best, and how certain is this? All other labels are used only to check
the result.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.application import main_estimates
from sklearn_spe.display import DifferenceDisplay, EstimateDisplay, PerformanceCurveDisplay

X, digit = load_digits(return_X_y=True)
X_train, X, y_train, truth = train_test_split(
    X, (digit == 8).astype(int), train_size=200, stratify=digit, random_state=0
)
in_use = LogisticRegression(C=0.01, max_iter=1000).fit(X_train, y_train)
forest = RandomForestClassifier(200, random_state=0).fit(X_train, y_train)
machine = SVC().fit(X_train, y_train)

# Log-odds, votes and margins: systems need not score on one scale.
scores = pd.DataFrame(
    {
        "in use": in_use.decision_function(X),
        "forest": forest.predict_proba(X)[:, 1],
        "SVM": machine.decision_function(X),
    }
)

y = np.full(len(truth), -1)  # -1: not labelled
labelled = np.random.default_rng(0).choice(len(truth), 60, replace=False)
y[labelled] = truth[labelled]

# %%
# One fit
# -------
#
# X has a column for each system. Each label carries information about all systems.

performance = PerformanceCurveEstimator(random_state=0).fit(scores, y)
print(main_estimates(performance))

# %%
# `PerformanceCurveDisplay` draws the curves of all systems. `performance.of(system="SVM")` answers
# questions about one system.

_ = PerformanceCurveDisplay.from_estimator(performance)

# %%
# Compare systems by their difference
# -----------------------------------
#
# The left plot has the average precision of each system. The intervals overlap, but most of their
# uncertainty is common to all systems: it is unknown which unlabeled digits are an 8. The right
# plot has the differences from the system in use. They are computed from the same posterior draws,
# so the common part cancels. The probability that a system is better is the share of draws in which
# it is better. Crosses are the true values.

fig, (left, right) = plt.subplots(1, 2, figsize=(11, 3.6), layout="constrained")
EstimateDisplay.from_estimator(performance, ax=left)
DifferenceDisplay.from_estimator(performance, baseline="in use", ax=right)

true = {name: average_precision_score(truth, scores[name]) for name in scores}
left.plot(list(true.values()), [2, 1, 0], "kx")
_ = right.plot([true[name] - true["in use"] for name in ("forest", "SVM")], [1, 0], "kx")

# %%
# These are the differences and probabilities in numbers.

for name in ("forest", "SVM"):
    difference = performance.difference("average_precision", name, "in use")
    separate = performance.of(system=name).estimate(), performance.of(system="in use").estimate()
    widths = [high - low for low, high in (one.interval() for one in separate)]
    low, high = difference.interval()
    print(
        f"{name} less in use: {difference:.3f}, {high - low:.2f} wide; "
        f"the two by themselves: {widths[0]:.2f} and {widths[1]:.2f}; "
        f"truth {true[name] - true['in use']:.3f}"
    )

print("how probable it is that the system of the row is better than that of the column:")
print(pd.DataFrame(performance.ranking_proba(), scores.columns, scores.columns).round(2))

# %%
# Another metric may give another order. Here the threshold of each system predicts a tenth of the
# digits to be an 8.

for name in scores:
    threshold = scores[name].quantile(0.9)
    print(f"{name}: F1 {performance.of(system=name).estimate('f1', threshold=threshold):.2f}")

# %%
# The labels alone
# ----------------
#
# Sixty labels include only a few 8s. A bootstrap of the labels has no information about unlabeled
# 8s with a low score.

rng = np.random.default_rng(0)
own, table = y[labelled], scores.to_numpy()[labelled]
resampled = [rng.integers(len(own), size=len(own)) for _ in range(500)]
off = [
    average_precision_score(own[rows], table[rows, 2])
    - average_precision_score(own[rows], table[rows, 0])
    for rows in resampled
    if own[rows].any()
]
print(f"SVM less in use by labels alone: {np.quantile(off, [0.05, 0.95]).round(3)}")

# %%
# :doc:`/user_guide/several_systems` has the assumptions.
# :doc:`/auto_examples/labeling/plot_rank_systems` chooses the items to label until the order is
# clear.

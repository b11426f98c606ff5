"""
How good is it on faint handwriting?
====================================

A classifier works well overall. Does it work on every kind of item? Here a logistic regression
detects the digit 8. Digits differ in the amount of ink: a third are faint, a third are bold. Eighty
of 1,597 digits have a label, about twenty-five in each third. Very few of these are an 8.
"""

# sphinx_gallery_thumbnail_number = 2

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import train_test_split

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.display import DifferenceDisplay, EstimateDisplay, PerformanceCurveDisplay

X, digit = load_digits(return_X_y=True)
X_train, X, y_train, truth = train_test_split(
    X, (digit == 8).astype(int), train_size=200, stratify=digit, random_state=0
)
scores = LogisticRegression(C=0.01, max_iter=1000).fit(X_train, y_train).decision_function(X)

# An ordered categorical keeps its order; other names are sorted.
ink = pd.Series(pd.qcut(X.sum(axis=1), 3, labels=["faint", "medium", "bold"]))

y = np.full(len(truth), -1)  # -1: not labelled
labelled = np.random.default_rng(0).choice(len(truth), 80, replace=False)
y[labelled] = truth[labelled]
pd.DataFrame({"ink": ink[labelled].to_numpy(), "8": y[labelled]}).groupby("ink", observed=True).agg(
    ["size", "sum"]
)

# %%
# An estimate for each subgroup
# -----------------------------
#
# Pass the subgroups to `fit` as `category=`. Subgroups share information as far as the labels
# support this, because their similarity is estimated too.

performance = PerformanceCurveEstimator(random_state=0).fit(scores, y, category=ink)
print(performance.by_category())
print(performance.verdict_.describe())

# %%
# The left plot shows the same estimates, the right plot the differences from the bold digits.
# Crosses are the true values.

names = list(performance.categories_)
fig, (left, right) = plt.subplots(1, 2, figsize=(11, 3.6), layout="constrained")
EstimateDisplay.from_estimator(performance, category=names, ax=left)
DifferenceDisplay.from_estimator(performance, baseline="bold", ax=right)

true = {
    name: average_precision_score(truth[own], scores[own])
    for name in names
    for own in [(ink == name).to_numpy()]
}
left.plot([true[name] for name in names], [2, 1, 0], "kx")
_ = right.plot([true[name] - true["bold"] for name in names[:2]], [1, 0], "kx")

# %%
# Each question can be asked about a single subgroup, with `of(category=...)`. This plot has the
# curves of two subgroups.

_ = PerformanceCurveDisplay.from_estimator(performance, category=["faint", "bold"])
print(performance.of(category="faint").estimate("prevalence"))
print(performance.of(category="faint").threshold_for(recall=0.7, confidence_level=0.6))

# %%
# Separate fits
# -------------
#
# There are two simpler ways. Separate fits for each third have a third of the labels and wide
# intervals. In one fit without `category=`, subgroups can differ only in their scores. Here are the
# separate fits.

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # with so few positives some verdicts are "unidentified"
    alone = {}
    for name in names:
        own = (ink == name).to_numpy()
        alone[name] = PerformanceCurveEstimator(random_state=0).fit(scores[own], y[own])

for name in names:
    print(
        f"{name}: {performance.of(category=name).estimate():.2f}, "
        f"alone {alone[name].estimate():.2f}, truth {true[name]:.2f}"
    )

# %%
# :doc:`/user_guide/subgroups` has the failures, and the case of subgroups without labels.

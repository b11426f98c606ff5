"""
A judge and fifty human labels
==============================

A cheap judge rated every item, and people labeled fifty. How many items are positive? The judge's
share is biased by its errors, and the share among fifty labels is imprecise. In this example the
items are handwritten digits, and positive means above four. One judge is a small decision tree, the
other a logistic regression that sees only the lower half of each image.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.application import main_estimates

X, digit = load_digits(return_X_y=True)
X_train, X, y_train, truth = train_test_split(
    X, (digit > 4).astype(int), train_size=300, random_state=0
)
tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X_train, y_train).predict(X)
half = X_train[:, 32:], X[:, 32:]
rule = LogisticRegression(max_iter=1000).fit(half[0], y_train).predict(half[1])

human = np.full(len(truth), -1)  # -1: nobody looked
checked = np.random.default_rng(0).choice(len(truth), 50, replace=False)
human[checked] = truth[checked]

# %%
# The rate, and the accuracy of the judges
# ----------------------------------------

performance = PerformanceCurveEstimator(random_state=0)
performance = performance.fit(None, human, judges={"tree": tree, "rule": rule})
print(main_estimates(performance))

# %%
# The judges' own shares have no interval, and differ from the truth.

found = human[checked].sum()
of_labels = stats.beta(found + 0.5, 50 - found + 0.5).interval(0.9)
of_both = performance.estimate("prevalence").interval(0.9)

fig, ax = plt.subplots(figsize=(6.5, 2.4), layout="constrained")
for row, (low, high) in enumerate([of_both, of_labels]):
    ax.plot([low, high], [row, row], lw=4, solid_capstyle="butt")
ax.plot([rule.mean()], [2], "o", color="C2")
ax.plot([tree.mean()], [3], "o", color="C3")
ax.axvline(truth.mean(), color="k", ls=":", label="truth")
ax.set_yticks(
    range(4), ["judges and labels", "fifty labels alone", "the rule alone", "the tree alone"]
)
ax.set_xlabel("share of digits above four")
_ = ax.legend()

# %%
# Does the judge favor a group?
# -----------------------------
#
# The tree may err more often on faint digits. `category=` estimates the accuracy of the judges in
# each group.

ink = np.where(X.sum(axis=1) < np.median(X.sum(axis=1)), "faint", "bold")
performance = performance.fit(None, human, judges={"tree": tree}, category=ink)
for name in performance.categories_:
    print(f"{name}: kappa {performance.by_category(category=name, by='judge')['tree']:.2f}")

"""
Which items to label, and when to stop
======================================

A classifier was good where it was trained. On new data positives are rarer and the measurements
noisier. How good is it there? Labels cost money. Which items should be labeled, and how many?

The data are simulated, so all labels are known. They are used only to answer a query and to check
the result.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, precision_score

from sklearn_spe import ActiveTestSelector
from sklearn_spe.display import ActiveTestDisplay

X, y = make_classification(
    12_000, n_features=20, n_informative=8, weights=[0.8], flip_y=0.01, random_state=0
)
old, new = slice(1000, 3000), slice(3000, None)
classifier = LogisticRegression().fit(X[:1000], y[:1000])
before = average_precision_score(y[old], classifier.decision_function(X[old]))

rng = np.random.default_rng(0)
kept = (y[new] == 0) | (rng.random(len(y[new])) < 0.35)
X_new, truth = X[new][kept], y[new][kept]
scores = classifier.decision_function(X_new + 0.7 * rng.standard_normal(X_new.shape))
true_value = average_precision_score(truth, scores)
print(f"{len(scores)} items, {truth.mean():.0%} of them positive")
print(f"average precision {before:.2f} before, now {true_value:.2f}: nobody knows that yet")


def ask(items):
    """Return the labels of an annotator."""
    return truth[items]


# %%
# Ask, label, ask again
# ---------------------
#
# The selector has the scores and no label. `query` names the items whose labels are expected to be
# most informative on the metric; `update` takes labels, any number in any order.

selector = ActiveTestSelector("average_precision", random_state=0).fit(scores)
while not selector.should_stop(max_labels=100):
    items = selector.query(10)
    selector.update(items, ask(items))

print(selector.estimate_)
print(f"of {selector.n_labels_} labelled items, alone: {selector.naive_estimate_:.2f}")
print(selector.verdict_.describe())

# %%
# What every batch gains
# ----------------------
#
# Among the queried items alone the classifier looks better than it is. Two estimators correct this.
# The model of P(y = 1 | score) needs no weights, since items are chosen by scores and earlier
# labels only: the line with the band. The design-based one weights each label by the known
# inclusion probability of its item: the dashed line. It assumes no model, and is less precise.

_ = ActiveTestDisplay.from_estimator(selector, true_value=true_value)

# %%
# Where the labels are
# --------------------
#
# Average precision depends on the high scores. Some labels are drawn everywhere, whatever the model
# expects: only they can show that it is wrong.

asked = ~np.isnan(selector.query_proba_)
fig, ax = plt.subplots(figsize=(7, 4))
bins = np.linspace(scores.min(), scores.max(), 40)
ax.hist(scores, bins, density=True, color="0.85", label="all scores")
ax.hist(scores[asked], bins, density=True, histtype="step", label="asked for")
ax.set(xlabel="score", ylabel="density")
_ = ax.legend()

# %%
# Chosen against random labels
# ----------------------------
#
# One run proves nothing. Here are three of each kind, with 40 labels each.

fig, ax = plt.subplots(figsize=(7, 4))
for color, strategy, name in (("C0", "expected_change", "chosen"), ("C1", "random", "random")):
    for seed in range(3):
        one = ActiveTestSelector(strategy=strategy, batch_size=20, random_state=seed).fit(scores)
        while one.n_labels_ < 40:
            items = one.query()
            one.update(items, ask(items))
        x = seed + (0.3 if strategy == "random" else 0.0)
        ax.plot([x, x], one.estimate_.interval(), color=color, label=None if seed else name)
        ax.plot(x, one.estimate_.value, ".", color=color)
ax.axhline(true_value, color="k", linewidth=1, label="truth")
ax.set(xlabel="run", ylabel="average precision", ylim=(0, 1))
_ = ax.legend(loc="lower right")

# %%
# When to stop
# ------------
#
# Looking at an interval after every batch and stopping once it is narrow favors intervals that are
# narrow by chance. An anytime interval allows such looks. It exists for metrics that are ratios of
# sums over items, such as the precision of the classifier's own decisions. It uses inclusion
# probabilities alone, which the default strategy then adapts to the metric.

selector = ActiveTestSelector("precision", threshold=0.0, interval="anytime", random_state=0).fit(
    scores
)
while not selector.should_stop(half_width=0.1):
    items = selector.query(10)
    selector.update(items, ask(items))

true_value = precision_score(truth, scores >= 0.0)
_ = ActiveTestDisplay.from_estimator(selector, true_value=true_value, half_width=0.1)

# %%
# It is wider than the others: the price of unlimited looks. With random labels it would have needed
# several times as many.

print(selector.estimate_)
print(f"stop, with {selector.n_labels_} labels: {selector.stop_reason_}")

# %%
# Strategies, both estimators and how they may fail, stopping, and labeling with a spreadsheet or
# with Label Studio: :doc:`/user_guide/active_testing`.

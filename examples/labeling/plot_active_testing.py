"""
Which items to label, and when to stop
======================================

A classifier was good on the data that it was trained on. In new data positives are rarer and
measurements noisier. How good is the classifier there? Labels cost money. Which items should be
labeled, and how many?

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
# The selector has the scores and no labels. `query` returns the items whose labels are expected to
# be most informative about the metric. `update` takes any number of labels, in any order.

selector = ActiveTestSelector("average_precision", random_state=0).fit(scores)
while not selector.should_stop(max_labels=100):
    items = selector.query(10)
    selector.update(items, ask(items))

print(selector.estimate_)
print(f"of {selector.n_labels_} labelled items, alone: {selector.naive_estimate_:.2f}")
print(selector.verdict_.describe())

# %%
# How the estimates change with each batch
# ----------------------------------------
#
# On the queried items alone the classifier looks better than it is. Two estimators correct this.
# The line with the band is the model of P(y = 1 | score). It needs no weights, since items are
# chosen by scores and earlier labels only. The dashed line is the design-based estimator, which
# weights each label by the inverse of its item's inclusion probability. It assumes no model, but is
# less precise.

_ = ActiveTestDisplay.from_estimator(selector, true_value=true_value)

# %%
# Which items were labeled
# ------------------------
#
# Average precision depends on the high scores, so most labels are there. Some labels are drawn from
# all items, because only such labels can show that the model is wrong.

asked = ~np.isnan(selector.query_proba_)
fig, ax = plt.subplots(figsize=(7, 4))
bins = np.linspace(scores.min(), scores.max(), 40)
ax.hist(scores, bins, density=True, color="0.85", label="all scores")
ax.hist(scores[asked], bins, density=True, histtype="step", label="asked for")
ax.set(xlabel="score", ylabel="density")
_ = ax.legend()

# %%
# Chosen and random labels
# ------------------------
#
# One run proves nothing. Here are three runs with chosen and three with random labels, 40 labels
# each.

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
# narrow by chance. An anytime interval allows such looks. It is available for metrics that are
# ratios of sums over items, such as precision at the classifier's own threshold. It uses only the
# inclusion probabilities, and the default strategy adapts these to the metric.

selector = ActiveTestSelector("precision", threshold=0.0, interval="anytime", random_state=0).fit(
    scores
)
while not selector.should_stop(half_width=0.1):
    items = selector.query(10)
    selector.update(items, ask(items))

true_value = precision_score(truth, scores >= 0.0)
_ = ActiveTestDisplay.from_estimator(selector, true_value=true_value, half_width=0.1)

# %%
# An anytime interval is wider than the others, because it is valid for any number of looks. With
# random labels it would need several times as many labels.

print(selector.estimate_)
print(f"stop, with {selector.n_labels_} labels: {selector.stop_reason_}")

# %%
# See :doc:`/user_guide/active_testing` for strategies, stopping, failures of both estimators, and
# labeling with a spreadsheet or with Label Studio.

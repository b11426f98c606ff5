"""
Which items to label, and when to stop
======================================

A classifier was good where it was trained. Now it scores other data: positives are rarer there,
and the measurements noisier. How good is it still? Labels would tell, and each of them costs
money. Which items should be labelled, and how many?

The data are simulated, so that all labels are known. They are looked at only when "somebody" is
asked for one, and to check the answer.
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
    """Return what somebody says who is asked."""
    return truth[items]


# %%
# Ask, label, ask again
# ---------------------
#
# The selector has the scores and no label. `query` names the items whose labels are expected to
# tell most about the metric, `update` takes the answers, in any order and as many as there are.

selector = ActiveTestSelector("average_precision", random_state=0).fit(scores)
while not selector.should_stop(max_labels=100):
    items = selector.query(10)
    selector.update(items, ask(items))

print(selector.estimate_)
print(f"of {selector.n_labels_} labelled items, alone: {selector.naive_estimate_:.2f}")
print(selector.verdict_.describe())

# %%
# What every batch bought
# -----------------------
#
# The items that were asked for are not like the others: among them alone the classifier looks
# better than it is. Two things put this right. The model of P(y = 1 | score) needs no correction,
# as items are chosen by their scores and earlier labels only: the line with the band. And every
# item was drawn with a known chance, by which its label is weighed: the dashed line. That one
# believes no model, and is less precise for it.

_ = ActiveTestDisplay.from_estimator(selector, true_value=true_value)

# %%
# Where the labels are
# --------------------
#
# Average precision is decided among the high scores. Some labels are drawn from everywhere,
# whatever the model expects: without them nobody would notice that it is wrong.

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
# One run proves nothing. Here are three of either kind, with 40 labels each.

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
# Whoever looks at an interval after every batch, and stops when it is narrow, stops too often when
# it is narrow by chance. An interval that holds at all times may be looked at. There is one for
# metrics that are ratios of sums over items, such as the precision of the classifier's own
# decisions; it rests on the chances of the draws alone, and is served best by a strategy that
# makes these fit the metric.

selector = ActiveTestSelector(
    "precision", threshold=0.0, strategy="adaptive_importance", interval="anytime", random_state=0
).fit(scores)
while not selector.should_stop(half_width=0.1):
    items = selector.query(10)
    selector.update(items, ask(items))

true_value = precision_score(truth, scores >= 0.0)
_ = ActiveTestDisplay.from_estimator(selector, true_value=true_value, half_width=0.1)

# %%
# It is wider than the others, which is the price of looking as often as one likes. Random labels
# would have needed several times as many. And so:

print(selector.estimate_)
print(f"stop, with {selector.n_labels_} labels: {selector.stop_reason_}")

# %%
# Strategies, both arms and how they may fail, stopping, and labelling with a spreadsheet or with
# Label Studio: :doc:`../user_guide/active_testing`.

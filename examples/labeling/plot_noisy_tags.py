"""
Estimating precision from careless tags of users
================================================

Users tag photos carelessly: here they set a tag for only two in five of the photos to which it
applies. A classifier ranks all photos for each tag. How many of the twenty highest are right, on
average over tags? A person checks pairs of a photo and a tag. Three estimates are possible: from
the checked pairs alone, with the users' tags for unchecked pairs, and with a model of the users'
errors.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from sklearn_spe import ActiveTestSelector
from sklearn_spe.datasets import make_noisy_tags
from sklearn_spe.exceptions import MisfitWarning
from sklearn_spe.metrics import PrecisionAtK

K, N_TAGS = 20, 20
data = make_noisy_tags(600, N_TAGS, prevalence=0.03, long_tail=1.2, random_state=2)
scores = data.scores.reshape(N_TAGS, -1)  # tag by tag
top = np.argsort(-scores, axis=1)[:, :K]


def precision(labels):
    """Return the precision among the K highest of each tag."""
    return np.take_along_axis(labels.reshape(N_TAGS, -1), top, axis=1).mean(axis=1)


truth = precision(data.labels)
print(f"precision at {K}: {truth.mean():.3f}")
print(f"by the tags of users: {precision(data.noisy_labels).mean():.3f}")

# %%
# Errors of the estimates while pairs are verified
# ------------------------------------------------
#
# A row is a pair of a photo and a tag. Only pairs among the twenty highest scores of a tag matter,
# so only these are queried. The picture shows the mean error of single tags. In the error of the
# mean over tags, errors would cancel.


def vet(strategy, n_batches=4):
    """Return the share verified, and the errors of the estimates."""
    selector = ActiveTestSelector(
        PrecisionAtK(K), strategy=strategy, n_draws=100, random_state=0
    ).fit(data.scores, noisy_labels=data.noisy_labels, category=data.category)
    verified, n_items = np.full(len(data.scores), -1), selector.n_left_
    rows = []
    while selector.n_left_:
        items = selector.query(min(n_items // n_batches, selector.n_left_))
        verified[items] = data.labels[items]
        selector.update(items, verified[items])
        shown = np.take_along_axis(verified.reshape(N_TAGS, -1), top, axis=1)
        known = (shown >= 0).sum(axis=1)
        alone = np.where(known, (shown == 1).sum(axis=1) / np.maximum(known, 1), np.nan)
        estimates = {
            "verified only": alone if known.all() else np.nan,
            "naive": precision(np.where(verified >= 0, verified, data.noisy_labels)),
            "model": selector.by_category().values,
        }
        errors = [np.abs(values - truth).mean() for values in estimates.values()]
        rows.append((selector.n_labels_ / n_items, *errors))
    return np.array(rows).T


random, chosen = vet("random"), vet("estimator_change")

fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
ax.plot(100 * random[0], random[1], "C7-", label="verified only, random")
ax.plot(100 * random[0], random[2], "C1-", label="naive, random")
ax.plot(100 * random[0], random[3], "C0--", label="model, random")
ax.plot(100 * chosen[0], chosen[3], "C0-", linewidth=2.5, label="model, chosen")
ax.set(xlabel="% of the pairs verified", ylabel="mean error of a tag", xlim=(0, 100), ylim=0)
_ = ax.legend()

# %%
# The error of the naive estimate decreases linearly, because a checked pair corrects only itself.
# The verified pairs alone give no estimate until each tag has some. The model uses every checked
# pair to learn the users' errors and the meaning of scores for all tags. The advantage of choosing
# pairs increases with their number, because the remaining pairs hardly matter.
#
# Intervals of single tags
# ------------------------
#
# The estimate of each tag has an interval. Here a quarter of the pairs are verified. Their labels
# contradict the predictions of the model: the e-value against it is 26. The verdict is "misfit",
# and the design-based estimate gets a fifth of the weight.

warnings.simplefilter("ignore", MisfitWarning)
selector = ActiveTestSelector(PrecisionAtK(K), strategy="estimator_change", random_state=0)
selector.fit(data.scores, noisy_labels=data.noisy_labels, category=data.category)
selector.update(items := selector.query(100), data.labels[items])
print(selector.estimate_)
print(f"{selector.verdict_}, weight of the model {selector.model_weight_:.2f}")

table = selector.by_category()
low, high = table.intervals().T
order = np.argsort(truth)
fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
ax.vlines(np.arange(N_TAGS), low[order], high[order], color="C0", alpha=0.4, linewidth=6)
ax.plot(table.values[order], "C0_", markersize=10, label="model, 90%")
ax.plot(precision(data.noisy_labels)[order], "C1x", label="users' tags")
ax.plot(truth[order], "k.", label="truth")
ax.set(xlabel="tag, by true precision", ylabel=f"precision at {K}", xticks=[], ylim=(-0.02, 1.03))
_ = ax.legend()

# %%
# The model also estimates the users' error rates from all pairs with a high score: the share of
# positives without a tag, and the share of negatives with one.

missed, added = np.nanmean(selector.flip_rates_, axis=0)
print(f"missed {missed:.2f}, truth {1 - data.recall.mean():.2f}")
print(f"added  {added:.3f}, truth {data.false_rate.mean():.3f}")

# %%
# :doc:`/user_guide/label_models` describes other models, and explains why error rates counted on
# checked pairs would be wrong.

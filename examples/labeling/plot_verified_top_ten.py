"""
Ten search results, four of them verified
=========================================

A classifier ranks photographs by how likely they show a sunset. How many of its ten best show one?
Users have tagged their photographs, but carelessly: most sunsets lack the tag. Some tags have been
verified. This example reproduces figure 4 of the paper on active testing ([1]_ below): the same ten
results, and four estimates.

The photographs are simulated, with a random seed that gives the numbers of that figure. The truth
is used only to check the estimates.
"""

# sphinx_gallery_thumbnail_number = 2

import matplotlib.pyplot as plt
import numpy as np

from sklearn_spe import ActiveTestSelector
from sklearn_spe.datasets import make_noisy_tags

K = 10
data = make_noisy_tags(400, 1, prevalence=0.12, long_tail=0.8, random_state=17165)
verified = np.zeros(400, dtype=bool)
verified[np.random.default_rng(1).permutation(400)[:120]] = True
top = np.argsort(-data.scores)[:K]

known = np.where(verified, data.labels, -1)
print(
    f"{verified.sum()} of {len(known)} photographs are verified, "
    f"{verified[top].sum()} of the top {K}"
)

# %%
# Two estimates without a model
# -----------------------------
#
# Verified tags alone give three sunsets among ten results. Adding the users' tags for the others
# gives one more. Both are far too few: an unverified or untagged photograph may still be a sunset.

verified_only = (known[top] == 1).sum() / K
naive = np.where(verified, data.labels, data.noisy_labels)[top].mean()
print(f"verified only {verified_only:.0%}, naive {naive:.0%}")

# %%
# An estimate that uses the users' error rates
# --------------------------------------------
#
# The 120 verified photographs show how often a sunset has the tag, and how often another photograph
# has it. Together with the score, these rates give each unverified photograph a probability (eq. 13
# of the paper), and the sum of the probabilities is an estimate. Precision among the ten best is
# precision at the tenth score.

threshold = data.scores[top[-1]]


def selector_with(label_model):
    """Return a selector that has seen everything but the tags that were not verified."""
    selector = ActiveTestSelector(
        "precision",
        threshold=threshold,
        strategy="random",
        label_model=label_model,
        random_state=0,
    )
    return selector.fit(data.scores, known, noisy_labels=data.noisy_labels)


counted = selector_with("counts")
probability = counted.label_proba_[top]
learned = probability.mean()
truth = data.labels[top].mean()
missed, invented = counted.flip_rates_[0]
print(f"{missed:.0%} of the sunsets have no tag; {invented:.1%} of the others have one")
print(f"learned {learned:.0%}, truth {truth:.0%}")

# %%
# The picture
# -----------
#
# Blue borders mark positive labels and red ones negative labels. Solid borders are verified labels,
# dotted ones users' tags. The number below each result is its probability.


def photograph(shows_sunset, rng):
    """Return a small picture, red, green and blue."""
    y, x = np.mgrid[0:1:48j, 0:1:48j]
    if shows_sunset:
        sky, ground = np.array([[0.35, 0.2, 0.45], [1.0, 0.6, 0.25]]), [0.2, 0.13, 0.3]
    else:
        sky, ground = np.array([[0.45, 0.68, 0.92], [0.85, 0.93, 1.0]]), [0.33, 0.55, 0.3]
    hills = 0.0 if shows_sunset else 0.06 * np.sin(6.0 * x + rng.random())
    horizon = rng.uniform(0.6, 0.72) + hills
    share = np.clip(y / horizon, 0.0, 1.0)[..., np.newaxis]
    image = (1.0 - share) * sky[0] + share * sky[1]
    if shows_sunset:
        sun = np.hypot(x - rng.uniform(0.3, 0.7), y - horizon + 0.05) < 0.16
        image[sun] = [1.0, 0.9, 0.5]
    image[y > horizon] = ground
    return image


blue, red = "tab:blue", "tab:red"
rng = np.random.default_rng(0)
fig = plt.figure(figsize=(11, 4.2))
tiles, bars = fig.subfigures(1, 2, width_ratios=[2.2, 1])
for place, (ax, item) in enumerate(zip(tiles.subplots(2, 5).flat, top, strict=True)):
    ax.imshow(photograph(data.labels[item] == 1, rng))
    said = known[item] if verified[item] else data.noisy_labels[item]
    ax.set(xticks=[], yticks=[], xlabel=f"{probability[place]:.2f}", title=f"{place + 1}")
    for side in ax.spines.values():
        side.set(color=blue if said == 1 else red, linewidth=4)
        side.set(linestyle="solid" if verified[item] else (0, (1, 1)), capstyle="butt")

ax = bars.subplots()
answers = {"verified only": verified_only, "naive": naive, "learned": learned, "truth": truth}
colors = ["0.75", "0.75", "tab:green", "0.2"]
drawn = ax.barh(list(answers), list(answers.values()), color=colors)
ax.bar_label(drawn, [f"{value:.0%}" for value in answers.values()], padding=3)
ax.invert_yaxis()
_ = ax.set(xlim=(0, 1.1), xlabel="precision of the ten best", xticks=[0, 0.5, 1])

# %%
# How certain is the estimate?
# ----------------------------
#
# The paper's estimator gives a number. The package's model, "joint", uses all 400 photographs,
# verified or not, and gives an interval. The selector then chooses the photograph to verify next:
# the one whose verified tag is expected to change the estimate most.

chooser = ActiveTestSelector(
    "precision", threshold=threshold, strategy="estimator_change", draw="argmax", random_state=0
).fit(data.scores, known, noisy_labels=data.noisy_labels)
print(chooser.model_estimate_)

low, high, value, naive_value = [], [], [], []
while True:
    low.append(chooser.model_estimate_.interval()[0])
    high.append(chooser.model_estimate_.interval()[1])
    value.append(chooser.label_proba_[top].mean())
    naive_value.append(chooser.naive_estimate_)
    if len(value) > K - verified[top].sum():
        break
    item = chooser.query(1)
    chooser.update(item, data.labels[item])

# %%
# Six photographs were unverified. The estimate is close to the truth long before the last of them
# is verified, and the interval becomes narrower. The naive estimate reaches the truth only by
# correcting one photograph at a time.

fig, ax = plt.subplots(figsize=(6, 3.5))
x = verified[top].sum() + np.arange(len(value))
ax.fill_between(x, low, high, alpha=0.2, color="tab:green", linewidth=0)
ax.plot(x, value, "o-", color="tab:green", label="learned, with its 90% interval")
ax.plot(x, naive_value, "s--", color="0.6", label="naive")
ax.axhline(truth, color="k", linewidth=1, label="truth")
ax.set(xlabel="verified of the ten best", ylabel="precision", ylim=(0, 1.02))
_ = ax.legend(loc="lower right")

# %%
# :doc:`/user_guide/noisy_labels` covers many tags, several systems, and strategies that select by
# noisy tags without bias. :doc:`/replications/active_testing_2018` tests the paper's claims at
# their full size.
#
# .. [1] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework for
#    estimating accuracy." PMLR 80 (2018) 3759-3768.

"""
Which of four systems is best, when masks are expensive?
========================================================

Four systems find objects in images and draw a mask around each. A mask is right if it overlaps the
true mask, but a true mask takes a minute to draw. Boxes around the objects exist already, and their
overlap approximates that of the masks. Which system has the best mean average precision? How many
masks must be drawn to be sure?

The data are simulated, so all masks are known. They are used only to answer a query and to check
the result.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from sklearn_spe import ActiveTestSelector
from sklearn_spe.active import MaxLabels, RankingSettled
from sklearn_spe.exceptions import RepeatedLooksWarning
from sklearn_spe.matches import SegmentationMatches, make_segmentation_matches

data = make_segmentation_matches(120, 4, n_systems=4, quality_spread=0.25, random_state=1)
matches = SegmentationMatches(
    score=data.score,
    category=data.category,
    object=data.object,
    coarse_overlap=data.coarse_overlap,
    object_category=data.object_category,
    system=data.system,
    features=np.log(data.detection_area),
)
print(matches)


def draw_masks(objects):
    """Return how far the masks of each system overlap those of the objects."""
    return matches.overlaps_of(data.overlap, objects)


# With all masks drawn, the estimate is the truth. It is unknown in practice.
verified = ActiveTestSelector(random_state=0).fit(matches, draw_masks(np.arange(matches.n_objects)))
truth = verified.estimate_.value

# %%
# Boxes are not enough
# --------------------
#
# If boxes replace masks, all systems look too good, some more than others. Here boxes reverse the
# two best systems.

selector = ActiveTestSelector(n_draws=150, random_state=0).fit(matches)
by_boxes = selector.naive_estimate_
for name, values in (("boxes", by_boxes), ("masks", truth)):
    print(f"mean average precision by {name}: {values.round(3)}, best first: {np.argsort(-values)}")

# %%
# Draw masks until the order is clear
# -----------------------------------
#
# The selector queries the objects whose masks are most informative about all systems together. A
# mask shows the true overlap of every system that found the object. A regression on boxes and known
# masks predicts the other overlaps, and its uncertainty gives the bands.

rule = RankingSettled(0.95) & MaxLabels(60)  # the order is clear, with at least 60 masks
seen = []


def label(n=20):
    """Draw some masks, and record them."""
    objects = selector.query(n)
    selector.update(objects, draw_masks(objects))
    best, second = np.argsort(-truth)[:2]
    seen.append((selector.n_labels_, selector.estimate_, selector.difference(best, second)))


with warnings.catch_warnings():
    # The order is tested after every batch; the last section explains the warning.
    warnings.simplefilter("ignore", RepeatedLooksWarning)
    while not selector.should_stop(rule):
        label()

n_stop = selector.n_labels_
print(f"{n_stop} of {len(matches.items)} objects: {selector.stop_reason_}")
print("best first:", np.argsort(-selector.estimate_.value))
print("how probable it is that one system (row) is better than another (column):")
print(selector.ranking_proba_.round(2))

# %%
# Bands of the systems, and of their difference
# ---------------------------------------------
#
# Labeling continues here after the rule has stopped. The left plot has the bands of the four
# systems, the truth as dotted lines, and the estimates from boxes as squares. The right plot has
# the difference of the two best. With few masks its band is much narrower than the bands of the two
# systems suggest. Boxes overrate both systems by a similar amount, which is still uncertain.

while selector.n_labels_ < 160:
    label()

n_masks = [n for n, _, _ in seen]
fig, (ax, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for system in range(matches.n_systems):
    low, high = np.array([np.array(e.interval())[:, system] for _, e, _ in seen]).T
    value = [estimate.value[system] for _, estimate, _ in seen]
    color = f"C{system}"
    ax.plot(n_masks, value, color=color, label=f"system {system}")
    ax.fill_between(n_masks, low, high, color=color, alpha=0.2, linewidth=0)
    ax.axhline(truth[system], color=color, linestyle=":", linewidth=1.2)
    ax.plot(0, by_boxes[system], "s", color=color, clip_on=False)
ax.annotate("by boxes", (0, by_boxes.max()), (8, -3), textcoords="offset points")
ax.set(xlabel="masks drawn", ylabel="mean average precision", xlim=(0, n_masks[-1]))
ax.set_ylim(top=0.66)
ax.legend(ncols=2, loc="upper right")

low, high = np.array([difference.interval() for _, _, difference in seen]).T
right.plot(n_masks, [difference.value for _, _, difference in seen], color="0.2")
right.fill_between(n_masks, low, high, color="0.2", alpha=0.2, linewidth=0)
best, second = np.argsort(-truth)[:2]
right.axhline(truth[best] - truth[second], color="0.2", linestyle=":", label="truth")
right.axhline(0.0, color="0.2", linewidth=0.8)
right.axvline(n_stop, color="C3", linestyle="--", label="the order is settled")
right.set(xlabel="masks drawn", ylabel=f"system {best} less system {second}")
right.set_xlim(0, n_masks[-1])
_ = right.legend(loc="upper right")

# %%
# Looks after every batch
# -----------------------
#
# The two best systems are close, and the rule stopped when their difference happened to look large.
# Testing the order after every batch makes false conclusions likely. The `RepeatedLooksWarning`,
# silenced above, explains this. Require a probability above 0.95, require a minimum number of masks
# as here, or fix the number in advance. Look at `difference` too: even a clear difference may be
# too small to matter.
#
# :doc:`/user_guide/labeling_systems` covers tags instead of masks, the assumptions of the estimates
# and their failures.

"""
Labels for more scores than are in memory
=========================================

A file contains two million scores. A billion would need no more memory. One pass counts the scores.
The selector then queries ten items at a time, and another pass locates these items. How good is the
classifier, after sixty labels?

The file is simulated, so all labels are known. Labels are used only to answer a query and to check
the result.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import average_precision_score

from sklearn_spe import ActiveTestSelector, ScoreHistogram
from sklearn_spe.display import ActiveTestDisplay

N_CHUNKS, N_IN_CHUNK = 8, 250_000


def chunk(number):
    """Return scores and labels of one part of the file."""
    rng = np.random.default_rng(number)
    truth = rng.random(N_IN_CHUNK) < 0.02
    return (rng.standard_normal(N_IN_CHUNK) + 2.5 * truth).astype(np.float32), truth.astype(int)


def scores():
    """Read the scores of the file, chunk by chunk."""
    return (chunk(number)[0] for number in range(N_CHUNKS))


def ask(places):
    """Return the labels of the items at some places of the file."""
    return np.array([chunk(place // N_IN_CHUNK)[1][place % N_IN_CHUNK] for place in places])


# %%
# One pass counts
# ---------------
#
# Scores are log-odds, so their scale is "identity".

histogram = ScoreHistogram.from_chunks(scores(), scale="identity")
print(histogram)

# %%
# One more pass for each batch
# ----------------------------
#
# `query` returns item numbers. `find` returns the positions of these items in the file.

selector = ActiveTestSelector("average_precision", random_state=0).fit(histogram)
while not selector.should_stop(max_labels=60):
    items = selector.query(10)
    places = histogram.find(items, scores())
    selector.update(items, ask(places))

print(selector.estimate_)
print(selector.to_frame()[["item", "score", "label", "chance"]].head())

# %%
# Progress of the estimate
# ------------------------

everything = [np.concatenate(parts) for parts in zip(*map(chunk, range(N_CHUNKS)), strict=True)]
true_value = average_precision_score(everything[1], everything[0])
print(f"true average precision: {true_value:.3f}")

display = ActiveTestDisplay.from_estimator(selector, true_value=true_value)
display.ax_.set_title(f"{histogram.n_items:,} scores")
plt.show()

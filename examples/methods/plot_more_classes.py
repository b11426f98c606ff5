"""
From forty letters to four hundred
==================================

A classifier that reads a script of 400 letters was tested on 40 of them, and recognized most
drawings. How accurate will it be with all 400 letters?

The script is simulated, so the estimate can be checked.
"""

# sphinx_gallery_thumbnail_number = 2

import warnings

import matplotlib.pyplot as plt
import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.ndimage import gaussian_filter
from scipy.spatial.distance import cdist

from sklearn_spe import AccuracyComparison, AccuracyExtrapolator, average_accuracy_curve
from sklearn_spe.exceptions import MisfitWarning
from sklearn_spe.extrapolation import AccuracyExtrapolationDisplay

N_LETTERS, N_PILOT, N_TRAIN, N_TEST = 400, 40, 10, 5
SIZE = 24

# %%
# A script
# --------
#
# A letter consists of three out of fifteen strokes, at random positions. Each drawing deforms the
# strokes a little, and stretches, shears and moves the letter.

rng = np.random.default_rng(0)
strokes = rng.uniform(-0.5, 0.5, (15, 4, 2))
# A stroke is a smooth curve through four points.
curve = make_interp_spline(np.linspace(0, 1, 4), np.eye(4))(np.linspace(0, 1, 80))


def draw_letter(n_drawings, wobble=0.13):
    """Make up a letter, and return drawings of it, of shape (n_drawings, SIZE, SIZE)."""
    letter = strokes[rng.choice(len(strokes), 3, replace=False)]
    letter = letter + rng.uniform(-0.45, 0.45, (3, 1, 2))
    bent = letter + 0.5 * wobble * rng.standard_normal((n_drawings, 3, 4, 2))
    bent = bent @ (np.eye(2) + wobble * rng.standard_normal((n_drawings, 1, 2, 2)))
    bent += 0.04 * rng.standard_normal((n_drawings, 1, 1, 2))
    ink = (curve @ bent).reshape(n_drawings, -1, 2)
    pixels = np.clip((ink + 1.1) / 2.2 * SIZE, 0, SIZE - 1).astype(int)
    page = np.zeros((n_drawings, SIZE, SIZE))
    np.add.at(page, (np.arange(n_drawings)[:, None], pixels[..., 1], pixels[..., 0]), 1.0)
    return np.minimum(gaussian_filter(page, (0, 0.7, 0.7)), 1.0)


drawings = np.array([draw_letter(N_TRAIN + N_TEST) for _ in range(N_LETTERS)])
train, test = drawings[:, :N_TRAIN], drawings[:, N_TRAIN:]

fig, axes = plt.subplots(3, 12, figsize=(9, 2.6), layout="constrained")
for letter in range(12):
    for drawing in range(3):
        axes[drawing, letter].imshow(drawings[letter, drawing], cmap="gray_r")
        axes[drawing, letter].set_axis_off()
fig.suptitle("twelve letters, drawn three times")

# %%
# A reader, tested on forty letters
# ---------------------------------
#
# The reader compares a drawing with the mean of each letter's training drawings, and predicts the
# letter with the nearest mean. So the score of a letter depends only on its own drawings, and does
# not change when other letters are added. The extrapolation assumes this. It also assumes that the
# forty letters are a random sample of all.


def score(train, test):
    """Return the score of each letter for each test drawing: minus the squared distance."""
    means = train.mean(axis=1).reshape(len(train), -1)
    return -cdist(test.reshape(-1, means.shape[1]), means, "sqeuclidean")


pilot = rng.choice(N_LETTERS, N_PILOT, replace=False)
X = score(train[pilot], test[pilot])
y = np.repeat(np.arange(N_PILOT), N_TEST)

extrapolator = AccuracyExtrapolator(random_state=0).fit(X, y)
estimate = extrapolator.estimate(N_LETTERS)
low, high = estimate.interval()
print(f"{N_PILOT} letters: {extrapolator.predict(N_PILOT):.3f}")
print(f"{N_LETTERS} letters: {estimate.value:.3f}, 90% [{low:.3f}, {high:.3f}]")
print(extrapolator.verdict_.describe())

# %%
# In practice no more is known. Here the other 360 letters are available, so the reader learns all
# letters and is tested again. `average_accuracy_curve` counts, for each test drawing, the wrong
# letters with a lower score than the right one. These counts give the average accuracy on random
# subsets of letters.

all_scores = score(train, test)
all_labels = np.repeat(np.arange(N_LETTERS), N_TEST)
truth = average_accuracy_curve(all_labels, all_scores)
print(f"truth with {N_LETTERS} letters: {truth[-1]:.3f}")

counts = np.arange(2, N_LETTERS + 1)
display = AccuracyExtrapolationDisplay.from_estimator(
    extrapolator, truth=(counts, truth[1:]), truth_kwargs={"label": "all 400 letters"}
)
_ = display.ax_.set(ylim=(0.5, 1.02), title="the nearest mean")

# %%
# The band accounts for two uncertainties. Letters are sampled at random, so the band is wide even
# at 40 letters. The error of the method increases with the number of letters.
#
# Other methods
# -------------
#
# Beyond 40 letters the ranks of the pilot contain little information. If the right letter has a
# higher score than all 39 others, it may have a higher score than 99% of all wrong letters, or than
# all of them. Methods make different assumptions here; if their results differ much, the pilot
# cannot decide. The default is a blend of three methods. The verdict on "kde" is "misfit", with a
# warning, because its fitted distribution contradicts the accuracy measured with forty letters. The
# scores are squared distances, and the kernel smooths them too much.

for name in ("moment", "classexreg", "kde", "probit", "scores", "blend"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MisfitWarning)
        other = AccuracyExtrapolator(name, n_bootstrap=0, random_state=0).fit(X, y)
    print(f"{name:11} {other.predict(N_LETTERS):.3f}, {other.verdict_}")

# %%
# Four pilots
# -----------
#
# One pilot proves nothing. Here are four pilots, each with forty other letters.

fig, ax = plt.subplots()
for i in range(4):
    tried = rng.choice(N_LETTERS, N_PILOT, replace=False)
    other = AccuracyExtrapolator(n_bootstrap=15, random_state=0)
    other.fit(score(train[tried], test[tried]), y)
    estimate = other.estimate(N_LETTERS)
    ax.plot([i, i], estimate.interval(), color="C0")
    ax.plot(i, estimate.value, "oC0", label=None if i else "400 letters, extrapolated")
    ax.plot(i, other.predict(N_PILOT), "D", color="0.6", label=None if i else "40 letters, tried")
ax.axhline(truth[-1], color="k", linewidth=1, label="400 letters, truth")
ax.set(xlabel="pilot", ylabel="accuracy", xticks=range(4), ylim=(0.5, 1.02))
_ = ax.legend(loc="lower right")

# %%
# Two readers
# -----------
#
# Two simple readers are compared. One reads a mosaic of six blocks, learned from ten drawings per
# letter. The other reads every pixel, but learned from one drawing per letter. With forty letters
# the mosaic is better. But six numbers do not distinguish many letters: another letter nearly
# always has a similar mosaic.


def mosaic(drawings):
    """Return the mean ink in 2 by 3 blocks of each drawing."""
    return drawings.reshape(*drawings.shape[:2], 2, SIZE // 2, 3, SIZE // 3).mean(axis=(3, 5))


def score_both(letters):
    """Return the scores that both readers give, tried on some letters."""
    return [
        score(mosaic(train[letters]), mosaic(test[letters])),
        score(train[letters, :1], test[letters]),
    ]


comparison = AccuracyComparison(AccuracyExtrapolator(random_state=0)).fit(score_both(pilot), y)

# %%
# The left plot has both curves, whose bands overlap. The right plot has their difference. Both
# readers were tested on the same letters, so the difficulty of the letters cancels.

first, second = (
    average_accuracy_curve(all_labels, scores)[1:] for scores in score_both(np.arange(N_LETTERS))
)
fig, (left, right) = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
AccuracyExtrapolationDisplay.from_estimator(
    comparison,
    N_LETTERS,
    truth=[(counts, first), (counts, second)],
    name=["mosaic", "one drawing"],
    ax=left,
)
band = comparison.difference_band(np.arange(N_PILOT, N_LETTERS + 1, 10))
right.plot(band.x, band.value, "C2--", label="extrapolated (90% band)")
right.fill_between(band.x, *band.interval(), color="C2", alpha=0.25, linewidth=0)
right.plot(counts, first - second, color="k", linewidth=1, label="truth")
right.axhline(0.0, color="0.5", linewidth=1)
right.set(xscale="log", xlabel="number of classes", ylabel="lead of the mosaic")
_ = right.legend(loc="lower left")

# %%
for n_letters in (N_PILOT, 100, N_LETTERS):
    lead = comparison.difference_band(n_letters).at(n_letters).value
    behind = comparison.switch_probability(n_letters)
    print(f"{n_letters:3} letters: lead {lead:+.3f}, lost with probability {behind:.2f}")

# %%
# The better reader of a few letters may be the worse reader of many. A pilot with forty letters
# does not decide this, but shows that the lead is not reliable.
#
# These readers are marginal: the score of a letter depends only on its own drawings. A logistic
# regression or a network compares letters with each other, so its scores do not predict its
# accuracy with fewer or more letters. :class:`~sklearn_spe.ClassifierAccuracyExtrapolator` retrains
# it on subsets and corrects the scores. :doc:`/user_guide/more_classes` has the assumptions and
# failures.

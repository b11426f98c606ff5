"""
==========
Odd scores
==========

A classifier may be useless, or its largest scores may belong to negatives, and an analysis must be
able to show that. This example has three distributions of scores and labels with a known truth
(:class:`~sklearn_spe.datasets.ScoreShape`), with sixty labels each. It compares two groups of
experts: those that assume a working classifier, and all.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import average_precision_score

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.datasets import ScoreShape
from sklearn_spe.exceptions import MisfitWarning, UnidentifiedWarning

warnings.simplefilter("ignore", MisfitWarning)
warnings.simplefilter("ignore", UnidentifiedWarning)

TRUSTING = ["score_log_odds", "rank_binormal"]
KINDS = ["worthless", "inverted", "negatives_on_top"]


def fitted(scores, y, experts):
    """Return an estimator with given experts."""
    mixture = SemisupervisedScoreMixture(experts=experts)
    return PerformanceCurveEstimator(mixture, random_state=0).fit(scores, y)


# %%
# The line is the true probability of being positive against the rank of the score. The bands are
# 90% intervals of this probability.

rng = np.random.default_rng(0)
figure, axes = plt.subplots(1, 3, figsize=(11, 3.5), sharey=True, layout="constrained")
for kind, ax in zip(KINDS, axes, strict=True):
    shape = ScoreShape.random(kind, random_state=3)
    scores, labels = shape.draw(2000, random_state=3)
    y = np.full(2000, -1)
    some = rng.choice(2000, size=60, replace=False)
    y[some] = labels[some]
    grid = np.quantile(scores, np.linspace(0.005, 0.995, 100))
    ranks = np.linspace(0.5, 99.5, 100)
    print(f"{kind}: average precision {average_precision_score(labels, scores):.2f}")
    for experts, name, color in (
        (TRUSTING, "experts that trust", "tab:orange"),
        ("auto", "all", "tab:blue"),
    ):
        performance = fitted(scores, y, experts)
        low, high = np.quantile(
            performance.posterior_.probability_draws(grid), [0.05, 0.95], axis=0
        )
        ax.fill_between(ranks, low, high, color=color, alpha=0.3, label=name)
        estimate = performance.estimate("average_precision")
        print(f"  {name}: {estimate:.2f}, {performance.verdict_}")
    truth = np.interp(grid, shape.scores, shape.probabilities)
    ax.plot(ranks, truth, color="black", label="truth")
    ax.set(title=kind.replace("_", " "), xlabel="rank of the score, in percent")
axes[0].set_ylabel("probability of being positive")
axes[0].legend(loc="upper right")

# %%
# The verdict names the problem and the scores where it was found.

print(performance.verdict_.describe())
plt.show()

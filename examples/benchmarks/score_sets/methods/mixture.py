"""The package itself: as the 2013 paper states it, and as it is by default."""

from answers import Answer, Estimate

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture

# The paper's recommendation for the class conditionals, section 4.2.
FAMILIES = ("truncnorm", "gamma")
# Recalls 0.01, 0.02, ..., of which every other one is in an answer.
N_POINTS = 100


def spe_2013(scores, y, seed):
    """Fit the 2013 paper's model: truncated normal and gamma on (0, 1], the likeliest pair.

    Its proposal is the paper's too, a normal with independent coordinates around the mode.
    """
    mixture = SemisupervisedScoreMixture(
        FAMILIES,
        FAMILIES,
        combine="likelihood",
        score_scale="unit",
        proposal="diagonal",
        experts=None,
        random_state=seed,
    )
    return _answer(PerformanceCurveEstimator(mixture, random_state=seed), scores, y)


def default(scores, y, seed):
    """Fit `PerformanceCurveEstimator` with nothing chosen but the points of its curves."""
    return _answer(PerformanceCurveEstimator(random_state=seed), scores, y)


def _answer(performance, scores, y):
    performance.set_params(n_points=N_POINTS).fit(scores, y)
    curve = performance.curve("precision_recall")
    low, high = curve.interval()
    return Answer(
        _estimate(performance.estimate("average_precision")),
        Estimate(curve.value[::2], low[::2], high[::2]),
        _estimate(performance.estimate("prevalence")),
        str(performance.verdict_),
    )


def _estimate(estimate):
    return Estimate(estimate.value, *estimate.interval())

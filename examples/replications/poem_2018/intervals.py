"""The default setting of figure 4 of the 2018 paper: what intervals of recall are worth.

The paper gives single numbers. The observed information at the same maximum gives an interval; the
posterior of the same mixture gives another. The background is normal, and known to be: what is
looked at is the error of sampling alone. Labels are those of the largest scores, or random.

Writes intervals.csv; its 40 trials take 2 minutes on one core.
"""

import numpy as np
from simulations import (
    DEFAULT_RATE,
    DEFAULT_RECALL,
    N_ITEMS,
    Truth,
    label_by,
    mixture_of,
    percentiles,
    read_options,
    silently,
    write_table,
)

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.families import BetaPrior

TRIALS = 40
LEVEL, N_DRAWS = 0.9, 500
DESIGNS = ("tail", "random")
POSTERIOR = {"method": "importance", "experts": None}
INTERVALS = {
    "maximum, Fisher information": {"method": "em"},
    "posterior, prevalence Beta(1, 1)": POSTERIOR | {"prevalence_prior": BetaPrior(1.0, 1.0)},
    "posterior, prevalence Beta(0.1, 1)": POSTERIOR | {"prevalence_prior": BetaPrior(0.1, 1.0)},
}


def trial(design, options, seed):
    """Return the estimated recall and the ends of its interval."""
    truth, rng = Truth(), np.random.default_rng([4, seed])
    scores, labels = truth.draw(rng)
    known = label_by(design, scores, labels, round(DEFAULT_RATE * N_ITEMS), rng)
    mixture = mixture_of(n_draws=N_DRAWS, **options)
    performance = PerformanceCurveEstimator(mixture, target="population", confidence_level=LEVEL)
    silently(performance.fit, scores, known)
    at = truth.threshold(DEFAULT_RECALL)
    estimate = silently(performance.estimate, "recall", threshold=at)
    return estimate.value, *estimate.interval()


def main():
    """Write the table."""
    options = read_options(__doc__, TRIALS)
    rows = []
    for design in DESIGNS:
        for name, how in INTERVALS.items():
            found = [trial(design, how, seed) for seed in range(options.trials)]
            value, low, high = np.array(found).T
            row = {"design": design, "interval": name} | percentiles(value, "recall")
            row["rmse"] = np.sqrt(np.mean((value - DEFAULT_RECALL) ** 2))
            row["covered"] = np.mean((low <= DEFAULT_RECALL) & (high >= DEFAULT_RECALL))
            row["too_low"] = np.mean(high < DEFAULT_RECALL)
            row["too_high"] = np.mean(low > DEFAULT_RECALL)
            row["median_width"] = np.median(high - low)
            rows.append(row | {"trials": options.trials})
            print(rows[-1], flush=True)
    write_table(rows, "intervals", options)


if __name__ == "__main__":
    main()

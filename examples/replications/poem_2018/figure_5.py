"""Figure 5 of the 2018 paper, on other data: two detectors on real streams.

The paper's anomaly series may not be passed on. Here are two files of a score and a label for each
point of a stream (the Numenta streams, scored by two detectors): nab_gauss_cloudwatch.csv.gz and
nab_rcf_knowncause.csv.gz in a directory that is given; other files with the columns ``score`` and
``label`` do as well. The largest 1/128 of the scores are labelled, as in the paper. The scores are
as they are and, for the detector that says probabilities, their log-odds too.

Writes figure_5.csv (the mixtures) and figure_5_curve.csv (precision at some recalls: true, of the
inferred mixture, after posterior labels). A minute.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from scipy import special
from simulations import (
    CANDIDATES,
    fit,
    inferred,
    ks_distance,
    label_by,
    read_options,
    silently,
    write_table,
)

from sklearn_spe import PerformanceCurveEstimator

# The first detector says probabilities.
SETS = {"nab_gauss_cloudwatch": ("score", "log-odds"), "nab_rcf_knowncause": ("score",)}
RATE = 1.0 / 128.0
SHOWN = np.array([0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0])
N_DRAWS = 200


def true_curve(scores, labels, recalls):
    """Return the precision at the highest threshold whose recall is at least the one asked for."""
    hits = np.cumsum(labels[np.argsort(-scores, kind="stable")])
    at = np.searchsorted(hits / hits[-1], recalls - 1e-12)
    return hits[at] / (at + 1)


def best_fit(scores, known):
    """Return the candidate next to the scores, and the KS distance of each."""
    fits = [fit(scores, known, name, n_draws=N_DRAWS) for name in CANDIDATES]
    distances = [ks_distance(inferred(found), scores) for found in fits]
    return fits[int(np.argmin(distances))], distances


def evaluate(name, scale, scores, labels):
    """Return the estimates of one set, and the curves."""
    rng = np.random.default_rng(0)
    known = label_by("tail", scores, labels, round(RATE * len(scores)), rng)
    threshold = scores[known >= 0].min()
    found, distances = best_fit(scores, known)
    mixture = inferred(found)
    performance = silently(PerformanceCurveEstimator(found).fit, scores, known)
    true_recall = labels[scores >= threshold].sum() / labels.sum()
    row = {"set": name, "scale": scale, "items": len(labels), "labels": int((known >= 0).sum())}
    row |= {"labelled_positives": int((known == 1).sum()), "background": mixture.background}
    row |= {f"ks_{c}": d for c, d in zip(CANDIDATES, distances, strict=True)}
    row |= {"true_balance": labels.mean(), "balance": mixture.balance}
    row |= {"threshold": threshold, "true_recall": true_recall}
    curves = {"true": true_curve(scores, labels, SHOWN)}
    for target, title in (("population", "inferred"), ("sample", "posterior labels")):
        estimate = silently(performance.estimate, "recall", threshold=threshold, target=target)
        row |= {f"recall_{target}": estimate.value}
        row |= dict(zip((f"{target}_low", f"{target}_high"), estimate.interval(), strict=True))
        curve = silently(performance.curve, "precision_recall", target=target)
        curves[title] = curve.value[np.searchsorted(curve.x, SHOWN - 1e-9)]
    row["verdict"] = str(performance.verdict_).split(":")[0].split(" ")[0]
    case = {"set": name, "scale": scale}
    points = [
        case | {"recall": r} | {title: values[k] for title, values in curves.items()}
        for k, r in enumerate(SHOWN)
    ]
    return row, points


def main():
    """Write the tables."""
    options = read_options(
        __doc__,
        trials=None,
        arguments=lambda parser: parser.add_argument("data", type=Path, help="where the files are"),
    )
    rows, points = [], []
    for name in list(SETS)[: 1 if options.quick else None]:
        data = pd.read_csv(options.data / f"{name}.csv.gz")
        scores, labels = data["score"].to_numpy(float), data["label"].to_numpy(int)
        for scale in SETS[name]:
            if scale == "log-odds":
                inner = scores[(scores > 0.0) & (scores < 1.0)]
                least = min(inner.min(), (1.0 - inner).min()) / 2.0
                scores = special.logit(np.clip(scores, least, 1.0 - least))
            row, curve = evaluate(name, scale, scores, labels)
            rows.append(row)
            points += curve
    write_table(rows, "figure_5", options)
    write_table(points, "figure_5_curve", options)


if __name__ == "__main__":
    main()

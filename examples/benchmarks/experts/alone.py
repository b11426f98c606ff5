"""Every expert alone: its evidence, and its draws of four quantities."""

from __future__ import annotations

import sys
import warnings
import zlib
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.experts._registry import EXPERTS

QUESTIONS = ("ap", "auc", "prevalence", "f1")
N_DRAWS = 300
# F1 is asked for above this quantile of the scores.
BEST = 0.8
SAVE_EVERY = 20


def fit_missing(path: Path, cases) -> dict[str, dict]:
    """Return the fits of all cases by their keys; those that a file lacks are made and kept."""
    kept = dict(np.load(path, allow_pickle=True)["fits"].item()) if path.is_file() else {}
    wanted, n_new = {}, 0
    for case in cases:
        if case.key not in kept:
            kept[case.key] = fit_alone(case)
            n_new += 1
            print(f"{n_new}  {case.key}", file=sys.stderr)
            if n_new % SAVE_EVERY == 0:
                np.savez_compressed(path, fits=kept)
        wanted[case.key] = kept[case.key]
    np.savez_compressed(path, fits=kept)
    return wanted


def fit_alone(case) -> dict:
    """Return the answers of each expert alone to a labeling, and the truth."""
    threshold, y = float(np.quantile(case.scores, BEST)), case.y
    decided = case.scores >= threshold
    found = {
        "bench": case.bench,
        "data_set": case.data_set,
        "n_labels": case.n_labels,
        "n_seen": (int((y == 0).sum()), int((y == 1).sum())),
        "truth": [
            average_precision_score(case.labels, case.scores),
            roc_auc_score(case.labels, case.scores),
            case.labels.mean(),
            f1_score(case.labels, decided),
        ],
        "experts": {},
    }
    for name in EXPERTS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found["experts"][name] = _alone(name, case, y, threshold)
            except ValueError:
                # Of no weight for such scores.
                continue
    return found


def _alone(name, case, y, threshold):
    mixture = SemisupervisedScoreMixture(experts=name, classes=[0, 1], n_draws=N_DRAWS)
    fit = PerformanceCurveEstimator(
        mixture, n_draws=N_DRAWS, random_state=zlib.crc32(case.key.encode())
    ).fit(case.scores, y)
    estimates = [
        fit.estimate("average_precision"),
        fit.estimate("roc_auc"),
        fit.estimate("prevalence"),
        fit.estimate("f1", threshold=threshold),
    ]
    ensemble = fit.model_.prior.ensemble
    return {
        "prior_weight": ensemble.parts[0].prior_weight,
        "log_evidence": float(fit.posterior_.updated.weights.log_evidence[0]),
        "draws": np.column_stack([own.distribution.draws[:, 0] for own in estimates]),
    }

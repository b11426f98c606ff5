"""Peers on the same tasks, run beside the package on the same processor.

A task is one function that makes the data and returns calls by name, the package's first. A peer is
one call, and one entry of `PACKAGES` if it needs another package: it is left out without it.
"""

import time
import warnings
from importlib.util import find_spec

import numpy as np
from made_at import processor
from scipy import special
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score

from sklearn_spe import (
    MeanEstimator,
    PerformanceCurveEstimator,
    ScoreHistogram,
    SemisupervisedScoreMixture,
)

OURS, N_RUNS, LEVEL = "sklearn_spe", 3, 0.9
# The modules that a peer needs, and the packages that hold them.
PACKAGES = {
    "netcal": (("netcal", "torch"), "netcal"),
    "venn-abers": (("venn_abers",), "venn-abers"),
    "torchmetrics": (("torchmetrics", "torch"), "torchmetrics"),
    "MAPIE": (("mapie",), "mapie"),
    "ppi-python": (("ppi_py", "numba"), "ppi-python"),
    "ppi-aipw": (("ppi_aipw",), "ppi-aipw"),
    "glide": (("glide",), "glide-py"),
}


def scores_and_labels(n, n_labeled):
    """Return scores, all labels, and the labels of the first items, -1 for others."""
    rng = np.random.default_rng(0)
    truth = (rng.random(n) < 0.3).astype(int)
    scores = rng.standard_normal(n) + 2.0 * truth
    return scores, truth, np.where(np.arange(n) < n_labeled, truth, -1)


def recalibration(n):
    """Recalibrate n scores by the labels of 200 items: the fit is made before."""
    scores, truth, y = scores_and_labels(n, 200)
    p, known = special.expit(scores), y >= 0
    X, both = scores[:, np.newaxis], np.column_stack([1.0 - p, p])
    model = SemisupervisedScoreMixture(random_state=0).fit(scores, y)
    calls = {OURS: lambda: model.predict_proba(scores)}
    frozen = FrozenEstimator(LogisticRegression().fit(X[known], truth[known]))
    for method in ("sigmoid", "isotonic"):
        calibrated = CalibratedClassifierCV(frozen, method=method).fit(X[known], truth[known])
        calls[f"scikit-learn, {method}"] = lambda fitted=calibrated: fitted.predict_proba(X)
    if _is_there("netcal"):
        from netcal.scaling import LogisticCalibration

        scaling = LogisticCalibration()
        scaling.fit(p[known], truth[known])
        calls["netcal"] = lambda: scaling.transform(p)
    if _is_there("venn-abers"):
        from venn_abers import VennAbers

        predictors = VennAbers()
        predictors.fit(both[known], truth[known])
        calls["venn-abers"] = lambda: predictors.predict_proba(both)
    return calls


def ranking(n):
    """Summarize n scores for average precision, all labels of the peers known."""
    scores, truth, _ = scores_and_labels(n, 0)
    p = special.expit(scores).astype(np.float32)
    calls = {
        OURS: lambda: ScoreHistogram().update(p),
        "numpy.histogram": lambda: np.histogram(p, 1000),
        "scikit-learn": lambda: average_precision_score(truth, p),
    }
    if _is_there("torchmetrics"):
        import torch
        from torchmetrics.classification import BinaryAveragePrecision

        given = torch.from_numpy(p), torch.from_numpy(truth)
        calls["torchmetrics"] = lambda: BinaryAveragePrecision(thresholds=1000)(*given)
    return calls


def interval(n):
    """Estimate average precision with an interval from the labels of 60 of 2,000 items."""
    scores, truth, y = scores_and_labels(2000, 60)
    rng, known = np.random.default_rng(0), np.flatnonzero(y >= 0)

    def bootstrap():
        drawn = (rng.choice(known, len(known)) for _ in range(1000))
        return [average_precision_score(truth[i], scores[i]) for i in drawn if truth[i].any()]

    def ours():
        return PerformanceCurveEstimator(random_state=0).fit(scores, y).estimate()

    return {OURS: ours, "scikit-learn, 1,000 resamples": bootstrap}


def guarantee(n):
    """Choose a threshold of precision 0.9 from the labels of 60 of 2,000 items."""
    scores, truth, y = scores_and_labels(2000, 60)
    known = np.flatnonzero(y >= 0)

    def ours():
        performance = PerformanceCurveEstimator(random_state=0).fit(scores, y)
        return performance.threshold_for(precision=0.9, confidence_level=LEVEL)

    calls = {OURS: ours}
    if _is_there("MAPIE"):
        from mapie.risk_control import BinaryClassificationController

        p = special.expit(scores)
        both = np.column_stack([1.0 - p, p])

        def mapie():
            controller = BinaryClassificationController(
                predict_function=lambda X: both[X[:, 0]],
                risk="precision",
                target_level=0.9,
                confidence_level=LEVEL,
            )
            return controller.calibrate(known[:, np.newaxis], truth[known])

        calls["MAPIE"] = mapie
    return calls


def mean(n):
    """Estimate a mean from the labels of 50 of 2,000 items with a proxy."""
    rng = np.random.default_rng(0)
    labels = rng.standard_normal(2000)
    proxy, known = labels + rng.standard_normal(2000), np.arange(2000) < 50
    y = np.where(known, labels, np.nan)
    split = labels[known], proxy[known], proxy[~known]
    calls = {OURS: lambda: MeanEstimator(random_state=0).fit(proxy, y).estimate()}
    if _is_there("ppi-python"):
        from ppi_py import ppi_mean_ci

        calls["ppi-python"] = lambda: ppi_mean_ci(*split, alpha=1.0 - LEVEL)
    if _is_there("ppi-aipw"):
        from ppi_aipw import mean_inference

        calls["ppi-aipw"] = lambda: mean_inference(*split, alpha=1.0 - LEVEL)
    if _is_there("glide"):
        from glide.estimators import PPIMeanEstimator

        calls["glide"] = lambda: PPIMeanEstimator().estimate(y, proxy)
    return calls


TASKS = (recalibration, ranking, interval, guarantee, mean)


def peer_table(n):
    """Yield the task, the method, seconds of a processor, and the package's over these."""
    for task in TASKS:
        ours = None
        for name, call in task(n).items():
            try:
                seconds = min(_seconds(call) for _ in range(N_RUNS))
            except Exception as error:  # A peer's failure is a row of the table.
                yield task.__name__, name, f"failed: {type(error).__name__}", np.nan
                continue
            ours = seconds if name == OURS else ours
            yield task.__name__, name, seconds, ours / seconds


def left_out():
    """Return a line for each peer whose package is not installed."""
    return [
        f"{name} is left out: pip install {package}"
        for name, (_, package) in PACKAGES.items()
        if not _is_there(name)
    ]


def show_peers(n):
    """Print the times of the package and its peers, and the processor."""
    print(f"\npeers on {processor()}, {n:,} scores where their number matters")
    print(f"{'task':16}{'method':32}{'seconds':>12}{'ours / peer':>14}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for task, name, seconds, ratio in peer_table(n):
            shown = seconds if isinstance(seconds, str) else f"{seconds:.4f}"
            over = "" if name == OURS or np.isnan(ratio) else f"{ratio:.3g}"
            print(f"{task:16}{name:32}{shown:>12}{over:>14}", flush=True)
    print("\n".join(left_out()))


def _is_there(name):
    modules, _ = PACKAGES[name]
    return all(find_spec(module) is not None for module in modules)


def _seconds(call):
    start = time.process_time()
    call()
    return time.process_time() - start

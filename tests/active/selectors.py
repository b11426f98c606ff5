"""A pool of scores, selectors that are quick to fit to it, and what they know at some time."""

import warnings
from copy import copy
from dataclasses import dataclass, field

import numpy as np

from sklearn_spe import ActiveTestSelector, SemisupervisedScoreMixture
from sklearn_spe.metrics import PrecisionAtK, RankingMetric
from sklearn_spe.metrics._registry import METRICS
from sklearn_spe.metrics._rows import RowMetric
from sklearn_spe.metrics._tradeoff import ProbabilityMetric
from sklearn_spe.results import EstimateTable
from tests.quick import EXPERTS

AT = 0.5


def true_share(y_true, y_score):
    """Return a metric of one's own."""
    return float(np.mean(y_true * (y_score > -1.0)))


# Whatever may be asked: a name for the test, and the parameters.
QUESTIONS = {
    name: {"metric": name} | ({} if issubclass(metric, RankingMetric) else {"threshold": AT})
    for name, metric in METRICS.items()
    if not (issubclass(metric, ProbabilityMetric | RowMetric) or metric.takes_threshold)
} | {
    "precision_at_50": {"metric": PrecisionAtK(50)},
    "precision at a recall": {"metric": "precision", "recall": 0.5},
    "recall at a precision": {"metric": "recall", "precision": 0.7},
    "precision_recall": {"metric": "precision_recall"},
    "roc": {"metric": "roc"},
    "det": {"metric": "det"},
    "one's own": {"metric": true_share},
}


def model(**parameters):
    """Return a label model of two quick experts, with few curves and a quick pair of families."""
    quick = {"experts": EXPERTS, "n_draws": 50, "random_state": 0}
    return SemisupervisedScoreMixture("norm", "gumbel_r", **{**quick, **parameters})


def selector(metric="average_precision", **parameters):
    """Return a selector that such a model tells."""
    parameters = {"label_model": model(), "random_state": 0, **parameters}
    return ActiveTestSelector(metric, **parameters)


@dataclass(frozen=True)
class Items:
    """Three hundred items with scores and labels, and selectors that ask about them."""

    seed: int
    scores: np.ndarray
    truth: np.ndarray
    kept: dict = field(default_factory=dict, repr=False)

    @classmethod
    def drawn(cls, seed):
        """Draw items of which larger scores are more often positive."""
        rng = np.random.default_rng(seed)
        scores = rng.normal(size=300)
        truth = (rng.random(300) < 1.0 / (1.0 + np.exp(1.0 - 2.5 * scores))).astype(int)
        # The first two are of both classes, so that the first labels name both.
        both = [int(np.argmax(truth == z)) for z in (0, 1)]
        order = np.r_[both, np.setdiff1d(np.arange(300), both)]
        return cls(seed, scores[order], truth[order])

    @property
    def tied(self):
        """The scores to one decimal."""
        return np.round(self.scores, 1)

    def partly(self, n):
        """Return the labels of which the first n are known."""
        return np.where(np.arange(300) < n, self.truth, -1)

    def model(self, **parameters):
        """Return a label model of two quick experts."""
        return model(**{"random_state": self.seed, **parameters})

    def selector(self, metric="average_precision", **parameters):
        """Return a selector that such a model tells."""
        known = {"label_model": self.model(), "random_state": self.seed}
        return selector(metric, **{**known, **parameters})

    def fitted(self, metric="average_precision", **parameters):
        """Return a selector that knows the scores: a fork, each question being fitted once."""
        question = (metric, *parameters.items())
        if question not in self.kept:
            self.kept[question] = self.selector(metric, **parameters).fit(self.scores)
        return fork(self.kept[question])

    def label(self, chosen, n=10, *, truth=None, rounds=1, **how):
        """Ask for labels and give them."""
        truth = self.truth if truth is None else truth
        for _ in range(rounds):
            items = chosen.query(n, **how)
            chosen.update(items, truth[items])
        return chosen


def fork(chosen):
    """Return a fitted selector that may go another way."""
    other = copy(chosen)
    other._session = chosen._session.copy()
    other._said = set(chosen._said)
    return other


def numbers(estimate):
    """Return value and interval of an estimate as one array."""
    if estimate is None:
        return np.full(3, np.nan)
    if isinstance(estimate, EstimateTable):
        return np.concatenate([estimate.values, *estimate.intervals().T])
    return np.concatenate([np.atleast_1d(part) for part in (estimate.value, *estimate.interval())])


def state(chosen):
    """Return all that a selector knows, to be compared."""
    query_log = chosen._session.query_log
    return {
        "estimate": numbers(chosen.estimate_),
        "model": numbers(chosen.model_estimate_),
        "design": numbers(chosen.design_estimate_),
        "naive": chosen.naive_estimate_,
        "model weight": chosen.model_weight_,
        "labels": chosen.n_labels_,
        "codes": query_log.codes,
        "pending": chosen.pending_,
        "free": query_log.free,
        "chances": chosen.query_proba_,
        "probability": chosen.label_proba_,
        "utilities": chosen.utilities_,
        "order": np.array(query_log.order),
        "skipped": query_log.skipped,
        "rows": chosen._session.query_log.design.n_rows,
        "history": np.array([list(vars(row).values()) for row in chosen.history_]),
        "classes": chosen.classes_.astype(str),
        "verdict": str(chosen.verdict_),
        "posterior labels": chosen.performance_.posterior_.sample.n_labeled,
    }


def assert_same(one, other):
    assert one.keys() == other.keys()
    for name, values in one.items():
        np.testing.assert_array_equal(values, other[name], err_msg=name)


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)

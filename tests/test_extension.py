"""One of each from outside, of a few lines and one entry: the promises of its room hold for it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from scipy import special

from sklearn_spe import ActiveTestSelector, PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.active import LabelDraws, LabelModel, StoppingRule, Strategy
from sklearn_spe.active.label_models._registry import LABEL_MODELS
from sklearn_spe.active.strategies._registry import STRATEGIES
from sklearn_spe.experts import Expert
from sklearn_spe.experts._registry import EXPERTS
from sklearn_spe.extrapolation import ConditionalAccuracyDistribution, CurveMethod, Powers
from sklearn_spe.extrapolation.methods._registry import METHODS
from sklearn_spe.families import Family
from sklearn_spe.families._registry import FAMILIES
from sklearn_spe.metrics import RatioMetric
from sklearn_spe.metrics._registry import METRICS
from sklearn_spe.posterior import Curve
from sklearn_spe.posterior._registry import CURVES
from tests.active import test_every_label_model, test_stopping, test_strategies
from tests.active.conftest import objects, scored, tagged  # noqa: F401 - fixtures
from tests.active.test_every_label_model import verified  # noqa: F401 - a fixture
from tests.experts import test_experts
from tests.extrapolation import test_methods
from tests.extrapolation.test_methods import law_of, pilots  # noqa: F401 - fixtures
from tests.families import test_families
from tests.guarantees import guarantees, keep
from tests.metrics import test_expectations, test_gradients, test_metrics
from tests.posterior import test_complete_labels, test_sample_target


@dataclass(frozen=True, repr=False)
class Logistic(Family):
    """The logistic density."""

    name: ClassVar[str] = "logistic"
    scale: ClassVar[float] = np.sqrt(3.0) / np.pi

    def logpdf(self, scores, mean, std):
        z = (scores - mean) / (self.scale * std)
        return special.log_expit(z) + special.log_expit(-z) - np.log(self.scale * std)

    def gradient(self, scores, mean, std):
        z = (scores - mean) / (self.scale * std)
        slope = np.tanh(z / 2.0)
        return slope / (self.scale * std), (z * slope - 1.0) / std

    def sf(self, scores, mean, std):
        return special.expit((mean - scores) / (self.scale * std))

    def ppf(self, probability, mean, std):
        return mean + self.scale * std * special.logit(probability)


@dataclass(frozen=True)
class Jaccard(RatioMetric):
    """The share of the found positives among the items that are positive or called so."""

    name: ClassVar[str] = "jaccard"
    meaning: ClassVar[str] = "Of the items that are positive or called so, the share of both."
    computed: ClassVar[str] = "true positives divided by all positives and false alarms."
    numerator: ClassVar[tuple] = (1.0, 0.0, 0.0, 0.0)
    denominator: ClassVar[tuple] = (0.0, 1.0, 1.0, 0.0)


def share_found(points, shares):
    """Return the recall if a share of all items is looked through, the highest scores first."""
    looked_at = points.tp + points.fp
    return np.stack(
        [
            np.interp(shares, np.r_[0.0, n / n[-1]], np.r_[0.0, tp / tp[-1]])
            for n, tp in zip(looked_at, points.tp, strict=True)
        ]
    )


def shares(n_points):
    return np.linspace(0.0, 1.0, n_points)


GAIN = Curve("gain", "share looked at", "recall", shares, share_found)


@dataclass(frozen=True)
class Margin(Strategy):
    """The items whose class is the least sure."""

    name: ClassVar[str] = "margin"
    needs: ClassVar[tuple] = ("probability",)

    def utilities(self, pool):
        return -np.abs(2.0 * pool.probability - 1.0)


@dataclass(frozen=True)
class NineInTen(LabelModel):
    """Nine in ten noisy labels are right."""

    name: ClassVar[str] = "nine_in_ten"

    def learn(self, ranked_lists, codes, n_draws, rng):
        probability = np.where(ranked_lists.noisy == 1, 0.9, 0.1)
        return LabelDraws(np.tile(probability, (n_draws, 1)), codes)


@dataclass(frozen=True)
class Half(StoppingRule):
    """Half of all items are labelled."""

    share: float = 0.5

    def holds(self, progress):
        return progress.n_labels >= self.share * progress.n_items

    def describe(self):
        return f"{self.share:.0%} of the items are labelled"


@dataclass(frozen=True)
class Lines(Expert):
    """Straight lines over the ranks of the scores."""

    name: ClassVar[str] = "lines"

    def curves(self, cells, rng):
        place = np.linspace(-1.0, 1.0, cells.n_cells)
        slope = rng.standard_gamma(4.0, (self.n_curves, 1))
        return rng.normal(-1.0, 1.0, (self.n_curves, 1)) + slope * place


@dataclass(frozen=True)
class LastPoint(CurveMethod):
    """A power of a uniform variable, by the accuracy with the most classes alone."""

    name: ClassVar[str] = "last_point"

    def fit_curve(self, n_classes, accuracies, count_weights, rng):
        last = np.argmax(n_classes)
        accuracy = np.clip(accuracies[last], 1e-3, 1.0 - 1e-3)
        degree = accuracy * (n_classes[last] - 1.0) / (1.0 - accuracy)
        return ConditionalAccuracyDistribution(Powers(np.array([degree])), np.ones(1))


ENTRIES = (
    (FAMILIES, Logistic),
    (METRICS, Jaccard),
    (CURVES, GAIN),
    (STRATEGIES, Margin),
    (LABEL_MODELS, NineInTen),
    (EXPERTS, Lines),
    (METHODS, LastPoint),
)


@pytest.fixture(autouse=True)
def entered(monkeypatch):
    """Make the one entry of each."""
    for registry, member in ENTRIES:
        monkeypatch.setitem(registry, member.name, member)


EVERY_PROMISE = guarantees(
    (test_families, test_families.EVERY_FAMILY, Logistic()),
    (test_families, test_families.EVERY_DEFAULT, Logistic()),
    (test_metrics, test_metrics.EVERY_METRIC, Jaccard()),
    (test_metrics, test_metrics.EVERY_COUNTED, Jaccard()),
    (test_expectations, test_expectations.EVERY, Jaccard()),
    (test_gradients, test_gradients.EVERY, Jaccard()),
    (test_complete_labels, test_complete_labels.EVERY_CURVE, GAIN),
    (test_sample_target, test_sample_target.EVERY_CURVE, GAIN),
    (test_strategies, test_strategies.EVERY_STRATEGY, Margin()),
    (test_strategies, test_strategies.ON_ARRAYS, Margin()),
    (test_every_label_model, test_every_label_model.EVERY_MODEL, NineInTen()),
    (test_stopping, test_stopping.EVERY_RULE, Half()),
    (test_experts, test_experts.EVERY_EXPERT, Lines),
    (test_methods, test_methods.EVERY_METHOD, LastPoint()),
    (test_methods, test_methods.EVERY_OPTION, LastPoint()),
    (test_methods, test_methods.EVERY_CURVE_METHOD, LastPoint()),
)


@pytest.mark.parametrize(("test", "arguments"), EVERY_PROMISE)
@pytest.mark.usefixtures("global_random_seed")
def test_what_every_member_of_a_room_promises_holds_from_outside(test, arguments, request):
    keep(test, arguments, request)


def test_there_are_promises_of_every_room():
    rooms = {case.values[0].__module__.rpartition(".")[2] for case in EVERY_PROMISE}
    assert len(rooms) == 11


# --- by their names in estimators ---------------------------------------------------------


@pytest.fixture
def items(global_random_seed):
    """Return three hundred scores and labels."""
    rng = np.random.default_rng(global_random_seed)
    labels = (np.arange(300) % 3 == 0).astype(int)
    return rng.normal(labels, 1.0), labels


@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.FewLabelsWarning")
def test_estimators_take_them_by_their_names(items, global_random_seed):
    scores, labels = items
    few = np.where(np.arange(300) < 60, labels, -1)
    options = {"n_draws": 60, "random_state": global_random_seed}
    mixture = SemisupervisedScoreMixture("logistic", "logistic", experts=["lines"], **options)
    performance = PerformanceCurveEstimator(mixture, random_state=global_random_seed)
    performance.fit(scores, few)
    assert performance.posterior_.weights.shape == (60,)
    assert performance.curve("gain").at(1.0).value == pytest.approx(1.0)
    low, high = performance.estimate("jaccard", threshold=0.5).interval()
    assert 0.0 <= low < high <= 1.0
    # The positives that are known to be found are more than one in a hundred items.
    assert performance.goal_probability(jaccard=0.01).at(0.5).value == pytest.approx(1.0)


# The first ten labels may be of one class, and are told.
@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.UnidentifiedWarning")
def test_a_selector_takes_them_by_their_names(items, global_random_seed):
    scores, labels = items
    selector = ActiveTestSelector(
        "jaccard",
        threshold=0.5,
        strategy="margin",
        label_model="nine_in_ten",
        n_draws=60,
        random_state=global_random_seed,
    ).fit(scores, noisy_labels=labels)
    while not selector.should_stop(Half(0.1)):
        chosen = selector.query(10)
        selector.update(chosen, labels[chosen])
    assert selector.n_labels_ == 30
    assert not selector.should_stop(Half())

"""Every question that one kind of fit answers, every other one answers or refuses by its name."""

import inspect
import re
import traceback
from pathlib import Path

import numpy as np
import pytest

import sklearn_spe
from sklearn_spe import PerformanceCurveEstimator, ScoreHistogram
from sklearn_spe.display import ScoreMixtureDisplay
from sklearn_spe.estimators._performance import performance_of
from sklearn_spe.metrics._registry import METRICS
from sklearn_spe.posterior._registry import CURVES
from tests.estimators.performance.several import mixture
from tests.quick import QUIET

OUTSIDE = "ignore::sklearn_spe.exceptions.ThresholdOutsideScoresWarning"
pytestmark = [*QUIET, pytest.mark.filterwarnings(OUTSIDE)]

N, N_LABELED = 60, 24
PACKAGE = Path(sklearn_spe.__file__).parent


class Items:
    """Items of two classes and of three, with all that may be said of them."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.labels = rng.permutation(np.arange(N) % 2)
        # Both classes, in both categories, are known.
        known = np.isin(np.arange(N), rng.permutation(N)[:N_LABELED])
        self.y = np.where(known, self.labels, -1)
        self.score = 2.0 * self.labels + rng.normal(size=N)
        self.two = np.column_stack([self.score, rng.normal(size=N)])
        self.gaps = np.where(np.arange(N)[:, np.newaxis] % 3 == [0, 1], np.nan, self.two)
        self.category = np.array(["a", "b"])[np.arange(N) % 2]
        self.groups = np.arange(N) // 3
        self.judges = {
            "rule": np.where(rng.random(N) < 0.2, np.nan, self.labels),
            "one": np.ones(N),
        }
        self.logits = rng.normal(size=(N, 3))
        drawn = (self.logits + rng.gumbel(size=(N, 3))).argmax(axis=1)
        self.of_three = np.where(known, drawn, -1)

    def counted(self, rows=slice(None)):
        """Return a histogram of some scores, of which the first few are labelled."""
        scores, labels = self.score[rows], self.labels[rows]
        histogram = ScoreHistogram("identity").update(scores)
        return histogram.with_labels(scores[:N_LABELED], labels[:N_LABELED])


# How each kind is fitted, and one of its rankings.
KINDS = {
    "one column": (lambda p, d: p.fit(d.score, d.y), {}),
    "systems": (lambda p, d: p.fit(dict(enumerate(d.two.T)), d.y), {"system": 1}),
    "systems with gaps": (lambda p, d: p.fit(d.gaps, d.y), {"system": 1}),
    "category": (lambda p, d: p.fit(d.score, d.y, category=d.category), {"category": "a"}),
    "groups": (lambda p, d: p.fit(d.score, d.y, groups=d.groups), {"system": 0}),
    "judges": (lambda p, d: p.fit(d.score, d.y, judges=d.judges), {"system": 0}),
    "judges alone": (lambda p, d: p.fit(None, d.y, judges=d.judges["one"]), {"system": 0}),
    "systems and category": (
        lambda p, d: p.fit(dict(enumerate(d.two.T)), d.y, category=d.category),
        {"system": 1, "category": "a"},
    ),
    "classes": (lambda p, d: p.fit(d.logits, d.of_three), {}),
    "several classifiers": (
        lambda p, d: p.fit({"a": d.logits, "b": -d.logits}, d.of_three),
        {"system": "b"},
    ),
    "histogram": (lambda p, d: p.fit(d.counted()), {}),
    "histograms": (
        lambda p, d: p.fit({"a": d.counted(slice(0, 30)), "b": d.counted(slice(30, N))}),
        {"category": "a"},
    ),
}
# Of one ranking, by method.
DECIDED, PLACES = {"threshold": 0.5}, ({"recall": 0.5}, {"target": "population"}, {"pos_label": 1})
EVERY_METRIC = (*METRICS, "top_k_accuracy", lambda y, s: 0.5)
OF_RANKING = {
    "estimate": [
        *(((m,), how) for m in EVERY_METRIC for how in ({}, DECIDED)),
        *(((m,), {"selection": 0.5}) for m in METRICS),
        *(((m,), how) for m in ("precision", "brier_score", "prevalence") for how in PLACES),
    ],
    "curve": [((c,), {}) for c in (*METRICS, *CURVES, "accuracy_coverage")],
    "calibration_curve": [((), {}), ((np.tanh,), {"strategy": "uniform"})],
    "goal_probability": [((), {"precision": 0.5, "target": t}) for t in ("sample", "population")],
    "threshold_for": [
        ((), {"precision": 0.3, "confidence_level": 0.5, **how})
        for how in ({}, {"guarantee": "anytime"}, {"negative": {"recall": 0.3}})
    ],
    "selection": [((0.5,), {})],
    "confusion_matrix": [((), {}), ((), {"normalize": "true", "target": "population"})],
    "plan": [(([2],), {}), (([2], "recall"), {"threshold": 0.5, "strategy": "random"})],
}
# Of all there are.
OF_ALL = {
    "difference": [((m, *ab), {}) for m in ("roc_auc", "recall") for ab in ((0, 1), ("a", "b"))],
    "by_category": [
        (("prevalence",), {}),
        ((), {"reference": "a"}),
        (("f1",), {"threshold": 0.5}),
        *(((), {"by": by}) for by in ("system", "judge", "class")),
        *((("roc_auc",), {"by": by}) for by in ("system", "judge", "class")),
        (("recall",), {"category": "a", "by": "judge"}),
        (("brier_score",), {"by": "class"}),
    ],
    "ranking_proba": [((), {}), (("f1",), {"threshold": 0.5})],
    "of": [((), {"judge": "rule"}), ((), {"judge": 0}), ((), {"system": "none", "category": 2})],
}
# These ask of a fit what others do, or are asked below.
ELSEWHERE = {"fit", "update", "score", "judge_errors"}


@pytest.fixture(scope="module")
def items(global_random_seed):
    return Items(global_random_seed)


# Their parts are asked together as well.
SLOW_KINDS = {"systems", "category", "histogram"}


@pytest.fixture(
    scope="module",
    params=[pytest.param(kind, marks=[pytest.mark.slow] * (kind in SLOW_KINDS)) for kind in KINDS],
)
def asked(items, request):
    """Return a fit, and where one of its rankings is."""
    fit, where = KINDS[request.param]
    quick = PerformanceCurveEstimator(mixture(n_draws=20), n_points=5, random_state=0)
    return fit(quick, items), where


def accident(question):
    """Return what goes wrong where something is neither answered nor refused on purpose."""
    try:
        question()
    except (ValueError, TypeError, AttributeError) as error:
        # Refusals are raised, by this package; anything else happens to some line of it.
        *_, last = traceback.extract_tb(error.__traceback__)
        is_ours = PACKAGE in Path(last.filename).parents or "NotFitted" in type(error).__name__
        is_meant = is_ours and (last.line or "").startswith("raise")
        if not is_meant and "NotFitted" not in type(error).__name__:
            return f"{type(error).__name__}: {error} ({last.line})"
    return None


def documented_attributes():
    """Return the attributes that users read of."""
    (section,) = re.findall(
        r"Attributes\n-+\n(.*?)\n\n\w[\w ]+\n-+\n",
        inspect.cleandoc(PerformanceCurveEstimator.__doc__),
        flags=re.DOTALL,
    )
    return re.findall(r"^(\w+_) :", section, flags=re.MULTILINE)


def test_no_public_method_is_left_out():
    members = inspect.getmembers(PerformanceCurveEstimator, inspect.isroutine)
    # Others are scikit-learn's.
    own = {name for name, it in members if str(inspect.getmodule(it)).count("sklearn_spe")}
    assert {name for name in own if not name.startswith("_")} == {*OF_RANKING, *OF_ALL, *ELSEWHERE}


def test_every_question_is_answered_or_refused_by_name(asked):
    fit, where = asked
    calls = [
        (place, name, args, how)
        for name, questions in OF_RANKING.items()
        for args, how in questions
        for place in (where, {"system": 0, "category": "b"})
    ]
    # Where nothing is named there may be several.
    calls += [(None, name, *questions[0]) for name, questions in OF_RANKING.items()]
    calls += [
        (None, name, *question) for name, questions in OF_ALL.items() for question in questions
    ]

    def ask(place, name, args, how):
        return getattr(fit if place is None else fit.of(**place), name)(*args, **how)

    found = {
        f"{call}": accident(lambda: ask(*call))  # noqa: B023
        for call in calls
    }
    assert {call: wrong for call, wrong in found.items() if wrong} == {}


def test_attributes_are_there_or_say_why_not(asked):
    fit, _ = asked
    names = documented_attributes()
    assert {"mixture_", "verdict_", "seed_"} <= set(names)
    for name in names:
        assert accident(lambda: getattr(fit, name)) is None  # noqa: B023


def test_who_takes_a_mixture_takes_no_fit_of_another_kind(asked, items):
    fit, _ = asked
    with pytest.raises(TypeError, match="A fitted SemisupervisedScoreMixture is needed"):
        performance_of(fit)
    has_mixture = hasattr(fit.mixture_, "posterior_")
    for ask in (
        lambda: performance_of(fit.mixture_).estimate(),
        lambda: fit.mixture_.predict_proba(items.score),
        lambda: fit.mixture_.sample(3),
        lambda: fit.mixture_.prevalence_,
        lambda: ScoreMixtureDisplay.from_estimator(fit),
    ):
        if has_mixture:
            ask()
        else:
            with pytest.raises((ValueError, AttributeError), match=r"fitted with one col|density"):
                ask()

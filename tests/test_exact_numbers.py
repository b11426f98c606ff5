"""No interval without a width but where a number is exact, which is said; probabilities are such.

Every public number that has an interval, of all doors, with all items labeled and with labels that
say little: of one class, one alone, scores that are all equal or order the labels perfectly.
"""

import re
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sklearn_spe import (
    ActiveTestSelector,
    MeanEstimator,
    PerformanceCurveEstimator,
    SemisupervisedScoreMixture,
)
from sklearn_spe.application import main_estimates
from sklearn_spe.application.command_line._main import main
from sklearn_spe.metrics._registry import METRICS
from sklearn_spe.results import EstimateTable
from tests.quick import EXPERTS, QUIET

pytestmark = [
    *QUIET,
    # Thresholds above all scores are asked for.
    pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.ThresholdOutsideScoresWarning"),
]

N, N_DRAWS = 24, 40
TARGETS = ("sample", "population")
EXACT = re.compile(r"exact for (these|this)")
# Ends of an interval as they are printed in tables and sentences.
PRINTED = re.compile(r"(-?\d\.\d{3}) to (-?\d\.\d{3})")


def labels_of(kind, seed):
    """Return scores and labels, -1 where there is none."""
    rng = np.random.default_rng(seed)
    scores = rng.random(N)
    y = (rng.random(N) < scores).astype(int)
    y[:2] = 0, 1
    if kind == "perfect":
        y = (scores > np.median(scores)).astype(int)
    if kind == "passed":
        y = np.ones(N, dtype=int)
    if kind == "one score":
        scores = np.zeros(N)
    if kind == "few":
        y[6:] = -1
    if kind == "few passed":
        y = np.where(np.arange(N) < 6, 1, -1)
    if kind == "one label":
        y[1:] = -1
    return scores, y


KINDS = ("mixed", "perfect", "passed", "one score", "few", "few passed", "one label")
COMPLETE = KINDS[:4]
# The pairs that are quick to fit, and each kind and structure once.
QUICK = [
    *(("passed", "pool"), ("passed", "category"), ("perfect", "groups"), ("few passed", "judges")),
    *(("one score", "labels"), ("passed", "labels"), ("mixed", "systems"), ("few", "pool")),
    ("one label", "pool"),
]
STRUCTURES = ("pool", "category", "groups", "systems", "judges", "labels")


@cache
def fitted(kind, structure, seed):
    """Return a fitted performance estimator."""
    scores, y = labels_of(kind, seed)
    rng = np.random.default_rng([seed, 1])
    X, given = scores, {}
    if structure == "category":
        given["category"] = np.arange(N) % 2
    if structure == "groups":
        given["groups"] = np.arange(N) // 2
    if structure == "systems":
        X = {"a": scores, "b": scores + 0.2 * rng.random(N)}
    if structure == "judges":
        given["judges"] = {"rule": rng.integers(0, 2, N), "llm": rng.normal(size=N)}
    if structure == "labels":
        X = None
    mixture = SemisupervisedScoreMixture(experts=EXPERTS, classes=[0, 1])
    return PerformanceCurveEstimator(mixture, n_draws=N_DRAWS, n_points=5, random_state=seed).fit(
        X, y, **given
    )


def estimates_of(performance, target):
    """Yield all estimates and tables that a fit answers, by name."""
    names = ["prevalence"] if not performance.model_.has_scores else METRICS
    systems = performance.systems_ if len(performance.systems_) > 1 else (None,)
    for name in names:
        for system in systems:
            for more in ({}, {"threshold": 0.5}, {"threshold": 0.95}):
                try:
                    yield name, performance.of(system=system).estimate(name, target=target, **more)
                except ValueError:
                    # A metric of the whole ranking, of probabilities, or of counts of a sample.
                    continue
    if performance.categories_ is not None:
        yield "by category", performance.by_category("prevalence", target=target)
        yield "difference", performance.difference("prevalence", 0, 1, target=target)
    if len(systems) > 1:
        yield "difference", performance.difference("accuracy", *systems, target=target, threshold=1)
        for readers in ("fixed", "random"):
            mean = performance.of(system=systems)
            yield readers, mean.estimate("roc_auc", target=target, readers=readers)
    if performance.judges_:
        yield "by judge", performance.by_category(target=target, by="judge")


def curves_of(performance, target):
    """Yield all curves that a fit answers."""
    if not performance.model_.has_scores:
        return
    for system in performance.systems_:
        for name in ("precision_recall", "roc", "det", "precision", "recall", "accuracy"):
            yield performance.of(system=system).curve(name, target=target)
        yield performance.of(system=system).confusion_matrix(threshold=0.5, target=target)


def check_number(estimate, is_population):
    """Assert that an interval has a width, or says for what the number is exact."""
    low, high = estimate.interval()
    if np.isnan(low) or estimate.undefined >= 1.0 - 1e-9:
        return
    assert 0.0 <= estimate.undefined <= 1.0
    is_exact = high - low <= 1e-12
    for text in (repr(estimate), estimate.sentence(), str(EstimateTable(("x",), (estimate,)))):
        assert bool(EXACT.search(text)) == is_exact, text
    if estimate.kind not in ("design", "anytime"):
        assert 0.0 <= estimate.probability_above(0.5) <= 1.0
    if is_exact and is_population:
        # Only what the scores alone decide.
        assert "whatever the labels" in repr(estimate)
        assert np.ptp(estimate.draws[~np.isnan(estimate.draws)]) <= 1e-12


def check_table(table, is_population):
    for estimate in table.estimates:
        check_number(estimate, is_population)
    check_text(str(table))
    check_text(repr(table))


def check_text(text):
    """Assert that no text has an interval of one number to the same."""
    for line in text.splitlines():
        for low, high in PRINTED.findall(line):
            assert low != high or EXACT.search(line), line


# --- performance -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "structure"),
    [
        pytest.param(kind, structure, marks=[] if (kind, structure) in QUICK else pytest.mark.slow)
        for kind in KINDS
        for structure in STRUCTURES
    ],
)
def test_an_interval_without_a_width_says_for_what_it_is_exact(kind, structure, global_random_seed):
    performance = fitted(kind, structure, global_random_seed)
    for target in TARGETS:
        for _, found in estimates_of(performance, target):
            check = check_table if isinstance(found, EstimateTable) else check_number
            check(found, target == "population")
        for curve in curves_of(performance, target):
            widths = np.subtract(*curve.interval()[::-1])
            is_exact = np.nanmax(np.append(widths.ravel(), 0.0)) <= 1e-12
            is_empty = np.isnan(widths).all()
            assert bool(EXACT.search(repr(curve))) == (is_exact and not is_empty)
    check_text(str(main_estimates(performance)))
    if kind in COMPLETE:
        assert EXACT.search(performance.verdict_.describe())


@pytest.mark.parametrize("structure", ["pool", "category", "groups", "systems", "labels"])
@pytest.mark.parametrize("kind", ["passed", "few passed"])
def test_passes_alone_do_not_rule_out_failures(kind, structure, global_random_seed):
    ranking = fitted(kind, structure, global_random_seed).of(
        system="a" if structure == "systems" else None
    )
    estimate = ranking.estimate("prevalence", target="population")
    low, high = estimate.interval()
    assert high == 1.0
    # One of as many items may fail, in at least one of all draws.
    assert low < 1.0 - 1.0 / N
    if kind == "passed":
        # The labels alone, of one class, leave a quarter of the error on one side. The end is a
        # quantile of draws: its tail is off by a few standard errors.
        tail = 0.025
        off = 5.0 * np.sqrt(tail * (1.0 - tail) / N_DRAWS)
        assert stats.beta(N + 0.5, 0.5).cdf(low) <= tail + off


@pytest.mark.parametrize("groups", [None, np.arange(30) // 2])
@pytest.mark.parametrize("kind", ["mixed", "right"])
def test_classes(kind, groups, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = np.arange(30) % 3
    X = 3.0 * np.eye(3)[y] + (rng.normal(size=(30, 3)) if kind == "mixed" else 0.0)
    performance = PerformanceCurveEstimator(n_draws=N_DRAWS, n_points=5, random_state=0)
    performance.fit(X, y, groups=groups)
    for target in TARGETS:
        is_population = target == "population"
        for metric in ("accuracy", "top_k_accuracy", "recall", "f1", "roc_auc", "cohen_kappa"):
            check_number(performance.estimate(metric, target=target), is_population)
        check_table(performance.by_category("recall", target=target, by="class"), is_population)
        for found in (
            performance.curve("accuracy_coverage", target=target),
            performance.confusion_matrix(target=target),
        ):
            assert bool(EXACT.search(repr(found))) == (not is_population)


# --- means -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_labeled", "values", "groups"),
    [
        # Each pair once; the others are slow.
        pytest.param(n, values, groups, marks=[] if (n == 40) == is_first else pytest.mark.slow)
        for k, values in enumerate(("passed", "mixed", "grades", "measured"))
        for groups in (None, np.arange(40) // 2)
        for n in (40, 20)
        for is_first in [(k % 2 == 0) == (groups is None)]
    ],
)
def test_means(n_labeled, values, groups, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = {
        "passed": np.ones(40),
        "mixed": np.arange(40) % 3 == 0,
        "grades": 1.0 + np.arange(40) % 5,
        "measured": rng.normal(size=40),
    }[values].astype(float)
    label_range = {"passed": (0, 1), "grades": (1, 5)}.get(values)
    # Every other group has labels.
    y[np.arange(40) // 4 >= n_labeled // 4] = np.nan
    means = MeanEstimator(label_range=label_range, n_draws=N_DRAWS, random_state=global_random_seed)
    category = np.arange(40) % 2
    for X in (None, rng.integers(0, 2, 40).astype(float), rng.normal(size=40)):
        means.fit(X, y, category=category, groups=groups)
        for target in TARGETS:
            is_population = target == "population"
            for estimate in (means.estimate(target=target), means.difference(0, 1, target=target)):
                check_number(estimate, is_population)
                is_exact = not is_population and n_labeled == 40
                assert bool(EXACT.search(repr(estimate))) == is_exact
            check_table(means.by_category(target=target), is_population)


# --- selection ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "interval"),
    [("average_precision", "posterior"), ("recall", "design"), ("prevalence", "anytime")],
)
def test_a_selector_with_all_labels(metric, interval, global_random_seed):
    scores, y = labels_of("mixed", global_random_seed)
    selector = ActiveTestSelector(
        metric,
        threshold=0.5 if metric == "recall" else None,
        interval=interval,
        n_draws=N_DRAWS,
        random_state=global_random_seed,
    ).fit(scores)
    while selector.n_left_:
        items = selector.query(8)
        selector.update(items, y[items])
    check_number(selector.estimate_, is_population=False)
    assert EXACT.search(repr(selector.estimate_))
    assert EXACT.search(selector.verdict_.describe())
    assert selector.label_proba_.min() >= 0.0
    assert selector.label_proba_.max() <= 1.0


# --- the command line --------------------------------------------------------------------


def printed(capsys, *words):
    main([*map(str, words)])
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        *(("estimate", "mixed"), ("mean", "mixed"), ("mean", "passed"), ("estimate", "few")),
        pytest.param("compare", "passed", marks=pytest.mark.slow),
        pytest.param("estimate --score s", "passed", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("target", TARGETS)
def test_commands(kind, target, command, tmp_path, capsys, global_random_seed):
    scores, y = labels_of(kind, global_random_seed)
    frame = pd.DataFrame({"s": scores, "t": scores[::-1], "y": np.where(y < 0, np.nan, y)})
    frame["part"] = np.where(np.arange(N) % 2, "odd", "even")
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    name, *more = command.split()
    more += {"mean": ["--label-range", 0, 1], "compare": ["--scores", "s", "t"]}.get(name, [])
    if name in ("estimate", "compare") and kind == "passed":
        more += ["--classes", "0", "1"]
    common = ["--label", "y", "--category", "part", "--target", target, "--n-draws", N_DRAWS]
    text = printed(capsys, name, path, *common, *more)
    check_text(text)
    if target == "sample":
        assert (
            "exact for these 24 items; for items beyond these: --target population" in text
        ) == (kind != "few")

"""Stopping rules: when each holds, how they join, and what can never hold."""

import dataclasses
import itertools

import numpy as np
import pytest

from sklearn_spe.active import HalfWidth, MaxLabels, StoppingRule
from sklearn_spe.active._stopping import AllOf, AnyOf, LaterProgress, Progress, half_width, joined
from sklearn_spe.results._distributions import WeightedDraws
from sklearn_spe.results._estimates import CurveBand, ScalarEstimate


def progress(n_labels=50, n_items=100, width=0.1):
    return Progress(n_labels, n_items, width)


def test_widths_are_compared():
    assert [HalfWidth(0.1).holds(progress(width=w)) for w in (0.11, 0.1, 0.0)] == [
        False,
        True,
        True,
    ]
    assert not HalfWidth(0.1).holds(progress(width=np.inf))
    assert HalfWidth(0.1).looks_at_interval


RULES = {
    "labels hold": MaxLabels(10),
    "labels not yet": MaxLabels(90),
    "labels never": MaxLabels(500),
    "width holds": HalfWidth(0.2),
    "width not yet": HalfWidth(0.01),
}


EVERY_RULE = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


@EVERY_RULE
def test_or_and_and_are_those_of_logic(rule):
    now = progress()
    for one, other in itertools.chain.from_iterable(((rule, o), (o, rule)) for o in RULES.values()):
        either, both = one | other, one & other
        assert either == AnyOf((one, other))
        assert both == AllOf((one, other))
        assert either.holds(now) == (one.holds(now) or other.holds(now))
        assert both.holds(now) == (one.holds(now) and other.holds(now))
        assert either.can_hold(now) == (one.can_hold(now) or other.can_hold(now))
        assert both.can_hold(now) == (one.can_hold(now) and other.can_hold(now))
        for joint in (either, both):
            assert joint.looks_at_interval == (one.looks_at_interval or other.looks_at_interval)
            assert one.describe() in joint.describe()
            assert other.describe() in joint.describe()


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: MaxLabels(0), ValueError, "n_labels must be at least 1, got 0"),
        (lambda: MaxLabels(1.5), TypeError, "n_labels must be a whole number"),
        (lambda: HalfWidth(0.0), ValueError, r"half_width must lie in \(0, 0.5\), got 0.0"),
        (lambda: HalfWidth(0.5), ValueError, r"half_width must lie in \(0, 0.5\)"),
        (lambda: HalfWidth(np.nan), ValueError, "half_width must lie in"),
        (lambda: HalfWidth("0.1"), TypeError, "half_width must be a number"),
        (lambda: MaxLabels(3) | 5, TypeError, "unsupported operand"),
        (lambda: MaxLabels(3) & 0.1, TypeError, "unsupported operand"),
        (
            lambda: AnyOf((MaxLabels(3), 5)),
            ValueError,
            "Rules must be stopping rules such as .* got 5",
        ),
        (lambda: AllOf(()), ValueError, "AllOf needs at least one rule"),
        (lambda: joined((), None, None), ValueError, "should_stop needs a rule"),
        (
            lambda: joined((0.05,), None, None),
            ValueError,
            "Rules must be stopping rules such as .* got 0.05",
        ),
        (lambda: joined((), 0.7, None), ValueError, "half_width must lie in"),
        (lambda: joined((), None, -3), ValueError, "n_labels must be at least 1"),
    ],
)
def test_wrong_rules_are_named(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_a_rule_of_ones_own_joins_the_others():
    @dataclasses.dataclass(frozen=True)
    class Half(StoppingRule):
        def holds(self, progress):
            return 2 * progress.n_labels >= progress.n_items

        def describe(self):
            return "half of all are labelled"

    rule = Half() & HalfWidth(0.2)
    assert rule.holds(progress(50))
    assert not rule.holds(progress(49))
    assert Half().can_hold(progress(0))


def test_the_half_width_of_a_curve_is_the_mean_of_those_of_its_points():
    draws = np.linspace(0.0, 1.0, 101)
    even = np.full(101, 1.0 / 101.0)
    number = ScalarEstimate("m", WeightedDraws(draws[:, None], even))
    low, high = number.interval()
    assert half_width(number) == pytest.approx((high - low) / 2.0)
    distribution = WeightedDraws(np.column_stack([draws, draws / 2.0, np.full(101, 0.3)]), even)
    band = CurveBand("c", np.arange(3.0), distribution, "x", "y")
    assert half_width(band) == pytest.approx((high - low) * (1.0 + 0.5 + 0.0) / 6.0)


def test_what_a_rule_does_not_read_is_not_computed_and_the_rest_once():
    computed = []

    def rest():
        computed.append("rest")
        return Progress(3, 9, 0.25, order_probability=0.5)

    def review():
        computed.append("review")

    progress = LaterProgress(n_labels=3, n_items=9, later={"review": review}, rest=rest)
    assert (progress.n_labels, progress.n_items, computed) == (3, 9, [])
    assert (progress.review, progress.review, computed) == (None, None, ["review"])
    assert (progress.half_width, progress.order_probability) == (0.25, 0.5)
    assert progress.guarantee is None
    assert computed == ["review", "rest"]

    # As a rule of one's own may ask what another rule says later.
    later = dataclasses.replace(progress, n_labels=4)
    assert (later.n_labels, later.half_width, later.n_items) == (4, 0.25, 9)

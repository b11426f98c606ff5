"""Joint histograms of two systems: the answers of the items, sums, labels and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special

from sklearn_spe import (
    ActiveTestSelector,
    PerformanceCurveEstimator,
    ScoreHistogram,
    SemisupervisedScoreMixture,
)
from sklearn_spe.exceptions import CoarseBinsWarning
from tests.estimators.performance.data import QUICK
from tests.quick import QUIET

pytestmark = QUIET
pl = pytest.importorskip("polars")
SYSTEMS = ["old", "new"]


@pytest.fixture(scope="module")
def items(global_random_seed):
    """Return probabilities of two systems, (3000, 2), and labels."""
    rng = np.random.default_rng(global_random_seed)
    y = (rng.random(3000) < 0.3).astype(int)
    common = rng.standard_normal(3000) + 2.0 * y
    noise = rng.standard_normal((3000, 2)) * [1.0, 0.3]
    return special.expit(2.0 * (common[:, np.newaxis] + noise) - 2.0), y


def sql_table(scores, **options):
    frame = pl.DataFrame({"p_old": scores[:, 0], "p_new": scores[:, 1]}, nan_to_null=True)
    columns = {"old": "p_old", "new": "p_new"}
    return frame.sql(ScoreHistogram(**options).sql(columns, "self")).to_pandas()


def joint(scores, **options):
    return ScoreHistogram.from_table(sql_table(scores, **options), systems=SYSTEMS, **options)


def performance():
    mixture = SemisupervisedScoreMixture(experts=QUICK, n_draws=400, random_state=0)
    return PerformanceCurveEstimator(mixture, random_state=0)


def test_cells_hold_the_counts_and_means_of_the_items(items):
    scores, _ = items
    found = joint(scores, resolution=4)
    keys = np.floor(4.0 * np.log(scores / (1.0 - scores))).astype(int)
    expected, cell, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    assert_array_equal(found.keys, expected)
    assert_array_equal(found.counts, counts)
    means = [np.bincount(cell.ravel(), own) / counts for own in scores.T]
    assert_allclose(found.scores.T, means, rtol=1e-6)
    assert found.n_items == 3000


def test_differences_are_those_of_the_items(items):
    scores, truth = items
    y = np.where(np.arange(3000) < 100, truth, -1)
    frame = pl.DataFrame(dict(zip(SYSTEMS, scores.T, strict=True))).to_pandas()
    theirs = performance().fit(frame, y)
    ours = performance().fit(joint(scores).with_labels(scores[:100], truth[:100]))
    assert ours.model_.systems == ("old", "new")
    found, expected = (p.difference("roc_auc", "new", "old") for p in (ours, theirs))
    band = np.diff(expected.interval())[0]
    # A tenth of the band, and what 400 draws leave of chance.
    assert_allclose(found.value, expected.value, atol=(0.1 + 0.1) * band)
    assert_allclose(found.interval(), expected.interval(), atol=(0.1 + 0.25) * band)
    # More labels of the same items.
    ours.update(joint(scores).with_labels(scores[:120], truth[:120]))
    with pytest.raises(ValueError, match="counted other scores"):
        ours.update(joint(scores[1:]).with_labels(scores[1:120], truth[1:120]))


def test_parts_add_up_and_tables_go_there_and_back(items):
    scores, _ = items
    whole = joint(scores)
    parts = [joint(own) for own in np.array_split(scores, 3)]
    total = sum(parts)
    assert_array_equal(total.keys, whole.keys)
    assert_array_equal(total.counts, whole.counts)
    assert_allclose(total.scores, whole.scores, rtol=1e-6)
    assert total == parts[2] + parts[0] + parts[1]
    assert ScoreHistogram.from_table(pl.DataFrame(whole.to_table()), systems=SYSTEMS) == whole
    assert whole != parts[0]
    with pytest.raises(ValueError, match="same systems, judges and bins"):
        whole + joint(scores, resolution=32)


def test_missing_scores_have_a_cell_of_their_own(items):
    scores = items[0][:300].copy()
    scores[:7, 1] = np.nan
    found = joint(scores)
    assert found.counts[np.isnan(found.scores[:, 1])].sum() == 7
    assert not np.isnan(found.scores[:, 0]).any()
    given = found.with_labels(scores[:5], np.arange(5) % 2)
    assert given.counts.sum() == 300
    assert ScoreHistogram.from_table(found.to_table(), systems=SYSTEMS) == found


def test_subgroups_of_several_systems(items):
    scores, truth = items[0][:600], items[1][:600]
    part = np.where(np.arange(600) % 2, "a", "b")
    frame = pl.DataFrame({"old": scores[:, 0], "new": scores[:, 1], "part": part, "y": truth})
    columns = {"old": "old", "new": "new"}
    table = frame.sql(ScoreHistogram(resolution=8).sql(columns, "self", category="part"))
    how = {"by": "part", "systems": SYSTEMS, "resolution": 8}
    given = ScoreHistogram.from_table(table, labels=frame[:80], **how)
    assert {name: own.counts.sum() for name, own in given.items()} == {"a": 300.0, "b": 300.0}
    found = performance().fit(given)
    assert found.of(system="new", category="a").estimate("roc_auc").value > 0.5
    other = ScoreHistogram.from_table(table.drop("part").head(1), systems=SYSTEMS, resolution=8)
    one = ScoreHistogram(resolution=8).update([0.5]).with_labels([], [])
    with pytest.raises(ValueError, match="must be of the same systems"):
        performance().fit({"a": other.with_labels(np.empty((0, 2)), []), "b": one})


def test_joint_tables_that_contradict_are_refused(items):
    scores, _ = items
    table = sql_table(scores)
    own = {name: ScoreHistogram().update(scores[:, k]) for k, name in enumerate(SYSTEMS)}
    ScoreHistogram.from_table(table, systems=SYSTEMS, marginals=own)
    other = ScoreHistogram().update(np.r_[scores[:-1, 0], 0.5])
    missing = ScoreHistogram().update(np.r_[scores[:, 0], np.nan])
    coarse = ScoreHistogram(resolution=32).update(scores[:, 0])
    for options, match in (
        ({"marginals": {"old": other}}, "contradicts the histogram of 'old'"),
        ({"marginals": {"old": missing}}, "0 instead of 1 scores are missing"),
        ({"marginals": {"old": coarse}}, "Count both with the same"),
        ({"resolution": 32}, "pass scale= and resolution= of the keys"),
        ({"systems": ["old", "third"]}, "has no column key_third"),
        ({"systems": ["old"]}, "systems must be a list of several names"),
        ({"marginals": {"third": other}}, "'third', which is none of the systems 'old', 'new'"),
        ({"marginals": own, "by": "key_old"}, "marginals= verifies a table of systems="),
        ({"classes": ["a", "b", "c"]}, "classes= is for one system"),
        ({"labels": [0, 1]}, "labels must be a frame of labeled items"),
    ):
        with pytest.raises(ValueError, match=match):
            ScoreHistogram.from_table(table, **{"systems": SYSTEMS, **options})
    for frame, match in (
        (table.assign(n=2**37), r"at most 2\*\*38"),
        (table.assign(key_new=table["key_new"] + 0.5), "key_new must be whole"),
        (table.loc[[0, 0]], "are repeated"),
        (table.assign(key_new=2**31 - 1), "outside the domain"),
    ):
        with pytest.raises(ValueError, match=match):
            ScoreHistogram.from_table(frame, systems=SYSTEMS)


def test_labeled_items_and_estimators_that_do_not_fit_are_refused(items):
    scores, truth = items
    histogram = joint(scores[:100])
    with pytest.raises(ValueError, match="1 of 2 labeled items are not among the 100"):
        histogram.with_labels([scores[0], [0.5, 0.001]], [0, 1])
    beside = histogram.with_labels([scores[0], [0.5, 0.001]], [0, 1], counted=False)
    assert beside.counts.sum() == 102
    with pytest.raises(ValueError, match="an entry for each labeled item"):
        histogram.with_labels(scores[:2], [0])
    given = histogram.with_labels(scores[:20], truth[:20])
    with pytest.raises(TypeError, match="has no labels"):
        performance().fit(histogram)
    with pytest.raises(TypeError, match="pass the histogram of one system"):
        SemisupervisedScoreMixture().fit(given)
    for own in (histogram, given):
        with pytest.raises(TypeError, match="the selector asks about one"):
            ActiveTestSelector().fit(own)


def test_probabilities_on_a_scale_that_does_not_fit_are_noticed(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    rare = special.expit(rng.normal(-9.0, 1.5, (50_000, 2)))
    with pytest.warns(CoarseBinsWarning, match="one bin"):
        joint(rare, scale="identity").with_labels(np.empty((0, 2)), [])


# --- verdicts of judges, and classes ------------------------------------------------------------


def test_verdicts_of_judges_are_counted_too(items, global_random_seed):
    scores, truth = items[0][:, 1], items[1]
    rng = np.random.default_rng(global_random_seed)
    judge = np.where(rng.random(3000) < 0.85, truth, 1 - truth).astype(float)
    judge[rng.random(3000) < 0.1] = np.nan
    frame = pl.DataFrame({"p": scores, "judge": judge, "y": truth}, nan_to_null=True)
    statement = ScoreHistogram(resolution=16).sql("p", "self", category="judge")
    how = {"judges": ["judge"], "resolution": 16}
    given = ScoreHistogram.from_table(frame.sql(statement), labels=frame[:80], **how)
    assert given.counts.sum() == 3000
    y = np.where(np.arange(3000) < 80, truth, -1)
    ours, theirs = performance().fit(given), performance().fit(scores, y, judges={"judge": judge})
    assert ours.model_.judges == theirs.model_.judges == ("judge",)
    found, expected = (own.estimate("roc_auc") for own in (ours, theirs))
    band = np.diff(expected.interval())[0]
    assert_allclose(found.value, expected.value, atol=(0.1 + 0.15) * band)
    # Parts may know other verdicts.
    parts = [
        ScoreHistogram.from_table(own.sql(statement), **how)
        for own in (frame.filter(pl.col("judge") == 1.0), frame.filter(pl.col("judge") == 0.0))
    ]
    known = ScoreHistogram.from_table(
        frame.filter(pl.col("judge").is_not_null()).sql(statement), **how
    )
    added = parts[0] + parts[1]
    assert added.n_items == known.n_items
    assert_array_equal(added.counts, known.counts)
    assert ScoreHistogram.from_table(pl.DataFrame(known.to_table()), judges=["judge"]) == known
    with pytest.raises(ValueError, match=r"judges must have shape \(1, 1\)"):
        known.with_labels(scores[:1], truth[:1])
    with pytest.raises(ValueError, match=r"judge must be one of 0.0, 1.0, got 7"):
        known.with_labels(scores[:1], truth[:1], [[7]])


def test_the_accuracy_of_classes_needs_the_predicted_one_and_its_probability(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    truth = rng.integers(0, 4, 2000)
    logits = 1.5 * rng.standard_normal((2000, 4)) + 2.0 * (truth[:, np.newaxis] == np.arange(4))
    proba = special.softmax(logits, axis=1)
    names = np.array(["a", "b", "c", "d"])
    frame = pl.DataFrame({"p": proba.max(axis=1), "predicted": names[proba.argmax(axis=1)]})
    table = frame.sql(ScoreHistogram(resolution=16).sql("p", "self", category="predicted"))
    how = {"classes": names.tolist(), "resolution": 16}
    labels = pl.DataFrame(dict(zip(names, proba[:100].T, strict=True)) | {"y": names[truth[:100]]})
    given = ScoreHistogram.from_table(table, labels=labels, **how)
    assert given.counts.sum() == 2000
    assert_allclose(given.scores.sum(axis=1), 1.0)
    y = np.where(np.arange(2000) < 100, names[truth], None)
    ours, theirs = (
        PerformanceCurveEstimator(classes=names, random_state=0).fit(*own)
        for own in ((given,), (proba, y))
    )
    found, expected = ours.estimate("accuracy"), theirs.estimate("accuracy")
    band = np.diff(expected.interval())[0]
    assert_allclose(found.value, expected.value, atol=(0.1 + 0.15) * band)
    assert_allclose(found.interval(), expected.interval(), atol=(0.1 + 0.2) * band)
    for wrong, match in (
        (
            table.with_columns(predicted=pl.lit("z")),
            "predicted must be one of 'a', 'b', 'c', 'd', got 'z'",
        ),
        (table.with_columns(predicted=pl.lit(None, pl.String)), "got missing values"),
        (table.drop("predicted"), "no column predicted"),
    ):
        with pytest.raises(ValueError, match=match):
            ScoreHistogram.from_table(wrong, **how)
    with pytest.raises(ValueError, match=r"shape \(n_items, 4\), a column for each class"):
        ScoreHistogram.from_table(table, **how).with_labels(proba[:5, :3], names[truth[:5]])

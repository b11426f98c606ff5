"""Columns of raters: scores or classes, and what is no column of theirs."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe.inputs._labels import BinaryLabels
from sklearn_spe.inputs._raters import Judges

NUMBERS = BinaryLabels.learn([0, 1, -1])
WORDS = BinaryLabels.learn(["good", "bad", None], pos_label="good")
READ = {
    "verdicts, and a mark": ([0, 1, -1], NUMBERS, [0.0, 1.0, np.nan], True),
    "grades": ([1, 2, 3], WORDS, [1.0, 2.0, 3.0], False),
    "one verdict": ([1, 1, None], NUMBERS, [1.0, 1.0, np.nan], True),
    "words": (["good", None, "bad"], WORDS, [1.0, np.nan, 0.0], True),
    "yes and no": (pd.array([True, None, False], dtype="boolean"), WORDS, [1, np.nan, 0], True),
    "the other class is positive": (
        [0, 1, 1],
        BinaryLabels.learn([0, 1], pos_label=0),
        [1.0, 0.0, 0.0],
        True,
    ),
}


@pytest.mark.parametrize(("said", "labels", "scores", "is_verdict"), READ.values(), ids=READ)
def test_what_a_judge_says_is_read(said, labels, scores, is_verdict):
    for given in (said, {"a": said}, pd.DataFrame({"a": said})):
        read = Judges.read(given, 3, labels)
        assert_array_equal(read.scores[:, 0], scores)
        assert read.are_verdicts == (is_verdict,)
    assert Judges.read(pd.Series(said, name="gpt"), None, labels).names == ("gpt",)


BAD = {
    "a word among numbers": ([0, 1, "no"], "holds 'no', which is not among the classes 0, 1"),
    "one thing, and what marks": ([1, 1, -1], "holds 1 and -1, the marker of missing labels"),
    "nothing": ([None, None, None], "has no rating: leave it out"),
    "no number": ([0.2, np.inf, 0.1], "scores of judges must be finite"),
    "a mark among scores": ([0.2, -1, 0.4], r"holds -1 and numbers in \[0, 1\]"),
    "no judge": ({}, "judges holds no column"),
    "three axes": (np.ones((3, 2, 2)), r"got \(3, 2, 2\)"),
    "too few": (
        [0.1, 0.2],
        r"of shape \(3,\) for each judge; the column 0 of judges has shape \(2,",
    ),
    "an unknown word": (["yes", "no", "no"], "larger for positives, such as 0, 0.5 and 1"),
}


@pytest.mark.parametrize(("said", "message"), BAD.values(), ids=BAD)
def test_what_cannot_be_a_judge_is_named(said, message):
    with pytest.raises(ValueError, match=message):
        Judges.read(said, 3, NUMBERS)


@pytest.mark.parametrize("column", [3, None])
def test_a_judge_has_an_entry_for_each_item(column):
    with pytest.raises(TypeError, match=f"possibly missing; the column 'a' of judges is {column}"):
        Judges.read({"a": column}, 3, NUMBERS)


def test_ratings_of_no_kind_are_refused():
    with pytest.raises(TypeError, match="The column 'a' of judges must hold verdicts or numbers; "):
        Judges.read({"a": [[1], [0], None]}, 3, NUMBERS)


def test_without_a_number_of_items_columns_have_one_length():
    assert Judges.n_items_of({"a": [1, 0], "b": [1, 0, 1]}) == 2
    with pytest.raises(ValueError, match=r"Columns of judges differ in length: \[2, 3\]"):
        Judges.read({"a": [1, 0], "b": [1, 0, 1]}, None, NUMBERS)


def test_columns_without_names_are_numbered():
    read = Judges.read(np.array([[0.1, 7.0], [0.4, 5.0], [0.3, 6.0]]), 3, NUMBERS)
    assert read.names == (0, 1)
    assert read.number_of(1) == 1
    assert read.take([2, 0]).scores.tolist() == [[0.3, 6.0], [0.1, 7.0]]


def test_ratings_are_given_back_as_they_were():
    said = {"words": ["good", None, "bad"], "grades": [0.5, np.nan, 2.0]}
    words, grades = Judges.read(said, 3, WORDS).decoded(WORDS)
    assert words.tolist() == said["words"]
    assert_array_equal(grades, said["grades"])


def test_raters_are_the_same_by_name_and_by_every_rating():
    said = {"a": [1, None, 0], "b": [0.2, 0.3, np.nan]}
    read, again = (Judges.read(said, 3, NUMBERS) for _ in range(2))
    assert read.is_same(again)
    assert not read.is_same(None)
    for other in ({"a": said["a"], "c": said["b"]}, said | {"a": [1, 1, 0]}):
        assert not read.is_same(Judges.read(other, 3, NUMBERS))


def test_without_scores_raters_are_the_mean_of_what_is_standardized():
    scores = np.array([[1.0, 10.0], [2.0, np.nan], [np.nan, np.nan], [6.0, 30.0]])
    read = Judges.read(scores, 4, NUMBERS)
    standardized = (scores - np.nanmean(scores, axis=0)) / np.nanstd(scores, axis=0)
    expected = [standardized[0].mean(), standardized[1, 0], 0.0, standardized[3].mean()]
    assert_allclose(read.in_place_of(None, True), expected)
    # The one rater of an item has no mean to be missing from; that of the others is in its place.
    alone = Judges.read(scores[:, 0], 4, NUMBERS)
    assert alone.in_place_of(None, True).tolist() == [1.0, 2.0, 3.0, 6.0]
    X = np.zeros(4)
    assert read.in_place_of(X, False) is X
    with pytest.raises(ValueError, match="greater_is_positive=False applies to the scores in X, b"):
        read.in_place_of(None, False)

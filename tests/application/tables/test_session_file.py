"""Session files: small, read again as they were, and refused if they are of something else."""

import json

import numpy as np
import pytest

from sklearn_spe.application.tables._session_file import (
    NEVER,
    SessionFile,
    checksum,
    item_column,
    latest_of,
    session_beside,
    session_path,
)


def session_of(scores, items=(), answers=(), start=None):
    """Return a session that has asked for items in their order, of which the first are answered."""
    n_items = len(scores)
    place = np.full(n_items, NEVER)
    place[list(items)] = np.arange(len(items))
    is_asked = place != NEVER
    answer = np.full(n_items, None, dtype=object)
    answered = np.full(n_items, NEVER)
    for item, label in zip(items, answers, strict=False):
        answer[item], answered[item] = label, 1
    columns = {
        "order": place,
        "chance": np.where(is_asked, 1.0 / (3.0 + place), np.nan),
        "query": np.where(is_asked, 0, NEVER),
        "asked": np.where(is_asked, 0, NEVER),
        "answered": answered,
        "answer": answer,
        "session": np.full(n_items, json.dumps({"n_items": n_items}), dtype=object),
    }
    return SessionFile.of(columns, {"score": "s"}, {"s": scores}, start=start)


@pytest.mark.parametrize("n_items", [300, 70_000])
def test_a_file_is_read_as_it_was_written(n_items, tmp_path, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    items = rng.permutation(n_items)[:40]
    session = session_of(rng.random(n_items), items, [1, None, 0, "spam", 0.5])
    path = tmp_path / "t.session.json"
    path.write_bytes(session.encode())
    again = SessionFile.read(path)
    for name in ("token", "settings", "options", "record", "checksums"):
        assert getattr(again, name) == getattr(session, name)
    rows = rng.permutation(n_items)
    for name, values in again.columns(rows).items():
        np.testing.assert_array_equal(values, session.columns(np.arange(n_items))[name][rows])
    assert again.encode() == session.encode()


def test_a_checksum_tells_values_and_their_order(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores = rng.normal(size=1000)
    session = session_of(scores)
    # A spreadsheet keeps fifteen digits.
    rounded = np.array([float(f"{score:.15g}") for score in scores])
    assert session.notes_of_inputs({"s": rounded, "other": scores}) == ()
    swapped = scores.copy()
    swapped[[3, 700]] = scores[[700, 3]]
    with pytest.raises(ValueError, match=r"'s' has the values .* in other rows"):
        session.notes_of_inputs({"s": swapped})
    (note,) = session.notes_of_inputs({"s": np.where(np.arange(1000) == 7, 9.0, scores)})
    assert "'s' has other values" in note
    words = np.array(["yes", None, "no"], dtype=object)
    assert checksum(words) == checksum(words.copy())
    assert checksum(words)[1] != checksum(words[::-1])[1]


def test_a_file_continues_those_that_it_had_before():
    scores = np.arange(9.0)
    asked = session_of(scores, [4, 2])
    answered = session_of(scores, [4, 2], [1], start=asked)
    further = session_of(scores, [4, 2, 7], [1, 0], start=asked)
    assert latest_of([asked, further, answered]) is further
    other = session_of(scores, [4, 3], start=asked)
    with pytest.raises(ValueError, match="do not continue each other"):
        latest_of([further, other])


def test_the_file_of_a_table_is_found_beside_it_or_by_its_session(tmp_path):
    session = session_of(np.arange(9.0), [4])
    table = tmp_path / "t.v2.csv.gz"
    assert session_path(table).name == "t.v2.session.json"
    with pytest.raises(
        ValueError, match=r"session file t\.v2\.session\.json is missing\. It holds"
    ):
        session_beside(table, "t", session.item_column)
    session_path(table).write_bytes(session.encode())
    assert session_beside(table, "t", session.item_column).token == session.token
    # A renamed table, in a folder with others.
    (tmp_path / "broken.session.json").write_text("{")
    other = session_of(np.arange(8.0), [4])
    renamed = tmp_path / "renamed.xlsx"
    assert session_beside(renamed, "t", session.item_column).path == session_path(table)
    session_path(renamed).write_bytes(other.encode())
    assert session_beside(renamed, "t", session.item_column).path == session_path(table)
    session_path(table).unlink()
    with pytest.raises(ValueError, match=r"renamed\.session\.json belongs to another table"):
        session_beside(renamed, "t", session.item_column)


def test_a_table_is_of_one_session():
    assert item_column(["s", "spe_item_0123abcd", "spe_item_x"]) == "spe_item_0123abcd"
    assert item_column(["s", "spe_item"]) is None
    with pytest.raises(ValueError, match="of several labeling sessions"):
        item_column(["spe_item_0123abcd", "spe_item_ffffffff"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"item":[4,2]', '"item":[4,9]'),
        ('"item":[4,2]', '"item":[4,4]'),
        ('"query":[[0,2]]', '"query":[[0,3]]'),
        ('"query":[[0,2]]', '"query":[["a",2]]'),
        ('"n_items":9', '"n_items":2'),
        ('"session":', '"of":'),
    ],
)
def test_a_changed_file_is_refused(old, new, tmp_path):
    path = tmp_path / "t.session.json"
    text = session_of(np.arange(9.0), [4, 2]).encode().decode()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(ValueError, match="is not a session file, or was changed"):
        SessionFile.read(path)

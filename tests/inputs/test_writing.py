"""Writing: all of it or nothing, under the same name, with the same rights, over the same file."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sklearn_spe.application.tables._reading import read_table
from sklearn_spe.inputs._writing import PART_NAME, write_file

POSIX = pytest.mark.skipif(os.name != "posix", reason="modes, links and limits of POSIX")
ROOT = Path(__file__).parents[2]


def python(code, *arguments):
    """Start a process of its own that runs a piece of code."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_new_or_replaced_and_nothing_stays_beside_it(tmp_path):
    path = tmp_path / "t.csv"
    write_file(path, b"one", new=True)
    write_file(path, b"two")
    assert path.read_bytes() == b"two"
    with pytest.raises(FileExistsError, match=r"nothing was written: .*t\.csv"):
        write_file(path, b"three", new=True)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        write_file(tmp_path / "nowhere" / "t.csv", b"four")
    with pytest.raises(IsADirectoryError, match="nothing was written"):
        write_file(tmp_path, b"five")
    assert names_in(tmp_path) == ["t.csv"]


@POSIX
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664])
def test_permissions_are_kept(tmp_path, mode):
    path = tmp_path / "t.csv"
    path.write_bytes(b"old")
    path.chmod(mode)
    owner = path.stat().st_uid, path.stat().st_gid
    write_file(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert (path.stat().st_uid, path.stat().st_gid) == owner
    # A new file has those of any new file.
    write_file(tmp_path / "new.csv", b"new")
    (tmp_path / "plain.csv").write_bytes(b"new")
    modes = {(tmp_path / name).stat().st_mode for name in ("new.csv", "plain.csv")}
    assert len(modes) == 1


@POSIX
def test_links_are_written_through(tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    target, link = folder / "t.csv", tmp_path / "link.csv"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_file(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    # One that leads nowhere may have been planted: what must be new is not written there.
    planted = tmp_path / "next.csv"
    planted.symlink_to(folder / "secret")
    with pytest.raises(FileExistsError):
        write_file(planted, b"new", new=True)
    circle = tmp_path / "circle.csv"
    circle.symlink_to(circle)
    with pytest.raises(OSError, match=r"circle\.csv"):
        write_file(circle, b"new")
    assert names_in(folder) == ["t.csv"]


@POSIX
def test_a_device_stays_a_device(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = python("import sys; print(open(sys.argv[1]).read(), end='')", pipe)
    write_file(pipe, b"text")
    assert reader.communicate(timeout=60)[0] == "text"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@POSIX
def test_where_the_disk_is_full_the_old_file_stays(tmp_path):
    import resource

    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_bytes(b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for path in (old, new):
        # No file of this process may be longer.
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        try:
            with pytest.raises(OSError, match="nothing was written") as error:
                write_file(path, bytes(5000))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert str(path) in str(error.value)
    assert names_in(tmp_path) == ["old.csv"]
    assert old.read_bytes() == b"old"


KILLED = """
import os, sys
from sklearn_spe.inputs import _writing
from sklearn_spe.inputs._writing import write_file
def kill(file):
    os.kill(os.getpid(), 9)
os.fsync = kill
write_file(sys.argv[1], bytes(5000))
"""


@pytest.mark.slow
@POSIX
def test_what_a_killed_process_leaves_is_removed_by_the_next(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"old")
    process = python(KILLED, path)
    process.communicate(timeout=120)
    assert process.returncode == -9
    assert path.read_bytes() == b"old"
    assert len(names_in(tmp_path)) == 2
    write_file(path, b"new")
    assert names_in(tmp_path) == ["t.csv"]


def test_what_was_changed_since_it_was_read_is_not_overwritten(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"s,y\n1,0\n")
    table = read_table(path)
    write_file(path, b"s,y\n1,1\n", unchanged=table.fingerprint)
    with pytest.raises(ValueError, match=r"t\.csv was changed since it was read"):
        write_file(path, b"s,y\n1,2\n", unchanged=table.fingerprint)
    assert path.read_bytes() == b"s,y\n1,1\n"
    path.unlink()
    with pytest.raises(ValueError, match="was changed since"):
        write_file(path, b"s,y\n1,2\n", unchanged=table.fingerprint)


RACE = """
import sys
from sklearn_spe.application.tables._reading import read_table
from sklearn_spe.inputs._writing import write_file
table = read_table(sys.argv[1])
print("read", flush=True)
sys.stdin.readline()
try:
    write_file(sys.argv[1], b"1" * 1_000_000, unchanged=table.fingerprint)
    print("wrote")
except ValueError as error:
    print(error)
"""


@pytest.mark.slow
def test_of_writers_that_read_the_same_table_one_wins_and_the_other_is_reported(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("s\n" + "0\n" * 1000)
    table, other = read_table(path), python(RACE, path)
    assert other.stdout.readline() == "read\n"
    other.stdin.write("\n")
    other.stdin.flush()
    try:
        write_file(path, b"2" * 1_000_000, unchanged=table.fingerprint)
        said = "wrote\n"
    except ValueError as error:
        said = str(error)
    both = [other.communicate(timeout=120)[0], said]
    (winner,) = [number for number, text in enumerate(both, 1) if text == "wrote\n"]
    assert sum("was changed since it was read" in text for text in both) == 1
    assert path.read_text() == f"{winner}" * 1_000_000
    assert names_in(tmp_path) == ["t.csv"]


def test_leftovers_of_a_killed_process_are_removed_and_other_files_are_not(tmp_path):
    for name in (PART_NAME.format("0a1b"), ".sklearn_spe.toml", "my.part"):
        (tmp_path / name).write_bytes(b"left")
    write_file(tmp_path / "t.csv", b"new")
    assert names_in(tmp_path) == [".sklearn_spe.toml", "my.part", "t.csv"]

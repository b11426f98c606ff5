"""Versions: one place for each, a report of all, and a warning before a name goes."""

import importlib.util
import re
import sys
import tomllib
import warnings
from importlib import metadata
from pathlib import Path

import pytest
from threadpoolctl import threadpool_info

import sklearn_spe
from sklearn_spe._version import DEPENDENCIES, NOT_INSTALLED, OPTIONAL_DEPENDENCIES, RELEASE_DATE
from sklearn_spe.application.command_line._main import REPORT_IT, main
from sklearn_spe.exceptions import removal_version, warn_deprecated

ROOT = Path(__file__).parents[1]
with (ROOT / "pyproject.toml").open("rb") as file:
    PROJECT = tomllib.load(file)["project"]
_CLASSIFIER = "Programming Language :: Python :: 3."
MINORS = sorted(
    int(name.removeprefix(_CLASSIFIER))
    for name in PROJECT["classifiers"]
    if name.startswith(_CLASSIFIER)
)


def script(name):
    """Import a script of .ci."""
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    # Scripts may import each other.
    sys.path.insert(0, str(ROOT / ".ci"))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(ROOT / ".ci"))
        sys.modules.pop("versions", None)
    return module


versions = script("versions")


# --- what is installed -----------------------------------------------------------------


def test_the_versions_of_all_dependencies_are_shown(capsys):
    sklearn_spe.show_versions()
    text = capsys.readouterr().out
    shown = dict(re.findall(r"^  ([\w-]+) +(\S.*)$", text, flags=re.M))
    for name in DEPENDENCIES:
        assert shown[name] == metadata.version(name)
    for name in OPTIONAL_DEPENDENCIES:
        is_there = importlib.util.find_spec(name) is not None
        assert shown[name] == (metadata.version(name) if is_there else NOT_INSTALLED)
    assert shown["Python"].startswith(".".join(map(str, sys.version_info[:3])))


def test_the_threads_of_all_libraries_are_shown(capsys):
    sklearn_spe.show_versions()
    threads = capsys.readouterr().out.partition("Threads:\n")[2].splitlines()
    pools = threadpool_info()
    assert len(threads) == len(pools) > 0
    for line, pool in zip(threads, pools, strict=True):
        assert line.split()[0] == pool["internal_api"]
        assert f"{pool['num_threads']} threads" in line
        assert line.endswith(Path(pool["filepath"]).name)


def test_versions_can_be_written_to_a_file(tmp_path, capsys):
    with (tmp_path / "versions.txt").open("w", encoding="utf-8") as file:
        sklearn_spe.show_versions(file)
    sklearn_spe.show_versions()
    assert (tmp_path / "versions.txt").read_text(encoding="utf-8") == capsys.readouterr().out


def test_the_listed_dependencies_are_those_of_the_project():
    required = [re.match(r"[\w-]+", name)[0] for name in PROJECT["dependencies"]]
    assert list(DEPENDENCIES) == required
    extras = PROJECT["optional-dependencies"]
    for extra in ("frames", "parquet", "plot"):
        assert {re.match(r"[\w-]+", name)[0] for name in extras[extra]} <= {*OPTIONAL_DEPENDENCIES}


def test_the_traceback_of_an_unforeseen_error_ends_with_the_versions():
    # What no shell passes.
    with pytest.raises(TypeError) as caught:
        main([b"estimate", 3])
    (note,) = caught.value.__notes__
    assert REPORT_IT in note
    assert f"sklearn-spe {sklearn_spe.__version__}" in note
    assert f"numpy {metadata.version('numpy')}" in re.sub(" +", " ", note)


def test_an_error_of_the_input_has_no_versions(capsys, tmp_path):
    assert main(["estimate", str(tmp_path / "nothing.csv"), "--score", "s", "--label", "y"]) == 2
    assert REPORT_IT not in capsys.readouterr().err


# --- the release -----------------------------------------------------------------------


def test_all_files_are_of_one_version_and_date():
    version, day = versions.read_release()
    assert (version, day.isoformat()) == (sklearn_spe.__version__, RELEASE_DATE)
    assert versions.disagreements(version, day) == []


@pytest.mark.parametrize(
    ("version", "tag", "words"),
    [
        ("0.1.0", "v0.1.1", ["The tag is v0.1.1"]),
        ("0.1.0", "0.1.0", ["The tag is 0.1.0"]),
        ("0.1.0.dev0", "v0.1.0.dev0", ["development version"]),
        ("7.0.0", "v7.0.0", ["CITATION.cff", "recipe.yaml", "whats_new.rst"]),
    ],
)
def test_a_tag_of_another_version_is_refused(version, tag, words):
    day = versions.read_release()[1]
    sentences = versions.disagreements(version, day, tag)
    for word in words:
        assert any(word in sentence for sentence in sentences)


@pytest.mark.parametrize("name", versions.WRITTEN)
def test_a_version_is_written_where_it_is_read(name):
    patterns = versions.WRITTEN[name]
    text = (ROOT / name).read_text(encoding="utf-8")
    later = versions.with_release(text, patterns, "9.8.7", versions.date(2031, 2, 3))
    assert "9.8.7" in later
    assert ("2031-02-03" in later) == ("date" in patterns)
    assert len(later.splitlines()) == len(text.splitlines())
    release = versions.read_release()
    assert versions.with_release(later, patterns, *release) == text


def test_public_names_say_which_version_brought_them():
    script_ = script("version_added")
    assert script_.public_names() >= {"PerformanceCurveEstimator", "MisfitWarning", "Norm"}
    assert script_.main(check=True) == 0


# --- versions of Python ----------------------------------------------------------------


def test_the_versions_of_python_follow_each_other():
    assert [*range(MINORS[0], MINORS[-1] + 1)] == MINORS
    assert PROJECT["requires-python"] == f">=3.{MINORS[0]}"


@pytest.mark.parametrize(
    "name",
    ["README.md", "doc/getting_started.rst", "doc/stability.rst", "doc/release_checklist.rst"],
)
def test_texts_name_the_versions_of_python(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert f"Python 3.{MINORS[0]} to 3.{MINORS[-1]}" in text
    assert {*map(int, re.findall(r"Python 3\.(\d+)", text))} == {MINORS[0]}


# --- names that go ---------------------------------------------------------------------


def test_a_deprecated_name_says_since_when_until_when_and_what_instead():
    with pytest.warns(FutureWarning) as caught:
        warn_deprecated("PerformanceCurveEstimator.shown", "0.2", "`of`")
    (warning,) = caught
    assert str(warning.message) == (
        "PerformanceCurveEstimator.shown is deprecated since version 0.2 and will be removed in "
        "0.3: use `of` instead."
    )
    # The line of the user, who can change it.
    assert Path(warning.filename) == Path(__file__)


@pytest.mark.parametrize("major", [0, 1, 2])
@pytest.mark.parametrize("minor", [0, 1, 9, 10])
def test_a_name_warns_in_as_many_minor_versions_as_the_policy_says(major, minor):
    until = tuple(map(int, removal_version(f"{major}.{minor}").split(".")))
    # doc/stability.rst: one minor version of warnings before 1.0, two from then on.
    warned = [(major, m) for m in range(minor, minor + 10) if (major, m) < until]
    assert len(warned) == (1 if major == 0 else 2)


def test_the_first_warning_of_a_deprecated_name_can_be_made_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        with pytest.raises(FutureWarning, match=r"removed in 1\.6"):
            warn_deprecated("`old`", "1.4", "`new`")

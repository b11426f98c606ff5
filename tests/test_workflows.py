"""Workflows call the scripts of .ci and nothing else, and name what the project names."""

import os
import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
HOSTED = ROOT / ".github"
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((HOSTED / "workflows").glob("*.yml"))
}
JOBS = {
    f"{name}-{job}": (workflow, settings)
    for name, workflow in WORKFLOWS.items()
    for job, settings in workflow["jobs"].items()
}
STEPS = [
    pytest.param(step, id=f"{name}-{n}")
    for name, (_, job) in JOBS.items()
    for n, step in enumerate(job["steps"])
]
# What a workflow may use besides scripts: to fetch the sources, Python, and files of other jobs.
ACTIONS = {
    "actions/checkout",
    "actions/setup-python",
    "actions/upload-artifact",
    "actions/download-artifact",
}
# Uploads need an index, and nights are long: .ci/run calls everything else.
NOT_IN_RUN = {"run", "nightly", "publish"}
with (ROOT / "pyproject.toml").open("rb") as _file:
    SETTINGS = tomllib.load(_file)
TEXTS = [path for path in sorted(HOSTED.rglob("*")) if path.is_file()]
TEXTS += [ROOT / ".pre-commit-config.yaml", ROOT / ".editorconfig", ROOT / ".gitattributes"]


def scripts_of(step):
    """Return the script that each line of a step calls, with its arguments."""
    for line in step.get("run", "").splitlines():
        words = shlex.split(line)
        if words[0] == "python":
            words = words[1:]
        yield words


def test_there_are_workflows_for_changes_nights_and_releases():
    assert WORKFLOWS.keys() == {"checks", "nightly", "release"}


@pytest.mark.parametrize("step", STEPS)
def test_a_step_calls_a_script_that_exists_or_one_of_few_actions(step):
    assert ("run" in step) != ("uses" in step)
    for path, *_ in scripts_of(step):
        assert path.startswith(".ci/")
        assert (ROOT / path).is_file()
        # Python runs scripts on any system; others are run by themselves.
        is_python = f"python {path}" in step["run"]
        assert is_python == path.endswith(".py")
        assert is_python or os.name != "posix" or os.access(ROOT / path, os.X_OK)
    if "uses" in step:
        action, commit = step["uses"].split("@")
        assert action in ACTIONS
        assert re.fullmatch(r"[0-9a-f]{40}", commit)
        assert action != "actions/checkout" or step["with"]["persist-credentials"] is False


def test_the_local_run_calls_what_the_workflows_call():
    scripts = (ROOT / ".ci" / name for name in ("run", "functions", "package"))
    local = "".join(path.read_text(encoding="utf-8") for path in scripts)
    called = {
        Path(path).name
        for _, job in JOBS.values()
        for step in job["steps"]
        for path, *_ in scripts_of(step)
    }
    assert called >= {"run", "nightly", "environment.py", "package", "documentation", "publish"}
    for name in called - NOT_IN_RUN:
        assert f".ci/{name}" in local, name


def test_arguments_of_scripts_are_those_that_the_scripts_take():
    kinds = set(re.findall(r'KINDS = \("(\w+)", "(\w+)", "(\w+)"\)', environment())[0])
    matrix = WORKFLOWS["checks"]["jobs"]["tests"]["strategy"]["matrix"]
    named = {*matrix["dependencies"], *(entry["dependencies"] for entry in matrix["include"])}
    for _, job in JOBS.values():
        for step in job["steps"]:
            for path, *arguments in scripts_of(step):
                if path.endswith("environment.py"):
                    kind, folder, *options = arguments
                    named |= {kind} - {"$DEPENDENCIES"}
                    assert folder == ".venv"
                    assert options == ["--tests"]
    assert named == kinds


def environment():
    """Return the text of the script that makes environments."""
    return (ROOT / ".ci" / "environment.py").read_text(encoding="utf-8")


# --- three systems, all versions of Python ---------------------------------------------


def test_the_matrix_is_of_three_systems_and_the_versions_of_the_classifiers():
    matrix = WORKFLOWS["checks"]["jobs"]["tests"]["strategy"]["matrix"]
    systems = {system.partition("-")[0] for system in matrix["system"]}
    assert systems == {"ubuntu", "macos", "windows"}
    prefix = "Programming Language :: Python :: 3."
    classifiers = [name for name in SETTINGS["project"]["classifiers"] if name.startswith(prefix)]
    assert matrix["python"] == [name.rpartition(" ")[2] for name in classifiers]
    oldest = [entry for entry in matrix["include"] if entry["dependencies"] == "oldest"]
    assert {entry["system"] for entry in oldest} == set(matrix["system"])
    assert SETTINGS["project"]["requires-python"] == ">=" + oldest[0]["python"]
    assert len({entry["python"] for entry in oldest}) == 1


@pytest.mark.parametrize("name", JOBS)
def test_all_versions_of_python_that_a_job_names_are_supported(name):
    supported = WORKFLOWS["checks"]["jobs"]["tests"]["strategy"]["matrix"]["python"]
    _, job = JOBS[name]
    for step in job["steps"]:
        version = str(step.get("with", {}).get("python-version", ""))
        if "matrix" not in version:
            assert set(version.split()) <= set(supported)


def test_only_what_is_upstream_may_fail():
    may_fail = {name for name, (_, job) in JOBS.items() if job.get("continue-on-error")}
    assert may_fail == {"nightly-upstream"}


# --- rights, secrets and addresses -----------------------------------------------------


@pytest.mark.parametrize("name", JOBS)
def test_a_job_may_read_and_only_uploads_may_identify_themselves(name):
    workflow, job = JOBS[name]
    rights = job.get("permissions", workflow["permissions"])
    uploads = any(path == ".ci/publish" for step in job["steps"] for path, *_ in scripts_of(step))
    assert rights == ({"contents": "read"} | ({"id-token": "write"} if uploads else {}))
    assert uploads == ("environment" in job)
    assert job["timeout-minutes"] <= 350


def test_a_release_is_tried_on_the_test_index_first():
    jobs = WORKFLOWS["release"]["jobs"]
    # YAML 1.1 takes the key "on" for a truth value.
    assert WORKFLOWS["release"][True] == {"push": {"tags": ["v*"]}}
    assert "package" in jobs["test-index"]["needs"]
    assert jobs["index"]["needs"] == "test-index"
    for name, index in (("test-index", "testpypi"), ("index", "pypi")):
        called = [words for step in jobs[name]["steps"] for words in scripts_of(step)]
        assert called == [[".ci/publish", index, "dist"]]
    checked = [words for step in jobs["package"]["steps"] for words in scripts_of(step)]
    assert checked == [[".ci/versions.py", "check", "$GITHUB_REF_NAME"], [".ci/package", "dist"]]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_no_secret_and_no_address_is_named(path):
    text = path.read_text(encoding="utf-8")
    assert "secrets." not in text
    assert "://" not in text
    assert not re.search(r"\b[\w-]+\.(com|org|io|net)\b", text)


def test_links_between_the_files_of_the_host_lead_somewhere():
    for path in HOSTED.glob("*.md"):
        for link in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / link).is_file(), (path.name, link)


# --- forms, hooks ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bug", "wrong_interval"])
def test_forms_ask_for_the_versions(name):
    text = (HOSTED / "ISSUE_TEMPLATE" / f"{name}.yml").read_text(encoding="utf-8")
    form = yaml.safe_load(text)
    assert {"name", "description", "body"} <= form.keys()
    fields = {field["id"]: field for field in form["body"] if field["type"] != "markdown"}
    assert "sklearn-spe --version" in fields["versions"]["attributes"]["description"]
    assert fields["versions"]["validations"]["required"] is True
    assert all(field["attributes"]["label"] for field in fields.values())


def test_hooks_are_programs_that_an_extra_installs():
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    (local,) = config["repos"]
    assert local["repo"] == "local"
    hooks = {hook["id"]: hook for hook in local["hooks"]}
    assert hooks.keys() >= {"ruff", "ruff-format", "mypy", "codespell", "end-of-file-fixer"}
    assert {hook["language"] for hook in hooks.values()} == {"system"}
    extra = SETTINGS["project"]["optional-dependencies"]["lint"]
    installed = {re.match(r"[\w-]+", requirement)[0] for requirement in extra}
    assert installed >= {"ruff", "mypy", "codespell", "pre-commit", "pre-commit-hooks", "zizmor"}

"""The recipe for conda says what pyproject.toml says."""

import re
import tomllib
from pathlib import Path

import sklearn_spe

ROOT = Path(__file__).parents[1]
RECIPE = (ROOT / ".conda" / "recipe.yaml").read_text(encoding="utf-8")
with (ROOT / "pyproject.toml").open("rb") as file:
    PROJECT = tomllib.load(file)["project"]


def listed(key):
    """Return the items of a list of the recipe, without blanks."""
    found = re.search(rf"^ +{key}:\n((?: +- .*\n)+)", RECIPE, flags=re.M)
    return {line.partition("- ")[2].replace(" ", "") for line in found[1].splitlines()}


def test_versions_are_those_of_the_project():
    assert listed("run") == {*PROJECT["dependencies"], "python" + PROJECT["requires-python"]}
    extras = PROJECT["optional-dependencies"]
    optional = {r.replace("matplotlib", "matplotlib-base") for r in extras["plot"]}
    assert listed("run_constraints") == optional | set(extras["parquet"])
    assert f'version: "{sklearn_spe.__version__.partition(".dev")[0]}"' in RECIPE


def test_the_command_is_that_of_the_project():
    commands = {f"{name}={target}" for name, target in PROJECT["scripts"].items()}
    assert listed("entry_points") == commands
    assert PROJECT["description"] in RECIPE

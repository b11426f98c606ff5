"""Make a virtual environment with the oldest, the newest or the coming dependencies.

python .ci/environment.py {oldest,newest,upstream} FOLDER [--alone FILE | --tests]

The package is installed from the checkout, with what its tests need; `--tests` runs the fast ones.
With `--alone` the environment holds a wheel or an sdist and its dependencies only.
The coming dependencies are the pre-releases that pip finds; the environment variable
PIP_EXTRA_INDEX_URL may name an index that has every night's.
"""

import argparse
import os
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
KINDS = ("oldest", "newest", "upstream")
FAST_TESTS = ("pytest", "-n", "auto", "--dist", "worksteal", "-m", "not slow")


def read_project():
    """Return the table `project` of pyproject.toml."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return settings["project"]


def oldest_requirements(project):
    """Return the constraints: numpy>=1.26 becomes numpy==1.26.*, and so on.

    pyarrow is among them, as each of its versions wants its numpy.
    """
    requirements = project["dependencies"] + project["optional-dependencies"]["parquet"]
    return [requirement.replace(">=", "==") + ".*" for requirement in requirements]


def executable(folder, name):
    """Return the path of a program of a virtual environment, on any system."""
    return Path(folder) / ("Scripts" if os.name == "nt" else "bin") / name


def install(kind, folder, alone):
    """Make the environment; return the path of its Python."""
    venv.create(folder, with_pip=True, symlinks=os.name != "nt")
    python = executable(folder, "python")
    project = read_project()
    arguments = [alone] if alone else ["--editable", f"{ROOT}[test]"]
    if kind == "oldest":
        constraints = Path(folder) / "oldest.txt"
        constraints.write_text("\n".join(oldest_requirements(project)), encoding="utf-8")
        arguments += ["--constraint", constraints]
    elif kind == "upstream":
        arguments.append("--pre")
    subprocess.run([python, "-m", "pip", "install", "--quiet", *arguments], check=True)
    subprocess.run([python, "-m", "pip", "check"], check=True)
    return python


def main():
    """Do what the command line says; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--alone", metavar="FILE", help="a wheel or an sdist to install")
    parser.add_argument("--tests", action="store_true", help="run the fast tests")
    options = parser.parse_args()
    python = install(options.kind, options.folder, options.alone)
    subprocess.run([python, "-m", "sklearn_spe", "--version"], check=True)
    if not options.tests:
        return 0
    # Tests read sources and pages, which are UTF-8 on every system.
    environment = {**os.environ, "PYTHONUTF8": "1", "MPLBACKEND": "Agg"}
    tests = subprocess.run([python, "-m", *FAST_TESTS], cwd=ROOT, env=environment, check=False)
    return tests.returncode


if __name__ == "__main__":
    sys.exit(main())

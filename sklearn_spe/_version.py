"""Versions of the package, of Python and of the dependencies."""

from __future__ import annotations

import os
import platform
import sys
from importlib import import_module
from pathlib import Path
from typing import TextIO

__version__ = "0.1.0"
# The day of the release; .ci/versions.py writes both into the files that cite them.
RELEASE_DATE = "2026-11-26"

# By their names on an index, as pip needs them.
DEPENDENCIES = ("numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl")
OPTIONAL_DEPENDENCIES = ("matplotlib", "narwhals", "pandas", "polars", "pyarrow")
NOT_INSTALLED = "not installed"


def versions_of_dependencies() -> dict[str, str]:
    """Return the installed version of each dependency, the optional ones last."""
    # Not at the top: the help of the command line needs no versions.
    from importlib import metadata

    versions = {}
    for name in (*DEPENDENCIES, *OPTIONAL_DEPENDENCIES):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = NOT_INSTALLED
    return versions


def platform_facts() -> dict[str, str]:
    """Return the interpreter, the operating system and the number of cores."""
    return {
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "executable": sys.executable or "unknown",
        "platform": platform.platform(),
        "cores": str(os.cpu_count() or "unknown"),
    }


def thread_pools() -> list[tuple[str, str]]:
    """Return each library that computes in several threads, with their number."""
    # A library is listed once it is loaded. The report must not fail where a dependency does.
    try:
        for module in ("scipy.linalg", "sklearn.utils"):
            import_module(module)
        from threadpoolctl import threadpool_info
    except ImportError as error:
        return [("unknown", str(error))]

    pools = []
    for pool in threadpool_info():
        version = pool["version"] or "unknown version"
        file = Path(pool["filepath"]).name
        pools.append((pool["internal_api"], f"{pool['num_threads']} threads, {version}, {file}"))
    return pools


def documentation_address() -> str:
    """Return where the documentation is, as the installed package says; empty if nowhere."""
    from importlib import metadata

    try:
        links = metadata.metadata("sklearn-spe").get_all("Project-URL", [])
    except metadata.PackageNotFoundError:
        return ""
    return dict(link.split(", ", 1) for link in links).get("Documentation", "")


def versions_in_full() -> str:
    """Return the versions, the platform and the thread pools as text, for error reports."""
    parts = {
        "System": list(platform_facts().items()),
        "Dependencies": list(versions_of_dependencies().items()),
        "Threads": thread_pools(),
    }
    lines = [f"sklearn-spe {__version__}"]
    for title, facts in parts.items():
        width = max((len(name) for name, _ in facts), default=0)
        lines += ["", f"{title}:"]
        lines += [f"  {name:<{width}}  {value}" for name, value in facts]
    return "\n".join(lines)


def show_versions(file: TextIO | None = None) -> None:
    """Print the versions of the package, Python and the dependencies, and thread settings.

    An error report should include this output. ``sklearn-spe --version`` prints the same.

    .. versionadded:: 0.1

    Parameters
    ----------
    file : text file, default=None
        The file to write to. None means standard output.

    Raises
    ------
    TypeError
        If `file` is not a file.

    Examples
    --------
    >>> import sklearn_spe
    >>> sklearn_spe.show_versions()  # doctest: +ELLIPSIS
    sklearn-spe ...
    <BLANKLINE>
    System:
      Python      ...
    """
    if file is not None and not hasattr(file, "write"):
        raise TypeError(f"file must be an open text file, got {file!r}.")
    print(versions_in_full(), file=file)

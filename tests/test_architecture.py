"""The house: who may import whom, what a file may be, what the public names promise."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter
from operator import attrgetter
from pathlib import Path

import sklearn_spe
from sklearn_spe.extrapolation import Method

ROOT = Path(sklearn_spe.__file__).parent
DOC = ROOT.parent / "doc"
# Rooms of the package, in floors: a room sees only those below its own. Above the library stand the
# wings, each of one trade, and the application; nothing else imports these.
LIBRARY = (
    ("_version", "exceptions", "inference"),
    ("inputs",),
    ("metrics",),
    ("data", "families", "histogram", "results"),
    ("posterior", "datasets"),
    ("mixtures", "goals"),
    ("experts", "design", "checks"),
    ("engine",),
    ("models",),
    ("estimators",),
    ("classifiers", "active", "means"),
    ("display",),
)
WINGS = ("extrapolation", "matches", "versions")
FLOORS = (*LIBRARY, WINGS, ("application",), ("__init__",), ("__main__",))
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
# Inside the application: files of tables, pages, commands, and a wing of judged answers. A command
# is found by its name, so that no other is imported.
APPLICATION = ("tables", "report", "command_line", "judges")
# Rooms that see less than their floor would let them.
SEES_ONLY = {
    "inference": set(),
    "data": {"exceptions", "inputs"},
    "families": {"inputs"},
    "metrics": {"inputs"},
    "histogram": {"inputs", "exceptions"},
    "datasets": {"inputs", "families"},
    "extrapolation": {"inputs", "exceptions", "inference", "results", "display"},
    "matches": {"inputs", "metrics", "results", "goals", "active"},
    "versions": {"inputs", "exceptions", "results"},
}
NO_ROOM = {"utils", "helpers", "core", "common", "misc", "tools"}
# Files that a room has for itself, like others: what may be had by name.
OF_EACH_ROOM = {"_registry"}
# At the root of the package: rooms, and files beside them.
MAX_ENTRIES, MAX_LOOSE = 30, 5
# A file is a topic: not too short to be read alone, and not too long to be read at once.
MIN_LINES, MAX_CODE_LINES = 60, 500
# Rooms whose members are registered, which may have a file each, and other short files.
REGISTERED = {"families", "metrics", "experts", "strategies"}
SHORT = {"__main__", "extrapolation.methods._registry", "models._fit_items"}
MAX_SHORT = 15
# Files that users import, besides packages.
IMPORTED_BY_USERS = {"exceptions"}
# What is public is promised: little of it.
MAX_PUBLIC_NAMES = 146
# What may be imported from outside, besides the standard library: what pyproject.toml declares.
# Anything else is optional, and imported inside the function that needs it.
with (ROOT.parent / "pyproject.toml").open("rb") as _file:
    SETTINGS = tomllib.load(_file)
DEPENDENCIES = {
    re.match(r"[\w-]+", requirement)[0].replace("scikit-learn", "sklearn")
    for requirement in SETTINGS["project"]["dependencies"]
}
OPTIONAL = {
    "matplotlib": {"display", "extrapolation", "application"},
    "pandas": None,
    "pyarrow": {"histogram", "inputs"},
    "dask": {"histogram"},
    "narwhals": {"inputs"},
}

FILES = sorted(ROOT.rglob("*.py"))


def module_name(path):
    """Return the dotted name of a file, relative to the package: families._norm."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(path):
    return module_name(path).split(".")[0] or "__init__"


@cache
def tree_of(path):
    """Return a file, parsed."""
    return ast.parse(path.read_text())


@cache
def imports(path):
    """Return the absolute name of every module that a file imports, and whether at its top."""
    return list(found_imports(path))


def found_imports(path):
    tree = tree_of(path)
    top = set(map(id, tree.body))
    package = ["sklearn_spe", *path.relative_to(ROOT).parts[:-1]]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, id(node) in top
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = [*base, *([node.module] if node.module else [])]
            for alias in node.names:
                yield ".".join([*base, alias.name]), id(node) in top


def own_rooms(path):
    """Yield the rooms of the package that a file imports."""
    for name, _ in imports(path):
        root, *rest = name.split(".")
        if root == "sklearn_spe":
            room = rest[0] if rest else "__init__"
            yield room if (ROOT / room).is_dir() or (ROOT / f"{room}.py").is_file() else "__init__"


# --- the house -------------------------------------------------------------------------


def test_every_file_is_in_a_room():
    assert {room_of(path) for path in FILES} == FLOOR_OF.keys()


def test_the_root_has_few_entries():
    entries = [path for path in ROOT.iterdir() if path.name != "__pycache__"]
    loose = [path for path in entries if path.is_file()]
    assert len(entries) <= MAX_ENTRIES
    assert len(loose) <= MAX_LOOSE


def test_imports_never_point_up():
    for path in FILES:
        own = room_of(path)
        seen = set(own_rooms(path)) - {own}
        assert {room for room in seen if FLOOR_OF[room] >= FLOOR_OF[own]} == set(), path
        assert seen <= SEES_ONLY.get(own, seen), path


# Where modules are found by the names that users write.
BY_NAME = {"__init__", "_version", "application", "application.command_line._main"}


def test_the_imports_of_the_package_are_statements():
    by_name = {
        module_name(path) or "__init__"
        for path in FILES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func)
    }
    assert by_name == BY_NAME


def test_imports_go_in_no_circle():
    files = {module_name(path): path for path in FILES if path.name != "__init__.py"}
    graph = {}
    for name, path in files.items():
        # A name is imported from a file, or is a file itself.
        names = {module.removeprefix("sklearn_spe.") for module, _ in imports(path)}
        seen = {name if name in files else name.rpartition(".")[0] for name in names}
        graph[name] = seen & files.keys()
    TopologicalSorter(graph).prepare()


def test_the_rooms_of_the_application_have_floors_of_their_own():
    floor_of = {room: floor for floor, room in enumerate(APPLICATION)}
    for path in (ROOT / "application").glob("*/*.py"):
        for name, _ in imports(path):
            _, room, part = (*name.split("."), "", "")[:3]
            if room == "application":
                assert floor_of[part] <= floor_of[path.parent.name], path


def test_what_the_wings_need_of_the_library_is_listed():
    text = (DOC / "architecture.rst").read_text()
    for wing in (*WINGS, "application.judges"):
        needed = {
            name.removeprefix("sklearn_spe.").rpartition(".")[0]
            for path in (ROOT / wing.replace(".", "/")).rglob("*.py")
            for name, _ in imports(path)
            if name.startswith("sklearn_spe.") and not name.startswith(f"sklearn_spe.{wing}")
        }
        (row,) = [line for line in text.splitlines() if line.startswith(f"   {wing} | ")]
        assert row.partition(" | ")[2].split(", ") == sorted(needed)


def test_relative_imports_are_resolved():
    # The walk itself: a file of the same package, one of another, a parent's, one in a function.
    posterior = set(imports(ROOT / "mixtures" / "_mixture_posterior.py"))
    assert ("sklearn_spe.inference._draws.Draws", True) in posterior
    assert ("sklearn_spe.mixtures._two_class.TwoClassMixture", True) in posterior
    strategy = set(imports(ROOT / "active" / "strategies" / "_rules.py"))
    assert ("sklearn_spe.active.strategies._strategy.Strategy", True) in strategy
    selector = set(imports(ROOT / "active" / "_selector.py"))
    assert ("pandas", False) in selector
    rooms = set(own_rooms(ROOT / "mixtures" / "_mixture_posterior.py"))
    assert rooms >= {"inference", "mixtures", "data", "posterior"}


def test_inference_knows_numpy_scipy_and_parallel_tools_only():
    allowed = (DEPENDENCIES - {"sklearn"}) | sys.stdlib_module_names
    for path in (ROOT / "inference").rglob("*.py"):
        for name, _ in imports(path):
            known = name.split(".")[0] in allowed
            assert known or name.startswith(("sklearn.utils.", "sklearn_spe.inference.")), path


def test_inside_the_package_one_imports_from_files():
    packages = {module_name(path) for path in FILES if path.name == "__init__.py"} - {""}
    files = {module_name(path) for path in FILES}
    for path in FILES:
        names = (name.removeprefix("sklearn_spe.") for name, _ in imports(path))
        of_packages = {name for name in names if name.rpartition(".")[0] in packages}
        assert path.name == "__init__.py" or of_packages <= files, path


def test_modules_inside_a_room_carry_an_underscore():
    for path in FILES:
        inside = path.parent != ROOT and path.name != "__init__.py"
        assert not inside or path.name.startswith("_"), path


def lines_of_code(path):
    """Count the lines of a file that are no docstring, no comment and not empty."""
    text = path.read_text()
    documentation = set()
    for node in ast.walk(tree_of(path)):
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        if documented and ast.get_docstring(node, clean=False) is not None:
            documentation.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    lines = enumerate(map(str.strip, text.splitlines()), 1)
    return sum(
        1 for n, line in lines if line and not line.startswith("#") and n not in documentation
    )


def test_no_file_is_too_long_to_be_read_at_once():
    lines = {module_name(path): lines_of_code(path) for path in FILES}
    assert {name: n for name, n in lines.items() if n > MAX_CODE_LINES} == {}


def test_no_file_is_too_short_to_be_a_topic():
    short = {
        module_name(path)
        for path in FILES
        if path.name != "__init__.py" and not REGISTERED & set(path.parts)
        if len(path.read_text().splitlines()) < MIN_LINES
    }
    assert short == SHORT
    assert len(SHORT) <= MAX_SHORT


def test_only_what_users_import_lists_its_names():
    for path in FILES:
        listed = any(
            isinstance(node, ast.Name) and node.id == "__all__" and isinstance(node.ctx, ast.Store)
            for node in ast.walk(tree_of(path))
        )
        imported = path.name == "__init__.py" or module_name(path) in IMPORTED_BY_USERS
        assert imported or not listed, path


def test_a_name_means_one_thing_in_the_whole_house():
    files = Counter(path.stem for path in FILES if path.name != "__init__.py")
    assert {name for name, n in files.items() if n > 1} <= OF_EACH_ROOM
    classes = Counter(
        node.name
        for path in FILES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ClassDef)
    )
    assert {name for name, n in classes.items() if n > 1} == set()


def test_no_module_is_named_after_nothing():
    for path in FILES:
        assert not {part.strip("_") for part in module_name(path).split(".")} & NO_ROOM


# --- the outside -----------------------------------------------------------------------


def test_only_dependencies_are_imported_and_optional_ones_inside_functions():
    for path in FILES:
        for name, at_top in imports(path):
            root = name.split(".")[0]
            if root == "sklearn_spe" or root in DEPENDENCIES | sys.stdlib_module_names:
                continue
            assert root in OPTIONAL, path
            assert not at_top, path
            rooms = OPTIONAL[root]
            assert rooms is None or room_of(path) in rooms, path


def test_scipy_stats_is_not_on_the_path_of_a_fit():
    for path in FILES:
        names = [name for name, at_top in imports(path) if at_top]
        assert not [name for name in names if name.startswith("scipy.stats")], path


# What writes a file by its name; pictures are drawn into memory first.
WRITERS = {"write_bytes", "write_text", "savetxt", "to_csv", "to_parquet", "touch"}
WRITING = ROOT / "inputs" / "_writing.py"


def test_files_are_written_in_one_place():
    for path in FILES:
        calls = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call)]
        for call in calls:
            function = call.func
            name = function.attr if isinstance(function, ast.Attribute) else None
            assert path == WRITING or name not in WRITERS, (path, call.lineno)
            opens = name == "open" or (isinstance(function, ast.Name) and function.id == "open")
            modes = [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
            modes += [word.value for word in call.keywords if word.arg == "mode"]
            to_write = any(isinstance(mode, str) and set(mode) & set("wax+") for mode in modes)
            assert path == WRITING or not (opens and to_write), (path, call.lineno)


def test_nothing_private_of_others_is_imported():
    for path in FILES:
        for name, _ in imports(path):
            root, *rest = name.split(".")
            if root in DEPENDENCIES | OPTIONAL.keys():
                assert not [part for part in rest if part.startswith("_")], (path, name)


IMPORTS = """
import sys
import sklearn.base, sklearn.utils.parallel, scipy.optimize, joblib
others = set(sys.modules)
import sklearn_spe, sklearn_spe.display, sklearn_spe.application.report
print(*sys.modules.keys() - others)
"""


def test_importing_the_package_loads_nothing_that_scikit_learn_does_not():
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT.parent,
    )
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert "sklearn_spe" in loaded
    # Of what scikit-learn stands on, more parts may be loaded, and nothing else.
    assert (
        loaded - {"sklearn_spe", "sklearn", "scipy", "numpy", "joblib"} <= sys.stdlib_module_names
    )


# --- public names ----------------------------------------------------------------------

MODULES = [
    importlib.import_module(".".join(filter(None, ["sklearn_spe", module_name(path)])))
    for path in FILES
    if path.stem != "__main__"
]
PUBLIC = {
    f"{module.__name__}.{name}": getattr(module, name, None)
    for module in MODULES
    for name in getattr(module, "__all__", ())
}
# Each class and function once, however often it is exported.
DOCUMENTED = {
    f"{thing.__module__}.{thing.__name__}": thing
    for thing in PUBLIC.values()
    if inspect.isclass(thing) or inspect.isfunction(thing)
}
# What users call, and so wants to be shown.
SHOWN = {
    f"{thing.__module__}.{thing.__name__}": thing
    for name in (
        "sklearn_spe",
        "sklearn_spe.datasets",
        "sklearn_spe.display",
        "sklearn_spe.extrapolation",
        "sklearn_spe.families",
    )
    for thing in (
        getattr(importlib.import_module(name), key) for key in importlib.import_module(name).__all__
    )
    if (inspect.isclass(thing) and not inspect.isabstract(thing)) or inspect.isfunction(thing)
}


def test_names_in_all_exist_and_are_reported_once():
    for module in MODULES:
        names = getattr(module, "__all__", [])
        assert len(set(names)) == len(names), module.__name__
        assert [name for name in names if not hasattr(module, name)] == [], module.__name__


def test_names_of_the_package_are_found_where_they_are_defined():
    assert sklearn_spe._MODULES.keys() == set(sklearn_spe.__all__)
    for name, module in sklearn_spe._MODULES.items():
        found = getattr(sklearn_spe, name)
        assert found is getattr(importlib.import_module(f"sklearn_spe.{module}"), name)
    assert set(sklearn_spe._PACKAGES) == FLOOR_OF.keys() - {"__init__", "__main__", "_version"}
    assert set(dir(sklearn_spe)) >= {*sklearn_spe.__all__, *sklearn_spe._PACKAGES, "__version__"}
    assert not hasattr(sklearn_spe, "nothing")


# The names that are promised, by the module they are imported from.
PROMISED = {
    module.__name__: set(module.__all__)
    for module in MODULES
    if hasattr(module, "__all__") and "._" not in module.__name__
}


def test_there_are_few_public_names():
    assert sum(map(len, PROMISED.values())) <= MAX_PUBLIC_NAMES


def test_a_public_name_has_one_home():
    homes = Counter(name for names in PROMISED.values() for name in names)
    assert {name for name, n in homes.items() if n > 1} == set()


def test_rooms_inside_a_room_export_nothing():
    assert {name for name in PROMISED if name.count(".") > 1} == set()


def test_the_reference_lists_the_public_names():
    text = (DOC / "api.rst").read_text()
    names = set(re.findall(r"^   ([\w.]+)$", text, re.MULTILINE))
    # Methods and attributes are those of the classes at the root.
    members = {name for name in names if name.split(".")[0] in PROMISED["sklearn_spe"]}
    assert names - (members - PROMISED["sklearn_spe"]) == {
        f"{module}.{name}".removeprefix("sklearn_spe.")
        for module, promised in PROMISED.items()
        for name in promised
    }
    for name in members - PROMISED["sklearn_spe"]:
        assert inspect.getdoc(attrgetter(name)(sklearn_spe)), name


def test_public_names_are_documented_classes_and_functions():
    for name, thing in PUBLIC.items():
        assert inspect.isclass(thing) or inspect.isfunction(thing), name
        assert (thing.__doc__ or "").strip(), name


def test_modules_of_public_names_are_annotated():
    (strict,) = SETTINGS["tool"]["mypy"]["overrides"]
    assert strict["disallow_untyped_defs"]
    assert {thing.__module__ for thing in PUBLIC.values()} <= set(strict["module"])


def sections_of(thing):
    """Return the text below each heading of a numpydoc docstring."""
    text = inspect.getdoc(thing) or ""
    parts = re.split(r"^(\w[\w ]+)\n-{3,}\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def described(section):
    """Return the names that a section of parameters describes."""
    names = re.findall(r"^(\*{0,2}\w[\w, *]*?)(?: :.*)?$", section, flags=re.MULTILINE)
    return {name.strip(" *") for line in names for name in line.split(",")}


def test_public_names_have_a_summary_of_one_line():
    for name, thing in DOCUMENTED.items():
        first = inspect.cleandoc(thing.__doc__ or "").split("\n")[0]
        assert first.endswith("."), name
        assert first[0].isupper() or not first[0].isalpha(), name


def test_names_for_users_show_an_example():
    for name, thing in SHOWN.items():
        assert ">>> " in sections_of(thing).get("Examples", ""), name


def test_public_names_describe_their_parameters():
    # Warnings and errors are made by the package alone.
    for name, thing in DOCUMENTED.items():
        if inspect.isclass(thing) and issubclass(thing, Exception):
            continue
        sections = sections_of(thing)
        # The fields of a frozen result are its attributes.
        told = described(sections.get("Parameters", "")) | described(sections.get("Attributes", ""))
        parameters = [
            p.name
            for p in inspect.signature(thing).parameters.values()
            if p.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        assert inspect.isabstract(thing) or [p for p in parameters if p not in told] == [], name


# What users call first on an estimator.
FIRST = {"fit", "update", "predict", "predict_proba", "predict_band", "estimate", "curve"}
FIRST |= {"threshold_for", "difference", "by_category", "query", "should_stop", "from_chunks"}


def test_what_is_called_first_shows_an_example():
    for name in PROMISED["sklearn_spe"]:
        kind = getattr(sklearn_spe, name)
        if not hasattr(kind, "fit") and name != "ScoreHistogram":
            continue
        for method in FIRST & set(dir(kind)):
            example = sections_of(getattr(kind, method)).get("Examples", "")
            assert ">>> " in example, f"{name}.{method}"


def public_methods():
    # The methods of families, priors and extrapolations are described in their contracts.
    described_once = ("sklearn_spe.families",)
    for name, cls in SHOWN.items():
        if not inspect.isclass(cls) or cls.__module__.startswith(described_once):
            continue
        if issubclass(cls, Method):
            continue
        for key, method in inspect.getmembers(cls):
            if not key.startswith("_") and key in vars(cls) and callable(method):
                yield f"{name}.{key}", method


def test_methods_for_users_describe_their_parameters_and_what_they_return():
    for name, method in public_methods():
        sections = sections_of(method)
        parameters = list(inspect.signature(method).parameters.values())
        named = [p.name for p in parameters if p.name != "self" and p.kind is not p.VAR_KEYWORD]
        told = described(sections.get("Parameters", ""))
        # A method of one argument may say all in its first sentences.
        assert len(named) == 1 or [p for p in named if p not in told] == [], name
        says = inspect.getdoc(method).startswith(("Return", "Make"))
        assert "Returns" in sections or says, name


def test_every_module_says_what_it_is():
    silent = [module.__name__ for module in MODULES if not (module.__doc__ or "").strip()]
    assert silent == []


def test_version_is_that_of_the_package():
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+)?", sklearn_spe.__version__)
    assert (ROOT / "py.typed").is_file()


def test_files_of_text_name_their_encoding():
    # It is another one on Windows if none is named.
    for path in FILES:
        for node in ast.walk(tree_of(path)):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            modes = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
            modes += [key.value.value for key in node.keywords if key.arg == "mode"]
            is_of_os = isinstance(node.func, ast.Attribute) and ast.unparse(node.func) == "os.open"
            is_text = name in {"read_text", "write_text"} or (
                name == "open" and not is_of_os and not any("b" in str(mode) for mode in modes)
            )
            keywords = {key.arg for key in node.keywords}
            assert not is_text or "encoding" in keywords, (path, node.lineno)

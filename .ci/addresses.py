"""The addresses of the project, all from `repository` in [tool.sklearn-spe] of pyproject.toml.

The build backend calls `CustomMetadataHook` for the links of the package and the README that an
index shows. The documentation calls `file_address`. ``python .ci/addresses.py`` writes the address
into the files that nothing builds: CITATION.cff and the recipe for conda.
"""

import re
import tomllib
from pathlib import Path

try:
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ImportError:  # whoever reads an address needs no build backend
    MetadataHookInterface = object

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)\s]+)\)")
CLONE = "a clone of this repository"


def read_repository(root=ROOT):
    """Return the address of the repository; empty until it is set."""
    settings = tomllib.loads((Path(root) / "pyproject.toml").read_text(encoding="utf-8"))
    return settings["tool"]["sklearn-spe"]["repository"].rstrip("/")


def file_address(repository, path, kind="blob"):
    """Return the address of a file: as a page (blob), as it is (raw), or to change it (edit)."""
    between = "/-" if "gitlab" in repository else ""
    return f"{repository}{between}/{kind}/HEAD/{path}"


def project_urls(repository):
    """Return the links of the package."""
    if not repository:
        return {}
    return {
        "Repository": repository,
        "Documentation": file_address(repository, "doc/index.rst"),
        "Changelog": file_address(repository, "doc/whats_new.rst"),
        "Issues": f"{repository}/issues",
    }


def readme_of_index(text, repository):
    """Return the README as an index shows it, where a link to a file leads nowhere.

    Links lead into the repository. Without one they are their text, and pictures are left out.
    """

    def replaced(link):
        picture, name, path = link.groups()
        if not repository:
            return "" if picture else name
        return f"{picture}[{name}]({file_address(repository, path, 'raw' if picture else 'blob')})"

    text = LINK.sub(replaced, text)
    return text.replace(CLONE, f"a clone of [the repository]({repository})") if repository else text


def with_address(text, line, repository):
    """Return a text that ends with a line naming the repository, or without one."""
    kept = [own for own in text.splitlines() if not own.startswith(line)]
    return "\n".join([*kept, *([f'{line}"{repository}"'] if repository else [])]) + "\n"


# The last line of the files that nothing builds.
WRITTEN = {"CITATION.cff": "repository-code: ", ".conda/recipe.yaml": "  repository: "}


class CustomMetadataHook(MetadataHookInterface):
    """What hatchling asks for the fields that pyproject.toml calls dynamic."""

    def update(self, metadata):
        """Add the README and the links."""
        repository = read_repository(self.root)
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = readme_of_index(text, repository)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["urls"] = project_urls(repository)


if __name__ == "__main__":
    for name, line in WRITTEN.items():
        path = ROOT / name
        text = with_address(path.read_text(encoding="utf-8"), line, read_repository())
        path.write_text(text, encoding="utf-8", newline="\n")

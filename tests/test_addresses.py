"""Addresses: all follow from one setting, and while it is empty nothing names one."""

import importlib.util
import re
from email.message import Message
from importlib import metadata
from pathlib import Path

import pytest

from sklearn_spe._version import documentation_address
from sklearn_spe.results._showing import linked

ROOT = Path(__file__).parents[1]
_spec = importlib.util.spec_from_file_location("addresses", ROOT / ".ci" / "addresses.py")
addresses = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(addresses)

README = (ROOT / "README.md").read_text(encoding="utf-8")
LINKS = re.findall(r"\]\(([^)#]+)\)", README)
HOMES = ["https://github.example/me/spe", "https://gitlab.example/me/spe"]


@pytest.mark.parametrize("home", HOMES)
def test_links_of_the_readme_lead_into_the_repository(home):
    text = addresses.readme_of_index(README, home)
    found = re.findall(r"\]\(([^)#]+)\)", text)
    files = [link.partition("/HEAD/")[2] for link in found if "/HEAD/" in link]
    assert files == [link for link in LINKS if not link.startswith("http")]
    assert all(link.startswith(home) for link in found if "/HEAD/" in link)
    (picture,) = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)
    assert "/raw/HEAD/" in picture
    assert f"[the repository]({home})" in text


def test_without_a_repository_the_readme_of_an_index_has_no_dead_links():
    text = addresses.readme_of_index(README, "")
    assert "](" not in text
    # Words stay.
    assert "Read `verdict_` first, and when not to believe it." in text
    assert addresses.project_urls("") == {}


def test_links_of_the_package_are_those_of_its_files():
    urls = addresses.project_urls(HOMES[0])
    files = [url.partition("/blob/HEAD/")[2] for url in urls.values() if "/blob/HEAD/" in url]
    assert len(files) == 2
    assert all((ROOT / path).is_file() for path in files)


@pytest.mark.parametrize(("name", "line"), addresses.WRITTEN.items(), ids=addresses.WRITTEN)
def test_files_that_nothing_builds_name_the_repository(name, line):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert text == addresses.with_address(text, line, addresses.read_repository())
    named = addresses.with_address(text, line, HOMES[0])
    assert named == text.rstrip("\n") + f'\n{line}"{HOMES[0]}"\n' or addresses.read_repository()
    assert addresses.with_address(named, line, HOMES[1]).count(line) == 1


def test_no_message_names_a_project_on_an_index():
    found = [
        path.name
        for path in sorted((ROOT / "sklearn_spe").rglob("*.py"))
        if re.search(r"pip install [\"']?sklearn-spe", path.read_text(encoding="utf-8"))
    ]
    assert found == [] or addresses.read_repository()


def test_pages_link_to_the_documentation_if_it_has_an_address(monkeypatch):
    """The address is that of the installed package, which follows from the setting."""
    urls = [", ".join(item) for item in addresses.project_urls(HOMES[0]).items()]
    for links in (urls, []):
        package = Message()
        for link in links:
            package["Project-URL"] = link
        monkeypatch.setattr(metadata, "metadata", lambda name, package=package: package)
        expected = addresses.file_address(HOMES[0], "doc/index.rst") if links else ""
        assert documentation_address() == expected
        assert linked("guide", expected) == (
            f'<a href="{expected}">guide</a>' if links else "guide"
        )


def test_no_file_of_the_package_names_an_address():
    found = [
        path.name
        for path in sorted((ROOT / "sklearn_spe").rglob("*.py"))
        if re.search(r"https?://[\w.-]*(readthedocs|github|gitlab)", path.read_text("utf-8"))
    ]
    assert found == []

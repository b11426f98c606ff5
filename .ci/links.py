"""Follow every link within built pages: python .ci/links.py FOLDER.

A link to a file that is not there, or to a place that no element of its page names, is printed with
the page that has it, and the exit status is 1. Links to other sites are not followed.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes that lead to a file, and those that name a place.
LEADING, NAMING = ("href", "src"), ("id", "name")


class Page(HTMLParser):
    """The links of a page, and the places that can be linked to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.places = [], {"", "top"}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        """Note a link or a place."""
        for name, value in attributes:
            if value and name in LEADING:
                self.links.append(value)
            elif value and name in NAMING:
                self.places.add(value)


def broken_links(folder):
    """Yield the page and the link of all that lead nowhere."""
    folder = folder.resolve()
    # A theme's own files are templates.
    paths = [path for path in folder.rglob("*.html") if "_static" not in path.parts]
    pages = {path: Page(path) for path in sorted(paths)}
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path
            if parts.path:
                target = (path.parent / unquote(parts.path)).resolve()
            if target.is_dir():
                target /= "index.html"
            is_there = target.is_file()
            if is_there and target in pages:
                is_there = unquote(parts.fragment) in pages[target].places
            if not is_there:
                yield path.relative_to(folder), link


def main(folder):
    """Print what is broken; return the exit status."""
    broken = sorted(set(broken_links(Path(folder))))
    for page, link in broken:
        print(f"{page}: {link}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

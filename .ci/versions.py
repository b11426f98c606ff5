"""The version and the date of a release, both from sklearn_spe/_version.py.

python .ci/versions.py write        writes them into the files that cite them
python .ci/versions.py check [TAG]  fails if a file, or the tag of a release, says something else
"""

import re
import sys
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The lines of a file, as patterns of which the second group is replaced.
WRITTEN = {
    "CITATION.cff": {
        "version": r"(?m)^(version: )(\S+)()$",
        "date": r"(?m)^(date-released: )(\S+)()$",
    },
    ".conda/recipe.yaml": {"version": r'(?m)^(  version: ")([^"$]+)(")$'},
}


def read_release(root=ROOT):
    """Return the version and the date of the package."""
    text = (Path(root) / "sklearn_spe" / "_version.py").read_text(encoding="utf-8")
    version = re.search(r'^__version__ = "(.+)"$', text, flags=re.M)[1]
    day = re.search(r'^RELEASE_DATE = "(.+)"$', text, flags=re.M)[1]
    return version, date.fromisoformat(day)


def with_release(text, patterns, version, day):
    """Return a text that cites a release; while it is developed, the one to come."""
    values = {"version": version.partition(".dev")[0], "date": day.isoformat()}
    for name, pattern in patterns.items():
        text, n_lines = re.subn(pattern, rf"\g<1>{values[name]}\g<3>", text)
        if n_lines != 1:
            raise ValueError(f"{n_lines} lines match {pattern!r} where one should.")
    return text


def disagreements(version, day, tag=None):
    """Return what does not agree with the version, in sentences."""
    sentences = []
    for name, patterns in WRITTEN.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        if text != with_release(text, patterns, version, day):
            sentences.append(f"{name} is of another version or date: run .ci/versions.py write.")
    news = (ROOT / "doc" / "whats_new.rst").read_text(encoding="utf-8")
    minor = ".".join(version.split(".")[:2])
    heading = f"Version {minor}\n{'-' * len(f'Version {minor}')}\n\n*{day:%B %Y}.*"
    if heading not in news:
        sentences.append(f"doc/whats_new.rst has no version {minor} of {day:%B %Y}.")
    if tag is not None and tag != f"v{version}":
        sentences.append(f"The tag is {tag}, and the version {version}: tag v{version}.")
    if tag is not None and ".dev" in version:
        sentences.append(f"{version} is a development version: it is not released.")
    return sentences


def main(task, tag=None):
    """Do a task; return the exit status."""
    version, day = read_release()
    if task == "write":
        for name, patterns in WRITTEN.items():
            text = (ROOT / name).read_text(encoding="utf-8")
            text = with_release(text, patterns, version, day)
            (ROOT / name).write_text(text, encoding="utf-8", newline="\n")
        return 0
    if task != "check":
        sys.exit(__doc__)
    sentences = disagreements(version, day, tag)
    print("\n".join(sentences) or f"All files are of version {version}, {day}.")
    return int(bool(sentences))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))

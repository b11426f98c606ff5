"""The entry point: from arguments to the exit status."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence

from .._version import __version__
from ._answer import (
    BROKEN_PIPE,
    EPILOG,
    FAILED,
    INTERRUPTED,
    SCHEMA_VERSION,
    Answer,
    Words,
    abandon_output,
    say,
    tell,
)
from ._estimate import add_compare, add_estimate
from ._labeling_commands import add_find, add_suggest
from ._report_commands import add_mean, add_report


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, by default with `sys.argv`; return the exit status."""
    try:
        try:
            return _run(_parser().parse_args(arguments))
        finally:
            # Here and not at exit, where a closed pipe could not be handled.
            if sys.stdout is not None:
                sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        abandon_output()
        return BROKEN_PIPE
    except OSError as error:
        abandon_output()
        tell("error", f"Nothing can be written to standard output: {error}")
        return FAILED


def _run(options: argparse.Namespace) -> int:
    answer, fault = Answer(Words(options)), ""
    answer.record |= {"schema_version": SCHEMA_VERSION, "version": __version__}
    answer.record["command"] = options.command
    with warnings.catch_warnings(record=True) as caught:
        try:
            options.run(options, answer)
        # Warnings are raised where Python is run with -W error.
        except (ValueError, TypeError, OSError, ImportError, Warning) as error:
            fault = answer.words(error)
    said = dict.fromkeys(str(warning.message) for warning in caught)
    texts = [answer.words(text) for text in said if text not in answer.reasons]
    if options.json:
        answer.record |= {"warnings": texts, "error": fault or None}
        say(answer.json)
    elif answer.lines:
        say(answer.text)
    for text in texts:
        tell("warning", text)
    if not fault:
        return answer.status
    tell("error", fault)
    return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sklearn-spe",
        description="A classifier's performance on new data, from its scores and a few labels.",
        epilog=EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, dest="command", metavar="COMMAND")
    add_estimate(commands)
    add_compare(commands)
    add_report(commands)
    add_suggest(commands)
    add_find(commands)
    add_mean(commands)
    return parser

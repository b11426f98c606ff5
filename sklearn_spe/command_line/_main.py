"""The entry point: from arguments to the exit status."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module

from .._version import __version__
from ._parsers import parser_of_commands
from ._terminal import BROKEN_PIPE, FAILED, INTERRUPTED, abandon_output, say, tell

# Where a command is, as a function of its name: it is imported when it is called.
MODULES = {
    "estimate": "_estimate",
    "compare": "_estimate",
    "report": "_report_commands",
    "suggest": "_labeling_commands",
    "find": "_labeling_commands",
    "mean": "_report_commands",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, by default with `sys.argv`; return the exit status."""
    try:
        try:
            return _run(parser_of_commands().parse_args(arguments))
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
    from ._answer import SCHEMA_VERSION, Answer, Words

    command = getattr(import_module(f"{__package__}.{MODULES[options.command]}"), options.command)
    answer, fault = Answer(Words(options)), ""
    answer.record |= {"schema_version": SCHEMA_VERSION, "version": __version__}
    answer.record["command"] = options.command
    with warnings.catch_warnings(record=True) as caught:
        try:
            command(options, answer)
        # Warnings are raised where Python is run with -W error.
        except (ValueError, TypeError, OSError, ImportError, Warning) as error:
            fault = answer.words.of_message(error)
    told = (w.message for w in caught if str(w.message) not in answer.warned)
    texts = list(dict.fromkeys(map(answer.words.of_message, told)))
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

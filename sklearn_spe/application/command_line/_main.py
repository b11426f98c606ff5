"""The entry point: from arguments to the exit status."""

from __future__ import annotations

import argparse
import errno
import json
import sys
import warnings
from collections.abc import Sequence
from datetime import date
from functools import cache
from importlib import import_module
from typing import Any

from ..._version import __version__, versions_in_full
from ...exceptions import UnreachableGoalError, shortened
from ._option_checks import check_options
from ._option_table import WITHOUT_TABLE, parser_of_commands
from ._terminal import (
    BROKEN_PIPE,
    FAILED,
    INTERRUPTED,
    NOT_MET,
    UnmetGoalError,
    abandon_output,
    say,
    tell,
)

# The version of what --json prints; it changes if a key is removed or means something else.
SCHEMA_VERSION = 1
# Below the traceback of an error that no input should cause.
REPORT_IT = "This is an error of sklearn-spe. Please report all of this, with a file that shows it."
# Errors of a goal that is not met, which is a result.
UNMET = (UnreachableGoalError, UnmetGoalError)
# Where in the application a command is, as a function of its name: imported when it is called.
MODULES = {
    "estimate": "command_line._estimate",
    "compare": "command_line._estimate",
    "report": "command_line._report_commands",
    "suggest": "command_line._labeling_commands",
    "find": "command_line._labeling_commands",
    "review": "command_line._review",
    "verify": "command_line._review",
    "readings": "command_line._reading_study",
    "mean": "command_line._report_commands",
    "plan": "command_line._label_needs",
    "judge": "judges._judge",
}


# Several commands of one process share it.
shared_parser = cache(parser_of_commands)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, by default with `sys.argv`; return the exit status."""
    try:
        try:
            return _run(shared_parser().parse_args(arguments))
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
        # As Windows calls a closed pipe.
        if sys.platform == "win32" and error.errno == errno.EINVAL:
            return BROKEN_PIPE
        tell("error", f"Nothing can be written to standard output: {error}")
        return FAILED
    except Exception as error:
        # An error of the program, whose traceback ends with what its report needs.
        error.add_note(f"\n{REPORT_IT}\n\n{versions_in_full()}")
        raise


def _run(options: argparse.Namespace) -> int:
    try:
        check_options(options)
        # Not at the top: help and errors of options need no numpy.
        from ._options import read_tables

        reads_table = options.command not in WITHOUT_TABLE
        options.tables = read_tables(options) if reads_table else []
    except (ValueError, OSError, ImportError) as error:
        if options.json:
            record = _record(options) | {"warnings": [], "error": shortened(str(error))}
            say(json.dumps(record, ensure_ascii=False, indent=2))
        tell("error", error)
        return FAILED
    return _answered(options)


def _record(options: argparse.Namespace) -> dict[str, Any]:
    """Return the first entries of the printed JSON."""
    return {
        "schema_version": SCHEMA_VERSION,
        "version": __version__,
        "command": options.command,
        "date": date.today().isoformat(),
    }


def _answered(options: argparse.Namespace) -> int:
    from ._answer import Answer, Words

    application = __package__.rpartition(".")[0]
    module = import_module(f"{application}.{MODULES[options.command]}")
    command = getattr(module, options.command)
    answer = Answer(Words(options), is_verbose=options.verbose)

    fault = ""
    status = FAILED
    answer.record |= _record(options)

    with warnings.catch_warnings(record=True) as caught:
        try:
            command(options, answer)
        # Warnings are raised where Python is run with -W error.
        except (ValueError, TypeError, OSError, ImportError, Warning) as error:
            fault = shortened(answer.words.of_message(error))
            if isinstance(error, UNMET):
                status = NOT_MET
                answer.put_first(fault)

    # Warnings that say what a printed verdict says are not repeated.
    messages = [w.message for w in caught if str(w.message) not in answer.warned]
    texts = list(dict.fromkeys(map(answer.words.of_message, messages)))
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
    return status

"""The front door for people and CI: reads a command, and carries it out in their language.

Its exit statuses stand in docs/reference/command-line.md.
"""

from __future__ import annotations

import argparse
import importlib
import os
import shlex
import signal
import sys
from collections.abc import Sequence

from conformance.catalogue import front_door as say
from conformance.catalogue import help as helps
from conformance.catalogue.message import LANGUAGES, row
from conformance.cli.common import tell_program, with_cann
from conformance.cli.grammar import parser_class
from conformance.errors import (
    ENVIRONMENT,
    INTERRUPTED,
    NOTHING_TO_DO,
    UNREAD,
    EnvironmentFailure,
    OperatorUnavailable,
    UsageError,
    text_of,
)
from conformance.session.rare_collection import never_collected_at_exit
from conformance.text.command_lines import called
from conformance.text.language import (
    HAS_ITS_OWN,
    LANGUAGE_OPTION,
    Speaking,
    check_language,
    language_of,
)

COMMANDS = {
    "run": "run.add_run",
    "replay": "replay.add_replay",
    "report": "report.add_report",
    "operators": "listing.add_operators_command",
    "devices": "listing.add_devices",
    "doctor": "doctor.add_doctor",
    "new": "new.add_new",
    "check": "check.add_check",
    "mutants": "mutants.add_mutants",
    "gate": "gate.add_gate",
    "baseline": "baseline.add_baseline",
    "merge": "merge.add_merge",
    "history": "history.add_history",
    "corpus": "corpus.add_corpus",
    "import": "import_cases.add_import",
}
"""Each command, in the order of the help, and what adds its grammar. Its module is imported when it
is needed: one command imports a third of what all do.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit status."""
    # Threads of numpy's library wait for work in a loop, and no case has matrices to multiply.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    never_collected_at_exit()
    given, language = language_of(list(sys.argv[1:] if arguments is None else arguments))
    extra = given[given.index("--") + 1 :] if "--" in given else []
    asked = given[0] if given else ""
    grammar = parser(language if language in LANGUAGES else "en", asked)
    parsed = grammar.parse_args(given[: given.index("--")] if "--" in given else given)
    parsed.alone = arguments is None
    console = Speaking(language, stderr=True, highlight=False, soft_wrap=True)
    # Both, as a shell has what it starts in the background ignore interrupts.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        check_language(language)
        if "cann" in parsed:
            parsed.device = with_cann(parsed.device, parsed.cann)
        done: int = parsed.command(parsed, console, extra)
        sys.stdout.flush()
        return done
    except BrokenPipeError:
        # Who reads the output has had enough; at its exit Python would write once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREAD
    except UsageError as error:
        status, message = NOTHING_TO_DO, say.ERROR(error=text_of(error))
    except (EnvironmentFailure, OperatorUnavailable) as error:
        status, message = ENVIRONMENT, say.NOTHING_JUDGED(error=text_of(error))
    except KeyboardInterrupt:
        status, message = INTERRUPTED, say.INTERRUPTED()
    console.print(message, markup=False)
    if getattr(parsed, "json", False):
        tell_program({"status": status, "error": message})
    return status


def parser(language: str = "en", command: str = "") -> argparse.ArgumentParser:
    """The grammar of the command line, with its help in a language: of one command, or of all if
    there is none of that name.
    """
    description = row((helps.FRONT_DOOR(), "", helps.STATUSES()), "\n")
    made = parser_class(language)(shlex.join(called()), description=description, allow_abbrev=False)
    commands = made.add_subparsers(required=True, metavar="COMMAND")
    for name in [command] if command in COMMANDS else COMMANDS:
        module, _, add = COMMANDS[name].partition(".")
        getattr(importlib.import_module(f"conformance.cli.{module}"), add)(commands)
    for name, one in {"": made, **commands.choices}.items():
        if name != HAS_ITS_OWN:
            one.add_argument(LANGUAGE_OPTION, choices=LANGUAGES, help=helps.LANGUAGE())
    return made

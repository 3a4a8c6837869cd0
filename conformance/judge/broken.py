"""What is said of an error that no kernel made: of a record, a reference, a law, or the suite."""

from __future__ import annotations

import os
import traceback
from pathlib import Path
from unittest import SkipTest

from hypothesis.errors import HypothesisException

from conformance import places
from conformance.catalogue import broken_record as say
from conformance.catalogue.message import row
from conformance.errors import EnvironmentFailure, OperatorUnavailable, text_of
from conformance.judge.agreement import ReferenceDisagreement

BROKEN: str = say.BROKEN()
"""How the text begins of an item that such an error ended; a run with one ends with status 3."""

NO_VERDICT: str = say.NO_VERDICT()
HARNESS = places.PACKAGE
PASSED_ON = (EnvironmentFailure, OperatorUnavailable, HypothesisException, SkipTest)
"""Exceptions that say else: the device is lost, a draw is rejected, an item is skipped."""


def explained(error: BaseException) -> str:
    """The error, and the line that raised it: of the record's own files, if one is there.

    A disagreement of a record with its reference names the record by itself.
    """
    return row([BROKEN + with_place(error), "  " + NO_VERDICT], "\n")


def with_place(error: BaseException) -> str:
    """The error, and where the line that raised it is."""
    told, place = text_of(error), _place(error)
    if isinstance(error, ReferenceDisagreement):
        place = None
    else:
        name = type(error).__name__
        told = f"{name}: " + told if told else name
    lines = [told]
    if place is not None:
        where = f"{_near(place.filename)}:{place.lineno}"
        lines += ["  " + say.RAISED_AT(place=where, function=place.name)]
    return row(lines, "\n")


def is_raised_in(error: BaseException, folder: Path) -> bool:
    """Whether a file in a folder raised an error."""
    place = _place(error)
    return place is not None and Path(place.filename).resolve().is_relative_to(folder.resolve())


def is_broken(text: str) -> bool:
    """Whether the text of an item that ended without a verdict tells of such an error."""
    return text.startswith(BROKEN)


def _place(error: BaseException) -> traceback.FrameSummary | None:
    """The last frame in a file of a record or a reference, else in the suite's, else any."""
    frames = list(traceback.extract_tb(error.__traceback__))
    own = [one for one in frames if not _is_installed(one.filename)]
    of_record = [one for one in own if HARNESS not in Path(one.filename).resolve().parents]
    # A template, which calls all others, is the first frame of them.
    of_record = [one for one in of_record if not one.name.startswith("test_")]
    found = of_record or own or frames
    return found[-1] if found else None


def _is_installed(file: str) -> bool:
    """Whether a file is of Python or of a package beside the suite."""
    inside = HARNESS in Path(file).resolve().parents
    return not inside and ("site-packages" in file or file.startswith(os.path.dirname(os.__file__)))


def _near(file: str) -> str:
    relative = os.path.relpath(file)
    return file if relative.startswith("..") else relative

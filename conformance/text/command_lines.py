"""What a person types: the words that call the front door, and paths; lines to copy have both."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from conformance import SUITE

SCRIPT = "moe-conformance"
"""The command that the wheel installs."""

VARIABLE = "MOE_CONFORMANCE_CALLED"
"""Tells the processes of a run by what words the run was called."""

COMMAND = "MOE_CONFORMANCE_COMMAND"
"""Tells them the whole command, with its arguments."""


def command(arguments: Sequence[str]) -> str:
    """The command of a run as it was typed; ``arguments`` are pytest's, if that was called."""
    return os.environ.get(COMMAND) or shlex.join(["pytest", *arguments])


def called(words: Sequence[str] | None = None) -> list[str]:
    """The words, as they were typed; ``words`` are those of this process.

    Where pytest was called, and not the front door: those by which it can be called here.
    """
    if told := os.environ.get(VARIABLE):
        return shlex.split(told)
    typed = list(sys.orig_argv if words is None else words)
    if "-m" in typed and typed[typed.index("-m") + 1 :][:1] == ["conformance"]:
        return [_short(typed[0]), *typed[1 : typed.index("-m") + 2]]
    scripts = [word for word in typed[:2] if Path(word).name == SCRIPT]
    if scripts:
        return [_short(scripts[0])]
    if SUITE.is_dir() and shutil.which(SCRIPT):
        return [SCRIPT]
    return ["python", "-m", "conformance"]


def _short(program: str) -> str:
    """A program's name alone, if the shell finds that very program by it."""
    found = shutil.which(Path(program).name)
    same = found is not None and os.path.abspath(found) == os.path.abspath(program)
    return Path(program).name if same else program


def near(path: Path) -> str:
    """A path as it is written from the working directory, if that is shorter."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative

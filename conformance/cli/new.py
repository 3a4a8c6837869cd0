"""``new``: the files with which an operator begins, from its parameters."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console

from conformance.catalogue import help as helps
from conformance.catalogue import skeleton as say
from conformance.errors import ACCEPTED, UsageError
from conformance.skeleton import kernel, record
from conformance.skeleton.operator import New
from conformance.skeleton.parameters import LINES, read, snake
from conformance.text.command_lines import called
from conformance.text.language import put


def add_new(commands: Any) -> None:
    """The grammar of ``new``."""
    command = commands.add_parser("new", help=helps.NEW(), allow_abbrev=False)
    command.set_defaults(command=new_command)
    command.add_argument("name", metavar="OPERATOR", help=helps.NEW_NAME())
    command.add_argument("--from", dest="source", metavar="FILE", help=helps.NEW_FROM())
    command.add_argument(
        "--into", type=Path, default=Path("operators"), metavar="DIR", help=helps.NEW_INTO()
    )


def new_command(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Write the files, and say what is next."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", parsed.name):
        raise UsageError("OPERATOR", parsed.name, say.NAME_RULE())
    name = snake(parsed.name)
    new = New(name, read(_text(parsed.source, name, console)))
    folder: Path = parsed.into
    written = _files(new)
    for path in written:
        if (folder / path).exists():
            raise UsageError("--into", folder, say.IS_THERE(path=folder / path))
    for path, text in written.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
        put(say.WROTE(path=folder / path), console)
    for line in _guesses(new):
        put(line, console)
    words = [*called(), "check", "--operators", str(folder)]
    run = [*called(), "run", "--operators", str(folder), "--operator", name, "--device", "sim"]
    put(say.NEXT(), console)
    for command in (words, run):
        put(f"  {shlex.join(command)}", console)
    return ACCEPTED


def _text(source: str | None, name: str, console: Console) -> str:
    """What the parameters are read from: a file, standard input, or lines that are asked for."""
    if source is None and sys.stdin.isatty():
        put(say.ASK(operator=name), console)
        for line in LINES:
            put(f"  {line}", console)
        return "\n".join(iter(lambda: input("> "), ""))
    if source in (None, "-"):
        return sys.stdin.read()
    try:
        return Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("--from", source, say.FROM_RULE()) from error


def _files(new: New) -> dict[str, str]:
    """The rooms of an operator, by paths below the folder of operators."""
    return {
        f"{new.name}.py": record.record(new),
        f"reference/{new.name}.py": record.reference(new),
        **{f"kernels/{new.name}/{name}": text for name, text in kernel.files(new).items()},
    }


def _guesses(new: New) -> Iterator[str]:
    for role in ("input", "output"):
        names = [one.acl_name for one in new.tensors if one.is_guess and one.kind == role]
        if names:
            yield say.GUESSED(names=", ".join(names), role=role)

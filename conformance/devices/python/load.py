"""A named Python function imported in the device process, and what it can be called with."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from conformance.catalogue import python_route as say
from conformance.devices.python.named import file_of

OUT = "out"
"""A function with this parameter is given the outputs, and fills them."""

FUNCTIONS = "FUNCTIONS"
"""The name by which a module says what it computes with (`conformance.devices.python.offered`)."""

HERE = Path(__file__).parent


class NotCallable(Exception):  # noqa: N818 - what was named
    """What was named cannot be called; the text says why, in one line."""


@dataclass(frozen=True)
class Loaded:
    """A function, its own words for itself, the file that it is from, and its signature.

    ``signature`` is None for a function that does not tell it, as some that are written in C.
    ``functions`` is what its module says of those that it computes with, None: nothing.
    """

    call: Callable[..., Any]
    words: str
    file: str | None
    signature: inspect.Signature | None
    functions: Any = None

    @property
    def fills(self) -> bool:
        """Whether it fills outputs that it is given."""
        return self.signature is not None and OUT in self.signature.parameters

    def misfit(self, keywords: tuple[str, ...], of: str) -> str:
        """Why it cannot be called with these keywords, "" if it can; ``of`` says whose they are."""
        if self.signature is None:
            return ""
        given: dict[str, object] = dict.fromkeys((*keywords, *([OUT] if self.fills else [])))
        try:
            self.signature.bind(**given)
        except TypeError as error:
            return say.OTHER_ARGUMENTS(function=self.words, error=error, of=of, names=keywords)
        return ""


def loaded(where: str) -> Loaded:
    """Import what `conformance.devices.python.named` names. Raises `NotCallable`."""
    module, _, name = where.rpartition(":")
    path = file_of(where)
    short = f"{path.name if path else module}:{name}"
    try:
        found: Any = _of_file(path) if path else _of_name(module)
    except BaseException as error:  # an import may raise anything, SystemExit among it
        if isinstance(error, KeyboardInterrupt):
            raise
        raise NotCallable(say.NOT_IMPORTED(module=path or module, error=told(error))) from error
    functions = getattr(found, FUNCTIONS, None)
    for part in name.split("."):
        if not hasattr(found, part):
            raise NotCallable(say.NO_SUCH_NAME(module=path or module, name=name))
        found = getattr(found, part)
    if not callable(found):
        raise NotCallable(say.NOT_A_FUNCTION(function=short, type=type(found).__name__))
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        signature = None
    file = _file(found) or (str(path) if path else None)
    return Loaded(found, short, file, signature, functions)


def told(error: BaseException) -> str:
    """An exception in one line: its class, the first line of its text, and where it was raised."""
    text = next(iter(str(error).splitlines()), "")
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    kind = type(error).__name__
    said = f"{kind}: {text}" if text else kind
    file = Path(last.tb_frame.f_code.co_filename) if last is not None else None
    if last is None or file is None or not file.is_file() or file.parent == HERE:
        return said
    return say.RAISED_AT(said=said, file=file.name, line=last.tb_lineno)


def _of_file(path: Path) -> ModuleType:
    """The module of a file, imported once under a name of its own, as a script finds its modules
    beside it."""
    name = f"implementation_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    if name in sys.modules:
        return sys.modules[name]
    _look_in(str(path.parent))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _of_name(module: str) -> ModuleType:
    _look_in(os.getcwd())
    return importlib.import_module(module)


def _look_in(folder: str) -> None:
    if folder not in sys.path:
        sys.path.insert(0, folder)


def _file(function: Any) -> str | None:
    """The file that a function was written in, also under a decorator."""
    try:
        return inspect.getsourcefile(inspect.unwrap(function))
    except (TypeError, ValueError):
        return getattr(sys.modules.get(getattr(function, "__module__", "")), "__file__", None)

"""Puts the code of a mutant into the functions of a module that is imported already.

Whoever holds such a function then runs the mutant, without importing anything anew. What a module
does when it is imported (constants, defaults, fields) cannot be changed so.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tests.proofs.mutation.sandbox import PROJECT


class NotInPlaceError(Exception):
    """The change is not inside functions."""


def put_in_place(module: ModuleType, changed: str) -> None:
    """Give the functions of ``module`` the code that the ``changed`` source has for them.

    Raises NotInPlaceError, before anything is changed, where the source also changes what happens
    at import. Forgets what functions of the project have cached.
    """
    path = str(module.__file__)
    source = inspect.getsource(module)
    before, after = (compile(text, path, "exec", dont_inherit=True) for text in (source, changed))
    if _skeleton(before) != _skeleton(after):
        raise NotInPlaceError(f"{module.__name__} would be imported otherwise")
    codes = dict(_codes(after))
    found = [(function, codes.get(function.__qualname__)) for function in _functions(module)]
    for function, code in found:
        if code is None or len(code.co_freevars) != len(function.__code__.co_freevars):
            raise NotInPlaceError(f"{function.__qualname__} has no place for other code")
    for function, code in found:
        function.__code__ = code  # type: ignore[assignment]
    _forget_caches()


def _skeleton(code: CodeType) -> tuple[Any, ...]:
    """What a module or class body does, without the insides of its functions."""
    constants = []
    for constant in code.co_consts:
        if not isinstance(constant, CodeType) or constant.co_name.startswith("<"):
            constants.append(constant)
        elif constant.co_flags & inspect.CO_OPTIMIZED:
            constants.append(constant.co_name)
        else:
            constants.append(_skeleton(constant))
    return (code.co_code, code.co_names, *constants)


def _codes(code: CodeType, prefix: str = "") -> Iterator[tuple[str, CodeType]]:
    """The functions of a module's code by qualified name."""
    for constant in code.co_consts:
        if not isinstance(constant, CodeType) or constant.co_name.startswith("<"):
            continue
        name = f"{prefix}{constant.co_name}"
        if constant.co_flags & inspect.CO_OPTIMIZED:
            yield name, constant
        else:
            yield from _codes(constant, f"{name}.")


def _functions(owner: ModuleType | type, module: str = "") -> Iterator[FunctionType]:
    """The functions that a module's source defines, in classes and behind decorators too."""
    module = module or owner.__name__
    path = sys.modules[module].__file__
    for value in vars(owner).values():
        value = _unwrapped(value)
        if isinstance(value, type) and value.__module__ == module:
            yield from _functions(value, module)
        elif isinstance(value, FunctionType) and value.__code__.co_filename == path:
            yield value


def _unwrapped(value: Any) -> Any:
    while True:
        if isinstance(value, staticmethod | classmethod):
            value = value.__func__
        elif isinstance(value, property):
            value = value.fget
        elif isinstance(value, functools.cached_property):
            value = value.func
        elif hasattr(value, "__wrapped__") and not isinstance(value, type):
            value = value.__wrapped__
        else:
            return value


def _forget_caches() -> None:
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in PROJECT:
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()

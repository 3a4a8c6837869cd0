"""What an implementation says of the functions that it computes with: ``FUNCTIONS`` of its module.

Each of exp, ln, sqrt, div and reciprocal is a callable on float32 tensors, which is probed; or a
mapping that declares its traits, with their source; or None if it is not used. Of one that is not
named nothing is known.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from conformance.catalogue import python_route as say
from conformance.devices.messages import Functions
from conformance.devices.python.load import FUNCTIONS, Loaded, NotCallable
from conformance.record.functions import NAMES, UNUSED, FunctionTraits

DECLARED = ("steps", "flush", "uniform", "monotone", "source")
"""The keys of a mapping; the first and the last must be there."""


@dataclass(frozen=True)
class Offered:
    """The ``traits`` that are declared of functions, and the ``callables`` of the others."""

    traits: dict[str, FunctionTraits] = field(default_factory=dict)
    callables: dict[str, Callable[..., Any]] = field(default_factory=dict)

    @property
    def probe(self) -> Loaded:
        """The operator of the probe: one of the callables, by its place in `NAMES`."""

        def probe(x: Any, y: Any, function: int) -> Any:
            name = NAMES[function]
            with np.errstate(all="ignore"):
                return self.callables[name](*((x, y) if name == "div" else (x,)))

        return Loaded(probe, FUNCTIONS, None, inspect.signature(probe))


def offered(functions: Functions, found: Mapping[str, Loaded]) -> Offered:
    """What the modules of those operators say that compute: it must be one and the same.

    Raises `NotCallable`.
    """
    computing = [found[name] for name in functions.computing]
    if not computing:
        return Offered()
    first, *others = computing
    for other in others:
        if other.functions is not first.functions:
            raise NotCallable(say.OTHER_FUNCTIONS(one=first.words, other=other.words))
    if first.functions is None:
        return Offered()
    if not isinstance(first.functions, Mapping) or not set(first.functions) <= set(NAMES):
        raise NotCallable(say.NO_FUNCTIONS(of=first.words, names=NAMES))
    made = Offered()
    for name, said in first.functions.items():
        if callable(said):
            made.callables[name] = said
        else:
            made.traits[name] = UNUSED if said is None else _declared(name, said)
    return made


def _declared(name: str, said: Any) -> FunctionTraits:
    """The traits that a mapping declares. Raises `NotCallable`."""
    told = say.NOT_DECLARED(name=name, keys=DECLARED)
    if not isinstance(said, Mapping) or not {*DECLARED[::4]} <= set(said) <= set(DECLARED):
        raise NotCallable(told)
    steps, source = said["steps"], said["source"]
    flags = [said[key] for key in DECLARED[1:4] if key in said]
    if not isinstance(source, str) or not source or type(steps) is not int or steps < 0:
        raise NotCallable(told)
    if not all(isinstance(one, bool) for one in flags):
        raise NotCallable(told)
    return FunctionTraits(**said, origin="declared")

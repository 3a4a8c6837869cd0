"""The mode that a call is of: that whose own draws it resembles most.

A record does not say of a call which of its modes it is, but it draws calls of each. They show the
signs of its attributes, which tensors are there, and what is as long as what.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from conformance.call.case import Attribute, Case, Tensor
from conformance.draw.plain import TooFiltered, plainly
from conformance.record.operator import Operator
from conformance.record.signature import SizedAttribute

DRAWS = 24
"""Cases that are looked at of each mode."""

CHOICE, ATTRIBUTE = "choice of ", "attribute "
FEW = 3
"""An attribute that is this at most is a choice: a flag, a kind."""

WEIGHTS = {CHOICE: 10_000, ATTRIBUTE: 100}
"""What counts more than which of two lengths is the longer one, by how it begins."""

Features = Mapping[str, Any]


@dataclass(frozen=True)
class Nearest:
    """A mode, its drawn call that resembles a given one most, the outputs that such calls have, by
    name, those of the most alike first, and all draws of the mode."""

    mode: str
    case: Case
    outputs: tuple[frozenset[str], ...]
    draws: tuple[Case, ...]


def nearest(
    operator: Operator,
    modes: Sequence[str],
    dtype: str,
    inputs: Mapping[str, Tensor],
    attributes: Mapping[str, Attribute],
) -> list[Nearest]:
    """The modes, those first whose draws resemble a call most."""
    features_of = _features(operator, inputs, attributes)
    wanted = [(name, value, _weight(name)) for name, value in features_of.items()]
    found: list[tuple[int, int, str, Case]] = []
    for place, mode in enumerate(modes):
        for case, features in _drawn(operator.name, mode, dtype, _Held(operator)):
            alike = sum(weight for name, value, weight in wanted if features.get(name) == value)
            found.append((-alike, place, mode, case))
    found.sort(key=lambda one: one[:2])
    best: dict[str, Case] = {}
    outputs: dict[frozenset[str], None] = {}
    for _, _, mode, case in found:
        best.setdefault(mode, case)
        outputs.setdefault(frozenset(case.outputs))
    return [
        Nearest(
            mode,
            case,
            tuple(dict.fromkeys([frozenset(case.outputs), *outputs])),
            tuple(one for one, _ in _drawn(operator.name, mode, dtype, _Held(operator))),
        )
        for mode, case in best.items()
    ]


class _Held:
    """An operator that a cache tells apart by what it is, not by all that it holds."""

    def __init__(self, operator: Operator) -> None:
        self.operator = operator

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and other.operator is self.operator

    def __hash__(self) -> int:
        return id(self.operator)


@cache
def _drawn(name: str, mode: str, dtype: str, held: _Held) -> tuple[tuple[Case, Features], ...]:
    draw = held.operator.small_cases or held.operator.cases
    try:
        cases = [case for case, _ in plainly(draw(mode, dtype), DRAWS, 0)]
    except TooFiltered:
        return ()
    return tuple((case, _features(held.operator, case.inputs, case.attributes)) for case in cases)


def _weight(feature: str) -> int:
    return next((w for begin, w in WEIGHTS.items() if feature.startswith(begin)), 1)


def _features(
    operator: Operator, inputs: Mapping[str, Tensor], attributes: Mapping[str, Attribute]
) -> Features:
    """What tells calls of different modes apart: no size counts by itself, only beside others."""
    found: dict[str, Any] = {f"{ATTRIBUTE}has {name}": True for name in inputs}
    choices = {
        one.name
        for one in operator.parameters
        if isinstance(one, SizedAttribute)
        and (one.ctype == "bool" or (one.most is not None and one.most <= FEW))
    }
    for name, tensor in inputs.items():
        if tensor.dtype != "bool" and "int" not in tensor.dtype:
            found[f"float {name}"] = True
    lengths = {
        f"{name}.{axis}": size for name, t in inputs.items() for axis, size in enumerate(t.shape)
    }
    lengths |= {f"size of {name}": math.prod(t.shape) for name, t in inputs.items()}
    for name, value in attributes.items():
        if not isinstance(value, int | tuple) or isinstance(value, bool):
            found[f"{ATTRIBUTE}{name}"] = value is None
            continue
        each = value if isinstance(value, tuple) else (value,)
        found[f"count of {name}"] = len(each)
        for place, number in enumerate(each):
            found[f"{ATTRIBUTE}sign of {name} {place}"] = _sign(number)
            if name in choices:
                found[f"{CHOICE}{name}"] = number
            for other, length in lengths.items():
                found[f"{ATTRIBUTE}{name} {place} beside {other}"] = _sign(number - length)
    names = [*lengths]
    for at, one in enumerate(names):
        for other in names[at + 1 :]:
            found[f"{one} beside {other}"] = _sign(lengths[one] - lengths[other])
    return found


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)

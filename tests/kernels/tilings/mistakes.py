"""Calls with a mistake, as they follow from a right one, and what a host tiling says of them."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.kernels.host_tilings import ACCEPTED, Call, HostTiling
from tests.kernels.tilings.structs import differing

TILING_REJECTED = 561002
OF_CALL = re.compile(r"^(dtype|cores|has[A-Z].*|.*Dtype)$")
"""Fields of a call that phase 1 fills in, and those of the machine."""

OF_CUT = re.compile("tile|Per|Bytes|Offset|batch|Buffers|AtOnce|part|Keys|Entries")
"""Fields of tiling data that say how work is cut: `Work` has what these must hold."""

SHAPE = re.compile(r"\[[^]]*\]")
NUMBER = re.compile(r"(?<!dim )-?\b\d+")
UB = "ubBytes"
WRONG = -7


def rule(text: str) -> str:
    """A text without the numbers of its call."""
    return NUMBER.sub("#", SHAPE.sub("[]", text))


@dataclass(frozen=True)
class Told:
    """What a host tiling says of calls, as a snapshot has it."""

    tiling: HostTiling

    def of(self, call: Call) -> tuple[str, ctypes.Structure]:
        """The reason for which a call is refused, "" if it is accepted, and the tiling data."""
        status, data, reason = self.tiling.cut(call)
        if status == ACCEPTED:
            assert reason == ""
            return "", data
        source = f" (host tiling of {self.tiling.title})"
        assert reason.endswith(source)
        assert "\n" not in reason
        assert "; it must be " in reason
        text = reason.removesuffix(source)
        return text if status == TILING_REJECTED else f"{status}: {text}", data

    def line(self, call: Call, rights: Mapping[str, Call]) -> str:
        """A call's differences from the right one that it is most like, and what is said of it.

        The right ones are given by the words before that.
        """
        differences = {name: _differences(call, right) for name, right in rights.items()}
        name = min(differences, key=lambda one: len(differences[one]))
        text, data = self.of(call)
        if text == "":
            other = differing(data, self.of(rights[name])[1])
            kept = {field: one for field, one in other.items() if not OF_CUT.search(field)}
            text = f"accepted, {_listed(kept) or 'as before'}"
        return f"{name}{_listed(differences[name])}: {text}"

    def single_mistakes(self, right: Call, checked: tuple[str, ...]) -> Iterator[str]:
        """A line for each rule that one change breaks, with all that do, and each call accepted."""
        broken: dict[str, list[str]] = {}
        for name, one in _changed(right, checked):
            call = {**right, name: one}
            text, _ = self.of(call)
            if text == "":
                yield self.line(call, {"": right})
            else:
                broken.setdefault(rule(text), [text]).append(_listed({name: one}))
        for text, *calls in broken.values():
            yield f"{text} <- {'; '.join(calls)}"

    def order(self, right: Call, checked: tuple[str, ...]) -> list[str]:
        """The rules in the order in which they are named, of a call that breaks one everywhere.

        Of each text what stands before the value. One field after the other is repaired, axis by
        axis: the one of which the text tells, if that is enough for another text.
        """
        steps = {name: list(_repairs(right, name, at, checked)) for at, name in enumerate(right)}
        found: list[str] = []
        while True:
            broken = {**right, **{name: left[0] for name, left in steps.items()}}
            text, _ = self.of(broken)
            told = SHAPE.sub("", text.split(" is ")[0]).rstrip(" ,")
            if text and found[-1:] != [told]:
                found.append(told)
            open_ones = [name for name, left in steps.items() if len(left) > 1]
            if not open_ones:
                assert text == "", text
                return found

            def helps(name: str, now: Call = broken, text: str = text) -> tuple[bool, ...]:
                repaired, _ = self.of({**now, name: steps[name][1]})
                named = re.search(rf"\b{name}", text) is not None
                other = rule(repaired) != rule(text)
                is_number = isinstance(now[name], int) and name != UB
                return other and named, other, named, repaired != text, is_number

            del steps[max(open_ones, key=helps)][0]


def _differences(call: Call, right: Call) -> dict[str, Any]:
    """The fields in which a call differs from a right one, which has all."""
    return {name: call.get(name) for name, one in right.items() if call.get(name) != one}


def _listed(values: dict[str, Any]) -> str:
    shown = {
        name: "none" if one is None else list(one) if isinstance(one, tuple) else one
        for name, one in values.items()
    }
    return ", ".join(f"{name} {one}" for name, one in shown.items())


def _changed(right: Call, checked: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Every field of a call, changed: another rank, an axis of another size, another number."""
    for name, one in right.items():
        if OF_CALL.match(name):
            continue
        if isinstance(one, int):
            numbers = {0} if name == UB else {0, -1, one - 1, one + 1} - {one}
            least = 1 if name in checked else min(numbers)
            yield from ((name, number) for number in sorted(numbers) if number >= least)
        elif one is not None:
            ranks = dict.fromkeys((None, (), one[:-1], (*one, 1)))
            yield from ((name, shape) for shape in ranks if name not in checked and shape != one)
            for axis in range(len(one)):
                for size in sorted({0, one[axis] - 1, one[axis] + 1} - {one[axis]}):
                    yield name, (*one[:axis], size, *one[axis + 1 :])


def _repairs(right: Call, name: str, at: int, checked: tuple[str, ...]) -> Iterator[Any]:
    """From the worst that a field can be to what is right: another rank, no size, other sizes."""
    one = right[name]
    if OF_CALL.match(name) or one is None:
        pass
    elif isinstance(one, int):
        if name not in checked:
            yield from (WRONG,) if name == UB else (WRONG, one + at + 1)
    else:
        if name not in checked:
            yield from ((), (0, *(size + at + 1 for size in one[1:]))[: len(one)])
        for axis in range(len(one)):
            yield (*one[:axis], *(size + at + 1 for size in one[axis:]))
    yield one

"""``--against``: a second implementation, named in one word, beside the one that a run judges."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.catalogue import against as say
from conformance.catalogue import options
from conformance.devices.device import Device
from conformance.devices.messages import Functions
from conformance.devices.open import Kernels, open_device
from conformance.devices.pair import Pair
from conformance.devices.python.named import TENSORS, functions_named, with_keywords
from conformance.errors import UsageError
from conformance.evidence.implementation import of_device
from conformance.judge.beside import Beside
from conformance.numerics.arithmetic import Arithmetic
from conformance.record.operator import ROUTES, TWO_PHASE, Operator
from conformance.record.torch_binding import PYTHON
from conformance.suite.on_route import all_on_route, reachable

DEVICE = re.compile(r"(sim|npu)(:[\w.,-]+)?", re.ASCII)
BITS = "bits"


@dataclass(frozen=True)
class Second:
    """What ``--against``, ``--same`` and ``--tensors`` say; None: nothing."""

    text: str | None = None
    same: str | None = None
    tensors: str | None = None


NOTHING_BESIDE = Second()


@dataclass(frozen=True)
class Against:
    """The second implementation as ``text`` names it, and what follows from that."""

    text: str
    device: str
    route: str
    libraries: Path | None = None
    functions: Functions | None = None
    same_bits: bool = False

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """The options of ``run`` that name it, each with its value."""
        same = (("same", BITS),) if self.same_bits else ()
        given = () if self.functions is None else (("tensors", self.functions.tensors),)
        return (("against", self.text), *same, *given)

    def opened(self, kernels: Kernels, time_limit: float) -> Device:
        """The second device. Raises as `open_device` does."""
        return open_device(
            self.device,
            time_limit=time_limit,
            libraries=self.libraries,
            kernels=kernels,
            route=self.route,
            functions=self.functions,
        )

    def paired(
        self, first: Device, kernels: Kernels, limit: float, records: Mapping[str, Operator]
    ) -> Pair:
        """The first device and the second, which is opened. Raises as `open_device` does."""
        called = None if self.functions is None else self.functions.by_operator.keys()
        return Pair(first, self.opened(kernels, limit), all_on_route(records, self.route), called)

    def beside(self, pair: Pair, route: str) -> Beside:
        """By what the second is judged, and what both are called; ``route`` is the first's."""
        return Beside(
            records=pair.records,
            arithmetic=Arithmetic.of(pair.second.profile),
            first=short(pair.first, route),
            second=short(pair.second, self.route),
            same_bits=self.same_bits,
        )


def against_named(
    second: Second, *, device: str, route: str, operators: Sequence[Operator]
) -> Against | None:
    """What ``--against`` names, beside a run of ``operators`` on a device and route; None without.

    A function is that of the one operator, or several are named as ``OP=WHERE,OP=WHERE``. Raises
    `UsageError`, also for an operator that the second cannot be asked.
    """
    text, same = second.text, second.same
    if text is None:
        if same is not None:
            raise UsageError("same", same, options.WITH(option="--against"))
        return None
    if same not in (None, BITS):
        raise UsageError("same", same, say.SAME())
    names = [one.name for one in operators]
    two_phase = route if route in TWO_PHASE else TWO_PHASE[0]
    on_device = "auto" if route == PYTHON else device
    bits = same == BITS
    if Path(text).is_dir():
        found = Against(text, on_device, two_phase, Path(text).absolute(), same_bits=bits)
    elif text in ROUTES and text != PYTHON:
        found = Against(text, on_device, text, same_bits=bits)
    elif DEVICE.fullmatch(text):
        found = Against(text, text, two_phase, same_bits=bits)
    elif ":" in text:
        named = functions_named(text.split(","), second.tensors or TENSORS[0], "auto", names)
        functions = with_keywords(named, {one.name: one for one in operators})
        found = Against(text, "auto", PYTHON, functions=functions, same_bits=bits)
    else:
        raise UsageError("against", text, say.HOW_WRITTEN())
    reachable(operators, found.route, names)
    return found


def short(device: Device, route: str) -> str:
    """A device in few words, as a sentence names it."""
    made = of_device(device)
    if made.functions is not None:
        wheres = made.functions.by_operator.values()
        return ", ".join(Path(where).name for where in wheres)
    what = made.words.partition(" (")[0]
    return str(say.SIDE(what=what, device=device.profile.soc, route=route))

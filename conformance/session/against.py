"""``--against``: a second implementation, named in one word, beside the one that a run judges."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from conformance.catalogue import against as say
from conformance.catalogue import options
from conformance.devices.device import Device
from conformance.devices.messages import Functions
from conformance.devices.open import Kernels, open_device
from conformance.devices.other_python import why_not_started
from conformance.devices.pair import Pair
from conformance.devices.python.named import TENSORS, functions_named, with_keywords
from conformance.errors import EnvironmentFailure, UsageError, text_of
from conformance.evidence.implementation import of_device
from conformance.judge.beside import Beside
from conformance.numerics.arithmetic import Arithmetic
from conformance.record.operator import ROUTES, TWO_PHASE, Operator
from conformance.record.torch_binding import PYTHON
from conformance.session.function_probe import probe_functions
from conformance.suite.on_route import all_on_route, reachable

DEVICE = re.compile(r"(sim|npu)(:[\w.,-]+)?", re.ASCII)
BITS = "bits"


@dataclass(frozen=True)
class Second:
    """What ``--against``, ``--same``, ``--tensors`` and ``--against-python`` say; None: nothing."""

    text: str | None = None
    same: str | None = None
    tensors: str | None = None
    python: str | None = None


NOTHING_BESIDE = Second()


@dataclass(frozen=True)
class Against:
    """The second implementation as ``text`` names it, "" if it is the first in another Python, and
    what follows from that."""

    text: str
    device: str
    route: str
    libraries: Path | None = None
    functions: Functions | None = None
    same_bits: bool = False
    python: Path | None = None

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """The options of ``run`` that name it, each with its value."""
        same = (("same", BITS),) if self.same_bits else ()
        given = () if self.functions is None else (("tensors", self.functions.tensors),)
        named = (("against", self.text),) if self.text else ()
        python = (("against-python", str(self.python)),) if self.python is not None else ()
        return (*named, *python, *same, *given)

    def opened(self, kernels: Kernels, time_limit: float) -> Device:
        """The second device. Raises as `open_device` does, and EnvironmentFailure for a Python that
        cannot run its process."""
        try:
            return open_device(
                self.device,
                time_limit=time_limit,
                libraries=self.libraries,
                kernels=kernels,
                route=self.route,
                functions=self.functions,
                python=self.python,
            )
        except UsageError as error:  # it names the option of the first
            option = "against" if self.text else "against-python"
            raise UsageError(option, self.text or str(self.python), error.rule) from error
        except EnvironmentFailure as error:
            if self.python is None:
                raise
            told = say.OF_PYTHON(python=self.python, error=text_of(error))
            if why := why_not_started(self.python):
                told = say.NOT_STARTED(python=self.python, error=why)
            raise EnvironmentFailure(told) from error

    def paired(
        self,
        first: Device,
        kernels: Kernels,
        limit: float,
        records: Mapping[str, Operator],
        judged: Iterable[Operator],
    ) -> Pair:
        """The first device and the second, which is opened, and probed for what is ``judged``.

        Raises as `open_device` and `probe_functions` do.
        """
        called = None if self.functions is None else self.functions.by_operator.keys()
        second = self.opened(kernels, limit)
        try:
            probe_functions(second, judged)
        except BaseException:
            second.close()
            raise
        return Pair(first, second, all_on_route(records, self.route), called)

    def named(self, words: str) -> str:
        """What the second is called, with the Python that it runs in if that is another."""
        return words if self.python is None else str(say.IN(what=words, python=self.python))

    def beside(self, pair: Pair, route: str) -> Beside:
        """By what the second is judged, and what both are called; ``route`` is the first's."""
        return Beside(
            records=pair.records,
            arithmetic=Arithmetic.of(pair.second.profile),
            first=short(pair.first, route),
            second=self.named(short(pair.second, self.route)),
            same_bits=self.same_bits,
        )


def against_named(
    second: Second,
    *,
    device: str,
    route: str,
    operators: Sequence[Operator],
    functions: Functions | None = None,
) -> Against | None:
    """What ``--against`` and ``--against-python`` name, beside a run of ``operators``, or of their
    ``functions``, on a device and route; None without.

    A function beside another one has its tensors in the same place. Raises `UsageError`, also for
    an operator that the second cannot be asked.
    """
    text, same = second.text, second.same
    python = None if second.python is None else _program(second.python)
    if text is None and python is None:
        if same is not None:
            raise UsageError("same", same, options.WITH(option="--against"))
        return None
    if same not in (None, BITS):
        raise UsageError("same", same, say.SAME())
    if text is not None:
        found = _named(text, second.tensors, device, route, operators)
    else:
        found = Against("", device, route, functions=functions)
    found = replace(found, same_bits=same == BITS, python=python)
    reachable(operators, found.route, [one.name for one in operators])
    return found


def _named(
    text: str, tensors: str | None, device: str, route: str, operators: Sequence[Operator]
) -> Against:
    """What ``--against`` names: of functions that of the one operator, or several as
    ``OP=WHERE,OP=WHERE``. Raises `UsageError`."""
    two_phase = route if route in TWO_PHASE else TWO_PHASE[0]
    on_device = device if route != PYTHON or DEVICE.fullmatch(device) else "auto"
    if Path(text).is_dir():
        return Against(text, on_device, two_phase, Path(text).absolute())
    if text in ROUTES and text != PYTHON:
        return Against(text, on_device, text)
    if DEVICE.fullmatch(text):
        return Against(text, text, two_phase)
    if ":" not in text:
        raise UsageError("against", text, say.HOW_WRITTEN())
    names = [one.name for one in operators]
    place = device if route == PYTHON else "auto"
    try:
        named = functions_named(text.split(","), tensors or TENSORS[0], place, names)
    except UsageError as error:  # it names the option of the first
        raise UsageError("against", text, error.rule) from error
    functions = with_keywords(named, {one.name: one for one in operators})
    return Against(text, "auto", PYTHON, functions=functions)


def _program(text: str) -> Path:
    """The program of another Python. Raises `UsageError`."""
    found = shutil.which(text)
    if found is None:
        raise UsageError("against-python", text, say.NO_PROGRAM())
    return Path(found).absolute()


def told(second: Device, against: Against) -> str:
    """What stands beside the first, in a line; of functions also where their tensors live."""
    made = of_device(second)
    words = against.named(made.words)
    if made.functions is None:
        return say.AGAINST(second=words)
    return say.AGAINST_FUNCTIONS(second=words, place=second.profile.describe())


def short(device: Device, route: str) -> str:
    """A device in few words, as a sentence names it."""
    made = of_device(device)
    if made.functions is not None:
        wheres = made.functions.by_operator.values()
        return ", ".join(Path(where).name for where in wheres)
    what = made.words.partition(" (")[0]
    return str(say.SIDE(what=what, device=device.profile.soc, route=route))

"""What a device is to the harness: a profile, ``run`` and ``close``; and what can go wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from conformance.catalogue import device as say
from conformance.devices.messages import Functions
from conformance.former_names import former
from conformance.record import functions as computed

if TYPE_CHECKING:
    from conformance.call.case import Case
    from conformance.call.observation import Observation
    from conformance.record.call_rules import Limit
    from conformance.record.operator import Operator


ARCHIVE = ".a"
"""How the file ends that an operator of the suite's build lies in: lib<operator>.a."""


@dataclass(frozen=True)
class Trait:
    """A property of a device's arithmetic; ``probed`` False: declared, not measured on it."""

    value: str
    probed: bool = False


@dataclass(frozen=True)
class Library:
    """A shared library that the device process has loaded, by path and hash of its bytes."""

    path: str
    sha256: str


def built_of(path: str) -> str:
    """The key of the suite's build that a library lies in, with the library's name; "" for another
    path. The key is a hash of all that went into the build.
    """
    found = re.search(r"/opapi-([0-9a-f]{16}/lib/[^/]+)\Z", path)
    return found[1] if found else ""


@dataclass(frozen=True)
class Origin:
    """Where the operators that a device calls are from.

    ``source``: the simulator's, built from ``folders`` of kernels (none: the suite's own); those of
    the NPU's CANN; or what was named in their place, libraries, a package or a checkout, which lie
    in the folder ``place``; or Python ``functions``.
    """

    source: Literal["built", "npu", "libraries", "package", "checkout", "python"]
    place: str = ""
    folders: tuple[str, ...] = ()
    functions: Functions | None = None


@dataclass(frozen=True)
class DeviceProfile:
    """What is known of a device; it is stored with the evidence.

    ``kind`` is "host" if Python functions are called with tensors elsewhere than on the simulated
    device; ``soc`` is then where they live.
    ``ub_bytes`` is the unified buffer of one vector core that a tiling may use, None if unknown.
    ``cann`` is the version text that the runtime answers, "unknown" if it answers none.
    ``libraries`` has the libraries that were really loaded, by file name, and the files that single
    operators lie in: `ARCHIVE`, or a package's parts. ``determinism`` says
    whether the same call gives the same bits again. ``origin`` is None for a device that
    `conformance.devices.open` did not open. ``loosened`` are the settings, by variable, under which
    the simulator checks less than it does by itself. ``functions`` is what is known of exp, ln and
    their like on it, declared by the simulator or stated by a page. ``cann_asked``: whether the
    version was asked for, of a simulated NPU.
    """

    name: str
    kind: Literal["sim", "npu", "host"]
    soc: str
    vector_cores: int
    ub_bytes: int | None
    cann: str
    libraries: Mapping[str, Library]
    cast_mode: Trait
    flush_to_zero: Trait
    overflow_mode: Trait
    determinism: Trait = Trait("unknown")
    origin: Origin | None = None
    loosened: Mapping[str, str] = field(default_factory=dict)
    functions: computed.Functions = computed.ALL_UNKNOWN
    cann_asked: bool = False

    @property
    def keeps_to_cann(self) -> bool:
        """Whether calls are left out that its version of CANN is not known to carry out."""
        return self.kind == "npu" or self.cann_asked

    def describe(self) -> str:
        """The device in a few words: ``simulated Ascend910B1, 48 vector cores``."""
        if self.kind == "host":
            return self.name
        simulated = say.SIMULATED(soc=self.soc)
        name = simulated if self.name == simulated else self.name
        described = say.DESCRIBED(name=name, cores=self.vector_cores)
        return say.WITH_CANN(described=described, cann=self.cann) if self.cann_asked else described


class Device(Protocol):
    """Runs cases. ``run`` always answers: a crash, a hang and exhaustion are Observations too."""

    @property
    def profile(self) -> DeviceProfile:
        """What is known of the device."""

    def run(self, operator: Operator, case: Case) -> Observation:
        """Call the operator once with the case's tensors and attributes.

        Raises OperatorUnavailable where the library has no such operator, ValueError where the
        case does not fit the operator's signature, EnvironmentFailure where the device is lost.
        """

    def limits(self, operator: Operator, asked: Sequence[Limit]) -> tuple[int, ...]:
        """What the operator's host tiling says of the sizes asked for.

        Raises OperatorUnavailable where the library exports no such function, LimitsCrash where it
        ends the process.
        """

    def renew(self) -> None:
        """Open the device anew, in a new process that has made no call and holds no memory.

        Raises EnvironmentFailure where it does not open.
        """

    def close(self) -> None:
        """End the device's process; a closed device cannot run."""


class RunsAhead(Device, Protocol):
    """A device that makes calls before it is asked for them."""

    def run_ahead(self, operator: Operator, cases: Sequence[Case]) -> None:
        """Make the calls of these cases one after another, as far as they are small.

        ``run`` answers each of these very objects once with what was observed then, as it would
        have been if the call had been made there. Other calls are made when they are asked for.
        The next ``run_ahead`` or ``renew`` forgets what was not asked for. Raises nothing that
        ``run`` would tell.
        """


__getattr__ = former(__name__)

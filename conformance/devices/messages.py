"""What the parent and the device process say to each other, and how it is framed on a pipe.

A message is its length as 4 little-endian bytes, then msgpack. The parent opens with ``Setup``,
which is answered ``Opened`` or ``Refused``; then every ``Call`` is answered ``Answer``,
``Unavailable`` or ``Fault``, and ``AskLimits`` by ``Limits`` or ``Unavailable``. Tensors never
travel on the pipe: both sides map one shared segment.
"""

from __future__ import annotations

import math
import os
from functools import cached_property
from typing import Any, Literal, TypeVar

import msgspec

from conformance.call.protocol_breach import Breach
from conformance.call.surroundings import USUAL, Setting
from conformance.catalogue.message import Packed, packed
from conformance.poison import OUTPUTS
from conformance.record.functions import FunctionTraits
from conformance.record.torch_binding import TorchCall

DTYPES: dict[str, tuple[int, int]] = {
    "float32": (0, 4),
    "float16": (1, 2),
    "int8": (2, 1),
    "int32": (3, 4),
    "uint8": (4, 1),
    "int16": (6, 2),
    "uint16": (7, 2),
    "uint32": (8, 4),
    "int64": (9, 8),
    "uint64": (10, 8),
    "float64": (11, 8),
    "bool": (12, 1),
    "bfloat16": (27, 2),
}
"""aclDataType value and bytes per element, by dtype name (AscendCL, aclDataType)."""


FORMATS: dict[str, int] = {"ND": 2, "FRACTAL_NZ": 29}
"""aclFormat value by name (AscendCL, aclFormat): that of documented tensors, and one to refuse."""

OWN_KERNELS = "libmoe_kernels.so"
"""The project's kernels as a host with CANN builds them, beside CANN's own operators."""


class TensorArgument(msgspec.Struct, frozen=True, tag="tensor"):
    """A tensor: ``offset`` is where its storage begins in the shared segment.

    Of a row-sparse tensor the segment has only the ``rows`` listed, one after another. The storage
    has ``start`` elements before the first, ``spare`` behind the last, and what ``strides``
    (elements) leave between them; segment and device have all of it. ``format`` is an aclFormat.
    """

    name: str
    role: Literal["input", "output"]
    shape: tuple[int, ...]
    dtype: str
    offset: int
    rows: tuple[int, ...] | None = None
    strides: tuple[int, ...] | None = None
    start: int = 0
    spare: int = 0
    format: int = FORMATS["ND"]

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return DTYPES[self.dtype][1]

    @property
    def is_part(self) -> bool:
        """Whether the storage may hold more than the elements."""
        return self.strides is not None or bool(self.start or self.spare)

    @property
    def nbytes(self) -> int:
        """Bytes of the storage, on the device."""
        elements = math.prod(self.shape)
        if self.strides is not None and elements:
            steps = zip(self.shape, self.strides, strict=True)
            elements = 1 + sum((size - 1) * stride for size, stride in steps)
        return (self.start + elements + self.spare) * self.itemsize

    @property
    def held_bytes(self) -> int:
        """Bytes of the storage, or of the rows that exist, in the segment."""
        return self.nbytes if self.rows is None else len(self.rows) * self.row_bytes

    @property
    def row_bytes(self) -> int:
        """Bytes of one row along the last axis."""
        return self.shape[-1] * self.itemsize


class NullTensor(msgspec.Struct, frozen=True, tag="null"):
    """A tensor parameter for which the case has no tensor: passed as a null pointer."""

    name: str


class AttributeArgument(msgspec.Struct, frozen=True, tag="attribute"):
    """A scalar attribute, passed by value as ``ctype``; that of a double is a float."""

    name: str
    ctype: Literal["int64", "bool", "double"]
    value: int | float


class IntArrayArgument(msgspec.Struct, frozen=True, tag="int array"):
    """An array attribute, passed as an aclIntArray; ``values`` None: as a null pointer."""

    name: str
    values: tuple[int, ...] | None


class NumbersArgument(msgspec.Struct, frozen=True, tag="numbers"):
    """An array attribute, passed as a pointer to int64 values and their count.

    ``values`` None: as a null pointer and 0.
    """

    name: str
    values: tuple[int, ...] | None


Argument = TensorArgument | NullTensor | AttributeArgument | IntArrayArgument | NumbersArgument


class Call(msgspec.Struct, frozen=True, dict=True, tag="call"):
    """One call of a two-phase operator.

    ``symbol`` is the phase-2 function; phase 1 is ``symbol + "GetWorkspaceSize"``. ``arguments``
    are in the order of the signature. ``machine`` is (vector cores, UB bytes), None: its own.
    ``segment_bytes`` is how much of the shared segment the tensors need. ``block_order``,
    ``functions`` and ``pipes`` are those of the machine, None: the process's own
    (docs/reference/diagnostics.md, "How it is checked").
    ``torch`` is the call on route torch_npu, which has no ``symbol``; it leaves the memory of
    outputs to PyTorch, whatever the ``setting``. ``poison`` is the pattern that outputs hold before
    it, where the setting says that they hold one. ``breach`` is the case's.
    """

    symbol: str
    arguments: tuple[Argument, ...]
    machine: tuple[int, int] | None
    segment_bytes: int
    block_order: str | None = None
    functions: str | None = None
    pipes: str | None = None
    torch: TorchCall | None = None
    setting: Setting = USUAL
    poison: int = OUTPUTS
    breach: Breach | None = None

    @cached_property
    def tensors(self) -> tuple[TensorArgument, ...]:
        """The tensors that are there, in signature order."""
        return tuple(a for a in self.arguments if isinstance(a, TensorArgument))

    @property
    def sparse_bytes(self) -> int:
        """Bytes that the row-sparse tensors span on the device."""
        return sum(tensor.nbytes for tensor in self.tensors if tensor.rows is not None)


class AskLimits(msgspec.Struct, frozen=True, tag="ask limits"):
    """What a host tiling answers to ``queries``: axis, top_k, aclDataType, cores, UB, hidden."""

    symbol: str
    queries: tuple[tuple[str, int, int, int, int, int], ...]


class AskTimes(msgspec.Struct, frozen=True, tag="ask times"):
    """How long phase two of a call takes: ``warm`` times unmeasured, then ``times`` measured."""

    call: Call
    warm: int
    times: int


class Times(msgspec.Struct, frozen=True, tag="times"):
    """Seconds of each measured repetition, or a ``reason``, which crosses as `Refused` does."""

    seconds: tuple[float, ...] = ()
    reason: Packed = ""


class Limits(msgspec.Struct, frozen=True, tag="limits"):
    """The answers, in the order of the queries."""

    values: tuple[int, ...]


class JudgedPackage(msgspec.Struct, frozen=True):
    """A package that is judged: its folder, its two libraries, and both functions of each of the
    operators that must be of it."""

    root: str
    aclnn: str
    tiling: str
    functions: tuple[str, ...]


class Functions(msgspec.Struct, frozen=True):
    """Python functions by the operator that each carries out, as ``FILE.py:NAME`` or
    ``MODULE:NAME``.

    ``keywords`` has by operator the names that a function is called with, if a record tells them
    without a call. ``tensors`` is torch or numpy. ``place`` is where those of torch live: cpu,
    cuda:N, npu:N, or sim[:SOC], the simulated NPU of ``libraries``; None: of those that are built
    here. ``computing`` are the operators whose outputs depend on exp, division and the like.
    """

    by_operator: dict[str, str]
    keywords: dict[str, tuple[str, ...]] = {}
    tensors: str = "torch"
    place: str = "cpu"
    libraries: str | None = None
    computing: tuple[str, ...] = ()

    @property
    def simulated(self) -> bool:
        """Whether tensors live on a simulated NPU."""
        return self.place.partition("@")[0].partition(":")[0] == "sim"


class Setup(msgspec.Struct, frozen=True, tag="setup"):
    """What the child opens.

    ``libraries`` is the folder of libascendcl.so and libopapi.so, None: found by the loader.
    ``soc`` is the machine to simulate, None: the simulator's own. ``address_space`` is how many
    bytes of address space the process may map beyond its use at start (0: any). ``route`` is how
    operators are called; ``shims`` is the folder of what torch_npu needs beside the simulator;
    ``kernels`` is a library of kernels beside an NPU's operators. ``first`` are libraries that are
    asked for an operator before libopapi.so, in order.
    ``package`` is what is judged of a custom-operator package, None: no package is. ``own``:
    whether the operators were built here, with the suite's own interface, and called by it: then
    what a call does beside its work fails it (docs/reference/diagnostics.md, "The call as a
    whole"). ``cann`` is the version of CANN that the simulator has, None: its own.
    ``functions`` are what is called on a host, or with tensors on the simulated
    device; None: the device's operators are called. ``python`` is the program of the process, None:
    that of the parent.
    """

    kind: Literal["sim", "npu", "host"]
    libraries: str | None
    soc: str | None
    device: int
    address_space: int
    route: str = "aclnn"
    shims: str | None = None
    kernels: str | None = None
    first: tuple[str, ...] = ()
    package: JudgedPackage | None = None
    own: bool = False
    cann: str | None = None
    functions: Functions | None = None
    python: str | None = None


class Opened(msgspec.Struct, frozen=True, tag="opened"):
    """The device is open. ``libraries`` are the paths of what was loaded, by file name.

    ``physical`` is the card's physical number, None from a runtime that does not tell it.
    ``words`` names a host, as `Refused.reason` crosses. ``traits`` are those that an implementation
    declares of its functions, ``offered`` the functions that it offers to be probed.
    """

    soc: str
    vector_cores: int
    ub_bytes: int | None
    cann: str
    libraries: dict[str, str]
    physical: int | None = None
    words: Packed = ""
    traits: dict[str, FunctionTraits] = {}
    offered: tuple[str, ...] = ()


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    """The device does not open. ``usage``: because what was asked for does not exist.

    ``status`` is what the runtime answered, 0 where it was not asked. ``reason`` crosses as
    `conformance.catalogue.message.packed` makes it.
    """

    reason: Packed
    usage: bool = False
    status: int = 0


class Damage(msgspec.Struct, frozen=True):
    """Changed bytes of one guard zone; fields as in
    ``conformance.call.observation.GuardDamage``."""

    buffer: str
    offset: int
    count: int


class Failure(msgspec.Struct, frozen=True):
    """A launch, copy or fill that failed: what it was, the status that it answered, and why."""

    what: str
    status: int
    text: str
    launch: bool


class Conduct(msgspec.Struct, frozen=True):
    """What a call had the simulated device do (`conformance.call.observation.Observation`).

    ``launches`` and ``tasks`` (fills, copies inside the device) are of phase 2; ``written_early``
    names the outputs that phase 1 wrote; ``left_bytes`` of device memory were allocated in the call
    and not freed. ``failures`` are the runtime's own account: the call may have dropped them.
    ``waiting`` tasks are left in streams after the call's own was waited for. ``work``: as there.
    """

    launches: int
    tasks: int
    written_early: tuple[str, ...]
    left_bytes: int
    failures: tuple[Failure, ...]
    waiting: int = 0
    work: dict[str, int] | None = None


class Answer(msgspec.Struct, frozen=True, tag="answer"):
    """How a call ended; fields as in ``conformance.call.observation.Observation``.

    ``read_back`` says whether the outputs in the segment are the device's. ``poisoned`` counts per
    output the elements that hold the call's poison, written or not. ``diagnostics`` is the
    simulator's JSON text, "" from a device that has none. ``conduct`` is None from a runtime that
    counts nothing. ``outcome`` is the value of an `Outcome`; ``message`` crosses as the reason of
    `Refused` does.
    """

    outcome: str
    status: int
    phase: str
    message: Packed
    workspace_bytes: int
    seconds: float
    read_back: bool
    poisoned: dict[str, int]
    damage: tuple[Damage, ...]
    inputs_changed: tuple[str, ...]
    diagnostics: str
    tiling_key: int | None = None
    two_phase: tuple[str, ...] = ()
    conduct: Conduct | None = None


class Unavailable(msgspec.Struct, frozen=True, tag="unavailable"):
    """The operator library does not export ``symbol``."""

    symbol: str


class Fault(msgspec.Struct, frozen=True, tag="fault"):
    """The harness itself failed in the child: a traceback."""

    traceback: str


Request = Setup | Call | AskLimits | AskTimes
Reply = Opened | Refused | Answer | Limits | Times | Unavailable | Fault
Message = TypeVar("Message")

_encode = msgspec.msgpack.Encoder(enc_hook=packed).encode
REQUESTS: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
REPLIES: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def send(pipe: int, *messages: Any) -> None:
    """Write messages at once. Raises BrokenPipeError where the other side has gone."""
    bodies = [_encode(message) for message in messages]
    pending = memoryview(b"".join([len(body).to_bytes(4, "little") + body for body in bodies]))
    while pending:
        pending = pending[os.write(pipe, pending) :]


def receive(pipe: int, decoder: msgspec.msgpack.Decoder[Message]) -> Message | None:
    """Read one message; None where the other side has closed the pipe or died while writing."""
    head = _read(pipe, 4)
    body = _read(pipe, int.from_bytes(head, "little")) if head else None
    return decoder.decode(body) if body else None


def _read(pipe: int, count: int) -> bytes | None:
    read = b""
    while len(read) < count:
        part = os.read(pipe, count - len(read))
        if not part:
            return None
        read += part
    return read

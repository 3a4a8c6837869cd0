"""A case: one call of one operator, small enough to print, complete enough to replay."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Protocol

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike, NDArray

from conformance.call.attribute import Stored
from conformance.call.protocol_breach import Breach
from conformance.call.surroundings import USUAL, Setting
from conformance.catalogue import case as say
from conformance.catalogue.message import row
from conformance.values.fill import Fill, expand
from conformance.values.large_arrays import lazy_zeros
from reference.floats import widen

if TYPE_CHECKING:
    Attribute = Any  # which of them it is follows from the operator's parameter
else:
    Attribute = Stored
"""What an attribute of a case holds: an int, a float, or a tuple of ints, None for a null array."""

SHOWN = 24
FEW = 12
"""Elements of a recipe that are shown beside it."""

ROUNDED = "rounded"
FUNCTIONS = (ROUNDED, "high", "low", "hashed", "flushed")
"""Implementations of exp, ln, sqrt, division and reciprocal on float32: each result correctly
rounded; a step of the grid above that, or below; a step above or below or none, by a hash of the
operands; rounded, and zero below 2^-126."""

PROGRAM = "program"
"""The schedule of pipes in which each instruction takes effect when it is issued."""

ND = "ND"
"""The format of a tensor whose elements lie where shape and strides say."""


class Printer(Protocol):
    """What Hypothesis and IPython print values with."""

    def text(self, text: str) -> None:
        """Print text as it is."""


class ReadAsPrinted:
    """Lets Python and Hypothesis print a value by its text, not by its fields: a tensor may be
    long."""

    @property
    def text(self) -> str:
        """The value as a person reads it, in the languages of the catalogue."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return str(self.text)

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:
        printer.text(repr(self))


@dataclass(frozen=True, repr=False)
class Tensor(ReadAsPrinted):
    """A tensor of a case: its shape and dtype, and where its elements come from.

    ``values`` lists integers in C order (raw storage bits if the dtype is floating); ``fill`` is a
    seeded recipe, for any dtype but bool. An input with neither holds zeros; an output has neither.
    A row is one along the last axis, all others flattened.
    ``unread`` lists rows that the call must not read: they are filled with NaN canaries.

    ``rows`` makes an input row-sparse: it lists, ascending, the only rows that exist, and values or
    fill are theirs alone. The others are address space that nobody writes, neither in the arrays of
    the case nor on the device, so offsets beyond 2^32 cost what the listed rows cost. The call and
    its reference must not read them.

    ``strides`` (elements, one for each axis) place the elements in device memory with gaps or in
    another order than C; None: contiguous. The storage that they lie in has ``start`` elements
    before the first and ``spare`` behind the last. What lies between and around the elements
    belongs to somebody else.

    An input whose stride is 0 along an axis is broadcast: all elements along it share one place, so
    they are equal. Those are the elements that values or fill have at its first position.

    ``format`` is the aclFormat that the interface is told by its name. It changes nothing of where
    the elements lie: a call in another format than ND is there to be refused.
    """

    shape: tuple[int, ...]
    dtype: str
    values: tuple[int, ...] | None = None
    fill: Fill | None = None
    unread: tuple[int, ...] = ()
    rows: tuple[int, ...] | None = None
    strides: tuple[int, ...] | None = None
    start: int = 0
    spare: int = 0
    format: str = ND

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def held_shape(self) -> tuple[int, ...]:
        """Shape of the elements that exist: [listed rows, last axis] if row-sparse."""
        return self.shape if self.rows is None else (len(self.rows), self.shape[-1])

    @property
    def held_size(self) -> int:
        """Number of elements that exist."""
        return math.prod(self.held_shape)

    def held(self, array: NDArray[Any]) -> NDArray[Any]:
        """The elements that exist of an array of ``shape``: a copy if the tensor is row-sparse."""
        if self.rows is None:
            return array
        return array.reshape(-1, self.shape[-1])[list(self.rows)]

    def placed(self, held: NDArray[Any]) -> NDArray[Any]:
        """The array of ``shape`` around an array of ``held_shape``; zero in rows that do not exist.

        Only listed rows are committed; to walk over the others would be to commit or read them.
        """
        if self.rows is None:
            return held
        array = lazy_zeros(self.shape, held.dtype)
        array.reshape(-1, self.shape[-1])[list(self.rows)] = held
        return array

    def lacks(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Those of ``rows`` that a row-sparse tensor does not hold; negative ones name no row."""
        if self.rows is None:
            return rows[:0]
        return rows[(rows >= 0) & ~np.isin(rows, self.rows)]

    @property
    def broadcast(self) -> tuple[int, ...]:
        """The axes along which elements share one place; one of size 1 has nothing to share."""
        if self.strides is None or 0 in self.shape:
            return ()
        steps = enumerate(zip(self.strides, self.shape, strict=False))
        return tuple(axis for axis, (stride, size) in steps if stride == 0 and size > 1)

    def stored_once(self, array: NDArray[Any]) -> NDArray[Any]:
        """Of an array whose first axes are those of ``shape``, the first along each broadcast
        axis, which keeps its place with size 1: an element for each place of the storage."""
        axes = self.broadcast
        first = (slice(0, 1) if axis in axes else slice(None) for axis in range(len(self.shape)))
        return array[tuple(first)] if axes else array

    def materialize(self) -> NDArray[np.generic]:
        """The tensor's elements as a C-contiguous array of ``shape`` and ``dtype``."""
        array = self.placed(self._held_values())
        if not self.broadcast:
            return array
        return np.ascontiguousarray(np.broadcast_to(self.stored_once(array), self.shape))

    def _held_values(self) -> NDArray[np.generic]:
        """The elements that exist, C-contiguous, of ``held_shape``."""
        dtype = numpy_dtype(self.dtype)
        if self.values is not None:
            stored = np.array(self.values, dtype=integer_view(dtype))
            return stored.view(dtype).reshape(self.held_shape)
        if self.fill is None:
            return np.zeros(self.held_shape, dtype)
        numbers = None if self.rows is None else np.array(self.rows, np.int64)
        array = expand(self.fill, self.held_shape, dtype, numbers)
        if self.unread:
            canaries = self.unread if numbers is None else np.searchsorted(numbers, self.unread)
            array.reshape(-1, self.shape[-1])[list(canaries)] = np.nan
        return array

    @property
    def described(self) -> str:
        """Dtype, shape, format and how it is laid out, without values."""
        shape = "x".join(map(str, self.shape)) or say.SCALAR()
        parts = [f"{self.dtype}[", shape, "]"]
        parts += [] if self.format == ND else [say.IN_FORMAT(format=self.format)]
        parts += [] if self.rows is None else [say.HOLDING(rows=_shortened(self.rows))]
        placed = [] if self.strides is None else [say.STRIDES(strides=str(self.strides))]
        placed += [say.BEFORE_THE_FIRST(count=self.start)] if self.start else []
        placed += [say.BEHIND_THE_LAST(count=self.spare)] if self.spare else []
        return row([*parts, say.PLACED(parts=placed)] if placed else parts)

    @property
    def text(self) -> str:
        """The tensor with its first values, or the recipe of them, with the values if few."""
        if self.values is not None:
            stored = np.array(self.values[:SHOWN], integer_view(numpy_dtype(self.dtype)))
            shown = ", ".join(map(str, stored.view(numpy_dtype(self.dtype)).tolist()))
            more = ", ..." if len(self.values) > SHOWN else ""
            return self.described + f" = [{shown}{more}]"
        if not self.fill:
            return self.described
        canaries = say.UNREAD(rows=_shortened(self.unread)) if self.unread else ""
        few = 0 < self.held_size <= FEW
        values = say.VALUES(values=str(self._held_values().ravel().tolist())) if few else ""
        return row([self.described, " = ", self.fill.text, canaries, values])


@dataclass(frozen=True, repr=False)
class Machine(ReadAsPrinted):
    """The simulated machine of a case: vector cores, bytes of unified buffer per core, and the
    order in which the blocks of a launch run: forward, reverse or shuffled:SEED.

    Hardware promises no order, so a right kernel computes the same in each. Kernels are launched on
    as many blocks as there are cores at most, so one core has one order.

    ``functions`` is one of `FUNCTIONS`: how exp, ln, sqrt, division and reciprocal are computed. A
    device's last bits are its own, so a right kernel is accepted with each.

    ``pipes`` is when instructions take effect: `PROGRAM`, ``late`` (as late as flags, barriers and
    queues allow) or ``random:SEED``, a legal interleaving. A right kernel orders what it needs.
    """

    cores: int
    ub_bytes: int
    block_order: str = "forward"
    functions: str = ROUNDED
    pipes: str = PROGRAM

    def __post_init__(self) -> None:
        if self.cores == 1:
            object.__setattr__(self, "block_order", "forward")

    @property
    def text(self) -> str:
        """The machine in words; order of blocks, functions and pipes that are not the first."""
        order = "" if self.block_order == "forward" else say.IN_ORDER(order=self.block_order)
        how = "" if self.functions == ROUNDED else say.BY_FUNCTIONS(functions=self.functions)
        when = "" if self.pipes == PROGRAM else say.BY_PIPES(pipes=self.pipes)
        told = row([order, how, when])
        return say.MACHINE(cores=self.cores, ub_bytes=self.ub_bytes, order=told)


@dataclass(frozen=True, repr=False)
class Case(ReadAsPrinted):
    """One call: operator name, mode, dtype, attributes, tensors by parameter name, the machine
    to simulate (None: the device's own; an NPU ignores it), and what the call finds around it.

    ``before`` are the calls that are made before it on the same, freshly opened device, of any
    operators; none of them has others before it. They are no part of what is judged.
    ``breach`` is how the caller breaks the protocol of the two phases, None: it keeps it.
    """

    operator: str
    mode: str
    dtype: str
    attributes: Mapping[str, Attribute]
    inputs: Mapping[str, Tensor]
    outputs: Mapping[str, Tensor]
    machine: Machine | None = None
    setting: Setting = USUAL
    before: tuple[Case, ...] = ()
    breach: Breach | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """What tells two cases apart that are not the same, hashable: the digest and the rest."""
        before = tuple(one.key for one in self.before)
        return self.digest, self.machine, self.setting, before

    @cached_property
    def arrays(self) -> Mapping[str, NDArray[np.generic]]:
        """Every input as an array, read-only, made once."""
        made = {name: tensor.materialize() for name, tensor in self.inputs.items()}
        for array in made.values():
            array.flags.writeable = False
        return made

    def widened(self, dtype: DTypeLike) -> Mapping[str, NDArray[np.generic]]:
        """The arrays with every floating-point one widened to a float dtype."""
        return {
            name: array
            if array.dtype.kind in "iub"
            else self.inputs[name].placed(widen(self.inputs[name].held(array), dtype))
            for name, array in self.arrays.items()
        }

    @cached_property
    def digest(self) -> str:
        """Hash of everything the operator is given; machine, setting and calls before it do not
        count.
        """
        hashed, given = hashlib.sha256(), sorted(self.attributes.items())
        # numpy's floats are Python's, too, but print otherwise.
        plain = [(name, float(one) if isinstance(one, float) else one) for name, one in given]
        hashed.update(repr((self.operator, self.mode, plain)).encode())
        for name, array in self.arrays.items():
            tensor = self.inputs[name]
            hashed.update(repr((name, array.shape, tensor.dtype)).encode())
            if tensor.rows is not None:
                hashed.update(np.array(tensor.rows, np.int64).tobytes())
            hashed.update(np.ascontiguousarray(tensor.held(array)).reshape(-1).view(np.uint8).data)
        for name, tensor in self.outputs.items():
            hashed.update(repr((name, tensor.shape, tensor.dtype)).encode())
        for name, tensor in {**self.inputs, **self.outputs}.items():
            if tensor.strides is not None:
                hashed.update(repr((name, tensor.strides)).encode())
            if tensor.start or tensor.spare:
                hashed.update(repr((name, tensor.start, tensor.spare)).encode())
            if tensor.format != ND:
                hashed.update(repr((name, tensor.format)).encode())
        if self.breach is not None:
            hashed.update(repr(self.breach).encode())
        return hashed.hexdigest()[:16]

    @property
    def text(self) -> str:
        """The call, a line for each of its tensors, and what it finds around it."""
        attributes = ", ".join(f"{name}={value}" for name, value in self.attributes.items())
        lines: list[str] = [f"Case({self.operator}, {self.mode}, {self.dtype}: {attributes}"]
        tensors = {**self.inputs, **self.outputs}
        lines += [row([f"  {name}: ", tensor.text]) for name, tensor in tensors.items()]
        lines += ["  " + say.ON(machine=self.machine.text)] if self.machine else []
        lines += ["  " + say.WITH(setting=self.setting.text)] if self.setting != USUAL else []
        lines += (
            ["  " + say.CALLED_WITH(breach=self.breach.text)] if self.breach is not None else []
        )
        lines[-1] += ")"
        lines += [say.AFTER_THESE()] if self.before else []
        before = enumerate(self.before, 1)
        lines += [row([f"  {number}. ", one.in_a_line]) for number, one in before]
        return row(lines, "\n")

    @property
    def in_a_line(self) -> str:
        """The call in one line: attributes and shapes, but no values."""
        said: list[str] = [f"{name}={value}" for name, value in self.attributes.items()]
        said += [row([f"{name} ", one.described]) for name, one in self.inputs.items()]
        said += [self.machine.text] if self.machine else []
        said += [self.setting.text] if self.setting != USUAL else []
        return row([f"{self.operator}, {self.mode}, {self.dtype}: ", row(said, ", ")])


@cache
def numpy_dtype(name: str) -> np.dtype[np.generic]:
    """The numpy dtype of a dtype name; bfloat16 is ml_dtypes'."""
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def _shortened(rows: tuple[int, ...]) -> str:
    """The first rows of a list, as text."""
    return f"[{', '.join(map(str, rows[:SHOWN]))}{', ...' if len(rows) > SHOWN else ''}]"


def integer_view(dtype: np.dtype[np.generic]) -> np.dtype[np.generic]:
    """The integer dtype in which a tensor's values are listed: its own, or a float's bits."""
    return dtype if dtype.kind in "iub" else np.dtype(f"u{dtype.itemsize}")

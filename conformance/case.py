"""A case: one call of one operator, small enough to print, complete enough to replay."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from conformance.fill import Fill, expand

SHOWN = 24


class Printer(Protocol):
    """What Hypothesis and IPython print values with."""

    def text(self, text: str) -> None:
        """Print text as it is."""


class ReadAsPrinted:
    """Lets Hypothesis print a value by its repr, not field by field: a tensor may be long."""

    def _repr_pretty_(self, printer: Printer, cycle: bool) -> None:
        printer.text(repr(self))


@dataclass(frozen=True)
class Tensor(ReadAsPrinted):
    """A tensor of a case: its shape and dtype, and where its elements come from.

    ``values`` lists integers in C order (raw storage bits if the dtype is floating); ``fill`` is a
    seeded recipe; an output has neither. ``unread`` lists rows, with all axes but the last
    flattened, that the call must not read: they are filled with NaN canaries.
    """

    shape: tuple[int, ...]
    dtype: str
    values: tuple[int, ...] | None = None
    fill: Fill | None = None
    unread: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    def materialize(self) -> NDArray[np.generic]:
        """The tensor's elements as a C-contiguous array of ``shape`` and ``dtype``."""
        dtype = numpy_dtype(self.dtype)
        if self.values is not None:
            stored = np.array(self.values, dtype=integer_view(dtype))
            return stored.view(dtype).reshape(self.shape)
        if self.fill is None:
            return np.zeros(self.shape, dtype)
        array = expand(self.fill, self.shape, dtype)
        if self.unread:
            array.reshape(-1, self.shape[-1])[list(self.unread)] = np.nan
        return array

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.shape)) or "scalar"
        if self.values is not None:
            stored = np.array(self.values[:SHOWN], integer_view(numpy_dtype(self.dtype)))
            shown = ", ".join(map(str, stored.view(numpy_dtype(self.dtype)).tolist()))
            more = ", ..." if len(self.values) > SHOWN else ""
            return f"{self.dtype}[{shape}] = [{shown}{more}]"
        canaries = f", NaN in unread rows {list(self.unread[:SHOWN])}" if self.unread else ""
        return f"{self.dtype}[{shape}]" + (f" = {self.fill!r}{canaries}" if self.fill else "")


@dataclass(frozen=True)
class Machine(ReadAsPrinted):
    """The simulated machine of a case: vector cores and bytes of unified buffer per core."""

    cores: int
    ub_bytes: int

    def __repr__(self) -> str:
        noun = "core" if self.cores == 1 else "cores"
        return f"{self.cores} {noun} with {self.ub_bytes} B of UB"


@dataclass(frozen=True)
class Case(ReadAsPrinted):
    """One call: operator name, mode, dtype, attributes, tensors by parameter name, and the machine
    to simulate (None: the device's own; an NPU ignores it).
    """

    operator: str
    mode: str
    dtype: str
    attributes: Mapping[str, int]
    inputs: Mapping[str, Tensor]
    outputs: Mapping[str, Tensor]
    machine: Machine | None = None

    @cached_property
    def arrays(self) -> Mapping[str, NDArray[np.generic]]:
        """Every input as an array, read-only, made once."""
        made = {name: tensor.materialize() for name, tensor in self.inputs.items()}
        for array in made.values():
            array.flags.writeable = False
        return made

    @cached_property
    def digest(self) -> str:
        """Hash of everything the operator is given; the machine that runs it does not count."""
        hashed = hashlib.sha256()
        hashed.update(repr((self.operator, self.mode, sorted(self.attributes.items()))).encode())
        for name, array in self.arrays.items():
            hashed.update(repr((name, array.shape, self.inputs[name].dtype)).encode())
            hashed.update(np.ascontiguousarray(array).view(np.uint8).tobytes())
        for name, tensor in self.outputs.items():
            hashed.update(repr((name, tensor.shape, tensor.dtype)).encode())
        return hashed.hexdigest()[:16]

    def __repr__(self) -> str:
        attributes = ", ".join(f"{name}={value}" for name, value in self.attributes.items())
        lines = [f"Case({self.operator}, {self.mode}, {self.dtype}: {attributes}"]
        lines += [
            f"  {name}: {tensor!r}" for name, tensor in {**self.inputs, **self.outputs}.items()
        ]
        lines += [f"  on {self.machine!r}"] if self.machine else []
        return "\n".join(lines) + ")"


def numpy_dtype(name: str) -> np.dtype[np.generic]:
    """The numpy dtype of a dtype name; bfloat16 is ml_dtypes'."""
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def integer_view(dtype: np.dtype[np.generic]) -> np.dtype[np.generic]:
    """The integer dtype in which a tensor's values are listed: its own, or a float's bits."""
    return dtype if dtype.kind in "iub" else np.dtype(f"u{dtype.itemsize}")

"""Host tilings, as the library of the operators exports them and phase 1 calls them."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from device_kernels.build import build
from tests.kernels.tilings.structs import structs_of

KERNELS = Path(__file__).parents[2] / "device_kernels" / "kernels"
FP32, FP16, INT8, INT32, INT64, BF16 = 0, 1, 2, 3, 9, 27
NONE = -1
"""The data type of a tensor that is not there."""

BYTES = {FP32: 4, FP16: 2, BF16: 2}
UB_910B, UB_910_93 = 196352, 196608
ACCEPTED = 0

Call = Mapping[str, "tuple[int, ...] | int | None"]
"""The fields of a call by their names in the header: shapes, lists and numbers.

A tensor that is not there is None. Whether it is there, and its data type then, follow from that.
"""


class HostTiling:
    """The tiling of one operator; ``title`` begins the names of its functions."""

    def __init__(self, operator: str, title: str) -> None:
        self.title = title
        self._limit = getattr(_library(), f"{title}TilingLimit")
        self._limit.restype = ctypes.c_int64
        self._cut = getattr(_library(), f"{title}Tiling")
        types = structs_of(KERNELS / operator / f"{operator}_tiling.h")
        self._call, self._data = types[f"{title}Call"], types[f"{title}TilingData"]

    def cut(self, call: Call, room: int = 512) -> tuple[int, ctypes.Structure, str]:
        """Status, tiling data and reason; the data is filled if the call is accepted."""
        data = self._data()
        reason = ctypes.create_string_buffer(b"\xff" * (room + 1))
        status: int = self._cut(
            ctypes.byref(self.view(call)), ctypes.byref(data), reason, ctypes.c_uint64(room)
        )
        assert reason.raw[room:] == b"\xff\0", "the reason is longer than its room"
        return status, data, reason.value.decode()

    def whole(self, call: Call) -> Call:
        """The call with every field of the header: a number that it leaves out is 0, a tensor None.

        Whether a tensor is there is left out, unless the call says it.
        """
        return {
            name: call.get(name, None if issubclass(kind, ctypes.Structure) else 0)
            for name, kind in self._call._fields_
            if name in call or not name.startswith("has")
        }

    def view(self, call: Call) -> ctypes.Structure:
        """The call as the host tiling takes it."""
        view = self._call()
        given = dict(call)
        for name, kind in type(view)._fields_:
            if name.startswith("has"):
                tensor = name[3].lower() + name[4:]
                setattr(view, name, given.pop(name, call.get(tensor) is not None))
            elif name.endswith("Dtype") and call.get(name.removesuffix("Dtype"), ()) is None:
                setattr(view, name, NONE)
                given.pop(name, None)
            elif not issubclass(kind, ctypes.Structure):
                setattr(view, name, given.pop(name, 0))
            else:
                shape = given.pop(name, None)
                if shape is not None:
                    dims = (ctypes.c_int64 * len(shape))(*shape)
                    setattr(view, name, kind(dims, len(shape)))
        assert not given, f"{self.title} has no {', '.join(given)}"
        return view

    def limit(
        self,
        axis: str,
        top_k: int = 0,
        dtype: int = FP32,
        *,
        cores: int = 0,
        ub: int = 0,
        hidden: int = 0,
    ) -> int:
        found: int = self._limit(
            axis.encode(),
            ctypes.c_int64(top_k),
            ctypes.c_int32(dtype),
            ctypes.c_uint32(cores),
            ctypes.c_uint64(ub),
            ctypes.c_int64(hidden),
        )
        return found


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(str(build(quiet=True).lib / "libopapi.so"))


@cache
def host_tiling(operator: str, title: str) -> HostTiling:
    """The tiling of one operator, looked up once for all tests of a process."""
    return HostTiling(operator, title)

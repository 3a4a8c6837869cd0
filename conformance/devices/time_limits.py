"""How long a call may take: the time limit of a run, and more of it for a call with much to do.

The run's limit is its profile's (draw/profiles.py) or that of ``--time-limit``; child.py waits so
long for the device's process, and ends it then.

The limit stands for a call of next to nothing, which a simulated device answers in a millisecond: a
slow host may take a thousand times as long. Waits for a processor do not count (child.py). What a
call needs beyond that grows with two figures that can be read off its tensors. Each row of values,
and each integer, is looked at by itself and may be a key that is sorted; each byte is moved. The
limit is granted once more for each quarter of a second that the slowest simulated machine takes for
them: 131,072 of the former at 2 microseconds, 32 MiB of the latter at 8 nanoseconds (both measured
by `make benchmark`, section `patience`, with 8 KiB of unified buffer). Cores do not count: a
simulator launches 48 in half a millisecond.

An NPU needs a hundredth of that for the same call, and its first call some seconds to load a
kernel, which the limit itself allows for.
"""

from __future__ import annotations

import math

from conformance.devices.messages import Call, TensorArgument

ITEMS = 1 << 17
"""Rows and integers that take the slowest simulated machine a quarter of a second."""

BYTES = 32 << 20
"""Bytes that do."""


def seconds_for(call: Call, limit: float) -> float:
    """The seconds that ``call`` may take where one of next to nothing may take ``limit``."""
    return limit * (1 + sum(map(_items, call.tensors)) / ITEMS + call.segment_bytes / BYTES)


def _items(tensor: TensorArgument) -> int:
    """What of a tensor is looked at by itself: integers one by one, other values row by row."""
    if tensor.rows is not None:
        rows, columns = len(tensor.rows), tensor.shape[-1]
    else:
        columns = tensor.shape[-1] if tensor.shape else 1
        rows = math.prod(tensor.shape[:-1]) if columns else 0
    return rows * columns if tensor.dtype.startswith(("int", "uint", "bool")) else rows

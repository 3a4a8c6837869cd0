"""Functions of the fake operator y = x + addend, right and wrong ones."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import numpy as np

CALLS: list[int] = []
NUMBER = 3


def good(x: Any, addend: int) -> Any:
    return (x + addend).astype(np.int32)


def by_name(x: Any, addend: int) -> Any:
    return {"y": good(x, addend)}


def in_a_tuple(x: Any, addend: int) -> Any:
    return [good(x, addend)]


def fills(x: Any, addend: int, out: Any) -> None:
    out[...] = good(x, addend)


def fills_but_the_last(x: Any, addend: int, *, out: Any) -> None:
    out[:-1] = good(x, addend)[:-1]


def fills_and_raises(x: Any, addend: int, *, out: Any) -> None:
    out[0] = addend
    raise ValueError("too late")


def changes_x_and_raises(x: Any, addend: int) -> Any:
    x[0] = 99
    raise ValueError("too late")


def raises(x: Any, addend: int) -> Any:
    raise ValueError("x must be even\nand more of it")


def exits(x: Any, addend: int) -> Any:
    sys.exit("enough")


def ends(x: Any, addend: int) -> Any:
    print("so long")
    os._exit(3)


def hangs(x: Any, addend: int) -> Any:
    while True:
        time.sleep(1)


def takes_memory(x: Any, addend: int) -> Any:
    raise MemoryError("no room")


def of_another_shape(x: Any, addend: int) -> Any:
    return good(x, addend)[:, np.newaxis]


def of_another_dtype(x: Any, addend: int) -> Any:
    return good(x, addend).astype(np.int64)


def a_list(x: Any, addend: int) -> Any:
    return {"y": good(x, addend).tolist()}


def nothing(x: Any, addend: int) -> Any:
    return None


def two(x: Any, addend: int) -> Any:
    return good(x, addend), x.copy()


def other_names(x: Any, addend: int) -> Any:
    return {"z": good(x, addend)}


def a_view(x: Any, addend: int) -> Any:
    x += addend
    return x


def changes_x(x: Any, addend: int) -> Any:
    made = good(x, addend)
    x[0] = 99
    return made


def last_row(x: Any, addend: int) -> Any:
    return np.repeat(x[-1], 6)


def silences_numpy(x: Any, addend: int) -> Any:
    np.seterr(all="ignore")
    return good(x, addend)


def interrupts(x: Any, addend: int) -> Any:
    raise KeyboardInterrupt


def prints_little(x: Any, addend: int) -> Any:
    print("one line")
    return good(x, addend)


def prints(x: Any, addend: int) -> Any:
    print(f"adding {addend}\n" * 1000)
    return good(x, addend)


BUFFER = np.empty(6, np.int32)


def in_one_buffer(x: Any, addend: int) -> Any:
    BUFFER[:] = good(x, addend)
    return BUFFER


def counts(x: Any, addend: int) -> Any:
    CALLS.append(addend)
    return good(x, addend + len(CALLS))


def needs_more(x: Any, weights: Any) -> Any:
    return x


class Kernels:
    """Functions as they lie in a class."""

    good = staticmethod(good)

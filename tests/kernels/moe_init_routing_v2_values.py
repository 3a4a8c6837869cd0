"""Calls of MoeInitRoutingV2 with their results, by loops over the document's formula."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, Tensor
from tests.kernels.moe_token_permute_grad_values import MACHINES, Value
from tests.kernels.permute_calls import ranks_by_definition
from tests.kernels.permute_values import KINDS, experts
from tests.kernels.signatures import DTYPES, INIT_ROUTING_V2, call, random_bits

SIZES = (
    (1, 1, 1),
    (2, 1, 31),
    (3, 2, 17),
    (5, 3, 33),
    (7, 8, 40),
    (50, 2, 3),
    (4, 100, 5),
    (200, 1, 7),
    (130, 5, 2),
    (3, 2, 513),
    (2, 3, 1100),
)
"""Tokens, slots of each, columns. The smallest machine sorts 32 slots at once, counts 64 of them
for 128 experts at a time, fills 512 bytes with zeros, and holds rows of 480 bytes.
"""


@dataclass(frozen=True)
class Mode:
    """The attributes of a call."""

    active: int = 0
    capacity: int = 0
    expert_num: int = 0
    pad: int = 0
    count_flag: int = 0
    before_flag: int = 0

    @property
    def attributes(self) -> Mapping[str, int]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def counted(indices: list[int], expert_num: int) -> list[int]:
    """The slots of every expert."""
    return [sum(index == expert for index in indices) for expert in range(expert_num)]


def by_definition(x: NDArray[Any], indices: NDArray[Any], mode: Mode) -> dict[str, NDArray[Any]]:
    """The outputs that the mode asks for, slot by slot.

    Dropless, a row goes to the rank of its slot if that is below activeNum. With drop/pad it goes
    to the next of its expert's rows, if there is one; which slot comes next is their order by rank.
    """
    flat = indices.reshape(-1).tolist()
    top_k, hidden = indices.shape[1], x.shape[1]
    ranks = ranks_by_definition(indices)
    outputs = {}
    if mode.pad == 0:
        kept = min(mode.active, len(flat)) if mode.active else len(flat)
        places, rows = ranks, np.zeros((kept, hidden), x.dtype)
    else:
        rows = np.zeros((mode.expert_num * mode.capacity, hidden), x.dtype)
        places, filled = [-1] * len(flat), [0] * mode.expert_num
        for slot in sorted(range(len(flat)), key=ranks.__getitem__):
            expert = flat[slot]
            if 0 <= expert < mode.expert_num:
                if filled[expert] < mode.capacity:
                    places[slot] = expert * mode.capacity + filled[expert]
                filled[expert] += 1
    for slot, place in enumerate(places):
        if 0 <= place < len(rows):
            rows[place] = x[slot // top_k]
    if mode.pad == 1:
        rows = rows.reshape(mode.expert_num, mode.capacity, hidden)
    outputs = {"rows": rows, "places": np.array(places, np.int32)}
    counts = counted(flat, mode.expert_num if mode.count_flag or mode.before_flag else 0)
    if mode.pad == 0 and mode.count_flag:
        total = np.cumsum(counts) if mode.count_flag == 1 else counts
        outputs["counts"] = np.array(total, np.int32)
    if mode.pad == 1 and mode.before_flag:
        outputs["before"] = np.array(counts, np.int32)
    return outputs


def value(
    name: str,
    x: NDArray[Any],
    indices: NDArray[Any],
    mode: Mode,
    machine: tuple[int, int] | None = (1, 1024),
) -> Value:
    expected = by_definition(x, indices, mode)
    outputs = {name: (one.shape, one.dtype.name) for name, one in expected.items()}
    inputs = {"x": x, "experts": indices.astype(np.int32)}
    case = call(INIT_ROUTING_V2, inputs, mode.attributes, outputs, machine)
    return Value(f"{name}, {mode} on {case.machine!r}", case, expected)


def modes(tokens: int, slots: int, most: int) -> tuple[Mode, ...]:
    """Every kind of mode for indices below ``most``."""
    padded = {"expert_num": most, "pad": 1}
    return (
        Mode(),
        Mode(expert_num=most, count_flag=1),
        Mode(expert_num=most, count_flag=2, active=max(1, slots // 2)),
        Mode(**padded, capacity=1, before_flag=1),
        Mode(active=1, expert_num=3),
        Mode(**padded, capacity=tokens),
        Mode(expert_num=most + 100, count_flag=1, before_flag=1),
        Mode(active=slots + 9, expert_num=2 * most, count_flag=2),
        Mode(**padded, capacity=max(1, tokens // 2), count_flag=2, before_flag=1, active=1),
    )


def drawn() -> Iterator[Value]:
    """Every dtype, machine and size; kinds of indices and modes in turn."""
    kinds, every = cycle(KINDS), product(DTYPES, MACHINES, SIZES)
    for seed, (dtype, machine, (tokens, top_k, hidden)) in enumerate(every):
        slots = tokens * top_k
        indices = experts(next(kinds), slots, seed).reshape(tokens, top_k)
        few = indices if int(indices.max()) < 10**6 else indices - 16777200
        kind = modes(tokens, slots, max(1, int(few.max()) + seed % 3))
        mode = kind[seed % len(kind)]
        uses_experts = mode.pad or mode.count_flag
        name = f"{dtype}, {tokens} tokens of {top_k} slots, hidden {hidden}"
        x = random_bits((tokens, hidden), dtype, seed)
        yield value(name, x, few if uses_experts else indices, mode, machine)


def special() -> Iterator[Value]:
    """What the drawn ones meet seldom or never."""
    three = np.array([[1, 2], [3, 1], [2, 3]], np.int32)
    x = random_bits((3, 5), "float32", 1)
    for mode in (*modes(3, 6, 4), *modes(3, 6, 3)):
        for machine in ((1, 1024), (2, 1024), (40, 196352)):
            yield value("three tokens", x, three, mode, machine)
    bits = np.array([0x7FA00001, 0xFF800001, 0x80000000, 1, 0x807FFFFF], np.uint32)
    odd = np.stack([bits, bits[::-1], bits]).view(np.float32)
    for mode in modes(3, 6, 4):
        yield value("payloads, -0.0 and subnormals", odd, three, mode)
    strangers = np.array([[-1, 4], [0, 2], [-(2**31), 2**31 - 1], [2, 5], [3, 3]])
    for mode in modes(5, 10, 4):
        for machine in ((1, 1024), (2, 1024), (40, 196352)):
            yield value("no experts among them", random_bits((5, 9), "bfloat16", 2), strangers,
                        mode, machine)  # fmt: skip
    for expert_num in (*range(126, 130), *range(254, 258), 400):
        spread = np.arange(60).reshape(20, 3) * 7 % expert_num
        wide = random_bits((20, 2), "float16", expert_num)
        for mode in modes(20, 60, expert_num):
            yield value(f"{expert_num} experts", wide, spread, mode, (2, 1024))
    for slots in (*range(31, 34), *range(63, 66), 128, 129):
        one = experts("one missing", slots).reshape(slots, 1)
        for mode in modes(slots, slots, 4):
            yield value(f"{slots} slots", random_bits((slots, 3), "float16", 4), one, mode)
    for hidden in (119, 120, 121, 127, 128, 129, 240, 241, 400):
        for mode in modes(3, 6, 4):
            x = random_bits((3, hidden), "float32", hidden)
            yield value(f"{hidden} columns", x, three, mode, (2, 1024))
    for mode in modes(4, 2400, 7):
        many = experts("two", 2400).reshape(4, 600)
        yield value(
            "600 slots of a token", random_bits((4, 3), "float16", 6), many, mode, (3, 2048)
        )
    for mode in modes(3, 6, 4):
        yield value("no columns", random_bits((3, 0), "float32", 5), three, mode, (2, 1024))


def idle() -> Iterator[Value]:
    """Without slots: nobody is counted, and all rows are padding."""
    for mode in modes(4, 0, 5):
        for machine in ((1, 1024), (3, 1024), (40, 196352)):
            x, none = random_bits((4, 7), "float16", 3), np.zeros((4, 0), np.int32)
            yield value("no slots", x, none, mode, machine)
    for mode in (Mode(expert_num=5, count_flag=1), Mode(expert_num=200, count_flag=2)):
        yield value("no tokens", random_bits((0, 7), "float32", 3), np.zeros((0, 2), int), mode)


def far() -> Value:
    """Rows whose elements lie beyond 2^31 and 2^32 of the first one, where few are kept."""
    shape, held = (40_000, 120_000), (5, 20_000, 33_000, 39_999)
    rows = random_bits((len(held), shape[1]), "float16", 5)
    indices = np.full((shape[0], 1), 9, np.int32)
    indices[list(held), 0] = (2, 0, 3, 1)
    case = Case(
        operator=INIT_ROUTING_V2.name,
        mode="",
        dtype="float16",
        attributes=Mode(active=len(held)).attributes,
        inputs={
            "x": Tensor(
                shape, "float16", values=tuple(rows.view(np.uint16).reshape(-1).tolist()), rows=held
            ),
            "experts": Tensor(indices.shape, "int32", values=tuple(indices.reshape(-1).tolist())),
        },
        outputs={
            "rows": Tensor((len(held), shape[1]), "float16"),
            "places": Tensor((shape[0],), "int32"),
        },
    )
    ranks = np.array(ranks_by_definition(indices), np.int32)
    return Value("far rows", case, {"rows": rows[[1, 3, 0, 2]], "places": ranks})


def values() -> Iterator[Value]:
    yield from special()
    yield from idle()
    yield from drawn()
    yield far()

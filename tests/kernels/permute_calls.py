"""Calls of aclnnMoeTokenPermuteWithEp as a program makes them, and what the document says."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import byref, c_int64, c_uint64
from ctypes import c_void_p as void_p
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.simulator.runtime.driver import Acl

FP32, FP16, INT32, INT64, BF16 = 0, 1, 3, 9, 27
DTYPES = {np.dtype(np.int32): INT32, np.dtype(np.int64): INT64}
BITS = {FP32: np.uint32, FP16: np.uint16, BF16: np.uint16}
UNTOUCHED = 0xA5
"""Every byte of an output before the call."""

Array = NDArray[Any]


@dataclass(frozen=True)
class Call:
    """One call. Elements are bits of ``dtype``: any of them, also NaN, are to be copied.

    ``shapes`` and ``dtypes`` replace what a tensor claims to be, ``missing`` are given as null,
    ``strided`` have a gap of one element behind each (outputs only claim to have).
    ``rows`` is what dim 0 of the sliced outputs says, where the range does not tell.
    """

    tokens: Array  # [tokens, hidden]
    indices: Array  # [tokens] or [tokens, top_k]
    probs: Array | None = None
    span: tuple[int, ...] | None = None
    num_out_tokens: int = 0
    padded: bool = False
    dtype: int = FP32
    rows: int | None = None
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    dtypes: dict[str, int] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    strided: tuple[str, ...] = ()

    @property
    def out_rows(self) -> int:
        """The rows of the outputs, as the host tiling wants them."""
        if self.rows is not None:
            return self.rows
        start, end = (*(self.span or (0, self.num_out_tokens)), 0, 0)[:2]
        slots = self.indices.size
        return min(slots, max(0, end - start if end > start else end - start + slots))


@dataclass(frozen=True)
class Answer:
    """The last status, its text, the bytes of workspace, the outputs and all diagnostics."""

    status: int
    text: str
    workspace: int
    tokens: Array  # [rows, hidden]
    ranks: Array  # [slots]
    probs: Array  # [rows]
    diagnostics: list[dict[str, Any]]


class Permuter:
    """A simulated device that makes such calls."""

    def __init__(self, acl: Acl) -> None:
        self.acl = acl
        self.c = acl.opapi
        self.c.aclCreateIntArray.restype = void_p
        acl.ascendcl.ascendsimTakeDiagnostics.restype = c_uint64
        assert acl.aclrtSetDevice(0) == 0

    def machine(self, cores: int = 0, ub_bytes: int = 0) -> None:
        """The machine of later calls; 0: the chip's own numbers."""
        assert self.acl.ascendsimConfigure(None, cores, ub_bytes) == 0

    @contextmanager
    def blocks(self, order: str) -> Iterator[None]:
        """Blocks run in that order."""
        assert self.acl.ascendcl.ascendsimBlockOrder(order.encode()) == 0
        try:
            yield
        finally:
            assert self.acl.ascendcl.ascendsimBlockOrder(b"forward") == 0

    def run(self, call: Call) -> Answer:
        """Both phases and the wait, with fresh outputs."""
        self.acl.text()
        self.diagnostics()
        bits = BITS[call.dtype]
        hidden = call.tokens.shape[1]
        kinds: dict[str, tuple[tuple[int, ...], int, Any]] = {
            "permuteTokensOut": ((call.out_rows, hidden), call.dtype, bits),
            "sortedIndicesOut": ((call.indices.size,), INT32, np.int32),
            "permuteProbsOut": ((call.out_rows,), call.dtype, bits),
        }
        inputs: dict[str, tuple[Array, int]] = {
            "tokens": (call.tokens, call.dtype),
            "indices": (call.indices, DTYPES[call.indices.dtype]),
        }
        if call.probs is not None:
            inputs["probsOptional"] = (call.probs, call.dtype)
        places = {}
        for name, (array, _) in inputs.items():
            stored = np.stack([array, ~array], -1) if name in call.strided else array
            places[name] = self.acl.upload(stored.tobytes() + b"\0")
        sizes = {}
        for name, (shape, _, kind) in kinds.items():
            sizes[name] = int(np.prod(shape)) * np.dtype(kind).itemsize
            places[name] = self.acl.upload(bytes([UNTOUCHED]) * (sizes[name] + 1))
        facts = {name: (a.shape, dtype) for name, (a, dtype) in inputs.items()}
        facts |= {name: (shape, dtype) for name, (shape, dtype, _) in kinds.items()}
        made = {
            name: self._tensor(
                call.shapes.get(name, shape),
                call.dtypes.get(name, dtype),
                places[name],
                1 + (name in call.strided),
            )
            for name, (shape, dtype) in facts.items()
            if name not in call.missing
        }
        status, workspace = self._phases(call, made)
        outputs = [
            np.frombuffer(
                self.acl.download(places[name], max(1, sizes[name]))[: sizes[name]], kind
            ).reshape(shape)
            for name, (shape, _, kind) in kinds.items()
        ]
        for tensor in made.values():
            self.c.aclDestroyTensor(void_p(tensor))
        for place in places.values():
            assert self.acl.aclrtFree(place) == 0
        return Answer(status, self.acl.text() or "", workspace, *outputs, self.diagnostics())

    def diagnostics(self) -> list[dict[str, Any]]:
        """All since the last call."""
        take = self.acl.ascendcl.ascendsimTakeDiagnostics
        needed = take(None, c_uint64(0))
        buffer = ctypes.create_string_buffer(needed)
        assert take(buffer, c_uint64(needed)) == needed
        taken: list[dict[str, Any]] = json.loads(buffer.value)
        return taken

    def _tensor(self, shape: Sequence[int], dtype: int, address: int, gap: int) -> int:
        strides = [gap * int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]
        return self.acl.tensor(shape, address, dtype, strides=strides)

    def _phases(self, call: Call, made: dict[str, int]) -> tuple[int, int]:
        span = None
        if call.span is not None:
            values = (c_int64 * len(call.span))(*call.span)
            span = self.c.aclCreateIntArray(values, c_uint64(len(call.span)))
            assert span is not None
            values[:] = [-9] * len(values)  # it has copied them
        size, executor = c_uint64(), void_p()
        names = ("permuteTokensOut", "sortedIndicesOut", "permuteProbsOut")
        status: int = self.c.aclnnMoeTokenPermuteWithEpGetWorkspaceSize(
            *(void_p(made.get(name)) for name in ("tokens", "indices", "probsOptional")),
            void_p(span),
            c_int64(call.num_out_tokens),
            ctypes.c_bool(call.padded),
            *(void_p(made.get(name)) for name in names),
            None if "workspaceSize" in call.missing else byref(size),
            None if "executor" in call.missing else byref(executor),
        )
        if span is not None:
            assert self.c.aclDestroyIntArray(void_p(span)) == 0
        if status == 0:
            workspace = self.acl.malloc(max(size.value, 1))
            status = self.c.aclnnMoeTokenPermuteWithEp(void_p(workspace), size, executor, None)
            if status == 0:
                status = self.acl.aclrtSynchronizeStream(None)
            assert self.acl.aclrtFree(workspace) == 0
        return status, size.value


def ranks_by_definition(indices: Array) -> list[int]:
    """sortedIndicesOut: where each slot's index is in the rising order of all, ties as they are.

    Indices are compared as the fp32 that the sort works on.
    """
    keys = [float(np.float32(index)) for index in indices.reshape(-1).tolist()]
    ranks = [0] * len(keys)
    for rank, slot in enumerate(sorted(range(len(keys)), key=keys.__getitem__)):
        ranks[slot] = rank
    return ranks


def by_definition(call: Call) -> tuple[Array, list[int], Array]:
    """The three outputs, untouched elements included: the document's formula, slot by slot.

    A range that ends where it starts is no slice, and one that ends before it starts has the ranks
    from its start on: what CANN's host tiling makes of them.
    """
    ranks = ranks_by_definition(call.indices)
    slots = len(ranks)
    top_k = call.indices.shape[1] if call.indices.ndim == 2 else 1
    start, end = call.span or (0, call.num_out_tokens)
    if start == end:
        start, end = 0, slots
    if start > end:
        end = slots
    bits = BITS[call.dtype]
    blank = np.frombuffer(bytes([UNTOUCHED]) * np.dtype(bits).itemsize, bits)[0]
    tokens = np.full((call.out_rows, call.tokens.shape[1]), blank, bits)
    probs = np.full(call.out_rows, blank, bits)
    for slot, rank in enumerate(ranks):
        if start <= rank < end and rank - start < call.out_rows:
            tokens[rank - start] = call.tokens[slot // top_k]
            if call.probs is not None:
                probs[rank - start] = call.probs.reshape(-1)[slot]
    return tokens, ranks, probs


def drawn_call(
    indices: Array, hidden: int, *, probs: bool = True, seed: int = 0, **rest: Any
) -> Call:
    """A call with these indices and random bits everywhere else."""
    random = np.random.default_rng(seed)
    bits = BITS[rest.get("dtype", FP32)]
    most = np.iinfo(bits).max
    tokens = random.integers(0, most, (len(indices), hidden), bits, endpoint=True)
    weights = random.integers(0, most, indices.shape, bits, endpoint=True) if probs else None
    return Call(tokens, indices, weights, **rest)

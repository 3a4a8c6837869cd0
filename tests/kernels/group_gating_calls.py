"""Calls of the kernel of MoeGatingTopK, and what their answers must be, from float64."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, Machine, Tensor, numpy_dtype
from conformance.devices.device import Device
from conformance.record.operator import AttributeParameter, TensorParameter
from reference.floats import widen
from tests.kernels.gating_calls import answer, interface, stored, tensor_of

Array = NDArray[Any]

OUTPUTS = (
    TensorParameter("y", "yOut", "output"),
    TensorParameter("expert_idx", "expertIdxOut", "output", "int32"),
    TensorParameter("out", "outOut", "output", "float32"),
)
NUMBERS = ("k", "kGroup", "groupCount", "groupSelectMode", "renorm", "normType")
GATING = interface(
    "moe_gating_top_k",
    "MoeGatingTopK",
    (
        TensorParameter("x", "x", "input"),
        TensorParameter("bias", "biasOptional", "input", optional=True),
        *(AttributeParameter(name, name) for name in NUMBERS),
        AttributeParameter("outFlag", "outFlag", "bool"),
        AttributeParameter("factor", "routedScalingFactor", "double"),
        AttributeParameter("eps", "eps", "double"),
        *OUTPUTS,
    ),
)
SOFTMAX, SIGMOID, SOFTPLUS = NORM_TYPES = (0, 1, 2)


@dataclass(frozen=True)
class Gating:
    """One call: ``x`` [rows, experts] and ``bias`` [experts] or none, rounded to ``dtype``.

    ``groups``: of the experts, of which ``kept`` are kept, by their best expert or the best two.
    """

    x: Array
    k: int
    dtype: str = "float32"
    bias: Array | None = None
    groups: int = 1
    kept: int = 1
    by_two: bool = False
    renorm: bool = False
    norm_type: int = SOFTMAX
    factor: float = 1.0
    eps: float = 1e-20
    wants_out: bool = True
    cores: int = 2
    ub: int = 196352
    order: str = "forward"

    def wide(self, values: Array) -> Array:
        """What is stored of the values, in float32."""
        return widen(stored(values, self.dtype), np.float32).reshape(values.shape)

    def case(self) -> Case:
        given = {"x": self.x} | ({} if self.bias is None else {"bias": self.bias})
        shape = (self.x.shape[0], self.k)
        numbers = (self.k, self.kept, self.groups, self.by_two, self.renorm, self.norm_type)
        return Case(
            GATING.name,
            "all",
            self.dtype,
            {
                **dict(zip(NUMBERS, map(int, numbers), strict=True)),
                "outFlag": int(self.wants_out),
                "factor": self.factor,
                "eps": self.eps,
            },
            {name: tensor_of(values, self.dtype) for name, values in given.items()},
            {
                "y": Tensor(shape, self.dtype),
                "expert_idx": Tensor(shape, "int32"),
                "out": Tensor(self.x.shape, "float32"),
            },
            Machine(self.cores, self.ub, self.order),
        )

    @property
    def normalises(self) -> bool:
        return self.renorm or self.norm_type != SOFTMAX


def answered(device: Device, call: Gating) -> Any:
    """The outputs of a call that ends without a finding."""
    idle = () if call.wants_out else ("out",)
    return answer(device, GATING, call.case(), idle)


def exact_scores(x: Array, norm_type: int) -> Array:
    """In float64, from what they are in the interface."""
    wide = x.astype(np.float64)
    with np.errstate(over="ignore"):
        if norm_type == SOFTMAX:
            powers = np.exp(wide - wide.max(axis=-1, keepdims=True))
            return np.asarray(powers / powers.sum(axis=-1, keepdims=True))
        if norm_type == SIGMOID:
            return np.asarray(1 / (1 + np.exp(-wide)))
        return np.asarray(np.sqrt(np.log1p(np.exp(wide))))


def chosen(keys: Array, call: Gating) -> Array:
    """The experts [rows, k] of the greatest float32 keys, each row by itself; lower ones first."""
    members = keys.shape[1] // call.groups
    found = []
    for row in keys:
        of_groups = np.sort(row.reshape(call.groups, members), axis=1)[:, ::-1]
        scores = of_groups[:, 0] + of_groups[:, 1] if call.by_two else of_groups[:, 0]
        best = np.argsort(-scores.astype(np.float64), kind="stable")[: call.kept]
        left = np.flatnonzero(np.isin(np.arange(row.size) // members, best))
        order = np.argsort(-row[left].astype(np.float64), kind="stable")[: call.k]
        found.append(left[order])
    return np.array(found)


NEAR = {SOFTMAX: (4e-6, 1e-44), SIGMOID: (1e-6, 3e-39), SOFTPLUS: (1e-6, 4e-4)}
"""By normType how far scores may be from float64's. exp of 89 is infinite: then a sigmoid is 0; and
a softplus of 2^-24 may be 0."""


def assert_gated(device: Device, call: Gating) -> Any:
    """Scores are near float64's; experts follow from them bit by bit, and weights, but for the
    sum."""
    got = answered(device, replace(call, wants_out=True))
    scores = got["out"].reshape(call.x.shape)
    rtol, atol = NEAR[call.norm_type]
    exact = exact_scores(call.wide(call.x), call.norm_type)
    np.testing.assert_allclose(scores, exact, rtol=rtol, atol=atol)
    bias = np.float32(0) if call.bias is None else call.wide(call.bias)
    ids = chosen(scores + bias, call)
    np.testing.assert_array_equal(got["expert_idx"].reshape(ids.shape), ids)
    weights = np.take_along_axis(scores, ids, -1)
    assert_weighed(call, got["y"].reshape(ids.shape), weights)
    other = answered(device, replace(call, wants_out=False))
    for name in ("y", "expert_idx"):
        assert got[name].tobytes() == other[name].tobytes()
    return got


def assert_weighed(call: Gating, y: Array, weights: Array) -> None:
    factor, eps = (np.float32(one) for one in (call.factor, call.eps))
    if not call.normalises:
        wanted = (weights * factor).astype(numpy_dtype(call.dtype))
        assert y.tobytes() == wanted.tobytes()
        return
    with np.errstate(invalid="ignore"):
        sums = weights.astype(np.float64).sum(axis=-1, keepdims=True) + eps
        exact = weights / sums * factor
    near = {"float32": 1e-5, "float16": 2**-10, "bfloat16": 2**-7}[call.dtype]
    np.testing.assert_allclose(widen(y, np.float32), exact, rtol=near, atol=2**-24)

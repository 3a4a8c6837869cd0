"""The kernel of MoeGatingTopKBackward at its seams, and what its interface refuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from conformance.call.case import Case, Machine, Tensor, numpy_dtype
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.devices.open import open_device
from conformance.record.operator import AttributeParameter, TensorParameter
from conformance.record.variations import reshaped, retyped, with_attributes, without
from device_kernels.build import build
from reference.floats import widen
from tests.kernels.gating_calls import answer, interface, stored, tensor_of

Array = NDArray[Any]

BACKWARD = interface(
    "moe_gating_top_k_backward",
    "MoeGatingTopKBackward",
    (
        TensorParameter("x", "xNorm", "input", "float32"),
        TensorParameter("grad", "gradY", "input"),
        TensorParameter("ids", "expertIdx", "input", "int32"),
        AttributeParameter("renorm", "renorm"),
        AttributeParameter("norm_type", "normType"),
        AttributeParameter("factor", "routedScalingFactor", "double"),
        AttributeParameter("eps", "eps", "double"),
        TensorParameter("out", "out", "output"),
    ),
)
DTYPES = ("float32", "float16", "bfloat16")
ROUNDED = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}


@dataclass(frozen=True)
class Gradient:
    """One call: ``x`` [rows, experts] in float32, ``grad`` [rows, k] of ``dtype``, ``ids`` [rows,
    k] in int32, and the machine."""

    x: Array
    grad: Array
    ids: Array
    dtype: str = "float32"
    factor: float = 2.5
    eps: float = 1e-20
    cores: int = 2
    ub: int = 196352
    order: str = "forward"

    def case(self) -> Case:
        numbers = {"renorm": 0, "norm_type": 1, "factor": self.factor, "eps": self.eps}
        inputs = {
            "x": tensor_of(self.x, "float32"),
            "grad": tensor_of(self.grad, self.dtype),
            "ids": Tensor(self.ids.shape, "int32", tuple(self.ids.reshape(-1).tolist())),
        }
        out = {"out": Tensor(self.x.shape, self.dtype)}
        machine = Machine(self.cores, self.ub, self.order)
        return Case(BACKWARD.name, "all", self.dtype, numbers, inputs, out, machine)


def of(rows: int, experts: int, k: int, **more: Any) -> Gradient:
    """Sigmoids of normal numbers, and different experts in any order."""
    rng = np.random.default_rng(rows + 7 * experts + k)
    ids = rng.permuted(np.tile(np.arange(experts), (rows, 1)), axis=1)[:, :k]
    x = 1 / (1 + np.exp(-rng.normal(0, 2, (rows, experts))))
    return Gradient(x, rng.normal(0, 1, (rows, k)), ids, **more)


def row_bytes(experts: int, k: int) -> int:
    return 8 * -(-experts // 16) * 16 + 16 * -(-k // 16) * 16


def answered(device: Device, call: Gradient) -> Array:
    """The output of a call that ends without a finding, as it is stored."""
    found: Array = answer(device, BACKWARD, call.case())["out"].reshape(call.x.shape)
    return found


def assert_derived(device: Device, call: Gradient) -> Array:
    """Near the document's formula in float64, as far as sums in float32 can be off; an expert that
    was not chosen has zero."""
    x, given = (
        widen(stored(values, dtype), np.float64)
        for values, dtype in ((call.x, "float32"), (call.grad, call.dtype))
    )
    grad = given.reshape(call.grad.shape) * np.float64(np.float32(call.factor))
    x = x.reshape(call.x.shape)
    weights = np.take_along_axis(x, call.ids, -1)
    total = weights.sum(axis=-1, keepdims=True) + np.float64(np.float32(call.eps))
    beta = (weights / total * grad).sum(axis=-1, keepdims=True)
    size = np.abs(weights / total * grad).sum(axis=-1, keepdims=True) + np.abs(grad)
    k = call.ids.shape[1]
    exact, doubt = np.zeros_like(x), np.zeros_like(x)
    np.put_along_axis(exact, call.ids, (grad - beta) / total, -1)
    np.put_along_axis(doubt, call.ids, (k + 8) * 2.0**-24 * size / np.abs(total), -1)
    exact, doubt = exact * x * (1 - x), doubt * np.abs(x * (1 - x))
    stored_out = answered(device, call)
    out = widen(stored_out, np.float64).reshape(x.shape)
    least = {"float32": 2.0**-149, "float16": 2.0**-25, "bfloat16": 2.0**-134}[call.dtype]
    allowed = doubt + ROUNDED[call.dtype] * (np.abs(exact) + doubt) + least * (exact != 0)
    assert (np.abs(out - exact) <= allowed).all(), call
    return stored_out


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    library = build(only={BACKWARD.name}, quiet=True).lib
    with closing(open_device("sim", libraries=library)) as opened:
        yield opened


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("experts", [2, 8, 15, 16, 17, 33, 64, 255, 2047, 2048])
def test_any_number_of_experts_in_the_largest_buffer_and_in_the_least(
    experts: int, dtype: str, device: Device
) -> None:
    for k in sorted({one for one in (1, 2, 7, 8, 15, 16, 17, 65, experts) if one <= experts}):
        call = of(3, experts, k, dtype=dtype)
        whole = assert_derived(device, call)
        small = answered(device, replace(call, ub=max(1024, row_bytes(experts, k)), cores=1))
        assert whole.tobytes() == small.tobytes()


@pytest.mark.parametrize("order", ["forward", "reverse", "shuffled:1"])
@pytest.mark.parametrize("cores", [1, 3, 48])
def test_rows_are_cut_over_cores_and_batches(cores: int, order: str, device: Device) -> None:
    """As many rows as cores, one more or fewer, and batches of 1 to 3 that do not come out even."""
    counts = {1, cores - 1, cores, cores + 1, 3 * cores + 2} - {0}
    for rows, batch, (experts, k) in product(counts, (1, 2, 3), ((100, 3), (90, 20))):
        dtype = DTYPES[batch - 1]
        ub = batch * row_bytes(experts, k) + 32
        assert_derived(device, of(rows, experts, k, dtype=dtype, cores=cores, ub=ub, order=order))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("strange", [np.nan, np.inf, -np.inf])
def test_an_expert_that_was_not_chosen_spoils_its_own_gradient_alone(
    strange: float, dtype: str, device: Device
) -> None:
    """Expert 0, which 0 behind the last slot would name, is left out of every row."""
    for experts, k in ((9, 1), (9, 7), (20, 8), (40, 17)):
        ids = np.tile(np.arange(k, 0, -1), (4, 1))
        call = replace(of(4, experts, k, dtype=dtype), ids=ids)
        x = call.x.copy()
        x[:, 0] = strange
        got, right = answered(device, replace(call, x=x)), answered(device, call)
        assert np.isnan(got[:, 0].astype(np.float32)).all()
        assert got[:, 1:].tobytes() == right[:, 1:].tobytes()


def test_a_strange_row_keeps_to_itself(device: Device) -> None:
    call = of(5, 20, 6)
    for strange, spoiled in product((np.nan, np.inf), ("x", "grad")):
        values = getattr(call, spoiled).copy()
        values[2, :] = strange
        got, right = answered(device, replace(call, **{spoiled: values})), answered(device, call)
        others = np.arange(5) != 2
        assert np.isnan(got[2, call.ids[2]]).all()
        assert got[others].tobytes() == right[others].tobytes()


def test_factor_and_eps_of_any_size(device: Device) -> None:
    call = of(3, 12, 5)
    cold = replace(call, x=call.x * 1e-6)
    for factor, eps in product((1.0, 0.0, -3.0, 1 + 2.0**-8), (0.0, 1e-20, 1e-6, 1.0)):
        assert_derived(device, replace(call, factor=factor, eps=eps))
        assert_derived(device, replace(cold, factor=factor, eps=eps))
    same = replace(call, ids=call.ids[:, :1], grad=call.grad[:, :1])
    assert (answered(device, same) == 0).all()
    nothing = answered(device, replace(call, x=call.x * 0, eps=0.0))
    assert np.isnan(np.take_along_axis(nothing, call.ids, -1)).all()


def test_an_expert_that_is_named_twice_has_both_gradients(device: Device) -> None:
    """Sum 1/4 + 1/4 and eps 1/2 are 1; weights 1/4 times 1 and 3 give beta 1; 0 + 2, times 3/16."""
    x, grad, ids = np.array([[0.25, 0.5]]), np.array([[1.0, 3.0]]), np.array([[0, 0]])
    for dtype in DTYPES:
        got = answered(device, Gradient(x, grad, ids, dtype, 1.0, 0.5))
        assert got.tolist() == [[0.375, 0.0]]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_value_between_two_is_rounded_to_the_even_one(dtype: str, device: Device) -> None:
    """Of scores 1/2, 0 and eps 1/2 the sum is 1: the gradient is a quarter of 1 + step / 2, or of
    1 + 3 * step / 2, less one half of it."""
    step = 2 * ROUNDED[dtype]
    x, ids = np.array([[0.5, 0.0]]), np.array([[0]])
    for halves, even in ((1, 1.0), (3, 1 + 2 * step)):
        call = Gradient(x, np.ones((1, 1)), ids, dtype, 8 * (1 + halves * step / 2), 0.5)
        got = answered(device, call)[0, 0]
        assert got == numpy_dtype(dtype).type(even)


NULL, INVALID, REJECTED = 161001, 161002, 561002
RIGHT = of(3, 8, 2, dtype="float16").case()
WRONG: Mapping[str, tuple[Case, int, str]] = {
    "no x": (without(RIGHT, "x"), NULL, "xNorm is null"),
    "no gradient": (without(RIGHT, "grad"), NULL, "gradY is null"),
    "no ids": (without(RIGHT, "ids"), NULL, "expertIdx is null"),
    "no out": (without(RIGHT, "out"), NULL, "out is null"),
    "x of fp16": (retyped(RIGHT, "x", "float16"), INVALID, "the data type of xNorm is 1"),
    "ids of int64": (retyped(RIGHT, "ids", "int64"), INVALID, "the data type of expertIdx is 9"),
    "out of x": (retyped(RIGHT, "out", "float32"), INVALID, "the data type of out is 0"),
    "softmax": (with_attributes(RIGHT, norm_type=0), REJECTED, "normType is 0; it must be 1 ("),
    "softplus": (with_attributes(RIGHT, norm_type=2), REJECTED, "normType is 2; it must be 1 ("),
    "one expert": (of(3, 1, 1).case(), REJECTED, "dim 1 of xNorm is 1; it must be 2 or more"),
    "2049 experts": (of(1, 2049, 1).case(), REJECTED, "dim 1 of xNorm is 2049; it must be at most"),
    "k 0": (of(3, 8, 0).case(), REJECTED, "dim 1 of gradY is 0; it must be 1 or more"),
    "k 9": (
        reshaped(reshaped(RIGHT, "grad", (3, 9)), "ids", (3, 9)),
        REJECTED,
        "dim 1 of gradY is 9; it must be at most dim 1 of xNorm, 8",
    ),
    "x of rank 3": (reshaped(RIGHT, "x", (1, 3, 8)), REJECTED, "the rank of xNorm [1, 3, 8] is 3"),
    "other ids": (reshaped(RIGHT, "ids", (3, 1)), REJECTED, "dim 1 of expertIdx is 1; it must be"),
    "other rows": (reshaped(RIGHT, "grad", (4, 2)), REJECTED, "dim 0 of gradY is 4; it must be"),
    "other out": (reshaped(RIGHT, "out", (3, 7)), REJECTED, "dim 1 of out is 7; it must be dim 1"),
    "small buffer": (
        of(3, 70, 33, ub=1376).case(),
        REJECTED,
        "the unified buffer is 1376 bytes; it must be 1408 bytes or more for k 33 of 70 experts",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_call_has_its_status_and_sentence(name: str, device: Device) -> None:
    case, status, sentence = WRONG[name]
    seen = device.run(BACKWARD, case)
    assert (seen.outcome, seen.outputs_untouched) == (Outcome.REJECTED, True), seen
    assert (seen.status, seen.message.split(": ", 1)[1][: len(sentence)]) == (status, sentence)


def test_renorm_changes_nothing(device: Device) -> None:
    right, other = (
        answer(device, BACKWARD, with_attributes(RIGHT, renorm=renorm))["out"].tobytes()
        for renorm in (0, 1)
    )
    assert right == other

"""Calls of the softmax gating kernels, and what their answers must be, from float64."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, Machine, Tensor, integer_view, numpy_dtype
from conformance.call.findings import errors
from conformance.call.observation import Observation, Outcome
from conformance.devices.device import Device
from conformance.record.clause import document
from conformance.record.contract import Unspecified
from conformance.record.operator import AttributeParameter, Mode, Operator, TensorParameter
from reference.floats import widen

Array = NDArray[Any]

CLAUSE = document("the kernel is called through its entry", "the interface")
HEAD = (
    TensorParameter("x", "x", "input"),
    TensorParameter("finished", "finishedOptional", "input", "bool", optional=True),
    AttributeParameter("k", "k"),
)
CHOSEN = (
    TensorParameter("y", "yOut", "output"),
    TensorParameter("expert_idx", "expertIdxOut", "output", "int32"),
)
FLAGS = (
    AttributeParameter("renorm", "renorm"),
    AttributeParameter("flag", "outputSoftmaxResultFlag", "bool"),
)
RESULT = TensorParameter("result", "softmaxResultOutOptional", "output", "float32", optional=True)
ROW_IDX = TensorParameter("row_idx", "rowIdxOut", "output", "int32")


def interface(name: str, title: str, parameters: tuple[Any, ...]) -> Operator:
    """An operator of these parameters, of whose outputs nothing is promised."""
    return Operator(
        name=name,
        title=title,
        aclnn=f"aclnn{title}",
        sources=("the interface",),
        products=(),
        parameters=parameters,
        modes=(Mode("all", CLAUSE),),
        dtypes=("float32", "float16", "bfloat16"),
        formula=lambda *_: {},
        contracts={
            one.name: Unspecified(CLAUSE)
            for one in parameters
            if isinstance(one, TensorParameter) and one.role == "output"
        },
        cases=lambda *_: None,  # type: ignore[arg-type, return-value]
    )


V1 = interface("moe_gating_top_k_softmax", "MoeGatingTopKSoftmax", (*HEAD, *CHOSEN, ROW_IDX))
V2 = interface(
    "moe_gating_top_k_softmax_v2", "MoeGatingTopKSoftmaxV2", (*HEAD, *FLAGS, *CHOSEN, RESULT)
)


def stored(values: Array, dtype: str) -> Array:
    """Values as a tensor of that data type stores them."""
    return np.ascontiguousarray(values.astype(numpy_dtype(dtype)))


def tensor_of(values: Array, dtype: str) -> Tensor:
    """A tensor of exactly these values."""
    bits = stored(values, dtype)
    return Tensor(
        values.shape, dtype, tuple(bits.view(integer_view(bits.dtype)).reshape(-1).tolist())
    )


@dataclass(frozen=True)
class Rows:
    """One call: ``x`` [..., experts] of ``dtype``, ``finished`` [...] or none, and the machine."""

    x: Array
    k: int
    dtype: str = "float32"
    finished: Array | None = None
    cores: int = 2
    ub: int = 196352
    order: str = "forward"

    @property
    def wide(self) -> Array:
        """What is stored, [rows, experts] in float32."""
        return widen(stored(self.x, self.dtype), np.float32).reshape(-1, self.x.shape[-1])

    def case(
        self, operator: Operator, flag: bool = False, result: bool = False, **more: int
    ) -> Case:
        inputs = {"x": tensor_of(self.x, self.dtype)}
        if self.finished is not None:
            values = tuple(self.finished.astype(int).reshape(-1).tolist())
            inputs["finished"] = Tensor(self.x.shape[:-1], "bool", values)
        shape = (*self.x.shape[:-1], self.k)
        outputs = {"y": Tensor(shape, self.dtype), "expert_idx": Tensor(shape, "int32")}
        if operator is V1:
            outputs["row_idx"] = Tensor(shape, "int32")
        else:
            more = {"flag": int(flag), **more}
        if result:
            outputs["result"] = Tensor(self.x.shape, "float32")
        machine = Machine(self.cores, self.ub, self.order)
        attributes = {"k": self.k, **more}
        return Case(operator.name, "all", self.dtype, attributes, inputs, outputs, machine)


def answer(device: Device, operator: Operator, case: Case, idle: tuple[str, ...] = ()) -> Any:
    """The outputs of a call that ends without a finding; all but ``idle`` are written."""
    seen: Observation = device.run(operator, case)
    assert seen.outcome is Outcome.COMPLETED, seen.message
    assert [*errors(seen), *seen.guard_damage, *seen.inputs_changed] == []
    assert {name for name, count in seen.unwritten.items() if count} == {*idle}
    return seen.outputs


def first_of(keys: Array, k: int) -> Array:
    """The places of the k largest keys of each row, equal ones by place."""
    order: Array = np.argsort(-keys.astype(np.float64), axis=-1, kind="stable")[:, :k]
    return order


def softmax(x: Array) -> Array:
    """In float64."""
    shifted = x.astype(np.float64) - x.max(axis=-1, keepdims=True)
    found: Array = np.exp(shifted) / np.exp(shifted).sum(axis=-1, keepdims=True)
    return found


def assert_softmax_first(device: Device, rows: Rows) -> None:
    """The softmax of all is near float64's, and everything else follows from it bit by bit."""
    experts, k = rows.x.shape[-1], rows.k
    got = answer(device, V2, rows.case(V2, flag=True, result=True, renorm=0))
    result = got["result"].reshape(-1, experts)
    np.testing.assert_allclose(result, softmax(rows.wide), rtol=4e-6, atol=1e-44)
    places = first_of(result, k)
    assert_chosen(rows, got, places)
    shares = np.take_along_axis(result, places, -1).astype(numpy_dtype(rows.dtype))
    assert got["y"].tobytes() == shares.tobytes()
    for other in (
        answer(device, V2, rows.case(V2, renorm=0)),
        answer(device, V2, rows.case(V2, result=True, renorm=0), ("result",)),
    ):
        for name in ("y", "expert_idx"):
            assert got[name].tobytes() == other[name].tobytes()


def assert_choice_first(device: Device, rows: Rows) -> None:
    """The choice is exact, the softmax of the chosen near float64's."""
    got = answer(device, V2, rows.case(V2, flag=True, result=True, renorm=1), ("result",))
    places = first_of(rows.wide, rows.k)
    assert_chosen(rows, got, places)
    wanted = softmax(np.take_along_axis(rows.wide, places, -1))
    near = {"float32": 4e-6, "float16": 2**-10, "bfloat16": 2**-7}[rows.dtype]
    y = widen(got["y"], np.float32).reshape(wanted.shape)
    np.testing.assert_allclose(y, wanted, rtol=near, atol=2**-24)


def assert_chosen(rows: Rows, got: Any, places: Array) -> None:
    """Finished rows have the number of experts."""
    if rows.finished is not None:
        places = np.where(rows.finished.reshape(-1, 1), rows.x.shape[-1], places)
    np.testing.assert_array_equal(got["expert_idx"].reshape(places.shape), places)

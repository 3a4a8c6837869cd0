"""A case prints what matters, keeps its bits, and is told from another by what it feeds."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis.vendor.pretty import pretty

from conformance.call.case import Case, Machine, Tensor
from conformance.values.fill import Fill

GRAD = Tensor((2, 3), "bfloat16", fill=Fill(("lattice",), seed=0, terms=2), unread=(1,))
CASE = Case(
    operator="segment_sum",
    mode="plain",
    dtype="bfloat16",
    attributes={"top_k": 2},
    inputs={"grad": GRAD, "rows": Tensor((2,), "int32", values=(0, -1))},
    outputs={"sums": Tensor((1, 3), "bfloat16")},
    machine=Machine(1, 4096),
)


def test_a_case_reads_as_a_call() -> None:
    assert repr(CASE).splitlines() == [
        "Case(segment_sum, plain, bfloat16: top_k=2",
        "  grad: bfloat16[2x3] = lattice (seed 0), NaN in unread rows [1]:"
        " [-1.0, -1.0, -16.0, nan, nan, nan]",
        "  rows: int32[2] = [0, -1]",
        "  sums: bfloat16[1x3]",
        "  on 1 core with 4096 B of UB)",
    ]


@pytest.mark.parametrize("order", ["reverse", "shuffled:7"])
def test_an_order_of_blocks_that_is_not_forward_is_told(order: str) -> None:
    assert repr(Machine(3, 4096)) == "3 cores with 4096 B of UB"
    assert repr(Machine(3, 4096, order)) == f"3 cores with 4096 B of UB, blocks in order {order}"


def test_functions_that_are_not_correctly_rounded_are_told() -> None:
    told = "3 cores with 4096 B of UB, blocks in order reverse, functions low"
    assert repr(Machine(3, 4096, "reverse", "low")) == told


def test_a_schedule_of_pipes_that_is_not_the_programs_is_told() -> None:
    told = "3 cores with 4096 B of UB, functions low, pipes late"
    assert repr(Machine(3, 4096, functions="low", pipes="late")) == told


def test_one_core_has_one_order_of_blocks() -> None:
    assert Machine(1, 4096, "reverse") == Machine(1, 4096)
    assert replace(Machine(3, 4096, "reverse"), cores=1) == Machine(1, 4096)


def test_a_long_tensor_is_shortened() -> None:
    assert repr(Tensor((100,), "int32", values=tuple(range(100)))).endswith("22, 23, ...]")


def test_listed_floats_read_as_numbers() -> None:
    tensor = Tensor((3,), "bfloat16", values=(0x3FC0, 0x8000, 0x7FC0))
    assert repr(tensor) == "bfloat16[3] = [1.5, -0.0, nan]"


def test_rows_that_must_not_be_read_hold_nan() -> None:
    grad = CASE.arrays["grad"].astype(np.float32)
    assert np.isfinite(grad[0]).all()
    assert np.isnan(grad[1]).all()


def test_listed_values_of_a_float_tensor_are_its_storage_bits() -> None:
    one = Tensor((1,), "float16", values=(0x3C00,)).materialize()
    assert one.tolist() == [1.0]


@pytest.mark.parametrize(("strides", "axes"), [((0, 1), (0,)), ((1, 0), (1,)), ((0, 0), (0, 1))])
def test_elements_of_a_broadcast_tensor_are_those_at_the_first_position(
    strides: tuple[int, ...], axes: tuple[int, ...]
) -> None:
    apart = Tensor((3, 4), "float32", fill=Fill(("address",), seed=1))
    shared = replace(apart, strides=strides)
    values, places = shared.materialize(), shared.stored_once(apart.materialize())
    assert shared.broadcast == axes
    assert np.array_equal(values, np.broadcast_to(places, (3, 4)))
    assert values.flags.c_contiguous
    assert values[0, 0] == apart.materialize()[0, 0]


@pytest.mark.parametrize("shape", [(1, 4), (0, 4)])
def test_an_axis_of_one_element_or_none_shares_nothing(shape: tuple[int, ...]) -> None:
    assert Tensor(shape, "float32", strides=(0, 1)).broadcast == ()


def test_what_the_operator_is_given_tells_cases_apart_and_the_machine_does_not() -> None:
    assert CASE.digest == replace(CASE, machine=Machine(48, 196608)).digest
    assert CASE.digest == replace(CASE, machine=Machine(2, 4096, "reverse")).digest
    assert CASE.digest == replace(CASE, mode=CASE.mode).digest
    others = [
        replace(CASE, attributes={"top_k": 1}),
        replace(CASE, inputs={**CASE.inputs, "rows": Tensor((2,), "int32", values=(0, 0))}),
        replace(CASE, outputs={"sums": Tensor((1, 3), "float16")}),
        replace(
            CASE, inputs={**CASE.inputs, "grad": replace(GRAD, fill=Fill(("lattice",), seed=1))}
        ),
    ]
    assert len({case.digest for case in (CASE, *others)}) == 5


def test_arrays_cannot_be_changed_by_who_reads_them() -> None:
    assert not any(array.flags.writeable for array in CASE.arrays.values())


def test_hypothesis_prints_a_case_as_it_reads_however_long_its_tensors_are() -> None:
    long = replace(CASE, inputs={"rows": Tensor((99999,), "int32", values=(0,) * 99999)})
    assert pretty(long) == repr(long)
    assert len(pretty(long)) < 500


def test_many_values_of_a_recipe_are_not_shown() -> None:
    many = Tensor((13, 1), "float32", fill=Fill(("lattice",), seed=0))
    assert many.text == "float32[13x1] = lattice (seed 0)"

"""A case from a file is refused with the parameter, the value and the rule, or it is a case."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conformance.call.case import Case, Machine
from conformance.judge.legality import MOST_BEFORE, IllegalCase, check_call, check_shape_and_data
from conformance.record.operator import AttributeParameter, Operator, TensorParameter
from conformance.values.fill import Fill
from tests.conformance.segment_sum import operator, whole

GOOD = whole()


def with_tensor(**changed: Any) -> Case:
    return replace(GOOD, inputs={**GOOD.inputs, "x": replace(GOOD.inputs["x"], **changed)})


def test_a_good_case_passes() -> None:
    check_call(GOOD, operator())


@pytest.mark.parametrize(
    ("case", "text"),
    [
        (with_tensor(shape=(-6, 1)), "x.shape is (-6, 1); it must be sizes of 0 or more"),
        (with_tensor(shape=(2**62, 2**62)), "it must be at most 1073741824 elements"),
        (with_tensor(shape=(5, 36)), "x.values is 216 values; it must be 180, the shape's"),
        (with_tensor(dtype="complex64"), "x.dtype is complex64; it must be one of float32, "),
        (with_tensor(values=(2**40,) * 216), "x.values is 1099511627776; it must be 0 to 65535"),
        (with_tensor(fill=Fill(("lattice",), 0)), "x is values and fill; it must be one of them"),
        (with_tensor(values=None, fill=Fill((), 0)), "x.fill.stripes is none"),
        (with_tensor(values=None, fill=Fill(("nosuch",), 0)), "x.fill.stripes is nosuch"),
        (with_tensor(values=None, fill=Fill(("lattice",), -1)), "x.fill.seed is -1"),
        (with_tensor(values=None, fill=Fill(("lattice",), 0, -5)), "x.fill.terms is -5"),
        (
            with_tensor(values=None, dtype="int8", fill=Fill(("gaussian",), 0)),
            "x.fill.stripes is gaussian; it must be one of lattice, special, bits, address",
        ),
        (
            with_tensor(values=None, dtype="bool", fill=Fill(("lattice",), 0)),
            "x.fill is bool; it must be any dtype but bool",
        ),
        (
            with_tensor(values=None, dtype="int8", fill=Fill(("bits",), 0), unread=(0,)),
            "x.unread is (0,); it must be none: int8 has no NaN to mark a row",
        ),
        (with_tensor(unread=(0, 99)), "x.unread is 99; it must be rows from 0 to 5"),
        (with_tensor(rows=(0, 6)), "x.rows is 6; it must be rows from 0 to 5"),
        (with_tensor(shape=(2**80, 1), rows=(2**70,)), "x.shape is (12089258"),
        (with_tensor(rows=(3, 3)), "x.rows is (3, 3); it must be ascending"),
        (with_tensor(shape=(0, 36), rows=()), "x.shape is (0, 36); it must be sizes above 0"),
        (with_tensor(rows=(0, 3)), "x.values is 216 values; it must be 72, the shape's"),
        (with_tensor(shape=(2**40, 36), rows=(0,)), "it must be at most 34359738368 elements"),
        (
            with_tensor(values=None, fill=Fill(("lattice",), 0), rows=(0, 3), unread=(0, 2)),
            "x.unread is [2]; it must be some of its rows, (0, 3)",
        ),
        (
            replace(GOOD, outputs={"y": replace(GOOD.outputs["y"], rows=(0,))}),
            "y.rows is a list; it must be none: an output has all its rows",
        ),
        (replace(GOOD, machine=Machine(0, 4096)), "machine.cores is 0; it must be 1 to 64"),
        *(
            (
                replace(GOOD, machine=Machine(2, 4096, order)),
                f"machine.block_order is {order}; it must be forward, reverse or shuffled:SEED",
            )
            for order in ("", "backward", "shuffled:", "shuffled:-1", f"shuffled:{10**18}")
        ),
        (
            replace(GOOD, machine=Machine(2, 4096, functions="nearest")),
            "machine.functions is nearest; it must be one of rounded, high, low, hashed, flushed",
        ),
        *(
            (
                replace(GOOD, machine=Machine(2, 4096, pipes=pipes)),
                f"machine.pipes is {pipes}; it must be program, late or random:SEED",
            )
            for pipes in ("", "early", "random:", "random:-1", f"random:{10**18}")
        ),
        (replace(GOOD, machine=Machine(1, 100)), "machine.ub_bytes is 100; it must be a multiple"),
    ],
)
def test_what_no_case_may_be(case: Case, text: str) -> None:
    with pytest.raises(IllegalCase) as error:
        check_shape_and_data(case)
    assert text in str(error.value)


@pytest.mark.parametrize(
    ("case", "text"),
    [
        (replace(GOOD, mode="nosuch"), "mode is nosuch; it must be one of plain"),
        (replace(GOOD, dtype="float64"), "dtype is float64; it must be one of "),
        (replace(GOOD, attributes={}), "attributes is none; it must be "),
        (replace(GOOD, inputs={"x": GOOD.inputs["x"]}), "inputs is x; it must be rows, x"),
        (with_tensor(dtype="bfloat16"), "x.dtype is bfloat16; it must be float16"),
        (
            with_tensor(values=None, fill=Fill(("lattice",), 0), rows=(0, 1, 2, 3, 5)),
            "x.rows is (0, 1, 2, 3, 5); it must be with x[4] too",
        ),
    ],
)
def test_what_no_call_of_an_operator_may_be(case: Case, text: str) -> None:
    with pytest.raises(IllegalCase) as error:
        check_call(case, operator())
    assert text in str(error.value)


def of_kinds(attributes: dict[str, Any], inputs: tuple[str, ...] = ("x",)) -> tuple[Case, Operator]:
    """A call of an operator that takes an array, a scalar, an optional weight, two index dtypes."""
    record = operator(
        parameters=(
            TensorParameter("x", "x", "input"),
            TensorParameter("rows", "rows", "input", ("int32", "int64")),
            TensorParameter("weight", "weight", "input", optional=True),
            AttributeParameter("bounds", "bounds", "int array"),
            AttributeParameter("count", "count"),
            TensorParameter("y", "y", "output"),
            TensorParameter("z", "z", "output", optional=True),
        )
    )
    tensors = {name: GOOD.inputs["x"] for name in inputs}
    case = replace(GOOD, attributes=attributes, inputs={**tensors, "rows": GOOD.inputs["rows"]})
    return case, record


@pytest.mark.parametrize("bounds", [None, (), (3,), (-(2**63), 2**63 - 1)])
def test_an_array_attribute_holds_integers_of_64_bits_or_is_null(
    bounds: tuple[int, ...] | None,
) -> None:
    check_call(*of_kinds({"bounds": bounds, "count": 1}))


@pytest.mark.parametrize(
    ("attributes", "text"),
    [
        ({"bounds": 1, "count": 1}, "bounds is 1; it must be integers of 64 bits, or null"),
        ({"bounds": (2**63,), "count": 1}, "bounds is 9223372036854775808; it must be -92233720"),
        ({"bounds": None, "count": (1,)}, "count is (1,); it must be one integer"),
        ({"bounds": None, "count": None}, "count is None; it must be one integer"),
        ({"bounds": None, "count": 2**63}, "count is 9223372036854775808; it must be -922337203"),
    ],
)
def test_an_attribute_is_what_its_parameter_declares(attributes: dict[str, Any], text: str) -> None:
    with pytest.raises(IllegalCase) as error:
        check_call(*of_kinds(attributes))
    assert text in str(error.value)


@pytest.mark.parametrize("count", [1.0, math.nan, "1", "inf", np.float32(1), np.float64(1)])
def test_no_other_number_stands_for_an_integer(count: Any) -> None:
    with pytest.raises(IllegalCase, match=r"count is .*; it must be one integer"):
        check_call(*of_kinds({"bounds": None, "count": count}))
    with pytest.raises(IllegalCase, match=r"bounds is .*; it must be integers of 64 bits, or null"):
        check_call(*of_kinds({"bounds": (count,), "count": 1}))


def test_a_double_is_one_float_whatever_its_value() -> None:
    case, record = of_kinds({"bounds": None, "count": 1, "eps": 0.0})
    record = replace(
        record, parameters=(*record.parameters, AttributeParameter("eps", "eps", "double"))
    )
    for value in (0.5, -0.0, 5e-324, math.inf, -math.inf, math.nan, np.float64(1)):
        check_call(replace(case, attributes={**case.attributes, "eps": value}), record)
    for wrong in (1, True, None, (1.0,), "1.0", "nan", np.float32(1), np.int64(1)):
        with pytest.raises(IllegalCase, match=r"eps is .*; it must be one floating-point number"):
            check_call(replace(case, attributes={**case.attributes, "eps": wrong}), record)


def test_an_optional_tensor_may_be_left_out_and_no_other() -> None:
    attributes = {"bounds": None, "count": 1}
    check_call(*of_kinds(attributes, ("x", "weight")))
    with pytest.raises(IllegalCase, match="inputs is rows, weight; it must be rows, weight, x"):
        check_call(*of_kinds(attributes, ("weight",)))
    case, record = of_kinds(attributes)
    record = replace(record, contracts={**record.contracts, "z": record.contracts["y"]})
    check_call(replace(case, outputs={**case.outputs, "z": case.outputs["y"]}), record)
    with pytest.raises(IllegalCase, match="outputs is z; it must be y, z"):
        check_call(replace(case, outputs={"z": case.outputs["y"]}), record)


def test_a_tensor_has_one_of_the_dtypes_that_are_declared() -> None:
    case, record = of_kinds({"bounds": None, "count": 1})
    rows = replace(case.inputs["rows"], dtype="int64")
    check_call(replace(case, inputs={**case.inputs, "rows": rows}), record)
    rows = replace(case.inputs["rows"], dtype="int16")
    with pytest.raises(IllegalCase, match=r"rows.dtype is int16; it must be int32 or int64"):
        check_call(replace(case, inputs={**case.inputs, "rows": rows}), record)


def test_calls_before_a_case_have_none_before_them_and_are_not_too_many() -> None:
    made = GOOD
    check_shape_and_data(replace(made, before=(made,) * MOST_BEFORE))
    with pytest.raises(IllegalCase, match=r"before is 201 calls; it must be 200 calls or fewer"):
        check_shape_and_data(replace(made, before=(made,) * (MOST_BEFORE + 1)))
    deep = replace(made, before=(replace(made, before=(made,)),))
    with pytest.raises(IllegalCase, match="a call with 1 calls before it; it must be calls with"):
        check_shape_and_data(deep)

"""A device is asked in which order it adds; what it answers, and what it does not, is told."""

from dataclasses import replace

import numpy as np
import pytest

from cases.operators.moe_init_routing_v2_grad import OPERATOR
from conformance.call.case import numpy_dtype
from conformance.call.observation import Observation, Outcome
from conformance.devices.open import open_device
from conformance.judge.calls import judge
from conformance.numerics.order import sequential
from conformance.numerics.tree import pairwise
from conformance.session.probe import order_of, summation_orders
from conformance.text.orders import order_lines
from tests.conformance.numerics.trees import adder
from tests.conformance.segment_sum import case, observe, operator


def row_sum(dtype, x):
    return case(x, [range(len(x))], dtype)


RECORD = operator(row_sum=row_sum, dtypes=("float16", "float32"))


class Adding:
    """A device that adds up the rows of x as it is told, or answers what it is told."""

    profile = None

    def __init__(self, add, ended=None):
        self.add, self.ended, self.calls = add, ended, 0

    def run(self, record, made):
        self.calls += 1
        return self.ended or observe(self.add(made.arrays["x"])[None])

    def close(self):
        """Nothing to close."""


def left_to_right(x):
    return adder(sequential(len(x)))(x)


def in_pairs(x):
    return adder(pairwise(len(x)))(x)


def test_the_order_of_a_device_is_named_for_every_dtype_and_length():
    lines = list(summation_orders(Adding(left_to_right), [RECORD], slots=(2, 5)))
    assert [(line.dtype, line.slots, line.order) for line in lines] == [
        ("float16", 2, "sequential"),
        ("float16", 5, "sequential"),
        ("float32", 2, "sequential"),
        ("float32", 5, "sequential"),
    ]
    assert all(line.as_declared and line.verified == 1000 for line in lines)


def test_dtypes_that_add_alike_share_a_line():
    found = summation_orders(Adding(left_to_right), [RECORD], slots=(1, 2, 5))
    assert list(order_lines(found)) == [
        "segment_sum, float16, float32: no addition (K=1), sequential (K=2 5)"
    ]


def test_an_order_that_the_record_does_not_declare_is_told():
    lines = list(summation_orders(Adding(in_pairs), [RECORD], slots=(5,)))
    assert [line.as_declared for line in lines] == [False, False]
    assert list(order_lines(lines))[1] == "  K=5: the record declares another order"


def test_a_record_without_an_order_has_nothing_to_differ_from():
    record = operator(merges=None, row_sum=row_sum)
    assert order_of(Adding(in_pairs), record, "float32", 5).as_declared is None


def test_a_tree_without_a_name_is_drawn():
    merges = ((0, 1), (2, 3), (4, 5), (2, 4), (0, 2))
    line = order_of(Adding(adder(merges)), RECORD, "float32", 6)
    assert line.merges == ((0, 1), (2, 3), (4, 5), (2, 4), (0, 2))
    assert list(order_lines([line]))[2:] == [
        "  K=6: sum",
        "  K=6: ├─ x0 + x1",
        "  K=6: └─ sum",
        "  K=6:    ├─ x2 + x3",
        "  K=6:    └─ x4 + x5",
    ]


def test_an_order_that_cannot_be_recovered_is_said_with_its_reason():
    def forgetful(x):
        return left_to_right(x[:-1])

    (line,) = summation_orders(Adding(forgetful), [replace(RECORD, dtypes=("float32",))], (4,))
    assert (line.order, line.merges) == ("unrecoverable", ())
    assert "which counts no slots from 0 to 2" in line.reason
    assert list(order_lines([line]))[1].startswith("  K=4: with ")


def test_a_device_that_does_not_answer_is_asked_once():
    device = Adding(left_to_right, Observation(Outcome.TIMED_OUT, seconds=20.0))
    (line,) = summation_orders(device, [RECORD])
    assert (line.order, device.calls) == ("no answer", 1)
    assert line.reason


def test_a_record_without_a_row_sum_is_not_asked():
    assert list(summation_orders(Adding(left_to_right), [operator()])) == []


def test_a_row_sum_whose_output_does_not_fit_is_named():
    record = operator(row_sum=lambda dtype, x: case(x, [[0], [1]], dtype))
    with pytest.raises(ValueError, match="row_sum of segment_sum: y must have 3 elements"):
        order_of(Adding(left_to_right), record, "float32", 3)


@pytest.mark.parametrize("dtype", OPERATOR.dtypes)
def test_the_row_sum_of_a_record_is_a_case_that_its_contract_accepts(dtype):
    x = np.arange(1, 13).reshape(3, 4).astype(numpy_dtype(dtype))
    made = OPERATOR.row_sum(dtype, x)
    y = x.astype(np.float32).sum(axis=0, keepdims=True).astype(x.dtype)
    verdict = judge(
        OPERATOR,
        made,
        Observation(Outcome.COMPLETED, outputs={"grad_x": y}, unwritten={"grad_x": 0}),
    )
    assert verdict.ok, verdict


def test_the_kernel_on_the_simulated_device_adds_as_its_record_declares():
    device = open_device("sim")
    try:
        lines = list(summation_orders(device, [OPERATOR], slots=(2, 3, 6, 9)))
    finally:
        device.close()
    assert [line.order for line in lines] == 3 * ["sequential", "bins(1)", "bins(2)", "bins(4)"]
    assert all(line.as_declared for line in lines)

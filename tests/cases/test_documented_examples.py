"""Each example whose types fit is on record: printed values, and sizes of the vendor's own tests.

Written from the sources, not from the records; plain loops compute the printed values again. Not on
record: the tensors of float32 bytes in other types (tests/kernels/test_document_program.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from conformance.call.case import numpy_dtype
from conformance.record.operator import Example
from conformance.suite import records as suite
from tests.definitions.moe_init_routing_v2_grad import moe_init_routing_v2_grad
from tests.definitions.moe_token_permute_grad import moe_token_permute_grad
from tests.definitions.moe_token_permute_with_ep import moe_token_permute_with_ep

V2_GRAD, GRAD = "moe_init_routing_v2_grad", "moe_token_permute_grad"
EP, MAP_GRAD = "moe_token_permute_with_ep", "moe_token_permute_with_routing_map_grad"
RECORDS = {operator.name: operator for operator in suite.operators()}
REJECTED = {name: {one.name: one for one in RECORDS[name].rejections} for name in (V2_GRAD, EP)}
DTYPES = ("float16", "bfloat16", "float32")


@dataclass(frozen=True)
class Printed:
    """An example with values: its inputs, and its outputs as a reader finds them."""

    operator: str
    name: str
    dtype: str
    attributes: dict[str, Any]
    inputs: dict[str, list[Any]]
    outputs: dict[str, list[Any]]


def of_ep(name: str, dtype: str) -> Printed:
    """Experts and range are trustworthy, and the probabilities; tokens are named by their row."""
    outputs = {
        "permute_tokens": [[2, 20], [1, 10], [3, 30], [2, 20]],
        "sorted_indices": [0, 2, 4, 1, 3, 5],
        "permute_probs": [0.2, 0.3, 0.5, 0.4],
    }
    inputs = {
        "tokens": [[1, 10], [2, 20], [3, 30]],
        "indices": [[1, 2], [3, 1], [2, 3]],
        "probs": [[0.1, 0.3], [0.4, 0.2], [0.5, 0.6]],
    }
    attributes = {"rank_range": (1, 5), "num_out_tokens": 6, "padded_mode": 0}
    return Printed(EP, name, dtype, attributes, inputs, outputs)


PRINTED = (
    Printed(
        V2_GRAD,
        "README",
        "float32",
        {"top_k": 2, "drop_pad_mode": 0, "active_num": 0},
        {
            "grad_expanded_x": [[0.1, 0.1], [0.3, 0.3], [0.2, 0.2], [0.4, 0.4]],
            "expanded_row_idx": [2, 0, 1, 3],
        },
        {"grad_x": [[0.30000001] * 2, [0.70000005] * 2]},
    ),
    Printed(
        GRAD,
        "two rows of one token",
        "bfloat16",
        {"num_topk": 2, "padded_mode": 0},
        {"permuted_output_grad": [[1, 2], [3, 4]], "sorted_indices": [0, 1]},
        {"out": [[4, 6]]},
    ),
    of_ep("three tokens of two experts, range 1 to 5", "bfloat16"),
    of_ep("three tokens of two experts, range 1 to 5, float32", "float32"),
)
LOOPS: dict[str, Callable[..., Any]] = {
    V2_GRAD: lambda *inputs, **how: {"grad_x": moe_init_routing_v2_grad(*inputs, **how)},
    GRAD: lambda *inputs, **how: {"out": moe_token_permute_grad(*inputs, **how)},
    EP: moe_token_permute_with_ep,
}

SIZES = [
    (V2_GRAD, "dropless", "float32", [(480, 8), (480,)], {"top_k": 6}),
    *((V2_GRAD, "dropless", dtype, [(16, 5120), (16,)], {"top_k": 2}) for dtype in DTYPES),
    (V2_GRAD, "active", "float32", [(40, 512), (640,)], {"top_k": 64, "active_num": 40}),
    (V2_GRAD, "active", "float32", [(40, 512), (80,)], {"top_k": 1, "active_num": 40}),
    (V2_GRAD, "drop_pad", "float32", [(10, 8, 512), (640,)], {"top_k": 8, "active_num": 0}),
    (V2_GRAD, "drop_pad", "float32", [(10, 8, 512), (640,)], {"top_k": 8, "active_num": 40}),
    (EP, "middle", "bfloat16", [(2, 5), (2, 3), (2, 3)], {"rank_range": (1, 5)}),
    (EP, "head", "bfloat16", [(4096, 5), (4096, 3), (4096, 3)], {"rank_range": (0, 4096)}),
    # The call example has 7168 columns, whose verdict would take a quarter of a smoke run.
    (
        MAP_GRAD,
        "drop_pad",
        "float32",
        [(4096, 8), (4096,), (4096,), (4096, 256)],
        {"num_experts": 256, "tokens_num": 4096, "drop_and_pad": 1},
    ),
]
"""Operator, mode, dtype, shapes of the inputs and attributes of calls that the vendor's tests and
examples give sizes of, and no values."""

REFUSED = [
    (V2_GRAD, "drop_pad_mode is -1, dropless"),
    (V2_GRAD, "active_num is -1, dropless"),
    (V2_GRAD, "gradient of rank 4"),
    (V2_GRAD, "drop/pad with rank 2"),
    (V2_GRAD, "a row too many"),
    (V2_GRAD, "40 rows, active_num 30"),
    (V2_GRAD, "out too narrow"),
    (V2_GRAD, "out of 10 rows for 64"),
    (EP, "indices is [2, 2], not [3, 2], middle"),
]
"""What the vendor's tiling tests expect to fail, by its name on record."""


def on_record(operator: str, name: str) -> Example:
    (example,) = (e for e in RECORDS[operator].examples if e.name == name)
    return example


@pytest.mark.parametrize("printed", PRINTED, ids=lambda printed: printed.name)
def test_a_printed_example_is_on_record_with_its_values(printed: Printed) -> None:
    example = on_record(printed.operator, printed.name)
    assert (example.case.dtype, example.case.attributes) == (printed.dtype, printed.attributes)
    assert example.expected is not None
    assert example.expected.keys() == printed.outputs.keys() == example.case.outputs.keys()
    for name, values in printed.inputs.items():
        dtype = numpy_dtype(example.case.inputs[name].dtype)
        np.testing.assert_array_equal(example.case.arrays[name], np.array(values).astype(dtype))
    for name, values in printed.outputs.items():
        tensor = example.case.outputs[name]
        dtype, held = numpy_dtype(tensor.dtype), np.array(example.expected[name])
        np.testing.assert_array_equal(
            held.reshape(tensor.shape).astype(dtype), np.array(values).astype(dtype)
        )


@pytest.mark.parametrize("printed", PRINTED, ids=lambda printed: printed.name)
def test_plain_loops_give_the_printed_values(printed: Printed) -> None:
    """Of inputs rounded to float32; the sums of two float32 numbers are exact in float64."""
    inputs = [np.asarray(values, np.float32).astype(float) for values in printed.inputs.values()]
    whole = [x.astype(np.int64) if (x % 1 == 0).all() else x for x in inputs]
    for name, found in LOOPS[printed.operator](*whole, **printed.attributes).items():
        values = np.array(printed.outputs[name], np.float32)
        np.testing.assert_array_equal(np.asarray(found).astype(np.float32), values)


@pytest.mark.parametrize(("operator", "mode", "dtype", "shapes", "attributes"), SIZES)
def test_sizes_of_a_vendor_s_call_are_those_of_one_example(
    operator: str, mode: str, dtype: str, shapes: list[Any], attributes: dict[str, Any]
) -> None:
    found = [
        example.name
        for example in RECORDS[operator].examples
        if (example.case.mode, example.case.dtype) == (mode, dtype)
        and [tensor.shape for tensor in example.case.inputs.values()] == shapes
        and attributes.items() <= example.case.attributes.items()
    ]
    assert len(found) == 1


@pytest.mark.parametrize(("operator", "name"), REFUSED)
def test_what_a_vendor_s_test_expects_to_fail_is_a_rejection_of_the_tiling(
    operator: str, name: str
) -> None:
    assert REJECTED[operator][name].status == 561002

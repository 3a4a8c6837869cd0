"""A toy operator for the judge's own tests: y[r] = sum of x[rows[r, t]] over t; -1 adds nothing."""

from dataclasses import replace

import numpy as np

from conformance.call.case import Case, Tensor, integer_view, numpy_dtype
from conformance.call.observation import Diagnostic, Observation, Outcome
from conformance.numerics.order import sequential
from conformance.record.clause import Clause, SourceClass
from conformance.record.contract import Sum
from conformance.record.operator import (
    AttributeParameter,
    Mode,
    Operator,
    Rejection,
    TensorParameter,
)
from conformance.values.fill import Fill
from reference.terms import Terms

SUM = Clause(
    "y[r] is the sum of the rows of x that rows[r] lists.",
    "segment_sum.md, Function",
    SourceClass.DOCUMENT,
)
ORDER = Clause(
    "The terms are added from left to right.", "segment_sum.md, Order", SourceClass.DOCUMENT
)


def formula(inputs, attributes):
    rows, x = inputs["rows"], inputs["x"]
    y = np.zeros((rows.shape[0], x.shape[1]), x.dtype)
    for output_row, sources in enumerate(rows):
        for source in sources[sources >= 0]:
            with np.errstate(all="ignore"):
                y[output_row] += x[source]
    return {"y": y}


def terms(inputs, attributes):
    return Terms(inputs["rows"], "x")


def operator(merges=sequential, order_clause=ORDER, **fields):
    """The record; `merges=None` allows any order, `order_clause=None` promises none."""
    contract = Sum(SUM, terms, merges=merges, order_clause=order_clause if merges else None)
    record = Operator(
        name="segment_sum",
        title="Segment sum",
        aclnn="aclnnSegmentSum",
        sources=("segment_sum.md",),
        products=("toy",),
        parameters=(
            TensorParameter("x", "x", "input"),
            TensorParameter("rows", "rows", "input", "int32"),
            AttributeParameter("topK", "topK"),
            TensorParameter("y", "y", "output"),
        ),
        modes=(Mode("plain", SUM),),
        dtypes=("float16", "bfloat16", "float32"),
        formula=formula,
        contracts={"y": contract},
        cases=lambda mode, dtype: None,
    )
    return replace(record, **fields)


def case(x, rows, dtype="float16", **fields):
    """A case from float values `x` (exact in `dtype`) and row lists."""
    x = np.array(x, np.float32).astype(numpy_dtype(dtype))
    rows = np.array(rows, np.int32)
    bits = x.view(integer_view(x.dtype)).ravel().tolist()
    made = Case(
        operator="segment_sum",
        mode="plain",
        dtype=dtype,
        attributes={"topK": rows.shape[1]},
        inputs={
            "x": Tensor(x.shape, dtype, values=tuple(bits)),
            "rows": Tensor(rows.shape, "int32", values=tuple(rows.ravel().tolist())),
        },
        outputs={"y": Tensor((rows.shape[0], x.shape[1]), dtype)},
    )
    return replace(made, **fields)


def right(made):
    """The left-to-right sum in fp32, rounded to the case's dtype (certified data or fp32 only)."""
    wide = {"x": made.arrays["x"].astype(np.float32), "rows": made.arrays["rows"]}
    with np.errstate(over="ignore"):
        return formula(wide, {})["y"].astype(numpy_dtype(made.dtype))


def observe(y, **fields):
    """A completed call that answered `y`."""
    whole = Observation(Outcome.COMPLETED, outputs={"y": y}, unwritten={"y": 0}, seconds=0.01)
    return replace(whole, **fields)


ROWS = [[0, 2, 4], [1, 3, -1], [4, 4, 5], [-1, -1, -1]]


def lattice(columns=36, rows=6):
    """Small integers: exact in every order and dtype."""
    return np.arange(rows * columns).reshape(rows, columns) % 13 - 6


def whole(dtype="float16", columns=36):
    return case(lattice(columns), ROWS, dtype)


def coded(columns=36):
    """The same sums over address-coded data."""
    made = whole(columns=columns)
    tensor = Tensor(made.inputs["x"].shape, "float16", fill=Fill(("address",), seed=2, terms=3))
    return replace(made, inputs={**made.inputs, "x": tensor})


def bits(array):
    return array.view(f"u{array.dtype.itemsize}")


ABSORBING = [[1.0], [2.0**-24], [2.0**-24]]


def drifting():
    """An fp32 sum that comes out differently from right to left."""
    made = case(ABSORBING, [[0, 1, 2]], "float32")
    return made, np.array([[1 + 2.0**-23]], np.float32)


FLAW = Diagnostic(
    "gm-out-of-bounds",
    "error",
    "reads 32 bytes past the end of x",
    "cut the tail",
    "segment_sum",
    "segment_sum.cpp",
    41,
    3,
    "MTE2",
)


RULE = Clause("topK is positive.", "segment_sum.md, Constraints", SourceClass.DOCUMENT)


def refusal():
    return Rejection("negative_top_k", whole(), 161002, RULE)


def refused(**fields):
    fields = {
        "status": 161002,
        "phase": "aclnnSegmentSumGetWorkspaceSize",
        "outputs_untouched": True,
    } | fields
    return Observation(Outcome.REJECTED, **fields)

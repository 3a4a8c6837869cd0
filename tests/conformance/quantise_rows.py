"""A toy operator whose rows become int8 by a scale each: q[r] = round(y[r] / scale[r]), where y is
x, or x times factors, and scale[r] = max |y[r]| / 127. Zeros have the scale 0, and any q."""

from functools import partial

import numpy as np

from conformance.call.case import Case, Tensor
from conformance.numerics.quantisation import live_rows, quotients, scale_of, scaled_rows
from conformance.record.clause import Clause, SourceClass
from conformance.record.contract import Bounded, Quantised
from conformance.record.operator import Mode, Operator, TensorParameter

SCALE = Clause("scale is max |y| / 127.", "quantise_rows.md, Function", SourceClass.DOCUMENT)
ROUNDED = Clause("q is round(y / scale).", "quantise_rows.md, Function", SourceClass.DOCUMENT)


def formula(inputs, attributes, rounded=np.rint):
    y = inputs["x"] * inputs.get("factors", inputs["x"].dtype.type(1))
    scale = np.abs(y).max(axis=1, initial=0) / y.dtype.type(127)
    divisors = np.where(scale == 0, y.dtype.type(1), scale)[:, None]
    return {"q": rounded(y / divisors).clip(-128, 127).astype(np.int8), "scale": scale}


def away(values):
    return np.copysign(np.floor(np.abs(values.astype(float)) + 0.5), values)


def scaled(inputs):
    return scaled_rows(inputs["x"], inputs.get("factors"))


def operator(ties="either"):
    return Operator(
        name="quantise_rows",
        title="Quantise rows",
        aclnn="aclnnQuantiseRows",
        sources=("quantise_rows.md",),
        products=("toy",),
        parameters=(
            TensorParameter("x", "x", "input"),
            TensorParameter("factors", "factors", "input", "float32", optional=True),
            TensorParameter("q", "q", "output", "int8"),
            TensorParameter("scale", "scale", "output", "float32"),
        ),
        modes=(Mode("plain", ROUNDED),),
        dtypes=("float16", "bfloat16", "float32"),
        formula=partial(formula, rounded=away) if ties == "away" else formula,
        contracts={
            "q": Quantised(
                ROUNDED,
                lambda call: quotients(scaled(call.inputs), call.outputs["scale"], call.functions),
                given=("scale",),
                ties=ties,
                specified=lambda inputs, attributes: live_rows(scaled(inputs)),
            ),
            "scale": Bounded(SCALE, lambda call: scale_of(scaled(call.inputs), call.functions)),
        },
        cases=lambda mode, dtype: None,
    )


def case(shape, dtype="float32", factors=None, **values):
    """A case of x, [rows, H], with its ``values`` or its ``fill``; ``factors`` likewise."""
    inputs = {"x": Tensor(shape, dtype, **values)}
    if factors is not None:
        inputs["factors"] = Tensor(shape, "float32", **factors)
    outputs = {"q": Tensor(shape, "int8"), "scale": Tensor(shape[:1], "float32")}
    return Case("quantise_rows", "plain", dtype, {}, inputs=inputs, outputs=outputs)

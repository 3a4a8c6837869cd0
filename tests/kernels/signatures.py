"""Operators as far as a call needs them: their parameters, in the order of the aclnn signature.

The kernels' own tests speak to the interface with these, so that they judge the kernels by nothing
that the records say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Attribute, Case, Machine, Tensor
from conformance.call.observation import Observation, Outcome
from conformance.devices.device import Device
from conformance.record.operator import AttributeParameter, Operator, Parameter, TensorParameter

DTYPES = ("float32", "float16", "bfloat16")


def signature(title: str, *parameters: Parameter) -> Operator:
    """The operator, callable and nothing else."""
    return Operator(
        name=title,
        title=title,
        aclnn=f"aclnn{title}",
        sources=(),
        products=(),
        parameters=parameters,
        modes=(),
        dtypes=DTYPES,
        formula=lambda inputs, attributes: {},
        contracts={},
        cases=_none,
    )


def _none(mode: str, dtype: str) -> Any:
    raise NotImplementedError("a signature draws no cases")


PERMUTE = signature(
    "MoeTokenPermute",
    TensorParameter("tokens", "tokens", "input"),
    TensorParameter("indices", "indices", "input", ("int32", "int64")),
    AttributeParameter("num_out_tokens", "numOutTokens"),
    AttributeParameter("padded", "paddedMode", "bool"),
    TensorParameter("permuted", "permuteTokensOut", "output"),
    TensorParameter("ranks", "sortedIndicesOut", "output", "int32"),
)

PERMUTE_GRAD = signature(
    "MoeTokenPermuteGrad",
    TensorParameter("rows", "permutedOutputGrad", "input"),
    TensorParameter("indices", "sortedIndices", "input", "int32"),
    AttributeParameter("top_k", "numTopk"),
    AttributeParameter("padded", "paddedMode", "bool"),
    TensorParameter("out", "out", "output"),
)

ROUTING_MAP = signature(
    "MoeTokenPermuteWithRoutingMap",
    TensorParameter("tokens", "tokens", "input"),
    TensorParameter("map", "routingMap", "input", ("int8", "bool")),
    TensorParameter("probs", "probsOptional", "input", optional=True),
    AttributeParameter("number", "numOutTokens"),
    AttributeParameter("pad", "dropAndPad", "bool"),
    TensorParameter("permuted", "permuteTokensOut", "output"),
    TensorParameter("permuted_probs", "permuteProbsOutOptional", "output", optional=True),
    TensorParameter("indices", "sortedIndicesOut", "output", "int32"),
)

PERMUTE_EP_GRAD = signature(
    "MoeTokenPermuteWithEpGrad",
    TensorParameter("rows", "permutedTokensOutputGrad", "input"),
    TensorParameter("indices", "sortedIndices", "input", "int32"),
    TensorParameter("probs", "permutedProbsOutputGradOptional", "input", optional=True),
    AttributeParameter("top_k", "numTopk"),
    AttributeParameter("range", "rangeOptional", "int array"),
    AttributeParameter("padded", "paddedMode", "bool"),
    TensorParameter("tokens_grad", "tokenGradOut", "output"),
    TensorParameter("probs_grad", "probsGradOut", "output", optional=True),
)

ROUTING_MAP_GRAD = signature(
    "MoeTokenPermuteWithRoutingMapGrad",
    TensorParameter("rows", "permutedTokenOutputGrad", "input"),
    TensorParameter("values", "permutedProbsOutputGradOptional", "input"),
    TensorParameter("indices", "sortedIndices", "input", "int32"),
    TensorParameter("map", "routingMapOptional", "input", "int8"),
    AttributeParameter("experts", "numExperts"),
    AttributeParameter("tokens", "tokensNum"),
    AttributeParameter("pad", "dropAndPad", "bool"),
    TensorParameter("tokens_grad", "tokensGradOut", "output"),
    TensorParameter("probs_grad", "probsGradOutOptional", "output"),
)

INIT_ROUTING_V2 = signature(
    "MoeInitRoutingV2",
    TensorParameter("x", "x", "input"),
    TensorParameter("experts", "expertIdx", "input", "int32"),
    AttributeParameter("active", "activeNumOptional"),
    AttributeParameter("capacity", "expertCapacityOptional"),
    AttributeParameter("expert_num", "expertNumOptional"),
    AttributeParameter("pad", "dropPadModeOptional"),
    AttributeParameter("count_flag", "expertTokensCountOrCumsumFlagOptional"),
    AttributeParameter("before_flag", "expertTokensBeforeCapacityFlagOptional", "bool"),
    TensorParameter("rows", "expandedXOut", "output"),
    TensorParameter("places", "expandedRowIdxOut", "output", "int32"),
    TensorParameter(
        "counts", "expertTokensCountOrCumsumOutOptional", "output", "int32", optional=True
    ),
    TensorParameter(
        "before", "expertTokensBeforeCapacityOutOptional", "output", "int32", optional=True
    ),
)

UNPERMUTE = signature(
    "MoeTokenUnpermute",
    TensorParameter("rows", "permutedTokens", "input"),
    TensorParameter("indices", "sortedIndices", "input", "int32"),
    TensorParameter("probs", "probsOptional", "input", DTYPES, optional=True),
    AttributeParameter("padded", "paddedMode", "bool"),
    AttributeParameter("restore_shape", "restoreShapeOptional", "int array"),
    TensorParameter("out", "out", "output"),
)

FINALIZE_V2 = signature(
    "MoeFinalizeRoutingV2",
    TensorParameter("rows", "expandedX", "input"),
    TensorParameter("indices", "expandedRowIdx", "input", "int32"),
    TensorParameter("x1", "x1Optional", "input", optional=True),
    TensorParameter("x2", "x2Optional", "input", optional=True),
    TensorParameter("bias", "biasOptional", "input", optional=True),
    TensorParameter("scales", "scalesOptional", "input", DTYPES, optional=True),
    TensorParameter("experts", "expertIdxOptional", "input", "int32", optional=True),
    AttributeParameter("mode", "dropPadMode"),
    TensorParameter("out", "out", "output"),
)

UNPERMUTE_GRAD = signature(
    "MoeTokenUnpermuteGrad",
    TensorParameter("rows", "permutedTokens", "input"),
    TensorParameter("grads", "unpermutedTokensGrad", "input"),
    TensorParameter("indices", "sortedIndices", "input", "int32"),
    TensorParameter("probs", "probsOptional", "input", DTYPES, optional=True),
    AttributeParameter("padded", "paddedMode", "bool"),
    AttributeParameter("restore_shape", "restoreShapeOptional", "int array"),
    TensorParameter("row_grads", "permutedTokensGradOut", "output"),
    TensorParameter("prob_grads", "probsGradOut", "output", DTYPES, optional=True),
)

FINALIZE_GRAD = signature(
    "MoeFinalizeRoutingV2Grad",
    TensorParameter("grads", "gradY", "input"),
    TensorParameter("indices", "expandedRowIdx", "input", "int32"),
    TensorParameter("rows", "expandedXOptional", "input", optional=True),
    TensorParameter("scales", "scalesOptional", "input", optional=True),
    TensorParameter("experts", "expertIdxOptional", "input", "int32", optional=True),
    TensorParameter("biases", "biasOptional", "input", optional=True),
    AttributeParameter("pad", "dropPadMode"),
    AttributeParameter("active", "activeNum"),
    AttributeParameter("expert_num", "expertNum"),
    AttributeParameter("capacity", "expertCapacity"),
    TensorParameter("row_grads", "gradExpandedXOut", "output"),
    TensorParameter("scale_grads", "gradScalesOut", "output", optional=True),
)


def storage(array: NDArray[Any]) -> tuple[int, ...]:
    """The elements by their bits, as a case lists them."""
    if array.dtype.kind in "iub":
        return tuple(array.reshape(-1).tolist())
    return tuple(array.reshape(-1).view(f"<u{array.dtype.itemsize}").tolist())


def tensor(array: NDArray[Any]) -> Tensor:
    """An input with these elements."""
    return Tensor(array.shape, array.dtype.name, storage(array))


def call(
    operator: Operator,
    inputs: Mapping[str, NDArray[Any]],
    attributes: Mapping[str, Attribute],
    outputs: Mapping[str, tuple[Sequence[int], str]],
    machine: tuple[int, int] | None = None,
) -> Case:
    """A case from arrays, and from shape and dtype of each output."""
    return Case(
        operator=operator.name,
        mode="",
        dtype="",
        attributes=attributes,
        inputs={name: tensor(array) for name, array in inputs.items()},
        outputs={name: Tensor(tuple(shape), dtype) for name, (shape, dtype) in outputs.items()},
        machine=None if machine is None else Machine(*machine),
    )


def completed(device: Device, operator: Operator, case: Case) -> Mapping[str, NDArray[Any]]:
    """The outputs of a call that completes without a diagnostic or any other sign of trouble."""
    seen = device.run(operator, case)
    assert_clean(seen, case)
    return seen.outputs


def assert_clean(seen: Observation, case: Case) -> None:
    assert seen.outcome is Outcome.COMPLETED, (seen.phase, seen.message, case)
    assert (seen.diagnostics, seen.guard_damage, seen.inputs_changed) == ((), (), ()), case


def numpy_type(dtype: str) -> np.dtype[Any]:
    return np.dtype(ml_dtypes.bfloat16) if dtype == "bfloat16" else np.dtype(dtype)


def bits(array: NDArray[Any]) -> list[int]:
    """The elements as integers of their size, to compare every bit."""
    integers: list[int] = array.reshape(-1).view(f"<u{array.dtype.itemsize}").tolist()
    return integers


def random_bits(shape: tuple[int, ...], dtype: str, seed: int) -> NDArray[Any]:
    """Elements of any bits, also NaNs of every payload: what is moved must arrive as it is."""
    generator = np.random.Generator(np.random.Philox(key=seed))
    kind = numpy_type(dtype)
    return np.frombuffer(generator.bytes(int(np.prod(shape)) * kind.itemsize), kind).reshape(shape)


def random_rows(shape: tuple[int, ...], dtype: str, seed: int) -> NDArray[Any]:
    """Values of both signs over some binades, so that the order of additions shows."""
    generator = np.random.Generator(np.random.Philox(key=seed))
    values = generator.standard_normal(shape) * 2.0 ** generator.integers(-6, 7, shape)
    return values.astype(numpy_type(dtype))

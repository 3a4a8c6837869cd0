"""Files as other tools write them, made of cases: what the tests of the formats read."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, Tensor
from conformance.field.torch_functions import FUNCTIONS
from conformance.record.operator import AttributeParameter, Operator
from conformance.record.torch_binding import Given, OfDtype

ATK_DTYPES = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32"}


def ttk_aclnn(operator: Operator, case: Case, name: str = "row") -> dict[str, str]:
    """A row of TTK's mode aclnn: all tensors in the order of the interface."""
    here = {**case.inputs, **case.outputs}
    tensors = [here.get(one.name) for one in operator.tensors]
    return {
        "testcase_name": name,
        "api_name": operator.aclnn,
        "tensor_view_shapes": repr(tuple(None if t is None else t.shape for t in tensors)),
        "tensor_dtypes": repr(tuple(None if t is None else t.dtype for t in tensors)),
        "attributes": repr(_attributes(operator, case)),
    }


def ttk_kernel(operator: Operator, case: Case, name: str = "row") -> dict[str, str]:
    """A row of TTK's mode kernel: inputs and outputs apart."""
    row = {"testcase_name": name, "op_name": operator.name}
    for role, here in (("input", case.inputs), ("output", case.outputs)):
        own = [here.get(one.name) for one in operator.tensors if one.role == role]
        row[f"{role}_shapes"] = repr(tuple(None if t is None else t.shape for t in own))
        row[f"{role}_dtypes"] = repr(tuple(None if t is None else t.dtype for t in own))
    return {**row, "attributes": repr(_attributes(operator, case))}


def ttk_e2e(operator: Operator, case: Case, name: str = "row") -> dict[str, str]:
    """A row of TTK's mode e2e: a call of torch_npu, its tensors in the function's order."""
    call = operator.torch_call(case)
    given = {key: value for key, value in call.arguments if isinstance(value, Given)}
    order = [one for one in FUNCTIONS[call.function].names if one in given]
    tensors = [case.inputs.get(given[one].name) for one in order]
    plain = {k: v for k, v in call.arguments if not isinstance(v, Given | OfDtype)}
    return {
        "testcase_name": name,
        "api_name": f"torch_npu.{call.function}",
        "tensor_view_shapes": repr(tuple(None if t is None else t.shape for t in tensors)),
        "tensor_dtypes": repr(tuple(None if t is None else t.dtype for t in tensors)),
        "attributes": repr(plain),
    }


def _attributes(operator: Operator, case: Case) -> dict[str, Any]:
    own = [one for one in operator.parameters if isinstance(one, AttributeParameter)]
    told = {one.acl_name: one.in_python(case.attributes[one.name]) for one in own}
    return {name: list(v) if isinstance(v, tuple) else v for name, v in told.items()}


def ttk(rows: Iterable[Mapping[str, str]]) -> str:
    """A CSV file with these rows."""
    rows = [*rows]
    text = io.StringIO()
    table = csv.DictWriter(text, [*dict.fromkeys(name for row in rows for name in row)])
    table.writeheader()
    table.writerows(rows)
    return text.getvalue()


def atk(operator: Operator, case: Case, name: str = "a case") -> dict[str, Any]:
    """An object of ATK: inputs and attributes by the names of the interface."""
    inputs: list[Any] = []
    for one in operator.parameters:
        if isinstance(one, AttributeParameter):
            value = case.attributes[one.name]
            if value is None:
                continue
            each = value if isinstance(value, tuple) else (value,)
            kind = "attr_tuple" if isinstance(value, tuple) else "attr"
            dtype = {"double": "double", "bool": "bool"}.get(one.ctype, "int")
            told = [_atk_input(one.acl_name, kind, dtype, None, v) for v in each]
            inputs.append(told if isinstance(value, tuple) else told[0])
        elif one.role == "input" and one.name in case.inputs:
            t = case.inputs[one.name]
            dtype = ATK_DTYPES.get(t.dtype, t.dtype)
            inputs.append(_atk_input(one.acl_name, "tensor", dtype, [*t.shape], [-5, 5]))
    return {"id": 1, "name": name, "aclnn_name": operator.title, "inputs": inputs}


def _atk_input(name: str, kind: str, dtype: str, shape: Any, ranged: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, "dtype": dtype, "shape": shape, "range_values": ranged}


def msprobe(
    operator: Operator,
    case: Case,
    folder: Path | None,
    outputs: Mapping[str, NDArray[Any]] | None = None,
) -> dict[str, Any]:
    """A dump.json with a call through torch_npu; its tensors are written if there is a folder, and
    what it returned if that is given."""
    call = operator.torch_call(case)
    name = f"NPU.{call.function.lstrip('_')}.0.forward"
    told: dict[str, Any] = {}
    for number, (keyword, value) in enumerate(call.arguments):
        if isinstance(value, Given):
            tensor = case.inputs.get(value.name)
            told[keyword] = None if tensor is None else _tensor(tensor)
            if tensor is not None and folder is not None:
                file = f"{name}.input.{number}.npy"
                told[keyword]["data_name"] = _saved(folder, file, case.arrays[value.name])
        elif isinstance(value, OfDtype):
            told[keyword] = {"type": "torch.dtype", "value": f"torch.{value.name}"}
        elif isinstance(value, tuple):
            told[keyword] = [{"type": "int", "value": one} for one in value]
        else:
            told[keyword] = {"type": type(value).__name__, "value": value}
    returned: list[Any] = []
    for number, result in enumerate(call.results if outputs is not None else ()):
        array = None if outputs is None or result is None else outputs.get(result)
        returned.append(None if array is None else _tensor(case.outputs[str(result)]))
        if array is not None and folder is not None:
            file = f"{name}.output.{number}.npy"
            returned[-1]["data_name"] = _saved(folder, file, array)
    entry = {"input_args": [], "input_kwargs": told, "output": returned}
    return {"task": "tensor", "level": "L1", "framework": "pytorch", "data": {name: entry}}


def _saved(folder: Path, file: str, array: NDArray[Any]) -> str:
    (folder / "dump_tensor_data").mkdir(exist_ok=True)
    np.save(folder / "dump_tensor_data" / file, array)
    return file


def _tensor(tensor: Tensor) -> dict[str, Any]:
    return {
        "type": "torch.Tensor",
        "dtype": f"torch.{tensor.dtype}",
        "shape": [*tensor.shape],
        "Max": 1.5,
        "Min": -1.5,
    }


def written(path: Path, document: Any) -> Path:
    """A JSON file."""
    path.write_text(json.dumps(document))
    return path

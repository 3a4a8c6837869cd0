"""What of a file is no call is told with its place and the reason; nothing of it is run."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from conformance.field import atk, msprobe, ttk
from conformance.field.as_case import Read, case_of
from conformance.field.foreign import Call, NotRead, Row
from conformance.suite import records as suite
from tests.conformance.field import samples

RECORDS = suite.records([])
MOST = 1 << 20
PERMUTE = RECORDS["moe_token_permute"]
CASE = PERMUTE.examples[0].case


def outcome(row: Row) -> Read | str:
    """The case of a row, or why it has none."""
    if not isinstance(row, Call):
        return str(row[1])
    try:
        return case_of(row, RECORDS, MOST)
    except NotRead as error:
        return str(error)


def of_ttk(**changed: str) -> Read | str:
    (row,) = ttk.rows(samples.ttk([{**samples.ttk_aclnn(PERMUTE, CASE), **changed}]))
    return outcome(row)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"is_enabled": "False"}, "is_enabled is False"),
        ({"api_name": ""}, "neither op_name nor api_name"),
        ({"api_name": "aclnnAdd"}, "no record: aclnnAdd"),
        ({"tensor_view_strides": "((8, 1),)"}, "tensor_view_strides: layouts are not read"),
        ({"manual_tensor_binaries": "('x.bin',)"}, "manual_tensor_binaries: binary files are not"),
        ({"tensor_dtypes": "('complex64',)"}, "'complex64' is no data type"),
        ({"tensor_formats": "('NZ',)"}, "format NZ is not ND"),
        ({"attributes": "{}"}, "num_out_tokens is not given"),
        ({"attributes": "{'axis': 1}"}, "axis is none of tokens, indices"),
        ({"attributes": "[1]"}, "attributes is no dictionary"),
        ({"attributes": "{'numOutTokens': 'x'}"}, "'x' is no number"),
        ({"tensor_view_shapes": "((1, -1), (1,), (1,), (1,))"}, "(1, -1) is no shape"),
        ({"tensor_view_shapes": "((2, 2),)", "tensor_dtypes": "('int8',)"}, "1 tensors; the"),
        ({"tensor_view_shapes": "(((2, 2), (2, 2)), (1,), (1,), (1,))"}, "lists of tensors"),
        ({"tensor_view_shapes": "__import__('os').system('false')"}, "is no literal"),
        ({"tensor_view_shapes": "(" * 40 + ")" * 40}, "nested brackets"),
        ({"attributes": "{'numOutTokens': " + "1" * 70_000 + "}"}, "characters; at most"),
        ({"tensor_view_shapes": f"(({2**30}, {2**9}), (1,), (1,), (1,))"}, "elements; at most"),
    ],
)
def test_a_row_of_ttk_that_is_no_case_is_told(changed: dict[str, str], reason: str) -> None:
    told = of_ttk(**changed)
    assert isinstance(told, str)
    assert reason in told


def test_a_row_of_ttk_keeps_the_range_of_a_small_tensor() -> None:
    ranges = "((3, 5), (None, None), (None, None), (None, None))"
    found = of_ttk(
        input_data_ranges=ranges, tensor_dtypes="('float32', 'int32', 'float32', 'int32')"
    )
    assert isinstance(found, Read)
    tokens = found.case.arrays["tokens"]
    assert tokens.size
    assert ((tokens >= 3) & (tokens <= 5)).all()


def test_values_that_a_row_of_ttk_lists_are_those_of_the_tensor() -> None:
    operator = RECORDS["moe_compute_expert_tokens"]
    row = {
        "op_name": "moe_compute_expert_tokens",
        "input_shapes": "((4,),)",
        "input_dtypes": "('int32',)",
        "output_shapes": "((3,),)",
        "output_dtypes": "('int32',)",
        "attributes": "{'sorted_experts': [0, 0, 1, 2], 'num_experts': 3}",
    }
    (found,) = ttk.rows(samples.ttk([row]))
    read = outcome(found)
    assert isinstance(read, Read)
    assert read.case.operator == operator.name
    assert read.case.arrays["sorted_experts"].tolist() == [0, 0, 1, 2]


def of_atk(**changed: Any) -> Read | str:
    (row,) = atk.rows([{**samples.atk(PERMUTE, CASE), **changed}])
    return outcome(row)


def entry(**changed: Any) -> list[Any]:
    """The inputs of an object of ATK, the last of them changed."""
    *first, last = samples.atk(PERMUTE, CASE)["inputs"]
    return [*first, {**last, **changed}]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"aclnn_name": "MoeFusedTopk"}, "no record: MoeFusedTopk"),
        ({"aclnn_name": None}, "aclnn_name is missing"),
        ({"inputs": {}}, "inputs is missing"),
        ({"inputs": [3]}, "inputs is missing"),
        ({"expected_error_msg": "wrong"}, "expects an error message"),
        ({"inputs": entry(type="scalar")}, "type scalar is not read"),
        ({"inputs": entry(name="seed")[:1] + entry(name="seed")}, "seed is none of"),
        ({"inputs": entry(dtype="string")}, "is a text"),
        ({"inputs": entry(range_values={"a": 1})}, "is no number"),
        ({"inputs": [*entry(), [{"name": "x", "type": "tensor"}]]}, "is no shape"),
    ],
)
def test_an_object_of_atk_that_is_no_case_is_told(changed: dict[str, Any], reason: str) -> None:
    told = of_atk(**changed)
    assert isinstance(told, str)
    assert reason in told


def test_an_attribute_that_atk_draws_is_drawn_alike_each_time() -> None:
    operator = RECORDS["moe_gating_top_k_softmax"]
    one = samples.atk(operator, operator.examples[0].case)
    one["inputs"][-1]["range_values"] = [1, 2]
    found = [outcome(row) for row in atk.rows([one, one])]
    again = [outcome(row) for row in atk.rows([one, one])]
    assert all(isinstance(each, Read) for each in found)
    assert [each.case.attributes for each in found if isinstance(each, Read)] == [
        each.case.attributes for each in again if isinstance(each, Read)
    ]


def test_one_name_that_the_record_does_not_know_is_that_of_its_place() -> None:
    assert isinstance(of_atk(inputs=entry(name="padding")), Read)


def dump(folder: Path, **changed: Any) -> dict[str, Any]:
    document = samples.msprobe(PERMUTE, CASE, folder)
    (told,) = document["data"].values()
    told["input_kwargs"]["tokens"].update(changed)
    return document


def of_msprobe(folder: Path, **changed: Any) -> Read | str:
    (row,) = msprobe.rows(dump(folder, **changed), folder, MOST)
    return outcome(row)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"data_name": "../secret.npy"}, "no name of a dumped tensor"),
        ({"data_name": "/etc/passwd"}, "no name of a dumped tensor"),
        ({"data_name": "a\x1b[2J.npy"}, "no name of a dumped tensor"),
        ({"shape": [3, 3]}, "dump.json says (3, 3)"),
        ({"dtype": "torch.complex64"}, "is no data type"),
        ({"dtype": "torch.int32"}, "dump.json says int32"),
        ({"shape": [2**20, 2]}, "elements; at most"),
    ],
)
def test_a_dump_that_is_no_case_is_told(
    tmp_path: Path, changed: dict[str, Any], reason: str
) -> None:
    told = of_msprobe(tmp_path, **changed)
    assert isinstance(told, str)
    assert reason in told


def replaced(folder: Path, raw: bytes) -> Read | str:
    """What comes of a dump whose first tensor's file has other bytes."""
    document = dump(folder)
    (told,) = document["data"].values()
    file = told["input_kwargs"]["tokens"]["data_name"]
    (folder / "dump_tensor_data" / file).write_bytes(raw)
    (row,) = msprobe.rows(document, folder, MOST)
    return outcome(row)


def test_a_pickled_object_is_not_loaded(tmp_path: Path) -> None:
    text = io.BytesIO()
    np.save(text, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    told = replaced(tmp_path, text.getvalue())
    assert isinstance(told, str)
    assert "cannot be read" in told


@pytest.mark.parametrize("raw", [b"", b"\x93NUMPY", b"PK\x03\x04", b"x" * 100])
def test_bytes_that_are_no_array_are_told(tmp_path: Path, raw: bytes) -> None:
    told = replaced(tmp_path, raw)
    assert isinstance(told, str)
    assert "cannot be read" in told


def test_a_link_in_a_dump_is_not_followed(tmp_path: Path) -> None:
    document = dump(tmp_path)
    (told,) = document["data"].values()
    path = tmp_path / "dump_tensor_data" / told["input_kwargs"]["tokens"]["data_name"]
    moved = tmp_path / "elsewhere.npy"
    path.rename(moved)
    path.symlink_to(moved)
    (row,) = msprobe.rows(document, tmp_path, MOST)
    assert "a link" in str(outcome(row))


def test_bfloat16_is_read_from_files_that_do_not_name_it(tmp_path: Path) -> None:
    case = next(one.case for one in PERMUTE.examples if one.case.dtype == "bfloat16")
    document = samples.msprobe(PERMUTE, case, tmp_path)
    (told,) = document["data"].values()
    file = tmp_path / "dump_tensor_data" / told["input_kwargs"]["tokens"]["data_name"]
    for kept in (np.float32, np.dtype("V2")):
        array = case.arrays["tokens"]
        np.save(file, array.view(kept) if kept != np.float32 else array.astype(np.float32))
        (row,) = msprobe.rows(document, tmp_path, MOST)
        found = outcome(row)
        assert isinstance(found, Read)
        assert found.case.arrays["tokens"].dtype == ml_dtypes.bfloat16
        assert found.case.arrays["tokens"].tobytes() == array.tobytes()


def test_backward_entries_are_told_and_other_functions_are_no_calls(tmp_path: Path) -> None:
    document = dump(tmp_path)
    document["data"] |= {
        "NPU.npu_moe_token_permute.0.backward": {"input": [], "output": []},
        "Functional.linear.0.forward": {"input_args": [], "input_kwargs": {}, "output": []},
        "NPU.npu_swiglu.0.forward": {"input_args": [], "input_kwargs": {}, "output": []},
    }
    found = [outcome(row) for row in msprobe.rows(document, tmp_path, MOST)]
    assert isinstance(found[0], Read)
    assert "backward entry" in str(found[1])
    assert found[2:] == ["no record: npu_swiglu"]


def test_arguments_by_position_are_those_of_the_function(tmp_path: Path) -> None:
    document = dump(tmp_path)
    (told,) = document["data"].values()
    told["input_args"] = [told["input_kwargs"].pop(name) for name in ("tokens", "indices")]
    (row,) = msprobe.rows(document, tmp_path, MOST)
    found = outcome(row)
    assert isinstance(found, Read)
    assert found.case.arrays["indices"].tolist() == CASE.arrays["indices"].tolist()


def test_a_dump_is_plain_json(tmp_path: Path) -> None:
    assert json.loads(json.dumps(dump(tmp_path))) == dump(tmp_path)


def in_torch(folder: Path) -> Read | str:
    """What comes of a dump whose first tensor is a file of PyTorch."""
    document = dump(folder)
    (told,) = document["data"].values()
    told["input_kwargs"]["tokens"]["data_name"] = "tokens.pt"
    (folder / "dump_tensor_data" / "tokens.pt").write_bytes(b"kept by torch")
    (row,) = msprobe.rows(document, folder, MOST)
    return outcome(row)


def test_a_file_of_pytorch_needs_pytorch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert "needs PyTorch" in str(in_torch(tmp_path))


class Loaded:
    """A tensor as PyTorch gives it."""

    dtype = "float"

    def detach(self) -> Loaded:
        return self

    def numpy(self) -> Any:
        return CASE.arrays["tokens"]


class Torch:
    """PyTorch, as far as a dump needs it."""

    bfloat16 = "bfloat16"

    def __init__(self) -> None:
        self.asked: list[tuple[bytes, bool]] = []

    def load(self, file: io.BytesIO, map_location: str, weights_only: bool) -> Loaded:
        assert map_location == "cpu"
        self.asked.append((file.read(), weights_only))
        return Loaded()


def test_pytorch_loads_numbers_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = Torch()
    monkeypatch.setitem(sys.modules, "torch", torch)
    found = in_torch(tmp_path)
    assert isinstance(found, Read)
    assert torch.asked == [(b"kept by torch", True)]


def test_what_pytorch_refuses_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = Torch()

    def refuse(*_: Any, **__: Any) -> Loaded:
        raise RuntimeError("Weights only load failed\nlong advice")

    monkeypatch.setattr(torch, "load", refuse)
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert in_torch(tmp_path) == "tokens.pt cannot be read: Weights only load failed"

"""A function is judged from a test of one's own, in one call or by a decorator."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conformance
from conformance.errors import UsageError

FEW = ("-n", "0", "--", "-k", "test_values and whole-float32", "-x")


def permute(
    tokens: Any, indices: Any, num_out_tokens: Any = None, padded_mode: bool = False
) -> Any:
    slots = indices.shape[1] if indices.ndim == 2 else 1
    order = np.argsort(indices, axis=None, kind="stable")
    return tokens[order // slots], np.argsort(order).astype(np.int32)


@conformance.judged("moe_token_permute", tensors="numpy", arguments=FEW)
def of_the_first_slot(tokens: Any, indices: Any, num_out_tokens: Any, padded_mode: bool) -> Any:
    return permute(tokens, indices[..., :1])


def test_a_right_function_passes(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"tensors": "numpy", "out": tmp_path / "out", "arguments": FEW}
    conformance.judge_implementation(permute, "moe_token_permute", **asked)
    assert (tmp_path / "out" / "evidence.json").is_file()


def test_a_wrong_one_fails_with_the_text_of_its_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not inspect.signature(of_the_first_slot).parameters  # pytest sees no fixtures
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(conformance.__file__).parents[1]))
    with pytest.raises(AssertionError) as error:
        of_the_first_slot()
    told = str(error.value)
    assert "permute_tokens is [1, 1] float32; it must be [2, 1] float32" in told
    assert f"replay reports/implementations/{__name__}.of_the_first_slot/failures/" in told
    assert f"{Path(__file__)}:of_the_first_slot.implementation" in told


def test_a_function_without_a_module_is_wrong_use() -> None:
    with pytest.raises(UsageError, match="must stand in a module by its name"):
        conformance.judge_implementation(lambda tokens: tokens, "moe_token_permute")

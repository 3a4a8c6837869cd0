"""The example of an operator with an attribute and an integer output is right and accepted."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.conformance.front_door import conformance

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "operators"
KERNEL = "kernels/moe_compute_expert_tokens/moe_compute_expert_tokens_kernel.cpp"


def test_its_record_is_right_and_nothing_of_it_is_weak(tmp_path: Path) -> None:
    ended = conformance("check", "--operators", str(FOLDER), folder=tmp_path)
    assert ended.status == 0
    assert ended.out.startswith("moe_compute_expert_tokens: right; 3 examples, ")
    assert "weak:" not in ended.out


def test_its_kernel_is_accepted_and_keeps_its_relations(tmp_path: Path) -> None:
    asked = ("--operators", str(FOLDER), "--device", "sim", "--oracle", "both")
    ended = conformance("run", *asked, "-n", "0", folder=tmp_path)
    assert ended.status == 0, ended.err
    assert "accepted: " in ended.err


def test_counts_of_smaller_ids_alone_fail(tmp_path: Path) -> None:
    """The lower bound in place of the upper one."""
    shutil.copytree(FOLDER, tmp_path / "operators")
    kernel = tmp_path / "operators" / KERNEL
    text = kernel.read_text()
    assert text.count("<= expert) {") == 1
    kernel.write_text(text.replace("<= expert) {", "< expert) {"))
    asked = ("--operators", "operators", "--device", "sim", "-n", "0", "--", "-k", "values")
    ended = conformance("run", *asked, folder=tmp_path)
    assert ended.status == 1
    assert "1 of 1 elements of out is wrong" in ended.err

"""Tests of the binding that are not the suite's own run on a simulated NPU, and are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.torch_npu.binding_tests_run import files, ran, told

FILE = """
import unittest
import torch
import torch_npu

class TestPermute(unittest.TestCase):
    def permuted(self):
        rows = torch.tensor([[1.0], [2.0]]).npu()
        ranks = torch.tensor([[1], [0]], dtype=torch.int32).npu()
        return torch_npu.npu_moe_token_permute(rows, ranks)[0].cpu().tolist()

    def test_right(self):
        self.assertEqual(self.permuted(), [[2.0], [1.0]])

    def test_wrong(self):
        self.assertEqual(self.permuted(), [[1.0], [2.0]])

    @unittest.skip("another chip")
    def test_elsewhere(self):
        pass
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "test" / "test_custom_ops"
    folder.mkdir(parents=True)
    (folder / "test_npu_moe_permute.py").write_text(FILE)
    (folder / "test_npu_moe_broken.py").write_text("import os\nos._exit(7)\n")
    (folder / "test_npu_add.py").write_text("")
    return tmp_path


def test_what_did_not_pass_is_told_with_its_reason(tmp_path: Path) -> None:
    report = tmp_path / "junit.xml"
    report.write_text(
        """<testsuites><testsuite>
        <testcase name="a"/>
        <testcase name="b"><failure message="AssertionError: 1&#10;2">text</failure></testcase>
        <testcase name="c"><error message="no device">text</error></testcase>
        <testcase name="d"><skipped message="another chip"/></testcase>
        </testsuite></testsuites>"""
    )
    assert str(told("file.py", report)) == "\n  ".join(
        [
            f"{'file.py':60}1 passed, 2 failed, 1 skipped",
            "failed b: AssertionError: 1",
            "failed c: no device",
            "skipped d: another chip",
        ]
    )


@pytest.mark.slow
def test_each_file_is_run_and_each_failure_told(checkout: Path, interpreter: Path) -> None:
    broken, permuted = (ran(file, interpreter) for file in files(checkout))
    assert (broken.counts["failed"], broken.reasons[0][:8]) == (1, "status 7")
    assert permuted.counts == {"passed": 1, "failed": 1, "skipped": 1}
    skipped, failed = sorted(permuted.reasons, reverse=True)
    assert skipped.startswith("skipped test_elsewhere: another chip")
    assert failed.startswith("failed test_wrong: AssertionError: Lists differ")

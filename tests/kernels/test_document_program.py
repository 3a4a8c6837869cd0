"""The C++ program in MoeTokenPermuteGrad's document runs unedited, and means what its bytes say.

The document is read where it lies and never copied into the project: SEED_DOCUMENTS names its
folder, else it is looked for in shared/specs/seed_documents beside the checkout.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tests.definitions.moe_token_permute_grad import moe_token_permute_grad
from tests.kernels.cpp_program import ROOT, printed_by

BESIDE = ROOT.parent / "shared" / "specs" / "seed_documents"
FOLDER = Path(os.environ.get("SEED_DOCUMENTS", BESIDE))
ROWS, PLACES = np.array([[1, 2], [3, 4]], np.float32), np.array([0, 1], np.float32)
"""The program's data: each of its tensors is filled with float32 numbers, whatever its type."""


@pytest.fixture(scope="module")
def program() -> str:
    """The C++ block of the document."""
    found = sorted(FOLDER.glob("003*"))
    if not found:
        pytest.skip(f"no document 003* in {FOLDER} (SEED_DOCUMENTS names another folder)")
    (block,) = re.findall(r"^```Cpp\n(.*?)^```$", found[0].read_text("utf-8"), re.M | re.S)
    return str(block)


def values_printed(program: str, folder: Path) -> list[str]:
    source = folder / "program.cpp"
    source.write_text(program, "utf-8")
    return re.findall(r"^.*\[\d+\] is: (\S+)$", printed_by(source), re.MULTILINE)


def test_unchanged_it_prints_what_its_bytes_mean_in_the_types_it_declares(
    program: str, tmp_path: Path
) -> None:
    """Half of the float32 rows' bytes are bf16 rows [0, 1] and [0, 2]; the indices' are 0 and one
    that is no row. So bf16 [0, 1] comes out, which is the float32 number 1; 0 was there before.
    """
    rows = ROWS.reshape(-1).view(ml_dtypes.bfloat16)[:4].astype(np.float64).reshape(2, 2)
    (out,) = moe_token_permute_grad(rows, PLACES.view(np.int32), num_topk=2, padded_mode=0)
    meant = np.array([*out, 0, 0], ml_dtypes.bfloat16).view(np.float32)
    assert meant.tolist() == [1.0, 0.0]
    assert values_printed(program, tmp_path) == [f"{number:f}" for number in meant]


def test_with_types_made_to_match_it_prints_the_sum_of_the_rows(
    program: str, tmp_path: Path
) -> None:
    """The tensors of rows become float32, as their data are; the indices' data become int32, as
    their tensor is. Nothing else of the text changes.
    """
    matched, tensors = re.subn(r"\bACL_BF16\b", "ACL_FLOAT", program)
    matched, data = re.subn(
        r"\bstd::vector<float> (sortedIndicesData)\b", r"std::vector<int32_t> \1", matched
    )
    assert (tensors, data) == (2, 1)
    (out,) = moe_token_permute_grad(ROWS, PLACES.astype(np.int32), num_topk=2, padded_mode=0)
    assert out == [4.0, 6.0]
    assert values_printed(matched, tmp_path) == [f"{number:f}" for number in out]

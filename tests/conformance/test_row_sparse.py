"""A row-sparse tensor behaves as the whole one would, and costs what its listed rows cost."""

from __future__ import annotations

import resource
from dataclasses import replace
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from conformance.call.case import Case, Tensor
from conformance.call.observation import Observation, Outcome
from conformance.failure.replay import Replay, load, save
from conformance.judge.agreement import ReferenceDisagreement, check
from conformance.judge.calls import judge
from conformance.values.address_code import AddressCode
from conformance.values.fill import NAMES, Fill
from conformance.values.large_arrays import lazy_zeros
from tests.conformance.segment_sum import operator

MIB = 1 << 20
ROWS = (0, 7, 2**30 - 1)
FAR = Tensor((2**30, 6), "bfloat16", fill=Fill(("lattice",), 3, 2), unread=(7,), rows=ROWS)


def resident() -> int:
    """Bytes of memory that this process has in use now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def far_case(source: Tensor = FAR, rows: tuple[int, ...] = (0, 2**30 - 1)) -> Case:
    """The sum of two rows of a tensor of 12 GiB."""
    return Case(
        operator="segment_sum",
        mode="plain",
        dtype=source.dtype,
        attributes={"topK": len(rows)},
        inputs={"x": source, "rows": Tensor((1, len(rows)), "int32", rows)},
        outputs={"y": Tensor((1, source.shape[-1]), source.dtype)},
    )


def test_an_array_larger_than_memory_costs_the_pages_that_are_written() -> None:
    before = resident()
    array = lazy_zeros((2**20, 2**20), np.dtype(np.float32))
    array[[0, 2**19, 2**20 - 1], 5] = 1.0
    assert array[:: 2**19, 5].tolist() == [1.0, 1.0]
    assert array.flags.c_contiguous
    assert resident() - before < 4 * MIB


def test_no_elements_need_no_address_space() -> None:
    assert lazy_zeros((0, 5), np.dtype(np.float32)).shape == (0, 5)


def test_listed_rows_hold_the_values_and_others_are_zero() -> None:
    before = resident()
    array = replace(FAR, shape=(4, 2**28, 6)).materialize()
    assert array.shape == (4, 2**28, 6)
    assert array.dtype == ml_dtypes.bfloat16
    assert (array[0, 0] != 0).all()
    assert (array[3, 2**28 - 1] != 0).all()
    assert np.isnan(array[0, 7].astype(np.float32)).all()
    assert not array[0, [1, 6, 8]].any()
    assert not array[1:3, :: 2**27].any()
    assert resident() - before < 4 * MIB


@pytest.mark.parametrize("stripe", NAMES)
def test_a_listed_row_holds_what_a_dense_tensor_of_the_listed_rows_holds(stripe: str) -> None:
    fill = Fill((stripe,), seed=5, terms=3)
    numbered = (0, 1, 2) if stripe != "address" else (4, 5, 9)
    far = Tensor((10, 8), "float32", fill=fill, rows=numbered)
    near = Tensor((10 if stripe == "address" else 3, 8), "float32", fill=fill)
    expected = near.materialize()[list(numbered)]
    assert far.materialize()[list(numbered)].tobytes() == expected.tobytes()


def test_listed_values_are_those_of_the_listed_rows() -> None:
    tensor = Tensor((5, 2), "float32", values=(0, 0x3F800000, 0x40000000, 0), rows=(1, 4))
    assert tensor.materialize().tolist() == [[0, 0], [0, 1], [0, 0], [0, 0], [2, 0]]
    assert tensor.held_size == 4
    assert tensor.size == 10


def test_it_reads_as_what_it_holds() -> None:
    assert repr(FAR) == (
        "bfloat16[1073741824x6] holding rows [0, 7, 1073741823] = lattice (seed 3),"
        " NaN in unread rows [7]"
    )
    listed = Tensor((9, 1), "float32", values=(0x3F800000,), rows=(3,))
    assert repr(listed) == "float32[9x1] holding rows [3] = [1.0]"


def test_its_digest_tells_shape_and_rows_apart() -> None:
    cases = [
        far_case(),
        far_case(replace(FAR, rows=(0, 8, 2**30 - 1), unread=())),
        far_case(replace(FAR, unread=())),
        far_case(replace(FAR, shape=(2**30 + 1, 6))),
        far_case(replace(FAR, fill=Fill(("lattice",), 4, 2))),
    ]
    assert len({case.digest for case in cases}) == len(cases)


def test_it_is_stored_in_as_many_bytes_as_a_person_reads(tmp_path: Path) -> None:
    save(Replay(far_case()), tmp_path / "case.json")
    assert (tmp_path / "case.json").stat().st_size < 2000
    read = load(tmp_path / "case.json").case
    assert read == far_case()
    assert read.digest == far_case().digest


def answered(case: Case) -> Observation:
    """What a device that adds rightly answers."""
    y = operator().formula(case.arrays, case.attributes)["y"]
    return Observation(Outcome.COMPLETED, outputs={"y": y}, unwritten={"y": 0})


def test_the_judge_takes_a_right_answer_and_refuses_a_wrong_one_and_walks_no_other_row() -> None:
    before = resident()
    case = far_case()
    right = answered(case)
    assert judge(operator(), case, right).ok
    wrong = right.outputs["y"].copy()
    wrong[0, 0] += 1
    verdict = judge(operator(), case, replace(right, outputs={"y": wrong}))
    assert not verdict.ok
    assert resident() - before < 64 * MIB


def test_a_reference_that_reads_a_row_which_the_case_does_not_hold_gives_no_verdict() -> None:
    with pytest.raises(ReferenceDisagreement, match=r"adds x\[8\], which the row-sparse case"):
        check(operator(), far_case(rows=(0, 8)))


def test_a_row_read_instead_is_named_among_those_that_exist() -> None:
    code = AddressCode(row_factor=77, column_factor=131, bits=8)
    rows = np.array([3, 2**30 + 200])
    start = int(code.start(2**30 + 200))
    assert next(code.places(start, rows, 64, near=3)) == (2**30 + 200, 0)


def test_a_call_that_the_device_had_no_room_for_is_neither_accepted_nor_refused() -> None:
    short = Observation(Outcome.NOT_POSSIBLE, 207001, message="x spans 12.0 GiB")
    verdict = judge(operator(), far_case(), short)
    assert verdict.ok
    assert not verdict.judged
    assert "not possible here, not judged: x spans 12.0 GiB" in verdict.headline
    assert judge(operator(), far_case(), answered(far_case())).judged

"""A wrong call is refused with its status and one sentence, and never touches foreign memory."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import pytest

from device_kernels.build import build
from tests.kernels.two_phases import HIDDEN, INT32, ROWS, TOP_K, Calls, host_memory
from tests.simulator.runtime.driver import Acl

NAMES = ("gradExpandedX", "expandedRowIdx", "out")
SHAPES = ((ROWS, HIDDEN), (ROWS,), (ROWS // TOP_K, HIDDEN))
DTYPES = (0, INT32, 0)
NULL, INVALID, TILING_FAILED, KERNEL_EXCEPTION = 161001, 161002, 561002, 507015
PLACES = range(3)


@pytest.fixture(scope="module")
def acl() -> Acl:
    return Acl(build(quiet=True).lib)


@pytest.fixture
def calls(acl: Acl) -> Iterator[Calls]:
    assert acl.aclrtSetDevice(0) == 0
    acl.ascendsimConfigure(None, 0, 0)
    calls = Calls(acl)
    while acl.text():
        pass
    yield calls
    for address in (calls.gradient, calls.indices, calls.out):
        assert acl.aclrtFree(address) == 0


def test_a_good_call_sums_the_rows(calls: Calls) -> None:
    assert calls.run(calls.good()) == (0, "")
    assert calls.result() == calls.expected.tolist()


@pytest.mark.parametrize("place", PLACES)
def test_the_first_null_tensor_alone_is_named(calls: Calls, place: int) -> None:
    tensors = [one if at < place else None for at, one in enumerate(calls.good())]
    status, text = calls.run(tensors)
    assert status == NULL
    assert text.endswith(f"GetWorkspaceSize: {NAMES[place]} is null; it must be a tensor")
    assert len(text.splitlines()) == 1


@pytest.mark.parametrize("place", PLACES)
def test_elements_need_a_device_address(calls: Calls, place: int) -> None:
    tensor = calls.tensor(SHAPES[place], None, DTYPES[place])
    status, text = calls.run(calls.replaced(place, tensor))
    assert status == NULL
    assert f"the data address of {NAMES[place]} is null" in text


def test_an_empty_tensor_needs_no_device_address(calls: Calls) -> None:
    empty = [
        calls.tensor((4, 0), None),
        calls.tensor((4,), calls.indices, INT32),
        calls.tensor((2, 0), None),
    ]
    assert calls.run(empty) == (0, "")


@pytest.mark.parametrize("place", PLACES)
def test_a_tensor_larger_than_its_allocation_is_refused_by_name(calls: Calls, place: int) -> None:
    small = calls.acl.malloc(8)
    beyond = calls.tensor(SHAPES[place], small, DTYPES[place])
    status, text = calls.run(calls.replaced(place, beyond))
    assert status == KERNEL_EXCEPTION
    assert text.startswith(
        f"[gm-out-of-bounds] kernel moe_init_routing_v2_grad: {NAMES[place]} is given as "
    )
    assert "whose allocation has 8 bytes from there" in text
    assert calls.acl.aclrtFree(small) == 0


@pytest.mark.parametrize("place", PLACES)
def test_a_tensor_in_host_memory_is_refused_by_name(calls: Calls, place: int) -> None:
    memory = host_memory(4096)
    tensor = calls.tensor(SHAPES[place], ctypes.addressof(memory), DTYPES[place])
    status, text = calls.run(calls.replaced(place, tensor))
    assert status == KERNEL_EXCEPTION
    assert f"{NAMES[place]} is given as" in text
    assert "which no live allocation of the device holds" in text
    assert memory.raw == bytes(4096)


def test_a_tensor_that_was_freed_between_the_phases_is_refused(calls: Calls) -> None:
    freed = calls.acl.malloc(1 << 25)  # a mapping of its own: the workspace cannot take its place
    tensors = calls.replaced(0, calls.tensor((ROWS, HIDDEN), freed))
    status, size, executor = calls.phase1(tensors)
    assert status == 0
    assert calls.acl.aclrtFree(freed) == 0
    assert calls.phase2(size, executor) == 0
    assert calls.acl.aclrtSynchronizeStream(None) == KERNEL_EXCEPTION
    assert "gradExpandedX is given as" in (calls.acl.text() or "")


def test_an_executor_works_once(calls: Calls) -> None:
    _, size, executor = calls.phase1(calls.good())
    assert calls.phase2(size, executor) == 0
    assert calls.phase2(size, executor) == INVALID
    assert "executor is none that phase 1 handed out" in (calls.acl.text() or "")


def test_an_executor_that_phase_1_did_not_make_is_refused(calls: Calls) -> None:
    memory = host_memory(4096)
    assert calls.phase2(0, ctypes.addressof(memory)) == INVALID
    assert "executor is none that phase 1 handed out" in (calls.acl.text() or "")


def test_an_executor_is_destroyed_instead_of_used(calls: Calls) -> None:
    _, size, executor = calls.phase1(calls.good())
    destroy = calls.c.aclDestroyAclOpExecutor
    assert destroy(ctypes.c_void_p(executor)) == 0
    assert destroy(ctypes.c_void_p(executor)) == INVALID
    assert calls.phase2(size, executor) == INVALID
    assert destroy(None) == NULL
    assert "aclDestroyAclOpExecutor: executor is null" in (calls.acl.text() or "")


HALF = 1 << 32


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("shape", "strides", "offset"),
    [
        ((HALF, HALF), None, 0),
        ((1 << 61, 1), None, 0),
        ((2, 1), (1 << 62, 1), 0),
        ((4, 1), ((1 << 63) - 1, 1), 0),
        ((2, 2), None, 1 << 62),
    ],
)
def test_a_tensor_whose_bytes_do_not_fit_63_bits_is_refused(
    calls: Calls, place: int, shape: tuple[int, ...], strides: tuple[int, ...] | None, offset: int
) -> None:
    tensor = calls.tensor(shape, calls.out, DTYPES[place], strides, offset)
    status, text = calls.run(calls.replaced(place, tensor))
    assert status == INVALID
    assert f"{NAMES[place]} is too large" in text


@pytest.mark.parametrize("shape", [(0, HALF, HALF), (HALF, HALF, 0)])
def test_one_axis_of_size_0_makes_an_empty_output(calls: Calls, shape: tuple[int, ...]) -> None:
    tensor = calls.tensor(shape, None)
    assert calls.run(calls.replaced(2, tensor)) == (0, "")

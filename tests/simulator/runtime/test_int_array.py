"""Arrays of integers tell what they were made of, and impossible ones are not made."""

from __future__ import annotations

from ctypes import POINTER, byref, c_int64, c_uint64
from ctypes import c_void_p as void_p
from typing import Any

import pytest

from tests.simulator.runtime.driver import Acl


def create(acl: Acl, values: tuple[int, ...] | None, size: int) -> int | None:
    function: Any = acl.opapi.aclCreateIntArray
    function.restype = void_p
    array = None if values is None else (c_int64 * len(values))(*values)
    created: int | None = function(array, c_uint64(size))
    return created


def values_of(acl: Acl, array: int | None) -> Any:
    function: Any = acl.opapi.ascendsimIntArrayValues
    function.restype = POINTER(c_int64)
    return function(void_p(array))


@pytest.mark.parametrize("values", [(1, 5), (7,), (-(2**63), 0, 2**63 - 1)])
def test_an_array_tells_what_it_was_made_of(acl: Acl, values: tuple[int, ...]) -> None:
    array, size = create(acl, values, len(values)), c_uint64()
    assert acl.opapi.aclGetIntArraySize(void_p(array), byref(size)) == 0
    assert size.value == len(values)
    assert tuple(values_of(acl, array)[: size.value]) == values
    assert acl.opapi.aclDestroyIntArray(void_p(array)) == 0


def test_an_array_keeps_a_copy(acl: Acl) -> None:
    given = (c_int64 * 2)(3, 4)
    acl.opapi.aclCreateIntArray.restype = void_p
    array = acl.opapi.aclCreateIntArray(given, c_uint64(2))
    given[0] = 9
    assert values_of(acl, array)[:2] == [3, 4]
    assert acl.opapi.aclDestroyIntArray(void_p(array)) == 0


@pytest.mark.parametrize("values", [(), None])
def test_an_empty_array_is_one(acl: Acl, values: tuple[int, ...] | None) -> None:
    array, size = create(acl, values, 0), c_uint64(7)
    assert array is not None
    assert acl.opapi.aclGetIntArraySize(void_p(array), byref(size)) == 0
    assert size.value == 0
    assert not values_of(acl, array)
    assert acl.opapi.aclDestroyIntArray(void_p(array)) == 0


def test_an_array_that_cannot_be_is_not_made(acl: Acl) -> None:
    assert create(acl, None, 2) is None
    assert "aclCreateIntArray: value is null with size 2" in (acl.text() or "")


def test_a_null_array_or_result_is_refused(acl: Acl) -> None:
    array = create(acl, (1,), 1)
    assert acl.opapi.aclGetIntArraySize(None, byref(c_uint64())) == 161001
    assert "aclGetIntArraySize: array is null" in (acl.text() or "")
    assert acl.opapi.aclGetIntArraySize(void_p(array), None) == 161001
    assert "aclGetIntArraySize: size is null" in (acl.text() or "")
    assert not values_of(acl, None)
    assert acl.opapi.aclDestroyIntArray(void_p(array)) == 0

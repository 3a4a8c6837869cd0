"""Tensor objects tell what they were made of, and impossible ones are not made."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_int, c_int64, c_uint64
from ctypes import c_void_p as void_p
from typing import Any

import pytest

from tests.simulator.runtime.driver import Acl

GETTERS: dict[str, Any] = {
    "aclGetViewShape": POINTER(c_int64),
    "aclGetStorageShape": POINTER(c_int64),
    "aclGetViewStrides": POINTER(c_int64),
    "aclGetViewOffset": c_int64,
    "aclGetDataType": c_int,
    "aclGetFormat": c_int,
    "aclGetRawTensorAddr": void_p,
}


def create(
    acl: Acl,
    shape: tuple[int, ...] | None,
    strides: tuple[int, ...] | None = None,
    offset: int = 0,
    storage: tuple[int, ...] = (),
    rank: int = 0,
) -> int | None:
    def array(values: tuple[int, ...] | None) -> ctypes.Array[c_int64] | None:
        return None if values is None else (c_int64 * len(values))(*values)

    tensor: int | None = acl.opapi.aclCreateTensor(
        array(shape),
        c_uint64(rank if shape is None else len(shape)),
        27,
        array(strides),
        c_int64(offset),
        2,
        array(storage),
        c_uint64(len(storage)),
        void_p(0x1000),
    )
    return tensor


def ask(acl: Acl, getter: str, tensor: int | None) -> object:
    value = GETTERS[getter]()
    function = getattr(acl.opapi, getter)
    if not getter.endswith(("Shape", "Strides")):
        assert function(void_p(tensor), byref(value)) == 0
        return value.value
    count = c_uint64()
    assert function(void_p(tensor), byref(value), byref(count)) == 0
    values = tuple(value[: count.value])
    # As the interface says: delete[].
    acl.opapi["_ZdaPv"](value)
    return values


def test_a_tensor_tells_what_it_was_made_of(acl: Acl) -> None:
    tensor = create(acl, (2, 3), (8, 2), offset=5, storage=(64,))
    told = {getter: ask(acl, getter, tensor) for getter in GETTERS}
    assert told == {
        "aclGetViewShape": (2, 3),
        "aclGetStorageShape": (64,),
        "aclGetViewStrides": (8, 2),
        "aclGetViewOffset": 5,
        "aclGetDataType": 27,
        "aclGetFormat": 2,
        "aclGetRawTensorAddr": 0x1000,
    }
    assert acl.opapi.aclSetRawTensorAddr(void_p(tensor), void_p(0x2000)) == 0
    assert ask(acl, "aclGetRawTensorAddr", tensor) == 0x2000
    assert acl.opapi.aclDestroyTensor(void_p(tensor)) == 0


def test_without_strides_a_view_is_contiguous(acl: Acl) -> None:
    tensor = create(acl, (2, 3, 4))
    assert ask(acl, "aclGetViewStrides", tensor) == (12, 4, 1)
    assert acl.opapi.aclDestroyTensor(void_p(tensor)) == 0


def test_a_scalar_has_no_dims(acl: Acl) -> None:
    tensor = create(acl, ())
    assert ask(acl, "aclGetViewShape", tensor) == ()
    assert acl.opapi.aclDestroyTensor(void_p(tensor)) == 0


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"shape": (2, -3)}, "viewDims[1] is -3"),
        ({"shape": (2, 3), "strides": (-1, 1)}, "stride[0] is -1"),
        ({"shape": (2, 3), "storage": (-6,)}, "storageDims[0] is -6"),
        ({"shape": (2, 3), "offset": -1}, "offset is -1"),
        ({"shape": None, "rank": 2}, "viewDims is null with 2 dims"),
    ],
)
def test_a_tensor_that_cannot_be_is_not_made(acl: Acl, wrong: dict[str, object], text: str) -> None:
    assert create(acl, **wrong) is None  # type: ignore[arg-type]
    assert text in (acl.text() or "")


@pytest.mark.parametrize("getter", GETTERS)
def test_a_null_tensor_or_result_is_refused(acl: Acl, getter: str) -> None:
    tensor, function = create(acl, (2,)), getattr(acl.opapi, getter)
    assert function(None, byref(void_p()), byref(c_uint64())) == 161001
    assert f"{getter}: tensor is null" in (acl.text() or "")
    assert function(void_p(tensor), None, None) == 161001
    assert f"{getter}: " in (acl.text() or "")
    assert acl.opapi.aclDestroyTensor(void_p(tensor)) == 0

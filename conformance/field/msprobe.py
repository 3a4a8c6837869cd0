"""Calls in msprobe's dumps: ``dump.json``, and ``dump_tensor_data/`` beside it.

An entry ``NPU.npu_moe_token_permute.0.forward`` has ``input_args``, ``input_kwargs`` and
``output``, a list of what was returned. A tensor there has its dtype, shape, ``Max`` and ``Min``,
and with task tensor the name of its file. Source: Ascend/msprobe,
docs/en/dump/pytorch_data_dump_instruct.md.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import ml_dtypes
import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from conformance.call.case import numpy_dtype
from conformance.catalogue import field as say
from conformance.errors import text_of
from conformance.field.foreign import (
    Call,
    Described,
    Item,
    NotRead,
    Row,
    attribute_of,
    dtype_of,
    field_of,
    shape_of,
)
from conformance.plain_file import read_plain

ENTRY = re.compile(r"NPU\.(?P<function>\w{1,100})\.(?P<number>\d{1,18})\.(?P<way>forward|backward)")
DATA = "dump_tensor_data"
FILE = re.compile(r"[\w.+-]{1,200}\.(npy|pt)", re.ASCII)
MOST_BYTES = 256 << 20
"""Of one file of values."""


def is_file(document: Any) -> bool:
    """Whether a decoded file is a dump.json."""
    return isinstance(document, dict) and isinstance(document.get("data"), dict)


def rows(document: Mapping[str, Any], folder: Path, most_elements: int) -> Iterator[Row]:
    """The NPU functions of a dump, or why an entry is no call of one; files lie in ``folder``."""
    for name, entry in document["data"].items():
        found = ENTRY.fullmatch(str(name))
        if found is None:
            continue
        try:
            if found["way"] == "backward":
                raise NotRead(say.BACKWARD())
            yield _call(name, found["function"], entry, folder, most_elements)
        except NotRead as error:
            yield str(name), error


def _call(name: str, function: str, entry: Any, folder: Path, most_elements: int) -> Call:
    if not isinstance(entry, dict):
        raise NotRead(say.NO_FIELD(name=name))
    places = [_item("", one, folder, most_elements) for one in field_of(entry, "input_args", list)]
    keywords = [
        _item(str(key), one, folder, most_elements)
        for key, one in field_of(entry, "input_kwargs", dict).items()
    ]
    told = entry.get("output")
    results = [_result(one, folder, most_elements) for one in told] if type(told) is list else []
    items, seed = (*places, *keywords), crc32(name.encode())
    return Call(name, name, function, items, "keywords", results=tuple(results), seed=seed)


def _result(told: Any, folder: Path, most_elements: int) -> Described | None:
    """A tensor that was returned, None if the dump does not have its values."""
    try:
        found = _item("", told, folder, most_elements).value
    except NotRead:
        return None
    return found if isinstance(found, Described) and found.values is not None else None


def _item(name: str, told: Any, folder: Path, most_elements: int) -> Item:
    if isinstance(told, list):
        return Item(name, attribute_of([_scalar(one) for one in told]), False)
    if told is None:
        return Item(name, None, False)
    kind = field_of(told, "type", str) if isinstance(told, dict) else ""
    if kind in ("torch.Tensor", "torch.nn.parameter.Parameter", "mindspore.Tensor"):
        return Item(name, _tensor(told, folder, most_elements), True)
    return Item(name, _scalar(told), False)


def _scalar(told: Any) -> Any:
    if not isinstance(told, dict):
        return attribute_of(told)
    if told.get("type") == "torch.dtype":
        return dtype_of(told.get("value"))
    return attribute_of(told.get("value"))


def _tensor(told: Mapping[str, Any], folder: Path, most_elements: int) -> Described:
    shape, dtype = shape_of(told.get("shape")), dtype_of(told.get("dtype"))
    one = Described(shape, dtype, "ND", None, _end(told.get("Min")), _end(told.get("Max")))
    if one.size > most_elements:
        raise NotRead(say.TOO_LARGE(size=one.size, most=most_elements))
    file = told.get("data_name")
    if not isinstance(file, str) or file == "-1":
        return one
    return Described(shape, dtype, "ND", _values(folder, file, one))


def _end(value: Any) -> float | None:
    known = isinstance(value, bool | int | float) and np.isfinite(value)
    return float(value) if known else None


def _values(folder: Path, file: str, one: Described) -> NDArray[Any] | None:
    """The values of a dumped tensor; None where its file is not there, as then only the statistics
    were sent. Raises `NotRead` for a file that is another tensor, or none."""
    if not FILE.fullmatch(file) or ".." in file:
        raise NotRead(say.FILE_NAME(file=repr(file[:60])))
    try:
        if (folder / DATA).is_symlink():
            raise NotRead(say.A_LINK(file=DATA))
        raw = read_plain(folder / DATA / file, MOST_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NotRead(say.UNREADABLE(file=file, why=str(error.strerror))) from error
    array = _of_torch(raw, file) if file.endswith(".pt") else _of_numpy(raw, file)
    array = _typed(array, one.dtype, file)
    if array.shape != one.shape:
        raise NotRead(say.OTHER_SHAPE(file=file, shape=str(array.shape), told=str(one.shape)))
    return np.ascontiguousarray(array)


def _of_numpy(raw: bytes, file: str) -> NDArray[Any]:
    """The array in a .npy file: its header says no more bytes than there are, and no objects."""
    text = io.BytesIO(raw)
    try:
        version = npy.read_magic(text)
        header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, by_columns, dtype = header(text)
        if dtype.hasobject or dtype.itemsize * math.prod(shape) != len(raw) - text.tell():
            raise ValueError(say.NO_ARRAY())
        flat: NDArray[Any] = np.frombuffer(raw, dtype, offset=text.tell())
        return flat.reshape(shape, order="F" if by_columns else "C")
    except (ValueError, EOFError, SyntaxError, MemoryError, TypeError) as error:
        raise NotRead(say.UNREADABLE(file=file, why=text_of(error)[:100])) from error


def _of_torch(raw: bytes, file: str) -> NDArray[Any]:
    """The values of a .pt file. PyTorch reads it without running anything (``weights_only``)."""
    try:
        import torch
    except ImportError as error:
        raise NotRead(say.NEEDS_TORCH(file=file)) from error
    try:
        found = torch.load(io.BytesIO(raw), map_location="cpu", weights_only=True)
        if found.dtype == torch.bfloat16:
            bits = found.detach().contiguous().view(torch.int16).numpy()
            return np.asarray(bits.view(ml_dtypes.bfloat16))
        return np.asarray(found.detach().numpy())
    except Exception as error:  # of a stranger's file torch may raise anything
        raise NotRead(say.UNREADABLE(file=file, why=str(error).partition("\n")[0][:100])) from error


def _typed(array: NDArray[Any], dtype: str, file: str) -> NDArray[Any]:
    """The array with the data type that the dump names; NumPy's own files of bfloat16 have none, or
    float32. Raises `NotRead` where a value would change."""
    wanted = numpy_dtype(dtype)
    if array.dtype == wanted:
        return array
    if array.dtype.kind == "V" and array.dtype.itemsize == wanted.itemsize:
        return array.view(wanted)
    if dtype == "bfloat16" and array.dtype == np.float32:
        narrow = array.astype(wanted)
        if np.array_equal(narrow.astype(np.float32), array, equal_nan=True):
            return narrow
    raise NotRead(say.OTHER_DTYPE(file=file, dtype=str(array.dtype), told=dtype))

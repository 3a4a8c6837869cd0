"""The fake operators of fake_ascend/opapi.c as records, and cases for them."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance import poison
from conformance.call.case import Case, Machine, Tensor, numpy_dtype
from conformance.record.clause import document
from conformance.record.contract import Copy, Index
from conformance.record.operator import AttributeParameter, Operator, TensorParameter

SOURCES = Path(__file__).parent / "fake_ascend"


def fake_operator(name: str) -> Operator:
    """The record of one fake operator: y = x + addend, int32."""
    return Operator(
        name=name,
        title=name,
        aclnn=f"aclnn{name}",
        sources=(),
        products=(),
        parameters=(
            TensorParameter("x", "x", "input"),
            AttributeParameter("addend", "addend"),
            TensorParameter("y", "y", "output"),
        ),
        modes=(),
        dtypes=("int32",),
        formula=lambda inputs, attributes: {"y": inputs["x"] + attributes["addend"]},
        contracts={},
        cases=lambda mode, dtype: st.nothing(),
    )


def fake_array_operator() -> Operator:
    """The record of FakeAddArray: an array of addends in place of one."""
    scalar = fake_operator("FakeAddArray")
    x, _, y = scalar.parameters
    addends = AttributeParameter("addends", "addends", "int array")
    return replace(scalar, parameters=(x, addends, y))


def fake_array_case(addends: tuple[int, ...] | None) -> Case:
    """x plus the sum of ``addends``; -1 for none."""
    return replace(fake_case(), attributes={"addends": addends})


def fake_case(
    values: tuple[int, ...] = (1, 2, 3, 4, 5, 6), addend: int = 10, machine: Machine | None = None
) -> Case:
    """x + addend for a one-dimensional x."""
    shape = (len(values),)
    return Case(
        operator="Fake",
        mode="plain",
        dtype="int32",
        attributes={"addend": addend},
        inputs={"x": Tensor(shape, "int32", values)},
        outputs={"y": Tensor(shape, "int32")},
        machine=machine,
    )


def count_operator(name: str) -> Operator:
    """The record of a fake that counts what is not 0 in the rows of an int8 or bool tensor."""
    return replace(
        fake_operator(name),
        parameters=(
            TensorParameter("x", "x", "input", ("int8", "bool")),
            TensorParameter("weights", "weights", "input", "int32", optional=True),
            AttributeParameter("shout", "shout", "bool"),
            TensorParameter("y", "y", "output", "int32"),
            TensorParameter("empty", "empty", "output", ("int8", "bool"), optional=True),
        ),
    )


def count_case(dtype: str = "int8", strides: tuple[int, ...] | None = None, shout: int = 0) -> Case:
    """Three rows with 1, 0 and 2 elements that are not 0; y has these strides."""
    values = (0, 1, 0, 0, 1, 1) if dtype == "bool" else (0, -1, 0, 0, 2, 127)
    return Case(
        operator="Fake",
        mode="plain",
        dtype="int32",
        attributes={"shout": shout},
        inputs={"x": Tensor((3, 2), dtype, values)},
        outputs={"y": Tensor((3, 1), "int32", strides=strides)},
    )


def move_case(
    word: int, dtype: str, shape: tuple[int, int] = (3, 2), left: int = 0, **placed: Any
) -> Case:
    """Rows whose elements hold a pattern are moved; the last ``left`` elements stay as they are.

    ``placed`` says how both tensors lie in their storages.
    """
    moved = "uint8" if dtype == "bool" else dtype  # of a bool a case lists 0 and 1 alone
    stored = np.empty(shape[0] * shape[1], numpy_dtype(moved))
    poison.fill(stored.view(np.uint8), word)
    values = stored if stored.dtype.kind in "iu" else stored.view(f"u{stored.itemsize}")
    return Case(
        operator="Fake",
        mode="plain",
        dtype=dtype,
        attributes={"addend": left},
        inputs={"x": Tensor(shape, moved, tuple(values.tolist()), **placed)},
        outputs={"y": Tensor(shape, dtype, **placed)},
    )


def move_operator(case: Case) -> Operator:
    """The record of FakeMove for a case: it does not know of the elements that are left out."""
    clause = document("y[i] is x[i].", "fake_ascend/opapi.c")
    counted = np.dtype(case.dtype).kind in "iu"
    return replace(
        fake_operator("FakeMove"),
        name=case.operator,
        formula=lambda inputs, attributes: {"y": inputs["x"]},
        contracts={"y": Index(clause) if counted else Copy(clause)},
    )


def compile_fakes(folder: Path) -> None:
    """Compile the fake libascendcl.so and libopapi.so into a folder."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler is not None, "the fake libraries need a C compiler"
    for name, needed in (("ascendcl", []), ("opapi", [f"-L{folder}", "-lascendcl"])):
        command = [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
        command += [f"-Wl,-soname,lib{name}.so", str(SOURCES / f"{name}.c")]
        subprocess.run([*command, "-o", str(folder / f"lib{name}.so"), *needed], check=True)

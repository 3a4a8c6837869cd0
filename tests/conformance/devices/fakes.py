"""The fake operators of fake_ascend/opapi.c as records, and cases for them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from hypothesis import strategies as st

from conformance.case import Case, Machine, Tensor
from conformance.operator import AttributeParameter, Operator, TensorParameter

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


def compile_fakes(folder: Path) -> None:
    """Compile the fake libascendcl.so and libopapi.so into a folder."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler is not None, "the fake libraries need a C compiler"
    for name, needed in (("ascendcl", []), ("opapi", [f"-L{folder}", "-lascendcl"])):
        command = [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
        command += [f"-Wl,-soname,lib{name}.so", str(SOURCES / f"{name}.c")]
        subprocess.run([*command, "-o", str(folder / f"lib{name}.so"), *needed], check=True)

"""A torch_npu that does not go with its torch, or lacks its metadata: the pip line that mends it.

Stand-ins for both packages: what is told does not depend on what is in them.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from device_kernels.toolchain import compiler
from tests.conformance.front_door import ROOT, Ended, conformance

SYMBOL = "libtorch_npu.so: undefined symbol: _ZN3c104impl3cow23materialize_cow_storageE"
ASKED = ("run", "--device", "sim", "--route", "torch_npu", "--operator", "moe_token_permute")


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder of packages: a torch that does not load, a torch_npu for torch 2.9."""
    folder = tmp_path / "packages"
    for name, text in (("torch", f"raise ImportError({SYMBOL!r})"), ("torch_npu", "")):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(text)
    library = folder / "torch_npu" / "lib" / "libtorch_npu.so"
    library.parent.mkdir()
    (tmp_path / "nothing.cpp").write_text("int nothing;")
    command = [compiler(), "-shared", "-fPIC", str(tmp_path / "nothing.cpp"), "-o", str(library)]
    subprocess.run(command, check=True)
    return folder


def with_metadata(packages: Path, **versions: str) -> None:
    for name, version in versions.items():
        folder = packages / f"{name}-{version}.dist-info"
        folder.mkdir()
        text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        (folder / "METADATA").write_text(text)


def run(packages: Path, *command: str) -> Ended:
    return conformance(*command, folder=packages.parent, PYTHONPATH=f"{ROOT}:{packages}")


def test_a_run_beside_another_torch_names_the_pip_line_and_not_the_symbol_alone(
    packages: Path,
) -> None:
    with_metadata(packages, torch="2.1.0", torch_npu="2.9.0")
    ended = run(packages, *ASKED)
    assert ended.status == 3, ended.err
    assert SYMBOL in ended.err
    advice = "torch is 2.1.0: python -m pip install 'torch==2.9.*'"
    assert advice in ended.err.splitlines()[-1]
    assert advice in run(packages, "doctor").out


def test_a_torch_npu_without_metadata_is_told_with_what_mends_it(packages: Path) -> None:
    ended = run(packages, *ASKED)
    assert ended.status == 3, ended.err
    assert "Traceback" not in ended.err
    advice = "torch_npu has no metadata (torch_npu-VERSION.dist-info): python -m pip install"
    assert advice in ended.err.splitlines()[-1]
    assert advice in run(packages, "doctor").out

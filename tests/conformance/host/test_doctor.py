"""The doctor: what this host has and lacks, what that prevents, and what to do."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest
from rich.cells import cell_len

from conformance.cli.main import main
from conformance.devices.finding import Finding
from conformance.errors import EnvironmentFailure
from conformance.host import doctor
from conformance.host.doctor import Diagnosis, examine
from device_kernels import toolchain
from tests.conformance.front_door import conformance


@pytest.fixture
def nothing_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    """No device opens, which spares the time of opening one."""

    def refuse(spec: str) -> None:
        raise EnvironmentFailure(f"no {spec} today")

    monkeypatch.setattr(doctor, "open_device", refuse)


def named(diagnosis: Diagnosis, name: str) -> Finding:
    (finding,) = [finding for finding in diagnosis.findings if finding.name == name]
    return finding


def test_a_host_that_can_simulate_is_well(tmp_path: Path) -> None:
    ended = conformance("doctor", "--json", folder=tmp_path)
    told = json.loads(ended.out)
    assert (ended.status, told["status"], told["devices"]) == (0, 0, ["sim"])
    found = {finding["name"]: finding["found"] for finding in told["findings"]}
    for name in ("python", "numpy", "hypothesis", "C++ compiler", "cmake", "build folder"):
        assert found[name]
    assert found["device sim"] == "simulated Ascend910B1, 48 vector cores"


def test_people_get_a_line_for_each_finding_and_what_to_do(tmp_path: Path) -> None:
    ended = conformance("doctor", folder=tmp_path, CXX="g++-0")
    assert ended.status == 3
    lines = ended.out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("  missing  C++ compiler"))
    assert lines[at].endswith("prevents building the simulated device")
    assert "install g++ 11 or newer" in lines[at + 1]
    assert lines[-1] == "nothing can be judged here"


@pytest.mark.usefixtures("nothing_opens")
def test_in_chinese_columns_are_as_straight_and_a_bundle_stays_english(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundled = ("--bundle", str(tmp_path / "host.zip"))
    assert main(["--lang", "zh", "doctor", "--out", str(tmp_path / "run"), *bundled]) == 3
    told = capsys.readouterr()
    lines = told.out.splitlines()
    assert "  正常  编译目录 " in told.out
    columns = [re.match(r"  (?:正常|缺少)  .*?\S {2,}", line) for line in lines]
    assert len({cell_len(one[0]) for one in columns if one is not None}) == 1
    assert lines[-1] == "此处无法判定"
    assert "发送前请先检查内容" in told.err
    with zipfile.ZipFile(tmp_path / "host.zip") as file:
        assert file.read("host/doctor.txt").decode().endswith("\nnothing can be judged here\n")


@pytest.mark.usefixtures("nothing_opens")
def test_where_nothing_opens_every_device_says_why(tmp_path: Path) -> None:
    diagnosis = examine(tmp_path)
    assert diagnosis.devices == ()
    assert named(diagnosis, "device sim").advice == "no sim today"
    assert named(diagnosis, "device npu").advice == "no npu today"


@pytest.mark.usefixtures("nothing_opens")
def test_a_missing_tool_is_named_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    present = {"make"}
    real = toolchain.tool
    monkeypatch.setattr(doctor, "tool", lambda name: real(name) if name in present else None)
    diagnosis = examine(tmp_path)
    assert named(diagnosis, "cmake").advice == "python -m pip install cmake ninja"
    assert named(diagnosis, "ninja").found.endswith("builds in its place")
    present.clear()
    assert named(examine(tmp_path), "ninja").advice == "python -m pip install ninja"


@pytest.mark.usefixtures("nothing_opens")
def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    finding = named(examine(tmp_path / "file" / "run"), "run folder")
    assert not finding.found
    assert finding.advice.endswith("choose another: --out DIR")


@pytest.mark.usefixtures("nothing_opens")
def test_signs_of_an_npu_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "DEVICE_NODES", tmp_path)
    (tmp_path / "davinci0").touch()
    (tmp_path / "davinci_manager").touch()
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path))
    diagnosis = examine(tmp_path)
    assert named(diagnosis, "NPU nodes").found == str(tmp_path / "davinci0")
    assert named(diagnosis, "CANN").found == str(tmp_path)
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path / "nowhere"))
    assert "is no folder" in named(examine(tmp_path), "CANN").advice

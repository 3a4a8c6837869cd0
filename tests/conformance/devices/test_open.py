"""A device opens as it was named, or the error says why not; nothing is simulated in silence."""

from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.util
from pathlib import Path

import pytest

from conformance.devices import open as opening
from conformance.devices.open import open_device
from conformance.errors import EnvironmentFailure


@pytest.fixture
def bare_host(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A host without any sign of an NPU; the folder stands in for /dev."""
    monkeypatch.delenv("ASCEND_HOME_PATH", raising=False)
    monkeypatch.setattr(opening, "DEVICE_NODES", tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    return tmp_path


def test_a_simulated_device_says_what_it_is(fake_libraries: Path) -> None:
    device = open_device("sim", libraries=fake_libraries)
    device.close()
    profile = device.profile
    assert profile.describe() == "simulated Ascend910B1, 48 vector cores"
    assert (profile.kind, profile.soc, profile.ub_bytes) == ("sim", "Ascend910B1", 196352)
    assert not profile.cast_mode.probed
    for name in ("libascendcl.so", "libopapi.so"):
        file = fake_libraries / name
        assert profile.libraries[name].path == str(file)
        assert profile.libraries[name].sha256 == hashlib.sha256(file.read_bytes()).hexdigest()


def test_the_soc_to_simulate_can_be_named(fake_libraries: Path) -> None:
    device = open_device("sim:Ascend910_9382", libraries=fake_libraries)
    device.close()
    assert device.profile.name == "simulated Ascend910_9382"


def test_auto_simulates_on_a_host_without_an_npu(bare_host: Path, fake_libraries: Path) -> None:
    device = open_device("auto", libraries=fake_libraries)
    device.close()
    assert device.profile.kind == "sim"


def test_auto_never_simulates_where_a_device_node_is(bare_host: Path) -> None:
    (bare_host / "davinci0").touch()
    with pytest.raises(EnvironmentFailure, match=r"davinci0, but no NPU opens: .*--device sim"):
        open_device("auto")


def test_auto_never_simulates_where_cann_is(
    bare_host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASCEND_HOME_PATH", "/nowhere")
    with pytest.raises(EnvironmentFailure, match=r"ASCEND_HOME_PATH=/nowhere, but no NPU opens"):
        open_device("auto")


def test_auto_never_simulates_where_torch_npu_is(
    bare_host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.machinery.ModuleSpec("torch_npu", None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: found)
    with pytest.raises(EnvironmentFailure, match="torch_npu, but no NPU opens"):
        open_device("auto")


def test_sim_by_name_simulates_where_cann_is(
    fake_libraries: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASCEND_HOME_PATH", "/nowhere")
    device = open_device("sim", libraries=fake_libraries)
    device.close()
    assert device.profile.kind == "sim"


def test_an_npu_number_beyond_the_devices_does_not_open(fake_libraries: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="device 7 does not exist: the runtime sees 1"):
        open_device("npu:7", libraries=fake_libraries)


def test_an_unknown_soc_is_wrong_usage(fake_libraries: Path) -> None:
    with pytest.raises(ValueError, match=r"'sim:Other': .*does not know SoC 'Other': .*known SoCs"):
        open_device("sim:Other", libraries=fake_libraries)


@pytest.mark.parametrize("spec", ["", "gpu", "sim:", "auto:1", "npu:", "npu:one", "npu:-1"])
def test_a_spec_that_names_no_device_is_wrong_usage(spec: str) -> None:
    with pytest.raises(ValueError, match=f"^device '{spec}'"):
        open_device(spec)


@pytest.mark.parametrize("limits", [{"time_limit": 0.0}, {"memory_limit": -1}])
def test_limits_are_positive(limits: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be positive"):
        open_device("sim", **limits)


def test_a_folder_without_libraries_is_named(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match=r"has no libascendcl\.so"):
        open_device("sim", libraries=tmp_path)


def test_a_library_that_does_not_load_is_named(tmp_path: Path) -> None:
    for name in ("libascendcl.so", "libopapi.so"):
        (tmp_path / name).write_text("no library")
    with pytest.raises(EnvironmentFailure, match=r"'sim' does not open: .*libascendcl\.so"):
        open_device("sim", libraries=tmp_path)

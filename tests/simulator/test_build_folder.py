"""Builds among temporary files: only where nothing else can be written, and never another's."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from device_kernels import build as build_module
from device_kernels.build import BuildError, cache_folder
from device_kernels.sources import Inputs, Keys
from device_kernels.steps import Steps


def test_an_installed_package_builds_into_the_users_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MOE_CONFORMANCE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(build_module, "ROOT", tmp_path / "site-packages" / "device_kernels")
    assert cache_folder() == tmp_path / "home" / "moe-conformance"
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "pyproject.toml").touch()
    assert cache_folder() == tmp_path / "site-packages" / "build"


def test_where_nothing_else_can_be_written_the_build_lies_among_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").write_text("no folder")
    monkeypatch.delenv("MOE_CONFORMANCE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(build_module, "ROOT", tmp_path / "site-packages" / "device_kernels")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = tmp_path / f"moe-conformance-{os.getuid()}"
    assert cache_folder() == folder
    build_module._check_owner(folder)
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("trap", ["open to others", "a link", "anothers"])
def test_a_temporary_folder_that_others_may_have_filled_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trap: str
) -> None:
    folder = tmp_path / "moe-conformance"
    folder.mkdir(mode=0o700)
    if trap == "open to others":
        folder.chmod(0o777)
    elif trap == "a link":
        folder.rename(tmp_path / "elsewhere")
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    with pytest.raises(BuildError, match="is not a folder that only this user can write"):
        build_module._check_owner(folder)


def test_a_finished_build_of_a_checkout_is_used_though_nothing_can_be_written_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MOE_CONFORMANCE_CACHE", raising=False)
    monkeypatch.setattr(build_module, "ROOT", tmp_path / "checkout" / "device_kernels")
    finished, cache = tmp_path / "checkout" / "build", tmp_path / "home"
    inputs = Inputs({}, "g++")
    steps = Steps(inputs, Keys("", "1" * 64, "", {}, "2" * 64), cache)
    whole = Steps(inputs, Keys("", "1" * 64, "", {}, "3" * 64), cache)
    (finished / steps.runtime.name / "lib").mkdir(parents=True)
    assert build_module._placed(steps, [whole]) == steps
    (finished / whole.opapi.name / "lib").mkdir(parents=True)
    assert build_module._placed(steps, [whole]).opapi == finished / whole.opapi.name
    (finished / steps.opapi.name / "lib").mkdir(parents=True)
    assert build_module._placed(steps, [whole]).opapi == finished / steps.opapi.name
    monkeypatch.setenv("MOE_CONFORMANCE_CACHE", str(cache))
    assert build_module._placed(steps, [whole]) == steps

"""A device with a package calls that package and nothing else; without one it keeps the order."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from conformance.devices import cards
from conformance.devices.open import open_device
from conformance.devices.packages.delivered import delivered
from conformance.devices.packages.lookup import ACLNN
from conformance.devices.packages.package import TILING
from conformance.errors import EnvironmentFailure
from tests.conformance.devices.fakes import fake_case, fake_operator
from tests.conformance.devices.packages.builds import adding_more, compiled
from tests.conformance.devices.packages.trees import package_tree

ADD = fake_operator("FakeAdd")
RIGHT = 11
"""The first element of what FakeAdd answers to the fake case."""


@pytest.fixture
def fakes(fake_libraries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The fake libraries, found by the loader on a host with one fake card."""
    (tmp_path / "locks").mkdir()
    monkeypatch.setenv(cards.FOLDER, str(tmp_path / "locks"))
    monkeypatch.setenv("FAKE_DEVICES", "1")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(fake_libraries))
    for name in (cards.VISIBLE, "ASCEND_CUSTOM_OPP_PATH", "ASCEND_OPP_PATH", "ASCEND_HOME_PATH"):
        monkeypatch.delenv(name, raising=False)
    return fake_libraries


def tree(root: Path, library: Path) -> Path:
    return package_tree(root, library, [("FakeAdd", "FakeAdd")])


def first_element(spec: str, package: Path | None = None, libraries: Path | None = None) -> int:
    """What the first element of FakeAdd's sum is on a device that is opened for it."""
    whole = delivered(package, [ADD])
    with closing(open_device(spec, libraries=libraries, package=whole)) as device:
        return int(device.run(ADD, fake_case()).outputs["y"][0])


def test_what_runs_is_the_package_and_not_the_library_beside_it(
    fakes: Path, tmp_path: Path
) -> None:
    wrong = tree(tmp_path / "wrong", adding_more(tmp_path / "more.so", 5, fakes))
    assert first_element("sim", wrong, fakes) == RIGHT + 5
    assert first_element("sim", None, fakes) == RIGHT


def test_the_device_process_is_told_of_this_package_alone(
    fakes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", "/others:/more")
    package = tree(tmp_path / "vendor", fakes / "libopapi.so")
    whole = delivered(package, [ADD])
    with closing(open_device("sim", libraries=fakes, package=whole)) as device:
        told = Path(f"/proc/{device._child.pid}/environ").read_bytes().split(b"\0")  # type: ignore[attr-defined]
    named = [one for one in told if one.startswith(b"ASCEND_CUSTOM_OPP_PATH=")]
    assert named == [f"ASCEND_CUSTOM_OPP_PATH={package}".encode()]


def test_functions_that_the_loader_finds_in_another_library_are_not_of_the_package(
    fakes: Path, tmp_path: Path
) -> None:
    needed = (f"-L{fakes}", "-Wl,--no-as-needed", "-lopapi", f"-Wl,-rpath,{fakes}")
    empty = compiled(tmp_path / "empty.so", "int nothing;", *needed)
    package = tree(tmp_path / "vendor", empty)
    with pytest.raises(EnvironmentFailure) as failure:
        first_element("sim", package, fakes)
    assert (
        f"aclnnFakeAddGetWorkspaceSize is not in {package / ACLNN}:"
        f" it resolves in {fakes / 'libopapi.so'}" in str(failure.value)
    )


def test_functions_that_are_nowhere_are_told(fakes: Path, tmp_path: Path) -> None:
    package = tree(tmp_path / "vendor", compiled(tmp_path / "empty.so", "int nothing;"))
    with pytest.raises(EnvironmentFailure, match=f"is not in {package / ACLNN}; export both"):
        first_element("sim", package, fakes)


def test_a_custom_library_that_comes_along_from_elsewhere_ends_it(
    fakes: Path, tmp_path: Path
) -> None:
    stranger = adding_more(tmp_path / "other" / "libcust_opapi_more.so", 1, fakes)
    needed = (f"-L{fakes}", "-lascendcl", "-Wl,--no-as-needed", str(stranger))
    source = (Path(__file__).parents[1] / "fake_ascend/opapi.c").read_text()
    package = tree(tmp_path / "vendor", compiled(tmp_path / "mine.so", source, *needed))
    with pytest.raises(EnvironmentFailure, match=f"{stranger} is loaded, too, and is not of it"):
        first_element("sim", package, fakes)


def test_on_an_npu_a_tiling_library_that_was_not_loaded_ends_it(
    fakes: Path, tmp_path: Path
) -> None:
    package = tree(tmp_path / "vendor", fakes / "libopapi.so")
    with pytest.raises(EnvironmentFailure, match=f"{TILING} was not loaded for aclnnFakeAdd: CANN"):
        first_element("npu", package, fakes)


def test_on_an_npu_a_package_whose_tiling_library_is_loaded_is_judged(
    fakes: Path, tmp_path: Path
) -> None:
    package = tree(tmp_path / "vendor", fakes / "libopapi.so")
    tiling = next(package.rglob(TILING))
    tiling.unlink()
    compiled(tiling, "int tiling;")
    source = (Path(__file__).parents[1] / "fake_ascend/opapi.c").read_text()
    needed = (f"-L{fakes}", "-lascendcl", "-Wl,--no-as-needed", str(tiling))
    (package / ACLNN).unlink()
    compiled(package / ACLNN, source, *needed)
    assert first_element("npu", package, fakes) == RIGHT


def test_an_npu_host_asks_its_four_sources_in_their_order(
    fakes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lib = tmp_path / "lib64"
    lib.mkdir()
    for path in fakes.glob("*.so"):
        (lib / path.name).write_bytes(path.read_bytes())
    monkeypatch.setenv("LD_LIBRARY_PATH", str(lib))
    assert first_element("npu") == RIGHT
    adding_more(lib / "libopapi_transformer.so", 1, fakes)
    assert first_element("npu") == RIGHT + 1
    vendors = tmp_path / "opp" / "vendors"
    adding_more(vendors / "second" / ACLNN, 2, fakes)
    adding_more(vendors / "first" / ACLNN, 3, fakes)
    (vendors / "config.ini").write_text("load_priority=second,first\n")
    monkeypatch.setenv("ASCEND_OPP_PATH", str(tmp_path / "opp"))
    assert first_element("npu") == RIGHT + 2
    adding_more(tmp_path / "named" / ACLNN, 4, fakes)
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", str(tmp_path / "named"))
    assert first_element("npu") == RIGHT + 4


def test_every_custom_library_that_was_loaded_is_in_the_profile(
    fakes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = [adding_more(tmp_path / name / ACLNN, 1, fakes) for name in ("one", "two")]
    folders = [str(path.parents[2]) for path in named]
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", ":".join(folders))
    with closing(open_device("npu")) as device:
        told = {name: library.path for name, library in device.profile.libraries.items()}
    assert told["libcust_opapi.so"] == str(named[0])
    assert told[str(named[1])] == str(named[1])


def test_a_custom_library_that_does_not_load_ends_it_and_one_of_canns_is_left_out(
    fakes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lib = tmp_path / "lib64"
    lib.mkdir()
    for path in fakes.glob("*.so"):
        (lib / path.name).write_bytes(path.read_bytes())
    (lib / "libopapi_broken.so").write_text("no library")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(lib))
    assert first_element("npu") == RIGHT
    broken = tmp_path / "named" / ACLNN
    broken.parent.mkdir(parents=True)
    broken.write_text("no library")
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", str(tmp_path / "named"))
    with pytest.raises(EnvironmentFailure, match=str(broken)):
        first_element("npu")


def test_an_npu_host_says_which_custom_library_it_passes_over(
    fakes: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    library = adding_more(tmp_path / "named" / ACLNN, 4, fakes)
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", str(tmp_path / "named"))
    monkeypatch.setattr(
        "conformance.devices.packages.lookup.owner_of", lambda path: os.getuid() + 1
    )
    assert first_element("npu") == RIGHT
    told = capsys.readouterr().err
    assert f"{library} (ASCEND_CUSTOM_OPP_PATH) is passed over: it is of user" in told

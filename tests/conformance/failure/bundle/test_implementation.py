"""What failed is what a replay calls: never something else in silence."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import pytest

from cases.operators.moe_init_routing_v2_grad import OPERATOR
from conformance.cli.main import main
from conformance.devices.device import DeviceProfile, Library, Origin, Trait
from conformance.devices.open import hashed
from conformance.errors import EnvironmentFailure
from conformance.evidence.implementation import (
    Implementation,
    check_called,
    compared,
    of_device,
    unusable,
)
from conformance.evidence.lines import DeviceLine, read_lines
from conformance.failure.replay import Replay, load, save
from device_kernels.build import build
from tests.conformance.failure.bundle.bundles import CASE, bundle
from tests.conformance.front_door import NAME, ONE_OPERATOR, conformance
from tests.conformance.toy_runs import Run

ON_SIMULATOR = ("--device", "sim")
PLUGIN = """
import dataclasses
import pytest
from conformance.devices.open import open_device

class Flipped:
    def __init__(self, inner):
        self.inner, self.profile = inner, inner.profile

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def run(self, operator, case):
        seen = self.inner.run(operator, case)
        for one in seen.outputs.values():
            one.view(f"u{one.dtype.itemsize}").reshape(-1)[:1] ^= 1
        return seen

@pytest.fixture(scope="session")
def device():
    opened = open_device("sim")
    yield Flipped(opened)
    opened.close()
"""


@pytest.fixture(scope="module")
def flipped(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What a run on a plugin's device told, and its folder."""
    folder = tmp_path_factory.mktemp("flipped")
    (folder / "flipping.py").write_text(PLUGIN)
    asked = ("run", *ONE_OPERATOR, "--out", "out", "--", "-p", "flipping", "-k", "examples and 1")
    ended = conformance(*asked, folder=folder, PYTHONPATH=f"{folder}:{Path.cwd()}")
    assert ended.status == 1, ended.err
    return ended.err, folder / "out"


@pytest.fixture
def libraries(tmp_path: Path) -> Path:
    """A folder of device libraries that is not the suite's."""
    folder = tmp_path / "lib"
    shutil.copytree(build(quiet=True).lib, folder)
    return folder


def of_libraries(folder: Path, sha256: str = "0" * 64) -> Implementation:
    return Implementation(source="libraries", place=str(folder), libraries={"libopapi.so": sha256})


def failed_on(folder: Path, implementation: Implementation) -> list[str]:
    """The arguments that replay a bundle of a call that failed on ``implementation``."""
    made = bundle(folder / "b", implementation=implementation)
    return ["replay", str(made), *ON_SIMULATOR]


def test_a_device_of_a_plugin_names_itself_and_nothing_is_judged_in_its_place(
    flipped: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    told, out = flipped
    (failure, *_) = sorted(out.glob("failures/*"))
    assert main(["replay", str(failure), *ON_SIMULATOR]) == 3
    words = "flipping.Flipped, a device of a pytest plugin (libopapi.so sha256 "
    said = capsys.readouterr().err
    assert f"nothing was judged: the implementation that failed is not here: {words}" in said
    assert "or name another one by --libraries, --package, --kernels, --implementation or" in said
    assert f"\ncalled: {words}" in told, "the run says what it really called"
    assert f"  called was {words}" in told, "and so does the failure"
    lines = [line for line in read_lines(out) if isinstance(line, DeviceLine)]
    assert lines[0].implementation.startswith(words)
    assert words in (out / "report.html").read_text()


def test_a_run_on_a_device_without_a_profile_does_not_pass_for_one_on_the_suite_s(
    run: Run,
) -> None:
    ended = run("-k", "careful and int64", toy="wrong")
    assert "\ncalled: a device that names neither itself nor its libraries\n" in ended.output
    (failure,) = ended.evidence.failures
    saved = load(ended.out / failure.case).implementation
    assert saved == Implementation(source="plugin", place="conftest.ToyDevice")


def test_another_implementation_is_judged_if_it_is_named_and_the_verdict_says_so(
    flipped: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    (failure, *_) = sorted(flipped[1].glob("failures/*"))
    words = f"another implementation: the suite's own kernels (lib{OPERATOR.name}.a sha256 "
    for asked in (["replay", str(failure)], ["run", "--case", str(failure / "case.json")]):
        assert main([*asked, *ON_SIMULATOR, "--own-kernels", "--json"]) == 0
        shown = capsys.readouterr()
        assert f"\n{words}" in shown.err
        assert " instead of flipping.Flipped, a device of a pytest plugin" in shown.err
        assert json.loads(shown.out)["implementation"].startswith(words)
        assert main([*asked, *ON_SIMULATOR]) == 3
        capsys.readouterr()


def test_libraries_that_failed_are_called_again_without_being_named(
    tmp_path: Path, libraries: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = build(quiet=True).lib
    known = of_device(DeviceOf(libraries)).operators["libopapi.so"]
    assert main(failed_on(tmp_path, of_libraries(libraries, known))) == 0
    said = capsys.readouterr().err
    assert f"\ncalled: the libraries in {libraries} (libopapi.so sha256 {known[:16]})" in said
    assert "another implementation" not in said
    assert "rebuilt since" not in said
    assert str(seen) not in said


def test_libraries_that_were_built_anew_in_their_place_are_judged_and_told_as_rebuilt(
    tmp_path: Path, libraries: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = failed_on(tmp_path, of_libraries(libraries))
    for named in ([], ["--libraries", str(libraries)]):
        assert main([*asked, *named]) == 0
        assert f"rebuilt since: libopapi.so was {'0' * 16}, is " in capsys.readouterr().err


def test_libraries_that_are_gone_end_the_replay_and_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(failed_on(tmp_path, of_libraries(tmp_path / "gone"))) == 3
    said = capsys.readouterr().err
    assert f"the libraries in {tmp_path / 'gone'} (libopapi.so sha256 {'0' * 16})" in said
    assert "there is no such folder. Name it by --libraries, or name another one" in said


def test_libraries_of_the_same_bytes_elsewhere_are_the_same_implementation(
    tmp_path: Path, libraries: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = of_device(DeviceOf(libraries)).operators["libopapi.so"]
    asked = failed_on(tmp_path, of_libraries(tmp_path / "gone", known))
    assert main([*asked, "--libraries", str(libraries)]) == 0
    assert "another implementation" not in capsys.readouterr().err


def test_nothing_that_lies_in_a_bundle_is_called_unless_it_is_named(
    tmp_path: Path, libraries: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "b" / "lib"
    asked = failed_on(tmp_path, of_libraries(mine))
    shutil.copytree(libraries, mine)
    assert main(asked) == 3
    assert "the folder lies in the bundle" in capsys.readouterr().err
    libraries.chmod(0o777)
    assert "others may write it" in unusable(str(libraries), tmp_path / "b")
    assert unusable("lib", tmp_path / "b") == "there is no such folder"
    elsewhere = (tmp_path / "elsewhere").resolve()
    elsewhere.mkdir()
    (tmp_path / "moved").symlink_to(elsewhere)
    moved = str(tmp_path.resolve() / "moved")
    assert unusable(moved, tmp_path / "b") == f"it leads to {elsewhere} now"


def test_the_suites_own_kernels_are_judged_again_after_an_edit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = Implementation(source="suite", libraries={"libopapi.so": "0" * 64})
    assert main(failed_on(tmp_path, before)) == 0
    assert f"rebuilt since: libopapi.so was {'0' * 16}, is " in capsys.readouterr().err


def test_cann_s_own_operators_are_not_judged_by_simulating_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cann = Implementation(source="npu", libraries={"libopapi.so": "0" * 64})
    asked = failed_on(tmp_path, cann)
    assert main(asked) == 3
    said = capsys.readouterr().err
    assert "not here: CANN's own operators" in said
    assert "this device calls the suite's own kernels" in said
    assert "Name it by --device npu" in said
    assert main([*asked, "--own-kernels"]) == 0


def test_a_case_that_names_no_implementation_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(Replay(CASE), tmp_path / "case.json")
    assert main(["run", "--case", str(tmp_path / "case.json"), *ON_SIMULATOR]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said[-1] == "the case does not say on what it failed"
    assert said[1].startswith("called: the suite's own kernels (libopapi.so sha256 ")


def test_a_saved_case_is_read_back_with_its_implementation(tmp_path: Path) -> None:
    saved = Replay(CASE, implementation=of_libraries(tmp_path))
    save(saved, tmp_path / "case.json")
    assert load(tmp_path / "case.json") == saved


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--own-kernels", "--libraries", "."), "does not go with --own-kernels"),
        (("--own-kernels", "--kernels", "."), "does not go with --own-kernels"),
        (
            ("--own-kernels", "--device", "npu"),
            "device is 'npu': --own-kernels needs the simulator",
        ),
        (("--kernels", "nowhere"), "allowed: a folder that exists"),
        (("--kernels", ".", "--device", "npu"), "--kernels needs the simulator"),
        (("--kernels", ".", "--package", "."), "does not go with --kernels"),
    ],
)
def test_what_does_not_go_together_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str
) -> None:
    assert main(["replay", str(bundle(tmp_path / "b")), *arguments]) == 2
    assert words in capsys.readouterr().err


class DeviceOf:
    """A device as `open_device` makes it, without its process."""

    __module__ = "conformance.devices.fake"

    def __init__(self, libraries: Path | None = None, origin: Origin | None = None) -> None:
        place = str(libraries)
        shown = {"libopapi.so": Library(place, "1" * 64), "libascendcl.so": Library("", "2" * 64)}
        if libraries is not None:
            file = libraries / "libopapi.so"
            shown["libopapi.so"] = Library(str(file), hashed(file))
        unknown = Trait("unknown")
        self.profile = DeviceProfile(
            name="a device",
            kind="sim",
            soc="Ascend910B1",
            vector_cores=48,
            ub_bytes=None,
            cann="unknown",
            libraries=shown,
            cast_mode=unknown,
            flush_to_zero=unknown,
            overflow_mode=unknown,
            origin=origin or Origin("libraries", place),
        )


def test_kernels_beside_a_record_are_told_from_the_suite_s(tmp_path: Path) -> None:
    (tmp_path / "kernels" / "mine").mkdir(parents=True)
    own = str((Path.cwd() / "device_kernels" / "kernels").resolve())
    both = DeviceOf(origin=Origin("built", folders=(own, str(tmp_path / "kernels"))))
    mine, suites = of_device(both, "mine"), of_device(both, OPERATOR.name)
    assert (mine.source, mine.place) == ("kernels", str(tmp_path / "kernels"))
    assert suites.source == "suite"
    alone = of_device(DeviceOf(origin=Origin("built")), NAME)
    changed = replace_libraries(alone, "3" * 64)
    assert compared(suites, changed) == "", "other kernels were built beside it: not comparable"
    assert compared(alone, changed).startswith("rebuilt since: libopapi.so was 1111111111111111")
    told = compared(mine, changed)
    assert told.startswith("another implementation: the suite's own kernels (libopapi.so sha256 33")
    assert f" instead of the kernels in {tmp_path / 'kernels'} (" in told
    with pytest.raises(EnvironmentFailure, match="Name it by --operators"):
        check_called(mine, alone)


def test_an_operator_is_the_same_whichever_others_are_linked_with_it() -> None:
    """Its archive tells it apart, not the library that all are linked in."""
    archive = f"lib{OPERATOR.name}.a"

    def built(library: str, own: str) -> Implementation:
        device = DeviceOf(origin=Origin("built"))
        hashes = {"libopapi.so": library, archive: own, "libanother.a": library}
        shown = {name: Library("", sha * 64) for name, sha in hashes.items()}
        device.profile = dataclasses.replace(
            device.profile, libraries={**device.profile.libraries, **shown}
        )
        return of_device(device, OPERATOR.name)

    alone, beside, edited = built("1", "5"), built("2", "5"), built("1", "6")
    assert compared(alone, beside) == ""
    assert compared(alone, edited) == f"rebuilt since: {archive} was {'5' * 16}, is {'6' * 16}"
    assert list(alone.operators) == [archive]


def replace_libraries(one: Implementation, sha256: str) -> Implementation:
    return Implementation(
        source=one.source,
        place=one.place,
        beside=one.beside,
        libraries={**one.libraries, "libopapi.so": sha256},
    )

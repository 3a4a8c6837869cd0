"""Settings under which the simulator checks less are told, whoever has made them."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from conformance.cli.main import main
from conformance.devices.open import open_device, simulator_libraries
from conformance.devices.traits import FILE, LibraryTraits, loosened, loosened_lines
from tests.conformance.gate.asking import gate
from tests.conformance.gate.runs import device, run

LEVEL, TOLERATED = "ASCENDSIM_SYNC_LEVEL", "ASCENDSIM_TOLERATED"


@pytest.mark.parametrize(
    ("traits", "environment", "told"),
    [
        (LibraryTraits(), {}, {}),
        (LibraryTraits(), {LEVEL: "vector", TOLERATED: ""}, {}),
        (LibraryTraits(), {LEVEL: "none"}, {LEVEL: "none"}),
        (
            LibraryTraits(sync_level="none", tolerated=("a", "b")),
            {},
            {LEVEL: "none", TOLERATED: "a,b"},
        ),
        (LibraryTraits(sync_level="none"), {LEVEL: "vector"}, {}),
    ],
)
def test_what_loosens_the_checks_is_the_environment_else_what_the_libraries_say(
    traits: LibraryTraits, environment: dict[str, str], told: dict[str, str]
) -> None:
    assert loosened(traits, environment) == told


@pytest.mark.slow
def test_a_file_beside_judged_libraries_that_loosens_their_checks_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    libraries = Path(shutil.copytree(simulator_libraries(None), tmp_path / "lib"))
    (libraries / FILE).write_bytes(msgspec.json.encode(LibraryTraits(tolerated=("race",))))
    with closing(open_device("sim", libraries=libraries)) as opened:
        assert opened.profile.loosened == {TOLERATED: "race"}
    asked = [
        "run",
        "--device",
        "sim",
        "--libraries",
        str(libraries),
        "--out",
        str(tmp_path / "out"),
    ]
    main([*asked, "--operator", "moe_token_permute", "--", "-k", "test_examples and float32"])
    line = f"checked less than by itself: {TOLERATED}=race"
    assert capsys.readouterr().err.splitlines().count(line) == 2, "at the head and at the end"


def test_the_gate_notes_it(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", on=device(loosened={LEVEL: "none"}))
    judgement, text = gate(folder)
    assert judgement.status == 0
    assert f"checked less than by itself: {LEVEL}=none" in text
    assert list(loosened_lines([None, {}, {LEVEL: "none"}, {LEVEL: "none"}])) == [
        f"checked less than by itself: {LEVEL}=none"
    ]

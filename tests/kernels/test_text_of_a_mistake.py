"""The README's picture is what a run says of a compiled kernel with a seeded mistake.

One fixed call on one fixed machine is judged: how far a search for a smaller one gets depends on
how busy the host is.
"""

from __future__ import annotations

import shlex
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from cases.operators.moe_init_routing_v2_grad import OPERATOR, call
from conformance.call.case import Machine
from conformance.cli.main import main
from conformance.devices.open import open_device
from conformance.devices.traits import LibraryTraits
from conformance.draw.profiles import PROFILES
from conformance.judge.by_standard import ByStandard
from conformance.judge.calls import judge
from conformance.judge.judged import Judged
from conformance.session.failure_text import tell
from conformance.session.search_budget import SearchBudget
from conformance.session.trial import Trial
from conformance.text.command_lines import VARIABLE
from conformance.values.fill import Fill
from tests.kernels.mutation_run import MUTANTS, build_mutant
from tests.project.picture import SNAPSHOT
from tests.snapshots import pinned

SMOKE = PROFILES["smoke"]
(MUTANT,) = (one for one in MUTANTS[OPERATOR.name] if one.name == "dropped-marker-taken-as-row-0")
CASE = call(
    "drop_pad",
    "float16",
    source=(2, 3, 4),
    indices=(2, 4, 5, -1, 1, 3, -1, 0),
    top_k=2,
    fill=Fill(("address",), seed=2),
    machine=Machine(1, 1024),
)
"""Four tokens of two slots each; the second and the fourth have a slot that was dropped."""


def of_a_run(out: Path) -> SimpleNamespace:
    """What a run without options knows of itself."""
    return SimpleNamespace(
        out=out,
        files=out,
        worker="main",
        profile=SMOKE,
        seed=0,
        time_limit=SMOKE.time_limit,
        device="auto",
        route="aclnn",
        directories=(),
        libraries=None,
        package=None,
        functions=None,
        against=None,
        traits=LibraryTraits(),
        by_standard=ByStandard(),
        operators=(OPERATOR,),
        records={OPERATOR.name: OPERATOR},
    )


def test_the_text_of_a_dropped_slot_that_is_read_as_row_0_and_its_replay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, "python -m conformance")
    monkeypatch.chdir(tmp_path)
    lib = build_mutant(OPERATOR, MUTANT, tmp_path)
    with closing(open_device("sim", time_limit=SMOKE.time_limit, libraries=lib)) as device:
        seen = device.run(OPERATOR, CASE)
        trial = Trial(lambda *_: None, SearchBudget(0.0))
        trial.smallest = Judged(CASE, seen, judge(OPERATOR, CASE, seen))
        context = of_a_run(tmp_path / "reports" / "latest")
        line = tell(trial, trial.smallest, context, "test_values", device)  # type: ignore[arg-type]
    pinned(SNAPSHOT, line.text)

    command = shlex.split(line.text.splitlines()[-1].removeprefix("  replay: "))
    assert command[:4] == ["python", "-m", "conformance", "replay"]
    assert main(command[3:]) == 1
    assert line.headline in capsys.readouterr().err
    assert main([*command[3:], "--own-kernels"]) == 0

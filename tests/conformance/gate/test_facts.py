"""What of a run is compared: calls with a name, each once, and nothing that was drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.evidence import provenance
from conformance.evidence.reading import read_run, whole
from conformance.gate.facts import Facts, facts
from tests.conformance.gate.runs import device, every_cell, example, run, verdict


def found(folder: Path) -> Facts:
    return facts(whole(read_run(folder)))


def test_named_calls_are_those_of_documents_rejections_and_the_corpus(tmp_path: Path) -> None:
    lines = every_cell(
        verdict("r", judged_as="rejection", name="no experts", item="t::r[x]"),
        verdict("c", name="corpus-1-7"),
        verdict("d"),
    )
    assert list(found(run(tmp_path / "run", lines)).named) == [
        "permute/example/README",
        "permute/rejection/no experts",
        "permute/values/corpus-1-7",
    ]


def test_what_was_drawn_shrunk_only_observed_or_not_made_is_not_compared(tmp_path: Path) -> None:
    lines = every_cell(
        verdict("q", judged_as="quarantine", name="in doubt", item="t::q[permute-in_doubt]"),
        verdict("l", judged_as="relation", name="other sign", item="t::l[x]"),
        verdict("s", name="shrunk", phase="shrink"),
        verdict("n", name="too large", outcome="not possible here"),
    )
    assert list(found(run(tmp_path / "run", lines)).named) == ["permute/example/README"]


@pytest.mark.parametrize("order", [(True, False), (False, True), (False, False)])
def test_a_named_call_that_was_refused_once_counts_as_refused(
    tmp_path: Path, order: tuple[bool, bool]
) -> None:
    lines = every_cell(
        *(example("two", "e2", ok=ok, headline=None if ok else "wrong") for ok in order)
    )
    assert found(run(tmp_path / "run", lines)).named["permute/example/two"].ok is False


def test_driver_and_torch_npu_are_no_part_of_what_was_simulated(tmp_path: Path) -> None:
    told = {"driver": "25.0", "torch_npu": "2.7", "corpus": "3"}
    simulated = found(run(tmp_path / "sim", provenance=told)).key
    assert (simulated.driver, simulated.torch_npu, simulated.corpus) == ("none", "none", "3")
    real = found(run(tmp_path / "npu", provenance=told, on=device(kind="npu"))).key
    assert str(real) == (
        "Ascend910B1, CANN 8.5.0, driver 25.0, torch_npu 2.7, route aclnn, corpus 3"
    )


@pytest.mark.parametrize(
    ("text", "version"),
    [("Version=25.0.rc1\nascendhal_version=7", "25.0.rc1"), ("nothing", None), (None, None)],
)
def test_the_drivers_version_is_what_its_installer_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, version: str | None
) -> None:
    file = tmp_path / "version.info"
    if text is not None:
        file.write_text(text)
    monkeypatch.setattr(provenance, "DRIVER", file)
    assert provenance.provenance(tmp_path)["driver"] == version

"""The answer of the gate to a run with much wrong in it is pinned, word for word."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from conformance.catalogue.message import changed
from tests.conformance.gate.asking import accepted, gate, waiver
from tests.conformance.gate.cheats import (
    Folder,
    clause_unconfirmed,
    errors_deleted,
    file_added,
    honest,
    lines_swapped,
    relabelled_as_quarantine,
)
from tests.conformance.gate.runs import (
    OPERATOR,
    device,
    every_cell,
    example,
    order,
    refused,
    run,
    seal_anew,
    verdict,
)
from tests.snapshots import pinned

SNAPSHOTS = Path(__file__).parents[1] / "snapshots"
WAIVERS = (
    waiver()
    + waiver(where='mode == "whole"', intermittent=True, reason="lost flags", owner="runtime team")
    + waiver(where="top_k == 4", expires=date(2026, 1, 31))
    + waiver(device="Ascend310P*")
)


def test_the_text_of_a_rejected_run(tmp_path: Path) -> None:
    before = every_cell(
        example("second", "e2", tiling_key=3), example("third", "e3"), example("fourth", "e4")
    )
    accepted(tmp_path / "b", run(tmp_path / "before", before), "main")
    now = [line for line in every_cell() if not hasattr(line, "merges")]
    now = [line for line in now if getattr(line, "digest", "") != "tailfloat32"]
    now += [
        order("pairwise"),
        example("second", "e2", tiling_key=4, workspace_bytes=4096),
        example("third", "e3", exact=97),
        refused(),
        refused(
            "bf",
            item=f"t.py::test_values[{OPERATOR}-tail-float32]",
            dtype="float32",
            shapes={"tokens": (4, 64)},
            headline="permute, tail, float32: crashed.",
        ),
        verdict("flaky", ok=False, headline="permute, whole, float16: 1 element is wrong."),
    ]
    folder = run(tmp_path / "now", now, on=device(), errors={"t.py::test_rejections[x]": "E: no"})
    _, text = gate(folder, WAIVERS, baselines=tmp_path / "b", require_device="npu", changed=True)
    pinned(SNAPSHOTS / "gate_rejected.txt", text)


def test_the_text_of_a_folder_that_was_edited(tmp_path: Path) -> None:
    folder = Folder(honest(tmp_path / "run"))
    for cheat in (lines_swapped, errors_deleted, file_added, clause_unconfirmed):
        cheat(folder)
    text = here(gate(folder.path)[1], tmp_path)
    pinned(SNAPSHOTS / "gate_corrupted.txt", text)


def test_the_text_of_a_folder_that_was_edited_and_sealed_anew(tmp_path: Path) -> None:
    folder = Folder(honest(tmp_path / "run"))
    for cheat in (errors_deleted, relabelled_as_quarantine):
        cheat(folder)
    text = here(gate(seal_anew(folder.path))[1], tmp_path)
    pinned(SNAPSHOTS / "gate_corrupted_and_sealed.txt", text)


def here(text: str, folder: Path) -> str:
    """A text with the same word for a folder that is another one each time."""
    return changed(text, lambda plain: plain.replace(str(folder), "HERE"))

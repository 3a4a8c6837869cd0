"""Asking the gate: a run, a baseline, waivers; its answer and its text."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from conformance.catalogue.message import row
from conformance.evidence.reading import read_run, whole
from conformance.gate import baseline as baselines
from conformance.gate.decide import Asked, decide
from conformance.gate.facts import facts
from conformance.gate.judgement import Judgement
from conformance.gate.report import gate_lines
from conformance.gate.waivers import read_waivers
from tests.conformance.gate.runs import OPERATOR

TODAY = date(2026, 3, 1)


def accepted(place: Path, folder: Path, name: str | None = None, **more: Any) -> str:
    """Accept a run as a baseline in ``place``; returns its name."""
    found = facts(whole(read_run(folder)))
    chosen = name or baselines.default_name(found)
    baselines.accept(place, chosen, found, "A. Engineer", "first light", more.get("measured", []))
    return chosen


def gate(folder: Path, waivers: str = "", **asked: Any) -> tuple[Judgement, str]:
    """The gate's answer, and its text, without a baseline unless one is asked for."""
    contracts = ()
    if waivers:
        path = folder / "waivers.toml"
        path.write_text(waivers)
        contracts = read_waivers(path)
    made: dict[str, Any] = {"compares": "baselines" in asked, "today": TODAY, **asked}
    judgement = decide(Asked(folder=folder, waivers=contracts, **made))
    return judgement, row(gate_lines(judgement), "\n")


def waiver(**changed: object) -> str:
    """A waiver of the failures that `refused` makes."""
    told: dict[str, object] = {
        "operator": OPERATOR,
        "where": 'mode == "tail" and tokens.shape[0] > 1024',
        "device": "sim",
        "reason": "the last range is dropped",
        "owner": "kernel team",
        "link": "https://example.org/issues/7",
        "expires": date(2026, 12, 31),
        **changed,
    }
    lines = (
        f"{name} = {value}"
        if isinstance(value, date)
        else f"{name} = {msgspec.json.encode(value).decode()}"
        for name, value in told.items()
    )
    return "[[waiver]]\n" + "\n".join(lines) + "\n"

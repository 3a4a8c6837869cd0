"""Cheats: what somebody does to the folder of a run, so that a failure in it is not seen.

``ALONE`` leave the seal as it was. ``SEALED`` are of one who knows how a folder is sealed, and
seals it anew; what is found then are lines and fields that go together in no run.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from conformance.evidence.coverage import Coverage
from tests.conformance.gate.runs import (
    OPERATOR,
    every_cell,
    refused,
    run,
    seal_anew,
    verdict,
)

Line = dict[str, Any]
DOUBT = "permute, tail, float16, in doubt: carried out as the contract says [in doubt: d]"
ERROR = "t.py::test_values[permute-whole-bfloat16]"
COVERAGE = Coverage(
    operator=OPERATOR,
    mode="whole",
    dtype="float16, float32",
    strength=2,
    levels={
        "dtype": {"float16": 1, "float32": 0},
        "family": {"nan": 1, "zero": 0},
        "routing": {"even": 1, "skewed": 1},
    },
    tuples=9,
    missing=[f"combination {number}" for number in range(4)],
    edges={"float16: hidden at 64": 1, "float32: hidden at 64": 0},
)
"""Of a cell of which one case shows five pairs and an edge."""
MAIN, OTHER = "evidence.main.jsonl", "evidence.gw1.jsonl"


def honest(place: Path, **changed: Any) -> Path:
    """A run of two processes: one failure, one call in quarantine, one item that ended in an error,
    one card that was lost."""
    doubtful = verdict(
        "doubt",
        judged_as="quarantine",
        name="in doubt",
        item=f"cases/test_quarantine.py::test_quarantine[{OPERATOR}-in_doubt]",
        headline=DOUBT,
        elements=0,
        exact=0,
        mode="tail",
    )
    other = verdict(
        "gw1", worker="gw1", item=f"cases/test_values.py::test_more[{OPERATOR}-whole-float16]"
    )
    levels = {"family": ("nan",), "routing": ("even", "skewed"), "edge": ("hidden at 64",)}
    shown = verdict("shown", levels=levels, machine=None)
    lines = every_cell(refused(), doubtful, other, shown)
    told: dict[str, Any] = {"errors": {ERROR: "TypeError: no"}, "coverage": [COVERAGE], **changed}
    return run(place, lines, **told)


@dataclass
class Folder:
    """The folder of a run in the hands of somebody else."""

    path: Path

    def lines(self, name: str = MAIN) -> list[Line]:
        return [msgspec.json.decode(raw) for raw in (self.path / name).read_bytes().splitlines()]

    def raw(self, name: str = MAIN) -> list[bytes]:
        return (self.path / name).read_bytes().splitlines(keepends=True)

    def put(self, lines: list[bytes], name: str = MAIN) -> None:
        (self.path / name).write_bytes(b"".join(lines))

    def at(self, kind: str, **fields: Any) -> int:
        """The number, from 0, of the only line of that kind with these fields."""
        (found,) = [
            number
            for number, line in enumerate(self.lines())
            if line["kind"] == kind and all(line.get(name) == v for name, v in fields.items())
        ]
        return found

    def change(self, number: int, **fields: Any) -> None:
        """Change fields of a line and nothing else of it."""
        raw = self.raw()
        for name, value in fields.items():
            before = msgspec.json.encode({name: self.lines()[number][name]})[1:-1]
            after = msgspec.json.encode({name: value})[1:-1]
            assert raw[number].count(before) == 1, before
            raw[number] = raw[number].replace(before, after)
        self.put(raw)

    def drop(self, *numbers: int) -> None:
        self.put([raw for number, raw in enumerate(self.raw()) if number not in numbers])

    @property
    def summary(self) -> Line:
        told: Line = msgspec.json.decode((self.path / "evidence.json").read_bytes())
        return told

    def tell(self, **fields: Any) -> None:
        """Change fields of the summary."""
        told = {**self.summary, **fields}
        (self.path / "evidence.json").write_bytes(msgspec.json.encode(told))

    def count(self) -> None:
        """Make the cells of the summary say what the lines say now."""
        told = self.summary
        good = [line for line in self.lines() if line["kind"] == "verdict" and line["ok"]]
        for cell in told["cells"]:
            mine = [
                line
                for line in good
                if (line["operator"], line["mode"], line["dtype"])
                == (cell["operator"], cell["mode"], cell["dtype"])
                and line["judged_as"] != "quarantine"
            ]
            if cell["mode"] == "tail":
                cell.update(cases=len(mine), failed=0, elements=100 * len(mine))
                cell.update(exact=cell["elements"], share_exact=1.0)
                cell["seconds"] = 0.01 * len(mine)
        cases = sum(cell["cases"] for cell in told["cells"])
        self.tell(cells=told["cells"], cases=cases)


Cheat = Callable[[Folder], None]


def failing_line_lost(folder: Folder) -> None:
    folder.drop(folder.at("verdict", digest="bad"))
    folder.tell(failures=[], exit_status=0)
    folder.count()


def accepted_line_lost(folder: Folder) -> None:
    folder.drop(folder.at("verdict", digest="tailfloat32"))


def last_line_lost(folder: Folder) -> None:
    folder.put(folder.raw()[:-1])


def line_added(folder: Folder) -> None:
    raw = folder.raw()
    folder.put([*raw, raw[folder.at("verdict", digest="tailfloat32")]])


def failing_line_made_good(folder: Folder) -> None:
    number = folder.at("verdict", digest="bad")
    folder.change(number, ok=True)


def lines_swapped(folder: Folder) -> None:
    raw = folder.raw()
    raw[2], raw[3] = raw[3], raw[2]
    folder.put(raw)


def file_lost(folder: Folder) -> None:
    (folder.path / OTHER).unlink()


def file_added(folder: Folder) -> None:
    shutil.copy(folder.path / OTHER, folder.path / "evidence.gw2.jsonl")


def file_emptied(folder: Folder) -> None:
    (folder.path / OTHER).write_bytes(b"")


def file_named_otherwise(folder: Folder) -> None:
    (folder.path / OTHER).rename(folder.path / "evidence.gw3.jsonl")


def errors_deleted(folder: Folder) -> None:
    folder.tell(errors={})


def failures_emptied(folder: Folder) -> None:
    folder.tell(failures=[])


def environment_deleted(folder: Folder) -> None:
    told = folder.summary
    told.pop("lost_cards")
    (folder.path / "evidence.json").write_bytes(msgspec.json.encode(told))


def unjudged_deleted(folder: Folder) -> None:
    folder.tell(declared=1, coverage=[], unjudged=[], limits=[])
    folder.tell(device="npu:0")


def clause_unconfirmed(folder: Folder) -> None:
    folder.change(folder.at("verdict", digest="bad"), unconfirmed=["ties keep order"])


def relabelled_as_quarantine(folder: Folder) -> None:
    folder.change(folder.at("verdict", digest="bad"), judged_as="quarantine")
    folder.tell(failures=[], exit_status=0)
    folder.count()


def seal_taken_off(folder: Folder) -> None:
    told = folder.summary
    told.pop("seal", None)
    (folder.path / "evidence.json").write_bytes(msgspec.json.encode({**told, "errors": {}}))


ALONE: list[tuple[Cheat, str]] = [
    (failing_line_lost, f"{MAIN}, line 8: line 8 of the run is missing before it"),
    (accepted_line_lost, f"{MAIN}, line 5: line 5 of the run is missing before it"),
    (last_line_lost, f"{MAIN}: line 17 of the run is missing at its end"),
    (line_added, f"{MAIN}, line 18: it is line 5 of the run, out of its place"),
    (failing_line_made_good, f"{MAIN}, line 8: it was changed"),
    (lines_swapped, f"{MAIN}, line 3: line 3 of the run is missing before it"),
    (file_lost, f"{OTHER} is missing"),
    (file_added, "evidence.gw2.jsonl is no file of this run"),
    (file_emptied, f"{OTHER}: lines 1 to 2 of the run are missing at its end"),
    (file_named_otherwise, "evidence.gw3.jsonl is no file of this run"),
    (errors_deleted, "evidence.json: changed in it after the run had ended: errors"),
    (failures_emptied, "evidence.json: changed in it after the run had ended: failures"),
    (environment_deleted, "evidence.json: missing from it after the run had ended: lost_cards"),
    (
        unjudged_deleted,
        "evidence.json: changed in it after the run had ended: coverage, declared, device",
    ),
    (clause_unconfirmed, f"{MAIN}, line 8: it was changed"),
    (relabelled_as_quarantine, f"{MAIN}, line 8: it was changed"),
    (seal_taken_off, "evidence.json has no seal"),
]


def resealed(cheat: Cheat) -> Cheat:
    """The cheat of one who seals the folder anew."""

    def both(folder: Folder) -> None:
        cheat(folder)
        seal_anew(folder.path)

    both.__name__ = cheat.__name__
    return both


def relabelled_and_made_good(folder: Folder) -> None:
    number = folder.at("verdict", digest="bad")
    folder.change(number, judged_as="quarantine", ok=True)
    folder.drop(folder.at("failure"))
    item = folder.at("item", outcome="refused")
    folder.change(item, outcome="accepted")
    headline = folder.lines()[number]["headline"]
    folder.tell(failures=[], exit_status=0, observed=[headline, DOUBT])
    folder.count()


def failure_dropped_everywhere(folder: Folder) -> None:
    folder.drop(folder.at("failure"))
    folder.tell(failures=[], exit_status=0)


def item_made_accepted(folder: Folder) -> None:
    folder.change(folder.at("item", outcome="refused"), outcome="accepted")


def failing_and_failure_lost(folder: Folder) -> None:
    folder.drop(folder.at("verdict", digest="bad"), folder.at("failure"))
    folder.tell(failures=[], exit_status=0)
    folder.count()


def item_lost(folder: Folder) -> None:
    mine = [
        number
        for number, line in enumerate(folder.lines())
        if "permute-tail-float16" in line.get("item", "")
    ]
    folder.drop(*mine)
    folder.tell(failures=[], exit_status=0)
    folder.count()


def request_emptied(folder: Folder) -> None:
    told = folder.summary["request"]
    told.pop("items")
    folder.tell(request=told, errors={})


def made_good_and_all_that_tells_of_it(folder: Folder) -> None:
    folder.change(folder.at("verdict", digest="bad"), ok=True)
    folder.change(folder.at("item", outcome="refused"), outcome="accepted")
    folder.drop(folder.at("failure"))
    folder.tell(failures=[], exit_status=0)
    folder.count()
    cells = folder.summary["cells"]
    for cell in cells:
        if (cell["mode"], cell["dtype"]) == ("tail", "float16"):
            cell.update(cases=2, elements=200, exact=200)
    folder.tell(cells=cells, cases=sum(cell["cases"] for cell in cells))


def coverage_emptied(folder: Folder) -> None:
    (told,) = folder.summary["coverage"]
    folder.tell(coverage=[{**told, "missing": told["missing"][1:]}])


def edge_met(folder: Folder) -> None:
    (told,) = folder.summary["coverage"]
    folder.tell(coverage=[{**told, "edges": dict.fromkeys(told["edges"], 1)}])


def level_met(folder: Folder) -> None:
    (told,) = folder.summary["coverage"]
    levels = {**told["levels"], "family": {"nan": 1, "zero": 2}}
    folder.tell(coverage=[{**told, "levels": levels}])


def another_headline(folder: Folder) -> None:
    told = folder.summary["failures"]
    told[0]["headline"] = "nothing to see"
    folder.tell(failures=told)


def an_npu_in_the_summary(folder: Folder) -> None:
    (told,) = folder.summary["devices"]
    folder.tell(devices=[{**told, "profile": {**told["profile"], "kind": "npu"}}])


def cells_dropped(folder: Folder) -> None:
    told = folder.summary["cells"]
    folder.tell(cells=[one for one in told if one["cases"]][1:])


def coverage_dropped(folder: Folder) -> None:
    folder.tell(coverage=[])


def another_profile(folder: Folder) -> None:
    folder.tell(profile="nightly")


def operators_dropped(folder: Folder) -> None:
    folder.tell(request={**folder.summary["request"], "operator": "permute, unpermute"})


def no_parts(folder: Folder) -> None:
    folder.tell(parts=-1)


SHARED = "the coverage of permute-whole-float16_float32"
TAIL = "test_values[permute-tail-float16]"
SEALED: list[tuple[Cheat, str]] = [
    (relabelled_as_quarantine, f"{TAIL}: a verdict of it is in quarantine and not ok"),
    (relabelled_and_made_good, f"{TAIL} has a verdict in quarantine as '', which is no call of it"),
    (failing_line_lost, f"{TAIL} is told as failed, and no verdict of it failed"),
    (failing_line_made_good, f"{TAIL} is told as failed, and no verdict of it failed"),
    (failing_and_failure_lost, f"{TAIL} ended as failed, and no verdict of it failed"),
    (failure_dropped_everywhere, f"{TAIL} ended as failed, and its failure is not told"),
    (item_made_accepted, f"{TAIL} ended as accepted after a verdict that failed"),
    (item_lost, "and it is told what became of 7 items, "),
    (errors_deleted, "and it is told what became of 7 items, "),
    (request_emptied, "evidence.json does not say which items the run had"),
    (made_good_and_all_that_tells_of_it, f"{TAIL} has an accepted verdict that says what is wrong"),
    (coverage_emptied, f"{SHARED}: 6 combinations are told as shown, the lines show 5"),
    (edge_met, f"{SHARED}: float32: hidden at 64 is told as met, and no line shows it"),
    (level_met, f"{SHARED}: family zero is told as met, and no line shows it"),
    (failures_emptied, f"the failure of {TAIL} is in the lines and not in the summary"),
    (another_headline, f"the failure of {TAIL} is another in the summary than in the lines"),
    (clause_unconfirmed, f"{TAIL}: its verdict and its failure say otherwise which clauses are"),
    (an_npu_in_the_summary, "no line tells of the device of the summary, "),
    (cells_dropped, " of 4 declared cells"),
    (coverage_dropped, "the summary has no coverage of permute-whole-float16, of which lines"),
    (another_profile, "the summary has profile 'nightly', its request has 'gate'"),
    (operators_dropped, "the summary has operator 'permute', its request has 'permute, unpermute'"),
    (no_parts, "the summary has -1 parts"),
]
CHEATS = [(cheat, words, f"{cheat.__name__}") for cheat, words in ALONE]
CHEATS += [(resealed(cheat), words, f"{cheat.__name__}-sealed") for cheat, words in SEALED]

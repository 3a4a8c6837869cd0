"""The page of evidence has every file that a run writes, and every field of each."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec
import pytest

from conformance.call.case import Case, Machine, Tensor
from conformance.call.observation import Outcome
from conformance.call.protocol_breach import Breach
from conformance.call.surroundings import Setting
from conformance.cli.html import REPORT
from conformance.cli.result import LOG
from conformance.cli.runner import COUNTERS, JUNIT
from conformance.devices.device import DeviceProfile, Library, Origin, Trait
from conformance.devices.messages import Functions
from conformance.evidence import lines
from conformance.evidence.coverage import Coverage, Further
from conformance.evidence.implementation import Implementation
from conformance.evidence.kernel_coverage import FileCoverage
from conformance.evidence.lines import AnyLine, ItemLine, Line, Writer
from conformance.evidence.packed import ENDING
from conformance.evidence.run_folder import FAILURES, LOCK
from conformance.evidence.seal import SUMMARY, Seal
from conformance.evidence.summary import Cell, Evidence, StandardRow
from conformance.evidence.tiling_keys import TilingKeys
from conformance.evidence.torch_functions import TorchFunction
from conformance.failure import replay
from conformance.failure.bundle import manifest
from conformance.failure.bundle.manifest import Manifest
from conformance.failure.replay import Replay
from conformance.frozen import corpus
from conformance.gate import baseline
from conformance.history import database
from conformance.judge.judged import JudgedAs
from conformance.record import functions
from conformance.record.picture import Excerpt, Picture
from conformance.session.failure_text import LARGER
from conformance.values.fill import Fill
from tests.conformance.evidence.page import PAGE, is_named, tables
from tests.conformance.failure.bundle.bundles import bundle

TOLD = tables()
LINES = {f"`{kind.__struct_config__.tag}` lines": kind for kind in get_args(AnyLine)}
PARTS: dict[str, type[Any]] = {
    "`evidence.json`": Evidence,
    "a cell": Cell,
    "a coverage": Coverage,
    "a larger profile": Further,
    "the tiling keys": TilingKeys,
    "a function of torch_npu": TorchFunction,
    "a standard": StandardRow,
    "a source file": FileCoverage,
    "the seal": Seal,
    "a profile": DeviceProfile,
    "a library": Library,
    "a trait": Trait,
    "what is known of functions": functions.Functions,
    "a function": functions.FunctionTraits,
    "an origin": Origin,
    "a picture": Picture,
    "an excerpt": Excerpt,
    "`manifest.json`": Manifest,
    "the seeds": manifest.Seeds,
    "an argument": manifest.Argument,
    "an accepted set": manifest.AcceptedEntry,
    "what was observed": manifest.Seen,
    "an observed output": manifest.ObservedEntry,
    "a call before": manifest.BeforeEntry,
    "an array left out": manifest.LeftOut,
    "a file": manifest.FileEntry,
    "`case.json`": Replay,
    "an implementation": Implementation,
    "Python functions": Functions,
    "a case": Case,
    "a tensor": Tensor,
    "a recipe": Fill,
    "a machine": Machine,
    "a setting": Setting,
    "a breach": Breach,
}
"""What the page calls the things that a run writes."""


def names(kind: type[Any]) -> list[str]:
    """The fields of a struct or dataclass."""
    if issubclass(kind, msgspec.Struct):
        return list(kind.__struct_fields__)
    return [one.name for one in dataclasses.fields(kind)]


def within(hint: Any) -> Iterator[type[Any]]:
    """The structs and dataclasses in a type."""
    if isinstance(hint, type) and (
        issubclass(hint, msgspec.Struct) or dataclasses.is_dataclass(hint)
    ):
        yield hint
    for part in get_args(hint):
        yield from within(part)


def written() -> set[type[Any]]:
    """All that a run writes, as deep as it goes; a device's profile is written as plain JSON."""
    found: set[type[Any]] = set()
    left = [Evidence, *get_args(AnyLine), Manifest, Replay, DeviceProfile]
    while left:
        kind = left.pop()
        if kind not in found:
            found.add(kind)
            hints = get_type_hints(kind)
            left += [part for name in names(kind) for part in within(hints[name])]
    return found


def test_the_page_tells_of_all_that_a_run_writes_and_of_nothing_else() -> None:
    assert written() == {*LINES.values(), *PARTS.values()}
    shown = {one.removeprefix("field of ") for one in TOLD if one.startswith("field of ")}
    assert shown == {"every line", *LINES, *PARTS}


def test_every_line_has_its_kind_and_its_link_beside_the_fields_of_a_line() -> None:
    assert TOLD["field of every line"] == ["kind", *names(Line), "link"]


@pytest.mark.parametrize("heading", LINES)
def test_the_fields_of_a_line_are_those_that_are_written(heading: str) -> None:
    own = [name for name in names(LINES[heading]) if name not in names(Line)]
    assert TOLD[f"field of {heading}"] == own


@pytest.mark.parametrize("heading", PARTS)
def test_the_fields_of_a_part_are_those_that_are_written(heading: str) -> None:
    assert TOLD[f"field of {heading}"] == names(PARTS[heading])


def test_every_way_to_be_judged_and_to_end_is_told() -> None:
    assert TOLD["`judged_as`"] == list(get_args(JudgedAs))
    assert TOLD["`outcome`"] == [one.value for one in Outcome]


def test_the_files_of_a_run_are_told() -> None:
    plain = Writer.PATTERN.replace("*", "WORKER")
    evidence = [SUMMARY, plain, plain + ENDING]
    others = [REPORT, JUNIT, LOG, f"{FAILURES}/ID/", LOCK, f"{COUNTERS}/"]
    assert TOLD["file of a run"] == [*evidence, *others]


def test_the_files_of_a_bundle_are_told(tmp_path: Path) -> None:
    told = TOLD["file of a bundle"]
    folder = bundle(tmp_path / "b")
    made = [str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file()]
    assert len(made) > 10
    assert [path for path in made if not is_named(path, told)] == []
    always = (manifest.MANIFEST, manifest.SUMS, manifest.CASE, manifest.VERDICT, manifest.GUARDS)
    programs = (manifest.PYTHON_PROGRAM, manifest.PYTHON_DEVICE, manifest.CPP_PROGRAM)
    assert {*always, *programs, f"{LARGER}/"} <= {*told}


def test_the_versions_of_formats_are_those_that_are_read() -> None:
    rows = re.findall(r"^\| [^|]*?`([\w.]+)`[^|]*\| (\d+) \|", PAGE, re.MULTILINE)
    assert {name: int(number) for name, number in rows} == {
        SUMMARY: lines.SCHEMA,
        manifest.MANIFEST: manifest.SCHEMA,
        manifest.CASE: replay.SCHEMA,
        "baselines": baseline.SCHEMA,
        corpus.INDEX: corpus.SCHEMA,
        "history.sqlite": database.SCHEMA,
    }


def test_the_line_that_is_shown_is_one_with_its_link(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    writer = Writer(tmp_path, "main")
    writer.write(
        ItemLine(
            worker="main",
            item="cases/test_values.py::test_values[op-mode-float16]",
            outcome="accepted",
        )
    )
    writer.close()
    assert (tmp_path / "evidence.main.jsonl").read_text(encoding="utf-8") == shown

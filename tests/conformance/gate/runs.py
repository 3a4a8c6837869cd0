"""Folders of runs, made of a few lines of evidence: what a gate may be shown, in milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from conformance.catalogue import device as say
from conformance.evidence.chain import Link, linked
from conformance.evidence.contradictions import known_items
from conformance.evidence.items import items_in_words
from conformance.evidence.lines import (
    AnyLine,
    DeviceLine,
    FailureLine,
    ItemLine,
    OrderLine,
    VerdictLine,
    Writer,
)
from conformance.evidence.seal import FIELD, SUMMARY, sealed
from conformance.evidence.summary import Evidence, lost_cards, observed, summarize, write_evidence

OPERATOR = "permute"
CELLS = [(OPERATOR, mode, dtype) for mode in ("whole", "tail") for dtype in ("float16", "float32")]
KERNEL = "kernel-binary-one"


def verdict(digest: str = "a1", **changed: Any) -> VerdictLine:
    """An accepted verdict of a drawn case of the cell whole-float16."""
    mode = changed.get("mode", "whole")
    dtype = changed.get("dtype", "float16")
    told: dict[str, Any] = {
        "worker": "main",
        "item": f"cases/test_values.py::test_values[{OPERATOR}-{mode}-{dtype}]",
        "template": "test_values",
        "judged_as": "values",
        "operator": OPERATOR,
        "mode": mode,
        "dtype": dtype,
        "digest": digest,
        "phase": "generate",
        "ok": True,
        "step": "certificate",
        "elements": 100,
        "exact": 100,
        "headroom": None,
        "seconds": 0.01,
        "headline": None,
        "machine": {"cores": 4, "ub_bytes": 4096},
        "outcome": "completed",
        "diagnostics": (),
        "attributes": {"top_k": 2},
        "shapes": {"tokens": (8, 64)},
    }
    return VerdictLine(**{**told, **changed})


def refused(digest: str = "bad", **changed: Any) -> VerdictLine:
    """A refused verdict of a drawn case with 2000 tokens of the cell tail-float16."""
    told: dict[str, Any] = {
        "mode": "tail",
        "ok": False,
        "headline": "permute, tail, float16: output has 3 wrong elements.",
        "shapes": {"tokens": (2000, 64)},
    }
    return verdict(digest, **{**told, **changed})


def example(name: str = "README", digest: str = "ex", **changed: Any) -> VerdictLine:
    """An accepted verdict of a documented call."""
    told: dict[str, Any] = {
        "item": f"cases/test_examples.py::test_examples[{OPERATOR}-{name}]",
        "template": "test_examples",
        "judged_as": "example",
        "name": name,
    }
    return verdict(digest, **{**told, **changed})


def order(name: str = "sequential", **changed: Any) -> OrderLine:
    """The order of additions of rows of three slots."""
    told: dict[str, Any] = {"operator": OPERATOR, "dtype": "float32", "slots": 3}
    return OrderLine(worker="main", order=name, **{**told, **changed})


def device(**changed: Any) -> DeviceLine:
    """The profile of a simulated device, or of what ``changed`` says."""
    told: dict[str, Any] = {
        "name": "simulated Ascend910B1",
        "kind": "sim",
        "soc": "Ascend910B1",
        "vector_cores": 48,
        "cann": "8.5.0",
        "libraries": {
            "libopapi.so": {"path": "lib/libopapi.so", "sha256": KERNEL},
            "libascendcl.so": {"path": "lib/libascendcl.so", "sha256": "runtime"},
        },
    }
    told = {**told, **changed}
    simulated = say.SIMULATED(soc=told["soc"])
    name = simulated if simulated == told["name"] else told["name"]
    words = say.DESCRIBED(name=name, cores=told["vector_cores"])
    return DeviceLine(worker="main", description=words, profile=told)


def failure(line: VerdictLine, **changed: Any) -> FailureLine:
    """What is told of the item of a refused verdict."""
    made = FailureLine(
        worker="main",
        item=line.item,
        operator=line.operator,
        mode=line.mode,
        dtype=line.dtype,
        digest=line.digest,
        case=f"failures/{line.digest}/case.json",
        headline=line.headline or "",
        unconfirmed=line.unconfirmed,
        text=f"{line.headline}\n  replay: python -m conformance run --case"
        f" here/failures/{line.digest}/case.json",
    )
    return msgspec.structs.replace(made, **changed)


def every_cell(*more: AnyLine) -> list[AnyLine]:
    """A verdict on each declared cell and on a documented call, an order, and ``more``."""
    lines: list[AnyLine] = [
        verdict(f"{mode}{dtype}", mode=mode, dtype=dtype) for _, mode, dtype in CELLS
    ]
    return [*lines, example(), order(), *more]


def run(
    folder: Path,
    lines: Iterable[AnyLine] | None = None,
    *,
    on: DeviceLine | None = None,
    cells: list[tuple[str, str, str]] = CELLS,
    tells: Callable[[VerdictLine], FailureLine] = failure,
    **changed: Any,
) -> Path:
    """Write the folder of a finished run with these lines; ``changed`` of its summary."""
    folder.mkdir(parents=True, exist_ok=True)
    said = every_cell() if lines is None else list(lines)
    opened = device() if on is None else on
    failures = {
        line.item: tells(line)
        for line in said
        if isinstance(line, VerdictLine) and not line.ok and line.judged_as != "quarantine"
    }
    items = {line.item: line.worker for line in said if isinstance(line, VerdictLine)}
    ended = [
        ItemLine(worker=by, item=item, outcome="refused" if item in failures else "accepted")
        for item, by in items.items()
    ]
    whole = (opened, *said, *failures.values(), *ended)
    for name in dict.fromkeys(line.worker for line in whole):
        writer = Writer(folder, name)
        for line in (line for line in whole if line.worker == name):
            writer.write(line)
        writer.close()
    made = Evidence(
        status="finished",
        exit_status=1 if failures else 0,
        started="2026-03-01T10:00:00+00:00",
        seconds=12.0,
        profile="gate",
        device="sim",
        route="aclnn",
        devices=[opened],
        orders=[line for line in said if isinstance(line, OrderLine)],
        provenance={
            "sources": "s1",
            "python": "3.11.7",
            "packages": {"numpy": "2.0"},
            "git": {"commit": "c0ffee", "clean": True},
        },
        operators=[OPERATOR],
        cells=summarize(said, cells),
        declared=len(cells),
        selected=len(cells),
        request={"profile": "gate", "seed": "0", "shard": "1/1"},
        failures=list(failures.values()),
        observed=observed(said),
        lost_cards=lost_cards(whole),
    )
    made.cases = sum(cell.cases for cell in made.cells)
    for name, value in changed.items():
        setattr(made, name, value)
    for name, kind in (("profile", str), ("seed", int), ("device", str)):
        if name in changed.get("request", ()):
            setattr(made, name, kind(made.request[name]))
        else:
            made.request = {**made.request, name: str(getattr(made, name))}
    items = items_in_words(sorted(known_items(made, whole)))
    made.request = {"items": items, **made.request}
    write_evidence(folder, made)
    for one in failures.values():
        (folder / one.case).parent.mkdir(parents=True, exist_ok=True)
        (folder / one.case).write_text('{"case": 1}\n')
    return folder


def rewrite(folder: Path, **fields: object) -> Path:
    """Change fields of ``evidence.json`` as no run would, and seal the folder anew."""
    path = folder / SUMMARY
    told = {**msgspec.json.decode(path.read_bytes()), **fields}
    path.write_bytes(msgspec.json.encode(told))
    return seal_anew(folder)


def everywhere(folder: Path, before: str, after: str) -> Path:
    """Change a text wherever the folder has it, and seal it anew."""
    for path in (folder / SUMMARY, *folder.glob(Writer.PATTERN)):
        old, new = (msgspec.json.encode(text)[1:-1] for text in (before, after))
        path.write_bytes(path.read_bytes().replace(old, new))
    return seal_anew(folder)


def seal_anew(folder: Path) -> Path:
    """Make chain and seal of a folder fit what it says, as anybody can who knows how."""
    for path in folder.glob(Writer.PATTERN):
        link, lines = Link.first(path.name), []
        for raw in path.read_bytes().splitlines():
            told = msgspec.json.decode(raw)
            told.pop("link", None)
            line, link = linked(link, msgspec.json.encode(told))
            lines.append(line)
        path.write_bytes(b"".join(lines))
    told = msgspec.json.decode((folder / SUMMARY).read_bytes())
    told.pop(FIELD, None)
    (folder / SUMMARY).write_bytes(msgspec.json.encode({**told, FIELD: sealed(folder, told)}))
    return folder

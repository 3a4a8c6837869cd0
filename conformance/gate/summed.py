"""The summary of a merged run, as one run over all the items of its parts has it."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.evidence.contradictions import known_items
from conformance.evidence.coverage import Key
from conformance.evidence.exit_status import exit_status
from conformance.evidence.items import items_in_words, last_of_each
from conformance.evidence.lines import AnyLine, DeviceLine, ItemLine, LimitLine, OrderLine
from conformance.evidence.part import all_parts
from conformance.evidence.reading import declared_cells
from conformance.evidence.run import Run
from conformance.evidence.shard import WHOLE
from conformance.evidence.summary import (
    COUNTED,
    Evidence,
    against,
    carried_out,
    lost_cards,
    lost_workers,
    observed,
    standard_rows,
    summarize,
    withheld,
    withheld_cells,
)
from conformance.evidence.tiling_keys import asked_in, tiling_keys
from conformance.evidence.torch_functions import torch_functions
from conformance.gate.joined_coverage import joined
from conformance.names import bracket, cell_id
from conformance.record.operator import RELATIONS


def summed(runs: Sequence[Run]) -> Evidence:
    """The summary of all shards, as one run over all their items has it."""
    first = runs[0].evidence
    told = [run.evidence for run in runs]
    lines: list[AnyLine] = [line for run in runs for line in run.lines]
    away = withheld_cells(lines)
    known = [(cell.operator, cell.mode, cell.dtype) for cell in declared_cells(first)]
    declared = [key for key in known if cell_id(*key) not in away]
    cells = summarize(lines, [] if first.request.get("oracle") == RELATIONS else declared)
    early = {
        (cell.operator, cell.mode, cell.dtype)
        for one in told
        for cell in one.cells
        if not cell.complete
    }
    for cell in cells:
        cell.complete = (cell.operator, cell.mode, cell.dtype) not in early
    judged = {cell_id(c.operator, c.mode, c.dtype) for c in cells if c.cases}
    seeds = sorted({one.seed for one in told})
    statuses = {one.status for one in told}
    items = {item for run in runs for item in known_items(run.evidence, run.lines)}
    made = Evidence(
        status="finished" if statuses == {"finished"} else sorted(statuses - {"finished"})[0],
        started=min(one.started for one in told),
        seconds=round(sum(one.seconds for one in told), 3),
        profile=first.profile,
        seed=seeds[0],
        seeds=seeds if len(seeds) > 1 else [],
        device=first.device,
        route=first.route,
        devices=_devices(lines),
        orders=list({_order(ln): ln for ln in lines if isinstance(ln, OrderLine)}.values()),
        limits=list({ln.operator: ln for ln in lines if isinstance(ln, LimitLine)}.values()),
        provenance={**first.provenance, "shards": [_origin(run) for run in runs]},
        operators=first.operators,
        cases=sum(cell.cases for cell in cells),
        cells=cells,
        declared=max(one.declared for one in told),
        selected=len({cell_id(*key) for key in declared} & {bracket(item) for item in items}),
        unjudged=sorted({name for one in told for name in one.unjudged} - judged),
        left_out={name: why for one in told for name, why in one.left_out.items()},
        coverage=joined([each for one in told for each in one.coverage], lines, _ended(runs)),
        further=first.further,
        tiling_keys=tiling_keys(
            lines, asked_in(each for one in told for each in one.tiling_keys), COUNTED
        ),
        torch_functions=torch_functions(
            lines, (each for one in told for each in one.torch_functions), COUNTED
        ),
        cut=[item for one in told for item in one.cut],
        unreached=[item for one in told for item in one.unreached],
        request={
            **first.request,
            "shard": str(WHOLE),
            "seed": ", ".join(map(str, seeds)),
            "items": items_in_words(sorted(items)),
        },
        parts=sum(one.parts for one in told),
        standard=first.standard,
        standards=standard_rows(lines),
        against=against(lines),
        carried_out=carried_out(lines),
        failures=last_of_each(failure for one in told for failure in one.failures),
        observed=observed(lines),
        withheld=withheld(lines),
        lost_cards=lost_cards(lines),
        lost_workers=lost_workers(lines),
        environment=list(dict.fromkeys(text for one in told for text in one.environment)),
        errors={item: text for one in told for item, text in one.errors.items()},
    )
    interrupted = any(one.exit_status == 130 for one in told)
    made.exit_status = exit_status(made, interrupted=interrupted)
    return made


def _ended(runs: Sequence[Run]) -> set[Key]:
    """Operator, mode and data type of the cells of which all items, and all parts of them, ended in
    the runs of some seed."""
    found: dict[tuple[str, int], set[str]] = {}
    early: set[tuple[str, int]] = set()
    for run in runs:
        told = run.evidence
        ended = {line.item for line in run.lines if isinstance(line, ItemLine)}
        ended -= {*told.cut, *told.unreached, *told.errors}
        for item in known_items(told, run.lines):
            cell = (bracket(item), told.seed)
            found.setdefault(cell, set()).add(item)
            if item not in ended:
                early.add(cell)
    whole = {cell[0] for cell, items in found.items() if cell not in early and all_parts(items)}
    return {
        (cell.operator, cell.mode, cell.dtype)
        for run in runs
        for cell in declared_cells(run.evidence)
        if cell_id(cell.operator, cell.mode, cell.dtype) in whole
    }


def _devices(lines: Sequence[AnyLine]) -> list[DeviceLine]:
    """One line for each kind and SoC: hosts differ in the paths of their libraries."""
    known: dict[tuple[str, str], DeviceLine] = {}
    for line in lines:
        if isinstance(line, DeviceLine):
            known.setdefault((str(line.profile.get("kind")), str(line.profile.get("soc"))), line)
    return list(known.values())


def _order(line: OrderLine) -> tuple[str, str, int]:
    return line.operator, line.dtype, line.slots


def _origin(run: Run) -> dict[str, object]:
    told = run.evidence
    return {
        "shard": told.request.get("shard"),
        "seed": told.seed,
        "folder": run.folder.name,
        "started": told.started,
        "seconds": told.seconds,
        "platform": told.provenance.get("platform"),
    }

"""The summary of a merged run, as one run over all the items of its parts has it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from conformance.evidence.contradictions import known_items
from conformance.evidence.coverage import Coverage
from conformance.evidence.exit_status import exit_status
from conformance.evidence.items import items_in_words, last_of_each
from conformance.evidence.lines import AnyLine, DeviceLine, LimitLine, OrderLine
from conformance.evidence.reading import declared_cells
from conformance.evidence.run import Run
from conformance.evidence.shard import WHOLE
from conformance.evidence.summary import (
    COUNTED,
    Evidence,
    against,
    carried_out,
    lost_cards,
    observed,
    standard_rows,
    summarize,
    withheld,
    withheld_cells,
)
from conformance.evidence.tiling_keys import asked_in, tiling_keys
from conformance.evidence.torch_functions import torch_functions
from conformance.names import cell_id
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
    statuses = {one.status for one in told}
    items = {item for run in runs for item in known_items(run.evidence, run.lines)}
    made = Evidence(
        status="finished" if statuses == {"finished"} else sorted(statuses - {"finished"})[0],
        started=min(one.started for one in told),
        seconds=round(sum(one.seconds for one in told), 3),
        profile=first.profile,
        seed=first.seed,
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
        selected=min(sum(one.selected for one in told), max(one.declared for one in told)),
        unjudged=sorted({name for one in told for name in one.unjudged} - judged),
        left_out={name: why for one in told for name, why in one.left_out.items()},
        coverage=_coverage(told),
        further=first.further,
        tiling_keys=tiling_keys(
            lines, asked_in(each for one in told for each in one.tiling_keys), COUNTED
        ),
        torch_functions=torch_functions(
            lines, (each for one in told for each in one.torch_functions), COUNTED
        ),
        cut=[item for one in told for item in one.cut],
        unreached=[item for one in told for item in one.unreached],
        request={**first.request, "shard": str(WHOLE), "items": items_in_words(sorted(items))},
        parts=sum(one.parts for one in told),
        standard=first.standard,
        standards=standard_rows(lines),
        against=against(lines),
        carried_out=carried_out(lines),
        failures=last_of_each(failure for one in told for failure in one.failures),
        observed=observed(lines),
        withheld=withheld(lines),
        lost_cards=lost_cards(lines),
        environment=list(dict.fromkeys(text for one in told for text in one.environment)),
        errors={item: text for one in told for item, text in one.errors.items()},
    )
    interrupted = any(one.exit_status == 130 for one in told)
    made.exit_status = exit_status(made, interrupted=interrupted)
    return made


def _coverage(told: Sequence[Evidence]) -> list[Coverage]:
    """What the cases of all shards show; a cell's covering item is in one of them: that in which
    the least is open. What others know of the cell is in that one, too.
    """
    found: dict[tuple[str, str, str], Coverage] = {}
    for one in (coverage for evidence in told for coverage in evidence.coverage):
        key = (one.operator, one.mode, one.dtype)
        known = found.get(key)
        if known is None or _left(one) < _left(known):
            found[key] = msgspec.structs.replace(
                one,
                levels={axis: dict(counts) for axis, counts in one.levels.items()},
                edges=dict(one.edges),
            )
        elif not (one.open or one.open_edges):
            _join(found[key], one)
    return list(found.values())


def _left(one: Coverage) -> tuple[int, int]:
    return one.open, one.open_edges


def _join(whole: Coverage, one: Coverage) -> None:
    """Add to the coverage of a cell what another run shows of the same, in place."""
    whole.missing = [name for name in whole.missing if name in one.missing]
    for axis, counts in one.levels.items():
        mine = whole.levels.setdefault(axis, {})
        for level, count in counts.items():
            mine[level] = mine.get(level, 0) + count
    for edge, count in one.edges.items():
        whole.edges[edge] = whole.edges.get(edge, 0) + count


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
        "folder": run.folder.name,
        "started": told.started,
        "seconds": told.seconds,
        "platform": told.provenance.get("platform"),
    }

"""Which clauses a run on an NPU confirmed: nobody documents them, and the device keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.evidence.run import Run
from conformance.gate.waivers import judged
from conformance.record.clause import DOUBTFUL, Clause
from conformance.record.contract import Varying
from conformance.record.operator import Operator


def measured(run: Run, operators: Iterable[Operator]) -> list[str]:
    """The doubtful clauses of ``operators`` that the run judged and nothing contradicts.

    Each is ``OP: TEXT``. A clause of an output was judged where values of the operator were; that
    of a rejection where its call was made.
    """
    lines = [line for line in run.verdicts if judged(line)]
    broken = {f"{line.operator}: {clause}" for line in lines for clause in line.unconfirmed}
    failing = {line.operator for line in lines if not line.ok and not line.unconfirmed}
    kept: set[str] = set()
    for operator in operators:
        calls = {(line.judged_as, line.name) for line in lines if line.operator == operator.name}
        kinds = {kind for kind, _ in calls}
        clauses = list(_of_outputs(operator)) if kinds & {"values", "example"} else []
        if operator.name in failing:
            clauses = []
        clauses += [one.clause for one in operator.rejections if ("rejection", one.name) in calls]
        kept |= {
            f"{operator.name}: {clause.text}"
            for clause in clauses
            if clause.source_class in DOUBTFUL
        }
    return sorted(kept - broken)


def _of_outputs(operator: Operator) -> Iterator[Clause]:
    for contract in operator.contracts.values():
        chosen = contract.among.values() if isinstance(contract, Varying) else (contract,)
        yield from (one.clause for one in chosen)

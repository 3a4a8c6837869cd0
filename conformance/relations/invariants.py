"""What no result may depend on: relations of every operator with itself, whatever the oracle is.

A reference says which values are right. That a right value came about by chance is seen only where
the same call finds something else around it: other bytes in memory that it ought to write or not to
read, other cores, another order of the blocks, the same again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from conformance.case import Case
from conformance.operator import Clause, Operator, SourceClass, Sum
from conformance.relations.relation import Outputs, Relation, Run, difference
from conformance.setting import AS_LEFT, LEVELS, ZEROED, Memory, Setting
from conformance.strategies.machines import CORES

DEFINEDNESS, DETERMINISM = "definedness", "determinism"
WRITTEN = Clause(
    "what outputs and workspace held before a call changes no result",
    "an output is what its document's equation makes of the inputs; a workspace is scratch memory",
    SourceClass.INFERRED,
)
REPEATED = Clause(
    "the same call gives the same bytes, on any cores, in any order of blocks, at any level",
    "no kernel of this family adds in an order that its cores decide, unless its contract says so",
    SourceClass.INFERRED,
)


MEMORY: Mapping[Memory, str] = {
    ZEROED: "by the call on zeroed memory",
    AS_LEFT: "by the call on memory as the calls before left it",
}


def invariants(operator: Operator) -> tuple[Relation, ...]:
    """The relations that every operator keeps."""
    return definedness(operator), determinism(operator)


def definedness(operator: Operator) -> Relation:
    """Other bytes in outputs and workspace before a call change none that is promised after it."""

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        for memory, words in MEMORY.items():
            seen = run(replace(case, setting=replace(case.setting, memory=memory)))
            yield from _differences(operator, case, outputs, seen, words)

    return Relation(DEFINEDNESS, WRITTEN, broken, far=True, always=True)


def determinism(operator: Operator) -> Relation:
    """The same call again, on other machines and at the levels of determinism, gives the same.

    Two levels may give different results, each the same again. Outputs whose contract promises no
    order of their additions, nor always the same (`Sum.deterministic`), are left out.
    """

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        for words, asked in _otherwise(case):
            yield from _differences(operator, case, outputs, run(asked), f"by the call {words}")
        level = 1 + int(case.digest, 16) % (len(LEVELS) - 1)
        first, *others = _at_level(case, level)
        due = run(first[1])
        for words, asked in others:
            yield from _differences(operator, case, due, run(asked), f"by the call {words}")

    return Relation(DETERMINISM, REPEATED, broken, far=True, always=True)


def _otherwise(case: Case) -> Iterator[tuple[str, Case]]:
    """The call again, and on machines that differ in one thing each, with words for the first."""
    yield "before", case
    machine = case.machine
    if machine is None:
        return
    for order in ("forward", "reverse", "shuffled:1"):
        if machine.cores > 1 and order != machine.block_order:
            asked = replace(machine, block_order=order)
            yield f"with blocks in order {machine.block_order}", replace(case, machine=asked)
    for cores in _other_cores(machine.cores):
        yield f"on {_cores(machine.cores)}", replace(case, machine=replace(machine, cores=cores))


def _other_cores(cores: int) -> tuple[int, int]:
    """One core, where nothing is shared out, and the next larger machine; others in their place."""
    small = next(other for other in CORES if other != cores)
    large = (other for other in CORES if other > cores and other != small)
    return small, next(large, CORES[-2])


def _at_level(case: Case, level: int) -> Iterator[tuple[str, Case]]:
    """The call at a level, again, and on another machine where it names one."""
    setting = Setting(case.setting.memory, level)
    at_level = replace(case, setting=setting)
    words = f"before, both at determinism level {level}"
    yield words, at_level
    yield words, at_level
    machine = case.machine
    if machine is not None:
        other = replace(machine, cores=_other_cores(machine.cores)[0])
        words = f"on {_cores(machine.cores)}, both at determinism level {level}"
        yield words, replace(at_level, machine=other)


def _cores(cores: int) -> str:
    return "one core" if cores == 1 else f"{cores} cores"


def _differences(
    operator: Operator, case: Case, due: Outputs, seen: Outputs, words: str
) -> Iterator[str]:
    """Sentences on the outputs in which bytes differ that are promised to be the same."""
    for name, array in seen.items():
        contract = operator.contract(name, case)
        if not isinstance(contract, Sum) or contract.deterministic:
            yield from difference(name, array, due[name], words)

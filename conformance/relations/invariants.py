"""What no result may depend on: relations of every operator with itself, whatever the oracle is.

A reference says which values are right. That a right value came about by chance is seen only where
the same call finds something else around it: other bytes in memory that it ought to write or not to
read, other cores, another order of the blocks, the same again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from conformance.call.case import Case
from conformance.call.surroundings import (
    AS_LEFT,
    BESIDE,
    DEFAULT,
    LEVELS,
    OWN,
    POISONED,
    ZEROED,
    Memory,
    Stream,
)
from conformance.catalogue import relations as say
from conformance.catalogue.message import Message
from conformance.draw.machines import CORES
from conformance.record.clause import Clause, SourceClass
from conformance.record.contract import Sum
from conformance.record.operator import Operator
from conformance.record.relation import (
    DEFINEDNESS,
    DETERMINISM,
    Outputs,
    Relation,
    Run,
    difference,
)

Other = tuple[str, str, Case]
"""Words for the call that was made and for another one, and that other one."""

WRITTEN = Clause(say.WRITTEN(), say.WRITTEN_SOURCE(), SourceClass.INFERRED)
REPEATED = Clause(say.REPEATED(), say.REPEATED_SOURCE(), SourceClass.INFERRED)

MEMORY: Mapping[Memory, Message] = {
    POISONED: say.ON_POISONED_MEMORY,
    ZEROED: say.ON_ZEROED_MEMORY,
    AS_LEFT: say.ON_MEMORY_AS_LEFT,
}

STREAMS: Mapping[Stream, Message] = {
    OWN: say.ON_ITS_OWN_STREAM,
    DEFAULT: say.ON_THE_DEFAULT_STREAM,
    BESIDE: say.BESIDE_THE_SAME_CALL,
}


def invariants(operator: Operator) -> tuple[Relation, ...]:
    """The relations that every operator keeps."""
    return definedness(operator), determinism(operator)


def definedness(operator: Operator) -> Relation:
    """Other bytes in outputs and workspace before a call change none that is promised after it."""

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        first = MEMORY[case.setting.memory]()
        for memory, words in MEMORY.items():
            if memory != case.setting.memory:
                seen = run(replace(case, setting=replace(case.setting, memory=memory)))
                yield from differences(operator, case, (outputs, first), (seen, words()))

    return Relation(DEFINEDNESS, WRITTEN, broken, far=True, always=True)


def determinism(operator: Operator) -> Relation:
    """The same call again, on other streams and machines and at the levels of determinism, gives
    the same.

    Two levels may give different results, each the same again. Outputs whose contract promises no
    order of their additions, nor always the same (`Sum.deterministic`), are left out.
    """

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        for first, words, asked in _otherwise(case):
            yield from differences(operator, case, (outputs, first), (run(asked), words))
        level = 1 + int(case.digest, 16) % (len(LEVELS) - 1)
        at_level = replace(case, setting=replace(case.setting, determinism=level))
        due = run(at_level)
        for first, words, asked in (_again(at_level), *_on_other_cores(at_level)[:1]):
            words = say.AT_LEVEL(where=words, level=level)
            yield from differences(operator, case, (due, first), (run(asked), words))

    return Relation(DETERMINISM, REPEATED, broken, far=True, always=True)


def _otherwise(case: Case) -> Iterator[Other]:
    """The call again, on each stream, and on machines that differ in one thing each."""
    yield _again(case)
    first = STREAMS[case.setting.stream]()
    for stream, words in STREAMS.items():
        if stream != case.setting.stream:
            yield first, words(), replace(case, setting=replace(case.setting, stream=stream))
    machine = case.machine
    if machine is None:
        return
    for order in ("forward", "reverse", "shuffled:1"):
        if machine.cores > 1 and order != machine.block_order:
            now, then = (say.IN_BLOCK_ORDER(order=one) for one in (machine.block_order, order))
            yield now, then, replace(case, machine=replace(machine, block_order=order))
    yield from _on_other_cores(case)


def _again(case: Case) -> Other:
    return say.IN_THE_FIRST(), say.IN_A_SECOND_CALL(), case


def _on_other_cores(case: Case) -> list[Other]:
    """On one core, where nothing is shared out, and on the next larger machine; others in their
    place where the call is on these. None where the machine is the device's own.
    """
    machine = case.machine
    if machine is None:
        return []
    small = next(other for other in CORES if other != machine.cores)
    large = (other for other in CORES if other > machine.cores and other != small)
    return [
        (_cores(machine.cores), _cores(cores), replace(case, machine=replace(machine, cores=cores)))
        for cores in (small, next(large, CORES[-2]))
    ]


def _cores(cores: int) -> str:
    return say.ON_ONE_CORE() if cores == 1 else say.ON_CORES(count=cores)


def differences(
    operator: Operator, case: Case, first: tuple[Outputs, str], other: tuple[Outputs, str]
) -> Iterator[str]:
    """Sentences on the outputs in which bytes differ that are promised to be the same: of the
    ``other`` call and the ``first``, each with words that tell it from the other.
    """
    for name, array in other[0].items():
        contract = operator.contract(name, case)
        if not isinstance(contract, Sum) or contract.deterministic:
            yield from difference(name, array, first[0][name], first[1], where=other[1])

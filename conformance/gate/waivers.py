"""Waivers: failures that somebody answers for, for a time. Each is a contract, checked in each run.

A file of TOML::

    [[waiver]]
    operator = "my_operator"
    where = 'mode == "tail" and tokens.shape[0] > 1024'
    device = "Ascend910B*"            # a SoC, "npu" or "sim"; * stands for anything
    reason = "the last range is dropped"
    owner = "kernel team"
    link = "https://example.org/issues/7"
    expires = 2026-12-31              # the last day on which it holds
    intermittent = false              # true: it fails some of the cases it covers, or some runs

A waiver is read strictly: every field is needed but the last. It is evaluated only where its
device and one of its cells were judged.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import msgspec

from conformance.call.attribute import loaded
from conformance.call.observation import Outcome
from conformance.catalogue import waivers as say
from conformance.errors import UsageError, text_of
from conformance.evidence.lines import VerdictLine
from conformance.evidence.summary import QUARANTINE
from conformance.gate.predicate import Predicate, Value, WrongPredicate, names_of, parse, unknown
from conformance.plain_file import read_given

MOST_BYTES = 2**20


class Waiver(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, frozen=True):
    """A waiver as its file states it; ``where`` is the predicate over the case."""

    operator: str
    where: str
    device: str
    reason: str
    owner: str
    link: str
    expires: date
    intermittent: bool = False


class _File(msgspec.Struct, forbid_unknown_fields=True):
    waiver: list[Waiver] = []


@dataclass(frozen=True)
class Contract:
    """A waiver with its place in the file, from 1, and its predicate."""

    number: int
    waiver: Waiver
    predicate: Predicate

    @property
    def words(self) -> str:
        """The waiver as a person reads it."""
        waiver = self.waiver
        return say.WAIVER(number=self.number, operator=waiver.operator, where=waiver.where)


@dataclass
class Use:
    """What a waiver covers in a run: refused cases by item, accepted ones, and whether its
    predicate leaves out any case of its operator."""

    contract: Contract
    refused: list[VerdictLine] = field(default_factory=list)
    accepted: list[VerdictLine] = field(default_factory=list)
    left_out: int = 0
    wrong: str = ""


def read_waivers(path: Path) -> tuple[Contract, ...]:
    """The waivers of a file. Raises `UsageError` that names the waiver, the field and the rule,
    `EnvironmentFailure` for what cannot be read.
    """
    raw = read_given("waivers", path, MOST_BYTES)
    try:
        file = msgspec.toml.decode(raw, type=_File)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise UsageError("waivers", path, say.NOT_AS_DOCUMENTED(error=str(error))) from error
    return tuple(_contract(path, number, one) for number, one in enumerate(file.waiver, 1))


def _contract(path: Path, number: int, waiver: Waiver) -> Contract:
    for name in ("operator", "where", "device", "reason", "owner", "link"):
        if not getattr(waiver, name).strip():
            raise _wrong(path, number, name, waiver, say.MUST_SAY_SOMETHING())
    if not waiver.link.startswith(("https://", "http://")):
        raise _wrong(path, number, "link", waiver, say.MUST_BE_LINK())
    try:
        return Contract(number, waiver, parse(waiver.where))
    except WrongPredicate as error:
        raise _wrong(path, number, "where", waiver, text_of(error)) from error


def _wrong(path: Path, number: int, name: str, waiver: Waiver, what: str) -> UsageError:
    field = say.FIELD(name=name, path=path)
    return UsageError(field, getattr(waiver, name), say.RULE(number=number, what=what))


def here(
    contracts: Iterable[Contract], lines: Iterable[VerdictLine], soc: str, kind: str
) -> Iterator[Contract]:
    """The waivers whose device and one of whose cells were judged."""
    cells = {(line.operator, line.mode, line.dtype) for line in lines}
    for contract in contracts:
        waiver = contract.waiver
        if not any(fnmatch.fnmatchcase(name, waiver.device) for name in (soc, kind)):
            continue
        # What only mode and dtype refuse, no case of that cell can be.
        if any(
            operator == waiver.operator and _may_hold(contract, {"mode": mode, "dtype": dtype})
            for operator, mode, dtype in cells
        ):
            yield contract


def uses(contracts: Iterable[Contract], lines: Iterable[VerdictLine]) -> list[Use]:
    """What each waiver covers of what was judged, shrinking's attempts among it."""
    made = [Use(contract) for contract in contracts]
    operators = {use.contract.waiver.operator for use in made}
    known: dict[str, set[str]] = {name: set() for name in operators}
    for line in lines:
        if line.operator not in operators or not judged(line):
            continue
        names = names_in(line)
        known[line.operator] |= names.keys()
        for use in made:
            if use.contract.waiver.operator == line.operator and not use.wrong:
                _note(use, line, names)
    for use in made:
        use.wrong = use.wrong or unknown(
            use.contract.predicate, known[use.contract.waiver.operator]
        )
    return made


def judged(line: VerdictLine) -> bool:
    """Whether a line is a verdict that counts: not of a call that is only observed, and of one that
    was made, unless it failed just because it was not."""
    return line.judged_as != QUARANTINE and not (
        line.ok and line.outcome == Outcome.NOT_POSSIBLE.value
    )


def names_in(line: VerdictLine) -> dict[str, Value]:
    """The names of a verdict's case, as predicates write them."""
    others: dict[str, int | str] = {
        "mode": line.mode,
        "dtype": line.dtype,
        "route": line.route,
        "kind": line.judged_as,
        "name": line.name,
        **(line.machine or {}),
    }
    attributes = {name: loaded(value) for name, value in (line.attributes or {}).items()}
    return names_of(attributes, line.shapes or {}, line.levels or {}, others)


def _note(use: Use, line: VerdictLine, names: Mapping[str, Value]) -> None:
    try:
        covered = use.contract.predicate.holds(names)
    except WrongPredicate as error:
        use.wrong = text_of(error)
        return
    if not covered:
        use.left_out += 1
    elif line.ok:
        use.accepted.append(line)
    else:
        use.refused.append(line)


def _may_hold(contract: Contract, names: Mapping[str, Value]) -> bool:
    try:
        return contract.predicate.holds(names) is not False
    except WrongPredicate:
        return True

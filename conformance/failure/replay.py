"""A refused case as a file: enough to judge the same call again, on any host."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec
import numpy as np

from conformance.call.attribute import of_json, to_json
from conformance.call.case import Case
from conformance.call.observation import Observation
from conformance.catalogue import failure as say
from conformance.catalogue.marks import NONE
from conformance.catalogue.message import Message
from conformance.devices.device import Device
from conformance.errors import UsageError, text_of
from conformance.evidence.implementation import Implementation
from conformance.judge.beside import (
    Answer,
    Beside,
    as_example,
    as_rejection,
    in_sequence,
    judged_beside,
    related_beside,
)
from conformance.judge.examples import judge_example
from conformance.judge.judged import JudgedAs
from conformance.judge.legality import (
    IllegalCase,
    check_attributes,
    check_call,
    check_shape_and_data,
)
from conformance.judge.rejections import judge_rejection
from conformance.judge.sequences import check_before, observed, rejection_of
from conformance.judge.sequences import judged as judged_call
from conformance.judge.verdict import Verdict
from conformance.numerics.arithmetic import Arithmetic
from conformance.plain_file import read_given
from conformance.record.operator import Operator

SCHEMA = 1
MOST_BYTES = 256 << 20
"""Of a saved case; its arrays have less."""
Judge = Callable[..., Answer]
"""Makes the call, or calls, and judges what is observed on a device of that arithmetic: the first
two arguments. The third is a second implementation, None without one."""


@dataclass(frozen=True)
class Replay:
    """A case, what it was judged as, the name of its rejection, example or relation, the route, and
    the implementation that failed, None where none did or it is not known.
    """

    case: Case
    judged_as: JudgedAs = "values"
    name: str = ""
    route: str = "aclnn"
    schema: int = SCHEMA
    implementation: Implementation | None = None


def save(replay: Replay, path: Path) -> None:
    """Write a replay as JSON; raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encoded(replay))


def encoded(replay: Replay) -> bytes:
    """A replay as the JSON of its file."""
    told = replace(replay, case=to_json(replay.case))
    return msgspec.json.format(msgspec.json.encode(told, enc_hook=_plain), indent=2) + b"\n"


def load(path: Path) -> Replay:
    """Read a replay. Raises `UsageError` for a file that is absent, no JSON or no replay,
    `EnvironmentFailure` for what cannot be read.
    """
    return decoded(read_given("case", path, MOST_BYTES), path)


def decoded(raw: bytes, path: Path) -> Replay:
    """The replay in the content of the file ``path``; raises `UsageError` where it is none."""
    try:
        replay = msgspec.json.decode(raw, type=Replay)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError("case", path, say.NO_CASE(error=str(error))) from error
    if replay.schema != SCHEMA:
        rule = say.OTHER_SCHEMA(schema=replay.schema, known=SCHEMA)
        raise UsageError("case", path, rule)
    return replace(replay, case=of_json(replay.case))


def judgement(replay: Replay, records: Mapping[str, Operator]) -> tuple[Operator, Judge]:
    """The operator of a replay, and how it is called and judged.

    Raises `UsageError` for an operator, rejection, example or relation that is not on record, and
    for a case that is none: a verdict on it would blame a kernel for its caller.
    """
    case, sequence = replay.case, replay.judged_as == "sequence"
    operator = _named(replay.case.operator, say.OPERATOR, records)
    try:
        if replay.judged_as == "rejection" or (sequence and rejection_of(operator, case)):
            check_shape_and_data(case)
            check_attributes(case, operator)
        else:
            check_call(case, operator)
        check_before(case, records)
    except IllegalCase as error:
        rule = say.NOT_TO_JUDGE(error=text_of(error))
        raise UsageError("case", case.operator, rule) from error
    if replay.judged_as == "relation":
        held_here = [one for one in operator.relations if one.holds_in(case.mode, case.dtype)]
        relation = _named(replay.name, say.RELATION, _by_name(held_here))

        def held(device: Device, _: Arithmetic, beside: Beside | None = None) -> Answer:
            return related_beside(beside, relation, records, case, device)

        return operator, held
    judged: Callable[[Observation, Arithmetic], Verdict] = partial(judged_call, operator, case)
    right, second = None, in_sequence(operator)
    if replay.judged_as == "rejection":
        rejection = _named(replay.name, say.REJECTION, _by_name(operator.rejections))
        judged = lambda observation, _: judge_rejection(rejection, observation)  # noqa: E731
        right, second = rejection.breaks, as_rejection(rejection)
    elif replay.judged_as == "example":
        example = _named(replay.name, say.EXAMPLE, _by_name(operator.examples))
        judged, second = partial(judge_example, example, operator), as_example(example)

    def called(device: Device, arithmetic: Arithmetic, beside: Beside | None = None) -> Answer:
        if right is not None:
            observation = device.run(operator, right)
            verdict = judged_call(operator, right, observation, arithmetic)
            if not verdict.ok:  # then a refusal says nothing
                return observation, verdict
        observation = observed(records, case, device)
        verdict = judged(observation, arithmetic)
        return judged_beside(beside, operator, case, observation, verdict, second)

    return operator, called


def _plain(value: object) -> object:
    """The Python number of a numpy one, which a strategy may have put into a case."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a case holds numbers and text, not {type(value).__name__}")


class _Named(Protocol):
    @property
    def name(self) -> str: ...


Record = TypeVar("Record", bound=_Named)


def _by_name(records: Iterable[Record]) -> Mapping[str, Record]:
    return {record.name: record for record in records}


def _named(name: str, what: Message, records: Mapping[str, Record]) -> Record:
    if name in records:
        return records[name]
    rule = say.NOT_ON_RECORD(names=tuple(records) or NONE())
    raise UsageError(say.OF_THE_CASE(what=what()), name, rule)

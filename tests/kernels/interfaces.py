"""Wrong calls of a record, what an interface says of them, and which rule it looks at first."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from itertools import combinations, product
from pathlib import Path
from typing import Any

from conformance.call.case import Case, Tensor
from conformance.call.observation import Observation, Outcome
from conformance.call.protocol_breach import Breach
from conformance.record.operator import AttributeParameter, Operator, Rejection
from conformance.record.variations import reshaped, retyped, with_attributes, without
from conformance.suite.on_route import on_route
from conformance.suite.wrong_protocol_calls import of_the_protocol

PINNED = Path(__file__).with_name("interfaces")
"""By operator a file: a line for each sentence, behind its status, in the order of the checks."""

ODD_SIZES = (0, 513)
"""513: more slots of a token than any operator takes."""

WRONG: Mapping[str, tuple[Any, ...]] = {
    "int64": (-1, 99),
    "bool": (1,),
    "double": (-1.0, math.nan),
    "int array": ((1,),),
}
"""Of each kind of attribute values that most calls may not have."""

Said = tuple[int, str]
"""A status and its sentence, behind the name of the function."""

Pair = tuple[Case, str, str]
"""A call that breaks two rules, and the rules."""


def wrong_calls(operator: Operator, route: str) -> list[Rejection]:
    """The record's, but for those that break the protocol, or a rule that is lifted."""
    protocol = {one.name for one in of_the_protocol(operator)}
    listed = on_route(operator, route).rejections
    return [one for one in listed if one.name not in protocol and not one.lifted]


def said(seen: Observation, operator: Operator, route: str) -> Said:
    """What phase 1 says of a wrong call, in one sentence under its own name, and writes nothing."""
    assert (seen.outcome, seen.outputs_untouched) == (Outcome.REJECTED, True), seen
    name, sentence = seen.message.split(": ", 1)
    assert name == f"{route}{operator.title}GetWorkspaceSize"
    assert len(sentence.splitlines()) == 1
    return seen.status, sentence


def rule(sentence: str) -> str:
    """The sentence whatever the numbers in it are."""
    return re.sub(r"-?\d+", "N", sentence)


def parameters(case: Case) -> dict[str, Any]:
    """Tensors and attributes by name; those of a null pointer are missing."""
    return {**case.inputs, **case.outputs, **case.attributes}


def changed(base: Case, wrong: Case) -> str:
    """The one parameter in which two calls differ; "" if there are several."""
    before, after = parameters(base), parameters(wrong)
    names = before.keys() | after.keys()
    found = [name for name in names if before.get(name) != after.get(name)]
    return found[0] if len(found) == 1 and found[0] in before else ""


def with_change(case: Case, wrong: Case, name: str) -> Case:
    """The call with a parameter as another call has it."""
    kinds: Mapping[str, Mapping[str, Any]] = {
        kind: getattr(wrong, kind) for kind in ("inputs", "outputs", "attributes")
    }
    for kind, held in kinds.items():
        ours = dict(getattr(case, kind))
        ours.pop(name, None)
        if name in held:
            ours[name] = held[name]
        case = replace(case, **{kind: ours})
    return replace(case, breach=case.breach or wrong.breach)


def variations(operator: Operator, case: Case) -> Iterator[tuple[str, Case]]:
    """Calls with one parameter that is odd, each with its name: a tensor that is null, of another
    data type, with no or too many places on an axis, or a number that most calls do not have.

    None that makes another kind of call: an optional tensor that is null, or another flag.
    """
    optional = {one.name for one in operator.tensors if one.optional}
    for name, tensor in {**case.inputs, **case.outputs}.items():
        if name not in optional:
            yield name, without(case, name)
        yield name, retyped(case, name, "int8")
        for axis, size in product(range(len(tensor.shape)), ODD_SIZES):
            shape = (*tensor.shape[:axis], size, *tensor.shape[axis + 1 :])
            yield name, reshaped(case, name, shape)
    for one in operator.parameters:
        if isinstance(one, AttributeParameter) and one.ctype != "bool":
            for value in WRONG[one.ctype]:
                yield one.name, with_attributes(case, **{one.name: value})
    yield "executor", replace(case, breach=Breach(executor_place="null"))


@dataclass(frozen=True)
class Broken:
    """A documented call, and by rule the wrong calls that differ from it in one parameter."""

    base: Case
    rules: dict[str, tuple[str, Case]]

    def pairs(self) -> Iterator[Pair]:
        """Every two rules on different parameters, both broken; not with all outputs empty."""
        for (first, (name, one)), (second, (other, two)) in combinations(self.rules.items(), 2):
            both = with_change(one, two, other)
            outputs = both.outputs.values()
            is_empty = len(outputs) == len(self.base.outputs) and not any(t.size for t in outputs)
            if name != other and not is_empty:
                yield both, first, second


def broken(operator: Operator, route: str, rules: Mapping[str, str]) -> list[Broken]:
    """In each mode the documented call that has most rules; ``rules`` are those of wrong calls by
    their names.
    """
    found: dict[str, Broken] = {}
    calls = wrong_calls(operator, route)
    for example in on_route(operator, route).examples:
        base = example.case
        if base.before or any(isinstance(t, Tensor) and t.rows for t in parameters(base).values()):
            continue
        made: dict[str, tuple[str, Case]] = {}
        for one in calls:
            if one.case.mode == base.mode and (name := changed(base, one.case)):
                made.setdefault(rules[one.name], (name, one.case))
        if len(made) > len(found[base.mode].rules if base.mode in found else ()):
            found[base.mode] = Broken(base, made)
    return list(found.values())


def in_order(sentences: set[Said], answers: Mapping[tuple[str, str], str]) -> list[Said]:
    """Sentences sorted by rule; ``answers`` has of two rules the one that is looked at first. Of
    rules that no two changes break together the one of the lower status comes first.
    """
    statuses = {rule(sentence): status for status, sentence in sentences}
    order: TopologicalSorter[str] = TopologicalSorter({name: () for name in statuses})
    for (first, second), answer in answers.items():
        order.add(second if answer == first else first, answer)
    order.prepare()
    places: dict[str, int] = {}
    ready = {*order.get_ready()}
    while ready:
        name = min(ready, key=lambda one: (statuses[one], one))
        places[name] = len(places)
        order.done(name)
        ready = (ready - {name}) | {*order.get_ready()}
    return sorted(sentences, key=lambda one: (places[rule(one[1])], one))


def pinned(operator: Operator) -> list[Said]:
    """The sentences of an operator's file."""
    lines = (PINNED / f"{operator.name}.txt").read_text().splitlines()
    return [(int(status), sentence) for status, sentence in (line.split(" ", 1) for line in lines)]


def pin(operator: Operator, sentences: set[Said], first: Mapping[tuple[str, str], str]) -> None:
    """Write them in order."""
    lines = [f"{status} {sentence}\n" for status, sentence in in_order(sentences, first)]
    (PINNED / f"{operator.name}.txt").write_text("".join(lines))

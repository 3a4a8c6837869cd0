"""What a record's rejected calls leave out: computed from parameters, judged and rejected calls.

A judged call is right. A rejected call breaks a rule of it if one tensor or one attribute differs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.call.case import ND, Case, Tensor
from conformance.record.call_rules import (
    LESS,
    MORE,
    FreeAttribute,
    FreeAxis,
    Range,
    Ranks,
    just_beyond,
)
from conformance.record.operator import AttributeParameter, Operator
from conformance.record.variations import in_format

WORDS = {LESS: "less", MORE: "more"}


def missing(operator: Operator) -> list[str]:
    """A sentence for each rejected or accepted call that the record must have and has not."""
    return [f"{operator.name}: {told}" for told in Audit.of(operator).all()]


@dataclass
class Audit:
    """The changes of one tensor or attribute by which rejected calls differ from judged ones."""

    operator: Operator
    rights: list[Case]
    rejected: list[Case]
    tensors: set[tuple[str, Tensor | None, Tensor]] = field(default_factory=set)
    attributes: dict[str, list[tuple[Case, Any]]] = field(default_factory=lambda: defaultdict(list))
    lacking: set[str] = field(default_factory=set)
    """Tensors that alone are null in one of two calls, judged or in quarantine."""
    in_formats: set[str] = field(default_factory=set)
    """Tensors that alone are in another format than ND in a rejected call."""

    @classmethod
    def of(cls, operator: Operator) -> Audit:
        """The audit of a record."""
        rights = [one.case for one in (*operator.examples, *operator.corpus)]
        rejected = [one.case for one in operator.rejections]
        same = [case for case in rejected if not _strided(case) and not _other_formats(case)]
        found = cls(operator, rights, same)
        found._compare()
        for case in rejected:
            for name in _other_formats(case):
                if in_format(case, name, ND) in rights:
                    found.in_formats.add(name)
        return found

    def all(self) -> Iterator[str]:
        """Everything that is missing."""
        for tensor in self.operator.tensors:
            yield from self._pointers_and_dtypes(tensor.name, tensor.optional)
            if tensor.name not in self.in_formats:
                yield f"{tensor.name}: no rejected call in which it alone is in another format"
            for rank in sorted(self._ranks(tensor.name)):
                yield from self._shapes(tensor.name, rank)
        for parameter in self.operator.parameters:
            if isinstance(parameter, AttributeParameter):
                yield from self._attribute(parameter)
        for one in self.operator.ranges:
            yield from self._ends(one)

    def _compare(self) -> None:
        names = [tensor.name for tensor in self.operator.tensors]
        without_tensor: dict[Any, set[tuple[str, Tensor | None]]] = defaultdict(set)
        without_attribute: dict[Any, list[Case]] = defaultdict(list)
        for case in self.rights:
            shown = _shown(case)
            for name in names:
                without_tensor[name, _key(case, shown, tensor=name)].add((name, shown.get(name)))
            for name in case.attributes:
                without_attribute[name, _key(case, shown, attribute=name)].append(case)
        for doubtful in self.operator.quarantine:
            shown = _shown(doubtful.case)
            for name in set(names) - set(shown):
                if (name, _key(doubtful.case, shown, tensor=name)) in without_tensor:
                    self.lacking.add(name)
        for (name, _), tensors in without_tensor.items():
            if len({tensor is None for _, tensor in tensors}) > 1:
                self.lacking.add(name)
        for case in self.rejected:
            shown = _shown(case)
            for name in names:
                for _, right in without_tensor.get((name, _key(case, shown, tensor=name)), ()):
                    if right is not None and right != shown.get(name):
                        self.tensors.add((name, shown.get(name), right))
            for name, value in case.attributes.items():
                rights = without_attribute.get((name, _key(case, shown, attribute=name)), ())
                self.attributes[name] += [(right, value) for right in rights]

    def _ranks(self, name: str) -> set[int]:
        return {
            len(tensor.shape)
            for case in self.rights
            if (tensor := _shown(case).get(name)) is not None
        }

    def _pointers_and_dtypes(self, name: str, optional: bool) -> Iterator[str]:
        changes = [(new, right) for of, new, right in self.tensors if of == name]
        if not any(new is None for new, _ in changes):
            if not optional:
                yield f"{name}: no rejected call in which it is null"
            elif name not in self.lacking:
                yield f"{name}: no call, accepted or rejected, in which it alone is null"
        if not any(new and new.shape == right.shape for new, right in changes):
            yield f"{name}: no rejected call in which it alone has another dtype"

    def _shapes(self, name: str, rank: int) -> Iterator[str]:
        shapes = {
            (new.shape, right.shape)
            for of, new, right in self.tensors
            if of == name and new and new.dtype == right.dtype and len(right.shape) == rank
        }
        free = [one for one in self.operator.freedoms if isinstance(one, FreeAxis)]
        for axis in range(rank):
            freed = {
                way
                for one in free
                if (one.tensor, one.rank, one.axis) == (name, rank, axis)
                for way in one.ways
            }
            for way, word in WORDS.items():
                if way not in freed and not any(_stepped(*pair, axis, way) for pair in shapes):
                    yield f"{name} axis {axis} of {rank}: no rejected call with one {word}"
        ranks = [one for one in self.operator.freedoms if isinstance(one, Ranks)]
        allowed = next((one for one in ranks if one.tensor == name), None)
        for other in sorted({0, rank - 1, rank + 1}):
            if other in (rank, -1) or (allowed and allowed.allow(other)):
                continue
            if not any(len(new) == other for new, _ in shapes):
                yield f"{name} of rank {rank}: no rejected call with rank {other}"

    def _attribute(self, parameter: AttributeParameter) -> Iterator[str]:
        """What is missing if no freedom is declared: the attribute is tied to other sizes."""
        name = parameter.name
        free = [one for one in self.operator.freedoms if isinstance(one, FreeAttribute)]
        if name in {one.attribute for one in free} or parameter.ctype == "double":
            return  # one that is not free has a range
        changes = [(right.attributes[name], value) for right, value in self.attributes[name]]
        if parameter.ctype == "bool":
            if not any(old != new for old, new in changes):
                yield f"{name}: no rejected call with the other value"
        elif parameter.ctype == "int array":
            for way, word in WORDS.items():
                if not any(old and new and len(new) == len(old) + way for old, new in changes):
                    yield f"{name}: no rejected call with one number {word}"
        else:
            for way, word in WORDS.items():
                if not any(new == old + way for old, new in changes):
                    yield f"{name}: no rejected call in which it alone is one {word}"

    def _ends(self, one: Range) -> Iterator[str]:
        told = one.name if one.at is None else f"{one.name}[{one.at}]"
        told += f" in {', '.join(one.modes)}" if one.modes else ""
        known = (*self.rights, *(doubtful.case for doubtful in self.operator.quarantine))
        judged = [case for case in known if not one.modes or case.mode in one.modes]
        at = [(one.value(case), one.ends(case)) for case in judged]
        broken = [case for case in self.rejected if not one.modes or case.mode in one.modes]
        values = [(one.value(case), one.ends(case)) for case in broken]
        for end, way, word in ((0, LESS, "least"), (1, MORE, "most")):
            if not any(ends[end] is not None for _, ends in at):
                continue
            if not any(value == ends[end] is not None for value, ends in at):
                yield f"{told}: no accepted call at the {word}, nor one in quarantine"
            if not any(
                None not in (value, e[end]) and value == just_beyond(e[end], way)
                for value, e in values
            ):
                yield f"{told}: no rejected call just beyond the {word}"


def _strided(case: Case) -> bool:
    return any(tensor.strides for tensor in {**case.inputs, **case.outputs}.values())


def _other_formats(case: Case) -> list[str]:
    tensors = {**case.inputs, **case.outputs}
    return [name for name, tensor in tensors.items() if tensor.format != ND]


def _shown(case: Case) -> dict[str, Tensor]:
    """Shapes and dtypes alone."""
    return {
        name: Tensor(tensor.shape, tensor.dtype)
        for name, tensor in {**case.inputs, **case.outputs}.items()
    }


def _key(
    case: Case, shown: Mapping[str, Tensor], tensor: str = "", attribute: str = ""
) -> tuple[Any, ...]:
    """All of a call but one tensor or attribute."""
    return (
        tuple(sorted((k, v) for k, v in case.attributes.items() if k != attribute)),
        tuple(sorted((k, v.shape, v.dtype) for k, v in shown.items() if k != tensor)),
    )


def _stepped(new: tuple[int, ...], right: tuple[int, ...], axis: int, way: int) -> bool:
    return new == (*right[:axis], right[axis] + way, *right[axis + 1 :])

"""The calls that an interface must reject, from its signature and some right calls.

Each differs from a right call in one thing and does not fit the signature. The first rule that
covers the misfit says how the call is rejected. A test makes them all on the simulated device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from conformance.call.case import Case
from conformance.catalogue import signature as say
from conformance.record.call_rules import (
    BOTH,
    MORE,
    FreeAttribute,
    FreeAxis,
    Freedom,
    Range,
    Ranks,
    extent,
)
from conformance.record.derive import changes
from conformance.record.derive.explain import Misfit, explain
from conformance.record.operator import Rejection
from conformance.record.signature import Rule, Signature, SizedTensor
from conformance.record.sizes import Function, Size

MOST_HELD = 2**26
"""Elements of all tensors of a rejected call."""

Tried = tuple[str, Case, Case | None]
"""A call by its name, and the right one that it was made from; None: it must be rejected."""


def rejections(
    signature: Signature,
    *rights: Case,
    wrong: Mapping[str, Case] | None = None,
    is_of_mode: Callable[[Case], bool] = lambda case: True,
) -> tuple[Rejection, ...]:
    """The rejected calls near the right ones, and those that are ``wrong`` by their names.

    ``is_of_mode`` says whether a changed call still is of the mode that it names; others are left
    out, as they are near right calls of their own mode. So are those of another form than the right
    call that they were made from.
    Raises ValueError for a right call that does not fit, a wrong one that does, a call that no rule
    covers, and a rule that no call breaks.
    """
    found: dict[tuple[object, ...], Rejection] = {}
    names: set[str] = set()
    unused = list(signature.rules)
    for name, case, right in chain(_changed(signature, rights), _written(wrong or {})):
        misfit = explain(signature, case).misfit
        if misfit is None and right is None:
            raise ValueError(_problem(signature, say.FITS(name=name)))
        if misfit is None or _too_big(case):
            continue
        if right is not None and not is_of_mode(case):
            continue
        # A call whose attributes are wrong by themselves is of no form.
        of_right = right is None or signature.of(case) is signature.of(right)
        if misfit.kind != "attribute" and not of_right:
            continue
        rule = _rule(signature, name, misfit, case.mode)
        unused = [one for one in unused if one is not rule]
        rejection = Rejection(
            name,
            case,
            rule.status,
            rule.clause,
            checked_by_cann=rule.checked_by_cann,
            versions=rule.versions,
        )
        # A run tells rejected calls apart by their names: the first right call of a mode has it.
        if right is None or name not in names:
            found.setdefault(_shown(case), rejection)
        names.add(name)
    for rule in unused:
        raise ValueError(_problem(signature, say.BROKEN_BY_NOTHING(rule=rule.clause.text)))
    return tuple(found.values())


def _changed(signature: Signature, rights: Sequence[Case]) -> Iterator[Tried]:
    """What is changed of each right call; pointers and data types of the first with its tensors,
    ranks of the first with a tensor of that rank.
    """
    shown: set[tuple[str, int]] = set()
    for right in rights:
        sizes, misfit = explain(signature, right)
        if misfit is not None:
            told = say.NOT_RIGHT(kind=misfit.kind, parameter=misfit.parameter)
            raise ValueError(_problem(signature, told))
        form = signature.of(right)
        ranks = {(name, len(t.shape)) for name, t in {**right.inputs, **right.outputs}.items()}
        if not {name for name, _ in ranks} <= {name for name, _ in shown}:
            yield from _made_from(right, changes.pointers_and_dtypes(form, right))
        new = {name for name, _ in ranks - shown}
        yield from _made_from(right, changes.ranks(form, right, sizes, new))
        shown |= ranks
        yield from _made_from(right, changes.extents(form, right))
        yield from _made_from(right, changes.attributes(form, right))
        yield from _made_from(right, changes.limits(form, right, sizes))


def _made_from(right: Case, made: Iterator[changes.Change]) -> Iterator[Tried]:
    return ((name, case, right) for name, case in made)


def _written(wrong: Mapping[str, Case]) -> Iterator[Tried]:
    return ((name, case, None) for name, case in wrong.items())


def _rule(signature: Signature, name: str, misfit: Misfit, mode: str = "") -> Rule:
    rule = signature.rule(misfit.kind, misfit.parameter, misfit.size, mode)
    if rule is not None:
        return rule
    told = say.WITHOUT_RULE(name=name, kind=misfit.kind, parameter=misfit.parameter)
    raise ValueError(_problem(signature, told))


def _problem(signature: Signature, problem: str) -> str:
    return say.OF_SIGNATURE(operator=signature.operator, problem=problem)


def _shown(case: Case) -> tuple[object, ...]:
    """All of a call that an interface checks, hashable."""
    tensors = {**case.inputs, **case.outputs}.items()
    return (*case.attributes.items(), *((name, t.shape, t.dtype) for name, t in tensors))


def _too_big(case: Case) -> bool:
    """Whether a call takes more memory than a rejected one is worth."""
    return sum(t.held_size for t in {**case.inputs, **case.outputs}.values()) > MOST_HELD


def freedoms(signature: Signature) -> tuple[Freedom, ...]:
    """The axes, ranks and attributes that nothing ties, by their clauses."""
    forms = [form for _, form in signature.all_forms]
    found = [one for form in forms for one in _freedoms(form)]
    checked = {one.name for form in forms for one in form.attributes if form.checked(one)}
    return tuple(
        one
        for one in dict.fromkeys(found)
        if not isinstance(one, FreeAttribute) or one.attribute not in checked
    )


def _freedoms(form: Signature) -> Iterator[Freedom]:
    for one in form.tensors:
        for at, axis in enumerate(one.shape):
            if isinstance(axis, Size) and axis.free is not None:
                at_least = isinstance(axis, Function) or axis.covers is not None
                ways = (MORE,) if at_least else BOTH
                for rank in _ranks_with_own_axes(one):
                    place = at if rank == len(one.shape) else rank - len(one.shape) + at
                    yield FreeAxis(one.name, rank, place, axis.free, ways)
        if one.further is not None and not one.further.like:
            yield Ranks(one.name, *one.ranks, one.further.clause)
    for attribute in form.attributes:
        if attribute.free is not None:
            yield FreeAttribute(attribute.name, attribute.free)


def _ranks_with_own_axes(one: SizedTensor) -> Iterable[int]:
    """The ranks in which an axis of the shape has a place of its own."""
    least, most = one.ranks
    ahead = one.further is not None and one.further.first
    return range(least, (most or least) + 1) if ahead else (len(one.shape),)


def ranges(signature: Signature) -> tuple[Range, ...]:
    """The limits of attributes, and of sizes of axes that are no attribute."""
    found: dict[str, Range] = {}
    for modes, form in signature.all_forms:
        for attribute in form.attributes:
            name, size, ends = attribute.name, attribute.size, attribute.limits
            if name not in found and (_limited(size) if size else ends != (None, None)):
                clause = _rule(signature, name, Misfit("attribute", name)).clause
                found[name] = Range(name, *ends, clause, modes=modes)
        of_attributes = {one.size for one in form.attributes}
        for one in form.tensors:
            for at, axis in enumerate(one.axes):
                if not isinstance(axis, Size) or axis in of_attributes or axis.name in found:
                    continue
                if _limited(axis):
                    misfit = Misfit("limit", one.name, axis.name)
                    clause = _rule(signature, axis.name, misfit, *modes).clause
                    alone = one.axes[: at + 1] == one.shape[: at + 1]
                    of = extent(one.name, at) if alone else _part(one, at)
                    least = axis.least or None  # no axis is shorter than 0
                    found[axis.name] = Range(
                        axis.name, least, axis.most, clause, of=of, modes=modes
                    )
    return tuple(found.values())


def _part(one: SizedTensor, at: int) -> Callable[[Case], int | None]:
    """The size of one of the axes of a tensor, the further ones together; None if a call's tensor
    has fewer axes than it must have."""

    def of(case: Case) -> int | None:
        found = {**case.inputs, **case.outputs}.get(one.name)
        if found is None or len(found.shape) < one.ranks[0]:
            return None
        return one.extents(found.shape)[at]

    return of


def _limited(size: Size) -> bool:
    return size.least > 0 or size.most is not None

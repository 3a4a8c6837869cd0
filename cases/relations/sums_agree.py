"""Relations of operators that add rows with other operators, and with other calls of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from cases.relations.slot_sums import SlotSum, SumForm
from conformance.call.case import Case
from conformance.call.surroundings import BATCH_INVARIANT
from conformance.record.clause import Clause, inferred
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.relations.axes import held, on_lattice


def agrees(
    own: SumForm, other: SumForm, modes: tuple[str, ...] = (), what: str = "sums"
) -> Relation:
    """On data whose sums are exact in every order, another operator's sums are the same."""
    text = f"of small integers the {what} of {other.title} are the same"
    source = "the sums of both documents' equations, which are exact on such data in any order"
    return _agreement(own, other, (f"{what} of {other.title}", text, source), on_lattice, modes)


def agrees_rounded(own: SumForm, other: SumForm, modes: tuple[str, ...] = ()) -> Relation:
    """Where a sum has one order, another operator's sums are the same on any data.

    That are two rows, or one with a weight: added or multiplied in float32, and rounded once. Of
    tokens with more slots these alone are asked, and weights that are special are 1.
    """

    def of_one_order(case: Case) -> Case | None:
        sums = own.read(case)
        if sums is None:
            return None
        if sums.weights is None:
            if sums.names.shape[1] <= 2:
                return case
            return own.call(replace(sums, names=sums.names[:, :2]).of_named_rows())
        stored = sums.weights.materialize()[:, :1]
        wide = stored.astype(np.float64)
        plain = np.where(np.isfinite(wide) & (wide != 0), stored, np.ones_like(stored))
        return own.call(SlotSum(sums.rows, sums.names[:, :1], held(sums.weights, plain)))

    text = f"two rows, or one with a weight, come to the sums of {other.title}, rounded once"
    source = "sums of two have one order; both operators add in float32"
    return _agreement(own, other, (f"rounding of {other.title}", text, source), of_one_order, modes)


def _agreement(
    own: SumForm,
    other: SumForm,
    told: tuple[str, str, str],
    given: Callable[[Case], Case | None],
    modes: tuple[str, ...],
) -> Relation:

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        asked = _of(own.read, other.call, case)
        if asked is not None:
            due = run(asked)[other.output]
            seen = outputs[own.output].reshape(due.shape)
            yield from difference(own.output, seen, due, f"by {other.title}", sums=True)

    def prepared(drawn: Case) -> Case | None:
        case = given(drawn)
        return None if case is None or _of(own.read, other.call, case) is None else case

    name, text, source = told
    clause = inferred(text, source)
    return Relation(name, clause, broken, prepared, modes, beside=(other.operator,), far=True)


def split(own: SumForm, modes: tuple[str, ...] = ()) -> Relation:
    """The sums of a batch's second half are those of a call of its own, with all the rows.

    One token is its own half: then the call differs in its mode and machine alone.
    """
    source = "no sum of this family looks at other tokens"
    clause = inferred("half a batch has the sums that it has in the whole", source)
    return _halved(own, "half a batch", clause, modes, on_lattice)


def batch_invariant(own: SumForm, modes: tuple[str, ...] = ()) -> Relation:
    """At the level of determinism that promises it, a token's sum is the same in another batch, on
    any data; asked beside the reference, which accepts every order where none is promised.
    """

    def at_the_level(drawn: Case) -> Case | None:
        # Written anew as the half is: what one operator adds besides is a further row in both.
        case = _of(own.read, own.call, drawn)
        setting = replace(drawn.setting, determinism=BATCH_INVARIANT)
        return None if case is None else replace(case, setting=setting)

    text = f"at determinism level {BATCH_INVARIANT} a token's sum does not depend on its neighbours"
    clause = inferred(text, "ACL_OPT_DETERMINISTIC: batch consistency")
    return replace(_halved(own, "batch invariance", clause, modes, at_the_level), always=True)


def _halved(
    own: SumForm,
    name: str,
    clause: Clause,
    modes: tuple[str, ...],
    given: Callable[[Case], Case | None],
) -> Relation:
    def second_half(sums: SlotSum) -> Case | None:
        return own.call(sums.of_tokens(len(sums.names) // 2))

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        asked = _of(own.read, second_half, case)
        if asked is not None:
            due = run(replace(asked, setting=case.setting))[own.output]
            seen = outputs[own.output][len(outputs[own.output]) // 2 :]
            meaning = "by a call of the second half of the tokens"
            yield from difference(f"{own.output}'s second half", seen, due, meaning, sums=True)

    def prepared(drawn: Case) -> Case | None:
        case = given(drawn)
        return None if case is None or _of(own.read, second_half, case) is None else case

    return Relation(name, clause, broken, prepared, modes, far=True)


def _of(
    read: Callable[[Case], SlotSum | None], call: Callable[[SlotSum], Case | None], case: Case
) -> Case | None:
    """The call of the sums of a case; None where there are none, or no token, slot or column."""
    if any(0 in tensor.shape for tensor in (*case.inputs.values(), *case.outputs.values())):
        return None
    sums = read(case)
    return None if sums is None else call(sums)

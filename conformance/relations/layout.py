"""Where tensors lie: a relation of every operator with itself, whatever the oracle is.

A tensor of an interface is a view: shape, strides and offset into a storage that may be larger. The
values that a call is given do not depend on where they lie, so nor does what it makes of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from conformance.call.case import Case
from conformance.catalogue import relations as say
from conformance.draw.views import contiguous, views
from conformance.record.clause import Clause, SourceClass
from conformance.record.operator import Operator
from conformance.record.relation import LAYOUT, Outputs, Relation, Run
from conformance.relations.invariants import differences

PLACED = Clause(say.PLACED(), say.PLACED_SOURCE(), SourceClass.INFERRED)


def layout(operator: Operator) -> Relation:
    """The call with contiguous tensors gives the same bytes as the one whose tensors are views.

    Every tensor may begin inside a larger storage; those have strides, too, of which the record
    says that they are carried out (`Operator.strided`).
    """

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        due = run(contiguous(case)), say.CONTIGUOUS()
        yield from differences(operator, case, due, (outputs, say.VIEWS()))

    carried_out = [said.tensors for said in operator.strided if said.status is None]
    strided = frozenset(name for tensors in carried_out for name in tensors)
    varied = partial(views, strided=strided)
    return Relation(LAYOUT, PLACED, broken, far=True, always=True, varied=varied)

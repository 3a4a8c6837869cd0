"""An operator's record in a few lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from conformance.catalogue import records as say
from conformance.catalogue.marks import OR, SEMICOLON
from conformance.catalogue.message import row
from conformance.record.clause import KINDS, Clause
from conformance.record.contract import Sum, Varying
from conformance.record.operator import (
    TWO_PHASE,
    Operator,
    Parameter,
    Support,
    Target,
    TensorParameter,
)
from conformance.record.torch_binding import TORCH_NPU, UNDECLARED, Binding, Unreached

SUPPORT = {
    Support.SUPPORTED: say.SUPPORTED,
    Support.REJECTED: say.REJECTED,
    Support.IGNORED: say.IGNORED,
    Support.UNAVAILABLE: say.UNAVAILABLE,
    Support.UNDEFINED: say.UNDEFINED,
}
ROLES = {"input": say.INPUT, "output": say.OUTPUT}


def operator_lines(operator: Operator) -> Iterator[str]:
    """Name, what can be called, what goes in and out, what is promised and where it is written."""
    yield operator.name
    names = [say.ON_ROUTE(name=operator.symbol(route), route=route) for route in TWO_PHASE]
    bound = operator.torch_npu
    if isinstance(bound, Binding):
        names.append(say.ON_ROUTE(name=f"torch_npu.{bound.function}", route=TORCH_NPU))
    yield say.CALLED_AS(names=names)
    if isinstance(bound, Unreached) and bound != UNDECLARED:
        yield say.UNREACHED(reason=bound.reason)
    elif isinstance(bound, Binding):
        yield from (say.THROUGH_TORCH(clause=_clause(clause)) for clause in bound.clauses)
    yield say.PRODUCTS(names=operator.products)
    yield say.MODES(names=[mode.name for mode in operator.modes])
    yield say.DTYPES(names=operator.dtypes)
    yield say.ARGUMENTS(names=[_parameter(one) for one in operator.parameters])
    for output, declared in operator.contracts.items():
        among = declared.among if isinstance(declared, Varying) else {"": declared}
        for when, contract in among.items():
            called = say.OUTPUT_WHEN(output=output, when=when) if when else output
            yield say.CONTRACT(output=called, clause=_clause(contract.clause))
            if isinstance(contract, Sum) and contract.order_clause is not None:
                yield say.ORDER(output=called, clause=_clause(contract.order_clause))
    for mode in operator.modes:
        where = [say.ROUTES_ONLY(routes=mode.routes)] if mode.routes else []
        where += [say.DTYPES_ONLY(dtypes=mode.dtypes)] if mode.dtypes else []
        where += [say.ON_NPU(versions=mode.versions.in_words)] if mode.versions else []
        yield say.MODE(mode=mode.name, where=row(where), clause=_clause(mode.clause))
    for one in operator.dated:
        told = {"versions": one.versions.in_words, "clause": _clause(one.versions.clause)}
        yield say.NEWER(what=one.what, **told)
    for versions, count in Counter(one.versions for one in operator.rejections).items():
        if versions is not None:
            told = {"versions": versions.in_words, "clause": _clause(versions.clause)}
            yield say.STATUSES(count=count, **told)
    for target in operator.targets:
        yield say.TARGET(product=target.product, target=_target(target))
    refused = Counter(one.clause.source_class for one in operator.rejections)
    kinds = [say.OF_KIND(count=count, kind=KINDS[kind]()) for kind, count in refused.items()]
    if kinds:
        yield say.REFUSED_OF(count=len(operator.rejections), kinds=kinds)
    else:
        yield say.REFUSED(count=0)
    yield say.EXAMPLES(count=len(operator.examples))
    yield say.SOURCES(sources=row(operator.sources, SEMICOLON))


def _parameter(parameter: Parameter) -> str:
    if not isinstance(parameter, TensorParameter):
        return say.ARGUMENT(name=parameter.name, type=parameter.ctype)
    tensor = say.OPTIONAL_TENSOR if parameter.optional else say.TENSOR
    dtypes = row(parameter.dtypes(say.DTYPE_OF_CASE()), OR)
    return tensor(name=parameter.name, role=ROLES[parameter.role](), dtypes=dtypes)


def _target(target: Target) -> str:
    said = {"modes": target.modes or say.ALL_MODES(), "support": SUPPORT[target.support]()}
    if target.status is None:
        return say.SUPPORT(**said, clause=_clause(target.clause))
    return say.SUPPORT_STATUS(**said, status=target.status, clause=_clause(target.clause))


def _clause(clause: Clause) -> str:
    return say.CLAUSE(text=clause.text, origin=clause.origin)

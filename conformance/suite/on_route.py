"""What of an operator can be called on a route: its modes, and the calls that are made there."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from conformance.catalogue import left_out as say
from conformance.errors import UsageError
from conformance.record.contract import Contract, Sum, Varying
from conformance.record.operator import BOTH, Mode, Operator, Quarantine, Rejection
from conformance.record.torch_binding import BY_KEYWORDS, PYTHON, TORCH_NPU, Binding, Unreached
from conformance.suite.on_demand import OnDemand
from conformance.suite.wrong_arguments import of_arguments


def on_route(operator: Operator, route: str) -> Operator:
    """The operator with only the modes and calls of a route.

    PyTorch checks calls by itself before it makes them: of those that must be rejected, or are in
    doubt, only such are made there as name the route. Of a Python function those are asked that it
    can see (`of_arguments`); the order in which kernels add is no promise of it.
    """
    by_keywords = route in BY_KEYWORDS
    modes = tuple(mode for mode in operator.modes if _has(operator, mode, route))
    away = {mode.name for mode in operator.modes} - {mode.name for mode in modes}

    def named(routes: tuple[str, ...]) -> bool:
        return route in routes or (not routes and not by_keywords)

    def made(one: Rejection | Quarantine) -> bool:
        return named(one.routes) and (bool(one.routes) or one.case.mode not in away)

    rejections = tuple(filter(made, operator.rejections))
    quarantine = tuple(filter(made, operator.quarantine))
    examples = tuple(one for one in operator.examples if one.case.mode not in away)
    bound = operator.torch_npu
    unreached = bound.unreached if by_keywords and isinstance(bound, Binding) else None
    there = (modes, examples, rejections, quarantine, unreached)
    here = (operator.modes, operator.examples, operator.rejections, operator.quarantine, None)
    if there == here and route != PYTHON:
        return operator
    contracts = operator.contracts
    if route == PYTHON:
        contracts = {name: _in_any_order(one) for name, one in contracts.items()}
    made_there = replace(
        operator,
        modes=modes,
        contracts=contracts,
        examples=examples,
        rejections=rejections,
        quarantine=quarantine,
        unreached=unreached,
        corpus=tuple(one for one in operator.corpus if one.case.mode not in away),
        regressions=tuple(one for one in operator.regressions if one.case.mode not in away),
    )
    if route != PYTHON:
        return made_there
    asked = of_arguments(replace(made_there, rejections=operator.rejections))
    return replace(made_there, rejections=(*rejections, *asked))


def all_on_route(records: Mapping[str, Operator], route: str) -> Mapping[str, Operator]:
    """The records on a route, each read when it is looked up."""
    return OnDemand(records, lambda name: on_route(records[name], route))


def on_it(
    operator: Operator,
    records: Mapping[str, Operator],
    route: str,
    called: Container[str] | None = None,
    oracle: str = BOTH,
) -> Operator:
    """The operator on a route, with the relations whose other operators can be called there too.

    ``called`` are the operators that something carries out, None: all. The other operators of a
    relation that an oracle does not ask are not looked up: their records need not be read.
    """
    made = on_route(operator, route)

    def there(name: str) -> bool:
        return (called is None or name in called) and not why_not(records[name], route)

    relations = tuple(
        relation
        for relation in made.relations
        if not relation.asked_by(oracle)
        or all(there(name) for name in relation.beside if name in records)
    )
    return made if relations == made.relations else replace(made, relations=relations)


def two_phase(route: str) -> str:
    """The route on which a program makes the same call in two phases: PyTorch's is the vendor's."""
    return "aclnn" if route in BY_KEYWORDS else route


def why_not(operator: Operator, route: str) -> str:
    """Why nothing of an operator can be called on a route; "" where something can."""
    if route == TORCH_NPU and isinstance(operator.torch_npu, Unreached):
        return operator.torch_npu.reason
    return "" if any(_has(operator, mode, route) for mode in operator.modes) else say.NO_MODE()


def reachable(
    operators: Sequence[Operator], route: str, asked: Sequence[str] = ()
) -> tuple[Operator, ...]:
    """Those of the operators of which something can be called on a route.

    Raises `UsageError` for one that was ``asked`` for by its name and that is not among them.
    """
    for operator in operators:
        if operator.name in asked and (reason := why_not(operator, route)):
            rule = say.NOT_REACHABLE(route=route, reason=reason)
            raise UsageError("operator", operator.name, rule)
    return tuple(operator for operator in operators if not why_not(operator, route))


def _in_any_order(contract: Contract | Varying) -> Contract | Varying:
    """The contract without what the source of the kernels alone says of its additions; no document
    bounds how exact they may be."""
    if isinstance(contract, Varying):
        among = {name: _in_any_order(one) for name, one in contract.among.items()}
        return replace(contract, among=among)  # type: ignore[arg-type]
    if not isinstance(contract, Sum) or contract.fused == "sums":
        return contract
    return replace(contract, order_clause=None, fused="either", wider=True)


def _has(operator: Operator, mode: Mode, route: str) -> bool:
    if route == TORCH_NPU and isinstance(operator.torch_npu, Unreached):
        return False
    return not mode.routes or route in mode.routes

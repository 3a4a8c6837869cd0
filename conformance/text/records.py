"""An operator's record in a few lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from conformance.record.clause import Clause
from conformance.record.operator import (
    TWO_PHASE,
    Operator,
    Parameter,
    Sum,
    Target,
    TensorParameter,
    Varying,
)
from conformance.record.torch_binding import TORCH_NPU, UNDECLARED, Binding, Unreached


def operator_lines(operator: Operator) -> Iterator[str]:
    """Name, what can be called, what goes in and out, what is promised and where it is written."""
    yield operator.name
    called_as = [f"{operator.symbol(route)} (route {route})" for route in TWO_PHASE]
    bound = operator.torch_npu
    if isinstance(bound, Binding):
        called_as.append(f"torch_npu.{bound.function} (route {TORCH_NPU})")
    yield f"  called as  {', '.join(called_as)}"
    if isinstance(bound, Unreached) and bound != UNDECLARED:
        yield f"  torch_npu  not reachable: {bound.reason}"
    elif isinstance(bound, Binding):
        yield from (f"  torch_npu  {_clause(clause)}" for clause in bound.clauses)
    yield f"  products   {', '.join(operator.products)}"
    yield f"  modes      {', '.join(mode.name for mode in operator.modes)}"
    yield f"  dtypes     {', '.join(operator.dtypes)}"
    yield f"  arguments  {', '.join(_parameter(p) for p in operator.parameters)}"
    for output, declared in operator.contracts.items():
        among = declared.among if isinstance(declared, Varying) else {"": declared}
        for when, contract in among.items():
            called = f"{output} ({when})" if when else output
            yield f"  contract   {called}: {_clause(contract.clause)}"
            if isinstance(contract, Sum) and contract.order_clause is not None:
                yield f"             {called}: {_clause(contract.order_clause)}"
    for mode in operator.modes:
        where = f" (on route {', '.join(mode.routes)} only)" if mode.routes else ""
        where += f" (on an NPU up to CANN {mode.until.cann})" if mode.until else ""
        yield f"  mode       {mode.name}{where}: {_clause(mode.clause)}"
    for target in operator.targets:
        yield f"  target     {target.product}: {_target(target)}"
    refused = Counter(r.clause.source_class.value for r in operator.rejections)
    classes = ", ".join(f"{count} {name}" for name, count in refused.items())
    yield f"  refused    {len(operator.rejections)} calls" + (f" ({classes})" if classes else "")
    yield f"  examples   {len(operator.examples)}"
    yield f"  sources    {'; '.join(operator.sources)}"


def _parameter(parameter: Parameter) -> str:
    if isinstance(parameter, TensorParameter):
        dtypes = " or ".join(parameter.dtypes("dtype of the case"))
        optional = ", optional" if parameter.optional else ""
        return f"{parameter.name} ({parameter.role}, {dtypes}{optional})"
    return f"{parameter.name} ({parameter.ctype})"


def _target(target: Target) -> str:
    modes = ", ".join(target.modes) or "all modes"
    status = "" if target.status is None else f" with {target.status}"
    return f"{modes} {target.support.value}{status}: {_clause(target.clause)}"


def _clause(clause: Clause) -> str:
    return f"{clause.text} [{clause.source_class.value}: {clause.source}]"

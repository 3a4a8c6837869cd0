"""An operator's record in a few lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from conformance.operator import Clause, Operator, Parameter, Sum, Target, TensorParameter


def operator_lines(operator: Operator) -> Iterator[str]:
    """Name, what can be called, what goes in and out, what is promised and where it is written."""
    yield operator.name
    yield f"  called as  {operator.aclnn}"
    yield f"  products   {', '.join(operator.products)}"
    yield f"  modes      {', '.join(mode.name for mode in operator.modes)}"
    yield f"  dtypes     {', '.join(operator.dtypes)}"
    yield f"  arguments  {', '.join(_parameter(p) for p in operator.parameters)}"
    for output, contract in operator.contracts.items():
        yield f"  contract   {output}: {_clause(contract.clause)}"
        if isinstance(contract, Sum) and contract.order_clause is not None:
            yield f"             {output}: {_clause(contract.order_clause)}"
    for mode in operator.modes:
        yield f"  mode       {mode.name}: {_clause(mode.clause)}"
    for target in operator.targets:
        yield f"  target     {target.product}: {_target(target)}"
    refused = Counter(r.clause.source_class.value for r in operator.rejections)
    classes = ", ".join(f"{count} {name}" for name, count in refused.items())
    yield f"  refused    {len(operator.rejections)} calls" + (f" ({classes})" if classes else "")
    yield f"  examples   {len(operator.examples)}"
    yield f"  sources    {'; '.join(operator.sources)}"


def _parameter(parameter: Parameter) -> str:
    if isinstance(parameter, TensorParameter):
        return f"{parameter.name} ({parameter.role}, {parameter.dtype or 'dtype of the case'})"
    return f"{parameter.name} ({parameter.ctype})"


def _target(target: Target) -> str:
    modes = ", ".join(target.modes) or "all modes"
    status = "" if target.status is None else f" with {target.status}"
    return f"{modes} {target.support.value}{status}: {_clause(target.clause)}"


def _clause(clause: Clause) -> str:
    return f"{clause.text} [{clause.source_class.value}: {clause.source}]"

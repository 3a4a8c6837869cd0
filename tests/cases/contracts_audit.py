"""What docs/reference/contracts.md repeats of records: `python -m tests.cases.contracts_audit`.

Prints a table for each kind of contract, and what the judge says of some wrong answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from cases.operators import moe_finalize_routing_v2, moe_token_permute_grad
from cases.operators._finalize_call import Parts, with_parts
from cases.operators._moe_init_routing_v2_call import COUNTS
from cases.operators._moe_init_routing_v2_call import call as init_call
from cases.operators._moe_token_permute_call import call as permute_call
from conformance.call.case import Case
from conformance.call.observation import GuardDamage, Observation
from conformance.judge.calls import JUDGES, judge
from conformance.judge.right_answer import right_answer
from conformance.record.contract import Contract, Copy, Index, Sum, Varying
from conformance.suite import records as suite
from conformance.values.fill import Fill
from tests.conformance import quantise_rows

ADDRESSES = Fill(("address",), seed=1)
Change = Callable[[Observation], Observation]


def table(kind: type[Contract]) -> Iterator[str]:
    """The outputs of all records that have such a contract, a row for each."""
    shown = ["operator", "output", "calls", "clause"]
    shown += ["elements"] if kind in (Sum, Copy, Index) else []
    shown += ["order", "products"] if kind is Sum else []
    yield f"| {' | '.join(shown)} |"
    yield "|---" * len(shown) + "|"
    for operator in suite.operators([]):
        for output, declared in operator.contracts.items():
            every = declared.among if isinstance(declared, Varying) else {"all": declared}
            for calls, one in every.items():
                if isinstance(one, kind):
                    cells = (f"`{operator.name}`", f"`{output}`", calls, *_cells(one))
                    yield f"| {' | '.join(cells)} |"


def _cells(contract: Contract) -> Iterator[str]:
    yield contract.clause.source_class.value
    if isinstance(contract, Sum | Copy | Index):
        yield "all" if contract.specified is None else "some"
    if isinstance(contract, Sum):
        order = "any" if contract.deterministic else "any, may differ from call to call"
        if contract.order_clause is not None:
            order = f"declared, {contract.order_clause.source_class.value}"
        yield order
        yield contract.fused


def of_float32(*values: float) -> tuple[int, ...]:
    """The patterns of some values."""
    return tuple(map(int, np.array(values, np.float32).view(np.uint32)))


def interval() -> str:
    """A sum of six terms in fp32 that no order gives."""
    case = moe_finalize_routing_v2.ONE.call(
        "dropless_rows",
        "float32",
        source=(6, 1),
        indices=tuple(range(6)),
        top_k=6,
        fill=Fill(("gaussian",), seed=1),
    )
    case = with_parts(case, Parts(scales=of_float32(*[1] * 6)))

    def higher(out: np.ndarray) -> None:
        out.view(np.uint32)[0, 0] += 40

    return _said(case, _wrong("out", higher))


def drift() -> str:
    """A sum of three terms, added from the last to the first."""
    values = of_float32(1, 2**-24, 2**-24)
    case = moe_token_permute_grad.call(
        "whole", "float32", source=(3, 1), indices=(0, 1, 2), top_k=3, values=values
    )

    def from_the_last(out: np.ndarray) -> None:
        out[0, 0] = 1 + 2**-23

    return _said(case, _wrong("out", from_the_last))


def copy() -> str:
    """A row of another token."""

    def another(rows: np.ndarray) -> None:
        rows[2] = rows[0]

    return _said(_permute(), _wrong("permute_tokens", another))


def index() -> str:
    """The slots by rank in place of the rank of each slot."""

    def inverse(ranks: np.ndarray) -> None:
        ranks[:] = np.argsort(ranks)

    return _said(_permute(), _wrong("sorted_indices", inverse))


def quantised() -> str:
    """An integer that its scale does not explain, of an operator of the suite's own tests."""
    made = quantise_rows.case((3, 40), "float16", fill=Fill(("gaussian",), 2))

    def higher(q: np.ndarray) -> None:
        q[2, 33] += 1

    record = quantise_rows.operator()
    seen = _wrong("q", higher)(right_answer(record, made))
    return str(judge(record, made, seen))


def unspecified() -> str:
    """Bytes behind an output of which nothing is promised."""
    case = init_call(
        "dropless", "float16", x=(1, 4), top_k=2, expert_num=2, counts="given", fill=ADDRESSES
    )
    damage = GuardDamage(COUNTS, 8, 4)
    return _said(case, lambda seen: replace(seen, guard_damage=(damage,)))


def _permute() -> Case:
    return permute_call(
        "whole",
        "float16",
        tokens=(5, 4),
        indices=(3, 4, 5, 6, 7, 8, 9, 0, 1, 2),
        top_k=2,
        fill=ADDRESSES,
    )


def _wrong(output: str, change: Callable[[np.ndarray], None]) -> Change:
    def changed(seen: Observation) -> Observation:
        outputs = {name: array.copy() for name, array in seen.outputs.items()}
        change(outputs[output])
        return replace(seen, outputs=outputs)

    return changed


def _said(case: Case, change: Change) -> str:
    """What the judge says of an answer that is right but for a change."""
    (operator,) = suite.chosen(suite.records([]), [case.operator])
    verdict = judge(operator, case, change(right_answer(operator, case)))
    assert not verdict.ok
    return str(verdict)


SAID: tuple[Callable[[], str], ...] = (
    interval,
    drift,
    copy,
    index,
    quantised,
    unspecified,
)


def main() -> None:
    for kind in JUDGES:
        print(f"\n## {kind.__name__}\n")
        print("\n".join(table(kind)))
    for one in SAID:
        print(f"\n{one.__doc__}\n\n{one()}")


if __name__ == "__main__":
    main()

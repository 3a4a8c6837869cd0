"""An item that makes the calls of a workload (conformance/record/workload.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from conformance.catalogue import failure as say
from conformance.record.operator import Operator
from conformance.record.workload import Batch
from conformance.session.drawing import Drawing
from conformance.session.endings import Refused
from conformance.session.trial import Trial

DTYPE = "bfloat16"
"""In which the models are published."""


def dtype_of(operator: Operator) -> str:
    """The data type of an operator's workloads."""
    return DTYPE if DTYPE in operator.dtypes else operator.dtypes[0]


def routed(
    operator: Operator, batches: Iterable[Batch], drawing: Drawing, trial: Trial
) -> Callable[..., None]:
    """A test that judges a case of every batch, up to the first that is refused.

    Then it looks for the smallest refused batch of that routing: the fewest tokens, then one
    column.
    """

    def judged(batch: Batch, arguments: dict[str, object]) -> None:
        __tracebackhide__ = True
        assert operator.workload_cases is not None
        cases = operator.workload_cases(dtype_of(operator), batch)
        drawing(cases, 1, str(batch), shrinks=False)(**arguments)

    def run(**arguments: object) -> None:
        __tracebackhide__ = True
        for batch in batches:
            try:
                judged(batch, arguments)
            except Refused:
                if not trial.diagnoses.as_drawn:
                    trial.noted = say.WORKLOAD(batch=smallest(batch, arguments).text)
                raise

    def smallest(batch: Batch, arguments: dict[str, object]) -> Batch:
        for smaller in _smaller(batch):
            try:
                judged(smaller, arguments)
            except Refused:
                return smaller
        return batch

    return run


def _smaller(batch: Batch) -> Iterator[Batch]:
    """Batches of fewer tokens, by powers of two, or of one column, the smallest ones first."""
    powers = (2**power for power in range(batch.tokens.bit_length()))
    for tokens in dict.fromkeys((*powers, batch.tokens)):
        for columns in dict.fromkeys((1, batch.columns)):
            smaller = replace(batch, tokens=tokens, columns=columns)
            if smaller != batch:
                yield smaller

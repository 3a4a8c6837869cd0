"""A toy record whose cases are all drawn for 40 cores."""

from dataclasses import replace

from hypothesis import strategies as st

from conformance.call.case import Case, Machine, Tensor
from conformance.record.clause import Clause, SourceClass
from conformance.record.operator import Mode, Operator

RULE = Clause("the output equals the input", "toy document", SourceClass.DOCUMENT)


def cases(mode: str, dtype: str) -> st.SearchStrategy[Case]:
    values = st.lists(st.integers(0, 99), min_size=5, max_size=9).map(tuple)
    return values.map(
        lambda listed: replace(
            Case("by_cores", mode, dtype, {}, {}, {}, Machine(40, 4096)),
            inputs={"x": Tensor((len(listed),), dtype, listed)},
            outputs={"y": Tensor((len(listed),), dtype)},
        )
    )


OPERATOR = Operator(
    name="by_cores",
    title="ByCores",
    aclnn="aclnnByCores",
    sources=("toy document",),
    products=("toy",),
    parameters=(),
    modes=(Mode("plain", RULE),),
    dtypes=("int32",),
    formula=lambda inputs, attributes: {"y": inputs["x"]},
    contracts={},
    cases=cases,
)

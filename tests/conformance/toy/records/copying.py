"""A toy record: the output is the input, element by element."""

from hypothesis import strategies as st

from conformance.call.case import Case, Tensor
from conformance.record.clause import Clause, SourceClass
from conformance.record.operator import Example, Mode, Operator, Quarantine, Rejection

RULE = Clause("the output equals the input", "toy document", SourceClass.DOCUMENT)


def call(mode: str, dtype: str, values: tuple[int, ...]) -> Case:
    shape = (len(values),)
    return Case(
        "copying", mode, dtype, {}, {"x": Tensor(shape, dtype, values)}, {"y": Tensor(shape, dtype)}
    )


def cases(mode: str, dtype: str) -> st.SearchStrategy[Case]:
    values = st.lists(st.integers(0, 10_000), max_size=40).map(tuple)
    return values.map(lambda listed: call(mode, dtype, listed))


OPERATOR = Operator(
    name="copying",
    title="Copying",
    aclnn="aclnnCopying",
    sources=("toy document",),
    products=("toy",),
    parameters=(),
    modes=(Mode("plain", RULE), Mode("careful", RULE)),
    dtypes=("int32", "int64"),
    formula=lambda inputs, attributes: {"y": inputs["x"]},
    contracts={},
    cases=cases,
    examples=(Example("three", call("plain", "int32", (1, 2, 3)), "toy document"),),
    rejections=(Rejection("a null", call("plain", "int32", ()), 161001, RULE),),
    quarantine=(Quarantine("in doubt", call("plain", "int32", (9,)), RULE),),
)

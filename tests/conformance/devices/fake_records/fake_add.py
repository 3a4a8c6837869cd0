"""The record of an operator of the fake library, which any run of the front door can judge."""

from hypothesis import strategies as st

from conformance.call.case import Case, Tensor
from conformance.record.clause import Clause, SourceClass
from conformance.record.contract import Index
from conformance.record.operator import AttributeParameter, Mode, Operator, TensorParameter

RULE = Clause("y is x plus addend", "opapi.c", SourceClass.DOCUMENT)
MODES = ("plain", "careful", "late", "again")


def call(mode: str, dtype: str, values: tuple[int, ...], addend: int) -> Case:
    tensor = Tensor((len(values),), dtype)
    inputs = {"x": Tensor((len(values),), dtype, values)}
    return Case("fake_add", mode, dtype, {"addend": addend}, inputs, {"y": tensor})


def cases(mode: str, dtype: str) -> st.SearchStrategy[Case]:
    values = st.lists(st.integers(0, 10_000), min_size=1, max_size=40).map(tuple)
    return st.builds(call, st.just(mode), st.just(dtype), values, st.integers(0, 99))


OPERATOR = Operator(
    name="fake_add",
    title="FakeAdd",
    aclnn="aclnnFakeAdd",
    sources=("opapi.c",),
    products=("fake",),
    parameters=(
        TensorParameter("x", "x", "input"),
        AttributeParameter("addend", "addend"),
        TensorParameter("y", "y", "output"),
    ),
    modes=tuple(Mode(name, RULE) for name in MODES),
    dtypes=("int32",),
    formula=lambda inputs, attributes: {"y": inputs["x"] + attributes["addend"]},
    contracts={"y": Index(RULE)},
    cases=cases,
)

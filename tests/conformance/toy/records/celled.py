"""A toy record with discrete cells; CELLS=forgets makes one level that no case shows."""

import os

from hypothesis import strategies as st

from conformance.call.case import Case, Tensor
from conformance.record.cells import Axis, Cells, Levels
from conformance.record.clause import Clause, SourceClass
from conformance.record.operator import Mode, Operator

RULE = Clause("the output equals the input", "toy document", SourceClass.DOCUMENT)
LENGTHS = {"few": (0, 4), "some": (5, 20), "many": (21, 40)}


def call(mode: str, dtype: str, values: tuple[int, ...]) -> Case:
    shape = (len(values),)
    tensors = {"x": Tensor(shape, dtype, values)}
    return Case("celled", mode, dtype, {}, tensors, {"y": Tensor(shape, dtype)})


def length_of(case: Case) -> list[str]:
    size = case.inputs["x"].size
    return [name for name, (least, most) in LENGTHS.items() if least <= size <= most]


def start_of(case: Case) -> list[str]:
    return ["even" if case.arrays["x"][:1].sum() % 2 == 0 else "odd"]


def drawn(mode: str, dtype: str, levels: Levels) -> st.SearchStrategy[Case]:
    least, most = LENGTHS[levels["length"]]
    if os.environ.get("CELLS") == "forgets":
        most = least = min(least, LENGTHS["some"][1])
    odd = levels["start"] == "odd"
    values = st.lists(st.integers(0, 999), min_size=max(least, 1), max_size=max(most, 1))
    return values.map(lambda listed: call(mode, dtype, (2 * listed[0] + odd, *listed[1:])))


def cells(mode: str, dtype: str) -> Cells:
    return Cells(
        (Axis("length", tuple(LENGTHS), length_of), Axis("start", ("even", "odd"), start_of)),
        lambda levels: drawn(mode, dtype, levels),
    )


OPERATOR = Operator(
    name="celled",
    title="Celled",
    aclnn="aclnnCelled",
    sources=("toy document",),
    products=("toy",),
    parameters=(),
    modes=(Mode("plain", RULE),),
    dtypes=("int32",),
    formula=lambda inputs, attributes: {"y": inputs["x"]},
    contracts={},
    cases=lambda mode, dtype: st.just(call(mode, dtype, (2,))),
    cells=cells,
)

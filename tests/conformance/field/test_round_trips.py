"""A call that another tool's file describes is read back as the case that it was made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.call.case import Case
from conformance.draw.plain import plainly
from conformance.field import atk, msprobe, ttk
from conformance.field.answers import judged
from conformance.field.as_case import Read, case_of
from conformance.field.foreign import Call, NotRead, Row
from conformance.judge.right_answer import right_answer
from conformance.record.operator import Operator
from conformance.record.torch_binding import Binding
from conformance.suite import records as suite
from tests.conformance.field import samples

RECORDS = suite.records([])
MOST = 1 << 20


def drawn(operator: Operator) -> Iterator[Case]:
    """A case of each mode that a file can describe: dense tensors in C order."""
    for mode in operator.modes:
        draw = operator.small_cases or operator.cases
        for case, _ in plainly(draw(mode.name, operator.dtypes[0]), 6, 5):
            tensors = (*case.inputs.values(), *case.outputs.values())
            if not any(t.strides or t.rows is not None or t.start or t.spare for t in tensors):
                yield case
                break


def read(row: Row) -> Read:
    assert isinstance(row, Call), row
    return case_of(row, RECORDS, MOST)


def shapes(case: Case, *, outputs: bool = True) -> dict[str, object]:
    tensors = {**case.inputs, **(case.outputs if outputs else {})}
    return {name: (one.shape, one.dtype) for name, one in tensors.items()}


def check_same(found: Case, case: Case, *, outputs: bool) -> None:
    assert found.operator == case.operator
    assert dict(found.attributes) == dict(case.attributes)
    assert shapes(found, outputs=outputs) == shapes(case, outputs=outputs)


@pytest.mark.parametrize("name", [*RECORDS])
def test_rows_of_ttk_give_the_call_with_its_outputs(name: str) -> None:
    operator = RECORDS[name]
    for case in drawn(operator):
        made = samples.ttk([samples.ttk_aclnn(operator, case), samples.ttk_kernel(operator, case)])
        for row in ttk.rows(made):
            found = read(row)
            check_same(found.case, case, outputs=True)
            assert found.values == "drawn"


@pytest.mark.parametrize("name", [*RECORDS])
def test_objects_of_atk_give_the_call(name: str) -> None:
    """Which optional outputs a call asks for ATK does not say."""
    operator = RECORDS[name]
    required = {o.name for o in operator.tensors if o.role == "output" and not o.optional}
    for case in drawn(operator):
        (row,) = atk.rows([samples.atk(operator, case)])
        found = read(row).case
        check_same(found, case, outputs=False)
        assert required <= set(found.outputs)


BOUND = [name for name, one in RECORDS.items() if isinstance(one.torch_npu, Binding)]


@pytest.mark.parametrize("name", BOUND)
def test_rows_of_ttk_that_call_torch_npu_give_the_call(name: str) -> None:
    operator = RECORDS[name]
    binding = operator.torch_npu
    assert isinstance(binding, Binding)
    for case in drawn(operator):
        given = {*binding.arguments(case)}
        if "tokens_dtype" in given or (binding.unreached and binding.unreached(case)):
            continue  # a row of TTK has no data types among its attributes
        (row,) = ttk.rows(samples.ttk([samples.ttk_e2e(operator, case)]))
        found = read(row).case
        if found.operator == name:
            check_same(found, case, outputs=False)


@pytest.mark.parametrize("name", BOUND)
def test_dumps_of_msprobe_give_the_call_with_its_values(name: str, tmp_path: Path) -> None:
    operator = RECORDS[name]
    binding = operator.torch_npu
    assert isinstance(binding, Binding)
    for number, case in enumerate(drawn(operator)):
        if binding.unreached is not None and binding.unreached(case):
            continue
        folder = tmp_path / str(number)
        folder.mkdir()
        right = right_answer(operator, case).outputs
        (row,) = msprobe.rows(samples.msprobe(operator, case, folder, right), folder, MOST)
        found = read(row)
        if found.case.operator != name:  # a function that calls several operators
            other = RECORDS[found.case.operator].torch_npu
            assert isinstance(other, Binding)
            assert other.function == binding.function
            continue
        check_same(found.case, case, outputs=False)
        assert found.values == "of the file"
        for tensor, array in case.arrays.items():
            assert found.case.arrays[tensor].tobytes() == array.tobytes(), tensor
        assert found.returned is not None
        verdict = judged(operator, found.case, found.returned)
        assert verdict.ok, verdict.text


@pytest.mark.parametrize("name", BOUND)
def test_statistics_of_msprobe_give_the_call_with_drawn_values(name: str, tmp_path: Path) -> None:
    operator = RECORDS[name]
    binding = operator.torch_npu
    assert isinstance(binding, Binding)
    for case in drawn(operator):
        if binding.unreached is not None and binding.unreached(case):
            continue
        (row,) = msprobe.rows(samples.msprobe(operator, case, None), tmp_path, MOST)
        assert read(row).values == "drawn"


def test_a_call_that_the_record_forbids_is_told_with_its_rule() -> None:
    operator = RECORDS["moe_token_permute"]
    case = operator.examples[0].case
    row = samples.ttk_aclnn(operator, case)
    row["tensor_dtypes"] = row["tensor_dtypes"].replace("int64", "int16").replace("int32", "int16")
    (found,) = ttk.rows(samples.ttk([row]))
    assert isinstance(found, Call)
    with pytest.raises(NotRead, match="must refuse it, status 161002, for indices"):
        case_of(found, RECORDS, MOST)

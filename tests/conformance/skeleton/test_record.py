"""The record of a new operator has the data types that its parameters say."""

from __future__ import annotations

from conformance.skeleton.kernel import entry
from conformance.skeleton.operator import New
from conformance.skeleton.parameters import read
from conformance.skeleton.record import record

LINES = "x input int8 float16 [row]\ncounts input int32 int64 [row]\ny output int8 float16 [row]"


def test_a_tensor_has_types_of_its_own_if_none_is_that_of_a_case() -> None:
    new = New("count_rows", read(LINES))
    assert 'tensor("counts", ROW, dtype=("int32", "int64")),' in record(new)
    assert 'entry::In("counts", {{ACL_INT32, ACL_INT64}}, {"row"}),' in entry(new)
    assert 'tensor("y", ROW, role="output"),' in record(new)

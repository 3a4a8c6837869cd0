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


def test_a_floating_point_number_is_drawn_and_is_a_double_in_the_interface() -> None:
    new = New("count_rows", read(f"{LINES}\nepsMost real"))
    assert 'real("eps_most", free=stated("TODO: what it may be")),' in record(new)
    assert 'attributes["eps_most"] = draw(st.floats(0, 1))' in record(new)
    assert "import Rule, Signature, real, tensor" in record(new)
    assert 'entry::Real("epsMost"),' in entry(new)
    assert "double epsMost" in entry(new)

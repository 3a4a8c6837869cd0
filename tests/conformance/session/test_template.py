"""Over which cells a template is one item each."""

from __future__ import annotations

from collections import Counter

from cases import test_relations as relations
from conformance.names import cell_id
from conformance.record.operator import BOTH, REFERENCE
from conformance.session.template import Asked, body_of, item_ids, parametrize
from conformance.suite import records as suite

RECORDS = suite.operators()
BODY = body_of(relations.test_relations)


def rows(*, oracle: str, each_dtype: bool) -> list[tuple[object, ...]]:
    assert BODY is not None
    mark = parametrize(BODY, RECORDS, Asked(oracle, each_dtype))
    assert mark is not None
    assert set(mark.kwargs["ids"]) <= item_ids(RECORDS)
    return list(mark.args[1])


def test_what_is_always_asked_is_asked_in_each_data_type_or_in_one_of_each_mode() -> None:
    every = rows(oracle=REFERENCE, each_dtype=True)
    few = rows(oracle=REFERENCE, each_dtype=False)
    assert all(relation.always for _, relation, _, _ in every)
    asked = Counter((one.name, relation.name, mode) for one, relation, mode, _ in few)
    assert set(asked.values()) == {1}
    assert asked.keys() == {(one.name, relation.name, mode) for one, relation, mode, _ in every}
    for record in RECORDS:
        assert {dtype for one, *_, dtype in few if one is record} == set(record.dtypes)


def test_a_cell_has_items_if_its_mode_has_calls_of_its_data_type() -> None:
    ids = item_ids(RECORDS)
    found = {
        (mode.name, dtype): cell_id(one.name, mode.name, dtype) in ids
        for one in RECORDS
        if one.name == "moe_init_routing_v3"
        for mode in one.modes
        for dtype in one.dtypes
    }
    assert found["dropless", "int8"]
    assert [cell for cell, there in found.items() if not there] == [
        (f"{base}{end}", "int8")
        for end in ("_static", "_dynamic")
        for base in ("dropless", "active", "drop_pad")
    ]


def test_other_relations_are_asked_in_every_data_type_whatever_the_profile() -> None:
    few, every = (rows(oracle=BOTH, each_dtype=each) for each in (False, True))
    told = [[row for row in found if not row[1].always] for found in (few, every)]
    assert told[0] == told[1] != []

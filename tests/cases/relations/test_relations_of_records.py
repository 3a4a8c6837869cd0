"""Relations of the records: right answers keep them, a wrong one breaks them, and no reference is
asked."""

import ast
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from conformance.judge.relate import related
from conformance.judge.right_answer import right_answer
from conformance.mutants.drawn_cases import drawn
from conformance.suite import records as suite

ROOT = Path(__file__).parents[3]
RECORDS = {operator.name: operator for operator in suite.operators()}
DRAWN = 2
SMALL = 20_000
"""Elements of cases on which a reference in numpy takes no time."""

PAIRS = [
    pytest.param(operator, relation, id=f"{operator.name}-{relation.name.replace(' ', '_')}")
    for operator in RECORDS.values()
    for relation in operator.relations
    if relation.beside
]


def drawn_cases(operator, mode):
    """Cases of a mode on which a reference takes no time, small ones first."""
    return _drawn(operator.name, mode)


@cache
def _drawn(name, mode):
    record = RECORDS[name]
    small = drawn(record.small_cases(mode, "float32"), 2 * DRAWN, 0, f"relations {mode} small")
    more = [*drawn(record.cases(mode, "float32"), DRAWN, 0, f"relations {mode}")]
    sizes = [sum(tensor.size for tensor in case.inputs.values()) for case in more]
    return [*small, *(case for case, size in zip(more, sizes, strict=True) if size < SMALL)]


def modes_of(operator, relation):
    return relation.modes or tuple(mode.name for mode in operator.modes)


def right_answers():
    """A device that computes the answer to a call once: relations make it again, on other streams
    and machines, on which a right answer does not depend."""
    known = {}

    def device(operator, case):
        name = (operator.name, id(case.inputs), id(case.outputs), *case.attributes.items())
        if name not in known:
            known[name] = right_answer(operator, case), case  # that no other gets its id
        return known[name][0]

    return device


@pytest.mark.parametrize("operator", RECORDS.values(), ids=RECORDS)
def test_right_answers_keep_every_relation_of_a_record(operator):
    device = right_answers()
    for relation in operator.relations:
        judged = 0
        for mode in modes_of(operator, relation):
            for case in drawn_cases(operator, mode):
                verdict = related(relation, RECORDS, case, device)[1]
                assert verdict.ok, verdict
                judged += verdict.judged
        assert judged, f"{relation.name} says nothing of any case"


def with_one_wrong(named):
    """A device whose first answer of an operator has one wrong element in each output."""

    def device(operator, case):
        seen = right_answer(operator, case)
        if operator.name == named:
            for array in seen.outputs.values():
                bits = array.reshape(-1).view(f"u{array.dtype.itemsize}")
                bits[bits.size // 2 :][:1] ^= 1 << (8 * array.dtype.itemsize - 3)
        return seen

    return device


@pytest.mark.parametrize(("operator", "relation"), PAIRS)
def test_a_wrong_element_breaks_what_two_operators_have_in_common(operator, relation):
    device = with_one_wrong(operator.name)
    verdicts = [
        related(relation, RECORDS, case, device)[1]
        for mode in modes_of(operator, relation)
        for case in drawn_cases(operator, mode)
    ]
    told = [verdict for verdict in verdicts if verdict.judged]
    assert sum(not verdict.ok for verdict in told) > len(told) / 2
    assert all(verdict.clause is relation.clause for verdict in told if not verdict.ok)


@pytest.mark.parametrize(("operator", "relation"), PAIRS)
def test_a_relation_calls_the_operators_that_it_names_and_no_others(operator, relation):
    called = set()

    def device(asked, case):
        called.add(asked.name)
        return right_answer(asked, case)

    for mode in modes_of(operator, relation):
        for case in islice(drawn_cases(operator, mode), 4):
            related(relation, RECORDS, case, device)
    assert called == {operator.name, *relation.beside}


def test_every_operator_has_relations():
    assert not [operator.name for operator in RECORDS.values() if not operator.relations]


def imported(source):
    """What a module imports: modules, and names of modules."""
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module, name.name) for name in node.names)
        elif isinstance(node, ast.Import):
            yield from ((name.name, "") for name in node.names)


def test_a_relation_asks_no_reference():
    sources = [
        *(ROOT / "conformance" / "relations").glob("*.py"),
        *(ROOT / "cases" / "relations").glob("*.py"),
        *(ROOT / "cases" / "operators").glob("_*_relations.py"),
    ]
    found = [(source.name, *one) for source in sources for one in imported(source)]
    assert not [one for one in found if one[1].split(".")[0] == "reference"]
    helpers = [one for one in found if one[1].startswith("cases.operators")]
    assert not [one for one in helpers if not one[2].isupper()], "of records it takes names alone"


def refused(*_):
    raise AssertionError("a reference was asked")


@pytest.mark.parametrize("operator", RECORDS.values(), ids=RECORDS)
def test_relations_judge_where_no_reference_answers(operator):
    blind = {name: replace(record, formula=refused) for name, record in RECORDS.items()}
    for relation in operator.relations:
        for case in islice(drawn_cases(operator, modes_of(operator, relation)[0]), 2):
            verdict = related(relation, blind, case, lambda asked, one: right_of(asked.name, one))[
                1
            ]
            assert verdict.ok, verdict


def right_of(name, case):
    return right_answer(RECORDS[name], case)


BATCHED = [
    pytest.param(operator, relation, id=operator.name)
    for operator in RECORDS.values()
    for relation in operator.relations
    if relation.name == "batch invariance"
]


@pytest.mark.parametrize(("operator", "relation"), BATCHED)
def test_a_sum_that_depends_on_its_batch_breaks_batch_invariance_at_its_level_alone(
    operator, relation
):
    """The right sums, but for an element of the last token, which holds the number of tokens."""
    levels = set()

    def device(asked, case):
        levels.add(case.setting.determinism)
        seen = right_answer(asked, case)
        for array in seen.outputs.values():
            if array.size:
                array.reshape(-1)[-1] = len(array)
        return seen

    told = [
        related(relation, RECORDS, case, device)[1]
        for mode in modes_of(operator, relation)
        for case in drawn_cases(operator, mode)
    ]
    assert any(not verdict.ok for verdict in told)
    assert levels == {3}


def test_the_operators_that_add_rows_of_a_token_are_asked_for_batch_invariance():
    assert len(BATCHED) == 8

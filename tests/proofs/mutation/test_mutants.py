"""Mutants are made where a module computes, and nowhere else."""

import pytest

from tests.proofs.mutation.mutants import mutants
from tests.proofs.mutation.operators import OWN

MODULE = '''"""1 + 1 is not code."""

from __future__ import annotations

__all__ = ["f", "f" + "g"]
Either = dict[int | str, 1 + 1]


def f(x: int | None = None) -> int | str:
    """x + 1, or x - 1."""
    if x == 2:
        raise ValueError(f"x={x + 1}: " + "must not be 2")
    message: int | str = f"{x * 2}"
    return len(message) + 1
'''


@pytest.fixture
def found(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(MODULE, encoding="utf-8")
    return list(mutants("module", path))


def test_what_computes_is_changed_and_what_is_said_is_not(found):
    lines = {mutant.line for mutant in found}
    code = MODULE.splitlines()
    assert {code[line - 1].strip() for line in lines} == {
        "if x == 2:",
        "return len(message) + 1",
    }


def test_every_change_is_one_other_program_of_one_line(found):
    assert len({mutant.source for mutant in found}) == len(found)
    for mutant in found:
        assert mutant.changes
        removed, added = mutant.diff
        assert removed == "-" + MODULE.splitlines()[mutant.line - 1]
        assert added.startswith("+    ")


def test_a_change_that_is_no_program_or_no_change_is_told(tmp_path):
    path = tmp_path / "module.py"
    path.write_text("x = 0 * - 0\n", encoding="utf-8")
    assert all(mutant.changes for mutant in mutants("module", path))
    path.write_text("assert x\n", encoding="utf-8")
    (negated,) = mutants("module", path)
    assert negated.changes
    path.write_text("assert (x := 1)  # another file by now\n", encoding="utf-8")
    assert negated.source.startswith("assert not")
    path.write_text("pass\n", encoding="utf-8")
    (moved,) = [negated.__class__("module", path, "AddNot", 0, 1)]
    with pytest.raises(ValueError, match="no such place any more"):
        _ = moved.source


@pytest.mark.parametrize("operator", OWN, ids=lambda operator: operator.__name__)
def test_the_operators_of_this_package_do_what_their_examples_say(operator, tmp_path):
    path = tmp_path / "module.py"
    for example in operator.examples():
        path.write_text(example.pre_mutation_code, encoding="utf-8")
        made = [one for one in mutants("module", path) if one.operator == operator.__name__]
        assert [one.source.strip() for one in made] == [example.post_mutation_code.strip()]


@pytest.mark.parametrize("code", ["x: int = f(1)\n", "x = f(y)\n", "low(x)\n", "return x\n"])
def test_a_statement_that_binds_a_name_stays(code, tmp_path):
    path = tmp_path / "module.py"
    path.write_text(code, encoding="utf-8")
    kept = {"RemoveStatement"} if code != "low(x)\n" else {"ReplaceCounterpart"}
    assert not kept & {mutant.operator for mutant in mutants("module", path)}

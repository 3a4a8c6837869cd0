"""Mutants of C++ text change one place of the code, and nothing that is no code."""

import pytest

from conformance.mutants.source_mutants import source_mutants


def mutated(line, kind=None):
    """Every mutant of a line of code, as text."""
    found = source_mutants("a.cpp", line)
    return {mutant.apply(line) for mutant in found if kind in (None, mutant.kind)}


@pytest.mark.parametrize(
    ("kind", "line", "expected"),
    [
        ("comparison", "    return a < b;", {"    return a <= b;"}),
        ("comparison", "    if (a == b) {", {"    if (a != b) {"}),
        ("arithmetic", "    x = a + b * c;", {"    x = a - b * c;", "    x = a + b + c;"}),
        ("assignment", "    bins *= two;", {"    bins += two;"}),
        ("logic", "    ok = a && b;", {"    ok = a || b;"}),
        ("extremes", "    x = std::min(a, b);", {"    x = std::max(a, b);"}),
        ("number", "    const int x = 31;", {"    const int x = 32;"}),
        ("condition", "    if (!Kept(row)) {", {"    if (!(!Kept(row))) {"}),
        ("choice", "    return a ? b : c;", {"    return a ? c : b;"}),
        ("statement", "    queue.Free(values);", {"    ;"}),
        ("statement", "    key = 5;", {"    ;"}),
    ],
)
def test_each_operator_changes_what_its_name_says(kind, line, expected):
    assert mutated(line, kind) == expected


@pytest.mark.parametrize(
    "line",
    [
        "// a < b && c == 1",
        '#include "a1.h"',
        "template <typename T, int N>",
        "using Sum = float;",
        "/* x = 1 + 2; */",
        '    name("a + b == 1");',
        "    ASCENDSIM_UNREAD(row < 0 && !IsKept(weight), row);",
    ],
)
def test_what_is_no_code_of_a_kernel_stays(line):
    assert mutated(line) == set()


def test_a_mutant_tells_its_file_its_line_and_its_change():
    text = "int Sum(int a, int b) {\n    // adds\n    return a + b;\n}\n"
    (mutant,) = source_mutants("sum.cpp", text)
    assert str(mutant) == "sum.cpp:3 arithmetic: '+' -> '-'"
    assert mutant.apply(text) == text.replace("+", "-")


def test_a_mutant_of_another_text_is_refused():
    (mutant,) = source_mutants("sum.cpp", "    return a + b;\n")
    with pytest.raises(ValueError, match="the text there is"):
        mutant.apply("    return a - b;\n")

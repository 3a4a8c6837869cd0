"""No sentence that a person sees stands outside of the catalogue, in one language alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[3] / "conformance"
WORDS = re.compile(r"(?:\b[a-z]{2,}\b[ ,:;]+){2,}[a-z]{2,}")
"""Three words of small letters in a row."""

FOR_PROGRAMMERS = {
    "AssertionError",
    "KeyError",
    "RuntimeError",
    "TypeError",
    "ValueError",
}
"""What these say is met by who wrote the code that raised them."""

NO_SENTENCES = {
    "call/observation.py": "the names that evidence has of outcomes",
    "devices/arithmetic_traits.py": "values of a profile that programs compare, with their words",
    "cli/pytest_process.py": "a warning of pytest, which is silenced by its words",
    "draw/wide_keys.py": "the names of levels in evidence",
    "failure/alike.py": "what failures of one mistake have in common, compared and not shown",
    "diagnosis/mistake.py": "natures of mistakes, by which failures are told apart",
    "numerics/arithmetic.py": "values of traits, as profiles of devices have them",
    "failure/bundle/program.py": "the text of a C++ program",
    "failure/bundle/programs/replay.py": "a program that runs without the suite",
    "failure/bundle/programs/replay_device.py": "a program that runs without the suite",
    "failure/drawing.py": "keys of the page's words",
    "record/variations.py": "the names of calls in evidence",
    "mutants/bench.py": "what becomes of a mutant, as programs compare it",
    "field/torch_functions.py": "names of parameters, a function's in a row",
    "former_names.py": "a warning of Python, to whoever writes code",
    "history/overview.py": "queries in SQL",
    "history/picture.py": "a place in a drawing, as matplotlib calls it",
    "history/schema.py": "tables in SQL, and names of facts that the database compares",
    "history/trends.py": "queries in SQL",
    "skeleton/kernel.py": "texts of C++ programs",
    "skeleton/parameters.py": "lines of a grammar",
    "skeleton/record.py": "texts of Python modules",
    "suite/strided_calls.py": "names of calls, by which evidence and baselines know them",
    "suite/wrong_protocol_calls.py": "names of calls, as above, and the title of a document",
}
"""Files whose long literals no person reads as a sentence, each with the reason."""

ROOMS = sorted(
    one.name
    for one in PACKAGE.iterdir()
    if (one.is_dir() or one.suffix == ".py") and one.name not in ("catalogue", "__pycache__")
)


def sentences(source: str) -> Iterator[tuple[int, str]]:
    """The literals that read as sentences, with their lines: no docstring, and nothing that an
    error for programmers says."""
    tree = ast.parse(source)
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(node.value)
        if isinstance(node, ast.Raise) and _raises(node) in FOR_PROGRAMMERS:
            skipped.update(ast.walk(node))
        if isinstance(node, ast.JoinedStr):
            skipped.update(node.values)
    for node in ast.walk(tree):
        if node not in skipped and WORDS.search(text := _text(node)):
            yield node.lineno, text  # type: ignore[attr-defined]


def _raises(node: ast.Raise) -> str:
    called = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return called.id if isinstance(called, ast.Name) else ""


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or "X" for part in node.values)
    return ""


def of_room(room: str) -> list[str]:
    """The sentences of a room, each with its place."""
    path = PACKAGE / room
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    return [
        f"{file.relative_to(PACKAGE)}:{line}: {text}"
        for file in files
        if str(file.relative_to(PACKAGE)) not in NO_SENTENCES
        for line, text in sentences(file.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_has_its_sentences_in_the_catalogue(room: str) -> None:
    assert of_room(room) == []


def test_a_sentence_is_found() -> None:
    source = 'def f(x):\n    """Not this one at all."""\n    return f"{x}: the row is wrong"\n'
    assert list(sentences(source)) == [(3, "X: the row is wrong")]


def test_what_programmers_read_is_left_out() -> None:
    source = 'raise ValueError(f"at most {x} rows are allowed")\nraise UsageError("of no use here")'
    assert [line for line, _ in sentences(source)] == [2]

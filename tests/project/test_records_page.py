"""The page of what records are written with is that of the code, and records need no more."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.project.records_page import PAGE, ROOT, SECTIONS, page

RECORDS = (ROOT / "cases" / "operators").glob("*.py")
OF_RECORDS_ALONE = {
    "conformance/draw/layouts",
    "conformance/draw/patterns",
    "conformance/draw/wide_keys",
    "conformance/judge/legality",
    "conformance/numerics/arithmetic",
    "conformance/record/chips",
    "conformance/values/special_rows",
}
"""What only records of the suite's own families take: patterns of routings and keys, chips, and the
arithmetic of IEEE 754."""


def test_the_page_is_as_the_code_declares_it() -> None:
    assert PAGE.read_text("utf-8") == page(), "python -m tests.project.pages writes it anew"


def test_a_public_function_has_its_parameters_and_docstring_on_the_page() -> None:
    text = page()
    assert "def tensor(name: str, *shape: Axis, role: Literal['input', 'output']='input'" in text
    assert '\n    """A tensor of a signature; ``acl`` is its name in the C interface' in text
    assert "def ranks(entries: int) -> SearchStrategy[Indices]" in text
    assert "_problems" not in text


def test_records_import_nothing_that_the_page_leaves_out() -> None:
    shown = {f"conformance/{module}" for modules in SECTIONS.values() for module in modules}
    assert {one for path in RECORDS for one in imported(path)} - shown == OF_RECORDS_ALONE


def imported(path: Path) -> set[str]:
    """The modules of conformance that a file imports, of a room each by its name."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("conformance."):
            module = str(node.module).replace(".", "/")
            room = (ROOT / module).is_dir()
            found |= {f"{module}/{one.name}" for one in node.names} if room else {module}
    return found

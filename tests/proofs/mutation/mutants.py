"""Mutants of a module: every place at which an operator changes what the module does.

Left out, because no verdict depends on them: annotations, decorators, docstrings, ``__all__``,
strings, f-strings and all that follows ``raise`` (the words of an error; that it is raised is
tested), imports, and what only a type checker runs.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

from tests.proofs.mutation.operators import operators

OPERATORS = operators()
Span = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True)
class Mutant:
    """One change: the ``occurrence``-th place of an operator in a module, and its line."""

    module: str
    path: Path
    operator: str
    occurrence: int
    line: int

    @cached_property
    def source(self) -> str:
        """The module's source with the change."""
        changed = mutate_code(self._original, OPERATORS[self.operator], self.occurrence)
        if changed is None:
            raise ValueError(f"{self}: the module has no such place any more")
        return str(changed)

    @property
    def changes(self) -> bool:
        """Whether the changed module can be compiled, and to something else."""
        try:
            changed = ast.dump(ast.parse(self.source))
        except SyntaxError:
            return False
        return changed != ast.dump(ast.parse(self._original))

    @property
    def diff(self) -> list[str]:
        """The changed lines, without context: ``-old``, ``+new``."""
        lines = difflib.unified_diff(
            self._original.splitlines(), self.source.splitlines(), lineterm="", n=0
        )
        return [line for line in lines if line[:2] not in {"--", "++", "@@"}]

    @property
    def _original(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def __str__(self) -> str:
        return f"{self.path.name}:{self.line} {self.operator}[{self.occurrence}]"


def mutants(module: str, path: Path) -> Iterator[Mutant]:
    """The mutants of a module by line."""
    source = path.read_text(encoding="utf-8")
    spared = spans(source)
    nodes = list(ast_nodes(get_ast(source)))
    found = []
    for name, operator in OPERATORS.items():
        places = [place for node in nodes for place in operator.mutation_positions(node)]
        found += [
            Mutant(module, path, name, occurrence, start[0])
            for occurrence, (start, end) in enumerate(places)
            if not any(first <= start and end <= last for first, last in spared)
        ]
    return iter(sorted(found, key=lambda mutant: mutant.line))


def spans(source: str) -> list[Span]:
    """The places that are left out: from (line, column) to (line, column)."""
    lines = [line.encode() for line in source.splitlines()]

    def span(node: ast.AST) -> Span:
        # ast counts bytes of UTF-8, cosmic-ray characters
        ends = ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))
        first, last = ((line, len(lines[line - 1][:at].decode())) for line, at in ends)
        return first, last

    return [span(node) for node in _spared(ast.parse(source))]


def _spared(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        match node:
            case ast.arg(annotation=ast.AST() as annotation):
                yield annotation
            case ast.AnnAssign(annotation=annotation):
                yield annotation
            case ast.Raise() | ast.JoinedStr() | ast.Import() | ast.ImportFrom():
                yield node
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                yield node
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                yield node
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from node.decorator_list
        if isinstance(node, ast.FunctionDef) and node.returns is not None:
            yield node.returns
    for node in tree.body:  # aliases of types
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
            yield node

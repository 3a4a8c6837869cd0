"""docs/reference/records.md from docstrings; ``python -m tests.project.pages`` writes it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "records.md"
HEAD = """# What a record is written with

[An operator of your own](../how-to/own-operator.md) shows a record at work. This page has every
public class and function that one is written with, as the code declares them. The helpers of a
kernel's entry follow at the end. A test compares the page with the code, and
`python -m tests.project.pages` writes it anew.
"""
SECTIONS = {
    "The record, its contracts and its named calls": (
        "record/operator",
        "record/contract",
        "record/clause",
        "record/versions",
    ),
    "The signature": ("record/signature", "record/sizes"),
    "What follows from a signature": (
        "record/derive/axes",
        "record/derive/calls",
        "record/derive/explain",
        "record/derive/rejections",
        "record/derive/references",
        "record/derive/records",
        "record/derive/torch_call",
    ),
    "Calls, and values of tensors": ("call/case", "values/fill"),
    "Wrong calls made from right ones": ("record/variations", "record/call_rules"),
    "Strategies": (
        "draw/machines",
        "draw/sizes",
        "draw/values",
        "draw/routings",
        "draw/keys",
        "draw/far",
        "draw/built",
    ),
    "Cells, edges and ladders": ("record/cells", "record/edges", "record/size_ladders"),
    "Relations": ("record/relation", "relations/axes", "relations/symmetries"),
    "Values that a device computes, and what is selected by them": (
        "record/computed",
        "record/functions",
        "numerics/scores",
        "numerics/gradients",
        "numerics/quantisation",
        "numerics/boxes",
    ),
    "Workloads, pictures and torch_npu": (
        "record/workload",
        "record/picture",
        "record/torch_binding",
    ),
}
"""Modules of conformance/ by what a record takes them for."""

HEADERS = (
    "entry/steps",
    "entry/parameter",
    "entry/call",
    "entry/submission",
    "opapi/tensor_view",
    "opapi/machine",
    "opapi/report",
)
"""Headers of device_kernels/ that an operator's entry is written with."""


def page() -> str:
    """The page as the code has it."""
    parts = [HEAD]
    for heading, modules in SECTIONS.items():
        parts.append(f"## {heading}\n")
        parts += [_of_module(module) for module in modules]
    parts.append("## The entry of a kernel\n")
    parts += [_of_header(ROOT / "device_kernels" / f"{name}.h") for name in HEADERS]
    return "\n".join(parts)


def _of_module(module: str) -> str:
    tree = ast.parse((ROOT / "conformance" / f"{module}.py").read_text("utf-8"))
    declared = "\n\n".join(filter(None, map(_declared, tree.body)))
    return f"`conformance.{module.replace('/', '.')}`\n\n```text\n{declared}\n```\n"


def _of_header(path: Path) -> str:
    """A header without what it includes."""
    left_out = ("#include", "#ifndef", "#define", "#endif", "#pragma")
    lines = path.read_text("utf-8").splitlines()
    kept = "\n".join(line for line in lines if not line.startswith(left_out)).strip()
    while "\n\n\n" in kept:
        kept = kept.replace("\n\n\n", "\n\n")
    return f"`{path.name}`\n\n```cpp\n{kept}\n```\n"


def _declared(node: ast.stmt) -> str:
    """A public class or function with its docstring, "" for anything else."""
    if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
        return "\n".join([_head(node), *_docstring(node, 1)])
    if not isinstance(node, ast.ClassDef) or node.name.startswith("_"):
        return ""
    bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
    lines = [f"class {node.name}{bases}:", *_docstring(node, 1)]
    for one in node.body:
        if isinstance(one, ast.AnnAssign | ast.Assign):
            lines.append(f"    {ast.unparse(one)}")
        elif isinstance(one, ast.FunctionDef) and not one.name.startswith("_"):
            lines += [f"    {_head(one)}", *_docstring(one, 2)]
    return "\n".join(lines)


def _head(node: ast.FunctionDef) -> str:
    """The line by which a function is called; a strategy is given no ``draw``."""
    drawn = {ast.unparse(one) for one in node.decorator_list} & {"st.composite"}
    if drawn:
        node.args.args = node.args.args[1:]
    returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    if drawn:
        returns = f" -> SearchStrategy[{ast.unparse(node.returns)}]" if node.returns else ""
    kinds = {"property", "cached_property", "classmethod"}
    kind = next((one for one in map(ast.unparse, node.decorator_list) if one in kinds), "def")
    return f"{kind} {node.name}({ast.unparse(node.args)}){returns}"


def _docstring(node: ast.FunctionDef | ast.ClassDef, depth: int) -> Iterator[str]:
    found = ast.get_docstring(node)
    for line in f'"""{found}"""'.splitlines() if found else ():
        yield f"{'    ' * depth}{line}".rstrip()

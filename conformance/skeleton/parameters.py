"""The parameters of an operator, read from an aclnn header, the table of a document, or lines of a
small grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from typing import Literal

from conformance.catalogue import skeleton as say
from conformance.errors import UsageError

DTYPES = ("float16", "bfloat16", "float32", "int8", "int32", "int64", "bool")
Kind = Literal["input", "output", "number", "real", "flag", "integers"]
KINDS: tuple[Kind, ...] = ("input", "output", "number", "real", "flag", "integers")
OPTIONAL = "optional"

LINES = (
    "x input float16 float32 [row, hidden]",
    "pairs input int32 optional [token, 2]",
    "topK number [slot]",
    "eps real",
    "paddedMode flag",
    "range integers",
    "y output float16 float32 [token, hidden]",
)
"""What the grammar of lines has."""

DECLARED = re.compile(r"GetWorkspaceSize\s*\(([^)]*)\)", re.DOTALL)
TYPED = re.compile(r"(const\s+)?(\w+)\s*(\**)\s*(\w+)")
OF_TYPE: dict[str, Kind] = {
    "int64_t": "number",
    "int64": "number",
    "int": "number",
    "double": "real",
    "float": "real",
    "bool": "flag",
    "aclIntArray": "integers",
    "listint": "integers",
    "int[]": "integers",
}
AXIS = re.compile(r"(\d+|[A-Za-z]\w*)( \* [A-Za-z]\w*)*")
OF_CALL = ("workspaceSize", "executor")
OUTPUT = re.compile(r"(^|_)(out|output|y)$|Out(put)?(Optional)?$", re.IGNORECASE)


@dataclass(frozen=True)
class Parameter:
    """A parameter by its name in the C interface. ``dtypes`` are those of a tensor; none: unknown.
    ``axes`` are the sizes of its axes: names, numbers, or products such as "token * slot"; of an
    attribute, the one size that it is. ``is_guess``: the text does not say whether it is read or
    written.
    """

    acl_name: str
    kind: Kind
    dtypes: tuple[str, ...] = ()
    optional: bool = False
    axes: tuple[str, ...] = ()
    is_guess: bool = field(default=False, compare=False)

    @property
    def is_tensor(self) -> bool:
        """Whether it is no attribute."""
        return self.kind in ("input", "output")

    @property
    def parts(self) -> tuple[str, ...]:
        """The factors of its axes: names of sizes, and numbers."""
        return tuple(part for axis in self.axes for part in axis.split(" * "))

    @property
    def sizes(self) -> tuple[str, ...]:
        """The names of sizes in its axes."""
        return tuple(part for part in self.parts if not part.isdigit())

    @property
    def name(self) -> str:
        """Its name in Python: in snake case, without "Optional" or "Out" at its end."""
        own = re.sub(r"Optional$", "", self.acl_name)
        own = re.sub(r"(?<=.)Out$", "", own) if self.kind == "output" else own
        return snake(own)


def snake(name: str) -> str:
    """The name in snake case."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return parted.lower()


def camel(name: str) -> str:
    """The name of a class: no underscores, each word with a capital."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def read(text: str) -> tuple[Parameter, ...]:
    """The parameters that a text names. Raises UsageError for one that cannot be passed, and for a
    text without an input and an output.
    """
    if found := DECLARED.search(text):
        parameters = list(_declared(found.group(1)))
    elif "<td" in text or re.search(r"^\s*\|", text, re.MULTILINE):
        parameters = list(_of_table(_rows(text)))
    else:
        parameters = [_of_line(line) for line in text.splitlines() if line.strip()]
    kinds = {one.kind for one in parameters}
    if not {"input", "output"} <= kinds:
        raise UsageError("--from", text[:60], f"{say.FROM_RULE()}: {say.NO_TENSORS()}")
    known = {size for one in parameters if one.kind != "output" for size in one.sizes}
    for one in parameters:
        for size in one.sizes:
            if size not in known:
                raise UsageError("--from", size, say.SIZE_RULE(output=one.acl_name))
    names = [one.name for one in parameters]
    for name in names:
        if names.count(name) > 1:
            raise UsageError("--from", name, say.TWICE())
    return tuple(parameters)


def _declared(listed: str) -> Iterator[Parameter]:
    """Of a C declaration: a tensor that is not const, or is named as one, is an output; if there is
    none, the last tensor is.
    """
    found = []
    for one in listed.split(","):
        matched = TYPED.fullmatch(re.sub(r"/\*.*?\*/", "", one).strip())
        if matched is None:
            raise UsageError("--from", one.strip(), say.TYPE_RULE())
        const, ctype, _, name = matched.groups()
        if name in OF_CALL:
            continue
        if ctype == "aclTensor":
            role: Kind = "output" if not const or OUTPUT.search(name) else "input"
            optional = name.endswith("Optional")
            found.append(Parameter(name, role, optional=optional, is_guess=bool(const)))
        elif ctype in OF_TYPE:
            found.append(Parameter(name, OF_TYPE[ctype]))
        else:
            raise UsageError("--from", one.strip(), say.TYPE_RULE())
    tensors = [place for place, one in enumerate(found) if one.is_tensor]
    if tensors and not any(one.kind == "output" for one in found):
        found[tensors[-1]] = replace(found[tensors[-1]], kind="output")
    yield from found


def _of_line(line: str) -> Parameter:
    plain, bracket, shape = line.partition("[")
    axes = tuple(" ".join(axis.split()) for axis in shape.strip().rstrip("]").split(","))
    if bracket and not all(map(AXIS.fullmatch, axes)):
        raise UsageError("--from", line.strip(), say.AXES_RULE())
    name, *words = plain.split() or [""]
    kind = next((one for one in KINDS if words[:1] == [one]), None)
    if kind is None:
        raise UsageError("--from", line.strip(), say.KIND_RULE(kinds=", ".join(KINDS)))
    dtypes = [word for word in words[1:] if word != OPTIONAL]
    of_tensor = kind in ("input", "output")
    if set(dtypes) - set(DTYPES) or (of_tensor and not dtypes) or (dtypes and not of_tensor):
        raise UsageError("--from", line.strip(), say.DTYPES_RULE(allowed=", ".join(DTYPES)))
    return Parameter(name, kind, tuple(dtypes), OPTIONAL in words, axes if bracket else ())


def _of_table(rows: Sequence[Sequence[str]]) -> Iterator[Parameter]:
    """Of a document's table: the first cell is the name, the second says what it is, and the data
    types stand in any other.
    """
    for name, *cells in rows:
        matched = re.match(r"`?(\w+)", name)
        what = cells[0].lower() if cells else ""
        is_heading = "/" in what  # input/output, as a cell of any other row
        if matched is None or matched.group(1) in OF_CALL or is_heading:
            continue
        role = _role(what, cells)
        if role is None:
            continue
        optional = matched.group(1).endswith("Optional") or OPTIONAL in what or "可选" in what
        dtypes = _dtypes(" ".join(cells[1:])) if role in ("input", "output") else ()
        yield Parameter(matched.group(1), role, dtypes, optional)


def _role(what: str, cells: Sequence[str]) -> Kind | None:
    """What a row of a table is; None: a heading, or a row of another table."""
    typed = " ".join(cells[1:])
    if "属性" in what or "attr" in what or "-" in (cell.strip() for cell in cells[-2:]):
        return _attribute(typed) if re.search("属性|attr|输入|input", what) else None
    if "输出" in what or "output" in what:
        return "output"
    return "input" if "输入" in what or "input" in what else None


def _attribute(typed: str) -> Kind:
    """An attribute by the data type that its row names."""
    lowered = typed.lower()
    if "intarray" in lowered or "listint" in lowered or "int64[]" in lowered:
        return "integers"
    if "bool" in lowered:
        return "flag"
    if re.search(r"\bint(64|32)?(_t)?\b", lowered):
        return "number"
    if re.search(r"\b(double|float(32)?)\b", lowered):
        return "real"
    raise UsageError("--from", typed[-60:].strip(), say.TYPE_RULE())


def _dtypes(text: str) -> tuple[str, ...]:
    words = re.findall(r"[A-Za-z]+\d*", text)
    named = {"FLOAT": "float32", "BF16": "bfloat16", "FP16": "float16", "FP32": "float32"}
    found = [named.get(word, word.lower()) for word in words if word.isupper()]
    return tuple(dict.fromkeys(word for word in found if word in DTYPES))


def _rows(text: str) -> list[list[str]]:
    """The rows of all tables of a page, in Markdown or in HTML, without their headings."""
    page = _Cells()
    page.feed(text)
    if page.rows:
        return [row for row in page.rows if row]
    lines = [line.strip().strip("|").split("|") for line in text.splitlines() if "|" in line]
    ruled = [set("".join(line)) <= set(" :-") for line in lines]
    # What stands above a rule is a heading.
    return [
        [cell.strip() for cell in line]
        for line, is_rule, below in zip(lines, ruled, [*ruled[1:], False], strict=True)
        if not is_rule and not below
    ]


class _Cells(HTMLParser):
    """The cells of an HTML table; one that spans rows stands in each of them."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._open = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag == "td" and self.rows:
            self.rows[-1].append("")
            self._open = True

    def handle_endtag(self, tag: str) -> None:
        if tag == "td":
            self._open = False

    def handle_data(self, data: str) -> None:
        if self._open:
            self.rows[-1][-1] += data

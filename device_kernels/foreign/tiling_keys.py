"""The tiling keys that a kernel of a checkout tells apart, read from its source.

The entry of a kernel compares the key of its launch by ``TILING_KEY_IS``, with a number or a name:
of an object macro or a constant in one of the kernel's own sources. Sources for other
architectures than Ascend910B's lie in folders and files of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from device_kernels.foreign.operator_folder import OTHER_PRODUCTS

ASKED = re.compile(r"\bTILING_KEY_IS\(\s*(\w+)\s*\)")
NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)[uUlL]*")
NAMED = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+\(?(\w+)\)?[ \t]*$"
    r"|\bconst(?:expr)?\b[^;=(){}]*?\b(\w+)[ \t]*=[ \t]*(\w+)[ \t]*;",
    re.M,
)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


def tiling_keys(folder: Path) -> tuple[int, ...]:
    """The keys of the operator in ``folder``, ascending.

    None at all where it asks for one whose number its sources do not tell: a part
    of the keys would make the rest look reached.
    """
    kernel = folder / "op_kernel" / f"{folder.name}.cpp"
    text = _text([kernel])
    headers = sorted((folder / "op_kernel").glob("*.h"))
    own = [path for path in headers if not path.stem.endswith(OTHER_PRODUCTS)]
    names = {a or c: b or d for a, b, c, d in NAMED.findall(_text([kernel, *own]))}
    keys = [_number(name, names) for name in ASKED.findall(text)]
    if any(key is None for key in keys):
        return ()
    return tuple(sorted({key for key in keys if key is not None}))


def _text(paths: Iterable[Path]) -> str:
    return "\n".join(COMMENT.sub("", path.read_text()) for path in paths)


def _number(name: str, names: dict[str, str]) -> int | None:
    """A number, or what a name stands for, which may be another name."""
    seen: set[str] = set()
    while (written := NUMBER.fullmatch(name)) is None:
        if name in seen or name not in names:
            return None
        seen.add(name)
        name = names[name]
    text = written[1]
    return int(text, 16) if text[:2] in ("0x", "0X") else int(text)

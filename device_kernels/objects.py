"""A key for each object file of an operator: of what its source includes, and of nothing else.

An edit of a tiling compiles that tiling, and neither the kernel nor the entry beside it.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path

_DIRECTIVE = re.compile(r"(?:#|%:)\s*include")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<[^>\n]+>)', re.MULTILINE)
_ENTRY = re.compile(r'extern\s+"C"\s+__global__\s+__aicore__\s+void\s+\w+\s*\([^)]*\)')


def object_keys(folder: Path, host: str, language: str, operator: str) -> Mapping[str, str]:
    """SHA-256 of all that goes into the objects of the operator in a folder, by source file's name.

    ``host`` and ``language`` are the keys of what host code and kernels are compiled with,
    ``operator`` that of the operator with all that lies beside it: an object's, too, if it cannot
    be told what its source includes.
    """
    name = folder.name
    kernel, tiling, entry = (
        folder / source
        for source in (f"{name}_kernel.cpp", f"{name}_tiling.cpp", f"aclnn_{name}.cpp")
    )
    # The entry includes a header that is written from the kernel's text.
    launched = _ENTRY.findall(re.sub(r"//[^\n]*", "", kernel.read_text(errors="replace")))
    told = {kernel: [language], tiling: [host], entry: [host, *launched]}
    return {
        source.name: _key(source, folder.parent, words) or _digest([operator, source.name])
        for source, words in told.items()
    }


def _key(source: Path, above: Path, words: list[str]) -> str:
    """The key of a source with what it includes from the operators' folder; "" if it cannot be
    told.
    """
    texts: dict[Path, str] = {}
    waiting = [source]
    while waiting:
        file = waiting.pop()
        if file in texts:
            continue
        text = texts[file] = file.read_text(errors="replace")
        found = _INCLUDE.findall(text)
        if len(found) != len(_DIRECTIVE.findall(text)) or "__has_include" in text:
            return ""
        places = [Path(os.path.normpath(file.parent / path)) for path in found if path]
        waiting += [place for place in places if place.is_file()]
    named = {os.path.relpath(file, above): text for file, text in texts.items()}
    return _digest([*words, *(part for file in sorted(named) for part in (file, named[file]))])


def _digest(words: list[str]) -> str:
    digest = hashlib.sha256()
    for word in words:
        content = word.encode(errors="surrogateescape")
        digest.update(f"{len(content)}\0".encode() + content)
    return digest.hexdigest()

"""What tests compile, kept beside the builds of the simulated device, as those are."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from device_kernels.build import cache_folder
from device_kernels.sources import Inputs
from device_kernels.steps import make
from device_kernels.toolchain import compiler


def kept(
    name: str, sources: Sequence[Path], fill: Callable[[Path], object], text: str = ""
) -> Path:
    """A folder that ``fill`` has filled once for each content of ``sources``, of the language and
    its engine, of the compiler, of the flags, and for each ``text``.
    """

    def key() -> str:
        told = hashlib.sha256(f"{Inputs({}, compiler()).keys().language}\0{text}".encode())
        for source in sources:
            told.update(f"\0{source}\0".encode() + hashlib.sha256(source.read_bytes()).digest())
        return told.hexdigest()[:16]

    def filled(_: Path, result: Path) -> bool:
        (result / "lib").mkdir()
        fill(result / "lib")
        return key() == asked  # a source that was edited meanwhile is not kept under the old key

    asked = key()
    make(cache_folder() / f"test-{name}-{asked}", filled)
    return cache_folder() / f"test-{name}-{asked}" / "lib"

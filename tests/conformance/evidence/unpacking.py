"""The lines of a run as plain files, for tests that edit them."""

from __future__ import annotations

from pathlib import Path

from conformance.evidence.packed import files_of_lines, packed_of, raw_lines


def unpacked(folder: Path) -> Path:
    """The folder of a run, of which no line is packed any more."""
    for path in files_of_lines(folder):
        path.write_bytes(b"".join([*raw_lines(path)]))
        packed_of(path).unlink(missing_ok=True)
    return folder

"""Evidence of many verdicts is small on disk, and no line of it is lost or told twice."""

from __future__ import annotations

import errno
import gzip
import hashlib
from pathlib import Path

import msgspec
import pytest

from conformance.cli.progress import Tail
from conformance.evidence import packed
from conformance.evidence.lines import VerdictLine, Writer, read_lines
from conformance.evidence.packed import last_link, packed_of, raw_lines
from conformance.evidence.run_folder import go_on
from conformance.evidence.summary import Evidence, write_evidence
from tests.conformance.evidence.test_lines import line
from tests.conformance.gate.asking import gate
from tests.conformance.gate.runs import every_cell, refused, run, seal_anew

SMALL = 4_000
"""Bytes that are packed in these tests: some five lines."""
MAIN = "evidence.main.jsonl"


def verdicts(count: int, first: int = 0) -> list[VerdictLine]:
    """Lines that differ as those of drawn cases do."""
    made = []
    for number in range(first, first + count):
        digest = hashlib.sha256(str(number).encode()).hexdigest()
        seconds = int(digest[:4], 16) / 1e6
        shapes = {"x": (int(digest[4:6], 16), int(digest[6:8], 16)), "y": (int(digest[8:10], 16),)}
        told = {"digest": digest[:16], "seconds": seconds, "shapes": shapes}
        made.append(msgspec.structs.replace(line(), call_seconds=seconds / 2, **told))
    return made


def written(out: Path, lines: list[VerdictLine], pack_bytes: int = SMALL) -> Path:
    """Write lines as one process does, and give its plain file."""
    out.mkdir(exist_ok=True)
    writer = Writer(out, "main", pack_bytes)
    for one in lines:
        writer.write(one)
    writer.close()
    return out / MAIN


def packed_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a finished run whose lines are packed."""
    monkeypatch.setattr(Writer.__init__, "__defaults__", (SMALL,))
    return run(folder, every_cell(refused()))


def test_many_lines_are_packed_and_read_as_they_were_written(tmp_path: Path) -> None:
    lines = verdicts(60)
    path = written(tmp_path, lines)
    assert path.read_bytes() == b""
    text = gzip.decompress(packed_of(path).read_bytes())
    assert text.splitlines(keepends=True) == list(raw_lines(path))
    assert [msgspec.json.decode(one)["digest"] for one in text.splitlines()] == [
        one.digest for one in lines
    ]
    assert list(read_lines(tmp_path)) == lines
    assert last_link(path).number == 60


def test_a_case_takes_at_most_100_bytes_on_disk(tmp_path: Path) -> None:
    path = written(tmp_path, verdicts(2_000), packed.PACK_BYTES)
    assert path.stat().st_size == 0
    assert packed_of(path).stat().st_size <= 100 * 2_000


def test_few_lines_stay_plain(tmp_path: Path) -> None:
    path = written(tmp_path, verdicts(20), packed.PACK_BYTES)
    assert len(path.read_bytes().splitlines()) == 20
    assert not packed_of(path).exists()


def test_a_process_that_goes_on_continues_the_chain_of_packed_lines(tmp_path: Path) -> None:
    written(tmp_path, verdicts(12))
    path = written(tmp_path, verdicts(3, 12))
    assert list(read_lines(tmp_path)) == verdicts(15)
    assert last_link(path).number == 15


def test_lines_that_lie_in_both_files_are_read_once(tmp_path: Path) -> None:
    path = written(tmp_path, verdicts(4), packed.PACK_BYTES)
    before = path.read_bytes()
    packed.pack(path)
    path.write_bytes(before)
    assert list(read_lines(tmp_path)) == verdicts(4)
    written(tmp_path, verdicts(10, 4))
    assert list(read_lines(tmp_path)) == verdicts(14)


def test_a_member_that_was_cut_costs_no_line(tmp_path: Path) -> None:
    path = written(tmp_path, verdicts(10))
    whole = packed_of(path).read_bytes()
    more = written(tmp_path / "more", [*verdicts(13)], packed.PACK_BYTES).read_bytes()
    latest = b"".join(more.splitlines(keepends=True)[10:])
    path.write_bytes(latest)
    packed_of(path).write_bytes(whole + gzip.compress(latest)[:-9])
    assert list(read_lines(tmp_path)) == verdicts(13)
    evidence = Evidence()
    write_evidence(tmp_path, evidence)
    go_on(tmp_path, evidence).release()
    assert packed_of(path).read_bytes() == whole
    assert list(read_lines(tmp_path)) == verdicts(13)


def test_on_a_full_disk_lines_stay_plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(packed.os, "fsync", full)
    path = written(tmp_path, verdicts(20))
    assert packed_of(path).read_bytes() == b""
    assert list(read_lines(tmp_path)) == verdicts(20)


def test_progress_counts_each_verdict_once_while_lines_are_packed(tmp_path: Path) -> None:
    write_evidence(tmp_path, Evidence(process=7))
    tail, writer, told = Tail(tmp_path, 7), Writer(tmp_path, "main", SMALL), []
    for number, one in enumerate(verdicts(30)):
        writer.write(one)
        if number % 7 == 0:
            tail.read()
            told.append(tail.judged)
    writer.close()
    tail.read()
    assert [*told, tail.judged] == [1, 8, 15, 22, 29, 30]


def test_a_run_whose_lines_are_packed_is_judged_as_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = run(tmp_path / "plain", every_cell(refused()))
    small = packed_run(tmp_path / "small", monkeypatch)
    assert packed_of(small / MAIN).exists()
    assert gate(small)[1].replace("small", "plain") == gate(plain)[1]
    (small / MAIN).unlink()
    assert gate(small)[1].replace("small", "plain") == gate(plain)[1]


def test_a_packed_file_that_was_changed_or_lost_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = packed_run(tmp_path / "run", monkeypatch)
    file = packed_of(folder / MAIN)
    whole = file.read_bytes()
    file.write_bytes(whole[:-40] + bytes([whole[-40] ^ 1]) + whole[-39:])
    assert f"corrupted: {MAIN}.gz cannot be read: it is not packed as a run" in gate(folder)[1]
    file.unlink()
    assert f"corrupted: {MAIN}: lines 1 to " in gate(folder)[1]
    (folder / MAIN).unlink()
    assert f"corrupted: {MAIN} is missing" in gate(folder)[1]
    file.write_bytes(whole + gzip.compress(b'{"kind":"item"}\n'))
    assert f"corrupted: {MAIN}, line " in gate(folder)[1]


def test_a_member_that_unpacks_without_end_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = seal_anew(run(tmp_path / "run"))
    monkeypatch.setattr(packed, "MOST_MEMBER_BYTES", 2**20)
    packed_of(folder / MAIN).write_bytes(gzip.compress(bytes(2**24)))
    assert "a member of it unpacks to more than 1,048,576 bytes" in gate(folder)[1]

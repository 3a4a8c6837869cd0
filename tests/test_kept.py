"""What tests compile is compiled anew as soon as anything that goes into it is another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kept import kept


@pytest.fixture(autouse=True)
def _empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOE_CONFORMANCE_CACHE", str(tmp_path / "cache"))


def test_a_folder_is_filled_once_for_each_content_text_and_flags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, filled = tmp_path / "kernel.cpp", []

    def compiled(text: str = "") -> int:
        kept("machine", [source], filled.append, text)
        return len(filled)

    source.write_text("int a;")
    assert (compiled(), compiled()) == (1, 1)
    source.write_text("int b;")
    assert (compiled(), compiled()) == (2, 2)
    assert (compiled("a mistake"), compiled("a mistake")) == (3, 3)
    monkeypatch.setenv("CXXFLAGS", "-g")
    assert (compiled(), compiled()) == (4, 4)


def test_what_was_edited_while_it_was_compiled_is_not_kept(tmp_path: Path) -> None:
    source = tmp_path / "kernel.cpp"
    source.write_text("int a;")
    folder = kept("machine", [source], lambda _: source.write_text("int b;"))
    assert not folder.exists()
    source.write_text("int a;")
    assert kept("machine", [source], lambda _: None) == folder
    assert folder.is_dir()

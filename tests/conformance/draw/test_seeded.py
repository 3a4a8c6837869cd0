"""Draws of a seed do not depend on what else the process has imported."""

import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from conformance.draw.seeded import of_seed_alone


def draws() -> list[int]:
    found: list[int] = []

    @seed(7)
    @settings(max_examples=200, database=None)
    @given(st.integers(0, 1 << 20))
    def take(number: int) -> None:
        found.append(number)

    take()
    return found


@pytest.mark.parametrize(("how", "same"), [(of_seed_alone, True), (nullcontext, False)])
def test_constants_of_a_module_change_no_draw(
    how: type[AbstractContextManager[None]],
    same: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Hypothesis by itself draws them: were it not so, the module would be needless."""
    name = f"full_of_numbers_{same}"
    (tmp_path / f"{name}.py").write_text(f"NUMBERS = {[*range(77_000 + same, 78_000)]}\n")
    monkeypatch.syspath_prepend(tmp_path)
    with how():
        before = draws()
        __import__(name)
        after = draws()
    sys.modules.pop(name)
    assert (before == after) == same

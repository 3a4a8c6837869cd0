"""The file of waivers: what is wrong in it is named, with the waiver, the field and the rule."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from conformance.errors import UsageError
from conformance.gate.waivers import read_waivers
from tests.conformance.gate.asking import waiver


def written(place: Path, text: str | bytes) -> Path:
    path = place / "waivers.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_waivers_are_numbered_as_they_stand_in_the_file(tmp_path: Path) -> None:
    found = read_waivers(written(tmp_path, waiver() + waiver(where="top_k == 2")))
    assert [(one.number, one.waiver.where) for one in found] == [
        (1, 'mode == "tail" and tokens.shape[0] > 1024'),
        (2, "top_k == 2"),
    ]
    assert found[0].waiver.expires == date(2026, 12, 31)
    assert found[0].waiver.intermittent is False


def test_an_empty_file_has_no_waiver(tmp_path: Path) -> None:
    assert read_waivers(written(tmp_path, "")) == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (waiver(where="top_k ="), "waiver 1: '=' at column 7: invalid syntax"),
        (waiver() + waiver(where="f(1) == 1"), "waiver 2: 'f(1)' at column 1: is not of the langu"),
        (waiver(link="javascript:alert(1)"), "waiver 1: must be a link, https://..."),
        (waiver(owner=" "), "owner in "),
        (waiver(reason=7), "Expected `str`, got `int` - at `$.waiver[0].reason`"),
        (waiver(expires="2026-12-31x"), "at `$.waiver[0].expires`"),
        (waiver(severity="low"), "unknown field `severity`"),
        (waiver(intermittent="yes"), "at `$.waiver[0].intermittent`"),
        (waiver().replace("owner", "#owner"), "missing required field `owner`"),
        ("[[waivers]]\n", "unknown field `waivers`"),
        ("[[waiver]\n", "is not as docs/how-to/gate.md says"),
        (b"\xff\xfe\x00", "is not as docs/how-to/gate.md says"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place_and_the_rule(
    tmp_path: Path, text: str | bytes, words: str
) -> None:
    with pytest.raises(UsageError) as told:
        read_waivers(written(tmp_path, text))
    assert words in str(told.value)
    assert "waivers.toml" in str(told.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_waivers(tmp_path / "none.toml")

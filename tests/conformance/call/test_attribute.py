"""Attributes come back from JSON as they were: integers as integers, floats with all their bits."""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from conformance.call.attribute import loaded, of_json, stored, to_json
from conformance.call.case import Case
from conformance.errors import UsageError
from conformance.failure.replay import Replay, load, save
from conformance.record.frozen import NotFrozen, frozen_now, read, written

CASE = Case("toy", "plain", "float32", {"eps": 1.0, "count": 1}, {}, {})
NUMBERS = (0.0, -0.0, 1.0, 0.1, 1e-6, 5e-324, 1e22, 2.0**63, -1.5e308, math.inf, -math.inf)


def bits(value: float) -> bytes:
    assert type(value) is float
    return struct.pack("<d", value)


def with_eps(eps: Any) -> Case:
    return replace(CASE, attributes={**CASE.attributes, "eps": eps})


@pytest.mark.parametrize("eps", NUMBERS)
def test_a_number_comes_back_with_all_its_bits_and_tells_cases_apart(
    tmp_path: Path, eps: float
) -> None:
    case = replace(CASE, before=(with_eps(eps),), attributes={"eps": eps, "count": 1})
    save(Replay(case), tmp_path / "case.json")
    found = load(tmp_path / "case.json").case
    again = read(msgspec.json.encode(written(frozen_now("a", case, "corpus"))), "corpus", "toy")
    for one in (found, found.before[0], again.case, again.case.before[0]):
        assert bits(one.attributes["eps"]) == bits(eps)
        assert type(one.attributes["count"]) is int
    assert found.digest == case.digest == again.digest
    others = [with_eps(other) for other in NUMBERS if bits(other) != bits(eps)]
    assert with_eps(eps).digest not in {one.digest for one in others}


def test_nan_comes_back_and_has_one_digest(tmp_path: Path) -> None:
    case = with_eps(-math.nan)
    save(Replay(case), tmp_path / "case.json")
    assert '"eps": "nan"' in (tmp_path / "case.json").read_text()
    found = load(tmp_path / "case.json").case
    assert math.isnan(found.attributes["eps"])
    assert found.digest == case.digest


def test_an_integer_is_another_case_than_the_float_of_its_value() -> None:
    assert with_eps(1).digest != with_eps(1.0).digest


def test_a_float_of_numpy_is_that_of_python(tmp_path: Path) -> None:
    case = with_eps(np.float64(0.1))
    save(Replay(case), tmp_path / "case.json")
    assert case.digest == with_eps(0.1).digest == load(tmp_path / "case.json").case.digest


def test_cases_of_before_have_their_digests() -> None:
    """It is written down in corpora: a change of it would be one of every case."""
    attributes = {"count": 2, "ends": (1, 2), "none": None, "flag": True}
    assert Case("toy", "plain", "int32", attributes, {}, {}).digest == "e24af8c965670f6d"


@pytest.mark.parametrize("text", ['"1.0"', '"Infinity"', '"NaN"', "NaN", "1e400", "true", "[1.0]"])
def test_json_has_one_form_of_each_number(tmp_path: Path, text: str) -> None:
    path = tmp_path / "case.json"
    save(Replay(CASE), path)
    path.write_text(path.read_text().replace('"eps": 1.0', f'"eps": {text}'))
    with pytest.raises(UsageError, match="is no case that a run wrote"):
        load(path)
    line = msgspec.json.encode(written(frozen_now("a", CASE, "corpus")))
    with pytest.raises(NotFrozen):
        read(line.replace(b'"eps":1.0', f'"eps":{text}'.encode()), "corpus", "toy")


@pytest.mark.parametrize("value", [3, (1, 2), None, "other"])
def test_what_is_no_float_stays_as_it_is(value: Any) -> None:
    assert stored(value) is value
    assert loaded(value) is value
    assert of_json(to_json(with_eps(value))) == with_eps(value)

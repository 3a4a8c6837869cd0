"""What an implementation says of its functions: taken as it is said, or refused with the rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.devices.messages import Functions
from conformance.devices.python.load import Loaded, NotCallable
from conformance.devices.python.offered import Offered, offered
from conformance.record.functions import CORRECT, FunctionTraits


def said(*each: Any, computing: int | None = None) -> Offered:
    """What modules say with these FUNCTIONS, of which the first so many operators compute."""
    found = {f"op{n}": Loaded(print, f"{n}.py:f", None, None, one) for n, one in enumerate(each)}
    names = tuple(found)[:computing]
    return offered(Functions(dict.fromkeys(found, ""), computing=names), found)


def test_what_is_declared_has_its_source_and_what_is_not_used_is_exact() -> None:
    declared = {"steps": 3, "uniform": True, "source": "a page"}
    found = said({"exp": declared, "ln": None, "sqrt": np.sqrt})
    exp, ln = found.traits["exp"], found.traits["ln"]
    assert exp == FunctionTraits(steps=3, uniform=True)
    assert (exp.origin, exp.source) == ("declared", "a page")
    assert (ln, ln.origin) == (CORRECT, "unused")
    assert found.callables == {"sqrt": np.sqrt}


def test_what_calls_one_function_calls_that() -> None:
    probe = said({"exp": np.exp, "div": np.divide}).probe.call
    x, y = np.full((2, 3), 2, np.float32)
    assert (probe(x, y, 0) == np.exp(x)).all()
    assert (probe(x, y, 3) == 1).all()


def test_nothing_is_said_by_a_module_without_it_or_without_what_computes() -> None:
    assert said(None) == said({"exp": np.exp}, computing=0) == Offered()


def test_functions_of_two_modules_must_be_the_same() -> None:
    one = {"exp": np.exp}
    assert said(one, one).callables == one
    assert said(one, None, computing=1).callables == one
    for other in (None, {"exp": np.exp2}):
        with pytest.raises(NotCallable, match=r"0\.py:f and 1\.py:f have not the same FUNCTIONS"):
            said(one, other)


@pytest.mark.parametrize(
    ("functions", "why"),
    [
        ({"cosh": np.cosh}, "must be a dict with names among exp, ln, sqrt, div, reciprocal"),
        ([np.exp], "must be a dict with names among"),
        ({"exp": 2}, r"FUNCTIONS\['exp'\] must be a callable, None"),
        ({"exp": {"steps": 1}}, r"FUNCTIONS\['exp'\] must be"),
        ({"exp": {"steps": 1, "source": ""}}, r"FUNCTIONS\['exp'\] must be"),
        ({"exp": {"steps": -1, "source": "x"}}, r"FUNCTIONS\['exp'\] must be"),
        ({"exp": {"steps": True, "source": "x"}}, r"FUNCTIONS\['exp'\] must be"),
        ({"exp": {"steps": 1, "source": "x", "flush": 0}}, r"FUNCTIONS\['exp'\] must be"),
        ({"exp": {"steps": 1, "source": "x", "ulp": 1}}, r"FUNCTIONS\['exp'\] must be"),
    ],
)
def test_what_says_something_else_is_refused(functions: Any, why: str) -> None:
    with pytest.raises(NotCallable, match=why):
        said(functions)

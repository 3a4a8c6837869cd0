"""Module names of before give the modules of today, with a warning that names them."""

from __future__ import annotations

import importlib
import sys
import warnings

import pytest

from conformance.former_names import MODULES, NAMES


@pytest.mark.parametrize("former", MODULES)
def test_a_former_module_has_what_its_modules_of_today_have(former: str) -> None:
    today = [importlib.import_module(f"conformance.{name}") for name in MODULES[former].split()]
    sys.modules.pop(f"conformance.{former}", None)
    # Of a module in a package, that of the package is told, too.
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = importlib.import_module(f"conformance.{former}")
    assert {one.category for one in told} == {DeprecationWarning}
    last = str(told[-1].message)
    assert last.startswith(f"conformance.{former} is {today[0].__name__} today")
    for module in reversed(today):
        names = {name for name in vars(module) if not name.startswith("__")}
        assert names <= vars(found).keys()


def test_a_name_that_moved_out_of_a_module_that_stays_is_served() -> None:
    device = importlib.import_module("conformance.devices.device")
    for name, today in NAMES["devices.device"].items():
        with pytest.warns(DeprecationWarning, match=f"conformance.devices.device.{name} is "):
            found = getattr(device, name)
        assert found is getattr(importlib.import_module(f"conformance.{today}"), name)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        device.nothing  # noqa: B018 - the lookup is what fails

"""An installed torch_npu says which torch, numpy and Python it goes with."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError

import pytest

from conformance.devices.finding import Finding
from conformance.devices.torch_npu import pins as torch_pins
from conformance.devices.torch_npu.pins import NO_METADATA, ROUTE, TESTED, mended, torch_findings


def advice(python: tuple[int, int], *, there: bool = False, **installed: str) -> list[str]:
    def version_of(name: str) -> str:
        if name not in installed:
            raise PackageNotFoundError(name)
        return installed[name]

    return [finding.advice for finding in torch_findings(python, version_of, lambda _: there)]


def test_where_torch_npu_is_absent_nothing_is_asked() -> None:
    assert advice((3, 11), torch="2.1.0", numpy="2.0.0") == []


def test_a_torch_npu_without_metadata_says_what_to_install() -> None:
    assert advice((3, 11), there=True, torch="2.1.0") == [NO_METADATA]


def test_what_keeps_the_route_from_opening_is_told_beside_the_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unpinned = Finding("torch", "", ROUTE, "torch is 2.1.0: take another")
    others = (Finding("numpy", "1.26.4"), Finding("numpy", "", TESTED, "take another numpy"))
    monkeypatch.setattr(torch_pins, "torch_findings", lambda python: iter((unpinned, *others)))
    assert mended("no symbol") == "no symbol; torch is 2.1.0: take another"
    monkeypatch.setattr(torch_pins, "torch_findings", lambda python: iter(others))
    assert mended("no symbol") == "no symbol"


@pytest.mark.parametrize(
    ("python", "numpy"), [((3, 10), "1.23.5"), ((3, 11), "1.26.4"), ((3, 12), "1.26.0")]
)
def test_what_goes_together_needs_no_advice(python: tuple[int, int], numpy: str) -> None:
    assert advice(python, torch_npu="2.13.0", torch="2.13.0+cpu", numpy=numpy) == ["", ""]


def test_what_does_not_go_together_says_what_to_install() -> None:
    torch, numpy = advice((3, 10), torch_npu="2.9.0", torch="2.10.0", numpy="2.1.0")
    assert torch == "torch is 2.10.0: python -m pip install 'torch==2.9.*'"
    assert numpy == "numpy is 2.1.0: python -m pip install 'numpy==1.23.*'"
    torch, python = advice((3, 13), torch_npu="2.9.0", numpy="1.26.0")
    assert torch.startswith("torch is not installed")
    assert python.startswith("torch_npu's guide names Python 3.10, 3.11, 3.12, here is 3.13")

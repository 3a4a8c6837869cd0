"""Axes that any case shows by itself: values of a tensor, its data type, the machine."""

from __future__ import annotations

from conformance.call.case import Case, Machine, Tensor
from conformance.record.derive.axes import (
    CORES,
    class_of,
    of_dtypes,
    of_machines,
    of_sizes,
    of_values,
)
from conformance.values.fill import Fill

WEIGHTS = Tensor((4, 2), "float16", fill=Fill(("lattice", "special"), seed=1))


def case(machine: Machine | None = None, **inputs: Tensor) -> Case:
    return Case("gather_sum", "whole", "float32", {}, inputs, {}, machine)


def test_an_input_shows_the_families_of_its_columns() -> None:
    axis = of_values("weights", ("lattice", "special"), "weights")
    assert set(axis.of(case(weights=WEIGHTS))) == {"lattice", "special"}
    listed = Tensor((1,), "float16", values=(0,))
    assert axis.of(case(weights=listed)) == ()


def test_an_input_that_is_not_there_shows_that_level_or_none() -> None:
    assert of_values("weights", ("lattice",), "weights").of(case()) == ()
    assert of_values("weights", ("absent",), "weights", "absent").of(case()) == ("absent",)


def test_the_input_may_be_found_in_a_case() -> None:
    axis = of_values("rows", ("lattice",), lambda case: next(iter(case.inputs.values())))
    assert set(axis.of(case(other=WEIGHTS))) == {"lattice", "special"}


def test_a_tensor_shows_its_data_type() -> None:
    axis = of_dtypes("weights dtype", ("float16", "float32"), "weights")
    assert axis.of(case(weights=WEIGHTS)) == ["float16"]


def test_a_size_shows_the_levels_between_whose_ends_it_is() -> None:
    spans = {"one": (1, 1), "few": (2, 4), "four": (4, 4)}
    axis = of_sizes("rows", spans, lambda case: {"rows": case.inputs["weights"].shape[0]})
    assert (axis.name, axis.levels) == ("rows", ("one", "few", "four"))
    assert axis.of(case(weights=WEIGHTS)) == ["few", "four"]
    assert axis.of(case(weights=Tensor((5, 2), "float16"))) == []


def test_a_machine_is_of_the_last_class_that_it_reaches() -> None:
    cores, buffer = of_machines()
    assert cores.levels == tuple(CORES)
    assert [cores.of(case(Machine(n, 1024))) for n in (1, 2, 39, 48)] == [
        ["one"],
        ["few"],
        ["few"],
        ["many"],
    ]
    assert buffer.of(case(Machine(1, 16384))) == ["small"]
    assert buffer.of(case(Machine(1, 16385))) == ["large"]
    assert (cores.of(case()), buffer.of(case())) == ([], [])
    assert class_of(0, {"one": 1}) == []

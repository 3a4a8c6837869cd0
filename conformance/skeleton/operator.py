"""What the files of a new operator have in common: its names, and the data types of its tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from conformance.skeleton.parameters import Parameter, camel

FLOATS = ("float16", "bfloat16", "float32")


@dataclass(frozen=True)
class New:
    """An operator by its name in snake case, and its parameters; a tensor without axes has one, of
    size "token".
    """

    name: str
    parameters: tuple[Parameter, ...]

    def __post_init__(self) -> None:
        shaped = tuple(
            replace(one, axes=("token",)) if one.is_tensor and not one.axes else one
            for one in self.parameters
        )
        object.__setattr__(self, "parameters", shaped)

    @cached_property
    def sizes(self) -> tuple[str, ...]:
        """The names of all sizes, in the order in which parameters have them."""
        return tuple(dict.fromkeys(size for one in self.parameters for size in one.sizes))

    def is_free(self, size: str) -> bool:
        """Whether one axis alone has it."""
        return sum(one.sizes.count(size) for one in self.parameters) == 1

    @cached_property
    def fixed(self) -> tuple[str, ...]:
        """The numbers that are extents of axes."""
        return tuple(sorted({part for one in self.tensors for part in one.parts} - {*self.sizes}))

    @property
    def title(self) -> str:
        """Its name as the vendor writes it."""
        return camel(self.name)

    @cached_property
    def tensors(self) -> tuple[Parameter, ...]:
        """The tensors, in the order of the interface."""
        return tuple(one for one in self.parameters if one.is_tensor)

    @cached_property
    def inputs(self) -> tuple[Parameter, ...]:
        """The tensors that are read."""
        return tuple(one for one in self.tensors if one.kind == "input")

    @cached_property
    def outputs(self) -> tuple[Parameter, ...]:
        """The tensors that are written."""
        return tuple(one for one in self.tensors if one.kind == "output")

    @cached_property
    def dtypes(self) -> tuple[str, ...]:
        """The data types of a case: those of the first tensor that has several, or whose types are
        unknown; else that of the first tensor.
        """
        for one in self.tensors:
            if not one.dtypes:
                return FLOATS
            if len(one.dtypes) > 1:
                return one.dtypes
        return self.tensors[0].dtypes

    def is_of_case(self, one: Parameter) -> bool:
        """Whether a tensor has the data type of the case: it may have several, some a case's."""
        if len(one.dtypes) > 1:
            return not set(one.dtypes).isdisjoint(self.dtypes)
        return not one.dtypes or one.dtypes == self.dtypes

    def dtypes_of(self, one: Parameter) -> tuple[str, ...]:
        """The data types that a tensor may have."""
        return self.dtypes if self.is_of_case(one) else one.dtypes

    @cached_property
    def first(self) -> Parameter:
        """The first tensor whose data type is that of the case."""
        return next(one for one in self.tensors if self.is_of_case(one))


def joined(lines: Sequence[str], indent: int = 0) -> str:
    """The lines, each indented."""
    return "\n".join(f"{' ' * indent}{line}" if line else "" for line in lines)

"""An operator's signature: its parameters with symbolic sizes, and the rules of its interface.

A call fits a signature if one value of each size explains every shape and every attribute
(conformance/record/derive/explain.py). So a record need not say again how a call is made of sizes,
what its sizes are, which calls differ from a right one and must be rejected, or what axes mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Literal

from conformance.catalogue import signature as say
from conformance.record.clause import Clause
from conformance.record.operator import AttributeParameter, TensorParameter
from conformance.record.sizes import Axis, Function, Further, Size
from conformance.record.versions import Versions

if TYPE_CHECKING:
    from conformance.call.case import Attribute, Case


@dataclass(frozen=True)
class SizedTensor(TensorParameter):
    """A tensor with a size for each axis; the values of an integer tensor may be ``numbers`` of
    rows of that size. An optional one ``beside`` others must be there if all of them are, and have
    their data type if it can. ``by_dtype`` has its data types in a case of one, if not all of
    ``dtype``.
    """

    shape: tuple[Axis, ...] = ()
    numbers: Axis | None = None
    further: Further | None = None
    beside: tuple[str, ...] = ()
    by_dtype: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def ranks(self) -> tuple[int, int | None]:
        """The fewest and the most axes that it may have; None: any number."""
        count, further = len(self.shape), self.further
        if further is None:
            return count, count
        return count + further.fewest, None if further.most is None else count + further.most

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The sizes of its axes; the last may be that of all further ones together."""
        if self.further is None or self.further.size is None:
            return self.shape
        together = (self.further.size,)
        return (*together, *self.shape) if self.further.first else (*self.shape, *together)

    def parted(self, shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The extents of a shape that are its own, and the further ones."""
        count = len(self.shape)
        if self.further is not None and self.further.first:
            at = max(0, len(shape) - count)
            return shape[at:], shape[:at]
        return shape[:count], shape[count:]

    def joined(self, own: tuple[int, ...], further: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of which these are the parts."""
        ahead = self.further is not None and self.further.first
        return (*further, *own) if ahead else (*own, *further)

    def extents(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """What of a shape has the sizes of ``axes``."""
        own, further = self.parted(shape)
        return own if self.axes == self.shape else self.joined(own, (prod(further),))

    def dtypes(self, of_case: str) -> tuple[str, ...]:
        """The data types that it may have in a case of that one."""
        return self.by_dtype.get(of_case) or super().dtypes(of_case)

    def dtypes_in(self, case: Case) -> tuple[str, ...]:
        """The data types that it may have in a call."""
        here, own = {**case.inputs, **case.outputs}, self.dtypes(case.dtype)
        near = {here[name].dtype for name in self.beside if name in here}
        return tuple(one for one in own if one in near) or own

    def must_be(self, here: Collection[str]) -> bool:
        """Whether it must be there in a call that has these tensors."""
        return not self.optional or (bool(self.beside) and set(self.beside) <= set(here))


@dataclass(frozen=True)
class SizedAttribute(AttributeParameter):
    """An attribute that is a ``size``, or is between ``least`` and ``most``, or that no check looks
    at by the clause ``free``. A list has one of ``counts`` numbers, if it is not null; none: any.
    """

    size: Size | None = None
    free: Clause | None = None
    least: float | None = None
    most: float | None = None
    counts: tuple[int, ...] = ()

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """The least and the most that it may be; None: no end."""
        return (self.size.least, self.size.most) if self.size else (self.least, self.most)


def tensor(
    name: str,
    *shape: Axis,
    role: Literal["input", "output"] = "input",
    dtype: str | tuple[str, ...] | None = None,
    optional: bool = False,
    numbers: Axis | None = None,
    further: Further | None = None,
    acl: str = "",
    beside: str | tuple[str, ...] = (),
    by_dtype: Mapping[str, tuple[str, ...]] | None = None,
) -> SizedTensor:
    """A tensor of a signature; ``acl`` is its name in the C interface, if it is not camelCase of
    ``name``, ``beside`` another tensor by name, or several.
    """
    names = name, acl or _camel(name)
    near, said = (beside,) if isinstance(beside, str) else beside, by_dtype or {}
    return SizedTensor(*names, role, dtype, optional, shape, numbers, further, near, said)


def number(
    name: str,
    size: Size | None = None,
    free: Clause | None = None,
    *,
    least: int | None = None,
    most: int | None = None,
) -> SizedAttribute:
    """An attribute of type int64."""
    return SizedAttribute(name, _camel(name), "int64", size, free, least, most)


def flag(name: str, free: Clause | None = None, *, most: int | None = None) -> SizedAttribute:
    """An attribute of type bool; ``most`` 0: it must be false."""
    return SizedAttribute(name, _camel(name), "bool", None, free, most=most)


def real(
    name: str,
    free: Clause | None = None,
    *,
    least: float | None = None,
    most: float | None = None,
) -> SizedAttribute:
    """An attribute of type double. With limits, both inclusive, NaN is outside of them."""
    low, high = (None if end is None else float(end) for end in (least, most))
    return SizedAttribute(name, _camel(name), "double", None, free, low, high)


def integers(
    name: str, free: Clause | None = None, acl: str = "", *, count: int | tuple[int, ...] = ()
) -> SizedAttribute:
    """An attribute that is a list of integers, or null; ``acl`` as for `tensor`, ``count`` are the
    `SizedAttribute.counts`.
    """
    counts = (count,) if isinstance(count, int) else count
    return SizedAttribute(name, acl or _camel(name), "int array", None, free, counts=counts)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


Kind = Literal["null", "dtype", "rank", "extent", "limit", "attribute"]
"""What of a call may not fit: a pointer, a data type, the number of axes, the extent of one, a size
outside of its limits, the value of an attribute."""


@dataclass(frozen=True)
class Rule:
    """A rule of an interface: what it looks at, the status of a call that breaks it, its clause.

    ``kinds`` are what of a call may break it: a pointer ("null"), a data type ("dtype"), the number
    of axes ("rank"), the extent of one ("extent"), a size of axes outside of its limits ("limit"),
    the value of an attribute ("attribute"). ``about`` are the parameters or sizes that it looks at,
    ``modes`` those of the calls; none: all. ``checked_by_cann`` and ``versions`` are those of
    `Rejection`. Of several rules that cover what does not fit, the first one counts.
    """

    kinds: tuple[Kind, ...]
    status: int
    clause: Clause
    about: tuple[str, ...] = ()
    checked_by_cann: bool = True
    modes: tuple[str, ...] = ()
    versions: Versions | None = None

    def covers(self, kind: Kind, parameter: str, size: str, mode: str = "") -> bool:
        """Whether it is the rule of what does not fit in a call of a mode; "": of those of none."""
        named = not self.about or parameter in self.about or size in self.about
        return kind in self.kinds and named and (not self.modes or mode in self.modes)


@dataclass(frozen=True)
class Form:
    """What is otherwise in calls whose attributes have the values ``when``: some of the tensors,
    and of the attributes.

    A size in place of a value means that the attribute is that size, if it is within its limits.
    """

    when: Mapping[str, float | Size | None]
    tensors: tuple[SizedTensor, ...] = ()
    attributes: tuple[SizedAttribute, ...] = ()

    def holds(self, attributes: Mapping[str, Attribute]) -> bool:
        """Whether a call with these attributes is of this form."""
        return all(
            size.least <= value and (size.most is None or value <= size.most)
            if isinstance(size, Size) and isinstance(value := attributes[name], int)
            else attributes[name] == size
            for name, size in self.when.items()
        )


@dataclass(frozen=True)
class Signature:
    """The parameters of an operator in the order of its interface, and its rules.

    ``by_mode`` has the attributes that a mode fixes, ``forms`` the modes that have other shapes, or
    by another name some calls of a mode: a call is of the first form whose attributes it has, or of
    none. ``derived`` are sizes that no axis has, and that have limits all the same. Raises
    ValueError for parameters or rules that do not fit together, with the parameter and the rule.
    """

    operator: str
    parameters: tuple[SizedTensor | SizedAttribute, ...]
    rules: tuple[Rule, ...]
    by_mode: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    forms: Mapping[str, Form] = field(default_factory=dict)
    derived: tuple[Function, ...] = ()

    def __post_init__(self) -> None:
        for problem in self._problems():
            raise ValueError(say.OF_SIGNATURE(operator=self.operator, problem=problem))

    def rule(self, kind: Kind, parameter: str, size: str = "", mode: str = "") -> Rule | None:
        """The rule of what does not fit, the first one that covers it; None: no rule does."""
        return next((one for one in self.rules if one.covers(kind, parameter, size, mode)), None)

    def of(self, case: Case) -> Signature:
        """The signature of the form that a call has by its attributes."""
        for mode, form in self.forms.items():
            if form.holds(case.attributes):
                return self.of_mode(mode)
        return self

    def of_mode(self, mode: str) -> Signature:
        """The signature of a mode's form, without rules."""
        return self._by_form.get(mode, self)

    @cached_property
    def _by_form(self) -> dict[str, Signature]:
        return {mode: self._formed(mode, form) for mode, form in self.forms.items()}

    def _formed(self, mode: str, form: Form) -> Signature:
        others: dict[str, SizedTensor | SizedAttribute] = {one.name: one for one in form.tensors}
        others |= {one.name: one for one in form.attributes}
        for one in self.attributes:
            if isinstance(size := form.when.get(one.name), Size):
                others[one.name] = replace(one, size=size)
        fixed = {name: one for name, one in form.when.items() if not isinstance(one, Size)}
        parameters = tuple(others.get(one.name, one) for one in self.parameters)
        by_mode = {mode: {**self.by_mode.get(mode, {}), **fixed}}
        return Signature(self.operator, parameters, (), by_mode, derived=self.derived)

    @property
    def all_forms(self) -> tuple[tuple[tuple[str, ...], Signature], ...]:
        """The signature of each form with its name; first that of all other calls, with none."""
        return (((), self), *(((mode,), form) for mode, form in self._by_form.items()))

    @cached_property
    def tensors(self) -> tuple[SizedTensor, ...]:
        """The tensors, in the order of the interface."""
        return tuple(one for one in self.parameters if isinstance(one, SizedTensor))

    @cached_property
    def attributes(self) -> tuple[SizedAttribute, ...]:
        """The attributes, in the order of the interface."""
        return tuple(one for one in self.parameters if isinstance(one, SizedAttribute))

    @cached_property
    def sizes(self) -> dict[str, Size]:
        """The sizes of its axes and attributes, by name."""
        return {size.name: size for size in self._uses()}

    def defaults(self, tensors: Collection[str]) -> dict[str, int]:
        """The sizes that a call with these tensors does not show alone, with their defaults."""
        shown: set[Axis | None] = {one.size for one in self.attributes}
        shown |= {axis for one in self.tensors if one.name in tensors for axis in one.axes}
        return {
            name: size.default
            for name, size in self.sizes.items()
            if size.default is not None and size not in shown
        }

    def checked(self, attribute: SizedAttribute) -> bool:
        """Whether it has limits, is a size or counted, or is one that a size follows from."""
        shown = any(attribute.name in size.attributes for size in self.sizes.values())
        limited = attribute.limits != (None, None) or bool(attribute.counts)
        return shown or limited or attribute.size is not None

    def _uses(self) -> Iterator[Size]:
        for one in self.tensors:
            for axis in one.axes:
                for size in axis.factors:
                    for others in (size.product, size.covers):
                        yield from others.factors if others else ()
                    yield size
                    for argument in size.arguments if isinstance(size, Function) else ():
                        yield from () if isinstance(argument, str) else argument.factors
        yield from (one.size for one in self.attributes if one.size is not None)
        for derived in self.derived:
            for argument in derived.arguments:
                yield from () if isinstance(argument, str) else argument.factors

    def _problems(self) -> Iterator[str]:
        yield from self._problems_of_modes()
        names = [one.name for one in self.parameters]
        for name, count in Counter(names).items():
            if count > 1:
                yield say.TWICE(name=name)
        uses = Counter(size.name for size in self._uses())
        for size in set(self._uses()):
            if size != self.sizes[size.name]:
                yield say.TWO_SIZES(name=size.name)
            if uses[size.name] == 1 and not size.is_tied:
                yield say.TIED_TO_NOTHING(name=size.name)
        for one in self.tensors:
            for part in one.numbers.factors if one.numbers else ():
                if part.name not in self.sizes:
                    yield say.NUMBERS_OF_NOTHING(name=one.name, size=part.name)
            near = {*one.beside, one.further.like if one.further else ""} - {"", *names}
            for other in near:
                yield say.BESIDE_NOTHING(name=one.name, other=other)
        # What the shapes of one form do not follow from, those of another may: a form has no rules.
        for attribute in self.attributes if self.rules else ():
            if not (attribute.free or self.checked(attribute)):
                yield say.UNCHECKED_ATTRIBUTE(name=attribute.name)
        for size in self.sizes.values():
            for name in set(size.attributes) - set(names):
                yield say.FUNCTION_OF_NOTHING(name=size.name, argument=name)
        all_sizes = {size for _, form in self.all_forms for size in form.sizes}
        all_sizes |= {size.name for size in self.derived}
        for rule in self.rules:
            for name in set(rule.about) - set(names) - all_sizes:
                yield say.RULE_ABOUT_NOTHING(name=name, rule=rule.clause.text)

    def _problems_of_modes(self) -> Iterator[str]:
        known = {attribute.name for attribute in self.attributes}
        of_forms = {
            mode: {*form.when, *(one.name for one in form.attributes)}
            for mode, form in self.forms.items()
        }
        for mode, names in (*self.by_mode.items(), *of_forms.items()):
            for name in set(names) - known:
                yield say.NO_ATTRIBUTE(name=name, mode=mode)
        fixed_of_tensors = {_of_interface(one) for one in self.tensors}
        for mode, form in self.forms.items():
            for one in form.tensors:
                if _of_interface(one) not in fixed_of_tensors:
                    yield say.ANOTHER_PARAMETER(name=one.name, mode=mode)


def _of_interface(one: SizedTensor) -> tuple[str, str, str, bool]:
    """What of a tensor is the same in each form."""
    return one.name, one.acl_name, one.role, one.optional

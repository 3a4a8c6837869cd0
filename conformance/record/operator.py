"""The operator record: everything that the harness knows about one operator.

A record is plain data plus the operator's own callables (its reference, its strategy). The harness
never asks for an operator's name; what differs between operators is a field here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from conformance.former_names import former
from conformance.record.call_rules import Freedom, Limit, Range
from conformance.record.clause import Clause
from conformance.record.contract import Arrays, Computing, Contract, Varying
from conformance.record.torch_binding import (
    PYTHON,
    TORCH_NPU,
    UNDECLARED,
    Binding,
    Given,
    TorchCall,
    Unreached,
    Value,
)
from conformance.record.versions import Dated, Versions

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from conformance.call.case import Case
    from conformance.record.cells import Cells
    from conformance.record.frozen import Frozen
    from conformance.record.picture import Landmarks
    from conformance.record.relation import Relation
    from conformance.record.signature import Signature
    from conformance.record.size_ladders import Ladder
    from conformance.record.workload import Batch

TWO_PHASE = ("aclnn", "kernel")
ROUTES = (*TWO_PHASE, TORCH_NPU, PYTHON)
"""How an operator is called: through the vendor's interface; through the entry of the project's own
kernels, which carry out more of the documents; from PyTorch; or as a Python function."""

INTEGERS = (int, np.integer, np.bool_)
"""What an integer of a case may be: strategies draw numpy's, too."""

REFERENCE, RELATIONS, BOTH = ORACLES = ("reference", "relations", "both")
"""By what results are judged: a contract's reference, the relations among them, or both."""


@dataclass(frozen=True)
class TensorParameter:
    """A tensor in the operator's signature.

    ``dtype`` None means the dtype of the case, several are those that a case may choose from. An
    ``optional`` one may be left out of a case: it is passed as a null pointer.
    """

    name: str
    acl_name: str
    role: Literal["input", "output"]
    dtype: str | tuple[str, ...] | None = None
    optional: bool = False

    def dtypes(self, of_case: str) -> tuple[str, ...]:
        """The dtypes that the tensor may have in a case of that dtype."""
        if self.dtype is None:
            return (of_case,)
        return (self.dtype,) if isinstance(self.dtype, str) else self.dtype


@dataclass(frozen=True)
class AttributeParameter:
    """An attribute in the operator's signature: a scalar passed by value as ``ctype``, or an
    aclIntArray, which a case may leave null by giving None.
    """

    name: str
    acl_name: str
    ctype: Literal["int64", "bool", "double", "int array"] = "int64"

    def has(self, value: object) -> bool:
        """Whether a value is of its type: a float if that is double, a tuple of integers or None if
        that is an array, else an integer. No number stands for one of another type."""
        if self.ctype == "double":
            return isinstance(value, float)
        if self.ctype == "int array":
            return value is None or (
                isinstance(value, tuple) and all(isinstance(one, INTEGERS) for one in value)
            )
        return isinstance(value, INTEGERS)

    def in_python(self, value: Any) -> bool | int | float | tuple[int, ...] | None:
        """A value as a Python function gets it: of an attribute that is bool, a bool."""
        converted = {"bool": bool, "double": float}.get(self.ctype)
        return value if converted is None else converted(value)


Parameter = TensorParameter | AttributeParameter


@dataclass(frozen=True)
class Mode:
    """One documented way to call the operator, and the clause that describes it.

    ``routes`` are those on which it can be called, ``dtypes`` the record's data types of its calls;
    none: all. An NPU with a CANN outside of ``versions``, or with one that does not tell its
    version, is not called (conformance/devices/withheld_calls.py).
    """

    name: str
    clause: Clause
    routes: tuple[str, ...] = ()
    versions: Versions | None = None
    dtypes: tuple[str, ...] = ()


class Support(Enum):
    """What becomes of a mode on a product."""

    SUPPORTED = "supported"
    REJECTED = "rejected"
    IGNORED = "ignored"
    UNAVAILABLE = "unavailable"
    UNDEFINED = "undefined"


@dataclass(frozen=True)
class Target:
    """What a product, named by the start of its SoCs' names, makes of some modes (none: all).

    ``status`` is the answer to a rejected call.
    """

    product: str
    support: Support
    clause: Clause
    modes: tuple[str, ...] = ()
    status: int | None = None


@dataclass(frozen=True)
class Strided:
    """What becomes of a call where one of ``tensors`` does not lie in C order without gaps.

    ``status`` None: it is carried out like any other; else it is refused with that, and
    ``checked_by_cann`` is that of `Rejection`.
    """

    tensors: tuple[str, ...]
    clause: Clause
    status: int | None = None
    checked_by_cann: bool = True


@dataclass(frozen=True)
class Rejection:
    """A call that the interface must refuse: its case, the status it must answer, and the rule.

    ``routes`` are those on which it is refused; none: all on which its mode can be called.
    ``checked_by_cann`` is False where CANN's own library is known not to check the rule. What it
    does with such a call is undefined, so on an NPU the call is not made. ``breaks`` is the right
    call that must be carried out for a refusal to say anything; status `UNTOLD`: any will do.
    ``versions`` are those of CANN that refuse it so; None: all. Under others the call is not made.
    If the rule is ``lifted``, others carry it out: it is made only where a version is kept to.
    """

    name: str
    case: Case
    status: int
    clause: Clause
    routes: tuple[str, ...] = ()
    checked_by_cann: bool = True
    breaks: Case | None = None
    versions: Versions | None = None
    lifted: bool = False


@dataclass(frozen=True)
class Quarantine:
    """A call on which sources differ, or that a product may get wrong by what is known of it.

    Its answer is observed and told, and never fails a run; ``clause`` says what is in doubt. Such a
    call must do no harm wherever it is made: one that reads or writes beyond a tensor has no place
    here. ``routes`` are those on which it is made; none: all on which its mode can be called.
    """

    name: str
    case: Case
    clause: Clause
    routes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Example:
    """A call that a document or test prints; ``expected`` holds its values, if it has any."""

    name: str
    case: Case
    source: str
    expected: Mapping[str, tuple[float, ...]] | None = None


@dataclass(frozen=True)
class Operator:
    """One operator of the family.

    ``parameters`` are in the order of the aclnn signature; ``signature`` is that with symbolic
    sizes, None: the record says itself what follows from it. ``cases(mode, dtype)`` draws a case,
    ``small_cases(mode, dtype)``, where there is one, a case that a person can work out by hand;
    ``seam_cases(mode, dtype)`` the smallest that some small machine takes in parts;
    ``formula(inputs, attributes)`` returns the outputs in the dtype of the inputs given.
    ``cells(mode, dtype)`` declares the discrete cells that a run must judge, None: none.
    ``contracts`` has one entry for every output; `contract` gives that of a call. ``row_sum(dtype,
    x)`` is a case whose summed output has one row, the sum over the slots of ``x`` [slots, columns]
    of that storage dtype: by it the order of a device's additions is recovered
    (conformance/session/probe.py). None where the operator has no such case. ``targets`` says of
    products what becomes of the modes there. ``freedoms`` are what no rule ties, ``ranges`` what
    has ends (conformance/record/call_rules.py). ``strided`` says what becomes of tensors with
    strides; one that it does not name is always contiguous. ``each_tensor`` is the rule that
    required tensors are given, and all have listed data types and format ND
    (conformance/suite/wrong_tensors.py), None: no such rule. ``limits`` are sizes around which
    cases are drawn: a kernel that exports its own is compared with them
    (conformance/session/boundaries.py). ``ladders`` are the sizes that grow alone
    (conformance/record/size_ladders.py). ``workload_cases(dtype, batch)`` draws calls with the
    routing of a workload (conformance/record/workload.py). ``relations`` are laws that results keep
    among themselves, with no reference (conformance/relations). ``landmarks`` says what lies where
    in a call's outputs, for pictures of wrong ones. ``torch_npu`` is how PyTorch calls the
    operator, or why it does not. ``dated`` are calls that not every version of CANN carries out.
    ``unreached(case)`` says why a call cannot be made on the route of a record, "" where it can
    (`conformance.suite.on_route` sets it). ``corpus`` and ``regressions`` are cases that stay,
    which a run adds to the record (conformance/frozen). ``file`` is the record's own, which the
    suite fills in.
    """

    name: str
    title: str
    aclnn: str
    sources: tuple[str, ...]
    products: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    modes: tuple[Mode, ...]
    dtypes: tuple[str, ...]
    formula: Callable[[Arrays, Mapping[str, int]], Arrays]
    contracts: Mapping[str, Contract | Varying]
    cases: Callable[[str, str], SearchStrategy[Case]]
    examples: tuple[Example, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    quarantine: tuple[Quarantine, ...] = ()
    freedoms: tuple[Freedom, ...] = ()
    ranges: tuple[Range, ...] = ()
    small_cases: Callable[[str, str], SearchStrategy[Case]] | None = None
    seam_cases: Callable[[str, str], SearchStrategy[Case]] | None = None
    cells: Callable[[str, str], Cells] | None = None
    row_sum: Callable[[str, NDArray[np.generic]], Case] | None = None
    targets: tuple[Target, ...] = ()
    strided: tuple[Strided, ...] = ()
    each_tensor: Clause | None = None
    limits: tuple[Limit, ...] = field(default=(), repr=False)
    ladders: tuple[Ladder, ...] = field(default=(), repr=False)
    workload_cases: Callable[[str, Batch], SearchStrategy[Case]] | None = None
    relations: tuple[Relation, ...] = ()
    landmarks: Callable[[Case], Landmarks] | None = None
    torch_npu: Binding | Unreached = UNDECLARED
    dated: tuple[Dated, ...] = ()
    unreached: Callable[[Case], str] | None = None
    signature: Signature | None = field(default=None, repr=False)
    corpus: tuple[Frozen, ...] = field(default=(), repr=False)
    regressions: tuple[Frozen, ...] = field(default=(), repr=False)
    file: str = field(default="", repr=False)

    @property
    def tensors(self) -> tuple[TensorParameter, ...]:
        """Tensor parameters in signature order."""
        return tuple(p for p in self.parameters if isinstance(p, TensorParameter))

    @property
    def declared_cells(self) -> tuple[tuple[str, str], ...]:
        """Every mode with each data type of its calls."""
        return tuple((one.name, dtype) for one in self.modes for dtype in one.dtypes or self.dtypes)

    def dtypes_in(self, mode: str) -> tuple[str, ...]:
        """The data types of the calls of a mode."""
        return tuple(dtype for name, dtype in self.declared_cells if name == mode)

    @property
    def computes(self) -> bool:
        """Whether an output depends on functions of a device, such as exp or division."""
        declared = self.contracts.values()
        every = [one.among.values() if isinstance(one, Varying) else (one,) for one in declared]
        return any(isinstance(one, Computing) for some in every for one in some)

    def contract(self, output: str, case: Case) -> Contract:
        """What is promised of an output of a call. Raises ValueError where that is nowhere said."""
        if output not in self.contracts:
            raise ValueError(
                f"contracts of {self.name}: must have an entry for every output, lacks {output}"
            )
        declared = self.contracts[output]
        if not isinstance(declared, Varying):
            return declared
        chosen = declared.choose(case)
        if chosen not in declared.among:
            raise ValueError(
                f"contracts of {self.name}: {output} has none called {chosen!r}; "
                f"known: {', '.join(declared.among)}"
            )
        return declared.among[chosen]

    def symbol(self, route: str) -> str:
        """The function that runs the operator on a route, "" where none does; that of the two-phase
        routes has GetWorkspaceSize behind it in phase 1. Raises KeyError for an unknown route.
        """
        bound = self.torch_npu.function if isinstance(self.torch_npu, Binding) else ""
        two_phase = {"aclnn": self.aclnn, "kernel": f"kernel{self.title}"}
        return {**two_phase, TORCH_NPU: bound, PYTHON: self.name}[route]

    def torch_call(self, case: Case) -> TorchCall:
        """The case as a call of torch_npu. Raises ValueError where there is none."""
        if isinstance(self.torch_npu, Unreached):
            raise ValueError(f"torch_npu does not reach {self.name}: {self.torch_npu.reason}")
        return self.torch_npu.call(case)

    def python_call(self, case: Case) -> TorchCall:
        """The case as a call of a Python function: with the keywords of torch_npu's function, or
        without one with the record's names; a tensor that the case leaves out is None."""
        if isinstance(self.torch_npu, Binding):
            return self.torch_npu.call(case)
        given: dict[str, Value] = {}
        for one in self.parameters:
            if isinstance(one, AttributeParameter):
                given[one.name] = one.in_python(case.attributes[one.name])
            elif one.role == "input":
                given[one.name] = Given(one.name)
        results = tuple(one.name for one in self.tensors if one.role == "output")
        return TorchCall(self.name, tuple(given.items()), results)


__getattr__ = former(__name__)

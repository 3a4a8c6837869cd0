"""Where the suite lives, and which operator records it holds."""

from __future__ import annotations

import importlib.util
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType

from conformance import places
from conformance.catalogue import records as say
from conformance.errors import UsageError, choice
from conformance.names import call_id
from conformance.record.operator import Example, Operator, Quarantine, Rejection
from conformance.relations.invariants import invariants
from conformance.relations.layout import layout
from conformance.suite.on_demand import OnDemand
from conformance.suite.strided_calls import of_strides, with_strides
from conformance.suite.wrong_protocol_calls import of_the_protocol
from conformance.suite.wrong_tensors import of_tensors

ATTRIBUTE = "OPERATOR"
KINDS = {Example: say.EXAMPLE, Rejection: say.REJECTION, Quarantine: say.QUARANTINE}


def records(directories: Iterable[Path] = ()) -> Mapping[str, Operator]:
    """The records of the suite and then of ``directories`` by name, each folder in name order.

    A record is a module whose ``OPERATOR`` is an `Operator`; names that start with ``_`` are
    helpers. A record of the suite has the name of its module, and is read when it is looked up;
    those of ``directories`` are read at once. Raises `UsageError` for a folder without records, a
    module without a record, a record that cannot be imported, and an operator that is recorded
    twice.
    """
    files = {path.stem: path for path in _files(places.records())}
    read: dict[str, Operator] = {}
    for directory in directories:
        for path in _files(directory):
            operator = _record(path)
            known = files.setdefault(operator.name, path)
            if known.resolve() != path.resolve():
                raise UsageError(say.OPERATOR_IN(path=path), operator.name, say.TWICE(path=known))
            read[operator.name] = operator
    return OnDemand(files, lambda name: read[name] if name in read else _record(files[name]))


def operators(directories: Iterable[Path] = ()) -> tuple[Operator, ...]:
    """All `records`, read."""
    return tuple(records(directories).values())


def chosen(
    known: Mapping[str, Operator], names: Iterable[str], directories: Iterable[Path] = ()
) -> tuple[Operator, ...]:
    """The operators called ``names``, in the order of the ``known`` records.

    Without a name those of ``directories``, if there are any, else all of them. Raises
    `UsageError` for a name without a record.
    """
    wanted = list(names)
    wanted = wanted or [_record(path).name for folder in directories for path in _files(folder)]
    for name in wanted:
        if name not in known:
            raise UsageError("operator", name, say.NO_SUCH(choice=choice(name, list(known))))
    return tuple(known[name] for name in known if name in wanted or not wanted)


def kernel_folders(
    operators: Iterable[Operator], directories: Iterable[Path]
) -> tuple[Path, ...] | None:
    """The folders of kernels that ``operators`` need; None where the suite's own are all.

    A record in ``directories`` finds its kernel beside it: ``kernels/<operator>/``. An operator
    without one there is judged on a kernel of the suite.
    """
    names = [operator.name for operator in operators]
    beside = [directory / "kernels" for directory in directories]
    needed = [folder for folder in beside if any((folder / name).is_dir() for name in names)]
    if not needed:
        return None
    if any(not any((folder / name).is_dir() for folder in needed) for name in names):
        needed.insert(0, places.own_kernels())
    return tuple(dict.fromkeys(folder.resolve() for folder in needed))


def kernel_names(operators: Iterable[Operator], kernels: Sequence[Path] | None) -> tuple[str, ...]:
    """The names of the kernels that operators need, of those in the folders ``kernels`` (None: the
    suite's own): that of the operator, or of the one in which its aclnn function is defined."""
    folders = kernels or (places.own_kernels(),)
    names = (
        one.name
        if any((folder / one.name).is_dir() for folder in folders)
        else next(_defining(one.aclnn, folders), one.name)
        for one in operators
    )
    return tuple(dict.fromkeys(names))


def with_related(
    operators: Iterable[Operator], known: Mapping[str, Operator], oracle: str
) -> list[Operator]:
    """The operators, and those that the relations which an oracle asks call beside them."""
    chosen = list(operators)
    names = {
        name
        for one in chosen
        for relation in one.relations
        if relation.asked_by(oracle)
        for name in relation.beside
    }
    names -= {one.name for one in chosen}
    return chosen + [known[name] for name in known if name in names]


def _defining(function: str, folders: Iterable[Path]) -> Iterator[str]:
    """The operators among whose sources is one that defines a function, itself or by a macro of
    device_kernels/entry.
    """
    title = re.escape(function.removeprefix("aclnn"))
    made = rf"\bMOE_(TWO_PHASE|ACLNN)\(\s*{title}\s*,"
    defined = re.compile(rf"\b{re.escape(function)}\s*\(|{made}")
    for folder in folders:
        for source in sorted(folder.glob("*/aclnn_*.cpp")):
            if defined.search(source.read_text(errors="replace")):
                yield source.parent.name


def counted_folders(judged: Iterable[Operator], known: Iterable[str]) -> tuple[Path, ...]:
    """The folders of the suite's kernels whose coverage a run over ``judged`` tells.

    Sources that several operators share belong to the run that judges all.
    """
    kernels = places.own_kernels()
    names = {operator.name for operator in judged}
    if names == set(known):
        return (kernels,)
    return tuple(kernels / name for name in sorted(names) if (kernels / name).is_dir())


def _files(directory: Path) -> list[Path]:
    """The records of a folder. Raises `UsageError` if it has none."""
    files = sorted(p for p in directory.glob("*.py") if not p.name.startswith("_"))
    if not files:
        rule = say.NO_RECORD() if directory.is_dir() else say.NO_FOLDER()
        raise UsageError(say.DIRECTORY(), directory, rule)
    for file in files:
        if not file.is_file():
            raise UsageError(say.RECORD(), file, say.NO_PLAIN_FILE())
    return files


def _record(path: Path) -> Operator:
    return _completed(_module(path), path)


@cache
def _completed(module: ModuleType, path: Path) -> Operator:
    """The record of a module with the calls and relations that follow from it.

    A process that looks for all operators often makes them once.
    """
    operator = getattr(module, ATTRIBUTE, None)
    if not isinstance(operator, Operator):
        raise UsageError(say.RECORD(), path, say.NO_OPERATOR(attribute=ATTRIBUTE))
    known = {target.product for target in operator.targets}
    if operator.targets and not known >= set(operator.products):
        missing = sorted(set(operator.products) - known)
        raise UsageError(say.RECORD(), path, say.SILENT_TARGETS(products=missing))
    for mode in operator.modes:
        if unknown := sorted({*mode.dtypes} - {*operator.dtypes}):
            told = say.DTYPES_OF_A_MODE(mode=mode.name, dtypes=unknown, known=operator.dtypes)
            raise UsageError(say.RECORD(), path, told)
    calls: tuple[Example | Rejection | Quarantine, ...]
    calls = (*operator.examples, *operator.rejections, *operator.quarantine)
    for documented in calls:
        if documented.case.operator != operator.name:
            rule = say.OF_ANOTHER(
                kind=KINDS[type(documented)](),
                name=repr(documented.name),
                other=repr(documented.case.operator),
                operator=repr(operator.name),
            )
            raise UsageError(say.RECORD(), path, rule)
    ids = Counter((type(one), call_id(operator.name, one.name)) for one in calls)
    for one in calls:
        if (count := ids[type(one), call_id(operator.name, one.name)]) > 1:
            told = say.SAME_NAME(kind=KINDS[type(one)](), count=count, name=repr(one.name))
            raise UsageError(say.RECORD(), path, told)
    refused = (*of_strides(operator), *of_tensors(operator), *of_the_protocol(operator))
    return replace(
        operator,
        examples=(*operator.examples, *with_strides(operator)),
        relations=(*operator.relations, *invariants(operator), layout(operator)),
        rejections=(*operator.rejections, *refused),
        file=str(path),
    )


def _module(path: Path) -> ModuleType:
    """The module in ``path``, imported once for each file under a name of its own.

    Its folder is a package of a name of its own, so that a record imports what lies beside it with
    a leading dot (``from .reference import ...``), and two repositories may use the same names.
    """
    folder = path.resolve().parent
    package = f"conformance_records_{zlib.crc32(str(folder).encode()):08x}"
    name = f"{package}.{path.stem}"
    if name in sys.modules:
        return sys.modules[name]
    if package not in sys.modules:
        sys.modules[package] = ModuleType(package, f"The records in {folder}.")
        sys.modules[package].__path__ = [str(folder)]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(say.RECORD(), path, say.NOT_IMPORTED())
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise UsageError(say.RECORD(), path, say.IMPORT_FAILS(error=repr(error))) from error
    return module

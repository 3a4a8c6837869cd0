"""The steps of a build: each is compiled in a tree of its own and put in place when it is whole."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from device_kernels.objects import object_keys
from device_kernels.sources import ROOT, Inputs, Keys
from device_kernels.toolchain import BuildError, Output, Progress, compile_libraries

WARNINGS = "warnings.txt"
_MANY = 3
"""So many kernels are compiled sooner if the language's header is compiled before them: that takes
as long as two of them gain by it."""
_LANGUAGE = "kernel_operator.h"
_KERNELS = "kernels.txt"
"""Beside ``lib``: the folders of the operators, a line each; a diagnostic's source lies there."""


@dataclass(frozen=True)
class Steps:
    """The steps of one build in the folder ``cache``; ``progress`` is told of each file."""

    inputs: Inputs
    keys: Keys
    cache: Path
    progress: Progress | None = None

    @property
    def runtime(self) -> Path:
        """The folder of the runtime's step."""
        return self.cache / f"runtime-{self.keys.runtime[:16]}"

    @property
    def opapi(self) -> Path:
        """The folder of the libraries."""
        return self.cache / f"opapi-{self.keys.opapi[:16]}"

    def operator(self, name: str) -> Path:
        """The folder of an operator's archive."""
        return self.cache / f"operator-{name}-{self.keys.operators[name][:16]}"

    def objects(self, name: str) -> dict[str, Path]:
        """The folders of an operator's object files, by their sources' names. Those that count
        are not kept: the build's own folder is in them."""
        if self.inputs.coverage:
            return {}
        folder, its = self.inputs.folders[name], self.keys
        keys = object_keys(folder, its.host, its.language, its.operators[name])
        return {
            source: self.cache / f"object-{Path(source).stem}-{one[:16]}"
            for source, one in keys.items()
        }

    def stored(self, name: str) -> list[Path]:
        """Of the object files of an operator those that are there."""
        there = {source: one for source, one in self.objects(name).items() if finished(one)}
        return [folder / "lib" / f"{source}.o" for source, folder in there.items()]

    def missing(self) -> list[str]:
        """The operators that are to be compiled."""
        names = self.inputs.folders
        if self.inputs.coverage:
            return list(names)
        return [name for name in names if not finished(self.operator(name))]

    def words(self) -> str:
        """What is to be compiled, for a person."""
        names = self.missing()
        told = f"{len(names)} kernel{'s' if len(names) > 1 else ''}: {', '.join(names)}"
        if not names:
            told = "libopapi.so"
        return told if finished(self.runtime) else f"the simulator and {told}"

    def make_runtime(self) -> None:
        """Compile the runtime, if it is not there."""
        definitions = {"SUITE_KERNELS": "", "SUITE_CHECKS": self.inputs.checks}

        def compile_runtime(tree: Path, result: Path) -> bool:
            output = self._compile(tree, definitions)
            (result / WARNINGS).write_text(output.warnings())
            os.replace(tree / "lib", result / "lib")
            return self.inputs.keys().runtime == self.keys.runtime

        make(self.runtime, compile_runtime)

    @property
    def language(self) -> Path:
        """The folder of the language's header as g++ has compiled it."""
        return self.cache / f"language-{self.keys.language[:16]}"

    def precompiled(self) -> dict[str, str]:
        """What has a build take that header, if it is there: no object differs by it."""
        there = finished(self.language)
        return {"SUITE_PRECOMPILED": str(self.language / "lib")} if there else {}

    def _precompile(self) -> None:
        definitions = {
            "SUITE_KERNELS": "",
            "SUITE_PRECOMPILE": "ON",
            "SUITE_ASCENDCL": str(self.runtime / "lib" / "libascendcl.so"),
            "SUITE_CHECKS": self.inputs.checks,
        }

        def compile_header(tree: Path, result: Path) -> bool:
            self._compile(tree, definitions)
            (result / "lib").mkdir()
            for made in tree.rglob("language.h.o"):
                os.replace(made, result / "lib" / f"{_LANGUAGE}.gch")
                # What is included where the compiled one cannot be used.
                (result / "lib" / _LANGUAGE).write_text(f'#include_next "{_LANGUAGE}"\n')
            return self.inputs.keys().language == self.keys.language

        make(self.language, compile_header)

    def make_libraries(self) -> None:
        """Compile the operators that are not there, and link the libraries."""
        make(self.opapi, self._link)

    def _link(self, tree: Path, result: Path) -> bool:
        missing = self.missing()
        there = [name for name in self.inputs.folders if name not in missing]
        objects = {name: self.objects(name) for name in missing}
        stored = {name: self.stored(name) for name in missing}
        if len(missing) >= _MANY and not self.inputs.coverage:
            self._precompile()
        definitions = {
            "SUITE_KERNELS": "",
            "SUITE_OPERATORS": _listed(self.inputs.folders[name] for name in missing),
            "SUITE_OBJECTS": _listed(file for each in stored.values() for file in each),
            "SUITE_ARCHIVES": _listed(
                self.operator(name) / "lib" / archive(name) for name in there
            ),
            "SUITE_ASCENDCL": str(self.runtime / "lib" / "libascendcl.so"),
            "SUITE_CHECKS": self.inputs.checks,
        }
        definitions |= {"SUITE_COVERAGE": "ON"} if self.inputs.coverage else self.precompiled()
        output = self._compile(tree, definitions)
        # What was edited while it was compiled must not be filed under the old key.
        now = self.inputs.keys()
        told = {name: _told(name, output, stored[name]) for name in missing}
        for name in missing if not self.inputs.coverage else ():
            if now.operators[name] == self.keys.operators[name]:
                if self.objects(name) == objects[name]:
                    self._keep_objects(name, tree, output, objects[name])
                self._keep(name, tree, told[name])
        told |= {name: (self.operator(name) / WARNINGS).read_text() for name in there}
        warnings = "\n".join(told[name] for name in self.inputs.folders if told[name])
        (result / WARNINGS).write_text(warnings)
        above = dict.fromkeys(str(folder.parent) for folder in self.inputs.folders.values())
        (result / _KERNELS).write_text("\n".join(above))
        for notes in tree.rglob("*.gcno"):
            os.replace(notes, tree / "lib" / notes.name)
        for name in self.inputs.folders if now == self.keys and not self.inputs.coverage else ():
            _link_or_copy(self.operator(name) / "lib" / archive(name), tree / "lib" / archive(name))
        os.replace(tree / "lib", result / "lib")
        return now == self.keys

    def _keep(self, name: str, tree: Path, warnings: str) -> None:
        """Put the archive of an operator in place."""
        made = tree / "operators" / archive(name)
        _put(self.operator(name), made, tree / f"kept-{name}", warnings)

    def _keep_objects(
        self, name: str, tree: Path, output: Output, objects: Mapping[str, Path]
    ) -> None:
        """Put the object files of an operator in place that were not there."""
        for source, folder in objects.items():
            for made in tree.rglob(f"{source}.o"):
                warnings = output.warnings(_target(name, source))
                _put(folder, made, tree / f"kept-{source}", warnings)

    def _compile(self, tree: Path, definitions: Mapping[str, str]) -> Output:
        return compile_libraries(ROOT, tree, self.inputs.compiler, definitions, self.progress)


def _told(name: str, output: Output, stored: Iterable[Path]) -> str:
    """What the compiler said of an operator, now or when it compiled an object that was there."""
    targets = [f"{part}_{name}.dir" for part in ("kernel", "tiling", "entry", "operator")]
    before = [(file.parents[1] / WARNINGS).read_text() for file in stored]
    return "\n".join(filter(None, [output.warnings(*targets), *before]))


def _target(name: str, source: str) -> str:
    """The folder in which CMake compiles a source of an operator."""
    parts = {f"{name}_kernel.cpp": "kernel", f"{name}_tiling.cpp": "tiling"}
    return f"{parts.get(source, 'entry')}_{name}.dir"


def _put(folder: Path, file: Path, kept: Path, warnings: str) -> None:
    """Put a finished step of one file in place, by way of ``kept``; another process may have."""
    (kept / "lib").mkdir(parents=True)
    (kept / WARNINGS).write_text(warnings)
    os.replace(file, kept / "lib" / file.name)
    with contextlib.suppress(OSError):
        os.replace(kept, folder)


def finished(folder: Path) -> bool:
    """Whether a step lies in this folder; one that is there is whole."""
    return (folder / "lib").is_dir()


def archive(name: str) -> str:
    """The file name of an operator's archive. It lies beside ``libopapi.so`` too: by it operators
    are told apart, whichever others are linked with them."""
    return f"lib{name}.a"


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # a file system without links
        shutil.copyfile(source, target)


def _listed(paths: Iterable[Path]) -> str:
    return ";".join(map(str, paths))


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    with file.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def make(folder: Path, compiled: Callable[[Path, Path], bool]) -> None:
    """Make the step ``folder``; a second process waits and finds it done.

    ``compiled(tree, result)`` compiles in ``tree`` and fills ``result``, which is put in place if
    it answers that the sources are still those of the key. Raises ``BuildError``.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder.with_suffix(".lock")):
            if finished(folder):
                return
            # An unfinished tree of this key can only be left over: the lock is held.
            for left in folder.parent.glob(f"{folder.name}.tree.*"):
                shutil.rmtree(left, ignore_errors=True)
            tree = Path(tempfile.mkdtemp(prefix=f"{folder.name}.tree.", dir=folder.parent))
            try:
                (tree / "cmake").mkdir()
                (tree / "result").mkdir()
                if compiled(tree / "cmake", tree / "result"):
                    os.replace(tree / "result", folder)
            finally:
                shutil.rmtree(tree, ignore_errors=True)
    except OSError as error:
        raise BuildError(
            f"cannot write the build folder {folder.parent}: {error}. "
            "Set MOE_CONFORMANCE_CACHE to a folder that can be written"
        ) from error

"""GPU files: finding them by name or path, and reading one into one frozen `Arch`.

A file holds one table per part of the GPU. A figure is written plainly, and then its origin is its table's `origin`, or
as `{ value = ..., origin = "..." }`; `assumed` in place of `value` marks one that nobody knows. The tables and their
keys are those of `arch.spec`, checked one by one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from gpuopt_driver import given
from gpuopt_driver.arch.check import check_arch
from gpuopt_driver.arch.spec import (
    L1,
    L2,
    Arch,
    Blocks,
    Caching,
    Execution,
    Limits,
    Operator,
    Partition,
    SharedMemory,
    Slices,
    Timing,
)
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import ArchError
from gpuopt_driver.suggest import did_you_mean

_BUNDLED = Path(__file__).parent
_HEAD = {"title": str, "generation": str, "compute_capability": tuple[int, ...], "default_for_capability": bool}
_TABLES: dict[str, dict[str, Any]] = {
    "device": {
        "sms": int,
        "clock_mhz": int,
        "dram_bytes_per_second": float,
        "dram_bytes": int,
        "dram_bus_bits": int,
        "ecc": bool,
        "independent_threads": bool,
    },
    "limits": get_type_hints(Limits),
    "shared": get_type_hints(SharedMemory),
    "l1": get_type_hints(L1),
    "l2": get_type_hints(L2),
    "catt": {"model": str, "margin": float},
}
_MEASURED: dict[str, dict[str, Any]] = {  # tables that a file may lack
    "timing": get_type_hints(Timing),
    "caching": get_type_hints(Caching),
    "execution": get_type_hints(Execution),
    "slices": get_type_hints(Slices),
    "blocks": get_type_hints(Blocks),
    "partition": get_type_hints(Partition),
}
_OPERATORS = "operators"
_SMALL = 1 << 31  # what any number may be
_OPTIONAL = frozenset(
    {
        "device.dram_bytes",
        "device.dram_bus_bits",
        "device.ecc",
        "l1.loads_opt_in",
        "l2.reported",
        "limits.barriers_per_sm",
        "execution.constant_operands",
        "execution.issue_cycles",
        "execution.dependent_part",
        "execution.misses_in_flight",
        "execution.lines_reserved",
        "partition.wave",
        "partition.missed",
        "partition.asked",
        "partition.instruction",
        "partition.sector",
    }
)  # figures with a default
_KINDS: dict[Any, str] = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    tuple[int, ...]: "an array of integers",
}


@dataclass
class _Reading:
    """One file while it is read; origins collect here."""

    path: str
    document: Mapping[str, Any]
    origins: dict[str, str] = field(default_factory=dict)
    assumed: set[str] = field(default_factory=set)

    def fail(self, message: str) -> ArchError:
        return ArchError(f"{self.path}: {message}")

    def typed(self, where: str, value: Any, kind: Any) -> Any:
        """The value as `kind`; an integer may stand for a float, an array for a tuple."""
        if type(value) is kind and (kind in (str, bool) or (kind is int and 0 <= value < _SMALL)):
            return value  # most are, of 27 files that every analysis reads
        if not all(map(given.is_usable_number, value if isinstance(value, list) else (value,))):
            raise self.fail(f"{where} must be a finite number of at most 64 bits")
        if kind is float and type(value) is int:
            return float(value)
        if kind == tuple[int, ...]:
            if isinstance(value, list) and all(type(item) is int for item in value):
                return tuple(value)
        elif type(value) is kind:
            return value
        raise self.fail(f"{where} must be {_KINDS[kind]}")

    def known(
        self, where: str, present: Mapping[str, Any], allowed: Mapping[str, Any], optional: Sequence[str] = ()
    ) -> None:
        """Refuse keys that do not exist, and missing ones."""
        for key in present:
            if key not in allowed and key not in optional:
                raise self.fail(f"unknown key '{key}' in {where}{did_you_mean(key, allowed)}")
        for key in allowed:
            if key not in present:
                raise self.fail(f"{where} lacks '{key}'")

    def table(self, name: str, kinds: Mapping[str, Any], table: Any) -> dict[str, Any]:
        """The figures of one table, typed; their origins are noted under `name.key`."""
        if not isinstance(table, dict):
            raise self.fail(f"'{name}' must be a table")
        common = self.typed(f"origin in [{name}]", table.get("origin", ""), str)
        written = {key: value for key, value in table.items() if key != "origin"}
        kinds = {key: kind for key, kind in kinds.items() if key in written or f"{name}.{key}" not in _OPTIONAL}
        self.known(f"[{name}]", written, kinds)
        figures: dict[str, Any] = {}
        for key, kind in kinds.items():
            value, origin = written[key], common
            if isinstance(value, dict):
                word = "assumed" if "assumed" in value else "value"
                self.known(f"[{name}] {key}", value, {word: kind, "origin": str})
                origin = self.typed(f"origin of {key} in [{name}]", value["origin"], str)
                value = value[word]
                if word == "assumed":
                    self.assumed.add(f"{name}.{key}")
            if not origin:
                raise self.fail(f'{key} in [{name}] names no origin: write {key} = {{ value = ..., origin = "..." }}')
            figures[key] = self.typed(f"{key} in [{name}]", value, kind)
            self.origins[f"{name}.{key}"] = origin
        return figures


def read_arch(path: Path) -> Arch:
    """One GPU file as an `Arch` named after the file; ArchError says in one line what is wrong where."""
    arch, _ = _read(path)
    return arch


def _read(path: Path) -> tuple[Arch, bool]:
    """The GPU, and whether it stands for its compute capability."""
    try:
        document = given.toml(given.read_text(path, given.SETTINGS))
    except given.Unusable as error:
        raise ArchError(error.told(path, "GPU file")) from error
    document.setdefault("default_for_capability", False)
    reading = _Reading(str(path), document)
    reading.known("the file", document, {**_HEAD, **_TABLES}, (*_MEASURED, _OPERATORS))
    head = {key: reading.typed(key, document[key], kind) for key, kind in _HEAD.items()}
    if len(head["compute_capability"]) != 2:
        raise reading.fail("compute_capability must be [major, minor]")
    kinds = {**_TABLES, **{name: kinds for name, kinds in _MEASURED.items() if name in document}}
    parts = {name: reading.table(name, kinds[name], document[name]) for name in kinds}
    arch = Arch(
        name=path.stem,
        title=head["title"],
        generation=head["generation"],
        compute_capability=(head["compute_capability"][0], head["compute_capability"][1]),
        limits=Limits(**parts["limits"]),
        shared=SharedMemory(**parts["shared"]),
        l1=L1(**parts["l1"]),
        l2=L2(**parts["l2"]),
        catt_model=parts["catt"]["model"],
        catt_margin=parts["catt"]["margin"],
        origins=reading.origins,
        stands=head["default_for_capability"],
        assumed=frozenset(reading.assumed),
        timing=Timing(**parts["timing"]) if "timing" in parts else None,
        caching=Caching(**parts["caching"]) if "caching" in parts else None,
        execution=Execution(**parts["execution"]) if "execution" in parts else None,
        slices=Slices(**parts["slices"]) if "slices" in parts else None,
        blocks=Blocks(**parts["blocks"]) if "blocks" in parts else None,
        partition=Partition(**parts["partition"]) if "partition" in parts else None,
        operators=_operators(reading, document.get(_OPERATORS, {})),
        **parts["device"],
    )
    problem = check_arch(arch)
    if problem:
        raise reading.fail(problem)
    return arch, head["default_for_capability"]


def _operators(reading: _Reading, written: Any) -> Mapping[str, Operator]:
    """The tables `[operators.NAME]`."""
    if not isinstance(written, dict):
        raise reading.fail(f"'{_OPERATORS}' must be a table of tables")
    kinds = get_type_hints(Operator) if written else {}
    tables = {name: reading.table(f"{_OPERATORS}.{name}", kinds, table) for name, table in written.items()}
    return {name: Operator(**table) for name, table in tables.items()}


def user_directories(env: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """Where users keep GPU files: the directories of $GPUOPT_GPU_PATH, then the configuration directory."""
    named = tuple(Path(entry) for entry in env.get("GPUOPT_GPU_PATH", "").split(os.pathsep) if entry)
    home = env.get("XDG_CONFIG_HOME") or (f"{env['HOME']}/.config" if env.get("HOME") else "")
    return (*named, Path(home) / "gpuopt" / "gpus") if home else named


def _files(env: Mapping[str, str]) -> dict[str, Path]:
    """Every GPU file by name; a user's file hides a bundled one of the same name."""
    found: dict[str, Path] = {}
    for directory in (*user_directories(env), _BUNDLED):
        for path in sorted(directory.glob("*.toml")):
            found.setdefault(path.stem, path)
    return dict(sorted(found.items()))


def list_archs(env: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The names of all GPUs that there are files for, sorted."""
    return tuple(_files(env))


def _is_path(name: str) -> bool:
    return name.endswith(".toml") or os.sep in name


def emulated_name(gpu: str) -> str:
    """What a program calls the GPU that it is built to play: a file given by path has its stem's name."""
    return Path(gpu).stem if _is_path(gpu) else gpu


def find_arch(name: str, env: Mapping[str, str] = os.environ, cwd: str | None = None) -> Path:
    """The file of a GPU given by name (`titan-v`) or by path (`./my.toml`, relative to `cwd`)."""
    if _is_path(name):
        path = Path(cwd or ".") / name
        if not given.is_there(path):
            raise ArchError(f"{name}: no such GPU file")
        return path
    files = _files(env)
    if name not in files:
        hint = did_you_mean(name, files) or "; `gpuopt gpus` lists them"
        raise ArchError(f"unknown GPU '{name}'{hint}")
    return files[name]


def load_arch(name: str, env: Mapping[str, str] = os.environ, cwd: str | None = None) -> Arch:
    """The GPU of this name or path; ArchError names the nearest one when there is none."""
    return _loaded(find_arch(name, env, cwd))


def _loaded(path: Path) -> Arch:
    return _of_ours(path)[0] if path.parent == _BUNDLED else read_arch(path)


_of_ours = cache(_read)  # bundled files, each read when it is asked for: all of them take longer than a small source


def _bundled() -> Mapping[str, tuple[Arch, bool]]:
    return {path.stem: _of_ours(path) for path in _paths()}


@cache
def _paths() -> tuple[Path, ...]:
    return tuple(sorted(_BUNDLED.glob("*.toml")))


@cache
def _standing() -> Mapping[tuple[int, ...], Path]:
    """The bundled files that stand for compute capabilities, by what they begin with."""
    found: dict[tuple[int, ...], Path] = {}
    for path in _paths():
        head = given.toml(path.read_text(encoding="utf-8").partition("\n[")[0])
        if head.get("default_for_capability"):
            found.setdefault(tuple(head["compute_capability"]), path)
    return found


def load_all() -> tuple[Arch, ...]:
    """Every bundled GPU, sorted by compute capability, then by name."""
    archs = (arch for arch, _ in _bundled().values())
    return tuple(sorted(archs, key=lambda arch: (arch.compute_capability, arch.name)))


def load_named(env: Mapping[str, str] = os.environ) -> dict[str, Arch]:
    """Every GPU that there is a file for, by name, sorted: those of `list_archs`."""
    return {name: _loaded(path) for name, path in _files(env).items()}


def known_files(env: Mapping[str, str] = os.environ, gpu: str = "", cwd: str | None = None) -> dict[str, Path]:
    """The file of every GPU by name, the user's own and the one given by path included.

    A file given by path hides one of the same name.
    """
    files = _files(env)
    if _is_path(gpu):
        files[emulated_name(gpu)] = find_arch(gpu, env, cwd)
    return files


def load_known(env: Mapping[str, str] = os.environ, gpu: str = "", cwd: str | None = None) -> tuple[Arch, ...]:
    """Every GPU of `known_files`, sorted as `load_all` does."""
    archs = map(_loaded, known_files(env, gpu, cwd).values())
    return tuple(sorted(archs, key=lambda arch: (arch.compute_capability, arch.name)))


def arch_for_capability(capability: int) -> Arch | None:
    """The bundled GPU that stands for a compute capability (`90` for sm_90), None where there is no such file."""
    path = _standing().get(divmod(capability, 10))
    return _of_ours(path)[0] if path else None

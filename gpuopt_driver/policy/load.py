"""From toolchain.toml, the environment and flags to one `Policy` that remembers where each value came from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gpuopt_driver import given
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import ArchError, PolicyError
from gpuopt_driver.learning.runtime import Learning
from gpuopt_driver.policy.locate import KeyPath, locate
from gpuopt_driver.policy.options import bind, unknown_key
from gpuopt_driver.policy.schema import DEFAULT, DriverPolicy, KernelRule, Origin, Phase, PluginPolicy, Policy
from gpuopt_driver.trust import why_open

__all__ = ["default_text", "find_policy", "load_policy"]

FILE_NAME = "toolchain.toml"
_TABLES = ("driver", "gpu", "learn", "phase", "plugins", "kernel")
_NONE: Mapping[str, str] = MappingProxyType({})
# Environment variables and flags (`--gpuopt-NAME`) that set one value each.
_ENVIRONMENT = {"GPUOPT_BACKEND": "driver.backend", "GPUOPT_NVCC": "driver.nvcc", "GPUOPT_GPU": "gpu.name"}
_FLAGS = {"backend": "driver.backend", "gpu": "gpu.name"}


def default_text() -> str:
    """The commented default policy, as `gpuopt init` writes it."""
    return (Path(__file__).parent / FILE_NAME).read_text(encoding="utf-8")


def load_policy(
    sources: Sequence[str] = (),
    *,
    explicit: str | None = None,
    env: Mapping[str, str] = os.environ,
    cwd: str | None = None,
    flags: Mapping[str, str] = _NONE,
) -> Policy:
    """The policy in force for a run on `sources`.

    The file is `explicit`, else $GPUOPT_POLICY, else the first toolchain.toml upwards from the first source, then from
    `cwd`; one that is found so and that others could change is left aside (`Policy.refused`). Its values are overridden
    by environment variables, those by `flags` ("backend", "gpu": the names of the --gpuopt-* flags). What nothing sets
    has the built-in default.
    """
    base = Path(cwd or Path.cwd())
    path = find_policy(sources, explicit=explicit, env=env, cwd=str(base))
    refused = "" if path is None or explicit or env.get("GPUOPT_POLICY") else _why_refused(path, base, env)
    if refused:
        path = None
    reading = _Reading.of(path, base) if path else _Reading("", {}, {})
    overrides = [(key, env[name], Origin(name)) for name, key in _ENVIRONMENT.items() if env.get(name)]
    overrides += [(key, flags[name], Origin(f"--gpuopt-{name}")) for name, key in _FLAGS.items() if flags.get(name)]
    return replace(_policy(reading, str(path or ""), overrides, env, base), refused=refused)


def _why_refused(path: Path, base: Path, env: Mapping[str, str]) -> str:
    """One line where others could have written a policy, which may name programs that are run; "" where not."""
    reason = why_open(str(path), env)
    if not reason:
        return ""
    what = reason.removeprefix(f"{path} ")
    return f"{_display(path, base)}: not used as a policy: {what}; make it yours alone, or name it with GPUOPT_POLICY"


def find_policy(
    sources: Sequence[str] = (),
    *,
    explicit: str | None = None,
    env: Mapping[str, str] = os.environ,
    cwd: str | None = None,
) -> Path | None:
    """The toolchain.toml in force, or None; PolicyError when one that is named is not there."""
    base = Path(cwd or Path.cwd())
    for named, origin in ((explicit, ""), (env.get("GPUOPT_POLICY"), "GPUOPT_POLICY: ")):
        if named:
            path = base / named
            if not given.is_there(path):
                raise PolicyError(f"{origin}{named}: no such policy file; `gpuopt init` writes one")
            return path
    starts = [(base / sources[0]).parent] if sources else []
    for start in (*starts, base):
        for directory in (Path(os.path.normpath(start)), *Path(os.path.normpath(start)).parents):
            candidate = directory / FILE_NAME
            if given.is_there(candidate):
                return candidate
    return None


def _display(path: Path, base: Path) -> str:
    """A path as messages show it: relative where that is shorter."""
    relative = os.path.relpath(path, base)
    return str(path) if relative.startswith(os.pardir) else relative


@dataclass(frozen=True)
class _Reading:
    """A parsed toolchain.toml with the line of every key."""

    shown: str
    document: Mapping[str, Any]
    lines: Mapping[KeyPath, int]

    @classmethod
    def of(cls, path: Path, base: Path) -> _Reading:
        """Read and parse a file; PolicyError when it cannot be read or is not TOML."""
        shown = _display(path, base)
        try:
            text = given.read_text(path, given.SETTINGS)
            return cls(shown, given.toml(text), locate(text))
        except given.Unusable as error:
            way_out = "correct or remove it; `gpuopt init` writes one"
            raise PolicyError(f"{error.told(shown, 'policy')}; {way_out}") from error

    def origin(self, *path: str | int) -> Origin:
        """Where a key, a table or an array element is."""
        return Origin(self.shown, self.lines.get(path, 0))

    def table(self, *path: str | int, what: str) -> dict[str, Any]:
        """The table at a path ({} when absent), or PolicyError when something else is there."""
        value: Any = self.document
        for key in path:
            if isinstance(key, str) and key not in value:
                return {}
            value = value[key]
        if not isinstance(value, dict):
            raise PolicyError(f"{self.origin(*path)}: {what} must be a table")
        return value

    def array(self, name: str) -> list[Any]:
        """An array of tables at top level."""
        value = self.document.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise PolicyError(f"{self.origin(name)}: {name} must be an array of tables; write [[{name}]]")
        return value

    def known(self, path: KeyPath, table: str, present: Mapping[str, Any], allowed: Sequence[str]) -> None:
        """Refuse keys that do not exist."""
        for key in present:
            if key not in allowed:
                raise unknown_key(key, table, allowed, self.origin(*path, key))

    def text(self, value: Any, what: str, *path: str | int) -> str:
        """A value that must be a string."""
        if not isinstance(value, str):
            raise PolicyError(f"{self.origin(*path)}: {what} must be a string")
        return value


_Overrides = Sequence[tuple[str, str, Origin]]


def _policy(reading: _Reading, path: str, overrides: _Overrides, env: Mapping[str, str], base: Path) -> Policy:
    for key in reading.document:
        if key not in _TABLES:
            error = unknown_key(key, "the file", _TABLES, reading.origin(key))
            raise PolicyError(str(error).replace("unknown key", "unknown table"))
    driver, driver_origins = _driver(reading, overrides)
    gpu, gpu_origin = _gpu(reading, path, overrides, env, base)
    learn, learn_origins = _learn(reading, path)
    known = {f"driver.{item.name}": DEFAULT for item in fields(DriverPolicy)}
    return Policy(
        path=path,
        driver=driver,
        gpu=gpu,
        learn=learn,
        phases=_phases(reading),
        plugins=dict(_plugins(reading, ("plugins",), reading.table("plugins", what="plugins"))),
        kernels=tuple(_kernels(reading)),
        origins={
            **known,
            **{f"driver.{key}": origin for key, origin in driver_origins.items()},
            "gpu.name": gpu_origin,
            **{f"learn.{key}": origin for key, origin in learn_origins.items()},
        },
    )


def _driver(reading: _Reading, overrides: _Overrides) -> tuple[DriverPolicy, dict[str, Origin]]:
    values = dict(reading.table("driver", what="driver"))
    origins = {key: reading.origin("driver", key) for key in values}
    for key, value, origin in overrides:
        table, _, name = key.partition(".")
        if table == "driver":
            values[name], origins[name] = value, origin
    return bind(DriverPolicy, values, origins, "[driver]"), origins


def _gpu(reading: _Reading, path: str, overrides: _Overrides, env: Mapping[str, str], base: Path) -> tuple[str, Origin]:
    """The GPU's name, found to exist; a path is made absolute (a file's is relative to that file)."""
    table = reading.table("gpu", what="gpu")
    reading.known(("gpu",), "[gpu]", table, ("name",))
    name, origin, directory = "auto", DEFAULT, base
    if "name" in table:
        origin, directory = reading.origin("gpu", "name"), Path(path).parent
        name = reading.text(table["name"], "name in [gpu]", "gpu", "name")
    for key, value, source in overrides:
        if key == "gpu.name":
            name, origin, directory = value, source, base
    if name == "auto":
        return name, origin
    from gpuopt_driver.arch.load import find_arch  # noqa: PLC0415 - a remembered build of most policies asks for no GPU

    try:
        found = find_arch(name, env, str(directory))
    except ArchError as error:
        raise PolicyError(f"{origin}: {error}") from error
    return (str(found.absolute()) if name.endswith(".toml") or os.sep in name else name), origin


def _learn(reading: _Reading, path: str) -> tuple[Learning, dict[str, Origin]]:
    """`[learn]`; a path of `choices` is relative to the policy's file."""
    values = dict(reading.table("learn", what="learn"))
    origins = {key: reading.origin("learn", key) for key in values}
    learn = bind(Learning, values, origins, "[learn]")
    if not learn.choices:
        return learn, origins
    if not learn.choices.isprintable():
        raise PolicyError(f"{origins['choices']}: choices in [learn] has characters that no path here may have")
    there = os.path.join(os.path.dirname(path), os.path.expanduser(learn.choices))  # noqa: PTH111, PTH118, PTH120
    return replace(learn, choices=os.path.abspath(there)), origins  # noqa: PTH100


def _phases(reading: _Reading) -> tuple[Phase, ...]:
    phases: list[Phase] = []
    seen: dict[str, str] = {}
    for index in range(len(reading.array("phase"))):
        table = reading.table("phase", index, what="phase")
        reading.known(("phase", index), "[[phase]]", table, ("name", "plugins"))
        name = reading.text(table.get("name", f"phase {index + 1}"), "name in [[phase]]", "phase", index, "name")
        plugins = table.get("plugins")
        where = reading.origin("phase", index, "plugins")
        if not isinstance(plugins, list) or not all(isinstance(item, str) for item in plugins):
            where = where if plugins is not None else reading.origin("phase", index)
            raise PolicyError(f"{where}: plugins in [[phase]] must be an array of plugin names")
        for plugin in plugins:
            if plugin in seen:
                raise PolicyError(
                    f"{where}: plugin '{plugin}' is already in phase '{seen[plugin]}'; a plugin runs once"
                )
            seen[plugin] = name
        phases.append(Phase(name, tuple(plugins), where))
    return tuple(phases)


def _plugins(reading: _Reading, path: KeyPath, names: Iterable[str]) -> Iterator[tuple[str, PluginPolicy]]:
    """The plugin tables of these names below a path."""
    for name in names:
        here = (*path, name)
        table = dict(reading.table(*here, what=".".join(str(key) for key in here if isinstance(key, str))))
        origins = {key: reading.origin(*here, key) for key in table}
        enabled = table.pop("enabled", True)
        if not isinstance(enabled, bool):
            raise PolicyError(f"{origins['enabled']}: enabled in [plugins.{name}] must be true or false")
        yield name, PluginPolicy(enabled, table, origins, reading.origin(*here))


def _kernels(reading: _Reading) -> Iterator[KernelRule]:
    """The `[[kernel]]` tables. A plugin's table stands in them by its name, or under `plugins` (any name)."""
    own = ("name", "source", "plugins")
    for index in range(len(reading.array("kernel"))):
        path = ("kernel", index)
        table = reading.table(*path, what="kernel")
        short = [key for key, value in table.items() if key not in own and isinstance(value, dict)]
        reading.known(path, "[[kernel]]", {key: table[key] for key in table if key not in short}, own)
        globs = {
            key: reading.text(table[key], f"{key} in [[kernel]]", *path, key)
            for key in ("name", "source")
            if key in table
        }
        long = reading.table(*path, "plugins", what="plugins in [[kernel]]")
        for name in short:
            if name in long:
                raise PolicyError(f"{reading.origin(*path, name)}: plugin '{name}' stands twice in this [[kernel]]")
        plugins = dict((*_plugins(reading, path, short), *_plugins(reading, (*path, "plugins"), long)))
        yield KernelRule(**globs, plugins=plugins, origin=reading.origin(*path))

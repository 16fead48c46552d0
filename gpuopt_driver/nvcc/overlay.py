"""Handing patched sources to nvcc under the names of the originals: by the first mechanism that is proved to work here.

The command line is not touched. docs/overlay.md says which mechanisms there are and what each cannot do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from gpuopt_driver.cache import Cache, digest
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.nvcc.command import NvccCommand, parse_command
from gpuopt_driver.nvcc.host import host_compiler
from gpuopt_driver.nvcc.overlaid import OverlaidFile, Overlay, OverlayUnavailable, overlaid_files
from gpuopt_driver.nvcc.preload import PATH_BREAKERS, NotKept, build_library, make_preload
from gpuopt_driver.nvcc.selftest import Front, front_of, try_mechanism

__all__ = ["MECHANISMS", "Overlay", "OverlayUnavailable", "mechanism_here", "prepare"]

MECHANISMS = ("preload", "namespace", "shim")
WANTED = "GPUOPT_OVERLAY"
_BUILDERS = ("cc", "gcc", "clang", "g++", "clang++")

Made = Callable[[NvccCommand, tuple[OverlaidFile, ...]], Overlay]


@dataclass(frozen=True, slots=True)
class _Situation:
    """What a mechanism is made and tried with."""

    front: Front
    cache: Cache
    env: Mapping[str, str]

    def maker(self, make: Made) -> Callable[[NvccCommand, Mapping[str, bytes]], Overlay]:
        """The same from new bytes by path."""
        return lambda command, shown: make(command, overlaid_files(self.cache, shown, {}))

    def prove(self, mechanism: str, make: Made) -> Made:
        """`make`, if what it makes works; else OverlayUnavailable."""
        try_mechanism(self.front, mechanism, self.maker(make), self.cache, self.env)
        return make


def _builders(compiler: str, env: Mapping[str, str]) -> Iterator[str]:
    """The host compiler, then others: it may build for another machine than it runs on, or not link at all."""
    yield compiler
    import shutil  # noqa: PLC0415

    others = (shutil.which(name, path=env.get("PATH")) for name in _BUILDERS)
    yield from dict.fromkeys(path for path in others if path and path != compiler)


def _preload(now: _Situation) -> Made:
    reason: OverlayUnavailable | None = None
    for builder in _builders(now.front.compiler, now.env):
        try:
            return _preload_built_by(builder, now)
        except OverlayUnavailable as error:
            if error.quiet or isinstance(error, NotKept):
                raise
            reason = reason or error
    raise reason or OverlayUnavailable("no compiler builds the library")


def _preload_built_by(builder: str, now: _Situation) -> Made:
    library = build_library(builder, now.cache, now.env)
    label = f"preload {digest(library.read_bytes())}"
    return now.prove(label, lambda _, files: make_preload(files, library, now.cache))


def _namespace(now: _Situation) -> Made:
    from gpuopt_driver.nvcc.namespace import Namespace  # noqa: PLC0415 - ctypes

    return now.prove("namespace", lambda _, files: Namespace(files))


def _shim(now: _Situation) -> Made:
    from gpuopt_driver.nvcc.shim import make_shim  # noqa: PLC0415 - json, shutil

    parts = [Path(__file__).with_name(name).read_bytes() for name in ("shim.py", "host_shim.py")]
    compiler, env = now.front.compiler, now.env
    return now.prove(f"shim {digest(*parts)}", lambda command, files: make_shim(command, files, compiler, env))


_WAYS: Mapping[str, Callable[[_Situation], Made]] = {"preload": _preload, "namespace": _namespace, "shim": _shim}


def _situation(command: NvccCommand, env: Mapping[str, str], nvcc: str) -> _Situation:
    compiler = host_compiler(command, env)
    if compiler is None:
        raise OverlayUnavailable("no host compiler found")
    cache = Cache.find(env, without=PATH_BREAKERS) or Cache.find(env)
    if cache is None:
        raise OverlayUnavailable("no directory to keep patched files in; set GPUOPT_CACHE_DIR to a writable one")
    return _Situation(front_of(command, nvcc, compiler, env), cache, env)


def _wanted(env: Mapping[str, str]) -> tuple[str, ...]:
    """The mechanisms to try, in order: $GPUOPT_OVERLAY (names with commas), else all."""
    names = tuple(name.strip() for name in env.get(WANTED, "").split(",") if name.strip())
    unknown = next((name for name in names if name not in _WAYS), None)
    if unknown is not None:
        raise OverlayUnavailable(f"{WANTED}: no mechanism '{unknown}'; there are {', '.join(_WAYS)}")
    return names or MECHANISMS


@dataclass(frozen=True, slots=True)
class _Proved:
    """The first mechanism that works, how an overlay of it is made, and why not those before it."""

    name: str
    make: Made
    passed_over: tuple[str, ...]


def _proved(command: NvccCommand, env: Mapping[str, str], nvcc: str, *, lasting: bool = False) -> _Proved:
    """What works for a command; `lasting`: also for steps that others run later."""
    now = _situation(command, env, nvcc)
    reasons: list[str] = []
    for name in _wanted(env):
        if lasting and name != "preload":
            reasons.append(f"{name}: not for steps that others run")
            continue
        try:
            return _Proved(name, _WAYS[name](now), tuple(reasons))
        except OverlayUnavailable as error:
            if error.quiet:
                raise
            reasons.append(f"{name}: {error}")
        except OSError as error:
            reasons.append(f"{name}: {error.filename or now.cache.root}: {error.strerror}")
    raise OverlayUnavailable("; ".join(reasons))


def mechanism_here(env: Mapping[str, str], cwd: str, nvcc: str = "") -> str:
    """For people: which mechanism shows patched files here, and why not the better ones; else OverlayUnavailable."""
    proved = _proved(parse_command(["-c", "x.cu"], env, cwd), env, nvcc)
    return "; ".join((f"{proved.name} (tried)", *proved.passed_over))


def prepare(
    command: NvccCommand,
    shown: Mapping[str, bytes],
    env: Mapping[str, str],
    originals: Mapping[str, bytes] | None = None,
    nvcc: str = "",
) -> Overlay:
    """An overlay for these files (new bytes by absolute path); OverlayUnavailable, with the reasons, if there is none.

    `originals` are the bytes that the analysis saw: a file that has changed since is not overlaid. `nvcc` is the path
    of the one that will be started; without, the host compiler alone is tried.
    """
    make = _proved(command, env, nvcc, lasting=command.dryrun).make
    cache = Cache.find(env, without=PATH_BREAKERS) or Cache.find(env)
    assert cache is not None
    cache.prune()
    try:
        return make(command, overlaid_files(cache, shown, originals or {}))
    except OSError as error:
        raise OverlayUnavailable(f"{error.filename or cache.root}: {error.strerror}") from error

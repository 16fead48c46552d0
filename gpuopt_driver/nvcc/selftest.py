"""Whether a mechanism shows patched files, tried with nvcc and its host compiler on a probe; verdicts are kept."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from gpuopt_driver import __version__
from gpuopt_driver.cache import Cache, digest
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.nvcc.command import NvccCommand, parse_command
from gpuopt_driver.nvcc.overlaid import Overlay, OverlayUnavailable
from gpuopt_driver.nvcc.preload import VARIABLE, library_source

_SECONDS = 120
_OK = b"ok"
_CLEARED = "the cache was cleared meanwhile"
_RETRY_SECONDS = 3600  # what failed may have failed for a passing reason
_ORIGINAL = {"probe.cu": b'#include "probe.h"\ngpuopt_original\n', "probe.h": b"gpuopt_original\n"}
_PATCHED = {
    "probe.cu": b'#include "probe.h"\ngpuopt_patched __FILE__ __LINE__\n',
    "probe.h": b"gpuopt_patched __FILE__\n",
}
# Makes an overlay for the probe's files (new bytes by path) and its command.
Maker = Callable[[NvccCommand, Mapping[str, bytes]], Overlay]


@dataclass(frozen=True, slots=True)
class Front:
    """What is started to preprocess, as the user's command would: nvcc with the options that choose the compiler.

    Without an nvcc it is the host compiler itself. Both paths are absolute.
    """

    nvcc: str
    compiler: str
    options: tuple[str, ...] = ()

    def argv(self, source: str) -> list[str]:
        """A command line that preprocesses a source."""
        if not self.nvcc:
            called = self.compiler if self.options else Path(self.compiler).name  # as nvcc calls it
            return [called, "-E", "-x", "c++", source]
        return [self.nvcc, *self.options, "-E", source]

    def identity(self) -> str:
        """Which programs these are."""
        return digest(
            *(
                f"{path} {os.path.realpath(path)} {status.st_size} {status.st_mtime_ns}"
                for path in (self.nvcc, self.compiler)
                if path
                for status in [Path(path).stat()]
            ),
            *self.options,
        )


def front_of(command: NvccCommand, nvcc: str, compiler: str, env: Mapping[str, str]) -> Front:
    """The front for a command."""
    options = ["-allow-unsupported-compiler"] if command.has("allow-unsupported-compiler") else []
    named = command.host_compiler or env.get("NVCC_CCBIN", "")
    if named:
        options += ["-ccbin", command.path(named) if "/" in named or Path(command.path(named)).is_dir() else named]
    return Front(nvcc, compiler, tuple(options))


def _run(argv: Sequence[str], env: Mapping[str, str], cwd: str, overlay: Overlay | None = None) -> tuple[bytes, bytes]:
    """Standard output and error; OverlayUnavailable where it fails."""
    import subprocess  # noqa: PLC0415 - mostly the verdict is known

    try:
        done = subprocess.run(
            [argv[0], *(overlay.arguments(argv[1:]) if overlay else argv[1:])],
            env=overlay.environment(env) if overlay else dict(env),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            preexec_fn=overlay.enter_or_end if overlay and overlay.needs_entering else None,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise OverlayUnavailable(str(error)) from error
    if done.returncode != 0:
        text = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise OverlayUnavailable(text[-1] if text else f"{argv[0]} -E fails")
    return (overlay.as_without(done.stdout), overlay.as_without(done.stderr)) if overlay else (done.stdout, done.stderr)


def _write(directory: Path, files: Mapping[str, bytes]) -> None:
    directory.mkdir()
    for name, data in files.items():
        Path(directory, name).write_bytes(data)


def _quiet(env: Mapping[str, str]) -> dict[str, str]:
    dropped = (VARIABLE, "LD_PRELOAD", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN")
    return {name: value for name, value in env.items() if name not in dropped}


def _verdict(front: Front, make: Maker, env: Mapping[str, str]) -> str:
    """Why the mechanism does not work, "" if it does: everything must be as with the patches in place."""
    import tempfile  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        root = Path(os.path.realpath(scratch))
        _write(root / "patched", _PATCHED)
        _write(root / "original", _ORIGINAL)
        argv = front.argv("probe.cu")
        try:
            expected = _run(argv, env, str(root / "patched"))
        except OverlayUnavailable as error:
            raise OverlayUnavailable(str(error), quiet=True) from error
        if b"gpuopt_patched" not in expected[0]:
            raise OverlayUnavailable(f"{argv[0]} -E prints no preprocessed text")
        command = parse_command([*front.options, "-E", "probe.cu"], env, str(root / "original"))
        try:
            overlay = make(command, {str(root / "original" / name): data for name, data in _PATCHED.items()})
            try:
                seen = _run(argv, env, str(root / "original"), overlay)
                if not overlay.is_intact():  # says nothing of the mechanism
                    return _CLEARED
            except OverlayUnavailable as error:
                return str(error) if overlay.is_intact() else _CLEARED
            finally:
                overlay.close()
        except OverlayUnavailable as error:
            return str(error)
    if seen == expected:
        return ""
    if b"ld.so: " in seen[1]:
        return "a preloaded library is refused"
    if b"gpuopt_original" in seen[0]:
        return f"{front.compiler} does not see patched files (statically linked?)"
    return f"{front.compiler} sees patched files otherwise than others"


def moment_of(text: bytes) -> float:
    """When a verdict was noted; long ago where it is no number."""
    return float(text) if text.isdigit() else 0.0


def try_mechanism(front: Front, mechanism: str, make: Maker, cache: Cache, env: Mapping[str, str]) -> None:
    """OverlayUnavailable, with the reason, where a mechanism does not work with these programs on this system.

    `mechanism` names it, with whatever else it is made of.
    """
    system = os.uname()
    key = digest(front.identity(), mechanism, __version__, library_source(), system.nodename, system.release)
    kept, _, moment = (cache.get("overlay-test", key) or b"").partition(b"\0")
    if not kept or (kept != _OK and not 0 <= time.time() - moment_of(moment) <= _RETRY_SECONDS):
        kept = _verdict(front, make, _quiet(env)).encode("utf-8", "replace") or _OK
        if kept != _CLEARED.encode():
            cache.put("overlay-test", key, kept + b"\0%d" % time.time())
    if kept != _OK:
        raise OverlayUnavailable(kept.decode("utf-8", "replace"))

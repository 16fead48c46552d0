"""The library behind the overlay: built from vfs.c at first use, tested per host compiler."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from gpuopt_driver.cache import Cache, digest, write_atomic

_SECONDS = 120
_BUILD = ("-x", "c", "-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-w")
_OK = b"ok"
PATH_BREAKERS = " :\t\n"  # LD_PRELOAD cannot name a path with a blank or a colon


class OverlayUnavailable(Exception):
    """Patched files cannot be shown to the host compiler; the message says why."""


def _run(argv: list[str], env: Mapping[str, str], cwd: str | None = None) -> tuple[int, bytes, bytes]:
    try:
        done = subprocess.run(
            argv,
            env=dict(env),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return -1, b"", str(error).encode()
    return done.returncode, done.stdout, done.stderr


def _source() -> bytes:
    return Path(__file__).with_name("vfs.c").read_bytes()


def _libc() -> str:
    """The C library and machine that the library is for: a cache may be shared between machines."""
    version = os.confstr("CS_GNU_LIBC_VERSION") if "CS_GNU_LIBC_VERSION" in os.confstr_names else sys.platform
    return f"{version} {platform.machine()}"


def _quiet(env: Mapping[str, str]) -> dict[str, str]:
    """The environment without what would act on our own small compilations."""
    return {name: value for name, value in env.items() if name not in ("GPUOPT_VFS_MAP", "LD_PRELOAD")}


def build_library(compiler: str, cache: Cache, env: Mapping[str, str]) -> Path:
    """The library for this machine, built if the cache does not have it."""
    source = _source()
    path = cache.path("overlay", digest(source, _libc()), ".so")
    if any(character in str(path) for character in PATH_BREAKERS):
        raise OverlayUnavailable(f"{cache.root}: a preloaded library's path can hold no blank and no colon")
    if path.is_file():
        return path
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        code, product = Path(scratch, "vfs.c"), Path(scratch, "vfs.so")
        code.write_bytes(source)
        output = b""
        for extra in ((), ("-ldl",)):  # C libraries before glibc 2.34 have dlsym in a library of its own
            status, _, output = _run([compiler, *_BUILD, "-o", str(product), str(code), *extra], _quiet(env))
            if status == 0:
                break
        if not product.is_file():
            text = output.decode("utf-8", "replace").strip().splitlines()
            raise OverlayUnavailable(f"{compiler} cannot build a shared library: {text[-1] if text else 'no output'}")
        try:
            write_atomic(path, product.read_bytes(), mode=0o755)
        except OSError as error:
            raise OverlayUnavailable(f"{cache.root}: {error.strerror}") from error
    return path


def preload_environment(env: Mapping[str, str], library: str, map_path: str) -> dict[str, str]:
    """The environment in which the preprocessors see patched copies; other preloaded libraries stay."""
    others = env.get("LD_PRELOAD", "")
    return {**env, "LD_PRELOAD": f"{library}:{others}" if others else library, "GPUOPT_VFS_MAP": map_path}


def map_line(original: str, status: os.stat_result, copy: str) -> bytes:
    """One line of the map; OverlayUnavailable for a name that a line cannot hold."""
    if "\n" in original or "\t" in copy or "\n" in copy:
        raise OverlayUnavailable(f"{original!r}: a patched file's name can hold no line feed and no tab")
    seconds, nanoseconds = divmod(status.st_mtime_ns, 1_000_000_000)
    numbers = f"{status.st_dev} {status.st_ino} {status.st_size} {seconds} {nanoseconds}"
    return os.fsencode(f"{numbers} {copy}\t{original}\n")


def _probe(compiler: str, library: Path, env: Mapping[str, str]) -> str:
    """Why this compiler does not see patched copies; "" if it does."""
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        root = Path(os.path.realpath(scratch))
        original, header, copy, map_path = root / "probe.cpp", root / "probe.h", root / "copy", root / "map"
        original.write_bytes(b'#include "probe.h"\n')
        header.write_bytes(b"gpuopt_original\n")
        copy.write_bytes(b"gpuopt_patched __FILE__\n")
        map_path.write_bytes(map_line(str(header), header.stat(), str(copy)))
        surroundings = preload_environment(_quiet(env), str(library), str(map_path))
        status, out, err = _run([compiler, "-E", "-x", "c++", str(original)], surroundings)
    if status == 0 and b"gpuopt_patched" in out and b"gpuopt_original" not in out and str(header).encode() in out:
        return ""
    if b"ld.so" in err:
        return f"{compiler} does not load {library}"
    if status == 0 and b"gpuopt_original" in out:
        return f"{compiler} does not look at preloaded libraries (statically linked?)"
    return f"{compiler} -E fails"


def tested_library(compiler: str, cache: Cache, env: Mapping[str, str]) -> Path:
    """The library, proved to work with this host compiler; the proof is remembered while neither changes."""
    verdict = b""
    for attempt in range(2):
        library = build_library(compiler, cache, env)
        status = Path(compiler).stat()
        key = digest(library.read_bytes(), os.path.realpath(compiler), f"{status.st_size} {status.st_mtime_ns}")
        known = cache.get("overlay-test", key)
        verdict = known or _probe(compiler, library, env).encode() or _OK
        if known is None:
            cache.put("overlay-test", key, verdict)
        if verdict == _OK:
            return library
        if attempt == 0:
            library.unlink(missing_ok=True)  # it may be damaged: build it once more
    raise OverlayUnavailable(verdict.decode("utf-8", "replace"))

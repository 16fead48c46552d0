"""The overlay by a preloaded library that redirects opens and stats; any C compiler builds it at first use."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gpuopt_driver import store
from gpuopt_driver.answers import Unanswered, ask
from gpuopt_driver.cache import Cache, digest, in_turn, write_atomic
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.nvcc.overlaid import OverlaidFile, Overlay, OverlayUnavailable, mark_used

_SECONDS = 120
_KIND = "overlay"
_STEPS = "device-code"
_BUILD = ("-x", "c", "-std=gnu11", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-w")
PATH_BREAKERS = " :\t\n"  # LD_PRELOAD cannot name a path with a blank or a colon
VARIABLE = "GPUOPT_VFS_MAP"
PTX_VARIABLE = "GPUOPT_PTX_MAP"
KEEP_VARIABLE = "GPUOPT_PTX_KEEP"  # of one run of nvcc: what the names of copies of PTX files begin with
ASK_VARIABLE = "GPUOPT_PTX_ASK"  # of one run of nvcc: the socket that says what may be used of each copy
STEPS_VARIABLE = "GPUOPT_KEPT_STEPS"  # of one run of nvcc: where what its steps make is kept
ONLY_VARIABLE = "GPUOPT_NEEDED_BY"  # of one run of nvcc: the program for which that is so, if not for all
NEEDED_VARIABLE = "GPUOPT_NEEDED"  # of one run of nvcc: the names that its sources need although they do not use them


@dataclass(frozen=True, slots=True)
class Preload(Overlay):
    """`library` shows the copies that the file `map_path` lists, and puts operators on loads as `ptx_map` says.

    In the directory `steps`, if there is one, it keeps what the device compiler makes.
    """

    library: str
    map_path: str
    ptx_map: str = ""
    steps: str = ""

    mechanism = "preload"
    lasting = True

    def variables(self, env: Mapping[str, str]) -> dict[str, str]:
        """The preprocessors see patched copies; other preloaded libraries stay."""
        others = env.get("LD_PRELOAD", "")
        made = {"LD_PRELOAD": f"{self.library}:{others}" if others else self.library, VARIABLE: self.map_path}
        return {**made, PTX_VARIABLE: self.ptx_map} if self.ptx_map else made

    def kept(self) -> dict[str, str]:
        """What is made is found again in the next run with the same."""
        return {STEPS_VARIABLE: self.steps} if self.steps else {}

    def was_evaded(self, errors: bytes) -> bool:
        """Whether a program went on without the library; the library itself sees to files that change."""
        return b"ld.so: object '" + os.fsencode(self.library) in errors

    def is_intact(self) -> bool:
        """Whether library and map are there."""
        return all(Path(path).is_file() for path in (self.library, self.map_path, self.ptx_map) if path)


def without_overlay(env: Mapping[str, str]) -> dict[str, str]:
    """The environment without what would act on our own small compilations."""
    return {
        name: value
        for name, value in env.items()
        if name
        not in (
            VARIABLE,
            PTX_VARIABLE,
            KEEP_VARIABLE,
            ASK_VARIABLE,
            STEPS_VARIABLE,
            NEEDED_VARIABLE,
            ONLY_VARIABLE,
            "LD_PRELOAD",
        )
    }


def library_source() -> bytes:
    """The text of the library: of its files, each calls those before it."""
    names = ("blake2b.c", "ptx.c", "words.c", "declared.c", "derived.c", "unused.c", "vfs.c", "steps.c")
    return b"".join(Path(__file__).with_name(name).read_bytes() for name in names)


def _machine() -> str:
    """The C library and machine that the library is for: a cache may be shared between machines."""
    version = os.confstr("CS_GNU_LIBC_VERSION") if "CS_GNU_LIBC_VERSION" in os.confstr_names else sys.platform
    return f"{version} {os.uname().machine}"


class NotKept(OverlayUnavailable):
    """The library was built, and the cache has no room for it: what another compiler makes would be no smaller."""


def build_library(compiler: str, cache: Cache, env: Mapping[str, str]) -> Path:
    """The library for this machine, built if the cache does not have it or if it is damaged there."""
    key = digest(library_source(), _machine(), os.path.realpath(compiler))
    path = cache.path(_KIND, key, ".so")
    if any(character in str(path) for character in PATH_BREAKERS):
        raise OverlayUnavailable(f"{cache.root}: a preloaded library's path can hold no blank and no colon")
    if _is_whole(cache, key, path):
        return path
    with in_turn(path.parent):
        if _is_whole(cache, key, path):
            return path
        product = _build(compiler, env)
        try:
            write_atomic(path, product, mode=0o755)
        except OSError as error:
            raise NotKept(f"{cache.root}: {error.strerror}") from error
        store.note(str(cache.root), _KIND, key, product)
    return path


def _is_whole(cache: Cache, key: str, path: Path) -> bool:
    """Whether the library is there as it was made."""
    try:
        return store.is_noted(str(cache.root), _KIND, key, path.read_bytes())
    except OSError:
        return False


def _build(compiler: str, env: Mapping[str, str]) -> bytes:
    import tempfile  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        code, product = Path(scratch, "vfs.c"), Path(scratch, "vfs.so")
        code.write_bytes(library_source())
        output = b""
        for extra in ((), ("-ldl",)):  # C libraries before glibc 2.34 have dlsym in a library of its own
            argv = [compiler, *_BUILD, "-o", str(product), str(code), *extra]
            try:  # the compiler's own files beside the source, which found room
                done = ask(argv, _SECONDS, {**without_overlay(env), "TMPDIR": scratch})
            except Unanswered as error:
                raise OverlayUnavailable(f"{compiler} cannot build a shared library: it {error}") from error
            if done.returncode == 0 and product.is_file():
                return product.read_bytes()
            output = done.stderr
            if b"dlsym" not in output:  # which each linker names
                break
    text = output.decode("utf-8", "replace").strip().splitlines()
    raise OverlayUnavailable(f"{compiler} cannot build a shared library: {text[-1] if text else 'no output'}")


def _map_lines(files: Sequence[OverlaidFile]) -> Iterator[bytes]:
    for file in files:
        if "\n" in file.original or "\t" in file.copy or "\n" in file.copy:
            raise OverlayUnavailable(f"{file.original!r}: a patched file's name can hold no line feed and no tab")
        seconds, nanoseconds = divmod(file.mtime_ns, 1_000_000_000)
        state = f"{file.device} {file.inode} {file.size} {seconds} {nanoseconds}"
        yield os.fsencode(f"{state} {file.copy}\t{file.original}\n")


def kept_list(text: str, env: Mapping[str, str]) -> str:
    """The path, in the cache, of a list for `ptx.c`."""
    cache = Cache.find(env, without=PATH_BREAKERS) or Cache.find(env)
    if cache is None:
        raise OverlayUnavailable("no directory to keep a list of kernels in")
    path = cache.path("ptx-map", digest(text.encode()))
    write_atomic(path, text.encode())
    return str(path)


def make_preload(files: tuple[OverlaidFile, ...], library: Path, cache: Cache) -> Preload:
    """The overlay for these files; map and library stay in the cache."""
    text = b"".join(_map_lines(files))
    path = cache.path("map", digest(text))
    if path.is_file() and path.read_bytes() == text:
        mark_used(path, path.stat())
    else:
        write_atomic(path, text)
    mark_used(library, library.stat())
    steps = cache.root / _STEPS
    try:
        store.make_directories(str(steps))
    except OSError:
        return Preload(files, str(library), str(path))
    return Preload(files, str(library), str(path), steps=str(steps))

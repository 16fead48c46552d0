"""A stand-in for the CUDA toolkit where there is none: what build tools look for, with the emulator behind it."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gpuopt_driver import __version__, arch
from gpuopt_driver.arch.load import user_directories
from gpuopt_driver.cache import STANDINS, Cache, digest, write_atomic
from gpuopt_driver.emulator.compiler import HostCompiler, find_host_compiler
from gpuopt_driver.emulator.runtime import INCLUDE, runtime_library
from gpuopt_driver.emulator.toolchain import CUDA_VERSION
from gpuopt_driver.errors import ToolchainError
from gpuopt_driver.nvcc.find import called_from
from gpuopt_driver.nvcc.shadow import Made, install, launcher, read_marker
from gpuopt_driver.store import digest_of_file, digests_below, is_noted, note

BACKEND = "emulator"
VERSION = f"{CUDA_VERSION[0]}.{CUDA_VERSION[1]}.0"
# Libraries of a toolkit whose headers are all that an emulated program needs, besides the runtime's.
HEADERS_SUFFICE = ("culibos", "curand", "curand_static", "nvToolsExt")
# Programs of a toolkit that build tools want to be there. What they do is GPU code, so these only say their version.
_PROGRAMS = ("bin2c", "cudafe++", "cuobjdump", "fatbinary", "nvdisasm", "nvlink", "nvprune", "ptxas")
_EMPTY_ARCHIVE = b"!<arch>\n"
_STUB = b"/* An emulated program has no device code that would have to be linked in here. */\n"
_TARGETS = {"x86_64": "x86_64-linux", "aarch64": "sbsa-linux"}
SYSTEM_LIBRARIES = ("-lrt", "-lpthread", "-ldl", "-lm")


def _program(name: str) -> bytes:
    major, minor = CUDA_VERSION
    return f"""#!/bin/sh
case "$1" in
--version | -V)
    echo "{name}: stands in for the program of the CUDA toolkit where gpuopt emulates a GPU"
    echo "Cuda compilation tools, release {major}.{minor}, V{VERSION}"
    ;;
*)
    echo "gpuopt: error: {name}: makes or reads GPU code, and the emulator has none; install the CUDA toolkit" >&2
    exit 1
    ;;
esac
""".encode()


def _fatbinary() -> bytes:
    """The one of these programs that does something: it runs what `replayable` has printed."""
    head, rest = _program("fatbinary").decode().split('case "$1" in\n')
    return f"""{head}case "$1" in
--gpuopt-step=*)
    NVCC="$(dirname "$0")/nvcc" exec sh "${{1#*=}}"
    ;;
{rest}""".encode()


def _shared(compiler: HostCompiler, archive: Path, env: Mapping[str, str]) -> bytes:
    """The runtime as a shared library."""
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        library = Path(scratch, "libcudart.so")
        link = (
            compiler.path, *compiler.as_usual, "-shared", "-Wl,--whole-archive", str(archive), "-Wl,--no-whole-archive",
            f"-Wl,-soname,libcudart.so.{CUDA_VERSION[0]}", *SYSTEM_LIBRARIES, "-o", str(library),
        )  # fmt: skip
        done = subprocess.run(link, env=dict(env), stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode:
            first = next(iter(done.stderr.decode("utf-8", "replace").splitlines()), "no message")
            raise ToolchainError(f"{compiler.path} cannot link the emulator's runtime: {first}")
        return library.read_bytes()


def _entries(compiler: HostCompiler, env: Mapping[str, str]) -> dict[str, str | bytes]:
    archive = runtime_library(compiler, env)
    major = CUDA_VERSION[0]
    entries: dict[str, str | bytes] = {
        "bin/nvcc": launcher({"GPUOPT_BACKEND": BACKEND}),
        **{f"bin/{name}": _program(name) for name in _PROGRAMS},
        "bin/fatbinary": _fatbinary(),
        "bin/crt/link.stub": _STUB,
        "bin/crt/prelink.stub": _STUB,
        "nvvm/bin/cicc": _program("cicc"),
        "nvvm/libdevice/README": b"The emulator needs no device library; build tools need this directory.\n",
        "include": str(INCLUDE),
        "lib/libcudart_static.a": archive.read_bytes(),
        "lib/libcudadevrt.a": _EMPTY_ARCHIVE,
        **{f"lib/lib{name}.a": _EMPTY_ARCHIVE for name in ("culibos", "curand_static")},
        # The linker takes a library for what is in it: a program that is linked with these needs nothing to run.
        **{f"lib/lib{name}.so": _EMPTY_ARCHIVE for name in ("curand", "nvToolsExt")},
        "lib/stubs/libcuda.so": "../libcudart_static.a",
        f"lib/libcudart.so.{VERSION}": _shared(compiler, archive, env),
        f"lib/libcudart.so.{major}": f"libcudart.so.{VERSION}",
        "lib/libcudart.so": f"libcudart.so.{major}",
        "lib/stubs/libcuda.so.1": f"../libcudart.so.{VERSION}",  # for dlopen
        "lib64": "lib",
        "version.txt": f"CUDA Version {VERSION}\n".encode(),  # Meson looks for it
        "version.json": b'{"cuda": {"name": "CUDA as emulated by gpuopt", "version": "%s"}}\n' % VERSION.encode(),
    }
    target = _TARGETS.get(platform.machine())
    if target:
        entries[f"targets/{target}/include"] = "../../include"
        entries[f"targets/{target}/lib"] = "../../lib"
    return entries


def _users_gpus(env: Mapping[str, str]) -> tuple[str, ...]:
    """Digests of the user's GPU files, which the runtime's tables have, too."""
    files = (path for folder in user_directories(env) for path in sorted(folder.glob("*.toml")))
    return tuple(f"{path.name} {digest_of_file(path)}" for path in files)


def _state(env: Mapping[str, str]) -> str:
    """What tells one gpuopt from another; two installations of the same one are equal."""
    values = [__version__, *_users_gpus(env)]
    for folder in (INCLUDE, INCLUDE.parent / "runtime", Path(arch.__file__).parent):
        values.extend(f"{path} {of}" for path, of in digests_below(str(folder)) if not path.endswith(".pyc"))
    return digest(*values)


def stand_in(env: Mapping[str, str], host_compiler: str = "") -> tuple[dict[str, str | bytes], Made]:
    """The entries of a stand-in, and what is written down about it; `host_compiler` is the policy's."""
    wanted = ((host_compiler, "driver.host_compiler"), (env.get("NVCC_CCBIN", ""), "NVCC_CCBIN"))
    return _made(find_host_compiler((*wanted, (env.get("CXX", ""), "CXX")), env), env)


def _made(compiler: HostCompiler, env: Mapping[str, str]) -> tuple[dict[str, str | bytes], Made]:
    entries = _entries(compiler, env)
    return entries, Made(BACKEND, "", VERSION, _state(env), tuple(entries))


def current_stand_in(compiler: HostCompiler, env: Mapping[str, str], *, needed: bool) -> str:
    """The stand-in that an emulated build belongs to, brought up to date: the one whose nvcc was called, else our own.

    Our own lies in the cache. It is made when it is `needed` (something asks where the toolkit is); "" without one.
    """
    root, cache = called_from(), None
    if root:
        known = read_marker(root)
        if known is None or known.backend != BACKEND:
            root = ""
    if not root:
        cache = Cache.find(env)
        if cache is None:
            if needed:
                raise ToolchainError("no directory to keep a toolkit in; set GPUOPT_CACHE_DIR to a writable one")
            return ""
        root = str(cache.root / STANDINS / digest(compiler.path, str(INCLUDE), *_users_gpus(env))[:16])
        was_there = Path(root).is_dir()
        known = read_marker(root)
        if was_there and not (known and _is_whole(cache, root, known)):  # it appears so: somebody has damaged it
            shutil.rmtree(root, ignore_errors=True)
            known = None
    if known is None and not needed:
        return ""
    if known is None or known.state != _state(env):
        entries, made = _made(compiler, env)
        install(root, entries, made)  # an older runtime would not fit these headers
        if cache is not None:
            note(str(cache.root), STANDINS, Path(root).name, _contents(root, made, cache))
    return root


def _contents(root: str, made: Made, cache: Cache) -> bytes:
    """What is in a stand-in, for a digest: the targets of its links, the digests of its files."""
    parts: list[bytes | str] = []
    for name in sorted(made.entries):
        path = Path(root, name)
        parts += [name, os.readlink(path) if path.is_symlink() else digest_of_file(path, str(cache.root))]  # noqa: PTH115
    return digest(*parts).encode()


def _is_whole(cache: Cache, root: str, made: Made) -> bool:
    """Whether a stand-in in the cache is as it was made: its libraries are linked with programs."""
    try:
        return is_noted(str(cache.root), STANDINS, Path(root).name, _contents(root, made, cache))
    except OSError:
        return False


def link_options(root: str, runtime: str) -> tuple[str, ...]:
    """What links a program with a stand-in; `runtime` is what -cudart says: static, shared or none."""
    libraries = {
        "shared": (f"-Wl,-rpath,{root}/lib64", "-lcudadevrt", "-lcudart"),
        "none": (),
    }.get(runtime, ("-lcudadevrt", "-lcudart_static"))
    return (*library_directories(root), *libraries, *SYSTEM_LIBRARIES)


def library_directories(root: str) -> tuple[str, str]:
    """The -L options of a stand-in."""
    return f"-L{root}/lib64/stubs", f"-L{root}/lib64"


def replayable(argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> str:
    """A step for tools that run the steps of `--dryrun --keep` themselves: the whole compilation, kept in a script.

    sccache takes the names of nvcc's own programs only, and runs `fatbinary` as it is, without caching it.
    """
    words = iter(argv)
    left: list[str] = []
    for word in words:
        name = word.lstrip("-").partition("=")[0]
        if name == "keep-dir" and "=" not in word:
            next(words, None)
        elif name not in ("dryrun", "keep", "keep-dir"):
            left.append(word)
    script = f'cd {shlex.quote(cwd)} && exec "$NVCC" {shlex.join(left)}\n'
    data = script.encode("utf-8", "surrogateescape")
    cache = Cache.find(env)
    if cache is None:
        raise ToolchainError("no directory to keep a step in; set GPUOPT_CACHE_DIR to a writable one")
    path = cache.path("step", digest(data), ".sh")
    write_atomic(path, data)
    return f'#$ fatbinary "--gpuopt-step={path}"'


def announcement(root: str, env: Mapping[str, str]) -> Iterator[str]:
    """What nvcc prints first with -v and --dryrun; CMake, Meson and FindCUDA take their paths from it."""
    directories = " ".join(f'"{option}"' for option in library_directories(root))
    values = {
        "_NVVM_BRANCH_": "nvvm",
        "_SPACE_": " ",
        "_CUDART_": "cudart",
        "_HERE_": f"{root}/bin",
        "_THERE_": f"{root}/bin",
        "_TARGET_SIZE_": "",
        "_TARGET_DIR_": "",
        "TOP": f"{root}/bin/..",
        "NVVMIR_LIBRARY_DIR": f"{root}/bin/../nvvm/libdevice",
        "LD_LIBRARY_PATH": os.pathsep.join(filter(None, (f"{root}/lib64", env.get("LD_LIBRARY_PATH", "")))),
        "PATH": os.pathsep.join((f"{root}/nvvm/bin", f"{root}/bin", env.get("PATH", os.defpath))),
        "INCLUDES": f'"-I{root}/include"  ',
        "SYSTEM_INCLUDES": "",
        "LIBRARIES": f"  {directories}",
        "CUDAFE_FLAGS": "",
        "PTXAS_FLAGS": "",
    }
    return (f"#$ {name}={value}" for name, value in values.items())

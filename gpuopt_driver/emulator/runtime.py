"""The emulator's C++ runtime: compiled once per host compiler, but for the GPUs' figures, and kept in the cache."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from gpuopt_driver.arch.load import known_files, load_known
from gpuopt_driver.cache import Cache, alone_in, digest, write_atomic
from gpuopt_driver.emulator.compiler import HostCompiler
from gpuopt_driver.emulator.gpus import gpu_table
from gpuopt_driver.emulator.model_figures import model_table
from gpuopt_driver.errors import ToolchainError
from gpuopt_driver.progress import telling
from gpuopt_driver.store import digest_of_file, get, is_noted_file, kept_digests_below, make_directories, note, put

_KIND = "emulator"
_HERE = Path(__file__).resolve().parent  # g++ names headers so, where an installation is made of symbolic links
_PACKAGE = _HERE.parent
INCLUDE = _HERE / "include"
_RUNTIME = _HERE / "runtime"
_MAKERS = ("arch/load.py", "arch/spec.py", "emulator/gpus.py", "emulator/model_figures.py")  # of the figures' source
_FLAGS = ("-std=c++17", "-fPIC", "-pthread", "-fno-strict-aliasing", "-ffp-contract=off")

# What the names of each translation unit's files begin with, and how much it is optimized: the model; what runs for
# every instruction, access or block, all that switches between device threads among it; what few programs need (and
# 368 kB of data); what is called on processors with AVX2 alone; all else, the API, which takes a third less so. Three
# take about as long.
_OFTEN = (
    *("block", "check_", "division", "extremes", "faults", "in_turn", "launch", "model_lane", "preempt", "room"),
    *("sampling", "special", "textures", "trace", "turns", "warp", "wide", "worker"),
)
_SWITCHING = "unit1"
_UNITS = {("model",): "-O2", _OFTEN: "-O2", (): "-O1", ("random",): "-O1", ("vector",): "-O2"}
_WIDE = ("-mavx2", "-mfma")

# Where compilers put what runs before `main`; with a number, that comes before the constructors of any program.
_CONSTRUCTORS = re.compile(rb"(?<=\.section)[ \t]+\.init_array(?=,)")

PORTABLE = "-DGPUOPT_EMU_PORTABLE"  # the switch between device threads without assembly


def _sources() -> dict[str, Path]:
    files = [*_RUNTIME.iterdir(), *INCLUDE.rglob("*")]
    return {str(path.relative_to(_HERE)): path for path in sorted(files) if path.is_file()}


def _digests(root: str) -> list[str]:
    """The names of the same, each with its digest."""
    found: list[tuple[list[str], str]] = []
    for directory in (INCLUDE, _RUNTIME):
        below = str(directory.relative_to(_HERE))
        found += [([below, *path.split("/")], of) for path, of in kept_digests_below(str(directory), root)]
    return [part for names, of in sorted(found) for part in ("/".join(names), of)]


def _figures(env: Mapping[str, str], gpu: str, cwd: str | None) -> bytes:
    """The source that differs with the user's GPU files."""
    archs = [arch for arch in load_known(env, gpu, cwd) if arch.execution is not None]
    return (gpu_table(archs) + model_table(archs)).encode()


def _figures_of(env: Mapping[str, str], gpu: str, cwd: str | None, root: str) -> str:
    """The digest of that, from the cache where it was made of the same GPU files: to read all of them takes 10 ms."""
    named = [*known_files(env, gpu, cwd).items(), *((name, _PACKAGE / name) for name in _MAKERS)]
    key = digest(*(part for name, path in named for part in (name, digest_of_file(path))))
    kept = get(root, "figures", key)
    if kept is None:
        kept = digest(_figures(env, gpu, cwd)).encode()
        put(root, "figures", key, kept)
    return kept.decode()


def _units(sources: Iterable[str]) -> dict[str, tuple[str, str]]:
    """The runtime as a few units, each with its `-O`: fewer compile sooner; programs take the objects they need."""
    parts: dict[tuple[str, ...], list[str]] = {words: [] for words in _UNITS}
    for name in (Path(source).name for source in sorted(sources) if source.endswith(".cpp")):
        words = max((len(word), words) for words in _UNITS for word in words or ("",) if name.startswith(word))[1]
        parts[words].append(name)
    texts = ("".join(f'#include "{name}"\n' for name in part) for part in parts.values())
    return {f"unit{number}": unit for number, unit in enumerate(zip(texts, _UNITS.values(), strict=True))}


def _archive(
    compiler: HostCompiler,
    extra: tuple[str, ...],
    units: Mapping[str, tuple[str, str]],
    env: Mapping[str, str],
    like: bytes,
) -> bytes:
    """These units as a static library, in `like` (the library with other such units in it) if that is not empty."""
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        begin, include = (compiler.path, *compiler.as_usual, *_FLAGS), (f"-I{INCLUDE}", f"-I{_RUNTIME}")
        wide = _WIDE if compiler.machine == "x86_64" else ()
        commands = []
        for name, (text, level) in units.items():
            Path(scratch, f"{name}.cpp").write_bytes(text.encode())
            own = wide if '"vector' in text else ()
            commands.append((*begin, level, *extra, *include, *own, "-S", f"{name}.cpp"))
        _run_together(commands, scratch, compiler, env)
        for name in units:
            written = Path(scratch, f"{name}.s")
            written.write_bytes(_CONSTRUCTORS.sub(rb"\g<0>.00090", written.read_bytes()))
        assemble = (compiler.path, *compiler.as_usual, "-c")
        _run_together([(*assemble, f"{name}.s") for name in units], scratch, compiler, env)
        library = Path(scratch, "lib.a")
        if like:
            library.write_bytes(like)
        _run_together([("ar", "rcsD", library.name, *(f"{name}.o" for name in units))], scratch, compiler, env)
        return library.read_bytes()


def _beside(root: Path, path: Path) -> bytes:
    """A library of the same sources with other GPUs' figures; nothing if there is none."""
    with suppress(OSError):
        for other in path.parent.glob(f"*{path.suffix}"):
            if _is_whole(root, other):
                return other.read_bytes()
    return b""


def _noted_as(path: Path) -> str:
    return digest(path.parent.parent.name, path.parent.name, path.name)


def _is_whole(root: Path, path: Path) -> bool:
    """Whether a library is there, and as it was when it was made."""
    with suppress(OSError):
        return is_noted_file(str(root), _KIND, _noted_as(path), path)
    return False


def _run_together(
    commands: Sequence[tuple[str, ...]], cwd: str, compiler: HostCompiler, env: Mapping[str, str]
) -> None:
    """Run the commands at the same time; raises ToolchainError where one fails."""
    with ExitStack() as running:
        started = []
        for command in commands:
            try:
                process = subprocess.Popen(
                    command, cwd=cwd, env=dict(env), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                )  # fmt: skip
            except OSError as error:
                raise ToolchainError(f"{command[0]}: cannot be run: {error.strerror}; install binutils") from error
            started.append(running.enter_context(process))
        for process in started:
            messages = process.communicate()[1]
            if process.returncode:
                first = next(iter(messages.decode("utf-8", "replace").splitlines()), "no message")
                raise ToolchainError(f"{compiler.path} cannot build the emulator's runtime: {first}")


def runtime_library(
    compiler: HostCompiler, env: Mapping[str, str], *, portable: bool = False, gpu: str = "", cwd: str | None = None
) -> Path:
    """The runtime's static library, built once, by one of the processes that ask for it at the same time.

    It knows the GPUs that there are files for, and `gpu` if that is a path; for other such files, their figures alone
    are compiled.
    """
    extra = (PORTABLE, "-O0") if portable else ()  # its switches are what takes the time in any case
    cache = Cache.find(env)
    if cache is None:
        raise ToolchainError("no directory to keep the emulator's runtime in; set GPUOPT_CACHE_DIR to a writable one")
    figures = _figures_of(env, gpu, cwd, str(cache.root))
    # CMake takes c++, which is g++ under another name (that its version begins with) and makes the same
    program, version = str(Path(compiler.path).resolve()), compiler.version.partition(" ")[2]
    # no paths: all virtual environments share it
    key = digest(
        program, version, *compiler.as_usual, *_FLAGS, *_WIDE, repr(_UNITS), *extra, _CONSTRUCTORS.pattern,
        *_digests(str(cache.root)),
    )  # fmt: skip
    path = cache.path(_KIND, key) / f"{figures}.a"
    if _is_whole(cache.root, path):
        return path
    try:
        make_directories(str(path.parent))
        with alone_in(path.parent):  # a parallel build's first compilations all come here at once
            if not _is_whole(cache.root, path):
                like = _beside(cache.root, path)
                units: dict[str, tuple[str, str]] = {}
                if not like:
                    units = _units(_sources())
                    if portable:  # all other units are the same, but for switches that they inline and do not call
                        like = runtime_library(compiler, env, gpu=gpu, cwd=cwd).read_bytes()
                        units = {_SWITCHING: units[_SWITCHING]}
                units["gpus"] = (_figures(env, gpu, cwd).decode(), "-O1")
                once = ", once; it takes about 20 s of two cores"
                with telling("building the emulator's runtime", env, beside=once):
                    made = _archive(compiler, extra, units, env, like)
                write_atomic(path, made)
                note(str(cache.root), _KIND, _noted_as(path), made)
    except OSError as error:
        raise ToolchainError(
            f"{error.filename or path}: cannot keep the emulator's runtime: {error.strerror}"
        ) from error
    return path

"""What the caller says about a source file, and the libclang command line that each parse level makes of it."""

from __future__ import annotations

import functools
import os
from contextlib import suppress
from pathlib import Path

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.model import ParseLevel

DECLARATIONS = Path(__file__).parent / "cuda"
UMBRELLA = "gpuopt_cuda.h"
DEFAULT_STANDARD = "c++17"
_CARVEOUT_OF_LAUNCH = b"cudaLaunchAttributePreferredSharedMemoryCarveout"

_COMMON = (
    "-x",
    "cuda",
    "--cuda-gpu-arch=sm_90",
    "--cuda-host-only",
    "-nocudalib",
    "-nocudainc",
    "-Wno-unknown-cuda-version",
    "-w",
    "-Wno-c++11-narrowing",
    "-Wno-reserved-user-defined-literal",
    "-Wno-register",
    "-ferror-limit=0",
    "-fbracket-depth=1024",
    "-fno-delayed-template-parsing",
    "-Xclang",
    "-fcuda-allow-variadic-functions",
)

# Headers of the host that kernels may use: each gets a wrapper that makes its functions callable from kernels.
WRAPPED_HEADERS = (
    *("assert.h", "ctype.h", "errno.h", "float.h", "limits.h", "locale.h", "malloc.h", "math.h", "memory.h"),
    *("setjmp.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h", "strings.h"),
    *("time.h", "wchar.h", "algorithm", "any", "array", "atomic", "barrier", "bit", "cassert", "cctype", "cerrno"),
    *("cfloat", "charconv", "chrono", "cinttypes", "climits", "cmath", "complex", "condition_variable", "cstdarg"),
    *("cstddef", "cstdint", "cstdio", "cstdlib", "cstring", "ctime", "cwchar", "deque", "exception", "filesystem"),
    *("forward_list", "fstream", "functional", "initializer_list", "iomanip", "ios", "iostream", "istream"),
    *("iterator", "limits", "list", "locale", "map", "memory", "mutex", "numeric", "optional", "ostream", "queue"),
    *("random", "ratio", "set", "shared_mutex", "sstream", "stack", "stdexcept", "streambuf", "string"),
    *("string_view", "system_error", "thread", "tuple", "type_traits", "typeindex", "typeinfo", "unordered_map"),
    *("unordered_set", "utility", "valarray", "variant", "vector"),
)


@dataclass(frozen=True)
class ParseOptions:
    """How to parse: the preprocessor's options of the nvcc command line, and where things are.

    `arch` is the GPU's compute capability times ten, `__CUDA_ARCH__` over ten. `level` None starts with the bundled
    declarations and takes more of the environment while kernels or launches are damaged.
    """

    include_dirs: tuple[str, ...] = ()
    system_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    forced_includes: tuple[str, ...] = ()
    std: str | None = None
    arch: int = 90
    cuda_include: str | None = None
    level: ParseLevel | None = None
    cache_dir: str | None = None
    working_dir: str | None = None
    launched_only: bool = False  # kernels that the unit does not launch are not looked into

    def absolute(self, path: str) -> str:
        """A path as seen from the working directory of the command line."""
        return os.path.join(self.working_dir or os.getcwd(), path)  # noqa: PTH109, PTH118 - no normalisation wanted


def standard(options: ParseOptions) -> str:
    """The language standard for libclang; the bundled declarations need C++11 at least."""
    name = options.std or DEFAULT_STANDARD
    return "c++11" if name in ("c++98", "c++03", "gnu++98", "gnu++03") else name


def is_toolkit(directory: str) -> bool:
    """Whether a directory holds NVIDIA's own cuda_runtime.h, which would hide the bundled one."""
    return Path(directory, "cuda_runtime.h").is_file() and Path(directory, "crt").is_dir()


def toolkit_include(options: ParseOptions) -> str | None:
    """The toolkit's include directory: the one we were told of, or one among the user's."""
    if options.cuda_include:
        return options.absolute(options.cuda_include)
    found = [options.absolute(path) for path in (*options.include_dirs, *options.system_dirs)]
    return next((path for path in found if is_toolkit(path)), None)


def has_carveout_of_launch(options: ParseOptions) -> bool:
    """Whether launches can ask for a carve-out: with CUDA 12.5 and later, or the emulator."""
    toolkit = toolkit_include(options)
    with suppress(OSError):
        return toolkit is None or _CARVEOUT_OF_LAUNCH in Path(toolkit, "driver_types.h").read_bytes()
    return False


@functools.lru_cache(maxsize=1)
def compiler_include_dir() -> str | None:
    """The newest include directory of an installed gcc (stddef.h and the like), None without one."""
    found = [path for path in Path("/usr/lib/gcc").glob("*/*/include") if (path / "stddef.h").is_file()]

    def by_version(path: Path) -> tuple[int, ...]:
        return tuple(int(part) for part in path.parent.name.split(".") if part.isdigit())

    return str(max(found, key=by_version)) if found else None


def levels(options: ParseOptions) -> tuple[ParseLevel, ...]:
    """The levels to try, cheapest first."""
    if options.level is not None:
        return (options.level,)
    found = [ParseLevel.BUNDLED]
    if compiler_include_dir():
        found.append(ParseLevel.HOST)
        if toolkit_include(options):
            found.append(ParseLevel.TOOLKIT)
    return tuple(found)


def language_arguments(options: ParseOptions, level: ParseLevel) -> list[str]:
    """The arguments that a precompiled header and its user must have in common."""
    arguments = [*_COMMON, f"-std={standard(options)}", f"-D__CUDA_ARCH__={options.arch * 10}"]
    if level is ParseLevel.BUNDLED:
        arguments += ["-nostdinc", "-DGPUOPT_NO_HOST"]
    return arguments


def wrapper_dir() -> str:
    """The directory (which exists only in libclang's eyes) of the wrappers around host headers."""
    return str(DECLARATIONS / "host")


@functools.lru_cache(maxsize=1)
def host_wrappers() -> dict[str, bytes]:
    """The wrappers around host headers, by path."""
    text = "#pragma clang force_cuda_host_device begin\n#include_next <{0}>\n#pragma clang force_cuda_host_device end\n"
    return {f"{wrapper_dir()}/{name}": text.format(name).encode() for name in WRAPPED_HEADERS}


def include_arguments(options: ParseOptions, level: ParseLevel) -> list[str]:
    """Search paths: the user's first, then ours, then (by level) the host's and the toolkit's libraries."""
    arguments: list[str] = []
    for flag, directories in (("-I", options.include_dirs), ("-isystem", options.system_dirs)):
        for directory in directories:
            path = options.absolute(directory)
            if not is_toolkit(path):
                arguments += [flag, path]
    if level is not ParseLevel.BUNDLED:
        arguments += ["-isystem", wrapper_dir()]
    arguments += ["-isystem", str(DECLARATIONS)]
    if level is not ParseLevel.TOOLKIT:
        arguments += ["-isystem", str(DECLARATIONS / "no_toolkit")]
    if level is not ParseLevel.BUNDLED:
        compiler = compiler_include_dir()
        if compiler:
            arguments += ["-isystem", compiler]
    for directory in toolkit_dirs(options) if level is ParseLevel.TOOLKIT else ():
        arguments += ["-idirafter", directory]
    return arguments


def toolkit_dirs(options: ParseOptions) -> tuple[str, ...]:
    """The toolkit's directories of headers."""
    toolkit = toolkit_include(options)
    return (os.path.join(toolkit, "cccl"), toolkit) if toolkit else ()  # noqa: PTH118


def foreign_dirs(main: str, options: ParseOptions) -> tuple[str, ...]:
    """Directories all of whose files are the compiler's or the toolkit's, with a slash at the end."""
    found = [*toolkit_dirs(options), compiler_include_dir(), "/usr/include"]
    dirs = [f"{path.rstrip(os.sep)}{os.sep}" for path in found if path]
    own = [main, *options.include_dirs, *options.system_dirs, *options.forced_includes]
    mine = [f"{options.absolute(path)}{os.sep}" for path in own]
    toolkit = toolkit_include(options)
    mine = [path for path in mine if toolkit is None or path.rstrip(os.sep) != toolkit.rstrip(os.sep)]
    return tuple(path for path in dirs if not any(one.startswith(path) for one in mine))


def user_macros(options: ParseOptions) -> bytes:
    """The macros of the command line as a header, to be read behind our declarations, which they must not touch."""
    lines = []
    for define in options.defines:
        name, _equals, value = define.partition("=")
        if not _is_reserved(name):
            lines.append(f"#undef {name.split('(')[0]}\n#define {name} {value if _equals else 1}\n")
    lines += [f"#undef {name}\n" for name in options.undefines if not _is_reserved(name)]
    return "".join(lines).encode("utf-8", "surrogateescape")


def _is_reserved(name: str) -> bool:
    """Macros such as _GNU_SOURCE steer the host's headers, which may be read before the user's macros are."""
    return name.startswith("_")


def macros_path() -> str:
    """Where libclang sees the header of the user's macros."""
    return str(DECLARATIONS / "command_line_macros.h")


def user_arguments(options: ParseOptions) -> list[str]:
    """Macros and forced includes of the command line."""
    arguments = [f"-D{name}" for name in options.defines if _is_reserved(name)]
    arguments += [f"-U{name}" for name in options.undefines if _is_reserved(name)]
    if user_macros(options):
        arguments += ["-include", macros_path()]
    for name in options.forced_includes:
        path = options.absolute(name)
        arguments += ["-include", path if Path(path).is_file() else name]
    return arguments

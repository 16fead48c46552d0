"""One nvcc command line as a frozen value, read for information only: nvcc itself gets the user's own argv.

Unknown options never fail here; what nvcc would reject, nvcc rejects.
"""

from __future__ import annotations

import re
import shlex
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import Enum
from pathlib import Path

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.nvcc.archs import Architectures, architectures
from gpuopt_driver.nvcc.inputs import STDIN, Input, InputKind, kind_of
from gpuopt_driver.nvcc.options import Arity, Option, match
from gpuopt_driver.nvcc.tokens import GpuoptOptions, expand, split_gpuopt, split_list, unquote, with_environment


class Phase(Enum):
    """Up to where nvcc goes; the value is the short option (or "link" for the default)."""

    DEPENDENCIES = "M"
    PREPROCESS = "E"
    OPTIX_IR = "optix-ir"
    LTO_IR = "ltoir"
    PTX = "ptx"
    CUBIN = "cubin"
    FATBIN = "fatbin"
    CUDA = "cuda"
    SYNTAX = "fdevice-syntax-only"
    DEVICE_COMPILE = "dc"
    COMPILE = "c"
    DEVICE_LINK = "dlink"
    LIBRARY = "lib"
    RUN = "run"
    LINK = "link"
    INFO = "info"


DEVICE_ONLY = frozenset({Phase.OPTIX_IR, Phase.LTO_IR, Phase.PTX, Phase.CUBIN, Phase.FATBIN, Phase.SYNTAX})
COMPILING = frozenset({Phase.COMPILE, Phase.DEVICE_COMPILE, Phase.LINK, Phase.LIBRARY, Phase.RUN})  # host code, too
LINKING = frozenset({Phase.LINK, Phase.RUN, Phase.LIBRARY, Phase.DEVICE_LINK})

# Where several are given the earliest stage wins; these are the options of each phase in that order.
_PHASES: tuple[tuple[Phase, tuple[str, ...]], ...] = (
    (Phase.INFO, ("help", "version", "list-gpu-arch", "list-gpu-code")),
    (Phase.DEPENDENCIES, ("generate-dependencies", "generate-nonsystem-dependencies")),
    (Phase.PREPROCESS, ("preprocess",)),
    (Phase.OPTIX_IR, ("optix-ir",)),
    (Phase.LTO_IR, ("ltoir",)),
    (Phase.PTX, ("ptx",)),
    (Phase.CUBIN, ("cubin",)),
    (Phase.FATBIN, ("fatbin",)),
    (Phase.CUDA, ("cuda",)),
    (Phase.SYNTAX, ("fdevice-syntax-only",)),
    (Phase.DEVICE_COMPILE, ("device-c",)),
    (Phase.COMPILE, ("compile", "device-w")),
    (Phase.DEVICE_LINK, ("device-link",)),
    (Phase.LIBRARY, ("lib",)),
    (Phase.RUN, ("run",)),
)


_DIALECT = re.compile(r"c\+\+(?:03|1\w|2\w)")


@dataclass(frozen=True, slots=True)
class Given:
    """One option as it was given; lists are split into several."""

    option: Option
    value: str


@dataclass(frozen=True, slots=True)
class NvccCommand:
    """A command line. Paths are as written (relative ones are relative to `cwd`) unless said otherwise."""

    argv: tuple[str, ...]  # without argv[0], as called
    argv_for_nvcc: tuple[str, ...]  # the same without our own options
    cwd: str
    gpuopt: GpuoptOptions
    phase: Phase
    inputs: tuple[Input, ...]
    architectures: Architectures
    given: tuple[Given, ...] = field(default=(), repr=False)
    unknown: tuple[str, ...] = ()  # options that are not in the table, in order
    problem: str = ""  # what is wrong with the arguments as such, in nvcc's words; nvcc will say so itself

    def has(self, *names: str) -> bool:
        """Whether one of these options (long names) was given."""
        return any(item.option.name in names for item in self.given)

    def values(self, name: str) -> tuple[str, ...]:
        """All values of an option (long name), in order."""
        return tuple(item.value for item in self.given if item.option.name == name)

    def value(self, name: str, default: str = "") -> str:
        """The value of an option that counts: the last one."""
        return next((item.value for item in reversed(self.given) if item.option.name == name), default)

    def path(self, name: str) -> str:
        """A path made absolute against the working directory (symbolic links are kept)."""
        return str(Path(self.cwd, name))

    @property
    def cuda_inputs(self) -> tuple[Input, ...]:
        """The inputs that are compiled as CUDA from a file (that of `nvcc/stdin.py` for standard input)."""
        return tuple(item for item in self.inputs if item.kind is InputKind.CUDA and (item.kept or not item.is_stdin))

    @property
    def link_inputs(self) -> tuple[str, ...]:
        """Objects, archives and shared libraries named as inputs."""
        kinds = (InputKind.OBJECT, InputKind.LIBRARY)
        return tuple(item.path for item in self.inputs if item.kind in kinds)

    @property
    def output(self) -> str:
        """`-o`, "" if not given."""
        return self.value("output-file")

    @property
    def output_directory(self) -> str:
        """`-odir`, "" if not given."""
        return self.value("output-directory")

    @property
    def include_dirs(self) -> tuple[str, ...]:
        """`-I`."""
        return self.values("include-path")

    @property
    def system_dirs(self) -> tuple[str, ...]:
        """`-isystem`."""
        return self.values("system-include")

    @property
    def defines(self) -> tuple[str, ...]:
        """`-D`, as `NAME` or `NAME=text`."""
        return self.values("define-macro")

    @property
    def undefines(self) -> tuple[str, ...]:
        """`-U`."""
        return self.values("undefine-macro")

    @property
    def forced_includes(self) -> tuple[str, ...]:
        """`-include`."""
        return self.values("pre-include")

    @property
    def std(self) -> str:
        """The C++ dialect (`c++17`), "" for nvcc's default."""
        return self.value("std")

    @property
    def language(self) -> str:
        """The value of `-x`: "cu", "c++", "c", or "" when file suffixes decide."""
        return self.value("x")

    @property
    def archs(self) -> tuple[int, ...]:
        """Compute capabilities that code is made for, ascending, as 90 for sm_90a; empty for nvcc's default."""
        return self.architectures.numbers

    @property
    def rdc(self) -> bool:
        """Whether device code is relocatable."""
        if self.phase is Phase.DEVICE_COMPILE or self.has("device-c"):
            return True
        return self.value("relocatable-device-code", "false") == "true"

    @property
    def has_host_code(self) -> bool:
        """Whether host code is compiled too; False for -ptx, -cubin, -fatbin, -optix-ir, -ltoir."""
        return self.phase not in DEVICE_ONLY

    @property
    def links(self) -> bool:
        """Whether the command ends in a program, a library or a device link."""
        return self.phase in LINKING

    @property
    def host_compiler(self) -> str:
        """`-ccbin`: a directory, a name or a path; "" if not given."""
        return unquote(self.value("compiler-bindir"))

    @property
    def compiler_options(self) -> tuple[str, ...]:
        """What reaches the host compiler through `-Xcompiler`, as separate arguments, and through forwarding."""
        words = [word for value in self.values("compiler-options") for word in _shell_words(value)]
        if self.has("forward-unknown-to-host-compiler", "forward-unknown-opts"):
            words.extend(self.unknown)
        return tuple(words)

    @property
    def load_cache(self) -> str:
        """What `-Xptxas -dlcm=` says of global loads: "ca" (kept in L1), "cg" (not), "" for the GPU's own way."""
        said = ""
        words = iter(word for value in self.values("ptxas-options") for word in _shell_words(value))
        for word in words:
            name, is_given, value = word.lstrip("-").partition("=")
            if name in ("dlcm", "def-load-cache"):
                said = value if is_given else next(words, "")
        return said

    @property
    def per_thread_stream(self) -> bool:
        """Whether the null stream is that of the calling thread."""
        asked = [name.partition("=")[0] for name in self.defines]
        return self.value("default-stream") == "per-thread" or "CUDA_API_PER_THREAD_DEFAULT_STREAM" in asked

    @property
    def linker_options(self) -> tuple[str, ...]:
        """What reaches the host linker through `-Xlinker`."""
        return self.values("linker-options")

    @property
    def libraries(self) -> tuple[str, ...]:
        """`-l`, without the prefix."""
        return self.values("library")

    @property
    def library_dirs(self) -> tuple[str, ...]:
        """`-L`."""
        return self.values("library-path")

    @property
    def shared(self) -> bool:
        """`-shared`."""
        return self.has("shared")

    @property
    def optimization(self) -> str:
        """The level of `-O`, "" if not given."""
        return self.value("optimize")

    @property
    def debug(self) -> bool:
        """`-g`: host debug information."""
        return self.has("debug")

    @property
    def device_debug(self) -> bool:
        """`-G`: device debug information, device code is not optimized."""
        return self.has("device-debug")

    @property
    def line_info(self) -> bool:
        """`-lineinfo`."""
        return self.has("generate-line-info")

    @property
    def max_registers(self) -> int | None:
        """`-maxrregcount` (registers per thread), None if not given or not a number."""
        text = self.value("maxrregcount")
        return int(text) if text.isdigit() else None

    @property
    def depfile(self) -> str:
        """`-MF`, "" if not given."""
        return self.value("dependency-output")

    @property
    def depfile_target(self) -> str:
        """`-MT`, "" if not given."""
        return self.value("dependency-target-name")

    @property
    def writes_depfile(self) -> bool:
        """`-MD` or `-MMD`."""
        return self.has("generate-dependencies-with-compile", "generate-nonsystem-dependencies-with-compile")

    @property
    def is_built(self) -> bool:
        """Whether nvcc itself compiles host and device code."""
        return self.phase in COMPILING and not self.dryrun

    @property
    def dryrun(self) -> bool:
        """Whether nvcc only prints its steps."""
        return self.has("dryrun")

    @property
    def verbose(self) -> bool:
        """`-v`."""
        return self.has("verbose")

    @property
    def keep(self) -> bool:
        """Whether intermediate files are kept."""
        return self.has("keep", "save-temps")

    @property
    def cleans(self) -> bool:
        """`-clean`: outputs are deleted instead of made."""
        return self.has("clean-targets")


def _shell_words(text: str) -> list[str]:
    """The arguments that the shell makes of an option that nvcc hands on."""
    try:
        return shlex.split(text)
    except ValueError:
        return [text]


def _phase(names: frozenset[str]) -> Phase:
    return next((phase for phase, options in _PHASES if names.intersection(options)), Phase.LINK)


def _given(option: Option, value: str) -> tuple[Given, ...]:
    if option.arity is not Arity.LIST or option.name == "generate-code":
        return (Given(option, value),)
    items = split_list(value, escapes=option.escapes)
    return tuple(Given(option, item if option.quotes else item.replace('"', "")) for item in items)


def parse_command(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> NvccCommand:
    """Read a command line (without argv[0]); UsageError only for a `--gpuopt-*` option that does not exist."""
    gpuopt, argv_for_nvcc = split_gpuopt(argv, env)
    given: list[Given] = []
    unknown: list[str] = []
    paths: list[str] = []
    unreadable: list[str] = []
    problems: list[str] = []
    words = deque(expand(with_environment(argv_for_nvcc, env), cwd, unreadable))
    while words:
        argument = words.popleft()
        if not argument.startswith("-") or argument == STDIN:
            paths.append(argument)
            continue
        found = match(argument)
        if found is None:
            unknown.append(argument)
            continue
        option, value = found
        if option.arity is Arity.FLAG:
            given.append(Given(option, ""))
            continue
        if value is None and option.arity is Arity.OPTIONAL and (not words or words[0].startswith("-")):
            value = ""
        elif value is None:
            value = words.popleft() if words else None
        if value is None:
            problems.append(f"argument expected after '{argument}'")
        elif option.name == "std" and not _DIALECT.fullmatch(value):
            problems.append(f"Value '{value}' is not defined for option 'std'")
        else:
            given.extend(_given(option, value))
    language = next((item.value for item in reversed(given) if item.option.name == "x"), "")
    return NvccCommand(
        argv=tuple(argv),
        argv_for_nvcc=argv_for_nvcc,
        cwd=cwd,
        gpuopt=gpuopt,
        phase=_phase(frozenset(item.option.name for item in given)),
        inputs=tuple(Input(path, str(Path(cwd, path)), kind_of(path, language)) for path in paths),
        architectures=architectures(
            next((item.value for item in reversed(given) if item.option.name == "gpu-architecture"), ""),
            tuple(item.value for item in given if item.option.name == "gpu-code"),
            tuple(item.value for item in given if item.option.name == "generate-code"),
        ),
        given=tuple(given),
        unknown=tuple(unknown),
        problem=next(iter([*(f"Could not open options file '{file}'" for file in unreadable), *problems]), ""),
    )

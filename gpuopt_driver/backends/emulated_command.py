"""Which command lines the emulator takes: not what nvcc rejects, and not what makes GPU code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gpuopt_driver.errors import UsageError
from gpuopt_driver.nvcc.command import DEVICE_ONLY, NvccCommand, Phase
from gpuopt_driver.nvcc.inputs import Input, InputKind

_GPU_CODE = (InputKind.PTX, InputKind.CUBIN, InputKind.FATBIN)
_OBJECTS = (InputKind.OBJECT, InputKind.LIBRARY)
_ONE_OUTPUT = frozenset({Phase.COMPILE, Phase.DEVICE_COMPILE, Phase.CUDA})
_DEPENDENCIES = (
    "generate-dependencies",
    "generate-nonsystem-dependencies",
    "generate-dependencies-with-compile",
    "generate-nonsystem-dependencies-with-compile",
)


class Rejected(UsageError):
    """A command line that nvcc rejects too, with the same exit status."""

    status = 1


def stem(source: Input) -> str:
    """What outputs are named after."""
    return "stdin" if source.kept or source.is_stdin else Path(source.path).stem


def _reject(command: NvccCommand) -> None:
    """Raise for what nvcc does not take, in its words."""
    if command.problem:
        raise Rejected(command.problem)
    if command.unknown and not command.has("forward-unknown-to-host-compiler", "forward-unknown-opts"):
        raise Rejected(f"Unknown option '{command.unknown[0]}'")
    if command.language not in ("", "c", "c++", "cu"):
        raise Rejected(f"Value '{command.language}' is not defined for option 'x'")
    if not command.inputs:
        raise Rejected("No input files specified; use option --help for more information")
    strange = next((item.path for item in command.inputs if item.kind is InputKind.UNKNOWN), None)
    if strange is not None:
        raise Rejected(f"Don't know what to do with '{strange}'")
    sources = [item for item in command.inputs if item.kind not in _OBJECTS]
    if command.phase in _ONE_OUTPUT and command.output and len(sources) > 1:
        raise Rejected("A single input file is required for a non-link phase when an outputfile is specified")
    if command.depfile and not command.has(*_DEPENDENCIES):
        raise Rejected("Option '--dependency-file' requires one of '-M', '-MM', '-MD' or '-MMD' to be specified")


def accepted(command: NvccCommand) -> NvccCommand:
    """The command with a kept standard input as a file like others; UsageError for what cannot be built on the CPU."""
    if command.phase in DEVICE_ONLY and command.phase is not Phase.SYNTAX:
        raise UsageError(f"-{command.phase.value} makes GPU code, the emulator cannot; use --gpuopt-backend=nvcc")
    _reject(command)
    binary = next((item.path for item in command.inputs if item.kind in _GPU_CODE), None)
    if binary is not None:
        raise UsageError(f"{binary}: the emulator cannot use GPU code; build from the CUDA source")
    inputs = tuple(replace(item, path=item.absolute) if item.kept else item for item in command.inputs)
    return replace(command, inputs=inputs)


def outputs(command: NvccCommand) -> tuple[str, ...]:
    """What the command makes, as paths relative to its working directory: what `-clean` deletes."""
    if command.output:
        return (command.output,)
    sources = [item for item in command.inputs if item.kind not in _OBJECTS]
    if command.phase in (Phase.COMPILE, Phase.DEVICE_COMPILE):
        return tuple(str(Path(command.output_directory, f"{stem(item)}.o")) for item in sources)
    if command.phase is Phase.CUDA:
        return tuple(f"{Path(item.path).name}.cpp.ii" for item in sources)
    named = {Phase.LIBRARY: "a.a", Phase.DEVICE_LINK: "a_dlink.o", Phase.LINK: "a.out", Phase.RUN: "a.out"}
    return (named[command.phase],) if command.phase in named else ()

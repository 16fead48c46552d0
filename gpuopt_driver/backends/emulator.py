"""Building for the CPU: an nvcc command line as steps of the host compiler."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from gpuopt_driver import __version__
from gpuopt_driver.arch.load import load_all
from gpuopt_driver.backends.emulated_command import accepted, outputs, stem
from gpuopt_driver.backends.host_options import depfile_options, toolchain_for
from gpuopt_driver.backends.launch_side_emulated import with_assembly
from gpuopt_driver.backends.process import ended_tidily
from gpuopt_driver.backends.watch import Watch
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.mirror import mirror
from gpuopt_driver.emulator.runtime import runtime_library
from gpuopt_driver.emulator.standin import (
    HEADERS_SUFFICE,
    SYSTEM_LIBRARIES,
    VERSION,
    announcement,
    current_stand_in,
    link_options,
    replayable,
)
from gpuopt_driver.emulator.toolchain import CUDA_VERSION, Toolchain
from gpuopt_driver.emulator.unit import (
    compile_cuda,
    compile_host,
    preprocess,
    rewrite_file,
    with_device_pass,
)
from gpuopt_driver.nvcc.command import NvccCommand, Phase
from gpuopt_driver.nvcc.inputs import Input, InputKind

# The runtime library stands for these.
_OURS = frozenset({"cudart", "cudart_static", "cudadevrt", "cuda", *HEADERS_SUFFICE})
_LANGUAGES = {InputKind.C: "c", InputKind.CXX: "c++", InputKind.PREPROCESSED: "c++-cpp-output"}
_LANGUAGES |= {InputKind.ASSEMBLY: "assembler"}


@dataclass(frozen=True, slots=True)
class Job:
    """One command line to be built."""

    toolchain: Toolchain
    command: NvccCommand
    patched: Mapping[str, bytes]
    on_failure: Callable[[], None]
    stand_in: str = ""  # the root of the toolkit that this build speaks of, "" where it speaks of none


@dataclass(frozen=True, slots=True)
class _Object:
    """An object to make from an input."""

    source: Input
    path: str


def _object_path(command: NvccCommand, source: Input) -> str:
    """Where `-c` puts the object of a source."""
    if command.output:
        return command.output
    return str(Path(command.output_directory, f"{stem(source)}.o"))


def _compile_patched(job: Job, item: _Object, scratch: Path) -> bool:
    """Compile the patched copy of a source; False where there is none or, after `on_failure`, it does not compile."""
    patched = with_assembly(job.command, job.toolchain, job.patched)
    copy = mirror(job.toolchain, item.source.path, patched, scratch)
    if copy is None:
        return False
    with tempfile.TemporaryFile() as messages:
        toolchain = replace(copy.toolchain, messages=messages.fileno())
        status = compile_cuda(toolchain, copy.source, item.path, scratch)
        if status == 0:
            messages.seek(0)
            sys.stderr.buffer.write(messages.read())
            sys.stderr.flush()
            return True
    job.on_failure()
    return False


def _compile(job: Job, item: _Object, target: str) -> int:
    options = depfile_options(job.command, target)
    toolchain, source = job.toolchain, item.source
    if source.kind is not InputKind.CUDA:
        return compile_host(toolchain, _LANGUAGES[source.kind], source.path, item.path, *options)
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        if job.patched and not toolchain.dry and _compile_patched(job, item, Path(scratch)):
            # The dependencies are those of the user's own files.
            return preprocess(toolchain, source.path, os.devnull, *options) if options else 0
        return compile_cuda(toolchain, source.path, item.path, Path(scratch), *options)


def _compiled(command: NvccCommand) -> list[Input]:
    """The inputs that are sources."""
    return [item for item in command.inputs if item.kind is InputKind.CUDA or item.kind in _LANGUAGES]


def _to_objects(job: Job) -> int:
    command = job.command
    for source in _compiled(command):
        item = _Object(source, _object_path(command, source))
        status = _compile(job, item, item.path)
        if status:
            return status
    return 0


def _linked_objects(job: Job, scratch: str) -> tuple[int, list[str]]:
    """Compile what is to be compiled; the exit status, and all that is to be linked in the user's order."""
    command = job.command
    target = command.output or "a.out"
    linked: list[str] = []
    sources = _compiled(command)
    for number, source in enumerate(command.inputs):
        if source not in sources:
            linked.append(source.path)
            continue
        item = _Object(source, str(Path(scratch, f"{number}-{stem(source)}.o")))
        status = _compile(job, item, target)
        if status:
            return status, linked
        linked.append(item.path)
    return 0, linked


def _runtime(job: Job) -> tuple[str, ...]:
    """What links a program with the emulator's runtime."""
    if job.stand_in and not job.toolchain.portable:
        return link_options(job.stand_in, job.command.value("cudart"))
    toolchain = job.toolchain
    library = runtime_library(
        toolchain.compiler, toolchain.env, portable=toolchain.portable, gpu=toolchain.gpu, cwd=toolchain.cwd
    )
    return str(library), *SYSTEM_LIBRARIES


def _link(job: Job, linked: list[str], output: str) -> int:
    toolchain, command = job.toolchain, job.command
    libraries = [f"-l{name}" for name in command.libraries if name not in _OURS]
    return toolchain.run(
        toolchain.compiler.path,
        *(["-shared"] if command.shared else []),
        *(option for option in toolchain.generation if not option.startswith("-std=")),
        *linked,
        "-o",
        output,
        *(f"-L{path}" for path in command.library_dirs),
        *(word for option in command.linker_options for word in ("-Xlinker", option)),
        *libraries,
        *_runtime(job),
        "-pthread",
    )


def _program(job: Job) -> int:
    """Link, or make a library, or run what was linked."""
    toolchain, command = job.toolchain, job.command
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        status, linked = _linked_objects(job, scratch)
        if status:
            return status
        if command.phase is Phase.LIBRARY:
            output = command.output or "a.a"
            if not toolchain.dry:
                Path(command.path(output)).unlink(missing_ok=True)
            return toolchain.run("ar", "rcsD", output, *linked)
        running = command.phase is Phase.RUN
        output = command.output or (str(Path(scratch, "a.out")) if running else "a.out")
        status = _link(job, linked, output)
        if status or not running:
            return status
        program = replace(toolchain, marks=())  # which may leave behind what goes on without us
        return program.run(command.path(output), *command.values("run-args"))


def _dependencies(job: Job) -> int:
    toolchain, command = job.toolchain, job.command
    only_user = command.has("generate-nonsystem-dependencies")
    for source in _compiled(command):
        target = command.depfile_target or f"{stem(source)}.o"
        options = ["-MM" if only_user else "-M", "-MT", target]
        if command.has("generate-dependency-targets"):
            options.append("-MP")
        status = preprocess(toolchain, source.path, command.output or command.depfile or "-", *options)
        if status:
            return status
    return 0


def _preprocessed(job: Job) -> int:
    toolchain, command = job.toolchain, job.command
    for source in _compiled(command):
        status = preprocess(toolchain, source.path, command.output or "-")
        if status:
            return status
    return 0


def _as_cpp(job: Job) -> int:
    """`-cuda`: the C++ that a CUDA source becomes."""
    toolchain, command = job.toolchain, job.command
    for source in command.cuda_inputs:
        output = command.output or f"{Path(source.path).name}.cpp.ii"
        with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
            text = str(Path(scratch, "preprocessed.ii"))
            status = preprocess(toolchain, source.path, text)
            status = status or with_device_pass(toolchain, source.path, text, Path(scratch))
            status = status or rewrite_file(toolchain, text, command.path(output))[0]
        if status:
            return status
    return 0


def _checked(job: Job) -> int:
    """`-fdevice-syntax-only`: everything up to an object, which nobody wants."""
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        for source in _compiled(job.command):
            item = _Object(source, str(Path(scratch, "checked.o")))
            status = _compile(job, item, item.path)
            if status:
                return status
    return 0


def _clean(command: NvccCommand) -> int:
    """`-clean`: delete what the command would make."""
    for path in outputs(command):
        Path(command.path(path)).unlink(missing_ok=True)
    return 0


def _device_link(job: Job) -> int:
    """`-dlink`: device code was linked with the host's, so the object is empty."""
    toolchain, command = job.toolchain, job.command
    output = command.output or "a_dlink.o"
    return toolchain.run(toolchain.compiler.path, "-x", "c++", *toolchain.generation, "-c", "/dev/null", "-o", output)


def _information(command: NvccCommand) -> int:
    major, minor = CUDA_VERSION
    if command.has("version"):  # CMake wants the first line word for word, Meson the number behind the last "V"
        text = (
            "nvcc: NVIDIA (R) Cuda compiler driver\n"
            f"is not what this is: gpuopt-nvcc {__version__} stands in for it, programs are built for the CPU\n"
            f"Cuda compilation tools, release {major}.{minor}, V{VERSION}\n"
        )
    elif command.has("help"):
        text = "Usage: gpuopt-nvcc takes nvcc's options and builds for the CPU (emulator); see the documentation\n"
    else:
        prefix = "sm" if command.has("list-gpu-code") else "compute"
        known = {major * 10 + minor for major, minor in (gpu.compute_capability for gpu in load_all())}
        text = "".join(f"{prefix}_{number}\n" for number in sorted(known))
    sys.stdout.write(text)
    sys.stdout.flush()
    return 0


_PHASES = {
    Phase.DEPENDENCIES: _dependencies,
    Phase.PREPROCESS: _preprocessed,
    Phase.CUDA: _as_cpp,
    Phase.SYNTAX: _checked,
    Phase.COMPILE: _to_objects,
    Phase.DEVICE_COMPILE: _to_objects,
    Phase.DEVICE_LINK: _device_link,
    Phase.LIBRARY: _program,
    Phase.RUN: _program,
    Phase.LINK: _program,
}


def build(
    command: NvccCommand,
    patched: Mapping[str, bytes],
    env: Mapping[str, str],
    *,
    host_compiler: str = "",
    gpu: str = "",
    on_failure: Callable[[], None] = lambda: None,
) -> int:
    """Do what the command asks for on the CPU, with these files' bytes in place of the user's; the exit status.

    `host_compiler` and `gpu` are the policy's. A patched source that does not compile says nothing to the user: after
    `on_failure`, its original takes its place.
    """
    if command.phase is Phase.INFO:
        return _information(command)
    toolchain = toolchain_for(command, env, host_compiler, gpu)
    asked = toolchain.verbose or toolchain.dry
    root = current_stand_in(toolchain.compiler, env, needed=asked or command.value("cudart") == "shared")
    if asked:
        toolchain.tell(*announcement(root, env))
    command = accepted(command)
    if toolchain.dry and command.keep and command.phase in (Phase.COMPILE, Phase.DEVICE_COMPILE):
        toolchain.tell(replayable(command.argv, command.cwd, env))
        return 0
    if command.cleans:
        return _clean(command)
    mark = os.memfd_create("gpuopt")
    watch = Watch((mark,))
    try:
        job = Job(replace(toolchain, marks=(mark,)), command, patched, on_failure, root)
        with nullcontext() if command.phase is Phase.RUN else ended_tidily():  # a program that runs heeds them itself
            return _PHASES[command.phase](job)
    finally:
        watch.end()
        os.close(mark)

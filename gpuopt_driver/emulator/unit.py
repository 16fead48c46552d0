"""One CUDA source through the host compiler: preprocess, rewrite, compile."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gpuopt_driver.arch.load import emulated_name
from gpuopt_driver.emulator.compiler import HostCompiler
from gpuopt_driver.emulator.device_pass import join_passes, wants_device_pass
from gpuopt_driver.emulator.kernels import Dialect
from gpuopt_driver.emulator.libraries import explain_missing
from gpuopt_driver.emulator.objects import compile_rewritten, surveyed_beside
from gpuopt_driver.emulator.rewrite import rewrite
from gpuopt_driver.emulator.runtime import INCLUDE, PORTABLE

# As which toolkit the headers present themselves.
CUDA_VERSION = (12, 8)

FUSING = "-ffp-contract=fast"  # of the host compiler: products are rounded with their sums


@dataclass(frozen=True, slots=True)
class Toolchain:
    """What all compilations of a command share."""

    compiler: HostCompiler
    env: Mapping[str, str]
    cwd: str
    preprocessing: tuple[str, ...]  # -D, -U, -I, -isystem, -include as the user gave them
    generation: tuple[str, ...]  # -std, -O, -g and what goes to the host compiler
    relocatable: bool  # -rdc: device functions and variables are shared with other units
    gpu: str  # that the program plays unless told otherwise when it runs
    device_arch: int = 700  # what __CUDA_ARCH__ is in device code
    extended_lambda: bool = False
    host_optimization: str = ""  # -O of the command line, for sources without device code
    portable: bool = False
    verbose: bool = False  # print the steps
    dry: bool = False  # print them only
    arithmetic: tuple[str, ...] = ()  # options for CUDA sources alone: whether a * b + c is fused
    device_target: str = ""  # an extension of the processor's for device code, "" for none
    messages: int | None = None  # descriptor for error output; None: our own

    def run(self, *command: str) -> int:
        """Run one step; returns its exit status."""
        if self.verbose or self.dry:
            self.tell("#$ " + " ".join(_quoted(word) for word in command))
        if self.dry:
            return 0
        try:
            done = subprocess.run(command, cwd=self.cwd, env=dict(self.env), stderr=self.messages, check=False)
            return done.returncode
        except OSError as error:
            self.tell(f"gpuopt: error: {command[0]}: cannot be run: {error.strerror}")
            return 1

    def tell(self, *lines: str) -> None:
        """Write messages to where the compiler's go."""
        self.tell_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))

    def tell_bytes(self, text: bytes) -> None:
        """The same for text that somebody else has written."""
        if self.messages is not None:
            os.write(self.messages, text)
        elif text:
            sys.stderr.write(text.decode("utf-8", "surrogateescape"))
            sys.stderr.flush()

    @property
    def cuda_preprocessing(self) -> tuple[str, ...]:
        """The options under which CUDA sources are preprocessed."""
        major, minor = CUDA_VERSION
        defines = [
            "-D__NVCC__",
            "-D__CUDACC__",
            f"-D__CUDACC_VER_MAJOR__={major}",
            f"-D__CUDACC_VER_MINOR__={minor}",
            "-D__CUDACC_VER_BUILD__=0",
        ]
        if self.relocatable:
            defines.append("-D__CUDACC_RDC__")
        if self.extended_lambda:
            defines.append("-D__CUDACC_EXTENDED_LAMBDA__")
        if self.portable:
            defines.append(PORTABLE)
        if self.device_target:
            defines.append(f'-DGPUOPT_EMU_TARGET="{self.device_target}"')
        return (*defines, "-isystem", str(INCLUDE), "-include", "cuda_runtime.h", *self.preprocessing)


def _quoted(word: str) -> str:
    return f'"{word}"' if " " in word or not word or word.startswith("-L") else word


def preprocess(toolchain: Toolchain, source: str, output: str, *options: str) -> int:
    """Preprocess a CUDA source into a file; `options` are for dependency output."""
    start = (toolchain.compiler.path, "-E", "-x", "c++", *toolchain.generation, *toolchain.cuda_preprocessing)
    status = toolchain.run(*start, *options, source, "-o", output)
    if status:
        quiet = (*start, source, "-o", os.devnull)
        again = subprocess.run(quiet, cwd=toolchain.cwd, env=dict(toolchain.env), capture_output=True, check=False)
        advice = explain_missing(again.stderr)
        toolchain.tell(*([f"gpuopt: error: {advice}"] if advice else []))
    return status


def with_device_pass(toolchain: Toolchain, source: str, preprocessed: str, scratch: Path) -> int:
    """Where the source speaks of `__CUDA_ARCH__`: preprocess it for the device too, and put its device code in."""
    if toolchain.dry or not wants_device_pass(Path(preprocessed).read_bytes(), toolchain.cwd):
        return 0
    for_device = str(scratch / "device.ii")
    defined = replace(toolchain, preprocessing=(f"-D__CUDA_ARCH__={toolchain.device_arch}", *toolchain.preprocessing))
    status = preprocess(defined, source, for_device)
    if status == 0:
        path = Path(preprocessed)
        path.write_bytes(join_passes(path.read_bytes(), Path(for_device).read_bytes()))
    return status


def rewrite_file(toolchain: Toolchain, source: str, output: str, *, fission: bool = True) -> tuple[int, int]:
    """Rewrite preprocessed CUDA; what cannot be translated is reported as the compiler reports errors.

    Returns the exit status and how many kernels were split; with `fission` off none is.
    """
    if toolchain.verbose or toolchain.dry:  # build tools look for -arch among the steps
        arch = f"-arch compute_{toolchain.device_arch // 10}"
        toolchain.tell(f'#$ -- Translate for the CPU: {arch} "{source}" -o "{output}" --')
    if toolchain.dry:
        return 0, 0
    epilogue = (
        '# 1 "<gpuopt>" 3\n'
        'extern "C" { extern __attribute__((weak)) const char gpuopt_emu_default_gpu[];'
        f' const char gpuopt_emu_default_gpu[] = "{emulated_name(toolchain.gpu)}"; }}\n'
    )
    text = Path(source).read_bytes()
    compiler = toolchain.compiler
    fuses = bool(toolchain.device_target) or (compiler.machine == "aarch64" and FUSING in toolchain.arithmetic)
    quick = "-DGPUOPT_EMU_FAST_MATH" in toolchain.preprocessing
    flushes = "-DGPUOPT_EMU_FLUSH" in toolchain.preprocessing
    target = toolchain.device_target.encode()
    dialect = Dialect(target, clang=compiler.is_clang, fuses=fuses, quick=quick, flushes=flushes)
    result = rewrite(
        text, relocatable=toolchain.relocatable, epilogue=epilogue.encode(), fission=fission, dialect=dialect
    )
    toolchain.tell(*result.errors)
    Path(output).write_bytes(result.text)
    surveyed_beside(output).write_bytes(result.surveyed)
    return (1 if result.errors else 0), result.split


def compile_cuda(toolchain: Toolchain, source: str, output: str, scratch: Path, *options: str) -> int:
    """Compile a CUDA source into an object; returns the exit status of the first step that failed, or 0."""
    preprocessed, rewritten = str(scratch / "preprocessed.ii"), str(scratch / "rewritten.ii")
    generating = replace(toolchain, generation=(*toolchain.arithmetic, *toolchain.generation))
    status = preprocess(toolchain, source, preprocessed, *options)
    status = status or with_device_pass(toolchain, source, preprocessed, scratch)
    if status:
        return status
    status, split = rewrite_file(toolchain, preprocessed, rewritten)
    if status or not split:
        return status or compile_rewritten(generating, preprocessed, rewritten, output, scratch)
    with tempfile.TemporaryFile() as messages:
        quiet = replace(generating, messages=messages.fileno())
        if compile_rewritten(quiet, preprocessed, rewritten, output, scratch) == 0:
            messages.seek(0)
            toolchain.tell_bytes(messages.read())
            return 0
    # Errors in kernels are told once, and of the user's own text; should only the split text be wrong, it is left out.
    status, _ = rewrite_file(replace(toolchain, verbose=False), preprocessed, rewritten, fission=False)
    return status or compile_rewritten(generating, preprocessed, rewritten, output, scratch)


def compile_host(toolchain: Toolchain, language: str, source: str, output: str, *options: str) -> int:
    """Compile a C or C++ source into an object."""
    ours = next((option for option in toolchain.generation if option in ("-O0", "-O3")), "")
    rest = list(toolchain.generation)
    rest[rest.index(ours)] = toolchain.host_optimization or "-O0"
    generation = tuple(rest)
    if language == "c":
        generation = tuple(option for option in generation if not option.startswith("-std="))
    return toolchain.run(
        toolchain.compiler.path, "-x", language, *generation, *toolchain.preprocessing, "-isystem", str(INCLUDE),
        *options, "-c", source, "-o", output,
    )  # fmt: skip

"""What all compilations of one command share, and how a step of them is run and shown."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.compiler import HostCompiler
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
    arithmetic: tuple[str, ...] = ()  # options for CUDA sources alone: fused products, aliases
    device_target: str = ""  # extensions of the processor's for device code, "" for none
    messages: int | None = None  # descriptor for error output; None: our own
    marks: tuple[int, ...] = ()  # descriptors that steps inherit, by which they are found should we be killed

    def run(self, *command: str) -> int:
        """Run one step; returns its exit status."""
        if self.verbose or self.dry:
            self.tell("#$ " + " ".join(_quoted(word) for word in command))
        if self.dry:
            return 0
        try:
            return subprocess.run(
                command, cwd=self.cwd, env=dict(self.env), stderr=self.messages, pass_fds=self.marks, check=False
            ).returncode
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
    def vectors(self) -> bool:
        """Whether device code takes the runtime's vector forms of functions: clang++ knows none."""
        return "avx2" in self.device_target and not self.compiler.is_clang and not self.portable

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
        if self.vectors:
            defines.append("-DGPUOPT_EMU_ABREAST")
        return (*defines, "-isystem", str(INCLUDE), "-include", "cuda_runtime.h", *self.preprocessing)


def _quoted(word: str) -> str:
    return f'"{word}"' if " " in word or not word or word.startswith("-L") else word

"""nvcc's options as options of the host compiler."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from gpuopt_driver.arch.choose import EMULATED_GPU, choose
from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.emulator.compiler import HostCompiler, find_host_compiler
from gpuopt_driver.emulator.libraries import BEFORE_CCCL, find_cccl
from gpuopt_driver.emulator.toolchain import FUSING, Toolchain
from gpuopt_driver.nvcc.command import NvccCommand
from gpuopt_driver.variables import is_on

_LOADS = {"ca": 1, "cg": 2}  # as `Kernel.loads` of the runtime


def _generation(command: NvccCommand, compiler: HostCompiler) -> tuple[str, ...]:
    """Options for code generation: -O3 as nvcc has for device code, -G switches it off (-O is for host code)."""
    options = [*compiler.as_usual]
    if command.std:
        early = command.std == "c++20" and 0 < compiler.release < 10  # g++ 9 knows it by this name
        options.append(f"-std={'c++2a' if early else command.std}")
    options.append("-O0" if command.device_debug else "-O3")
    if command.debug or command.device_debug or command.line_info:
        options.append("-g")
    if command.has("profile"):
        options.append("-pg")
    if command.has("disable-warnings"):
        options.append("-w")
    return (*options, "-Wno-unknown-pragmas", "-Wno-attributes", *command.compiler_options)


@lru_cache(maxsize=1)
def _processor() -> bytes:
    """What Linux says of this machine's processor."""
    try:
        return Path("/proc/cpuinfo").read_bytes()
    except OSError:
        return b""


def _arithmetic(command: NvccCommand, compiler: HostCompiler) -> tuple[str, ...]:
    """nvcc fuses multiplications with additions unless -fmad=false says otherwise.

    Kernels may read their variables as other types (a float4 as four half2), which C++ leaves undefined.
    """
    aliased = "-fno-strict-aliasing"
    if command.value("fmad", "true") == "false":
        return (aliased, "-ffp-contract=off")
    if compiler.is_clang:
        return (aliased, FUSING)
    # What eight threads copy is as long as a vector; memcpy would copy it in halves, for which the vector then waits.
    loops = "-fno-tree-loop-distribute-patterns"
    # g++ 13 and later leave out chains of them where some processor might be slower.
    always = ("--param=avoid-fma-max-bits=0",) if compiler.machine == "x86_64" else ()
    # From g++ 14 on (to 16.2, at least) `x == y`, `x < y`, `x > y` one after another make it forget NaN.
    ordered = ("--param=relation-block-limit=0", "-fno-thread-jumps") if compiler.release >= 14 else ()
    return (aliased, FUSING, loops, *always, *ordered)


def _device_target(command: NvccCommand, compiler: HostCompiler) -> str:
    """The extensions that device code alone is compiled for: host code is what nvcc's host compiler makes of it."""
    if compiler.machine != "x86_64" or b" fma " not in _processor() or command.value("fmad", "true") == "false":
        return ""
    return "avx2,fma" if b" avx2 " in _processor() else "fma"


def _is_toolkit(command: NvccCommand, directory: str) -> bool:
    """Whether an include directory holds the headers that ours stand for."""
    return Path(command.path(directory), "cuda_runtime_api.h").is_file()


def _preprocessing(command: NvccCommand, env: Mapping[str, str]) -> tuple[str, ...]:
    options = [f"-DGPUOPT_EMU_LOADS={_LOADS[command.load_cache]}"] if command.load_cache in _LOADS else []
    quick = command.has("use_fast_math")
    options += ["-DGPUOPT_EMU_FAST_MATH"] if quick else []
    options += ["-DGPUOPT_EMU_FLUSH"] if quick or command.value("ftz", "false") == "true" else []
    options += [f"-D{item}" for item in command.defines]
    options += [f"-U{item}" for item in command.undefines]
    options += [f"-I{item}" for item in command.include_dirs if not _is_toolkit(command, item)]
    for item in command.system_dirs:
        if not _is_toolkit(command, item):
            options += ["-isystem", item]
    for item in command.forced_includes:
        options += ["-include", item]
    cccl = find_cccl(env)
    if cccl is not None:
        ours = ["-isystem", str(BEFORE_CCCL)] if (cccl / "thrust").is_dir() else []
        options += [*ours, "-isystem", str(cccl)]
    return tuple(options)


def _device_arch(command: NvccCommand, gpu: str, env: Mapping[str, str]) -> int:
    """`__CUDA_ARCH__`: of the code for which GPUs was asked, that which the emulated GPU would run."""
    major, minor = load_arch(gpu, env, command.cwd).compute_capability
    own = 10 * major + minor
    fitting = [number for number in command.archs if number <= own]
    return 10 * max(fitting, default=min(command.archs, default=own))


def _newest_asked_for(command: NvccCommand) -> str:
    """The GPU that decisions are made for, where -arch or -gencode tell it; else the default."""
    choice = choose("auto", command.archs)
    return choice.arch.name if command.archs and choice.stands else EMULATED_GPU


def toolchain_for(command: NvccCommand, env: Mapping[str, str], host_compiler: str, gpu: str) -> Toolchain:
    """The compiler and its options for a command; `host_compiler` and `gpu` are the policy's, "" where it says none."""
    wanted = (
        (command.host_compiler, "-ccbin"),
        (host_compiler, "driver.host_compiler"),
        (env.get("NVCC_CCBIN", ""), "NVCC_CCBIN"),
        (env.get("CXX", ""), "CXX"),
    )
    gpu = _newest_asked_for(command) if gpu in ("", "auto") else gpu
    compiler = find_host_compiler(wanted, env)
    return Toolchain(
        compiler=compiler,
        env=env,
        cwd=command.cwd,
        preprocessing=_preprocessing(command, env),
        generation=_generation(command, compiler),
        arithmetic=_arithmetic(command, compiler),
        device_target=_device_target(command, compiler),
        relocatable=command.rdc,
        gpu=gpu,
        device_arch=_device_arch(command, gpu, env),
        extended_lambda=command.has("extended-lambda", "expt-extended-lambda"),
        host_optimization=f"-O{command.optimization}" if command.optimization else "",
        portable=is_on(env, "GPUOPT_EMU_PORTABLE"),
        verbose=command.verbose,
        dry=command.dryrun,
    )


def depfile_options(command: NvccCommand, target: str) -> tuple[str, ...]:
    """What makes the preprocessor write the dependency file that -MD or -MMD ask for."""
    if not command.writes_depfile:
        return ()
    only_user = command.has("generate-nonsystem-dependencies-with-compile")
    options = ["-MMD" if only_user else "-MD", "-MF", command.depfile or str(Path(target).with_suffix(".d"))]
    options += ["-MT", command.depfile_target or target]
    if command.has("generate-dependency-targets"):
        options.append("-MP")
    return tuple(options)

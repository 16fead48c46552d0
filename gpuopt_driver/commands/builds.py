"""The checks of `gpuopt doctor` that are about building: nvcc, its toolkit, host compilers, the emulator; tried out."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from gpuopt_driver.commands.checks import Check, Wanted, complaint, first_line
from gpuopt_driver.emulator.compiler import find_host_compiler
from gpuopt_driver.emulator.runtime import INCLUDE
from gpuopt_driver.errors import ToolchainError
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.nvcc.find import FROM_WHEELS, RealNvcc, find_nvcc, guarded, is_ours, wheel_directories
from gpuopt_driver.nvcc.host import host_compiler
from gpuopt_driver.nvcc.toolkit import Toolkit, describe_toolkit
from gpuopt_driver.nvcc.wheels import misfits, missing_parts, part_versions
from gpuopt_driver.policy.schema import Policy

_SECONDS = 120  # for nvcc to build a program of three lines
_NVCC = Wanted(
    "nvcc",
    "programs for real GPUs (the nvcc backend)",
    "install the CUDA toolkit, or pip install 'gpuopt-driver[cuda13]', or set GPUOPT_NVCC",
)
_WHEELS_REMEDY = "pip install 'gpuopt-driver[cuda13]' brings parts that fit"
_TOOLKIT = Wanted("toolkit", "programs that use what is missing", "install the whole toolkit")
_HEADERS = Wanted(
    "toolkit headers",
    "analysing sources that use the toolkit's libraries (our own declarations serve for the rest)",
    "install the toolkit's headers (cuda_runtime.h)",
)
_TRIAL = Wanted("nvcc build", "programs for real GPUs", "choose another host compiler with NVCC_CCBIN")
_COMPILER = Wanted("host compiler", "every build", "install g++ or clang++ and put it into PATH")
_EMULATOR = Wanted("emulator", "programs for the CPU (the emulator backend)", "install g++ 9 or later, or clang++")

# What of a toolkit is for what; of several places one must be there.
_PARTS = (
    (("bin/ptxas",), "GPU code"),
    (("nvvm/bin/cicc", "bin/cicc"), "GPU code"),
    (("bin/nvlink",), "device functions in other files"),
    (("bin/fatbinary",), "GPU code in programs"),
    (("bin/crt/link.stub",), "device functions in other files"),
    (("nvvm/libdevice/libdevice.10.bc",), "mathematical functions"),
    (("lib64/libcudart_static.a", "lib/libcudart_static.a"), "linking"),
    (("lib64/libcudadevrt.a", "lib/libcudadevrt.a"), "device functions in other files"),
    (("lib64/libcudart.so", "lib/libcudart.so"), "-cudart shared, CMake's CUDAToolkit"),
)
_PROGRAM = "__global__ void kernel(int *p) { *p = 1; }\nint main() { kernel<<<1, 1>>>(0); return 0; }\n"


def checks_of_builds(env: Mapping[str, str], policy: Policy) -> tuple[list[Check], Toolkit | None]:
    """The checks in the order in which they are shown, and the toolkit that was found."""
    nvcc, toolkit, check = _nvcc(env, policy)
    compiler = _host_compiler(env, policy)
    checks = [check, _toolkit(toolkit), _headers(toolkit), compiler]
    if nvcc is not None and toolkit is not None:
        checks.append(_trial(nvcc, env))
    return [*checks, _emulator(env, policy)], toolkit


def _nvcc(env: Mapping[str, str], policy: Policy) -> tuple[RealNvcc | None, Toolkit | None, Check]:
    try:
        nvcc = find_nvcc(env, policy.driver.nvcc, str(policy.origins.get("driver.nvcc", "driver.nvcc")))
        if nvcc is None:
            return None, None, _NVCC.missing(_why_none(env, policy))
        toolkit = describe_toolkit(nvcc, env)
    except ToolchainError as error:
        return None, None, _NVCC.missing(str(error))
    said = f"{toolkit.full_version}, {nvcc.path} (from {nvcc.origin})"
    if FROM_WHEELS in nvcc.origin:
        for package in wheel_directories():
            versions = part_versions(package)
            if versions.get("nvidia-cuda-nvcc", "").startswith(toolkit.full_version) and misfits(versions):
                problem = f"{said}: other releases beside it: {', '.join(misfits(versions))}"
                return nvcc, toolkit, _NVCC.missing(problem, _WHEELS_REMEDY)
    return nvcc, toolkit, _NVCC.found(said)


def _why_none(env: Mapping[str, str], policy: Policy) -> str:
    """Why no nvcc was found, for all that might be taken for one."""
    if "none" in (env.get("GPUOPT_NVCC"), policy.driver.nvcc):
        return "switched off (GPUOPT_NVCC or driver.nvcc is none)"
    reasons = ["none in PATH, CUDA_HOME, /usr/local or Python's packages"]
    own = shutil.which("nvcc", path=env.get("PATH"))
    if own is not None and is_ours(own):
        reasons.append(f"{own} is gpuopt-nvcc")
    for package in wheel_directories():
        if missing := missing_parts(package):
            reasons.append(f"{package} lacks {', '.join(missing)}")  # noqa: PERF401 - what is missing is named once
    return "; ".join(reasons)


def _toolkit(toolkit: Toolkit | None) -> Check:
    if toolkit is None:
        return _TOOLKIT.missing("no nvcc", _NVCC.remedy)
    root = Path(toolkit.root)
    lacking = [
        f"{places[0]} ({purpose})" for places, purpose in _PARTS if not any((root / place).exists() for place in places)
    ]
    if lacking:
        return _TOOLKIT.missing(f"{root} lacks {', '.join(lacking)}")
    return _TOOLKIT.found(str(root))


def _headers(toolkit: Toolkit | None) -> Check:
    if toolkit is None:
        return _HEADERS.missing("no toolkit")
    if not toolkit.runtime_header_dir:
        return _HEADERS.missing(f"no cuda_runtime.h in {', '.join(toolkit.include_dirs) or toolkit.root}")
    return _HEADERS.found(toolkit.runtime_header_dir)


def _host_compiler(env: Mapping[str, str], policy: Policy) -> Check:
    """Every host compiler that can be run; first the one that the environment or the policy names, else nvcc's."""
    named = policy.driver.host_compiler or env.get("NVCC_CCBIN", "")
    own = host_compiler(parse_command(["-c", "x.cu"], env, os.curdir), env)
    wanted = [named] if named else [own or "", "g++", "c++", "clang++"]
    paths: dict[str, str] = {}
    for name in filter(None, wanted):
        if path := shutil.which(name, path=env.get("PATH")):
            paths.setdefault(os.path.realpath(path), path)
    found = {path: version for path in paths.values() if (version := first_line([path, "--version"]))}
    if not found:
        return _COMPILER.missing(f"{named}: cannot be run" if named else "none in PATH")
    return _COMPILER.found("; ".join(f"{version}, {path}" for path, version in found.items()))


def _trial(nvcc: RealNvcc, env: Mapping[str, str]) -> Check:
    """A small program through nvcc and the host compiler."""
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        Path(scratch, "program.cu").write_text(_PROGRAM)
        argv = [nvcc.path, "program.cu", "-o", "program"]
        problem = complaint(argv, guarded(env, nvcc.path), scratch, _SECONDS)
    return _TRIAL.missing(problem) if problem else _TRIAL.found("compiles and links (tried)")


def _emulator(env: Mapping[str, str], policy: Policy) -> Check:
    """Whether a host compiler takes the emulator's headers."""
    wanted = (
        (policy.driver.host_compiler, "driver.host_compiler"),
        (env.get("NVCC_CCBIN", ""), "NVCC_CCBIN"),
        (env.get("CXX", ""), "CXX"),
    )
    try:
        compiler = find_host_compiler(wanted, env)
    except ToolchainError as error:
        return _EMULATOR.missing(str(error))
    argv = [compiler.path, "-std=c++17", "-fsyntax-only", "-isystem", str(INCLUDE), "-include", "cuda_runtime.h"]
    problem = complaint([*argv, "-x", "c++", os.devnull], env, os.curdir, _SECONDS)
    if not problem and shutil.which("ar", path=env.get("PATH")) is None:
        return _EMULATOR.missing("no ar in PATH", "install binutils")
    return _EMULATOR.missing(problem) if problem else _EMULATOR.found(f"{compiler.path} takes its headers (tried)")

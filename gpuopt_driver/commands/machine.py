"""The checks of `gpuopt doctor`. Each looks at one thing, and says what does not work without it and what to do."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuopt_driver import __version__
from gpuopt_driver.cache import Cache
from gpuopt_driver.errors import GpuoptError, ToolchainError
from gpuopt_driver.frontend import libclang
from gpuopt_driver.installation import disabled_names
from gpuopt_driver.nvcc.find import find_nvcc
from gpuopt_driver.nvcc.overlay import OverlayUnavailable, mechanism_here
from gpuopt_driver.nvcc.toolkit import Toolkit, describe_toolkit
from gpuopt_driver.plugins import load_plugins
from gpuopt_driver.policy import check_plugins, load_policy
from gpuopt_driver.policy.schema import Policy

_SECONDS = 20  # a program that needs longer to say its version does not work
_GPU_QUERY = ("--query-gpu=name,compute_cap,driver_version", "--format=csv,noheader")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked for. `detail` says what was found, or why it does not serve."""

    name: str
    found: bool
    detail: str
    needed_for: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a check looks for, before it is known whether it is there."""

    name: str
    needed_for: str = ""
    remedy: str = ""

    def found(self, detail: str) -> Check:
        return Check(self.name, found=True, detail=detail, needed_for=self.needed_for, remedy=self.remedy)

    def missing(self, why: str) -> Check:
        return Check(self.name, found=False, detail=why, needed_for=self.needed_for, remedy=self.remedy)


_GPUOPT = _Wanted("gpuopt")
_POLICY = _Wanted(
    "policy", "building in this directory", "correct it; `gpuopt init` writes a valid one to compare with"
)
_PLUGINS = _Wanted("plugins", "optimizing (programs are built without)", "reinstall the distribution")
_LIBCLANG = _Wanted("libclang", "analysing sources (programs are built without)", "pip install 'libclang>=18.1,<19'")
_NVCC = _Wanted(
    "nvcc",
    "programs for real GPUs (the nvcc backend)",
    "install the CUDA toolkit, or pip install nvidia-cuda-nvcc, or set GPUOPT_NVCC",
)
_HEADERS = _Wanted(
    "toolkit headers",
    "analysing sources that use the toolkit's libraries (our own declarations serve for the rest)",
    "install the toolkit's headers (cuda_runtime.h)",
)
_COMPILER = _Wanted("host compiler", "every build", "install g++ or clang++ and put it into PATH")
_OVERLAY = _Wanted(
    "patched sources",
    "handing patched sources to nvcc (programs are built unpatched without)",
    "use a dynamically linked gcc or clang, or allow user namespaces (docs/overlay.md)",
)
_CACHE = _Wanted("cache", "patched sources and fast repeated builds", "set GPUOPT_CACHE_DIR to a writable directory")
_GPU = _Wanted(
    "GPU",
    "running programs built by nvcc here (building needs none, nor do emulated programs)",
    "install the NVIDIA driver",
)


def checks_of_machine(env: Mapping[str, str] = os.environ) -> list[Check]:
    """Every check, in the order in which they are shown."""
    policy, policy_check = _policy(env)
    toolkit, nvcc = _nvcc(env, policy)
    compiler, compiler_path = _host_compiler(env, policy)
    return [
        _GPUOPT.found(f"{__version__} on Python {platform.python_version()}, {platform.machine()}"),
        policy_check,
        _plugins(),
        _libclang(),
        nvcc,
        _headers(toolkit),
        compiler,
        _overlay(env, toolkit, compiler_path),
        _cache(env),
        _gpu(env),
    ]


def usable_backends(checks: Sequence[Check]) -> dict[str, bool]:
    """Which backends can build programs with what was found."""
    found = {check.name for check in checks if check.found}
    return {
        "nvcc": {"nvcc", "host compiler"} <= found,
        "emulator": "host compiler" in found,
    }


def _policy(env: Mapping[str, str]) -> tuple[Policy, Check]:
    """The policy in force here, held against the plugins that are installed."""
    try:
        policy = load_policy([], env=env)
        plugins = load_plugins()
        absent = {problem.plugin for problem in plugins.problems} | disabled_names()
        check_plugins(policy, [plugin.info for plugin in plugins.loaded], absent)
    except GpuoptError as error:
        return Policy(), _POLICY.missing(str(error))
    return policy, _POLICY.found(policy.path or "built-in defaults (no toolchain.toml here or above)")


def _plugins() -> Check:
    try:
        plugins = load_plugins()
    except GpuoptError as error:
        return _PLUGINS.missing(str(error))
    names = ", ".join(plugins.names) or "none installed"
    if plugins.problems or not plugins.loaded:
        return _PLUGINS.missing("; ".join((names, *(problem.message for problem in plugins.problems))))
    return _PLUGINS.found(names)


def _libclang() -> Check:
    try:
        return _LIBCLANG.found(f"{libclang.version()}, {libclang.library_path()}")
    except ToolchainError as error:
        return _LIBCLANG.missing(str(error))


def _nvcc(env: Mapping[str, str], policy: Policy) -> tuple[Toolkit | None, Check]:
    try:
        nvcc = find_nvcc(env, policy.driver.nvcc)
        if nvcc is None:
            return None, _NVCC.missing("none in PATH, CUDA_HOME, /usr/local or Python's packages")
        toolkit = describe_toolkit(nvcc, env)
    except ToolchainError as error:
        return None, _NVCC.missing(str(error))
    return toolkit, _NVCC.found(f"{toolkit.full_version}, {nvcc.path} (from {nvcc.origin})")


def _headers(toolkit: Toolkit | None) -> Check:
    if toolkit is None:
        return _HEADERS.missing("no toolkit")
    if not toolkit.runtime_header_dir:
        return _HEADERS.missing(f"no cuda_runtime.h in {', '.join(toolkit.include_dirs) or toolkit.root}")
    return _HEADERS.found(toolkit.runtime_header_dir)


def _host_compiler(env: Mapping[str, str], policy: Policy) -> tuple[Check, str]:
    """The check, and the compiler's path ("" without one)."""
    named = policy.driver.host_compiler or env.get("NVCC_CCBIN", "")
    for name in (named,) if named else ("g++", "c++", "clang++", "gcc"):
        path = shutil.which(name, path=env.get("PATH"))
        version = _first_line([path, "--version"]) if path else None
        if path and version:
            return _COMPILER.found(f"{version}, {path}"), path
    return _COMPILER.missing(f"{named}: cannot be run" if named else "none in PATH"), ""


def _overlay(env: Mapping[str, str], toolkit: Toolkit | None, compiler: str) -> Check:
    """How nvcc's host compiler gets to see patched copies, by trying it."""
    if not compiler:
        return _OVERLAY.missing("needs a host compiler")
    try:
        return _OVERLAY.found(mechanism_here(env, str(Path.cwd()), toolkit.nvcc if toolkit else ""))
    except (OverlayUnavailable, OSError) as error:
        return _OVERLAY.missing(str(error))


def _cache(env: Mapping[str, str]) -> Check:
    cache = Cache.find(env)
    if cache is None:
        return _CACHE.missing("no writable directory")
    wanted = env.get("GPUOPT_CACHE_DIR")
    if wanted and cache.root != Path(wanted).absolute():
        return _CACHE.missing(f"GPUOPT_CACHE_DIR={wanted} cannot be written; {cache.root} is used")
    return _CACHE.found(str(cache.root))


def _gpu(env: Mapping[str, str]) -> Check:
    program = shutil.which("nvidia-smi", path=env.get("PATH"))
    line = _first_line([program, *_GPU_QUERY]) if program else None
    if line is None:
        return _GPU.missing("nvidia-smi finds none" if program else "no nvidia-smi")
    name, capability, driver = (part.strip() for part in (*line.split(","), "", "")[:3])
    return _GPU.found(f"{name}, compute capability {capability}, driver {driver}")


def _first_line(argv: Sequence[str]) -> str | None:
    """The first line that a program prints, None where it cannot be run or fails."""
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = done.stdout.decode("utf-8", "replace").strip()
    return text.splitlines()[0] if done.returncode == 0 and text else None

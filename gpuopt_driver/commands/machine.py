"""The checks of `gpuopt doctor`. Each looks at one thing, and says what does not work without it and what to do."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Mapping
from pathlib import Path

from gpuopt_driver import __version__
from gpuopt_driver.backends.base import AUTO, EMULATOR, NVCC
from gpuopt_driver.cache import Cache
from gpuopt_driver.commands.builds import checks_of_builds
from gpuopt_driver.commands.checks import Check, Wanted, first_line
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import GpuoptError, ToolchainError
from gpuopt_driver.frontend import libclang
from gpuopt_driver.installation import disabled_names
from gpuopt_driver.nvcc.find import find_nvcc
from gpuopt_driver.nvcc.overlay import OverlayUnavailable, mechanism_here
from gpuopt_driver.nvcc.toolkit import Toolkit
from gpuopt_driver.plugins import load_plugins
from gpuopt_driver.policy import check_plugins, load_policy
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.store import refusals

_GPU_QUERY = ("--query-gpu=name,compute_cap,driver_version", "--format=csv,noheader")


_GPUOPT = Wanted("gpuopt")
_POLICY = Wanted("policy", "building in this directory", "correct it; `gpuopt init` writes a valid one to compare with")
_PLUGINS = Wanted("plugins", "optimizing (programs are built without)", "reinstall the distribution")
_LIBCLANG = Wanted("libclang", "analysing sources (programs are built without)", "pip install 'libclang>=18.1,<19'")
_OVERLAY = Wanted(
    "patched sources",
    "handing patched sources to nvcc (programs are built unpatched without)",
    "use a dynamically linked gcc or clang, or allow user namespaces (docs/overlay.md)",
)
_CACHE = Wanted("cache", "patched sources and fast repeated builds", "set GPUOPT_CACHE_DIR to a writable directory")
_GPU = Wanted(
    "GPU",
    "running programs built by nvcc here (building needs none, nor do emulated programs)",
    "install the NVIDIA driver",
)


@dataclass(frozen=True, slots=True)
class Machine:
    """Every check, in the order in which they are shown, and the backend that builds here would take."""

    checks: tuple[Check, ...]
    backend: str
    wrong: bool = False  # what the user says (policy, GPUOPT_NVCC) is wrong: that ends every build

    @property
    def backends(self) -> dict[str, bool]:
        """Which backends can build programs with what was found."""
        found = {check.name for check in self.checks if check.found}
        if self.wrong:
            return {NVCC: False, EMULATOR: False}
        return {NVCC: {"nvcc", "nvcc build"} <= found, EMULATOR: {"emulator", "cache"} <= found}

    @property
    def can_build(self) -> bool:
        """Whether the backend that would be taken can build."""
        return self.backends[self.backend]


def look_at_machine(env: Mapping[str, str] = os.environ) -> Machine:
    """Look at everything that builds depend on."""
    policy, policy_check = _policy(env)
    builds, toolkit = checks_of_builds(env, policy)
    has_compiler = any(check.found for check in builds if check.name == "host compiler")
    checks = (
        _GPUOPT.found(f"{__version__} on Python {platform.python_version()}, {platform.machine()}"),
        policy_check,
        _plugins(),
        _libclang(),
        *builds,
        _overlay(env, toolkit, has_compiler=has_compiler),
        _cache(env),
        _gpu(env),
    )
    wanted = policy.driver.backend
    taken = wanted if wanted != AUTO else EMULATOR if toolkit is None else NVCC
    return Machine(checks, taken, wrong=not policy_check.found or not _may_look_for_nvcc(env, policy))


def _may_look_for_nvcc(env: Mapping[str, str], policy: Policy) -> bool:
    """Whether looking for nvcc ends without an error, with one or without."""
    try:
        find_nvcc(env, policy.driver.nvcc)
    except ToolchainError:
        return False
    return True


def _policy(env: Mapping[str, str]) -> tuple[Policy, Check]:
    """The policy in force here, held against the plugins that are installed."""
    try:
        policy = load_policy([], env=env)
        plugins = load_plugins()
        absent = {problem.plugin for problem in plugins.problems} | disabled_names()
        check_plugins(policy, [plugin.info for plugin in plugins.loaded], absent)
    except GpuoptError as error:
        return Policy(), _POLICY.missing(str(error))
    if policy.refused:
        return policy, _POLICY.missing(policy.refused)
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


def _overlay(env: Mapping[str, str], toolkit: Toolkit | None, *, has_compiler: bool) -> Check:
    """How nvcc's host compiler gets to see patched copies, by trying it."""
    if not has_compiler:
        return _OVERLAY.missing("needs a host compiler")
    try:
        return _OVERLAY.found(mechanism_here(env, str(Path.cwd()), toolkit.nvcc if toolkit else ""))
    except (OverlayUnavailable, OSError) as error:
        return _OVERLAY.missing(str(error))


def _cache(env: Mapping[str, str]) -> Check:
    refused = refusals(env)
    if refused:
        return _CACHE.missing("; ".join(refused))
    cache = Cache.find(env)
    if cache is None:
        return _CACHE.missing("no writable directory")
    return _CACHE.found(str(cache.root))


def has_gpu(env: Mapping[str, str]) -> bool:
    """Whether this machine has a GPU that answers."""
    return _gpu(env).found


def _gpu(env: Mapping[str, str]) -> Check:
    program = shutil.which("nvidia-smi", path=env.get("PATH"))
    line = first_line([program, *_GPU_QUERY]) if program else None
    if line is None:
        return _GPU.missing("nvidia-smi finds none" if program else "no nvidia-smi")
    name, capability, driver = (part.strip() for part in (*line.split(","), "", "")[:3])
    return _GPU.found(f"{name}, compute capability {capability}, driver {driver}")

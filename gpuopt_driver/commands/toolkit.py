"""`gpuopt toolkit`: a toolkit-shaped directory whose bin/nvcc is ours, for tools that look for a toolkit's root."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path

from gpuopt_driver.backends.base import AUTO, EMULATOR, NVCC, choose_backend
from gpuopt_driver.commands.show import show, show_json, warn
from gpuopt_driver.emulator.standin import stand_in
from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.nvcc.assembly import with_stub
from gpuopt_driver.nvcc.find import RealNvcc, find_nvcc, wheel_directories
from gpuopt_driver.nvcc.shadow import Made, install, read_marker, shadow, uninstall, with_our_nvcc
from gpuopt_driver.nvcc.toolkit import describe_toolkit
from gpuopt_driver.nvcc.wheels import assembled
from gpuopt_driver.policy import load_policy


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("directory", metavar="DIR", help="the directory to make, to bring up to date, or to remove")
    parser.add_argument(
        "--backend",
        choices=(AUTO, NVCC, EMULATOR),
        help="what its nvcc builds with (default: as gpuopt-nvcc does here: nvcc where there is one)",
    )
    parser.add_argument("--remove", action="store_true", help="remove a directory that this command made")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Make, bring up to date, or remove the directory."""
    root = os.path.abspath(arguments.directory)  # noqa: PTH100 - a link is not followed, `..` is
    if arguments.remove:
        uninstall(root)
        _tell(arguments, {"directory": root, "removed": True}, [f"{root}: removed"])
        return 0
    policy = load_policy([], env=os.environ)
    if policy.refused:
        warn(policy.refused)
    nvcc = find_nvcc(os.environ, policy.driver.nvcc, str(policy.origins.get("driver.nvcc", "driver.nvcc")))
    if choose_backend(arguments.backend or policy.driver.backend, nvcc) == EMULATOR:
        entries, made = stand_in(os.environ, policy.driver.host_compiler)
    elif nvcc is None:
        raise GpuoptError("no nvcc found; set GPUOPT_NVCC, or take --backend=emulator")
    else:
        entries, made = _shadow(root, nvcc)
    existed = read_marker(root) is not None
    changed = install(root, entries, made)
    facts = {
        "directory": root,
        "backend": made.backend,
        "nvcc": made.nvcc or None,
        "version": made.version,
        "changed": changed,
        "environment": {"CUDA_HOME": root, "CUDACXX": f"{root}/bin/nvcc", "CUDAToolkit_ROOT": root},
    }
    behind = made.nvcc if made.backend == NVCC else "the emulator"
    state = "is up to date" if not changed else "brought up to date" if existed else "made"
    _tell(arguments, facts, [f"{root}: {state}; bin/nvcc is gpuopt-nvcc, behind it {behind} ({made.version})"])
    return 0


def _shadow(root: str, nvcc: RealNvcc) -> tuple[dict[str, str | bytes], Made]:
    """The entries for the real nvcc's toolkit: not those of a directory of ours, nor of links in the cache."""
    toolkit = describe_toolkit(nvcc, os.environ)
    for package in wheel_directories():
        if nvcc.path == assembled(package, os.environ):
            entries = with_our_nvcc(with_stub(package, os.environ), f"{package}/bin/nvcc", toolkit.full_version)
            return entries, Made(NVCC, f"{package}/bin/nvcc", toolkit.full_version, "", tuple(entries))
    known = read_marker(toolkit.root)
    candidates = (known.nvcc if known else "", f"{toolkit.root}/bin/nvcc", nvcc.path)
    real = next(path for path in candidates if path and os.access(path, os.X_OK))
    if Path(os.path.realpath(root)).is_relative_to(Path(os.path.realpath(real)).parents[1]):
        raise GpuoptError(f"{root}: is in the real toolkit; name a directory outside of it")
    entries = shadow(real, toolkit.runtime_header_dir, toolkit.full_version)
    return entries, Made(NVCC, real, toolkit.full_version, "", tuple(entries))


def _tell(arguments: argparse.Namespace, facts: Mapping[str, object], lines: list[str]) -> None:
    if arguments.json:
        show_json(facts)
    else:
        show(lines)

"""GPU facts as data: one TOML file per GPU, loaded to one frozen `Arch`."""

from __future__ import annotations

from gpuopt_driver.arch.load import arch_for_capability, find_arch, list_archs, load_all, load_arch, read_arch

__all__ = ["arch_for_capability", "find_arch", "list_archs", "load_all", "load_arch", "read_arch"]

"""toolchain.toml: its schema, loading, and the origin of every value."""

from __future__ import annotations

from gpuopt_driver.policy.load import find_policy, load_policy
from gpuopt_driver.policy.options import bind_options, check_plugins, is_enabled, phases_of
from gpuopt_driver.policy.schema import Origin, Policy

__all__ = [
    "Origin",
    "Policy",
    "bind_options",
    "check_plugins",
    "find_policy",
    "is_enabled",
    "load_policy",
    "phases_of",
]

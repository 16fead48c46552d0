"""The policy as frozen values; every value remembers where it was set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from fnmatch import fnmatchcase

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.learning.runtime import DEFAULTS, Learning
from gpuopt_driver.report.model import Json


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was set: a file with its line, an environment variable, a flag, or the built-in default."""

    source: str  # "toolchain.toml", "GPUOPT_GPU", "--gpuopt-gpu", "default"
    line: int = 0

    def __str__(self) -> str:
        return f"{self.source}:{self.line}" if self.line else self.source


DEFAULT = Origin("default")


@dataclass(frozen=True, slots=True)
class DriverPolicy:
    """`[driver]`."""

    backend: str = field(default="auto", metadata={"choices": ("auto", "nvcc", "emulator")})
    nvcc: str = ""  # the real nvcc: a path, a name in PATH, "wheels" or "none"; empty: found
    host_compiler: str = ""  # for the emulator; empty: found
    plugin_seconds: float = field(default=20.0, metadata={"minimum": 0.1, "maximum": 86400.0})  # per plugin and unit
    memory_mb: int = field(default=0, metadata={"minimum": 100, "besides": 0})  # of an analysis; 0: what nvcc takes
    rounding: str = field(default="same", metadata={"choices": ("same", "any")})  # of versions beside their kernels
    verbose: bool = False  # decisions on stderr


@dataclass(frozen=True, slots=True)
class Phase:
    """`[[phase]]`: plugins that see the same source; later phases see the patched source."""

    name: str
    plugins: tuple[str, ...]
    origin: Origin = DEFAULT


@dataclass(frozen=True, slots=True)
class PluginPolicy:
    """`[plugins.NAME]`: whether it runs, and its options as written (checked against its options dataclass).

    `origins` has an entry for every option and for `enabled` where they are written; `table` is the table's header.
    """

    enabled: bool = True
    options: Mapping[str, Json] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    table: Origin = DEFAULT


@dataclass(frozen=True, slots=True)
class KernelRule:
    """`[[kernel]]`: overrides for kernels whose (qualified or plain) name and source path match the globs."""

    name: str = "*"
    source: str = "*"
    plugins: Mapping[str, PluginPolicy] = field(default_factory=dict)
    origin: Origin = DEFAULT

    def matches(self, kernel: str, qualified: str, source: str) -> bool:
        """Whether the rule speaks of this kernel; `source` is an absolute path, the glob may match any tail of it."""
        if not (fnmatchcase(kernel, self.name) or fnmatchcase(qualified, self.name)):
            return False
        return fnmatchcase(source, self.source) or fnmatchcase(source, f"*/{self.source}")


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything that steers a run. `path` is the toolchain.toml in force ("" for built-in defaults)."""

    path: str = ""
    driver: DriverPolicy = DriverPolicy()
    learn: Learning = DEFAULTS
    gpu: str = "auto"  # an arch file's name, or "auto": from -arch, else the default
    phases: tuple[Phase, ...] = ()
    plugins: Mapping[str, PluginPolicy] = field(default_factory=dict)
    kernels: tuple[KernelRule, ...] = ()
    origins: Mapping[str, Origin] = field(default_factory=dict)  # of driver.*, gpu.* and learn.*
    refused: str = ""  # why the toolchain.toml that was found is not in force: what, where, and the way out

    def may_run(self, plugin: str) -> bool:
        """Whether a plugin is on for some kernel."""
        rules = [rule.plugins[plugin] for rule in self.kernels if plugin in rule.plugins]
        says = any(rule.enabled and "enabled" in rule.origins for rule in rules)
        return says or self.plugins.get(plugin, PluginPolicy()).enabled

    def of_plugin(self, plugin: str, kernel: str, qualified: str, source: str) -> PluginPolicy:
        """A plugin's policy for one kernel: the general table, then matching rules in file order."""
        base = self.plugins.get(plugin, PluginPolicy())
        for rule in self.kernels:
            override = rule.plugins.get(plugin)
            if override is not None and rule.matches(kernel, qualified, source):
                says = "enabled" in override.origins or not override.enabled
                base = PluginPolicy(
                    override.enabled if says else base.enabled,
                    {**base.options, **override.options},
                    {**base.origins, **override.origins},
                    base.table,
                )
        return base

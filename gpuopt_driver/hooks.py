"""The hooks, in the order in which they are called. A plugin implements those that it needs.

1. `gpuopt_describe`   once, at load: name, message codes, options.
2. `gpuopt_analyze`    per kernel: look, change nothing; what it returns is handed to the next hook.
3. `gpuopt_propose`    per kernel: findings, edits and variants.
4. `gpuopt_check`      per kernel of the re-parsed patched unit: veto what does not look as intended.

The host calls every plugin alone: an exception, a wrong return type or a run over the time limit leaves out that
plugin for the unit, with one warning; the others and the build go on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

import pluggy

from gpuopt_driver.arch.spec import Arch
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.launch_sites import Launch
from gpuopt_driver.frontend.model import Kernel, Unit
from gpuopt_driver.report.model import Finding
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants.model import Variant, Watch

PROJECT = "gpuopt"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """What `gpuopt_describe` returns.

    `name` is a Python identifier: the table in toolchain.toml and the `plugin` key of the report. `options` is a frozen
    dataclass type whose fields are the plugin's options (bool, int, float, str, or tuples of these; defaults given;
    a `choices` entry in a field's metadata lists the allowed values). `codes` maps each message code to its
    explanation. `only_measured`: all its versions are (`Variant.only_measured`), so that it need not look at kernels
    whose copies are too long for that.
    """

    name: str
    summary: str
    codes: Mapping[str, str]
    options: type[Any] | None = None
    changes_results: bool = False  # True: results may differ (reordered sums); off unless the policy asks for it
    # Whether it has versions on a GPU, with these options, for launches of other files.
    anywhere: Callable[[Arch, Any], bool] | None = None
    figures: Mapping[str, str] = field(default_factory=dict)  # keys of findings' figures to what they mean
    only_measured: bool = False


@dataclass(frozen=True, slots=True)
class Resources:
    """What the device compiler said of a kernel; None where it was not asked."""

    registers: int | None = None  # per thread
    static_shared_bytes: int | None = None
    local_bytes: int | None = None  # per thread, spills and local arrays
    source: str = ""  # "nvcc -Xptxas -v", "assumed"


@dataclass(frozen=True, slots=True)
class Context:
    """What a plugin may know beside the kernel. All of it is frozen; ask for nothing else."""

    unit: Unit
    arch: Arch
    options: Any  # an instance of PluginInfo.options, as the policy sets it for this kernel
    launches: tuple[Launch, ...]
    resources: Resources
    has_host_code: bool  # False for -ptx, -cubin, -fatbin and the like: variants cannot be launched
    undispatchable: str = ""  # why no launch of this kernel in the unit can pick a variant; "" where one can
    elsewhere: bool = False  # whether launches of other files can pick one (`Variant.anywhere`)
    learning: bool = False  # whether launches are measured: `Variant.only_measured` may be proposed
    all_archs: tuple[Arch, ...] = ()  # every GPU that we have figures for, for decisions taken when the program runs


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a plugin wants for one kernel. Edits hold for every launch; variants for the launches their guards pick.

    `watch`: numbers of its launches that the program is to write down. `warnings`: what the user is to be told of the
    policy's words on this kernel, a sentence each; a build says it once.
    """

    findings: tuple[Finding, ...] = ()
    edits: tuple[Edit, ...] = ()
    variants: tuple[Variant, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)  # JSON facts for `gpuopt explain --json`
    watch: Watch | None = None
    warnings: tuple[str, ...] = ()


@hookspec(firstresult=True)
def gpuopt_describe() -> PluginInfo | None:
    """Called once when the plugin is loaded: say who you are."""


@hookspec(firstresult=True)
def gpuopt_analyze(kernel: Kernel, context: Context) -> Any:
    """Called per kernel before any plugin of the phase proposes: return your facts, any value."""


@hookspec(firstresult=True)
def gpuopt_propose(kernel: Kernel, context: Context, facts: Any) -> Proposal | None:
    """Called per kernel with your own facts: return findings, edits and variants."""


@hookspec(firstresult=True)
def gpuopt_check(kernel: Kernel, context: Context, proposal: Proposal) -> str | None:
    """Called per kernel of the re-parsed patched unit with your proposal: return why it must be undone, or None."""

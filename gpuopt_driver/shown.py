"""What nvcc is to see in place of the user's files: patches, and the names of what the results depend on.

A changed policy must make build tools compile again what plugins could patch, patched or not. For ccache, which keeps
results itself, gpuopt and its plugins count as well.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from gpuopt_driver import installation
from gpuopt_driver.cache import digest
from gpuopt_driver.nvcc.command import NvccCommand, Phase
from gpuopt_driver.nvcc.dependencies import (
    are_asked_for,
    can_be_named,
    ccache_reads,
    spelled,
    with_dependencies,
    with_empty_rule,
    with_prerequisite,
)
from gpuopt_driver.nvcc.find import GUARD, find_nvcc
from gpuopt_driver.nvcc.host import host_compiler
from gpuopt_driver.nvcc.inputs import Input
from gpuopt_driver.policy.load import load_policy
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.stamps import stamp_of

_NO_MATTER = frozenset({GUARD, "GPUOPT_CACHE_DIR", "GPUOPT_DEBUG", "GPUOPT_OVERLAY", "GPUOPT_REPORT"})


def plugins_may_run(policy: Policy) -> bool:
    """Whether any installed plugin is on, be it for one kernel."""
    disabled = installation.disabled_names()
    return any(policy.may_run(name) for name, _ in installation.plugin_points() if name not in disabled)


def _dependencies(
    command: NvccCommand, policy: Policy, source: str, patched: Mapping[str, bytes], env: Mapping[str, str]
) -> Iterator[str]:
    """The names that a source's compilation depends on beyond its files.

    The last one is no file: ccache keeps it in the text by which it knows a result, so that patches which only the
    host code shows (ccache sees what the device compiler sees) count too.
    """
    if policy.path:
        name = spelled(policy.path, command, source)
        if can_be_named(name, source, host_compiler(command, env) or ""):
            yield name
    if ccache_reads(command, env):
        yield from installation.files()
        yield f"<gpuopt {digest(*(patched[name] for name in sorted(patched)))}>"


def shown_files(
    command: NvccCommand,
    policy: Policy,
    patched: Mapping[str, bytes],
    sources: Sequence[str],
    env: Mapping[str, str],
) -> dict[str, bytes]:
    """The bytes to show by real path: what is patched, and every source that plugins could patch, with dependencies.

    `sources` are the absolute paths of the inputs that were, or could be, analysed.
    """
    shown = {os.path.realpath(path): data for path, data in patched.items()}
    for_ccache = ccache_reads(command, env)  # nobody else sees it: it may say what could matter later
    if not are_asked_for(command) or not (for_ccache or plugins_may_run(policy)):
        return shown
    for item in command.cuda_inputs:
        if item.absolute not in sources:
            continue
        path = os.path.realpath(item.absolute)
        data = shown[path] if path in shown else Path(path).read_bytes()
        marked = with_dependencies(data, tuple(_dependencies(command, policy, item.path, patched, env)))
        if marked is not data:
            shown[path] = marked
    return shown


def completes_depfiles(command: NvccCommand, policy: Policy, sources: Sequence[str]) -> bool:
    """Whether the dependency files that nvcc writes lack something that only we can add."""
    writes = command.writes_depfile or command.phase is Phase.DEPENDENCIES
    return bool(sources) and writes and not command.dryrun and plugins_may_run(policy)


def completes_output(command: NvccCommand, policy: Policy, sources: Sequence[str]) -> bool:
    """Whether what nvcc prints is such a dependency file (`-M` and `-MM` without a file)."""
    prints = command.phase is Phase.DEPENDENCIES and not (command.output or command.depfile)
    return prints and completes_depfiles(command, policy, sources)


def complete_depfiles(command: NvccCommand, policy: Policy, sources: Sequence[str], env: Mapping[str, str]) -> None:
    """Let dependency files say what nvcc cannot: that the policy may go again, and that one may come to be."""
    if not completes_depfiles(command, policy, sources) or completes_output(command, policy, sources):
        return
    for item in command.cuda_inputs:
        path = Path(command.path(_depfile(command, item.path)))
        if item.absolute not in sources or not path.is_file():
            continue
        with suppress(OSError):
            before = path.read_bytes()
            after = _completed(before, command, policy, item, env)
            if after != before:
                path.write_bytes(after)


def completed_output(
    output: bytes, command: NvccCommand, policy: Policy, sources: Sequence[str], env: Mapping[str, str]
) -> bytes:
    """The same for dependencies that nvcc has printed."""
    for item in command.cuda_inputs:
        if item.absolute in sources:
            output = _completed(output, command, policy, item, env)
    return output


def _completed(text: bytes, command: NvccCommand, policy: Policy, item: Input, env: Mapping[str, str]) -> bytes:
    """A dependency file in which the rule of a source has the policy, or a stamp, and that may be missing."""
    if policy.path:
        name = spelled(policy.path, command, item.path)
    else:
        name = stamp_of((str(Path(item.absolute).parent), command.cwd), env)
    if not name or not text.strip():
        return text
    source = item.path if command.phase is Phase.DEPENDENCIES else ""
    return with_empty_rule(with_prerequisite(text, name, source), name)


def _depfile(command: NvccCommand, source: str) -> str:
    """The dependency file of a source; `-o` names it where nothing is compiled."""
    if command.phase is Phase.DEPENDENCIES:
        return command.output or command.depfile
    return command.depfile or str(Path(_target(command, source)).with_suffix(".d"))


def _target(command: NvccCommand, source: str) -> str:
    """What nvcc makes of a source."""
    if command.output or command.links:
        return command.output or "a.out"
    return os.path.join(command.output_directory, f"{Path(source).stem}.o")  # noqa: PTH118


def fingerprint(env: Mapping[str, str], cwd: str) -> str:
    """A digest of everything beside sources and options that decides what `gpuopt-nvcc` makes of them here."""
    policy = load_policy([], env=env, cwd=cwd)
    nvcc = find_nvcc(env, policy.driver.nvcc)
    state = Path(nvcc.path).stat() if nvcc else None
    return digest(
        installation.fingerprint(),
        Path(policy.path).read_bytes() if policy.path else b"",
        f"{nvcc.path} {state.st_size} {state.st_mtime_ns}" if nvcc and state else "",
        *(f"{name}={env[name]}" for name in sorted(env) if name.startswith("GPUOPT_") and name not in _NO_MATTER),
    )

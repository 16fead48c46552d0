"""Registers, static shared memory and local memory of kernels, as the real nvcc allots them.

Asking costs a device compilation (about a second), so it is done on demand and remembered: an answer holds while the
arguments, the compiler and every project file that the compilation read stay the same.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import get_type_hints

from gpuopt_driver.answers import Unanswered, ask
from gpuopt_driver.cache import Cache, digest
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import ToolchainError
from gpuopt_driver.nvcc.command import NvccCommand
from gpuopt_driver.nvcc.find import RealNvcc, guarded
from gpuopt_driver.nvcc.mangling import qualified_name
from gpuopt_driver.nvcc.options import Arity, Topic
from gpuopt_driver.nvcc.tokens import join_list
from gpuopt_driver.nvcc.toolkit import Toolkit, describe_toolkit

_SECONDS = 600
_KEPT = frozenset({Topic.SOURCE, Topic.DEVICE, Topic.HOST})
_DROPPED = frozenset({"optimization-info", "resource-usage", "profile"})

_ENTRY = re.compile(r"Compiling entry function '([^']+)' for 'sm_(\d+)[af]?'")
_PROPERTIES = re.compile(r"Function properties for (\S+)")
_STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")
_CUMULATIVE = re.compile(r"(\d+) bytes cumulative stack size")


@dataclass(frozen=True, slots=True)
class KernelResources:
    """What one kernel takes on one architecture. `name` is qualified, without template arguments ("" if unknown)."""

    symbol: str
    name: str
    arch: int  # compute capability, 90 for sm_90a
    registers: int  # per thread
    static_shared_bytes: int  # per block
    local_bytes: int  # per thread: stack, with local arrays and spills
    spill_bytes: int  # per thread, stores and loads together


def parse_resources(text: str) -> tuple[KernelResources, ...]:
    """The kernels in the output of `-Xptxas -v`, in its order."""
    found: list[KernelResources] = []
    symbol, arch, about, stack, spills = "", 0, "", 0, 0
    for line in text.splitlines():
        if entry := _ENTRY.search(line):
            symbol, arch, stack, spills = entry.group(1), int(entry.group(2)), 0, 0
        elif properties := _PROPERTIES.search(line):
            about = properties.group(1)
        elif (frame := _STACK.search(line)) and about == symbol:
            stack, spills = int(frame.group(1)), int(frame.group(2)) + int(frame.group(3))
        elif symbol and (used := _USED.search(line)):
            shared, cumulative = _SHARED.search(line), _CUMULATIVE.search(line)
            found.append(
                KernelResources(
                    symbol=symbol,
                    name=qualified_name(symbol),
                    arch=arch,
                    registers=int(used.group(1)),
                    static_shared_bytes=int(shared.group(1)) if shared else 0,
                    local_bytes=max(stack, int(cumulative.group(1)) if cumulative else 0),
                    spill_bytes=spills,
                )
            )
            symbol = ""
    return tuple(found)


def by_name(resources: Iterable[KernelResources]) -> dict[str, KernelResources]:
    """The most demanding of each name's instantiations (by registers, then by shared memory)."""
    worst: dict[str, KernelResources] = {}
    for item in resources:
        known = worst.get(item.name)
        if known is None or (item.registers, item.static_shared_bytes) > (known.registers, known.static_shared_bytes):
            worst[item.name] = item
    worst.pop("", None)
    return worst


def device_arguments(command: NvccCommand) -> list[str]:
    """The options of a command that bear on its device code, spelled out anew (options files and environment too)."""
    arguments: list[str] = []
    for item in command.given:
        option = item.option
        if option.topic not in _KEPT or option.name in _DROPPED:
            continue
        if option.arity is Arity.FLAG or not item.value:
            arguments.append(f"-{option.short}")
        else:
            value = join_list(item.value, escapes=option.escapes) if option.arity is Arity.LIST else item.value
            arguments.extend((f"-{option.short}", value))
    if command.rdc and "-rdc" not in arguments:
        arguments.append("-rdc=true")
    if command.has("forward-unknown-to-host-compiler", "forward-unknown-opts"):
        arguments.extend(command.unknown)
    return arguments


def _dependencies(depfile: str, cwd: str, toolkit: Toolkit) -> tuple[str, ...]:
    """The project's files in a dependency file (make's escapes undone), absolute; the toolkit's own are left out."""
    text = depfile.replace("\\\n", " ").partition(" : ")[2]
    words = re.findall(r"(?:\\.|[^\s\\])+", text)
    paths = (str(Path(cwd, re.sub(r"\\(.)", r"\1", word).replace("$$", "$"))) for word in words)
    return tuple(path for path in paths if not Path(path).resolve().is_relative_to(toolkit.root))


def _content(path: str) -> str:
    try:
        return digest(Path(path).read_bytes())
    except OSError:
        return ""


def _remembered(cache: Cache | None, key: str) -> tuple[KernelResources, ...] | None:
    known = cache.get("resources", key) if cache else None
    if known is None:
        return None
    try:
        entry = json.loads(known)
        if any(_content(path) != content for path, content in entry["files"].items()):
            return None
        kinds = get_type_hints(KernelResources)
        kernels = tuple(KernelResources(**item) for item in entry["kernels"])
    except (ValueError, TypeError, KeyError, AttributeError, OSError, RecursionError):
        return None
    is_right = all(type(getattr(item, name)) is kind for item in kernels for name, kind in kinds.items())
    return kernels if is_right else None


def _compile(command: NvccCommand, source: str, toolkit: Toolkit, arch: int | None, env: Mapping[str, str]) -> _Answer:
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        depfile = Path(scratch, "d")
        told = _told(command, source, toolkit, arch, env, scratch, "-MMD", "-MF", str(depfile))
        files = _dependencies(depfile.read_text("utf-8", "surrogateescape"), command.cwd, toolkit)
    return _Answer(parse_resources(told), files)


def _told(
    command: NvccCommand,
    source: str,
    toolkit: Toolkit,
    arch: int | None,
    env: Mapping[str, str],
    scratch: str,
    *options: str,
) -> str:
    """What ptxas says of a source's device code, which is compiled into a directory with `options` more."""
    clean = {name: value for name, value in guarded(env, toolkit.nvcc).items() if not name.endswith("END_FLAGS")}
    clean.pop("GPUOPT_VFS_MAP", None)
    target = [f"-arch=sm_{arch}"] if arch is not None else []
    line = [
        *(toolkit.nvcc, "-cubin", "-Xptxas", "-v", "-w", *options),
        *("-o", str(Path(scratch, "x.cubin")), *target, *device_arguments(command), source),
    ]
    try:
        done = ask(line, _SECONDS, {**clean, "LC_ALL": "C"}, command.cwd)
    except Unanswered as error:
        raise ToolchainError(f"{toolkit.nvcc}: {error}") from error
    text = (done.stderr + done.stdout).decode("utf-8", "replace")
    if done.returncode != 0:
        lines = [line for line in text.splitlines() if "error" in line or "fatal" in line] or ["no message"]
        raise ToolchainError(f"{source}: nvcc cannot tell its kernels' registers: {lines[0]}")
    return text


def resources_and_ptx(
    command: NvccCommand, source: str, nvcc: RealNvcc, arch: int | None, env: Mapping[str, str]
) -> tuple[tuple[KernelResources, ...], str]:
    """What kernels take on `arch`, and the PTX with line tables that ptxas made them of; one compilation, not kept."""
    toolkit = describe_toolkit(nvcc, env)
    lines = [] if command.has("generate-line-info", "device-debug") else ["-lineinfo"]
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        told = _told(command, source, toolkit, arch, env, scratch, *lines, "-keep", "-keep-dir", scratch)
        texts = [path.read_text("utf-8", "replace") for path in sorted(Path(scratch).glob("*.ptx"))]
    return parse_resources(told), "\n".join(texts)


@dataclass(frozen=True, slots=True)
class _Answer:
    kernels: tuple[KernelResources, ...]
    files: tuple[str, ...]


def kernel_resources(
    command: NvccCommand,
    source: str,
    nvcc: RealNvcc,
    archs: Sequence[int],
    env: Mapping[str, str],
) -> tuple[KernelResources, ...]:
    """What the kernels of one source (as the command names it) take on each of `archs` (none: nvcc's default).

    ToolchainError if the source does not compile for one of them, or nvcc does not know it any more.
    """
    toolkit = describe_toolkit(nvcc, env)
    cache = Cache.find(env)
    found: list[KernelResources] = []
    for arch in archs or (None,):
        arguments = device_arguments(command)
        surroundings = [
            command.cwd,
            command.path(source),
            toolkit.nvcc,
            toolkit.full_version,
            env.get("NVCC_CCBIN", ""),
        ]
        key = digest(str(arch), *surroundings, *arguments)
        known = _remembered(cache, key)
        if known is None:
            answer = _compile(command, source, toolkit, arch, env)
            known = answer.kernels
            if cache:
                files = {path: _content(path) for path in answer.files}
                entry = {"files": files, "kernels": [asdict(item) for item in known]}
                cache.put("resources", key, json.dumps(entry).encode())
        found.extend(known)
    return tuple(found)

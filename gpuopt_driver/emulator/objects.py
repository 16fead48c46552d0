"""From rewritten source to an object that holds the fast code and, beside it, the code for check mode."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from gpuopt_driver.emulator import precompiled
from gpuopt_driver.emulator.instrument import CHECK_FLAGS, LISTING_FLAGS, join
from gpuopt_driver.emulator.runtime import INCLUDE
from gpuopt_driver.emulator.toolchain import Toolchain

# These begin with fixed bytes, not with `^` or `\b`: they are looked for several times as fast.
_SYSTEM = re.compile(rb'# (?<![^\n]# )\d+ "((?:[^"\\\n]|\\.)*)" 1(?: \d)* 3')  # flag 3 alone: a macro of theirs
_VARIABLE = re.compile(
    rb"__(?<!\w__)(device|constant|managed)__\b(?:[\w\s:<>,*&]|\n#[^\n]*|__align__\s*\(\s*\d+\s*\))*?\b(\w+)\s*(?:\[[^;{]*)?(?:=|;|\{)"
)
# Functions of the program's own, or headers of ours whose algorithms are kernels.
_DEVICE_CODE = (
    re.compile(rb"__(?<!\w__)(?:global|device)__\b"),
    re.compile(rb"namespace(?<!\wnamespace) thrust_kernels\b"),
    re.compile(rb"a device-wide algorithm of CUB's"),
)
_FOR_ASSEMBLER = ("-m", "-Wa,")
_SURVEYING = b"enum Surveying { SURVEYING = %d };"
_INSTRUMENTED = b"enum Instrumented { INSTRUMENTED = %d };"  # of include/gpuopt_emu/target.h


def _variables(preprocessed: bytes) -> dict[str, str]:
    """The device's variables, with their memory space."""
    found: dict[str, str] = {}
    for item in _VARIABLE.finditer(preprocessed):
        found[item[2].decode("utf-8", "surrogateescape")] = item[1].decode()
    return found


def _wants_check_code(toolchain: Toolchain, preprocessed: bytes) -> bool:
    return (
        not toolchain.dry
        and not toolchain.compiler.is_clang
        and toolchain.env.get("GPUOPT_EMU_MODE") != "fast"
        and not any(option.startswith("-flto") for option in toolchain.generation)
        and any(form.search(preprocessed) is not None for form in _DEVICE_CODE)
    )


def surveyed_beside(rewritten: str) -> Path:
    """Where the text with surveys is kept, empty if there are none; `rewritten`: where the text without them is."""
    return Path(rewritten + ".surveyed")


def _instrument(toolchain: Toolchain, listing: tuple[str, ...], text: bytes, output: Path) -> subprocess.Popen[bytes]:
    """Start compiling the text for check mode."""
    source = output.with_suffix(".ii")
    source.write_bytes(text)
    return subprocess.Popen(
        (toolchain.compiler.path, *listing, *CHECK_FLAGS, str(source), "-o", str(output)),
        cwd=toolchain.cwd, env=dict(toolchain.env), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
        pass_fds=toolchain.marks,
    )  # fmt: skip


def _texts_for_check(toolchain: Toolchain, listing: tuple[str, ...], rewritten: str) -> Iterator[bytes]:
    """What may be compiled for check mode, the best first: a survey may be no C++, precompiled headers useless."""
    surveyed = surveyed_beside(rewritten).read_bytes().replace(_SURVEYING % 0, _SURVEYING % 1)
    for text in filter(None, (surveyed, Path(rewritten).read_bytes())):
        instrumented = text.replace(_INSTRUMENTED % 0, _INSTRUMENTED % 1)
        short = precompiled.shortened(toolchain.compiler, (*listing, *CHECK_FLAGS), instrumented, toolchain.env)
        if short is not None:
            yield short
        yield instrumented


def _compile(toolchain: Toolchain, flags: tuple[str, ...], rewritten: str, output: str) -> int:
    """Compile rewritten text, with its headers from the cache where they are there; returns the exit status."""
    compiler = toolchain.compiler
    language = ("-x", compiler.preprocessed_language)
    whole = (compiler.path, *language, *flags, rewritten, "-o", output)
    if toolchain.dry or toolchain.verbose:  # who looks at the steps is shown files that stand for themselves
        return toolchain.run(*whole)
    text = Path(rewritten).read_bytes()
    short = precompiled.shortened(compiler, flags, text, toolchain.env)
    if short is None:
        return toolchain.run(*whole)
    brief = f"{rewritten}.short"
    Path(brief).write_bytes(short)
    with tempfile.TemporaryFile() as messages:
        quiet = replace(toolchain, messages=messages.fileno())
        if quiet.run(compiler.path, *language, *flags, brief, "-o", output) == 0:
            messages.seek(0)
            toolchain.tell_bytes(messages.read())
            return 0
    status = toolchain.run(*whole)
    if status == 0:
        precompiled.forget(compiler, flags, text, toolchain.env)
    return status


def _plain(toolchain: Toolchain, rewritten: str, output: str) -> int:
    """Compile the fast code alone."""
    return _compile(toolchain, (*toolchain.generation, "-c"), rewritten, output)


def _without(toolchain: Toolchain, rewritten: str, output: str, why: str) -> int:
    toolchain.tell(f"gpuopt: note: {output}: no code for GPUOPT_EMU_MODE=check: {why}")
    return _plain(toolchain, rewritten, output)


def compile_rewritten(toolchain: Toolchain, preprocessed: str, rewritten: str, output: str, scratch: Path) -> int:
    """Compile rewritten source into an object; returns the exit status of the host compiler."""
    compiler, generation = toolchain.compiler, toolchain.generation
    language = ("-x", compiler.preprocessed_language)
    if toolchain.dry:
        return _plain(toolchain, rewritten, output)
    source = Path(preprocessed).read_bytes()
    if not _wants_check_code(toolchain, source):
        return _plain(toolchain, rewritten, output)
    fast, check, joined = (str(scratch / f"{name}.s") for name in ("fast", "check", "joined"))
    listing = (*LISTING_FLAGS, *generation)
    texts = _texts_for_check(toolchain, listing, rewritten)
    second = _instrument(toolchain, (*language, *listing), next(texts), Path(check))
    status = _compile(toolchain, listing, rewritten, fast)
    if status:
        second.kill()
    messages = second.communicate()[1]
    if status:
        return status
    for other in texts if second.returncode else ():
        second = _instrument(toolchain, (*language, *listing), other, Path(check))
        messages = second.communicate()[1]
        if second.returncode == 0:
            break
    if second.returncode:
        first = next(iter(messages.decode("utf-8", "replace").splitlines()), "no message")
        return _without(toolchain, rewritten, output, first)
    text = join(
        *(Path(path).read_text("utf-8", "surrogateescape") for path in (fast, check)),
        ours=f"{INCLUDE}/",
        root=Path(toolchain.cwd),
        system=frozenset(item.decode("utf-8", "surrogateescape") for item in _SYSTEM.findall(source)),
        named=_variables(source),
        debug=any(option.startswith("-g") and option != "-g0" for option in generation),
    )
    Path(joined).write_text(text, "utf-8", "surrogateescape")
    passed = tuple(option for option in generation if option.startswith(_FOR_ASSEMBLER))
    with tempfile.TemporaryFile() as complaints:
        quiet = replace(toolchain, messages=complaints.fileno(), verbose=False)
        if quiet.run(compiler.path, *passed, "-c", joined, "-o", output) == 0:
            return 0
        complaints.seek(0)
        first = complaints.read().decode("utf-8", "replace").partition("Error: ")[2].partition("\n")[0]
    return _without(toolchain, rewritten, output, first or "the assembler fails")

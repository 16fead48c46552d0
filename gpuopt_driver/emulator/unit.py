"""One CUDA source through the host compiler: preprocess, rewrite, compile."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

from gpuopt_driver.arch.load import emulated_name
from gpuopt_driver.emulator.device_pass import join_passes, wants_device_pass
from gpuopt_driver.emulator.kernels import Dialect
from gpuopt_driver.emulator.lexer import lex
from gpuopt_driver.emulator.libraries import explain_missing
from gpuopt_driver.emulator.objects import compile_rewritten, surveyed_beside
from gpuopt_driver.emulator.pass_differences import differing_declarations
from gpuopt_driver.emulator.refusals import refused
from gpuopt_driver.emulator.rewrite import Rewritten, rewrite
from gpuopt_driver.emulator.roots import root_options
from gpuopt_driver.emulator.runtime import INCLUDE
from gpuopt_driver.emulator.toolchain import FUSING, Toolchain


def preprocess(toolchain: Toolchain, source: str, output: str, *options: str) -> int:
    """Preprocess a CUDA source into a file; `options` are for dependency output."""
    start = (toolchain.compiler.path, "-E", "-x", "c++", *toolchain.generation, *toolchain.cuda_preprocessing)
    status = toolchain.run(*start, *options, source, "-o", output)
    if status:
        quiet = (*start, source, "-o", os.devnull)
        again = subprocess.run(quiet, cwd=toolchain.cwd, env=dict(toolchain.env), capture_output=True, check=False)
        advice = explain_missing(again.stderr)
        toolchain.tell(*([f"gpuopt: error: {advice}"] if advice else []))
    return status


def with_device_pass(toolchain: Toolchain, source: str, preprocessed: str, scratch: Path) -> int:
    """Where the source speaks of `__CUDA_ARCH__`: preprocess it for the device too, and put its device code in."""
    if toolchain.dry or not wants_device_pass(Path(preprocessed).read_bytes(), toolchain.cwd):
        return 0
    for_device = str(scratch / "device.ii")
    defined = replace(toolchain, preprocessing=(f"-D__CUDA_ARCH__={toolchain.device_arch}", *toolchain.preprocessing))
    status = preprocess(defined, source, for_device)
    if status == 0:
        path = Path(preprocessed)
        passes = lex(path.read_bytes()), lex(Path(for_device).read_bytes())
        toolchain.tell(*([] if "-w" in toolchain.generation else differing_declarations(*passes)))
        path.write_bytes(join_passes(*passes))
    return status


# Where shared variables lie, known before any object of the program is made.
_OFFSETS = """namespace gpuopt_emu {
template <class Kernel, class Variable, class T>
const SharedOffset SharedSlot<Kernel, Variable, T>::offset __attribute__((init_priority(100))) = {
    reserve_shared(KernelShared<Kernel>::layout, sizeof(T), alignof(T), shared_name<Variable>())};
template <class Variable, class T>
const SharedOffset SharedSlot<void, Variable, T>::offset __attribute__((init_priority(100))) = {
    reserve_shared(common_layout, sizeof(T), alignof(T), shared_name<Variable>())};
}
"""


def rewrite_file(
    toolchain: Toolchain,
    source: str,
    output: str,
    *,
    fission: bool = True,
    calls: bool = True,
    whole: frozenset[int] = frozenset(),
) -> tuple[int, Rewritten]:
    """Rewrite preprocessed CUDA; what cannot be translated is reported as the compiler reports errors.

    Returns the exit status and the result; with `fission` off no kernel is split, with `calls` off none for which
    functions would be written in place of calls, and none of those with the numbers `whole`.
    """
    if toolchain.verbose or toolchain.dry:  # build tools look for -arch among the steps
        arch = f"-arch compute_{toolchain.device_arch // 10}"
        toolchain.tell(f'#$ -- Translate for the CPU: {arch} "{source}" -o "{output}" --')
    if toolchain.dry:
        return 0, Rewritten(b"")
    epilogue = (
        '# 1 "<gpuopt>" 3\n'
        'extern "C" { extern __attribute__((weak)) const char gpuopt_emu_default_gpu[];'
        f' const char gpuopt_emu_default_gpu[] = "{emulated_name(toolchain.gpu)}"; }}\n{_OFFSETS}'
    )
    text = Path(source).read_bytes()
    compiler = toolchain.compiler
    fuses = bool(toolchain.device_target) or (compiler.machine == "aarch64" and FUSING in toolchain.arithmetic)
    quick = "-DGPUOPT_EMU_FAST_MATH" in toolchain.preprocessing
    flushes = "-DGPUOPT_EMU_FLUSH" in toolchain.preprocessing
    target = toolchain.device_target.encode()
    dialect = Dialect(
        target, clang=compiler.is_clang, fuses=fuses, quick=quick, flushes=flushes, vectors=toolchain.vectors
    )
    dialect = replace(dialect, bfloats=toolchain.device_arch >= 900)
    result = rewrite(
        text,
        relocatable=toolchain.relocatable,
        epilogue=epilogue.encode(),
        fission=fission,
        calls=calls,
        whole=whole,
        dialect=dialect,
    )
    toolchain.tell(*result.errors)
    Path(output).write_bytes(result.text)
    surveyed_beside(output).write_bytes(result.surveyed)
    return (1 if result.errors else 0), result


def compile_cuda(toolchain: Toolchain, source: str, output: str, scratch: Path, *options: str) -> int:
    """Compile a CUDA source into an object; returns the exit status of the first step that failed, or 0."""
    preprocessed, rewritten = str(scratch / "preprocessed.ii"), str(scratch / "rewritten.ii")
    status = preprocess(toolchain, source, preprocessed, *options)
    status = status or with_device_pass(toolchain, source, preprocessed, scratch)
    if status:
        return status
    roots = () if toolchain.dry else root_options(Path(preprocessed).read_bytes())
    generating = replace(toolchain, generation=(*toolchain.arithmetic, *roots, *toolchain.generation))
    status, result = rewrite_file(toolchain, preprocessed, rewritten)
    # Errors in kernels are told once, and of the user's own text; should only split text be wrong, it is left out.
    whole: frozenset[int] = frozenset()
    fission = calls = True
    while result.split and not status:
        with tempfile.TemporaryFile() as messages:
            quiet = replace(generating, messages=messages.fileno())
            if compile_rewritten(quiet, preprocessed, rewritten, output, scratch) == 0:
                messages.seek(0)
                toolchain.tell_bytes(messages.read())
                return 0
        more = refused(generating, result.text, result.forms, scratch) - whole if calls else frozenset()
        whole |= more
        calls, fission = calls and bool(more), bool(more) or (calls and result.placed > 0)
        again = replace(toolchain, verbose=False)
        status, result = rewrite_file(again, preprocessed, rewritten, fission=fission, calls=calls, whole=whole)
    status = status or compile_rewritten(generating, preprocessed, rewritten, output, scratch)
    if status == 0 and not fission:
        toolchain.tell(f"gpuopt: note: {source}: kernels run on fibers: the host compiler takes them in no other form")
    return status


def compile_host(toolchain: Toolchain, language: str, source: str, output: str, *options: str) -> int:
    """Compile a C or C++ source into an object."""
    ours = next((option for option in toolchain.generation if option in ("-O0", "-O3")), "")
    rest = list(toolchain.generation)
    rest[rest.index(ours)] = toolchain.host_optimization or "-O0"
    generation = tuple(rest)
    if language == "c":
        generation = tuple(option for option in generation if not option.startswith("-std="))
    return toolchain.run(
        toolchain.compiler.path, "-x", language, *generation, *toolchain.preprocessing, "-isystem", str(INCLUDE),
        *options, "-c", source, "-o", output,
    )  # fmt: skip

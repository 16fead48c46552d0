"""The PTX of a command's sources, made by a compilation of its own."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from gpuopt_driver.answers import Unanswered
from gpuopt_driver.backends.machine_code import code_of_kernels
from gpuopt_driver.nvcc.archs import ALL
from gpuopt_driver.nvcc.command import NvccCommand
from gpuopt_driver.nvcc.resources import device_arguments
from gpuopt_driver.nvcc.tokens import FLAGS
from gpuopt_driver.ptx.copies import copy_name, with_copies

_LINES = re.compile(r"^[ \t]*\.(?:loc|file)\b.*\n|^[ \t]*\.section\s[^{]*\{[^}]*\}\n?", re.MULTILINE)  # of a line table
_LINE_OPTIONS = ("-lineinfo", "-src-in-ptx")  # with these, or a line table, the PTX comes with the machine code
_TARGET = re.compile(r"^\.target\s+(sm_(\d+)[af]?)", re.MULTILINE)


def ptx_texts(command: NvccCommand, run: Callable[[list[str]], str], *, lines: bool = False) -> list[str]:
    """The PTX of all sources for all GPUs of a command; `lines`: with line tables.

    `run` runs nvcc with some arguments and says what went wrong, "" if nothing did.
    """
    found: list[str] = []
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        output = Path(scratch, "device.ptx")
        for item in command.cuda_inputs:
            for target in _targets(command) or ("",):
                line = ["-ptx", "-w", *device_arguments(command), *([f"-arch={target}"] if target else [])]
                line += ["-lineinfo"] if lines and not command.line_info else []
                reason = run([*line, "-o", str(output), item.path])
                if reason:
                    raise Unanswered(reason)
                found.append(output.read_text("utf-8", "surrogateescape"))
    return found


def same_code(
    command: NvccCommand, module: str, bodies: Mapping[str, Sequence[str]], run: Callable[[list[str]], bool]
) -> dict[str, list[int]]:
    """By name, kernels of a PTX module and which of these other bodies, by number, have the same machine code.

    On each GPU of a command, and on the newest one that nvcc knows, which stands for those that code is made for when
    the program runs. None of them has it where nvcc does not say. `run` runs nvcc with some arguments and says whether
    it accepts them.
    """
    found = _TARGET.search(module)
    if found is None:
        return {}
    own = int(found.group(2))
    given = [one for one in device_arguments(command) if one not in _LINE_OPTIONS]
    is_own = command.value("gpu-architecture") in ("all", "all-major")  # of each PTX for one GPU, but for the last
    targets = {found.group(1), *(f"sm_{number}" for number in command.archs if number > own and not is_own)}
    left = {name: list(range(len(others))) for name, others in bodies.items()}
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:

        def is_assembled(target: str) -> bool:
            """Whether nvcc makes code for a GPU; bodies whose code differs there are left out."""
            shown = {name: [bodies[name][at] for at in numbers] for name, numbers in left.items() if numbers}
            text = with_copies(module, shown)
            codes = code_of_kernels(_assembled(text, [*given, f"-arch={target}"], run, Path(scratch)))
            if codes or target in targets:
                left.update({name: _fitting(name, left[name], codes) for name in shown})
            return bool(codes)

        # One GPU after the other: what differs on one need not be assembled for the next.
        for target in sorted(targets):
            if any(left.values()):
                is_assembled(target)
        for number in () if found.group(1)[-1] in "af" else (one for one in reversed(ALL) if one > own):
            if not any(left.values()) or is_assembled(f"sm_{number}"):
                break
    return left


def _fitting(name: str, numbers: Sequence[int], codes: Mapping[str, tuple[bytes, ...]]) -> list[int]:
    """Which of the copies of a kernel, with these numbers in the order of the copies, have its machine code."""
    return [
        at for place, at in enumerate(numbers) if name in codes and codes[name] == codes.get(copy_name(name, place))
    ]


def _assembled(text: str, arguments: list[str], run: Callable[[list[str]], bool], scratch: Path) -> bytes:
    """The machine code of a PTX text without its line table, b"" where there is none."""
    source, output = scratch / "code.ptx", scratch / "code.cubin"
    source.write_text(_LINES.sub("", text), "utf-8", "surrogateescape")
    output.unlink(missing_ok=True)
    is_made = run(["-cubin", "-w", *arguments, "-o", str(output), str(source)]) and output.is_file()
    return output.read_bytes() if is_made else b""


def without_flags(env: Mapping[str, str]) -> dict[str, str]:
    """The environment without nvcc's flags, which `ptx_texts` spells out."""
    return {name: text for name, text in env.items() if name not in FLAGS}


def first_error(errors: bytes) -> str:
    """The first line that names an error."""
    said = errors.decode("utf-8", "replace").splitlines()
    return next((one for one in said if "error" in one), "it does not compile to PTX")


def _targets(command: NvccCommand) -> tuple[str, ...]:
    """The virtual GPUs that PTX is made for, as -arch takes them."""
    generated = (value.replace('"', "").replace("'", "") for value in command.values("generate-code"))
    names = [value.partition("arch=")[2].partition(",")[0] for value in generated]
    named = command.value("gpu-architecture")
    if named in ("native", "all", "all-major"):
        names += [f"compute_{number}" for number in command.archs]
    elif named:
        names.append(named.replace("sm_", "compute_"))
    return tuple(dict.fromkeys(filter(None, names)))

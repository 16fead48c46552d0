"""A `main` for sources that have none: launches their kernels on seeded buffers and writes every byte of them out.

The launch has to go where a launch in the source would go: to the kernel, or in a patched source with versions to its
shim. So the text is appended behind the analysed bytes, which stay what the plugin saw and made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.model import Kernel, Param, Unit
from gpuopt_driver.testing.cases import Case, CaseError, Run

_MARK = "gpuopt-kit-buffer"
_GUARD = 256  # bytes on either side of a buffer
_OURS = ("kernel", "grid", "block", "shared")


@dataclass(frozen=True, slots=True)
class Buffer:
    """A buffer as the harness wrote it: `count` elements of `size` bytes between two guards."""

    kernel: str
    name: str
    count: int
    size: int


def kernel_of(case: Case, unit: Unit, run: Run) -> Kernel:
    """The kernel (and instantiation) that a `run:` line launches; CaseError where that is not clear."""
    where = f"{case.source}:{run.line}: run"
    wanted = re.sub(r"\s", "", run.values.get("kernel", ""))
    name, _, arguments = wanted.rstrip(">").partition("<")
    found = [kernel for kernel in unit.kernels if not name or name in (kernel.name, kernel.qualified)]
    if arguments:
        found = [kernel for kernel in found if _arguments(kernel) == arguments]
    if len(found) != 1:
        known = ", ".join(dict.fromkeys(map(_spelled, unit.kernels))) or "none"
        raise CaseError(f"{where}: write kernel=NAME of the kernel to launch; in this file: {known}")
    kernel = found[0]
    if kernel.is_member or (kernel.template_head and kernel.facts_of is None):
        raise CaseError(f"{where}: {kernel.name} cannot be launched from here; write a main and run: main")
    return kernel


def _arguments(kernel: Kernel) -> str:
    return re.sub(r"\s", "", ",".join(kernel.facts_of.arguments)) if kernel.facts_of else ""


def _spelled(kernel: Kernel) -> str:
    return f"{kernel.name}<{_arguments(kernel)}>" if kernel.facts_of else kernel.name


def harness(case: Case, unit: Unit, patched: bytes = b"") -> bytes:
    """The text to append to the original, or to the `patched` source: a function per `run:` line, and `main`."""
    runs = [run for run in case.runs if run.program is None]
    launches = [_launch(case, kernel_of(case, unit, run), run, number, patched) for number, run in enumerate(runs)]
    calls = "".join(f"  gpuopt_kit_run{number}(gpuopt_file);\n" for number in range(len(runs)))
    support = resources.files("gpuopt_driver.testing").joinpath("harness.h").read_text(encoding="utf-8")
    return (
        f'\n#line 1 "harness.h"\n{support}{"".join(launches)}'
        "int main(int argc, char **argv) {\n"
        '  FILE *const gpuopt_file = argc > 1 ? fopen(argv[1], "wb") : 0;\n  if (!gpuopt_file) return 3;\n'
        f"{calls}  return fclose(gpuopt_file) ? 3 : gpuopt_kit::failed;\n}}\n"
    ).encode()


def _launch(case: Case, kernel: Kernel, run: Run, number: int, patched: bytes) -> str:
    """A function that fills, launches and writes out."""
    where = f"{case.source}:{run.line}: run"
    params = {param.name: param for param in kernel.params}
    clash = next((name for name in _OURS if name in params), None)
    if clash or "" in params or any(param.is_pack for param in kernel.params):
        raise CaseError(f"{where}: the parameters of {kernel.name} cannot be told from words of the kit; write a main")
    missing = [name for name in params if name not in run.values]
    unknown = [name for name in run.values if name not in params and name not in _OURS]
    if missing or unknown:
        what = f"no value for {missing[0]}" if missing else f"{kernel.name} has no parameter {unknown[0]}"
        raise CaseError(f"{where}: {what}; parameters: {', '.join(params)}")
    lines = [f"static void gpuopt_kit_run{number}(FILE *gpuopt_file) {{\n  gpuopt_kit::buffers gpuopt_all({number});\n"]
    lines += [_declared(where, params[name], text) for name, text in run.values.items() if name in params]
    shared = run.values.get("shared", "0")
    lines.append(f"  const dim3 grid({run.values['grid']}), block({run.values['block']});\n")
    lines.append(f"  {_call(kernel, has_shim(patched, kernel), f'grid, block, {shared}', ', '.join(params))}\n")
    lines.append(f'  gpuopt_all.write(gpuopt_file, "{kernel.name}");\n}}\n')
    return "".join(lines)


def _declared(where: str, param: Param, text: str) -> str:
    """A parameter as a local variable: a scalar, or a buffer of `text` elements."""
    if "&" in param.type or "(" in param.type or (param.is_pointer and param.type.count("*") != 1):
        raise CaseError(
            f"{where}: {param.name} is a {param.type}, which the kit cannot fill; write a main and run: main"
        )
    if not param.is_pointer:
        return f"  {param.type} {param.name} = ({param.type})({text});\n"
    element = param.type[: param.type.rindex("*")].strip()
    plain = f"gpuopt_kit::plain<{element}>::type"
    return f'  {plain} *{param.name} = gpuopt_all.add<{plain}>("{param.name}", (size_t)({text}));\n'


def _call(kernel: Kernel, by_shim: bool, configuration: str, arguments: str) -> str:  # noqa: FBT001
    scope = "".join(f"{name}::" for name in kernel.namespace if name)
    given = f"<{', '.join(kernel.facts_of.arguments)}>" if kernel.facts_of else ""
    if not by_shim:
        return f"{scope}{kernel.name}{given}<<<{configuration}>>>({arguments});"
    behind = f", {arguments}" if arguments else ""
    return f"{scope}{kernel.name}__gpuopt_launch{given}(::gpuopt_rt::config({configuration}){behind});"


def has_shim(patched: bytes, kernel: Kernel) -> bool:
    """Whether launches of this kernel go through a shim in a patched source."""
    return f" {kernel.name}__gpuopt_launch(".encode() in patched


def layout(stdout: bytes) -> list[Buffer]:
    """The buffers that the harness wrote, in order."""
    lines = (line.split() for line in stdout.decode("utf-8", "replace").splitlines())
    return [Buffer(words[1], words[2], int(words[3]), int(words[4])) for words in lines if words[:1] == [_MARK]]


def difference(written: Sequence[Buffer], before: bytes, after: bytes) -> str:
    """Where two outputs of the harness differ, "" if nowhere."""
    if before == after:
        return ""
    if len(before) != len(after):
        return f"{len(before)} bytes were written by the original, {len(after)} by the patched program"
    at = next(k for k, (old, new) in enumerate(zip(before, after, strict=True)) if old != new)
    start = 0
    for item in written:
        end = start + item.count * item.size + 2 * _GUARD
        if at < end:
            index = (at - start - _GUARD) // item.size
            beyond = "" if 0 <= index < item.count else f", outside of its {item.count} elements"
            return f"{item.kernel}: {item.name}[{index}] differs{beyond}"
        start = end
    return f"byte {at} of the output differs"

"""Launch sites that are sent through a shim: which can be, and the edits.

`K<T><<<grid, block>>>(a, b)` becomes `K__gpuopt_launch<T>(::gpuopt_rt::config(grid, block), a, b)`. nvcc evaluates the
configuration first, and arguments of a call have no order. Where that may show, the site becomes
`(::gpuopt_rt::first(::gpuopt_rt::ordered(grid, block)), K__gpuopt_launch<T>(::gpuopt_rt::taken(), a, b))`.
"""

from __future__ import annotations

import re

from gpuopt_driver.frontend.launch_sites import Launch
from gpuopt_driver.frontend.lexing import configuration_marks, find_word
from gpuopt_driver.frontend.model import Kernel, Unit
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants import defaults, lexical

AUTHOR = "variants"


def dispatchable(unit: Unit, kernel: Kernel) -> tuple[Launch, ...]:
    """The launches of a kernel template or kernel (all instantiations) that can be sent through a shim."""
    return tuple(launch for launch in unit.launches if launch.kernel == kernel.usr and site_edits(unit, kernel, launch))


def is_ordered(unit: Unit, kernel: Kernel) -> bool:
    """Whether a launch of the kernel needs ORDERED."""
    return any(launch.acts for launch in dispatchable(unit, kernel))


def early_place(unit: Unit, kernel: Kernel, launch: Launch) -> int | None:
    """Where a launch in front of its kernel's definition can be told of the launch function, None: nowhere.

    In front of the outermost declaration around it, if the kernel has been declared by then, for all the world.
    """
    file = kernel.span.file
    if file != unit.main or launch.callee.file != file or launch.span.start >= kernel.span.start:
        return None
    if kernel.template_head or kernel.namespace or kernel.declared.outside:
        return None
    around = next((start for start, end in unit.outermost if start <= launch.span.start < end), None)
    data = unit.files[file].data
    if around is None or find_word(data, kernel.name.encode(), 0, around) is None:
        return None
    return around if data[around : around + 1] != b"#" else None


def site_edits(unit: Unit, kernel: Kernel, launch: Launch) -> tuple[Edit, ...]:
    """The edits that send one launch through the shim; none where the site must stay as it is."""
    if launch.stays:
        return ()
    file = launch.callee.file
    if file == kernel.span.file and launch.span.start < kernel.span.end and early_place(unit, kernel, launch) is None:
        return ()
    data = unit.files[file].data
    callee = data[launch.callee.start : launch.callee.end].decode("latin-1")
    match = re.match(
        rf"(?:\s*::)?\s*(?:\w+(?:\s*<[^<>()]*>)?\s*::\s*)*{re.escape(kernel.name)}(?=\s*(?:<.*)?$)", callee, re.DOTALL
    )
    config = data[launch.config.start : launch.config.end]
    args = data[launch.args.start : launch.args.end]
    marks = configuration_marks(config)
    if match is None or marks is None:
        return ()
    if not (args.startswith(b"(") and args.endswith(b")") and defaults.suffice(unit, kernel, launch, args)):
        return ()
    name_end = launch.callee.start + match.end()
    empty = not lexical.strip_comments(args[1:-1]).strip()
    name_start = name_end - len(kernel.name.encode())
    path = lexical.path_to(unit, kernel, file, name_start)
    if launch.acts:
        return _in_order(launch, data, (name_start, name_end), path, marks, b" " if empty else b", ")
    return (
        *([Edit(file, name_start, name_start, path, AUTHOR)] if path else []),
        Edit(file, name_end, name_end, b"__gpuopt_launch", AUTHOR),
        Edit(file, launch.config.start, launch.config.start + marks[0], b"(::gpuopt_rt::config(", AUTHOR),
        Edit(file, launch.config.end - marks[1], launch.config.end, b")", AUTHOR),
        Edit(file, launch.args.start, launch.args.start + 1, b" " if empty else b", ", AUTHOR),
    )


def _in_order(
    launch: Launch, data: bytes, name: tuple[int, int], path: bytes, marks: tuple[int, int], comma: bytes
) -> tuple[Edit, ...]:
    """The edits of a launch whose configuration is evaluated first: its kernel is named behind that."""
    file, callee, config, args = launch.callee.file, launch.callee, launch.config, launch.args

    def line(start: int, end: int) -> bytes:
        text = data[start:end].decode("utf-8", "surrogateescape")
        return lexical.one_line(text).encode("utf-8", "surrogateescape")

    renamed = line(callee.start, name[0]) + path + line(*name) + b"__gpuopt_launch" + line(name[1], callee.end)
    callee_breaks = data.count(b"\n", callee.start, callee.end) + data.count(
        b"\n", config.start, config.start + marks[0]
    )
    gap = data[callee.end : config.start]
    gap = b"\n" * callee_breaks + (gap if gap.isspace() else b"\n" * gap.count(b"\n"))
    opening = b"(::gpuopt_rt::first(" + gap + b"::gpuopt_rt::ordered("
    return (
        Edit(file, callee.start, config.start + marks[0], opening, AUTHOR),
        Edit(file, config.end - marks[1], config.end, b")), " + renamed, AUTHOR),
        Edit(file, args.start, args.start + 1, b"(::gpuopt_rt::taken()" + comma, AUTHOR),
        Edit(file, args.end, args.end, b")", AUTHOR),
    )

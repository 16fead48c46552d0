"""What patched sources carry of learning: its C++ and what the policy says of it."""

from __future__ import annotations

import re
from dataclasses import field
from importlib import resources

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.learning.student import STUDENT

_MODES = {"off": 0, "on": 1, "frozen": 2}
_COLD = ("learner.h", "choices.h", "trials.h", "arms.h")
# What runs a few times in a program is not worth a compiler's time: two thirds of a second of a file.
# "toplevel-reorder": else GCC has what stands here in its place in the source (-O0 does), and takes the section that
# nvcc's asm with the GPU code ends in for the one before it: data would be in code.
_OFF = """\
#if defined(__clang__)
#pragma clang optimize off
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("LEVEL", "toplevel-reorder")
#endif
"""
_BACK = """\
#if defined(__clang__)
#pragma clang optimize on
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif
"""
_GCC = "#if defined(__GNUC__) && !defined(__clang__) && !defined(GPUOPT_EMU_LAUNCH_H)\n"
STUBS = f'{_GCC}#pragma GCC push_options\n#pragma GCC optimize("O0", "toplevel-reorder")\n#endif\n'
_SOME = f'{_GCC}#pragma GCC push_options\n#pragma GCC optimize("LEVEL", "toplevel-reorder")\n#endif\n'
# At the end of a source: what nvcc adds there are functions that hand arguments on, straight code without loops, of
# which -O3 makes nothing better, in twice the time. A file that includes the source goes on as before.
WHAT_NVCC_ADDS = (
    "#if defined(__GNUC__) && !defined(__clang__) && !defined(GPUOPT_EMU_LAUNCH_H) && defined(__OPTIMIZE__) && "
    '!__INCLUDE_LEVEL__\n#pragma GCC optimize("Og")\n#endif\n'
)
_AS_BEFORE = f"{_GCC}#pragma GCC pop_options\n#endif\n"


@dataclass(frozen=True, slots=True)
class Learning:
    """The policy's `[learn]`: whether programs measure their launches, what that may cost, where choices are kept.

    `versions`: copies of kernels in one file that are made for measurements alone, as no model expects a gain of them.
    `captured`: launches that are captured into graphs get versions, too, which the nodes then have.
    """

    mode: str = field(default="on", metadata={"choices": tuple(_MODES)})
    budget: float = field(default=0.01, metadata={"minimum": 0.0, "maximum": 1.0})
    choices: str = ""
    versions: int = field(default=8, metadata={"minimum": 0, "maximum": 1000})
    captured: bool = False


DEFAULTS = Learning()


def cold(text: str, level: str = "O0") -> str:
    """C++ that runs a few times in a program: host compilers optimise it little, or not at all."""
    return f"{_OFF.replace('LEVEL', level)}{text}{_BACK}"


def stubs(text: str) -> str:
    """Versions of kernels: the host compiler makes of them what launches them, in place of which `started` is called.

    The emulator's compiler makes the versions themselves of them.
    """
    return f"{STUBS}{text}{_AS_BEFORE}"


def stubs_in(text: str) -> list[str]:
    """The texts that were given to `stubs`, out of one that holds what it made of them."""
    return re.findall(f"{re.escape(STUBS)}(.*?){re.escape(_AS_BEFORE)}", text, re.DOTALL)


def hot(text: str, level: str = "Og") -> str:
    """C++ that every launch runs: most of its time is the driver's, so that little optimisation is enough.

    At -O3 it takes GCC twice as long, as it is inlined wherever there is a launch. clang knows no level for a part.
    """
    return f"{_SOME.replace('LEVEL', level)}{text}{_AS_BEFORE}"


def system() -> str:
    """Declarations that the whole runtime uses."""
    return _text("system.h")


def launch_side(learning: Learning) -> str:
    """The part of the runtime that measures launches; behind `remembered.h`."""
    path = learning.choices.replace("\\", "\\\\").replace('"', '\\"')
    text = cold("".join(map(_text, _COLD)))
    return (
        text.replace("GPUOPT_RT_STUDENT", ", ".join(map(str, STUDENT)))
        .replace("GPUOPT_RT_LEARN", str(_MODES[learning.mode]))
        .replace("GPUOPT_RT_BUDGET", f"{learning.budget:g}")
        .replace("GPUOPT_RT_CHOICES", f'"{path}"')
    )


def _text(name: str) -> str:
    return resources.files("gpuopt_driver.learning").joinpath(name).read_text("utf-8")

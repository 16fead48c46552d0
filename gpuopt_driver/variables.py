"""The variables of the environment that gpuopt listens to; what means nothing in them is said, and left aside.

Imports nothing heavy: a command line whose outcome is remembered pays for this, too.
"""

# ruff: noqa: PTH112

from __future__ import annotations

import os

TYPE_CHECKING = False  # typing's own costs milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PREFIX = "GPUOPT_"
SWITCHES = ("OFF", "DEBUG", "AHEAD", "TRIM", "EMU_PORTABLE")
_ON, _OFF = ("1", "yes", "on", "true", "y"), ("", "0", "no", "off", "false", "n")
_WORDS = {"EMU_MODE": ("fast", "check", "model")}
_DIRECTORIES = ("GPU_PATH", "CCCL")
# Of builds and of gpuopt's own commands; those of a wrong value that are not above say so where they are used.
_BUILD = (
    *("BACKEND", "CACHE_DIR", "DISABLE_PLUGINS", "GPU", "NVCC", "OVERLAY", "POLICY", "REPORT", "SEED"),
    *(*SWITCHES, *_WORDS, *_DIRECTORIES),
)
_PROGRAM = (
    *(
        "CHOICES",
        "DISPATCH",
        "LEARN",
        "LEARN_BUDGET",
        "NUMBERS",
        "VTB",
        "EMU_AHEAD",
        "EMU_CARVEOUT",
        "EMU_CTA_MAPPING",
        "EMU_DISPATCH",
        "EMU_ERROR_STATUS",
    ),
    *("EMU_GPU", "EMU_GROUP", "EMU_L2", "EMU_LAUNCHES", "EMU_LOADS", "EMU_PAIRS", "EMU_REGISTERS", "EMU_REPORT"),
    *("EMU_SAMPLE", "EMU_SCHEDULER", "EMU_SEED", "EMU_SMM", "EMU_STACK_KB", "EMU_SURVEYS", "EMU_THREADS", "EMU_TIMES"),
    *("EMU_TRACE", "EMU_TRACE_FORMAT", "EMU_VICTIMS", "EMU_WINDOW"),
)
# Of what we start; nobody is to set them.
_OWN = (
    "KEPT_AS",
    "KEPT_STEPS",
    "NEEDED",
    "NEEDED_BY",
    "NVCC_TRIED",
    "PTX_ASK",
    "PTX_KEEP",
    "PTX_LOG",
    "PTX_MAP",
    "VFS_MAP",
)
USERS = frozenset(PREFIX + name for name in (*_BUILD, *_PROGRAM))
KNOWN = USERS.union(PREFIX + name for name in _OWN)
_NEAR = 0.7  # of difflib: CACHE is still taken for CACHE_DIR


def is_on(env: Mapping[str, str], name: str, *, otherwise: bool = False) -> bool:
    """Whether an on/off variable says on; what it says else is as if it was not set."""
    word = env.get(name, "").strip().lower()
    if word in _ON or (word.isdecimal() and word != "0"):
        return True
    return otherwise if not word or word not in _OFF else False


def faults(env: Mapping[str, str]) -> Iterator[str]:
    """One line for each variable that is left aside: its value means nothing, or its name is nearly another's."""
    for name in sorted(name for name in env if name.startswith(PREFIX)):
        value = env[name]
        if name not in KNOWN:
            near = _nearest(name)
            if near:
                yield f"{name}: no such variable; did you mean '{near}'?"
        elif why := _why_aside(name.removeprefix(PREFIX), value):
            yield f"{name}={value}: {why}; it is left aside"


def _nearest(name: str) -> str:
    """The variable that somebody may have meant, "" if none is near."""
    from difflib import get_close_matches  # noqa: PLC0415 - costs milliseconds to import

    words = {known.removeprefix(PREFIX): known for known in sorted(USERS)}
    near = get_close_matches(name.removeprefix(PREFIX)[:100], words, n=1, cutoff=_NEAR)
    return words[near[0]] if near else ""


def _why_aside(name: str, value: str) -> str:
    if name in SWITCHES:
        word = value.strip().lower()
        return "" if word in (*_ON, *_OFF) or word.isdecimal() else "expected 1 or 0"
    if name in _WORDS:
        return "" if value in ("", *_WORDS[name]) else f"expected one of {', '.join(_WORDS[name])}"
    if name in _DIRECTORIES:
        places = value.split(os.pathsep) if name.endswith("_PATH") else [value]
        missing = next((place for place in places if place and not os.path.isdir(place)), "")
        return f"{missing} is no directory" if missing else ""
    return ""

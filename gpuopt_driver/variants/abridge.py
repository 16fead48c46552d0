"""Patched text without what is the same for every source: for people, and for expected files."""

from __future__ import annotations

import re

from gpuopt_driver.variants.emit import ADDED_QUIET, LOUD, QUIET
from gpuopt_driver.variants.pasted import END

_RUNTIME = re.compile(
    rb"(#define GPUOPT_RT\n).*?\n\} \}(?: \})?\n(?:" + re.escape(END.encode()) + rb")?(#endif\n)", re.DOTALL
)
_SUPPORT = re.compile(
    rb"(#define GPUOPT_SUPPORT_[0-9A-F]{16}\n)(namespace [^\n]*\n).*?\n\} \} \}\n(#endif\n)", re.DOTALL
)
_GUARD = re.compile(rb"#define (GPUOPT_\w+) 1\n#if \1\n")
_SHIM = re.compile(
    rb"(__gpuopt_(?:launch|elsewhere)\(const ::gpuopt_rt::config &gpuopt_c[^\n]*\{\n).*?\n\}\n", re.DOTALL
)
_LAUNCHED = re.compile(  # of a template
    rb"[^\n]*__gpuopt_launched\(const ::gpuopt_rt::config &gpuopt_c[^\n]*\{\n.*?\n\}\n", re.DOTALL
)
_WRAPPER = re.compile(
    rb"(__gpuopt_launch\(const ::gpuopt_rt::config &gpuopt_c[^\n]*\{) [^\n]*__gpuopt_launched[^\n]*\n"
)
_DECIDE = re.compile(rb"[^\n]*__gpuopt_decide_(?:launch|elsewhere)\(gpuopt_rt::memo[^\n]*\n.*?\n\}\n", re.DOTALL)
_LITTLE = re.compile(  # what `cold`, `hot` and `stubs` write
    rb"#if defined\((?:__clang__\)\n#pragma clang optimize (?:off|on)\n#elif defined\(__GNUC__\)|__GNUC__\) &&[^\n]*)"
    rb"\n(?:#pragma GCC [^\n]*\n)+#endif\n"
)

_NEVER = re.compile(rb"[^\n]*__gpuopt_\w+_guard\([^\n]*\n  return false;\n\}\n")


def shortened(data: bytes) -> bytes:
    """For people: `abridge`, and without the guards of versions that are made for measurements alone: they say no."""
    return _NEVER.sub(b"", abridge(data))


def abridge(data: bytes) -> bytes:
    """The text with the runtime, the definitions that guards share, and the bodies of shims left out."""
    data = (
        data.replace(QUIET.encode(), b"").replace(LOUD.encode() + ADDED_QUIET.encode(), b"").replace(LOUD.encode(), b"")
    )
    guard = _GUARD.search(data)
    if guard is not None:  # all behind it is ours
        ours = _GUARD.sub(rb"#define \1\n", data[guard.start() :]).replace(b"#endif\n#endif\n", b"#endif\n")
        data = data[: guard.start()] + ours
    data = _LITTLE.sub(b"", data)
    data = _RUNTIME.sub(rb"\1// The runtime of gpuopt is here.\n\2", data)
    data = _SUPPORT.sub(rb"\1// The definitions that a plugin's guards share are here.\n\3", data)
    data = _LAUNCHED.sub(b"", _DECIDE.sub(b"", data))
    data = _WRAPPER.sub(rb"\1\n\n}\n", data)
    return _SHIM.sub(rb"\1// The launch of a version or of the original is here.\n}\n", data)

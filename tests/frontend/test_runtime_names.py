"""The bundled declarations of the runtime against a toolkit's: constants, members, types, functions."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.releases import release_of

RELEASE = "13.0"  # whose names they have
_HEADERS = ("driver_types.h", "texture_types.h", "surface_types.h")
_CALLED = ("cuda_runtime_api.h", "texture_indirect_functions.h", "surface_indirect_functions.h")
_NESTED = r"(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*"
_STRUCTURE = re.compile(r"\bstruct\s+(?:__\w+__\s+|__attribute__\(\(\w+\)\)\s+)*(cuda\w+)\s*\{(" + _NESTED + r")\}")
_INNER = re.compile(r"\b(?:struct|union)\s*\{(?:[^{}]|\{[^{}]*\})*\}")
_MEMBER = re.compile(r"(\w+)\s*(?:\[\w+\])*\s*(?=[;,])")
FEWEST = {"constants": 300, "members": 250, "types": 25, "functions": 300}


@pytest.fixture(scope="module")
def toolkit(real_nvcc: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The toolkit's headers of the runtime's types: preprocessed, and their macros."""
    if release_of(real_nvcc) != RELEASE:
        pytest.skip(f"the declarations are those of CUDA {RELEASE}")
    source = tmp_path_factory.mktemp("names") / "all.cu"
    source.write_text("")
    told = [
        subprocess.run([real_nvcc, "-E", *more, source], capture_output=True, text=True, check=False).stdout
        for more in ((), ("-Xcompiler", "-dD"))
    ]
    return _of_headers(told[0], _HEADERS), _of_headers(told[1], (*_HEADERS, *_CALLED))


def _of_headers(text: str, headers: Sequence[str]) -> str:
    """The lines of preprocessed text that come from these headers."""
    kept, inside = [], False
    for line in text.splitlines():
        if marker := re.match(r'# \d+ "(.*)"', line):
            inside = Path(marker[1]).name in headers
        elif inside:
            kept.append(line)
    return "\n".join(kept)


def _constants(text: str, macros: str) -> list[str]:
    found = [
        *re.findall(r"\b(cuda\w+)\s*=\s*([\da-fA-Fx<() -]+?)\s*(?=[,}])", text),
        *re.findall(r"^#define (cuda\w+) (\d+|0x[0-9a-fA-F]+)\s*$", macros, re.MULTILINE),
    ]
    return [f'static_assert((long long){name} == ({value}), "{name}");' for name, value in found]


def _members(text: str, _macros: str) -> list[str]:
    made = []
    for structure in _STRUCTURE.finditer(text):
        body = _INNER.sub("inner ", structure[2])
        made += [
            f'static_assert(sizeof(static_cast<struct {structure[1]}*>(nullptr)->{member}) != 0, "");'
            for member in _MEMBER.findall(body)
            if member not in ("inner", "reserved")
        ]
    return made


def _types(text: str, _macros: str) -> list[str]:
    found = re.findall(r"\btypedef\b[^;{}]*?\b(cuda\w+)\s*;", text)
    return [f'static_assert(sizeof({name}*) != 0, "");' for name in found]


def _functions(_text: str, macros: str) -> list[str]:
    names = set(re.findall(r"^[^#\n]*?\b((?:cuda[A-Z]|tex[1-3C]|surf[1-3C])\w+)\s*\(", macros, re.MULTILINE))
    return [f"namespace names_{name} {{ using ::{name}; }}" for name in sorted(names) if not name.endswith("_ptsz")]


@pytest.mark.parametrize("kind", FEWEST)
def test_the_declarations_have_the_toolkits(kind: str, toolkit: tuple[str, str], parse) -> None:
    lines = {"constants": _constants, "members": _members, "types": _types, "functions": _functions}[kind](*toolkit)
    assert len(lines) >= FEWEST[kind]
    unit = parse("\n".join([*lines, "__global__ void k(int *a) { a[0] = 1; }", ""]))
    assert [one.name for one in unit.kernels] == ["k"]
    assert [one.partition(": ")[2] for one in unit.diagnostics] == []

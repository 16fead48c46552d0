"""When the toolkit's headers would make another unit of a source."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.frontend import parse
from gpuopt_driver.frontend.kernels import KernelReader
from gpuopt_driver.frontend.model import ParseLevel
from gpuopt_driver.frontend.options import ParseOptions
from gpuopt_driver.frontend.toolkit_headers import lacks_library, may_find_more
from gpuopt_driver.frontend.translation import Translation

PASSED_ON = "#define HAS_INCLUDE(x) __has_include(x)\n"
HEADS = {
    "nothing": ("", False),
    "one that is there": ("#include <there.h>\n", True),
    "one that is nowhere": ("#include <absent.h>\n", False),
    "in a directory": ("#include <cub/cub.cuh>\n", True),
    "asked for": ("#if __has_include(<there.h>)\n#endif\n", True),
    "another one asked for": ('#if __has_include("absent.h")\n#endif\n', False),
    "asked for by a macro": (PASSED_ON + "#if HAS_INCLUDE(<there.h>)\n#endif\n", True),
    "another one asked for by a macro": (PASSED_ON + "#if HAS_INCLUDE(<absent.h>)\n#endif\n", False),
    "a macro asked for": ("#define NAME <there.h>\n#if __has_include(NAME)\n#endif\n", True),
    "whether it can be asked": ("#ifndef __has_include\n#define __has_include(x) 0\n#endif\n", False),
}
KERNEL = "__global__ void k(missing *x) { x[0] = 1; }\nvoid f(missing *x) { k<<<1, 1>>>(x); }\n"


@pytest.fixture
def options(tmp_path: Path) -> ParseOptions:
    (tmp_path / "toolkit" / "cccl" / "cub").mkdir(parents=True)
    (tmp_path / "toolkit" / "there.h").write_text("typedef int given;\n")
    (tmp_path / "toolkit" / "cccl" / "cub" / "cub.cuh").write_text("")
    return ParseOptions(cuda_include=str(tmp_path / "toolkit"))


@pytest.mark.parametrize(("head", "more"), HEADS.values(), ids=HEADS)
def test_only_what_is_missing_or_asked_for_counts(tmp_path: Path, options: ParseOptions, head: str, more: bool) -> None:
    main = tmp_path / "main.cu"
    main.write_text(head + KERNEL)
    translation = Translation(str(main), options, ParseLevel.HOST, {})
    assert may_find_more(translation) is more
    translation.close()


@pytest.mark.parametrize("name", ["absent.h", "there.h"])
def test_a_level_that_would_be_the_same_is_not_parsed(
    tmp_path: Path, options: ParseOptions, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[ParseLevel] = []

    class Noted(Translation):
        def __init__(self, main: str, given: ParseOptions, level: ParseLevel, overlay: dict[str, bytes]) -> None:
            seen.append(level)
            super().__init__(main, given, level, overlay)

    monkeypatch.setattr(parse, "Translation", Noted)
    monkeypatch.setattr(parse, "_wants_toolkit", lambda _said, _options: False)
    main = tmp_path / "main.cu"
    main.write_text(f"#include <{name}>\n{KERNEL}")
    parse.parse_unit(main, options)
    assert (ParseLevel.TOOLKIT in seen) is (name == "there.h")


@pytest.mark.parametrize("errors", [20, 300])
def test_kernels_are_not_looked_for_where_the_toolkit_is_missed_everywhere(tmp_path, monkeypatch, errors):
    """With few errors the fewest headers may do; kernels are looked for at one level in both cases."""
    (tmp_path / "include/cccl/cub").mkdir(parents=True)
    (tmp_path / "include/cuda_runtime.h").write_text("")
    (tmp_path / "include/cccl/cub/cub.cuh").write_text("namespace cub { inline int host(int i) { return i; } }\n")
    main = tmp_path / "main.cu"
    calls = "".join(f"  i += cub::host({number});\n" for number in range(errors))
    main.write_text(
        "#include <cub/cub.cuh>\n__global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
        f"void f(int *a, int i) {{\n{calls}  k<<<1, 32>>>(a);\n}}\n"
    )
    read: list[int] = []
    monkeypatch.setattr(KernelReader, "__init__", _noting(KernelReader.__init__, read))
    unit = parse.parse_unit(main, ParseOptions(cuda_include=str(tmp_path / "include")))
    assert unit.level is (ParseLevel.BUNDLED if errors == 20 else ParseLevel.TOOLKIT)
    assert [kernel.problems for kernel in unit.kernels] == [()]
    assert len(unit.launches) == 1
    assert len(read) == 1


def _noting(init, read):
    def noted(self, *arguments):
        read.append(1)
        init(self, *arguments)

    return noted


def test_a_header_of_the_toolkit_that_a_program_brings_needs_no_other(tmp_path: Path) -> None:
    """cuRAND's from pip asks <nv/target>, with parentheses around the texts or without, which pip does not bring."""
    (tmp_path / "brought.h").write_text("""
#include <nv/target>
__device__ inline int picked(int i)
{
NV_IF_ELSE_TARGET(NV_IS_DEVICE,
    const int more = 1 + i;
    return more;
,
    return nowhere(i);
)
NV_IF_TARGET(NV_PROVIDES_SM_61, (i += 1; i += 2;), (i = nothing;))
NV_IF_TARGET(NV_IS_HOST, (i = nothing;))
}
""")
    main = tmp_path / "main.cu"
    main.write_text('#include "brought.h"\n__global__ void k(int *a) { a[picked(threadIdx.x)] = 1; }\n')
    unit = parse.parse_unit(main)
    assert unit.level is ParseLevel.BUNDLED
    assert [kernel.problems for kernel in unit.kernels] == [()]


def _library_of(tmp_path: Path, headers: int, include: str) -> Path:
    """A source with so many headers that include what is given, each of which includes the next."""
    for number in range(headers):
        further = f'#include "part{number + 1}.h"\n' if number + 1 < headers else ""
        (tmp_path / f"part{number}.h").write_text(f"#pragma once\n{further}{include}")
    main = tmp_path / "main.cu"
    main.write_text('#include "names.h"\n#include "part0.h"\n__global__ void k(int *x) { x[0] = 1; }\n')
    (tmp_path / "names.h").write_text("#define STD_HEADER(name) <cuda/std/name>\n#define OWN(name) <name.h>\n")
    return main


@pytest.mark.parametrize(
    ("headers", "include", "lacking"),
    [
        (6, "#include <cuda/std/array>\n", True),
        (5, "#include <cuda/std/array>\n", False),
        (6, "#if 0\n  #  include STD_HEADER(array)\n#endif\n", True),
        (5, "#include STD_HEADER(array)\n#include <cuda/atomic>\n#include <cuda/atomic>\n", False),
        (8, "#include OWN(names)\n", False),
        (8, "#include <thrust/sort.h>\n", False),
        (8, "// #include <cuda/std/array>\n", False),
        (8, "#include <cuda/mine.h>\n", False),
    ],
)
def test_sources_built_on_the_library_for_device_code_are_told_from_their_text(
    tmp_path: Path, headers: int, include: str, lacking: bool
) -> None:
    (tmp_path / "project" / "cuda").mkdir(parents=True)
    (tmp_path / "project" / "cuda" / "mine.h").write_text("")
    main = _library_of(tmp_path, headers, include)
    assert lacks_library(str(main), ParseOptions(include_dirs=(str(tmp_path / "project"),)), {}) is lacking


@pytest.mark.parametrize(("headers", "first"), [(6, ParseLevel.TOOLKIT), (3, ParseLevel.BUNDLED)])
def test_such_a_source_is_read_with_the_toolkit_at_once(
    tmp_path: Path, options: ParseOptions, headers: int, first: ParseLevel, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "toolkit" / "cccl" / "cuda" / "std").mkdir(parents=True)
    (tmp_path / "toolkit" / "cccl" / "cuda" / "std" / "array").write_text("")
    seen: list[ParseLevel] = []

    class Noted(Translation):
        def __init__(self, main: str, given: ParseOptions, level: ParseLevel, overlay: dict[str, bytes]) -> None:
            seen.append(level)
            super().__init__(main, given, level, overlay)

    monkeypatch.setattr(parse, "Translation", Noted)
    main = _library_of(tmp_path, headers, "#include <cuda/std/array>\n")
    unit = parse.parse_unit(main, options)
    assert [kernel.name for kernel in unit.kernels] == ["k"]
    assert seen == [first]

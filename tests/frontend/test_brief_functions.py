"""Of many functions that only lead to kernels no more is kept than their places and what they refer to: same units."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.frontend import declarations, tree
from gpuopt_driver.frontend.options import ParseOptions
from gpuopt_driver.frontend.parse import parse_unit

KERNELS = """
#include <launching.h>
template <class T> __global__ void k(T *x) { x[threadIdx.x] = 1; }
__global__ void plain(float *x) { x[threadIdx.x] = 2; }
template <class T> struct Runs {
    void of(T *x) { k<T><<<1, 32>>>(x); }
    void leads(T *x) { of(x); }
};
template <class T> void leads(T *x) { Runs<T> runs; runs.leads(x); }
#define LAUNCH(kernel, x) kernel<<<3, 64>>>(x)
#define MAKES(name, type) void name(type *x) { Runs<type> runs; runs.of(x); }
"""
SOURCES = {
    "through templates": "void f(float *x) { leads(x); }\nvoid g(int *x) { leads(x); }",
    "by macros": (
        "MAKES(f, char)\n#define F(x) void f(short *x) { LAUNCH(k, x); }\nF(x)\nvoid g(int *x) { LAUNCH(k, x); }"
    ),
    "by a macro of the system": "void f(int *x) { SYSTEM_LAUNCH(k, x); }\nvoid g(int *x) { SYSTEM_SET(k<int>); }",
    "given to helpers": (
        "typedef void (*Kernel)(float *);\n"
        "void helper(Kernel one, float *x) { one<<<1, 2>>>(x); }\n"
        "struct H { void run(float *x, Kernel one) { one<<<4, 2>>>(x); } };\n"
        "void f(float *x) { helper(plain, x); H h; h.run(x, k<float>); }"
    ),
    "by names put together": (
        "#define CAT(a, b) a##b\n#define BY(how) LAUNCH##how\n#define PART cudaFuncSetCach\n"
        "#define PASTE(a, b) CAT(a, b)\n"
        "#define ASK(x) cudaFunc##x\n"
        "void f(int *x) { BY()(k, x); }\nvoid g(float *x) { CAT(LAU, NCH)(k, x); }\n"
        "void h() { PASTE(PART, eConfig)(k<int>, cudaFuncCachePreferL1); }\n"
        "void i() { ASK(SetCacheConfig)(k<float>, cudaFuncCachePreferL1); }"
    ),
    "over lines": (
        "#define MANY(x) k<\\\n<<1, 2>>>(x)\n#define OTHER(x) \\\n  k<<<1, 3>>>(x)\n"
        "#define SET cudaFunc\\\nSetCacheConfig\n#define LAST(x) k<< \\\n <1, 4>>>(x)\n"
        "void f(int *x) { MANY(x); }\nvoid g(int *x) { OTHER(x); }\nvoid h(int *x) { LAST(x); }\n"
        "void i() { SET(k<int>, cudaFuncCachePreferL1); }"
    ),
    "asked about": (
        "template <class T> void ask(T *)\n"
        "{ cudaFuncSetAttribute(k<T>, cudaFuncAttributePreferredSharedMemoryCarveout, 9); }\n"
        "void f(float *x) { ask(x); leads(x); }"
    ),
    "with blanks": "template <class T> void f(T *x) { k<< /* a */ <1, 2>> >(x); }\nvoid g(double *x) { f(x); }",
    "in initialisers": (
        "int start(float *x) { leads(x); return 1; }\nint first = start(0);\nauto f = [](int *x) { leads(x); };"
    ),
}
SYSTEM = """
#define SYSTEM_LAUNCH(kernel, x) kernel<<<5, 32>>>(x)
#define SYSTEM_SET(kernel) cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferL1)
"""


@pytest.mark.parametrize("text", SOURCES.values(), ids=SOURCES)
def test_units_are_the_same(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "system").mkdir()
    (tmp_path / "system" / "launching.h").write_text(SYSTEM)
    main = tmp_path / "main.cu"
    main.write_text(KERNELS + text)
    options = ParseOptions(system_dirs=(str(tmp_path / "system"),))
    whole = parse_unit(main, options)
    monkeypatch.setattr(declarations, "_MANY", -1)
    brief = parse_unit(main, options)
    assert whole.launches
    assert brief == whole


def test_no_tree_is_made_of_what_only_leads_to_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def noted(cursor: tree.Cursor, place: declarations.Place) -> tree.Node:
        made.append(declarations.libclang.spelling(cursor))
        return tree.build(cursor, place)

    monkeypatch.setattr(declarations, "build", noted)
    monkeypatch.setattr(declarations, "_MANY", -1)
    main = tmp_path / "main.cu"
    main.write_text(KERNELS.replace("#include <launching.h>", "") + SOURCES["through templates"])
    assert len(parse_unit(main).launches) == 2
    assert set(made) == {"of"}


@pytest.mark.parametrize(
    "macro",
    [
        "#define USED(x) CAT(other_, x)()\n",
        "#define USED(x) \\\n  do { (void)(x); } \\\n  while (0)\n",
        "#define USED(x) typedef int CAT(line_, __LINE__)\n",
    ],
)
def test_macros_that_put_together_other_names_keep_no_trees(
    tmp_path: Path, macro: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def noted(cursor: tree.Cursor, place: declarations.Place) -> tree.Node:
        made.append(declarations.libclang.spelling(cursor))
        return tree.build(cursor, place)

    monkeypatch.setattr(declarations, "build", noted)
    monkeypatch.setattr(declarations, "_MANY", -1)
    main = tmp_path / "main.cu"
    main.write_text(
        "#define CAT(a, b) a##b\nvoid other_1();\n"
        + macro
        + KERNELS.replace("#include <launching.h>", "")
        + "void f(float *x) { USED(1); leads(x); }\n"
    )
    assert len(parse_unit(main).launches) == 1
    assert set(made) == {"of"}

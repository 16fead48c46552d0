"""Templates that no text leads to: what errors hide does not instantiate them."""

from __future__ import annotations

import pytest

from gpuopt_driver.frontend.parse import parse_unit
from gpuopt_driver.frontend.reached import reached
from gpuopt_driver.frontend.translation import ParseOptions

_NOT_MADE = ("nothing in this file instantiates the template",)
# In the pass for the device, host code cannot call the constructors: nvcc does not look at it there, libclang does.
_ONE_SIDED = (
    "#ifdef __CUDA_ARCH__\n#define SIDE __device__\n#else\n#define SIDE\n#endif\n"
    "template <class T> struct Pair { T x, y; SIDE Pair(T x, T y) : x(x), y(y) {} };\n"
    "inline int area() { Pair<int> p = Pair<int>(3, 4); return p.x * p.y; }\n"
)
_FILL = "template <class T> __global__ void fill(T *a, T v, int n) { if (threadIdx.x < n) a[threadIdx.x] = v; }\n"
_CALLER = "template <class T> void fill_all(T *a, T v, int n) { fill<T><<<1, 128>>>(a, v, n); }\n"


def _problems(tmp_path, text: str):
    main = tmp_path / "main.cu"
    main.write_text(_ONE_SIDED + _FILL + text)
    return [kernel.problems for kernel in parse_unit(main, ParseOptions()).kernels if kernel.name == "fill"]


@pytest.mark.parametrize(
    "text",
    [
        _CALLER,
        _CALLER + "/* fill_all(p, 1, n) fills */\nvoid other(); // so does fill<int>\n",
        _CALLER + "template <class T> void twice(T *a, int n) { fill_all(a, T(1), n); fill_all(a, T(2), n); }\n",
        "template <class T> struct Vector { T *p; Vector(T *p): p(p) {} void set(T v) { fill<<<1, 9>>>(p, v, 9); }};\n",
        "template <class T> struct Vector { T *p; void set(T v); };\n"
        "template <class T> void Vector<T>::set(T v) { fill<<<1, 9>>>(p, v, 9); }\n",
    ],
)
def test_what_only_unnamed_templates_name_has_no_version_whatever_errors_there_are(tmp_path, text):
    assert _problems(tmp_path, text) == [_NOT_MADE]


@pytest.mark.parametrize(
    "text",
    [
        _CALLER + "void go(int *a) { Pair<int> p = Pair<int>(1, 2); fill_all(a, p.x, 9); }\n",
        _CALLER + "template void fill_all<double>(double *, double, int);\n",
        _CALLER + "#define FILL(a) fill_all(a, Pair<int>(1, 2).x, 9)\nvoid go(int *a) { FILL(a); }\n",
        _CALLER + "template <class T> void up(T *a) { fill_all(a, T(1), 2); }\nvoid go(int *a) { up(a); }\n",
        "template <class T> struct Vector { T *p; void set(T v) { fill<<<1, 9>>>(p, v, 9); } };\n"
        "void go(Vector<int> &v) { v.set(Pair<int>(1, 2).x); }\n",
        "void go(int *a) { fill<<<1, 9>>>(a, Pair<int>(1, 2).x, 9); }\n",
    ],
)
def test_what_other_text_leads_to_may_be_made(tmp_path, text):
    assert _NOT_MADE not in _problems(tmp_path, text)


def test_the_innermost_template_counts():
    text = b"struct C { template f { k } f }; C"
    templates = {b"f": [(text, 11, 27)], b"C": [(text, 0, 31)], b"k": []}
    assert reached({b"k"}, templates, [text]) == {b"k"}  # by `f`, which C names, by itself
    text = b"struct C { template f { k } f };  "
    templates = {b"f": [(text, 11, 27)], b"C": [(text, 0, 31)], b"k": []}
    assert reached({b"k"}, templates, [text]) == set()

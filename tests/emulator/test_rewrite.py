"""The rewriting of sources, without a compiler."""

from __future__ import annotations

import re

import pytest

from gpuopt_driver.emulator.kernels import Dialect
from gpuopt_driver.emulator.lexer import lex
from gpuopt_driver.emulator.objects import _DEVICE_CODE, _SYSTEM, _variables
from gpuopt_driver.emulator.rewrite import rewrite
from gpuopt_driver.emulator.structure import outline


def _body(text: str) -> str:
    return rewrite(text.encode()).text.decode()


@pytest.mark.parametrize(
    "text",
    [
        "int a = 1'000, b = 0x1p-3; auto s = R\"x(<<< )\" \" __global__)x\"; char c = '\\'';",
        '# 1 "a.cu"\n# 1 "/usr/h" 1 3\ntemplate <class T> struct A { };\n# 2 "a.cu" 2\n#pragma unroll\nint x;\n',
        "int unbalanced( [ } { ;",
        "std::cout << a << b; x = y >> 3 >> z; vector<vector<vector<int>>> v; s.operator<< <int>(3);",
    ],
)
def test_what_is_not_cuda_stays_byte_for_byte(text: str) -> None:
    assert lex(text.encode()).bytes() == text.encode()
    assert _body(text) == text


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (b"  #pragma unroll\nint a;", b"#pragma unroll\nint a;"),
        (b"int a;\n\t# pragma unroll\nint b;", b"int a;\n# pragma unroll\nint b;"),
        (b"#pragma unroll\n# pragma unroll\nint a;", None),
        (b'int a; // #pragma\nint b; char *c = " #pragma";\n  #pragmas\n', None),
        (b'auto s = R"(\n  #pragma unroll)";', None),
    ],
)
def test_pragmas_lose_what_is_in_front_of_them(text: bytes, read: bytes | None) -> None:
    assert lex(text).bytes() == (read or text)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (b'# 7 "a.cu"\nint a;', [7]),
        (b'# 1 "a.cu"\n# 2 "b.cu" 1\n# 9 "a.cu" 2\nint a;', [9]),
        (b'# 3 "a.cu"\nint a; # 5 "b.cu"\n # 6 "c.cu"\nint b;', [3, 5]),  # markers begin lines
    ],
)
def test_markers_tell_the_lines(text: bytes, lines: list[int]) -> None:
    tokens = lex(text)
    assert [tokens.where(at) for at in tokens.places(b"int")] == [("a.cu", line) for line in lines]


def test_variables_and_headers_are_found_by_whole_words_and_lines() -> None:
    """For check mode, which names variables and tells users' files from the system's."""
    text = b'# 1 "/s/a.h" 1 3 4\n # 2 "/s/b.h" 1 3\n# 3 "u.cu" 2\n# 4 "c.h" 3\nx__device__ int no;\n'
    assert _SYSTEM.findall(text) == [b"/s/a.h"]
    assert _variables(text + b"__device__y int no;\n__constant__ float table[4] = {1};") == {"table": "constant"}
    for code in (b"x; __global__ void k();", b"namespace thrust_kernels {", b"// a device-wide algorithm of CUB's"):
        assert any(form.search(code) for form in _DEVICE_CODE)
    for code in (b"int x__global__;", b"int __device__y;", b"using mynamespace thrust_kernels", b"namespace thrust {"):
        assert not any(form.search(code) for form in _DEVICE_CODE)


def test_the_places_of_texts_are_those_that_were_read() -> None:
    tokens = lex(b"int a = b; b(a); struct b { int a; };")
    tokens.clear(0, len(tokens))  # what is read counts, not what is written
    assert list(tokens.places(b"a")) == [1, 7, 14]
    assert list(tokens.places(b"struct", b"b")) == [3, 5, 10, 11]
    assert list(tokens.places(b"c")) == []
    assert list(tokens.places()) == []
    assert set(tokens.texts()) == set(tokens.original)


@pytest.mark.parametrize(
    "part",
    [
        "__attribute__((__noinline__, __cold__)) void g() { if (x) {",  # libstdc++'s, cut off by a marker
        'static_assert(ok, "an extended __device__ lambda"); }}}',
        "__device__ int g() { if (x) {",  # CUDA, cut off as well
        "inline __host__ int g() { return 1; }}}}",
    ],
)
def test_parts_of_system_headers_hide_no_kernels(part: str) -> None:
    text = f"""# 1 "a.cu"
struct Own {{
# 1 "/usr/include/x.h" 1 3
{part}
# 3 "a.cu" 2
int v; __device__ int member() {{ return v; }} }};
# 1 "/usr/include/x.h" 1 3
{part}
# 5 "a.cu" 2
__global__ void k() {{}}
"""
    tokens = lex(text.encode())
    found = outline(tokens)
    own = {tokens.where(one.head): one for one in found.functions if tokens.where(one.head)[0] == "a.cu"}
    assert [one.role.value for one in own.values()] == ["device", "kernel"]
    assert next(iter(own.values())).head in found.in_class
    has_cuda = "lambda" not in part and "noinline" not in part
    assert has_cuda == any(tokens.where(index)[0] == "/usr/include/x.h" for index in range(len(tokens)))


@pytest.mark.parametrize(
    ("launch", "expected"),
    [
        ("k<<<1, 2>>>(a);", "(::gpuopt_emu::push_call(1, 2)?(void)0: k(a));"),
        ("if (c) k<<<g, b, s, t>>>();", "if (c) (::gpuopt_emu::push_call(g, b, s, t)?(void)0: k());"),
        ("else (*f)<<<1, 1>>>(x);", "else (::gpuopt_emu::push_call(1, 1)?(void)0: (*f)(x));"),
        ("if (c) (k)<<<1, 1>>>(x);", "if (c) (::gpuopt_emu::push_call(1, 1)?(void)0: (k)(x));"),
        ("::n::k<T, (a > b)><<<1, 1>>>(x);", "(::gpuopt_emu::push_call(1, 1)?(void)0: ::n::k<T, (a > b)>(x));"),
        (
            "return A<B<C>>::k<<<f<1>(2), 1>>>(x);",
            "return (::gpuopt_emu::push_call(f<1>(2), 1)?(void)0: A<B<C>>::k(x));",
        ),
        ("o.list[i]<<<1, 1>>>(x);", "(::gpuopt_emu::push_call(1, 1)?(void)0: o.list[i](x));"),
        ("p->get(3)<<<1, 1>>>(x);", "(::gpuopt_emu::push_call(1, 1)?(void)0: p->get(3)(x));"),
        ("x.template k<3><<<1, 1>>>(x);", "(::gpuopt_emu::push_call(1, 1)?(void)0: x.template k<3>(x));"),
    ],
)
def test_launches(launch: str, expected: str) -> None:
    assert _body(f"void f() {{ {launch} }}") == f"void f() {{ {expected} }}"


def test_tables_of_structs_are_neither_classes_nor_functions() -> None:
    """Their rows are not looked into: a table of 20000 took minutes."""
    rows = "{1, {f(2), 3}},\n" * 20000
    others = "int (*fs[])(int) = { f, g }; __device__ struct S d = { 1 }; void f() { }"
    text = f"struct S t[] = {{ {rows} }}; {others}"
    found = outline(lex(text.encode()))
    assert [(one.role.value, one.body > 4 * 20000) for one in found.functions] == [("host", True)]
    assert len(found.declarations) == 1


def test_mathematical_functions_of_device_code() -> None:
    """Calls are the device library's; members, other namespaces' and the program's own functions stay as they are."""
    source = b"""# 1 "a.cu"
__device__ float pow(float x, float y);
__device__ float pow(float x, float y) { return x; }
__device__ float f(float x) { return std::exp(x) + ::sinf(x) + s.log(x) + n::cos(x) + pow(x, x); }
__host__ __device__ float g(float x) { float exp(x); return expf(x); }
float h(float x) { return expf(x); }
"""
    lines = rewrite(source).text.decode().splitlines()
    assert "gpuopt_emu_exp(x) + gpuopt_emu_sinf(x) + s.log(x) + n::cos(x) + pow(x, x)" in " ".join(lines[3].split())
    assert "float exp(x); return gpuopt_emu_both_expf(x);" in lines[4]
    assert lines[5] == "float h(float x) { return expf(x); }"


def test_shifts_of_device_code() -> None:
    """Shifts by what may be too much are a GPU's; template arguments, literal counts and streams are left alone."""
    source = b"__device__ T f() { a = b << n; c >>= d; e = g >> 3; A<B<C>> x; h << 32 - n; return p < q && r >> s; }\n"
    text = " ".join(rewrite(source).text.decode().split())
    shift = "::gpuopt_emu::shift"
    assert f"a = b << {shift} << n; c >>= {shift} >>= d; e = g >> 3; A<B<C>> x; h << {shift} << 32 - n;" in text
    assert f"p < q && r >> {shift} >> s;" in text
    output = "__host__ __device__ void f() { std::cout << a << std::endl; }"
    assert "<< a << std::endl" in _body(output)


def test_lanes_that_exchange_elements_run_in_step() -> None:
    """Each lane reads its partner's element before anybody writes, as lanes of a warp that run in step do."""
    source = "__global__ void k(float *o) { s[i] += s[i ^ 8]; s[i] += s[i + 8]; o[i] = s[i ^ 1]; }"
    text = " ".join(_body(source).split())
    assert text.count("step_at<") == 2
    assert re.search(r"\{const auto gpuopt_emu_value= ?\( ?s\[i \^ 8\]\);.*s ?\[ ?i ?\]\+=gpuopt_emu_value;", text)


def test_volatile_elements_that_may_be_objects() -> None:
    """Which those are is the host compiler's to know; what is declared to be a number is one."""
    statements = "v[i] += x; w[i] += x; v[i].y += x;"
    source = f"template <class T> __device__ void f(volatile T *v, volatile float *w) {{ {statements} }}"
    text = " ".join(_body(source).split())
    assert re.search(r"= ?::gpuopt_emu::element\(v ?\[ ?i ?\]\) \+ ?\( ?x\);.*::gpuopt_emu::store\(v ?\[ ?i ?\],", text)
    assert text.count("::gpuopt_emu::element(") == 1


def test_nested_launches_and_lines() -> None:
    text = "void f() {\n  a\n  <<<1,\n  2>>>(b<<<3, 4>>>(c),\n  d);\n}\n"
    result = _body(text)
    assert result.count("push_call") == 2
    assert result.count("\n") == text.count("\n")
    assert result.splitlines()[4] == "  d));"


def test_kernels_keep_their_lines() -> None:
    text = "template <class T>\n__global__ void __launch_bounds__(64)\nk(T *p,\n  int n = 3)\n{\n  *p = n;\n}\n"
    result = _body(text)
    assert "void(T * p , int n),false>" in result
    assert "(__PRETTY_FUNCTION__,::dim3(),64)" in result
    assert [line for line in result.splitlines() if "*p = n;" in line] == ["  *p = n;"]
    assert result.splitlines()[5] == "  *p = n;"


def test_only_builtins_of_the_language_are_replaced() -> None:
    device = _body("__device__ int f() { return threadIdx.x + cfg.blockDim + s->gridDim; }")
    assert "return ::gpuopt_emu::thread_index().x + cfg.blockDim + s->gridDim;" in device
    host = "void g() { dim3 blockDim(3); use(blockDim); }"
    assert _body(host) == host


def test_constraints_in_several_literals_are_one() -> None:
    """`"="#r(x)` in a macro is two literals."""
    body = _body('__global__ void k(int *o) { int x; asm("mov.u32 %0, %1;" : "=" "r"(x) : "" "r"(5)); *o = x; }')
    assert "auto&gpuopt_o0=(x)" in body.replace(" ", "")
    assert "constautogpuopt_o1=(5)" in body.replace(" ", "")


def test_classes_with_a_space_declare_no_variables() -> None:
    defined = "__device__ class A : public B<int> { int x; }; __constant__ struct __align__(8) C final { int y; };"
    assert "static" not in _body(defined)
    assert _body("__device__ struct A { int x; } a{1}; __device__ struct A b{2}, c = {3};").count("static") == 2


def test_pragmas_that_macros_leave_behind_spaces() -> None:
    text = 'auto s = R"x(\n  #pragma kept\n)x";\n   # pragma unroll\nint x;\n'
    assert _body(text) == text.replace("   # pragma", "# pragma")


def test_unknown_ptx_is_reported_with_its_line() -> None:
    text = '# 7 "dir/k.cu"\n__device__ void f() {\n  asm("frob.u32 %0, 1;" : "=r"(x));\n}\nvoid h() { asm("rdtsc"); }\n'
    result = rewrite(text.encode())
    assert len(result.errors) == 1
    assert result.errors[0].startswith(
        "dir/k.cu:8: error: the emulator does not know the PTX instruction 'frob.u32 %0, 1'"
    )


@pytest.mark.parametrize(
    ("clang", "behind"),
    [
        (False, ')mutable->void __attribute__((target("fma"))){'),  # g++ 10 takes no attributes before `->`
        (True, ')__attribute__((target("fma")))mutable->void{'),  # clang++ takes none behind the type
    ],
)
def test_attributes_of_closures_stand_where_host_compilers_take_them(clang: bool, behind: str) -> None:
    kernel = b"__global__ void k(int *p) { p[threadIdx.x] = 1; __syncthreads(); p[threadIdx.x + 1] += 2; }"
    text = rewrite(kernel, dialect=Dialect(target=b"fma", clang=clang)).text.decode()
    text = re.sub(r"/\*gpuopt_emu_survey\(\*/.*?/\*\)gpuopt_emu_survey\*/", "", text)  # of code for check mode
    assert text.count("mutable->void") == text.count(behind) == 2  # for one thread and for a block


def test_attributes_of_parameters_are_left_out_of_types() -> None:
    text = _body("__global__ void k([[maybe_unused]] int *p, const float (&a)[2], int b = s[t[0]]) { *p = 1; }")
    described = text[text.index("void(") : text.index("__PRETTY_FUNCTION__")]  # where clang++ takes them for lambdas
    assert "".join(described.split()) == "void(int*p,constfloat(&a)[2],intb),false>("

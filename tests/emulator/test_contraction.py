"""Which products are fused with sums once a whole function is read, as nvcc's SASS for the same text has it."""

from __future__ import annotations

import re

import pytest

from gpuopt_driver.emulator.kernels import Dialect
from gpuopt_driver.emulator.rewrite import rewrite

PARAMETERS = "float *o, const float *__restrict__ x, float a, float b, float c, float d, float e, float f, int n"


def written(body: str, parameters: str = PARAMETERS) -> str:
    """The body as the emulator has it: `F` before the second factor of a fused product, `again` for a variable."""
    text = rewrite(f"__device__ void g({parameters}) {{ {body} }}".encode(), dialect=Dialect(fuses=True)).text.decode()
    text = (
        text.replace("::gpuopt_emu::", "")
        .replace("* fuse *", "*F")
        .replace("/ exact /", "/")
        .replace("= settled =", "=")
    )
    return re.sub(r"\s+", " ", text[text.index("{") + 1 : text.rindex("}")]).strip()


AB, CD = "again(t,(a)*F(b))", "again(u,(c)*F(d))"


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("o[0] = x[n] + a * b;", "o[0] = x[n] + a *F b;"),  # the same for all threads: g++ computes it before
        ("for (int k = 0; k < n; ++k) o[k] = x[k] + a * b;", "for (int k = 0; k < n; ++k) o[k] = x[k] + a *F b;"),
        ("o[0] = a * b + c * d;", "o[0] = a *F b + c * d;"),
        ("o[0] = a * b - c * d;", "o[0] = a *F b - c * d;"),
        ("o[0] = c * d + a * b;", "o[0] = c * d + a *F b;"),  # parameters in their order
    ],
)
def test_products_in_sums(body: str, wanted: str) -> None:
    assert written(body) == wanted


@pytest.mark.parametrize(
    ("uses", "wanted"),
    [
        ("if (n > 3) o[0] = t + c;", f"if (n > 3) o[0] = {AB} + c;"),
        ("o[0] = t + c; o[1] = t - d;", f"o[0] = {AB} + c; o[1] = {AB} - d;"),
        ("o[0] = t; o[1] = t + c;", "o[0] = t; o[1] = t + c;"),  # the product itself is needed
        ("o[0] = t * d; o[1] = t + c;", "o[0] = t * d; o[1] = t + c;"),
        ("o[0] = -t; o[1] = t + c;", "o[0] = -t; o[1] = t + c;"),
        ("o[0] = a * b; o[1] = t + c;", "o[0] = a * b; o[1] = t + c;"),
        ("float s = t + c; o[0] = s * t + d;", "float s = t + c; o[0] = s *F t + d;"),
        ("if (t > d) o[0] = c; o[1] = t + c;", "if (t > d) o[0] = c; o[1] = t + c;"),
        ("if (n > 3) o[0] = t + c; else o[1] = t - c;", f"if (n > 3) o[0] = {AB} + c; else o[1] = {AB} - c;"),
        ("o[0] = d * e + t; o[1] = f + t;", f"o[0] = d * e + {AB}; o[1] = f + {AB};"),
        ("t += c; o[0] = t * d - e;", f"t ={AB}+( c); o[0] = t *F d - e;"),
        ("t -= c * d; o[0] = t;", f"t ={AB}-( c * d); o[0] = t;"),
        ("for (int k = 0; k < n; ++k) o[k] = x[k] + t;", f"for (int k = 0; k < n; ++k) o[k] = x[k] + {AB};"),
        (
            "for (int k = 0; k < n; ++k) o[k] = x[k] * x[k + 5] + t;",
            "for (int k = 0; k < n; ++k) o[k] = x[k] *F x[k + 5] + t;",
        ),
    ],
)
def test_variables_that_hold_a_product(uses: str, wanted: str) -> None:
    assert written(f"float t = a * b; {uses}") == f"float t = a * b; {wanted}"


@pytest.mark.parametrize(
    ("uses", "wanted"),
    [
        ("o[0] = t; o[1] = t + u;", f"o[0] = t; o[1] = t + {CD};"),
        ("o[0] = u; o[1] = t + u;", f"o[0] = u; o[1] = {AB} + u;"),
        ("o[0] = u - t; o[1] = t - c;", f"o[0] = {CD} - t; o[1] = t - c;"),  # ptxas: what is used once goes first
        ("o[0] = t - u; o[1] = u + c;", f"o[0] = {AB} - u; o[1] = u + c;"),
        ("o[0] = u - t; o[1] = u + t;", f"o[0] = {CD} - t; o[1] = {CD} + t;"),
        ("o[0] = t - u; o[1] = t - e; o[2] = u - f;", f"o[0] = {AB} - u; o[1] = {AB} - e; o[2] = u - f;"),
        ("o[0] = t - c; o[1] = t - e * f; o[2] = t - d;", "o[0] = t - c; o[1] = t - e *F f; o[2] = t - d;"),
        ("o[0] = t - u; o[1] = t * u;", "o[0] = t - u; o[1] = t * u;"),
    ],
)
def test_two_products(uses: str, wanted: str) -> None:
    start = "float t = a * b, u = c * d; "
    assert written(start + uses) == start + wanted


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (
            "float t = -(a * b); t += (c + d); o[0] = t;",
            "float t = -(a * b); t =again(t,-((a)*F(b)))+( (c + d)); o[0] = t;",
        ),
        ("float t = -(a * b); o[0] = t + c;", "float t = -(a * b); o[0] = again(t,-((a)*F(b))) + c;"),
        ("float t = -a * b; o[0] = t + c;", "float t = -a * b; o[0] = again(t,(-a)*F(b)) + c;"),
        (
            "float s = -a * b, t = a * b; o[0] = t + c; o[1] = s + d;",
            "float s = -a * b, t = a * b; o[0] = again(t,-((-a)*F(b))) + c; o[1] = again(s,(-a)*F(b)) + d;",
        ),
        (
            "float t = -0.75f * a; t += (c + d); o[0] = t;",
            "float t = -0.75f * a; t =again(t,(-0.75f)*F(a))+( (c + d)); o[0] = t;",
        ),
    ],
)
def test_products_with_signs(body: str, wanted: str) -> None:
    assert written(body) == wanted


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("if (n > 3) t = x[3] * d; o[1] = t + d;", "if (n > 3) t = x[3] * alone * d; o[1] = t + d;"),  # one of two
        ("o[0] = a > b ? t : c;", "o[0] = a > b ? t : c;"),
        # Quotients are branches in machine code, which sees differences; sums are made before.
        ("o[0] = t - c / d;", "o[0] = t - c / d;"),
        ("o[0] = c / d - t;", "o[0] = c / d - t;"),
        ("o[0] = t + c / d;", "o[0] = again(t,(x[1])*F(x[2])) + c / d;"),
        ("o[0] = t - c / 4.0f;", "o[0] = again(t,(x[1])*F(x[2])) - c / 4.0f;"),
        ("o[0] = t - sqrtf(c);", "o[0] = t - sqrtf(c);"),
        # Functions with branches: two numbers would have to be kept for the product, or one.
        ("o[0] = t + sinf(c);", "o[0] = t + sinf(c);"),
        ("o[0] = t + sinf(c); o[1] = x[2];", "o[0] = again(t,(x[1])*F(x[2])) + sinf(c); o[1] = x[2];"),
        ("o[0] = t + logf(c); o[1] = t - d;", "o[0] = t + logf(c); o[1] = t - d;"),
        ("o[0] = t + expf(c);", "o[0] = again(t,(x[1])*F(x[2])) + expf(c);"),
    ],
)
def test_what_ends_a_run_of_instructions(body: str, wanted: str) -> None:
    text = written(f"float t = x[1] * x[2]; {body}").replace("gpuopt_emu_", "")
    start = "float t = x[1] * alone * x[2]; " if "again" not in wanted else "float t = x[1] * x[2]; "
    assert text == start + wanted


@pytest.mark.parametrize(
    "body",
    [
        "float t = x[n] * a; o[0] = b; o[1] = t + o[2] * c;",
        "float t = a * b; a = c; o[0] = t + d;",  # what it was made of is no longer there
        "float t = x[n] * a; __syncthreads(); o[0] = t + d;",
        "float t = h(a) * b; o[0] = t + d;",
        "float t = x[n++] * b; o[0] = t + d;",
        "volatile float v = a; float t = v * b; o[0] = t + d;",
        "double t = a * b; o[0] = t + d;",  # another number
        "float t = a * b; h(&t); o[0] = t + d;",
        "float s[2] = {a * b, c}; o[0] = s[0] + d;",
        "float t = x[0] * x[1]; if (n > 3) o[0] = t + c; else o[1] = t - d;",  # not for sums of two other blocks
        "float t = x[0] * x[1]; for (int k = 0; k < n; ++k) o[k] = x[k] + t;",
    ],
)
def test_variables_that_stay(body: str) -> None:
    assert "again" not in written(body)


def test_a_function_that_cannot_be_read_is_fused_by_its_text() -> None:
    body = "switch (n) { case 1: o[0] = a * b + c * d; }"
    assert written(body) == body.replace("a * b", "a *F b")


def test_products_that_a_loop_leaves_for_the_sum_behind_it() -> None:
    before = "float t = x[1]; o[0] = x[0] + a {}* t; "
    loop = "for (int k = 1; k < n - 1; ++k) {{ t = x[k + 1]; o[k] = x[k] + a {}* t; }} "
    behind = "o[n] = x[n] + a {}* t;"
    left_over = "* FuseIf{!(k-(1)>=((n - 1)-(1))/4*4)} "  # nvcc unrolls by four: the turns behind that
    wanted = before.format("* alone ") + loop.format(left_over) + behind.format("* alone ")
    assert written((before + loop + behind).format("", "", "")) == wanted
    whole = before + "for (int k = 1; k < 9; ++k) {{ t = x[k + 1]; o[k] = x[k] + a {}* t; }} " + behind
    assert "alone" not in written(whole.format("", "", ""))  # unrolled as a whole
    assert "alone" not in written((before + loop + "t = b; " + behind).format("", "", ""))


FUNCTIONS = """
__device__ float times(float x, float y) { return x * y; }
__device__ float twice(float x) { return times(x, 2.0f); }
__host__ __device__ void put(float &p, float q, float *o) { float r = q + p; o[0] = r; o[1] = p - q; }
__device__ void step(float &p) { p += 1.0f; }
"""


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("float t = times(a, b); o[0] = t + c;", f"float t = times(a, b); o[0] = {AB} + c;"),
        ("float t = times(a + b, c); o[0] = t + d;", "float t = times(a + b, c); o[0] = t + d;"),  # no name for x here
        ("float t = twice(a); o[0] = t + d;", "float t = twice(a); o[0] = t + d;"),
        ("float t = times(a, b); a = c; o[0] = t + d;", "float t = times(a, b); a = c; o[0] = t + d;"),
        (
            "float t = a * b; put(t, c, o);",
            f"float t = a * b; {{ float r = c + {AB} ; o [ 0 ] = r ; o [ 1 ] = {AB} - c ; }} ;",
        ),
        ("float t = a * b; put(t, c, o); o[2] = t;", "float t = a * b; put(t, c, o); o[2] = t;"),
        ("float r = a * b; put(r, c, o);", "float r = a * b; put(r, c, o);"),  # the function has an r of its own
        ("float t = a * b; step(t); o[0] = t * c - d;", "float t = a * b; step(t); o[0] = t *F c - d;"),
        (
            "if (n) put(a, b, o); float t = a * b; o[2] = t + c;",
            f"if (n) put(a, b, o); float t = a * b; o[2] = {AB} + c;",
        ),
    ],
)
def test_functions_are_read_where_they_are_called(body: str, wanted: str) -> None:
    source = f"{FUNCTIONS} __device__ void g({PARAMETERS}) {{ {body} }}"
    text = rewrite(source.encode(), dialect=Dialect(fuses=True)).text.decode()
    text = (
        text[text.index("void g(") :]
        .replace("::gpuopt_emu::", "")
        .replace("* fuse *", "*F")
        .replace("= settled =", "=")
    )
    assert re.sub(r"\s+", " ", text[text.index("{") + 1 : text.rindex("}")]).strip() == wanted


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("s = (real)-2 * h(a) + (real)3 * h(b);", "s = (real)-2 *F h(a) + (real)3 * h(b);"),
        ("s = (real)-2 * h(a) - (real)3 * h(b) + c;", "s = (real)-2 *F h(a) - (real)3 * h(b) + c;"),
        ("s = (C)-2 * h(a) + (C)3 * h(b);", "s = (C)-2 *F h(a) + (C)3 * h(b);"),  # C: who knows; by the sum's text
        ("s = (real)*o + a * b;", "s = (real)*o + a *F b;"),
    ],
)
def test_casts_to_named_types(statement: str, wanted: str) -> None:
    source = f"typedef float real; __device__ void g({PARAMETERS}) {{ real s; {statement} o[0] = s; }}"
    text = rewrite(source.encode(), dialect=Dialect(fuses=True)).text.decode()
    assert wanted in text.replace("* ::gpuopt_emu::fuse *", "*F").replace("= ::gpuopt_emu::settled =", "=")


@pytest.mark.parametrize(
    ("body", "wanted"),
    [  # as nvcc 13.0's PTX has them for sm_90
        ("o[0] = x[1] * x[2] - 0.7f * x[3];", "o[0] = x[1] *F x[2] - 0.7f * x[3];"),
        ("o[0] = 0.7f * x[3] - x[1] * x[2];", "o[0] = 0.7f *F x[3] - x[1] * x[2];"),
        ("o[0] = -0.3f * x[1] + -0.8f * x[2];", "o[0] = -0.3f * x[1] + -0.8f *F x[2];"),
        ("o[0] = -0.3f * x[1] - 0.7f * x[2];", "o[0] = -0.3f *F x[1] - 0.7f * x[2];"),
        ("o[0] = -0.3f * x[1] + 0.7f * x[2];", "o[0] = -0.3f * x[1] + 0.7f *F x[2];"),
        ("o[0] = -(0.7f * x[1]) - 0.3f * x[2];", "o[0] = -(0.7f * x[1]) - 0.3f *F x[2];"),
        ("o[0] = x[1] * x[2] - -0.7f * x[3];", "o[0] = x[1] *F x[2] - -0.7f * x[3];"),
        (  # a constant that is used twice keeps its sign
            "float s = x[1] - 1.5f, t = x[2] - 1.5f; o[0] = -0.3f * s + -0.8f * t; o[1] = -0.3f * x[3] + -0.8f * s;",
            "float s = x[1] - 1.5f, t = x[2] - 1.5f; o[0] = -0.3f * s + -0.8f *F t; o[1] = -0.3f * x[3] + -0.8f *F s;",
        ),
        (  # a product that is used twice, too
            "float s = x[1], t = x[2]; o[0] = -0.3f * s - 0.7f * t; o[1] = x[3] - -0.3f * s;",
            "float s = x[1], t = x[2]; o[0] = -0.3f * s - 0.7f *F t; o[1] = x[3] - -0.3f * s;",
        ),
        ("o[0] = -0.7f * -2.5f - x[1] * x[2];", "o[0] = -0.7f * -2.5f - x[1] *F x[2];"),  # one constant
    ],
)
def test_constants_with_signs(body: str, wanted: str) -> None:
    assert written(body) == wanted


def test_a_product_of_what_is_not_computed_twice_gets_names() -> None:
    text = written("float t; t = a * g(b); o[0] = t + c; o[1] = t + d;")
    left, right = re.findall(r"const auto (gpuopt_emu_\w+)=", text)
    assert f"t={left}*{right};" in text
    assert text.count(f"again(t,({left})*F({right})) +") == 2


@pytest.mark.parametrize(
    ("body", "wanted"),
    [  # in a kernel: p and q are loads
        ("s = p * q + s * x[1];", "s = p * q + s *F x[1];"),  # before the loop
        ("s = x[2] * x[3] - s * q;", "s = x[2] * x[3] - s *F q;"),  # so are loads: nothing is stored
        ("s = x[2] * x[3] + s * q; o[k] = s;", "s = x[2] * x[3] + s *F q; o[k] = s;"),
        ("s = a * p + s * q;", "s = a * p + s *F q;"),
        ("s = (s + p) + p * q;", "s = (s + p) + p * alone * q;"),
    ],
)
def test_what_a_loop_computes_before_it(body: str, wanted: str) -> None:
    loop = f"float s = x[0], p = x[5], q = x[6]; for (int k = 0; k < n; ++k) {{ {body} }} o[0] = s;"
    source = f"__global__ void g({PARAMETERS.replace('__restrict__ ', '')}) {{ {loop} }}"
    text = rewrite(source.encode(), dialect=Dialect(fuses=True)).text.decode().replace("::gpuopt_emu::", "")
    assert wanted in re.sub(r"\s+", " ", text.replace("* fuse *", "*F").replace("= settled =", "="))


def test_functions_are_as_their_callers_have_them() -> None:
    function = "__device__ float h(float a, float b, float c) { return a * a + b * c; }"
    body = "int i = threadIdx.x; const float p = x[i], q = x[i + 1], r = x[i + 2]; o[i] = h(r, p, q);"
    kernel = f"__global__ void g(float *o, const float *x) {{ {body} }}"
    texts = [
        rewrite(source.encode(), dialect=Dialect(fuses=True)).text.decode() for source in (function, function + kernel)
    ]
    marked = [re.findall(r"return (.*?);", text.replace(" ::gpuopt_emu::fuse *", "F"))[0] for text in texts]
    assert marked == ["a *F a + b * c", "a * a + b *F c"]


@pytest.mark.parametrize("name", ["__sincosf", "gpuopt_emu_fast_sincosf", "sincosf"])
def test_a_function_that_gives_its_results_by_pointers_changes_factors(name: str) -> None:
    text = written(f"float s, t; {name}(a, &s, &t); float p = s * t; {name}(b, &s, &t); o[0] = p + c;")
    assert "again" not in text
    assert text.endswith("o[0] = p + c;")


def test_logarithms_that_end_with_a_product() -> None:
    assert written("o[0] = gpuopt_emu_fast_logf(x[1]) + x[2];") == "o[0] = gpuopt_emu_fast_logf(x[1], fuse ) + x[2];"
    text = written("float t = gpuopt_emu_fast_logf(a); o[0] = t + c; o[1] = d - t;")
    assert text.count("again(t,gpuopt_emu_fast_logf(a, fuse ))") == 2


def test_whole_numbers_are_left_alone() -> None:
    body = "int i = n * 4 + 1; const int k = i * n; o[k + i] = x[i * n + k];"
    assert written(body) == body


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (
            "float t = x[n]; t *= a; o[0] = t + c;",
            "float t = x[n]; const float L=t ;const float R=( a);t=L*R; o[0] = again(t,(L)*F(R)) + c;",
        ),
        ("float t = x[n]; t *= a; if (n) { o[0] = t + c; }", "float t = x[n]; t *= a; if (n) { o[0] = t + c; }"),
        ("float t = x[n]; t *= a; o[0] = t; o[1] = t + c;", "float t = x[n]; t *= a; o[0] = t; o[1] = t + c;"),
        ("int i = n; i *= 3; o[0] = x[i + 1];", "int i = n; i *= 3; o[0] = x[i + 1];"),
        ("float t = a * b, r[2] = {t - c, d};", "float t = a * b, r[2] = {again(t,(a)*F(b)) - c, d};"),
        ("float t = a * b, r[2] = {t, t - c};", "float t = a * b, r[2] = {t, t - c};"),  # the product itself is stored
        ("float t{a * b}; o[0] = t + c;", "float t{a * b}; o[0] = again(t,(a)*F(b)) + c;"),
        ("float t = a * b; float4 r = {{t}, t + c};", "float t = a * b; float4 r = {{t}, t + c};"),
        ("o[0] = x[n] - (2.0f - 3.5f) * a;", "o[0] = x[n] - (2.0f - 3.5f) *F a;"),
        ("x[n] += a * b - (x[n] * c + d);", "x[n] += a *F b - (x[n] *F c + d);"),
    ],
)
def test_factors_with_names_braces_and_constants(body: str, wanted: str) -> None:
    found = re.sub(r"gpuopt_emu_(left|right)_\d+", lambda match: match[1][0].upper(), written(body))
    assert found == wanted


def test_variables_of_products_in_loops_are_kept_where_a_kernel_is_split() -> None:
    """What a product's variable is written with is needed in the loop of threads where that is used."""
    source = b"""__global__ void k(const float *p, float *o, float g) {
  __shared__ float s[64];
  float a = p[threadIdx.x], t = a * g;
  s[threadIdx.x] = a;
  __syncthreads();
  o[threadIdx.x] = s[threadIdx.x ^ 1] + t;
}"""
    done = rewrite(source, dialect=Dialect(fuses=True))
    assert done.split == 1
    split = done.text.decode().rpartition("s[threadIdx.x] = a")[2]
    assert "again(t,(a)* ::gpuopt_emu::fuse *(g))" in split
    assert "gpuopt_e_a." in split


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("T t = T(3) / 4 * v; o[0] = t + w;", "T t = T(3) / 4 * v; o[0] = again(t,(T(3) / 4)*F(v)) + w;"),
        ("T t = v * w; T s = T(0); s += t; o[0] = s;", "T t = v * w; T s = T(0); s += again(t,(v)*F(w)); o[0] = s;"),
    ],
)
def test_numbers_of_a_templates_type(statement: str, wanted: str) -> None:
    source = f"template <class T> __device__ void g(T *o, T v, T w) {{ {statement} }}"
    text = rewrite(source.encode(), dialect=Dialect(fuses=True)).text.decode()
    text = (
        text.replace("::gpuopt_emu::", "")
        .replace("* fuse *", "*F")
        .replace("/ exact /", "/")
        .replace("= settled =", "=")
    )
    assert re.sub(r"\s+", " ", text[text.index("{") + 1 : text.rindex("}")]).strip() == wanted


@pytest.mark.parametrize(
    ("body", "fused"),
    [
        ("float2 t; t.x = a * b; o[0] = t.x + c;", "o[0] = again(t.x,(a)*F(b)) + c"),
        ("float2 t; t.x = a * b; t.x += c; o[0] = t.x;", "t.x =again(t.x,(a)*F(b))+( c)"),
        ("float2 t; t.x = a * b; t.x -= c * d; o[0] = t.x;", "t.x =again(t.x,(a)*F(b))-( c * d)"),
        ("S t; t.p.q = a * b; o[0] = c - t.p.q;", "o[0] = c - again(t.p.q,(a)*F(b))"),
        ("float2 t; t.x = a * b; o[0] = (t).x + c;", "o[0] = (t).x + c"),
        ("float2 t; t.x = a * b; o[0] = t.x; o[1] = t.x + c;", "o[1] = t.x + c"),
        ("float2 t; t.x = a * b; *(float2 *)o = t; o[2] = t.x + c;", "o[2] = t.x + c"),  # all of it is needed
        ("float2 t; t.x = a * b; f(&t); o[0] = t.x + c;", "o[0] = t.x + c"),
        ("float2 t; t.y = a; t.x = t.y * b; t.y = c; o[0] = t.x + c;", "o[0] = t.x + c"),
        ("float2 t; t.y = a; float s = t.y * b; t.y = c; o[0] = s + c;", "o[0] = s + c"),
        ("V t; t.y = a; V s = t * b; t.y = c; use(s + c);", "use(s + c)"),  # operators of a class
    ],
)
def test_members_that_hold_products(body: str, fused: str) -> None:
    assert fused in written(body)


@pytest.mark.parametrize("cast", ["(K *)&", "(const K *)&", "(N::K *)", "(float4 *)&"])
def test_casts_to_pointers_of_any_type_are_read(cast: str) -> None:
    assert f"o[0] = {AB} + c" in written(f"float t = a * b; use(*{cast}x[n]); o[0] = t + c;")


@pytest.mark.parametrize(
    ("statement", "stores"),
    [
        ("s += x[k];", False),
        ("float t = s; t *= 2; s = t + x[1];", False),
        ("v.x += x[1];", False),
        ("if (s > 2) s = x[3]; else s = sqrtf(s);", False),
        ("o[k] = s;", True),
        ("*o = s;", True),
        ("*o++ = s;", True),
        ("*++o = s;", True),
        ("++*o;", True),
        ("++o[k];", True),
        ("o[k]--;", True),
        ("q->s = 1;", True),
        ("++q->s;", True),
        ("v.p[1] = 2;", True),
        ("else_where = s;", True),
        ("if (s > 2) s = 1; else global = s;", True),
        ("atomicAdd(o, s);", True),
        ("(*f)(s);", True),
        ("h<int>(s);", True),
        ("__syncthreads();", True),
        ("__shared__ float m; m = s;", True),
        ('asm volatile("");', True),
    ],
)
def test_what_stores_in_a_loop(statement: str, stores: bool) -> None:
    """A loop that may store has no loads before it: the product in it may be fused."""
    first = "V v; float s = x[0], p = x[5], q0 = x[6];"
    source = f"{first} for (int k = 0; k < n; ++k) {{ s = (s + p) - x[7] * x[8]; {statement} }} o[0] = s + v.x;"
    parameters = PARAMETERS.replace("__restrict__ ", "") + ", V *q"
    kernel = f"struct V {{ float x, *p; }}; __global__ void g({parameters}) {{ {source} }}"
    text = rewrite(kernel.encode(), dialect=Dialect(fuses=True)).text.decode().replace("::gpuopt_emu::", "")
    assert ("x[7] * alone * x[8]" in re.sub(r"\s+", " ", text)) is not stores

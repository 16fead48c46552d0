"""What is left of the system's headers in a preprocessed source (`nvcc/words.c` to `unused.c`)."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import random_headers

Left = Callable[..., str]

# What the system's headers declare, what the source says, and whether the first part of the header stays.
CASES = [
    ("inline int f(int a) { return a; }", "int g;", False),
    ("inline int f(int a) { return a; }", "int g = f(1);", True),
    ("int f(int a);", "int g;", False),
    ("extern \"C\" { int f(int); }", "int g;", True),  # a compiler may know what it is
    ("extern \"C\" { int _f(int); }", "int g;", False),
    ("extern \"C\" { __attribute__((host)) int f(int); }", "int g;", False),
    ("extern \"C\" int f(int);", "int g;", True),
    ("int f(int a) { return a; }", "int g;", True),  # an object has it
    ("static int f(int a) { return a; }", "int g;", True),  # without optimization, too
    ("static inline int f(int a) { return a; }", "int g;", False),
    ("constexpr int f(int a) { return a; }", "int g;", False),
    ("__attribute__((used)) static inline int f(int a) { return a; }", "int g;", True),
    ("__attribute__((constructor)) static inline void f() { }", "int g;", True),
    ("inline __attribute__((section(\"s\"))) void f() { }", "int g;", True),
    ("__attribute__((global)) inline void f() { }", "int g;", True),
    ("inline int f(char) __attribute__((noinline)); ", "int g;", False),
    ("template <class T> T f(T a) { return a; }", "int g;", False),
    ("template <class T> T f(T a) { return a; }", "int g = f(2);", True),
    ("template <> int f<int>(int a) { return a; }", "int g;", True),
    ("template <> inline int f<int>(int a) { return a; }", "int g;", False),
    ("inline auto f(int a) -> decltype(a) { return a; }", "int g;", False),
    ("inline int f(int a = sizeof(int[2])) noexcept(noexcept(1)) { return a; }", "int g;", False),
    ("inline int f() { const char *a = R\"x(}\" ; {)x\"; return a[0] + '}' + 1'0; }", "int g;", False),
    ("inline void f() try { } catch (int) { } catch (...) { }", "int g;", False),
    ("int v;", "int g;", True),
    ("inline int v = 3;", "int g;", True),
    ("static const int v = 3;", "int g;", True),
    ("template <class T> inline constexpr bool v = sizeof(T) > 1;", "int g;", False),
    ("template <class T> inline constexpr bool v = true;", "int g = v<int>;", True),
    ("inline int f(long a) { return 1; }", "static int f(int a) { return f(2L); }", True),
    ("struct S { int a; void m() { } };", "int g;", False),
    ("struct S { int a; void m() { } };", "S *g;", True),
    ("struct S { int a; } s;", "int g;", True),
    ("struct S { int a; } s = {1};", "int g;", True),
    ("struct S { int a; } __attribute__((aligned(8)));", "int g;", False),
    ("struct __attribute__((aligned(8))) S { int a; };", "int g;", False),
    ("struct __attribute__((device_builtin)) S { int a; };", "int g;", True),
    ("struct S;", "int g;", False),
    ("struct S *f(void) { return 0; }", "int g;", True),
    ("class S final : public B<int> { S(); };", "int g;", False),
    ("template <class T, int N = (3 > 2)> struct S { };", "int g;", False),
    ("template <> struct S<int> { };", "int g;", False),
    ("template <class T> struct S<T *> { };", "S<int *> g;", True),
    ("template <class T> int S<T>::n;", "int g;", False),
    ("template <class T> S<T>::S() : a{1}, b{2} { }", "int g;", False),
    ("template <class T> S<T>::~S() { }", "int g;", False),
    ("template <class T> S<T>::operator bool() const { return true; }", "int g;", False),
    ("template <class T> void S<T>::m() { }", "S<int> g;", True),
    ("inline S::S() : a{1} { }", "int g;", False),
    ("S::S() : a{1} { }", "int g;", True),
    ("enum E { one, two = 2 };", "int g;", False),
    ("enum E { one, two = 2 };", "int g = two;", True),
    ("typedef enum { one, two } E;", "int g = one;", True),
    ("enum class E { one };", "int one;", False),
    ("enum E { one } e;", "int g = e;", True),
    ("typedef struct S_ { int a; } S, *P;", "int g;", False),
    ("typedef struct S_ { int a; } S, *P;", "P g;", True),
    ("typedef enum { one, two } E;", "int g = two;", True),
    ("typedef unsigned long size;", "int g;", False),
    ("typedef unsigned long size;", "size g;", True),
    ("typedef int (*fn)(int);", "int g;", True),
    ("using size = unsigned long;", "int g;", False),
    ("template <class T> using ptr = T *;", "ptr<int> g;", True),
    ("using std::f;", "int g;", False),
    ("using std::f;", "int g = f();", True),
    ("using namespace std;", "int g;", True),
    ("template <class T> concept C = true;", "int g;", False),
    ("template <class T> S(T) -> S<T>;", "int g;", False),
    ("extern template class S<char>;", "int g;", False),
    ("extern template int f(S<char> &);", "int g;", False),
    ("template class S<char>;", "int g;", True),
    ("static S s(3);", "int g;", True),  # an object, and not a function
    ("S s(\"a\"), t(1, 2);", "int g;", True),
    ("static S s(&v);", "int g;", True),
    ("static S s(v);", "int g;", True),
    ("static S s(f(1));", "int g;", True),
    ("static S s([] { });", "int g;", True),
    ("inline S s(a + b);", "int g;", True),
    ("template <> S T<int>::s(3);", "int g;", True),
    ("S s(S), t(int = 3, const S &, unsigned char), u(S a, ...), v(int (*)(int)), w();", "int g;", True),
    ("S f(int = 3, const S &, unsigned char);", "int g;", False),
    ("S f(S a, ...);", "int g;", False),
    ("S f(std::pair<int, 3> *, int a[3]);", "int g;", False),
    ("S f();", "int g;", False),
    ("[[gnu::used]] static inline int f() { return 1; }", "int g;", True),
    ("[[gnu::constructor]] inline void f() { }", "int g;", True),
    ("[[nodiscard]] inline int f() { return 1; }", "int g;", False),
    ("enum { one, two };", "int g;", False),
    ("int operator+(S, S);", "int g;", True),  # `a + b` names it
    ("inline int operator\"\"_n(const char *, unsigned long) { return 1; }", "int g;", False),
    ("inline int operator\"\"_n(const char *, unsigned long) { return 1; }", "int g = \"a\"_n;", True),
    ("inline int operator\"\"_n(const char *, unsigned long) { return 1; }", "int g = R\"(a)\"_n;", True),
    ("inline int operator\"\"_n(unsigned long long a) { return a; }", "int g = 3_n;", True),
    ("static_assert(sizeof(int) == 4);", "int g;", True),
    ("asm(\".text\");", "int g;", True),
    ("inline int initializer_list(int a) { return a; }", "int g;", True),  # as compilers look that up
    ("template <class T> struct tuple_size;", "int g;", False),
    ("template <class T> struct tuple_size;", "auto &[a, b] = c;", True),
    ("template <class T> struct tuple_size;", "auto const &[a, b] = c;", True),
    ("template <class T> struct tuple_size;", "const auto [a, b] = c;", True),
    ("inline int f() { return 1; } ", "void g() {\n#pragma omp parallel num_threads(f())\n}", True),
]  # fmt: skip


@pytest.fixture(scope="session")
def left(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Left:
    """What is left of a text, without line markers and line ends; "-" where all of it stays whatever it is."""
    place = tmp_path_factory.mktemp("unused")
    random_headers.build(place, host_compiler)

    def run(system: str, source: str, needed: str = "", *, raw: bool = False) -> str:
        whole = f'# 1 "/usr/include/s.h" 1 3 4\n{system}\n# 2 "a.cu" 2\n{source}\n'
        (place / "a.ii").write_text(whole)
        (place / "needed").write_text(needed)
        done = subprocess.run(
            [place / "unused", "a.ii", "needed"], cwd=place, capture_output=True, text=True, timeout=60, check=False
        )
        if done.returncode:
            return "-"
        if raw:
            return done.stdout
        return " ".join(line for line in done.stdout.splitlines() if line.strip() and not line.startswith("# "))

    return run


@pytest.mark.compiler
def test_what_nobody_can_name_is_left_out_and_all_else_stays(left: Left) -> None:
    wrong = []
    for system, source, stays in CASES:
        found = left(system, source)
        expected = f"{system} {source}" if stays else source
        if re.sub(r"\s|extern \"C\" \{\s*\}", "", found) != re.sub(r"\s", "", expected):
            wrong.append((system, source, found))
    assert not wrong


@pytest.mark.compiler
def test_what_is_needed_by_what_is_needed_stays(left: Left) -> None:
    chain = "struct A { }; struct B { A a; };\ninline B f() { return B(); }\ninline int h() { return 0; }"
    assert left(chain, "int g = sizeof(f());") == (
        "struct A { }; struct B { A a; }; inline B f() { return B(); } int g = sizeof(f());"
    )
    assert left(chain, "int g;") == "int g;"
    both = "inline int f(long a) { return 1; }\nstatic int f(int a) { return f(2L); }"
    assert left(both, "int g;") == both.replace("\n", " ") + " int g;"
    assert left("inline int f() { return 1; } int catchall();", "int g = catchall();") == (
        " int catchall(); int g = catchall();"
    )
    assert left(chain, "int g;", "other h") == "inline int h() { return 0; } int g;"


@pytest.mark.compiler
def test_a_function_template_waits_for_arguments_that_can_be(left: Left) -> None:
    pair = "template <class T> struct P { }; template <class T> struct Q { };\n"
    plus = "template <class T> P<T> operator+(const P<T> &a, int b);\n"
    assert left(pair + plus, "int g = 1 + 2;") == "int g = 1 + 2;"
    assert "operator+" in left(pair + plus, "P<int> g;")
    assert "operator+" in left(pair + plus.replace("<class T> P", "<class T, class U> P"), "P<int> g;")
    assert "operator-" in left(pair + "template <class T> int operator-(T a, int b);\n", "int g;")
    swaps = "template <class T> void swap(T &, T &);\ntemplate <class T> void swap(P<T> &, P<T> &);\n"
    assert left(pair + swaps, "void g(int a) { swap(a, a); }").count("void swap") == 1
    assert (
        left(pair + swaps, "void g(int a) { swap<int>(a, a); }").count("void swap") == 2
    )  # then P<int> may be made of it
    assert left(pair + swaps, "void g(P<int> a) { swap(a, a); }").count("void swap") == 2
    alone = swaps.splitlines()[1]
    assert left(pair + alone, "void g(int a) { swap(a, a); }").count("void swap") == 1  # the name must be found
    other = "template <class T> using P2 = Q<T>; template <class T> int operator*(P2<T>, int);\n"
    assert "operator*" in left(pair + other, "Q<int> g;")


@pytest.mark.compiler
def test_classes_that_a_call_may_reach_stay_with_their_bases(left: Left) -> None:
    base = "struct B { virtual int m() { return 1; } };\nstruct C : public B { int m() { return 2; } };\n"
    more = "struct D final : private virtual C { int m() { return 3; } };\nstruct O { struct I : B { int m(); }; };\n"
    assert left(base + more, "int g;") == "int g;"
    assert left(base + more, "int g(B &b) { return b.m(); }").count("struct") == 5
    assert "struct B" in left(base + more, "D g;")
    assert left(base, "C g;").count("struct") == 2
    plain = "struct B { int m() { return 1; } }; struct C : B { };"
    assert "struct C" not in left(plain, "B g;")
    templates = "template <class T> struct P { virtual T m(); };\ntemplate <class T> struct Q : P<T> { T m(); };\n"
    special = "typedef P<int> A; template <> struct Q<char> : P<char> { char m(); }; struct R : A { int m(); };"
    assert left(templates + special, "P<char> *g;").count("template <>") == 1
    assert "struct R" in left(templates + special, "P<int> *g;")
    assert "struct Q" not in left(templates, "P<int> *g;")
    assert left("typedef X<int> X; struct S : X { virtual void m(); };", "int g;") == "int g;"


@pytest.mark.compiler
def test_functions_that_nobody_calls_may_make_classes_that_a_call_may_reach(left: Left) -> None:
    base = "struct B { virtual int m() { return 1; } };\ntemplate <class T> struct D : B { int m() { return 2; } };\n"
    makes = "template <class T> B *make() { return new D<T>; }\ntemplate <class T> B *more() { return make<T>(); }\n"
    calls = "inline B *f() { return more<int>(); }\nclass C { B *b; C() : b(make<char>()) { } };\n"
    calls += "inline int h() { return 1; }"
    found = left(base + makes + calls, "int g(B &b) { return b.m(); }")
    assert all(name in found for name in ("f()", "class C", "more()"))
    assert "h()" not in found
    assert left(base + makes + calls, "int g;") == "int g;"
    special = "template <> inline B *make<long>() { return new D<long>; }"
    assert "make" not in left(base + makes + special, "int g(B &b) { return b.m(); }")


@pytest.mark.compiler
def test_types_without_names_have_numbers_that_stay(left: Left) -> None:
    f = "inline int f() { return 1; }"
    enumerations = ("enum { one };", "enum : char { one };", "namespace { enum { one }; }")
    classes = ("static struct { int a; } s;", "union [[gnu::packed]] { int a; } u;", "typedef struct { int a; } *P;")
    for unnamed in (*enumerations, *classes):
        assert left(f, unnamed) == "-"
        assert left(f"{f} {unnamed}", "int g;") != "-"
    assert left(f"{f} enum {{ one }};", "int g = one;") == "-"
    packs = "template <class... T> struct V : T... { };"
    others = "struct T { union { int b; }; }; int h() { enum { c }; return c; }"
    named = f"typedef struct {{ int a; }} S; {packs} {others}"
    assert left(f, named) == named


@pytest.mark.compiler
def test_a_program_may_have_a_header_of_cuda_s_name(left: Left) -> None:
    own = '# 1 "/home/u/compat/cuda_runtime.h" 1\n# 1 "/opt/cuda/include/cuda_runtime.h" 1\n'
    cuda = '# 1 "/opt/cuda/include/crt/host_config.h" 1\ninline int f() { return 1; }\n'
    back = '# 3 "/home/u/compat/cuda_runtime.h" 2\ninline int h() { return 1; }\n# 3 "a.cu" 2\nint g;'
    assert left("", own + cuda + back) == "inline int h() { return 1; } int g;"


@pytest.mark.compiler
def test_every_line_keeps_its_place_and_every_marker_stays(left: Left) -> None:
    system = 'inline int f()\n{\n# 7 "/usr/include/t.h" 1 3 4\n  return 1;\n# 5 "/usr/include/s.h" 2 3 4\n}\nint v;'
    found = left(system, "int g;", raw=True)
    assert found.splitlines() == [
        '# 1 "/usr/include/s.h" 1 3 4', "", "", '# 7 "/usr/include/t.h" 1 3 4', "",
        '# 5 "/usr/include/s.h" 2 3 4', "", "int v;", '# 2 "a.cu" 2', "int g;",
    ]  # fmt: skip


@pytest.mark.compiler
def test_pragmas_stay_and_keep_what_they_are_about(left: Left) -> None:
    inline = "inline void f() { }"
    assert inline in left(f"#pragma nv_exec_check_disable\n{inline}", "int g;")
    assert inline in left(f"{inline}\n#pragma weak f", "int g;")
    assert inline not in left(f"#pragma GCC diagnostic push\n{inline}\n#pragma GCC diagnostic pop", "int g;")
    assert left(inline, "#pragma omp declare target\nint g;\n#pragma omp end declare target") == "-", "as a whole"
    assert inline not in left(inline, "#pragma omp parallel for\nint g;")
    inside = "struct S {\n#pragma GCC diagnostic push\nint a;\n#pragma GCC diagnostic pop\n};"
    assert left(inside, "int g;") == "#pragma GCC diagnostic push #pragma GCC diagnostic pop int g;"
    assert "struct S" in left(inside.replace("#pragma GCC diagnostic pop", ""), "int g;")
    assert "struct S" in left(inside.replace("GCC diagnostic push", "pack(1)"), "int g;")


@pytest.mark.compiler
def test_the_program_s_own_files_stay_as_they_are(left: Left) -> None:
    own = "inline int f() { return 1; }\nstruct S { };"
    assert left("int v;", own) == "int v; inline int f() { return 1; } struct S { };"
    begun_there = 'inline int f() {\n# 1 "part.h" 1\nreturn 1;\n# 2 "/usr/include/s.h" 2 3 4\n}'
    assert left(begun_there, "int g;") == "inline int f() { return 1; } int g;"
    toolkit = '# 1 "/opt/cuda/include/crt/host_config.h" 1\ninline int f() { return 1; }\n# 3 "a.cu" 2'
    assert left("int v;", f"{toolkit}\nint g;") == "int v; int g;"


@pytest.mark.compiler
def test_a_template_that_asks_for_its_full_name_needs_all(left: Left) -> None:
    system = "inline int f() { return 1; }\ntemplate <class T> const char *h(T) { return __PRETTY_FUNCTION__; }"
    assert left(system, "int g;") == "int g;"
    assert left(system, "int g = *h(1);") == "-"
    assert left(system, "template <class T> int g = *__builtin_source_location();") == "-"
    assert left(system, "auto g = [](auto) { return __PRETTY_FUNCTION__; };") == "-"
    asks = "struct L { static L c(const void *p = __builtin_source_location()); };"
    assert left(f"{system} {asks}", "template <class T> void g(T, L l = L::c()) { }") == "-"
    plain = "const char *g() { return __PRETTY_FUNCTION__; }"
    assert left(system, plain) == plain


@pytest.mark.compiler
@pytest.mark.parametrize(
    "broken", ["int f() { return 1; ", "} int g;", "{ int a; }", 'int a = "x', "int a = (1;", "= 3;"]
)
def test_where_a_text_is_not_understood_all_of_it_stays(left: Left, broken: str) -> None:
    assert left("inline int f() { return 1; }", broken) == "-"


@pytest.mark.compiler
def test_random_headers_compile_to_the_same(left: Left, tmp_path: Path, host_compiler: str) -> None:
    assert left("int f(int);", "int g;") == "int g;"
    unused = random_headers.build(tmp_path, host_compiler)
    found = [random_headers.compare(seed, tmp_path, unused, compiler=host_compiler) for seed in (1292, 1, 2, 3, 4, 5)]
    assert [said for said, _ in found] == [""] * 6
    assert min(part for _, part in found) < 0.7

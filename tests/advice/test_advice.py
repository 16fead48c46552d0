"""Advice on kernels, from their facts: what is lost, in which numbers, and where nothing is said."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from gpuopt_driver.advice.aliases import kept_in_memory
from gpuopt_driver.advice.banks import conflicts, constants, passes
from gpuopt_driver.advice.instructions import Compiled
from gpuopt_driver.advice.kernel import KernelView, number
from gpuopt_driver.advice.launches import launches
from gpuopt_driver.advice.memory import atomics, narrow, requests
from gpuopt_driver.advice.model import Advice
from gpuopt_driver.advice.unit import advice_lines, advice_on
from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.facts import kernel_facts
from gpuopt_driver.frontend.model import ParseLevel
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit
from gpuopt_driver.nvcc.resources import KernelResources
from gpuopt_driver.report.document import plain

H200 = load_arch("h200")
View = Callable[[str], KernelView]


@pytest.fixture
def view(tmp_path: Path) -> View:
    """The only kernel of a text, as advice is given on it."""

    def run(source: str) -> KernelView:
        path = tmp_path / "a.cu"
        path.write_text(source)
        unit = parse_unit(path, ParseOptions(level=ParseLevel.BUNDLED))
        (kernel,) = unit.kernels
        return KernelView(plain(kernel_facts(unit, kernel)))

    return run


def only(found: Iterator[Advice]) -> Advice:
    (one,) = found
    return one


def rows(index: str, block: str = "256") -> str:
    return (
        "__global__ void k(const float *a, float *b, int n) {\n"
        "  int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
        f"  b[t] = a[{index}];\n}}\n"
        f"void f(float *a, float *b, int n) {{ k<<<100, {block}>>>(a, b, n); }}\n"
    )


def test_neighbours_need_no_word(view):
    assert list(requests(view(rows("t")))) == []
    assert list(requests(view(rows("t + n")))) == []
    assert list(requests(view(rows("0")))) == []
    assert list(requests(view(rows("blockIdx.x * n")))) == []


@pytest.mark.parametrize(("index", "sectors"), [("8 * t", 32), ("4 * t", 16), ("2 * t", 8), ("t * n + blockIdx.y", 32)])
def test_lanes_that_lie_apart(view, index, sectors):
    one = only(requests(view(rows(index))))
    assert (one.code, one.line, one.figures["sectors"], one.figures["sectors_needed"]) == ("ADVISE001", 3, sectors, 4)
    assert one.message.startswith(f"the 32 lanes of a warp read `a[{index}]` in {sectors} sectors of 32 B")


def test_rows_of_a_block_are_counted_as_they_lie(view):
    source = rows("threadIdx.y * 1024 + threadIdx.x", "dim3(8, 32)")
    assert list(requests(view(source))) == []  # eight lanes of four rows fill four sectors
    one = only(requests(view(rows("threadIdx.y * 1024 + threadIdx.x", "dim3(2, 128)"))))
    assert one.figures["sectors"] == 16


def test_members_that_are_all_read_lose_nothing(view):
    source = (
        "struct P { float x, y; };\n__global__ void k(const P *p, float *b) {\n"
        "  b[threadIdx.x] = p[threadIdx.x].x BOTH;\n}\nvoid f(P *p, float *b) { k<<<1, 32>>>(p, b); }\n"
    )
    assert only(requests(view(source.replace("BOTH", "")))).figures["sectors"] == 8
    assert list(requests(view(source.replace("BOTH", "+ p[threadIdx.x].y")))) == []


def test_what_depends_on_data_is_not_judged(view):
    source = rows("t").replace("a[t]", "a[(int)a[t]]")
    assert list(requests(view(source))) == []


def test_a_loop_uses_the_rest_of_each_sector(view):
    source = (
        "__global__ void k(const float *a, float *b, int n) {\n  float s = 0;\n"
        "  for (int j = 0; j < n; j++) s += a[threadIdx.x * n + j];\n  b[threadIdx.x] = s;\n}\n"
    )
    one = only(requests(view(source)))
    assert "the loop at line 3 uses the rest of each sector in its next 7 iterations" in one.message
    assert "4*n bytes from thread to thread" in one.message
    assert one.weight < 10 * (32 - 4) / 4


@pytest.mark.parametrize(
    ("kind", "index", "found"),
    [("float", "0", 1), ("float", "blockIdx.x", 1), ("float", "threadIdx.x", 0), ("int", "0", 0)],
)
def test_atomics_of_one_address(view, kind, index, found):
    source = (
        f"__global__ void k({kind} *a) {{ atomicAdd(&a[{index}], 1); }}\nvoid f({kind} *a) {{ k<<<9, 64>>>(a); }}\n"
    )
    assert len(list(atomics(view(source)))) == found


def test_tests_leave_few_lanes(view):
    text = "__global__ void k(float *a, int n) {{ int t = blockIdx.x * blockDim.x + threadIdx.x; {} }}"
    text += "\nvoid f(float *a) {{ k<<<9, 64>>>(a, 9); }}\n"
    assert list(atomics(view(text.format("if (threadIdx.x % 32 == 0) atomicAdd(a, 1);")))) == []
    assert list(atomics(view(text.format("if (t == 0) atomicAdd(a, 1);")))) == []
    assert list(atomics(view(text.format("if (a[t] > 0) atomicAdd(a, 1);")))) == []
    rank = "int r = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); "
    assert list(atomics(view(text.format(rank + "if (r % 32 == 0) atomicAdd(a, 1);")))) == []
    assert list(atomics(view(text.format("atomicExch(a, 1);")))) == []
    assert len(list(atomics(view(text.format("if (t < n) atomicAdd(a, 1);"))))) == 1
    assert list(requests(view(text.format("if (t < 4) a[8 * t] = 1;")))) == []
    assert list(requests(view(text.format("if (t > 3) {} else a[8 * t] = 1;")))) == []
    assert len(list(requests(view(text.format("if (t < n) a[8 * t] = 1;"))))) == 1


def test_single_bytes(view):
    source = (
        "__global__ void k(const unsigned char *a, unsigned char *b, int n) {\n"
        "  int t = blockIdx.x * blockDim.x + threadIdx.x;\n  b[t] = a[t] + 1;\n}\n"
    )
    one = only(narrow(view(source)))
    assert "one byte of `a`, `b`" in one.message
    assert list(narrow(view(rows("t")))) == []


def test_passes_of_shared_memory():
    lanes = range(32)
    assert passes([4 * lane for lane in lanes], 4) == 1
    assert passes([0 for _ in lanes], 4) == 1
    assert passes([8 * lane for lane in lanes], 4) == 2
    assert passes([128 * lane for lane in lanes], 4) == 32
    assert passes([132 * lane for lane in lanes], 4) == 1
    assert passes([8 * lane for lane in lanes], 8) == 1  # halves of a warp
    assert passes([16 * lane for lane in lanes], 16) == 1  # quarters
    assert passes(lanes, 1) == 1  # four lanes share a word
    assert passes([256 * lane for lane in lanes], 8) == 16


@pytest.mark.parametrize(("width", "worst"), [(32, 32), (33, None), (34, 2)])
def test_columns_of_a_tile(view, width, worst):
    source = (
        f"__global__ void k(float *a) {{\n  __shared__ float t[32][{width}];\n"
        "  t[threadIdx.y][threadIdx.x] = a[0];\n  __syncthreads();\n  a[1] = t[threadIdx.x][threadIdx.y];\n}\n"
        "void f(float *a) { k<<<1, dim3(32, 32)>>>(a); }\n"
    )
    found = list(conflicts(view(source)))
    assert [one.figures["passes"] for one in found] == ([worst] if worst else [])


def test_members_that_are_read_together_are_one_access(view):
    source = (
        "__global__ void k(float *a) {\n  __shared__ float2 t[64];\n  t[threadIdx.x].x = 1;\n  __syncthreads();\n"
        "  a[threadIdx.x] = t[threadIdx.x].x BOTH;\n}\nvoid f(float *a) { k<<<999, 64>>>(a); }\n"
    )
    assert [one.line for one in conflicts(view(source.replace("BOTH", "")))] == [3]
    assert sum(one.message.count("more like it") for one in conflicts(view(source.replace("BOTH", "")))) == 1
    both = view(source.replace("BOTH", "+ t[threadIdx.x].y"))
    assert [one.line for one in conflicts(both)] == [3]
    assert not any("more like it" in one.message for one in conflicts(both))


def test_indices_that_are_not_linear(view):
    source = (
        "__global__ void k(float *a) {\n  __shared__ float t[32][32];\n  float s = 0;\n"
        "  t[threadIdx.y][threadIdx.x] = 1;\n"
        "  for (int i = 0; i < 9; i++) s += t[threadIdx.x][(threadIdx.y + i) & 31];\n  a[0] = s;\n}\n"
        "void f(float *a) { k<<<1, dim3(32, 32)>>>(a); }\n"
    )
    assert only(conflicts(view(source))).figures["passes"] == 32
    rotated = source.replace("t[threadIdx.x][(threadIdx.y + i) & 31]", "t[threadIdx.x][(threadIdx.x + i) & 31]")
    assert list(conflicts(view(rotated))) == []


def shaped(grid: str, block: str, body: str = "a[threadIdx.x] = 0;") -> str:
    return f"__global__ void k(float *a) {{ {body} }}\nvoid f(float *a) {{ k<<<{grid}, {block}>>>(a); }}\n"


@pytest.mark.parametrize(
    ("grid", "block", "codes"),
    [
        ("13200", "256", []),
        ("13200", "100", ["ADVISE005"]),
        ("13200", "250", []),
        ("64", "256", ["ADVISE006"]),
        ("1057", "256", ["ADVISE007"]),  # 8 blocks on each of 132 multiprocessors, and one more
        ("2112", "256", []),
        ("42240", "32", []),  # half of the warps, ten full waves
    ],
)
def test_shapes_of_launches(view, grid, block, codes):
    assert [one.code for one in launches(view(shaped(grid, block)), H200, 32, 0)] == codes


def test_room_for_warps(view):
    by_registers = only(launches(view(shaped("13200", "256")), H200, 168, 0))
    assert by_registers.code == "ADVISE008"
    assert "8 of 64 warps" in by_registers.message
    assert "its 168 registers for each thread allow 1 block of 256" in by_registers.message
    assert "128 registers allow one block more" in by_registers.remedy
    by_shared = only(launches(view(shaped("13200", "128", "__shared__ float t[10000]; t[threadIdx.x] = 1;")), H200))
    assert "its shared memory allows 5 blocks of 128 threads" in by_shared.message


@pytest.mark.parametrize(
    ("parameters", "index", "found"),
    [
        ("const float *x, float *y", "threadIdx.x", 1),
        ("const float *__restrict__ x, float *y", "threadIdx.x", 0),
        ("const float *x, float *__restrict__ y", "threadIdx.x", 0),
        ("const float *x, float *y", "i", 0),
        ("const int *x, float *y", "threadIdx.x", 0),  # nvcc tells types apart
    ],
)
def test_sums_that_are_kept_in_memory(view, parameters, index, found):
    loop = f"for (int i = 0; i < n; i++)\n    y[{index}] += x[i * 32 + threadIdx.x];"
    told = list(kept_in_memory(view(f"__global__ void k({parameters}, int n) {{\n  {loop}\n}}\n")))
    assert len(told) == found
    if found:
        assert (told[0].code, told[0].line) == ("ADVISE009", 3)
        assert "`y[threadIdx.x]` is one element in all iterations of the loop at line 2" in told[0].message
        assert "the loop reads `x`" in told[0].message


def test_sums_of_products():
    values = {"blockDim.x": 8, "n": 3}
    assert number("4*blockDim.x*n - 2", values) == 94
    assert number("-n", values) == -3
    assert number("4*m", values) is None
    assert number("4*m", values, otherwise=5) == 20
    assert number("((n + 14) / 2) & 5", values) == 0
    assert number("n % 2 + (1 << n)", values) == 9
    assert number("n / 0", values) is None
    assert number("-n / 2", values) is None
    assert number("1 << 70", values) is None
    assert number("__import__('os')", values) is None
    assert number("4*", values) is None


def test_what_is_said_of_several_places_is_said_once(view):
    text = shaped("64", "256").replace("k<<<64, 256>>>(a);", "k<<<64, 256>>>(a);\n  k<<<64, 256>>>(a);")
    report = SimpleNamespace(facts=(view(text).facts,), source="/x/a.cu")
    (one,) = advice_on(report, H200)
    assert one.message == f"the launch has 64 blocks for the 132 multiprocessors of {H200.title} (and at line 3)"
    lines = list(advice_lines(report, "h200", [one], "/x"))
    assert lines[-1] == "1 kernel of a.cu for h200: 1 piece of advice"
    assert any(line.startswith("    what helps: ") for line in lines)
    assert list(advice_lines(report, "h200", [], "/x")) == ["1 kernel of a.cu for h200: nothing stands out"]


def test_increments_may_be_one(view):
    """`x[i * incx]` of a vector says nothing of how far lanes lie apart."""
    assert list(requests(view(rows("t * n")))) == []
    assert list(requests(view(rows("t * n + 8")))) == []
    assert len(list(requests(view(rows("t * n + blockIdx.x * (1 - n)"))))) == 1  # blocks go along a row
    assert only(requests(view(rows("t * n] + a[t * n + 1")))).figures["sectors"] == 36  # rows of a table


MEMBERS = (
    "struct P { float x, y, z, vx, vy, vz, m, q; };\n"
    "__global__ void k(P *p, float d) { int i = threadIdx.x; BODY }\n"
    "void f(P *p) { k<<<999, 256>>>(p, 1); }\n"
)


def test_structures_of_which_most_is_used_lose_little(view):
    body = " ".join(f"p[i].{axis} += p[i].v{axis} * d;" for axis in "xyz")
    assert list(requests(view(MEMBERS.replace("BODY", body)))) == []
    one = only(requests(view(MEMBERS.replace("BODY", "p[i].x += d;"))))
    assert (one.figures["sectors"], one.figures["sectors_needed"]) == (32, 4)
    assert "32 bytes from thread to thread" in one.message
    assert one.remedy.startswith("store each member in an array of its own")


def test_the_same_of_several_accesses_is_said_once(view):
    loop = "  for (int j = 0; j < n; j++) s += a[threadIdx.x * n + j];\n"
    head = "__global__ void k(const float *a, float *b, int n) {\n  float s = 0;\n"
    source = f"{head}{loop}{loop}  b[threadIdx.x] = s;\n}}\n"
    one = only(requests(view(source)))
    assert one.line == 3
    assert one.message.endswith("; likewise `a[threadIdx.x * n + j]`, line 4")


def test_steps_of_loops_count(view):
    """A loop that goes on by more than a sector uses nothing of the rest of it, and reads no elements side by side."""
    source = (
        "__global__ void k(const float *a, float *b, int n) {\n  float s = 0;\n"
        "  for (int j = 0; j < n; j += 8) s += a[threadIdx.x * n + j];\n  b[threadIdx.x] = s;\n}\n"
    )
    assert "iteration" not in only(requests(view(source))).message
    assert "next 3 iterations" in only(requests(view(source.replace("j += 8", "j += 2")))).message


COLUMNS = (
    "__global__ void k(float *a) {\n  __shared__ float t[32][WIDTH];\n  t[threadIdx.y][threadIdx.x] = a[0];\n"
    "  __syncthreads();\n  float s = 0;\n  for (int j = 0; j < 32; j += STEP) BODY;\n  a[1] = s;\n}\n"
    "void f(float *a) { k<<<999, dim3(32, 8)>>>(a); }\n"
)


@pytest.mark.parametrize(
    ("step", "body", "found"),
    [
        ("8", "a[j] = t[threadIdx.x][threadIdx.y + j]", 32),  # as in a transpose: nothing is side by side
        ("1", "s += t[threadIdx.x][j]", 8),  # 16 bytes at once
        ("1", "s = t[threadIdx.x][j] += s", 32),  # in place: one after another
    ],
)
def test_what_the_compiler_makes_of_loops(view, step, body, found):
    """As LDS and STS of nvcc 13 show for each."""
    source = COLUMNS.replace("WIDTH", "32").replace("STEP", step).replace("BODY", body)
    one = max(conflicts(view(source)), key=lambda one: one.weight)
    assert one.figures["passes"] == found


@pytest.mark.parametrize(("width", "found"), [("32", [16]), ("4", [])])
def test_conflicts_that_may_not_be_are_not_told(view, width, found):
    """Elements of two bytes become wide accesses where the array is aligned, which is not known here."""
    source = COLUMNS.replace("float t[32]", "short t[32]").replace("WIDTH", width).replace("STEP", "1")
    source = source.replace("t[threadIdx.y][threadIdx.x] = a[0];", "").replace("j < 32", f"j < {width}")
    body = source.replace("BODY", "s += t[threadIdx.x][j]")
    assert [one.figures["passes"] for one in conflicts(view(body))] == found


@pytest.mark.parametrize(("row", "block", "longer"), [(32, "32, 8", "1 element"), (160, "16, 4", "16 elements")])
def test_rows_are_made_longer_by_what_helps(view, row, block, longer):
    index = "threadIdx.x][threadIdx.y" if row == 32 else "threadIdx.y][threadIdx.x"
    source = (
        f"__global__ void k(float *a) {{\n  __shared__ float t[32][{row}];\n  t[{index}] = a[0];\n"
        f"  __syncthreads();\n  a[1] = t[0][0];\n}}\nvoid f(float *a) {{ k<<<999, dim3({block})>>>(a); }}\n"
    )
    assert only(conflicts(view(source))).remedy.startswith(f"make a row of `t` {longer} longer")


def test_waves_are_not_known_without_registers(view):
    assert list(launches(view(shaped("1057", "256")), H200)) == []


TEMPLATE = (
    "template <int N> __global__ void k(float *a) {\n  __shared__ float t[N];\n  t[threadIdx.x] = a[threadIdx.x];\n"
    "  __syncthreads();\n  a[threadIdx.x] = t[0];\n}\n"
    "void f(float *a) { k<64><<<9999, 64>>>(a); k<8192><<<9999, 1024>>>(a); }\n"
)


def test_instantiations_have_their_own_figures(tmp_path):
    path = tmp_path / "a.cu"
    path.write_text(TEMPLATE.replace("9999, 64>", "9999, 80>"))
    unit = parse_unit(path, ParseOptions(level=ParseLevel.BUNDLED))
    facts = [plain(one) for kernel in unit.kernels for one in [kernel_facts(unit, kernel)]]
    report = SimpleNamespace(facts=facts, source=str(path))
    made = Compiled({"k": KernelResources("_Z1kILi8192EEvPf", "k", 90, 40, 32768, 0, 0)}, {}, frozenset({"k"}))
    (one,) = advice_on(report, H200, made)
    assert (one.code, one.instantiations) == ("ADVISE005", ("64",))  # and nothing of 32 KB for blocks of 80
    assert ": kernel k<64>: " in next(advice_lines(report, "h200", [one]))


@pytest.mark.parametrize(("index", "words"), [("threadIdx.x", 32), ("n", None), ("threadIdx.x / 16", None)])
def test_constant_memory_gives_a_word_at_a_time(view, index, words):
    source = (
        "__constant__ float table[256];\n"
        f"__global__ void k(float *a, int n) {{ a[threadIdx.x] = table[{index}]; }}\n"
        "void f(float *a, int n) { k<<<999, 256>>>(a, n); }\n"
    )
    assert [one.figures["words"] for one in constants(view(source))] == ([words] if words else [])


def test_what_helps_is_said_once():
    report = SimpleNamespace(facts=[], source="/a.cu")
    pieces = [Advice("ADVISE005", name, "/a.cu", 1, "m", "do this", 1.0) for name in ("k", "l")]
    assert [line.count("what helps") for line in advice_lines(report, "h200", pieces)] == [0, 1, 0, 0]


def test_before_fermi_banks_and_sectors_were_others(view):
    kernel = view(COLUMNS.replace("WIDTH", "32").replace("STEP", "1").replace("BODY", "s += t[threadIdx.x][j]"))
    report = SimpleNamespace(facts=[kernel.facts], source="/a.cu")
    assert "ADVISE004" in {one.code for one in advice_on(report, H200)}
    assert "ADVISE004" not in {one.code for one in advice_on(report, load_arch("gtx285"))}

"""Columns that only one thread touches: what of them is common stays in registers until others read it (CO-VTB)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from gpuopt_plugins.vtb.collaborate import divided
from gpuopt_plugins.vtb.options import Options
from gpuopt_plugins.vtb.order import order_of
from gpuopt_plugins.vtb.rewrite import edits, place
from gpuopt_plugins.vtb.scheme import Scheme
from gpuopt_plugins.vtb.survey import known_shapes

from gpuopt_driver.analysis.shared_columns import in_column
from gpuopt_driver.api import Context, Division, Kernel, declared_arrays, divisions
from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit
from gpuopt_driver.hooks import Resources
from gpuopt_driver.source.edits import apply

KERNEL = """
__device__ int twice(int a) {{ return a * 2; }}
__global__ void count(const int *x, int *y, int n)
{{
    __shared__ {array};
    int t = threadIdx.x, got = 0;
    {fill}
    for (int i = 0; i < n; ++i) {{ {step} }}
    {meet}
    {read}
}}
void run(const int *x, int *y) {{ count<<<64, 64>>>(x, y, 9); }}
"""
ARRAY = "unsigned short c[40 * 64 + 24]"
FILL = "for (int b = 0; b < 40; ++b) c[b * 64 + t] = 0;"
STEP = "int w = x[i * 64 + t]; ++c[(w & 31) * 64 + t];"
MEET = "__syncthreads();"
READ = (
    "for (int b = t; b < 40; b += 64) { int sum = 0; for (int k = 0; k < 64; ++k) sum += c[b * 64 + k]; y[b] = sum; }"
)


def kernel_of(tmp_path: Path, *parts: str) -> tuple[Kernel, Context]:
    """The kernel of these parts (array, fill, step, meet, read), for a GTX 480."""
    source = tmp_path / "count.cu"
    names = ("array", "fill", "step", "meet", "read")
    source.write_text(KERNEL.format(**dict(zip(names, parts, strict=True))))
    unit = parse_unit(str(source), ParseOptions())
    (kernel,) = unit.kernels
    return kernel, Context(unit, load_arch("gtx480"), Options(), unit.launches_of(kernel), Resources(), True)


def kept(kernel: Kernel, context: Context) -> list[Division]:
    """The divisions that leave one element of every thread's to a register."""
    shapes = known_shapes(context)
    found = declared_arrays(kernel, context.unit.files[kernel.span.file], shapes)
    return [one for one in divisions(kernel, found, lambda _unused: ()) if one.kept]


def version(kernel: Kernel, context: Context, division: Division) -> str:
    """The version's text."""
    shapes, source = known_shapes(context), context.unit.files[kernel.span.file]
    scheme = divided(kernel, context, shapes, division)
    assert isinstance(scheme, Scheme)
    scheme = replace(scheme, declared=declared_arrays(kernel, source, shapes))
    order = order_of(kernel, scheme.use.regions)
    made = edits(kernel, context, scheme, 2, place(2, order), order)
    return apply(source.data, made).decode()


def test_an_element_of_every_thread_stays_in_a_register_until_others_read_it(tmp_path: Path) -> None:
    kernel, context = kernel_of(tmp_path, ARRAY, FILL, STEP, MEET, READ)
    (division,) = kept(kernel, context)
    assert (division.rows, division.row_bytes, division.own_bytes) == (39 * 64, 2, 39 * 64 * 2)
    assert sorted(access.text for access in division.kept) == ["c[(w & 31) * 64 + t]", "c[b * 64 + t]"]
    text = version(kernel, context, division)
    assert "for (int b = 0; b != 39; ++b) c.gpuopt_rows[b * 64 + t] = 0;" in text
    assert "for (int b = 39; b < 40; ++b) gpuopt_k_c.at(b * 64 + t) = 0;" in text
    assert "++gpuopt_k_c.at((w & 31) * 64 + t);" in text
    assert "__shared__ gpuopt_r_c gpuopt_c_c[64];" in text  # what is declared behind the rows is not needed
    entered = text.index("gpuopt_at.enter(); gpuopt_k_c.put(gpuopt_c_c, gpuopt_at.rank()); gpuopt_at.sync();")
    assert text.index("gpuopt_at.sync();") < entered < text.index("gpuopt_at.leave();")


LONG = READ.replace("b < 40", "b < 128")


def of_128_rows(tmp_path: Path, read: str) -> str:
    """The version's text where the array has as many rows as two iterations of every thread read."""
    array, fill = ARRAY.replace("40", "128"), FILL.replace("40", "128")
    kernel, context = kernel_of(tmp_path, array, fill, STEP.replace("31", "127"), MEET, read)
    (division,) = kept(kernel, context)
    return version(kernel, context, division)


def test_own_rows_that_nobody_reads_again_take_what_registers_hold_and_there_is_no_turn(tmp_path: Path) -> None:
    text = of_128_rows(tmp_path, LONG)
    put = "gpuopt_at.sync(); gpuopt_k_c.put(gpuopt_c_c, gpuopt_at.rank()); gpuopt_at.sync();"
    assert (
        text.index("for (int b = t, gpuopt_n") < text.index(put) < text.index("for (int b = (t) + 1 * (64); b < 128;")
    )
    assert "< 1 && (b < 128); b += 64" in text
    assert text.count("sum += c.gpuopt_rows[b * 64 + k]") == 1
    assert "const int gpuopt_s0 = (b * 64 + (0)) < 8128 ? 0 : 8128;" in text
    assert text.count("sum += c.gpuopt_rows[(b * 64 + k) - gpuopt_s0]") == 1
    assert "gpuopt_r_c *const gpuopt_c_c = reinterpret_cast<gpuopt_r_c *>(gpuopt_at.own(" in text
    assert "gpuopt_at.enter()" not in text
    assert "gpuopt_at.leave()" not in text


@pytest.mark.parametrize(
    "read",
    [
        LONG.replace("+= c[b * 64 + k]", "+= c[b * 64 + k] + c[k]"),  # rows that the registers' values would go to
        LONG + " got += c[t]; y[128 + t] = got;",  # the same behind the loop
    ],
)
def test_own_rows_at_the_beginning_of_a_turn_are_read_before_it(tmp_path: Path, read: str) -> None:
    text = of_128_rows(tmp_path, read)
    first = "for (int b = t, gpuopt_n"
    assert text.index(first) < text.index("gpuopt_at.enter();") < text.index("for (int b = (t) + 1 * (64); b < 128;")
    assert text.count("sum += c.gpuopt_rows[b * 64 + k]") == 1
    assert text.count("sum += c[b * 64 + k]") == 1
    assert "__shared__ gpuopt_r_c gpuopt_c_c[64];" in text


@pytest.mark.parametrize(
    "read",
    [
        LONG.replace("k = 0;", "k = b & 1;"),  # the first place is not known
        # half of a row, half of the next
        LONG.replace("b * 64 + k]", "b * 64 + k + 32]").replace("b < 128", "b < 127"),
        LONG.replace("64 + k]", "64 + (k + y[b] * 0) % 64]"),
    ],
)
def test_what_is_not_known_to_be_on_one_side_of_the_cut_is_asked(tmp_path: Path, read: str) -> None:
    assert "gpuopt_s0" not in of_128_rows(tmp_path, read)


ROWS = ("unsigned c[6][64]", "for (int b = 0; b < 6; ++b) c[b][t] = b;")


def test_rows_of_arrays_with_two_subscripts(tmp_path: Path) -> None:
    step = "int w = x[i * 64 + t] & 3; c[w][t] += c[w + 1][t] * 2; got ^= c[5][t];"
    kernel, context = kernel_of(
        tmp_path, *ROWS, step, MEET, "for (int b = 0; b < 6; ++b) got += c[b][63 - t]; y[t] = got;"
    )
    (division,) = kept(kernel, context)
    assert (division.rows, division.row_bytes) == (5, 256)
    text = version(kernel, context, division)
    assert "gpuopt_k_c.at((w) * 64 + (t)) += gpuopt_k_c.get((w + 1) * 64 + (t)) * 2;" in text
    assert "got ^= gpuopt_k_c.get((5) * 64 + (t));" in text


# name -> (array, fill, step, meet, read): where no register can stand for an element
SHARED = {
    "another thread's column": (ARRAY, FILL, STEP.replace("64 + t]", "64 + (t ^ 1)]"), MEET, READ),
    "rows that are not as long as the block": (
        ARRAY,
        FILL.replace("64", "32"),
        STEP.replace("* 64 + t];", "* 32 + t];"),
        MEET,
        READ,
    ),
    "no barrier": (ARRAY, FILL, STEP, "", READ),
    "others read before the barrier": (ARRAY, FILL, STEP + " got += c[t ^ 1];", MEET, READ),
    "an address is taken": (ARRAY, FILL, "atomicAdd((int *)&c[(x[i] & 31) * 64 + t], 1);", MEET, READ),
    "an element is set in an expression": (ARRAY, FILL, "got += c[(x[i] & 31) * 64 + t] = i;", MEET, READ),
    "an element's number depends on an element": (ARRAY, FILL, "++c[(c[t] & 31) * 64 + t];", MEET, READ),
    "a function of the program's": (ARRAY, FILL, "c[(x[i] & 31) * 64 + t] = twice(i);", MEET, READ),
    "another array": (ARRAY + ", d[64]", FILL, STEP + " d[t] = 1;", MEET, READ.replace("sum +=", "sum += d[k] +")),
}


@pytest.mark.parametrize("name", SHARED)
def test_elements_that_are_not_one_threads_own(tmp_path: Path, name: str) -> None:
    assert kept(*kernel_of(tmp_path, *SHARED[name])) == []


@pytest.mark.parametrize(
    ("step", "used"),
    [
        (STEP, 40 * 64 * 2),
        (STEP.replace("w & 31", "w"), (40 * 64 + 24) * 2),  # anywhere
        (STEP.replace("(w & 31) * 64", "(w & 40) * 64"), 41 * 64 * 2),
        (STEP.replace("(w & 31)", "((w & 31) + i)"), (40 * 64 + 24) * 2),
    ],
)
def test_how_much_of_an_array_is_used(tmp_path: Path, step: str, used: int) -> None:
    kernel, context = kernel_of(tmp_path, ARRAY.replace("+ 24", "+ 96"), FILL, step, MEET, READ)
    (found,) = declared_arrays(kernel, context.unit.files[kernel.span.file], known_shapes(context))
    assert found.used == (used if used % 128 == 0 else (40 * 64 + 96) * 2)


def test_the_row_may_be_data_but_not_the_column(tmp_path: Path) -> None:
    step = "++c[(x[i] & 31) * 64 + t]; ++c[(x[i] & 31) * 64 + (x[i] & 63)]; ++c[t * 64];"
    kernel, context = kernel_of(tmp_path, ARRAY, FILL, step, MEET, READ)
    (shape,) = known_shapes(context)
    found = {access.text: in_column(access, shape) for access in kernel.accesses if access.array.name == "c"}
    assert found == {
        "c[b * 64 + t]": True,
        "c[(x[i] & 31) * 64 + t]": True,
        "c[(x[i] & 31) * 64 + (x[i] & 63)]": False,
        "c[t * 64]": False,
        "c[b * 64 + k]": False,
    }

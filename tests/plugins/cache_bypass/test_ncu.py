"""Profiles from hardware counters: a stand-in for ncu prints pages of its format; what is known, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.cli import main
from gpuopt_driver.commands.ncu import name_of
from gpuopt_driver.profiles import read_profile
from tests.plugins.cache_bypass.test_profile import SOURCE, said

FAKE = """\
#!/bin/sh
echo "$GPUOPT_DISPATCH $*" >> PLACE/calls
case "$*" in
*"--page source"*) cat PLACE/source.csv ;;
*"--page raw"*) cat PLACE/raw.csv ;;
*-o*) touch "$(echo "$*" | sed 's/.* -o \\([^ ]*\\) .*/\\1/')" ;;
esac
exit $(cat PLACE/status)
"""
REAL = Path(__file__).parent / "ncu"
COLUMNS = [
    *("Line No", "Source", "Address", "Source", "# Samples", "Instructions Executed", "Address Space"),
    *("Access Operation", "Access Size", "L1 Tag Requests Global", "L2 Theoretical Sectors Global"),
]
RAW = [
    *("ID", "Kernel Name", "Block Size", "Grid Size"),
    *("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"),
    *("launch__shared_mem_config_size", "launch__occupancy_limit_blocks", "launch__occupancy_limit_warps"),
]


REGISTERS = (
    "\n" * 24
    + """\
__global__ void registers(int n, int m, const float *__restrict__ A, const float *__restrict__ x,
                          const float *__restrict__ a, const float *__restrict__ b, const float *__restrict__ c,
                          const float *__restrict__ d, float *__restrict__ y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < m; ++j)
        sum += A[(size_t)i * m + j] * x[j] + a[(size_t)j * n + i] + b[(size_t)j * n + i] + c[(size_t)j * n + i] +
               d[(size_t)j * n + i];
    y[i] = sum;
}
void run(const float *p, float *y) { registers<<<1056, 256>>>(1056 * 256, 512, p, p, p, p, p, p, y); }
"""
)


def row(*cells: object) -> str:
    return ",".join(f'"{cell}"' for cell in cells) + "\n"


def listing(path: Path, function: str, loads: dict[int, tuple[int, int]]) -> str:
    """A launch's part of the source page: a row per line of text with sums, then one per instruction."""
    text = row("File Path", path) + row("Function Name", function) + row(*COLUMNS)
    for line, (requests, sectors) in loads.items():
        text += row(line, "some text", "", "", 3, 2 * requests, "-", "-", "-", requests, sectors)
        text += row(
            "", "", "0x7fc4", " LDG.E R2, [R2.64] ", 1, f"{requests:,}", "Global", "Load", 32, 1, f"{sectors:,}"
        )
        text += row("", "", "0x7fc5", " STG.E [R2.64], R3 ", 1, requests, "Global", "Store", 32, 1, 77)
    return text


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "bin"
    place.mkdir()
    (place / "ncu").write_text(FAKE.replace("PLACE", str(place)))
    (place / "ncu").chmod(0o755)
    (place / "status").write_text("0")
    monkeypatch.setenv("PATH", str(place), prepend=":")
    (tmp_path / "spmv.cu").write_text(SOURCE)
    return tmp_path


def pages(place: Path, hits: int) -> None:
    """Two launches of one kernel, the second one larger, and one of another kernel without loads."""
    source = place / "spmv.cu"
    name = "void spmv<int>(int, const int *)"
    line = next(at for at, text in enumerate(SOURCE.split("\n"), 1) if "column[e]" in text)
    small = listing(source, name, {line: (10, 20), line + 1: (2, 4)})
    large = listing(source, name, {line: (1000, 4000), line + 1: (10, 40)})
    (place / "bin" / "source.csv").write_text(f"==PROF== x\n{small}{large}{listing(source, 'none()', {})}")
    units = row("", "", "", "", "sector", "sector", "byte", "block", "block")
    body = row(0, name, "(128, 1, 1)", "(10, 1, 1)", 24, 0, 0, 16, 9)
    body += row(1, name, "(128, 1, 1)", "(1000, 1, 1)", "4,040", hits, "32,768", 16, 9)
    body += row(2, "none()", "(1, 1, 1)", "(1, 1, 1)", 0, 0, 0, 16, 64)
    (place / "bin" / "raw.csv").write_text(row(*RAW) + units + body)


def profile(place: Path) -> int:
    return main(["profile", "--ncu", "-o", str(place / "spmv.json"), "--gpu", "h200", "--", "./spmv", "7"])


def test_what_counters_tell(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages(machine, hits=3000)
    assert profile(machine) == 0, capsys.readouterr().err
    found = read_profile(machine / "spmv.json")
    assert (found.source, found.gpu, found.command) == ("hardware", "h200", ("./spmv", "7"))
    (kernel,) = found.kernels
    assert (kernel.kernel, kernel.file, kernel.warps, kernel.l1_bytes) == ("spmv", "spmv.cu", 32, 262144 - 32768)
    assert kernel.hits == 3000
    first, second = kernel.loads
    assert (first.requests, first.sectors, first.hits) == (1000, 4000, 2980)  # 2960 to 3000
    assert (second.sectors, second.hits) == (40, -1)  # 0 to 40: nobody knows
    assert (first.alone, first.accesses, kernel.together, kernel.cycles) == (-1, 0, (), (0, 0))
    calls = (machine / "bin" / "calls").read_text().split("\n")
    assert calls[0].startswith("original --section SourceCounters")
    assert calls[0].endswith("./spmv 7")


def test_pages_of_an_h200(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Excerpts of what ncu 2025.3.1 printed for `walks registers 8 512 1`: each load stands twice under its line."""
    for page in ("source", "raw"):
        text = (REAL / f"registers.{page}.csv").read_text().replace("PLACE", str(machine))
        (machine / "bin" / f"{page}.csv").write_text(text)
    (machine / "walks.cu").write_text(REGISTERS)
    (machine / "example.h").write_text("")
    assert profile(machine) == 0, capsys.readouterr().err
    (kernel,) = read_profile(machine / "spmv.json").kernels
    assert (kernel.kernel, kernel.file, kernel.warps, kernel.l1_bytes) == ("registers", "walks.cu", 64, 262144 - 32768)
    each = 4325376  # requests of a load: 1056 blocks, 8 warps, 512 iterations
    assert [(one.line, one.requests, one.sectors) for one in kernel.loads] == [
        (32, each, each),  # x
        (32, 3 * each, 12 * each),  # a, b, c
        (32, each, 32 * each),  # A
        (33, each, 4 * each),  # d
    ]
    assert sum(one.sectors for one in kernel.loads) == 211943424  # as ncu counts for the kernel
    assert kernel.hits == 93692957
    code, message, bypassed = said(machine, source="walks.cu")
    assert (code, bypassed) == ("BYP002", tuple(f"{name}[(size_t)j * n + i]" for name in "abcd")), message


def test_what_a_policy_makes_of_it(machine: Path) -> None:
    """Kernels without hits at all are left alone; a changed source makes the profile stale."""
    pages(machine, hits=0)
    assert profile(machine) == 0
    assert said(machine)[0] == "BYP012"
    (machine / "spmv.cu").write_text(SOURCE + "\n")
    assert said(machine)[0] == "BYP030"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("lines", "build with -lineinfo"),
        ("columns", "no column 'Access Operation'"),
        ("launches", "lists spmv 2 times on its source page and 1 times"),
        ("status", "ncu: status 9"),
    ],
)
def test_what_cannot_be_read(machine: Path, change: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    pages(machine, hits=0)
    source, raw = machine / "bin" / "source.csv", machine / "bin" / "raw.csv"
    if change == "lines":
        source.write_text(row("Kernel Name", "spmv()") + row("Address", "Source"))
    elif change == "columns":
        source.write_text(source.read_text().replace("Access Operation", "Operation"))
    elif change == "launches":
        lines = raw.read_text().split("\n")
        raw.write_text("\n".join([*lines[:3], *lines[4:]]))
    else:
        (machine / "bin" / "status").write_text("9")
    assert profile(machine) != 0
    assert told in capsys.readouterr().err


def test_without_ncu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["profile", "--ncu", "--", "./p"]) != 0
    assert "no ncu in PATH" in capsys.readouterr().err


def test_names() -> None:
    assert name_of("void ns::k<int, (bool)1, a::b<c(*)(int)>>(float *, T1)") == "ns::k"
    assert name_of("(anonymous namespace)::k(int)") == "k"

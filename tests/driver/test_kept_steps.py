"""What nvcc's steps have made is given again only where they are started with the same (`nvcc/steps.c`)."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.caches import common_library, with_what_builds_share
from tests.ours import switched_off

# Writes a line about its input into each output, notes that it ran, says what $SAYS says, and ends with $STATUS.
TOOL = r"""
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    char text[65536];
    const char *input = argv[argc - 1], *name = strrchr(input, '/');
    FILE *in = fopen(input, "r"), *ran = fopen(getenv("RAN"), "a");
    size_t size = in ? fread(text, 1, sizeof text, in) : 0;
    fputs("ran\n", ran);
    fclose(ran);
    for (int i = 1; i + 1 < argc; i++)
        if (!strcmp(argv[i], "-o") || !strcmp(argv[i], "--gen_device_file_name")) {
            FILE *out = fopen(argv[i + 1], "w");
            fprintf(out, "%s of %s: %.*s", argv[i], name + 1, (int)size, text);
        }
    if (getenv("SAYS")) {
        fputs(getenv("SAYS"), stderr);
        for (const char *at = getenv("SAYS"); *at; at++)
            putchar(toupper(*at));
    }
    return getenv("STATUS") ? atoi(getenv("STATUS")) : 0;
}
"""
LINE_INFO = "-generate-line-info"


@dataclass
class Tools:
    """Programs named as nvcc's, in a directory each test has for itself, with the library inside of them."""

    root: Path
    library: Path
    run_number: int = 0

    def runs(self, name: str, text: str, *options: str, status: int = 0, mode: str = "w+", **env: str) -> bool:
        """Whether a program ran itself; what it was to make and to say has to be there in any case."""
        self.run_number += 1
        stamp = f"tmpxft_{self.run_number:08x}_00000000"
        work = self.root / "work"
        source = work / f"{stamp}-7_a.{'ptx' if name == 'ptxas' else 'cpp1.ii'}"
        outputs = {"-o": work / f"{stamp}-8_a.out", "--gen_device_file_name": work / f"{stamp}-9_a.gpu"}
        wanted = {one: path for one, path in outputs.items() if one == "-o" or name == "cicc"}
        source.write_text(text)
        ran = self.root / "ran"
        ran.unlink(missing_ok=True)
        with (self.root / "out").open(mode) as out, (self.root / "err").open(mode) as err:
            done = subprocess.run(
                [self.root / name, *options, *(str(one) for pair in wanted.items() for one in pair), str(source)],
                env={
                    **os.environ, "LD_PRELOAD": str(self.library), "RAN": str(ran), "STATUS": str(status),
                    "GPUOPT_KEPT_STEPS": str(self.root / "kept"), **env,
                },
                stdout=out, stderr=err, cwd=work, check=False, timeout=60,
            )  # fmt: skip
        assert done.returncode == status
        assert (self.root / "out").read_text() == env.get("SAYS", "").upper()
        assert (self.root / "err").read_text() == env.get("SAYS", "")
        for option, path in wanted.items():
            assert path.read_text() == f"{option} of {source.name}: {text}"
            path.unlink()
        source.unlink()
        return ran.exists()

    @property
    def entries(self) -> list[Path]:
        """What is kept."""
        return sorted(path for path in (self.root / "kept").rglob("*") if path.is_file())


@pytest.fixture(scope="session")
def tool(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Path:
    """The program, compiled once."""
    place = tmp_path_factory.mktemp("tool")
    (place / "tool.c").write_text(TOOL)
    subprocess.run([host_compiler, "-x", "c", "tool.c", "-o", "tool"], cwd=place, check=True, timeout=60)
    return place / "tool"


@pytest.fixture
def tools(tmp_path: Path, host_compiler: str, tool: Path) -> Tools:
    for name in ("cicc", "ptxas", "cudafe++", "fatbinary"):
        shutil.copy2(tool, tmp_path / name)
    for name in ("work", "kept"):
        (tmp_path / name).mkdir()
    return Tools(tmp_path, common_library(host_compiler))


@pytest.mark.compiler
@pytest.mark.parametrize("name", ["cicc", "ptxas"])
def test_the_same_is_given_again_under_the_names_of_the_new_run(tools: Tools, name: str) -> None:
    assert tools.runs(name, "one\n", "-arch=sm_90")
    assert not tools.runs(name, "one\n", "-arch=sm_90")
    assert not tools.runs(name, "one\n", "-arch=sm_90")
    (entry,) = tools.entries
    assert entry.stat().st_mode & 0o077 == 0
    form, _, data = entry.read_bytes().partition(b"\n")
    parts = ((entry.parent.name + entry.name).encode(), data[64:])
    sealed = b"".join(len(part).to_bytes(8, sys.byteorder) + part for part in parts)
    assert (form, data[:64].decode()) == (b"gpuopt step 1", hashlib.blake2b(sealed, digest_size=32).hexdigest())


@pytest.mark.compiler
def test_whatever_differs_lets_it_run(tools: Tools) -> None:
    assert tools.runs("cicc", "one\n", "-m64")
    assert tools.runs("cicc", "two\n", "-m64")
    assert tools.runs("cicc", "one\n", "-m64", "-ftz=1")
    assert tools.runs("cicc", "one\n", "-m64", NVVMIR_LIBRARY_DIR="/nowhere")
    assert tools.runs("ptxas", "one\n", "-m64")
    assert not tools.runs("cicc", "one\n", "-m64", UNRELATED="1")
    os.utime(tools.root / "cicc", ns=(1, 1))
    assert tools.runs("cicc", "one\n", "-m64")
    (tools.root / "work").rename(tools.root / "moved")
    (tools.root / "work").symlink_to("moved")
    assert tools.runs("cicc", "one\n", "-m64")


@pytest.mark.compiler
@pytest.mark.parametrize(
    ("name", "options", "env", "status"),
    [
        ("cicc", ["--unheard-of"], {}, 0),
        ("cicc", ["-olto", "x"], {}, 0),
        ("ptxas", ["-v"], {}, 0),
        ("cicc", [], {}, 3),
        ("fatbinary", [], {}, 0),
    ],
)
def test_what_fails_or_is_not_known_is_not_kept(
    tools: Tools, name: str, options: list[str], env: dict[str, str], status: int
) -> None:
    for _ in range(2):
        assert tools.runs(name, "one\n", *options, status=status, **env)
    assert not tools.entries


@pytest.mark.compiler
def test_what_was_said_is_said_again(tools: Tools) -> None:
    said = "a.cu(3): warning: something\n"
    assert tools.runs("cicc", "one\n", SAYS=said)
    assert not tools.runs("cicc", "one\n", SAYS=said)
    for _ in range(2):  # into files that can only be written to
        assert tools.runs("cicc", "two\n", SAYS=said, mode="w")
    assert tools.runs("cicc", "two\n", mode="w")
    assert not tools.runs("cicc", "two\n", mode="w")


@pytest.mark.compiler
@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: data[:-1] + b"?", lambda data: b"", None])
def test_an_entry_that_is_not_whole_is_none(tools: Tools, damage: Callable[[bytes], bytes] | None) -> None:
    assert tools.runs("cicc", "one\n")
    (entry,) = tools.entries
    if damage is None:
        entry.chmod(0o666)
    else:
        entry.write_bytes(damage(entry.read_bytes()))
    assert tools.runs("cicc", "one\n")
    assert tools.entries == [entry]
    assert not tools.runs("cicc", "one\n")


@pytest.mark.compiler
def test_an_entry_of_another_key_is_none(tools: Tools) -> None:
    assert tools.runs("cicc", "one\n")
    (first,) = tools.entries
    assert tools.runs("cicc", "two\n")
    (second,) = (path for path in tools.entries if path != first)
    shutil.copy2(first, second)
    assert tools.runs("cicc", "two\n")


@pytest.mark.compiler
@pytest.mark.parametrize(
    ("name", "option", "text"),
    [("ptxas", "--generate-line-info", '\t.file\t1 "%s"\n'), ("cicc", LINE_INFO, '# 1 "%s"\nint x;\n# 2 "%s"\n')],
)
def test_line_tables_have_the_times_of_sources(tools: Tools, name: str, option: str, text: str) -> None:
    source = tools.root / "a.cu"
    source.write_text("int x;\n")
    text = text.replace("%s", str(source))
    assert tools.runs(name, text, option)
    assert not tools.runs(name, text, option)
    assert tools.runs(name, text)
    os.utime(source, (1, 1))
    assert not tools.runs(name, text)
    assert tools.runs(name, text, option)
    source.unlink()
    assert tools.runs(name, text, option)


@pytest.mark.compiler
def test_names_of_runs_that_would_not_come_back_are_not_kept(tools: Tools) -> None:
    for _ in range(2):
        assert tools.runs("cicc", 'char *s = "tmpxft_00000000_00000000";\n')


@pytest.mark.compiler
@pytest.mark.parametrize("place", ["", "relative", "/nonexistent/place"])
def test_where_nothing_can_be_kept_it_runs(tools: Tools, place: str) -> None:
    for _ in range(2):
        assert tools.runs("cicc", "one\n", GPUOPT_KEPT_STEPS=place)


KERNEL = """
__global__ void one_sum(const float *a, const float *x, float *y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float s = 0;
    for (int c = 0; c < columns; c++) s += a[(size_t)row * columns + c] * x[c];
    y[row] = s;
  }
}
void run(const float *a, const float *x, float *y) { one_sum<<<64, 256>>>(a, x, y, 16384, 333); }
"""


@pytest.mark.nvcc
@pytest.mark.parametrize("option", ["-m64", "-lineinfo"])
def test_a_second_build_runs_none_of_the_device_compiler(tmp_path: Path, real_nvcc: str, option: str) -> None:
    (tmp_path / "a.cu").write_text(KERNEL)
    (tmp_path / "toolchain.toml").write_text(f"[plugins.catt]\nfixed_tlp = [4, 8]\n{switched_off('catt')}")
    line = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "-arch=sm_90", "-std=c++14", option, "-c", "a.cu"]
    cache = with_what_builds_share(tmp_path / "cache")
    env = {**os.environ, "GPUOPT_NVCC": real_nvcc, "GPUOPT_CACHE_DIR": str(cache)}

    def kept(name: str) -> dict[Path, int]:
        """The entries after a build, with the times at which they were used."""
        done = subprocess.run([*line, "-o", name], cwd=tmp_path, env=env, capture_output=True, check=False, timeout=240)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        found = (tmp_path / "cache" / "device-code").rglob("*")
        return {path: path.stat().st_mtime_ns for path in found if path.is_file()}

    first = kept("first.o")
    assert len(first) == 3, "of cudafe++, cicc and ptxas"
    time.sleep(0.02)
    second = kept("second.o")
    assert second.keys() == first.keys()
    assert all(second[path] > first[path] for path in first)
    assert _loaded(tmp_path / "first.o") == _loaded(tmp_path / "second.o")
    os.utime(tmp_path / "a.cu", (1, 1))  # which a line table has, and nothing else
    assert len(kept("third.o")) == (5 if option == "-lineinfo" else 3)


def _loaded(path: Path) -> bytes:
    """An object without its names, of which one is that of a temporary file."""
    bare = path.with_suffix(".bare")
    subprocess.run(["strip", "-o", str(bare), str(path)], check=True, timeout=60)
    return bare.read_bytes()

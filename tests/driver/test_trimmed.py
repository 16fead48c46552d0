"""Patched builds whose headers are shorter: nobody can tell (`nvcc/unused.c`, `nvcc/registration.py`)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gpuopt_driver.nvcc import registration
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.nvcc.find import find_nvcc
from tests.caches import common_library, with_what_builds_share
from tests.ours import switched_off

# Ends with 3 if its source does not hold $WANTED, and says so; else copies it to what -o names.
TOOL = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    static char text[65536];
    FILE *in = fopen(argv[argc - 1], "r");
    const size_t size = fread(text, 1, sizeof text - 1, in);
    if (!strstr(text, getenv("WANTED"))) {
        fprintf(stderr, "not there\n");
        puts("not there");
        return 3;
    }
    for (int i = 1; i + 1 < argc; i++)
        if (!strcmp(argv[i], "-o"))
            fwrite(text, 1, size, fopen(argv[i + 1], "w"));
    fprintf(stderr, "%s\n", getenv("SAYS"));
    return 0;
}
"""
F = "inline int f() { return 1234567890 + 1234567890; }"
II = f'# 1 "/usr/include/s.h" 1 3 4\n{F}\ninline int h() {{ return 2; }}\n# 2 "a.cu" 2\nint g;\n'

KERNEL = """\
#include <cuda_fp16.h>

__global__ void one_sum(const float *a, const float *x, float *y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float s = 0;
    for (int c = 0; c < columns; c++) s += a[(size_t)row * columns + c] * x[c];
    y[row] = s + __half2float(__float2half(sinf(s)));
  }
}
void run(const float *a, const float *x, float *y) { one_sum<<<64, 256>>>(a, x, y, 16384, 333); }
"""
LIBRARY = """\
#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <tuple>

struct Point { int x, y; bool operator<(const Point &o) const { return std::tie(x, y) < std::tie(o.x, o.y); } };
std::ostream &operator<<(std::ostream &out, const Point &p) { return out << p.x << ',' << p.y; }
int main(int argc, char **argv) {
  using namespace std::chrono_literals;
  std::map<Point, std::string> names{{{1, 2}, "a"}, {{0, 3}, "b"}};
  for (auto &[p, name] : names) std::cout << p << name << (3ms).count();
  auto shared = std::make_shared<int>(argc);
  std::string text(argv[0]);
  std::sort(text.rbegin(), text.rend(), std::greater<>());
  try { throw std::runtime_error(text + "x"); } catch (const std::exception &e) { std::cerr << e.what() << *shared; }
}
"""


@pytest.mark.compiler
def test_a_program_that_fails_begins_again_with_the_whole_source(tmp_path: Path, host_compiler: str) -> None:
    (tmp_path / "tool.c").write_text(TOOL)
    subprocess.run([host_compiler, "-x", "c", "-w", "tool.c", "-o", "cicc"], cwd=tmp_path, check=True, timeout=60)
    shutil.copy(tmp_path / "cicc", tmp_path / "ptxas")
    (tmp_path / "a.cpp1.ii").write_text(II)
    (tmp_path / "needed").write_text("h")

    def run(
        wanted: str, *options: str, name: str = "cicc", says: str = "done", status: int = 0, fresh: bool = True
    ) -> str:
        """What the program got; what it said must be what it says of the whole source."""
        (tmp_path / "out").unlink(missing_ok=True)
        if fresh:
            shutil.rmtree(tmp_path / "kept", ignore_errors=True)
            (tmp_path / "kept").mkdir()
        env = {
            "PATH": os.environ["PATH"], "LD_PRELOAD": str(common_library(host_compiler)), "WANTED": wanted,
            "SAYS": says,
            "GPUOPT_KEPT_STEPS": str(tmp_path / "kept"), "GPUOPT_NEEDED": str(tmp_path / "needed"),
        }  # fmt: skip
        with (tmp_path / "said").open("w+") as said, (tmp_path / "err").open("w+") as err:
            done = subprocess.run(
                [tmp_path / name, *options, "-o", "out", "a.cpp1.ii"], cwd=tmp_path, env=env, stdout=said, stderr=err,
                check=False, timeout=60,
            )  # fmt: skip
        assert done.returncode == status
        words = "not there\n" if status else f"{says}\n"
        assert (tmp_path / "err").read_text() == words
        assert (tmp_path / "said").read_text() == (words if status else "")
        return "" if status else (tmp_path / "out").read_text()

    assert run("int g") == II.replace(F, "")
    assert run("f()") == II, "which is looked for, and not found, in the shorter source first"
    run("nobody", status=3)
    assert run("int g", says="vector<T>") == II.replace(F, "")
    assert run("f()") == II
    (entry,) = (path for path in (tmp_path / "kept").rglob("*") if path.is_file())
    assert run("nobody", fresh=False) == II, "as it was kept"
    assert [path for path in (tmp_path / "kept").rglob("*") if path.is_file()] == [entry]
    assert run("int g", "--extended-lambda") == II
    assert run("int g", name="ptxas") == II


# Warnings that name types of the library in templates' instances, in cudafe++ and in cicc.
TYPES = """\
#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace own { template <class T, int N = 3> struct V { T a[N]; }; typedef V<float> vf; }
void host_only();
template <class T> struct Held {
  T *p;
  __host__ __device__ int get() { host_only(); unsigned u = sizeof(T *); if (u < 0) return 1; return 0; }
};
template <class T> __host__ __device__ void f(T) { host_only(); Held<T> held; held.get(); }
typedef std::basic_ostream<char> Stream;
void all() {
  f((std::string *)nullptr); f((std::vector<std::string> *)nullptr); f((std::map<int, own::vf>::iterator *)nullptr);
  f((std::vector<int>::const_reverse_iterator *)nullptr); f((std::function<int(float)> *)nullptr);
  f(std::minus<float>());
  f((std::tuple<std::pair<int, float>, own::V<char, 4>> *)nullptr); f((std::unique_ptr<own::vf[]> *)nullptr);
  f(std::chrono::steady_clock::now()); f(std::chrono::milliseconds(1)); f(std::optional<own::vf>()); f(&std::cout);
  f((Stream *)nullptr); f((std::basic_ostream<wchar_t> *)nullptr); f(std::less<>()); f(std::size_t(1)); f(double2());
}
"""


def _built(place: Path, env: dict[str, str], *options: str) -> bytes:
    line = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "-arch=sm_90", "-std=c++17", *options, "-o", "a.o", "a.cu"]
    done = subprocess.run(line, cwd=place, env=env, capture_output=True, check=False, timeout=400)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    return (place / "a.o").read_bytes()


def _place(tmp_path: Path, nvcc: str, source: str) -> dict[str, str]:
    (tmp_path / "a.cu").write_text(source)
    (tmp_path / "toolchain.toml").write_text(f"[plugins.catt]\nfixed_tlp = [4, 8]\n{switched_off('catt')}")
    return {**os.environ, "GPUOPT_NVCC": nvcc, "GPUOPT_CACHE_DIR": str(with_what_builds_share(tmp_path / "cache"))}


def _kept(place: Path) -> dict[str, int]:
    """Sizes of what cudafe++ and cicc have made."""
    found = (place / "cache" / "device-code").rglob("*")
    return {path.name: path.stat().st_size for path in found if path.is_file()}


@pytest.mark.nvcc
def test_objects_are_the_same_with_shorter_headers(tmp_path: Path, real_nvcc: str) -> None:
    env = _place(tmp_path, real_nvcc, KERNEL + LIBRARY)
    shorter = _built(tmp_path, env, "-c", "-O1")
    few = _kept(tmp_path)
    assert len(few) == 3
    whole = _built(tmp_path, {**env, "GPUOPT_TRIM": "0"}, "-c", "-O1")
    added = _kept(tmp_path).keys() - few.keys()
    assert len(added) == 2, "cudafe++ and cicc read another source, and ptxas the same"
    assert max(few.values()) < 0.8 * max(_kept(tmp_path)[name] for name in added), "what cudafe++ writes"
    assert re.sub(rb"tmpxft_\w{8}_\w{8}", b"", shorter) == re.sub(rb"tmpxft_\w{8}_\w{8}", b"", whole)


@pytest.mark.nvcc
def test_types_are_spelled_alike_with_shorter_headers(tmp_path: Path, real_nvcc: str) -> None:
    env = _place(tmp_path, real_nvcc, TYPES + KERNEL)
    line = ["-arch=sm_90", "-std=c++17", "-O1", "-c", "-o", "a.o", "a.cu"]
    words = []
    for program, more in (
        ([real_nvcc], {}),
        ([sys.executable, "-m", "gpuopt_driver.nvcc_main"], {}),
        ([sys.executable, "-m", "gpuopt_driver.nvcc_main"], {"GPUOPT_TRIM": "0"}),
    ):
        done = subprocess.run(
            [*program, *line], cwd=tmp_path, env={**env, **more}, capture_output=True, check=False, timeout=400
        )
        assert (done.returncode, done.stdout) == (0, b"")
        words.append(done.stderr.decode())
        words.append(str(len(_kept(tmp_path))))
    nvcc, none, ours, shorter, whole, more_kept = words
    assert (none, shorter, more_kept) == ("0", "3", "5"), "cudafe++ and cicc read another source the second time"
    assert nvcc.count("std::") > 60
    assert ours == whole == nvcc


@pytest.mark.nvcc
def test_where_the_host_compiler_misses_something_it_gets_all(tmp_path: Path, real_nvcc: str) -> None:
    env = _place(tmp_path, real_nvcc, KERNEL)
    command = parse_command(["-c", "-O1", "-arch=sm_90", "-std=c++17", "a.cu"], env, str(tmp_path))
    nvcc = find_nvcc(env)
    assert nvcc is not None
    (path,) = registration.needed(command, nvcc, env).values()
    cache, key = tmp_path / "cache", "".join(Path(path).parts[-2:])
    registration.Cache(cache).put("registration", key, b"nothing")
    shorter = _built(tmp_path, env, "-c", "-O1")
    assert b"gpuopt_" in shorter, "its versions are in it"
    whole = _built(tmp_path, {**env, "GPUOPT_TRIM": "0"}, "-c", "-O1")
    assert re.sub(rb"tmpxft_\w{8}_\w{8}", b"", shorter) == re.sub(rb"tmpxft_\w{8}_\w{8}", b"", whole)


@pytest.mark.parametrize(
    ("options", "is_blind"),
    [
        (("-c", "-O2"), True),
        (("-c", "-O3", "-lineinfo", "-Xcompiler", "-Wno-unused,-fPIC,-march=native"), True),
        (("-c", "-O3", "-Xcompiler", "-Wall,-Wextra,-Wno-unused-parameter,-Werror"), True),
        (("-c", "-O3", "-Xcompiler", "-Wshadow"), False),
        (("-c", "-O3", "-Xcompiler", "-Wa,-al"), False),
        (("-c", "-Xcompiler", "-O2"), True),
        (("-ptx",), True),
        (("-c",), False),
        (("-c", "-O0"), False),
        (("-c", "-O3", "-Xcompiler", "-O0"), False),
        (("-c", "-O3", "-g"), False),
        (("-c", "-O3", "-G"), False),
        (("-c", "-O3", "--keep"), False),
        (("-c", "-O3", "--extended-lambda"), False),
        (("-c", "-O3", "-Xcompiler", "-ggdb"), False),
        (("-c", "-O3", "-Xcompiler", "-Wsystem-headers"), False),
        (("-c", "-O3", "-Xcompiler", "-fkeep-inline-functions"), False),
        (("-c", "-O3", "-Xcompiler", "-save-temps"), False),
        (("-E", "-O3"), False),
    ],
)
def test_nothing_is_left_out_where_somebody_could_see_it(options: tuple[str, ...], is_blind: bool) -> None:
    assert registration.is_blind(parse_command([*options, "a.cu"], {}, "/")) is is_blind

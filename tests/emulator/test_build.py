"""Command lines: every way in which nvcc is called, and what its files must contain."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import threading
from codecs import BOM_UTF8
from pathlib import Path

import gpuopt_plugins
import pytest

import gpuopt_driver
from gpuopt_driver import store
from gpuopt_driver.cache import unless_others_do
from gpuopt_driver.emulator import precompiled, runtime
from gpuopt_driver.emulator.compiler import HostCompiler, find_host_compiler
from gpuopt_driver.emulator.runtime import runtime_library
from gpuopt_driver.errors import ToolchainError, UsageError
from tests.driver.support import program
from tests.emulator.support import compile_with, run

pytestmark = pytest.mark.usefixtures("host_compiler")

HEADER = b"""#pragma once
#define AMOUNT 5
__device__ int add(int, int);
__global__ void kernel(int *p);
"""
MAIN = b"""#include "sub/shared.cuh"
#include <cstdio>
__global__ void kernel(int *p) { *p = add(*p, AMOUNT); }
int main() {
  int *p;
  cudaMallocManaged(&p, 4);
  *p = 1;
  kernel<<<1, 1>>>(p);
  printf("%d %s:%d\\n", *p, __FILE__, __LINE__);
}
"""
ADD = b"""#include "sub/shared.cuh"
__device__ int add(int a, int b) { return a + b; }
"""
SELF_CONTAINED = b"""#include <cstdio>
#include "sub/shared.cuh"
__device__ int add(int a, int b) { return a + b; }
__global__ void kernel(int *p) { *p = add(*p, AMOUNT); }
int main() {
  int *p;
  cudaMallocManaged(&p, 4);
  *p = 1;
  kernel<<<1, 1>>>(p);
  printf("%d %s\\n", *p, __FILE__);
  return 3;
}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/shared.cuh").write_bytes(HEADER)
    (tmp_path / "main.cu").write_bytes(MAIN)
    (tmp_path / "add.cu").write_bytes(ADD)
    (tmp_path / "one.cu").write_bytes(SELF_CONTAINED)
    return tmp_path


def test_separate_compilation(project: Path) -> None:
    assert compile_with("-dc", "main.cu", "add.cu", cwd=project) == 0
    assert compile_with("-dlink", "main.o", "add.o", "-o", "link.o", cwd=project) == 0
    assert compile_with("-lib", "add.o", "-o", "libadd.a", cwd=project) == 0
    assert compile_with("main.o", "link.o", "-L.", "-ladd", "-lcudart", "-o", "app", cwd=project) == 0
    assert run(project / "app").stdout == "6 main.cu:9\n"
    assert compile_with("-rdc=true", "main.cu", "add.cu", "-o", "app2", cwd=project) == 0
    assert run(project / "app2").stdout == "6 main.cu:9\n"


def test_templates_of_several_units_are_one(project: Path) -> None:
    (project / "common.cuh").write_bytes(
        b"template <class T> __global__ void k(T *p) { __shared__ T s[100]; s[threadIdx.x] = 2; *p += s[0]; }\n"
        b"inline size_t shared_bytes() { cudaFuncAttributes a; cudaFuncGetAttributes(&a, k<int>);"
        b" return a.sharedSizeBytes; }\n"
    )
    (project / "a.cu").write_bytes(
        b'#include "common.cuh"\n#include <cstdio>\nvoid other(int *);\nint main() { int *p; cudaMallocManaged(&p, 4);'
        b' *p = 1; k<<<1, 1>>>(p); other(p); printf("%d %zu\\n", *p, shared_bytes()); }\n'
    )
    (project / "b.cu").write_bytes(
        b'int pushes_the_numbers_apart;\n#include "common.cuh"\nvoid other(int *p) { k<<<1, 1>>>(p); }\n'
    )
    assert compile_with("a.cu", "b.cu", "-o", "app", cwd=project) == 0
    assert run(project / "app").stdout == "5 400\n"


def test_device_functions_are_the_units_own_without_rdc(project: Path) -> None:
    (project / "other.cu").write_bytes(ADD + b"__constant__ int c = 1; static int use = 0;\n")
    (project / "one.cu").write_bytes(SELF_CONTAINED + b"__constant__ int c = 2;\n")
    assert compile_with("one.cu", "other.cu", "-o", "app", cwd=project) == 0
    assert run(project / "app").stdout == "6 one.cu\n"


def test_run_gives_the_programs_status(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert compile_with("-run", "one.cu", cwd=project) == 3
    assert capfd.readouterr().out == "6 one.cu\n"
    assert not (project / "a.out").exists()


def test_shared_library(project: Path) -> None:
    (project / "lib.cu").write_bytes(
        b"__global__ void k(int *p) { *p = 9; }\n"
        b"int nine() { int *p, v; cudaMalloc(&p, 4); k<<<1,1>>>(p); cudaMemcpy(&v, p, 4, cudaMemcpyDefault);"
        b" return v; }"
    )
    (project / "host.cpp").write_bytes(b"int nine(); int main() { return nine(); }\n")
    assert compile_with("-shared", "-Xcompiler", "-fPIC", "lib.cu", "-o", "libnine.so", cwd=project) == 0
    assert compile_with("host.cpp", "-L.", "-lnine", "-Xlinker", "-rpath=.", "-o", "app", cwd=project) == 0
    assert run(project / "app", LD_LIBRARY_PATH=str(project)).returncode == 9


def test_dependencies_name_the_users_files(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert compile_with("-MM", "main.cu", cwd=project) == 0
    assert capfd.readouterr().out == "main.o: main.cu sub/shared.cuh\n"
    assert compile_with("-c", "main.cu", "-MMD", "-MF", "d.mk", "-MT", "x.o", "-o", "y.o", cwd=project) == 0
    assert (project / "d.mk").read_text() == "x.o: main.cu sub/shared.cuh\n"
    assert compile_with("-c", "one.cu", "-MMD", "-o", "z.o", cwd=project) == 0
    assert (project / "z.d").read_text() == "z.o: one.cu sub/shared.cuh\n"


def test_preprocessed_output(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert compile_with("-E", "add.cu", "-DEXTRA=1", cwd=project) == 0
    out = capfd.readouterr().out
    assert "__device__" in out
    assert "return a + b;" in out


@pytest.mark.parametrize("option", ["-ptx", "-cubin", "-fatbin"])
def test_gpu_code_is_refused(project: Path, option: str) -> None:
    with pytest.raises(UsageError, match=f"{option} makes GPU code, the emulator cannot"):
        compile_with(option, "one.cu", cwd=project)


def test_errors_name_the_users_line(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "bad.cu").write_bytes(b'#include "sub/shared.cuh"\n\n__global__ void k(int *p) {\n  *p = wrong;\n}\n')
    assert compile_with("-c", "bad.cu", cwd=project) != 0
    assert "bad.cu:4:" in capfd.readouterr().err
    (project / "ptx.cu").write_bytes(b'__global__ void k() {\n  asm volatile("wgmma.fence.sync.aligned;");\n}\n')
    assert compile_with("-c", "ptx.cu", cwd=project) == 1
    err = capfd.readouterr().err
    assert err.startswith("ptx.cu:2: error: the emulator does not know the PTX instruction 'wgmma.fence.sync.aligned'")
    assert len(err.splitlines()) == 1
    assert not (project / "ptx.o").exists()


def test_patched_sources_and_headers(project: Path) -> None:
    header, main = project / "sub/shared.cuh", project / "one.cu"
    patched = {str(header): HEADER.replace(b"5", b"50"), str(main): SELF_CONTAINED.replace(b"*p = 1;", b"*p = 2;")}
    assert compile_with("-I.", "-c", "one.cu", "-MMD", "-o", "one.o", cwd=project, patched=patched) == 0
    assert (project / "one.d").read_text() == "one.o: one.cu sub/shared.cuh\n"
    assert compile_with("one.o", "-o", "app", cwd=project) == 0
    assert run(project / "app").stdout == "52 one.cu\n"
    only_header = {str(header): HEADER.replace(b"5", b"70")}
    assert compile_with("one.cu", "-o", "app", cwd=project, patched=only_header) == 0
    assert run(project / "app").stdout == "71 one.cu\n"


def test_patched_files_that_begin_with_a_byte_order_mark(project: Path) -> None:
    header, main = project / "sub/shared.cuh", project / "one.cu"
    header.write_bytes(BOM_UTF8 + HEADER)
    main.write_bytes(BOM_UTF8 + SELF_CONTAINED)
    patched = {str(main): BOM_UTF8 + SELF_CONTAINED.replace(b"*p = 1;", b"*p = 2;")}
    assert compile_with("one.cu", "-o", "app", cwd=project, patched=patched) == 0
    assert run(project / "app").stdout == "7 one.cu\n"


def test_a_patch_that_does_not_compile_is_left_out(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    failures: list[str] = []
    patched = {str(project / "one.cu"): SELF_CONTAINED + b"nonsense"}
    status = compile_with(
        "one.cu", "-o", "app", cwd=project, patched=patched, on_failure=lambda: failures.append("one")
    )
    assert status == 0
    assert failures == ["one"]
    assert capfd.readouterr().err == ""
    assert run(project / "app").stdout == "6 one.cu\n"


def test_objects_are_reproducible_whatever_is_precompiled(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precompiled, "_UNPAID", 1)
    env, objects = {"GPUOPT_CACHE_DIR": str(project / "cache")}, []
    for number in range(3):
        assert compile_with("-c", "one.cu", "-g", "-o", "a.o", cwd=project, env=env) == 0
        objects.append((project / "a.o").read_bytes())
        made = list((project / "cache").rglob("*.gch"))
        assert len(made) == min(number, 1)
        if number == 1:
            assert made[0].stat().st_size > 0
            made[0].write_bytes(b"unknown to the compiler")
            key = made[0].parent.name + made[0].stem
            assert store.note(str(project / "cache"), "headers", key, b"unknown to the compiler")
    assert made[0].read_bytes() == b""  # not tried again
    assert objects[1:] == objects[:1] * 2


def test_headers_are_compiled_by_one_of_many(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others, who come while they are being compiled, do without."""
    made = []
    monkeypatch.setattr(precompiled, "_UNPAID", 1)
    monkeypatch.setattr(precompiled, "_make", lambda *given: made.append(given[-1]) or made[-1].keep(b""))
    compiler, cache = find_host_compiler((), os.environ), project / "cache"
    text = b'# 1 "a.cu"\n# 1 "header.h" 1\nint a;\n# 1 "a.cu"\nint b;\n'

    def asked() -> int:
        assert precompiled.shortened(compiler, (), text, {"GPUOPT_CACHE_DIR": str(cache)}) is None
        return len(made)

    assert asked() == 0
    (seen,) = cache.rglob("*.seen")
    with unless_others_do(seen.parent) as alone:
        assert alone
        assert asked() == 0
    assert (asked(), asked()) == (1, 1)


def test_damaged_precompiled_headers_are_made_anew(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precompiled, "_UNPAID", 0)
    env, objects = {"GPUOPT_CACHE_DIR": str(project / "cache")}, []
    for number in range(4):
        assert compile_with("-c", "one.cu", "-o", "a.o", cwd=project, env=env) == 0
        objects.append((project / "a.o").read_bytes())
        made = list((project / "cache").rglob("*.gch"))
        assert len(made) == (number != 2)
        if number == 1:
            made[0].write_bytes(made[0].read_bytes()[:-9])
    assert objects[1:] == objects[:1] * 3


def test_host_sources_get_what_cudas_header_includes(tmp_path: Path, host_compiler: str) -> None:
    """`<utility>`, and with it lists of initializers."""
    text = "int main() { int s = 0; for (int i : {40, 2}) s += i; return std::make_pair(s, 0).first != 42; }"
    (tmp_path / "list.cpp").write_text(f"#include <cuda_runtime.h>\n{text}\n")
    assert compile_with("list.cpp", "-o", "list", cwd=tmp_path) == 0
    assert run(tmp_path / "list").returncode == 0


_MAKES_NOTHING = 'for name; do :; done; case $name in *.s) echo > "${name%.s}.o";; *) echo > "${name%.cpp}.s";; esac'


def test_the_runtime_is_built_once_by_many(tmp_path: Path) -> None:
    env = {**os.environ, "GPUOPT_CACHE_DIR": str(tmp_path / "cache")}
    text = f'echo "$@" >> {tmp_path}/log; sleep 0.3; {_MAKES_NOTHING}'
    compiler = HostCompiler(program(tmp_path / "g++", text), "g++ 0")
    paths: list[Path] = []
    threads = [threading.Thread(target=lambda: paths.append(runtime_library(compiler, env))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(paths) == 4
    assert len(set(paths)) == 1
    assert [path.name for path in (tmp_path / "cache").rglob("*.*") if path.is_file()] == [paths[0].name]
    built = sorted(line.split()[-1] for line in (tmp_path / "log").read_text().splitlines())
    names = ["gpus", *(f"unit{number}" for number in range(5))]
    assert built == [f"{name}.{ending}" for name in names for ending in ("cpp", "s")]


def test_other_gpu_files_take_their_figures_alone(project: Path, host_compiler: str) -> None:
    env = {"GPUOPT_CACHE_DIR": str(project / "cache"), "PATH": os.environ["PATH"]}
    text = (
        f'echo "$@" >> {project}/log; for name; do :; done\n'
        f'case $name in gpus.*) exec {host_compiler} "$@";; esac; {_MAKES_NOTHING}'
    )
    compiler = HostCompiler(program(project / "g++", text), "g++ 0")
    arch = (Path(gpuopt_driver.__file__).parent / "arch/titan-v.toml").read_text()
    libraries = []
    for name in ("mine1", "mine2"):
        mine = project / f"{name}.toml"
        mine.write_text(arch)
        libraries.append(runtime_library(compiler, env, gpu=str(mine)))
    assert runtime_library(compiler, env, gpu=str(mine)) == libraries[1] != libraries[0]
    built = [line.split()[-1] for line in (project / "log").read_text().splitlines()]
    assert sorted(built[:6]) == ["gpus.cpp", *(f"unit{number}.cpp" for number in range(5))]
    assert built[12:] == ["gpus.cpp", "gpus.s"]
    members = [subprocess.run(["ar", "t", one], capture_output=True, check=True).stdout for one in libraries]
    assert members[0] == members[1]
    (project / "ask.cpp").write_text(
        '#include "state.h"\n#include <cstdio>\n#include <cstring>\nint main() {\n'
        "  for (unsigned i = 0; i < gpuopt_emu::gpu_count; ++i)\n"
        '    if (!strncmp(gpuopt_emu::gpus[i].name, "mine", 4)) puts(gpuopt_emu::gpus[i].name);\n}\n'
    )
    for library, said in zip(libraries, ("mine1\n", "mine2\n"), strict=True):
        folders = [f"-I{runtime.INCLUDE}", f"-I{runtime.INCLUDE.parent / 'runtime'}"]
        words = [host_compiler, "-std=c++17", *folders, "ask.cpp", str(library), "-pthread", "-ldl", "-o", "ask"]
        subprocess.run(words, cwd=project, check=True)
        assert run(project / "ask").stdout == said
    mine.write_text(arch.replace("sms = { value = 80", "sms = { value = 79"))
    assert runtime_library(compiler, env, gpu=str(mine)) not in libraries
    mine.write_text(arch)
    assert runtime_library(compiler, env, gpu=str(mine)) == libraries[1]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="looks for instructions of x86-64")
def test_one_unit_of_the_runtime_switches_between_device_threads(host_compiler: str) -> None:
    """All others are taken for programs that switch without assembly, too."""
    library = runtime_library(find_host_compiler(((host_compiler, "tests"),), os.environ), os.environ)
    leaves = b"\x48\x89\x27\x48\x89\x6f\x08"  # movq %rsp, (%rdi); movq %rbp, 8(%rdi)
    names = subprocess.run(["ar", "t", library], capture_output=True, text=True, check=True).stdout.split()
    contents = {name: subprocess.run(["ar", "p", library, name], capture_output=True, check=True) for name in names}
    assert [name for name, found in contents.items() if leaves in found.stdout] == ["unit1.o"]


def test_without_assembly_one_unit_is_another(tmp_path: Path) -> None:
    """Built alone where the runtime is there; by a compiler that makes nothing."""
    env = {"GPUOPT_CACHE_DIR": str(tmp_path / "cache")}
    log = f'echo "$*" >> {tmp_path}/log; {_MAKES_NOTHING}'
    compiler = HostCompiler(program(tmp_path / "g++", log), "g++ 0")
    ordinary = runtime_library(compiler, env)
    (tmp_path / "log").unlink()
    assert runtime_library(compiler, env, portable=True) != ordinary
    lines = (tmp_path / "log").read_text().splitlines()
    built = sorted(line.split()[-1] for line in lines)
    assert built == ["gpus.cpp", "gpus.s", "unit1.cpp", "unit1.s"]
    assert all(runtime.PORTABLE in line for line in lines if line.endswith(".cpp"))


def test_the_runtime_is_one_wherever_gpuopt_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env = {"GPUOPT_CACHE_DIR": str(tmp_path / "cache")}
    compiler = HostCompiler(program(tmp_path / "g++", _MAKES_NOTHING), "g++ 0")
    here = runtime_library(compiler, env)
    for name in ("include", "runtime"):
        shutil.copytree(runtime.INCLUDE.parent / name, tmp_path / "elsewhere" / name)
    monkeypatch.setattr(runtime, "_HERE", tmp_path / "elsewhere")
    monkeypatch.setattr(runtime, "INCLUDE", tmp_path / "elsewhere/include")
    monkeypatch.setattr(runtime, "_RUNTIME", tmp_path / "elsewhere/runtime")
    assert runtime_library(compiler, env) == here
    (tmp_path / "elsewhere/runtime/state.h").write_text("// another one\n")
    assert runtime_library(compiler, env) != here


def test_no_compiler_is_one_clear_line(project: Path) -> None:
    with pytest.raises(ToolchainError, match="the emulator needs a C\\+\\+ compiler: install g\\+\\+"):
        compile_with("one.cu", cwd=project, env={"PATH": str(project), "CXX": ""})
    with pytest.raises(ToolchainError, match="-ccbin: there is no C\\+\\+ compiler 'g\\+\\+-0'"):
        compile_with("one.cu", "-ccbin", "g++-0", cwd=project)


def test_an_installation_of_symbolic_links_tells_lines(project: Path) -> None:
    """As some installers make them: what our headers do must not be taken for the user's."""
    for name, module in (("gpuopt_driver", gpuopt_driver), ("gpuopt_plugins", gpuopt_plugins)):
        (project / name).symlink_to(Path(module.__path__[0]), target_is_directory=True)
    source = b"__global__ void k(int *p) { p[threadIdx.x] += 1; }\nint main() { int *p; cudaMalloc(&p, 128);\n"
    (project / "one.cu").write_bytes(source + b"k<<<1, 32>>>(p); }\n")
    linked = {**os.environ, "PYTHONPATH": str(project)}
    command = [sys.executable, "-c", "import gpuopt_driver.nvcc_main as one; print(one.__file__); one.main()"]
    command += ["--gpuopt-backend=emulator", "--gpuopt-off", "one.cu", "-o", "one"]
    made = subprocess.run(command, cwd=project, env=linked, capture_output=True, text=True, check=True)
    assert made.stdout.startswith(str(project))
    assert run(project / "one", GPUOPT_EMU_MODE="model", GPUOPT_EMU_REPORT=str(project / "r.json")).returncode == 0
    (launch,) = json.loads((project / "r.json").read_text())["launches"]
    assert {(line["file"], line["line"]) for line in launch["lines"]} == {("one.cu", 1)}

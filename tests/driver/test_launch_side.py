"""The runtime in patched objects as assembly: the same program as from its text, and text wherever it might not fit."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from gpuopt_driver.arch.load import arch_for_capability
from gpuopt_driver.backends.launch_side import compiled
from gpuopt_driver.learning.runtime import DEFAULTS
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.nvcc.find import find_nvcc
from gpuopt_driver.nvcc.toolkit import describe_toolkit
from gpuopt_driver.variants.emit import _runtime
from gpuopt_driver.variants.pasted import AS_TEXT, declared_only

_OURS = str(Path(sys.executable).with_name("gpuopt-nvcc"))  # an environment need not be activated

pytestmark = pytest.mark.nvcc
SOURCE = """
__global__ void NAME(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
void run_NAME(const float *x, float *y) { for (int k = 0; k < 300; ++k) NAME<<<2048, 256>>>(524288, 2.f, x, y); }
"""
MAIN = """
void run_one(const float *, float *);
void run_two(const float *, float *);
int main() { static float x[4], y[4]; run_one(x, y); run_two(x, y); }
"""
SOON = ("-arch=sm_90", "-std=c++14")
_WRITES = """#!/bin/sh
for word; do [ "$last" = -o ] && echo "#gpuopt 13000" > "$word"; last=$word; done
"""  # a compiler whose assembly says what headers it is of, and nothing else
FORMS = {"assembly": (), "text": ("-Xcompiler", "-fno-tree-pre,-fira-hoist-pressure")}  # the last one is not known


@pytest.fixture(scope="module")
def objects(real_nvcc: str, host_compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory for each form with two objects and the program made of them."""
    root = tmp_path_factory.mktemp("forms")
    env = {**os.environ, "GPUOPT_NVCC": real_nvcc, "GPUOPT_CACHE_DIR": str(root / "cache")}
    nvcc = find_nvcc(env)
    assert nvcc is not None
    include = describe_toolkit(nvcc, env).runtime_header_dir
    runtime = Path(__file__).with_name("launch_side_runtime.cpp")
    subprocess.run([host_compiler, "-w", f"-I{include}", "-c", runtime, "-o", root / "runtime.o"], check=True)
    for form, more in FORMS.items():
        directory = root / form
        directory.mkdir()
        (directory / "main.cpp").write_text(MAIN)
        for name in ("one", "two"):
            (directory / f"{name}.cu").write_text(SOURCE.replace("NAME", name))
            argv = [_OURS, "--gpuopt-backend=nvcc", *SOON, *more, "-c", f"{name}.cu", "-o", f"{name}.o"]
            done = subprocess.run(argv, cwd=directory, env=env, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (0, "")
        program = [host_compiler, "main.cpp", "one.o", "two.o", str(root / "runtime.o"), "-lstdc++", "-lm", "-o", "a"]
        subprocess.run(program, cwd=directory, check=True)
    return root


def symbols(file: Path) -> list[tuple[str, str]]:
    """Kind and name of each symbol."""
    told = subprocess.run(["nm", file], capture_output=True, text=True, check=True).stdout
    return [(kind, name) for kind, name in re.findall(r"^[0-9a-f ]{16} (\w) (\S+)$", told, re.MULTILINE)]


def test_the_assembly_is_the_objects_own(objects: Path) -> None:
    found = symbols(objects / "assembly/one.o")
    mine = [(kind, name) for kind, name in found if "gpuopt_rt" in name]
    assert ("t", "_ZN9gpuopt_rt6v0_1_07startedERKNS0_5entryEP11CUstream_stPPv") in mine
    assert [name for kind, name in mine if kind in "TDBRU"] == []
    as_text = symbols(objects / "text/one.o")
    assert any(name.startswith("_ZN9gpuopt_rt6v0_1_0L7started") for _, name in as_text)  # static
    asked = {name for kind, name in found if kind in "Uw"} - {"_GLOBAL_OFFSET_TABLE_", "__tls_get_addr"}
    assert asked <= {name for kind, name in as_text if kind in "Uw"} | {"puts", "memcmp", "memset", "memcpy", "memmove"}


@pytest.mark.parametrize("said", ["trace", "original", "arm:2", ""])
def test_both_forms_launch_the_same(objects: Path, said: str, tmp_path: Path) -> None:
    """Three runs after each other, so that what is learned is written, read and used."""
    outputs = {}
    for form in FORMS:
        env = {**os.environ, "GPUOPT_DISPATCH": said, "GPUOPT_CHOICES": str(tmp_path / form) + "/"}
        runs = [
            subprocess.run([objects / form / "a"], env=env, capture_output=True, text=True, check=True)
            for _ in range(3)
        ]
        outputs[form] = [(run.stdout, run.stderr) for run in runs]
    assert outputs["assembly"] == outputs["text"]
    first, *_, last = (output for output, _ in outputs["text"])
    assert first.count("<<<") == 600
    if said == "original":
        assert "gpuopt" not in first
    if said in ("trace", ""):
        assert last.count("coarsening") > 500  # the fastest one here


def test_objects_are_the_same_whoever_compiled_the_runtime(objects: Path, real_nvcc: str) -> None:
    env = {**os.environ, "GPUOPT_NVCC": real_nvcc, "GPUOPT_CACHE_DIR": str(objects / "cache")}
    argv = [_OURS, "--gpuopt-backend=nvcc", *SOON, "-c", "one.cu", "-o", "again.o"]
    subprocess.run(argv, cwd=objects / "assembly", env=env, check=True)
    again, first = (
        re.sub(rb"tmpxft_\w+-\w+", b"", (objects / "assembly" / name).read_bytes()) for name in ("again.o", "one.o")
    )
    assert again == first  # but for names that nvcc draws


@pytest.mark.parametrize(
    ("words", "is_assembly"),
    [
        (("-c",), True),
        (("-dc",), True),
        (("-c", "-Xcompiler", "-fPIC,-Wall,-O2"), True),
        (("-c", "-Xcompiler", "-flto"), False),
        (("-c", "-Xcompiler", "-Wa,--32"), False),
        (("-c", "-Xcompiler", "-fshort-enums"), False),
        (("-c", "-Xcompiler", "-mx32"), False),
        (("-c", "--keep"), False),
        (("-E",), False),
        (("-cuda",), False),
        (("-ptx",), False),
    ],
)
def test_where_the_text_stays(words: tuple[str, ...], is_assembly: bool, real_nvcc: str, tmp_path: Path) -> None:
    env = {**os.environ, "GPUOPT_NVCC": real_nvcc}
    nvcc, arch = find_nvcc(env), arch_for_capability(90)
    assert nvcc is not None
    assert arch is not None
    text = _runtime([arch], DEFAULTS).encode()
    command = parse_command([*words, "a.cu"], env, str(tmp_path))
    made = compiled(command, nvcc, {"a.cu": text}, env)["a.cu"]
    assert (made != text) == is_assembly
    assert AS_TEXT.encode() in made  # for other headers than those it was compiled with
    assert (b"__asm__(\n" in made) == is_assembly


def test_a_compiler_that_cannot_leaves_the_text(real_nvcc: str, tmp_path: Path) -> None:
    broken = tmp_path / "gcc"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    env = {**os.environ, "GPUOPT_NVCC": real_nvcc, "GPUOPT_CACHE_DIR": str(tmp_path / "cache")}
    nvcc, arch = find_nvcc(env), arch_for_capability(90)
    assert nvcc is not None
    assert arch is not None
    text = _runtime([arch], DEFAULTS).encode()
    command = parse_command(["-ccbin", str(broken), "-c", "a.cu"], env, str(tmp_path))
    assert compiled(command, nvcc, {"a.cu": text}, env) == {"a.cu": text}
    broken.write_text(_WRITES)  # what failed once is tried again
    assert compiled(command, nvcc, {"a.cu": text}, env) != {"a.cu": text}


def test_many_at_once_wait_for_the_first(real_nvcc: str, tmp_path: Path) -> None:
    slow = tmp_path / "gcc"
    slow.write_text(f"{_WRITES}echo >> {tmp_path}/log; sleep 0.5\n")
    slow.chmod(0o755)
    env = {**os.environ, "GPUOPT_NVCC": real_nvcc, "GPUOPT_CACHE_DIR": str(tmp_path / "cache")}
    nvcc, arch = find_nvcc(env), arch_for_capability(90)
    assert nvcc is not None
    assert arch is not None
    text = _runtime([arch], DEFAULTS).encode()
    command = parse_command(["-ccbin", str(slow), "-c", "a.cu"], env, str(tmp_path))
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: compiled(command, nvcc, {"a.cu": text}, env)["a.cu"], range(4)))
    assert set(made) == {made[0]} != {text}
    assert (tmp_path / "log").read_text().count("\n") == 1


def test_patched_sources_are_checked_by_what_is_declared() -> None:
    """Guards that call what only the runtime's text defines are found out: they would not compile beside assembly."""
    arch = arch_for_capability(90)
    assert arch is not None
    text = _runtime([arch], DEFAULTS)
    checked = declared_only(f"before\n{text}behind\n".encode()).decode()
    assert checked.startswith("before\n")
    assert checked.endswith("behind\n")
    assert "GPUOPT_RT_API bool describe(launch &l, const config &c, const void *kernel);" in checked
    assert "now_ns() {" in text
    assert "now_ns() {" not in checked
    assert declared_only(b"int x;") == b"int x;"


def test_without_headers_beside_nvcc_the_text_stays(
    real_nvcc: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = {**os.environ, "GPUOPT_NVCC": real_nvcc, "GPUOPT_CACHE_DIR": str(tmp_path / "cache")}
    nvcc, arch = find_nvcc(env), arch_for_capability(90)
    assert nvcc is not None
    assert arch is not None
    text = _runtime([arch], DEFAULTS).encode()
    bare = replace(describe_toolkit(nvcc, env), include_dirs=(str(tmp_path),))
    monkeypatch.setattr("gpuopt_driver.backends.launch_side.describe_toolkit", lambda *_: bare)
    assert compiled(parse_command(["-c", "a.cu"], env, str(tmp_path)), nvcc, {"a.cu": text}, env) == {"a.cu": text}


def test_a_path_of_choices_may_have_letters_of_all_languages(real_nvcc: str, tmp_path: Path) -> None:
    env = {**os.environ, "GPUOPT_NVCC": real_nvcc, "GPUOPT_CACHE_DIR": str(tmp_path / "cache")}
    nvcc, arch = find_nvcc(env), arch_for_capability(90)
    assert nvcc is not None
    assert arch is not None
    text = _runtime([arch], replace(DEFAULTS, choices="/größe/wahl.choices"))
    made = compiled(parse_command(["-c", "a.cu"], env, str(tmp_path)), nvcc, {"a.cu": text.encode()}, env)["a.cu"]
    assert b"__asm__(\n" in made
    assert b"/gr\\\\303\\\\266\\\\303\\\\237e/wahl.choices" in made


KEPT = """
__global__ void rows(float *y, const float *x, int n, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) for (int j = 0; j < m; ++j) y[i] += x[j * n + i];
}
void run(float *y, const float *x, int n) { rows<<<4, 128>>>(y, x, n, 5); }
"""


@pytest.mark.nvcc
@pytest.mark.parametrize("args", [("-keep",), ("-rdc=true",), ("-rdc=true", "-keep")], ids=" ".join)
def test_wherever_it_is_compiled_nothing_is_said(tmp_path: Path, real_nvcc: str, args: tuple[str, ...]) -> None:
    (tmp_path / "a.cu").write_text(KEPT)
    line = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "-arch=sm_90", "-c", "a.cu", *args, "-Xcompiler=-Wall"]
    env = {**os.environ, "GPUOPT_NVCC": real_nvcc}
    done = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, check=True, timeout=240)
    assert (done.stdout, done.stderr) == (b"", b"")
    assert b"gpuopt" in (tmp_path / "a.o").read_bytes()

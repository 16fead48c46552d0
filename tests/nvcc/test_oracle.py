"""Our reading of a command line beside nvcc's own: the host compiler calls that `nvcc --dryrun` prints."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.nvcc.options import OPTIONS
from tests.driver.support import run

LINES = [
    ["-DA", "-D", "B=2", "-DC=1,D=2", "-D=E", "--define-macro", "F,G", "--define-macro=H=7"],
    ['-DMSG="hello, world"', "-DF(x)=7", "-DQ='x'", "-DA=1\\,2,B=3"],
    ["-Ione", "-I", "two,three", "-I=four", "--include-path=five", '-I"six,seven"', "-I", "a b"],
    ["-isystem", "s1", "-isystem=s2,s3", "--system-include", "s4"],
    ["-include", "x.h,y.h", "--pre-include=z.h"],
    ["-UA", "-U", "B", "--undefine-macro=C,D"],
    ["-Xcompiler", "-Wall,-fopenmp", "-Xcompiler=-DQ=1 -DR", "--compiler-options", ',"-fPIC","-O2"'],
    ["-forward-unknown-to-host-compiler", "-fopenmp", "-Wextra", "-DX"],
    ["-std=c++14"],
    ["--std", "c++20"],
    ["-O2", "-g"],
    ["-optf", "args.rsp", "-DZ"],
    ["-arch=sm_80"],
    ["-arch", "sm_90a"],
    ["-arch=compute_80", "-code=sm_80,sm_86"],
    ["-gencode", "arch=compute_80,code=[sm_80,sm_86]", "-gencode=arch=compute_90,code=compute_90"],
    ["--generate-code=arch=compute_75,code=[compute_75,sm_75]", "-arch=sm_80"],
    ["-arch=all"],
    ["-arch=all-major"],
    ["-I", "-DNOT_A_MACRO"],
]


def _words(stderr: str) -> list[str]:
    """The host compiler's arguments in the host pass."""
    line = next(line for line in stderr.splitlines() if " -E " in line and "-D__CUDA_ARCH__=" not in line)
    return shlex.split(line.removeprefix("#$ "))


def _after(words: list[str], *flags: str) -> tuple[str, ...]:
    """The values of an option, joined to it or behind it."""
    found: list[str] = []
    for index, word in enumerate(words):
        for flag in flags:
            if word == flag:
                found.append(words[index + 1])
            elif flag in ("-D", "-I", "-U") and word.startswith(flag):
                found.append(word[len(flag) :])
    return tuple(found)


@pytest.mark.nvcc
@pytest.mark.parametrize("argv", LINES, ids=" ".join)
def test_as_nvcc_reads_it(argv: list[str], tmp_path: Path, real_nvcc: str) -> None:
    (tmp_path / "a.cu").write_text("int x;\n")
    (tmp_path / "args.rsp").write_text('-DFROM="a b" -I"dir with space"\n-DW\r\n')
    env = {**os.environ, "NVCC_APPEND_FLAGS": "-DLATE -Ilate"}
    done = run([real_nvcc, "--dryrun", "-c", "a.cu", *argv], tmp_path, env)
    assert done.returncode == 0, done.stderr
    words = _words(done.stderr.decode())
    command = parse_command(["-c", "a.cu", *argv], env, str(tmp_path))

    ours = [word for word in command.compiler_options if not word.startswith("-D")]
    theirs = [word for word in words if word.startswith(("-W", "-f", "-O"))]
    optimization = [f"-O{command.optimization}"] if command.optimization else []
    assert sorted(theirs) == sorted([*ours, *optimization])
    own = [name[2:] for name in command.compiler_options if name.startswith("-D")]
    macros = [name for name in _after(words, "-D") if not name.startswith(("__CUDA", "__NVCC", "CUDA_DOUBLE"))]
    assert sorted(macros) == sorted([*command.defines, *own])
    assert _after(words, "-U") == command.undefines
    dirs = [path for path in _after(words, "-I") if not path.startswith("/")]
    assert tuple(dirs) == command.include_dirs
    assert tuple(path for path in _after(words, "-isystem") if not path.startswith("/")) == command.system_dirs
    assert tuple(name for name in _after(words, "-include") if name != "cuda_runtime.h") == command.forced_includes
    std = next((word.removeprefix("-std=") for word in words if word.startswith("-std=")), "")
    assert command.std in (std, "c++17")  # c++17 is what nvcc 13 takes without being asked

    sms = {int(word) for line in done.stderr.decode().split("ptxas")[1:] for word in _targets(line)}
    if command.archs:
        assert sms <= set(command.archs)


def _targets(text: str) -> list[str]:
    return [word.removeprefix("-arch=sm_").rstrip("a") for word in text.split() if word.startswith("-arch=sm_")]


_SPELLINGS = [text for option in OPTIONS for text in (f"-{option.short}", f"--{option.name}", f"-{option.short}=v")]
_WORDS = st.one_of(st.sampled_from(_SPELLINGS), st.sampled_from(["a.cu", "b.o", "-", "", "x,y", '"', "\\"]), st.text())


@given(st.lists(_WORDS, max_size=12), st.text(max_size=20))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_nothing_makes_the_reader_fail(argv: list[str], flags: str) -> None:
    argv = [word for word in argv if not word.startswith("--gpuopt")]
    command = parse_command(argv, {"NVCC_PREPEND_FLAGS": flags.replace("\0", "")}, "/nowhere")
    assert command.argv_for_nvcc == tuple(argv)
    for name in dir(type(command)):
        if not name.startswith("_"):
            getattr(command, name)

"""Other host compilers than the usual one, where they are installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.backends.host_options import toolchain_for
from gpuopt_driver.nvcc.command import parse_command
from tests.emulator.support import compile_with, run

CONFORMANCE = Path(__file__).parent.parent / "conformance"


@pytest.mark.xdist_group("clang")
def test_clang(tmp_path: Path, clang: Path) -> None:
    source = CONFORMANCE / "exec_barriers.cu"
    env = {"GPUOPT_EMU_MODE": "fast"}
    assert compile_with("-ccbin", clang, source, "-o", tmp_path / "program", cwd=tmp_path, env=env) == 0
    assert run(tmp_path / "program").stdout == (CONFORMANCE / "expected/exec_barriers.txt").read_text()


@pytest.mark.parametrize(
    ("target", "directory", "is_zig"),
    [
        ("x86_64-unknown-linux6.18.44-gnu2.36.0", "/v/lib/python3.11/site-packages/ziglang", True),
        ("aarch64-unknown-linux5.10.0-musl", "/opt/compiler", True),
        ("x86_64-pc-linux-gnu", "/usr/bin", False),
    ],
)
def test_zig_is_told_to_compile_as_others_do(tmp_path: Path, target: str, directory: str, is_zig: bool) -> None:
    compiler = tmp_path / "c++"
    compiler.write_text(f"#!/bin/sh\necho 'clang version 22.1.8\nTarget: {target}\nInstalledDir: {directory}'\n")
    compiler.chmod(0o755)
    command = parse_command(["-ccbin", str(compiler), "-Xcompiler", "-mcpu=znver5", "p.cu"], {}, str(tmp_path))
    told = [option for option in toolchain_for(command, {}, "", "").generation if option[:3] in ("-mc", "-UN", "-fn")]
    assert told == [*(["-mcpu=baseline", "-UNDEBUG", "-fno-sanitize=undefined"] if is_zig else []), "-mcpu=znver5"]


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ("g++-16 (Debian 16.2.0-4) 16.2.0\nCopyright (C) 2026", 16),
        ("x86_64-conda-linux-gnu-c++ (conda-forge gcc 14.1.0-1) 14.1.0", 14),
        ("g++ (GCC) 12.2.0", 12),
        ("Debian clang version 19.1.7 (3~deb12u1)", 0),
    ],
)
def test_newer_gcc_is_told_not_to_forget_nan(tmp_path: Path, version: str, release: int) -> None:
    compiler = tmp_path / "c++"
    compiler.write_text(f"#!/bin/sh\necho '{version}'\n")
    compiler.chmod(0o755)
    toolchain = toolchain_for(parse_command(["-ccbin", str(compiler), "p.cu"], {}, str(tmp_path)), {}, "", "")
    assert toolchain.compiler.release == release
    told = {"--param=relation-block-limit=0", "-fno-thread-jumps"}
    assert told.intersection(toolchain.arithmetic) == (told if release >= 14 else set())


@pytest.mark.parametrize(("version", "named"), [("9.3.0", "c++2a"), ("10.2.1", "c++20"), ("12.2.0", "c++20")])
def test_g_plus_plus_9_knows_cpp20_by_its_old_name(tmp_path: Path, version: str, named: str) -> None:
    compiler = tmp_path / "c++"
    compiler.write_text(f"#!/bin/sh\necho 'g++ (GCC) {version}'\n")
    compiler.chmod(0o755)
    command = parse_command(["-ccbin", str(compiler), "-std=c++20", "p.cu"], {}, str(tmp_path))
    assert f"-std={named}" in toolchain_for(command, {}, "", "").generation

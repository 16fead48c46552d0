"""OpenGL's resources in kernels: with an OpenGL of the test's own, and without any."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.emulator.support import PROGRAMS, compile_with, run


def test_buffers_and_textures_are_the_kernels_while_they_are_mapped(tmp_path: Path, host_compiler: str) -> None:
    library = tmp_path / "libfakegl.so"
    subprocess.run(
        [host_compiler, "-shared", "-fPIC", PROGRAMS / "fake_gl.cpp", "-o", library], check=True, timeout=120
    )
    link = ("-L", tmp_path, "-lfakegl", "-Xlinker", "-rpath", "-Xlinker", tmp_path)
    assert compile_with(PROGRAMS / "interop.cu", "-o", "program", *link, cwd=tmp_path, gpu="h200") == 0
    done = run(tmp_path / "program")
    assert done.stdout.splitlines()[-1:] == ["ok"], done.stdout + done.stderr


@pytest.mark.usefixtures("host_compiler")
def test_a_program_without_opengl_links_and_is_told(tmp_path: Path) -> None:
    assert compile_with(PROGRAMS / "interop.cu", "-DNO_GL", "-o", "program", cwd=tmp_path, gpu="h200") == 0
    done = run(tmp_path / "program")
    assert done.stdout.splitlines()[-1:] == ["ok"], done.stdout + done.stderr


@pytest.mark.usefixtures("host_compiler")
def test_the_driver_apis_header_is_missing_and_said_so(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.cu").write_text("#include <cudaGL.h>\n")
    assert compile_with("-c", "a.cu", cwd=tmp_path) != 0
    last = capfd.readouterr().err.splitlines()[-1]
    assert last.startswith("gpuopt: error: cudaGL.h: the emulator has OpenGL's resources in the runtime API only")

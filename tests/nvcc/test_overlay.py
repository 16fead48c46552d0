"""The overlay by itself: which opens are redirected, what is refused, and what happens in many processes at once."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gpuopt_driver.nvcc.command import NvccCommand, parse_command
from gpuopt_driver.nvcc.overlay import Overlay, OverlayUnavailable, prepare
from tests.driver.support import program

MARK = b"patched"


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "GPUOPT_CACHE_DIR": str(tmp_path / "cache")}


@pytest.fixture
def project(tmp_path: Path, host_compiler: str) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.cu").write_text('#include "b.h"\n')
    (root / "b.h").write_text("original\n")
    return root


def command(project: Path, env: dict[str, str], *argv: str) -> NvccCommand:
    return parse_command([*argv, "-c", "a.cu"], env, str(project))


def overlay(project: Path, env: dict[str, str], *argv: str, data: bytes = MARK) -> Overlay:
    return prepare(command(project, env, *argv), {str(project / "b.h"): data}, env)


def preprocess(
    project: Path, env: dict[str, str], *argv: str, compiler: str = "g++"
) -> subprocess.CompletedProcess[bytes]:
    line = [compiler, "-E", "-P", "-x", "c++", *(argv or ("a.cu",))]
    return subprocess.run(line, cwd=project, env=env, capture_output=True, check=False)


def test_a_header_is_replaced_however_it_is_spelled(project: Path, env: dict[str, str], tmp_path: Path) -> None:
    (project / "sub").mkdir()
    (project / "link.h").symlink_to(project / "b.h")
    (tmp_path / "elsewhere").symlink_to(project)
    names = ["b.h", "./b.h", "sub/../b.h", str(project / "b.h"), "link.h", str(tmp_path / "elsewhere" / "b.h")]
    (project / "all.cu").write_text("".join(f'#include "{name}"\n' for name in names))
    done = preprocess(project, overlay(project, env).environment(env), "all.cu")
    assert done.stdout.split() == [MARK] * len(names)


def test_other_programs_read_the_original(project: Path, env: dict[str, str]) -> None:
    done = subprocess.run(
        ["cat", "b.h"], cwd=project, env=overlay(project, env).environment(env), capture_output=True, check=True
    )
    assert (done.stdout, done.stderr) == (b"original\n", b"")


def test_the_copy_has_the_originals_time_and_is_kept(project: Path, env: dict[str, str]) -> None:
    first = overlay(project, env)
    assert overlay(project, env) == first
    line = Path(first.map_path).read_text()
    copy = Path(line.split("\t")[0].split(" ", 5)[5])
    assert copy.read_bytes() == MARK
    assert copy.stat().st_mtime_ns == (project / "b.h").stat().st_mtime_ns
    assert overlay(project, env, data=b"other").map_path != first.map_path


def test_a_damaged_copy_is_made_anew(project: Path, env: dict[str, str]) -> None:
    first = overlay(project, env)
    for path in Path(env["GPUOPT_CACHE_DIR"]).rglob("*"):
        if path.is_file():
            path.chmod(0o644)
            path.write_bytes(b"damaged")
    second = overlay(project, env)
    assert second.map_path == first.map_path
    assert preprocess(project, second.environment(env)).stdout.split() == [MARK]


def test_a_file_that_changed_during_analysis_is_refused(project: Path, env: dict[str, str]) -> None:
    path = str(project / "b.h")
    with pytest.raises(OverlayUnavailable, match="changed while it was being analysed"):
        prepare(command(project, env), {path: MARK}, env, {path: b"what the analysis saw\n"})


@pytest.mark.parametrize("how", ["written to", "replaced", "touched"])
def test_a_file_that_changes_before_it_is_compiled_is_an_error(project: Path, env: dict[str, str], how: str) -> None:
    surroundings = overlay(project, env).environment(env)
    if how == "written to":
        (project / "b.h").write_text("changed\n")
    elif how == "replaced":
        (project / "new").write_text("changed\n")
        (project / "new").replace(project / "b.h")
    else:
        os.utime(project / "b.h", (1, 1))
    done = preprocess(project, surroundings)
    assert done.returncode != 0
    assert MARK not in done.stdout
    assert b"gpuopt: error: " + bytes(project / "b.h") + b": changed while it was being compiled" in done.stderr


def test_a_missing_map_is_an_error_not_an_unpatched_build(project: Path, env: dict[str, str]) -> None:
    made = overlay(project, env)
    Path(made.map_path).unlink()
    done = preprocess(project, made.environment(env))
    assert done.returncode != 0
    assert b"gpuopt: error: " in done.stderr


def test_another_preloaded_library_stays(project: Path, env: dict[str, str]) -> None:
    made = overlay(project, env)
    assert made.environment({**env, "LD_PRELOAD": "/x/y.so"})["LD_PRELOAD"] == f"{made.library}:/x/y.so"


def test_two_headers_with_equal_text_stay_two(project: Path, env: dict[str, str]) -> None:
    """`#pragma once` must not take one patched copy for the other."""
    for name in ("one", "two"):
        (project / name).mkdir()
        (project / name / "b.h").write_text("original\n")
        os.utime(project / name / "b.h", (1_600_000_000, 1_600_000_000))
    (project / "a.cu").write_text('#include "one/b.h"\n#include "two/b.h"\n')
    patched = {str(project / name / "b.h"): b'#pragma once\n__FILE__\n#include "c.h"\n' for name in ("one", "two")}
    for name in ("one", "two"):
        (project / name / "c.h").write_text(f"in_{name}\n")
    made = prepare(command(project, env), patched, env)
    assert b"in_one" in preprocess(project, made.environment(env)).stdout
    copies = {line.split("\t")[0].rsplit(" ", 1)[1] for line in Path(made.map_path).read_text().splitlines()}
    assert len(copies) == 2


def test_a_host_compiler_that_ignores_preloading_is_found_out(
    project: Path, env: dict[str, str], tmp_path: Path
) -> None:
    fake = program(tmp_path / "fake" / "g++", 'unset LD_PRELOAD; exec g++ "$@"')
    with pytest.raises(OverlayUnavailable, match="does not look at preloaded libraries"):
        overlay(project, env, "-ccbin", fake)


def test_a_host_compiler_that_cannot_build_is_named(project: Path, env: dict[str, str], tmp_path: Path) -> None:
    fake = program(tmp_path / "fake" / "g++", "echo no room >&2; exit 1")
    with pytest.raises(OverlayUnavailable, match="cannot build a shared library: no room"):
        overlay(project, env, "-ccbin", fake)


def test_no_host_compiler(project: Path, env: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(OverlayUnavailable, match="no host compiler"):
        overlay(project, {**env, "PATH": str(tmp_path)})


def test_a_cache_path_that_preloading_cannot_name_is_avoided(
    project: Path, env: dict[str, str], tmp_path: Path
) -> None:
    awkward = {**env, "GPUOPT_CACHE_DIR": str(tmp_path / "a cache"), "XDG_CACHE_HOME": str(tmp_path / "xdg")}
    made = overlay(project, awkward)
    assert made.library.startswith(str(tmp_path / "xdg"))
    assert preprocess(project, made.environment(awkward)).stdout.split() == [MARK]


def test_a_cache_that_cannot_be_written_is_avoided(project: Path, env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    made = overlay(
        project, {**env, "GPUOPT_CACHE_DIR": str(tmp_path / "file"), "XDG_CACHE_HOME": str(tmp_path / "xdg")}
    )
    assert made.library.startswith(str(tmp_path / "xdg"))


def test_many_processes_fill_an_empty_cache_at_once(project: Path, env: dict[str, str]) -> None:
    code = (
        "import os, sys; sys.path.insert(0, sys.argv[1])\n"
        "from gpuopt_driver.nvcc.command import parse_command\n"
        "from gpuopt_driver.nvcc.overlay import prepare\n"
        "path = os.path.join(os.getcwd(), 'b.h')\n"
        "made = prepare(parse_command(['-c', 'a.cu'], os.environ, os.getcwd()), {path: b'patched'}, os.environ)\n"
        "print(made.library, made.map_path)\n"
    )
    root = str(Path(__file__).parents[2])

    def one(_: int) -> bytes:
        line = [sys.executable, "-c", code, root]
        return subprocess.run(line, cwd=project, env=env, capture_output=True, check=True).stdout

    with ThreadPoolExecutor(8) as pool:
        outputs = set(pool.map(one, range(8)))
    assert len(outputs) == 1
    library, map_path = outputs.pop().decode().split()
    assert preprocess(project, Overlay(library, map_path).environment(env)).stdout.split() == [MARK]
    assert not list(Path(env["GPUOPT_CACHE_DIR"]).rglob(".new-*"))

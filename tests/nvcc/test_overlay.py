"""The overlay by itself: which opens are redirected, what is refused, and what happens in many processes at once."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing as overlay_closed
from pathlib import Path

import pytest

from gpuopt_driver.nvcc import preload as preload_module
from gpuopt_driver.nvcc.command import NvccCommand, parse_command
from gpuopt_driver.nvcc.overlaid import Overlay, OverlayUnavailable
from gpuopt_driver.nvcc.overlay import MECHANISMS, mechanism_here, prepare
from gpuopt_driver.nvcc.preload import Preload
from tests.caches import with_library
from tests.driver.support import program

MARK = b"patched"
GXX = shutil.which("g++") or "g++"


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "GPUOPT_CACHE_DIR": str(with_library(tmp_path / "cache"))}


@pytest.fixture(params=MECHANISMS)
def mechanism(request: pytest.FixtureRequest, env: dict[str, str]) -> str:
    """Each mechanism in turn, forced."""
    if request.param == "namespace":
        request.getfixturevalue("namespaces")
    env["GPUOPT_OVERLAY"] = request.param
    return str(request.param)


@pytest.fixture
def namespaces(env: dict[str, str], host_compiler: str) -> None:
    """Skipped where the system allows no mount namespaces."""
    try:
        mechanism_here({**env, "GPUOPT_OVERLAY": "namespace"}, str(Path.cwd()))
    except OverlayUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture
def project(tmp_path: Path, host_compiler: str) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.cu").write_text('#include "b.h"\n')
    (root / "b.h").write_text("original\n")
    return root


def command(project: Path, env: dict[str, str], *argv: str) -> NvccCommand:
    return parse_command([*argv, "-c", "a.cu"], env, str(project))


@pytest.fixture
def closing() -> Iterator[list[Overlay]]:
    made: list[Overlay] = []
    yield made
    for one in made:
        one.close()


def overlay(project: Path, env: dict[str, str], *argv: str, data: bytes = MARK) -> Overlay:
    return prepare(command(project, env, *argv), {str(project / "b.h"): data}, env)


def preload(project: Path, env: dict[str, str], *argv: str, data: bytes = MARK) -> Preload:
    made = overlay(project, {**env, "GPUOPT_OVERLAY": "preload"}, *argv, data=data)
    assert isinstance(made, Preload)
    return made


def text_of(done: subprocess.CompletedProcess[bytes]) -> list[bytes]:
    """The lines of preprocessed text that are no markers."""
    return [line for line in done.stdout.splitlines() if line and not line.startswith(b"#")]


def preprocess(project: Path, made: Overlay, env: dict[str, str], *argv: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["gcc", "-E", "-x", "c++", *(argv or ("a.cu",))],
        cwd=project,
        env=made.environment(env),
        preexec_fn=made.enter_or_end if made.needs_entering else None,
        capture_output=True,
        check=False,
    )


def test_a_header_is_replaced_however_it_is_spelled(
    project: Path, env: dict[str, str], tmp_path: Path, mechanism: str, closing: list[Overlay]
) -> None:
    (project / "sub").mkdir()
    (project / "link.h").symlink_to(project / "b.h")
    (tmp_path / "elsewhere").symlink_to(project)
    names = ["b.h", "./b.h", "link.h", "../elsewhere/b.h", "sub/../b.h", str(project / "b.h"), "<b.h>"]
    if mechanism == "shim":  # it refuses the last ones
        names = [*names[:4], "<b.h>"]
    lines = (f"#include {name}\n" if name.startswith("<") else f'#include "{name}"\n' for name in names)
    (project / "all.cu").write_text("".join(lines))
    closing.append(overlay(project, env))
    assert closing[0].mechanism == mechanism
    done = preprocess(project, closing[0], env, f"-I{tmp_path}/elsewhere", "all.cu")
    assert (text_of(done), done.stderr) == ([MARK] * len(names), b"")
    assert str(tmp_path / "elsewhere" / "b.h").encode() in done.stdout


@pytest.mark.parametrize("name", ["sub/../b.h", "absolute"])
def test_the_stand_in_refuses_what_it_cannot_show(
    project: Path, env: dict[str, str], closing: list[Overlay], name: str
) -> None:
    """An original that is reached past the mirror ends the preprocessing: never some patches without the others."""
    (project / "sub").mkdir()
    (project / "a.cu").write_text(f'#include "{project / "b.h" if name == "absolute" else name}"\n')
    env["GPUOPT_OVERLAY"] = "shim"
    closing.append(overlay(project, env))
    done = preprocess(project, closing[0], env)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"b.h: reached past its patched copy" in done.stderr
    with pytest.raises(OverlayUnavailable, match="sources beside CUDA sources"):
        prepare(command(project, env, "x.cpp"), {str(project / "b.h"): MARK}, env)


def test_other_programs_read_the_original(project: Path, env: dict[str, str]) -> None:
    done = subprocess.run(
        ["cat", "b.h"], cwd=project, env=preload(project, env).environment(env), capture_output=True, check=True
    )
    assert (done.stdout, done.stderr) == (b"original\n", b"")


def test_the_copy_has_the_originals_time_and_is_kept(project: Path, env: dict[str, str]) -> None:
    first = preload(project, env)
    assert preload(project, env) == first
    line = Path(first.map_path).read_text()
    copy = Path(line.split("\t")[0].split(" ", 5)[5])
    assert copy.read_bytes() == MARK
    assert copy.stat().st_mtime_ns == (project / "b.h").stat().st_mtime_ns
    assert preload(project, env, data=b"other").map_path != first.map_path


def test_what_is_in_use_is_marked(project: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache removes what nobody has used for some time; steps that were printed may still be run."""
    made = preload(project, env)
    used = [Path(made.library), Path(made.map_path), Path(made.files[0].copy)]
    before = [path.stat() for path in used]
    monkeypatch.setattr("time.time", lambda: before[0].st_ctime + 1000)
    assert preload(project, env) == made
    for path, status in zip(used, before, strict=True):
        assert path.stat().st_ctime_ns > status.st_ctime_ns
        assert path.stat().st_mtime_ns == status.st_mtime_ns


def test_a_damaged_copy_is_made_anew(project: Path, env: dict[str, str]) -> None:
    first = preload(project, env)
    for path in Path(env["GPUOPT_CACHE_DIR"]).rglob("*"):
        if path.is_file():
            path.chmod(0o644)
            path.write_bytes(b"damaged")
    second = preload(project, env)
    assert second.map_path == first.map_path
    assert text_of(preprocess(project, second, env)) == [MARK]


def test_a_file_that_changed_during_analysis_is_refused(project: Path, env: dict[str, str]) -> None:
    path = str(project / "b.h")
    with pytest.raises(OverlayUnavailable, match="changed while it was being analysed"):
        prepare(command(project, env), {path: MARK}, env, {path: b"what the analysis saw\n"})


@pytest.mark.parametrize("how", ["written to", "replaced", "touched"])
def test_a_file_that_changes_before_it_is_compiled_is_an_error(project: Path, env: dict[str, str], how: str) -> None:
    made = preload(project, env)
    if how == "written to":
        (project / "b.h").write_text("changed\n")
    elif how == "replaced":
        (project / "new").write_text("changed\n")
        (project / "new").replace(project / "b.h")
    else:
        os.utime(project / "b.h", (1, 1))
    done = preprocess(project, made, env)
    assert not made.files[0].is_unchanged()
    assert done.returncode != 0
    assert MARK not in done.stdout
    assert b"gpuopt: error: " + bytes(project / "b.h") + b": changed while it was being compiled" in done.stderr


def test_a_missing_map_is_an_error_not_an_unpatched_build(project: Path, env: dict[str, str]) -> None:
    made = preload(project, env)
    Path(made.map_path).unlink()
    done = preprocess(project, made, env)
    assert done.returncode != 0
    assert b"gpuopt: error: " in done.stderr


def test_another_preloaded_library_stays(project: Path, env: dict[str, str]) -> None:
    made = preload(project, env)
    assert made.environment({**env, "LD_PRELOAD": "/x/y.so"})["LD_PRELOAD"] == f"{made.library}:/x/y.so"


def test_two_headers_with_equal_text_stay_two(
    project: Path, env: dict[str, str], mechanism: str, closing: list[Overlay]
) -> None:
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
    closing.append(made)
    assert b"in_one" in preprocess(project, made, env).stdout
    assert len({file.copy for file in made.files}) == 2


@pytest.mark.usefixtures("namespaces")
def test_a_host_compiler_that_ignores_preloading_is_found_out(
    project: Path, env: dict[str, str], tmp_path: Path
) -> None:
    """Then another mechanism serves; where none may, the reason is told."""
    fake = program(tmp_path / "fake" / "g++", 'unset LD_PRELOAD; exec g++ "$@"')
    with overlay_closed(overlay(project, env, "-ccbin", fake)) as made:
        assert made.mechanism == "namespace"
    with pytest.raises(OverlayUnavailable, match="does not see patched files"):
        overlay(project, {**env, "GPUOPT_OVERLAY": "preload"}, "-ccbin", fake)
    env["NVCC_CCBIN"] = fake
    assert "preload: " in mechanism_here(env, str(project))


@pytest.mark.usefixtures("namespaces")
def test_a_host_compiler_that_can_only_compile_needs_no_library(
    project: Path, env: dict[str, str], tmp_path: Path
) -> None:
    """Another compiler builds it; without any, there are ways that need none."""
    env["GPUOPT_CACHE_DIR"] = str(tmp_path / "empty")
    fake = program(
        tmp_path / "fake" / "g++", f'case "$*" in *-shared*) echo no room >&2; exit 1;; esac; exec {GXX} "$@"'
    )
    assert overlay(project, env, "-ccbin", fake).mechanism == "preload"
    alone = {**env, "PATH": str(tmp_path / "tools")}
    for name in ("as", "dirname"):
        (tmp_path / "tools").mkdir(exist_ok=True)
        (tmp_path / "tools" / name).symlink_to(shutil.which(name))
    with overlay_closed(overlay(project, alone, "-ccbin", fake)) as made:
        assert made.mechanism == "namespace"
    with pytest.raises(OverlayUnavailable, match="cannot build a shared library: no room"):
        overlay(project, {**alone, "GPUOPT_OVERLAY": "preload"}, "-ccbin", fake)


def test_one_compiler_builds_what_cannot_be_kept(
    project: Path, env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes, **_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    asked: list[str] = []
    ask = preload_module.ask
    monkeypatch.setattr(preload_module, "write_atomic", full)
    monkeypatch.setattr(preload_module, "ask", lambda argv, *more: (asked.append(argv[0]), ask(argv, *more))[1])
    own = {**env, "GPUOPT_CACHE_DIR": str(tmp_path / "empty"), "GPUOPT_OVERLAY": "preload"}
    with pytest.raises(OverlayUnavailable, match="empty: No space left on device"):
        overlay(project, own)
    assert len(asked) == 1


@pytest.mark.parametrize(("said", "times"), [("undefined reference to `dlsym'", 2), ("no room", 1)])
def test_the_library_of_dlsym_is_named_where_that_is_missing(
    project: Path, env: dict[str, str], tmp_path: Path, said: str, times: int
) -> None:
    log = tmp_path / "log"
    text = f'case "$*" in *-ldl*) echo >> {log};; *-shared*) echo >> {log}; echo "{said}" >&2; exit 1;; esac'
    fake = program(tmp_path / "fake" / "g++", f'{text.replace("`", chr(92) + "`")}; exec {GXX} "$@"')
    env["GPUOPT_CACHE_DIR"] = str(tmp_path / "empty")
    assert overlay(project, env, "-ccbin", fake).mechanism == "preload"
    assert log.read_text().count("\n") == times


def test_an_unknown_mechanism_is_named(project: Path, env: dict[str, str]) -> None:
    with pytest.raises(OverlayUnavailable, match="GPUOPT_OVERLAY: no mechanism 'magic'"):
        overlay(project, {**env, "GPUOPT_OVERLAY": "magic"})


def test_a_library_that_vanishes_is_noticed(project: Path, env: dict[str, str]) -> None:
    made = preload(project, env)
    assert not made.was_evaded(preprocess(project, made, env).stderr)
    Path(made.library).unlink()
    assert made.was_evaded(preprocess(project, made, env).stderr)


def test_no_host_compiler(project: Path, env: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(OverlayUnavailable, match="no host compiler"):
        overlay(project, {**env, "PATH": str(tmp_path)})


def test_a_cache_path_that_preloading_cannot_name_is_avoided(
    project: Path, env: dict[str, str], tmp_path: Path
) -> None:
    awkward = {**env, "GPUOPT_CACHE_DIR": str(tmp_path / "a cache"), "XDG_CACHE_HOME": str(tmp_path / "xdg")}
    made = overlay(project, awkward)
    assert isinstance(made, Preload)
    assert made.library.startswith(str(tmp_path / "xdg"))
    assert text_of(preprocess(project, made, awkward)) == [MARK]


def test_a_cache_that_cannot_be_written_is_avoided(project: Path, env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    made = overlay(
        project, {**env, "GPUOPT_CACHE_DIR": str(tmp_path / "file"), "XDG_CACHE_HOME": str(tmp_path / "xdg")}
    )
    assert isinstance(made, Preload)
    assert made.library.startswith(str(tmp_path / "xdg"))


def test_many_processes_fill_an_empty_cache_at_once(project: Path, env: dict[str, str], tmp_path: Path) -> None:
    """One builds the library, the others wait for it."""
    env["GPUOPT_CACHE_DIR"] = str(tmp_path / "empty")
    log = tmp_path / "log"
    env["NVCC_CCBIN"] = program(
        tmp_path / "logging" / "g++", f'case "$*" in *-shared*) echo built >> {log};; esac; exec {GXX} "$@"'
    )
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
    assert log.read_text() == "built\n"
    library, map_path = outputs.pop().decode().split()
    assert text_of(preprocess(project, Preload((), library, map_path), env)) == [MARK]
    assert not list(Path(env["GPUOPT_CACHE_DIR"]).rglob(".new-*"))


def test_the_stand_in_keeps_the_name_that_nvcc_calls(
    project: Path, env: dict[str, str], closing: list[Overlay]
) -> None:
    """A compiler looks for its parts beside its argv[0] if that holds a slash."""
    closing.append(overlay(project, {**env, "GPUOPT_OVERLAY": "shim"}))
    (path,) = (value for name, value in closing[0].variables(env).items() if name == "PATH")
    script = Path(path.partition(":")[0], "g++").read_text()
    assert script.endswith(' g++ "$@"\n')

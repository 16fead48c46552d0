"""A cache that is full, read only, missing, damaged or shared by two versions never keeps a build from succeeding."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from gpuopt_driver.cache import Cache
from tests.driver.support import ROOT, command_line, gpuopt_nvcc, program
from tests.faults.damage import Victim
from tests.faults.support import KERNEL, PATCH, PATCHED, PLAIN, completed, make_project, started


def cached_files(root: Path) -> list[Path]:
    return sorted(path for path in (root / "cache").rglob("*") if path.is_file() and path.name != "pruned")


@pytest.mark.parametrize("damage", ["empty", "cut", "garbage", "other", "gone"])
def test_a_damaged_cache_is_made_anew(tmp_path: Path, host_compiler: str, damage: str) -> None:
    env = make_project(tmp_path)
    assert completed(tmp_path, env, PATCH)[2].endswith(PATCHED)
    found = cached_files(tmp_path)
    assert {path.relative_to(tmp_path / "cache").parts[0] for path in found} >= {"patched", "map", "overlay"}
    for path in found:
        data = path.read_bytes()
        path.unlink()
        if damage != "gone":
            other = {"empty": b"", "cut": data[: len(data) // 2], "garbage": os.urandom(len(data)), "other": b"0" * 99}
            path.write_bytes(other[damage])
    status, err, made = completed(tmp_path, env, PATCH)
    assert (status, err) == (0, b"made something\n")
    assert made.endswith(PATCHED)


@pytest.mark.parametrize("limit", [0, 100, 5000])
def test_files_that_cannot_grow(tmp_path: Path, host_compiler: str, limit: int) -> None:
    """As on a full disk: every write of ours beyond some bytes fails, nvcc's own succeed."""
    env = make_project(tmp_path, empty=True)
    line, surroundings = command_line("-c", "a.cu", "-o", "a.o", optimizer=PATCH)
    own = tmp_path / "toolkit/bin/nvcc"
    own.write_text(own.read_text().replace("#!/bin/sh", "#!/bin/sh\nulimit -S -f unlimited", 1))

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    done = subprocess.run(
        line,
        cwd=tmp_path,
        env={**surroundings, **env, "GPUOPT_AHEAD": "0", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        preexec_fn=limited,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.o").read_bytes().endswith((PATCHED, PLAIN))
    assert b"Traceback" not in done.stderr
    assert done.stderr.count(b"gpuopt: warning:") <= 1


def test_a_full_disk(tmp_path: Path, host_compiler: str) -> None:
    env = make_project(tmp_path, empty=True)
    small = tmp_path / "cache"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k,mode=0700", "tmpfs", str(small)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        (small / "fill").write_bytes(b"x" * 8192)
        status, err, made = completed(tmp_path, env, PATCH)
        assert status == 0
        assert made.endswith((PATCHED, PLAIN))
        assert err.count(b"gpuopt: warning:") <= 1
        subprocess.run(["mount", "-o", "remount,ro", small], check=True)
        status, err, made = completed(tmp_path, {**env, "HOME": str(tmp_path)}, PATCH)
        assert (status, err.endswith(b"made something\n"), made.endswith(PATCHED)) == (0, True, True)
        assert err.count(b"\n") == 2
        assert b"cannot be written to; set GPUOPT_CACHE_DIR" in err
    finally:
        subprocess.run(["umount", small], check=False)


def test_no_home_and_no_place_at_all(tmp_path: Path, host_compiler: str) -> None:
    (tmp_path / "file").write_text("")
    env = {**make_project(tmp_path), "HOME": None, "XDG_CACHE_HOME": None}
    status, err, made = completed(tmp_path, {**env, "GPUOPT_CACHE_DIR": None}, PATCH)
    assert (status, err, made.endswith(PATCHED)) == (0, b"made something\n", True)
    assert list((tmp_path / "tmp").glob("gpuopt-*"))
    status, _, made = completed(tmp_path, {**env, "GPUOPT_CACHE_DIR": str(tmp_path / "file/below")}, PATCH)
    assert (status, made.endswith(PATCHED)) == (0, True)


def test_two_versions_share_a_cache(tmp_path: Path, host_compiler: str) -> None:
    env = make_project(tmp_path)
    other = tmp_path / "other"
    shutil.copytree(ROOT / "gpuopt_driver", other / "gpuopt_driver", ignore=shutil.ignore_patterns("__pycache__"))
    version = other / "gpuopt_driver/__init__.py"
    version.write_text(version.read_text().replace('__version__ = "', '__version__ = "99.'))
    second = {"replace": [("a.cu", "*= 2", "*= 4")]}
    newer = {**env, "PYTHONPATH": str(other)}
    for _ in range(2):
        assert completed(tmp_path, env, PATCH)[2].endswith(PATCHED)
        assert completed(tmp_path, newer, second)[2].endswith(b"*= 4; }\nEND\n")


def test_sixteen_at_once(tmp_path: Path, host_compiler: str) -> None:
    """On one source with an empty cache, half of them with the same object."""
    env = make_project(tmp_path, empty=True)
    names = [f"o{number // 2}.o" for number in range(16)]
    runs = [started(tmp_path, env, PATCH, name) for name in names]
    said = [run.communicate(timeout=240)[1] for run in runs]
    assert [run.returncode for run in runs] == [0] * 16, said
    assert all((tmp_path / name).read_bytes().endswith(PATCHED) for name in names)
    assert not list((tmp_path / "cache").rglob(".new-*"))


def test_the_cache_is_cleared_while_it_is_used(tmp_path: Path, host_compiler: str) -> None:
    env = make_project(tmp_path, seconds=0.1)
    for number in range(3):
        run = started(tmp_path, env, PATCH)
        while run.poll() is None:
            with suppress(OSError):  # a directory that is not there yet, or has gone
                Cache(tmp_path / "cache").clear()  # as `gpuopt cache --clear` does it, which takes ten times as long
            time.sleep(0.05)
        err = run.communicate()[1]
        assert run.returncode == 0, err
        assert (tmp_path / "a.o").read_bytes().endswith((PATCHED, PLAIN)), number
        assert b"Traceback" not in err


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[str, int], Path]]:
    """Makes a disk of some kilobytes at a place below the test's directory; `fill` leaves it without a free byte."""
    mounted: list[Path] = []

    def mount(name: str, kilobytes: int) -> Path:
        place = tmp_path / name
        place.mkdir(exist_ok=True)
        options = f"size={kilobytes}k,mode=0700"
        line = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
        if subprocess.run(line, capture_output=True, check=False).returncode:
            pytest.skip("nothing can be mounted here")
        mounted.append(place)
        return place

    yield mount
    for place in mounted:
        subprocess.run(["umount", place], check=False)


def fill(place: Path) -> None:
    with suppress(OSError), (place / "fill").open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)


@pytest.mark.parametrize("kilobytes", [16, 200, 700])
def test_a_full_disk_under_the_cache_of_an_analysis(
    tmp_path: Path, host_compiler: str, small_disk: Callable[[str, int], Path], kilobytes: int
) -> None:
    """A precompiled header does not fit: libclang, which ends its process there, costs no patch."""
    victim = Victim(tmp_path)
    shutil.rmtree(victim.cache)
    small_disk("cache", kilobytes)
    for _ in range(2):
        status, said, made = victim.build()
        assert status == 0
        assert b"Traceback" not in said
        assert b"LLVM" not in said
        if kilobytes == 16:  # nothing fits that shows patched copies
            assert said.count(b"gpuopt: warning:") <= 1
            assert made.endswith((PATCHED, PLAIN))
        else:
            assert (said, made.endswith(PATCHED)) == (b"made something\n", True)
    assert not list(victim.cache.rglob("*.pch"))
    assert not list(victim.cache.rglob(".new-*"))


@pytest.mark.parametrize("known", [False, True], ids=["first", "repeated"])
def test_a_full_disk_under_temporary_files(
    tmp_path: Path, host_compiler: str, small_disk: Callable[[str, int], Path], known: bool
) -> None:
    victim = Victim(tmp_path)
    if not known:
        shutil.rmtree(victim.cache)
    fill(small_disk("tmp", 16))
    status, said, made = victim.build()
    assert status == 0
    assert b"Traceback" not in said
    assert said.count(b"gpuopt: warning:") <= 1
    assert said.endswith(b"made something\n")
    assert made.endswith(PATCHED if b"warning" not in said else PLAIN)


@pytest.mark.parametrize("plan", [{}, PATCH], ids=["unpatched", "patched"])
def test_a_full_disk_under_the_output(
    tmp_path: Path, host_compiler: str, small_disk: Callable[[str, int], Path], plan: dict
) -> None:
    """As nvcc has it: its status and its words, and no object."""
    env = make_project(tmp_path)
    compiler = Path(env["GPUOPT_NVCC"])
    compiler.write_text(compiler.read_text().replace("|| exit 1", '|| { echo "no space" >&2; exit 1; }'))
    place = small_disk("out", 16)
    fill(place)
    line = [str(compiler), "-c", "a.cu", "-o", "out/a.o"]
    plain = subprocess.run(line, cwd=tmp_path, env={**os.environ, **env}, capture_output=True, check=False)
    before = sorted(path.name for path in place.iterdir())
    status, said, made = completed(tmp_path, env, plan, "out/a.o")
    assert plain.returncode == status == 1
    assert said.count(b"no space") == plain.stderr.count(b"no space") == 1
    assert b"gpuopt" not in said.replace(b".gpuopt-", b"")
    assert made == b""
    assert [name for name in sorted(path.name for path in place.iterdir()) if ".part" not in name] == [
        name for name in before if ".part" not in name
    ]


def test_standard_input_is_not_lost_where_nothing_can_be_written(
    tmp_path: Path, host_compiler: str, small_disk: Callable[[str, int], Path]
) -> None:
    env = {**make_project(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    fill(small_disk("tmp", 16))
    fill(small_disk("cache", 16))
    program(Path(env["GPUOPT_NVCC"]), "cat > a.o")
    done = gpuopt_nvcc("-x", "cu", "-c", "-", "-o", "a.o", cwd=tmp_path, env=env, stdin=KERNEL.encode(), optimizer={})
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.o").read_text() == KERNEL

"""Files of the cache that other programs read, and what nvcc said of itself: taken as they were made, or made anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuopt_driver import store
from gpuopt_driver.cache import STANDINS, Cache
from gpuopt_driver.emulator import precompiled, runtime, standin
from gpuopt_driver.emulator.compiler import HostCompiler, find_host_compiler
from gpuopt_driver.nvcc import resources, toolkit
from gpuopt_driver.nvcc.find import RealNvcc
from gpuopt_driver.nvcc.selftest import moment_of
from gpuopt_driver.nvcc.shadow import Made
from tests.faults.support import make_project

DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda data: data[:-1],
    "flipped": lambda data: bytes([data[0] ^ 1]) + data[1:],
    "empty": lambda _: b"",
}


@pytest.fixture
def compiler(host_compiler: str) -> HostCompiler:
    return find_host_compiler(((host_compiler, "test"),), {"PATH": "/usr/bin:/bin"})


@pytest.mark.parametrize("damage", DAMAGE)
def test_the_emulators_runtime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: HostCompiler, damage: str
) -> None:
    """Also where a library with other GPUs' figures is what it would be made of."""
    made: list[bytes] = []

    def archive(_compiler: object, _extra: object, units: dict[str, str], _env: object, like: bytes) -> bytes:
        made.append(like)
        return f"library {len(made)} of {len(units)}".encode()

    monkeypatch.setattr(runtime, "_archive", archive)
    env = {"GPUOPT_CACHE_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"}
    path = runtime.runtime_library(compiler, env)
    first = path.read_bytes()
    assert runtime.runtime_library(compiler, env).read_bytes() == first
    path.write_bytes(DAMAGE[damage](first))
    again = runtime.runtime_library(compiler, env).read_bytes()
    assert again != first
    assert made == [b"", b""]
    monkeypatch.setattr(runtime, "_figures", lambda *_: b"others")
    monkeypatch.setattr(runtime, "_figures_of", lambda *_: "others")
    other = runtime.runtime_library(compiler, env)
    assert made[2] == again
    other.write_bytes(again)  # exchanged
    assert runtime.runtime_library(compiler, env).read_bytes() not in (again, first)


@pytest.mark.parametrize("damage", DAMAGE)
def test_precompiled_headers(tmp_path: Path, damage: str) -> None:
    entry = precompiled._Entry(str(tmp_path), "0123", tmp_path / "headers/01/23.gch")
    entry.keep(b"compiled")
    assert entry.is_useful()
    entry.path.write_bytes(DAMAGE[damage](b"compiled"))
    assert not entry.is_useful()
    assert not entry.path.exists()
    entry.keep(b"")  # cannot be compiled
    assert not entry.is_useful()
    assert entry.path.exists()


def test_a_stand_in(tmp_path: Path) -> None:
    cache, root = Cache(tmp_path), tmp_path / STANDINS / "0123"
    made = Made("emulator", "", "1", "state", ("lib/a.a", "lib64"))
    (root / "lib").mkdir(parents=True)
    (root / "lib/a.a").write_bytes(b"library")
    (root / "lib64").symlink_to("lib")
    store.note(str(tmp_path), STANDINS, "0123", standin._contents(str(root), made, cache))
    assert standin._is_whole(cache, str(root), made)
    (root / "lib/a.a").write_bytes(b"Library")
    assert not standin._is_whole(cache, str(root), made)
    (root / "lib/a.a").write_bytes(b"library")
    assert standin._is_whole(cache, str(root), made)
    (root / "lib64").unlink()
    assert not standin._is_whole(cache, str(root), made)


def test_an_entry_under_the_name_of_another(tmp_path: Path) -> None:
    root = str(tmp_path)
    for kind, key in (("memo", "0123"), ("memo", "0456"), ("toolkit", "0123")):
        store.put(root, kind, key, f"{kind} {key}".encode())
    first, second = (Path(store.entry_path(root, "memo", key)) for key in ("0123", "0456"))
    other = Path(store.entry_path(root, "toolkit", "0123"))
    data = first.read_bytes()
    for path in (second, other):
        path.write_bytes(data)
    assert store.get(root, "memo", "0123") == b"memo 0123"
    assert store.get(root, "memo", "0456") is None
    assert store.get(root, "toolkit", "0123") is None


def test_what_nvcc_said_of_itself(tmp_path: Path, host_compiler: str) -> None:
    """A forged entry names no program; one of another form is none."""
    env = {**make_project(tmp_path), "PATH": "/usr/bin:/bin"}
    nvcc = RealNvcc(env["GPUOPT_NVCC"], "test")
    first = toolkit.describe_toolkit(nvcc, env)
    (path,) = (tmp_path / "cache/toolkit").glob("*/*")
    right = json.loads(path.read_bytes()[store.DIGEST :])
    changes = [
        {"nvcc": "/evil"}, {"version": [13]}, {"version": "13"}, {"version": ["13", "0"]}, {"root": 3}, {"more": 1},
        {"include_dirs": [1]}, {"include_dirs": None}, {"system_dirs": 7}, {"full_version": None},
    ]  # fmt: skip
    forged = [json.dumps({**right, **change}).encode() for change in changes]
    for value in (*forged, b"", b"[]", b"3", b"{}", b"[" * 100_000, b"\xff"):
        path.write_bytes(store.sealed("toolkit", path.parent.name + path.name, value))
        assert toolkit.describe_toolkit(nvcc, env) == first
        assert json.loads(path.read_bytes()[store.DIGEST :]) == right


def test_kernels_registers_of_another_form_are_none(tmp_path: Path) -> None:
    item = {"symbol": "k", "name": "k", "arch": 90, "registers": 8, "static_shared_bytes": 0, "local_bytes": 0}
    item["spill_bytes"] = 0
    cache = Cache(tmp_path)
    cache.put("resources", "0123", json.dumps({"files": {}, "kernels": [item]}).encode())
    found = resources._remembered(cache, "0123")
    assert found is not None
    assert found[0].registers == 8
    for wrong in ({"files": {}, "kernels": [{**item, "registers": "8"}]}, {"files": 3, "kernels": []}, {}, [], 3):
        cache.put("resources", "0123", json.dumps(wrong).encode())
        assert resources._remembered(cache, "0123") is None
    cache.put("resources", "0123", b"{")
    assert resources._remembered(cache, "0123") is None


def test_a_moment_that_is_no_number_was_long_ago() -> None:
    assert [moment_of(text) for text in (b"12", b"x", b"", b"nan", b"-1", b"inf")] == [12.0, 0, 0, 0, 0, 0]

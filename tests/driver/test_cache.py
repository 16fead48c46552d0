"""The cache: whole files or none, damage found out, any number of writers."""

from __future__ import annotations

import os
from pathlib import Path

from gpuopt_driver.cache import Cache, digest, write_atomic


def test_values_come_back(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    key = digest("a", b"b")
    assert cache.get("kind", key) is None
    cache.put("kind", key, b"value")
    assert cache.get("kind", key) == b"value"
    assert cache.get("other", key) is None
    assert cache.size_bytes() > 0
    cache.clear()
    assert cache.get("kind", key) is None
    assert cache.size_bytes() == 0


def test_a_damaged_value_is_none(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    key = digest("a")
    cache.put("kind", key, b"value")
    path = cache.path("kind", key)
    for damaged in (b"", path.read_bytes()[:-1], path.read_bytes() + b"x"):
        path.write_bytes(damaged)
        assert cache.get("kind", key) is None


def test_keys_tell_parts_apart() -> None:
    assert len({digest("ab", "c"), digest("a", "bc"), digest("abc"), digest(b"ab", b"c", b"")}) == 4


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    Cache(tmp_path / "file").put("kind", digest("a"), b"value")
    assert Cache(tmp_path / "file").get("kind", digest("a")) is None


def test_places_in_order(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    env = {
        "GPUOPT_CACHE_DIR": str(tmp_path / "file" / "below"),
        "XDG_CACHE_HOME": str(tmp_path / "xdg"),
        "HOME": str(tmp_path / "home"),
    }
    found = Cache.find(env)
    assert found is not None
    assert found.root == tmp_path / "xdg" / "gpuopt"
    del env["XDG_CACHE_HOME"]
    found = Cache.find(env)
    assert found is not None
    assert found.root == tmp_path / "home" / ".cache" / "gpuopt"
    found = Cache.find({"TMPDIR": str(tmp_path)})
    assert found is not None
    assert found.root == tmp_path / f"gpuopt-{os.getuid()}"
    assert found.root.stat().st_mode & 0o777 == 0o700


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "x").write_text("")
    try:
        write_atomic(tmp_path / "taken", b"data")
    except OSError:
        pass
    else:
        raise AssertionError("a directory was replaced")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["taken"]

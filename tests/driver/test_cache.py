"""The cache: whole files or none, damage found out, any number of writers."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from gpuopt_driver import store
from gpuopt_driver.cache import Cache, digest, write_atomic


def test_values_come_back(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    key = digest("a", b"b")
    assert cache.get("kind", key) is None
    cache.put("kind", key, b"value")
    assert cache.get("kind", key) == b"value"
    assert cache.get("other", key) is None
    assert cache.size_bytes() > 0
    cache.prune()
    cache.clear()
    assert cache.get("kind", key) is None
    assert list(tmp_path.iterdir()) == []


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


def test_a_temporary_place_that_others_can_write_to_is_not_trusted(tmp_path: Path) -> None:
    (tmp_path / f"gpuopt-{os.getuid()}").mkdir(mode=0o777)
    (tmp_path / f"gpuopt-{os.getuid()}").chmod(0o777)
    found = Cache.find({"TMPDIR": str(tmp_path)}, without="!")
    assert found is None or not found.root.is_relative_to(tmp_path)


def test_pruning_takes_what_is_long_unused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path)
    keys = [digest(str(number)) for number in range(3)]
    for key in keys:
        cache.put("kind", key, b"x" * 1000)
    now = time.time()
    cache.prune(now)
    assert all(cache.get("kind", key) for key in keys)
    cache.prune(now + 20 * 86400)
    assert not any(cache.get("kind", key) for key in keys)


def test_pruning_keeps_to_the_limit_and_to_once_an_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpuopt_driver.cache._LIMIT_BYTES", 2500)
    cache = Cache(tmp_path)
    keys = [digest(str(number)) for number in range(3)]
    now = time.time()
    for age, key in zip((3, 2, 1), keys, strict=True):
        cache.put("kind", key, b"x" * 1000)
        os.utime(cache.path("kind", key), (now + 3600 - age, now))
    cache.prune(now)
    assert all(cache.path("kind", key).exists() for key in keys)  # all of them are young
    cache.prune(now + 3500)
    assert all(cache.path("kind", key).exists() for key in keys)  # it was looked at within the hour
    cache.prune(now + 3 * 3600)
    assert [cache.path("kind", key).exists() for key in keys] == [False, True, True]


def test_what_programs_have_learned_stays_for_a_year(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpuopt_driver.cache._LIMIT_BYTES", 500)
    cache = Cache(tmp_path)
    learned = tmp_path / "choices" / "0123456789abcdef.choices"
    learned.parent.mkdir()
    learned.write_bytes(b"x" * 1000)
    cache.put("kind", digest("x"), b"x")
    now = time.time()
    cache.prune(now + 200 * 86400)
    cache.clear()
    assert learned.exists()
    assert list(tmp_path.iterdir()) == [learned.parent]
    cache.prune(now + 400 * 86400)
    assert not learned.exists()


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


def test_a_file_that_stays_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was changed a moment ago is read again: its times may be the same after the next change."""
    read: list[bytes] = []
    real = store.digest
    monkeypatch.setattr(store, "digest", lambda *parts: read.extend(parts) or real(*parts))
    path = tmp_path / "library"
    for text in (b"one", b"two"):
        path.write_bytes(text)
        assert {store.digest_of_file(path), store.digest_of_file(path)} == {real(text)}
    assert read == [b"one", b"one", b"two", b"two"]
    later = time.time_ns() + 2_000_000_000
    monkeypatch.setattr(time, "time_ns", lambda: later)
    assert {store.digest_of_file(path) for _ in range(3)} == {real(b"two")}
    assert read[4:] == [b"two"]
    path.write_bytes(b"six")
    assert store.digest_of_file(path) == real(b"six")


def test_a_long_file_is_read_by_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others find its digest in the cache, for as long as the file is the same one; a wrong one counts for nothing."""
    path, root = tmp_path / "library", str(tmp_path / "cache")
    path.write_bytes(b"x" * (1 << 20))
    later = time.time_ns() + 2_000_000_000
    monkeypatch.setattr(time, "time_ns", lambda: later)

    def read_anew() -> str:
        store._digests.clear()
        return store.digest_of_file(path, root)

    made = digest(path.read_bytes())
    assert read_anew() == made
    (entry,) = Path(root, "file-digest").rglob("*/*")
    real, seen = store.digest, []
    monkeypatch.setattr(store, "digest", lambda *parts: seen.append(max(map(len, parts))) or real(*parts))
    assert read_anew() == made
    assert max(seen) < 1000
    entry.write_bytes(entry.read_bytes()[:-1] + b"0")
    assert read_anew() == made
    path.write_bytes(b"y" * (1 << 20))
    assert read_anew() == real(path.read_bytes())


def test_digests_of_the_files_below_a_directory_tell_names_and_contents_apart(tmp_path: Path) -> None:
    (tmp_path / "b" / "c").mkdir(parents=True)
    (tmp_path / "b" / "c" / "d").write_bytes(b"two")
    (tmp_path / "a").write_bytes(b"one")
    known = store.digests_below(str(tmp_path))
    assert known == [("a", digest(b"one")), ("b/c/d", digest(b"two"))]
    (tmp_path / "b" / "c" / "d").write_bytes(b"six")
    assert store.digests_below(str(tmp_path)) == [known[0], ("b/c/d", digest(b"six"))]
    (tmp_path / "a").rename(tmp_path / "z")
    assert [name for name, _ in store.digests_below(str(tmp_path))] == ["b/c/d", "z"]


def test_files_below_a_directory_are_read_by_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others find their digests in the cache, for as long as all files are the same ones."""
    place, root = tmp_path / "headers", str(tmp_path / "cache")
    (place / "b").mkdir(parents=True)
    for name, text in (("b/c", b"one"), ("b.h", b"two")):
        (place / name).write_bytes(text)
    (place / "nothing").symlink_to("gone")  # editors leave such
    later = time.time_ns() + 2_000_000_000
    real, read = store.digest_of_file, []
    monkeypatch.setattr(store, "digest_of_file", lambda path: read.append(Path(path).name) or real(path))

    def known(*, anew: bool) -> list[tuple[str, str]]:
        read.clear()
        if anew:
            store._below.clear()
        return store.kept_digests_below(str(place), root)

    made = [("b.h", digest(b"two")), ("b/c", digest(b"one"))]
    assert [known(anew=True), known(anew=False)] == [made] * 2
    assert read == ["b.h", "c"]  # a change in this second could look the same
    monkeypatch.setattr(time, "time_ns", lambda: later)
    assert known(anew=False) == made
    assert read == ["b.h", "c"]
    assert [known(anew=False), read, known(anew=True), read] == [made, [], made, []]
    (place / "b/c").write_bytes(b"six")
    assert known(anew=False) == [made[0], ("b/c", digest(b"six"))]
    assert known(anew=True) == [made[0], ("b/c", digest(b"six"))]
    assert read == []
    (place / "b.h").rename(place / "a.h")
    assert known(anew=True) == [("a.h", digest(b"two")), ("b/c", digest(b"six"))]
    (entry,) = Path(root, "tree-digest").rglob("*/*")
    entry.write_bytes(entry.read_bytes()[:-1] + b"0")
    assert known(anew=True) == [("a.h", digest(b"two")), ("b/c", digest(b"six"))]

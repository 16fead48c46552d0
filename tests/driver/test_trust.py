"""A cache that others can change is not used: one line says so, and the build goes on with another one or with none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gpuopt_driver import store, trust
from gpuopt_driver.cache import Cache
from tests.driver.support import ROOT
from tests.faults.support import PATCH, PATCHED, completed, make_project, scratch

STRANGER = 54321
is_root = os.geteuid() == 0
as_root = pytest.mark.skipif(not is_root, reason="only root can give files away")


def others(path: Path) -> Path:
    os.chown(path, STRANGER, STRANGER, follow_symlinks=False)
    return path


def made(path: Path, mode: int = 0o700) -> Path:
    path.mkdir(parents=True)
    path.chmod(mode)
    return path


def linked(path: Path, target: Path) -> Path:
    path.symlink_to(target)
    return path


# How `root` below a directory is made so that it is refused, and what is said of it.
REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "world": (lambda root: made(root, 0o777), "root: not used as a cache: can be written to by all users"),
    "world, sticky": (lambda root: made(root, 0o1777), "can be written to by all users"),
    "group": (lambda root: made(root, 0o770), "can be written to by its group"),
    "kind": (lambda root: made(root / "emulator", 0o777), "root/emulator can be written to by all users"),
    "kind of a group": (lambda root: made(root / "overlay", 0o775), "root/overlay can be written to by its group"),
    "kind elsewhere": (lambda root: linked(made(root) / "pch", made(root.parent / "x")), "root/pch is no directory"),
    "above": (lambda root: (made(root), root.parent.chmod(0o777)), "can be written to by all users"),
    "above, not there yet": (lambda root: root.parent.chmod(0o777), "can be written to by all users"),
    "behind a link": (lambda root: linked(root, made(root.parent / "open", 0o777)), "can be written to by all users"),
    "link in an open directory": (
        lambda root: linked(root, linked(made(root.parent / "open", 0o777) / "next", made(root.parent / "safe"))),
        "open can be written to by all users",
    ),
    "a file": (lambda root: root.write_text(""), "is no directory"),
    "links in a circle": (lambda root: linked(root, root), "Too many levels of symbolic links"),
}
USELESS = {  # values of GPUOPT_CACHE_DIR, and what is said of them
    "": "GPUOPT_CACHE_DIR: not used as a cache: empty; ",
    "some/cache": "GPUOPT_CACHE_DIR: not used as a cache: a relative path (some/cache); ",
    "a\n\x1bb": r"GPUOPT_CACHE_DIR: not used as a cache: a relative path (a \x1bb); ",
    "/proc/gpuopt/cache": "/proc/gpuopt/cache: not used as a cache: cannot be made: ",
    "/proc/self": "/proc/self",
    "/" + "x" * 300: "/" + "x" * 300,
}
AS_ROOT: dict[str, tuple[Callable[[Path], object], str]] = {
    "a stranger's": (lambda root: others(made(root)), f"belongs to another user (uid {STRANGER})"),
    "a stranger's kind": (
        lambda root: others(made(root / "memo")),
        f"root/memo belongs to another user (uid {STRANGER})",
    ),
    "in a stranger's directory": (lambda root: others(root.parent), f"belongs to another user (uid {STRANGER})"),
    "behind a stranger's link in a sticky directory": (
        lambda root: (root.parent.chmod(0o1777), others(linked(root, made(root.parent / "safe")))),
        f"belongs to another user (uid {STRANGER})",
    ),
    "above, of a group": (
        lambda root: (made(root), os.chown(root.parent, 0, STRANGER), root.parent.chmod(0o770)),
        f"can be written to by its group (gid {STRANGER})",
    ),
}
TAKEN: dict[str, Callable[[Path], object]] = {
    "not there yet": lambda _: None,
    "private": made,
    "readable": lambda root: made(root / "memo", 0o755),
    "in a sticky directory": lambda root: (made(root), root.parent.chmod(0o1777)),
    "behind a link": lambda root: linked(root, made(root.parent / "safe")),
    "behind a link to where nothing is": lambda root: made(root.parent / "far/near").joinpath("x").symlink_to(root),
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where a cache is going to be, in a directory of the user's."""
    return made(tmp_path / "above") / "root"


@pytest.mark.parametrize("how", REFUSED)
def test_refused(place: Path, how: str) -> None:
    make, said = REFUSED[how]
    make(place)
    assert_refused(place, said)


@as_root
@pytest.mark.parametrize("how", AS_ROOT)
def test_refused_for_its_owner(place: Path, how: str) -> None:
    make, said = AS_ROOT[how]
    make(place)
    assert_refused(place, said)


def assert_refused(place: Path, said: str) -> None:
    before = sorted(place.parent.iterdir())
    private = made(place.parents[1] / "home")
    env = {"GPUOPT_CACHE_DIR": str(place), "HOME": str(private), "SUDO_UID": str(STRANGER)}
    found = Cache.find(env)
    assert found is not None
    assert found.root == private / ".cache/gpuopt"
    (line,) = store.refusals(env)
    assert line.startswith(f"{place}: not used as a cache: ")
    assert said in line
    assert line.endswith(f"; {found.root} is used")
    assert sorted(place.parent.iterdir()) == before


@pytest.mark.parametrize("value", USELESS)
def test_what_can_be_no_cache_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.chdir(made(tmp_path / "work"))
    env = {"GPUOPT_CACHE_DIR": value, "HOME": str(made(tmp_path / "home"))}
    found = Cache.find(env)
    assert found is not None
    assert found.root == tmp_path / "home/.cache/gpuopt"
    (line,) = store.refusals(env)
    assert line.startswith(USELESS[value])
    assert line.endswith(f"; {found.root} is used")
    assert list(Path.cwd().iterdir()) == []


def test_a_cache_that_cannot_be_written_is_said(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(place, 0o500)
    monkeypatch.setattr(os, "access", lambda path, _: path != str(place))  # root may write anywhere
    (line,) = store.refusals({"GPUOPT_CACHE_DIR": str(place), "HOME": str(made(place.parent / "home"))})
    assert line.startswith(f"{place}: not used as a cache: cannot be written to; ")


@pytest.mark.parametrize("how", TAKEN)
def test_taken(place: Path, how: str) -> None:
    TAKEN[how](place)
    found = Cache.find({"GPUOPT_CACHE_DIR": str(place)})
    assert found is not None
    assert (found.root, store.refusals({"GPUOPT_CACHE_DIR": str(place)})) == (place, [])


def test_whatever_the_umask_is_what_is_made_is_private(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        cache = Cache.find({"GPUOPT_CACHE_DIR": str(tmp_path / "a/b")})
        assert cache is not None
        cache.put("kind", "0123", b"value")
        store.make_directories(str(tmp_path / "a/b/other/deep/er"))
        (tmp_path / "readable").mkdir(mode=0o755)
        store.make_directories(str(tmp_path / "readable/deep/er"))
    finally:
        os.umask(before)
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "a").rglob("*") if path.is_dir()}
    assert modes == {0o700}
    assert (tmp_path / "readable/deep/er").stat().st_mode & 0o777 == 0o755
    assert cache.get("kind", "0123") == b"value"
    cache.path("kind", "0123").chmod(0o666)
    assert cache.get("kind", "0123") is None


def test_files_are_judged_with_what_they_lie_in(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for mode, reason in ((0o644, ""), (0o600, ""), (0o664, ""), (0o666, f"{file} can be written to by all users")):
        file.chmod(mode)
        assert trust.why_open(str(file), {}) == reason
    assert trust.why_open(str(tmp_path / "no/thing"), {}) == ""


@as_root
def test_root_may_be_told_by_who_called_sudo(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    others(file)
    assert trust.why_open(str(file), {}) == f"{file} belongs to another user (uid {STRANGER})"
    assert trust.why_open(str(file), {"SUDO_UID": "77"}) != ""
    assert trust.why_open(str(file), {"SUDO_UID": "x"}) != ""
    assert trust.why_open(str(file), {"SUDO_UID": str(STRANGER)}) == ""


@pytest.mark.parametrize("how", ["root", "kind", "all"])
def test_a_build_goes_on_without_it(tmp_path: Path, host_compiler: str, how: str) -> None:
    """What lies in it is not used, and nothing is put there."""
    env: dict[str, str | None] = {**make_project(tmp_path), "HOME": None, "XDG_CACHE_HOME": None}
    first = completed(tmp_path, env, PATCH)
    assert first[:2] == (0, b"made something\n")
    cache = tmp_path / "cache"
    (cache if how != "kind" else cache / "overlay").chmod(0o777)
    for path in cache.rglob("*.so"):
        path.write_bytes(b"forged")
    if how == "all":
        scratch(tmp_path).joinpath(f"gpuopt-{os.geteuid()}").mkdir(mode=0o777)
        scratch(tmp_path).chmod(0o777)
    before = sorted(cache.rglob("*"))
    for _ in range(2):
        status, err, built = completed(tmp_path, env, PATCH)
        assert (status, built.endswith(PATCHED)) == (0, True)
        lines = err.splitlines()
        assert lines[-1] == b"made something"
        assert len(lines) == (3 if how == "all" else 2), lines
        assert lines[0].startswith(b"gpuopt: warning: %s: not used as a cache: " % os.fsencode(cache))
    assert sorted(cache.rglob("*")) == before


def is_open_to_all(path: Path) -> bool:
    return all(folder.stat().st_mode & 0o005 == 0o005 for folder in (path, *path.parents))


def python() -> str:
    """A Python that every user can run, "" if there is none."""
    found = (sys.executable, "/usr/bin/python3")
    return next((path for path in found if Path(path).exists() and is_open_to_all(Path(path).resolve())), "")


@pytest.fixture
def shared() -> Iterator[Path]:
    """A directory that every user can enter."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    if not (is_open_to_all(folder) and is_open_to_all(ROOT) and python()):
        pytest.skip("other users cannot run this")
    yield folder
    shutil.rmtree(folder)


ASK = """
import os, sys
sys.path[:0] = [sys.argv[1]]
from gpuopt_driver import store, trust
print(store.find_root(dict(os.environ)), store.refusals(dict(os.environ)), trust.why_open(os.getcwd(), {}))
"""


def asked(by: list[str], cwd: Path, **env: str) -> str:
    done = subprocess.run(
        [*by, python(), "-c", ASK, str(ROOT)],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "TMPDIR": str(cwd), **env},
        capture_output=True,
        text=True,
        check=False,
    )
    if "unshare" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    return done.stdout


@as_root
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="no setpriv")
@pytest.mark.parametrize("env", [{}, {"HOME": "/"}], ids=["unset", "top"])
def test_a_user_without_a_name_and_a_home(shared: Path, env: dict[str, str]) -> None:
    """As in a container: nothing about it in /etc/passwd; nothing appears in the working directory."""
    home = others(made(shared / "work"))
    by = ["setpriv", f"--reuid={STRANGER}", f"--regid={STRANGER}", "--clear-groups"]
    assert asked(by, home, **env) == f"{home}/gpuopt-{STRANGER} [] \n"
    assert [path.name for path in home.iterdir()] == [f"gpuopt-{STRANGER}"]


@as_root
@pytest.mark.skipif(shutil.which("unshare") is None, reason="no unshare")
def test_who_owns_what_root_owns_in_a_user_namespace(shared: Path) -> None:
    """There, owners that are not mapped have one number, root of the machine too."""
    folder = others(made(shared / "unmapped", 0o755))
    outside = trust.why_open(str(folder), {})
    assert outside == f"{folder} belongs to another user (uid {STRANGER})"
    assert asked(["unshare", "--user", "--map-user=1000"], folder, TMPDIR="/tmp").endswith(" \n")

"""What is in the tree gets into the wheel: packages and data are listed by hand, so the lists are checked."""

from __future__ import annotations

import re
from pathlib import Path

import tomli

ROOT = Path(__file__).parents[2]
PROJECT = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUP = PROJECT["tool"]["setuptools"]
TREES = {name: ROOT / place for name, place in SETUP["package-dir"].items()}


def matches(path: str, pattern: str) -> bool:
    """Whether a relative path is meant by a setuptools pattern (`**` crosses directories)."""
    text = re.escape(pattern).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*")
    return re.fullmatch(text, path) is not None


def test_every_package_is_listed() -> None:
    found = {
        ".".join((name, *init.parent.relative_to(tree).parts))
        for name, tree in TREES.items()
        for init in tree.rglob("__init__.py")
    }
    assert sorted(found) == sorted(SETUP["packages"])


def test_every_data_file_is_covered() -> None:
    left = [
        path
        for name, tree in TREES.items()
        for path in tree.rglob("*")
        if path.is_file()
        and path.suffix not in (".py", ".pyc")
        and "cases" not in path.relative_to(tree).parts[:-1]
        and not any(matches(str(path.relative_to(tree)), pattern) for pattern in SETUP["package-data"][name])
    ]
    assert left == []


def test_every_plugin_has_an_entry_point() -> None:
    plugins = {init.parent.name for init in (ROOT / "plugins").glob("*/__init__.py")}
    points = PROJECT["project"]["entry-points"]["gpuopt.plugins"]
    assert points == {name: f"gpuopt_plugins.{name}" for name in plugins}

"""`python -m tests.changed [REVISION]`: the test files that changes since REVISION (HEAD) can affect, one per line.

Python files go by the import graph; every other file of a package counts as that package (headers and sources of the
emulator, plugins' cases), what is beside the packages (examples, benchmarks, pages) by the tests that name it or have
its directory's name, and what is at the top (pyproject.toml, this directory's conftest.py) counts as everything.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACES = {"gpuopt_driver": "gpuopt_driver", "gpuopt_plugins": "plugins", "tests": "tests"}
_EVERYTHING = ("pyproject.toml", "tests/conftest.py", "tests/needs.py", "scripts/")
_STARTED = {"gpuopt_driver.nvcc_main", "gpuopt_driver.cli"}  # by tests that import none of it
_STARTERS = ("gpuopt-nvcc", "gpuopt_driver.nvcc_main", "compile_with", '"gpuopt"', "main(")


def modules() -> dict[str, Path]:
    """Every module of the packages and of the tests, with its file."""
    found = {}
    for package, place in PLACES.items():
        for path in (ROOT / place).rglob("*.py"):
            parts = path.relative_to(ROOT / place).with_suffix("").parts
            name = ".".join((package, *(part for part in parts if part != "__init__")))
            found[name] = path
    return found


def imports(path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """The modules among `known` that a file imports; a test that starts the driver imports it."""
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        yield from (name for name in names if name in known)
    if path.is_relative_to(ROOT / "tests") and any(word in text for word in _STARTERS):
        yield from _STARTED


@cache
def graph() -> tuple[Mapping[str, Path], Mapping[str, set[str]]]:
    """All modules, and who imports each."""
    known = modules()
    users: dict[str, set[str]] = {name: set() for name in known}
    for name, path in known.items():
        for imported in imports(path, known):
            users[imported].add(name)
    return known, users


def users_of(changed: Iterable[str]) -> set[str]:
    """The changed modules and all that import them, directly or not."""
    _, users = graph()
    reached, todo = set(), list(changed)
    while todo:
        name = todo.pop()
        if name not in reached:
            reached.add(name)
            todo += users[name]
    return reached


def affected(files: Iterable[str]) -> list[str]:
    """The test files to run for these changed files (relative to the root)."""
    known, _ = graph()
    by_file = {str(path.relative_to(ROOT)): name for name, path in known.items()}
    changed: set[str] = set()
    tests: set[str] = set()
    for file in files:
        if file.startswith(_EVERYTHING):
            return ["tests"]
        if file in by_file:
            changed.add(by_file[file])
        elif file.startswith("tests/"):
            tests.update(_tests_beside(ROOT / file))
        else:
            changed.update(name for path, name in by_file.items() if _holds(path, file))
            tests.update(_mentioning(file, known))
    reached = users_of(changed)
    tests.update(str(known[name].relative_to(ROOT)) for name in reached if known[name].name.startswith("test_"))
    tests.update(_of_plugins(files))
    return sorted({*tests, "tests/meta"})


def _holds(module: str, file: str) -> bool:
    """Whether a file that is not Python's lies in the package whose `__init__.py` this module is, or in one within."""
    package = module.removesuffix("__init__.py")
    return module.endswith("__init__.py") and package.count("/") > 1 and file.startswith(package)


def _mentioning(file: str, known: Mapping[str, Path]) -> Iterator[str]:
    """The test files that name a file (`quickstart.sh`), and those of its directory at the top (tests/examples)."""
    path = Path(file)
    for test in known.values():
        if test.name.startswith("test_"):
            is_named = path.suffix and path.name in test.read_text(encoding="utf-8")
            if is_named or test.is_relative_to(ROOT / "tests" / path.parts[0]):
                yield str(test.relative_to(ROOT))


def _tests_beside(path: Path) -> Iterator[str]:
    """The test files of the nearest directory upwards that has any."""
    for directory in path.parents:
        found = sorted(directory.glob("test_*.py"))
        if found:
            yield from (str(item.relative_to(ROOT)) for item in found)
            return


def _of_plugins(files: Iterable[str]) -> Iterator[str]:
    """Plugins are loaded by entry points: their tests lie in a directory of the same name."""
    for file in files:
        parts = Path(file).parts
        directory = ROOT / "tests/plugins" / parts[1] if parts[0] == "plugins" and len(parts) > 1 else None
        if directory is not None and directory.is_dir():
            yield str(directory.relative_to(ROOT))


def changed_files(revision: str) -> list[str]:
    """What git says has changed since `revision`, or is new."""
    listed = (("diff", "--name-only", revision), ("ls-files", "--others", "--exclude-standard"))
    said = (subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True) for words in listed)
    return sorted({line for done in said for line in done.stdout.splitlines()})


if __name__ == "__main__":
    for name in affected(changed_files(*(sys.argv[1:] or ["HEAD"]))):
        print(name)

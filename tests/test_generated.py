"""Methods that `dataclasses` writes: compiled by the first process only, and the same as without us."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from gpuopt_driver import store
from gpuopt_driver.generated import KIND, Methods

PROGRAM = """
import builtins, sys
from gpuopt_driver import generated
generated.reuse({"GPUOPT_CACHE_DIR": sys.argv[1]})
compiled = []
real = builtins.compile
def counting(text, *rest, **named):
    compiled.append(text)
    return real(text, *rest, **named)
generated.compile = counting
from dataclasses import dataclass, field, replace
@dataclass(frozen=True, slots=True, order=True)
class Point:
    x: int
    y: int = 2
    z: list = field(default_factory=list, compare=False)
a = Point(1)
assert a == Point(1, 2, [3]) and a < Point(2) and hash(a) == hash(Point(1)) and a.z is not Point(1).z
assert repr(replace(a, y=5)) == "Point(x=1, y=5, z=[])", repr(replace(a, y=5))
try:
    a.x = 2
    sys.exit("not frozen")
except AttributeError:
    pass
generated.keep()
print(len(compiled))
"""


def run(root: Path) -> int:
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(root)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_only_the_first_process_compiles(tmp_path: Path) -> None:
    assert run(tmp_path) > 0
    assert run(tmp_path) == 0
    (entry,) = (tmp_path / KIND).glob("*/*")
    entry.write_bytes(entry.read_bytes()[:-1] + b"x")
    assert run(tmp_path) > 0
    assert run(tmp_path) == 0


def test_what_two_processes_compile_is_kept_together(tmp_path: Path) -> None:
    one, two = Methods(str(tmp_path)), Methods(str(tmp_path))
    names: dict[str, object] = {}
    one.execute("a = 1", names)
    two.execute("b = a + 1", names)
    one.keep()
    two.keep()
    assert names["b"] == 2
    assert set(Methods(str(tmp_path)).known) == {"a = 1", "b = a + 1"}
    assert not one.new


def test_nothing_is_written_where_nothing_is_new_and_a_foreign_entry_is_left_aside(tmp_path: Path) -> None:
    Methods(str(tmp_path)).keep()
    assert not (tmp_path / KIND).exists()
    store.put(str(tmp_path), KIND, Methods._key(), b"not ours")
    assert Methods(str(tmp_path)).known == {}

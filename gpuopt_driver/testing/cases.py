"""Cases of a plugin: CUDA sources that say in their first comment lines what they are run with.

    // gpu: h200; policy: margin=1.05, model="paper"; args: -DN=4; learn: on
    // run: grid=(n+255)/256 block=256 n=1000 A=n*n x=n y=n

`run` launches a kernel with seeded buffers (`A=n*n`: elements of a pointer parameter; `n=1000`: a scalar), or is
`run: main ARGS` for a source that has a `main` of its own. `learn: on` is a build whose program measures its launches,
so that versions may be offered for measurements alone; usual is `off`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import field
from math import ceil
from pathlib import Path

import tomli

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.report.model import Json
from gpuopt_driver.suggest import did_you_mean

_KEYS = ("gpu", "policy", "args", "learn", "run")
_NOOP = "noop_"
_EXPECTED = ".expected.cu"
_REPORT = ".report.txt"


class CaseError(GpuoptError):
    """A case is not written as the kit reads it."""


@dataclass(frozen=True, slots=True)
class Run:
    """One `run:` line: a launch (`values` by name, as C++ expressions in the order written), or `program` arguments."""

    line: int
    values: Mapping[str, str] = field(default_factory=dict)
    program: tuple[str, ...] | None = None  # None: a launch by the kit


@dataclass(frozen=True, slots=True)
class Case:
    """One source with what is to come out of it."""

    source: Path
    gpu: str = "auto"
    options: Mapping[str, Json] = field(default_factory=dict)  # of the plugin, as the policy would set them
    nvcc_args: tuple[str, ...] = ()
    runs: tuple[Run, ...] = ()
    learn: str = "off"  # the policy's `[learn] mode`

    @property
    def name(self) -> str:
        """The file's name without suffix."""
        return self.source.stem

    @property
    def is_noop(self) -> bool:
        """Whether the source must come out as it went in."""
        return self.name.startswith(_NOOP)

    @property
    def expected(self) -> Path:
        """The file that holds the patched source."""
        return self.source.with_name(self.name + _EXPECTED)

    @property
    def report(self) -> Path:
        """The file that holds the findings."""
        return self.source.with_name(self.name + _REPORT)

    def __str__(self) -> str:
        return self.name


def cases(directory: str | Path) -> list[Case]:
    """All cases of a directory by name; CaseError for a malformed one, for leftovers, and where there is none."""
    root = Path(directory)
    sources = sorted(path for path in root.glob("*.cu") if not path.name.endswith(_EXPECTED))
    if not sources:
        raise CaseError(f"{root}: no cases; write NAME.cu and run pytest --update-golden")
    names = {path.stem for path in sources}
    for path in sorted(root.iterdir()):
        for suffix in (_EXPECTED, _REPORT):
            name = path.name.removesuffix(suffix)
            if name != path.name and name not in names:
                raise CaseError(f"{path}: there is no {name}.cu; delete the file or rename it with its source")
    return [read_case(path) for path in sources]


def read_case(source: str | Path) -> Case:
    """One case from its source's first comment lines."""
    path = Path(source)
    gpu, nvcc_args, learn = "auto", "", "off"
    options: dict[str, Json] = {}
    runs: list[Run] = []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="surrogateescape").splitlines(), 1):
        if not line.startswith("//"):
            break
        where = f"{path}:{number}"
        for key, value in _settings(line[2:].strip(), where):
            if key == "gpu":
                gpu = value
            elif key == "args":
                nvcc_args = value
            elif key == "learn" and value in ("on", "off"):
                learn = value
            elif key == "learn":
                raise CaseError(f"{where}: learn: '{value}' is neither on nor off")
            elif key == "policy":
                options.update(_options(value, where))
            else:
                runs.append(_run(value, number, where))
    return Case(path, gpu, options, tuple(shlex.split(nvcc_args)), tuple(runs), learn)


def _settings(text: str, where: str) -> list[tuple[str, str]]:
    """The `key: value` pairs of a comment line; none for prose. A `run` takes the whole line."""
    key = re.match(r"(\w+):(?!:)", text)
    if key is None:
        return []
    if key.group(1) == "run":
        return [("run", text[key.end() :].strip())]
    found: list[tuple[str, str]] = []
    for part in text.split(";"):
        name, colon, value = part.strip().partition(":")
        if name in _KEYS and colon:
            found.append((name, value.strip()))
        elif found or did_you_mean(name, _KEYS):
            raise CaseError(f"{where}: unknown key '{name}'{did_you_mean(name, _KEYS)}; keys: {', '.join(_KEYS)}")
    return found


def _options(text: str, where: str) -> dict[str, Json]:
    """`key=value, key=value` as TOML values; a bare word is a string."""
    made: dict[str, Json] = {}
    for part in re.split(r",(?![^\[]*\])", text):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name.isidentifier():
            raise CaseError(f"{where}: policy: '{part.strip()}' is not key=value")
        try:
            made[name] = tomli.loads(f"value = {value}")["value"]
        except tomli.TOMLDecodeError:
            made[name] = value
    return made


def _run(text: str, line: int, where: str) -> Run:
    words = shlex.split(text)
    if words[:1] == ["main"]:
        return Run(line, program=tuple(words[1:]))
    values: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.isidentifier() or not value:
            raise CaseError(f"{where}: run: '{word}' is not name=value (and a value has no spaces)")
        values[name] = value
    for name in ("grid", "block"):
        if name not in values:
            raise CaseError(f"{where}: run: no {name}=...; write run: main ARGS for a program with a main of its own")
    return Run(line, values)


def check_share_of_noops(found: Sequence[Case], share: float = 1 / 3) -> None:
    """At least this share of the cases must be sources that the plugin must not touch."""
    noops = sum(case.is_noop for case in found)
    wanted = ceil(share * len(found))
    if noops < wanted:
        raise AssertionError(f"{noops} of {len(found)} cases are noop_*.cu (must not be touched); {wanted} are wanted")

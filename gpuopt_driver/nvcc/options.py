"""The options of nvcc 11 to 13: long and short name, arity, whether a value may be glued on, what it is for.

Our reading of a command line is for information only (the user's own argv goes to nvcc), so the table
(`option_table.py`) knows the options of all versions at once.
"""

from __future__ import annotations

from enum import Enum
from functools import cache

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.nvcc.option_table import TABLE


class Arity(Enum):
    """How many values an option takes: none, one (the last one counts), or a comma-separated list that adds up.

    An OPTIONAL value is missing where the next argument begins with a dash.
    """

    FLAG = "flag"
    SINGLE = "single"
    OPTIONAL = "optional"
    LIST = "list"


class Topic(Enum):
    """What an option is about; decides which options a derived device-only compilation keeps."""

    PHASE = "phase"  # up to which stage to compile
    FILES = "files"  # outputs, temporary and dependency files
    SOURCE = "source"  # preprocessing and the language
    HOST = "host"  # host code generation and the host compiler
    DEVICE = "device"  # device code generation
    ARCH = "arch"  # which GPUs
    LINK = "link"  # linking and archiving
    DRIVER = "driver"  # how nvcc itself runs
    INFO = "info"  # print something and stop


@dataclass(frozen=True, slots=True)
class Option:
    """One option. `name` is the long name without dashes; `short` too, but for a dash where there is no short name.

    `since` and `until` are toolkit versions, None where the oldest and the newest that we know have it. `hidden`: not
    in `nvcc --help`.
    """

    name: str
    short: str
    arity: Arity
    topic: Topic
    glued: bool = False
    hidden: bool = False
    since: tuple[int, int] | None = None
    until: tuple[int, int] | None = None

    @property
    def escapes(self) -> bool:
        """Whether nvcc takes a backslash in a list's value to protect the next character."""
        return self.name in _ESCAPING

    @property
    def quotes(self) -> bool:
        """Whether double quotes in a list's value are part of it."""
        return self.name in _ESCAPING or self.name.endswith("-options")


_ESCAPING = frozenset({"define-macro", "undefine-macro", "compiler-options"})


def _version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")
    return int(major), int(minor)


def _option(line: str) -> Option:
    name, short, arity, topic, *limits = line.split()
    versions = {key: _version(value) for key, equals, value in (limit.partition("=") for limit in limits) if equals}
    kinds = {"-": Arity.FLAG, "1": Arity.SINGLE, "?": Arity.OPTIONAL, "*": Arity.LIST}
    return Option(
        name,
        short,
        kinds[arity[0]],
        Topic(topic),
        glued=arity.endswith("+"),
        hidden="hidden" in limits,
        since=versions.get("since"),
        until=versions.get("until"),
    )


OPTIONS: tuple[Option, ...] = tuple(_option(line) for line in TABLE.strip().splitlines())


@cache
def spellings() -> dict[str, Option]:
    """Every exact spelling (`--compile`, `-c`) of every option."""
    table = {f"-{option.short}": option for option in OPTIONS}
    table.update({f"--{option.name}": option for option in OPTIONS})
    return table


@cache
def _glued() -> tuple[tuple[str, Option], ...]:
    return tuple((f"-{option.short}", option) for option in OPTIONS if option.glued)


def known_to(version: tuple[int, int]) -> tuple[Option, ...]:
    """The options of one version of nvcc (11.8 and later; what an earlier one lacks is not recorded)."""
    return tuple(
        option
        for option in OPTIONS
        if (option.since is None or option.since <= version) and (option.until is None or version <= option.until)
    )


def match(argument: str) -> tuple[Option, str | None] | None:
    """The option that an argument spells and the value that came with it (`-I=x`, `-Ix`), None if it is not known."""
    table = spellings()
    option = table.get(argument)
    if option is not None:
        return option, None
    name, equals, value = argument.partition("=")
    option = table.get(name)
    if equals and option is not None and option.arity is not Arity.FLAG:
        return option, value
    if not argument.startswith("--"):
        for prefix, glued in _glued():
            if argument.startswith(prefix):
                return glued, argument[len(prefix) :]
    return None

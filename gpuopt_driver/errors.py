"""One exception tree; every message is one line: what is wrong, where, and the way out."""

from __future__ import annotations

_LONGEST = 1000  # characters of a message: what is quoted in it may be a whole file
_HEAD = 400


def one_line(text: str) -> str:
    """A message as it may be printed: one line without control characters, its middle left out if it is very long."""
    line = " ".join(text.split("\n"))
    if not line.isprintable():
        line = "".join(letter if _is_harmless(letter) else ascii(letter)[1:-1] for letter in line)
    return line if len(line) <= _LONGEST else f"{line[:_HEAD]} ... {line[len(line) - _HEAD :]}"


def _is_harmless(letter: str) -> bool:
    """Whether a terminal shows a character as one; bytes that are not UTF-8 stay what they are."""
    return letter.isprintable() or "\udc80" <= letter <= "\udcff"


class GpuoptError(Exception):
    """A problem the user can act on; the command line prints it as one line and exits with `status`."""

    status = 1


class UsageError(GpuoptError):
    """The command line asks for something that does not exist."""

    status = 2


class PolicyError(GpuoptError):
    """`toolchain.toml`, an environment variable or a flag has a wrong key or value."""


class ArchError(GpuoptError):
    """A GPU description is missing or wrong."""


class ParseError(GpuoptError):
    """A source file could not be read or parsed."""


class ToolchainError(GpuoptError):
    """No usable nvcc, host compiler or libclang was found."""


class PluginError(GpuoptError):
    """A plugin could not be loaded, raised, or ran out of time; `plugin` names it."""

    def __init__(self, plugin: str, message: str) -> None:
        super().__init__(f"plugin {plugin}: {message}")
        self.plugin = plugin
        self.reason = message


class EditConflict(GpuoptError):
    """Two edits do not commute; `first` and `second` name the plugins that made them, `where` the place."""

    def __init__(self, first: str, second: str, where: str) -> None:
        super().__init__(
            f"{where}: edits of {first} and {second} overlap; put the plugins into different [[phase]] tables"
        )
        self.first = first
        self.second = second
        self.where = where

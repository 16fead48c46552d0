"""One exception tree; every message is one line: what is wrong, where, and the way out."""

from __future__ import annotations


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


class EditConflict(GpuoptError):
    """Two edits do not commute; `first` and `second` name the plugins that made them, `where` the place."""

    def __init__(self, first: str, second: str, where: str) -> None:
        super().__init__(
            f"{where}: edits of {first} and {second} overlap; put the plugins into different [[phase]] tables"
        )
        self.first = first
        self.second = second
        self.where = where

"""What the next build of the same command line is to know of this one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpuopt_driver import remember, traced
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.kept import encoded
from gpuopt_driver.memo import is_plain, note_failure
from gpuopt_driver.nvcc.command import NvccCommand
from gpuopt_driver.nvcc.shorten import learn
from gpuopt_driver.patching import Patches


@dataclass(slots=True)
class Memory:
    """Keeps the outcome of an analysis, whose trace says what it depends on, and how nvcc took it.

    `nvcc` is the path of the one that builds; `is_known`: the outcome was remembered, and so was its proof.
    """

    argv: Sequence[str]
    env: Mapping[str, str]
    command: NvccCommand
    nvcc: str
    trace: traced.Trace | None
    is_known: bool

    def keep(self, patches: Patches, told: str, *, is_simple: bool) -> None:
        """Remember it, once. `is_simple`: nvcc gets the sources as they are, and nothing else is to be done."""
        value = encoded(patches) if self.trace is not None else None
        if self.trace is not None and value is not None:
            is_simple = is_simple and is_plain(self.argv, self.command.argv_for_nvcc)
            outcome = remember.Kept(self.nvcc, told, value, is_simple)
            remember.keep(self.argv, self.env, self.command, self.trace, outcome)
            note_failure(self.argv, self.env, self.command.cwd, fails=False)
            if is_simple:
                learn(self.argv, self.command, self.nvcc, self.env)
        self.trace = None

    def refused(self) -> None:
        """nvcc does not take the sources as they are."""
        note_failure(self.argv, self.env, self.command.cwd, fails=True)

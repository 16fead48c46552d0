"""Building the program of a `-run` without running it: whether it builds must be known before it is started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpuopt_driver.nvcc.command import NvccCommand
from gpuopt_driver.nvcc.tokens import FLAGS, expand, with_environment

_RUN = ("-run", "--run")
_RUN_ARGUMENTS = ("-run-args", "--run-args")


def _without_run(argv: Sequence[str], output: str) -> list[str]:
    rest: list[str] = []
    arguments = iter(argv)
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        if name in _RUN_ARGUMENTS:
            if not equals:
                next(arguments, "")
        elif argument not in _RUN:
            rest.append(argument)
    return [*rest, "-o", output]


def rehearsal(command: NvccCommand, env: Mapping[str, str], output: str) -> tuple[list[str], dict[str, str]]:
    """Arguments and environment with which nvcc only links the program of a `-run`, into `output`.

    Where `-run` comes from an options file or the environment, everything is spelled out.
    """
    if not set(_RUN).isdisjoint(command.argv_for_nvcc):
        return _without_run(command.argv_for_nvcc, output), dict(env)
    words = tuple(expand(with_environment(command.argv_for_nvcc, env), command.cwd))
    return _without_run(words, output), {name: text for name, text in env.items() if name not in FLAGS}

"""`gpuopt doctor`: what was found on this machine, and what is missing for what."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from gpuopt_driver.commands.checks import Check
from gpuopt_driver.commands.machine import look_at_machine
from gpuopt_driver.commands.show import show, show_json
from gpuopt_driver.progress import telling


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print every check; 0 if the backend that a build here would take can build programs, else 1."""
    with telling("doctor: trying out what is found"):
        machine = look_at_machine()
    usable = [name for name, good in machine.backends.items() if good]
    if arguments.json:
        checks = [_facts(check) for check in machine.checks]
        show_json({"checks": checks, "backends": machine.backends, "backend": machine.backend})
    else:
        taken = f"; builds here take {machine.backend}" if usable else ""
        show([*_lines(machine.checks), f"backends: {', '.join(usable) or 'none'} usable{taken}"])
    return 0 if machine.can_build else 1


def _facts(check: Check) -> dict[str, object]:
    return {
        "name": check.name,
        "found": check.found,
        "detail": check.detail,
        "needed_for": check.needed_for,
        "remedy": check.remedy,
    }


def _lines(checks: Sequence[Check]) -> list[str]:
    width = max(len(check.name) for check in checks)
    lines = []
    for check in checks:
        lines.append(f"{check.name.ljust(width)}  {'ok' if check.found else 'not ok'}: {check.detail}")
        if not check.found:
            lines.append(f"{' ' * width}  needed for {check.needed_for}; {check.remedy}")
    return lines

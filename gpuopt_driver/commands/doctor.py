"""`gpuopt doctor`: what was found on this machine, and what is missing for what."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from gpuopt_driver.commands.machine import Check, checks_of_machine, usable_backends
from gpuopt_driver.commands.show import show, show_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print every check; 0 if at least one backend can build programs, else 1."""
    checks = checks_of_machine()
    backends = usable_backends(checks)
    if arguments.json:
        show_json({"checks": [_facts(check) for check in checks], "backends": backends})
    else:
        show(_lines(checks))
        usable = [name for name, good in backends.items() if good]
        show([f"backends: {', '.join(usable)} usable" if usable else "backends: none usable"])
    return 0 if any(backends.values()) else 1


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

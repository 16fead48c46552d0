"""The message codes of the core, of `advise` and of every plugin, with their explanations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuopt_driver.advice.model import CODES as ADVICE
from gpuopt_driver.errors import UsageError
from gpuopt_driver.host import CODES
from gpuopt_driver.plugins import load_plugins
from gpuopt_driver.suggest import did_you_mean


def explanations() -> dict[str, str]:
    """Every code with its explanation, sorted."""
    found = {**CODES, **ADVICE}
    for plugin in load_plugins().loaded:
        found.update(plugin.info.codes)
    return dict(sorted(found.items()))


def figures() -> dict[str, Mapping[str, str]]:
    """What every plugin says of the figures of its findings, by the plugin's name."""
    return {plugin.info.name: plugin.info.figures for plugin in load_plugins().loaded}


def explanation(code: str) -> str:
    """What one code means; UsageError with the nearest code when there is none of this name."""
    found = explanations()
    if code.upper() not in found:
        raise UsageError(f"unknown message code '{code}'{_instead(code.upper(), found)}")
    return found[code.upper()]


def _instead(code: str, found: Mapping[str, str]) -> str:
    """What there is in place of a code: those of the plugin that is named, or what codes begin with."""
    families: dict[str, list[int]] = {}
    for known in found:
        families.setdefault(known[:-3], []).append(int(known[-3:]))
    name = code.rstrip("0123456789")
    if name in families:
        return f"; {name} has {', '.join(_ranges(name, families[name]))}"
    meant = did_you_mean(name, families)
    return meant or f"; codes begin with {', '.join(families)}"


def _ranges(name: str, numbers: list[int]) -> Iterator[str]:
    """`CATT001 to CATT006, CATT010`: numbers that follow each other are told as one."""
    start = 0
    for at, number in enumerate(numbers):
        if at + 1 == len(numbers) or numbers[at + 1] != number + 1:
            first = f"{name}{numbers[start]:03}"
            yield first if start == at else f"{first} to {name}{number:03}"
            start = at + 1

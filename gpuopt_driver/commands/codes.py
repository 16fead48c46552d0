"""The message codes of the core and of every plugin, with their explanations."""

from __future__ import annotations

from collections.abc import Mapping

from gpuopt_driver.errors import UsageError
from gpuopt_driver.host import CODES
from gpuopt_driver.plugins import load_plugins
from gpuopt_driver.suggest import did_you_mean


def explanations() -> dict[str, str]:
    """Every code with its explanation, sorted."""
    found = dict(CODES)
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
        known = f"; known: {', '.join(found)}"
        raise UsageError(f"unknown message code '{code}'{did_you_mean(code, found) or known}")
    return found[code.upper()]

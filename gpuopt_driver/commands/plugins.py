"""`gpuopt plugins`: what is installed, where it comes from, and the options it takes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from typing import Any

from gpuopt_driver.commands.show import show, show_json
from gpuopt_driver.plugins import LoadedPlugin, load_plugins
from gpuopt_driver.report.document import plain


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """List plugins; one that could not be loaded is a warning and makes the exit status 1."""
    found = load_plugins()
    if arguments.json:
        problems = [{"plugin": problem.plugin, "message": problem.message} for problem in found.problems]
        show_json({"plugins": [facts(plugin) for plugin in found.loaded], "problems": problems})
    else:
        show(line for plugin in found.loaded for line in _lines(plugin))
        show(f"warning: {problem.message}" for problem in found.problems)
        if not found.loaded:
            show(["no plugins are installed"])
    return 1 if found.problems else 0


def facts(plugin: LoadedPlugin) -> dict[str, Any]:
    """One plugin as JSON."""
    return {
        "name": plugin.name,
        "summary": plugin.info.summary,
        "source": plugin.source,
        "module": plugin.module,
        "hooks": list(plugin.hooks),
        "changes_results": plugin.info.changes_results,
        "codes": sorted(plugin.info.codes),
        "options": [option_facts(item) for item in (fields(plugin.info.options) if plugin.info.options else ())],
    }


def option_facts(item: Field[Any]) -> dict[str, Any]:
    """One option: its key in [plugins.NAME], type, default, and limits."""
    default = item.default if item.default is not MISSING else None
    if item.default_factory is not MISSING:
        default = item.default_factory()
    made = {"name": item.name, "type": getattr(item.type, "__name__", str(item.type)), "default": plain(default)}
    return {**made, **{key: plain(value) for key, value in sorted(item.metadata.items())}}


def _lines(plugin: LoadedPlugin) -> Iterator[str]:
    runs = "; runs only with enabled = true: results may differ" if plugin.info.changes_results else ""
    yield f"{plugin.name}: {plugin.info.summary} ({plugin.source}{runs})"
    for option in facts(plugin)["options"]:
        choices = f" of {', '.join(map(str, option['choices']))}" if option.get("choices") else ""
        text = f": {option['help']}" if option.get("help") else ""
        yield f"  {option['name']} = {_toml(option['default'])}{choices}{text}"


def _toml(value: Any) -> str:
    """A default as it would be written in toolchain.toml."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return "(unset)" if value is None else str(value)

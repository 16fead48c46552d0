"""The ways in which a program is built: without us, as CATT decides, every fixed TLP, or options from a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

import tomli

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import UsageError
from gpuopt_driver.given import no_value
from gpuopt_driver.hooks import PluginInfo
from gpuopt_driver.policy.options import bind_options
from gpuopt_driver.policy.schema import Origin, PluginPolicy
from gpuopt_driver.suggest import did_you_mean

PLAIN, CATT = "plain", "catt"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A build. `policy`: its toolchain.toml, None for the program without us."""

    name: str
    policy: str | None


def fixed_tlps(warps: int, blocks: int, plugins: Sequence[str]) -> Iterator[Candidate]:
    """Every [warps per block, resident blocks] (BFTT of the CATT paper, section 5), beside CATT's own choice.

    Warps are divided by powers of two, as CATT's groups are; blocks go from `blocks` down to one.
    """
    yield Candidate(PLAIN, None)
    yield Candidate(CATT, policy_of(plugins, {CATT: {}}))
    for w in divisors(warps):
        for b in range(blocks, 0, -1):
            yield Candidate(f"({w},{b})", policy_of(plugins, {CATT: {"fixed_tlp": f"[{w}, {b}]"}}))


def divisors(warps: int) -> list[int]:
    """The warps per block that a block can be divided into by powers of two, all of them first."""
    found = [warps]
    while found[-1] % 2 == 0:
        found.append(found[-1] // 2)
    return found


def option_sets(settings: Iterable[str], plugins: Sequence[str]) -> Iterator[Candidate]:
    """Every combination of `plugin.option=value`; several values of one option are alternatives.

    A plugin's name alone switches it on with its defaults.
    """
    choices: dict[tuple[str, str], list[str]] = {}
    for setting in settings:
        plugin, option, value = _parsed(setting, plugins)
        choices.setdefault((plugin, option), []).append(value)
    yield Candidate(PLAIN, None)
    named = [[(key, value) for value in values] for key, values in choices.items()]
    for combination in product(*named):
        options: dict[str, dict[str, str]] = {}
        for (plugin, option), value in combination:
            options.setdefault(plugin, {}).update({option: value} if option else {})
        said = (f"{plugin}.{option}={value}" if option else plugin for (plugin, option), value in combination)
        yield Candidate(" ".join(said), policy_of(plugins, options))


def check_settings(settings: Iterable[str], plugins: Mapping[str, PluginInfo]) -> None:
    """UsageError or PolicyError, in one line, for a `plugin.option=value` that no plugin of these takes."""
    for setting in settings:
        plugin, option, value = _parsed(setting, tuple(plugins))
        if option:
            options = {option: tomli.loads(f"value = {value}")["value"]}
            bind_options(plugins[plugin], PluginPolicy(options=options, origins={option: Origin(f"--set {setting}")}))


def _parsed(setting: str, plugins: Sequence[str]) -> tuple[str, str, str]:
    """(plugin, option, TOML value) of `plugin.option=value`; the last two are empty for a plugin alone."""
    left, equals, value = setting.partition("=")
    plugin, dot, option = left.strip().partition(".")
    if plugin not in plugins:
        raise UsageError(f"--set {setting}: no plugin '{plugin}'{did_you_mean(plugin, plugins)}")
    if bool(dot) != bool(equals) or (dot and not (option and value)):
        raise UsageError(f"--set {setting}: write PLUGIN.OPTION=VALUE, or PLUGIN alone")
    if value:
        try:
            tomli.loads(f"value = {value}")
        except tomli.TOMLDecodeError as error:
            raise UsageError(f"--set {setting}: not TOML: {no_value(value.strip())}") from error
    return plugin, option, value.strip()


def policy_of(plugins: Iterable[str], options: Mapping[str, Mapping[str, str]]) -> str:
    """A policy in which the plugins of `options` alone are on, with these options (values as TOML)."""
    lines: list[str] = []
    for plugin in plugins:
        lines += [f"[plugins.{plugin}]", f"enabled = {'true' if plugin in options else 'false'}"]
        lines += [f"{option} = {value}" for option, value in options.get(plugin, {}).items()]
    return "\n".join(lines) + "\n"

"""Finding plugins: ours and strangers' come through the same entry points, each is checked when it is loaded."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import Any

import pluggy

from gpuopt_driver import hooks
from gpuopt_driver.errors import PluginError
from gpuopt_driver.hooks import PROJECT, PluginInfo
from gpuopt_driver.installation import Point, disabled_names, find_points
from gpuopt_driver.report.model import Problem, Severity
from gpuopt_driver.suggest import did_you_mean

_CODE = re.compile(r"[A-Z][A-Z0-9_]*[0-9]{3}")
HOOKS = ("gpuopt_describe", "gpuopt_analyze", "gpuopt_propose", "gpuopt_check")


@dataclass(frozen=True, slots=True)
class LoadedPlugin:
    """A plugin that described itself; `source` is the distribution and version that it came from."""

    name: str
    info: PluginInfo
    source: str
    module: str
    hooks: tuple[str, ...]
    object: Any


@dataclass(frozen=True, slots=True)
class Plugins:
    """The plugins of this process by name, and why others are not among them."""

    loaded: tuple[LoadedPlugin, ...]
    problems: tuple[Problem, ...]
    manager: pluggy.PluginManager

    def get(self, name: str) -> LoadedPlugin | None:
        """The plugin with this name."""
        return next((plugin for plugin in self.loaded if plugin.name == name), None)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all loaded plugins, sorted."""
        return tuple(plugin.name for plugin in self.loaded)

    def caller(self, plugin: LoadedPlugin, hook: str) -> Any:
        """A callable for one hook of one plugin alone."""
        others = [other.object for other in self.loaded if other is not plugin]
        return self.manager.subset_hook_caller(hook, remove_plugins=others)


def load_plugins() -> Plugins:
    """Every installed plugin, sorted by name; two of one name are an error naming both distributions."""
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(hooks)
    disabled = disabled_names()
    loaded: dict[str, LoadedPlugin] = {}
    problems: list[Problem] = []
    points = find_points()
    names = {point.name for point in points}
    for name in sorted(disabled - names):
        said = f"GPUOPT_DISABLE_PLUGINS: there is no plugin '{name}'{did_you_mean(name, names)}"
        problems.append(Problem(Severity.WARNING, said))
    for point in points:
        if point.name in disabled:
            continue
        twin = loaded.get(point.name)
        if twin is not None:
            raise PluginError(point.name, f"is provided by both {twin.source} and {point.source}; uninstall one")
        try:
            loaded[point.name] = _load(manager, point)
        except PluginError as error:
            problems.append(Problem(Severity.WARNING, str(error), point.name))
    return Plugins(tuple(loaded[name] for name in sorted(loaded)), tuple(problems), manager)


def register(plugins: Plugins, name: str, module: Any) -> Plugins:
    """The plugins with one more that is not installed: for tests and for plugins under development."""
    if plugins.get(name) is not None:
        raise PluginError(name, "is already registered")
    plugin = _register(plugins.manager, name, module, "local")
    loaded = tuple(sorted((*plugins.loaded, plugin), key=lambda item: item.name))
    return Plugins(loaded, plugins.problems, plugins.manager)


def no_plugins() -> Plugins:
    """An empty set, to `register` into."""
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(hooks)
    return Plugins((), (), manager)


def _load(manager: pluggy.PluginManager, point: Point) -> LoadedPlugin:
    source = point.source
    try:
        module = point.load()
    except Exception as error:
        raise PluginError(point.name, f"cannot be imported from {source}: {type(error).__name__}: {error}") from error
    return _register(manager, point.name, module, source)


def _register(manager: pluggy.PluginManager, name: str, module: Any, source: str) -> LoadedPlugin:
    try:
        manager.register(module, name)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        manager.unregister(name=name)
        raise PluginError(name, f"has a wrong hook: {' '.join(str(error).split())}") from error
    found = tuple(hook for hook in HOOKS if any(impl.plugin is module for impl in _impls(manager, hook)))
    try:
        info = _describe(name, module, found)
    except PluginError:
        manager.unregister(name=name)
        raise
    where = getattr(module, "__name__", type(module).__name__)
    return LoadedPlugin(info.name, info, source, where, found, module)


def _impls(manager: pluggy.PluginManager, hook: str) -> list[Any]:
    caller = getattr(manager.hook, hook)
    return list(caller.get_hookimpls())


def _describe(name: str, module: Any, found: tuple[str, ...]) -> PluginInfo:
    if "gpuopt_describe" not in found:
        raise PluginError(name, "does not implement gpuopt_describe")
    try:
        info = module.gpuopt_describe()
    except Exception as error:
        raise PluginError(name, f"gpuopt_describe raised {type(error).__name__}: {error}") from error
    if not isinstance(info, PluginInfo):
        raise PluginError(name, f"gpuopt_describe returned {type(info).__name__}, not PluginInfo")
    if info.name != name or not name.isidentifier():
        raise PluginError(
            name, f"describes itself as {info.name!r}; the entry point's name must be the same identifier"
        )
    wrong = next((code for code in info.codes if not _CODE.fullmatch(code)), None)
    if wrong is not None:
        raise PluginError(name, f"its message code {wrong!r} is not capitals followed by three digits, as in CATT002")
    if info.options is not None and not (dataclasses.is_dataclass(info.options) and _frozen(info.options)):
        raise PluginError(name, "its options are not a frozen dataclass")
    return info


def _frozen(options: type[Any]) -> bool:
    params = getattr(options, "__dataclass_params__", None)
    return bool(params is not None and params.frozen)

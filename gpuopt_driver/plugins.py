"""Finding plugins: ours and strangers' come through the same entry points, each is checked when it is loaded."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any, get_type_hints

import pluggy

from gpuopt_driver import apart, hooks, suspects
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import PluginError
from gpuopt_driver.hooks import PROJECT, PluginInfo
from gpuopt_driver.installation import OURS, Point, disabled_names, find_points
from gpuopt_driver.report.model import Problem, Severity
from gpuopt_driver.suggest import did_you_mean

_CODE = re.compile(r"[A-Z][A-Z0-9_]*[0-9]{3}")
_UNKNOWN_HOOK = re.compile(r"unknown hook '(\w+)'")  # pluggy's words
_FOREIGN_ARGUMENT = re.compile(r"for hook '(\w+)'.*Argument\(s\) \{(.*?)\} are declared")
_IMPORT_SECONDS = 20.0
LOCAL = "local"  # the source of plugins that are registered and not installed
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
    """Every installed plugin that can be used, sorted by name, and what keeps the others from being used."""
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
    for name in sorted(names - disabled):
        try:
            loaded[name] = _load(manager, _only([point for point in points if point.name == name]))
        except PluginError as error:
            problems.append(Problem(Severity.WARNING, f"{error}; it is left out", name))
    return Plugins(tuple(loaded.values()), tuple(problems), manager)


def _only(points: Sequence[Point]) -> Point:
    """The one entry point of a name. No stranger takes the place of a plugin of ours."""
    if len(points) > 1:
        sources = " and ".join(sorted(point.source for point in points))
        raise PluginError(points[0].name, f"is provided by both {sources}; uninstall one")
    return points[0]


def register(plugins: Plugins, name: str, module: Any) -> Plugins:
    """The plugins with one more that is not installed: for tests and for plugins under development."""
    if plugins.get(name) is not None:
        raise PluginError(name, "is already registered")
    plugin = _register(plugins.manager, name, module, LOCAL)
    loaded = tuple(sorted((*plugins.loaded, plugin), key=lambda item: item.name))
    return Plugins(loaded, plugins.problems, plugins.manager)


def no_plugins() -> Plugins:
    """An empty set, to `register` into."""
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(hooks)
    return Plugins((), (), manager)


def is_stranger(plugin: LoadedPlugin) -> bool:
    """Whether a plugin is installed and not ours: its hooks run in processes of their own."""
    return plugin.source != LOCAL and not plugin.module.startswith(OURS)


def _load(manager: pluggy.PluginManager, point: Point) -> LoadedPlugin:
    if point.name in suspects.left_out:
        raise PluginError(point.name, suspects.left_out[point.name])
    if not f"{point.module}.".startswith(OURS):
        tried = apart.call(lambda: _refusal(point), _IMPORT_SECONDS)
        if tried.failure:
            raise PluginError(point.name, f"{tried.failure} when it was imported (from {point.source})")
        if tried.value:
            raise PluginError(point.name, tried.value)
    with suspects.running(point.name, "when it was imported"), apart.settings_kept():
        return _imported(manager, point)


def _refusal(point: Point) -> str:
    """Why a plugin cannot be used, "" where it can."""
    try:
        _imported(no_plugins().manager, point)
    except PluginError as error:
        return error.reason
    return ""


def _imported(manager: pluggy.PluginManager, point: Point) -> LoadedPlugin:
    source = point.source
    try:
        module = point.load()
    except BaseException as error:  # it may raise anything; isolation is the purpose
        raise PluginError(point.name, f"cannot be imported from {source}: {_described(error)}") from error
    return _register(manager, point.name, module, source)


def _described(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _register(manager: pluggy.PluginManager, name: str, module: Any, source: str) -> LoadedPlugin:
    try:
        manager.register(module, name)
        plain = next((hook for hook in HOOKS if _is_plain(getattr(module, hook, None))), "")
        if plain:
            raise PluginError(name, f"its {plain} lacks @hookimpl, without which it is never called")
        manager.check_pending()
        found = tuple(hook for hook in HOOKS if any(impl.plugin is module for impl in _impls(manager, hook)))
        info = _describe(name, module, found)
        where = str(getattr(module, "__name__", type(module).__name__))
    except pluggy.PluginValidationError as error:
        manager.unregister(name=name)
        raise PluginError(name, f"has a wrong hook: {_wrong_hook(manager, error)}") from error
    except PluginError:
        manager.unregister(name=name)
        raise
    except BaseException as error:
        if manager.has_plugin(name):
            manager.unregister(name=name)
        raise PluginError(name, f"cannot be registered: {_described(error)}") from error
    return LoadedPlugin(info.name, info, source, where, found, module)


def _is_plain(function: object) -> bool:
    return callable(function) and not hasattr(function, f"{PROJECT}_impl")


def _wrong_hook(manager: pluggy.PluginManager, error: pluggy.PluginValidationError) -> str:
    """What pluggy says of a hook, and what was probably meant."""
    said = " ".join(str(error).split())
    unknown = _UNKNOWN_HOOK.match(said)
    if unknown is not None:
        there = f"; hooks are {', '.join(HOOKS)}"
        return f"there is no hook '{unknown[1]}'{did_you_mean(unknown[1], HOOKS) or there}"
    foreign = _FOREIGN_ARGUMENT.search(said)
    spec = getattr(manager.hook, foreign[1]).spec if foreign is not None and foreign[1] in HOOKS else None
    if foreign is None or spec is None:
        return said
    wrong = sorted(re.findall(r"\w+", foreign[2]))
    return f"{foreign[1]} has no argument {' and '.join(wrong)}: it may take {', '.join(spec.argnames)}"


def _impls(manager: pluggy.PluginManager, hook: str) -> list[Any]:
    caller = getattr(manager.hook, hook)
    return list(caller.get_hookimpls())


def _describe(name: str, module: Any, found: tuple[str, ...]) -> PluginInfo:
    if "gpuopt_describe" not in found:
        raise PluginError(name, "does not implement gpuopt_describe")
    try:
        info = module.gpuopt_describe()
    except BaseException as error:
        raise PluginError(name, f"gpuopt_describe raised {_described(error)}") from error
    if not isinstance(info, PluginInfo):
        raise PluginError(name, f"gpuopt_describe returned {type(info).__name__}, not PluginInfo")
    if info.name != name or not name.isidentifier():
        raise PluginError(
            name, f"describes itself as {info.name!r}; the entry point's name must be the same identifier"
        )
    if not isinstance(info.summary, str) or not isinstance(info.codes, Mapping):
        raise PluginError(name, "its summary is no text, or its codes are no mapping")
    if not all(isinstance(text, str) for item in info.codes.items() for text in item):
        raise PluginError(name, "its codes are not texts with texts")
    if not isinstance(info.figures, Mapping) or not all(
        isinstance(text, str) for one in info.figures.items() for text in one
    ):
        raise PluginError(name, "its figures are not texts with texts")
    if info.anywhere is not None and not callable(info.anywhere):
        raise PluginError(name, "its `anywhere` cannot be called")
    wrong = next((code for code in info.codes if not _CODE.fullmatch(code)), None)
    if wrong is not None:
        raise PluginError(name, f"its message code {wrong!r} is not capitals followed by three digits, as in CATT002")
    if info.options is not None and not (dataclasses.is_dataclass(info.options) and _frozen(info.options)):
        raise PluginError(name, "its options are not a frozen dataclass")
    if info.options is not None:
        try:
            get_type_hints(info.options)
            info.options()
        except BaseException as error:
            raise PluginError(name, f"its options cannot be made: {_described(error)}") from error
    return info


def _frozen(options: type[Any]) -> bool:
    params = getattr(options, "__dataclass_params__", None)
    return bool(params is not None and params.frozen)

"""Tables to dataclasses, field for field, with one-line errors; and the policy's words about plugins checked.

Used for `[driver]` and for every `[plugins.NAME]`: an option is a field, its type and limits are the field's.
"""

from __future__ import annotations

import types
from collections.abc import Collection, Iterable, Mapping
from dataclasses import Field, fields
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from gpuopt_driver import given
from gpuopt_driver.errors import PolicyError
from gpuopt_driver.policy.schema import DEFAULT, Origin, Phase, PluginPolicy, Policy
from gpuopt_driver.suggest import did_you_mean

if TYPE_CHECKING:
    from gpuopt_driver.hooks import PluginInfo

T = TypeVar("T")

# Our own plugins come in this order, strangers follow in alphabetical order.
ORDER = (
    *("unified_memory", "accumulators", "read_only", "cache_bypass", "catt", "vtb"),
    *("cta_clustering", "cta_mapping", "constants", "launch_shape", "coarsening"),
)
_QUOTED = 60  # characters
_KINDS: dict[Any, str] = {bool: "true or false", int: "an integer", float: "a number", str: "a string"}


def shortened(word: str) -> str:
    """A word of the user's as messages quote it."""
    return word if len(word) <= _QUOTED else f"{word[: _QUOTED - 3]}..."


def unknown_key(key: str, table: str, known: Iterable[str], origin: Origin) -> PolicyError:
    """The error for a key that does not exist."""
    return PolicyError(
        f"{origin}: unknown key '{shortened(key)}' in {table}{did_you_mean(key, known) or _valid(known)}"
    )


def _valid(known: Iterable[str]) -> str:
    names = ", ".join(f"'{name}'" for name in known)
    return f"; valid: {names}" if names else "; it has no keys"


def bind(
    cls: type[T], values: Mapping[str, Any], origins: Mapping[str, Origin], table: str, reserved: tuple[str, ...] = ()
) -> T:
    """An instance of the dataclass from a table's values; PolicyError names origin, key, and what is allowed.

    `reserved` are keys of the table that are not fields, for suggestions.
    """
    hints = get_type_hints(cls)
    known = {item.name: item for item in fields(cls) if item.init}  # type: ignore[arg-type]
    made: dict[str, Any] = {}
    for key, value in values.items():
        origin = origins.get(key, DEFAULT)
        if key not in known:
            raise unknown_key(key, table, (*reserved, *known), origin)
        made[key] = _checked(f"{origin}: {key} in {table}", value, hints[key], known[key])
    try:
        return cls(**made)
    except (TypeError, ValueError) as error:
        where = next(iter(origins.values()), DEFAULT)
        raise PolicyError(f"{where}: {table}: {error}") from error


def _checked(what: str, value: Any, hint: Any, item: Field[Any]) -> Any:
    """The value as the field's type, within the field's limits."""
    made = _typed(what, value, hint)
    for part in made if isinstance(made, tuple) else (made,):
        choices = item.metadata.get("choices")
        if choices is not None and part not in choices:
            hinted = did_you_mean(part, choices) if isinstance(part, str) else ""
            allowed = ", ".join(_toml(choice) for choice in choices)
            raise PolicyError(f"{what} must be one of {allowed}, not {_toml(part)}{hinted}")
        for limit, word in (("minimum", "at least"), ("maximum", "at most")):
            bound = item.metadata.get(limit)
            if bound is None or part == item.metadata.get("besides", bound):
                continue
            if part < bound if limit == "minimum" else part > bound:
                raise PolicyError(f"{what} must be {word} {bound}, not {_toml(part)}")
    return made


def _typed(what: str, value: Any, hint: Any) -> Any:
    """The value as the type says: an integer may stand for a float, an array for a tuple."""
    if get_origin(hint) in (Union, types.UnionType):  # "int | None": absent in TOML means None
        hint = next(arg for arg in get_args(hint) if arg is not type(None))
    if get_origin(hint) is tuple:
        if not isinstance(value, list | tuple):
            raise PolicyError(f"{what} must be an array, not {_toml(value)}")
        kinds = get_args(hint)
        if kinds[-1] is Ellipsis:
            kinds = (kinds[0],) * len(value)
        elif len(kinds) != len(value):
            raise PolicyError(f"{what} must be an array of {len(kinds)} elements, not {len(value)}")
        return tuple(_typed(f"{what}: each element", part, kind) for part, kind in zip(value, kinds, strict=True))
    if not given.is_usable_number(value):
        raise PolicyError(f"{what} must be a finite number of at most 64 bits, not {_toml(value)}")
    if hint is float and type(value) is int:
        return float(value)
    if type(value) is not hint:
        raise PolicyError(f"{what} must be {_KINDS.get(hint, hint)}, not {_toml(value)}")
    return value


def _toml(value: Any) -> str:
    """A value as TOML writes it, shortened, for messages."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{shortened(value)}"'
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "an array"
    return shortened(str(value)) if given.is_usable_number(value) or isinstance(value, float) else "a larger one"


def bind_options(info: PluginInfo, policy: PluginPolicy) -> Any:
    """The plugin's options object as the policy sets it (None for a plugin without options)."""
    table = f"[plugins.{info.name}]"
    if info.options is None:
        for key in policy.options:
            raise PolicyError(f"{policy.origins.get(key, DEFAULT)}: unknown key '{key}' in {table}; it has no options")
        return None
    return bind(info.options, policy.options, policy.origins, table, reserved=("enabled",))


def is_enabled(info: PluginInfo, policy: PluginPolicy) -> bool:
    """Whether the plugin runs: one that changes results (reordered sums) only if the policy says so in writing."""
    return policy.enabled and (not info.changes_results or "enabled" in policy.origins)


def phases_of(policy: Policy, names: Iterable[str]) -> tuple[Phase, ...]:
    """The policy's phases; plugins that no phase names come in a last one of their own, ours first."""
    named = {name for phase in policy.phases for name in phase.plugins}
    order = {name: position for position, name in enumerate(ORDER)}
    rest = sorted(set(names) - named, key=lambda name: (order.get(name, len(order)), name))
    return (*policy.phases, Phase("others", tuple(rest))) if rest else policy.phases


def check_plugins(policy: Policy, infos: Iterable[PluginInfo], absent: Collection[str] = ()) -> None:
    """Hold every plugin name and option of the policy against the plugins that there are, or raise PolicyError.

    `absent` are the names of plugins that are installed but were not loaded: the build goes on without them.
    """
    by_name = {info.name: info for info in infos}
    for phase in policy.phases:
        for name in phase.plugins:
            _known_plugin(name, by_name, absent, phase.origin)
    rules = (item for rule in policy.kernels for item in rule.plugins.items())
    for name, plugin in (*policy.plugins.items(), *rules):
        _known_plugin(name, by_name, absent, plugin.table)
        if name in by_name:
            bind_options(by_name[name], plugin)


def _known_plugin(name: str, known: Mapping[str, PluginInfo], absent: Collection[str], origin: Origin) -> None:
    if name not in known and name not in absent:
        installed = f"; installed: {', '.join(sorted(known)) or 'none'}"
        raise PolicyError(f"{origin}: unknown plugin '{shortened(name)}'{did_you_mean(name, known) or installed}")

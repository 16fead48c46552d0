"""What is forced: options for every plugin, another form for every kernel, and in which ways a build is run."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .program import Program

PLUGINS = (  # the order of gpuopt_driver.policy.options, which machines that only build do not have
    *("unified_memory", "accumulators", "read_only", "cache_bypass", "catt", "vtb"),
    *("cta_clustering", "cta_mapping", "constants", "launch_shape", "coarsening"),
)
Options = Mapping[str, object]
FORMS: Mapping[str, Sequence[Options]] = {
    "catt": (
        *({"fixed_tlp": [w, b], "minimum_trips": 0} for w, b in ((1, 0), (1, 0), (2, 0), (1, 1), (0, 2), (4, 1))),
        *(
            {"l1_bytes": 4096, "margin": 0.01, "minimum_trips": 0, "minimum_warps": 1, "model": m, "block_level": b}
            for m in ("paper", "sectored")
            for b in (True, False)
        ),
    ),
    "vtb": tuple(
        {"form": form, "factor": factor, "margin": 0.0}
        for form, factors in (("turns", (2, 2, 3, 4, 8)), ("pipe", (2, 3, 4)), ("auto", (2, 4)), ("co", (2, 3)))
        for factor in factors
    ),
    "cta_clustering": (
        *(
            {"order": o, "form": f}
            for o in ("row", "column", "tile", "direction")
            for f in ("redirect", "clusters", "agents")
        ),
        {"order": "tile", "tile": [2, 2, 1], "axes": "yxz xyz"},
        {"order": "tile", "tile": [2, 0, 2], "axes": "zyx yzx"},
        {"order": "column", "form": "agents", "active_agents": 1, "prefetch": True},
        {"order": "row", "bypass": True},
        {"order": "custom", "custom": ["gx - 1 - x", "gy - 1 - y", "gz - 1 - z"]},
    ),
    "cta_mapping": tuple({"form": "agents", "direction": d} for d in ("x", "y", "auto")),
    "cache_bypass": (
        *({"method": "bypass-all", "operator": o} for o in ("cs", "no_allocate", "cg", "evict_first", "lu")),
        {"method": "fixed", "fixed": [0], "operator": "cs"},
        {"method": "fixed", "fixed": [1, 2], "operator": "no_allocate_l2_first"},
    ),
    "accumulators": ({},),
    "read_only": ({},),
    "launch_shape": (
        *({"form": "split", "factor": factor} for factor in (2, 2, 4)),
        *({"form": "join", "factor": factor} for factor in (2, 2, 4, 4, 8, 32)),
    ),
    "coarsening": (
        *({"factors": [factor], "forced": True} for factor in (2, 2, 3, 4)),
        *({"form": "neighbours", "forced": True},) * 3,
    ),
    "unified_memory": tuple({"carveout": percent} for percent in (0, 25, 50, 100)),
    "constants": tuple({"pick": "always", "sets": 4, "form": f} for f in ("plain", "plain", "capped", "spilling")),
}
_SEEN = 0.5  # how many kernels have numbers of launches in the policy
Forced = Mapping[str, Mapping[str, Options]]  # kernel -> plugin -> options


@dataclass(frozen=True)
class Run:
    """One way to run a build: which versions its launches may get."""

    name: str
    environment: Mapping[str, str]


def forced(program: Program, turn: int = 0) -> Forced:
    """Options for each kernel of a program; another turn forces other ones."""
    rng, numbers = random.Random(f"{program.seed} {turn}"), random.Random(f"numbers {program.seed} {turn}")
    chosen = {one.name: {plugin: _options(rng, plugin, one.text) for plugin in PLUGINS} for one in program.kernels}
    for name, options in chosen.items():
        seen = [one.numbers for one in program.launches if one.kernel == name]
        if seen and numbers.random() < _SEEN:  # as if a run had been watched
            known = sorted(numbers.sample(seen, min(2, len(seen))))
            options["constants"] = {**options["constants"], "known": known, "watch": numbers.random() < _SEEN}
    return chosen


def _options(rng: random.Random, plugin: str, text: str) -> Options:
    options: dict[str, object] = dict(rng.choice(FORMS[plugin]))
    if plugin == "cache_bypass" and "float f0" not in text:
        options["rounding"] = "any"  # nothing there is rounded
    return options


def policy(chosen: Forced, plugins: Sequence[str] = PLUGINS) -> str:
    """The text of a `toolchain.toml`, of these plugins alone."""
    # A hundred kernels in one file are more than people write: the limits of an analysis are not what is tested.
    lines = ["[driver]\nmemory_mb = 2000\nplugin_seconds = 300.0"]
    lines += [f"[plugins.{name}]\nenabled = {json.dumps(name in plugins)}" for name in PLUGINS]
    for kernel, options in chosen.items():
        lines.append(f'[[kernel]]\nname = "{kernel}"')
        lines += [f"{name} = {_table(options[name])}" for name in plugins if name in options]
    return "\n".join(lines) + "\n"


def candidates(plugins: Sequence[str] = PLUGINS) -> str:
    """The text of a `toolchain.toml` that forces nothing: whatever plugins offer to be measured."""
    lines = ["[driver]\nmemory_mb = 2000\nplugin_seconds = 300.0", "[learn]\nversions = 1000"]
    return (
        "\n".join([*lines, *(f"[plugins.{name}]\nenabled = {json.dumps(name in plugins)}" for name in PLUGINS)]) + "\n"
    )


def _table(options: Options) -> str:
    return "{ " + ", ".join(f"{key} = {json.dumps(value)}" for key, value in options.items()) + " }"


def runs(seed: int, plugins: Sequence[str] = PLUGINS) -> list[Run]:
    """Each plugin's versions alone, vtb's others, and all together."""
    rng = random.Random(f"runs {seed}")
    made = [Run(name, {"GPUOPT_DISPATCH": f"only:{name}"}) for name in plugins]
    if "vtb" in plugins:
        other = f"{rng.choice((2, 3, 4, 5, 7, 8))} {rng.randrange(4)}"
        made.append(Run(f"vtb {other}", {"GPUOPT_DISPATCH": "only:vtb", "GPUOPT_VTB": other}))
    return [*made, Run("together", {"GPUOPT_DISPATCH": "trace"})] if len(plugins) > 1 else made

"""What a plugin does to a case, held against the case's files."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from gpuopt_driver import host
from gpuopt_driver.errors import UsageError
from gpuopt_driver.learning.runtime import Learning
from gpuopt_driver.phases import Examination
from gpuopt_driver.pipeline import examine
from gpuopt_driver.plugins import Plugins, load_plugins, no_plugins, register
from gpuopt_driver.policy.schema import DEFAULT, PluginPolicy, Policy
from gpuopt_driver.suggest import did_you_mean
from gpuopt_driver.testing.cases import Case, CaseError
from gpuopt_driver.variants.abridge import abridge
from gpuopt_driver.variants.emit import VERSION

Plugin = ModuleType | str | Any  # a module (or object) with the hooks, or the name of an installed plugin


def only(plugin: Plugin) -> tuple[str, Plugins]:
    """A plugin's name, and a set of plugins that holds no other."""
    if isinstance(plugin, str):
        installed = load_plugins()
        found = installed.get(plugin)
        if found is None:
            known = did_you_mean(plugin, installed.names) or f"; installed: {', '.join(installed.names) or 'none'}"
            raise UsageError(f"plugin {plugin} is not installed{known}")
        plugin = found.object
    name = plugin.gpuopt_describe().name
    return name, register(no_plugins(), name, plugin)


def examine_case(case: Case, plugin: Plugin) -> Examination:
    """What the plugin alone, switched on, does to the case."""
    name, plugins = only(plugin)
    mine = PluginPolicy(options=case.options, origins={"enabled": DEFAULT})
    policy = Policy(gpu=case.gpu, plugins={name: mine}, learn=Learning(mode=case.learn))
    return examine(str(case.source.resolve()), case.nvcc_args, policy, plugins=plugins)


def check_case(case: Case, plugin: Plugin, *, update: bool = False) -> None:
    """Hold what the plugin makes of a case against its files (AssertionError), or write these with `update`."""
    examined = examine_case(case, plugin)
    path = str(case.source.resolve())
    for problem in examined.report.problems:
        raise AssertionError(f"{case.source}: {problem.message}")
    others = sorted(set(examined.patched) - {path})
    if others:
        raise AssertionError(f"{case.source}: a case is one file, but {others[0]} is changed too")
    _check_codes(case, plugin, examined)
    before = case.source.read_bytes()
    after = shortened(examined.patched.get(path, before))
    if case.is_noop:
        if case.expected.exists():
            raise CaseError(f"{case.expected}: a case that must not be touched has no expected file; delete it")
        _compare(case.source, before, after, "must not be touched")
    elif after == before:
        raise AssertionError(f"{case.source}: nothing was changed; {_said(examined)}")
    else:
        need_run(case)
        _check_file(case.expected, after, update=update)
    _check_file(case.report, report_text(examined).encode(), update=update)


def need_run(case: Case) -> None:
    """Every rewrite is executed: CaseError for a source that is patched and does not say how to run it."""
    if not case.runs:
        raise CaseError(f"{case.source}: a source that is patched needs a // run: line, so that it is executed")


def report_text(examined: Examination) -> str:
    """The findings as a report file has them: a line `kernel decision CODE` each."""
    return "".join(f"{item.kernel} {item.decision.value} {item.code}\n" for item in examined.report.findings)


def shortened(data: bytes) -> bytes:
    """Patched bytes as an expected file has them: without what is the same for all sources or differs by place."""
    data = abridge(data).replace(f"inline namespace {VERSION} ".encode(), b"inline namespace VERSION ")
    return re.sub(rb"(GPUOPT_VARIANTS|GPUOPT_SUPPORT)_[0-9A-F]{16}", rb"\1", data)


def _check_codes(case: Case, plugin: Plugin, examined: Examination) -> None:
    name, plugins = only(plugin)
    found = plugins.get(name)
    known = {*host.CODES, *(found.info.codes if found else ())}
    for item in examined.report.findings:
        if item.code not in known:
            raise AssertionError(f"{case.source}: the code {item.code} is not among those of gpuopt_describe")


def _check_file(path: Path, data: bytes, *, update: bool) -> None:
    if update:
        path.write_bytes(data)
    elif not path.exists():
        raise AssertionError(
            f"{path}: there is no such file; pytest --update-golden writes it, read it before you keep it"
        )
    else:
        _compare(path, path.read_bytes(), data, "differs; pytest --update-golden rewrites it")


def _compare(path: Path, wanted: bytes, got: bytes, what: str) -> None:
    if wanted == got:
        return
    old, new = (data.decode("utf-8", "replace").splitlines(keepends=True) for data in (wanted, got))
    diff = "".join(difflib.unified_diff(old, new, str(path), "now"))
    raise AssertionError(f"{path}: {what}\n{diff}")


def _said(examined: Examination) -> str:
    said = [f"{item.kernel}: {item.code} {item.message}" for item in examined.report.findings]
    return "; ".join(said) or "there is no kernel in it"

"""`gpuopt choices`: what built programs have learned of versions: shown, exported, merged, forgotten."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from gpuopt_driver.commands.show import show, show_json, warn
from gpuopt_driver.errors import GpuoptError, UsageError
from gpuopt_driver.learning.files import Found, Place, append, export, is_choices, place, records_at, rewrite
from gpuopt_driver.learning.records import Record, pooled
from gpuopt_driver.policy import load_policy
from gpuopt_driver.report.choices import document, list_lines, schema_text, show_lines, summary
from gpuopt_driver.suggest import did_you_mean

_ACTIONS = {
    "list": "a line per launch (default)",
    "show": "every version of the launches of some kernels, or of all",
    "export": "write all to one file, that can be committed",
    "merge": "take over what other files hold",
    "forget": "remove the records of some kernels, or of all",
}
_ALL = "*"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    general = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    add_place_arguments(general)
    general.add_argument("--json", action="store_true", help="print JSON")
    add_place_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--schema", action="store_true", help="print the schema of the JSON")
    parser.set_defaults(choices="", policy="")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    for name, text in _ACTIONS.items():
        action = actions.add_parser(name, parents=[general], help=text, allow_abbrev=False)
        if name == "show":
            said = "their names, with or without namespaces; default: all"
            action.add_argument("kernel", metavar="KERNEL_GLOB", nargs="?", default=_ALL, help=said)
        elif name == "export":
            action.add_argument("file", metavar="FILE", type=Path)
        elif name == "merge":
            action.add_argument("files", metavar="FILE", nargs="+", help="files or directories of choices")
            action.add_argument("--into", metavar="DIR_OR_FILE", default="", help="default: as --choices")
        elif name == "forget":
            action.add_argument("kernel", metavar="KERNEL_GLOB", nargs="?", default=_ALL, help="default: all")
            action.add_argument("--yes", action="store_true", help="do not ask")


def add_place_arguments(parser: argparse.ArgumentParser) -> None:
    """What says where choices are."""
    said = "where choices are; default: GPUOPT_CHOICES, the policy's, or gpuopt's cache"
    parser.add_argument("--choices", metavar="DIR_OR_FILE", help=said)
    parser.add_argument("--policy", metavar="FILE", help="the policy that says where choices are; default: as found")


def place_of(named: str, policy_file: str) -> Place:
    """Where the choices are that the command is about."""
    chosen = ""
    if not (named or os.environ.get("GPUOPT_CHOICES")):
        policy = load_policy([], explicit=policy_file or None, env=os.environ)
        if policy.refused:
            warn(policy.refused)
        chosen = getattr(getattr(policy, "learn", None), "choices", "")
        chosen = os.path.join(os.path.dirname(policy.path), chosen) if chosen else ""  # noqa: PTH118, PTH120
    return place(named, chosen, os.environ)


def found_at(where: Place) -> Found:
    """All records there; files that were not read are warned of."""
    try:
        found = records_at(where, os.environ) if os.path.lexists(where.path) else Found()
    except NotADirectoryError as error:
        raise GpuoptError(f"{where.path}: cannot read choices: {error.strerror}") from error
    for line in found.refused:
        warn(line)
    return found


def run(arguments: argparse.Namespace) -> int:
    """Do what is asked for."""
    if arguments.schema:
        show(schema_text())
        return 0
    where = place_of(arguments.choices or getattr(arguments, "into", ""), arguments.policy)
    actions: dict[str, Callable[[argparse.Namespace, Place], int]] = {
        "list": _list,
        "show": _show,
        "export": _export,
        "merge": _merge,
        "forget": _forget,
    }
    return actions[arguments.action or "list"](arguments, where)


def _list(arguments: argparse.Namespace, where: Place) -> int:
    found = found_at(where)
    records = pooled(found.records)
    if where.is_file and not records and found.damaged:
        raise GpuoptError(f"{where.path}: holds no choices; `gpuopt choices export FILE` writes such files")
    if arguments.json:
        show_json(document(str(where.path), records, found.damaged))
    else:
        show([*list_lines(records), *_damage(found)] if records else [_nothing(where), *_damage(found)])
    return 0


def _show(arguments: argparse.Namespace, where: Place) -> int:
    found = found_at(where)
    records = _matching(pooled(found.records), arguments.kernel, where)
    if arguments.json:
        show_json(document(str(where.path), records, found.damaged))
    else:
        show(line for record in records for line in show_lines(record))
        show(_damage(found))
    return 0


def _export(arguments: argparse.Namespace, where: Place) -> int:
    found = found_at(where)
    records = pooled(found.records)
    if not records:
        raise GpuoptError(_nothing(where))
    if where.is_file and _is_same(arguments.file, where.path):
        raise UsageError(f"{arguments.file}: is where the choices are; name another file")
    export(arguments.file, records, os.environ)
    if arguments.json:
        show_json(document(str(arguments.file), records, found.damaged))
    else:
        show([f"{arguments.file}: {summary(records)}", *_damage(found)])
    return 0


def _merge(arguments: argparse.Namespace, where: Place) -> int:
    if arguments.into and arguments.choices:
        raise UsageError("--into and --choices both say where to; give one of them")
    if where.is_file and os.path.lexists(where.path) and not is_choices(where.path, os.environ):
        raise GpuoptError(f"{where.path}: is there and holds no choices; name another file with --into")
    readings = [_readable(path, where) for path in arguments.files]  # all, before anything is written
    written = append(where, [record for one in readings for record in pooled(one.records)], os.environ, once=True)
    damaged = sum(one.damaged for one in readings)
    records = pooled(found_at(where).records)
    if arguments.json:
        show_json(document(str(where.path), records, damaged))
    else:
        show([f"{where.path}: {written} new records; {summary(records)}", *_damage(Found(damaged=damaged))])
    return 0


def _readable(name: str, target: Place) -> Found:
    """The records of a file or directory to merge."""
    path = Path(name)
    source = Place(path, "FILE")
    if not os.path.lexists(path):
        raise GpuoptError(f"{path}: no such file or directory")
    if any(_is_same(one, other) for one in source.files() for other in target.files()):
        raise UsageError(f"{path}: is part of {target.path}, into which it is to be merged")
    found = found_at(source)
    if not found.records:
        raise GpuoptError(f"{path}: holds no choices; `gpuopt choices export FILE` writes such files")
    return found


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _forget(arguments: argparse.Namespace, where: Place) -> int:
    found = found_at(where)
    if not found.records:
        show_json(document(str(where.path), [], found.damaged)) if arguments.json else show([_nothing(where)])
        return 0
    records = _matching(pooled(found.records), arguments.kernel, where)
    if not (arguments.yes or _agreed(f"forget {summary(records)}?")):
        raise GpuoptError(f"nothing forgotten; --yes forgets {summary(records)}")
    keys = {record.key for record in records}

    def others(several: Sequence[Record]) -> Iterable[Record]:
        return [record for record in several if record.key not in keys]

    for path in where.files():
        try:
            holds = any(record.key in keys for record in records_at(Place(path, ""), os.environ).records)
        except GpuoptError:
            continue  # it was warned of
        if holds:
            rewrite(path, others, os.environ)
    if arguments.json:
        show_json(document(str(where.path), records, found.damaged))
    else:
        show([f"{where.path}: forgotten: {summary(records)}"])
    return 0


def _agreed(question: str) -> bool:
    """Whether the user says yes; nobody does where nobody can."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    sys.stderr.write(f"gpuopt: {question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _matching(records: Sequence[Record], glob: str, where: Place) -> list[Record]:
    """Those of kernels with such names; GpuoptError where there is none."""
    found = [record for record in records if any(fnmatchcase(name, glob) for name in _names(record.kernel))]
    if found:
        return found
    if not records:
        raise GpuoptError(_nothing(where))
    known = {name for record in records for name in _names(record.kernel)}
    raise GpuoptError(f"{where.path}: no choices for a kernel '{glob}'{did_you_mean(glob, known)}")


def _names(kernel: str) -> tuple[str, ...]:
    """A kernel's qualified name, and that without template arguments and without namespaces."""
    instance = kernel.partition(" [")[0]  # "k<T> [with T = float]"
    plain = instance.partition("<")[0]
    return kernel, instance, plain, plain.rpartition("::")[2]


def _nothing(where: Place) -> str:
    how = "programs that gpuopt-nvcc built write them while they run"
    return f"{where.path}: no choices yet; {how} (GPUOPT_LEARN=on), or `gpuopt tune -- ./app`"


def _damage(found: Found) -> list[str]:
    lines = f"{found.damaged} damaged line{'s' if found.damaged != 1 else ''}"
    return [f"{lines} skipped"] if found.damaged else []

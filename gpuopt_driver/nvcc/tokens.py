"""How nvcc cuts text into arguments: environment flags, options files, comma lists, and our own options."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import UsageError
from gpuopt_driver.variables import is_on

PREFIX = "--gpuopt-"
_MAX_NESTING = 16  # options files that include each other
FLAGS = ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS")  # arguments from the environment, before and behind the user's
_BLANKS_IN_FILES = " \t\r\n"


@dataclass(frozen=True, slots=True)
class GpuoptOptions:
    """Our own options: the flag where given, else its environment twin, else None (`off`: False)."""

    policy: str | None = None
    backend: str | None = None
    report: str | None = None
    gpu: str | None = None
    off: bool = False


_VALUED = ("policy", "backend", "report", "gpu")


def split_gpuopt(argv: Sequence[str], env: Mapping[str, str]) -> tuple[GpuoptOptions, tuple[str, ...]]:
    """Our options and the user's argv without them, otherwise untouched; UsageError for one that does not exist."""
    values: dict[str, str] = {name: env[variable] for name in _VALUED if env.get(variable := f"GPUOPT_{name.upper()}")}
    off = is_on(env, "GPUOPT_OFF")
    rest: list[str] = []
    arguments = iter(argv)
    for argument in arguments:
        if not argument.startswith(PREFIX):
            rest.append(argument)
            continue
        name, equals, value = argument[len(PREFIX) :].partition("=")
        if name == "off" and not equals:
            off = True
        elif name in _VALUED:
            value = value if equals else next(arguments, "")
            if not value:
                raise UsageError(f"{PREFIX}{name}: needs a value, as in {PREFIX}{name}=VALUE")
            values[name] = value
        else:
            from difflib import get_close_matches  # noqa: PLC0415 - somebody has misspelled an option

            near = get_close_matches(name, (*_VALUED, "off"), n=1)
            known = f"known: {PREFIX}{{{','.join((*_VALUED, 'off', 'help'))}}}"
            hint = f"did you mean {PREFIX}{near[0]}?" if near else known
            raise UsageError(f"{argument}: no such option; {hint}")
    return GpuoptOptions(off=off, **values), tuple(rest)


def split_list(value: str, *, escapes: bool = False) -> tuple[str, ...]:
    """The elements of a comma list, as written but for escapes; commas inside double quotes do not separate.

    `escapes`: a backslash protects the next character and goes away (-D, -U, -Xcompiler); else it is one like others.
    """
    items: list[str] = []
    item: list[str] = []
    quoted = False
    characters = iter(value)
    for character in characters:
        if character == "\\" and escapes:
            item.append(next(characters, ""))
        elif character == "," and not quoted:
            items.append("".join(item))
            item = []
        else:
            quoted ^= character == '"'
            item.append(character)
    items.append("".join(item))
    return tuple(item for item in items if item)


def join_list(item: str, *, escapes: bool = False) -> str:
    """A list of this one element, such that `split_list` (and nvcc) finds it again."""
    if split_list(item, escapes=escapes) == (item,):
        return item
    if escapes:
        return re.sub(r'([\\",])', r"\\\1", item)
    return f'"{item}"'


def unquote(value: str) -> str:
    """A path without the double quotes around it."""
    return value[1:-1] if len(value) >= 2 and value[0] == value[-1] == '"' else value


def split_options_file(text: str) -> Iterator[str]:
    """The arguments in an options file: blanks separate, double quotes group, a backslash protects; no comments.

    nvcc resolves the backslashes first and takes out quotes later, those behind a backslash that has remained excepted.
    """
    word: list[str] = []
    quoted = started = False
    characters = iter(text)
    for character in characters:
        if character == "\\":
            word.append(next(characters, ""))
            started = True
        elif character in _BLANKS_IN_FILES and not quoted:
            if started:
                yield _without_quotes("".join(word))
            word, started = [], False
        else:
            quoted ^= character == '"'
            word.append(character)
            started = True
    if started:
        yield _without_quotes("".join(word))


def _without_quotes(word: str) -> str:
    return re.sub(r'(\\.)|"', lambda found: found[1] or "", word, flags=re.DOTALL)


_OPTF = ("-optf", "--options-file")


def _files_of(arguments: Iterator[str], argument: str) -> tuple[str, ...] | None:
    name, equals, value = argument.partition("=")
    if name not in _OPTF:
        return None
    return split_list(value if equals else next(arguments, ""))


def expand(argv: Sequence[str], cwd: str, unreadable: list[str] | None = None, depth: int = 0) -> Iterator[str]:
    """argv with options files replaced by what is in them; `unreadable` gets those that cannot be read."""
    arguments = iter(argv)
    for argument in arguments:
        files = _files_of(arguments, argument)
        if files is None:
            yield argument
            continue
        for file in files:
            try:
                text = Path(cwd, file.replace('"', "")).read_text("utf-8", "surrogateescape")
            except (OSError, ValueError):
                if unreadable is not None:
                    unreadable.append(file)
                continue
            if depth < _MAX_NESTING:
                yield from expand(tuple(split_options_file(text)), cwd, unreadable, depth + 1)


def split_flags(flags: str) -> tuple[str, ...]:
    """The arguments in NVCC_PREPEND_FLAGS or NVCC_APPEND_FLAGS: blanks and tabs separate, quotes group (and stay)."""
    return tuple(re.findall(r'(?:"(?:\\.|[^"\\])*"?|[^ \t"])+', flags, flags=re.DOTALL))


def with_environment(argv: Sequence[str], env: Mapping[str, str]) -> tuple[str, ...]:
    """argv between NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS."""
    before, after = (split_flags(env.get(name, "")) for name in FLAGS)
    return (*before, *argv, *after)

"""What nvcc calls in place of the host compiler (see shim.py): `host_shim.py DIRECTORY COMPILER ARGV0 ARGS...`.

Preprocesses in the mirror below DIRECTORY and takes the mirror's name out of all that is written; everything else is
the compiler's own business. Runs as a script, without the package.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

_PATHS = ("-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-I")
_MARKER = re.compile(rb'^#(?:line)? \d+ "((?:[^"\\]|\\.)*)"', re.MULTILINE)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)")


class _Mirror:
    """The mirror, and what its names stand for."""

    def __init__(self, directory: str) -> None:
        with open(os.path.join(directory, "plan.json"), encoding="ascii") as file:  # noqa: PTH118, PTH123
            plan = json.load(file)
        self.root = os.path.join(directory, "root")  # noqa: PTH118
        self.cwd = self.root + os.getcwd()  # noqa: PTH109
        self.originals = frozenset(plan["originals"])
        self.mirrored = self.originals | frozenset(plan["directories"])
        self.names = {self.root: ""}

    def name(self, path: str) -> str:
        """The name under which the mirror has a path; the path itself where the mirror has no say."""
        real = os.path.realpath(path)
        inside = self.root + real
        if real not in self.mirrored:
            return path
        if not os.path.isabs(path):  # noqa: PTH117
            reached = os.path.join(self.cwd, path)  # noqa: PTH118
            folder, last = (reached, "") if os.path.isdir(reached) else os.path.split(reached)  # noqa: PTH112
            if os.path.join(os.path.realpath(folder), last).rstrip("/") == inside:  # noqa: PTH118
                return path
        self.names[inside] = path
        return inside

    def without(self, text: bytes) -> bytes:
        """Text in which the mirror's names are the real ones again."""
        for inside in sorted(self.names, key=len, reverse=True):
            text = text.replace(os.fsencode(inside), os.fsencode(self.names[inside]))
        return text

    def seen(self, text: bytes) -> str:
        """An original that preprocessed text comes from, "" if it all comes from copies."""
        for escaped in set(_MARKER.findall(text)):
            name = os.fsdecode(_ESCAPE.sub(_unescaped, escaped))
            place = os.path.realpath(os.path.join(self.cwd, name))  # noqa: PTH118
            if place in self.originals:
                return place
        return ""


def _unescaped(match: re.Match[bytes]) -> bytes:
    text = match.group(1)
    return bytes([int(text, 8) & 255]) if text.isdigit() else text


def _arguments(mirror: _Mirror, arguments: list[str]) -> tuple[list[str], str]:
    """The arguments for the mirror, and where the result goes ("" for standard output)."""
    changed: list[str] = []
    output = ""
    rest = iter(arguments)
    for argument in rest:
        option = next((name for name in _PATHS if argument.startswith(name)), "")
        if argument == "-o":
            output = os.path.abspath(next(rest, ""))  # noqa: PTH100
        elif argument.startswith(("-M", "-P", "@")):  # other outputs, or no markers to see by what was read
            raise SystemExit(f"gpuopt: error: {argument}: not with the host compiler's stand-in")
        elif option and argument == option:
            changed += [option, mirror.name(next(rest, ""))]
        elif option:
            changed.append(option + mirror.name(argument[len(option) :]))
        elif not argument.startswith("-") and os.path.isfile(argument):  # noqa: PTH113
            changed.append(mirror.name(argument))
        else:
            changed.append(argument)
    return changed, output


def _preprocess(mirror: _Mirror, compiler: str, shown: str, arguments: list[str], env: dict[str, str]) -> int:
    changed, output = _arguments(mirror, arguments)
    maps = [f"-fmacro-prefix-map={inside}={name}" for inside, name in mirror.names.items() if name]
    done = subprocess.run(
        [shown, *maps, *changed], executable=compiler, cwd=mirror.cwd, env=env, capture_output=True, check=False
    )
    original = mirror.seen(done.stdout)
    if original:
        raise SystemExit(f"gpuopt: error: {original}: reached past its patched copy")
    text = mirror.without(done.stdout)
    if output:
        with open(output, "wb") as file:  # noqa: PTH123
            file.write(text)
    else:
        sys.stdout.buffer.write(text)
    sys.stderr.buffer.write(mirror.without(done.stderr))
    return done.returncode


def main() -> int:
    """Entry point; the exit status is the compiler's."""
    directory, compiler, shown, *arguments = sys.argv[1:]
    ours = f"{directory}/bin"
    path = os.pathsep.join(place for place in os.environ.get("PATH", "").split(os.pathsep) if place != ours)
    env = {**os.environ, "PATH": path}
    if "-E" not in arguments:
        os.execve(compiler, [shown, *arguments], env)  # noqa: S606
    return _preprocess(_Mirror(directory), compiler, shown, arguments, env)


if __name__ == "__main__":
    sys.exit(main())

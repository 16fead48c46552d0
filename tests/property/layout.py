"""Ways to write the same tokens down: joined lines, comments full of braces, CRLF, continuations, conditionals."""

from __future__ import annotations

import random
import re

_TRAILING = ("// }", "// {{ for (;;) {", "/* } */", '// "', "// <<<", "/* ' */", "// if (x) {", "/* */ // */ }")
_INSIDE = ("/* { */", "/* } return; */", "/* // */", "/**/", '/* " */')


def lay_out(rng: random.Random, lines: list[str]) -> bytes:
    """The lines as a file's bytes; lines that start with `#` stay alone."""
    style = rng.choice(("plain", "plain", "dense", "noisy", "noisy", "sparse"))
    out: list[str] = []
    for line in lines:
        if line.startswith("#") or style == "plain":
            out.append(line)
        elif style == "dense":
            joins = out and not out[-1].startswith("#") and "//" not in out[-1] and rng.random() < 0.7
            if joins and len(out[-1]) < 300:
                out[-1] += rng.choice((" ", "", "  ", "\t")) + line if _may_touch(out[-1], line) else " " + line
            else:
                out.append(line)
        elif style == "sparse":
            out.extend(_split(rng, line))
        else:
            out.extend(_noise(rng, line))
    text = "\n".join(out) + ("\n" if rng.random() < 0.8 else "")
    return text.replace("\n", "\r\n").encode() if rng.random() < 0.2 else text.encode()


def _may_touch(left: str, right: str) -> bool:
    return not (re.search(r"[\w:]$", left) and re.match(r"[\w:]", right))


def _spaces(line: str) -> list[int]:
    """Spaces between tokens: outside of strings and comments."""
    if '"' in line or "/*" in line or "//" in line:
        return []
    return [match.start() for match in re.finditer(" ", line)]


def _split(rng: random.Random, line: str) -> list[str]:
    """A line break, sometimes escaped, at a space."""
    at = _spaces(line)
    if not at or rng.random() < 0.6:
        return [line]
    where = rng.choice(at)
    return [line[:where] + rng.choice(("", "", " \\", " // \\ }")[:3]), line[where + 1 :]]


def _noise(rng: random.Random, line: str) -> list[str]:
    kind = rng.random()
    if kind < 0.2:
        return [f"{line} {rng.choice(_TRAILING)}"]
    if kind < 0.3:
        return [f"{rng.choice(_INSIDE)} {line}"]
    at = _spaces(line)
    if kind < 0.4 and at:
        where = rng.choice(at)
        return [f"{line[:where]} {rng.choice(_INSIDE)} {line[where + 1 :]}"]
    if kind < 0.45:
        return ["#if 1", line, "#else", "} while (", "#endif"]
    if kind < 0.48:
        return ["#ifdef NEVER_DEFINED", "{ {", "#endif", line]
    if kind < 0.5:
        return ["#if defined(__CUDACC__) || 1 // {", line, "#endif"]
    if kind < 0.53:
        return ["", line]
    return [line]

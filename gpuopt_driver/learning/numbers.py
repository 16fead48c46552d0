"""What programs wrote down of their launches (`GPUOPT_NUMBERS`): read, joined, and told to the policy.

A line of the file is a JSON object: one kernel (or instantiation) in one run of the program. docs/constants.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gpuopt_driver import given
from gpuopt_driver.dataclass import dataclass

FORMAT = 1
MOST_ENTRIES = 4  # that constants makes versions for (`sets`)
_USUAL_ENTRIES = 2  # by default
_WIDEST = 64  # numbers of a kernel
_DIMENSIONS = ("blockDim", "gridDim")


@dataclass(frozen=True, slots=True)
class Numbers:
    """What launches of a kernel had: values that all had alike, and how many launches had which set of keyed values.

    `others`: launches with other sets than the first 16 that were seen.
    """

    kernel: str
    file: str
    names: tuple[str, ...]
    keyed: int
    launches: int
    alike: tuple[int | None, ...]
    sets: Mapping[tuple[int, ...], int]
    others: int = 0

    @property
    def common(self) -> Mapping[str, int]:
        """The numbers that all launches had."""
        return {name: value for name, value in zip(self.names, self.alike, strict=True) if value is not None}

    @property
    def distinct(self) -> list[tuple[Mapping[str, int], int]]:
        """Each set that was seen with its launches, the most frequent first; with what all launches had."""
        ordered = sorted(self.sets.items(), key=lambda pair: (-pair[1], pair[0]))
        return [({**dict(zip(self.names, values, strict=False)), **self.common}, count) for values, count in ordered]

    def joined(self, other: Numbers) -> Numbers:
        """The same of both, which have the same names."""
        alike = tuple(one if one == two else None for one, two in zip(self.alike, other.alike, strict=True))
        sets = dict(self.sets)
        for values, count in other.sets.items():
            sets[values] = sets.get(values, 0) + count
        launches = self.launches + other.launches
        return Numbers(
            self.kernel, self.file, self.names, self.keyed, launches, alike, sets, self.others + other.others
        )


class Damaged(ValueError):
    """A line that is no record, and why, as the rest of a sentence."""


def record(line: str) -> Numbers:
    """The record on a line; Damaged says why there is none."""
    try:
        told = given.json_document(line.encode())
    except given.Unusable as error:
        raise Damaged(str(error)) from error
    if not isinstance(told, dict) or "gpuopt-numbers" not in told:
        raise Damaged("no record of a program that GPUOPT_NUMBERS was set for")
    if told["gpuopt-numbers"] != FORMAT:
        raise Damaged(f"of another version of gpuopt (format {str(told['gpuopt-numbers'])[:20]}, not {FORMAT})")
    try:
        return _checked(told)
    except (KeyError, TypeError, ValueError) as error:
        raise Damaged("a record whose parts do not belong together") from error


def _checked(told: Mapping[str, Any]) -> Numbers:
    names, keyed, alike = tuple(told["names"]), told["keyed"], tuple(told["alike"])
    sets = {tuple(values): count for count, *values in told["sets"]}
    numbers = (keyed, told["launches"], told["others"], *sets.values(), *(value for values in sets for value in values))
    texts = (told["kernel"], told["file"], *names)
    if not all(isinstance(text, str) for text in texts) or not all(type(number) is int for number in numbers):
        raise TypeError
    if not 0 < keyed <= len(names) <= _WIDEST or len(alike) != len(names) or any(len(one) != keyed for one in sets):
        raise ValueError
    if not all(value is None or type(value) is int for value in alike) or len(set(names)) != len(names):
        raise ValueError
    return Numbers(told["kernel"], told["file"], names, keyed, told["launches"], alike, sets, told["others"])


def joined(records: Iterable[Numbers]) -> list[Numbers]:
    """One of each kernel, in the order of their names; of builds with other names of numbers, the last one's."""
    found: dict[tuple[str, str], Numbers] = {}
    for one in records:
        before = found.get((one.kernel, one.file))
        same = before is not None and (before.names, before.keyed) == (one.names, one.keyed)
        found[one.kernel, one.file] = before.joined(one) if before is not None and same else one
    return [found[key] for key in sorted(found)]


def entries(numbers: Numbers) -> list[str]:
    """The entries of `known` for a kernel, at most four: sets that most launches have, and what all have alike.

    The sets of nine launches of ten, if they are four at most; those of at least half of the launches otherwise.
    """
    chosen: list[Mapping[str, int]] = []
    covered = 0
    for values, count in numbers.distinct[:MOST_ENTRIES]:
        if 10 * covered < 9 * numbers.launches:
            chosen.append(values)
            covered += count
    if 2 * covered < numbers.launches:
        chosen = []
    common = dict(numbers.common)
    useful = written({name: value for name, value in common.items() if name in numbers.names[: numbers.keyed]})
    if useful and covered < numbers.launches:
        chosen = [*chosen[: MOST_ENTRIES - 1], common]
    return [text for text in dict.fromkeys(map(written, chosen)) if text]


def written(values: Mapping[str, int]) -> str:
    """Numbers as `known` has them: `blockDim = 256x1x1, width = 1920`; a block or grid only as a whole."""
    parts = []
    for name in _DIMENSIONS:
        sizes = [values.get(f"{name}.{axis}") for axis in "xyz"]
        if None not in sizes:
            parts.append(f"{name} = {'x'.join(map(str, sizes))}")
    parts += [f"{name} = {value}" for name, value in values.items() if "." not in name]
    return ", ".join(parts)


def policy(numbers: Numbers) -> list[str]:
    """Lines of `toolchain.toml`: what was seen, as comments, and a `[[kernel]]` table that states it."""
    launches = "1 launch" if numbers.launches == 1 else f"{numbers.launches} launches"
    lines = [f"# {numbers.kernel} ({numbers.file}): {launches}"]
    if len(numbers.sets) > 1 or numbers.others:
        lines += [f"#   {count}: {written(values)}" for values, count in numbers.distinct]
        lines += [f"#   {numbers.others}: with others"] if numbers.others else []
        lines.append(f"#   all: {written(numbers.common) or 'nothing alike'}")
    told = entries(numbers)
    if not told:
        return lines
    quoted = [json.dumps(text, ensure_ascii=False) for text in (numbers.kernel, _literally(numbers.file))]
    stated = ",\n  ".join(json.dumps(text) for text in told)
    array = f"[{stated}]" if len(told) == 1 else f"[\n  {stated},\n]"
    table = ["[[kernel]]", f"name = {quoted[0]}", f"source = {quoted[1]}", f"constants.known = {array}"]
    more = [f"constants.sets = {len(told)}"] if len(told) > _USUAL_ENTRIES else []
    return [*lines, *table, *more]


def _literally(name: str) -> str:
    """A glob that matches a file's name and nothing else."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in name)


def document(found: Sequence[Numbers]) -> dict[str, Any]:
    """The same as JSON."""
    kernels = [
        {
            "kernel": one.kernel,
            "file": one.file,
            "launches": one.launches,
            "alike": dict(one.common),
            "sets": [{"launches": count, "values": dict(values)} for values, count in one.distinct],
            "others": one.others,
            "known": entries(one),
        }
        for one in found
    ]
    return {"kernels": kernels}

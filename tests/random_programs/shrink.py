"""The least program that still fails: launches, statements and expressions are taken away as long as it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from .policies import PLUGINS, Forced, forced, policy
from .program import Program
from .tree import Node, at, simpler, size, walk, without
from .tree import put as put_node
from .verdict import OURS, Failure, Verdict, examine
from .workshop import Workshop

Test = Callable[[Program], bool]


def shrink(program: Program, fails: Test, *, tries: int = 400) -> Program:
    """Make a failing program smaller: first launches, then each kernel's statements, then what stands in them."""
    counted = _Counted(fails, tries)
    for kernel in [one.name for one in program.kernels]:
        program = _drop_kernel(program, kernel, counted)
    program = _launches(program, counted)
    before = -1
    while before != _size(program) and counted.left > 0:
        before = _size(program)
        for number in range(len(program.kernels)):
            program = _statements(program, number, counted)
            program = _simplified(program, number, counted)
    return program


@dataclass
class _Counted:
    """A test that is asked so often at most."""

    fails: Test
    left: int

    def __call__(self, program: Program) -> bool:
        self.left -= 1
        return self.left >= 0 and self.fails(program)


def _size(program: Program) -> int:
    return sum(size(one.body) for one in program.kernels) + len(program.launches)


def _drop_kernel(program: Program, name: str, fails: Test) -> Program:
    smaller = program.only({one.name for one in program.kernels} - {name})
    return smaller if smaller.kernels and smaller.launches and fails(smaller) else program


def _launches(program: Program, fails: Test) -> Program:
    for launch in program.launches:
        smaller = replace(program, launches=tuple(one for one in program.launches if one is not launch))
        if smaller.launches and fails(smaller):
            program = smaller
    return program


def with_body(program: Program, number: int, body: Node) -> Program:
    """The program with another body for a kernel."""
    kernels = list(program.kernels)
    kernels[number] = replace(kernels[number], body=body)
    return replace(program, kernels=tuple(kernels))


def _statements(program: Program, number: int, fails: Test) -> Program:
    """Take statements out of every block, from the outermost in: halves, quarters, single ones."""
    for path in [path for path, node in walk(program.kernels[number].body) if node.kind == "block"]:
        body = program.kernels[number].body
        if not _is_block(body, path):
            continue
        count = len(at(body, path).parts)
        step = max(count // 2, 1)
        while True:
            first = 0
            while first < len(at(program.kernels[number].body, path).parts):
                smaller = with_body(program, number, without(program.kernels[number].body, path, first, step))
                if fails(smaller):
                    program = smaller
                else:
                    first += step
            if step == 1:
                break
            step //= 2
    return program


def _is_block(body: Node, path: tuple[int, ...]) -> bool:
    try:
        return at(body, path).kind == "block"
    except (AssertionError, IndexError):
        return False


def _simplified(program: Program, number: int, fails: Test) -> Program:
    """Put something simpler in place of each node, large ones first."""
    path: tuple[int, ...] | None = ()
    while path is not None:
        node = at(program.kernels[number].body, path)
        for candidate in _candidates(node):
            smaller = with_body(program, number, put_node(program.kernels[number].body, path, candidate))
            if fails(smaller):
                program = smaller
                break
        path = _next(program.kernels[number].body, path)
    return program


def _candidates(node: Node) -> Iterator[Node]:
    yield from (one for one in simpler(node) if str(one) != str(node))


def _next(body: Node, path: tuple[int, ...]) -> tuple[int, ...] | None:
    """The node behind a place, in the order of the text."""
    places = [place for place, _ in walk(body)]
    later = [place for place in places if place > path]
    return later[0] if later else None


def same_failure(verdict: Verdict, wanted: Failure) -> bool:
    """Whether a program fails in the way that is being shrunk, and has no fault of its own."""
    if any(one.kind in OURS for one in verdict.failures):
        return wanted.kind in OURS and any(one.kind == wanted.kind and _like(one, wanted) for one in verdict.failures)
    return any(one.kind == wanted.kind and one.run.split()[0] == wanted.run.split()[0] for one in verdict.failures)


def _like(one: Failure, wanted: Failure) -> bool:
    """The same words of a compiler, apart from places and names."""
    words = [set(item.detail.split("error:")[-1].split()[:4]) for item in (one, wanted)]
    return bool(words[0] & words[1]) or not words[1]


def shrink_seed(program: Program, turn: int, kernel: str, run: str, scratch: Path, output: Path | None) -> int:
    """Shrink a seed's first failure (of a kernel and run), print the program and the policy."""
    shop, chosen = Workshop(scratch), forced(program, turn)
    named = [kernel] if kernel else _failing(shop, program, chosen, run)
    small = program.only(set(named)) if named else program
    plugins = (run.split(maxsplit=1)[0],) if run.split() and run.split(maxsplit=1)[0] in PLUGINS else PLUGINS
    check = any("race" in word for word in run.split()[1:])
    failures = _chosen(examine(shop, small, chosen, plugins, check=check).failures, run)
    if not failures and not check:  # a race
        check = True
        failures = _chosen(examine(shop, small, chosen, plugins, check=check).failures, run)
    if not failures and plugins != PLUGINS:  # not alone
        plugins = PLUGINS
        failures = _chosen(examine(shop, small, chosen, plugins, check=check).failures, run)
    if not failures:
        print("no failure")
        return 0
    wanted = failures[0]
    check = check or "races" in wanted.kind

    def fails(candidate: Program, *, thorough: bool = check) -> bool:
        return same_failure(examine(shop, candidate, chosen, plugins, check=thorough), wanted)

    least = shrink(small, fails)
    if wanted.kind not in OURS and not fails(least, thorough=True):  # what was taken away made a race of the original's
        least = shrink(small, lambda candidate: fails(candidate) and fails(candidate, thorough=True))
    rules = policy(
        {name: dict(options) for name, options in chosen.items() if name in {one.name for one in least.kernels}},
        plugins,
    )
    said = _chosen(examine(shop, least, chosen, plugins, check=check).failures, run)
    remark = "".join(
        f"// {line}\n" for one in said[:2] for line in f"{one.kind}, run {one.run}: {one.detail}".splitlines()
    )
    print(remark, least.text, rules, sep="\n")
    if output:
        output.with_suffix(".cu").write_text(remark + least.text)
        output.with_suffix(".toml").write_text(rules)
    return 1


def _chosen(failures: list[Failure], run: str) -> list[Failure]:
    return [one for one in failures if not run or one.run.split()[0] == run.split(maxsplit=1)[0]]


def _failing(shop: Workshop, program: Program, chosen: Forced, run: str) -> list[str]:
    found = _chosen(examine(shop, program, chosen).failures, run)
    return [one.kernel for one in found if one.kernel][:1]

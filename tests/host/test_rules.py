"""Rules that the core enforces: who breaks one is left out with one warning, and everybody else's work is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpuopt_driver.frontend.parse import ParseOptions
from gpuopt_driver.hooks import Proposal
from gpuopt_driver.phases import Job, process
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.report.model import Decision, Finding
from gpuopt_driver.rules import UNDISPATCHABLE, Rule
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants.model import FunctionCopy, Variant
from tests.host.small_plugins import examined, finding, patched, plugin, said, swap, together

SOURCE = """#include "mine.h"
#include <cstdio>
#define STEP x[i] += 1.0f; n -= 1
#define LIMIT scale
typedef float real;
__device__ int twice(int n) { return 2 * n; }
__device__ int thrice(int n) { return 3 * n; }
__global__ void add(float *x, real scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 2.0f * scale;
    if (i < twice(n)) {
        STEP;
    }
}
__global__ void sub(float *x, int n) { x[threadIdx.x] -= n; }
template <class T> __global__ void set(T *x, T value) { x[threadIdx.x] = value; }
void all(float *x, int n)
{
    add<<<(n + 63) / 64, 64>>>(x, 2.0f, n);
    sub<<<1, 64>>>(x, n);
    set<<<1, 64>>>(x, 1.0f);
    set<<<1, 64>>>(&n, 1);
}
"""
GOOD = swap("good", "2.0f", "(2.0f)")
Wanted = Callable[[Any, Any], Any]


def at(kernel: Any, context: Any, text: str) -> int:
    return context.unit.files[kernel.span.file].data.index(text.encode())  # type: ignore[no-any-return]


def edit(where: str, text: str, length: int = 0) -> Wanted:
    """An edit in place at a text of the source."""

    def made(kernel: Any, context: Any) -> Edit:
        start = at(kernel, context, where)
        return Edit(kernel.span.file, start, start + length, text.encode())

    return made


def guard(text: str) -> Wanted:
    return lambda kernel, _context: Variant(kernel.usr, "bad", (), text)


def copy(name: str, offset: int = 0, *, spurious: bool = False) -> Wanted:
    """A version with a copy of a function, edited at an offset behind its start."""

    def made(kernel: Any, context: Any) -> Variant:
        function = next(one for one in kernel.functions if one.name == "twice")
        if spurious:
            function = replace(function, usr="c:nobody", name=name)
        start = function.span.start + offset
        copied = FunctionCopy(function, (Edit(kernel.span.file, start, start, b" "),))
        return Variant(kernel.usr, "bad", (), "return true;", functions=(copied,))

    return made


def twice_at_one_place(kernel: Any, context: Any) -> tuple[Edit, Edit]:
    start = at(kernel, context, "2.0f * scale")
    return Edit(kernel.span.file, start, start + 3, b"3"), Edit(kernel.span.file, start + 1, start + 4, b"4")


def at_line(file: str, line: int) -> Finding:
    return Finding("bad", "add", Decision.DECLINED, "BAD001", "", file, line)


BREACHES: dict[str, tuple[Rule, Wanted]] = {
    "a pointer": (Rule.GUARD, guard("return (size_t)x % 16 == 0;")),
    "a pointer in a lambda": (Rule.GUARD, guard("return [&] { return x != 0; }();")),
    "a number": (Rule.GUARD, guard("return scale > 1;")),
    "no text": (Rule.TYPES, lambda kernel, _context: Variant(kernel.usr, "bad", (), None)),  # type: ignore[arg-type]
    "a line break": (Rule.LINES, edit("if (i < n)", "i += 0;\n")),
    "a line break less": (Rule.LINES, edit("{\n    int i", "{ ", 2)),
    "a carriage return": (Rule.LINES, edit("if (i < n)", "i += 0;\r")),
    "a directive": (Rule.LINES, edit("    if (i < n)", "#line 5 /*", 4)),
    "the rest of the line": (Rule.LINES, edit("if (i < n)", "i += 0; // ")),
    "an open comment": (Rule.LINES, edit("if (i < n)", "i += 0; /* ")),
    "a continued line": (Rule.LINES, edit("\n    if (i < n)", " \\")),
    "beyond the end": (Rule.RANGE, lambda kernel, _context: Edit(kernel.span.file, 99999, 99999, b" ")),
    "another file": (Rule.FILES, lambda _kernel, _context: Edit("/etc/passwd", 0, 0, b" ")),
    "a system header": (Rule.FILES, lambda _kernel, _context: Edit("/usr/include/stdio.h", 0, 0, b" ")),
    "another kernel": (Rule.KERNEL, edit("-= n; }", "+=", 2)),
    "a directive's text": (Rule.MACRO, edit("1.0f; n -= 1", "3.0f", 4)),
    "a macro's text": (Rule.MACRO, edit("STEP;\n", "n = 0", 4)),
    "inside a macro's name": (Rule.MACRO, edit("TEP;\n", "_")),
    "overlapping": (Rule.OVERLAP, twice_at_one_place),
    "a function that is not called": (Rule.KERNEL, copy("thrice", spurious=True)),
    "outside of a function": (Rule.KERNEL, copy("twice", -3)),
    "a finding in another file": (Rule.PLACE, lambda _kernel, _context: at_line("/usr/include/stdio.h", 1)),
    "a finding beyond the end": (Rule.PLACE, lambda kernel, _context: at_line(kernel.span.file, 675)),
    "a finding in line 0": (Rule.PLACE, lambda kernel, _context: at_line(kernel.span.file, 0)),
    "a finding beyond a header": (
        Rule.PLACE,
        lambda kernel, _context: at_line(str(Path(kernel.span.file).with_name("mine.h")), 9),
    ),
    "a version outside": (
        Rule.KERNEL,
        lambda kernel, context: Variant(kernel.usr, "bad", (edit("void all", " ")(kernel, context),), "return true;"),
    ),
}


def proposing(wanted: Wanted, name: str = "bad") -> Any:
    """A plugin that asks this of the kernel `add` and says that it was applied."""

    def propose(kernel: Any, context: Any, _facts: Any) -> Proposal:
        told = (finding(name, kernel, Decision.APPLIED),)
        if kernel.name != "add":
            return Proposal(told)
        made = wanted(kernel, context)
        if isinstance(made, Finding):
            return Proposal((made,))
        if isinstance(made, Variant):
            return Proposal(told, variants=(made,))
        return Proposal(told, made if isinstance(made, tuple) else (made,))

    return plugin(name, propose)


@pytest.mark.parametrize(("rule", "wanted"), BREACHES.values(), ids=BREACHES.keys())
def test_who_breaks_a_rule_is_left_out_alone(tmp_path: Path, rule: Rule, wanted: Wanted) -> None:
    (tmp_path / "mine.h").write_text("// A header of the program.\n")
    result = examined(tmp_path, [proposing(wanted), GOOD, swap("other", "i < n", "n > i")], SOURCE)
    (problem,) = result.report.problems
    assert (problem.plugin, problem.severity.value) == ("bad", "warning")
    assert problem.message.startswith("plugin bad proposed ")
    assert f"for add (rule: {rule.value}); it is left out" in problem.message
    assert patched(result) == SOURCE.replace("2.0f * s", "(2.0f) * s").replace("(i < n)", "(n > i)")
    assert [one for one in said(result) if one[0] == "bad"] == [("bad", "declined", "GPUOPT008")] * 4


ALLOWED: dict[str, Wanted] = {
    "as many lines": edit(
        "if (i < n) x[i] += 2.0f * scale;\n", "if (i < n)\n", len("if (i < n) x[i] += 2.0f * scale;\n")
    ),
    "a comment at the end": edit("\n    if (i < twice", " // done"),
    "in front of a macro": edit("STEP;", "i += 0; "),
    "a whole statement with a macro": edit("if (i < twice(n)) {\n        STEP;\n    }", "\n\n", 39),
    "another file of the program": lambda kernel, _context: Edit(
        str(Path(kernel.span.file).with_name("mine.h")), 0, 0, b"/* */ "
    ),
    "host code": edit("(x, 2.0f, n)", "(x, (2.0f), n)", 12),
    "integers in guards": guard("return n > 4 && gpuopt_l.grid.x > 1;"),
    "members of that name": guard("return gpuopt_l.grid.x > 1 && gpuopt_l.block.x > 1;"),
    "an edited copy": copy("twice", 0),
}


@pytest.mark.parametrize("wanted", ALLOWED.values(), ids=ALLOWED.keys())
def test_what_keeps_to_the_rules_is_done(tmp_path: Path, wanted: Wanted) -> None:
    (tmp_path / "mine.h").write_text("// A header of the program.\n")
    result = examined(tmp_path, [proposing(wanted)], SOURCE)
    assert result.report.problems == ()
    assert result.patched
    assert [one for one in said(result) if one[0] == "bad"] == [("bad", "applied", "BAD001")] * 4


@pytest.mark.parametrize("text", ["return LIMIT > 1;", "return (size_t)&*NAME(x) > 1;"])
def test_guards_cannot_read_facts_of_pointers_through_macros(tmp_path: Path, text: str) -> None:
    """What no search for words finds: there is nothing in such a parameter that could be read."""
    (tmp_path / "mine.h").write_text("#define NAME(n) n\n")
    hidden = text.replace("NAME(x)", "POINTER")
    source = SOURCE.replace("#define LIMIT", "#define POINTER x\n#define LIMIT")
    result = examined(tmp_path, [proposing(guard(hidden)), GOOD], source)
    assert patched(result) == source.replace("2.0f * s", "(2.0f) * s")
    (mine,) = [one for one in result.report.findings if one.plugin == "bad" and one.kernel == "add"]
    assert (mine.decision, mine.code) == (Decision.DECLINED, "GPUOPT003")


def test_guards_of_templates_cannot_read_their_numbers_either(tmp_path: Path) -> None:
    (tmp_path / "mine.h").write_text("#define VALUE value\n")

    def propose(kernel: Any, _context: Any, _facts: Any) -> Proposal:
        told = (finding("bad", kernel, Decision.APPLIED),)
        if kernel.name != "set":
            return Proposal(told)
        return Proposal(told, variants=(Variant(kernel.usr, "bad", (), "return VALUE > 0;"),))

    result = examined(tmp_path, [plugin("bad", propose), GOOD], SOURCE)
    assert patched(result) == SOURCE.replace("2.0f * s", "(2.0f) * s")


def test_versions_that_no_launch_can_get_are_refused(tmp_path: Path) -> None:
    """Whatever the plugin says of them; its edits in place hold all the same."""
    path = tmp_path / "a.cu"
    path.write_text(SOURCE.replace('#include "mine.h"\n', ""))

    def both(kernel: Any, context: Any, _facts: Any) -> Proposal:
        told = (finding("both", kernel, Decision.APPLIED),)
        if kernel.name != "add":
            return Proposal(told)
        wanted = (edit("i < n", "n > i", 5)(kernel, context),)
        return Proposal(told, wanted, (Variant(kernel.usr, "both", (), "return true;"),))

    plugins = together(proposing(guard("return true;")), plugin("both", both))
    result = process(Job(str(path), ParseOptions(), Policy(), has_host_code=False), plugins)
    assert result.report.problems == ()
    assert patched(result) == path.read_text().replace("i < n)", "n > i)")
    told = [(one.plugin, one.decision.value, one.code) for one in result.report.findings if one.kernel == "add"]
    assert told == [
        ("bad", "declined", UNDISPATCHABLE),
        ("both", "applied", "BOTH001"),
        ("both", "declined", UNDISPATCHABLE),
    ]
    assert all("no host code" in one.message for one in result.report.findings if one.code == UNDISPATCHABLE)
    path.write_text(path.read_text().replace("    add<<<", "    auto f = add; f<<<"))
    result = process(Job(str(path), ParseOptions(), Policy()), together(proposing(guard("return true;"))))
    assert result.patched == {}
    (mine,) = [one for one in result.report.findings if one.kernel == "add"]
    at = next(n for n, line in enumerate(path.read_text().splitlines(), 1) if "f<<<" in line)
    form = f"line {at} launches it through a variable"
    assert (mine.code, mine.message) == (
        UNDISPATCHABLE,
        f"no launch can get a version of add: no launch of the kernel in this unit can be rewritten ({form})",
    )


def test_the_documentation_names_every_rule() -> None:
    text = (Path(__file__).parents[2] / "docs" / "writing-plugins.md").read_text("utf-8")
    for rule in Rule:
        assert f"| `{rule.name}` | {rule.value} |" in text

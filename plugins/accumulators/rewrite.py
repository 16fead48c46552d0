"""The rewrite: the element is loaded in front of the loop, a register stands for it inside, and is stored behind."""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.api import Edit, Kernel, SourceFile

from .judge import Promotion

NAME = "accumulators"
SCOPE = f"::gpuopt_rt::plugin_{NAME}"
SUPPORT = """// Never called: what a variable is that holds an element.
template <class T> __device__ T held(const T &);
"""
_HELD = f"{SCOPE}::held"


def edits(kernel: Kernel, source: SourceFile, promotions: Sequence[Promotion]) -> tuple[Edit, ...]:
    """The edits of all promotions, on the lines that exist: `{ load; loop; store; }` around each loop.

    Elements of one loop are stored in the order in which the loop stores them last, so that what the compiler knows
    of memory behind the loop is what it knew before.
    """
    made: list[Edit] = []
    numbered = [(f"gpuopt_s{number}", one) for number, one in enumerate(promotions)]
    for loop in dict.fromkeys(one.cell.loop.stmt for one in promotions):
        mine = [(name, one) for name, one in numbered if one.cell.loop.stmt == loop]
        loads, stores = _around(source, mine)
        place = mine[0][1].start, mine[0][1].end
        made.extend(Edit.around(kernel.span.file, place, (f" {{{loads}", f"{stores} }}"), NAME))
    for name, one in numbered:
        places = {(access.span.start, access.span.end) for access in one.cell.accesses}
        made.extend(Edit(kernel.span.file, start, end, name.encode(), NAME) for start, end in sorted(places))
    return tuple(made)


def _around(source: SourceFile, promotions: Sequence[tuple[str, Promotion]]) -> tuple[str, str]:
    """What stands in front of a loop and behind it, for its elements and the registers that stand for them."""
    flags: dict[str, str] = {"": ""}
    loads = ""
    stores: list[tuple[int, str]] = []
    for name, one in promotions:
        if one.asked not in flags:
            flag = name.replace("_s", "_b")
            loads += f" bool {flag} = false; {one.asked.replace('@', flag)}"
            flags[one.asked] = f"if ({flag}) "
        text = " ".join(source.text(one.cell.accesses[0].span).split())
        loads += f" decltype({_HELD}({text})) {name} = 0; {flags[one.asked]}{name} = {text};"
        last = max(access.span.start for access in one.cell.accesses if access.is_write)
        stores.append((last, f" {flags[one.asked]}{text} = {name};"))
    return loads, "".join(text for _, text in sorted(stores))

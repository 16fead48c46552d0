"""The numbers of one loop as C++11 text: the twin of the counting in `survey.py` and the footprint analysis."""

from __future__ import annotations

from gpuopt_driver.api import Expr, Reference

from .cpp import cpp
from .decide import STRONG_VISITS, Rules
from .survey import LoopFacts


def loop_text(slot: int, facts: LoopFacts, rules: Rules) -> list[str]:
    """The numbers of one loop, and the call that decides for it."""
    lines = [f"  if (!catt_never) {{  // the loop at line {facts.line}", "    bool catt_ok = true;"]
    for index, reference in enumerate(facts.references):
        lines.extend(_lengths(index, reference, rules))
    lines += [
        "    auto catt_lines = [&](long long catt_first, long long catt_part, long long catt_least, "
        "long long &catt_b, long long &catt_s) {",
        "      const unsigned catt_begin = (unsigned)(catt_first * 32);",
        "      const unsigned catt_stop = catt_begin + (unsigned)catt_part * 32;",
        "      const unsigned catt_end = catt_stop < gpuopt_l.threads ? catt_stop : gpuopt_l.threads;",
        "      (void)catt_begin; (void)catt_end; (void)catt_least; catt_b = catt_s = 0;",
        *(_sectored(facts) if rules.sectored else _paper(facts)),
        "    };",
        "    long long catt_block[6] = {0}, catt_sm[6] = {0}, catt_kept[2] = {0};",
        *(_SECTORED_TABLE if rules.sectored else _PAPER_TABLE),
        f"    const long long catt_trips = {_cpp_or(facts.trips, '-1LL')};",
        f"    if (catt_ok) catt_choose({slot}, catt_block, catt_sm, catt_kept[0], catt_kept[1], catt_trips);",
        "  }",
    ]
    return lines


_SECTORED_TABLE = (
    "    for (unsigned catt_k = 0; catt_k < 6 && catt_warps % (1LL << catt_k) == 0; ++catt_k) {",
    "      const long long catt_n = 1LL << catt_k, catt_w = catt_warps / catt_n;",
    "      const long long catt_by = catt_n > 1 ? catt_n / 2 : 1;",
    "      for (long long catt_g = 0; catt_g <= catt_n / 2; catt_g += catt_by) {",
    "        long long catt_b, catt_s; catt_lines(catt_g * catt_w, catt_w, 0, catt_b, catt_s);",
    "        const long long catt_sum = catt_block[catt_k] + catt_sm[catt_k];",
    "        if (catt_b + catt_s < catt_sum) continue;",
    "        if (catt_b + catt_s == catt_sum && catt_b <= catt_block[catt_k]) continue;",
    "        catt_block[catt_k] = catt_b; catt_sm[catt_k] = catt_s;",
    "      }",
    "    }",
    "    for (unsigned catt_k = 0; catt_k < 2; ++catt_k) {",
    "      long long catt_b, catt_s; catt_lines(0, catt_warps, catt_k + 1, catt_b, catt_s);",
    "      catt_kept[catt_k] = catt_b + catt_s;",
    "    }",
)
_PAPER_TABLE = (
    "    long long catt_b, catt_s; catt_lines(0, 1, 0, catt_b, catt_s);",
    "    for (unsigned catt_k = 0; catt_k < 6 && catt_warps % (1LL << catt_k) == 0; ++catt_k)",
    "      catt_block[catt_k] = catt_b * (catt_warps >> catt_k);",
    "    catt_lines(0, 1, 1, catt_b, catt_s); catt_kept[0] = catt_kept[1] = catt_b * catt_warps;",
)


def _cpp_or(value: Expr | None, otherwise: str) -> str:
    return otherwise if value is None else f"({cpp(value)})"


def _lengths(index: int, reference: Reference, rules: Rules) -> list[str]:
    """Length, copies and reuse of one reference (footprint.run, _kept: 0 none, 1 local, 2 strong)."""
    length, copies, reuse = f"catt_len{index}", f"catt_copies{index}", f"catt_reuse{index}"
    lines = [
        f"    long long {length} = {reference.bytes}, {copies} = 1;  // {_comment(reference.text)}",
        f"    (void){length}; (void){copies};",
    ]
    for inner in () if reference.irregular else reference.inner:
        if inner.step is None or inner.trips is None:
            lines.append("    catt_ok = false;")
            break
        lines += [
            f"    {{ const long long catt_t = {cpp(inner.trips)}, catt_d = {cpp(inner.step)};",
            "      const long long catt_a = catt_d < 0 ? -catt_d : catt_d;",
            f"      const long long catt_reach = {length} > catt_line ? {length} : (long long)catt_line;",
            "      if (catt_t > 1 && catt_a) {",
            f"        if ({copies} == 1 && catt_a <= catt_reach) {length} += catt_a * (catt_t - 1);",
            f"        else {copies} *= catt_t;",
            "      } }",
        ]
    if reference.step is None:
        return [*lines, f"    const long long {reuse} = 0;"]
    lines.append(f"    const long long catt_d{index} = {cpp(reference.step)};")
    if rules.sectored:
        sector, far = rules.sector_bytes, f"catt_a{index}"
        again = 2 if reference.batch == 1 else 0
        lines += [
            f"    const long long {far} = catt_d{index} < 0 ? -catt_d{index} : catt_d{index};",
            f"    const long long {reuse} = !{far} ? {again} : {far} >= {sector} ? 0",
            f"        : {sector} > {far} * {reference.batch * (STRONG_VISITS - 1)} ? 2 : 1;",
        ]
    else:
        lines.append(f"    const long long {reuse} = catt_d{index} <= catt_line && -catt_d{index} <= catt_line;")
    return lines


def _comment(text: str) -> str:
    """Text that cannot continue a line comment or end the file's line structure."""
    return " ".join(text.split()).replace("\\", "/").replace("?", "")[:60]


def _each_thread(statement: str) -> list[str]:
    return [
        "        for (unsigned catt_t = catt_begin; catt_t < catt_end; ++catt_t) {",
        "          const long long catt_x = catt_t % gpuopt_l.block.x;",
        "          const long long catt_y = catt_t / gpuopt_l.block.x % gpuopt_l.block.y;",
        "          const long long catt_z = catt_t / (gpuopt_l.block.x * gpuopt_l.block.y);",
        "          (void)catt_x; (void)catt_y; (void)catt_z;",
        f"          {statement}",
        "        }",
    ]


def _sectored(facts: LoopFacts) -> list[str]:
    """footprint.sectored_lines for one group of warps, over the references visited often enough."""
    lines: list[str] = []
    joined: dict[tuple[str, bool], list[int]] = {}
    for index, reference in enumerate(facts.references):
        if reference.offset is None or reference.guarded:
            lines.append(f"      if (catt_reuse{index} >= catt_least) catt_b += catt_part;")
        else:
            joined.setdefault((reference.array, reference.of_block), []).append(index)
    for (_, of_block), members in joined.items():
        target = "catt_b" if of_block else "catt_s"
        for index in members:
            lines.append(f"      if (catt_reuse{index} >= catt_least && catt_copies{index} == 1)")
            lines += _each_thread(_added(index, facts.references[index]))
        lines.append(f"      {target} += catt_set.lines();")
        for index in members:
            if not facts.references[index].inner:
                continue
            lines.append(f"      if (catt_reuse{index} >= catt_least && catt_copies{index} > 1) {{")
            lines += _each_thread(_added(index, facts.references[index]))
            lines.append(f"        {target} += catt_set.lines() * catt_copies{index};")
            lines.append("      }")
    return lines


def _added(index: int, reference: Reference) -> str:
    assert reference.offset is not None
    return f"catt_set.add({cpp(reference.offset)}, catt_len{index});"


def _paper(facts: LoopFacts) -> list[str]:
    """footprint.requests_per_warp summed over references: the larger of the first and the middle warp for each."""
    lines: list[str] = []
    for index, reference in enumerate(facts.references):
        if reference.offset is None:
            lines.append(f"      if (catt_reuse{index} >= catt_least) catt_b += 1;")
            continue
        lines += [
            f"      if (catt_reuse{index} >= catt_least) {{",
            "        long long catt_most = 0;",
            "        const long long catt_by = catt_warps > 1 ? catt_warps / 2 : 1;",
            "        for (long long catt_w = 0; catt_w <= catt_warps / 2; catt_w += catt_by) {",
            "        const unsigned catt_begin = (unsigned)catt_w * 32;",
            "        const unsigned catt_stop = catt_begin + 32;",
            "        const unsigned catt_end = catt_stop < gpuopt_l.threads ? catt_stop : gpuopt_l.threads;",
            *_each_thread(_added(index, reference)),
            f"        const long long catt_here = catt_set.lines() * catt_copies{index};",
            "        if (catt_here > catt_most) catt_most = catt_here;",
            "        }",
            "        catt_b += catt_most;",
            "      }",
        ]
    return lines

"""Loops and branches in all their forms."""

from __future__ import annotations

from ..tree import Node, block, expression, statement
from . import floats, numbers
from .writer import Form, Scope, Writer


def _row(w: Writer, scope: Scope, j: str) -> Node:
    """What the loops are for: a value of the iteration is taken into account."""
    kinds = ["u", "u", "out"] + (["f", "fout"] if w.floats else [])
    kind = w.rng.choice(kinds)
    if kind == "u" and scope.u:
        to = w.rng.choice(scope.u)
        return statement(
            to,
            w.pick(" += ", " ^= ", f" = {to} * 3u + "),
            numbers.read(w, scope),
            w.pick(" * B[", " + A[", " ^ B["),
            j,
            "];",
        )
    if kind == "f":
        return statement(
            w.rng.choice(scope.f),
            w.pick(" += ", " -= "),
            floats.read(w, scope),
            w.pick(" * ", " + "),
            w.f(scope, 0),
            ";",
        )
    if kind == "fout":
        return statement("V[me] += ", floats.read(w, scope), " * F[", j, "];")
    return statement("U[me] += ", numbers.read(w, scope), w.pick(" * B[", " + B["), j, "];")


def _rows(w: Writer, scope: Scope, j: str) -> Node:
    more = [w.statement(scope) for _ in range(w.rng.choice((0, 0, 1)))]
    return block(_row(w, scope, j), *more)


def row_loop(w: Writer, scope: Scope) -> Node:
    """A counted loop over a row."""
    j = w.fresh("j")
    inner = scope.inside(together=True, counters=(j,), loop=True)
    head = w.pick(f"for (int {j} = 0; {j} < n; {j}++)", f"for (int {j} = 0; {j} < n; ++{j})", f"for (int {j} = n - 1; {j} >= 0; --{j})",
                  f"for (int {j} = 0; {j} < 12; {j} += 3)", f"#pragma unroll 2\nfor (int {j} = 0; {j} < n; {j}++)",
                  f"for (unsigned char {j} = 250; {j} != (unsigned char)n; ++{j})", f"for (short {j} = 0; {j} < 9; {j} += 2)")  # fmt: skip
    body = _rows(w, inner, j)
    if len(body.parts) == 1 and w.chance(0.5):
        return statement(head, "\n", body)
    return statement(head, " {\n", body, "\n}")


def nest(w: Writer, scope: Scope) -> Node:
    """Two loops."""
    a, b = w.fresh("a"), w.fresh("b")
    inner = scope.inside(together=True, counters=(a, b), loop=True)
    return statement(
        f"for (int {a} = 0; {a} < 3; {a}++)\nfor (int {b} = 0; {b} < n; {b}++) {{\n", _rows(w, inner, b), "\n}"
    )


def counted(w: Writer, scope: Scope) -> Node:
    """A short loop around other statements."""
    j = w.fresh("j")
    same = w.chance(0.6)
    inner = scope.inside(together=same, counters=(j,), loop=True)
    end = (
        expression("i", w.pick("3", "m", "(n & 3)", "4"))
        if same
        else expression("i", "(int)(", w.u(scope, 1), " & 3u)")
    )
    return statement(f"for (int {j} = 0; {j} < ", end, f"; {j}++) {{\n", w.statements(inner), "\n}")


def while_loop(w: Writer, scope: Scope) -> Node:
    """A loop whose test counts, or changes what the body reads."""
    j = w.fresh("j")
    inner = scope.inside(counters=(j,), loop=True)
    head = w.pick(f"int {j} = 9;\nwhile ({j}-- > 0) {{\n", f"int {j} = n & 7;\nwhile ({j} > 0 && ({j}--, true)) {{\n",
                  f"int {j} = 0;\nwhile (++{j} < n) {{\n", f"int {j} = 0;\nfor (; {j} < m; {j}++) {{\n")  # fmt: skip
    body = _rows(w, inner, j)
    if w.chance(0.3):
        body = block(
            statement("if (", w.c(inner), ") ", w.pick("break;", "continue;") if "for" not in head else "continue;"),
            *body.parts,
        )
    return statement("{\n", head, body, "\n}\n}")


def do_loop(w: Writer, scope: Scope) -> Node:
    """A loop that runs once at least."""
    j = w.fresh("j")
    inner = scope.inside(counters=(j,), loop=True)
    return statement(
        f"{{\nint {j} = 0;\ndo {{\n",
        _rows(w, inner, j),
        f"\n}} while (++{j} < ",
        w.pick("n", "3", "(int)(v0 & 7u)"),
        ");\n}",
    )


def macro_loop(w: Writer, scope: Scope) -> Node:
    """A loop out of a macro, whole or its head alone."""
    j = w.fresh("j")
    inner = scope.inside(counters=(j,), loop=True)
    if w.chance(0.4) and scope.u:
        return statement("SUM_ROW(", w.rng.choice(scope.u), ", ", w.pick("A", "B"), ", me * n, n);")
    return statement(f"EACH({j}, ", w.pick("n", "m + 1", "7"), ") {\n", _rows(w, inner, j), "\n}")


def pointer_walk(w: Writer, scope: Scope) -> Node:
    """A pointer that goes along a row or down a column."""
    p, to = w.fresh("p"), w.rng.choice(scope.u)
    forms = (
        f"for (const unsigned *{p} = A + me * n; {p} < A + (me + 1) * n; ++{p}) {to} += *{p};",
        f"{{ const unsigned *{p} = &A[me]; for (int q = 0; q < n; q++, {p} += 256) {to} = {to} * 3u ^ *{p}; }}",
        f"{{ const unsigned *{p} = A + me * n, *const end_{p} = {p} + n; while ({p} != end_{p}) {to} += *{p}++; }}",
        f"{{ const unsigned *{p} = B; int q = n; do {to} ^= *{p}++ + A[me]; while (--q > 0); }}",
        f"{{ const unsigned *{p} = A + me; {to} += {p}[n] - *{p}; }}",
        f"{{ unsigned *{p} = &{to}; *{p} += A[me]; (*{p})++; }}",
    )
    return statement(w.pick(*forms))


def branch(w: Writer, scope: Scope) -> Node:
    """If, perhaps with an else; sometimes all threads agree."""
    same = w.chance(0.3)
    inner = scope.inside(together=same)
    test = numbers.uniform(w, scope) if same else w.c(scope)
    head = statement("if (", test, ") {\n", w.statements(inner), "\n}")
    if w.chance(0.4):
        return statement(*head.parts, " else {\n", w.statements(inner, 1, 2), "\n}")
    return head


def switch(w: Writer, scope: Scope) -> Node:
    """A switch, with a case that falls through."""
    inner = scope.inside()
    fall = w.pick("break;\n", "break;\n", "[[fallthrough]];\n")
    return statement("switch (", w.u(scope, 1), " & 3u) {\ncase 0: {\n", w.statements(inner, 1, 2), "\n} ", fall, "case 2: {\n",
                     w.statements(inner, 1, 1), "\n} break;\ndefault: {\n", w.statements(inner, 1, 1), "\n}\n}")  # fmt: skip


def goto_free_break(w: Writer, scope: Scope) -> Node:
    """A loop that is left early."""
    j, to = w.fresh("j"), w.rng.choice(scope.u)
    inner = scope.inside(counters=(j,), loop=True)
    return statement(f"for (int {j} = 0;; {j}++) {{\nif ({j} >= n) break;\n",
                     block(statement("if (", w.c(inner), ") ", w.pick("break;", "continue;")), statement(to, " += ", numbers.read(w, inner), ";")),
                     "\n}")  # fmt: skip


def range_for(w: Writer, scope: Scope) -> Node:
    """A range-for over a local array or an aggregate of one."""
    e, to = w.fresh("e"), w.rng.choice(scope.u)
    if w.chance(0.5):
        many = w.fresh("many")
        return statement("{\n", block(statement(f"unsigned {many}[4] = {{", w.u(scope, 1), ", ", w.u(scope, 1), ", 3u};"),
                                      statement(f"for (unsigned &{e} : {many}) {e} = {e} * 3u + A[me];"),
                                      statement(f"for (unsigned {e} : {many}) {to} ^= {e};")), "\n}")  # fmt: skip
    return statement(f"for (int {e} : Three{{1, 5, (int)(", w.u(scope, 1), f" & 7u)}}) {to} += A[me * n + {e}];")


def local_array(w: Writer, scope: Scope) -> Node:
    """An array of the thread's own, with an index of data."""
    many, j, to = w.fresh("many"), w.fresh("j"), w.rng.choice(scope.u)
    inner = scope.inside(counters=(j,), loop=True)
    return statement("{\n", block(
        statement(f"unsigned {many}[8] = {{}};"),
        statement(f"for (int {j} = 0; {j} < 8; {j}++) {many}[{j}] = ", w.u(inner, 1), ";"),
        statement(f"{many}[", w.u(scope, 1), " & 7u] += ", w.u(scope, 1), ";"),
        statement(f"{to} += {many}[", w.u(scope, 1), f" & 7u] ^ {many}[t & 7];"),
    ), "\n}")  # fmt: skip


FORMS: dict[str, Form] = {
    "row_loop": row_loop, "nest": nest, "counted": counted, "while_loop": while_loop, "do_loop": do_loop, "macro_loop": macro_loop,
    "pointer_walk": pointer_walk, "branch": branch, "switch": switch, "goto_free_break": goto_free_break, "range_for": range_for,
    "local_array": local_array,
}  # fmt: skip

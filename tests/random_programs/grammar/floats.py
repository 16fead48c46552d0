"""Floating point: products and sums in every kind of place, since what nvcc fuses must not change."""

from __future__ import annotations

from ..tree import Node, block, expression, statement
from .writer import Form, Scope, Writer

_READS = (
    "F[me * n + @j]", "F[@j * 256 + me]", "F[@j]", "F[me]", "F[me * m + @j]", "F[A[me * m + @j] & 1023u]", "__ldg(F + me * n + @j)",
)  # fmt: skip
_LEAVES = ("alpha", "0.75f", "1.25f", "(-0.3f)", "beta")
_VALUES = (
    "(@f * @f + @f)", "(@f * @f + @f * @g)", "(@f - @f * @f)", "(@f * @f - @f)", "((@f + @f) * @f)", "(@f / (1.5f + fabsf(@f)))",
    "sqrtf(fabsf(@f * @f + @f))", "(1.25f * @f + 3.5f * @f)", "(-@f * @f + @f)", "(@c ? @f * @f : @f)", "fmaf(@f, @f, @f)", "fminf(@f, @f * @f)",
    "((float)(@l & 1023u) * 0.001f)", "axpy(@f, @f, @f)", "lerp_(@f, @f)", "Box<float>(@f).twice()", "(float)(1.5 * @f + @f)", "SCALE(@f, @f)",
    "@g", "@g", "folded<float>(@f, @f)",
)  # fmt: skip


def read(w: Writer, scope: Scope) -> Node:
    """An element of the input of floats, in (-1, 1)."""
    return w.fill("f", w.pick(*_READS), scope, 0)


def single(w: Writer, scope: Scope, depth: int) -> Node:
    """A float."""
    if depth <= 0 or w.chance(0.15):
        if scope.f and w.chance(0.5):
            return w.fill("f", w.pick(*scope.f), scope, 0)
        return read(w, scope) if w.chance(0.5) else w.fill("f", w.pick(*_LEAVES), scope, 0)
    return w.fill("f", w.pick(*_VALUES), scope, depth - 1)


def _target(w: Writer, scope: Scope) -> str:
    return w.rng.choice(scope.f)


def products(w: Writer, scope: Scope) -> Node:
    """A compound assignment with products."""
    to = _target(w, scope)
    return statement(to, w.pick(" += ", " -= ", " = 0.5f * " + to + " + "), w.f(scope), " * ", w.f(scope, 1), ";")


def sum_loop(w: Writer, scope: Scope) -> Node:
    """A sum over a row, and what is made of it behind the loop."""
    s, j = w.fresh("s"), w.fresh("j")
    inner = scope.inside(counters=(j,), loop=True)
    row = statement(s, " += ", read(w, inner), w.pick(" * ", " * ", " + "), w.f(inner, 1), ";")
    loop = statement(f"for (int {j} = 0; {j} < {w.pick('n', 'n', '12', 'm + 3')}; {j}++) {{\n", block(row), "\n}")
    after = statement(
        _target(w, scope),
        " += ",
        w.pick(f"{s} * alpha + ", f"beta * {s} - ", f"{s} * 0.25f + 0.5f * "),
        w.f(scope, 1),
        ";",
    )
    return statement(
        "{\n", block(statement(f"float {s} = ", w.pick("0.0f", "f0", "alpha * f0"), ";"), loop, after), "\n}"
    )


def two_rows(w: Writer, scope: Scope) -> Node:
    """Two sums in one loop, combined by constants behind it."""
    j = w.fresh("j")
    inner = scope.inside(counters=(j,), loop=True)
    body = block(statement("s += ", read(w, inner), f" * F[{j}];"), statement("r += ", read(w, inner), f" * F[{j}];"))
    loop = statement(f"for (int {j} = 0; {j} < n; {j}++) {{\n", body, "\n}")
    ends = (
        "1.25f * s + 3.5f * r",
        "s * alpha - r * beta",
        "(s + r) * (s - r)",
        "s * s + r * r",
        "s / (1.5f + r * r)",
        "sqrtf(s * s + r * r)",
    )
    after = statement(_target(w, scope), f" = {w.pick(*ends)};")
    return statement("{\n", block(statement("float s = 0.0f, r = 0.0f;"), loop, after), "\n}")


def doubles(w: Writer, scope: Scope) -> Node:
    """A sum in double precision."""
    j = w.fresh("j")
    inner = scope.inside(counters=(j,), loop=True)
    body = block(statement(w.pick("d += ", "d = d * 0.5 + "), "(double)", read(w, inner), f" * F[{j}];"))
    loop = statement(f"for (int {j} = 0; {j} < n; ++{j}) {{\n", body, "\n}")
    return statement(
        "{\n",
        block(statement("double d = 0.0;"), loop, statement(_target(w, scope), " += (float)(d * 1.1 + 0.3);")),
        "\n}",
    )


def halves(w: Writer, scope: Scope) -> Node:
    """Half precision with operators."""
    h = w.fresh("h")
    made = w.pick(
        f"{h} = {h} * {h} + __float2half(0.25f);",
        f"{h} = __hfma({h}, {h}, {h});",
        f"{h} = {h} - {h} * __float2half(alpha);",
    )
    value = expression("f", "fminf(fmaxf(", w.f(scope, 1), ", -2.0f), 2.0f)")
    return statement("{\n", block(statement(f"__half {h} = __float2half(", value, ");"), statement(made),
                                  statement(_target(w, scope), f" += __half2float({h});")), "\n}")  # fmt: skip


def branched(w: Writer, scope: Scope) -> Node:
    """A product in a branch, its sum behind it."""
    p = w.fresh("p")
    return statement("{\n", block(
        statement(f"float {p} = ", w.f(scope, 0), ";"),
        statement("if (", w.c(scope), ") ", f"{p} = {p} * ", w.f(scope, 0), ";"),
        statement(_target(w, scope), f" = {p} * alpha + ", w.f(scope, 1), ";"),
    ), "\n}")  # fmt: skip


FORMS: dict[str, Form] = {
    "products": products, "sum_loop": sum_loop, "two_rows": two_rows, "doubles": doubles, "halves": halves, "branched": branched,
}  # fmt: skip

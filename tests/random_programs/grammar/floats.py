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


def known(w: Writer, scope: Scope) -> Node:
    """Elements that hold 0 or 1, what is done twice, and numbers of the launch: where a compiler finds a copy, or none."""
    j, s, to, mine = w.fresh("j"), w.fresh("s"), _target(w, scope), "V[me + 2048]"
    other = w.pick("U[me + 2048] += 5u;", f"U[me + 2048] ^= A[{j}];", f"U[me] += B[{j}];")
    once = other.replace(f"[{j}]", "[me]")
    loop = f"for (int {j} = 0; {j} < {w.pick('4', '4', 'n', 'm')}; ++{j})"
    forms = (
        f"{{ {mine} = 1.0f; {loop} {{ {mine} *= @g; {other} }} {to} += {mine}; }}",
        f"{{ {mine} = {w.pick('1.0f', '0.0f', '-1.0f')}; {once} {to} += {mine} * @f; }}",
        f"{{ {loop} {{ {mine} = -{mine}; {other} }} {to} += {mine}; }}",
        f"{{ {mine} = F[me]; {loop} {{ {mine} = fmaxf({mine}, @g); {other} }} {to} -= {mine}; }}",
        f"{{ {mine} = 0.0f; {loop} {{ {mine} += @g * @g; {other} }} {to} += {mine}; }}",
        f"{{ double {s} = @g; if (n > 7) {s} *= 0.5; {to} += (float){s}; }}",
        f"{{ float {s} = @g; if (m > 3) {s} = -{s}; {once} if (m > 3) {s} = -{s}; {mine} = {s}; }}",
        f"{{ const float {s} = @g; {mine} = {s} > -(float)m ? {s} : -(float)m; }}",
        f"{{ {mine} = copysignf(@g, (float)(m - 4)); {to} += {mine}; }}", f"{to} += @f / (float)n;", f"{mine} = @g * (float)(m & 1);",
        f"if (@g == 1.0f) {{ {once} {to} += F[me] * @g; }}", f"{mine} = fminf(fmaxf(@g, -(float)(m & 1)), (float)(n & 1));",
    )  # fmt: skip
    form = w.pick(*forms)
    return w.line(scope.inside(counters=(j,), loop=True) if "for (" in form else scope, form)


FORMS: dict[str, Form] = {
    "products": products, "sum_loop": sum_loop, "two_rows": two_rows, "doubles": doubles, "halves": halves, "branched": branched, "known": known,
}  # fmt: skip

"""Side effects where people put them: in tests, targets, arguments, initialisers, behind commas."""

from __future__ import annotations

from ..tree import Node, block, statement
from .writer import Form, Scope, Writer


def assign(w: Writer, scope: Scope) -> Node:
    """An assignment."""
    to = w.rng.choice(scope.u)
    return statement(to, w.pick(" = ", " += ", " ^= ", " -= ", " *= 3u + "), w.u(scope), ";")


def declare(w: Writer, scope: Scope) -> Node:
    """A local that is used at once; several in one statement, a reference, a constant."""
    x, y, to = w.fresh("x"), w.fresh("y"), w.rng.choice(scope.u)
    first = statement(w.pick("const unsigned ", "unsigned ", "auto ", "unsigned "), x, " = ", w.u(scope), ";")
    if w.chance(0.4):
        first = statement("unsigned ", x, " = ", w.u(scope), f", {y} = {x}++;")
        return statement("{\n", block(first, statement(f"{to} += {x} ^ {y};")), "\n}")
    return statement("{\n", block(first, statement(f"{to} += {x};")), "\n}")


def take(w: Writer, scope: Scope) -> Node:
    """A callee that changes its argument, by reference or through a pointer, in a test or an initialiser."""
    state, x, to = w.fresh("state"), w.fresh("x"), w.rng.choice(scope.u)
    made = statement(f"unsigned {state} = ", w.u(scope, 1), ";")
    forms = (
        f"if (take({state}) > 40u) {to} += take({state}); else {to} ^= {state};", f"const unsigned {x} = next({state}); {to} += {x} ^ {state};",
        f"{to} = next_at(&{state}); {to} ^= {state};", f"while (({state} >>= 3) > 5u) {to} += A[me + ({state} & 7u)];",
        f"{to} += ({state} += 3u, {state} * 2u);", f"{to} += A[next({state}) & 1023u]; {to} ^= {state};",
        f"({state} & 1u ? {to} : {state}) += 5u; {to} += {state};", f"{to} += {state}++ * 3u; {to} ^= --{state};",
        f"bump({to}, {state}); {to} += {state};", f"if (unsigned {x} = take({state}) & 7u) {to} += A[me + {x}];",
        f"{to} += by_value(take({state}), t & 7);", f"for (unsigned {x} = take({state}) & 7u; {x}-- > 0;) {to} += {state};",
        f"{to} += chosen<1>({to}, {state});", f"{to} += chosen<3>({state}, {to}) ^ {state};",
        f"if (sizeof(int) == 8) {{ meet(); bump({to}, {state}); }} else {to} ^= {state};", f"if (sizeof(int) == 4) {{ bump({to}, {state}); }} else {{ {to} = votes({to}, true); }}",
        f"{to} += ({state} > 9u && take({state}) > 3u) ? {state} : 1u;",
        f"auto {x} = [{state}]() mutable {{ return {state} += 3u; }}; {to} += {x}(); {to} ^= {x}() + {state};",
        f"unsigned char {x} = {state}; {x} += 200; {to} += B[{x}] + A[(unsigned char)++{x}];",
        f"struct {{ unsigned low : 4; }} {x}; {x}.low = {state}; {x}.low += 9; {to} += B[{x}.low];",
        f"unsigned {x} = 3u; unsigned &{x}r = {state} & 1u ? {x} : {state}; {x}r += 5u; {to} += B[{x} & 63u] ^ {state};",
        f"struct {{ unsigned &r; }} {x}{{{state}}}; {x}.r += 3u; {to} += {state};", f"auto {x} = [&r = {state}] {{ r += 3u; }}; {x}(); {to} += {state};",
        f"struct {{ struct {{ unsigned p, q; }} in; unsigned u, v; }} {x} = {{1u, {state}, 3u}}; {to} += B[{x}.u] + B[{x}.v] + {x}.in.q;",
        f"Twice {x}; {x}.u = {state}; {x}.Once::u = 9u; {x}.up(); {to} += B[{x}.u & 63u] + B[{x}.Once::u];",
        f"{to} += B[min({state} - 9u, 40u)] ^ B[max({state} - 9u, 70u) & 63u];",
        f"switch ({state} & 3u) {{ case 0: if ({state} > 9u) break; case 1: {to} += 7u; default: {to} ^= {state}; }}",
    )  # fmt: skip
    return statement("{\n", block(made, statement(w.pick(*forms))), "\n}")


def macros(w: Writer, scope: Scope) -> Node:
    """Statements out of macros."""
    to = w.rng.choice(scope.u)
    if w.chance(0.1):  # such a kernel must be left alone
        return statement(w.pick(f"ADD({to}, SELF);", f"ADD({to}, ORDINAL);", f"ADD({to}, SALT);"))
    return statement(w.pick(f"STEP({to});", f"ADD({to}, A[me]);", f"SWAP_IF(t & 1, {to}, v1);", f"ADD({to}, MINE);"))


def bins(w: Writer, scope: Scope) -> Node:
    """An atomic sum whose result nobody uses."""
    return statement("atomicAdd(&bins[(", w.u(scope, 1), ") & 63u], ", w.pick("1u", "3u", "(unsigned)t"), ");")


def output(w: Writer, scope: Scope) -> Node:
    """A store to what the thread owns, with an effect in the target or the value."""
    to = w.rng.choice(scope.u)
    return statement(w.pick("U[me] ^= ", "U[me + 2048] += ", f"U[me + 2048 * (int)(++{to} & 1u)] += ", "(&U[me])[0] += ", "*(U + me) -= "),
                     w.u(scope), ";")  # fmt: skip


def handed_out(w: Writer, scope: Scope) -> Node:
    """A store to what the thread owns by something that is only given its address."""
    x = w.fresh("x")
    forms = {
        "new (U + me) unsigned(": ");", "new (U + me + 2048) Put(": ");", "::new ((void *)&U[me]) Put(": ");",
        "(void)frexpf((float)(127u & ": "), (int *)(U + me));", f"unsigned {x} = ": f"; __builtin_memcpy(U + me, &{x}, 4);",
    }  # fmt: skip
    begin = w.pick(*forms)
    return statement("{ ", begin, w.u(scope, 1), forms[begin], " }") if begin in forms else statement(begin)


def again(w: Writer, scope: Scope) -> Node:
    """Elements that are read behind stores to them and to others, of another type, which a compiler may know."""
    j, to, mine = w.fresh("j"), w.rng.choice(scope.u), "U[me + 2048]"
    other = w.pick("V[me + 2048] = 0.5f;", "V[me + 2048] += 0.25f;", "V[me + 2048] -= 1.0f;")
    step = f"{mine} = (unsigned)(((int){mine} * 1103515245 + 12345) & 0x7fffffff);"
    inner = scope.inside(counters=(j,), loop=True)
    forms = (
        f"{{ {mine} = @u & 0x7fffffffu; {other} {step} {to} ^= {mine}; }}",
        f"{{ for (int {j} = 0; {j} < 5; ++{j}) {{ {step} {other} }} {to} += {mine} % 7u; }}",
        f"{{ {mine} = 1u; for (int {j} = 0; {j} < m; ++{j}) {{ {mine} *= @u; {other} }} {to} += {mine}; }}",
        f"{{ {mine} = @u; ((unsigned char *)(U + me + 2048))[1] = (unsigned char){to}; {other} {to} += {mine}; }}",
        f"{{ *(float *)&{mine} = 1.0f; {other} {to} ^= {mine} + @u; }}",
        f"{{ {mine} = @u & 1u; {other} if ({mine}) {to} += {mine} * @u; }}",
    )  # fmt: skip
    form = w.pick(*forms)
    return w.line(inner if "for (" in form else scope, form)


def volatile(w: Writer, scope: Scope) -> Node:
    """A volatile local."""
    x, to = w.fresh("x"), w.rng.choice(scope.u)
    return statement(f"{{\nvolatile unsigned {x} = ", w.u(scope, 1), f";\n{to} += {x};\n}}")


SIMPLE: dict[str, Form] = {"assign": assign, "declare": declare, "output": output}
FORMS: dict[str, Form] = {
    "take": take,
    "macros": macros,
    "bins": bins,
    "volatile": volatile,
    "handed_out": handed_out,
    "again": again,
}

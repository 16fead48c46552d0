"""Classes, lambdas, aggregates, unions: code that runs where no call is written."""

from __future__ import annotations

from ..tree import Node, block, statement
from .writer import Form, Scope, Writer


def lambda_value(w: Writer, scope: Scope) -> Node:
    """A lambda that captures by value."""
    f, to = w.fresh("f"), w.rng.choice(scope.u)
    capture = w.pick("[=]", "[=]", f"[t, k = {to}]")
    inside = "q * 3u + (unsigned)t + k" if "k =" in capture else f"q * 5u + (unsigned)t + {to}"
    if w.chance(0.3):
        inside += w.pick(" + threadIdx.x", " + blockIdx.x")
    if w.chance(0.25):
        return statement("{\n", block(statement(f"unsigned k_ = {to}; auto {f} = [=](unsigned q) mutable {{ k_ += q; return k_; }};"),
                                      statement(f"{to} += {f}(", w.u(scope, 1), f"); {to} ^= {f}(2u);")), "\n}")  # fmt: skip
    return statement(
        "{\n",
        block(
            statement(f"auto {f} = {capture}(unsigned q) {{ return {inside}; }};"),
            statement(f"{to} ^= {f}(", w.u(scope, 1), f"); {to} += (unsigned)sizeof({f});" if w.chance(0.15) else ");"),
        ),
        "\n}",
    )


def lambda_reference(w: Writer, scope: Scope) -> Node:
    """A lambda that captures by reference and changes what it captured."""
    f, to = w.fresh("f"), w.rng.choice(scope.u)
    made = w.pick(f"auto {f} = [&](unsigned q) {{ {to} += q; return {to} & 7u; }};", f"auto {f} = [&{to}](unsigned q) -> unsigned {{ return {to} = {to} * 3u + q; }};",
                  f"auto {f} = [&](auto q) {{ for (int z = 0; z < n; z++) {to} += A[me * n + z] * q; return q; }};")  # fmt: skip
    other = w.rng.choice([name for name in scope.u if name != to])
    return statement("{\n", block(statement(made), statement(f"{other} += {f}(", w.u(scope, 1), ");")), "\n}")


def constructor(w: Writer, scope: Scope) -> Node:
    """Objects whose constructors, members, conversions or destructors read built-in variables."""
    x, to = w.fresh("x"), w.rng.choice(scope.u)
    forms = (
        f"{{ Place {x}; {to} += {x}.x * 3u + {x}.y; }}", f"{{ Member {x}{{}}; {to} ^= {x}.t + {x}.b; }}", f"{{ Derived {x}; {to} += {x}.sum(); }}",
        f"{{ Here {x}; {to} += {x} + 1u; }}", f"{{ Leaving {x}{{{to}}}; {to} += 3u; }}", f"{{ Adder {x}(v1); {x} += {to}; {to} ^= {x}.v; }}",
        f"{{ Counter {x}; ++{x}; {to} += {x}(); }}", f"{{ Member {x}[2]; {to} += {x}[1].t; }}", f"{{ Wrapped {x}; {to} += {x}.inner.x; }}",
        f"{{ Place {x} = Place::other(); {to} += {x}.flat(); }}", f"{to} += (Place{{}}).flat();", f"{to} += Bound<Place>().at.x;",
        f"{{ const Place &{x} = Place(); {to} += {x}.y; }}", f"{{ auto *{x} = &as_const_(Member()); {to} += {x} != nullptr; }}",
    )  # fmt: skip
    return statement(w.pick(*forms))


def aggregate(w: Writer, scope: Scope) -> Node:
    """Aggregates, structured bindings, by value and by reference through callees."""
    p, a, b, to = w.fresh("p"), w.fresh("a"), w.fresh("b"), w.rng.choice(scope.u)
    return w.line(
        scope,
        f"{{ Pair {p} = {{@u, @u}}; exchange({p}); {to} += {p}.a - {p}.b; }}", f"{{ auto [{a}, {b}] = pair_of(@u); {to} += {a} * 3u ^ {b}; }}",
        f"{{ Pair {p}{{@u, 4u}}; auto &[{a}, {b}] = {p}; {a} += {b}; {to} ^= {p}.a; }}",
        f"{{ Pair {p}{{}}; {p}.a = {to}; {p} += Pair{{@u, 2u}}; {to} = ({p} * 3u).a; }}",
        f"{{ Pair {p}[2] = {{{{1u, {to}}}, {{@u, 2u}}}}; {to} += {p}[t & 1].a + {p}[~t & 1].b; }}", f"{to} += by_pair(Pair{{@u, {to}}}).b;",
    )  # fmt: skip


def union(w: Writer, scope: Scope) -> Node:
    """A union of a word and its bytes."""
    x, to = w.fresh("x"), w.rng.choice(scope.u)
    return statement(
        f"{{ Word {x}; {x}.word = ", w.u(scope, 1), f"; {to} += {x}.bytes[{w.pick('1', 't & 3', 'n & 3')}]; }}"
    )


def members(w: Writer, scope: Scope) -> Node:
    """The struct that came by value: its methods and its array, and a member that changes although it is const."""
    to = w.rng.choice(scope.u)
    if w.chance(0.15):
        return statement(f"{to} += par.counted(", w.u(scope, 1), f"); {to} ^= par.counted(3u);")
    return statement(
        w.pick(
            f"{to} += par.mix({to}, t);",
            f"{to} ^= par.table[t & 3];",
            f"{to} += par(v0);",
            f"{to} += par.row(A, me, n);",
        )
    )


FORMS: dict[str, Form] = {
    "lambda_value": lambda_value, "lambda_reference": lambda_reference, "constructor": constructor, "aggregate": aggregate, "union": union,
    "members": members,
}  # fmt: skip

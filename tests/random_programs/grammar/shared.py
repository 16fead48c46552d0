"""Shared memory: staged rows, tiles, reductions, two dimensions, dynamic memory; own slots are written, a barrier, all are read.

Every section ends with a barrier, so that sections can follow each other, and every array is declared at the kernel's start.
`t` is the thread's number in its block and `threads` how many there are, 256 at most.
"""

from __future__ import annotations

from ..tree import Node, block, keep, statement
from .writer import Form, Scope, Writer

BARRIER = "__syncthreads();"


def _array(w: Writer, length: str = "256", kind: str = "unsigned") -> str:
    """A shared array, declared at the start; the dynamic one where it is there and long enough."""
    s = w.fresh("s")
    w.declarations.append(keep(f"__shared__ {kind} {s}[{length}];"))
    return s


def _slots(w: Writer) -> str:
    """An array of a word for each thread; sometimes the kernel's dynamic one."""
    return "dynamic_" if w.chance(0.25) else _array(w)


def _read(w: Writer, s: str) -> str:
    return w.pick(
        f"{s}[(t + 1) % threads]",
        f"{s}[threads - 1 - t]",
        f"{s}[t]",
        f"{s}[0]",
        f"{s}[(t * 5 + (int)(v0 % 3u)) % threads]",
    )


def stage(w: Writer, scope: Scope) -> Node:
    """Each thread stores a value, perhaps in a loop; all read another's."""
    s, to = _slots(w), w.rng.choice(scope.u)
    store = w.line(
        scope, f"{s}[t] = @r;", f"{s}[t] = @u;", f"*({s} + t) = @u;", f"if (@c) {s}[t] = @u; else {s}[t] = A[me];",
        f"{s}[t] = 0u;\nfor (int q = 0; q < n; q++) {s}[t] += A[me * n + q];",
        f"{{ unsigned sum = 0u; for (int q = 0; q < n; q++) sum += A[me * n + q]; {s}[t] = sum; }}",
        f"for (int q = t; q < threads; q += threads) {s}[q] = B[q] + @u;",
    )  # fmt: skip
    use = w.line(
        scope, f"{to} += {_read(w, s)};", f"for (int q = 0; q < n; q++) {to} = {to} * 3u + {s}[(t + q) % threads];",
        f"for (int q = 0; q < n; q++) {to} += {s}[(t + q) % threads] * B[q];", f"if (@c) {to} ^= {_read(w, s)};",
    )  # fmt: skip
    return statement("{\n", block(store, keep(BARRIER), use, keep(BARRIER)), "\n}")


def effect_store(w: Writer, scope: Scope) -> Node:
    """The value, target or test of a store to shared memory has a side effect on the others."""
    rows = _array(w, "256][4")
    s, state, to = _slots(w), w.fresh("state"), w.rng.choice(scope.u)
    made = statement(f"unsigned {state} = ", w.u(scope, 1), ";")
    plain = statement(f"{s}[t] = 0u;" if w.chance(0.5) else f"{s}[t] = A[me];")
    zero = statement(f"for (int q = 0; q < 4; q++) {rows}[t][q] = (unsigned)q;")
    one = (
        f"if ({state} > 9u) {s}[t] = take({state});", f"{s}[t] = A[me], take({state});", f"{s}[t] = next({state});",
        f"{s}[t] = {state}++ + A[me];", f"if (({state} >>= 1) & 3u) {s}[t] = {state};",
        f"take({state}), {s}[t] = {state};",
        f"{state} = 10u; if ({state} > 9u) {s}[t] = take({state});", f"{s}[t] = ({state} += 3u, A[me] + {state});", f"{s}[t] = {state} = A[me] & 63u;",
        f"auto &slot = {s}[t]; slot = take({state}); slot += {state};", f"auto put = [&](unsigned q) {{ {s}[t] = q; {state} += q; }}; put(A[me]); put({state});",
        f"auto more = [&] {{ return {state} = {state} * 3u + A[me]; }}; {s}[t] = more(); {s}[t] += more();",
        f"store_to({s}, t, {state}); {s}[t] += take({state});", f"unsigned *slot = {s} + t; *slot = next_at(&{state});", f"{s}[t] = A[me] + (Place().flat() & 7u);",
        f"if ((t & 1) == 0 && take({state}) > 3u) {s}[t] = {state};", f"{s}[t] = at_or({state}) + at_or();", f"STEP({state}); {s}[t] = {state};",
        f"STORE({s}, t, take({state}));", f"Adder sum({state}); sum += A[me]; {s}[t] = sum.v;", f"{s}[t] = by_reference({state}, A[me]);",
        f"Leaving left{{{state}}}; {s}[t] = A[me];", f"switch (A[me] & 3u) {{ case 1: {s}[t] = take({state}); break; default: {s}[t] = {state}++; }}",
        f"do {s}[t] = take({state}); while ({state} > 99u && --{state} > 200u && false);", f"{s}[t] = PICK({state} & 1u, take({state}), next({state}));",
        f"const auto [x_, y_] = pair_of({state}); {s}[t] = x_ + y_;", f"{s}[t] = A[me]; if (t > 3) {s}[t] += take({state});",
        f"if ({state} > 3u) {s}[t] = take({state}); else {s}[t] = next({state});", f"{state} = A[me]; {s}[t] = {state}; {state} = {s}[t] * 3u;",
        f"if (bool odd = take({state}) & 1u) {s}[t] = odd + {state};", f"{s}[t] = ({state} > 5u ? take({state}) : {state});",
    )  # fmt: skip
    many = (
        f"{rows}[t][{state} & 3u] = next({state});", f"{rows}[t][take({state}) & 3u] = A[me * n + q];", f"if ({state} > 3u) {rows}[t][q & 3] = take({state});",
        f"{rows}[t][q & 3] = A[me * n + q], {state} += 5u;", f"{rows}[t][(q + (int)({state} & 7u)) & 3] = {state} = A[me * n + q] & 7u;",
        f"{rows}[t][{state}++ & 3u] = A[me * n + q];", f"{rows}[t][q & 3] += A[me * n + q]; {state} ^= {rows}[t][{state} & 3u];",
        f"unsigned got = A[me * n + q]; {state} += got; {rows}[t][{state} & 3u] = got;", f"auto move = [&] {{ return ++{state} & 3u; }}; {rows}[t][q & 3] = move(); {rows}[t][move()] = A[me];",
        f"if (A[me * n + q] & 1u) continue; {rows}[t][q & 3] = {state} += 3u;", f"Place here; {rows}[t][here.x & 3u] = A[me * n + q] + here.y;",
        f"{rows}[t][q & 3] = at_or(A[me * n + q]) + (unsigned)Here();",
    )  # fmt: skip
    if w.chance(0.6):
        text = w.pick(*one)
        conditional = text.startswith(("if (", "switch (")) and " else " not in text  # else every slot is written
        first = conditional or f"{s}[t]" not in text or w.chance(0.4)
        declares = text.startswith(("auto ", "unsigned ", "Adder ", "Leaving ", "const "))
        store, use = (
            [*([plain] if first else []), statement(f"{{ {text} }}" if declares else text)],
            f"{to} += {_read(w, s)};",
        )
    else:
        head = w.pick(
            "for (int q = 0; q < n; q++)", "for (int q = 0; q < 4; ++q)", "for (int q = n - 1; q > 0; q -= 2)"
        )
        store, use = (
            [zero, statement(head + " { " + w.pick(*many) + " }")],
            f"{to} += {rows}[(t + 1) % threads][{w.pick('1', 't & 3', 'n & 3')}];",
        )
    if w.chance(0.4):
        store = [store[0], keep(BARRIER), *store[1:]]
    return statement(
        "{\n", block(made, *store, statement(f"{to} ^= {state};"), keep(BARRIER), statement(use), keep(BARRIER)), "\n}"
    )


def tiles(w: Writer, scope: Scope) -> Node:
    """A tile for each turn of a loop, barriers in the loop."""
    q, k, to = w.fresh("q"), w.fresh("k"), w.rng.choice(scope.u)
    fill = [statement("V[me] += F[me];")] if w.floats and w.chance(0.3) else []
    if w.floats and w.chance(0.5):
        s, to = _array(w, "256", "float"), w.rng.choice(scope.f)
        store = statement(f"{s}[t] = F[me * n + {q}];")
        use = statement(f"for (int {k} = 0; {k} < 8; {k}++) {to} += {s}[(t + {k}) % threads] * F[{q}];")
    else:
        s = _slots(w)
        store = statement(
            f"{s}[t] = A[{w.pick(f'me * n + {q}', f'{q} * 256 + me', f'{q} * threads + t')}]", w.pick("", " + v0"), ";"
        )
        use = statement(f"for (int {k} = 0; {k} < 8; {k}++) {to} = {to} * 3u + {s}[(t + {k}) % threads];")
    head = w.pick(f"for (int {q} = 0; {q} < m; {q}++)", f"for (int {q} = 0; {q} < n; {q} += 4)")
    return statement(head, " {\n", block(store, keep(BARRIER), use, *fill, keep(BARRIER)), "\n}")


def reduction(w: Writer, scope: Scope) -> Node:
    """A sum over the block in halves, of any number of threads."""
    to = w.rng.choice(scope.u)
    if w.floats and w.chance(0.4):
        s, value, use = _array(w, "256", "float"), w.f(scope, 1), f"{w.rng.choice(scope.f)} += {{}}[0] * alpha;"
    else:
        s, value, use = _slots(w), w.u(scope, 1), f"{to} += {{}}[0];"
    loop = (f"for (int left = threads; left > 1;) {{\nconst int half = (left + 1) / 2;\nif (t < left - half) {s}[t] += {s}[t + half];\n"
            f"{BARRIER}\nleft = half;\n}}")  # fmt: skip
    powers = f"for (int half = 128; half > 0; half >>= 1) {{\nif (t < half && t + half < threads) {s}[t] += {s}[t + half];\n{BARRIER}\n}}"
    return statement("{\n", block(statement(f"{s}[t] = ", value, ";"), keep(BARRIER), statement(w.pick(loop, powers)),
                                  statement(use.format(s)), keep(BARRIER)), "\n}")  # fmt: skip


def two_dimensions(w: Writer, scope: Scope) -> Node:
    """A tile with rows and columns, read across."""
    s, to = _array(w, "16][17"), w.rng.choice(scope.u)
    store = w.line(scope, f"{s}[t / 16][t % 16] = @u;", f"{s}[t >> 4][t & 15] = A[me * n + 1];")
    use = statement(f"if (t % 16 < threads / 16) {to} += {s}[t % 16][{w.pick('t / 16', '(t / 16 + 1) & 15', '0')}];")
    return statement("{\n", block(store, keep(BARRIER), use, keep(BARRIER)), "\n}")


def columns(w: Writer, scope: Scope) -> Node:
    """Bins of the thread's own: a column of an array."""
    s, to = _array(w, "8][256"), w.rng.choice(scope.u)
    return statement("{\n", block(statement(f"for (int q = 0; q < 8; q++) {s}[q][t] = 0u;"), statement(f"for (int q = 0; q < n; q++) ++{s}[A[me * n + q] & 7u][t];"),
                                  keep(BARRIER), statement(f"for (int q = 0; q < 8; q++) {to} = {to} * 5u + {s}[q][(t + {w.pick('0', '1')}) % threads];"), keep(BARRIER)), "\n}")  # fmt: skip


def counter(w: Writer, scope: Scope) -> Node:
    """One word that all threads add to."""
    s, to = _array(w, "4"), w.rng.choice(scope.u)
    return statement("{\n", block(statement(f"for (int q = t; q < 4; q += threads) {s}[q] = (unsigned)q;"), keep(BARRIER), statement(f"atomicAdd(&{s}[", w.u(scope, 1), " & 3u], (unsigned)t);"),
                                  keep(BARRIER), statement(f"{to} += {s}[{w.pick('0', 't & 3', 'n & 3')}];"), keep(BARRIER)), "\n}")  # fmt: skip


def vote(w: Writer, scope: Scope) -> Node:
    """A barrier that counts."""
    to = w.rng.choice(scope.u)
    return statement(f"{to} += (unsigned)__syncthreads_{w.pick('count', 'or', 'and')}(", w.c(scope), ");")


def struct(w: Writer, scope: Scope) -> Node:
    """An array of structs, and a callee that meets at a barrier."""
    s, to = _array(w, "256", "Pair"), w.rng.choice(scope.u)
    return statement("{\n", block(statement(f"{s}[t].a = ", w.u(scope, 1), ";"), statement(f"{s}[t].b = A[me];"), keep(w.pick(BARRIER, "meet();", "SYNC;")),
                                  statement(f"{to} += {s}[(t + 1) % threads].a ^ {s}[t].b;"), keep(BARRIER)), "\n}")  # fmt: skip


def exchange(w: Writer, scope: Scope) -> Node:
    """The threads of whole warps exchange data; those that a block's last warp lacks are named, too, as nobody waits for them."""
    to, x = w.rng.choice(scope.u), w.fresh("x")
    lanes = "min(32, threads - (t & ~31))"
    sum_ = f"unsigned {x} = @u;\nfor (int by = 16; by > 0; by >>= 1) {{ const unsigned other = __shfl_down_sync(~0u, {x}, by); if ((t & 31) + by < {lanes}) {x} += other; }}\n"
    return w.line(
        scope, f"{to} += __popc(__ballot_sync(~0u, @c));", f"{to} ^= __shfl_sync(0xffffffffu, @u, 0);", f"{{ {sum_}{to} ^= {x}; }}",
        f"{to} += __any_sync(0xffffffffu, @c) ? 3u : 5u;", f"{to} += __reduce_add_sync(0xffffffffu, @r);", f"{{ {sum_}if (t / 32 == 0) {to} += __popc(__match_any_sync(~0u, {x} & 3u)); }}",
        f"if (t < 32) {to} ^= __shfl_sync(0xffffffffu, @u, t & 1);", f"if (t >> 5 == 1) {{ {sum_}{to} = {x}; }}", f"for (int q = t / 32; q < n; q += 2) {to} += __popc(__ballot_sync(~0u, A[me] >> q & 1u));",
        f"{to} += votes({to}, t / 32 > 0);",
    )  # fmt: skip


def last_exchange(w: Writer, scope: Scope) -> Node:
    """The end of a kernel: some threads exchange data with a mask of all, and the others only end."""
    some = w.pick(
        "t % 32 < 16", "(t & 1) == 0", f"{w.rng.choice(scope.u)} & 1u", "threadIdx.y == 0", "t < 16", "me < total - 3", "A[me] % 3u == 0u"
    )  # fmt: skip
    x = w.rng.choice(scope.u)
    return statement(f"if ({some}) ", w.pick(
        f"U[me] += __popc(__ballot_sync(0xffffffffu, {x} >> 2 & 1u));", f"{{ const unsigned all = __reduce_add_sync(~0u, {x} & 63u); U[me] ^= all; }}",
        f"last_votes(U + me, {x});", f"for (int q = 0; q < 3; q++) U[me] += __any_sync(0xffffffffu, {x} >> q & 1u) ? 7u : 1u;",
        f"U[me] += __shfl_sync(0xffffffffu, {x}, t & 31);", f"{{ __syncwarp(); U[me] += {x}; }}",
    ))  # fmt: skip


FORMS: dict[str, Form] = {
    "stage": stage, "effect_store": effect_store, "tiles": tiles, "reduction": reduction, "two_dimensions": two_dimensions, "columns": columns,
    "counter": counter, "vote": vote, "struct": struct, "exchange": exchange,
}  # fmt: skip

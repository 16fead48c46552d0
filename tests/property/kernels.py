"""Random structured kernels that compute one well-defined result, whatever order warps run in.

All arithmetic is unsigned, every thread owns its slots of `y` and `z`, bins are added to atomically, barriers and warp
operations stand only where all threads (lanes) arrive. `Level` is what the generator knows; nothing here asks gpuopt.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from enum import IntEnum

from .poisons import POISONS, UNIFORM

Lines = list[str]


class Level(IntEnum):
    """Who reaches a statement together."""

    THREAD = 0
    WARP = 1
    BLOCK = 2


@dataclass(frozen=True)
class Loop:
    """A loop around the statement that is being written. `diverges`: threads may break out or skip on their own."""

    diverges: bool
    counter_first: bool  # `continue` is allowed (the counter is stepped in the header or before the body)
    level: Level = Level.THREAD  # of its body


@dataclass(frozen=True)
class Scope:
    """Where a statement is written."""

    level: Level
    depth: int = 0
    loops: tuple[Loop, ...] = ()
    names: tuple[tuple[str, bool], ...] = ()  # loop counters in [0, 32) and whether all threads agree on them
    in_switch: bool = False
    function: bool = False  # inside a __device__ function: no early return of the kernel

    def deeper(self, level: Level, **more: object) -> Scope:
        values = {"level": min(self.level, level), "depth": self.depth + 1, "loops": self.loops, "names": self.names}
        return Scope(**{**values, "in_switch": self.in_switch, "function": self.function, **more})  # type: ignore[arg-type]

    def into(self, loop: Loop, level: Level, counter: str, same: bool) -> Scope:
        """The body of a loop."""
        return self.deeper(level, loops=(*self.loops, loop), names=(*self.names, (counter, same)), in_switch=False)


@dataclass
class Kernel:
    """A kernel: its text, what has to stand in front of it, and whether it needs whole warps."""

    name: str
    head: Lines
    text: Lines
    whole_warps: bool
    template: str  # how its name is written at a launch, with template arguments
    shared_bytes: str = "0"


@dataclass
class Writer:
    """Writes one kernel."""

    rng: random.Random
    name: str
    whole_warps: bool = False
    returns: bool = True  # threads may return early; lanes that have returned have no defined value for a shuffle
    count: int = 0
    budget: int = 22
    head: Lines = field(default_factory=list)

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def pick(self, *options: str) -> str:
        return self.rng.choice(options)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    # Expressions.

    def counter(self, scope: Scope, *, uniform: bool = False) -> str:
        names = [name for name, same in scope.names if same or not uniform]
        return self.rng.choice(names) if names else self.pick("2", "0", "7")

    def read(self, scope: Scope) -> str:
        """An element of an input; indices stay below 32768."""
        j, array = self.counter(scope), self.pick("A", "A", "B")
        forms = (
            f"{array}[me * n + {j}]", f"{array}[me * n + {j}]", f"{array}[me * m + {j}]", f"{array}[{j} * 256 + me]",
            f"{array}[{j}]", f"{array}[me]", f"{array}[(me + {j}) & 1023]", f"B[A[me * m + {j}] & 255]",
            f"__ldg(&{array}[me * n + {j}])", f"*({array} + me * n + {j})", f"{array}[n * {j} + tid]",
            f"{array}[(int)threadIdx.x * 24 + {j}]", f"{array}[24 * (tid ^ 1) + {j}]",
        )  # fmt: skip
        return self.rng.choice(forms)

    def value(self, scope: Scope) -> str:
        read = self.read(scope)
        return self.pick(
            f"{read}", f"{read} * 3u", f"({read} ^ v{self.rng.randrange(3)})",
            f"v{self.rng.randrange(3)} * 5u + {read}",
            f"(unsigned){self.counter(scope)} + {read}", f"MIX({read}, v0)", f"{read} * {self.read(scope)}",
        )  # fmt: skip

    def thread_condition(self, scope: Scope) -> str:
        j = self.counter(scope)
        return self.pick(
            "(me & 3) == 1", "threadIdx.x % 5 < 2", "A[me] & 1u", "v0 & 4u", "threadIdx.x < 7", "me < n * 9",
            f"{j} == (tid & 7)", f"A[me * n + {j}] > B[me]", "threadIdx.x + threadIdx.y * 3 > 20u", "!(tid % 3)",
        )  # fmt: skip

    def uniform_condition(self, scope: Scope) -> str:
        j = self.counter(scope, uniform=True)
        return self.pick(
            "n > 5", "blockIdx.x & 1", "m % 2 == 0", "gridDim.x > 1u", f"{j} & 1", f"{j} < 3", "A[blockIdx.x] & 1u",
            "blockDim.x > 40u && n", "same > 3", f"B[{j}] & 2u",
        )  # fmt: skip

    def condition(self, scope: Scope) -> tuple[str, Level]:
        kind = self.rng.random()
        if kind < 0.45:
            return self.thread_condition(scope), Level.THREAD
        if kind < 0.6:
            return self.pick("(tid / 32) & 1", "tid >= 32", "(tid >> 5) % 3 == 1"), Level.WARP
        return self.uniform_condition(scope), Level.BLOCK

    # Statements.

    def block(self, scope: Scope, most: int = 3) -> Lines:
        out: Lines = []
        for _ in range(self.rng.randint(1, most)):
            out += self.statement(scope)
        return out

    def statement(self, scope: Scope) -> Lines:
        self.budget -= 1
        simple = (self.accumulate, self.accumulate, self.store, self.atomic)
        makers = [*simple]
        if self.budget > 0 and scope.depth < 5:
            makers += [self.loop, self.loop, self.loop, self.branch, self.branch, self.poisoned, self.call, self.choose]
        if scope.level is Level.BLOCK:
            makers += [self.exchange, self.exchange]
        if scope.level >= Level.WARP:
            makers += [self.warp]
        if scope.loops and self.chance(0.3):
            return self.jump(scope)
        if self.returns and not scope.function and self.chance(0.05):
            condition = self.thread_condition(scope)
            return (
                [f"if ({condition}) {{", "z[me] ^= v1;", "return; }"]
                if self.chance(0.5)
                else [f"if ({condition}) return;"]
            )
        return self.rng.choice(makers)(scope)

    def accumulate(self, scope: Scope) -> Lines:
        value = self.value(scope)
        return [self.pick(
            f"v0 += {value};", f"v1 ^= {value};", f"v2 = v2 * 3u + {value};", f"y[me] += {value};",
            f"y[me] += {value};",
            f"y[me] = y[me] * 3u + {value};", f"ADD(v0, {value});", f"v1 += {value}, v2 ^= v1;",
        )]  # fmt: skip

    def store(self, scope: Scope) -> Lines:
        return [self.pick(f"z[me] ^= {self.value(scope)};", "z[me] += v0 + v1;", f"*(z + me) += {self.value(scope)};")]

    def atomic(self, scope: Scope) -> Lines:
        value = self.value(scope)
        return [self.pick(
            f"atomicAdd(&bins[{self.counter(scope)} + 1], {value});", f"atomicXor(bins + 64 + (v0 & 31u), {value});",
            f"atomicMax(&bins[40], {value});", "if (atomicAdd(&bins[50], 1u) == 0u) atomicAdd(&bins[51], 1u);",
        )]  # fmt: skip

    def exchange(self, scope: Scope) -> Lines:
        """Through shared memory, between barriers."""
        shift = self.rng.randint(1, 40)
        barrier = self.pick("__syncthreads();", "__syncthreads();", "BARRIER;", "meet();", "__syncthreads_count(n);")
        out = ["SYNC;" if self.chance(0.2) else "__syncthreads();", f"part[tid] = v0 + {self.read(scope)};", barrier]
        return [*out, f"v{self.rng.randrange(3)} += part[(tid + {shift}) % size];", "__syncthreads();"]

    def warp(self, scope: Scope) -> Lines:
        options = [
            "v0 += __any_sync(0xffffffffu, (v1 & 3u) == 0u) ? 3u : 1u;",
            "v2 ^= __ballot_sync(0xffffffffu, v0 & 1u);",
        ]
        if self.whole_warps and not self.returns:
            options += ["v1 += __shfl_xor_sync(0xffffffffu, v0, 1);", "v0 ^= __shfl_down_sync(0xffffffffu, v2, 3);"]
        return [self.rng.choice(options), *(["__syncwarp();"] if self.chance(0.3) else [])]

    def jump(self, scope: Scope) -> Lines:
        loop = scope.loops[-1]
        if not loop.diverges and scope.level < loop.level:
            return self.accumulate(scope)  # some threads would leave alone
        words = ["break"] if not scope.in_switch else []
        if loop.counter_first:
            words.append("continue")
        if not words:
            return self.accumulate(scope)
        condition = self.thread_condition(scope) if loop.diverges else self.uniform_condition(scope)
        return [f"if ({condition}) {self.rng.choice(words)};"]

    def branch(self, scope: Scope) -> Lines:
        condition, level = self.condition(scope)
        inner = scope.deeper(level)
        if self.chance(0.4):  # without braces
            body = self.single(inner)
            if not self.chance(0.4):
                return [f"if ({condition})", *body]
            if body[0].startswith("if"):
                body = ["{", *body, "}"] if self.chance(0.7) else [*body, "else", *self.single(inner)]
            return [f"if ({condition})", *body, "else", *self.single(inner)]
        out = [f"if ({condition}) {{", *self.block(inner), "}"]
        if self.chance(0.4):
            out += ["else {", *self.block(inner), "}"]
        elif self.chance(0.2):
            other, second = self.condition(scope)
            lower = inner.deeper(second)
            out += [f"else if ({other}) {{", *self.block(lower), "} else", *self.single(lower)]
        return out

    def single(self, scope: Scope) -> Lines:
        """One statement (a loop more often than not), without braces around it."""
        if self.budget > 0 and self.chance(0.5):
            made = self.counted(scope)
            if made is not None:
                return made
        return self.rng.choice((self.accumulate, self.store))(scope)

    def bound(self, scope: Scope) -> tuple[str, bool]:
        most = (11, 5, 3, 2, 2, 2)[min(len(scope.loops), 5)]
        if self.chance(0.3):
            return self.pick(
                f"(tid & {most})", f"(int)(A[me] & {most}u) + 1", f"me % {most + 1} + 1", f"min(tid, {most})"
            ), False
        if len(scope.loops) == 0:
            return self.pick("n", "m", "n", "16", "same + 2", "n / 2 + 1"), True
        return self.pick(str(most), f"(int)(blockIdx.x & 1) + {most}", f"min(n, {most})", f"1 + m % {most}"), True

    def counted(self, scope: Scope) -> Lines | None:
        """A `for` that is one statement."""
        bound, same = self.bound(scope)
        j = self.fresh("j")
        diverges = self.chance(0.35)
        level = Level.BLOCK if same and not diverges else Level.THREAD
        forms = (
            (f"for (int {j} = 0; {j} < {bound}; {j}++)", same), (f"for (int {j} = 0; {j} < {bound}; {j}++)", same),
            (f"for (int {j} = {bound} - 1; {j} >= 0; --{j})", same),
            (f"for (int {j} = 0; {j} < {bound}; {j} += 2)", same),
            (f"for (int {j} = 0, e{j} = {bound}; {j} < e{j}; ++{j}, --e{j})", same),
            (f"LOOP({j}, {bound})", same), (f"for (unsigned {j} = 0; {j} < (unsigned)({bound}); ++{j})", same),
        )  # fmt: skip
        header, agree = self.rng.choice(forms)
        inner = scope.into(Loop(diverges, True, min(level, scope.level)), level, j, agree)
        body = self.single(inner) if self.chance(0.3) else ["{", *self.block(inner), "}"]
        return [header, *body]

    def loop(self, scope: Scope) -> Lines:
        kind = self.rng.random()
        if kind < 0.6:
            made = self.counted(scope) or []
            pragma = self.pick("#pragma unroll", "#pragma unroll 2", "#pragma unroll 1", "#pragma nounroll")
            return [pragma, *made] if self.chance(0.25) and made[0].startswith("for") else made
        bound, same = self.bound(scope)
        j = self.fresh("j")
        diverges = self.chance(0.35)
        level = Level.BLOCK if same and not diverges else Level.THREAD
        first = self.chance(0.5)
        inner = scope.into(Loop(diverges, first, min(level, scope.level)), level, j, same)
        body = [f"{j}++;", *self.block(inner)] if first else [*self.block(inner), f"{j}++;"]
        start = f"int {j} = 0;"
        if kind < 0.75:
            return [start, f"while ({j} < {bound}) {{", *body, "}"]
        if kind < 0.88:
            return [start, "do {", *body, f"}} while ({j} < {bound});"]
        return [f"int {j}; for ({j} = 0;;) {{", f"if ({j} >= {bound}) break;", *body, "}"]

    def choose(self, scope: Scope) -> Lines:
        """A switch, with and without falling through."""
        same = self.chance(0.5)
        inner = scope.deeper(Level.BLOCK if same else Level.THREAD, in_switch=True)
        out = [f"switch ({self.pick('n % 3', 'blockIdx.x & 1') if same else self.pick('tid % 3', 'A[me] & 1u')}) {{"]
        for label in ("case 0:", "case 1:", "default:"):
            out += [label, "{", *self.block(inner, 2), "}", *([] if self.chance(0.3) else ["break;"])]
        return [*out, "}"]

    def poisoned(self, scope: Scope) -> Lines:
        """A number that threads agree or do not agree on for a hidden reason, and a statement steered by it."""
        agree = self.chance(0.3)
        u = self.fresh("u")
        template = self.rng.choice(UNIFORM if agree else POISONS)
        made = [line.replace("@", u) for line in template]
        level = Level.BLOCK if agree else Level.THREAD
        j = self.fresh("j")
        if self.chance(0.5):
            inner = scope.deeper(level)
            made += [f"if ({self.pick(f'{u} > 2', f'{u} & 1', f'{u}')}) {{", *self.block(inner, 2)]
            made += [f"for (int {j} = 0; {j} < {self.pick('n', '5', '3')}; {j}++)", f"y[me] += A[me * n + {j}];", "}"]
        else:
            inner = scope.into(Loop(False, True, min(level, scope.level)), level, j, agree)
            made += [f"for (int {j} = 0; {j} < ({u} & 7); {j}++) {{", *self.block(inner, 2)]
            made += [f"for (int k{j} = 0; k{j} < 3; k{j}++)", f"y[me] += A[me * n + k{j}];", "}"]
        return ["{", *made, "}"] if self.chance(0.8) or scope.in_switch else made

    def call(self, scope: Scope) -> Lines:
        """A device function with a body of its own; barriers in it where all threads call it."""
        name = f"{self.name}_{self.fresh('f')}"
        inner = Scope(scope.level, depth=3, names=(("j0", False),), function=True)
        rest, self.budget = self.budget, min(self.budget, 5)
        body = self.block(inner, 3)
        self.budget = rest - 3
        kind = self.pick("", "__forceinline__ ", "__noinline__ ", "static ")
        self.head += [
            f"__device__ {kind}unsigned {name}(const unsigned *A, const unsigned *B, unsigned *y, unsigned *z, "
            "unsigned *bins, unsigned *part, int n, int m, int me, int tid, int size, int same, int j0, unsigned v0) {",
            "unsigned v1 = v0 * 3u, v2 = 1u; "
            "(void)z; (void)bins; (void)part; (void)m; (void)size; (void)same; (void)tid;",
            *body, "return v0 + v1 + v2; }",
        ]  # fmt: skip
        arguments = f"A, B, y, z, bins, part, n, m, me, tid, size, same, {self.counter(scope)}, v0"
        return [self.pick(f"v0 += {name}({arguments});", f"v1 ^= {name}({arguments});", f"{name}({arguments});")]

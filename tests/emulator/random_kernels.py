"""Random structured kernels: as CUDA, and run by a plain interpreter that executes a warp statement by statement."""

from __future__ import annotations

import random
from dataclasses import dataclass

WORD = 0xFFFFFFFF
VARIABLES = ("a", "b", "c")
OPERATIONS = ("ballot", "reduce_add", "match_any", "shfl", "active", "coalesced")
BARRIERS = ("__syncthreads();", 'asm volatile("bar.sync 1;");', "cg::this_thread_block().sync();")
TILE = 8


@dataclass(frozen=True)
class Expression:
    """`x op y`, where x and y are variables, the thread's number `t`, or constants."""

    left: str
    operator: str
    right: str

    def __str__(self) -> str:
        return f"({self.left} {self.operator} {self.right})"

    def value(self, state: dict[str, int]) -> int:
        left, right = (state[x] if x in state else int(x.rstrip("u")) for x in (self.left, self.right))
        return {"+": left + right, "*": left * right, "^": left ^ right, "%": left % max(right, 1)}[
            self.operator
        ] & WORD


@dataclass(frozen=True)
class Assign:
    target: str
    value: Expression


@dataclass(frozen=True)
class Together:
    """A warp operation of the lanes that are there: ballot, reduce_add, match_any, or shfl from the n-th of them.

    `active` and `coalesced` name no mask; `tile` is for all lanes of a part of the warp, at the top level only.
    """

    target: str
    operation: str
    value: Expression


@dataclass(frozen=True)
class If:
    condition: Expression  # odd: true
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True)
class Loop:
    """Runs `trips % 5` times, each lane its own number."""

    trips: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Leave:
    condition: Expression  # a multiple of 5: the thread returns


@dataclass(frozen=True)
class Exchange:
    """Through shared memory, with barriers; at the top level only."""

    target: str
    distance: int
    barrier: str


Statement = Assign | Together | If | Loop | Leave | Exchange


def expression(rng: random.Random, *, modulo: bool = False) -> Expression:
    operator = "%" if modulo else rng.choice("+*^")
    right = f"{rng.randint(2, 7)}u" if modulo else rng.choice([*VARIABLES, "t", f"{rng.randint(1, 99)}u"])
    return Expression(rng.choice([*VARIABLES, "t"]), operator, right)


def statements(rng: random.Random, depth: int, *, top: bool = False) -> tuple[Statement, ...]:
    result: list[Statement] = []
    for _ in range(rng.randint(2, 4)):
        kind = rng.choice(["assign", "together", "together", "if", "loop", "leave", "exchange"])
        if kind == "if" and depth:
            result.append(If(expression(rng), statements(rng, depth - 1), statements(rng, depth - 1)))
        elif kind == "loop" and depth:
            result.append(Loop(expression(rng, modulo=True), statements(rng, depth - 1)))
        elif kind == "leave":
            result.append(Leave(expression(rng)))
        elif kind == "exchange" and top:
            result.append(Exchange(rng.choice(VARIABLES), rng.randint(1, 40), rng.choice(BARRIERS)))
        elif kind == "together":
            operation = rng.choice([*OPERATIONS, *["tile"] * top])
            result.append(Together(rng.choice(VARIABLES), operation, expression(rng)))
        else:
            result.append(Assign(rng.choice(VARIABLES), expression(rng)))
    return tuple(result)


class Printer:
    """A kernel's CUDA text. Every region keeps the mask of the lanes that entered it."""

    def __init__(self) -> None:
        self.count = 0
        self.lines: list[str] = []

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def emit(self, items: tuple[Statement, ...], mask: str) -> None:
        for item in items:
            self.one(item, mask)

    def one(self, item: Statement, mask: str) -> None:
        say = self.lines.append
        if isinstance(item, Assign):
            say(f"{item.target} = {item.value};")
        elif isinstance(item, Together):
            say(f"{item.target} = together_{item.operation}({mask}, {item.value});")
        elif isinstance(item, If):
            condition, inside = self.fresh(), self.fresh()
            say(f"const bool {condition} = {item.condition} & 1;")
            say(f"const unsigned {inside} = __ballot_sync({mask}, {condition});")
            say(f"if ({condition}) {{")
            self.emit(item.then, inside)
            say("} else {")
            self.emit(item.otherwise, f"({mask} & ~{inside})")
            say("}")
        elif isinstance(item, Loop):
            trips, step, inside = self.fresh(), self.fresh(), self.fresh()
            say(f"const unsigned {trips} = {item.trips} % 5;")
            say(f"unsigned {inside} = {mask};")
            say(f"for (unsigned {step} = 0; ; ++{step}) {{")
            say(f"{inside} = __ballot_sync({inside}, {step} < {trips});")
            say(f"if ({step} >= {trips}) break;")
            self.emit(item.body, inside)
            say("}")
        elif isinstance(item, Leave):
            say(f"if ({item.condition} % 5 == 0) {{ out[t] = a ^ b ^ c; return; }}")
        else:
            say(f"s[t] = {item.target}; {item.barrier}")
            say(f"{item.target} = s[(t + {item.distance}) % blockDim.x]; {item.barrier}")


def cuda(name: str, body: tuple[Statement, ...], threads: int) -> str:
    printer = Printer()
    printer.emit(body, "all")
    text = "\n  ".join(printer.lines)
    return (
        f"__global__ void {name}(unsigned *out) {{\n"
        f"  __shared__ unsigned s[{threads}];\n  const unsigned t = threadIdx.x;\n"
        f"  const unsigned all = ~0u;\n  unsigned a = t, b = t * 7 + 1, c = 5;\n  s[t] = 0; __syncthreads();\n"
        f"  {text}\n  out[t] = a ^ b ^ c;\n}}\n"
    )


class Interpreter:
    """Runs a kernel: the lanes of a warp in step, one warp after another, all together where they exchange."""

    def __init__(self, threads: int) -> None:
        self.states = [{"t": t, "a": t, "b": t * 7 + 1, "c": 5} for t in range(threads)]
        self.shared = [0] * threads
        self.left: set[int] = set()

    def run(self, body: tuple[Statement, ...]) -> list[int]:
        threads = range(len(self.states))
        for item in body:
            if isinstance(item, Exchange):
                for t in threads:
                    if t not in self.left:
                        self.shared[t] = self.states[t][item.target]
                for t in threads:
                    if t not in self.left:
                        self.states[t][item.target] = self.shared[(t + item.distance) % len(threads)]
            else:
                for warp in range(0, len(threads), 32):
                    self.step(item, [t for t in threads[warp : warp + 32] if t not in self.left])
        return [(s["a"] ^ s["b"] ^ s["c"]) & WORD for s in self.states]

    def block(self, items: tuple[Statement, ...], lanes: list[int]) -> None:
        for item in items:
            self.step(item, [t for t in lanes if t not in self.left])

    def step(self, item: Statement, lanes: list[int]) -> None:
        states = self.states
        if isinstance(item, Assign):
            for t in lanes:
                states[t][item.target] = item.value.value(states[t])
        elif isinstance(item, Together):
            values = {t: item.value.value(states[t]) for t in lanes}
            for t in lanes:
                states[t][item.target] = together(item.operation, t, values)
        elif isinstance(item, If):
            chosen = [t for t in lanes if item.condition.value(states[t]) & 1]
            self.block(item.then, chosen)
            self.block(item.otherwise, [t for t in lanes if t not in chosen])
        elif isinstance(item, Loop):
            trips = {t: item.trips.value(states[t]) % 5 for t in lanes}
            for turn in range(5):
                self.block(item.body, [t for t in lanes if turn < trips[t] and t not in self.left])
        elif isinstance(item, Leave):
            self.left.update(t for t in lanes if item.condition.value(states[t]) % 5 == 0)


def together(operation: str, thread: int, values: dict[int, int]) -> int:
    """What a warp operation gives one lane; `values` are those of the lanes that are there."""
    if operation == "ballot":
        return sum(1 << t % 32 for t, value in values.items() if value & 1)
    if operation == "reduce_add":
        return sum(values.values()) & WORD
    if operation == "match_any":
        return sum(1 << t % 32 for t, value in values.items() if value % 4 == values[thread] % 4)
    if operation == "active":
        return sum(1 << t % 32 for t in values)
    if operation == "tile":
        return sum(1 << t % TILE for t, value in values.items() if value & 1 and t // TILE == thread // TILE)
    lanes = sorted(values)
    if operation == "coalesced":
        return (values[lanes[0]] * 33 + lanes.index(thread)) & WORD
    return values[lanes[values[thread] % len(lanes)]]


PRELUDE = """
#include <cstdio>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ unsigned together_ballot(unsigned mask, unsigned x) { return __ballot_sync(mask, x & 1); }
__device__ unsigned together_reduce_add(unsigned mask, unsigned x) { return __reduce_add_sync(mask, x); }
__device__ unsigned together_match_any(unsigned mask, unsigned x) { return __match_any_sync(mask, x % 4); }
__device__ unsigned together_shfl(unsigned mask, unsigned x) {
  const unsigned there = __ballot_sync(mask, 1);
  return __shfl_sync(mask, x, __fns(there, 0, 1 + x % __popc(there)));
}
__device__ unsigned together_active(unsigned, unsigned) { return __activemask(); }
__device__ unsigned together_coalesced(unsigned, unsigned x) {
  const cg::coalesced_group group = cg::coalesced_threads();
  return group.shfl(x, 0) * 33 + group.thread_rank();
}
__device__ unsigned together_tile(unsigned, unsigned x) {
  return cg::tiled_partition<8>(cg::this_thread_block()).ballot(x & 1);
}
template <class K> void show(K kernel, int threads) {
  unsigned *out;
  cudaMallocManaged(&out, threads * sizeof(unsigned));
  kernel<<<1, threads>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess) printf("failed");
  for (int t = 0; t < threads; ++t) printf("%u ", out[t]);
  printf("\\n");
}
"""


def program(seeds: range) -> tuple[str, list[list[int]]]:
    """A program that prints one line per kernel, and the lines that it must print."""
    text, calls, expected = PRELUDE, "", []
    for seed in seeds:
        rng = random.Random(seed)
        threads = rng.choice([32, 48, 64, 96])
        body = statements(rng, 3, top=True)
        text += cuda(f"kernel_{seed}", body, threads)
        calls += f"  show(kernel_{seed}, {threads});\n"
        expected.append(Interpreter(threads).run(body))
    return text + "int main() {\n" + calls + "}\n", expected

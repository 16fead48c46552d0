"""Random kernels whose lanes exchange what they have in shared memory, without barriers: as CUDA, and run by an
interpreter of lanes in step, which make a statement's loads before its store, and a statement before the next one.

Warps have parts of the array of their own; no two lanes store to one element in the same step.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.emulator.random_kernels import WORD, Expression

THREADS = 64


@dataclass(frozen=True)
class Index:
    """The element of another lane: `kind` of "own", "+" (so many lanes on, around the warp), "^"; `by` may be a
    loop's variable."""

    kind: str
    by: str = "0u"

    def __str__(self) -> str:
        if self.kind == "own":
            return "t"
        return f"w + ((l {self.kind} {self.by}) & 31)"

    def value(self, state: dict[str, int]) -> int:
        by = state[self.by] if self.by in state else int(self.by.rstrip("u"))
        lane = state["l"]
        other = lane if self.kind == "own" else lane + by if self.kind == "+" else lane ^ by
        return state["w"] + (other & 31)


@dataclass(frozen=True)
class Load:
    """`target op s[index]`."""

    target: str
    index: Index
    operator: str


@dataclass(frozen=True)
class Store:
    """`s[index] op value`, and what the lane has at `other`, too."""

    index: Index
    operator: str
    value: Expression
    other: Index | None


@dataclass(frozen=True)
class Set:
    target: str
    value: Expression


@dataclass(frozen=True)
class Branch:
    """`if` the condition is odd, or less than 32."""

    condition: Expression
    body: tuple[Item, ...]
    otherwise: tuple[Item, ...]  # of registers alone


@dataclass(frozen=True)
class Loop:
    """`counter` doubles from 1 on up to 16, or counts up to `trips % 3`, which lanes need not agree on."""

    counter: str
    trips: Expression | None
    body: tuple[Item, ...]


@dataclass(frozen=True)
class Apart:
    text: str  # a barrier, or a fence


Item = Load | Store | Set | Branch | Loop | Apart


@dataclass
class Writer:
    """Makes up one kernel."""

    rng: random.Random
    count: int = 0
    loops: list[str] = field(default_factory=list)

    def index(self, *, own: float = 0.3) -> Index:
        if self.rng.random() < own:
            return Index("own")
        by = self.rng.choice([*self.loops, f"{self.rng.randint(1, 31)}u"])
        return Index(self.rng.choice("+^"), by)

    def expression(self) -> Expression:
        names = ["a", "b", "t", "l", *self.loops]
        right = self.rng.choice([*names, f"{self.rng.randint(1, 99)}u"])
        return Expression(self.rng.choice(names), self.rng.choice("+*^"), right)

    def items(self, depth: int) -> tuple[Item, ...]:
        return tuple(self.item(depth) for _ in range(self.rng.randint(2, 5)))

    def item(self, depth: int) -> Item:
        kinds = ["load", "load", "store", "update", "permute", "set", "apart"] + ["branch", "loop"] * (depth > 0)
        kind = self.rng.choice(kinds)
        if kind == "load":
            return Load(self.rng.choice("ab"), self.index(own=0.1), self.rng.choice(["=", "+=", "^="]))
        if kind == "store":
            return Store(self.index(), "=", self.expression(), None)
        if kind == "update":
            return Store(Index("own"), self.rng.choice(["+=", "^=", "="]), self.expression(), self.index(own=0))
        if kind == "permute":
            return Store(self.index(own=0), "=", self.expression(), self.index())
        if kind == "set":
            return Set(self.rng.choice("ab"), self.expression())
        if kind == "apart":
            return Apart("__threadfence_block();" if self.rng.random() < 0.2 else "__syncwarp();" if depth == 2 else "")
        if kind == "branch":
            other = tuple(Set(self.rng.choice("ab"), self.expression()) for _ in range(self.rng.randint(0, 2)))
            return Branch(self.expression(), self.items(depth - 1), other)
        self.count += 1
        name = f"h{self.count}"
        trips = self.expression() if self.rng.random() < 0.4 else None
        self.loops.append(name)
        body = self.items(depth - 1)
        self.loops.pop()
        return Loop(name, trips, body)


def text_of(items: tuple[Item, ...]) -> str:
    """Statements as CUDA."""
    return "\n".join(_text(item) for item in items)


def _text(item: Item) -> str:
    if isinstance(item, Load):
        return f"{item.target} {item.operator} s[{item.index}];"
    if isinstance(item, Store):
        other = f"s[{item.other}] + " if item.other else ""
        return f"s[{item.index}] {item.operator} {other}{item.value};"
    if isinstance(item, Set):
        return f"{item.target} = {item.value};"
    if isinstance(item, Apart):
        return item.text
    if isinstance(item, Branch):
        otherwise = f" else {{\n{text_of(item.otherwise)}\n}}" if item.otherwise else ""
        return f"if ({item.condition} & 1) {{\n{text_of(item.body)}\n}}{otherwise}"
    name = item.counter
    if item.trips is None:
        return f"for (unsigned {name} = 1; {name} < 32; {name} *= 2) {{\n{text_of(item.body)}\n}}"
    count = f"const unsigned {name}_n = {item.trips} % 3;\n"
    return f"{count}for (unsigned {name} = 0; {name} < {name}_n; ++{name}) {{\n{text_of(item.body)}\n}}"


def cuda(name: str, items: tuple[Item, ...]) -> str:
    """The kernel."""
    return (
        f"__global__ void {name}(unsigned *out) {{\n"
        f"__shared__ unsigned s[{THREADS}];\n"
        "const unsigned t = threadIdx.x, l = t % 32, w = t / 32 * 32;\n"
        f"unsigned a = t * 3 + 1, b = t ^ 21;\ns[t] = b * 5;\n{text_of(items)}\nout[t] = a ^ b ^ s[t];\n}}\n"
    )


class Interpreter:
    """Runs a kernel, the lanes of a warp in step, one warp after another."""

    def __init__(self) -> None:
        self.states: list[dict[str, int]] = []
        self.shared = [0] * THREADS

    def run(self, items: tuple[Item, ...]) -> list[int]:
        result: list[int] = []
        for warp in range(0, THREADS, 32):
            self.states = [
                {"t": t, "l": t % 32, "w": warp, "a": t * 3 + 1, "b": t ^ 21} for t in range(warp, warp + 32)
            ]
            for state in self.states:
                self.shared[state["t"]] = state["b"] * 5
            self.block(items, self.states)
            result += [s["a"] ^ s["b"] ^ self.shared[s["t"]] for s in self.states]
        return result

    def block(self, items: tuple[Item, ...], states: list[dict[str, int]]) -> None:
        for item in items:
            self.step(item, states)

    def step(self, item: Item, states: list[dict[str, int]]) -> None:
        if isinstance(item, Load):
            for s in states:
                s[item.target] = _joined(item.operator, s[item.target], self.shared[item.index.value(s)])
        elif isinstance(item, Store):
            stores = []
            for s in states:
                value = item.value.value(s) + (self.shared[item.other.value(s)] if item.other else 0) & WORD
                at = item.index.value(s)
                stores.append((at, _joined(item.operator, self.shared[at], value)))
            for at, value in stores:
                self.shared[at] = value
        elif isinstance(item, Set):
            for s in states:
                s[item.target] = item.value.value(s)
        elif isinstance(item, Branch):
            chosen = [s for s in states if item.condition.value(s) & 1]
            others = [s for s in states if s not in chosen]
            self.block(item.body, chosen)
            self.block(item.otherwise, others)
        elif isinstance(item, Loop):
            self.loop(item, states)

    def loop(self, item: Loop, states: list[dict[str, int]]) -> None:
        counts = range(3) if item.trips else [1, 2, 4, 8, 16]
        trips = [item.trips.value(s) % 3 if item.trips else 32 for s in states]
        for count in counts:
            states, trips = (
                [s for s, n in zip(states, trips, strict=True) if count < n],
                [n for n in trips if count < n],
            )
            for s in states:
                s[item.counter] = count
            self.block(item.body, states)


def _joined(operator: str, left: int, right: int) -> int:
    return {"=": right, "+=": left + right, "^=": left ^ right}[operator] & WORD


def program(seeds: range) -> tuple[str, list[list[int]]]:
    """A program that prints one line per kernel, and the lines that it must print."""
    text = "#include <cstdio>\n"
    calls, expected = "", []
    for seed in seeds:
        items = Writer(random.Random(seed)).items(2)
        text += cuda(f"kernel_{seed}", items)
        calls += f"  kernel_{seed}<<<1, {THREADS}>>>(out); show(out);\n"
        expected.append(Interpreter().run(items))
    text += f"""
static void show(unsigned *out) {{
  unsigned host[{THREADS}];
  if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) printf("failed ");
  for (int t = 0; t < {THREADS}; ++t) printf("%u ", host[t]);
  printf("\\n");
}}
int main() {{
  unsigned *out;
  cudaMalloc(&out, 4 * {THREADS});
"""
    return text + calls + "  cudaFree(out);\n}\n", expected

"""Random kernels whose threads meet at barriers only, some of them in loops and branches that all threads share.

As CUDA, and run by an interpreter that lets all threads do one statement before the next: the kernels have no races.
Kernels that part have control with barriers that the text does not show to be shared: first some on which threads do
agree, then some on which they mostly do not, with barriers alone in it, at which threads from anywhere meet.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.emulator.random_kernels import WORD, Expression

THREADS = "t"
SHAPES = {"32": (32, 1, 1), "dim3(8, 6)": (8, 6, 1), "dim3(5, 3, 4)": (5, 3, 4), "100": (100, 1, 1)}
State = dict[str, int]


@dataclass(frozen=True)
class Set:
    """`target = value` by every thread; `how` it is written; `declares`: with the type before it."""

    target: str
    value: Expression
    how: str = "{0} = {1};"
    declares: str = ""


@dataclass(frozen=True)
class Branch:
    """`if` the condition is odd; no barriers inside unless all threads `agree`."""

    condition: Expression
    then: tuple[Item, ...]
    otherwise: tuple[Item, ...]
    agree: bool


@dataclass(frozen=True)
class Repeat:
    """A loop of `trips % 4` turns, in one of three forms; `counter` is the number of the turn."""

    counter: str
    trips: Expression
    body: tuple[Item, ...]
    agree: bool
    form: str = "for"
    stop: Expression | None = None  # odd, and the same for all threads: `break`


@dataclass(frozen=True)
class Exchange:
    """Through shared memory: what another thread has."""

    target: str
    distance: int


@dataclass(frozen=True)
class Element:
    """`r[index % 4] += value` on an array of the thread's own, then `target` is another element."""

    index: Expression
    value: Expression
    target: str


@dataclass(frozen=True)
class Leave:
    condition: Expression  # a multiple of 7: the thread returns


@dataclass(frozen=True)
class Barrier:
    """Nothing but a barrier."""


class Own:
    """An item of another module's: its text, and what it does with the threads `lanes`."""

    def text(self) -> str:
        raise NotImplementedError

    def run(self, interpreter: Interpreter, lanes: list[int]) -> None:
        raise NotImplementedError


Item = Set | Branch | Repeat | Exchange | Element | Leave | Barrier | Own


@dataclass
class Writer:
    """Makes up one kernel. `own` are variables of threads, `same` those on which all threads agree, `alike` those that
    are the same though the text does not show it; `apart`: threads have perhaps parted."""

    rng: random.Random
    count: int = 0
    own: list[str] = field(default_factory=lambda: ["a", "b", "t", "m"])
    same: list[str] = field(default_factory=lambda: ["n", "w"])
    fixed: set[str] = field(default_factory=lambda: {"t", "n"})  # never set again
    alike: list[str] = field(default_factory=list)
    apart: bool = False
    leaves: bool = True  # threads may return

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def expression(self, names: list[str]) -> Expression:
        right = self.rng.choice([*names, f"{self.rng.randint(1, 99)}u"])
        return Expression(self.rng.choice(names), self.rng.choice("+*^"), right)

    def target(self, names: list[str]) -> str:
        return self.rng.choice([name for name in names if name not in self.fixed])

    def items(self, depth: int, *, together: bool) -> tuple[Item, ...]:
        own, same, fixed = list(self.own), list(self.same), set(self.fixed)
        found = [self.item(depth, together=together) for _ in range(self.rng.randint(2, 5))]
        self.own, self.same, self.fixed = own, same, fixed
        return tuple(found)

    def item(self, depth: int, *, together: bool) -> Item:
        everything = self.own + self.same
        kinds = ["set", "set", "element", "declare"]
        kinds += ["branch", "repeat"] * (depth > 0) + ["exchange", "exchange", "same", "declare same"] * together
        kinds += ["leave"] * (self.leaves and (depth == 2 or not together))
        kinds += ["barrier", "barrier", "same"] * self.apart
        kind = self.rng.choice(kinds)
        if kind in ("branch", "repeat"):
            return self.nested(kind, depth, together=together)
        if kind == "declare":
            name = self.fresh()
            item = Set(name, self.expression(everything), "{0} = {1};", self.rng.choice(["unsigned", "const unsigned"]))
            self.own.append(name)
            self.fixed |= {name} if item.declares.startswith("const") else set()
            return item
        if kind == "declare same":
            name = self.fresh()
            self.same.append(name)
            return Set(name, self.expression(self.same[:-1]), declares="unsigned")
        if kind == "same":
            return Set(self.target(self.same), self.expression(self.same))
        if kind == "exchange":
            return Exchange(self.target(self.own), self.rng.randint(1, 60))
        if kind == "element":
            return Element(self.expression(everything), self.expression(everything), self.target(self.own))
        if kind == "barrier":
            return Barrier()
        if kind == "leave":
            return Leave(self.expression(self.own))
        how = self.rng.choice(["{0} = {1};", "put({0}, {1});", "*(&{0}) = {1};", "{{ unsigned &r_ = {0}; r_ = {1}; }}"])
        return Set(self.target(self.own), self.expression(everything), how)

    def nested(self, kind: str, depth: int, *, together: bool) -> Item:
        agree = together and self.rng.random() < 0.7
        names = self.same if agree else self.own + self.same
        if self.alike and (agree or self.apart) and self.rng.random() < 0.5:
            names = self.alike
        if kind == "branch":
            condition = self.expression(names)
            first = self.items(depth - 1, together=agree)
            return Branch(condition, first, self.items(depth - 1, together=agree), agree)
        counter, trips = self.fresh(), self.expression(names)
        (self.same if agree else self.own).append(counter)
        self.fixed.add(counter)
        stop = self.expression(self.same) if agree and self.rng.random() < 0.4 else None
        if self.apart and self.rng.random() < 0.4:
            stop = self.expression(self.own)
        body = self.items(depth - 1, together=agree)
        (self.same if agree else self.own).remove(counter)
        return Repeat(counter, trips, body, agree, self.rng.choice(["for", "while", "do"]), stop)


def text_of(items: tuple[Item, ...]) -> str:
    """Statements as CUDA."""
    return "\n".join(_text(item) for item in items)


def _text(item: Item) -> str:
    if isinstance(item, Set):
        return f"{item.declares} {item.how.format(item.target, item.value)}".strip()
    if isinstance(item, Branch):
        return f"if ({item.condition} & 1) {{\n{text_of(item.then)}\n}} else {{\n{text_of(item.otherwise)}\n}}"
    if isinstance(item, Repeat):
        stop = f"if ({item.stop} & 1) break;\n" if item.stop else ""
        limit, counter, body = f"{item.counter}_n", item.counter, stop + text_of(item.body)
        start = f"const unsigned {limit} = {item.trips} % 4;\n"
        if item.form == "for":
            return f"{start}for (unsigned {counter} = 0; {counter} < {limit}; ++{counter}) {{\n{body}\n}}"
        start += f"unsigned {counter} = 0;\n"
        if item.form == "while" or stop:  # (the counter is stepped at the end: no `continue`)
            return f"{start}while ({counter} < {limit}) {{\n{body}\n{counter} += 1;\n}}"
        return f"{start}if ({limit}) do {{\n{body}\n{counter}++;\n}} while ({counter} < {limit});"
    if isinstance(item, Element):
        return f"r[{item.index} % 4] += {item.value}; {item.target} = r[({item.index} + 1) % 4];"
    if isinstance(item, Leave):
        return f"if ({item.condition} % 7 == 0) {{ out[t] = a ^ b ^ m ^ r[1]; return; }}"
    if isinstance(item, Barrier):
        return "__syncthreads();"
    if isinstance(item, Own):
        return item.text()
    return (
        f"s[t] = {item.target}; __syncthreads();\n"
        f"{item.target} = s[(t + {item.distance}) % size]; __syncthreads();"
    )  # fmt: skip


def cuda(name: str, items: tuple[Item, ...]) -> str:
    """The kernel."""
    return (
        f"__global__ void {name}(unsigned *out, unsigned n, unsigned m) {{\n"
        "__shared__ unsigned s[128];\n"
        "const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
        "const unsigned size = blockDim.x * blockDim.y * blockDim.z;\n"
        "unsigned a = t, b = t * 7 + 1, r[4] = {1, 2, 3}, w = n * 3, h = n * 5 + (t ^ t), k = h >> 1;\n"
        f"s[t] = 0; __syncthreads();\n{text_of(items)}\nout[t] = a ^ b ^ m ^ r[1] ^ w;\n}}\n"
    )


class Interpreter:
    """Runs a kernel for all threads of a block."""

    def __init__(self, threads: int, n: int) -> None:
        self.threads = [
            {"t": t, "a": t, "b": t * 7 + 1, "w": n * 3, "n": n, "m": 5, "h": n * 5, "k": n * 5 // 2}
            for t in range(threads)
        ]
        self.elements = [[1, 2, 3, 0] for _ in range(threads)]
        self.shared = [0] * threads
        self.result: list[int | None] = [None] * threads

    def run(self, items: tuple[Item, ...]) -> list[int]:
        self.block(items, list(range(len(self.threads))))
        return [
            value if value is not None else self.end(t) ^ self.threads[t]["w"] for t, value in enumerate(self.result)
        ]

    def end(self, thread: int) -> int:
        state = self.threads[thread]
        return state["a"] ^ state["b"] ^ state["m"] ^ self.elements[thread][1]

    def there(self, lanes: list[int]) -> list[int]:
        return [t for t in lanes if self.result[t] is None]

    def block(self, items: tuple[Item, ...], lanes: list[int]) -> None:
        for item in items:
            self.step(item, self.there(lanes))

    def step(self, item: Item, lanes: list[int]) -> None:
        states = self.threads
        if isinstance(item, Set):
            for t in lanes:
                states[t][item.target] = item.value.value(states[t])
        elif isinstance(item, Branch):
            chosen = [t for t in lanes if item.condition.value(states[t]) & 1]
            self.block(item.then, chosen)
            self.block(item.otherwise, [t for t in lanes if t not in chosen])
        elif isinstance(item, Repeat):
            self.repeat(item, lanes)
        elif isinstance(item, Element):
            for t in lanes:
                at = item.index.value(states[t])
                row = self.elements[t]
                row[at % 4] = (row[at % 4] + item.value.value(states[t])) & WORD
                states[t][item.target] = row[((item.index.value(states[t]) + 1) & WORD) % 4]
        elif isinstance(item, Leave):
            for t in lanes:
                if item.condition.value(states[t]) % 7 == 0:
                    self.result[t] = self.end(t)
        elif isinstance(item, Own):
            item.run(self, lanes)
        elif isinstance(item, Exchange):
            for t in lanes:
                self.shared[t] = states[t][item.target]
            for t in lanes:
                states[t][item.target] = self.shared[(t + item.distance) % len(states)]

    def repeat(self, item: Repeat, lanes: list[int]) -> None:
        states = self.threads
        trips = {t: item.trips.value(states[t]) % 4 for t in lanes}
        for turn in range(4):
            lanes = [t for t in self.there(lanes) if turn < trips[t]]
            for t in lanes:
                states[t][item.counter] = turn
            if item.stop:
                lanes = [t for t in lanes if not item.stop.value(states[t]) & 1]
            self.block(item.body, lanes)


def _parting(rng: random.Random) -> tuple[Item, ...]:
    writer = Writer(rng, alike=["h", "k"])
    first = writer.items(rng.randint(0, 2), together=True)
    writer.apart = True
    return first + writer.items(2, together=False) + writer.items(1, together=False)


def program(seeds: range, *, parting: bool = False) -> tuple[str, list[list[int]]]:
    """A program that prints one line per kernel, and the lines that it must print; `parting`: their threads part."""
    text = "#include <cstdio>\n__device__ void put(unsigned &to, unsigned value) { to = value; }\n"
    calls, expected = "", []
    for seed in seeds:
        rng = random.Random(seed)
        items = _parting(rng) if parting else Writer(rng).items(3, together=True)
        shape = rng.choice(list(SHAPES))
        x, y, z = SHAPES[shape]
        n = rng.randint(1, 9)
        text += cuda(f"kernel_{seed}", items)
        calls += f"  kernel_{seed}<<<1, {shape}>>>(out, {n}, 5); show(out, {x * y * z});\n"
        expected.append(Interpreter(x * y * z, n).run(items))
    text += """
static void show(unsigned *out, int threads) {
  if (cudaDeviceSynchronize() != cudaSuccess) printf("failed ");
  for (int t = 0; t < threads; ++t) printf("%u ", out[t]);
  printf("\\n");
}
"""
    text += """
__global__ void fault(unsigned *p, unsigned n) {
  __shared__ unsigned s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (s[63 - threadIdx.x] == n) *(unsigned *)(size_t)(n - 19) = p[0];
}
int main(int count, char **) {
  unsigned *out;
  cudaMallocManaged(&out, 512);
  if (count > 1) {
    fault<<<1, 64>>>(out, 23);
    return cudaDeviceSynchronize() == cudaErrorIllegalAddress;
  }
"""
    return text + calls + "  cudaFree(out);\n}\n", expected

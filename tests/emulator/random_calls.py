"""Random kernels as in random_blocks.py, with statements moved into device functions that they call.

Functions hold barriers, shuffles and votes, and each other's calls; they are templates or not, change what they are
given by reference or return a value, and their variables have the names of others in the kernel. Some control is
shared by the threads of a warp alone, with shuffles in it.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.emulator.random_blocks import SHAPES, Branch, Item, Own, Repeat, Set, Writer, cuda, text_of
from tests.emulator.random_blocks import Interpreter as Blocks
from tests.emulator.random_kernels import WORD, Expression

if TYPE_CHECKING:
    from tests.emulator.random_blocks import Interpreter

_NAME = re.compile(r"(?<![\w.])[a-z]\w*")


@dataclass(frozen=True)
class Shuffle(Own):
    """`target += __shfl_..._sync(~0u, target, distance)`, or what a vote on its lowest bit gives."""

    target: str
    how: str
    distance: int

    def text(self) -> str:
        if self.how == "ballot":
            return f"{self.target} ^= __ballot_sync(0xffffffff, {self.target} & 1);"
        name = f"__shfl{self.how}_sync"
        return f"{self.target} += {name}(0xffffffff, {self.target}, {self.distance});"

    def run(self, interpreter: Interpreter, lanes: list[int]) -> None:
        states = interpreter.threads
        before = {t: states[t][self.target] for t in lanes}
        for t in lanes:
            first, lane = t // 32 * 32, t % 32
            if self.how == "ballot":
                bits = sum((before[first + at] & 1) << at for at in range(min(32, len(states) - first)))
                states[t][self.target] = before[t] ^ bits
                continue
            source = {
                "_down": lane + self.distance, "_up": lane - self.distance, "_xor": lane ^ self.distance,
                "": self.distance,
            }[self.how]  # fmt: skip
            source = source if 0 <= source < 32 else lane
            value = before[first + source] if first + source < len(states) else 0
            states[t][self.target] = (before[t] + value) & WORD


@dataclass(frozen=True)
class Moved(Own):
    """Statements in a function. `target`: what it returns, of copies of the variables; none: it changes these.

    `way`: how the call is written; `leave`: where it is odd, the function returns `early` at once.
    """

    call: str
    items: tuple[Item, ...]
    target: str = ""
    way: str = "{0} = {1};"
    leave: Expression | None = None
    early: Expression | None = None

    def text(self) -> str:
        return self.way.format(self.target, self.call) if self.target else f"{self.call};"

    def run(self, interpreter: Interpreter, lanes: list[int]) -> None:
        if not self.target:
            interpreter.block(self.items, lanes)
            return
        before = {t: dict(interpreter.threads[t]) for t in lanes}
        gone = [t for t in lanes if self.leave and self.leave.value(before[t]) & 1]
        early = {t: self.early.value(before[t]) for t in gone if self.early}
        interpreter.block(self.items, [t for t in lanes if t not in gone])
        for t in lanes:
            value = early.get(t, interpreter.threads[t][self.target])
            interpreter.threads[t] = dict(before[t])
            own = before[t][self.target]
            result = value + own if "+=" in self.way else (value ^ 5) + own if "^" in self.way else value
            interpreter.threads[t][self.target] = result & WORD


@dataclass
class CallWriter(Writer):
    """`functions`: those written so far; `warps`: threads of a warp alone are together."""

    prefix: str = ""
    functions: list[str] = field(default_factory=list)
    warps: bool = False

    def item(self, depth: int, *, together: bool) -> Item:
        rng = self.rng
        here = together or self.warps
        if depth > 0 and here and len(self.functions) < 8 and rng.random() < 0.4:
            return self.moved(depth, together=together)
        if here and rng.random() < 0.3:
            how = rng.choice(["_down", "_up", "_xor", "", "ballot"])
            return Shuffle(self.target(self.own), how, rng.choice([1, 2, 3, 8, 16, 31]))
        if depth > 0 and here and rng.random() < 0.2:
            return self.of_warp(depth)
        while True:
            warps, self.warps = self.warps, False  # what follows is for each thread by itself
            found = super().item(min(depth, 1), together=together)
            self.warps = warps
            if not (isinstance(found, Set) and "put" in found.how and warps):
                return found

    def of_warp(self, depth: int) -> Item:
        """Control that is the same for a warp's threads."""
        before, self.warps = self.warps, True
        condition = Expression("q", self.rng.choice("+*^"), self.rng.choice(["q", *self.same, "3u"]))
        if self.rng.random() < 0.6:
            made: Item = Branch(
                condition, self.items(depth - 1, together=False), self.items(depth - 1, together=False), agree=False
            )
        else:
            counter = self.fresh()
            self.fixed.add(counter)
            body = self.items(depth - 1, together=False)
            made = Repeat(counter, condition, body, False, self.rng.choice(["for", "while", "do"]))
        self.warps = before
        return made

    def moved(self, depth: int, *, together: bool) -> Item:
        rng = self.rng
        names = [*self.own, *self.same]
        fixed = set(self.fixed)
        items = self.items(depth - 1, together=together)
        by_value = rng.random() < 0.5
        target = self.target(self.own) if by_value else ""
        leave = self.expression(self.same) if by_value and together and rng.random() < 0.3 else None
        early = self.expression(names) if leave else None
        body = text_of(items)
        if target:
            body = (f"if ({leave} & 1) return {early};\n" if leave else "") + f"{body}\nreturn {target};"
        name = f"{self.prefix}_f{len(self.functions)}"
        call = self.function(name, body, names, fixed, by_value=by_value)
        way = rng.choice(["{0} = {1};", "{0} += {1};", "{0} = ({1} ^ 5u) + {0};"]) if target else ""
        return Moved(call, items, target, way, leave, early)

    def function(self, name: str, body: str, names: list[str], fixed: set[str], *, by_value: bool) -> str:
        """Write the function of this body; its call."""
        rng = self.rng
        used = dict.fromkeys(_NAME.findall(body))
        taken = [one for one in [*names, "size", "q"] if one in used]
        local = re.findall(r"(?:const )?unsigned (v\w+)", body)
        others = [one for one in names if one not in taken]
        rng.shuffle(others)
        given = rng.sample(taken, len(taken))
        renamed = dict(zip(taken, given, strict=True)) | dict(zip(local, others, strict=False))
        body = _NAME.sub(lambda found: renamed.get(found[0], found[0]), body)
        template, explicit, kind = "", "", "unsigned"
        number = re.search(r"\b(\d+)u", body)
        if rng.random() < 0.5 and taken:
            kind = "T"
            if number and rng.random() < 0.6:
                template, explicit = "template <unsigned N, typename T> ", f"<{number[1]}>"
                body = body.replace(number[0], "N", 1)
            else:
                template = "template <typename T> "
                explicit = rng.choice(["", "<unsigned>"])
        values = set(taken) if by_value else {*fixed, "size", "q"}
        kinds = [kind if rng.random() < 0.7 else "unsigned" for _ in taken]
        parameters = [
            f"{its} {'' if one in values else '&'}{renamed[one]}" for one, its in zip(taken, kinds, strict=True)
        ]
        if parameters:
            parameters[0] = parameters[0].replace("unsigned", kind, 1)
        arguments = list(taken)
        for array in ("s", "r"):
            if array in used:
                parameters.append(f"unsigned *{array}")
                arguments.append(array)
        result = "unsigned" if "return" in body else "void"
        mine = rng.choice(["", "__forceinline__ ", "static ", "inline "])
        self.functions.append(f"{template}{mine}__device__ {result} {name}({', '.join(parameters)}) {{\n{body}\n}}\n")
        return f"{name}{explicit}({', '.join(arguments)})"


class Interpreter2(Blocks):
    """The same with the numbers of warps."""

    def __init__(self, threads: int, n: int) -> None:
        super().__init__(threads, n)
        for t, state in enumerate(self.threads):
            state["q"] = t // 32


def program(seeds: range) -> tuple[str, list[list[int]]]:
    """A program that prints one line per kernel, and the lines that it must print."""
    text = "#include <cstdio>\n__device__ void put(unsigned &to, unsigned value) { to = value; }\n"
    calls, expected = "", []
    for seed in seeds:
        rng = random.Random(seed)
        writer = CallWriter(rng, prefix=f"k{seed}", leaves=False)
        items = writer.items(3, together=True)
        items += (writer.moved(2, together=True),)
        shape = rng.choice(list(SHAPES))
        x, y, z = SHAPES[shape]
        n = rng.randint(1, 9)
        text += "".join(writer.functions)
        text += cuda(f"kernel_{seed}", items).replace("unsigned a = t,", "const unsigned q = t / 32;\nunsigned a = t,")
        calls += f"  kernel_{seed}<<<1, {shape}>>>(out, {n}, 5); show(out, {x * y * z});\n"
        expected.append(Interpreter2(x * y * z, n).run(items))
    text += """
static void show(unsigned *out, int threads) {
  if (cudaDeviceSynchronize() != cudaSuccess) printf("failed ");
  for (int t = 0; t < threads; ++t) printf("%u ", out[t]);
  printf("\\n");
}
int main() {
  unsigned *out;
  cudaMallocManaged(&out, 512);
"""
    return text + calls + "  cudaFree(out);\n}\n", expected

"""Random small kernels that can be written as CUDA and run, thread by thread, in Python."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

TABLE = (3, 1, 4, 1, 5, 9, 2, 6)  # the contents of the read-only array
FUEL = 400  # statements that one thread may run


@dataclass
class Trace:
    """What one thread did: per statement, in order of execution."""

    runs: dict[int, int] = field(default_factory=dict)
    conditions: dict[int, list[int]] = field(default_factory=dict)
    addresses: dict[int, list[tuple[int, dict[str, int]]]] = field(default_factory=dict)
    trips: dict[int, list[tuple[int, dict[str, int]]]] = field(default_factory=dict)
    returned: bool = False
    exhausted: bool = False


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class _Return(Exception):
    pass


class _Exhausted(Exception):
    pass


Env = dict[str, int]
Code = Callable[[Env], int]


class Thread:
    """One thread's run."""

    def __init__(self) -> None:
        self.trace = Trace()
        self.fuel = FUEL
        self.loops: dict[str, int] = {}  # the symbols' values: variable at the top of the iteration, and count

    def visit(self, statement: int) -> None:
        self.fuel -= 1
        if self.fuel < 0:
            raise _Exhausted
        self.trace.runs[statement] = self.trace.runs.get(statement, 0) + 1

    def symbols(self, env: Env) -> dict[str, int]:
        return {"threadIdx.x": env["t"], "n": env["n"], **self.loops}


class Program:
    """A random kernel: its text, and how to run it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0  # statements so far, numbered as the model numbers them
        self.names = ["t", "n"]  # readable beside the variables
        self.variables = ["a", "b", "c"]
        self.depth = 0
        self.loop_depth = 0
        self.callee = Callee(seed) if seed % 2 else None
        lines, self.run_body = self.block()
        head = "__global__ void k(int *out, const int *__restrict__ r, int n) "
        self.text = (self.callee.text if self.callee else "") + head + "\n".join(lines) + "\n"

    # -- expressions

    def expression(self, depth: int = 0) -> tuple[str, Code]:
        pick = self.random.random()
        if depth > 2 or pick < 0.45:
            return self._leaf()
        left, run_left = self.expression(depth + 1)
        if pick < 0.5 and self.callee is not None:
            right, run_right = self.expression(depth + 1)
            call = self.callee.call
            return f"f({left}, {right}, r)", lambda env: call(run_left(env), run_right(env))
        if pick < 0.55:
            return f"r[({left}) & 7]", lambda env: TABLE[run_left(env) & 7]
        right, run_right = self.expression(depth + 1)
        if pick < 0.62:
            third, run_third = self.expression(depth + 1)
            return f"({left} ? {right} : {third})", lambda env: run_right(env) if run_left(env) else run_third(env)
        if pick < 0.68:
            return f"min({left}, {right})", lambda env: min(run_left(env), run_right(env))
        operators: list[tuple[str, Callable[[int, int], int]]] = [
            ("+", lambda x, y: x + y),
            ("-", lambda x, y: x - y),
            ("<", lambda x, y: int(x < y)),
            (">=", lambda x, y: int(x >= y)),
            ("==", lambda x, y: int(x == y)),
            ("&&", lambda x, y: int(bool(x) and bool(y))),
            ("||", lambda x, y: int(bool(x) or bool(y))),
        ]
        name, apply = self.random.choice(operators)
        return f"({left} {name} {right})", lambda env: apply(run_left(env), run_right(env))

    def _leaf(self) -> tuple[str, Code]:
        pick = self.random.random()
        if pick < 0.25:
            value = self.random.randint(0, 4)
            return str(value), lambda env: value
        name = self.random.choice([*self.names, *self.variables])
        if pick < 0.35:
            return f"({name} * 3)", lambda env: env[name] * 3
        if pick < 0.45:
            return f"({name} & 3)", lambda env: env[name] & 3
        return name, lambda env: env[name]

    # -- statements

    def _number(self) -> int:
        self.count += 1
        return self.count - 1

    def block(self) -> tuple[list[str], Callable[[Thread, Env], None]]:
        number = self._number()
        lines = ["{"]
        runs = []
        if number == 0 and self.names:
            for name, text, code in (
                ("t", "threadIdx.x", None),
                ("a", "0", lambda env: 0),
                ("b", "n", lambda env: env["n"]),
                ("c", "t", lambda env: env["t"]),
            ):
                lines.append(f"int {name} = {text};")
                runs.append(self._declare(self._number(), name, code))
        for _ in range(self.random.randint(1, 5)):
            more, run = self.statement()
            lines += more
            runs.append(run)
        lines.append("}")

        def go(thread: Thread, env: Env) -> None:
            thread.visit(number)
            for run in runs:
                run(thread, env)

        return lines, go

    def _declare(self, number: int, name: str, code: Code | None) -> Callable[[Thread, Env], None]:
        def go(thread: Thread, env: Env) -> None:
            thread.visit(number)
            if code is not None:
                env[name] = code(env)

        return go

    def statement(self) -> tuple[list[str], Callable[[Thread, Env], None]]:
        pick = self.random.random()
        if self.depth < 4:
            if pick < 0.2:
                return self._if()
            if pick < 0.32:
                return self._for()
            if pick < 0.4:
                return self._while()
        if pick < 0.45 and self.loop_depth:
            return self._jump("break", _Break)
        if pick < 0.5 and self.loop_depth:
            return self._jump("continue", _Continue)
        if pick < 0.53:
            return self._jump("return", _Return)
        return self._store() if pick < 0.75 else self._assign()

    def _jump(self, word: str, exception: type[Exception]) -> tuple[list[str], Callable[[Thread, Env], None]]:
        number = self._number()

        def go(thread: Thread, env: Env) -> None:
            thread.visit(number)
            raise exception

        return [f"{word};"], go

    def _assign(self) -> tuple[list[str], Callable[[Thread, Env], None]]:
        number = self._number()
        name = self.random.choice(self.variables)
        text, code = self.expression()
        if self.random.random() < 0.3:
            step = self.random.randint(1, 3)

            def add(thread: Thread, env: Env) -> None:
                thread.visit(number)
                env[name] += step

            return [f"{name} += {step};"], add

        def go(thread: Thread, env: Env) -> None:
            thread.visit(number)
            env[name] = code(env)

        return [f"{name} = {text};"], go

    def _store(self) -> tuple[list[str], Callable[[Thread, Env], None]]:
        number = self._number()
        text, code = self.expression()

        def go(thread: Thread, env: Env) -> None:
            thread.visit(number)
            thread.trace.addresses.setdefault(number, []).append((4 * code(env), thread.symbols(env)))

        return [f"out[{text}] = {number};"], go

    def _if(self) -> tuple[list[str], Callable[[Thread, Env], None]]:
        number = self._number()
        text, code = self.expression()
        self.depth += 1
        lines, then = self.block()
        otherwise: Callable[[Thread, Env], None] | None = None
        lines = [f"if ({text})", *lines]
        if self.random.random() < 0.5:
            more, otherwise = self.block()
            lines += ["else", *more]
        self.depth -= 1

        def go(thread: Thread, env: Env) -> None:
            thread.visit(number)
            value = code(env)
            thread.trace.conditions.setdefault(number, []).append(int(bool(value)))
            if value:
                then(thread, env)
            elif otherwise is not None:
                otherwise(thread, env)

        return lines, go

    def _for(self) -> tuple[list[str], Callable[[Thread, Env], None]]:
        number = self._number()
        init = self._number()
        name = f"i{number}"
        start, run_start = self.expression(2)
        bound, run_bound = self.expression(2)
        step = self.random.randint(1, 2)
        self.depth += 1
        self.loop_depth += 1
        self.variables.append(name)
        lines, body = self.block()
        self.variables.remove(name)
        self.loop_depth -= 1
        self.depth -= 1

        def go(thread: Thread, env: Env) -> None:
            thread.visit(number)
            thread.visit(init)
            env[name] = run_start(env)
            entry = thread.symbols(env)

            def advance() -> None:
                env[name] += step

            complete, count = self._iterate(thread, env, number, lambda: env[name] < run_bound(env), body, advance)
            if complete:
                thread.trace.trips.setdefault(number, []).append((count, entry))

        return [f"for (int {name} = {start}; {name} < {bound}; {name} += {step})", *lines], go

    def _while(self) -> tuple[list[str], Callable[[Thread, Env], None]]:
        number = self._number()
        name = self.random.choice(["a", "b", "c"] if self.names else ["x", "a"])
        limit = self.random.choice(["4", *(self.names or ["y"])])
        self.depth += 1
        self.loop_depth += 1
        lines, body = self.block()
        self.loop_depth -= 1
        self.depth -= 1

        def go(thread: Thread, env: Env) -> None:
            thread.visit(number)
            entry = thread.symbols(env)
            end = (lambda: 4) if limit == "4" else (lambda: env[limit])
            complete, count = self._iterate(thread, env, number, lambda: env[name] < end(), body, lambda: None)
            if complete:
                thread.trace.trips.setdefault(number, []).append((count, entry))

        return [f"while ({name} < {limit})", *lines], go

    def _iterate(
        self,
        thread: Thread,
        env: Env,
        number: int,
        test: Callable[[], bool],
        body: Callable[[Thread, Env], None],
        advance: Callable[[], None],
    ) -> tuple[bool, int]:
        """Run a loop; whether its condition ended it, and how many iterations there were."""
        count = 0
        outer = dict(thread.loops)
        try:
            while True:
                thread.loops[f"loop{number}#"] = count
                for name, value in env.items():
                    thread.loops[f"loop{number}:{name}"] = value
                value = test()
                thread.trace.conditions.setdefault(number, []).append(int(value))
                if not value:
                    return True, count
                count += 1
                with contextlib.suppress(_Continue):
                    body(thread, env)
                advance()
        except _Break:
            return False, count
        finally:
            thread.loops = outer

    def run(self, thread_index: int, n: int) -> Trace:
        """What one thread does."""
        thread = Thread()
        env: Env = {"t": thread_index, "n": n}
        try:
            self.run_body(thread, env)
        except _Return:
            thread.trace.returned = True
        except (_Exhausted, RecursionError):
            thread.trace.exhausted = True
        return thread.trace


class Callee(Program):
    """A random device function `f(x, y, r)`."""

    def __init__(self, seed: int) -> None:  # the kernel's constructor would make a kernel
        self.random = random.Random(-seed)
        self.count = 0
        self.names = []
        self.variables = ["x", "y", "a"]
        self.depth = 2
        self.loop_depth = 0
        self.callee = None
        lines, self.run_body = self.block()
        body = "\n".join(lines)
        self.text = f"__device__ int f(int x, int y, const int *__restrict__ r) {{ int a = 1;\n{body}\nreturn a;\n}}\n"

    def _jump(self, word: str, exception: type[Exception]) -> tuple[list[str], Callable[[Thread, Env], None]]:
        if word != "return":
            return super()._jump(word, exception)
        number = self._number()
        text, code = self.expression()

        def go(thread: Thread, env: Env) -> None:
            thread.visit(number)
            env["return"] = code(env)
            raise _Return

        return [f"return {text};"], go

    def _store(self) -> tuple[list[str], Callable[[Thread, Env], None]]:
        return self._assign()

    def call(self, x: int, y: int) -> int:
        """The function's value."""
        thread = Thread()
        env: Env = {"x": x, "y": y, "a": 1, "t": 0, "n": 0}
        try:
            self.run_body(thread, env)
        except _Return:
            return env["return"]
        return env["a"]


def programs(count: int, first: int = 0) -> Iterator[Program]:
    """Several random kernels."""
    for seed in range(first, first + count):
        yield Program(seed)

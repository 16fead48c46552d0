"""Launches: grids that nothing divides, blocks that are no multiple of 32, and every way to write one."""

from __future__ import annotations

import random
from dataclasses import dataclass

from .grammar.kernels import Kernel

ARGUMENTS = "A, B, F, U, V, bins, {n}, {m}, {total}, {alpha}, {par}"
_GRIDS = {1: ("3", "5", "7", "1", "11", "13"), 2: ("dim3(3, 2)", "dim3(5, 3)", "dim3(1, 7)", "dim3(2, 2)", "dim3(7, 1)"),
          3: ("dim3(3, 1, 2)", "dim3(2, 3, 2)", "dim3(1, 2, 5)", "dim3(5, 1, 3)")}  # fmt: skip
_FLAT_BLOCKS = ("64", "32", "96", "128", "33", "100", "48", "1", "127")
_BLOCKS = (
    "dim3(16, 4)",
    "dim3(32, 3)",
    "dim3(8, 8)",
    "dim3(17, 3)",
    "dim3(5, 5, 3)",
    "dim3(8, 4, 2)",
    "dim3(32, 2)",
    "64",
    "dim3(3, 33)",
)
_FORMS = (
    "plain",
    "plain",
    "plain",
    "dims",
    "stream",
    "loop",
    "template",
    "lambda",
    "macro",
    "test",
    "switch",
    "pointer",
    "call",
    "auto",
    "acting",
    "argument",
    "dispatched",
)


@dataclass(frozen=True)
class Launch:
    """One call site: which kernel, how it is written, and its statements in `main`."""

    kernel: str
    form: str
    number: int
    text: str  # in main
    function: str = ""  # in front of main
    numbers: str = ""  # its block and arguments, as the policy states them; of a loop's, those of its second round


def launch(rng: random.Random, kernel: Kernel, number: int) -> Launch:
    """A random launch of a kernel."""
    grid = rng.choice(_GRIDS[kernel.dimensions])
    block = rng.choice(_FLAT_BLOCKS if kernel.flat else _BLOCKS)
    used = kernel.name + kernel.arguments
    shared = ", 1024" if kernel.dynamic else ""
    form = rng.choice(_FORMS)
    values = {"n": str(rng.randint(5, 16)), "m": str(rng.randint(1, 8)), "total": rng.choice(("100000", "77", "150")),
              "alpha": rng.choice(("0.7f", "-1.3f", "0.1f")), "par": "par"}  # fmt: skip
    plain = f"{used}<<<{grid}, {block}{shared}>>>({ARGUMENTS.format(**values)});"
    function, text = "", plain
    go = f"go_{kernel.name}_{number}"
    if form == "dims":
        text = f"{{ dim3 g({grid}), b = {block}; {used}<<<g, b{shared}>>>({ARGUMENTS.format(**values)}); }}"
    elif form == "stream":
        text = f"{{ cudaStream_t s; cudaStreamCreate(&s); {used}<<<{grid}, {block}{shared or ', 0'}, s>>>({ARGUMENTS.format(**values)}); cudaStreamSynchronize(s); cudaStreamDestroy(s); }}"
    elif form == "loop":
        more = {**values, "n": f"{values['n']} + r", "m": "r + 2", "par": "(par.k += r, par)"}
        text = f"for (int r = 0; r < 3; r++) {used}<<<{grid}, {block}{shared}>>>({ARGUMENTS.format(**more)});"
    elif form == "template":
        function = f"template <class Q> static void {go}(Q *U, const Par &par) {{ {plain} }}"
        text = f"{go}(U, par);"
    elif form == "lambda":
        text = f"[&] {{ {plain} }}();"
    elif form == "macro" and "," not in used:
        text = f"LAUNCH({used}, ({grid}), ({block}), {shared[2:] or 0}, {ARGUMENTS.format(**values)});"
    elif form == "argument":
        text = f"GIVEN({plain[:-1]});"
    elif form == "dispatched":  # as PyTorch does: the text is expanded for each of several types
        text = f"DISPATCHED(par.k % 2, [&] {{ {plain} }});"
    elif form == "test":
        text = f"if (par.k > 5) {plain} else {plain}"
    elif form == "switch":
        text = f"switch (par.k) {{ case 77: break; default: {plain} }}"
    elif form in ("pointer", "auto"):
        declared = f"auto *p = {used};" if form == "auto" else f"void (*p)({POINTER} {kernel.taken}) = {used};"
        text = f"{{ {declared} p<<<{grid}, {block}{shared}>>>({ARGUMENTS.format(**values)}); }}"
    elif form == "acting":  # configuration and arguments change what the others are made of
        state = f"unsigned turn = {number + 1}; auto act = [&turn](int v) {{ turn = turn * 31 + unsigned(v); return v + int(turn % 3); }};"
        more = {**values, "n": f"act({values['n']})", "m": f"act({values['m']})", "par": "(par.k += act(0) % 2, par)"}
        sizes = f"(act(1), {grid}), (act(2), {block})" + (", 1024 + 4 * act(3)" if kernel.dynamic else "")
        text = f'{{ {state} {used}<<<{sizes}>>>({ARGUMENTS.format(**more)}); printf("turn %u\\n", turn); }}'
    elif form == "call":
        arrays = "const unsigned *a_ = A, *b_ = B; const float *f_ = F; unsigned *u_ = U, *c_ = bins; float *v_ = V;"
        scalars = (
            f"int n_ = {values['n']}, m_ = {values['m']}, total_ = {values['total']}; float alpha_ = {values['alpha']};"
        )
        pointers = "void *args[] = {&a_, &b_, &f_, &u_, &v_, &c_, &n_, &m_, &total_, &alpha_, &par};"
        text = f"{{ {arrays} {scalars} {pointers} cudaLaunchKernel((const void *)&{used}, dim3({grid}), dim3({block}), args, {shared[2:] or 0}, 0); }}"
    return Launch(kernel.name, form, number, text, function, _numbers(block, values, rounds=form == "loop"))


def _numbers(block: str, values: dict[str, str], *, rounds: bool) -> str:
    sizes = block.removeprefix("dim3(").removesuffix(")").replace(", ", "x")
    n, m = (int(values["n"]) + 1, 3) if rounds else (values["n"], values["m"])
    return f"blockDim = {sizes}, n = {n}, m = {m}, total = {values['total']}"


POINTER = (
    "const unsigned *, const unsigned *, const float *, unsigned *, float *, unsigned *, int, int, int, float, const"
)

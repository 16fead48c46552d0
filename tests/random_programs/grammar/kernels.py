"""A kernel: parameters, who the thread is, statements, what is written at the end."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from ..tree import Node, block, keep, statement
from . import control, effects, floats, objects, packed, shared
from .writer import Form, Scope, Writer

WHOLE: Mapping[str, Mapping[str, Form]] = {
    "control": control.FORMS, "simple": effects.SIMPLE, "effects": effects.FORMS, "objects": objects.FORMS, "integer": packed.INTEGER,
    "shared": shared.FORMS, "floats": {**floats.FORMS, **packed.FORMS},
}  # fmt: skip
_PARAMETERS = "const unsigned *{r}A, const unsigned *{r}B, const float *{r}F, unsigned *U, float *V, unsigned *bins, int n, int m, int total, {alpha} alpha, const {par} par"
_IN_BLOCK = (
    "const int t = (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));",
    "int t = threadIdx.x; t += threadIdx.y * blockDim.x; t += threadIdx.z * blockDim.x * blockDim.y;",
    "const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;",
)
_FLAT = (
    "const int t = threadIdx.x;",
    "unsigned const t_ = threadIdx.x; const int t = (int)t_;",
    "const int t = (int)::threadIdx.x;",
)


@dataclass(frozen=True)
class Kernel:
    """A kernel: its text around the body, the body as a tree, and what launches have to respect."""

    name: str
    head: str
    body: Node
    arguments: str  # of the template, with <>
    dimensions: int  # of the grid
    flat: bool  # blocks have one dimension

    @property
    def text(self) -> str:
        """The definition."""
        return f"{self.head} {{\n{self.body}\n}}\n"

    @property
    def taken(self) -> str:
        """The class of the parameter that comes by value."""
        return _class_of(str(self.body))

    @property
    def dynamic(self) -> bool:
        """Whether it uses dynamic shared memory."""
        return "dynamic_" in str(self.body)


def _me(w: Writer, dimensions: int) -> str:
    """The thread's number in the grid."""
    if dimensions == 1:
        return w.pick(
            "const int me = (int)(blockIdx.x * threads) + t;",
            "int me = blockIdx.x * threads + t;",
            "const int me = (int)blockIdx.x * threads + t;",
        )
    if dimensions == 2:
        return w.pick(
            "const int me = (int)(blockIdx.y * gridDim.x + blockIdx.x) * threads + t;",
            "int me; me = blockIdx.y * gridDim.x; me += blockIdx.x; me = me * threads + t;",
        )
    return "const int me = (int)((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * threads + t;"


def kernel(rng: random.Random, name: str, avoid: tuple[str, ...] = (), floats: float = 0.55) -> Kernel:
    """One random kernel."""
    dimensions, flat = rng.choice((1, 1, 1, 2, 2) if "blockIdx.z" in avoid else (1, 1, 1, 2, 2, 3)), rng.random() < 0.6
    w = Writer(
        rng,
        WHOLE,
        floats=rng.random() < floats,
        shared=rng.random() < 0.65 and "__shared__" not in avoid,
        budget=rng.choice((6, 10, 16, 24)),
        avoid=avoid,
    )
    scope = Scope(u=("v0", "v1", "v2"), f=("f0", "f1"))
    threads = (
        "const int threads = (int)blockDim.x;"
        if flat
        else "const int threads = (int)(blockDim.x * blockDim.y * blockDim.z);"
    )
    start = [keep(threads), keep(w.pick(*(_FLAT if flat else _IN_BLOCK))), keep(_me(w, dimensions))]
    values = [
        keep(
            w.pick("unsigned v0 = A[me], v1 = 1u, v2 = (unsigned)me;", "unsigned v0 = B[t], v1 = A[me] & 7u, v2 = 3u;")
        )
    ]
    values += [keep("float f0 = F[me], f1 = 0.0f; const float beta = 0.3f * alpha + 0.1f;")] if w.floats else []
    guard = rng.random()
    many = [w.statement(scope if guard < 0.7 else scope.inside()) for _ in range(rng.randint(2, 5))]
    if not any("for" in str(one) for one in many) or w.chance(0.5):
        many.append(control.row_loop(w, scope if guard < 0.7 else scope.inside()))
    if w.shared and guard < 0.7:
        form = w.rng.choice(list(shared.FORMS.values()) + [shared.effect_store] * 6)
        many.insert(w.rng.randint(0, len(many)), form(w, scope))
    ends = [statement(w.pick("U[me] += v0 ^ v1 ^ v2;", "U[me] = U[me] * 3u + v0 + v1 * 5u + v2;"))]
    if w.floats:
        ends.append(
            statement(
                w.pick(
                    "V[me] += f0 + f1;",
                    "V[me] = f0 * alpha + f1;",
                    "V[me] = 1.25f * f0 + 3.5f * f1;",
                    "V[me] = f0 * f0 - f1 * f1;",
                    "V[me] += f0 * f1;",
                )
            )
        )
    if w.chance(0.12) and "_sync" not in avoid:
        ends.append(shared.last_exchange(w, scope))
    if guard < 0.7:
        body = [*start, *values, *many, *ends]
    elif guard < 0.85:
        body = [
            *start,
            statement(w.pick("if (me >= total) return;", "if (!(me < total)) { return; }")),
            *values,
            *many,
            *ends,
        ]
    else:
        body = [*start, statement("if (me < total) {\n", block(*values, *many, *ends), "\n}")]
    text = "".join(map(str, body))
    dynamic = [keep("extern __shared__ unsigned dynamic_[];")] if "dynamic_" in text else []
    head, arguments = _head(w, name, _class_of(text))
    return Kernel(name, head, block(*dynamic, *w.declarations, *body), arguments, dimensions, flat)


def _class_of(body: str) -> str:
    return "Counting" if "par.counted(" in body else "Par"


def _head(w: Writer, name: str, par: str) -> tuple[str, str]:
    """Everything in front of the body, and the template's arguments at launches."""
    alpha = "float"
    template, arguments = "", ""
    if w.chance(0.2):
        template, alpha, arguments = "template <typename R, int K = 3> ", "R", w.pick("<float>", "<float, 5>")
    r = w.pick("", "", "", "__restrict__ ")
    qualifiers = w.pick("", "", "", "__launch_bounds__(256) ")
    storage = w.pick("", "", "", "static ")
    return (
        f"{template}{storage}__global__ void {qualifiers}{name}({_PARAMETERS.format(r=r, alpha=alpha, par=par)})",
        arguments,
    )

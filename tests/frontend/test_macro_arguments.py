"""What macros make of launches in their arguments, beside what a preprocessor makes of them."""

from __future__ import annotations

import random
import re
import subprocess

import pytest

from gpuopt_driver.frontend.macro_arguments import Macros

LAUNCH = "k<<<a, b>>>(c, d)"
VERSION = "(first(a, b), k__launch(taken(), c, d))"

KEPT = {
    "all arguments": ("#define M(...) __VA_ARGS__", "M(@)"),
    "in brackets": ("#define M(x) x", "M((@))"),
    "in a lambda": ("#define M(t, ...) switch (t) { case 0: return __VA_ARGS__(); }", "M(t, [&] { @; })"),
    "passed on": ("#define M(t, ...) N(t, __VA_ARGS__)\n#define N(t, ...) f(#t, __VA_ARGS__)", "M(t, @)"),
    "passed on twice": (
        "#define M(t, ...) N(t, C(__VA_ARGS__))\n#define C(...) D(float, __VA_ARGS__) D(double, __VA_ARGS__)\n"
        "#define D(t, ...) case t: __VA_ARGS__();\n#define N(t, ...) O(t, __VA_ARGS__)\n"
        "#define O(t, ...) #t; __VA_ARGS__",
        "M(t, [&] { @; })",
    ),
    "behind an optional comma": ("#define M(x, ...) f(x, ## __VA_ARGS__)", "M(1, @)"),
    "named arguments": ("#define M(x, args...) f(x, args)", "M(1, @)"),
    "by another name": ("#define M N\n#define N(...) __VA_ARGS__", "M(@)"),
    "on several lines": ("#define M(x) \\\n  do { x; } \\\n  while (0)", "M((@))"),
    "an optional text": ("#define M(x, ...) f(__VA_OPT__(x, ) __VA_ARGS__)", "M(1, @)"),
    "words of comments": ("// define M, #define M\n/* they\n * define return */\n#define M(x) return x", "M((@))"),
    "nothing is left": ("#define M(...)", "M(@)"),
}
CHANGED = {
    "commas part arguments": ("#define M(x, y) x, y", "M(@)"),
    "a string": ("#define M(x) f(#x, x)", "M((@))"),
    "a string of all": ("#define M(...) f(#__VA_ARGS__)", "M(@)"),
    "a string of an inner macro": ("#define M(...) __VA_ARGS__\n#define CHECK(x) #x", "M(CHECK((@)))"),
    "a string further in": ("#define M(t, ...) N(__VA_ARGS__, t)\n#define N(t, ...) #t", "M(t, f(@))"),
    "in one of two definitions": ("#define M(x) x\n#undef M\n#define M(x) #x", "M((@))"),
    "in an unusual definition": ("#define M(x) x\n#undef M\n/**/ # /**/ define M(x) #x", "M((@))"),
    "on two lines": ("#define M(x) x\n#undef M\n#\\\ndefine M(x) #x", "M((@))"),
    "pasted": ("#define M(x, ...) f(x ## __VA_ARGS__)", "M(1, @)"),
    "counted": ("#define M(...) N(__VA_ARGS__, 3, 2, 1)\n#define N(a, b, c, n, ...) n", "M(@)"),
    "brackets of its own": ("#define M(x) U x\n#define U(...) #__VA_ARGS__", "M((@))"),
    "any macro": ("#define M(F, ...) F(__VA_ARGS__)", "M(f, @)"),
    "any pasted macro": ("#define M(F, ...) X##F(__VA_ARGS__)", "M(f, @)"),
    "the C library's": ("#define M(x) assert((x, true))", "M((@))"),
    "not a macro": ("", "M(@)"),
}


def _kept(macros: str, use: str) -> bool:
    at = use.index("@")
    data = use.replace("@", LAUNCH).encode()
    return Macros(lambda: [macros.encode()]).keep(data, 0, at, at + len(LAUNCH))


@pytest.mark.parametrize(("macros", "use"), KEPT.values(), ids=KEPT)
def test_what_stands_as_it_is_written(macros: str, use: str) -> None:
    assert _kept(macros, use)


@pytest.mark.parametrize(("macros", "use"), CHANGED.values(), ids=CHANGED)
def test_what_does_not(macros: str, use: str) -> None:
    assert not _kept(macros, use)


class _Case:
    """Random macros, and a use of the last one with `@` for a launch among its arguments."""

    def __init__(self, rng: random.Random, number: int) -> None:
        self.rng, self.names = rng, list[str]()
        lines = []
        for at in range(rng.randint(1, 5)):
            name, named = f"M{number}_{at}", [f"p{each}" for each in range(rng.randint(0, 2))]
            variadic = rng.random() < 0.5 or not named
            self.parameters = [*named, "__VA_ARGS__"] if variadic else named
            if self.names and rng.random() < 0.06:
                lines.append(f"#define {name} {rng.choice(self.names)}")
            else:
                shown = ", ".join([*named, "..."] if variadic else named)
                body = " ".join(self.item(0, variadic=variadic) for _ in range(rng.randint(1, 4)))
                lines.append(f"#define {name}({shown}) {body}")
            self.names.append(name)
        self.macros, self.use = "\n".join(lines), self._use()

    def item(self, depth: int, *, variadic: bool) -> str:
        rng, drawn = self.rng, self.rng.random()
        if drawn < 0.34:
            one = rng.choice(self.parameters)
            optional = variadic and one == self.parameters[-1]
            forms = [f"#{one}", f"a##{one}", f"{one}##a", f", ##{one}" if optional else one]
            return rng.choice(forms) if rng.random() < 0.35 else one
        if drawn < 0.72 and depth < 2:
            names = [*self.names, "", "f", *(self.parameters if rng.random() < 0.1 else [])]
            parts = (self.item(depth + 1, variadic=variadic) for _ in range(rng.randint(1, 3)))
            return f"{rng.choice(names)}({', '.join(parts)})"
        if drawn < 0.84:
            texts = [
                "x",
                "{",
                "}",
                ";",
                ",",
                *self.names[-1:],
                f"__VA_OPT__({self.parameters[-1]})" if variadic else "y",
            ]
            return rng.choice(texts)
        return "w"

    def _use(self) -> str:
        rng = self.rng
        front = [rng.choice(["q", "q, s", "(q, s)", "[&] { u"]) for _ in range(rng.randint(0, 2))]
        launch = rng.choice(["@", "@", "(@)", "[&] { @; }", f"{rng.choice(self.names)}(@)", "g(@)"])
        return f"{self.names[-1]}({', '.join([*front, launch, *['e'] * rng.randint(0, 1)])})"


def _preprocessed(compiler: str, text: str) -> tuple[dict[int, list[str]], set[int]]:
    """What each use becomes, in words, and the cases in which something is an error."""
    words = [compiler, "-E", "-P", "-w", "-std=c++20", "-x", "c++", "-"]
    done = subprocess.run(words, input=text, capture_output=True, text=True, timeout=60, check=False)
    parts = re.findall(r"MARK(\d+)\b(.*?)(?=MARK\d+\b|\Z)", done.stdout, re.S)
    tokens = {int(number): re.findall(r'"(?:\\.|[^"\\])*"|\w+|[^\w\s]', part) for number, part in parts}
    return tokens, {int(number) for number in re.findall(r"\bM(\d+)_\d+", done.stderr)}


def _replaced(tokens: list[str]) -> str:
    old, new = (" ".join(re.findall(r"\w+|[^\w\s]", text)) for text in (LAUNCH, VERSION))
    return " ".join(tokens).replace(old, new)


def test_random_macros_beside_a_preprocessor(host_compiler: str) -> None:
    rng = random.Random(38)
    cases = [_Case(rng, number) for number in range(400)]
    texts = [
        "\n".join(f"{case.macros}\nMARK{at} ; {case.use.replace('@', launch)}" for at, case in enumerate(cases))
        for launch in (LAUNCH, VERSION)
    ]
    (before, wrong), (after, wrong_after) = (_preprocessed(host_compiler, text) for text in texts)
    right = [at for at in range(len(cases)) if at in before and at not in wrong]
    same = {at for at in right if at not in wrong_after and _replaced(before[at]) == " ".join(after[at])}
    kept = {at for at in right if _kept(cases[at].macros, cases[at].use)}
    assert [(cases[at].macros, cases[at].use) for at in kept - same] == []
    assert len(kept) > 60
    assert len(same) < len(right) - 30

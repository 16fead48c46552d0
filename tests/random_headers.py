"""Random headers of a system and programs that use a part of them: what is left of them must compile to the same.

    python -m tests.random_headers --seed 7 --count 100

`gpuopt_driver/nvcc/unused.c` leaves out of a preprocessed source what nobody can name. Each program here is compiled
whole and without that, by the host compiler, and the objects compared.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gpuopt_driver.nvcc import preload

_NAMES = ("at", "cut", "mix", "of", "pair", "s", "size", "swap", "to", "turn", "value", "wide")
_SECONDS = 120
_COMPILER = "g++"


@dataclass
class Entity:
    """A declared name: `use` makes an expression of type int of it, given one of type int."""

    space: str
    name: str
    use: Callable[[str, str], str]  # (the name as it is written, an argument)
    type: str = ""  # a class: how one of it is made of an int, with {0} and {1} for these


@dataclass
class Writer:
    """One random header and its program."""

    random: random.Random
    lines: list[str] = field(default_factory=list)
    entities: list[Entity] = field(default_factory=list)
    taken: dict[tuple[str, str], str] = field(default_factory=dict)
    space: str = "lib"

    def name(self, kind: str) -> str:
        """A name that may be another one's in another namespace, and that functions may share."""
        while True:
            made = self.random.choice(_NAMES) + (str(self.random.randrange(4)) if self.random.random() < 0.7 else "")
            key = (self.space, made)
            if self.taken.setdefault(key, kind) == kind and (kind == "function" or key not in self.once):
                self.once.add(key)
                return made

    once: set[tuple[str, str]] = field(default_factory=set)

    def number(self) -> str:
        """An expression of type int of what is declared so far."""
        k = str(self.random.randrange(1, 99))
        if not self.entities or self.random.random() < 0.3:
            return k
        one = self.random.choice(self.entities[-12:] if self.random.random() < 0.5 else self.entities)
        return one.use(f"::{one.space}::{one.name}", k)

    def class_(self) -> None:
        name, k = self.name("class"), self.number()
        own = f"{self.random.choice(_NAMES)}_"
        equal = f"friend bool operator==(const {name} &l, const {name} &r) {{ return l.a == r.a + {k}; }}"
        self.lines.append(
            f"struct {name} {{ int a; {name}(int x) : a(x) {{ }} int {own}() const {{ return a * {k}; }} {equal} }};"
        )
        uses = [f"{{0}}({{1}}).{own}()", "({0}({1}) == {0}(3))", "(int)sizeof({0})"]
        if self.random.random() < 0.5:
            self.lines.append(f"inline int operator+(const {name} &l, int r) {{ return l.a + r * {self.number()}; }}")
            uses.append("({0}({1}) + 5)")
        if self.random.random() < 0.4:
            self.lines.append(f"inline int *begin({name} &x) {{ return &x.a; }}")
            self.lines.append(f"inline int *end({name} &x) {{ return &x.a + 1; }}")
            uses.append("[]{{ int t = 0; {0} x({1}); for (int e : x) t += e; return t; }}()")
        self.add(name, uses, "{0}({1})")

    def hierarchy(self) -> None:
        """Classes with virtual functions, and calls that may reach all that are derived from one."""
        base, k = self.name("class"), self.number()
        inner = self.random.choice(("public ", "virtual public ", ""))
        self.lines.append(
            f"struct {base} {{ int a; {base}(int x = 0) : a(x) {{ }} virtual int v(int x) {{ return x + a + {k}; }} }};"
        )
        for _ in range(self.random.randrange(4)):
            derived, body = self.name("class"), f"int v(int x) override {{ return x * {self.number()}; }}"
            if self.random.random() < 0.3:
                self.lines.append(f"struct {derived} {{ struct in_ final : {inner}{base} {{ {body} }}; }};")
                self.add(derived, ["[]{{ {0}::in_ d; return d.v({1}); }}()"])
                continue
            self.lines.append(f"struct {derived} : {inner}{base} {{ {body} }};")
            self.add(derived, ["[]{{ {0} d; return d.v({1}); }}()", "{0}().a"])
        self.add(
            base,
            [
                "[]({0} *b) {{ return b->v({1}); }}(new {0}(3))",
                "([](auto *b) {{ return b->v({1}); }})(({0} *)nullptr + {1})",
            ],
        )

    def object(self) -> None:
        """An object that is made before the program begins."""
        classes = [one for one in self.entities if one.type and one.type.startswith("{0}(")]
        if not classes:
            return
        of, name = self.random.choice(classes), self.name("value")
        form = self.random.choice(("static ::{0} {1}({2});", "::{0} {1}(int({2}) + 1);"))
        self.lines.append(form.format(f"{of.space}::{of.name}", name, self.random.randrange(99)))
        self.add(name, ["{0}.a"])

    def class_template(self) -> None:
        name, k = self.name("class"), self.number()
        self.lines.append(
            f"template <class T> struct {name} {{ T a; {name}(T x) : a{{x}} {{ }} T m() const; using type = T; }};\n"
            f"template <class T> T {name}<T>::m() const\n{{ return a + T({k}); }}"
        )
        uses = ["(int){0}<int>({1}).m()", "(int)sizeof({0}<char>)", "(int){0}<long>({1}).m()"]
        if self.random.random() < 0.4:
            self.lines.append(f"template <class T> {name}(T *) -> {name}<T>;")
        if self.random.random() < 0.4:
            self.lines.append(
                f"template <> struct {name}<short> {{ short a; {name}(short x) : a(x) {{ }} "
                f"int m() const {{ return a - {self.number()}; }} }};"
            )
            uses.append("{0}<short>({1}).m()")
        if self.random.random() < 0.6:
            sign = self.random.choice("+-*%")
            self.lines.append(
                f"template <class T> inline int operator{sign}(const {name}<T> &l, int r) "
                f"{{ return (int)l.a {sign} r + {self.number()}; }}"
            )
            uses.append(f"({{0}}<int>({{1}}) {sign} 7)")
        function = self.name("function")
        if (self.space, f"{function}(T)") not in self.once:
            self.once.add((self.space, f"{function}(T)"))
            self.lines.append(
                f"template <class T> int {function}(const T &x) {{ return (int)sizeof(x) + {self.number()}; }}"
            )
            self.lines.append(
                f"template <class T> int {function}(const {name}<T> &x) {{ return (int)x.a * {self.number()}; }}"
            )
            self.add(function, ["{0}({1}L)", f"{{0}}(::{self.space}::{name}<int>({{1}}))", "{0}<int>({1})"])
        self.add(name, uses)

    def function(self) -> None:
        name = self.name("function")
        self.overload(name)

    def overload(self, name: str) -> None:
        classes = [one for one in self.entities if one.type]
        own = self.random.choice(classes) if classes and self.random.random() < 0.5 else None
        key = (self.space, f"{name}({own.space}::{own.name})" if own else f"{name}(int)")
        if key in self.once:
            return
        self.once.add(key)
        kind = self.random.choice(("inline ", "constexpr ", "static inline ", "static "))
        if own is not None:
            kind = kind.replace("constexpr", "inline")
            self.lines.append(
                f"{kind}int {name}(const ::{own.space}::{own.name} &x) {{ return x.a - {self.number()}; }}"
            )
            made = own.type.format(f"::{own.space}::{own.name}", "{1}")
            self.add(name, [f"{{0}}({made})"])
            return
        if kind == "constexpr ":
            self.lines.append(f"constexpr int {name}(int x) {{ return x + {self.random.randrange(9)}; }}")
        else:
            self.lines.append(f"{kind}int {name}(int x)\n{{ return x ^ {self.number()}; }}")
        self.add(name, ["{0}({1})"])

    def enumeration(self) -> None:
        one, two = self.name("value"), self.name("value")
        head = f"enum {self.name('class')}" if self.random.random() < 0.5 else "enum"
        if self.random.random() < 0.3:
            self.lines.append(f"typedef enum {{ {one} = {self.random.randrange(9)}, {two} }} {self.name('class')};")
        else:
            self.lines.append(f"{head} {{ {one} = {self.random.randrange(9)}, {two} }};")
        self.add(self.random.choice((one, two)), ["(int){0}"])

    def alias(self) -> None:
        classes = [one for one in self.entities if one.type]
        if not classes:
            return
        of = self.random.choice(classes)
        name = self.name("class")
        form = self.random.choice(("using {0} = ::{1};", "typedef ::{1} {0};", "typedef struct ::{1} {0};"))
        self.lines.append(form.format(name, f"{of.space}::{of.name}"))
        self.add(name, ["{0}({1}).a"])

    def variable(self) -> None:
        name = self.name("value")
        form = self.random.choice(
            ("template <class T> constexpr T {} = T({});", "constexpr int {} = {};", "inline int {} = {};")
        )
        self.lines.append(form.format(name, self.random.randrange(99)))
        self.add(name, ["{0}<int>"] if form.startswith("template") else ["{0}"])

    def literal(self) -> None:
        name = self.name("function")
        if (self.space, f'""{name}') in self.once or self.space != "lib":
            return
        self.once.add((self.space, f'""{name}'))
        number = self.random.random() < 0.4
        parameters = "unsigned long long n" if number else "const char *, unsigned long n"
        self.lines.append(f'inline int operator""_{name}({parameters}) {{ return (int)n + {self.number()}; }}')
        text = "7" if number else self.random.choice(('"abc"', 'R"(a"b)"'))
        self.add(f"[]{{ using namespace lib; return {text}_{name}; }}()", [])
        self.entities[-1] = Entity("", "", lambda _name, _k, made=self.entities[-1].name: made)  # type: ignore[misc]

    def add(self, name: str, uses: Sequence[str], kind: str = "") -> None:
        chosen = list(uses) or ["{0}"]
        pick = self.random
        self.entities.append(Entity(self.space, name, lambda written, k: pick.choice(chosen).format(written, k), kind))

    def header(self) -> str:
        """A header of the system."""
        kinds = [
            self.class_, self.class_template, self.class_template, self.function, self.function, self.function,
            self.enumeration, self.alias, self.variable, self.literal, self.hierarchy, self.object,
        ]  # fmt: skip
        for _ in range(self.random.randrange(2, 6)):
            self.space = self.random.choice(("lib", "lib", "lib::in"))
            opened = "namespace lib { namespace in {"
            if self.space == "lib":
                opened = self.random.choice(("namespace lib {", "namespace lib { inline namespace v1 {"))
            self.lines.append(opened)
            for _ in range(self.random.randrange(3, 12)):
                self.random.choice(kinds)()
            self.lines.append("}" * opened.count("{"))
        return "\n".join(self.lines) + "\n"

    def program(self) -> str:
        """What uses some of it."""
        entities, self.entities = self.entities, self.random.sample(self.entities, min(4, len(self.entities)))
        parts = [f"int use{number}(int n) {{ return n + {self.number()}; }}" for number in range(4)]
        self.entities = entities
        return "\n".join(parts) + "\n"


def build(place: Path, compiler: str = _COMPILER) -> Path:
    """The program that leaves out of a preprocessed source what it does not use."""
    names = ("blake2b.c", "ptx.c", "words.c", "declared.c", "derived.c", "unused.c")
    text = b"".join(Path(preload.__file__).with_name(name).read_bytes() for name in names)
    (place / "unused.c").write_bytes(text + Path(__file__).with_name("nvcc").joinpath("unused_main.c").read_bytes())
    command = [compiler, "-x", "c", "-std=gnu11", "-O1", "-w", "unused.c", "-o", "unused"]
    subprocess.run(command, cwd=place, check=True, timeout=_SECONDS)
    return place / "unused"


def compare(seed: int, place: Path, unused: Path, level: str = "-O1", compiler: str = _COMPILER) -> tuple[str, float]:
    """What is wrong with a program, "" if nothing; and how much of its text is left."""
    writer = Writer(random.Random(seed))
    system = place / "system"
    system.mkdir(exist_ok=True)
    (system / "lib.h").write_text(writer.header())
    (place / "a.cpp").write_text(f"#include <lib.h>\n{writer.program()}")
    command = [compiler, "-x", "c++", "-std=c++17", "-w", "-isystem", "system", "-E", "a.cpp", "-o", "a.ii"]
    subprocess.run(command, cwd=place, check=True, timeout=_SECONDS)
    done = subprocess.run([unused, "a.ii"], cwd=place, capture_output=True, check=False, timeout=_SECONDS)
    if done.returncode:  # numbers of types without names are all to stay
        return "" if re.search(r"\benum \{", (system / "lib.h").read_text()) else "not understood", 1.0
    (place / "b.ii").write_bytes(done.stdout)
    results = []
    for name in ("a", "b"):
        command = [compiler, "-x", "c++-cpp-output", "-std=c++17", "-w", level, "-c", f"{name}.ii", "-o", f"{name}.o"]
        made = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False, timeout=_SECONDS)
        if made.returncode:
            return f"{'whole' if name == 'a' else 'what is left'} does not compile: {made.stderr[:600]}", 1.0
        results.append((place / f"{name}.o").read_bytes())
    left = len(done.stdout) / (place / "a.ii").stat().st_size
    return "" if results[0] == results[1] else "other code", left


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    options = parser.parse_args(arguments)
    wrong, parts = 0, []
    with tempfile.TemporaryDirectory(prefix="headers-") as scratch:
        unused = build(Path(scratch))
        for seed in range(options.seed, options.seed + options.count):
            said, left = compare(seed, Path(scratch), unused, ("-O1", "-O2", "-O3")[seed % 3])
            parts.append(left)
            if said:
                wrong += 1
                print(f"seed {seed}: {said}")
    print(f"{options.count} programs, {wrong} wrong; {sum(parts) / max(len(parts), 1):.2f} of the text is left")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())

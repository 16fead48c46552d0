"""The host function that launch sites call: which version a launch gets is found once per configuration."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.model import Kernel
from gpuopt_driver.learning.runtime import cold, hot
from gpuopt_driver.variants import declared, elsewhere
from gpuopt_driver.variants.guards import address, arguments, params
from gpuopt_driver.variants.model import Variant
from gpuopt_driver.variants.picks import Clone, Pick, clones_of

_NEVER = "return false;"  # the guard of what is only measured


def shims(
    kernel: Kernel,
    variants: Sequence[tuple[Kernel, Variant]],
    picks: Sequence[Pick],
    *,
    launched: bool,
    digest: str,
    noted: str = "",
) -> str:
    """What this file's launches of a kernel call (if `launched`), and the door for those of other files.

    `digest` (16 hexadecimal digits) stands for the kernel and its versions where choices are remembered. `noted`:
    statements that write down what a launch has.
    """
    held = {variant.name for _, variant in variants if variant.anywhere}
    if not held or not elsewhere.reachable(kernel):
        return shim(kernel, variants, picks, digest=digest, noted=noted)
    mine = [(instance, variant) for instance, variant in variants if variant.name in held]
    some = [pick for pick in picks if held.issuperset(pick.members)]
    door = shim(kernel, mine, some, name="elsewhere", digest=digest, noted=noted)
    now = "".join(f"static gpuopt_rt::arranged {_name(kernel, clone)}_now;\n" for clone in clones_of(picks))
    text = f"static bool {elsewhere.flag(kernel)} = false;\n{now}{door}{elsewhere.opened(kernel)}"
    if not launched:
        return text
    if len(mine) < len(variants):
        return text + shim(kernel, variants, picks, preference=elsewhere.flag(kernel), digest=digest, noted=noted)
    args = ", ".join(param.called for param in kernel.params)
    return (
        f"{text}static void {kernel.name}__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c{params(kernel)}) {{\n"
        f"  if (!{kernel.name}__gpuopt_elsewhere(gpuopt_c{arguments(kernel)}))\n"
        f"    {kernel.name}<<<gpuopt_c.grid, gpuopt_c.block, gpuopt_c.shared, gpuopt_c.stream>>>({args});\n}}\n"
    )


def shim(
    kernel: Kernel,
    variants: Sequence[tuple[Kernel, Variant]],
    picks: Sequence[Pick],
    *,
    digest: str,
    name: str = "launch",
    preference: str = "",
    noted: str = "",
) -> str:
    """Decide, launch a version or the original. Launches are told apart by the arguments that some guard mentions.

    `elsewhere` as `name`: launches that no decision could be made for are left to the caller, who is told so.
    `preference`: where this variable is true the original runs.
    """
    head = f"{declared.definition_head(kernel)} " if kernel.template_head else ""
    given = f"<{', '.join(kernel.template_params)}>" if kernel.template_head else ""
    args = ", ".join(param.called for param in kernel.params)
    words = {word for _, variant in variants for word in re.findall(r"\w+", variant.guard + variant.candidates)}
    told = [param.called for param in kernel.params if param.called in words]
    keys = "".join(f"  gpuopt_h = gpuopt_rt::mix(gpuopt_h, gpuopt_rt::key({name}));\n" for name in told)
    facts = _facts(kernel, given, variants)
    keys += f"{facts}  gpuopt_h = gpuopt_rt::mix(gpuopt_h, gpuopt_f);\n" if facts else ""
    divides = any("carveout" in variant.guard + variant.candidates + variant.support for _, variant in variants)
    door = name == "elsewhere"
    preference = elsewhere.flag(kernel) if door else preference
    done = "return true;" if door else "return;"
    original = f"{kernel.name}{given}<<<gpuopt_c.grid, gpuopt_c.block, gpuopt_c.shared, gpuopt_c.stream>>>({args})"
    wanted = f"!{preference}" if preference else "true"
    told_on = "".join(f", {param.called}" for param in kernel.params)
    decide = f"{kernel.name}__gpuopt_decide_{name}"
    decision = _decision(kernel, variants, picks, f"{head}static gpuopt_rt::entry *{decide}", told, digest=digest)
    kind = f"{head}static {'bool' if door else 'void'}"
    within = f"{kernel.name}__gpuopt_{name}"
    wrapper = ""
    if kernel.template_head:
        # GCC compiles a template as it would where it is declared first: this one among the user's code.
        wrapper = (
            f"{kind} {within}(const ::gpuopt_rt::config &gpuopt_c{params(kernel)}) "
            f"{{ {within}ed{given}(gpuopt_c{arguments(kernel)}); }}\n"
        )
        kind, within = f"{head}__attribute__((noinline)) static void", f"{within}ed"
    launch = hot(
        f"{kind} {within}(const ::gpuopt_rt::config &gpuopt_c"
        f"{params(kernel)}) {{\n{noted}"
        f"  static thread_local gpuopt_rt::memo *gpuopt_m;\n"
        f"  static gpuopt_rt::memo *gpuopt_n;\n"
        f"  {_places(kernel)}\n"
        f"  unsigned long long gpuopt_h = 14695981039346656037ULL;\n{keys}"
        f"  unsigned long long gpuopt_d = 0;\n"
        f"  gpuopt_rt::entry *gpuopt_e;\n"
        f"{_functions(kernel, picks)}"
        f"  if (gpuopt_rt::undecided(gpuopt_e, gpuopt_d, gpuopt_m, gpuopt_n, gpuopt_c, gpuopt_h, gpuopt_of[0],\n"
        f"                           {wanted}, gpuopt_rt::may_be_captured(gpuopt_c.stream)))\n"
        f"    gpuopt_e = {decide}{given}(*gpuopt_m, gpuopt_e, gpuopt_c, gpuopt_h, gpuopt_d"
        f"{', gpuopt_f' * bool(facts)}, gpuopt_of{told_on});\n"
        f"{_run(kernel, picks, divides=divides, done=done, shared=bool(preference))}"
        f"  {'return false' if door else original};\n}}\n"
    )
    return cold(decision) + launch + wrapper


def _decision(
    kernel: Kernel,
    variants: Sequence[tuple[Kernel, Variant]],
    picks: Sequence[Pick],
    signature: str,
    told: Sequence[str],
    *,
    digest: str,
) -> str:
    """The function that finds what a launch gets whose configuration has not been seen; a few runs in a program."""
    given = f"<{', '.join(kernel.template_params)}>" if kernel.template_head else ""
    groups = "".join(f"  gpuopt_u = gpuopt_rt::mix(gpuopt_u, gpuopt_rt::about({name}));\n" for name in told)
    instance = "__PRETTY_FUNCTION__" if kernel.template_head else '""'
    labels = ", ".join(f'"{pick.label}"' for pick in picks)
    requires = any(variant.requires for _, variant in variants)
    groups += "  gpuopt_u = gpuopt_rt::mix(gpuopt_u, gpuopt_f);\n" if requires else ""
    facts = ", unsigned long long gpuopt_f" if requires else ""
    rows = [*_questions(kernel, given, variants, picks), *_offers(kernel, given, variants, picks)]
    away = "".join(
        f"  static const unsigned gpuopt_away{number}[] = {{ {', '.join(f'{offset}u' for offset in row.away)} }};\n"
        for number, row in enumerate(rows)
        if row.away
    )
    to = "".join(
        f"  static const signed char gpuopt_to{number}[] = {{ {', '.join(map(str, row.to))} }};\n"
        for number, row in enumerate(rows)
        if row.to
    )
    asked = "".join(f"    {row.written(number)},\n" for number, row in enumerate(rows))
    cases = "".join(f"      case {number}: return {row.call};\n" for number, row in enumerate(rows))
    return (
        f"{signature}(gpuopt_rt::memo &gpuopt_m, gpuopt_rt::entry *gpuopt_e, const ::gpuopt_rt::config &gpuopt_c,\n"
        f"  unsigned long long gpuopt_h, unsigned long long gpuopt_d{facts}, const void *const *gpuopt_of"
        f"{params(kernel)}) {{\n"
        f"  static const char *const gpuopt_names[] = {{ {labels}, 0 }};\n{away}{to}"
        f"  static const gpuopt_rt::asked gpuopt_q[] = {{\n{asked}    {{ 0, 0, 0, 0, 0, 0 }}\n  }};\n"
        f"  unsigned long long gpuopt_u = 14695981039346656037ULL;\n{groups}"
        f"  const auto gpuopt_g = [&](unsigned gpuopt_n, const gpuopt_rt::launch &gpuopt_y, void *gpuopt_z) "
        f"-> bool {{\n"
        f"    (void)gpuopt_y; (void)gpuopt_z;\n"
        f"    switch (gpuopt_n) {{\n{cases}      default: return false;\n    }}\n  }};\n"
        f'  const gpuopt_rt::told gpuopt_k = {{ "{kernel.qualified}", {instance},\n'
        f"    gpuopt_rt::compiled_by(0x{digest}ULL), gpuopt_u, {'gpuopt_f' if requires else '0'}, gpuopt_of,\n"
        f"    gpuopt_names, gpuopt_q }};\n"
        f"  return gpuopt_rt::decided(gpuopt_m, gpuopt_e, gpuopt_c, gpuopt_h, gpuopt_d, gpuopt_k,\n"
        f"                            gpuopt_rt::question::of(gpuopt_g));\n}}\n"
    )


def _requiring(variants: Sequence[tuple[Kernel, Variant]]) -> list[str]:
    """The versions that require facts of pointers, in the order of their bits in `gpuopt_f`."""
    return list(dict.fromkeys(variant.name for _, variant in variants if variant.requires))


def _facts(kernel: Kernel, given: str, variants: Sequence[tuple[Kernel, Variant]]) -> str:
    """The bits of a launch: which versions' facts hold."""
    bits = [
        f"({kernel.name}__gpuopt_{name}_holds{given}(gpuopt_c{arguments(kernel)}) ? {1 << number}ULL : 0)"
        for number, name in enumerate(_requiring(variants))
    ]
    if not bits:
        return ""
    sizes = [f"sizeof(decltype({param.called}))" for param in kernel.params]
    return (
        f"  static const unsigned gpuopt_z[] = {{ {''.join(f'{one}, ' for one in sizes)}0 }};\n"
        f"  static thread_local gpuopt_rt::known_facts<{' + '.join((*sizes, '0'))}> gpuopt_t;\n"
        f"  unsigned long long gpuopt_f = 0;\n"
        f"  if (!gpuopt_rt::known(gpuopt_t, gpuopt_t.of[0], gpuopt_c, gpuopt_a + 1, gpuopt_z, gpuopt_f))\n"
        f"    gpuopt_f = gpuopt_rt::kept(gpuopt_t, gpuopt_t.of[0], gpuopt_c, gpuopt_a + 1, gpuopt_z,\n"
        f"                               {' | '.join(bits)});\n"
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question to a version, as a row of `gpuopt_rt::asked`: `to` is empty where it is asked for offers.

    `call` asks it; `fact` is one more than the number of the bit of what it requires, 0: nothing.
    """

    name: str
    call: str
    pick: int = 0
    fact: int = 0
    to: Sequence[int] = ()
    away: Sequence[int] = ()

    def written(self, number: int) -> str:
        """The row with this number."""
        to, away = (f"gpuopt_to{number}" if self.to else "0"), (f"gpuopt_away{number}" if self.away else "0")
        return f'{{ "{self.name}", {to}, {away}, {len(self.away)}u, {self.fact}, {self.pick} }}'


def _fact_of(name: str, variants: Sequence[tuple[Kernel, Variant]]) -> int:
    names = _requiring(variants)
    return names.index(name) + 1 if name in names else 0


def _name(kernel: Kernel, clone: Clone | None) -> str:
    return kernel.name if clone is None else f"{kernel.name}__gpuopt_{clone.name}"


def asked_of(variants: Sequence[tuple[Kernel, Variant]]) -> frozenset[str]:
    """The names of the versions whose guards may say yes: those for measurements alone need no guard."""
    return frozenset(variant.name for _, variant in variants if variant.guard.strip() != _NEVER)


def _questions(
    kernel: Kernel, given: str, variants: Sequence[tuple[Kernel, Variant]], picks: Sequence[Pick]
) -> list[_Asked]:
    """The question to each version, in their order: which pick it makes of the one so far."""
    numbers = {pick.members: number for number, pick in enumerate(picks)}
    first: dict[str, Variant] = {}
    asked = asked_of(variants)
    for _, variant in variants:
        if variant.name in asked:
            first.setdefault(variant.name, variant)
    return [
        _Asked(
            name,
            f"{kernel.name}__gpuopt_{name}_guard{given}(gpuopt_y, *(gpuopt_rt::choice *)gpuopt_z{arguments(kernel)})",
            fact=_fact_of(name, variants),
            to=[numbers.get((*pick.members, name), -1) for pick in picks],
            away=variant.past_l1,
        )
        for name, variant in first.items()
    ]


def _offers(
    kernel: Kernel, given: str, variants: Sequence[tuple[Kernel, Variant]], picks: Sequence[Pick]
) -> list[_Asked]:
    """The question to each version for all ways in which it may run a launch that no other version has changed."""
    alone = {pick.members[0]: number for number, pick in enumerate(picks) if len(pick.members) == 1}
    offering = dict.fromkeys(variant.name for _, variant in variants if variant.candidates)
    return [
        _Asked(
            name,
            f"{kernel.name}__gpuopt_{name}_offers{given}(gpuopt_y, *(gpuopt_rt::offers *)gpuopt_z{arguments(kernel)})",
            pick=alone[name],
            fact=_fact_of(name, variants),
        )
        for name in offering
    ]


def _functions(kernel: Kernel, picks: Sequence[Pick]) -> str:
    """The functions by pick."""
    functions = ", ".join(address(kernel, pick.clone.name if pick.clone is not None else "") for pick in picks)
    return f"  const void *const gpuopt_of[] = {{ {functions} }};\n"


def _places(kernel: Kernel) -> str:
    """Where a launch's arguments are, as the driver wants to be told; in front of them what a version gets."""
    places = "".join(f"gpuopt_rt::place({param.called}), " for param in kernel.params)
    return f"void *gpuopt_a[] = {{ 0, {places}0 }};"


def _run(kernel: Kernel, picks: Sequence[Pick], *, divides: bool, done: str, shared: bool) -> str:
    """The launch of what was picked; `divides`: carve-outs are chosen; `shared`: several shims launch the clones."""
    clones = clones_of(picks)
    own, ways = "", "0"
    if divides and clones:
        places = ["0" if pick.clone is None else _place(kernel, pick.clone, clones, shared=shared) for pick in picks]
        own = "" if shared else f"  static gpuopt_rt::arranged gpuopt_o[{len(clones)}];\n"
        own += f"  static gpuopt_rt::arranged *const gpuopt_r[] = {{ {', '.join(places)} }};\n"
        ways = "gpuopt_r"
    return f"{own}  if (gpuopt_rt::launched(gpuopt_e, gpuopt_c, gpuopt_of, {ways}, gpuopt_a)) {done}\n"


def _place(kernel: Kernel, clone: Clone, clones: Sequence[Clone], *, shared: bool) -> str:
    """Where it stands which carve-out a clone has."""
    return f"&{_name(kernel, clone)}_now" if shared else f"gpuopt_o + {clones.index(clone)}"

"""The host function that launch sites call: which version a launch gets is found once per configuration."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
    runs = [
        _run(kernel, given, clone, picks, divides=divides, done=done, shared=bool(preference))
        for clone in clones_of(picks)
    ]
    original = f"{kernel.name}{given}<<<gpuopt_c.grid, gpuopt_c.block, gpuopt_c.shared, gpuopt_c.stream>>>({args})"
    wanted = f"!{preference} && " if preference else ""
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
        f"  unsigned long long gpuopt_h = 14695981039346656037ULL;\n{keys}"
        f"  unsigned long long gpuopt_d = 0;\n"
        f"  const bool gpuopt_w = {wanted}gpuopt_rt::current(gpuopt_d, {address(kernel)}) &&\n"
        f"                        !gpuopt_rt::captured(gpuopt_c.stream) &&\n"
        f"                        (gpuopt_m || (gpuopt_m = gpuopt_rt::memo_of(gpuopt_n)));\n"
        f"  gpuopt_rt::entry *gpuopt_e = gpuopt_w ? gpuopt_m->find(gpuopt_c, gpuopt_h, gpuopt_d) : 0;\n"
        f"  if (gpuopt_e && (gpuopt_rt::due(*gpuopt_e) ||\n"
        f"                   (gpuopt_e->pick && gpuopt_rt::stale(*gpuopt_e, {address(kernel)}))))\n"
        f"    gpuopt_e->known = false;\n"
        f"  if (gpuopt_w && !(gpuopt_e && gpuopt_e->known) && !gpuopt_m->rests(gpuopt_c) &&\n"
        f"      ::cudaPeekAtLastError() == ::cudaSuccess)\n"
        f"    gpuopt_e = {decide}{given}(*gpuopt_m, gpuopt_e, gpuopt_c, gpuopt_h, gpuopt_d{', gpuopt_f' * bool(facts)}"
        f"{told_on});\n"
        f"  gpuopt_rt::measured gpuopt_q(gpuopt_e, gpuopt_c);\n"
        f"{''.join(runs)}{_run_original(kernel, done)}"
        f"  gpuopt_q.not_made();\n"
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
    functions = ", ".join(address(kernel, pick.clone.name if pick.clone is not None else "") for pick in picks)
    requires = any(variant.requires for _, variant in variants)
    groups += "  gpuopt_u = gpuopt_rt::mix(gpuopt_u, gpuopt_f);\n" if requires else ""
    facts = ", unsigned long long gpuopt_f" if requires else ""
    return (
        f"{signature}(gpuopt_rt::memo &gpuopt_m, gpuopt_rt::entry *gpuopt_e, const ::gpuopt_rt::config &gpuopt_c,\n"
        f"  unsigned long long gpuopt_h, unsigned long long gpuopt_d{facts}{params(kernel)}) {{\n"
        f"  const char *const gpuopt_names[] = {{ {labels}, 0 }};\n"
        f"  const void *const gpuopt_of[] = {{ {functions} }};\n"
        f"  gpuopt_rt::launch gpuopt_l;\n"
        f"  gpuopt_e = gpuopt_m.take(gpuopt_e, gpuopt_c, gpuopt_h, gpuopt_d);\n"
        f"  if (!gpuopt_rt::describe(gpuopt_l, gpuopt_c, {address(kernel)})) return gpuopt_e;\n"
        f"  gpuopt_rt::arms gpuopt_k(*gpuopt_e, gpuopt_l, gpuopt_of, gpuopt_names);\n"
        f"  unsigned long long gpuopt_u = 14695981039346656037ULL;\n{groups}"
        f'  const bool gpuopt_i = gpuopt_k.find("{kernel.qualified}", {instance},\n'
        f"                                      gpuopt_rt::compiled_by(0x{digest}ULL), gpuopt_h, gpuopt_u);\n"
        f"{_searched(_questions(kernel, given, variants, picks))}"
        f"  gpuopt_e->device = gpuopt_l.device;\n"
        f"  gpuopt_rt::watch(*gpuopt_e, {address(kernel)}, gpuopt_of[gpuopt_e->pick]);\n"
        f"  if (gpuopt_rt::learning_mode()) {{\n"
        f"{''.join(_offers(kernel, given, variants, picks))}"
        f"    gpuopt_k.end();\n  }}\n"
        f"  gpuopt_e->known = true;\n"
        f"  gpuopt_m.note(gpuopt_e->pick || gpuopt_e->tried, gpuopt_k.took(), gpuopt_k.worth());\n"
        f'  gpuopt_rt::trace("{kernel.qualified}", gpuopt_names[gpuopt_e->pick], *gpuopt_e, gpuopt_k.how());\n'
        f"  return gpuopt_e;\n}}\n"
    )


def _searched(questions: Sequence[str]) -> str:
    """Asking the guards what they pick, where that is not known and there are any."""
    if not questions:
        return "  (void)gpuopt_i;\n"
    return (
        "  if (!gpuopt_i) {\n    gpuopt_rt::search gpuopt_s(*gpuopt_e, gpuopt_l, gpuopt_of);\n"
        f"{''.join(questions)}    gpuopt_s.end();\n  }}\n"
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
    size = "".join(f" + sizeof(decltype({param.called}))" for param in kernel.params)
    told = "".join(f".add({param.called})" for param in kernel.params)
    return (
        f"  const unsigned gpuopt_z = 2 * sizeof(::dim3) + sizeof(::size_t){size};\n"
        f"  static thread_local gpuopt_rt::known_facts<gpuopt_z> gpuopt_t;\n"
        f"  gpuopt_rt::asked_facts<gpuopt_z> gpuopt_b(gpuopt_c);\n"
        f"  {f'gpuopt_b{told};' if told else ''}\n"
        f"  unsigned long long gpuopt_f = 0;\n"
        f"  if (!gpuopt_t.find(gpuopt_b, gpuopt_f)) gpuopt_f = gpuopt_t.keep(gpuopt_b, {' | '.join(bits)});\n"
    )


def _where_they_hold(name: str, variants: Sequence[tuple[Kernel, Variant]]) -> str:
    """The test in front of a question to a version."""
    names = _requiring(variants)
    return f"if (gpuopt_f >> {names.index(name)} & 1) " if name in names else ""


def _name(kernel: Kernel, clone: Clone | None) -> str:
    return kernel.name if clone is None else f"{kernel.name}__gpuopt_{clone.name}"


def asked_of(variants: Sequence[tuple[Kernel, Variant]]) -> frozenset[str]:
    """The names of the versions whose guards may say yes: those for measurements alone need no guard."""
    return frozenset(variant.name for _, variant in variants if variant.guard.strip() != _NEVER)


def _questions(
    kernel: Kernel, given: str, variants: Sequence[tuple[Kernel, Variant]], picks: Sequence[Pick]
) -> list[str]:
    """The question to each version, in their order: which pick it makes of the one so far."""
    numbers = {pick.members: number for number, pick in enumerate(picks)}
    first: dict[str, Variant] = {}
    asked = asked_of(variants)
    for _, variant in variants:
        if variant.name in asked:
            first.setdefault(variant.name, variant)
    texts: list[str] = []
    for name, variant in first.items():
        to = ", ".join(str(numbers.get((*pick.members, name), -1)) for pick in picks)
        away = ", ".join(f"{offset}u" for offset in variant.past_l1)
        texts.append(
            f"      {_where_they_hold(name, variants)}{{ static const signed char gpuopt_t[] = {{ {to} }};\n"
            f"        static const unsigned gpuopt_a[] = {{ {away or '0'} }};\n"
            f"        const auto gpuopt_g = [&](const gpuopt_rt::launch &gpuopt_y, gpuopt_rt::choice &gpuopt_z) {{\n"
            f"          return {kernel.name}__gpuopt_{name}_guard{given}(gpuopt_y, gpuopt_z{arguments(kernel)}); }};\n"
            f'        gpuopt_s.ask("{name}", gpuopt_t, gpuopt_a, {len(variant.past_l1)}u, '
            f"gpuopt_rt::question::of<gpuopt_rt::choice>(gpuopt_g)); }}\n"
        )
    return texts


def _offers(kernel: Kernel, given: str, variants: Sequence[tuple[Kernel, Variant]], picks: Sequence[Pick]) -> list[str]:
    """The question to each version for all ways in which it may run a launch that no other version has changed."""
    alone = {pick.members[0]: number for number, pick in enumerate(picks) if len(pick.members) == 1}
    offering = dict.fromkeys(variant.name for _, variant in variants if variant.candidates)
    return [
        f"        {_where_they_hold(name, variants)}{{\n"
        f"          const auto gpuopt_g = [&](const gpuopt_rt::launch &gpuopt_y, gpuopt_rt::offers &gpuopt_z) {{\n"
        f"            return {kernel.name}__gpuopt_{name}_offers{given}(gpuopt_y, gpuopt_z{arguments(kernel)}); }};\n"
        f"          gpuopt_k.ask({alone[name]}, gpuopt_rt::question::of<gpuopt_rt::offers>(gpuopt_g)); }}\n"
        for name in offering
    ]


def _places(kernel: Kernel, *before: str) -> str:
    """Where a launch's arguments are, as the driver wants to be told."""
    places = "".join(f"gpuopt_rt::place({name}), " for name in (*before, *(param.called for param in kernel.params)))
    return f"void *gpuopt_a[] = {{ {places}0 }};"


def _run_original(kernel: Kernel, done: str) -> str:
    return (
        f"  if (gpuopt_e && gpuopt_e->known && !gpuopt_e->pick) {{\n    {_places(kernel)}\n"
        f"    if (gpuopt_rt::started(*gpuopt_e, gpuopt_c.stream, gpuopt_a)) {done}\n  }}\n"
    )


def _run(
    kernel: Kernel, given: str, clone: Clone, picks: Sequence[Pick], *, divides: bool, done: str, shared: bool
) -> str:
    """The launch of one clone; `shared`: several shims launch it."""
    version = f"{kernel.name}__gpuopt_{clone.name}"
    mine = [number for number, pick in enumerate(picks) if pick.clone == clone]
    wanted = " || ".join(f"gpuopt_e->pick == {number}" for number in mine)
    wanted = f"({wanted})" if len(mine) > 1 else wanted
    now = f"{version}_now" if shared else "gpuopt_r"
    own = "" if shared else "    static gpuopt_rt::arranged gpuopt_r;\n"
    arrange = f"{own}    {now}.want({address(kernel, clone.name)}, *gpuopt_e);\n"
    return (
        f"  if (gpuopt_e && gpuopt_e->known && {wanted}) {{\n"
        f"    const gpuopt_rt::choice &gpuopt_x = gpuopt_e->chosen;\n"
        f"{arrange if divides else ''}"
        f"    gpuopt_rt::scratch gpuopt_s(gpuopt_x, gpuopt_c.stream);\n"
        f"    if (gpuopt_s.good) {{\n      {_places(kernel, 'gpuopt_s.p')}\n"
        f"      if (!gpuopt_rt::started(*gpuopt_e, gpuopt_c.stream, gpuopt_a))\n"
        f"        {version}{given}<<<gpuopt_x.grid, gpuopt_x.block, gpuopt_x.shared, gpuopt_c.stream>>>"
        f"(gpuopt_s.p{arguments(kernel)});\n      {done}\n    }}\n  }}\n"
    )

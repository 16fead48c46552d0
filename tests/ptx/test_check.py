"""What becomes of versions by the PTX that was made of them."""

from __future__ import annotations

import pytest

from gpuopt_driver.ptx import check
from gpuopt_driver.ptx.check import BUILT_IN, ROUNDING, Refusal, Terms, left_to_ptxas, mends, refusals
from gpuopt_driver.variants.emitted import Emitted

ALIKE = "fma.rn.f32 %f3, %f1, %f2, %f1;"
OTHER = "mul.rn.f32 %f4, %f1, %f2; add.rn.f32 %f3, %f4, %f1;"
VERSION = Emitted("k", "mine", ("mine",), frozenset({"blockIdx"}), ("x", "alpha"))


def entry(name: str, text: str, shift: int = 0, kind: str = ".visible .entry") -> str:
    params = f"ld.param.u64 %rd1, [{name}_param_{shift}];\nld.param.f32 %f2, [{name}_param_{shift + 1}];"
    lines = "\n".join(f"\t{line.strip()};" for line in text.split(";") if line.strip())
    return f"{kind} {name}(\n)\n{{\n{params}\nld.global.f32 %f1, [%rd1];\n{lines}\n\tret;\n}}\n"


def told(*modules: str, terms: Terms = Terms(), version: Emitted = VERSION) -> list[tuple[str, str]]:  # noqa: B008
    found: tuple[Refusal, ...] = refusals(modules, [version], terms)
    return [(one.code, one.reason) for one in found]


def module(original: str, version: str) -> str:
    return entry("_Z1kPff", original) + entry("_Z14k__gpuopt_mineN4planEPff", version, 1)


def test_a_version_that_is_rounded_alike_may_be_used() -> None:
    assert told(module(ALIKE, ALIKE)) == []


def test_the_reason_names_what_is_added() -> None:
    assert told(module(ALIKE, OTHER)) == [
        (ROUNDING, "nvcc fuses other products and sums in the version, of x[...] * alpha (float)")
    ]
    assert told(module(ALIKE, OTHER), terms=Terms(any_rounding=True)) == []


def test_every_gpu_counts() -> None:
    assert [code for code, _ in told(module(ALIKE, ALIKE), module(ALIKE, OTHER))] == [ROUNDING]


def test_a_version_that_was_not_seen_is_not_used() -> None:
    assert [code for code, _ in told()] == [ROUNDING]
    assert [code for code, _ in told(entry("_Z1kPff", ALIKE))] == [ROUNDING]


def test_what_is_compiled_at_link_time_is_not_used_if_it_has_sums_of_products() -> None:
    assert [code for code, _ in told(module(ALIKE, ALIKE), terms=Terms(is_final=False))] == [ROUNDING]
    integers = "add.s32 %r1, %r2, %r3;"
    assert told(module(integers, integers), terms=Terms(is_final=False)) == []


def test_a_built_in_variable_that_the_version_did_not_reach() -> None:
    read = "mov.u32 %r1, %ctaid.x;"
    assert [code for code, _ in told(module(ALIKE, read + ALIKE))] == [BUILT_IN]
    assert told(module(read + ALIKE, ALIKE)) == []
    other = Emitted("k", "mine", ("mine",), frozenset({"threadIdx"}))
    assert told(module(ALIKE, read + ALIKE), version=other) == []


def test_copies_of_functions_count_for_the_versions_that_bring_them() -> None:
    functions = entry("_Z1fff", ALIKE, kind=".func") + entry("_Z21f__gpuopt_mine_ab12cdN4planEff", OTHER, 1, ".func")
    assert [code for code, _ in told(module(ALIKE, ALIKE) + functions)] == [ROUNDING]
    assert told(module(ALIKE, ALIKE) + functions.replace("mine", "else")) == []


def test_what_is_linked_later_may_compute_with_what_a_version_knows() -> None:
    call = "call.uni (retval0), other, (param0);"
    knows = entry("_Z14k__gpuopt_mineN4planEPff", call, 1).replace("_param_2", "_param_1")
    linked, final = Terms(is_final=False), Terms()
    assert [code for code, _ in told(entry("_Z1kPff", call) + knows, terms=linked)] == [ROUNDING]
    assert told(entry("_Z1kPff", call) + knows, terms=final) == []
    assert told(module(call, call), terms=linked) == []


MET = "mov.f32 %f3, 0f00000000; @%p1 bra $L1; mul.f32 %f3, %f1, %f2; $L1: mov.u32 %r9, 0; add.f32 %f4, %f3, %f1;"
FUSED = "fma.rn.f32 %f4, %f1, %f2, %f1;"
DECLARED = ".reg .f32 %f<9>;"


def test_versions_are_mended_in_their_module() -> None:
    text = module(DECLARED + MET, DECLARED + FUSED)
    left = left_to_ptxas(text, {VERSION})
    assert list(left) == ["_Z1kPff"]
    likely = left["_Z1kPff"].likely()
    assert [one.opcode for one in likely.instructions if one.base == "add"] == ["add.rn.f32"]
    found = mends(text, {VERSION}, {"_Z1kPff": likely})
    assert found is not None
    ((name, body),) = found.bodies.items()
    assert name == "_Z14k__gpuopt_mineN4planEPff"
    assert (body.count("add.rn.f32"), found.judged.count("add.rn.f32")) == (1, 2)
    assert refusals([found.judged], [VERSION], Terms()) == ()
    half = found.judged.replace("add.rn.f32", "add.f32", 1)
    assert [item.code for item in refusals([half], [VERSION], Terms())] == [ROUNDING], "this much is to be known"


def test_what_is_left_to_ptxas_is_told() -> None:
    (item,) = refusals([module(MET, MET + "mov.u32 %r8, 0;")], [VERSION], Terms())
    assert item.reason == "what ptxas fuses in the kernel could not be found out, of x[...] * alpha (float)"
    assert refusals([module(MET, MET)], [VERSION], Terms()) == (), "the same code"


def test_of_a_kernel_that_leaves_nothing_to_ptxas_everything_is_known() -> None:
    (left,) = left_to_ptxas(module(ALIKE, OTHER), {VERSION}).values()
    assert left.likely() is left.whole


def test_what_cannot_be_mended_is_told_apart() -> None:
    text = module(DECLARED + MET, DECLARED + FUSED.replace("fma", "@%p1 fma"))
    left = left_to_ptxas(text, {VERSION})
    assert mends(text, {VERSION}, {name: one.likely() for name, one in left.items()}) is None
    assert mends(module(DECLARED + MET, DECLARED + FUSED), {VERSION}, {}) is None, "nothing is known"
    assert left_to_ptxas(text, set()) == {}, "nothing was refused"


def test_long_versions_are_not_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    text = module(DECLARED + MET, DECLARED + FUSED)
    known = {name: one.likely() for name, one in left_to_ptxas(text, {VERSION}).items()}
    monkeypatch.setattr(check, "LONGEST", 10)
    assert left_to_ptxas(text, {VERSION}) == {}, "so that ptxas is not asked"
    assert mends(text, {VERSION}, known) is None

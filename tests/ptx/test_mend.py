"""A version gets its original's form where that is known, by changes that compute the same but for what is rounded."""

from __future__ import annotations

import pytest

from gpuopt_driver.ptx.change import Body, changes, replaced
from gpuopt_driver.ptx.fusion import difference, wrong_forms
from gpuopt_driver.ptx.guess import choices
from gpuopt_driver.ptx.mend import mended
from gpuopt_driver.ptx.read import Function, function
from gpuopt_driver.ptx.sums import OUTSIDE
from gpuopt_driver.ptx.values import values_of

HEAD = """.reg .f32 %f<40>;
ld.param.u64 %rd1, [k_param_0];
ld.param.u64 %rd2, [k_param_1];
ld.param.f32 %f1, [k_param_2];
ld.global.f32 %f2, [%rd1];
ld.global.f32 %f3, [%rd2];
"""
TAIL = "st.global.f32 [%rd1], %f9;\nret;"


def body(text: str, head: str = HEAD) -> Function:
    return function("k", f"{head}{text}\n{TAIL}".split("\n"), is_entry=True)


def changed(original: str, version: str, head: str = HEAD) -> tuple[str, str] | None:
    """What stands in the place of the version's text, and of the original's where something is taken for likely."""
    likely = choices(body(original, head), 0).likely()
    found = mended(likely, body(version, head), 0)
    if found is None:
        return None
    assert difference(likely, found, 0) is None
    one, other = ("\n".join(line.strip() for line in each.lines) for each in (found, likely))
    assert one.startswith((".reg .f32 %f<4", ".reg .b16 %rs<"))
    _, _, text = one.removesuffix(f"\n{TAIL}").partition(f"{head.splitlines()[-1]}\n")
    return text, "" if likely.lines == body(original, head).lines else other


OWN = "mul.f32 %f4, %f2, %f1;\nfma.rn.f32 %f9, %f3, %f1, %f4;"


@pytest.mark.parametrize(
    ("version", "told"),
    [
        (
            "mul.f32 %f5, %f3, %f1;\nfma.rn.f32 %f9, %f2, %f1, %f5;",
            "mul.f32 %f5, %f3, %f1;\nmul.rn.f32 %f40, %f2, %f1;\nfma.rn.f32 %f9, %f3, %f1, %f40;",
        ),
        (
            "mul.f32 %f4, %f2, %f1;\nmul.f32 %f5, %f3, %f1;\nadd.f32 %f9, %f4, %f5;",
            "mul.f32 %f4, %f2, %f1;\nmul.f32 %f5, %f3, %f1;\nfma.rn.f32 %f9, %f3, %f1, %f4;",
        ),
    ],
)
def test_the_product_that_the_original_fuses_is_fused(version: str, told: str) -> None:
    assert changed(OWN, version) == (told, "")


@pytest.mark.parametrize(
    ("version", "told"),
    [
        ("add.f32 %f9, %f4, %f3;", "fma.rn.f32 %f9, %f2, %f1, %f3;"),
        ("sub.f32 %f9, %f3, %f4;", "neg.f32 %f41, %f2;\nfma.rn.f32 %f9, %f41, %f1, %f3;"),
        ("sub.f32 %f9, %f4, %f3;", "neg.f32 %f40, %f3;\nfma.rn.f32 %f9, %f2, %f1, %f40;"),
        (
            "neg.f32 %f6, %f4;\nadd.f32 %f9, %f6, %f3;",
            "neg.f32 %f6, %f4;\nneg.f32 %f41, %f2;\nfma.rn.f32 %f9, %f41, %f1, %f3;",
        ),
        ("neg.f32 %f6, %f4;\nsub.f32 %f9, %f3, %f6;", "neg.f32 %f6, %f4;\nfma.rn.f32 %f9, %f2, %f1, %f3;"),
    ],
)
def test_signs_stay_what_they_are(version: str, told: str) -> None:
    product = "mul.f32 %f4, %f2, %f1;\n"
    original = told.rpartition("\n")[2].replace("%f41", "%f7").replace("%f40", "%f7")
    negated = "neg.f32 %f7, %f3;\n" if "%f40" in told else "neg.f32 %f7, %f2;\n"
    assert changed(negated + original, product + version) == (product + told, "")


MET = "mov.f32 %f4, 0f00000000;\n@%p1 bra $L1;\nmul.f32 %f4, %f2, %f1;\n$L1:\nadd.f32 %f9, %f4, %f3;"
FUSED = "fma.rn.f32 %f9, %f2, %f1, %f3;"


def test_what_ptxas_does_where_paths_meet_is_for_others_to_find_out() -> None:
    found = changed(MET, FUSED)
    assert found is not None
    assert found[0] == "mul.rn.f32 %f40, %f2, %f1;\nadd.rn.f32 %f9, %f40, %f3;"
    assert "add.rn.f32 %f9, %f4, %f3;" in found[1]


def test_what_the_version_leaves_to_ptxas_may_be_kept_apart() -> None:
    found = changed(MET, "mul.f32 %f4, %f2, %f1;\nadd.f32 %f9, %f4, %f3;")
    assert found is not None
    assert found[0] == "mul.f32 %f4, %f2, %f1;\nadd.rn.f32 %f9, %f4, %f3;"


def test_a_product_outside_of_its_sums_loop_is_assumed_to_be_kept_apart() -> None:
    """ptxas fuses it where it unrolls the loop."""
    found = changed(
        "mov.u32 %r1, 0;\nmul.f32 %f4, %f2, %f1;\n$L1:\nadd.f32 %f9, %f4, %f3;\nadd.s32 %r1, %r1, 1;\n"
        "setp.ne.s32 %p1, %r1, 4;\n@%p1 bra $L1;",
        FUSED,
    )
    assert found is not None
    assert found[0] == "mul.rn.f32 %f40, %f2, %f1;\nadd.rn.f32 %f9, %f40, %f3;"
    assert "mul.f32 %f4, %f2, %f1;\n$L1:\nadd.rn.f32 %f9, %f4, %f3;" in found[1]


def test_a_product_that_a_counted_loop_adds_first_is_assumed_to_be_kept_apart() -> None:
    """Of several values of an operand: the first iteration's, where ptxas unrolls the loop."""
    loop = (
        "mov.u32 %r1, 0;\nmul.f32 %f5, %f2, %f1;\n$L1:\nadd.f32 %f9, %f5, %f3;\nmov.f32 %f5, %f9;\n"
        "add.s32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, 4;\n@%p1 bra $L1;"
    )
    found = difference(body(loop), body(f"{loop}\nmov.u32 %r2, 0;"), 0)  # whatever else is in the version
    assert found is not None
    assert found.first == frozenset({(OUTSIDE,)})
    assert found.is_left


def test_ftz_stays() -> None:
    flushed = [text.replace(".f32 %f9", ".ftz.f32 %f9").replace("mul.f32", "mul.ftz.f32") for text in (MET, FUSED)]
    found = changed(*flushed)
    assert found is not None
    assert found[0] == "mul.rn.ftz.f32 %f40, %f2, %f1;\nadd.rn.ftz.f32 %f9, %f40, %f3;"
    assert "add.rn.ftz.f32 %f9, %f4, %f3;" in found[1]


PRODUCT = "mul.f32 %f5, %f3, %f1;\n"
REST = "fma.rn.f32 %f9, %f2, %f1, %f5;"


@pytest.mark.parametrize(
    ("original", "version"),
    [
        (OWN, f"{PRODUCT}ld.global.f32 %f3, [%rd2];\n{REST}"),  # a factor is another value by then
        (OWN, f"{PRODUCT}$L1:\nld.global.f32 %f3, [%rd2];\n{REST}\n@%p1 bra $L1;"),
        (OWN, f"mov.f32 %f5, 0f00000000;\n@%p1 bra $L1;\n{PRODUCT}$L1:\n{REST}"),  # a product that may be another one
        (OWN, f"{PRODUCT}@%p1 {REST}"),
        (OWN, f"mul.sat.f32 %f5, %f3, %f1;\n{REST}"),
        (f"{OWN}\nmul.f32 %f5, %f3, %f1;\nfma.rn.f32 %f9, %f2, %f1, %f5;", OWN),  # the original has both forms
    ],
)
def test_what_is_not_known_is_not_changed(original: str, version: str) -> None:
    assert changed(original, version) is None


FIRST = ("fma.rn.f32 %f5, %f2, %f1, %f3;", "add.rn.f32 %f5, %f4, %f3;")
SECOND = ("sub.rn.f32 %f9, %f6, %f2;", "fma.rn.f32 %f9, %f5, %f1, %f40;")


def told(found: Function) -> list[str]:
    """Which of the sums above a function has."""
    return [text for text in (*FIRST, *SECOND) if any(line.strip() == text for line in found.lines)]


def test_what_ptxas_may_do_with_each_sum_is_written_down_by_itself_and_together() -> None:
    two = "mul.f32 %f4, %f2, %f1;\nadd.f32 %f5, %f4, %f3;\n$L1:\nmul.f32 %f6, %f5, %f1;\n$L2:\nsub.f32 %f9, %f6, %f2;"
    found = choices(body(two), 0)
    assert told(found.likely()) == [FIRST[0], SECOND[0]]
    alone = found.alone()
    assert {way: told(one) for way, one in alone.items()} == {
        (0, 0): [FIRST[0]],
        (0, 1): [FIRST[1]],
        (1, 0): [SECOND[0]],
        (1, 1): [SECOND[1]],
    }
    assert [told(one) for one in found.together([(0, 1), (1, 0), (1, 1)])] == [[FIRST[1], one] for one in SECOND]
    assert found.together([(0, 1)]) == [], "no way of the other sum fits"


def test_where_there_are_too_many_sums_none_is_tried() -> None:
    sums = "\n".join(f"mul.f32 %f{9 + n}, %f2, %f1;\nadd.f32 %f{99 + n}, %f{9 + n}, %f3;" for n in range(33))
    assert choices(body(sums), 0).alone() == {}
    assert len(choices(body("\n".join(sums.split("\n")[:64])), 0).alone()) == 64


def test_where_nothing_is_left_to_ptxas_a_function_is_what_it_is() -> None:
    found = choices(body(OWN), 0)
    assert found.likely() is found.whole
    assert found.alone() == {}


def test_a_negative_product_with_a_constant_needs_no_register() -> None:
    found = changed(
        "neg.f32 %f7, %f2;\nfma.rn.f32 %f9, %f7, 0f3F000000, %f3;",
        "mul.f32 %f4, %f2, 0f3F000000;\nsub.f32 %f9, %f3, %f4;",
    )
    assert found == ("mul.f32 %f4, %f2, 0f3F000000;\nfma.rn.f32 %f9, %f2, 0fBF000000, %f3;", "")


def test_halves_get_registers_of_their_own() -> None:
    head = (
        HEAD.replace(".f32 %f<40>", ".b16 %rs<9>")
        .replace("ld.global.f32 %f", "ld.global.u16 %rs")
        .replace("%f1", "%r1")
    )
    product = "{mul.f16 %rs4,%rs2,%rs2;\n}\n"
    left = f"{product}{{sub.f16 %rs5,%rs3,%rs4;\n}}\nst.global.u16 [%rd2], %rs5;"
    found = changed(f"{product}{{neg.f16 %rs6,%rs2;\n}}\nfma.rn.f16 %rs5, %rs6, %rs2, %rs3;", left, head)
    assert found is not None
    assert found[0].startswith(f"{product}{{neg.f16 %rs10, %rs2;\nfma.rn.f16 %rs5, %rs10, %rs2, %rs3;\n}}")


def test_statements_replaced_one_after_the_other_are_those_replaced_each_by_itself() -> None:
    texts = "".join(
        f"mul.f32 %f{a}, %f2, %f1;\nmul.f32 %f{a + 1}, %f3, %f1;\nsub.f32 %f{a + 2}, %f{a}, %f{a + 1};\n"
        for a in (10, 20, 30)
    )
    whole = body(f"{texts}add.f32 %f9, %f12, %f22;\nadd.f32 %f9, %f9, %f32;\n")
    values = values_of(whole)
    every = [one for one in whole.instructions if one.base == "sub"]
    together, lines = Body(whole.lines), whole.lines
    for total in every:
        way = next(iter(changes(values, total)))  # with a register of its own
        assert together.replace(total, way)
        lines = replaced(lines, total, way) or ()
    assert together.lines == lines
    assert lines[0] == ".reg .f32 %f<46>;"
    assert not any("%new" in one or "sub.f32" in one for one in lines)
    before = together.lines
    assert not together.replace(every[0], ["add.rn.f32 %f12, %f10, %f11"])  # it is not there any more
    assert together.lines == before


def test_a_version_of_which_too_much_is_wrong_is_not_changed() -> None:
    apart = "mul.f32 %f4, %f2, %f1;\nmul.f32 %f5, %f3, %f1;\nadd.f32 %f9, %f4, %f5;"
    one, other = body(OWN), body(apart)
    assert len(wrong_forms(one, other, 0, 1) or ()) == 1
    assert wrong_forms(one, other, 0, 0) is None


STRUCTURE = """.reg .f64 %fd<40>;
.reg .b64 %rd<40>;
mov.b64 %rd9, k_param_NUMBER;
ld.param.f64 %fd1, [%rd9+16];
ld.param.f64 %fd2, [%rd9+24];
ld.param.u64 %rd1, [%rd9];
ld.global.f64 %fd3, [%rd1];
mul.f64 %fd4, %fd3, %fd1;
LEFT
add.f64 %fd9, %fd4, %fd2;
st.global.f64 [%rd1], %fd9;
ret;"""


def structured(number: int, *, register: str = "%rd9", left: str = "") -> Function:
    text = STRUCTURE.replace("NUMBER", str(number)).replace("%rd9", register).replace("LEFT", left)
    return function("k", [line for line in text.split("\n") if line], is_entry=True)


def test_fields_of_a_structure_are_those_of_its_parameter_whatever_register_has_its_address() -> None:
    kernel, version = structured(0), structured(1, register="%rd20")
    assert difference(kernel, version, 1) is None
    assert [values_of(kernel).roots("%rd1")] == [values_of(version, 1).roots("%rd1")] == [frozenset({"0 0"})]


def test_versions_get_the_ways_of_their_kernel_sum_by_sum() -> None:
    apart = "$L__BB0_1:"  # product and sum in blocks of their own: ptxas decides
    kernel, version = structured(0, left=apart), structured(1, register="%rd20", left=apart)
    left = choices(kernel, 0)
    assert len(left.left) == 1
    for form in left.alone().values():
        found = mended(form, version, 1, left.picked(form))
        assert found is not None
        assert difference(form, found, 1) is None

"""PTX text to functions and instructions."""

from __future__ import annotations

from gpuopt_driver.ptx.read import function, texts
from gpuopt_driver.ptx.registers import MARK, missed

MODULE = """\
.version 9.0
.extern .func (.param .b32 retval0) other
(
\t.param .b64 other_param_0
)
;
.func (.param .b32 func_retval0) _Z1fff(
\t.param .b32 _Z1fff_param_0
)
{
\tret;
}
.visible .entry _Z1kPf(
\t.param .u64 _Z1kPf_param_0
)
.maxntid 256, 1, 1
{
\t.reg .f32 \t%f<9>;
\t.loc\t1 2 0
\tmov.u32 \t%r1, %tid.x;
$L__BB0_1:
\t// begin inline asm
\t{mul.f16 %rs1,%rs2,%rs3;
}
\t// end inline asm
\t@%p1 bra \t$L__BB0_1;
\t{ // callseq 0, 0
\t.param .b32 param0;
\tcall.uni (retval0),
\t_Z1fff,
\t(
\tparam0
\t);
\t} // callseq 0
\tld.global.v2.f32 \t{%f1, %f2}, [%rd1+8];
\tret;
}
"""


def test_functions_and_instructions() -> None:
    found = {name: (is_entry, lines) for name, is_entry, lines in texts(MODULE)}
    assert {name: is_entry for name, (is_entry, _) in found.items()} == {"_Z1fff": False, "_Z1kPf": True}
    made = function("_Z1kPf", found["_Z1kPf"][1], is_entry=True)
    told = [(one.opcode, one.operands, one.block, one.guard) for one in made.instructions]
    assert told == [
        ("mov.u32", ("%r1", "%tid.x"), 0, ""),
        ("mul.f16", ("%rs1", "%rs2", "%rs3"), 1, ""),
        ("bra", ("$L__BB0_1",), 1, "%p1"),
        ("call.uni", ("(retval0)", "_Z1fff", "(  param0  )"), 2, ""),
        ("ld.global.v2.f32", ("{%f1, %f2}", "[%rd1+8]"), 2, ""),
        ("ret", (), 2, ""),
    ]


def test_built_in_variables_that_a_version_did_not_reach() -> None:
    ours = f"\tmov.u32 %r1, %ctaid.x; {MARK}"
    theirs = "\tmov.u32 \t%r2, %ctaid.y;"
    assert missed([ours], {"blockIdx"}) == ""
    assert missed([ours, theirs], {"blockIdx"}) == "blockIdx"
    assert missed([ours, theirs], {"threadIdx"}) == ""
    assert missed(["\tmov.u32 %r1, %nctaid.x;"], {"blockIdx"}) == ""
    assert missed(["\tmov.u32 %r1, %nctaid.x;"], {"gridDim", "blockIdx"}) == "gridDim"


def test_one_text_is_read_once() -> None:
    lines = ["\tadd.f32 %f1, %f2, %f3;", "\tret;"]
    assert function("k", lines, is_entry=True) is function("k", list(lines), is_entry=True)
    assert function("k", lines, is_entry=True) is not function("k", lines, is_entry=False)
    assert function("k", lines, is_entry=True) != function("k", lines[1:], is_entry=True)


def test_a_label_behind_inline_assembly_begins_a_block() -> None:
    lines = ["{mul.f16 %rs4,%rs1,%rs2;", "}", "// end inline asm", "$L__BB0_2:", "{add.f16 %rs5,%rs4,%rs3;", "}"]
    made = function("k", [*lines, "$L__BB0_3:", "{ // callseq 0, 0", "$L__BB0_4:", "ret;"], is_entry=True)
    assert [(one.opcode, one.block) for one in made.instructions] == [("mul.f16", 0), ("add.f16", 1), ("ret", 3)]
    assert dict(made.labels) == {"$L__BB0_2": 1, "$L__BB0_3": 2, "$L__BB0_4": 3}

"""What machine code shows of versions that are rounded otherwise than their kernels."""

from __future__ import annotations

from .machine_code import others

PLAIN = ("LDC R1, c[0x0][0x28]", "LDG.E R4, desc[UR4][R14.64]", "HFMA2.MMA R19, -RZ, RZ, 0, 0", "EXIT", "BRA `(.L_x_1)")
APART = ("@P1 FMUL.FTZ R1, R2, 0.5", "FADD R1, R1, R3", "HADD2.F32 R14, -RZ, R13.H0_H0")
FUSED = ("FFMA R1, R2, 0.5, R3",)
EMPTY = ("LDC R1, c[0x0][0x28]", "EXIT", "BRA `(.L_x_1)", *["NOP"] * 13)


def _listing(**functions: tuple[str, ...]) -> str:
    """The functions as `cuobjdump -sass` prints them, each instruction with its encoding in two lines."""
    lines = ["", "Fatbin elf code:", "================", "arch = sm_90", "", "\tcode for sm_90"]
    for name, operations in functions.items():
        lines += [f"\t\tFunction : {name}", '\t.headerflags\t@"EF_CUDA_SM90"']
        for at, text in enumerate(operations):
            lines += [f"        /*{16 * at:04x}*/                   {text} ;      /* 0x00000a00ff017b82 */", " " * 90]
    return "\n".join(lines)


def _found(kernel: tuple[str, ...], version: tuple[str, ...]) -> list[tuple[str, ...]]:
    listing = _listing(_Z1kPf=kernel, _Z15k__gpuopt_cattN4planEPf=version)
    return [one.kinds for one in others(listing)]


def test_the_same_kinds_of_operations_are_alike() -> None:
    assert _found((*PLAIN, *APART, *FUSED), (*PLAIN, *APART, *FUSED, *FUSED)) == []
    assert _found(PLAIN, PLAIN[:-1]) == []


def test_what_is_fused_in_one_only_is_told() -> None:
    assert _found((*PLAIN, *APART), (*PLAIN, *FUSED)) == [("FADD", "FFMA", "FMUL")]
    assert _found((*PLAIN, *APART), (*PLAIN, *APART, *FUSED)) == [("FFMA",)]


def test_a_version_that_was_refused_has_no_body() -> None:
    assert _found((*PLAIN, *APART), EMPTY) == []

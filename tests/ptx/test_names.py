"""Which function a version was made of, by mangled names."""

from __future__ import annotations

import random

import pytest

from gpuopt_driver.ptx.names import original_of, version_of

OTHERS = (
    "_Z3rowPKfPf",
    "_Z4row2PKfPf",
    "_ZN2ns3rowIfLi3EEEvPT_",
    "_ZN2ns3rowIfLi4EEEvPT_",
    "_ZN2ns3rowIN1a4typeELb1EEEvPT_",
    "_ZN34_GLOBAL__N__07a65286_8_names_cu_cc3rowEPf",
    "plain",
    "_Z9k_3x3_16uPf",
    "_ZN4ab159k_3x3_16uEPf",
)


@pytest.mark.parametrize(
    ("version", "original", "label"),
    [
        ("_Z17row__gpuopt_catt1N9gpuopt_rt6v0_1_04planEPKfPf", OTHERS[0], "catt1"),
        ("_Z22row2__gpuopt_vtb_aflatN4planEPKfPf", OTHERS[1], "vtb_aflat"),
        ("_ZN2ns16row__gpuopt_cattIfLi3EEEvN4planEPT_", OTHERS[2], "catt"),
        ("_ZN2ns16row__gpuopt_cattIfLi4EEEvN4planEPT_", OTHERS[3], "catt"),
        ("_ZN2ns16row__gpuopt_cattIN1a4typeELb1EEEvN4planEPT_", OTHERS[4], "catt"),
        ("_ZN34_GLOBAL__N__07a65286_8_names_cu_cc16row__gpuopt_cattEN4planEPf", OTHERS[5], "catt"),
        ("__nv_static_25__acd3e7c9_4_a_cu_270c9156__Z16row__gpuopt_cattN4planEPKfPf", OTHERS[0], "catt"),
        ("_Z18plain__gpuopt_cattN4planEPf", OTHERS[6], "catt"),
        ("_Z22k_3x3_16u__gpuopt_cattN4planEPf", OTHERS[7], "catt"),  # 16 letters after `16` hold the mark as well
        ("_ZN4ab1522k_3x3_16u__gpuopt_cattEN4planEPf", OTHERS[8], "catt"),
    ],
)
def test_the_original_of_a_version(version: str, original: str, label: str) -> None:
    told = version_of(version)
    assert told is not None
    assert told[2] == label
    assert original_of(version, (*OTHERS, version)) == original


@pytest.mark.parametrize("name", ["_Z3rowPKfPf", "__gpuopt_", "_Z12__gpuopt_rowv", "_Z99row__gpuopt_cattv"])
def test_what_is_no_version(name: str) -> None:
    assert version_of(name) is None


def test_an_original_that_is_not_the_only_one_is_none() -> None:
    overloads = ("_Z3rowPf", "_Z3rowPd")
    assert original_of("_Z16row__gpuopt_cattN4planEPf", overloads) is None


@pytest.mark.parametrize(
    "form", ["_GLOBAL__N__{0:08x}_{1}_{2}_{3:08x}", "_GLOBAL__N__{1}_{2}_{3:08x}", "_INTERNAL_{0:08x}_{1}_{2}_{3:08x}"]
)
def test_digits_of_a_local_namespace_are_no_lengths(form: str) -> None:
    """In `..._63e210a851k__gpuopt_x` 63 letters hold the mark; so do 10, 0 and others of other digests."""
    chosen = random.Random(1)
    kernel, version = "correct_disparity_range_kernel", "correct_disparity_range_kernel__gpuopt_launch_shape"
    for _ in range(200):
        first, last = chosen.getrandbits(32), chosen.getrandbits(32)
        space = form.format(first, 26, "correct_disparity_range_cu", last)
        head = f"_ZN3sgm{len(space)}{space}"
        original = f"{head}{len(kernel)}{kernel}EPti"
        made = f"{head}{len(version)}{version}EN10gpuopt_rt4planEPti"
        assert version_of(made) == (f"{head}{len(kernel)}{kernel}", kernel, "launch_shape"), made
        assert original_of(made, (original, made)) == original

"""Numbers that the policy states: what is an entry, which kernels it fits, what is said where it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from gpuopt_plugins.constants import Options, stated
from gpuopt_plugins.constants.known import Known

from gpuopt_driver.errors import PolicyError
from gpuopt_driver.frontend.model import Kernel
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit
from gpuopt_driver.phases import Job, process
from gpuopt_driver.policy import load_policy

SOURCE = """\
enum Mode { A, B };
namespace ns {
__global__ void k(float *x, int n, unsigned u, signed char c, bool b, Mode m, unsigned long long l, float f,
                  volatile int v)
{ x[threadIdx.x / n] = f; }
}
__global__ void other(float *x, int n) { x[threadIdx.x / n] = 1; }
void run(float *x, int n, int t) { ns::k<<<1, t>>>(x, n, n, n, n, A, n, n, n); other<<<1, t>>>(x, n); }
"""


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    source = tmp_path_factory.mktemp("stated") / "a.cu"
    source.write_text(SOURCE)
    return parse_unit(source, ParseOptions()).kernels[0]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("n = 3", Known(None, None, (("n", 3),))),
        (" u=4 ,n =3", Known(None, None, (("n", 3), ("u", 4)))),
        ("blockDim = 64", Known((64, 1, 1))),
        (
            "blockDim = 8x4x2, gridDim = 2147483647x65535, n = -3",
            Known((8, 4, 2), (2147483647, 65535, 1), (("n", -3),)),
        ),
        (
            "l = 18446744073709551615, c = -128, b = 1, m = 1",
            Known(None, None, (("c", -128), ("b", 1), ("m", 1), ("l", (1 << 64) - 1))),
        ),
    ],
)
def test_entries_that_fit(kernel: Kernel, text: str, values: Known) -> None:
    assert stated.of_kernel(kernel, [text]) == ((values,), ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nn = 3", "it has no parameter 'nn'; did you mean 'n'?"),
        ("width = 3", "it has no parameter 'width'"),
        ("x = 3", "'x' is a float *, and only integers can be constants"),
        ("f = 3", "'f' is a float, and only integers can be constants"),
        ("v = 3", "'v' is a volatile int, and only integers can be constants"),
        ("n = 2147483648", "n = 2147483648 is no int (-2147483648 to 2147483647)"),
        ("u = -1", "u = -1 is no unsigned int (0 to 4294967295)"),
        ("c = 128", "c = 128 is no signed char (-128 to 127)"),
        ("b = 2", "b = 2 is no bool (0 to 1)"),
        ("l = 18446744073709551616", "l = 18446744073709551616 is no unsigned long long (0 to 18446744073709551615)"),
    ],
)
def test_entries_that_do_not_fit_are_left_aside(kernel: Kernel, text: str, said: str) -> None:
    found, (wrong,) = stated.of_kernel(kernel, ["n = 1", text])
    assert found == (Known(None, None, (("n", 1),)),)
    assert wrong == f'known = "{text}" is left aside for ns::k: {said}'


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "n",
            "n = ",
            "n = 1.5",
            "n = 0x10",
            "= 3",
            "n = 1, n = 2",
            "n = 1,",
            "a.b = 1",
            "n = 99999999999999999999999",
        ),
        *(
            "blockDim = 0",
            "blockDim = 1025",
            "blockDim = 64x64",
            "blockDim = 1x1x65",
            "blockDim = 8x",
            "blockDim.x = 3",
        ),
        *("gridDim = 1x65536", "gridDim = 2147483648", "blockDim = 8 x 8"),
    ],
)
def test_what_is_no_entry_is_an_error_of_the_policy(text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="known = "):
        Options(known=(text,))
    (tmp_path / "a.cu").write_text(SOURCE)
    policy = tmp_path / "toolchain.toml"
    policy.write_text(f'[plugins.constants]\nknown = ["{text}"]\n')
    with pytest.raises(PolicyError, match=r"toolchain\.toml:2: \[plugins\.constants\]: known = "):
        process(Job(str(tmp_path / "a.cu"), ParseOptions(), load_policy([], explicit=str(policy), env={})))


def test_a_misfit_is_said_once_and_the_build_goes_on(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(SOURCE)
    policy = tmp_path / "toolchain.toml"
    policy.write_text('[[kernel]]\nname = "other"\nconstants = { known = ["m = 3", "n = 7"], pick = "always" }\n')
    result = process(Job(str(tmp_path / "a.cu"), ParseOptions(), load_policy([], explicit=str(policy), env={})))
    said = [problem.message for problem in result.report.problems if "known" in problem.message]
    assert said == ["plugin constants: known = \"m = 3\" is left aside for other: it has no parameter 'm'"]
    assert [one.clone for one in result.emitted if "constants" in one.clone] == ["constants_n7"]


def findings(directory: Path, options: str) -> dict[str, tuple[str, str, dict]]:
    """What is said of the kernels with these options: code, message, figures."""
    (directory / "a.cu").write_text(SOURCE)
    policy = directory / "toolchain.toml"
    policy.write_text(f'[plugins.constants]\n{options}\n[learn]\nmode = "on"\n')
    result = process(Job(str(directory / "a.cu"), ParseOptions(), load_policy([], explicit=str(policy), env={})))
    found = [one for one in result.report.findings if one.plugin == "constants"]
    return {one.kernel: (one.code, one.message, dict(one.figures)) for one in found}


@pytest.mark.parametrize(
    ("options", "code", "unknown"),
    [
        ("", "CONST010", ["n"]),
        ('known = ["n = 3"]', "CONST001", None),
        ('known = ["blockDim = 32"]', "CONST010", ["n"]),
        ("watch = true", "CONST003", ["n"]),
        ('watch = true\nknown = ["n = 3"]', "CONST001", None),
    ],
)
def test_what_is_unknown_and_useful_is_said(tmp_path: Path, options: str, code: str, unknown: list[str] | None) -> None:
    found, _, figures = findings(tmp_path, options)["other"]
    assert (found, figures.get("unknown"), figures.get("weight")) == (code, unknown, 2 if unknown else None)


def test_sets_beyond_the_limit_are_counted(tmp_path: Path) -> None:
    code, message, figures = findings(tmp_path, 'known = ["n = 3", "n = 4", "n = 5"]\nsets = 2')["other"]
    assert (code, figures["versions"]) == ("CONST001", ["constants_n3", "constants_n4"])
    assert message.endswith("; 1 set more than `sets`")

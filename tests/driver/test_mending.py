"""The list of changed PTX: made where versions are refused, kept for later builds, given up where it does not help."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.backends.device_ptx import same_code
from gpuopt_driver.backends.mending import Mending, fnv
from gpuopt_driver.cache import Cache
from gpuopt_driver.nvcc.archs import ALL
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.nvcc.preload import Preload
from gpuopt_driver.ptx.check import Refusal, Terms, refusals
from gpuopt_driver.variants.emitted import Emitted
from tests.ptx.test_check import DECLARED, FUSED, MET, module

VERSION = Emitted("k", "mine", ("mine",), frozenset({"blockIdx"}), ("x", "alpha"))
TEXT = module(DECLARED + MET, DECLARED + FUSED)


@pytest.fixture
def mending(tmp_path: Path) -> Mending:
    return Mending(Cache(tmp_path), str(tmp_path / "list"))


def refused(text: str) -> tuple[Refusal, ...]:
    return refusals([text], [VERSION], Terms())


def test_a_list_is_made_where_machine_code_allows_it(mending: Mending) -> None:
    asked: list[tuple[str, str]] = []

    def same(one: str, other: str) -> bool:
        asked.append((one, other))
        return True

    assert mending.next(refused(TEXT), [TEXT], same, has_failed=False) == (set(), True)
    (one, other), *more = asked
    assert (one, more) == (TEXT, [])
    assert other == TEXT.replace("add.f32", "add.rn.f32", 1)
    digest, whole, path = Path(mending.used).read_text().split()
    after = Path(path).read_text()
    assert (digest, whole) == (fnv(TEXT), fnv(after))
    assert refusals([mending.judged(after)], [VERSION], Terms()) == ()
    assert mending.judged(TEXT) == TEXT


def test_what_ptxas_does_otherwise_is_not_taken_for_known(mending: Mending) -> None:
    assert mending.next(refused(TEXT), [TEXT], lambda *_: False, has_failed=False) == (set(), False)
    assert (mending.used, Path(mending.known).exists()) == ("", False)


def test_versions_that_cannot_be_helped_go_first(mending: Mending) -> None:
    text = module(DECLARED + MET, DECLARED + FUSED + "mov.u32 %r1, %ctaid.x;")
    assert mending.next(refused(text), [text], lambda *_: True, has_failed=False) == ({("k", "mine")}, False)
    assert not Path(mending.known).exists()


@pytest.mark.parametrize("has_failed", [False, True])
def test_a_list_that_does_not_help_is_given_up(mending: Mending, has_failed: bool) -> None:
    assert mending.next(refused(TEXT), [TEXT], lambda *_: True, has_failed=False)[1]
    again = Mending(mending.cache, mending.known, mending.known)  # of a later build
    assert again.next(refused(TEXT), [TEXT], lambda *_: True, has_failed=has_failed) == (set(), True)
    assert (again.used, Path(again.known).exists()) == ("", False), "nvcc's own, once more"
    assert again.next(refused(TEXT), [TEXT], lambda *_: True, has_failed=False) == (set(), True)
    assert again.next(refused(TEXT), [TEXT], lambda *_: True, has_failed=has_failed) == (set(), False)


def test_a_judgement_counts_for_the_build_that_has_the_list(mending: Mending) -> None:
    assert mending.next(refused(TEXT), [TEXT], lambda *_: True, has_failed=False)[1]
    after = Path(Path(mending.used).read_text().split()[2]).read_text()
    other = Mending(mending.cache, mending.known)
    assert other.judged(after) == after != mending.judged(after)


def test_a_list_is_of_one_compiler_and_its_flags(tmp_path: Path) -> None:
    nvcc, ptxas = tmp_path / "nvcc", tmp_path / "ptxas"
    cache = Cache(tmp_path / "cache")

    def known(*args: str, flags: str = "", given: str = "/map") -> str:
        env = {"NVCC_APPEND_FLAGS": flags} if flags else {}
        command = parse_command([*args, "-c", "a.cu"], env, str(tmp_path))
        found = Mending.of(command, str(nvcc), Preload((), "/library", given), cache, env)
        assert found is not None
        return found.known

    found = []
    for path, text in ((nvcc, "1"), (ptxas, "1"), (ptxas, "12"), (nvcc, "12")):
        path.write_text(text)
        found += [known(), known("-O3"), known(flags="-Xptxas=-O1"), known(given="/other")]
    assert len(set(found)) == len(found)
    assert known() == found[-4]
    for args in (["--dryrun", "a.cu"], ["-run", "a.cu"]):
        command = parse_command(args, {}, str(tmp_path))
        assert Mending.of(command, str(nvcc), Preload((), "/library", "/map"), cache, {}) is None
    command = parse_command(["-c", "a.cu"], {}, str(tmp_path))
    assert Mending.of(command, str(nvcc), Preload((), "/library", "/map", "/loads"), cache, {}) is None


ADDED = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 k_param_0) {
.reg .f32 %f<9>;
.reg .b64 %rd<3>;
.loc 1 3 0
ld.param.u64 %rd1, [k_param_0];
cvta.to.global.u64 %rd2, %rd1;
ld.global.f32 %f1, [%rd2];
ld.global.f32 %f2, [%rd2+4];
mul.f32 %f3, %f1, %f2;
OPERATION %f4, %f3, %f1;
st.global.f32 [%rd2], %f4;
ret;
}
.file 1 "a.cu"
"""


@pytest.mark.nvcc
@pytest.mark.parametrize(
    "args", [("-arch=sm_90",), ("-arch=sm_90", "-lineinfo"), ("-gencode=arch=compute_90,code=sm_90",)]
)
def test_machine_code_tells_what_ptxas_fuses(tmp_path: Path, real_nvcc: str, args: tuple[str, ...]) -> None:
    import subprocess  # noqa: PLC0415

    command = parse_command([*args, "-c", "a.cu"], {}, str(tmp_path))
    texts = [ADDED.replace("OPERATION", name) for name in ("add.f32", "add.rn.f32")]

    def run(arguments: list[str]) -> bool:
        return subprocess.run([real_nvcc, *arguments], cwd=tmp_path, check=False, capture_output=True).returncode == 0

    fused = ADDED.replace("OPERATION %f4, %f3, %f1", "fma.rn.f32 %f4, %f1, %f2, %f1")
    assert not same_code(command, (texts[0], texts[1]), run), "it fuses these"
    assert same_code(command, (texts[0], fused), run)
    assert not same_code(command, ("no PTX", "no PTX"), run)
    asked: list[str] = []

    def told(arguments: list[str]) -> bool:
        asked.extend(one for one in arguments if one.startswith("-arch="))
        return run(arguments)

    assert same_code(command, (texts[0], texts[0]), told)
    assert {"-arch=sm_90", f"-arch=sm_{ALL[-1]}"} <= set(asked), "also on a GPU that is newer"

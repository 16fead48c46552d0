"""Users' own GPU files, and what is said about wrong ones: one line with file, key and what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

import gpuopt_driver.arch
from gpuopt_driver.arch import find_arch, list_archs, load_all, load_arch, read_arch
from gpuopt_driver.arch.load import emulated_name, load_known, load_named
from gpuopt_driver.emulator.model_figures import model_table
from gpuopt_driver.emulator.standin import _state
from gpuopt_driver.errors import ArchError

TITAN_V = (Path(gpuopt_driver.arch.__file__).parent / "titan-v.toml").read_text()


@pytest.fixture
def home(tmp_path):
    (tmp_path / ".config/gpuopt/gpus").mkdir(parents=True)
    return {"HOME": str(tmp_path)}


def test_by_path(tmp_path):
    (tmp_path / "mine.toml").write_text(TITAN_V.replace("value = 80", "value = 72"))
    assert load_arch(str(tmp_path / "mine.toml")).sms == 72
    assert load_arch("./mine.toml", cwd=str(tmp_path)).name == "mine"


def test_by_name_from_the_configuration_directory(home, tmp_path):
    (tmp_path / ".config/gpuopt/gpus/mine.toml").write_text(TITAN_V)
    assert load_arch("mine", home).title == "TITAN V"
    assert "mine" in list_archs(home)
    assert "mine" not in list_archs({})


def test_gpu_path_comes_first_and_hides_bundled_files(home, tmp_path):
    for directory, sms in (("a", 11), ("b", 12)):
        (tmp_path / directory).mkdir()
        (tmp_path / directory / "titan-v.toml").write_text(TITAN_V.replace("value = 80", f"value = {sms}"))
    env = {**home, "GPUOPT_GPU_PATH": f"{tmp_path / 'a'}:{tmp_path / 'b'}"}
    assert load_arch("titan-v", env).sms == 11
    assert load_arch("titan-v", home).sms == 80


def test_unknown_names():
    with pytest.raises(ArchError, match=r"^unknown GPU 'titanv'; did you mean 'titan-v'\?$"):
        load_arch("titanv", {})
    with pytest.raises(ArchError, match=r"^unknown GPU 'zzzzz'; `gpuopt gpus` lists them$"):
        find_arch("zzzzz", {})
    with pytest.raises(ArchError, match=r"^\./none.toml: no such GPU file$"):
        load_arch("./none.toml", {})


def test_emulated_programs_know_the_users_gpus(home):
    """The GPU that the CTA mapping paper simulates is such a file."""
    gpus = Path(__file__).parents[2] / "benchmarks" / "cta" / "gpus"
    known = load_known({**home, "GPUOPT_GPU_PATH": str(gpus)})
    (own,) = (arch for arch in known if arch not in load_all())
    assert own.name == "gtx480-simulated"
    assert own.execution is not None
    assert (own.execution.misses_in_flight, own.execution.l1_index) == (32, "fermi")
    assert own.execution.lines_reserved
    assert _state({**home, "GPUOPT_GPU_PATH": str(gpus)}) != _state(home)  # a stand-in without it is made anew
    assert model_table(known).count("Index::fermi") == model_table(load_all()).count("Index::fermi") + 1


def test_a_program_plays_the_gpu_file_that_it_is_built_with(home, tmp_path):
    (tmp_path / "mine.toml").write_text(TITAN_V)
    (tmp_path / "titan-v.toml").write_text(TITAN_V.replace("value = 80", "value = 11"))
    assert (emulated_name("./mine.toml"), emulated_name("h200")) == ("mine", "h200")
    assert [one.name for one in load_known(home, "mine.toml", str(tmp_path)) if one not in load_all()] == ["mine"]
    assert [one.sms for one in load_known(home, "./titan-v.toml", str(tmp_path)) if one.name == "titan-v"] == [11]
    assert load_known(home, "h200") == load_known(home)


WRONG = [
    ("value = 80", "value = '80'", "sms in [device] must be an integer"),
    ("value = 80", "value = true", "sms in [device] must be an integer"),
    ("value = 80", "value = 0", "sms in [device] must be positive"),
    ("warp_size = 32", "warp_sise = 32", "unknown key 'warp_sise' in [limits]; did you mean 'warp_size'?"),
    ("warp_size = 32", "", "[limits] lacks 'warp_size'"),
    ("[l2]", "[l3]", "unknown key 'l3' in the file; did you mean 'l2'?"),
    ("threads_per_sm = 2048", "threads_per_sm = 2000", "threads_per_sm in [limits] must be warps_per_sm times"),
    ("0, 8192, 16_384", "8192, 0, 16_384", "configurations in [shared] must be ascending"),
    ("65_536, 98_304]", "65_536]", "per_sm in [shared] must be the largest of the configurations"),
    ('value = "sectored"', 'value = "lines"', "model in [catt] must be one of paper, sectored"),
    ("[7, 0]", "[7]", "compute_capability must be [major, minor]"),
    ("[7, 0]", '"7.0"', "compute_capability must be an array of integers"),
    ('origin = "CUDA C++ Programming Guide, compute capability 7.x"\n', "", "unified_bytes in [l1] names no origin"),
    ("margin = { value = 1.0", "margin = { value = 0.5", "margin in [catt] must be at least 1"),
    ("title", "titel", "unknown key 'titel' in the file; did you mean 'title'?"),
    ("[limits]", "[limits", "not TOML"),
]


def test_slices_of_l2_may_be_told(tmp_path):
    slices = '[slices]\norigin = "own"\ncount = 48\nparts = 1\nbytes_per_cycle = 64\nfar_latency = 0\n'
    (tmp_path / "mine.toml").write_text(TITAN_V + slices)
    assert read_arch(tmp_path / "mine.toml").slices.count == 48
    (tmp_path / "mine.toml").write_text(TITAN_V + slices.replace("parts = 1", "parts = 3"))
    with pytest.raises(ArchError, match=r"parts in \[slices\] must be 1 or 2$"):
        read_arch(tmp_path / "mine.toml")


@pytest.mark.parametrize(("old", "new", "message"), WRONG, ids=[message for _, _, message in WRONG])
def test_wrong_files_are_one_line(tmp_path, old, new, message):
    assert old in TITAN_V
    (tmp_path / "mine.toml").write_text(TITAN_V.replace(old, new, 1))
    with pytest.raises(ArchError) as caught:
        read_arch(tmp_path / "mine.toml")
    assert str(caught.value).startswith(f"{tmp_path / 'mine.toml'}{':' if message == 'not TOML' else ': '}")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unreadable_files(tmp_path):
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ArchError, match="not UTF-8 text"):
        read_arch(tmp_path / "x.toml")
    with pytest.raises(ArchError, match="cannot read GPU file: No such file"):
        read_arch(tmp_path / "y.toml")


def test_all_at_once_are_those_by_name(home, tmp_path):
    gpus = tmp_path / "gpus"
    gpus.mkdir()
    (gpus / "mine.toml").write_text(TITAN_V.replace("value = 80", "value = 72"))
    (gpus / "titan-v.toml").write_text(TITAN_V.replace("value = 80", "value = 71"))
    env = {**home, "GPUOPT_GPU_PATH": str(gpus)}
    found = load_named(env)
    assert tuple(found) == list_archs(env)
    assert all(arch == load_arch(name, env) for name, arch in found.items())
    assert (found["mine"].sms, found["titan-v"].sms) == (72, 71)

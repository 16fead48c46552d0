"""Files that users hand us, other than policies: GPU files, profiles, reports, traces, measurements, states."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest

import gpuopt_driver.arch
from gpuopt_driver import errors, profiles
from gpuopt_driver.arch import read_arch
from gpuopt_driver.cli import main
from gpuopt_driver.profiles import KernelProfile, LineLoads, Profile, read_profile
from gpuopt_driver.report.document import write_report
from gpuopt_driver.report.model import UnitReport

TITAN_V = (Path(gpuopt_driver.arch.__file__).parent / "titan-v.toml").read_text()


def _sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 2 << 30)


FILES = {
    "pipe": os.mkfifo,
    "loop": lambda path: path.symlink_to(path.name),
    "directory": Path.mkdir,
    "endless device": lambda path: path.symlink_to("/dev/zero"),
    "two gigabytes": _sparse,
    "nothing": lambda path: path.write_bytes(b""),
    "NULs": lambda path: path.write_bytes(bytes(100)),
    "no UTF-8": lambda path: path.write_bytes(b'{"a": "\xff"}'),
    "null": lambda path: path.write_text("null"),
    "a list": lambda path: path.write_text("[]"),
    "deep": lambda path: path.write_text("[" * 100_000),
    "rather deep": lambda path: path.write_text("[" * 900 + "]" * 900),
    "NaN": lambda path: path.write_text('{"version": 1, "units": NaN}'),
    "infinite": lambda path: path.write_text('{"schema": 1e999}'),
    "5000 digits": lambda path: path.write_text('{"schema": ' + "9" * 5000 + "}"),
    "an escape": lambda path: path.write_text('{"schema": "gpuopt-emulator-report/\\u001b[31m", "launches": []}'),
}
READERS = {
    "report": ["report", "FILE"],
    "compare": ["compare", "FILE", "FILE"],
    "trace": ["trace", "FILE"],
    "calibrate": ["calibrate", "--from", "FILE", "-o", "new.toml"],
    "fit": ["profile", "--fit", "FILE"],
    "gpus": ["gpus", "./FILE"],
    "policy": ["explain", "a.cu", "--policy", "FILE"],
}


@pytest.mark.parametrize("make", FILES.values(), ids=FILES)
@pytest.mark.parametrize("argv", READERS.values(), ids=READERS)
def test_every_reader_refuses_it_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], make, argv: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.cu").write_text("__global__ void k() {}\n")
    make(Path("given.toml"))
    status = main([word.replace("FILE", "given.toml") for word in argv])
    if argv[0] == "explain" and (tmp_path / "given.toml").is_file() and not (tmp_path / "given.toml").stat().st_size:
        assert status == 0  # an empty policy is one
        return
    said = capsys.readouterr().err
    assert status in (1, 2)
    assert said.startswith("gpuopt: error: ")
    assert said.count("\n") == 1
    assert said[:-1].isprintable()
    assert "internal error" not in said
    assert "given.toml" in said or "measurements lack" in said


@pytest.mark.parametrize("number", ["nan", "inf", "9" * 44, "-1e999"])
def test_figures_of_gpus_are_finite(tmp_path: Path, number: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(TITAN_V.replace("clock_mhz = { value = 1455", f"clock_mhz = {{ value = {number}", 1))
    assert number in path.read_text()
    with pytest.raises(errors.ArchError, match=r"clock_mhz in \[device\] must be a finite number of at most 64 bits"):
        read_arch(path)


PROFILE = asdict(
    Profile(
        "emulator", "h200", ("./a",), (KernelProfile("k", "a.cu", "0", (64, 1, 1), 8, 1024, (LineLoads(3, 8, 32, 0),)),)
    )
)


def _written(path: Path, **changed: object) -> Path:
    document = json.loads(json.dumps({"schema": profiles.SCHEMA, **PROFILE}))
    kernel = document["kernels"][0]
    for key, value in changed.items():
        (kernel["loads"][0] if key == "line" else kernel)[key] = value
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"line": "3"}, "'line' is no number that a run has"),
        ({"line": 1.5}, "'line' is no number that a run has"),
        ({"line": -7}, "'line' is no number that a run has"),
        ({"warps": 10**30}, "the number 1000000000000000000000000000000 is too large"),
        ({"block": [64]}, ""),
        ({"block": ["a", 1, 1]}, "'block' is no number that a run has"),
        ({"kernel": 3}, "'kernel' is no text"),
        ({"cycles": []}, ""),
        ({"together": [[0]]}, ""),
        ({"loads": 3}, ""),
    ],
)
def test_a_profile_has_the_types_of_a_profile(tmp_path: Path, changed: dict[str, object], said: str) -> None:
    assert read_profile(_written(tmp_path / "good.json")).of("k") is not None
    path = _written(tmp_path / "bad.json", **changed)
    with pytest.raises(errors.UsageError) as caught:
        read_profile(path)
    assert str(caught.value).startswith(f"{path}: not a profile of gpuopt: ")
    assert str(caught.value).endswith("; profile again")
    assert said in str(caught.value)


_HEADER = b'gpuopt-trace/1\n{"kernel":"k","launch":1,"grid":[1,1,1],"block":[1,1,1]}\n'
_PLACES = b'[{"opcode":"LDG","file":"a","line":1,"space":"global"}]'


@pytest.mark.parametrize(
    ("warps", "places", "said"),
    [
        (b"\xff" * 50, _PLACES, "a warp ends behind all warps"),
        (b"\x05\x01", _PLACES, "a warp ends behind all warps"),
        (b"\x01\x02", _PLACES, "an instruction is not whole"),
        (b"\x0c\x01" + b"\xff" * 11, _PLACES, "an instruction is not whole"),
        (b"\x02\x00\x7f", _PLACES, "an instruction is not whole"),
        (b"", b"[3]", "its header or its places are none"),
        (b"", b"{}", "its header or its places are none"),
    ],
)
def test_a_damaged_trace_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], warps: bytes, places: bytes, said: str
) -> None:
    path = tmp_path / "kernel-1.gputrace"
    path.write_bytes(_HEADER + warps + places + (len(_HEADER) + len(warps)).to_bytes(8, "little"))
    assert main(["trace", str(path)]) == 1
    assert capsys.readouterr().err == f"gpuopt: error: {path}: the trace is damaged: {said}\n"


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/full")])
def test_a_report_takes_no_device_s_or_pipe_s_place(tmp_path: Path, make) -> None:
    path = tmp_path / "r.json"
    make(path)
    before = os.lstat(path)
    with pytest.raises(errors.GpuoptError, match=r"r.json: cannot write report: a \w+, not a regular file$"):
        write_report(str(path), [UnitReport("/p/a.cu", "h200", "nvcc")])
    assert os.lstat(path).st_ino == before.st_ino


def test_a_report_goes_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "r.json").symlink_to("real.json")
    write_report(str(tmp_path / "r.json"), [UnitReport("/p/a.cu", "h200", "nvcc")])
    assert (tmp_path / "r.json").is_symlink()
    assert (tmp_path / "real.json").is_file()


def test_what_cannot_be_written_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new-plugin", "x/y\0z"]) != 0
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "internal error" not in said

"""`gpuopt calibrate`: figures from what the probes printed on an H200, and the file that is written from them."""

from __future__ import annotations

import json
import subprocess
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from gpuopt_driver.arch import load_arch, read_arch
from gpuopt_driver.calibration.derive import figures, l1_bytes, l1_hit_limit
from gpuopt_driver.calibration.probes import PROBES, read_records
from gpuopt_driver.cli import main

RECORDS = Path(__file__).with_name("h200.jsonl")


@pytest.fixture
def records() -> list[dict[str, Any]]:
    return [dict(record) for record in read_records(RECORDS.read_text(), "h200.jsonl")]


def replaced(records: list[dict[str, Any]], probe: str, **values: Any) -> list[dict[str, Any]]:
    return [record | values if record["probe"] == probe else record for record in records]


def test_figures_of_an_h200(records: list[dict[str, Any]]) -> None:
    made = figures(records)
    assert l1_bytes(records) == 216 * 1024
    assert 122 < l1_hit_limit(records) < 345  # the probe's hits and misses
    assert made["timing"]["l1_latency"] == 39.6
    assert made["caching"] == {
        "fill": "sector",
        "index": "hashed",
        "ways": 0,
        "replacement": "segmented",
        "protected_fraction": 0.59,
        "store_allocates": True,
        "store_updates": True,
        "l2_near_bytes": 24 << 20,
    }
    assert made["operators.cg"] == {
        "allocates": False,
        "hits": False,
        "keeps": False,
        "spares_used_once": 1,
        "spares_used_twice": 1,
    }
    assert made["operators.ca"]["spares_used_once"] == 0
    assert made["operators.no_allocate"] | {"spares_used_once": 1} == {
        "allocates": False,
        "hits": True,
        "keeps": True,
        "spares_used_once": 1,
        "spares_used_twice": 1,
    }


def test_the_bundled_file_says_what_was_measured(records: list[dict[str, Any]]) -> None:
    arch = load_arch("h200")
    made = figures(records)
    assert {name: getattr(arch.timing, name) for name in made["timing"]} == made["timing"]
    assert {name: getattr(arch.caching, name) for name in made["caching"]} == made["caching"]
    assert list(arch.operators) == [name.split(".")[1] for name in made if name.startswith("operators.")]
    assert "gpuopt calibrate" in arch.origins["operators.cs.allocates"]


def test_other_caches_are_told_apart(records: list[dict[str, Any]]) -> None:
    """A linear index, least recently used, whole lines, no place for stores."""
    changed = [record for record in records if record["probe"] not in ("index", "protection")]
    for power in range(13):
        fits = max(4, 128 >> power)
        changed.append({"probe": "index", "stride_lines": 1 << power, "fits": fits, "hits_at_twice": 0})
    changed = replaced(changed, "fill", cycles=[400, 400, 120, 120, 120, 120, 120, 400])
    changed = replaced(changed, "store_absent", cycles=[400, 140, 400, 120])
    caching = figures(changed)["caching"]
    assert (caching["index"], caching["ways"]) == ("linear", 4)
    assert (caching["fill"], caching["store_allocates"]) == ("line", False)
    assert caching["replacement"] == "other"  # a part of a cycle of 1.25 times L1 hits
    beyond = replaced(changed, "replacement", of_capacity=[1.0, 1.25, 1.5], hits=[1.0, 0.0, 0.0])
    assert figures(beyond)["caching"]["replacement"] == "lru"


def test_the_file_reads_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "mine.toml"
    assert main(["calibrate", "--from", str(RECORDS), "-o", str(output)]) == 0
    assert "timing.l2_latency" in capsys.readouterr().out
    arch, base = read_arch(output), load_arch("h200")
    assert (arch.name, arch.title, arch.sms, arch.limits) == ("mine", "H200", base.sms, base.limits)
    assert (arch.shared, arch.l1, arch.catt_margin) == (base.shared, base.l1, base.catt_margin)
    assert arch.timing == base.timing
    assert arch.origins["device.sms"] == "properties of one NVIDIA H200 (CUDA 13.0)"
    assert main(["gpus", str(output)]) == 0


def test_json_and_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "records.jsonl"
    assert main(["calibrate", "--from", str(RECORDS), "--json", "--records", str(kept)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["gpu"], printed["base"]) == ("NVIDIA H200", "h200")
    assert printed["figures"]["timing"]["dram_latency"] > printed["figures"]["timing"]["l2_latency"]
    assert read_records(kept.read_text(), "kept") == read_records(RECORDS.read_text(), "first")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the measurements lack 'device'"),
        ("not json\n", "line 1 is not JSON"),
        ('{"probe": 3}\n', "line 1 is not a record of a probe"),
        ('{"probe": "device", "major": 99, "minor": 0}\n', "no file of a GPU of compute capability 99.0"),
    ],
)
def test_unusable_measurements_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    source = tmp_path / "records.jsonl"
    source.write_text(text)
    output = tmp_path / "new.toml"
    assert main(["calibrate", "--from", str(source), "-o", str(output)]) != 0
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not output.exists()


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "there.toml"
    output.write_text("mine")
    assert main(["calibrate", "--from", str(RECORDS), "-o", str(output)]) != 0
    assert "exists already" in capsys.readouterr().err
    assert output.read_text() == "mine"
    assert main(["calibrate", "--from", str(RECORDS), "-o", str(tmp_path / "x.txt")]) != 0
    assert "ends in .toml" in capsys.readouterr().err


def test_without_nvcc_it_says_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUOPT_NVCC", "none")
    assert main(["calibrate"]) != 0
    assert "no nvcc" in capsys.readouterr().err


@pytest.mark.nvcc
@pytest.mark.parametrize("probe", [*PROBES, "pending"])
def test_probes_compile_without_a_word(tmp_path: Path, real_nvcc: str, probe: str) -> None:
    source = resources.files("gpuopt_driver.calibration") / "probes" / f"{probe}.cu"
    words = [real_nvcc, "-std=c++14", "-arch=sm_90", "-Xcompiler=-Wall,-Wextra", "-ptx", str(source), "-o", "out.ptx"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=200, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

"""The emulator's report: its schema, reading it, its text and page, and comparing two."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest

from gpuopt_driver.cli import main
from gpuopt_driver.errors import GpuoptError, UsageError
from gpuopt_driver.report.comparison import compare, comparison_document, comparison_text
from gpuopt_driver.report.emulated import emulated_schema_text, read_emulated
from gpuopt_driver.report.emulated_html import emulated_html
from gpuopt_driver.report.emulated_text import emulated_text

HERE = Path(__file__).parent
PLAIN, THROTTLED = str(HERE / "emulated/plain.json"), str(HERE / "emulated/throttled.json")
SCHEMA = json.loads(emulated_schema_text())


def check(document):
    jsonschema.Draft202012Validator(SCHEMA).validate(document)


def changed(path, change):
    document = json.loads(Path(PLAIN).read_text())
    change(document)
    path.write_text(json.dumps(document))
    return str(path)


class TestSchema:
    def test_the_schema_is_one_and_the_documentation_has_it(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        assert (HERE.parents[1] / "docs/emulator-report.schema.json").read_text() == emulated_schema_text()

    @pytest.mark.parametrize("path", [PLAIN, THROTTLED])
    def test_the_examples_follow_it(self, path):
        check(json.loads(Path(path).read_text()))

    @pytest.mark.parametrize(
        "change",
        [
            lambda document: document.update(schema="gpuopt-emulator-report/2"),
            lambda document: document.pop("gpu"),
            lambda document: document["launches"][0].pop("l1_load_hit_rate"),
            lambda document: document["launches"][0].update(l1_load_hit_rate=87.5),
            lambda document: document["launches"][0].update(grid=[2]),
            lambda document: document["launches"][0]["lines"][0].pop("array"),
            lambda document: document["launches"][0]["lines"][0].update(load_sectors=-1),
            lambda document: document["launches"][0]["timeline"].update(resident_blocks=[1] * 257),
        ],
    )
    def test_it_refuses_what_is_wrong(self, change):
        document = json.loads(Path(PLAIN).read_text())
        change(document)
        with pytest.raises(jsonschema.ValidationError):
            check(document)


class TestReading:
    def test_a_launch(self):
        report = read_emulated(PLAIN)
        first, second = report.launches
        assert (report.gpu, report.program, report.sector_bytes) == ("h200", "./atax 512 192", 32)
        assert first.title == "multiply_rows<<<2, 256>>>"
        assert second.title == "reduce_tile<float><<<(64,4), (32,8)>>>"
        assert first.lines[0].hit_rate == 0.875
        assert first.lines[2].hit_rate is None
        assert second.sampled == (64, 256)
        assert read_emulated(THROTTLED).launches[0].base == "multiply_rows"

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda document: document.pop("schema"), "not an emulator report; GPUOPT_EMU_MODE=model"),
            (lambda document: document.update(schema="gpuopt-emulator-report/9"), "report of form .*/9; this gpuopt"),
            (lambda document: document["launches"][1].pop("cycles"), "it lacks 'cycles'"),
            (lambda document: document["launches"][1].update(cycles="1"), "cycles of launch 1 is no number"),
            (lambda document: document["launches"][1].update(block=[1, 2]), "not enough values"),
        ],
    )
    def test_what_is_none_is_refused_in_one_line(self, tmp_path, change, message):
        path = changed(tmp_path / "r.json", change)
        with pytest.raises(GpuoptError, match=message) as refused:
            read_emulated(path)
        assert str(refused.value).startswith(path)
        assert "\n" not in str(refused.value)


def test_the_text_says_what_the_launch_did():
    text = emulated_text(read_emulated(PLAIN))
    assert "./atax 512 192 on h200: 2 launches, modelled" in text
    assert "15210 cycles (7.7 us), bound by L1 of 2 of 132 SMs, which works 90.9 % of the time" in text
    assert "warps active: 12.0 % of 12.5 %; 2 blocks for 132 SMs, each of which could hold 8" in text
    assert "bank conflicts: 4096 passes more than needed for 4096 requests" in text
    assert "sampled: 64 of 256 blocks; l1_load_hit_rate +-0.40 points, cycles +-4.00 %" in text
    row = next(line for line in text.splitlines() if line.split()[:2] == ["atax.cu:13", "A"])
    assert row.split() == ["atax.cu:13", "A", "3072", "98304", "32.0", "87.5", "%", "12288", "384", "KB"]


class _Page(HTMLParser):
    """Open tags, which must close in order, and what would need a network."""

    def __init__(self):
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.outside: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.outside += [value for name, value in attrs if name in ("src", "href") and not value.startswith("#")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.words.append(data)


def test_the_page_stands_alone_and_has_all_plots():
    text = emulated_html(read_emulated(PLAIN))
    page = _Page()
    page.feed(text)
    assert (page.open, page.outside, "script" in page.tags) == ([], [], False)
    assert "NaN" not in text
    assert "nan" not in text
    # Roofline; per launch: traffic and hit rates of lines and arrays, and the timeline; what is busy, where it is told.
    assert page.tags.count("svg") == 1 + 2 * 5 + 1
    assert "in <&>" in " ".join(page.words)  # a name that HTML must not read as a tag
    bars = [word for word in page.words if word.endswith("sectors")]
    assert "87.5 % of 98304 sectors" in bars


def test_a_page_of_very_many_launches_shows_the_longest(tmp_path):
    def many(document):
        document["launches"] = [{**document["launches"][0], "index": n, "cycles": n} for n in range(100)]

    text = emulated_html(read_emulated(changed(tmp_path / "r.json", many)))
    assert "the 40 launches of the most cycles" in text
    assert 'id="l60"' in text
    assert 'id="l59"' not in text


class TestComparing:
    def test_what_changed_in_numbers_and_percent(self):
        before, after = read_emulated(PLAIN), read_emulated(THROTTLED)
        pairs = compare(before, after)
        figures = comparison_document(before, after, pairs)["launches"][0]["figures"]
        assert figures["cycles"] == {"before": 15210, "after": 12168, "percent": -20.0}
        assert figures["l1_load_hit_rate"] == {"before": 0.875, "after": 0.95, "points": 7.5}
        assert figures["l1_load_sectors"]["percent"] == 0
        lines = {(line.line, line.array): line for line in pairs[0].lines}
        reads = next(change for change in lines[13, "A"].changes if change.name == "l2_read_sectors")
        assert (reads.before, reads.after, round(reads.percent, 2)) == (12288, 4685, -61.87)
        assert not any(change.is_one for change in lines[13, "x"].changes)

    def test_the_text_leaves_out_what_stayed(self):
        before, after = read_emulated(PLAIN), read_emulated(THROTTLED)
        text = "\n".join(comparison_text(before, after, compare(before, after)))
        assert "launch 0: multiply_rows<<<2, 256>>> -> multiply_rows__gpuopt_catt<<<2, 256>>>" in text
        assert "launch 1: reduce_tile<float><<<(64,4), (32,8)>>>: nothing changed" in text
        assert "87.5 %  95.0 %  +7.5 points" in text
        assert "l1_load_sectors" not in text
        moved = [line.split() for line in text.splitlines() if "product" in line and "store_requests" in line]
        assert moved == [
            ["atax.cu:14", "product", "store_requests", "16", "none"],
            ["atax.cu:15", "product", "store_requests", "none", "16"],
        ]

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda document: document.update(gpu="a100"), "is for h200, .* for a100; --any-gpu"),
            (lambda document: document["launches"].pop(), "has 2 launches, .* has 1"),
            (
                lambda document: document["launches"][1].update(kernel="other"),
                r"launch 1 is reduce_tile<float>.* and other",
            ),
            (
                lambda document: document["launches"][0].update(grid=[4, 1, 1]),
                "launch 0 is .*<<<2, 256>>> in .*<<<4, 256>>>",
            ),
            (lambda document: document["launches"][0].update(grid=[4, 1, 1], block=[128, 1, 1]), "not the same work"),
            (lambda document: document.update(arguments=["4096"]), "arguments 4096: not .* --any-arguments"),
        ],
    )
    def test_other_work_is_refused(self, tmp_path, change, message):
        other = changed(tmp_path / "other.json", change)
        with pytest.raises(UsageError, match=message):
            compare(read_emulated(PLAIN), read_emulated(other))

    def test_versions_of_a_kernel_may_have_another_grid_and_gpus_may_differ_on_request(self, tmp_path):
        other = changed(
            tmp_path / "v.json", lambda d: d["launches"][0].update(kernel="multiply_rows__gpuopt_vtb", grid=[1, 1, 1])
        )
        assert len(compare(read_emulated(PLAIN), read_emulated(other))) == 2
        other = changed(tmp_path / "g.json", lambda document: document.update(gpu="a100"))
        assert len(compare(read_emulated(PLAIN), read_emulated(other), any_gpu=True)) == 2
        other = changed(tmp_path / "a.json", lambda document: document.update(arguments=["4096"]))
        assert len(compare(read_emulated(PLAIN), read_emulated(other), any_arguments=True)) == 2


class TestCommands:
    def test_report_takes_both_kinds(self, capsys):
        assert main(["report", PLAIN]) == 0
        assert "2 launches, modelled" in capsys.readouterr().out
        assert main(["report", PLAIN, "--format", "html"]) == 0
        assert capsys.readouterr().out.startswith("<!DOCTYPE html>")
        assert main(["report", PLAIN, "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == json.loads(Path(PLAIN).read_text())
        assert main(["report", "--emulator-schema"]) == 0
        assert json.loads(capsys.readouterr().out) == SCHEMA

    def test_findings_alone_can_be_sarif(self, capsys):
        assert main(["report", PLAIN, "--format", "sarif"]) == 2
        assert "an emulator report has no findings to write as sarif" in capsys.readouterr().err

    def test_compare(self, capsys, tmp_path):
        assert main(["compare", PLAIN, THROTTLED]) == 0
        assert "-20.0 %" in capsys.readouterr().out
        assert main(["compare", PLAIN, THROTTLED, "--json"]) == 0
        figures = json.loads(capsys.readouterr().out)["launches"][0]["figures"]
        assert figures["l2_read_sectors"] == {"before": 12672, "after": 5069, "percent": -59.9984}
        other = changed(tmp_path / "other.json", lambda document: document["launches"].pop())
        assert main(["compare", PLAIN, other]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "not the same run of the same program" in said

    def test_compare_wants_emulator_reports(self, capsys, tmp_path):
        (tmp_path / "build.json").write_text('{"version": 1, "generator": "gpuopt", "units": []}')
        assert main(["compare", PLAIN, str(tmp_path / "build.json")]) == 1
        assert "not an emulator report; GPUOPT_EMU_MODE=model" in capsys.readouterr().err

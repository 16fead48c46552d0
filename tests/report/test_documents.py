"""The report document: its schema, its round trip, files shared by compilations, and its other forms."""

from __future__ import annotations

import json
import math
import multiprocessing
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest

from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.report.document import read_report, report_document, schema_text, to_json, write_report
from gpuopt_driver.report.html import report_html
from gpuopt_driver.report.model import Decision, Finding, Problem, RuleUse, Severity, Timing, UnitReport
from gpuopt_driver.report.sarif import sarif_document
from gpuopt_driver.report.text import finding_line, report_text, summary

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads(schema_text())

APPLIED = Finding(
    "catt",
    "gesummv",
    Decision.APPLIED,
    "CATT002",
    "4 of 8 warps at a time: footprint 139264 B > L1 131072 B",
    "/p/file.cu",
    41,
    9,
    {"footprint_bytes": 139264, "l1_bytes": 131072, "tlp": [4, 4], "n": 2, "m": 0},
)
DECLINED = Finding("catt", "ns::k<4>", Decision.DECLINED, "CATT022", "a <barrier> & more", "/p/other.cuh", 7)
MEASURED = replace(APPLIED, plugin="vtb", code="VTB004", figures={"only_measured": True})
NONE = Finding("vtb", "gesummv", Decision.NOT_APPLICABLE, "VTB001", "no shared memory", "/p/file.cu", 12, 3)
UNIT = UnitReport(
    source="/p/file.cu",
    gpu="h200",
    backend="nvcc",
    findings=(APPLIED, DECLINED, NONE),
    problems=(Problem(Severity.WARNING, "plugin x raised", "x"), Problem(Severity.NOTE, "odd", "", "/p/a.h", 3)),
    timings=(Timing("parse", 0.125), Timing("analyze", 0.5, "catt")),
    facts=(
        {
            "kernel": "gesummv",
            "file": "/p/file.cu",
            "line": 40,
            "loops": [{"id": 3, "line": 41, "symbol": "loop3", "variable": "j"}],
            "accesses": [
                {
                    "array": "A",
                    "line": 42,
                    "space": "global",
                    "bytes": 4,
                    "loops": [3],
                    "coefficients_bytes": {"loop3": 4, "threadIdx.x": "n*4", "blockIdx.x": None},
                }
            ],
        },
    ),
    patched_files=("/p/file.cu",),
)


def check(document):
    jsonschema.Draft202012Validator(SCHEMA).validate(document)


class TestDocument:
    def test_the_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_the_documentation_has_the_same_schema(self):
        assert (ROOT / "docs/report.schema.json").read_text() == schema_text()

    def test_documents_follow_the_schema(self):
        check(report_document([UNIT]))
        check(report_document([]))
        check(report_document([UnitReport("/p/x.cu", "auto", "emulator")]))

    @pytest.mark.parametrize(
        "change",
        [
            lambda unit: unit["decisions"][0].pop("code"),
            lambda unit: unit["decisions"][0].update(decision="maybe"),
            lambda unit: unit["decisions"][0].update(tlp=[4]),
            lambda unit: unit["decisions"][0].update(footprint_bytes="many"),
            lambda unit: unit.update(backend="gcc"),
            lambda unit: unit.update(extra=1),
            lambda unit: unit["kernels"][0]["accesses"][0].update(space="heap"),
            lambda unit: unit["problems"][0].update(severity="fatal"),
        ],
    )
    def test_the_schema_refuses_what_is_wrong(self, change):
        document = report_document([UNIT])
        change(document["units"][0])
        with pytest.raises(jsonschema.ValidationError):
            check(document)

    def test_a_decision_is_one_flat_object(self):
        decision = report_document([UNIT])["units"][0]["decisions"][0]
        assert decision == {
            "plugin": "catt",
            "kernel": "gesummv",
            "decision": "applied",
            "code": "CATT002",
            "message": APPLIED.message,
            "file": "/p/file.cu",
            "line": 41,
            "column": 9,
            "footprint_bytes": 139264,
            "l1_bytes": 131072,
            "tlp": [4, 4],
            "n": 2,
            "m": 0,
        }

    def test_figures_never_hide_the_decisions_own_keys(self):
        finding = Finding("p", "k", Decision.DECLINED, "P001", "m", "/f", 1, 1, {"line": 99, "x": 1})
        unit = UnitReport("/f", "h200", "nvcc", (finding,))
        decision = report_document([unit])["units"][0]["decisions"][0]
        assert (decision["line"], decision["figure_line"], decision["x"]) == (1, 99, 1)

    def test_whatever_a_plugin_puts_into_figures_becomes_json(self):
        figures = {"a": (1, 2), "b": {3, 1}, "c": math.inf, "d": Decision.APPLIED, "e": {1: (True,)}, "f": "\udcff"}
        finding = Finding("p", "k", Decision.DECLINED, "P001", "m", "/f", 1, 1, figures)
        document = json.loads(to_json(report_document([UnitReport("/f", "h200", "nvcc", (finding,))])))
        check(document)
        decision = document["units"][0]["decisions"][0]
        assert [decision[key] for key in "abce"] == [[1, 2], [1, 3], None, {"1": [True]}]
        assert decision["d"] == "Decision.APPLIED"

    def test_same_reports_give_the_same_bytes(self):
        assert to_json(report_document([UNIT])) == to_json(report_document([UNIT]))


def _write(path, name):
    write_report(path, [UnitReport(f"/p/{name}.cu", "h200", "nvcc")])


class TestFiles:
    def test_round_trip(self, tmp_path):
        path = str(tmp_path / "new/report.json")
        write_report(path, [UNIT])
        check(json.loads(Path(path).read_text()))
        assert read_report(path) == (UNIT,)

    def test_one_file_collects_a_build(self, tmp_path):
        path = str(tmp_path / "r.json")
        _write(path, "b")
        _write(path, "a")
        write_report(path, [])
        write_report(path, [UnitReport("/p/b.cu", "titan-v", "nvcc")])
        assert [(unit.source, unit.gpu) for unit in read_report(path)] == [("/p/a.cu", "h200"), ("/p/b.cu", "titan-v")]
        assert [entry.name for entry in tmp_path.iterdir()] == ["r.json"]

    def test_parallel_compilations_lose_nothing(self, tmp_path):
        path = str(tmp_path / "r.json")
        names = [f"unit{number}" for number in range(12)]
        context = multiprocessing.get_context("fork")
        workers = [context.Process(target=_write, args=(path, name)) for name in names]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert sorted(Path(unit.source).stem for unit in read_report(path)) == sorted(names)

    @pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 99, "units": [1]}', '{"version": 1, "units": 3}'])
    def test_a_file_that_is_no_report_is_replaced(self, tmp_path, content):
        path = tmp_path / "r.json"
        path.write_text(content)
        _write(str(path), "a")
        assert len(read_report(str(path))) == 1

    def test_where_it_cannot_be_written(self, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(GpuoptError, match=r"file/r.json: cannot write report: "):
            _write(str(tmp_path / "file/r.json"), "a")
        (tmp_path / "dir").mkdir()
        with pytest.raises(GpuoptError, match=r"dir: cannot write report: a directory, not a regular file"):
            _write(str(tmp_path / "dir"), "a")
        assert sorted(entry.name for entry in tmp_path.rglob("*")) == ["dir", "file"]

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("{", "not a report: "),
            ("[1]", "not a report: it has no units"),
            ('{"units": []}', "report of version None; this gpuopt reads version 1"),
            ('{"version": 1, "units": [{}]}', "not a report: KeyError 'source'"),
            ('{"version": 1, "units": [3]}', "not a report: TypeError"),
        ],
    )
    def test_reading_what_is_no_report(self, tmp_path, content, message):
        path = tmp_path / "r.json"
        path.write_text(content)
        with pytest.raises(GpuoptError) as caught:
            read_report(str(path))
        line = ":1" if content == "{" else ""
        assert str(caught.value).startswith(f"{path}{line}: {message}")
        assert "\n" not in str(caught.value)

    def test_reading_what_is_not_there(self, tmp_path):
        with pytest.raises(GpuoptError, match=r"r\.json: cannot read report: No such file or directory"):
            read_report(str(tmp_path / "r.json"))


class TestText:
    def test_decisions_look_like_a_compilers_notes(self):
        line = finding_line(APPLIED, "/p")
        assert line == "file.cu:41:9: note: 4 of 8 warps at a time: footprint 139264 B > L1 131072 B [CATT002]"
        assert finding_line(APPLIED, "/elsewhere").startswith("/p/file.cu:41:9: ")

    def test_everything_by_place_then_a_summary(self):
        assert report_text([UNIT], "/p").splitlines() == [
            "file.cu: warning: plugin x raised",
            "a.h:3: note: odd",
            "file.cu:12:3: note: no shared memory [VTB001]",
            finding_line(APPLIED, "/p"),
            "other.cuh:7:1: note: a <barrier> & more [CATT022]",
            "2 kernels for h200: 1 applied, 1 declined, 1 not applicable, 2 problems",
        ]

    def test_summary_tells_apart_what_is_only_measured(self):
        unit = replace(UNIT, findings=(APPLIED, MEASURED, MEASURED, DECLINED), problems=())
        assert summary([unit]) == "2 kernels for h200: 1 applied, 2 to be measured, 1 declined, 0 not applicable"

    def test_summary_of_nothing(self):
        assert summary([]) == "0 kernels for no GPU: 0 applied, 0 declined, 0 not applicable"


class TestSarif:
    DOCUMENT = sarif_document([UNIT], {"CATT002": "warps in groups"}, "/p")

    def test_shape(self):
        (run,) = self.DOCUMENT["runs"]
        assert self.DOCUMENT["version"] == "2.1.0"
        rules = run["tool"]["driver"]["rules"]
        assert [rule["id"] for rule in rules] == ["CATT002", "CATT022", "VTB001"]
        assert rules[0]["fullDescription"] == {"text": "warps in groups"}
        for result in run["results"]:
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
            assert (result["level"] == "none") == ("kind" in result)
        json.dumps(self.DOCUMENT, allow_nan=False)

    def test_places(self):
        location = self.DOCUMENT["runs"][0]["results"][0]["locations"][0]
        assert location["physicalLocation"] == {
            "artifactLocation": {"uri": "file.cu"},
            "region": {"startLine": 41, "startColumn": 9},
        }
        far = sarif_document([UNIT], cwd="/q")["runs"][0]["results"][1]["locations"][0]
        assert far["physicalLocation"]["artifactLocation"] == {"uri": "file:///p/other.cuh"}

    def test_problems_are_notifications(self):
        notes = self.DOCUMENT["runs"][0]["invocations"][0]["toolExecutionNotifications"]
        assert [note["level"] for note in notes] == ["warning", "note"]
        assert "region" not in notes[0]["locations"][0]["physicalLocation"]


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_html_is_closed_escaped_and_complete():
    page = report_html([UNIT], {"CATT022": 'a "barrier"'}, "/p")
    parser = _Tags()
    parser.feed(page)
    assert parser.open == []
    text = " ".join(parser.text)
    assert "a <barrier> & more" in text
    assert "file.cu:41:9" in text
    assert "footprint 139264 B" in text
    assert "plugin x raised" in text
    assert "<script" not in page
    assert "http" not in page


def test_what_is_only_measured_is_marked_in_every_form(tmp_path):
    unit = replace(UNIT, findings=(MEASURED, APPLIED))
    jsonschema.validate(report_document([unit]), json.loads(schema_text()))
    write_report(str(tmp_path / "r.json"), [unit])
    (read,) = read_report(str(tmp_path / "r.json"))
    assert [one.word for one in read.findings] == ["to be measured", "applied"]
    page = report_html([unit])
    assert '<td class="decision">to be measured</td>' in page
    assert '<td class="decision">applied</td>' in page
    assert "only measured" not in page
    results = sarif_document([unit])["runs"][0]["results"]
    assert [one["properties"]["figures"].get("only_measured") for one in results] == [True, None]


class TestRulesOfThePolicy:
    """`[[kernel]]` tables that match nothing: only the reports of a whole build can say so."""

    def test_a_table_is_told_of_if_no_source_has_a_kernel_for_it(self, tmp_path):
        def unit(source, *counts):
            rules = tuple(
                RuleUse("/p/toolchain.toml", 3 * at, name, "*", count)
                for at, (name, count) in enumerate(zip(("spvm_*", "gemm", "sp\x1bmv"), counts, strict=True), 1)
            )
            return UnitReport(source, "h200", "nvcc", facts=({"kernel": f"spmv_{source[3]}"},), rules=rules)

        path = str(tmp_path / "r.json")
        write_report(path, [unit("/p/a.cu", 0, 1, 0)])
        write_report(path, [unit("/p/b.cu", 0, 0, 0)])
        lines = report_text(read_report(path), "/p").splitlines()
        told = [line for line in lines if "warning" in line]
        assert told == [
            'toolchain.toml:3: warning: [[kernel]] with name = "spvm_*", source = "*" matches no kernel of these 2 '
            "sources; did you mean 'spmv_b'?",
            'toolchain.toml:9: warning: [[kernel]] with name = "sp\\x1bmv", source = "*" matches no kernel of these 2 '
            "sources; did you mean 'spmv_b'?",
        ]

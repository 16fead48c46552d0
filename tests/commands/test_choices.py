"""`gpuopt choices`: what is shown of records, moved between files, and forgotten."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import zlib
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest

from gpuopt_driver.cli import main
from gpuopt_driver.commands import choices as command
from gpuopt_driver.learning.files import Place, append
from gpuopt_driver.learning.records import pooled, read
from gpuopt_driver.report.choices import nanoseconds, schema_text
from tests.learning.making import DEVICE, arm, record, spread

ROOT = Path(__file__).parents[2]
OTHER = "fedcba9876543210"
SETTLED = record(
    "ns::gesummv<4>",
    [
        arm("catt", 1, spread(20, 0.27, 0.02), "n=4,1,1,1"),
        arm("vtb", 2, spread(1, -0.9, 0.0), "factor=2"),
        arm("catt", 3, spread(10, 0.0, 0.01), "n=2,1,1,1"),
    ],
)
LEARNING = record("spmv", [arm("catt", 1), arm("cache_bypass+catt", 2, spread(2, 0.1, 0.01))], digest=OTHER)
ORIGINAL = record("axpy", [arm("catt", 1, spread(16, -0.1, 0.01))], digest=OTHER, launch="grid 1,1,1 block 32,1,1")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GPUOPT_CHOICES", f"{tmp_path}/kept/")


def keep(*records, at="kept"):
    append(Place(Path(at), "", to_be_directory=not at.endswith(".choices")), records, {"HOME": str(Path.cwd())})


def kept(at="kept") -> dict[str, int]:
    """Launches by kernel of what is there."""
    where = Place(Path(at), "")
    found = pooled(made for path in where.files() for made in read(path.read_bytes()).records)
    return {made.kernel: made.launches for made in found}


def said(capsys, *argv, status=0):
    assert main(["choices", *argv]) == status
    out, err = capsys.readouterr()
    assert err == ""
    return out.splitlines()


def fails(capsys, *argv, status=1):
    assert main(["choices", *argv]) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("gpuopt: error: ")
    assert err.count("\n") == 1
    return err


class TestList:
    def test_a_line_for_each_launch(self, capsys):
        keep(SETTLED, LEARNING, ORIGINAL)
        lines = said(capsys)
        assert lines == said(capsys, "list")
        assert lines[0].split() == [
            "kernel",
            "launch",
            "device",
            "leads",
            "speed-up",
            "pairs",
            "state",
            "lost",
            "saved",
        ]
        axpy, gesummv, spmv = (line.split("  ") for line in lines[1:4])
        assert [part.strip() for part in gesummv if part] == [
            "ns::gesummv<4>",
            SETTLED.launch,
            DEVICE,
            "catt n=4,1,1,1",
            "1.310 (1.285-1.335)",
            "31",
            "settled",
            "5 us",
            "90 us",
        ]
        assert [part.strip() for part in axpy if part][3:6] == ["original", "16", "original is best"]
        assert [part.strip() for part in spmv if part][3:6] == ["original", "2", "learning"]
        assert lines[4:] == ["3 launches: 1 settled, 1 original is best, 1 learning; lost 15 us, saved 270 us"]

    def test_launches_of_which_nothing_was_tried_bring_a_way_to_try(self, capsys):
        """A single launch, or launches that take longer than a try may lose."""
        keep(SETTLED, record("kalman", [arm("launch_shape", 1), arm("catt", 2)], digest=OTHER))
        assert said(capsys)[-1].startswith("of 1 launch no version was tried: ")
        assert said(capsys)[-1].endswith("try: gpuopt tune -- PROGRAM ARGS")

    def test_records_of_one_launch_are_one_line(self, capsys):
        keep(LEARNING, record("spmv", LEARNING.arms[1:], digest=OTHER, time=5))
        assert len(said(capsys)) == 3

    def test_nothing_there_says_how_choices_come_about(self, capsys, tmp_path):
        (line,) = said(capsys)
        assert line.startswith(f"{tmp_path}/kept: no choices yet; programs that gpuopt-nvcc built write them")
        assert json.loads("\n".join(said(capsys, "--json")))["launches"] == []

    def test_damage_is_counted(self, capsys):
        keep(SETTLED)
        with Path("kept/0123456789abcdef.choices").open("ab") as file:
            file.write(b"junk\ngpuopt-choices-1\t00000000\tx\n")
        assert said(capsys)[-1] == "2 damaged lines skipped"
        Path("kept/0123456789abcdef.choices").write_bytes(b"junk\n")
        assert said(capsys)[1:] == ["1 damaged line skipped"]

    def test_what_others_could_have_written_is_warned_of(self, capsys):
        keep(SETTLED, LEARNING)
        Path(f"kept/{OTHER}.choices").chmod(0o666)
        assert main(["choices"]) == 0
        out, err = capsys.readouterr()
        assert len(out.splitlines()) == 3
        assert err.startswith("gpuopt: warning: ")
        assert "choices not used: can be written to by all users; make it yours alone" in err

    def test_names_cannot_steer_a_terminal(self, capsys):
        lines = Path("x.choices")
        keep(SETTLED, at="x.choices")
        body = lines.read_bytes().rstrip(b"\n").split(b"\t", 2)[2].replace(b"ns::", b"\x1b[2J")
        lines.write_bytes(b"gpuopt-choices-1\t%08x\t%s\n" % (zlib.crc32(body), body))
        text = "\n".join(
            [*said(capsys, "--choices", "x.choices"), *said(capsys, "show", "*", "--choices", "x.choices")]
        )
        assert "\x1b" not in text
        assert "\\x1b[2J" in text


class TestPlaces:
    def test_the_command_line_goes_first_wherever_it_stands(self, capsys):
        keep(SETTLED, at="other")
        for argv in (("--choices", "other", "list"), ("list", "--choices", "other"), ("--choices=other",)):
            assert "gesummv" in said(capsys, *argv)[1]

    def test_the_policys_place_is_beside_it(self, capsys, monkeypatch, tmp_path):
        monkeypatch.delenv("GPUOPT_CHOICES")
        (tmp_path / "sub").mkdir()
        keep(SETTLED, at="sub/team.choices")
        policy = SimpleNamespace(
            path=str(tmp_path / "sub" / "p.toml"), refused="", learn=SimpleNamespace(choices="team.choices")
        )
        monkeypatch.setattr(command, "load_policy", lambda *_, explicit, env: policy)
        assert "gesummv" in said(capsys, "--policy", "sub/p.toml")[1]
        policy.learn.choices = ""
        assert "/choices: no choices yet" in said(capsys)[0]

    def test_a_policy_that_is_not_there_is_an_error(self, capsys, monkeypatch):
        monkeypatch.delenv("GPUOPT_CHOICES")
        assert "no such policy file" in fails(capsys, "--policy", "absent.toml")

    def test_a_link_and_a_directory_that_cannot_be_read_are_errors(self, capsys):
        keep(SETTLED, at="real.choices")
        Path("link.choices").symlink_to("real.choices")
        assert "symbolic link, which is not followed" in fails(capsys, "--choices", "link.choices")
        os.mkfifo("pipe")
        assert "not a regular file" in fails(capsys, "--choices", "pipe")


class TestShow:
    def test_every_arm_and_why_it_is_out(self, capsys):
        keep(SETTLED, LEARNING)
        lines = said(capsys, "show", "gesummv")
        assert lines[0] == f"ns::gesummv<4>: {SETTLED.launch}"
        assert lines[2] == "  settled; 100 launches; lost 5 us, saved 90 us"
        text = "\n".join(lines)
        assert "out: more than 1.5 times as slow as the original" in text
        assert "out: gains less than 2 %" in text
        assert [line.split()[0] for line in lines if line.endswith("  best")] == ["catt"]
        assert [line.split()[0] for line in lines if "100 us" in line] == ["original"]

    def test_what_merely_leads_is_not_called_the_best(self, capsys):
        keep(LEARNING)
        lines = said(capsys, "show", "spmv")
        assert [line.split()[0] for line in lines if line.endswith("  leads")] == ["original"]
        assert not any("best" in line for line in lines)

    @pytest.mark.parametrize("glob", ["ns::gesummv<4>", "ns::gesummv", "gesummv", "ges*", "ns::*"])
    def test_names_are_matched_with_and_without_namespaces(self, capsys, glob):
        keep(SETTLED, LEARNING)
        assert len([line for line in said(capsys, "show", glob) if not line.startswith(" ")]) == 1

    def test_without_a_name_all_are_shown(self, capsys):
        assert "no choices yet" in fails(capsys, "show")
        keep(SETTLED, LEARNING)
        assert said(capsys, "show") == said(capsys, "show", "*")
        assert len([line for line in said(capsys, "show") if not line.startswith(" ")]) == 2

    def test_a_name_that_is_not_there(self, capsys):
        assert "no choices yet" in fails(capsys, "show", "spvm")
        keep(LEARNING)
        assert "no choices for a kernel 'spvm'; did you mean 'spmv'?" in fails(capsys, "show", "spvm")


class TestJson:
    def test_the_schema_is_one_and_is_the_documentations(self, capsys):
        jsonschema.Draft202012Validator.check_schema(json.loads(schema_text()))
        assert (ROOT / "docs/choices.schema.json").read_text() == schema_text()
        assert "\n".join(said(capsys, "--schema")) + "\n" == schema_text()

    @pytest.mark.parametrize(
        "argv",
        [
            ("list",),
            ("show", "*"),
            ("export", "x.choices"),
            ("merge", "team.choices"),
            ("merge", "team.choices", "--into", "new/"),
            ("forget", "--yes"),
        ],
    )
    def test_documents_follow_it(self, capsys, argv):
        keep(SETTLED, LEARNING, ORIGINAL)
        keep(SETTLED, LEARNING, ORIGINAL, record("bare"), record("none", original=spread(0, 0, 0)), at="team.choices")
        document = json.loads("\n".join(said(capsys, *argv, "--json")))
        jsonschema.Draft202012Validator(json.loads(schema_text())).validate(document)
        launches = {launch["kernel"]: launch for launch in document["launches"]}
        gesummv = launches["ns::gesummv<4>"]
        assert gesummv["arms"][gesummv["best"]]["version"] == "catt"
        assert gesummv["arms"][gesummv["best"]]["speed_up"] == pytest.approx(1.31, abs=0.01)
        assert [one["dropped"] is None for one in gesummv["arms"]] == [True, True, False, False]
        assert gesummv["arms"][0]["mean_ns"] == pytest.approx(1e5, rel=1e-3)
        assert launches["axpy"]["best"] == 0

    def test_a_wrong_document_does_not_follow_it(self, capsys):
        keep(SETTLED)
        document = json.loads("\n".join(said(capsys, "--json")))
        document["launches"][0]["state"] = "done"
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(json.loads(schema_text())).validate(document)

    def test_figures_out_of_this_world_are_finite(self, capsys):
        keep(record(arms=[arm(pairs=spread(3, 99.0, 5e5))], original=spread(3, 99.0, 1.0)))
        document = json.loads("\n".join(said(capsys, "--json")), parse_constant=pytest.fail)
        assert document["launches"][0]["arms"][1]["speed_up_interval"][0] >= 0


class TestMoving:
    def test_what_is_exported_can_be_merged_once(self, capsys):
        keep(SETTLED, LEARNING)
        keep(record("spmv", LEARNING.arms[1:], digest=OTHER, time=5))
        assert said(capsys, "export", "team.choices")[0].startswith("team.choices: 2 launches: 1 settled, 1 learning")
        first = Path("team.choices").read_bytes()
        assert first.count(b"\n") == 2
        said(capsys, "merge", "team.choices", "--into", "mine/")
        assert kept("mine") == kept("kept") == {"ns::gesummv<4>": 100, "spmv": 200}
        assert "mine: 0 new records" in said(capsys, "merge", "team.choices", "--into", "mine/")[0]
        assert kept("mine") == kept("kept")
        said(capsys, "export", "again.choices", "--choices", "mine")
        assert Path("again.choices").read_bytes() == first

    def test_several_files_and_directories(self, capsys):
        keep(SETTLED, at="a")
        keep(LEARNING, at="b.choices")
        keep(ORIGINAL)
        said(capsys, "merge", "a", "b.choices")
        assert kept() == {"ns::gesummv<4>": 100, "spmv": 100, "axpy": 100}

    def test_nothing_is_written_where_a_file_is_wrong(self, capsys):
        keep(SETTLED, at="a.choices")
        Path("main.cu").write_text("int main() {}\n")
        assert "main.cu: holds no choices" in fails(capsys, "merge", "a.choices", "main.cu")
        assert "absent: no such file" in fails(capsys, "merge", "a.choices", "absent")
        assert kept() == {}
        assert "main.cu: is there and holds no choices" in fails(capsys, "merge", "a.choices", "--into", "main.cu")
        assert Path("main.cu").read_text() == "int main() {}\n"

    def test_nothing_is_merged_into_itself(self, capsys):
        keep(SETTLED)
        (path,) = Path("kept").iterdir()
        assert "is to be merged" in fails(capsys, "merge", "kept", status=2)
        assert "is to be merged" in fails(capsys, "merge", str(path), status=2)
        assert kept() == {"ns::gesummv<4>": 100}

    def test_only_one_place_is_merged_into(self, capsys):
        keep(SETTLED, at="a")
        assert "give one of them" in fails(capsys, "merge", "a", "--into", "b", "--choices", "c", status=2)

    def test_there_must_be_something_to_export_and_no_other_file_goes(self, capsys):
        assert "no choices yet" in fails(capsys, "export", "x")
        keep(SETTLED, at="x.choices")
        assert "is where the choices are" in fails(capsys, "export", "x.choices", "--choices", "x.choices", status=2)
        Path("main.cu").write_text("int main() {}\n")
        assert "holds no choices; name another" in fails(capsys, "export", "main.cu", "--choices", "x.choices")


class TestForget:
    def test_only_those_that_are_named(self, capsys):
        keep(SETTLED, LEARNING, ORIGINAL)
        assert said(capsys, "forget", "spmv", "--yes")[0].endswith(
            "kept: forgotten: 1 launch: 1 learning; lost 5 us, saved 90 us"
        )
        assert kept() == {"ns::gesummv<4>": 100, "axpy": 100}
        said(capsys, "forget", "--yes")
        assert list(Path("kept").iterdir()) == []
        assert "no choices yet" in said(capsys, "forget", "--yes")[0]

    def test_nothing_goes_unasked(self, capsys):
        keep(SETTLED)
        assert "nothing forgotten; --yes forgets 1 launch" in fails(capsys, "forget")
        assert "no choices for a kernel 'other'" in fails(capsys, "forget", "other", "--yes")
        assert kept() == {"ns::gesummv<4>": 100}

    @pytest.mark.parametrize(("answer", "left"), [(b"n\n", 1), (b"\n", 1), (b"y\n", 0)])
    def test_a_terminal_is_asked(self, answer, left):
        keep(SETTLED)
        ours, theirs = pty.openpty()
        argv = [sys.executable, "-m", "gpuopt_driver", "choices", "forget"]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        with subprocess.Popen(argv, stdin=theirs, stderr=theirs, stdout=subprocess.DEVNULL, env=env) as running:
            os.write(ours, answer)
            assert running.wait(60) == (1 if left else 0)
        assert b"forget 1 launch" in os.read(ours, 1000)
        assert len(kept()) == left


def test_times_for_people():
    assert [nanoseconds(value) for value in (0, 999, 1500, 2.5e6, 123456789, 4.2e9, 9e12)] == [
        "0 ns",
        "999 ns",
        "1.5 us",
        "2.5 ms",
        "123 ms",
        "4.2 s",
        "9000 s",
    ]

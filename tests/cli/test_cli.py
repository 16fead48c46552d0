"""`gpuopt`: commands run in-process; every error is one line on stderr and an exit status."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import gpuopt_driver
from gpuopt_driver import cli
from gpuopt_driver.arch import list_archs, load_arch
from gpuopt_driver.cli import COMMANDS, main
from gpuopt_driver.commands.gpus import figures
from gpuopt_driver.policy.load import default_text, load_policy
from gpuopt_driver.report import columns
from gpuopt_driver.report.document import schema_text, write_report
from gpuopt_driver.report.model import Decision, Finding, UnitReport

ROOT = Path(gpuopt_driver.__file__).parents[1]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """Commands look at the working directory and its parents: this one has none of the project's files above it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))


def fails(capsys, *argv):
    """The exit status and the one line of a command that must fail."""
    status = main(argv)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("gpuopt: error: ")
    assert err.count("\n") == 1
    return status, err.removeprefix("gpuopt: error: ").rstrip("\n")


class TestCommandLine:
    def test_help_lists_every_command(self, capsys):
        assert main([]) == 0
        text = capsys.readouterr().out
        assert all(f"\n    {name}" in text for name in COMMANDS)

    def test_every_command_is_a_module_that_documents_itself(self, capsys):
        for name in COMMANDS:
            with pytest.raises(SystemExit) as caught:
                main([name, "--help"])
            assert caught.value.code == 0
            assert f"gpuopt {name}" in capsys.readouterr().out

    def test_help_needs_no_command_module(self):
        code = "import sys; from gpuopt_driver.cli import main; main(['--help'])"
        code = f"import sys\ntry:\n {code}\nfinally:\n print(sorted(m for m in sys.modules if 'gpuopt_driver.c' in m))"
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == "['gpuopt_driver.cli']"

    def test_version(self, capsys):
        with pytest.raises(SystemExit):
            main(["--version"])
        assert capsys.readouterr().out == f"gpuopt {gpuopt_driver.__version__}\n"

    @pytest.mark.parametrize(
        ("argv", "message"),
        [
            (["explian"], "unknown command 'explian'; did you mean 'explain'?"),
            (["zzz"], "unknown command 'zzz'; see `gpuopt --help`"),
            (["--frob"], "unrecognized arguments: --frob; see `gpuopt --help`"),
            (["init", "--frob"], "unrecognized arguments: --frob; see `gpuopt init --help`"),
            (["explain"], "the following arguments are required: FILE|CODE; see `gpuopt explain --help`"),
            (["report"], "which report? name the FILE.json, or ask for --schema"),
            (["doctor", "--", "-O3"], "`gpuopt doctor` takes no nvcc arguments behind --"),
        ],
    )
    def test_wrong_usage(self, capsys, argv, message):
        assert fails(capsys, *argv) == (2, message)

    def test_module_and_pipe(self):
        command = f"{sys.executable} -m gpuopt_driver gpus --json | head -n 1"
        done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == ("{\n", "")

    def test_a_defect_is_one_line_too_and_debug_shows_it(self, capsys, monkeypatch):
        def broken(ours, nvcc_args):
            raise ZeroDivisionError("two\nlines")

        monkeypatch.setattr(cli, "_run", broken)
        status, line = fails(capsys, "gpus")
        assert status == 70
        assert line.startswith("internal error, please report it: ZeroDivisionError: two lines; GPUOPT_DEBUG=1")
        monkeypatch.setenv("GPUOPT_DEBUG", "1")
        with pytest.raises(ZeroDivisionError):
            main(["gpus"])
        monkeypatch.setenv("GPUOPT_DEBUG", "0")
        with pytest.raises(ZeroDivisionError):
            main(["--debug", "gpus"])

    def test_interrupt(self, monkeypatch):
        def interrupted(ours, nvcc_args):
            raise KeyboardInterrupt

        monkeypatch.setattr(cli, "_run", interrupted)
        assert main(["gpus"]) == 130


class TestExplainWithoutSource:
    def test_missing_file(self, capsys):
        assert fails(capsys, "explain", "no.cu") == (
            1,
            "no.cu: no such file, and no message code (these are like CATT002)",
        )
        assert fails(capsys, "diff", "no.cu") == (1, "no.cu: no such file")

    def test_code(self, capsys):
        assert main(["explain", "gpuopt002"]) == 0
        assert capsys.readouterr().out.startswith("GPUOPT002: The edits of two plugins")
        assert main(["explain", "GPUOPT002", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["code"] == "GPUOPT002"

    def test_unknown_code(self, capsys):
        for code, instead in (
            ("READONLY999", "; READONLY has READONLY001 to READONLY003, READONLY010 to READONLY013"),
            ("coarse040", "; COARSE has COARSE001 to COARSE002, COARSE010 to "),
            ("CAT002", "; did you mean 'CATT'?"),
            ("XYZ001", "; codes begin with ACCUMULATORS, ADVISE, BYP, CATT, "),
        ):
            status, line = fails(capsys, "explain", code)
            assert status == 2
            assert line.startswith(f"unknown message code '{code}'{instead}")


class TestGpus:
    def test_table(self, capsys):
        assert main(["gpus"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].split()[:4] == ["name", "GPU", "cc", "SMs"]
        assert [line.split()[0] for line in lines[1:4]] == ["gtx285", "c2050", "gtx480"]

    def test_one_gpu_with_origins(self, capsys):
        assert main(["gpus", "titan-v"]) == 0
        (sms,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("device.sms")]
        assert sms.split(maxsplit=2) == ["device.sms", "80", "CATT (ICPP 2019), table 1"]

    def test_comparison(self, capsys):
        assert main(["gpus", "titan-v", "h200"]) == 0
        text = capsys.readouterr().out
        assert "origins of h200:" in text
        (line,) = [line for line in text.splitlines() if line.startswith("l1.unified_bytes")]
        assert line.split() == ["l1.unified_bytes", "131072", "262144"]

    def test_json_has_every_figure_with_its_origin(self, capsys):
        assert main(["gpus", "h200", "--json"]) == 0
        (gpu,) = json.loads(capsys.readouterr().out)["gpus"]
        assert gpu["compute_capability"] == [9, 0]
        assert gpu["figures"]["shared.reserved_per_block"]["value"] == 1024
        assert all(figure["origin"] for figure in gpu["figures"].values())

    def test_only_what_differs_from_a_users_own_file(self, capsys, tmp_path):
        text = (ROOT / "gpuopt_driver/arch/titan-v.toml").read_text()
        mine = tmp_path / "mine.toml"
        mine.write_text(text.replace("value = 80,", "value = 40,").replace("default_for_capability = true", ""))
        assert main(["gpus", "titan-v", str(mine), "--differing"]) == 0
        lines = capsys.readouterr().out.partition("\n\n")[0].splitlines()
        assert [line.split() for line in lines] == [["figure", "titan-v", "mine"], ["device.sms", "80", "40"]]

    @pytest.mark.parametrize("arch", list_archs())
    def test_every_figure_of_a_file_is_shown(self, arch):
        assert set(figures(load_arch(arch))) == set(load_arch(arch).origins)

    def test_unknown(self, capsys):
        assert fails(capsys, "gpus", "h20") == (1, "unknown GPU 'h20'; did you mean 'h200'?")

    def test_broken_user_file(self, capsys, monkeypatch, tmp_path):
        (tmp_path / "bad.toml").write_text("x = 1")
        monkeypatch.setenv("GPUOPT_GPU_PATH", str(tmp_path))
        assert fails(capsys, "gpus")[1].startswith(f"{tmp_path}/bad.toml: unknown key 'x' in the file")


class TestInit:
    def test_writes_the_commented_default(self, capsys, tmp_path):
        assert main(["init"]) == 0
        assert capsys.readouterr().out == "wrote toolchain.toml\n"
        assert (tmp_path / "toolchain.toml").read_text() == default_text()
        assert load_policy([]).path == str(tmp_path / "toolchain.toml")

    def test_never_overwrites_unless_told(self, capsys, tmp_path):
        (tmp_path / "toolchain.toml").write_text("# mine")
        assert fails(capsys, "init") == (1, "toolchain.toml: is there already; --force overwrites it")
        assert (tmp_path / "toolchain.toml").read_text() == "# mine"
        assert main(["init", "--force"]) == 0
        assert (tmp_path / "toolchain.toml").read_text() == default_text()

    def test_elsewhere(self, capsys, tmp_path):
        (tmp_path / "sub").mkdir()
        assert main(["init", "sub"]) == 0
        assert (tmp_path / "sub/toolchain.toml").is_file()
        capsys.readouterr()
        assert fails(capsys, "init", "none") == (1, "none: no such directory")
        assert sorted(entry.name for entry in tmp_path.iterdir()) == ["sub"]


class TestCache:
    def test_show_and_clear(self, capsys, monkeypatch, tmp_path):
        monkeypatch.setenv("GPUOPT_CACHE_DIR", str(tmp_path / "cache"))
        (tmp_path / "cache/kind").mkdir(parents=True)
        (tmp_path / "cache/kind/x").write_bytes(b"x" * 2048)
        assert main(["cache"]) == 0
        assert capsys.readouterr().out == f"{tmp_path / 'cache'}: 1 files, 2 KB\n  kind: 1 files, 2 KB\n"
        assert main(["cache", "--clear", "--json"]) == 0
        wanted = {"directory": str(tmp_path / "cache"), "files": 0, "size_bytes": 0, "cleared": True, "kinds": {}}
        assert json.loads(capsys.readouterr().out) == wanted


class TestReport:
    @pytest.fixture
    def report(self, tmp_path):
        finding = Finding("catt", "k", Decision.DECLINED, "CATT010", "it fits", str(tmp_path / "a.cu"), 3)
        write_report("r.json", [UnitReport(str(tmp_path / "a.cu"), "h200", "nvcc", (finding,))])
        return "r.json"

    def test_text(self, capsys, report):
        assert main(["report", report]) == 0
        wanted = ["a.cu:3:1: note: it fits [CATT010]", "1 kernel for h200: 0 applied, 1 declined, 0 not applicable"]
        assert capsys.readouterr().out.splitlines() == wanted

    def test_other_formats(self, capsys, report):
        assert main(["report", report, "--format", "sarif"]) == 0
        assert json.loads(capsys.readouterr().out)["runs"][0]["results"][0]["ruleId"] == "CATT010"
        assert main(["report", report, "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == json.loads(Path(report).read_text())
        assert main(["report", report, "--format=html"]) == 0
        assert capsys.readouterr().out.startswith("<!DOCTYPE html>")

    def test_schema(self, capsys):
        assert main(["report", "--schema"]) == 0
        assert capsys.readouterr().out == schema_text()

    def test_missing(self, capsys):
        assert fails(capsys, "report", "no.json") == (1, "no.json: cannot read report: No such file or directory")


class TestPlugins:
    def test_json(self, capsys):
        assert main(["plugins", "--json"]) == 0
        for plugin in json.loads(capsys.readouterr().out)["plugins"]:
            assert plugin["name"].isidentifier()
            assert plugin["codes"]
            assert all({"name", "type", "default"} <= set(option) for option in plugin["options"])


class TestDoctor:
    def test_says_what_was_found(self, capsys):
        status = main(["doctor", "--json"])
        found = json.loads(capsys.readouterr().out)
        assert status == (0 if any(found["backends"].values()) else 1)
        names = [check["name"] for check in found["checks"]]
        assert {"policy", "plugins", "libclang", "nvcc", "toolkit headers", "host compiler", "cache", "GPU"} <= set(
            names
        )

    def test_a_machine_with_nothing(self, capsys, monkeypatch, tmp_path):
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setenv("GPUOPT_NVCC", "/nowhere/nvcc")
        assert main(["doctor"]) == 1
        text = capsys.readouterr().out
        assert "nvcc             not ok: GPUOPT_NVCC: /nowhere/nvcc: no such program" in text
        assert "needed for programs for real GPUs (the nvcc backend); install the CUDA toolkit" in text
        assert "host compiler    not ok: none in PATH" in text
        assert "GPU              not ok: no nvidia-smi" in text
        assert text.endswith("backends: none usable\n")

    def test_a_wrong_policy_is_one_of_the_findings(self, capsys, tmp_path):
        (tmp_path / "toolchain.toml").write_text("[driver]\nbackned = 1\n")
        main(["doctor"])
        assert "policy           not ok: toolchain.toml:2: unknown key 'backned' in [driver]" in capsys.readouterr().out

    def test_a_gpu(self, capsys, monkeypatch, tmp_path):
        fake = tmp_path / "bin/nvidia-smi"
        fake.parent.mkdir()
        fake.write_text("#!/bin/sh\necho 'NVIDIA H200, 9.0, 580.1'\n")
        fake.chmod(0o755)
        monkeypatch.setenv("PATH", f"{fake.parent}{os.pathsep}{os.environ['PATH']}")
        main(["doctor"])
        assert "GPU              ok: NVIDIA H200, compute capability 9.0, driver 580.1" in capsys.readouterr().out


class TestShow:
    def test_sizes(self):
        sizes = [0, 1023, 1024, 1536, 5 << 20, 3 << 40]
        assert [columns.size(size) for size in sizes] == ["0 B", "1023 B", "1 KB", "1.5 KB", "5 MB", "3072 GB"]

    def test_tables_align_numbers_to_the_right(self):
        assert columns.table(("name", "n"), [("a", "1"), ("long", "100")]) == ["name    n", "a       1", "long  100"]

    def test_colours_only_on_a_terminal(self, monkeypatch):
        code = "from gpuopt_driver.commands.show import show; show(['a.cu:1:2: note: x [CATT002]'])"
        env = {**os.environ, "TERM": "xterm", "PYTHONPATH": str(ROOT)}
        env.pop("NO_COLOR", None)
        master, slave = pty.openpty()
        subprocess.run([sys.executable, "-c", code], stdout=slave, env=env, check=True, timeout=60)
        os.close(slave)
        styled = os.read(master, 4096)
        os.close(master)
        plain = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, env=env, check=True, timeout=60)
        assert b"\x1b[" in styled
        assert plain.stdout == b"a.cu:1:2: note: x [CATT002]\n"


def test_arguments_of_nvccs_without_the_dashes_are_told_where_they_go(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "a.cu", "-arch=sm_90"]) == 2
    assert "unrecognized arguments: -arch=sm_90 (nvcc's own stand behind --);" in capsys.readouterr().err

"""`gpuopt tune -- PROGRAM` over a stand-in for a built program, alone and at workers."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from gpuopt_driver.cli import main
from gpuopt_driver.commands import tune_runs
from gpuopt_driver.learning.files import Place, records_at
from gpuopt_driver.learning.records import pooled
from gpuopt_driver.learning.rule import standing
from gpuopt_driver.tuning import workers as workers_of
from gpuopt_driver.tuning.workers import gpus, workers

ROOT = Path(__file__).parents[2]
LEARNER = str(Path(__file__).parent / "learner.py")

# Runs of a program that does not end, each with Ctrl-C a little later; then no child may be left.
INTERRUPTED = """
import os, signal, sys, threading
from gpuopt_driver.tuning.runs import Task, run_once
task = Task((sys.executable, "-c", "import time; time.sleep(100)"), ".", 50, {})
interrupted = 0
for number in range(40):
    timer = threading.Timer(number / 5000, os.kill, [os.getpid(), signal.SIGINT])
    try:
        timer.start()
        run_once(task)
    except KeyboardInterrupt:
        interrupted += 1
    timer.join()
print(interrupted)
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    sys.exit()
sys.exit("a child is left")
"""


@pytest.fixture(autouse=True)
def program(tmp_path, monkeypatch):
    """Where the stand-in notes its runs and its choices are kept; no GPU of this machine is seen."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LEARNER_LOG", str(tmp_path / "log"))
    monkeypatch.setenv("GPUOPT_CHOICES", f"{tmp_path}/kept/")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return tmp_path


def tune(capsys, *argv, program=(), status=0):
    """(lines on standard output, those on standard error)."""
    assert main(["tune", *argv, "--", sys.executable, LEARNER, *program]) == status, capsys.readouterr()
    out, err = capsys.readouterr()
    return out.splitlines(), err.splitlines()


def runs() -> list[str]:
    """The settings of every run."""
    return Path("log").read_text().splitlines()


def kept():
    return pooled(records_at(Place(Path("kept"), ""), os.environ).records)


class TestAlone:
    def test_it_runs_until_all_is_settled_and_shows_what_was_found(self, capsys):
        out, err = tune(capsys)
        assert 1 < len(runs()) < 20
        assert set(runs()) == {"on 1000 - -"}
        assert err == [f"gpuopt: tune: settled after {len(runs())} runs, kept in {Path('kept').absolute()}"]
        assert re.search(r"^gesummv .*  catt n=1  1\.3", out[2])
        assert "original is best" in out[1]
        assert not any("line for the terminal" in line for line in out)
        assert [standing(record).is_settled for record in kept()] == [True, True]

    def test_the_next_one_goes_on(self, capsys):
        _, err = tune(capsys, "--most-runs", "2", status=3)
        assert re.search(r"\d of 2 launches not settled after 2 runs, .*; run it again to go on", err[-1])
        assert kept()[1].launches == 16
        tune(capsys)
        after = len(runs())
        tune(capsys)
        assert len(runs()) == after + 2  # one that sees the launches, and one that finds nothing to try

    def test_json(self, capsys):
        out, _ = tune(capsys, "--json")
        document = json.loads("\n".join(out))
        assert [launch["state"] for launch in document["launches"]] == ["original is best", "settled"]

    def test_settings_of_the_emulator_reach_the_program(self, capsys, monkeypatch):
        monkeypatch.setenv("GPUOPT_EMU_MODE", "model")
        tune(capsys)
        assert set(runs()) == {"on 1000 model -"}

    def test_another_place(self, capsys):
        tune(capsys, "--choices", "other.choices")
        assert Path("other.choices").is_file()
        assert not Path("kept").exists()

    def test_what_does_not_settle_ends(self, capsys):
        _, err = tune(capsys, "--most-runs", "4", program=["noisy"], status=3)
        assert "2 of 2 launches not settled after 4 runs" in err[-1]
        assert len(runs()) == 4

    def test_runs_that_bring_nothing_end_it(self, capsys):
        _, err = tune(capsys, program=["once"], status=3)
        assert "after 11 runs" in err[-1]
        assert "more runs measure nothing new" in err[-1]

    def test_an_open_launch_of_another_program_is_no_matter(self, capsys):
        tune(capsys, "--most-runs", "1", status=3)
        for path in Path("kept").iterdir():
            path.rename(path.with_name("fedcba9876543210.choices"))
        tune(capsys)


class TestFailing:
    def fails(self, capsys, *argv, program=(), status=1):
        assert main(["tune", *argv, "--", *(program or (sys.executable, LEARNER))]) == status
        out, err = capsys.readouterr()
        assert out == ""
        return err.splitlines()

    def learner(self, *options):
        return sys.executable, LEARNER, *options

    def test_a_program_that_fails_is_shown_with_its_last_lines_and_nothing_learned_is_lost(self, capsys):
        lines = self.fails(capsys, program=self.learner("fail-in=2"))
        assert lines[-3:-1] == ["line for the terminal 2", "what went wrong"] or "what went wrong" in lines
        assert re.search(r"ends with status 3; what 1 run learned is kept in .*/kept$", lines[-1])
        assert kept()[0].launches == 8

    def test_a_signal(self, capsys):
        assert "is ended by signal 9 (Killed)" in self.fails(capsys, program=self.learner("kill=9"))[-1]

    def test_one_that_does_not_end_is_killed(self, capsys):
        assert (
            "does not end within 3 s; --seconds allows more"
            in (self.fails(capsys, "--seconds", "3", program=["sh", "-c", "echo $$ > pid; exec sleep 600"])[-1])
        )
        with pytest.raises(ProcessLookupError):
            os.kill(int(Path("pid").read_text()), 0)

    @pytest.mark.parametrize(("name", "why"), [("./absent", "No such file"), ("./plain", "Permission denied")])
    def test_one_that_cannot_be_run(self, capsys, name, why):
        Path("plain").touch()
        (line,) = self.fails(capsys, program=[name], status=2)
        assert line.startswith(f"gpuopt: error: {name}: cannot be run: {why}")

    def test_one_that_learns_nothing(self, capsys):
        (line,) = self.fails(capsys, program=self.learner("silent"))
        assert "learns nothing: no launch of a kernel with versions was measured" in line
        assert len(runs()) == 1

    @pytest.mark.parametrize(
        ("argv", "message"),
        [
            (("--", "-arch=sm_90"), "-arch=sm_90 is no program to run; name sources in front of --"),
            (("--set", "catt.margin=1.0", "--", "./app"), "--set is for building and searching"),
            (("--run", "{} 1", "--", "./app"), "--run is for building and searching"),
            (("--most-runs", "3", "x.cu"), "--most-runs is for running; write `gpuopt tune -- PROGRAM`"),
            (("--scheduler", "x", "--build", "make", "--run", "./x"), "--scheduler is for running"),
            (("--workers", "0", "--", "./app"), "0 is no positive number"),
            (("--seconds", "-1", "--", "./app"), "--seconds: -1: "),
            (("--seconds", "nan", "--", "./app"), "--seconds: nan: "),
            (("--",), "name either the sources to build, or --build COMMAND, or behind -- a program to run"),
        ],
    )
    def test_a_wrong_command_line_is_one_line(self, capsys, argv, message):
        assert main(["tune", *argv]) == 2
        err = capsys.readouterr().err
        assert err.count("\n") == 1
        assert message in err

    def test_choices_that_cannot_be_used_end_it_before_anything_runs(self, capsys):
        Path("kept").symlink_to("elsewhere.choices")
        assert "symbolic link" in self.fails(capsys, program=self.learner())[0]
        assert not Path("log").exists()

    @pytest.mark.parametrize("argv", [(), ("--workers", "2")])
    def test_what_was_learned_until_control_c_is_kept(self, program, argv):
        if argv:
            pytest.importorskip("distributed")
        argv = [sys.executable, "-m", "gpuopt_driver", "tune", *argv, "--", *self.learner("noisy", "stay=8")]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE, "start_new_session": True}
        with subprocess.Popen(argv, env=env, **pipes) as running:
            while running.poll() is None and not (Path("log").exists() and len(runs()) > 4):
                time.sleep(0.05)
            os.killpg(running.pid, signal.SIGINT)  # as a terminal does
            out, err = running.communicate(timeout=60)
        assert running.returncode == 128 + signal.SIGINT
        assert out == b""
        last = err.splitlines()[-1]  # those before say on a slow machine that it works
        assert re.fullmatch(rb"gpuopt: tune: stopped; what \d+ runs learned is kept in .*/kept", last)
        assert all(b" ... " in line or b" settled" in line for line in err.splitlines()[:-1])
        assert kept()[0].launches >= 16

    def test_control_c_leaves_neither_a_program_nor_a_folder_whenever_it_comes(self, program):
        env = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(program)}
        done = subprocess.run([sys.executable, "-c", INTERRUPTED], env=env, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert 0 < int(done.stdout) <= 40
        assert not list(program.glob("gpuopt-*"))


class TestTelling:
    def test_elsewhere_there_is_a_line_now_and_then(self, capsys, monkeypatch):
        monkeypatch.setattr(tune_runs, "_SECONDS", 0.02)
        _, err = tune(capsys)
        assert "gpuopt: tune: first run (one worker)" in err
        assert any(re.fullmatch(r"gpuopt: tune: \d runs?, \d of 2 launches settled", line) for line in err)

    def test_a_terminal_has_a_bar(self):
        ours, theirs = pty.openpty()
        argv = [sys.executable, "-m", "gpuopt_driver", "tune", "--", sys.executable, LEARNER]
        env = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "120"}
        with subprocess.Popen(argv, env=env, stderr=theirs, stdout=subprocess.DEVNULL) as running:
            os.close(theirs)
            said = b""
            with suppress(OSError):  # the end
                while part := os.read(ours, 10000):
                    said += part
        assert running.returncode == 0
        assert b"tune: first run (one worker)" in said
        assert b"of 2 launches settled" in said
        assert b"gpuopt: tune: settled after" in said


class TestWorkers:
    def test_gpus_are_those_that_programs_see(self, program, monkeypatch):
        assert gpus({"CUDA_VISIBLE_DEVICES": "2, GPU-5a"}) == ["2", "GPU-5a"]
        assert gpus({"CUDA_VISIBLE_DEVICES": ""}) == []
        (program / "bin").mkdir()
        (program / "bin" / "nvidia-smi").write_text("#!/bin/sh\necho 'GPU 0: A (UUID: x)'; echo 'GPU 1: B (UUID: y)'\n")
        (program / "bin" / "nvidia-smi").chmod(0o755)
        assert gpus({}) == ["0", "1"]
        (program / "bin" / "nvidia-smi").write_text("#!/bin/sh\necho 'GPU 0: A'; exit 9\n")
        assert gpus({}) == []

    def test_two_programs_do_not_share_a_gpu(self, capsys, monkeypatch):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
        assert main(["tune", "--workers", "2", "--", "true"]) == 2
        assert "--workers 2: programs see 1 GPU" in capsys.readouterr().err

    @pytest.mark.parametrize("argv", [("--workers", "2"), ("--scheduler", "tcp://127.0.0.1:1")])
    def test_without_the_package_it_is_said_how_to_get_it(self, capsys, monkeypatch, argv):
        monkeypatch.setattr(workers_of, "find_spec", lambda name: None if name == "distributed" else name)
        assert main(["tune", *argv, "--", "true"]) == 2
        asked = "--workers 2" if argv[1] == "2" else "--scheduler"
        assert f"{asked} needs the package distributed: pip install 'gpuopt-driver[tune]'" in capsys.readouterr().err
        assert not Path("log").exists()

    def test_without_the_package_one_of_several_gpus_works_and_that_is_said(self, monkeypatch):
        monkeypatch.setattr(workers_of, "find_spec", lambda _: None)
        with workers(0, "", {"CUDA_VISIBLE_DEVICES": "0,1"}) as team:
            assert team.what == "one worker for 2 GPUs (pip install 'gpuopt-driver[tune]' brings one for each)"

    def test_one_worker_leaves_a_program_all_gpus(self, capsys, monkeypatch):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")
        tune(capsys, "--workers", "1")
        assert {line.split()[-1] for line in runs()} == {"3,5"}

    def test_workers_of_this_machine_obey_no_other_user(self, monkeypatch):
        pytest.importorskip("distributed")
        with workers(2, "", {"CUDA_VISIBLE_DEVICES": ""}) as team:
            assert (team.count, team.what) == (2, "2 workers")
            assert [address.partition(":")[0] for address in team._addresses] == ["tls", "tls"]

    def test_each_of_several_has_a_gpu_and_they_run_at_once(self, capsys, monkeypatch, program):
        pytest.importorskip("distributed")
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")
        (program / "hold").mkdir()
        out, err = tune(capsys, program=[f"hold={program / 'hold'}"])
        assert {line.split()[-1] for line in runs()} == {"3", "5"}
        assert re.search(r"^gesummv .*  catt n=1  1\.3", out[2])
        assert "settled after" in err[-1]
        assert kept()[0].launches >= 16

    def test_a_program_that_fails_at_a_worker(self, capsys, monkeypatch):
        pytest.importorskip("distributed")
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")
        assert main(["tune", "--", sys.executable, LEARNER, "kill=2"]) == 1  # heeded, unlike by workers
        said = "is ended by signal 2 (Interrupt); it saw one GPU alone (CUDA_VISIBLE_DEVICES): --workers 1 gives it all"
        assert said in capsys.readouterr().err

    def test_a_scheduler_that_is_there(self, capsys, monkeypatch):
        distributed = pytest.importorskip("distributed")
        options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
        with distributed.LocalCluster(**options) as cluster:
            monkeypatch.setenv("GPUOPT_EMU_MODE", "model")
            tune(capsys, "--scheduler", cluster.scheduler_address)
            assert set(runs()) == {"on 1000 model -"}
            assert main(["tune", "--scheduler", cluster.scheduler_address, "--workers", "3", "--", "true"]) == 1
            assert "has 2 workers; start some with `dask worker" in capsys.readouterr().err
            assert main(["tune", "--scheduler", cluster.scheduler_address, "--", "./absent"]) == 2
            assert "./absent: cannot be run: No such file" in capsys.readouterr().err

    def test_a_scheduler_that_is_not_there(self, capsys, monkeypatch):
        pytest.importorskip("distributed")
        monkeypatch.setattr(workers_of, "_SECONDS", 1)
        for address in ("tcp://127.0.0.1:1", "nonsense://x"):
            assert main(["tune", "--scheduler", address, "--", "true"]) == 1
            err = capsys.readouterr().err
            assert re.search(rf"--scheduler {address}: does not answer", err)
            assert err.count("\n") == 1

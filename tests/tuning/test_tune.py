"""`gpuopt tune` and `gpuopt verify` over a stand-in for a program: a script whose time and output follow the policy."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpuopt_driver.cli import main
from gpuopt_driver.errors import UsageError
from gpuopt_driver.tuning.candidates import divisors, fixed_tlps, option_sets, policy_of
from gpuopt_driver.tuning.programs import Outcome, counting, first_difference

# "Builds" by keeping the policy, writes down that it did, and fails for one TLP.
BUILD = """
echo built >> built.txt
if [ "$GPUOPT_OFF" = 1 ]; then echo off > built; else cp "$GPUOPT_POLICY" built; fi
if grep -q 'fixed_tlp = \\[1, 2\\]' built; then echo 'program.cu:3: error: no' >&2; exit 1; fi
"""
# (4,2) takes 8 ms, (2,1) 2 ms; (1,1) is fastest and wrong; CATT takes 3 ms, the program as it is 10 ms.
RUN = """
case "$(cat built)" in
  off) ms=10 ;;
  *'[2, 1]'*) ms=2 ;;
  *'[1, 1]'*) ms=1; wrong=1 ;;
  *fixed_tlp*) ms=8 ;;
  *) ms=3 ;;
esac
echo "kernel took $ms ms"
echo "sum ${wrong:-7}"
echo kept > data.bin
launch='gpuopt: kernel<<<(1,1,1),(32,1,1),0>>>:'
case "$GPUOPT_DISPATCH" in
  trace|arm:1) echo "$launch catt n=$ms" >&2 ;;
  arm:2) echo "$launch original n=1 ... no launch could run as that arm" >&2 ;;
  arm:3) echo "$launch vtb n=$ms" >&2 ;;
  arm:*) echo "$launch original n=1" >&2 ;;
esac
"""
TUNE = ("tune", "--build", "sh build.sh", "--run", "sh run.sh", "--on", "gpu", "--time", "took ([0-9.]+) ms")
SIZES = ("--warps", "4", "--blocks", "2", "--runs", "3")


@pytest.fixture
def program(tmp_path, monkeypatch):
    (tmp_path / "build.sh").write_text(BUILD)
    (tmp_path / "run.sh").write_text(RUN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tuned(capsys, *argv):
    status = main([*TUNE, *argv, "--json"])
    return status, json.loads(capsys.readouterr().out)


class TestTune:
    def test_the_best_fixed_tlp_stands_beside_catts_choice(self, program, capsys):
        status, document = tuned(capsys, *SIZES)
        values = {item["name"]: item["value"] for item in document["candidates"]}
        fixed = {"(4,2)": 8, "(4,1)": 8, "(2,2)": 8, "(2,1)": 2, "(1,2)": None, "(1,1)": None}
        assert values == {"plain": 10, "catt": 3, **fixed}
        problems = {item["name"]: item["problem"] for item in document["candidates"] if item["problem"]}
        assert problems["(1,2)"].endswith("does not build: program.cu:3: error: no")
        assert problems["(1,1)"] == 'other output: line 1: "sum 7" against "sum 1"'
        assert (document["best"], document["best_fixed_tlp"], document["unit"]) == ("(2,1)", "(2,1)", "as printed")
        assert document["best_fixed_warps"] == "(4,2)"
        assert status == 1  # something computed something else

    def test_the_text(self, program, capsys):
        main([*TUNE, *SIZES])
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[:3] for line in lines[1:4]] == [
            ["(2,1)", "2", "5.000"],
            ["catt", "3", "3.333"],
            ["(4,2)", "8", "1.250"],
        ]
        assert lines[-4:] == [
            "best fixed TLP (warps per block, blocks): (2,1), 5.000 times as fast as the program as it is",
            "best with all blocks (Best-SWL): (4,2), 1.250 times as fast",
            "CATT's own choice, by its model alone: 3.333 times as fast",
            "  at launch: gpuopt: kernel<<<(1,1,1),(32,1,1),0>>>: catt n=3",
        ]

    @pytest.mark.parametrize("state", [(), ("--state", "kept.json")])
    def test_a_search_goes_on_where_it_was_ended(self, program, capsys, state):
        def builds():
            return len((program / "built.txt").read_text().splitlines())

        first = tuned(capsys, *SIZES, *state)
        before = builds()
        assert tuned(capsys, *SIZES, *state) == first
        assert builds() == before
        tuned(capsys, "--warps", "4", "--blocks", "3", "--runs", "3", *state)
        assert builds() == before + 3 + 1  # three more TLPs, and the reference once
        tuned(capsys, *SIZES, *state, "--fresh")
        assert builds() == 2 * before + 4

    def test_options_of_plugins(self, program, capsys):
        _, document = tuned(capsys, "--set", "catt.fixed_tlp=[2, 1]", "--set", "catt.fixed_tlp=[4, 1]", "--runs", "1")
        values = {item["name"]: item["value"] for item in document["candidates"]}
        assert values == {"plain": 10, "catt.fixed_tlp=[2, 1]": 2, "catt.fixed_tlp=[4, 1]": 8}
        assert document["best"] == "catt.fixed_tlp=[2, 1]"

    @pytest.mark.parametrize(
        ("argv", "message"),
        [
            (TUNE, "on a GPU, say what is resident"),
            (("tune",), "name either the sources to build, or --build"),
            (("tune", "--build", "true"), "--build needs --run"),
            ((*TUNE[:-1], "nothing (x)", *SIZES), r"prints nothing that matches nothing \(x\)"),
            ((*TUNE[:-1], "took (..) (..)", *SIZES), "one group, around a number"),
            (
                ("tune", "--build", "true", "--run", "false", "--on", "gpu", *SIZES),
                "the program as it is fails: exit status 1",
            ),
            (
                ("tune", "--build", "true", "--run", "sleep 9", "--on", "gpu", "--seconds", "0.1", *SIZES),
                "--seconds allows more",
            ),
            (("tune", "--build", "false", "--run", "true", "--on", "gpu", *SIZES), "false: does not build"),
            ((*TUNE, "--set", "cat.fixed_tlp=[2, 1]"), "no plugin 'cat'; did you mean 'catt'"),
            ((*TUNE, "--set", "catt.fixed=[2, 1]"), "--set catt.fixed=.2, 1.: unknown key 'fixed'"),
            ((*TUNE, "--set", "catt.fixed_tlp=2"), "fixed_tlp in .plugins.catt. must be an array"),
            ((*TUNE, *SIZES, "--file", "absent.bin"), "absent.bin: the program was to write it"),
        ],
    )
    def test_what_cannot_be_searched_is_one_line(self, program, capsys, argv, message):
        assert main(list(argv)) != 0
        said = "".join(line for line in capsys.readouterr().err.splitlines(keepends=True) if "tune: 1" not in line)
        assert said.count("\n") == 1
        assert re.search(message, said)

    def test_wrong_names_end_it_before_anything_is_built(self, program, capsys):
        assert main([*TUNE, "--set", "catt.fixed=[2, 1]"]) != 0
        assert not (program / "built.txt").exists()

    def test_tlps_that_launch_the_same_are_timed_once(self, program, capsys):
        (program / "run.sh").write_text("echo ran >> ran.txt\n" + RUN)
        tuned(capsys, *SIZES)
        # Traced once and timed three times: plain, catt, (4,2), (2,1) and the wrong (1,1); (4,1) and (2,2) are (4,2).
        assert len((program / "ran.txt").read_text().splitlines()) == 5 * 4 + 2

    def test_where_nobody_looks_there_is_a_line_per_candidate(self, program, capsys):
        assert main([*TUNE, *SIZES]) == 1
        lines = capsys.readouterr().err.splitlines()
        assert lines[0] == "gpuopt: tune: 1: plain: 10"
        assert lines[2] == "gpuopt: tune: 3 of 8: (4,2): 8"
        assert len(lines) == 8

    def test_a_state_of_something_else_is_refused(self, program, capsys):
        Path("other.json").write_text("[]")
        assert main([*TUNE, *SIZES, "--state", "other.json"]) == 1
        assert "other.json: not a state of `gpuopt tune`" in capsys.readouterr().err


class TestCandidates:
    def test_groups_are_powers_of_two_that_divide_the_warps(self):
        assert divisors(8) == [8, 4, 2, 1]
        assert divisors(6) == [6, 3]

    def test_every_combination_is_tried_once(self):
        made = {candidate.name: candidate.policy for candidate in fixed_tlps(4, 2, ["catt", "vtb"])}
        assert list(made) == ["plain", "catt", "(4,2)", "(4,1)", "(2,2)", "(2,1)", "(1,2)", "(1,1)"]
        assert made["(2,1)"] == "[plugins.catt]\nenabled = true\nfixed_tlp = [2, 1]\n[plugins.vtb]\nenabled = false\n"

    def test_options_combine_across_plugins(self):
        made = list(option_sets(["catt", "vtb.factor=2", "vtb.factor=4", 'vtb.form="pipe"'], ["catt", "vtb", "x"]))
        assert [candidate.name for candidate in made[1:]] == [
            'catt vtb.factor=2 vtb.form="pipe"',
            'catt vtb.factor=4 vtb.form="pipe"',
        ]
        options = {"catt": {}, "vtb": {"factor": "4", "form": '"pipe"'}}
        assert made[2].policy == policy_of(["catt", "vtb", "x"], options)

    @pytest.mark.parametrize(
        ("setting", "message"),
        [
            ("cat.x=1", "no plugin 'cat'; did you mean 'catt'"),
            ("catt=1", "write PLUGIN.OPTION=VALUE"),
            ("catt.x", "write PLUGIN.OPTION=VALUE"),
            ("catt.x=yes", "'yes' is no value; did you mean true?"),
        ],
    )
    def test_a_wrong_setting_is_refused(self, setting, message):
        with pytest.raises(UsageError, match=message):
            list(option_sets([setting], ["catt"]))


def test_times_do_not_count():
    text = b"a 1.5 ms\nrate 2 GB/s\nelapsed 3s\nn = 5 samples\n3 mss\nseed 4\n"
    assert counting(text, "") == b"n = 5 samples\n3 mss\nseed 4\n"
    others = (
        b"Total: 0.000225 (s)\nAverage 3.5e-2 (us)\ntime [ms]: 2\nbandwidth (GB/s) = 3\n2 (sum)\n(s) of 2\n0.5 (step)\n"
    )
    assert counting(others, "") == b"2 (sum)\n(s) of 2\n0.5 (step)\n"
    assert counting(text, "^seed") == b"n = 5 samples\n3 mss\n"
    assert first_difference(b"a\nb\n", b"a\nc\n") == 'line 2: "b" against "c"'
    assert first_difference(b"a\n", b"a\nb\n") == "1 lines against 2"
    assert first_difference(b"a\n", b"a\n") == "in the files that it writes"


class TestVerify:
    ARGV = ("verify", "--build", "sh build.sh", "--run", "sh run.sh", "--policy")

    def verified(self, capsys, policy, *more):
        Path("rules.toml").write_text(f"[plugins.catt]\n{policy}\n")
        status = main([*self.ARGV, "rules.toml", *more])
        return status, capsys.readouterr().out.splitlines()

    def test_the_same(self, program, capsys):
        status, lines = self.verified(capsys, "fixed_tlp = [2, 1]", "--file", "data.bin")
        assert status == 0
        assert lines == [
            "patched build, original kernels: same output",
            "patched build: same output",
            "  gpuopt: kernel<<<(1,1,1),(32,1,1),0>>>: catt n=2",
            "patched build, arm:1 (catt): same output",
            "patched build, arm:3 (vtb): same output",
            "compared: 2 versions (catt, vtb), in every way that launches have (arm:0, the original, to arm:3)",
        ]

    def test_each_arm_is_compared(self, program, capsys):
        (program / "run.sh").write_text(RUN + 'if [ "$GPUOPT_DISPATCH" = arm:3 ]; then echo more; fi\n')
        status, lines = self.verified(capsys, "fixed_tlp = [2, 1]")
        assert status == 1
        assert lines[-2] == "patched build, arm:3 (vtb): NOT THE SAME: 1 lines against 2"

    def test_what_was_not_run_is_said(self, program, capsys):
        status, lines = self.verified(capsys, "fixed_tlp = [2, 1]", "--chosen")
        assert status == 0
        assert lines[-1].startswith("compared: 1 version (catt), as the launches choose; other arms were not run: ")
        assert "GPUOPT_DISPATCH=arm:1" in lines[-1]

    def test_another_output(self, program, capsys):
        status, lines = self.verified(capsys, "fixed_tlp = [1, 1]")
        assert status == 1
        assert lines[1] == 'patched build: NOT THE SAME: line 1: "sum 7" against "sum 1"'

    def test_another_file(self, program, capsys):
        (program / "run.sh").write_text("cp built data.bin; echo fine")
        status, lines = self.verified(capsys, "fixed_tlp = [2, 1]", "--file", "data.bin")
        assert status == 1
        assert "in the files that it writes" in lines[0]

    def test_a_program_that_does_not_repeat_itself(self, program, capsys):
        (program / "run.sh").write_text("echo x >> n; wc -c < n")
        assert main([*self.ARGV[:-1]]) == 1
        assert "does not repeat itself: line 1" in capsys.readouterr().err

    def test_what_is_run_is_what_was_built(self, program, capsys):
        Path("a.cu").write_text("int main() {}\n")
        assert main(["verify", "a.cu", "--run", "./a 4096"]) == 2
        assert "--run has no {}" in capsys.readouterr().err
        assert main(["verify", "b.cu"]) == 2
        assert "b.cu: no such file" in capsys.readouterr().err
        assert main(["verify", "."]) == 2
        assert ".: no file" in capsys.readouterr().err

    def test_without_a_gpu_nothing_that_nvcc_builds_is_compared(self, program, capsys, monkeypatch):
        Path("a.cu").write_text("int main() {}\n")
        monkeypatch.setattr("gpuopt_driver.commands.verify.has_gpu", lambda _: False)
        assert main(["verify", "a.cu", "--backend", "nvcc"]) == 1
        assert "no GPU answers here" in capsys.readouterr().err

    def test_the_emulator_does_not_run_what_is_only_measured(self, program, capsys, monkeypatch):
        Path("a.cu").write_text("int main() {}\n")
        monkeypatch.setattr("gpuopt_driver.commands.verify.compile_program", lambda *_: None)
        monkeypatch.setattr(
            "gpuopt_driver.commands.verify.run_program", lambda *_: Outcome(0, "same", b"", b"", b"", 1.0)
        )
        assert main(["verify", "a.cu", "--backend", "emulator"]) == 0
        assert capsys.readouterr().out.splitlines()[-1].startswith("on the emulator: versions that")


def test_what_is_built_has_time_to_clean_up_at_control_c(tmp_path):
    """As a terminal does: all of the group get the signal."""
    (tmp_path / "build.sh").write_text(
        "trap 'sleep 1; rm half; exit 3' INT\ntouch half begun\nwhile :; do sleep 0.1; done\n"
    )
    line = [sys.executable, "-m", "gpuopt_driver", "verify", "--build", "sh build.sh", "--run", "true"]
    with subprocess.Popen(line, cwd=tmp_path, start_new_session=True, stderr=subprocess.PIPE) as running:
        while running.poll() is None and not (tmp_path / "begun").exists():
            time.sleep(0.05)
        os.killpg(running.pid, signal.SIGINT)
        _, err = running.communicate(timeout=60)
    assert running.returncode == 128 + signal.SIGINT
    assert b"Traceback" not in err
    assert not (tmp_path / "half").exists()

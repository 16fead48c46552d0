"""Files of choices: where they are, who may have written them, appending by many, and writing them anew."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.learning import files
from gpuopt_driver.learning.files import Place, append, content, export, place, records_at, rewrite
from gpuopt_driver.learning.records import lines_of, pooled, read
from tests.learning.making import arm, record, spread
from tests.learning.making import records as random_records

ROOT = Path(__file__).parents[2]
OTHER = "fedcba9876543210"


def data_of(*records) -> bytes:
    return b"".join(line for made in records for line in lines_of(made))


def made(number=0, **more):
    """One of many different records of one key."""
    return record(key="a" * 16, launches=number, arms=[arm(pairs=spread(4, 0.1, 0.01))], time=1000 + number, **more)


@pytest.fixture
def env(tmp_path):
    return {"HOME": str(tmp_path)}


class TestPlaces:
    def test_the_command_line_goes_before_the_environment_the_policy_and_the_cache(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        env = {"GPUOPT_CHOICES": "by-env", "GPUOPT_CACHE_DIR": str(tmp_path / "cache")}
        assert place("by-flag", "/by-policy", env) == Place(tmp_path / "by-flag", "--choices")
        assert place("", "/by-policy", env) == Place(tmp_path / "by-env", "GPUOPT_CHOICES")
        del env["GPUOPT_CHOICES"]
        assert place("", "/by-policy", env) == Place(Path("/by-policy"), "[learn] choices")
        assert place("", "", env).path == tmp_path / "cache" / "choices"
        assert not place("", "", env).is_file

    def test_what_is_there_says_whether_it_is_a_file(self, tmp_path):
        (tmp_path / "plain").touch()
        (tmp_path / "dir").mkdir()
        assert Place.named(f"{tmp_path}/plain/", "").is_file
        assert not Place.named(f"{tmp_path}/dir", "").is_file
        assert Place.named(f"{tmp_path}/absent", "").is_file
        assert not Place.named(f"{tmp_path}/absent/", "").is_file

    def test_a_directory_has_a_file_for_each_digest(self, tmp_path, env):
        where = Place.named(f"{tmp_path}/a/b/", "")
        assert records_at(where, env).records == []
        assert append(where, [made(1), made(2, digest=OTHER)], env) == 2
        assert [path.name for path in where.files()] == ["0123456789abcdef.choices", f"{OTHER}.choices"]
        assert records_at(where, env).records == [made(1), made(2, digest=OTHER)]

    def test_a_single_file_has_all(self, tmp_path, env):
        where = Place(tmp_path / "team.choices", "")
        append(where, [made(1), made(2, digest=OTHER)], env)
        assert where.files() == [tmp_path / "team.choices"]
        assert len(records_at(where, env).records) == 2


class TestReading:
    def refused(self, path, env) -> str:
        with pytest.raises(GpuoptError) as caught:
            content(path, env)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    @pytest.mark.parametrize("mode", [0o666, 0o602])
    def test_what_others_can_write_is_not_used(self, tmp_path, env, mode):
        path = tmp_path / "x.choices"
        path.write_bytes(data_of(made()))
        path.chmod(mode)
        assert "can be written to by all users; make it yours alone" in self.refused(path, env)
        path.chmod(0o644)
        path.chmod(0o664)
        assert "can be written to by its group; make it yours alone" in self.refused(path, env)
        path.chmod(0o644)
        tmp_path.chmod(0o777)
        assert "can be written to by all users" in self.refused(path, env)

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
    def test_what_belongs_to_another_user_is_not_used(self, tmp_path, env):
        path = tmp_path / "x.choices"
        path.write_bytes(data_of(made()))
        os.chown(path, 12345, 12345)
        assert "belongs to another user (uid 12345)" in self.refused(path, env)

    def test_links_pipes_and_directories_are_not_read(self, tmp_path, env):
        (tmp_path / "real").write_bytes(data_of(made()))
        (tmp_path / "link").symlink_to(tmp_path / "real")
        os.mkfifo(tmp_path / "pipe")
        assert "symbolic link" in self.refused(tmp_path / "link", env)
        assert "not a regular file" in self.refused(tmp_path / "pipe", env)
        assert "not a regular file" in self.refused(tmp_path, env)
        assert "No such file" in self.refused(tmp_path / "absent", env)

    def test_one_file_that_is_refused_costs_no_other(self, tmp_path, env):
        append(Place(tmp_path, ""), [made(1), made(2, digest=OTHER)], env)
        (tmp_path / f"{OTHER}.choices").chmod(0o666)
        (tmp_path / "0123456789abcdef.choices").open("ab").write(b"junk\n")
        found = records_at(Place(tmp_path, ""), env)
        assert (found.records, found.damaged, len(found.refused)) == ([made(1)], 1, 1)
        with pytest.raises(GpuoptError):
            records_at(Place(tmp_path / f"{OTHER}.choices", ""), env)

    def test_of_a_file_that_is_too_large_the_newest_count(self, tmp_path, env, monkeypatch):
        lines = [data_of(made(number)) for number in range(5)]
        path = tmp_path / "x.choices"
        path.write_bytes(b"".join(lines))
        monkeypatch.setattr(files, "MOST_BYTES", len(lines[4]) + len(lines[3]) + 7)
        reading = read(content(path, env))
        assert (reading.records, reading.damaged) == ([made(3), made(4)], 0)


class TestAppending:
    def test_what_is_there_already_is_not_added_again(self, tmp_path, env):
        where = Place(tmp_path, "")
        assert append(where, [made(1), made(2)], env, once=True) == 2
        assert append(where, [made(2), made(3), made(3)], env, once=True) == 1
        assert records_at(where, env).records == [made(1), made(2), made(3)]

    def test_what_several_runs_measured_counts_although_it_is_the_same(self, tmp_path, env):
        where = Place(tmp_path, "")
        assert append(where, [made(1), made(1)], env) == 2
        assert append(where, [made(1)], env) == 1
        assert records_at(where, env).records == [made(1)] * 3

    def test_a_line_that_was_cut_is_ended_first(self, tmp_path, env):
        path = tmp_path / "x.choices"
        path.write_bytes(data_of(made(1)) + data_of(made(2))[:-20])
        append(Place(path, ""), [made(3)], env)
        assert data_of(made(3)) in path.read_bytes().splitlines(keepends=True)
        reading = read(path.read_bytes())
        assert (reading.records, reading.damaged) == ([made(1), made(3)], 1)

    def test_a_full_disk_is_an_error(self, tmp_path, env, monkeypatch):
        write = os.write
        monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:100]))
        with pytest.raises(OSError, match="No space left"):
            append(Place(tmp_path, ""), [made(1)], env)
        monkeypatch.undo()
        append(Place(tmp_path, ""), [made(2)], env)
        assert records_at(Place(tmp_path, ""), env).records == [made(2)]

    def test_no_link_is_followed(self, tmp_path, env):
        (tmp_path / "x.choices").symlink_to(tmp_path / "target")
        with pytest.raises(GpuoptError, match="symbolic link"):
            append(Place(tmp_path / "x.choices", ""), [made(1)], env)
        assert not (tmp_path / "target").exists()

    def test_sixteen_processes_at_once_lose_nothing(self, tmp_path):
        script = (
            "import sys\nfrom pathlib import Path\nfrom gpuopt_driver.learning.files import _write\n"
            "for line in Path(sys.argv[2]).read_bytes().splitlines(keepends=True):\n"
            "    _write(Path(sys.argv[1]), [line], is_cut=False)\n"
        )
        path = tmp_path / "x.choices"
        argv = (sys.executable, "-c", script, str(path))
        for number in range(16):
            lines = data_of(*map(made, range(20 * number, 20 * number + 20)))
            assert lines.count(b"\n") == 20
            (tmp_path / str(number)).write_bytes(lines)
        running = [subprocess.Popen([*argv, str(number)], cwd=tmp_path) for number in range(16)]
        assert [one.wait() for one in running] == [0] * 16
        reading = read(path.read_bytes())
        assert reading.damaged == 0
        assert sorted(one.launches for one in reading.records) == list(range(320))

    def test_a_key_has_a_bounded_number_of_lines(self, tmp_path, env):
        where = Place(tmp_path, "")
        several = [made(number) for number in range(150)]
        for one in several:
            append(where, [one], env)
        records = records_at(where, env).records
        assert len(records) <= files.MOST_LINES
        (total,) = pooled(records)
        assert total.launches == sum(range(150))
        assert [arm.pairs.count for arm in total.arms] == [20 * 150, 4 * 150]
        assert made(149) in records  # the newest stand alone


class TestWritingAnew:
    def test_it_keeps_what_it_is_told_to_and_the_files_mode(self, tmp_path, env):
        path = tmp_path / "x.choices"
        path.write_bytes(data_of(made(1), made(2)) + b"junk\n")
        path.chmod(0o600)
        rewrite(path, lambda records: [one for one in records if one.launches == 2], env)
        assert path.read_bytes() == data_of(made(2))
        assert path.stat().st_mode & 0o777 == 0o600
        rewrite(path, lambda _: [], env)
        assert not path.exists()

    @pytest.mark.parametrize("kept", [0, 1])
    def test_what_is_appended_meanwhile_is_kept(self, tmp_path, env, kept):
        path = tmp_path / "x.choices"
        path.write_bytes(data_of(made(1)))
        with path.open("ab", buffering=0) as program:

            def change(records):
                program.write(data_of(made(7)))
                return records[:kept]

            rewrite(path, change, env)
        assert read(path.read_bytes()).records == [made(1), made(7)][1 - kept :]

    def test_an_export_is_one_line_a_key_in_order(self, tmp_path, env):
        several = [made(1), record("b", key="c" * 16), made(2), record("a", key="b" * 16)]
        for name, records in (("x", several), ("y", several[::-1])):
            export(tmp_path / name, records, env)
        assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()
        back = read((tmp_path / "x").read_bytes()).records
        assert [(one.kernel, one.launches) for one in back] == [("a", 100), ("b", 100), ("gesummv", 3)]
        assert back[2].time == 1002

    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(random_records(st.sampled_from(["0" * 16, "1" * 16])), min_size=1, max_size=8), st.randoms())
    def test_an_export_is_the_same_whatever_the_order(self, tmp_path, env, records, numbers):
        export(tmp_path / "x", records, env)
        numbers.shuffle(records)
        export(tmp_path / "y", records, env)
        assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()

    def test_an_export_writes_over_choices_alone(self, tmp_path, env):
        (tmp_path / "main.cu").write_text("int main() {}\n")
        with pytest.raises(GpuoptError, match="holds no choices; name another file"):
            export(tmp_path / "main.cu", [made(1)], env)
        assert (tmp_path / "main.cu").read_text() == "int main() {}\n"
        export(tmp_path / "x", [made(1)], env)
        export(tmp_path / "x", [made(2)], env)
        assert read((tmp_path / "x").read_bytes()).records == [made(2)]

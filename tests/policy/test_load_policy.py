"""toolchain.toml to Policy: where it is found, what overrides what, where each value came from."""

from __future__ import annotations

from pathlib import Path

import pytest
import tomli

import gpuopt_driver.arch
from gpuopt_driver import given
from gpuopt_driver.errors import PolicyError
from gpuopt_driver.policy import Origin, load_policy
from gpuopt_driver.policy.load import default_text
from gpuopt_driver.policy.schema import DEFAULT, DriverPolicy, Policy

ROOT = Path(__file__).parents[2]


def load(directory, text=None, sources=("a.cu",), **arguments):
    if text is not None:
        (directory / "toolchain.toml").write_text(text)
    return load_policy(sources, **{"env": {}, "cwd": str(directory), **arguments})


class TestDefaults:
    def test_the_shipped_file_says_what_is_built_in(self, tmp_path):
        shipped = load(tmp_path, default_text())
        builtin = load_policy((), env={}, cwd="/")
        assert shipped.driver == builtin.driver == DriverPolicy()
        assert (shipped.gpu, shipped.phases, shipped.kernels) == (builtin.gpu, (), ())
        assert all(plugin.enabled and not plugin.options for plugin in shipped.plugins.values())

    def test_the_shipped_file_shows_every_key_of_driver(self):
        assert list(tomli.loads(default_text())["driver"]) == list(DriverPolicy.__slots__)

    def test_the_commented_examples_are_valid(self, tmp_path):
        lines = default_text().splitlines()
        examples = "\n".join(
            line[2:] for line in lines if line.startswith(("# [[", "# name", "# source", "# plugins", "# catt"))
        )
        policy = load(tmp_path, examples)
        assert [phase.name for phase in policy.phases] == ["throttle"]
        assert not policy.of_plugin("catt", "spmv_csr", "spmv_csr", "/x/solver/a.cu").enabled

    def test_the_repository_has_the_same_file(self):
        assert (ROOT / "toolchain.toml").read_text() == default_text()

    def test_without_any_file(self):
        policy = load_policy((), env={}, cwd="/")
        assert policy.path == ""
        assert policy == Policy(origins=policy.origins)
        assert set(policy.origins.values()) == {DEFAULT}


class TestFinding:
    def test_upwards_from_the_first_source_then_from_the_working_directory(self, tmp_path):
        deep, other = tmp_path / "project/src/deep", tmp_path / "other/build"
        deep.mkdir(parents=True)
        other.mkdir(parents=True)
        (tmp_path / "project/toolchain.toml").write_text("[driver]\nbackend='nvcc'")
        (tmp_path / "other/toolchain.toml").write_text("[driver]\nbackend='emulator'")
        assert load_policy(["../../project/src/deep/a.cu", "b.cu"], env={}, cwd=str(other)).driver.backend == "nvcc"
        assert load_policy([str(deep / "a.cu")], env={}, cwd=str(other)).driver.backend == "nvcc"
        assert load_policy([], env={}, cwd=str(other)).driver.backend == "emulator"
        assert load_policy([str(tmp_path / "a.cu")], env={}, cwd=str(other)).driver.backend == "emulator"

    def test_the_nearest_file_wins(self, tmp_path):
        (tmp_path / "src").mkdir()
        (tmp_path / "toolchain.toml").write_text("[driver]\nbackend='nvcc'")
        (tmp_path / "src/toolchain.toml").write_text("[driver]\nbackend='emulator'")
        assert load_policy(["src/a.cu"], env={}, cwd=str(tmp_path)).driver.backend == "emulator"

    def test_explicit_before_environment_before_search(self, tmp_path):
        for name, backend in (("toolchain", "auto"), ("env", "nvcc"), ("flag", "emulator")):
            (tmp_path / f"{name}.toml").write_text(f"[driver]\nbackend='{backend}'")
        env = {"GPUOPT_POLICY": "env.toml"}
        assert load(tmp_path).driver.backend == "auto"
        assert load(tmp_path, env=env).driver.backend == "nvcc"
        assert load(tmp_path, env=env, explicit="flag.toml").driver.backend == "emulator"

    def test_named_files_must_exist(self, tmp_path):
        with pytest.raises(PolicyError, match=r"^no.toml: no such policy file; `gpuopt init` writes one$"):
            load(tmp_path, explicit="no.toml")
        with pytest.raises(PolicyError, match=r"^GPUOPT_POLICY: no.toml: no such policy file"):
            load(tmp_path, env={"GPUOPT_POLICY": "no.toml"})

    def test_unreadable_file(self, tmp_path, monkeypatch):
        def refuse(*_):
            raise PermissionError(13, "Permission denied")

        (tmp_path / "toolchain.toml").write_text("")
        monkeypatch.setattr(given.os, "open", refuse)
        with pytest.raises(PolicyError, match=r"^toolchain.toml: cannot read policy: Permission denied; correct or"):
            load(tmp_path)

    def test_a_file_outside_the_working_directory_is_named_in_full(self, tmp_path):
        (tmp_path / "sub").mkdir()
        (tmp_path / "toolchain.toml").write_text("x = 1")
        with pytest.raises(PolicyError, match=f"^{tmp_path}/toolchain.toml:1: unknown table 'x'"):
            load_policy([], env={}, cwd=str(tmp_path / "sub"))


class TestOrigins:
    TEXT = "# c\n[driver]\nbackend = 'nvcc'\nverbose = true\n[gpu]\n\nname = 'gtx480'\n[plugins.catt]\nmargin = 2\n"

    def test_each_value_knows_its_line(self, tmp_path):
        policy = load(tmp_path, self.TEXT)
        assert policy.origins["driver.backend"] == Origin("toolchain.toml", 3)
        assert policy.origins["gpu.name"] == Origin("toolchain.toml", 7)
        assert policy.origins["driver.nvcc"] == DEFAULT
        assert policy.plugins["catt"].origins == {"margin": Origin("toolchain.toml", 9)}
        assert str(policy.plugins["catt"].table) == "toolchain.toml:8"

    def test_environment_overrides_the_file_and_flags_override_both(self, tmp_path):
        env = {"GPUOPT_BACKEND": "emulator", "GPUOPT_GPU": "h200", "GPUOPT_NVCC": "/opt/nvcc"}
        policy = load(tmp_path, self.TEXT, env=env)
        assert (policy.driver.backend, policy.gpu, policy.driver.nvcc) == ("emulator", "h200", "/opt/nvcc")
        assert policy.origins["gpu.name"] == Origin("GPUOPT_GPU")
        policy = load(tmp_path, env=env, flags={"backend": "auto", "gpu": "titan-v"})
        assert (policy.driver.backend, policy.gpu) == ("auto", "titan-v")
        assert policy.origins["driver.backend"] == Origin("--gpuopt-backend")
        assert policy.driver.verbose

    def test_empty_variables_set_nothing(self, tmp_path):
        assert load(tmp_path, self.TEXT, env={"GPUOPT_BACKEND": "", "GPUOPT_POLICY": ""}).driver.backend == "nvcc"


class TestGpu:
    def test_a_path_is_relative_to_where_it_is_written(self, tmp_path):
        arch = (Path(gpuopt_driver.arch.__file__).parent / "titan-v.toml").read_text()
        (tmp_path / "src").mkdir()
        (tmp_path / "my.toml").write_text(arch)
        (tmp_path / "toolchain.toml").write_text("[gpu]\nname = './my.toml'")
        policy = load_policy([], env={}, cwd=str(tmp_path / "src"))
        assert Path(policy.gpu).samefile(tmp_path / "my.toml")
        with pytest.raises(PolicyError, match=r"^GPUOPT_GPU: ./my.toml: no such GPU file$"):
            load_policy([], env={"GPUOPT_GPU": "./my.toml"}, cwd=str(tmp_path / "src"))


class TestTables:
    def test_phases(self, tmp_path):
        text = "[[phase]]\nname = 'first'\nplugins = ['b', 'a']\n[[phase]]\nplugins = ['c']\n"
        phases = load(tmp_path, text).phases
        assert [(phase.name, phase.plugins) for phase in phases] == [("first", ("b", "a")), ("phase 2", ("c",))]
        assert str(phases[1].origin) == "toolchain.toml:5"

    def test_kernel_rules_override_in_file_order(self, tmp_path):
        text = """
            [plugins.catt]
            enabled = false
            margin = 1.5
            [[kernel]]
            name = "gemm*"
            plugins.catt.enabled = true
            [[kernel]]
            source = "solver/*.cu"
            [kernel.catt]
            margin = 2.5
            [[kernel]]
            name = "ns::gemm_small"
            plugins = { catt = { enabled = false } }
        """
        policy = load(tmp_path, text)

        def of(kernel, source="/p/main.cu", namespace=""):
            found = policy.of_plugin("catt", kernel, namespace + kernel, source)
            return found.enabled, found.options["margin"]

        assert of("other") == (False, 1.5)
        assert of("gemm_a") == (True, 1.5)
        assert of("gemm_a", "/p/solver/x.cu") == (True, 2.5)
        assert of("other", "/p/solver/x.cu") == (False, 2.5), "an option alone switches nothing on"
        assert of("gemm_small", namespace="ns::") == (False, 1.5)


WRONG = [
    ("[driver]\nbackend = 'nvcc'\n\nbackned = 1", "4: unknown key 'backned' in [driver]; did you mean 'backend'?"),
    ("[driver]\nx = 1", "2: unknown key 'x' in [driver]; valid: 'backend', 'nvcc'"),
    ("[driver]\nbackend = 'emu'", '2: backend in [driver] must be one of "auto", "nvcc", "emulator", not "emu"; did'),
    ("[driver]\nbackend = 3", "2: backend in [driver] must be a string, not 3"),
    ("[driver]\nverbose = 'yes'", '2: verbose in [driver] must be true or false, not "yes"'),
    ("[driver]\nplugin_seconds = true", "2: plugin_seconds in [driver] must be a number, not true"),
    ("[driver]\nmemory_mb = 50", "2: memory_mb in [driver] must be at least 100, not 50"),
    ("[driver]\nmemory_mb = 1", "2: memory_mb in [driver] must be at least 100, not 1"),
    ("[driver]\nplugin_seconds = 0", "2: plugin_seconds in [driver] must be at least 0.1, not 0.0"),
    ("driver = 1", "1: driver must be a table"),
    ("\n[dirver]\n", "2: unknown table 'dirver' in the file; did you mean 'driver'?"),
    ("[gpu]\nnmae = 'h200'", "2: unknown key 'nmae' in [gpu]; did you mean 'name'?"),
    ("[gpu]\nname = 'h20'", "2: unknown GPU 'h20'; did you mean 'h200'?"),
    ("[gpu]\nname = 200", "2: name in [gpu] must be a string"),
    ("[phase]\nname = 'x'", "1: phase must be an array of tables; write [[phase]]"),
    ("[[phase]]\nplugin = ['x']", "2: unknown key 'plugin' in [[phase]]; did you mean 'plugins'?"),
    ("[[phase]]\nname = 'x'", "1: plugins in [[phase]] must be an array of plugin names"),
    ("[[phase]]\nplugins = 'x'", "2: plugins in [[phase]] must be an array of plugin names"),
    ("[[phase]]\nname = 'p'\nplugins = ['x']\n[[phase]]\nplugins = ['x']", "5: plugin 'x' is already in phase 'p'"),
    ("[plugins]\ncatt = true", "2: plugins.catt must be a table"),
    ("[plugins.catt]\nenabled = 1", "2: enabled in [plugins.catt] must be true or false"),
    ("[[kernel]]\n[[kernel]]\nnam = 'x'", "3: unknown key 'nam' in [[kernel]]; did you mean 'name'?"),
    ("[[kernel]]\ncatt = 1", "2: unknown key 'catt' in [[kernel]]; valid: 'name', 'source', 'plugins'"),
    ("[[kernel]]\ncatt = {}\nplugins.catt = {}", "2: plugin 'catt' stands twice in this [[kernel]]"),
    ("[[kernel]]\ncatt.enabled = 1", "2: enabled in [plugins.catt] must be true or false"),
    ("[[kernel]]\nplugins = 1", "2: plugins in [[kernel]] must be a table"),
    ("[[kernel]]\nsource = 1", "2: source in [[kernel]] must be a string"),
    ("[[kernel]]\nplugins = { catt = {\"enabled\" = 'x'} }", "2: enabled in [plugins.catt] must be true or false"),
    ("a = ", "1: not TOML: a value is missing"),
    ("[plugins.catt]\nenabled = yes  # please", "2: not TOML: 'yes' is no value; did you mean true?"),
    ("[plugins.catt]\nenabled = False", "2: not TOML: 'False' is no value; did you mean false?"),
    ("[driver]\nnvcc = None\n", "2: not TOML: 'None' is no value; leave the key out"),
    ("[gpu]\nname = h200\n", "2: not TOML: 'h200' is no value; text stands in quotes: \"h200\""),
    ("[plugins.catt]\nfixed_tlp = [4, two]\n", "2: not TOML: 'two' is no value; text stands in quotes"),
    ("[plugins.catt]\nfixed_tlp = [4, =]\n", "2: not TOML: a value is missing"),
    ("[driver]\nbackend = 'x\n", "2: not TOML"),
    ("x = 1\nx = 2", "2: not TOML"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[message for _, message in WRONG])
def test_wrong_files_are_one_line_with_place_and_way_out(tmp_path, text, message):
    with pytest.raises(PolicyError) as caught:
        load(tmp_path, text)
    assert str(caught.value).startswith(f"toolchain.toml:{message}")
    assert "\n" not in str(caught.value)


def test_wrong_bytes(tmp_path):
    (tmp_path / "toolchain.toml").write_bytes(b"# \xff\n")
    with pytest.raises(PolicyError, match=r"^toolchain.toml:1: not UTF-8 text \(byte 2\); correct or"):
        load(tmp_path)


def test_a_byte_order_mark_is_no_error(tmp_path):
    (tmp_path / "toolchain.toml").write_bytes(b"\xef\xbb\xbf[driver]\nverbose = true\n")
    assert load(tmp_path).driver.verbose


def test_wrong_environment_and_flags_say_which(tmp_path):
    with pytest.raises(PolicyError, match=r"^GPUOPT_BACKEND: backend in \[driver\] must be one of"):
        load(tmp_path, env={"GPUOPT_BACKEND": "cuda"})
    with pytest.raises(PolicyError, match=r"^--gpuopt-gpu: unknown GPU 'titanv'; did you mean 'titan-v'\?$"):
        load(tmp_path, flags={"gpu": "titanv"})

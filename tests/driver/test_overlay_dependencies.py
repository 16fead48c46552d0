"""The policy as a dependency: in nvcc's dependency files where a plugin could patch, and nowhere else."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from gpuopt_driver.nvcc.dependencies import with_dependencies, with_empty_rule, with_prerequisite
from tests.driver.support import UNCOMPILABLE, gpuopt_nvcc, run, wrapper
from tests.ours import DISABLED, switched_off

KERNEL = "__global__ void k(float *a) { a[threadIdx.x] *= 2; }\nint main() { k<<<1, 32>>>(0); }\n"
ON = "[plugins.catt]\n"
OFF = switched_off()
PATCH = {"everywhere": [("*= 2", "*= 3")]}
COMPILE = ("-std=c++14", "-c", "a.cu", "-o", "out/a.o", "-MD", "--keep", "--keep-dir", "out")


@pytest.mark.parametrize(
    "text",
    [
        *(
            b"",
            b"int x;\n",
            b"int x;",
            b"int x;\r\n",
            b"\xef\xbb\xbfint x; // \xff\n",
            b"#define A \\\n",
            b"#define A \\",
        ),
        *(b"// end \\ \r\n", b"/* open */", b"#if 0\n#endif", b'R"(raw)"\n'),
    ],
)
def test_the_last_line_is_always_a_marker(text: bytes, tmp_path: Path, host_compiler: str) -> None:
    """However a file ends, preprocessing it gives what it gave, and the names."""
    source = tmp_path / "a.cpp"
    names = ["plain.toml", 'a "b" \\ c.toml', "é.toml", "with\nline feed"]

    def preprocess(data: bytes) -> tuple[list[bytes], list[bytes]]:
        source.write_bytes(data)
        line = [host_compiler, "-E", "-std=gnu++17", "a.cpp"]
        out = subprocess.run(line, cwd=tmp_path, capture_output=True, check=True).stdout.splitlines()
        markers = [one for one in out if one.startswith(b"#")]
        return [one.rstrip() for one in out if one.strip() and one not in markers], markers

    body, _ = preprocess(text)
    marked, markers = preprocess(with_dependencies(text, names))
    assert marked == body
    if "clang" not in os.path.realpath(host_compiler):
        assert markers[-3:] == [b'# 1 "plain.toml"', b'# 1 "a \\"b\\" \\\\ c.toml"', '# 1 "é.toml"'.encode()]
    assert with_dependencies(text, ["with\nline feed"]) is text


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "a project" / "src"
    (root / "out").mkdir(parents=True)
    (root / "a.cu").write_text(KERNEL)
    (root / "host.cu").write_text("int one() { return 1; }\n")
    (root.parent / "toolchain.toml").write_text(ON)
    return root


def products(project: Path) -> dict[str, str]:
    found = {path.name: path.read_bytes() for path in (project / "out").iterdir()}
    return {name: hashlib.sha256(data).hexdigest() for name, data in found.items()}


def lines_of(depfile: Path) -> list[str]:
    return depfile.read_text().replace("\\\n", "\n").replace("\\ ", "\0").split()


@pytest.mark.nvcc
def test_a_dependency_file_names_the_policy_and_nothing_else_changes(project: Path, real_nvcc: str) -> None:
    """Of a unit that is not patched: whoever changes the policy may have it patched."""
    env = {"GPUOPT_NVCC": real_nvcc}
    theirs = run([real_nvcc, *COMPILE], project)
    plain, expected = products(project), lines_of(project / "out" / "a.d")
    ours = gpuopt_nvcc(*COMPILE, cwd=project, optimizer={}, env=env)
    assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)
    assert lines_of(project / "out" / "a.d") == [*expected, "../toolchain.toml", "../toolchain.toml:"]
    named = {"a.d", "a.cpp1.ii", "a.cpp4.ii"}  # all that has line markers
    assert {name for name, digest in products(project).items() if plain[name] != digest} == named
    source = str(project / "a.cu")
    for option in ("-M", "-MM"):
        theirs = run([real_nvcc, option, source], project)
        ours = gpuopt_nvcc(option, source, cwd=project, optimizer={"raise": "not to be analysed"}, env=env)
        policy = str(project.parent / "toolchain.toml").replace(" ", "\\ ")
        assert ours.stdout == theirs.stdout.rstrip(b"\n") + f" \\\n    {policy}\n\n{policy}:\n".encode()
        assert (ours.returncode, ours.stderr) == (0, b"")


@pytest.mark.nvcc
@pytest.mark.parametrize("how", ["plugins off", "no plugin", "gpuopt off", "no kernel"])
def test_where_nothing_could_be_patched_all_is_nvccs(project: Path, real_nvcc: str, how: str) -> None:
    line = tuple(word.replace("a.cu", "host.cu") for word in COMPILE) if how == "no kernel" else COMPILE
    run([real_nvcc, *line], project)
    expected = products(project)
    shutil.rmtree(project / "out")
    (project / "out").mkdir()
    if how == "plugins off":
        (project.parent / "toolchain.toml").write_text(OFF)
    env = {"GPUOPT_NVCC": real_nvcc, "GPUOPT_OFF": "1" if how == "gpuopt off" else None}
    if how == "no plugin":
        env["GPUOPT_DISABLE_PLUGINS"] = DISABLED
    done = gpuopt_nvcc(*line, cwd=project, optimizer={}, env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    assert products(project) == expected


@pytest.mark.nvcc
def test_a_build_that_goes_on_without_its_patches_depends_on_the_policy(project: Path, real_nvcc: str) -> None:
    """Who corrects the policy gets what it now says."""
    patch = {"replace": [("a.cu", "*= 2", "*= oops")]}
    done = gpuopt_nvcc(*COMPILE, cwd=project, optimizer=patch, env={"GPUOPT_NVCC": real_nvcc})
    assert done.returncode == 0
    assert done.stderr == UNCOMPILABLE
    assert lines_of(project / "out" / "a.d")[-2:] == ["../toolchain.toml", "../toolchain.toml:"]
    assert b"oops" not in (project / "out" / "a.cpp4.ii").read_bytes()


@pytest.mark.parametrize(
    ("depfile", "expected"),
    [
        (b"a.o: a.cu\n", b"a.o: a.cu \\\n x\\ y.toml\n"),
        (b"a.o: a\\ b.cu \\\n  c.h\n\nc.h:\n", b"a.o: a\\ b.cu \\\n  c.h \\\n x\\ y.toml\n\nc.h:\n"),
        (b"", b""),
    ],
)
def test_a_prerequisite_is_added_to_the_first_rule(depfile: bytes, expected: bytes) -> None:
    assert with_prerequisite(depfile, "x y.toml") == expected


def test_a_rule_is_added_once() -> None:
    """-MP has nvcc write the rule, and what is named already is not named again."""
    made = with_empty_rule(with_prerequisite(b"a.o: a.cu\n", "x y.toml"), "x y.toml")
    assert made == b"a.o: a.cu \\\n x\\ y.toml\n\nx\\ y.toml:\n"
    assert with_empty_rule(with_prerequisite(made, "x y.toml"), "x y.toml") == made
    assert with_empty_rule(with_prerequisite(b"a.o: a.cu\n", "a\nb"), "a\nb") == b"a.o: a.cu\n"


@pytest.mark.parametrize("policy", [ON, OFF])
def test_a_build_for_the_cpu_depends_on_the_policy(project: Path, host_compiler: str, policy: str) -> None:
    (project.parent / "toolchain.toml").write_text(policy)
    done = gpuopt_nvcc("--gpuopt-backend=emulator", "-c", "a.cu", "-o", "out/a.o", "-MMD", cwd=project, optimizer={})
    assert (done.returncode, done.stderr) == (0, b"")
    named = ["../toolchain.toml", "../toolchain.toml:"] if policy == ON else []
    assert lines_of(project / "out" / "a.d") == ["out/a.o:", "a.cu", *named]


@pytest.mark.nvcc
def test_ccache_is_told_of_everything(project: Path, real_nvcc: str) -> None:
    """What it compares are the files that line markers name, and the text."""
    texts = []
    for patch in (PATCH, {}):
        env = {"GPUOPT_NVCC": real_nvcc, "CCACHE_DISABLE": "1"}
        done = gpuopt_nvcc("-E", "a.cu", cwd=project, optimizer=patch, env=env)
        assert done.returncode == 0
        texts.append([line for line in done.stdout.splitlines() if line.startswith(b'# 1 "')])
    for lines in texts:
        assert b'# 1 "../toolchain.toml"' in lines
        assert any(line.endswith(b'catt/decide.py"') for line in lines)
        assert lines[-1].startswith(b'# 1 "<gpuopt ')
    assert texts[0][:-1] == texts[1][:-1]
    assert texts[0][-1] != texts[1][-1]


NINJA = """\
rule cu
  command = $nvcc -MD -c $in -o $out
  depfile = $out_d
  deps = gcc
build a.o: cu a.cu
  out_d = a.d
build host.o: cu host.cu
  out_d = host.d
"""


@pytest.mark.nvcc
def test_ninja_builds_again_what_a_changed_policy_decides(project: Path, tmp_path: Path, real_nvcc: str) -> None:
    ninja = shutil.which("ninja")
    if ninja is None:
        pytest.skip("no ninja on this machine")
    compiler = wrapper(tmp_path / "bin" / "gpuopt-nvcc", {})
    (project / "build.ninja").write_text(f"nvcc = {compiler}\n{NINJA}")
    env = {**os.environ, "GPUOPT_NVCC": real_nvcc}
    assert b"[2/2]" in run([ninja], project, env).stdout
    assert b"no work to do" in run([ninja], project, env).stdout
    os.utime(project.parent / "toolchain.toml")
    out = run([ninja, "-v"], project, env).stdout
    assert b"[1/1]" in out
    assert b"a.cu" in out
    assert b"no work to do" in run([ninja], project, env).stdout

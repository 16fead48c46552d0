"""Reading nvcc command lines: phases, inputs, architectures, lists and quotes, files and environment."""

from __future__ import annotations

import pytest

from gpuopt_driver.errors import UsageError
from gpuopt_driver.nvcc.command import NvccCommand, Phase, parse_command
from gpuopt_driver.nvcc.inputs import InputKind
from gpuopt_driver.nvcc.options import OPTIONS, Arity, known_to, match
from gpuopt_driver.nvcc.tokens import join_list, split_list
from gpuopt_driver.patching import worth_analysing


def parse(*argv: str, env: dict[str, str] | None = None, cwd: str = "/project") -> NvccCommand:
    return parse_command(argv, env or {}, cwd)


def line(text: str) -> NvccCommand:
    return parse(*text.split())


def test_an_ordinary_compile_line() -> None:
    command = line("-O3 -arch=sm_90 -I inc -Iother,third -DA=1 -D B,C -isystem sys -std=c++17 -c a.cu -o out/a.o")
    assert command.phase is Phase.COMPILE
    assert [item.path for item in command.cuda_inputs] == ["a.cu"]
    assert command.cuda_inputs[0].absolute == "/project/a.cu"
    assert command.output == "out/a.o"
    assert command.include_dirs == ("inc", "other", "third")
    assert command.system_dirs == ("sys",)
    assert command.defines == ("A=1", "B", "C")
    assert command.std == "c++17"
    assert command.archs == (90,)
    assert command.optimization == "3"
    assert command.has_host_code
    assert not command.rdc
    assert not command.links


@pytest.mark.parametrize(
    ("argv", "phase"),
    [
        ("a.cu", Phase.LINK),
        ("-c a.cu", Phase.COMPILE),
        ("--compile a.cu", Phase.COMPILE),
        ("-dw a.cu", Phase.COMPILE),
        ("-dc a.cu", Phase.DEVICE_COMPILE),
        ("-ptx a.cu", Phase.PTX),
        ("--ptx -c a.cu", Phase.PTX),
        ("-cubin a.cu", Phase.CUBIN),
        ("-fatbin a.cu", Phase.FATBIN),
        ("-optix-ir a.cu", Phase.OPTIX_IR),
        ("-dlto -ltoir a.cu", Phase.LTO_IR),
        ("-cuda a.cu", Phase.CUDA),
        ("-E -c a.cu", Phase.PREPROCESS),
        ("-M -E a.cu", Phase.DEPENDENCIES),
        ("-MM a.cu", Phase.DEPENDENCIES),
        ("-MD -c a.cu", Phase.COMPILE),
        ("-lib a.cu", Phase.LIBRARY),
        ("-dlink a.o", Phase.DEVICE_LINK),
        ("-run a.cu", Phase.RUN),
        ("--version", Phase.INFO),
        ("-V", Phase.INFO),
        ("-h a.cu", Phase.INFO),
        ("--list-gpu-arch", Phase.INFO),
    ],
)
def test_phase(argv: str, phase: Phase) -> None:
    assert parse(*argv.split()).phase is phase


@pytest.mark.parametrize(
    ("argv", "host"),
    [("-ptx", False), ("-cubin", False), ("-fatbin", False), ("-optix-ir", False), ("-c", True), ("", True)],
)
def test_host_code(argv: str, host: bool) -> None:
    assert parse(*argv.split(), "a.cu").has_host_code is host


@pytest.mark.parametrize(
    ("argv", "numbers", "native"),
    [
        ("", (), False),
        ("-arch=sm_90", (90,), False),
        ("-arch sm_90a", (90,), False),
        ("--gpu-architecture=compute_80", (80,), False),
        ("-arch=compute_80 -code=sm_80,sm_86", (80, 86), False),
        ("-arch=compute_80 -code=sm_86 -code sm_89", (86, 89), False),
        ("-gencode arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=[sm_90,compute_90]", (80, 90), False),
        ('--generate-code=arch=compute_75,code="sm_75,sm_86"', (75, 86), False),
        ("-arch=sm_80 -gencode arch=compute_90,code=sm_90", (80, 90), False),
        ("-arch=native", (), True),
        ("-arch=all-major", (75, 80, 90, 100, 110, 120), False),
        ("-arch=lto_80", (80,), False),
        ("-arch=sm_35 -arch=sm_70", (70,), False),
        ("-arch=nonsense", (), False),
    ],
)
def test_architectures(argv: str, numbers: tuple[int, ...], native: bool) -> None:
    command = parse(*argv.split(), "-c", "a.cu")
    assert command.archs == numbers
    assert command.architectures.native is native
    assert [item.path for item in command.inputs] == ["a.cu"]


def test_input_kinds() -> None:
    command = parse("a.cu", "b.cpp", "c.c", "d.o", "libx.a", "liby.so", "libz.so.1.2", "k.ptx", "q.cuh", "e.ii", "-")
    assert [item.kind for item in command.inputs] == [
        InputKind.CUDA,
        InputKind.CXX,
        InputKind.C,
        InputKind.OBJECT,
        InputKind.LIBRARY,
        InputKind.LIBRARY,
        InputKind.LIBRARY,
        InputKind.PTX,
        InputKind.UNKNOWN,
        InputKind.PREPROCESSED,
        InputKind.UNKNOWN,
    ]
    assert command.link_inputs == ("d.o", "libx.a", "liby.so", "libz.so.1.2")
    assert command.inputs[-1].is_stdin


@pytest.mark.parametrize("argv", ["-x cu h.cpp", "h.cpp -x cu", "-x=cu h.cpp", "--x cu h.cpp"])
def test_language_counts_wherever_it_stands(argv: str) -> None:
    assert [item.path for item in parse(*argv.split()).cuda_inputs] == ["h.cpp"]


def test_a_cu_file_as_cxx_is_not_cuda() -> None:
    assert parse("-x", "c++", "a.cu").cuda_inputs == ()


def test_standard_input_is_not_a_file_to_patch() -> None:
    assert parse("-x", "cu", "-").cuda_inputs == ()


def test_quotes_and_commas() -> None:
    command = parse(
        '-DMSG="hello, world"',
        "-DF(x)=7",
        "-DA=1\\,2,B=3",
        '-I"x,y"',
        "-I",
        "a b",
        "-Xcompiler",
        ',"-fPIC","-O2"',
        "a.cu",
    )
    assert command.defines == ('MSG="hello, world"', "F(x)=7", "A=1,2", "B=3")
    assert command.include_dirs == ("x,y", "a b")
    assert command.compiler_options == ("-fPIC", "-O2")


def test_host_options_are_what_the_shell_makes_of_them() -> None:
    command = parse("-Xcompiler", "-Wall -DX=1,-fopenmp", "--compiler-options='-DY=\"q\"'", "a.cu")
    assert command.compiler_options == ("-Wall", "-DX=1", "-fopenmp", '-DY="q"')


def test_what_is_said_of_loads_and_l1() -> None:
    assert parse("a.cu").load_cache == ""
    assert parse("-Xptxas", "-v,-dlcm=ca", "a.cu").load_cache == "ca"
    assert parse("--ptxas-options=-dlcm=ca", "-Xptxas=--def-load-cache=cg", "a.cu").load_cache == "cg"
    assert parse("-Xptxas", "-dlcm", "-Xptxas", "cg", "a.cu").load_cache == "cg"


def test_forwarded_options_reach_the_host() -> None:
    command = parse("-forward-unknown-to-host-compiler", "-fopenmp", "-c", "a.cu")
    assert command.compiler_options == ("-fopenmp",)
    assert parse("-fopenmp", "-c", "a.cu").compiler_options == ()
    assert parse("-fopenmp", "-c", "a.cu").unknown == ("-fopenmp",)


def test_the_last_single_value_counts() -> None:
    assert parse("-o", "x", "-o", "y", "a.cu").output == "y"
    assert parse("-rdc=false", "-rdc=true", "a.cu").rdc


def test_link_line() -> None:
    command = parse("a.o", "-lfoo", "-l", "bar", "-L/q", "-Xlinker", "-z,now", "-shared", "-o", "app")
    assert command.links
    assert command.libraries == ("foo", "bar")
    assert command.library_dirs == ("/q",)
    assert command.linker_options == ("-z", "now")
    assert command.shared


def test_dependency_options() -> None:
    command = line("-MD -MF a.d -MT a.o -c a.cu")
    assert command.writes_depfile
    assert (command.depfile, command.depfile_target) == ("a.d", "a.o")
    assert [item.path for item in command.inputs] == ["a.cu"]


def test_options_files(tmp_path) -> None:
    (tmp_path / "inner").write_bytes(b"-DINNER\r\n")
    (tmp_path / "one.rsp").write_text('-I"/with space/inc" -c\n-optf inner # x.cu\n')
    command = parse("--options-file", "one.rsp,missing", "a.cu", cwd=str(tmp_path))
    assert command.phase is Phase.COMPILE
    assert command.include_dirs == ("/with space/inc",)
    assert command.defines == ("INNER",)
    assert [item.path for item in command.inputs] == ["#", "x.cu", "a.cu"]
    assert command.argv_for_nvcc == ("--options-file", "one.rsp,missing", "a.cu")


@pytest.mark.parametrize(
    ("text", "defines"),
    [
        ('-DA="x y"z', ("A=x yz",)),
        ('"-DA=x y"', ("A=x y",)),
        ("-DA='x", ("A='x",)),
        ("-DA=a\\ b", ("A=a b",)),
        ("-DA=x\\\n-DB", ("A=x\n-DB",)),
        ('-DA="1,2"', ("A=1", "2")),
        ("-DA=1\\,2", ("A=1", "2")),
        ("-DA=1\\\\,2", ("A=1,2",)),
        ('-DA="\\\\"', ('A="',)),
        ('-DA=\\\\\\"q\\\\\\"', ('A="q"',)),
        ('-DA="a\\"b c"', ("A=ab c",)),
        ("-DA=x\x0c-DB", ("A=x\x0c-DB",)),
        ('-D "" -DB\r\n\t-DC', ("B", "C")),
    ],
)
def test_how_an_options_file_is_cut(text: str, defines: tuple[str, ...], tmp_path) -> None:
    """As nvcc 11.8, 12.4, 13.0 and 13.5 cut it (seen in what --dryrun prints)."""
    (tmp_path / "one.rsp").write_bytes(text.encode())
    assert parse("-optf", "one.rsp", "a.cu", cwd=str(tmp_path)).defines == defines


@pytest.mark.parametrize(
    ("value", "defines", "dirs"),
    [
        ("Q\\,b", ("Q,b",), ("Q\\", "b")),
        ("Q\\b", ("Qb",), ("Q\\b",)),
        ('"Q,b"', ('"Q,b"',), ("Q,b",)),
        ('"Q b",c', ('"Q b"', "c"), ("Q b", "c")),
        ('Q"x"y', ('Q"x"y',), ("Qxy",)),
        ("'Q,b'", ("'Q", "b'"), ("'Q", "b'")),
        (",Q,,b,", ("Q", "b"), ("Q", "b")),
    ],
)
def test_a_list_of_macros_and_one_of_paths(value: str, defines: tuple[str, ...], dirs: tuple[str, ...]) -> None:
    command = parse("-D", value, "-I", value, "a.cu")
    assert command.defines == defines
    assert command.include_dirs == dirs
    for item, escapes in ((defines[0], True), (dirs[0], False)):
        assert split_list(join_list(item, escapes=escapes), escapes=escapes)[0].replace('"', "") == item.replace(
            '"', ""
        )


def test_an_options_file_that_names_itself_ends(tmp_path) -> None:
    (tmp_path / "loop").write_text("-DX -optf loop")
    assert set(parse("-optf", "loop", "a.cu", cwd=str(tmp_path)).defines) == {"X"}


def test_quotes_group_environment_flags_and_stay() -> None:
    command = parse("a.cu", env={"NVCC_APPEND_FLAGS": '-DA="x y"\t-DB -DC=1\n-DD'})
    assert command.defines == ('A="x y"', "B", "C=1\n-DD")


def test_environment_flags_are_split_at_blanks() -> None:
    env = {"NVCC_PREPEND_FLAGS": "-DP -o first", "NVCC_APPEND_FLAGS": "-c late.cu"}
    command = parse("a.cu", "-o", "second", env=env)
    assert command.defines == ("P",)
    assert command.output == "second"
    assert [item.path for item in command.inputs] == ["a.cu", "late.cu"]
    assert command.argv_for_nvcc == ("a.cu", "-o", "second")


def test_our_options_are_split_off_and_nothing_else() -> None:
    argv = [
        "--gpuopt-gpu=h200",
        "-c",
        "--gpuopt-policy",
        "p.toml",
        "a.cu",
        "--weird=1",
        "--gpuopt-off",
        "--gpuopt-report=r.json",
    ]
    command = parse(*argv, env={"GPUOPT_GPU": "a100", "GPUOPT_BACKEND": "nvcc"})
    assert command.argv == tuple(argv)
    assert command.argv_for_nvcc == ("-c", "a.cu", "--weird=1")
    options = command.gpuopt
    assert (options.gpu, options.policy, options.backend, options.report, options.off) == (
        "h200",
        "p.toml",
        "nvcc",
        "r.json",
        True,
    )


@pytest.mark.parametrize(
    ("value", "off"), [("1", True), ("yes", True), ("0", False), ("", False), ("off", False), ("flase", False)]
)
def test_off_by_environment(value: str, off: bool) -> None:
    assert parse("a.cu", env={"GPUOPT_OFF": value}).gpuopt.off is off


@pytest.mark.parametrize(
    ("argument", "hint"),
    [("--gpuopt-polcy=x", "--gpuopt-policy"), ("--gpuopt-gpu", "needs a value"), ("--gpuopt-zzz", "known:")],
)
def test_our_unknown_options_are_errors_with_a_way_out(argument: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse("a.cu", argument)
    assert hint in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_every_option_in_each_of_its_spellings(option) -> None:
    if option.arity is Arity.FLAG:
        assert match(f"--{option.name}") == (option, None)
        assert match(f"-{option.short}") == (option, None)
        return
    for spelling in (f"--{option.name}", f"-{option.short}"):
        assert match(spelling) == (option, None)
        assert match(f"{spelling}=v") == (option, "v")
    if option.glued:
        assert match(f"-{option.short}v") == (option, "v")


def test_versions_have_their_own_options() -> None:
    """As in `nvcc --help`, less what later ones hide: --version-ident (11.8), --host-relocatable-link (to 12.4)."""
    listed = {
        version: {option.name for option in known_to(version) if not option.hidden}
        for version in ((11, 8), (12, 4), (13, 0), (13, 1), (13, 2), (13, 3), (13, 4), (13, 5))
    }
    assert [len(names) for names in listed.values()] == [125, 130, 143, 143, 145, 156, 161, 163]
    assert "m32" in listed[11, 8]
    assert "m32" not in listed[12, 4]
    assert {"enable-tile", "prune"} <= listed[13, 3] - listed[13, 0]


@pytest.mark.parametrize("words", ["-Ofc -c a.cu", "-c -Ofc -DX a.cu", "-c a.cu --Ofast-compile", "-hls -c a.cu"])
def test_a_value_that_may_be_missing(words: str) -> None:
    command = line(words)
    assert command.phase is Phase.COMPILE
    assert [item.path for item in command.cuda_inputs] == ["a.cu"]
    assert command.problem == ""


def test_a_value_that_may_be_missing_and_is_not() -> None:
    command = line("-Ofc max -hls=gen-lcs -c a.cu")
    assert (command.value("Ofast-compile"), command.value("host-linker-script")) == ("max", "gen-lcs")


@pytest.mark.parametrize("words", ["-c a.cu -std", "-std=gnu++17 a.cu", "-std c++17 -std=other a.cu", "-optf no a.cu"])
def test_what_nvcc_rejects_is_no_work_for_us(words: str, tmp_path) -> None:
    (tmp_path / "a.cu").write_text("__global__ void k() {}\n")
    command = parse(*words.split(), cwd=str(tmp_path))
    assert command.problem
    assert worth_analysing(command) == ()
    assert worth_analysing(parse("-std=c++17", "a.cu", cwd=str(tmp_path))) != ()


def test_names_do_not_clash() -> None:
    assert len({option.name for option in OPTIONS}) == len({option.short for option in OPTIONS}) == len(OPTIONS)


@pytest.mark.parametrize("argument", ["-fPIC", "--no-such-thing=3", "-arch", "-oX", "--", "-Wall", "@file"])
def test_nothing_makes_the_reader_fail(argument: str) -> None:
    command = parse("-c", "a.cu", argument)
    assert command.phase is Phase.COMPILE
    assert command.argv_for_nvcc == ("-c", "a.cu", argument)

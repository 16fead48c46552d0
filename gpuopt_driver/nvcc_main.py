"""`gpuopt-nvcc`: command lines that are not ours to look at become nvcc at once, all others go to `driver`.

The first kind is most of what build systems call (--version, links, host code), so nothing heavy is imported for it.
"""

# Importing pathlib, re or dataclasses would cost those command lines milliseconds.
# ruff: noqa: SIM105, PTH100, PTH113, PTH116, PTH118, PTH119, PTH120, PTH123, PTH109, PLC0415, S606

from __future__ import annotations

import _signal as signal  # without the enumerations, which cost as much as all the rest
import gc
import os
import sys

from gpuopt_driver.errors import GpuoptError, one_line
from gpuopt_driver.variables import faults, is_on

TYPE_CHECKING = False  # typing's own costs milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gpuopt_driver.backends.ahead import Ahead
    from gpuopt_driver.memo import Remembered

_INFO = frozenset(
    {
        *("--version", "-V", "--help", "-h"),
        *("--list-gpu-arch", "-arch-ls", "--list-gpu-code", "-code-ls"),
    }
)
_OURS = "--gpuopt-"
_OFF = "--gpuopt-off"
_HELP = "--gpuopt-help"
_FINGERPRINT = "--gpuopt-fingerprint"  # for ccache's CCACHE_COMPILERCHECK
_NVCC = ("", "nvcc", "auto")  # what GPUOPT_BACKEND says where nvcc builds
_GARBAGE_AT = (
    200_000  # new objects: nearly all that is imported and analysed stays, and looking for garbage took a tenth
)
_LARGEST_POLICY = 1 << 20  # bytes
_INTERNAL_STATUS = 70  # EX_SOFTWARE
_OPTIONS_FILES = ("-optf", "--options-file")
# What such options write names the policy, even one that is yet to be (a stamp stands for it).
_NAMES_POLICY = ("-M", "--generate-dependenc", "--generate-nonsystem-dependenc", "-E", "--preprocess")
_OF_NO_ACCOUNT = frozenset({"GPUOPT_NVCC", "GPUOPT_CACHE_DIR"})  # for which kernels get versions
_LANGUAGES = ("-x", "--x", "-x=", "--x=")


def _keep_closed() -> bool:
    """Let no file of ours get the number of a standard stream that the caller closed: nvcc would read or write it.

    Whether there is such a stream.
    """
    found = False
    while (number := os.open("/", os.O_PATH | os.O_CLOEXEC)) <= 2:
        found = True  # reads and writes of it fail as those of a closed one, and what we start finds it closed
    os.close(number)
    return found


def _open_streams() -> None:
    """Let what writes to a standard stream that the caller closed write nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - as long as we run


def _uncoerce_locale() -> None:
    """Take back what Python's start has put into the environment where no locale is set (PEP 538)."""
    if os.environ.get("LC_CTYPE") not in ("C.UTF-8", "C.utf8", "UTF-8"):
        return
    try:
        with open("/proc/self/environ", "rb") as file:
            given = [text[9:] for text in file.read().split(b"\0") if text.startswith(b"LC_CTYPE=")]
    except OSError:
        return
    if not given:
        del os.environ["LC_CTYPE"]
    else:
        os.environ["LC_CTYPE"] = os.fsdecode(given[0])


def _directory() -> str:
    """The working directory, "" where it has been removed."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def _off(argv: Sequence[str], env: Mapping[str, str]) -> bool:
    return _OFF in argv or is_on(env, "GPUOPT_OFF")


def _may_hold_cuda(argument: str) -> bool:
    """Whether an argument may name, or lead to, a source that is compiled as CUDA."""
    return argument.endswith(".cu") or argument in _LANGUAGES or argument.startswith((*_OPTIONS_FILES, *_LANGUAGES[2:]))


def _include_dirs(argv: Sequence[str]) -> list[str] | None:
    """The values of -I, None where they are not as plain as they usually are."""
    found: list[str] = []
    arguments = iter(argv)
    for argument in arguments:
        if argument in ("-I", "--include-path"):
            value = next(arguments, "")
        elif argument.startswith("-I"):
            value = argument[2:].removeprefix("=")
        elif argument.startswith("--include-path="):
            value = argument.partition("=")[2]
        elif argument.startswith(("-include", "--pre-include")) or "global" in argument:
            return None
        else:
            continue
        if "," in value or '"' in value or not value:
            return None
        found.append(value)
    return found


def _has_kernels(argv: Sequence[str], env: Mapping[str, str]) -> bool:
    """Whether the command may compile a kernel; unsure means yes."""
    flags = f"{env.get('NVCC_PREPEND_FLAGS', '')} {env.get('NVCC_APPEND_FLAGS', '')}".split()
    suspects = [argument for argument in (*argv, *flags) if _may_hold_cuda(argument)]
    if not suspects:
        return False
    include_dirs = _include_dirs(argv)
    if flags or include_dirs is None or not all(argument.endswith(".cu") for argument in suspects):
        return True
    from gpuopt_driver.nvcc.scan import may_have_kernels

    return any(os.path.isfile(source) and may_have_kernels(source, include_dirs) for source in suspects)


def _can_patch_nothing(argv: Sequence[str], env: Mapping[str, str]) -> bool:
    """Whether no kernel of the command can get a version, by the words of its files, and nobody wants to hear of them.

    Only where our own plugins look at it, without a policy: versions are for launches of their own file then.
    """
    if any(name.startswith("GPUOPT_") and name not in _OF_NO_ACCOUNT for name in env):
        return False
    if any(argument.startswith((_OURS, *_NAMES_POLICY)) for argument in argv):
        return False
    sources = [argument for argument in argv if _may_hold_cuda(argument)]
    include_dirs = _include_dirs(argv)
    if include_dirs is None or not all(name.endswith(".cu") and os.path.isfile(name) for name in sources):
        return False
    if env.get("NVCC_PREPEND_FLAGS") or env.get("NVCC_APPEND_FLAGS"):
        return False
    places = {_directory(), *(os.path.dirname(os.path.abspath(name)) for name in sources)}
    if any(map(_policy_above, places)):
        return False
    from gpuopt_driver.nvcc.scan import may_patch

    if any(may_patch(source, include_dirs) for source in sources):
        return False
    from gpuopt_driver.foreign import has_foreign_plugins

    return not has_foreign_plugins()


def _steers_backend(path: str) -> bool:
    """Whether a policy file may say where to build; cheap, and wrong only towards looking closer."""
    try:
        status = os.stat(path)
        if status.st_mode & 0o170000 != 0o100000 or status.st_size > _LARGEST_POLICY:
            return True  # who looks closer says what is wrong with it
        with open(path, "rb") as file:
            lines = file.read().splitlines()
    except (OSError, ValueError):
        return True
    for line in lines:
        text = line.partition(b"#")[0]
        value = text.partition(b"=")[2].strip(b" \t'\"")
        if b"emulator" in text or (b"nvcc" in text.partition(b"=")[0] and value):
            return True
    return False


def _policy_above(directory: str) -> str:
    """The nearest toolchain.toml upwards, "" if there is none."""
    while directory:
        path = os.path.join(directory, "toolchain.toml")
        if os.path.lexists(path):
            return path
        parent = os.path.dirname(directory)
        if parent == directory:
            break
        directory = parent
    return ""


def passes_straight(argv: Sequence[str], env: Mapping[str, str]) -> bool:
    """Whether nvcc can be started at once with these arguments: nothing of ours could come of them."""
    ours = [argument for argument in argv if argument.startswith(_OURS) and argument != _OFF]
    if ours or env.get("GPUOPT_POLICY") or env.get("GPUOPT_BACKEND", "") not in _NVCC:
        return False
    if not _INFO.intersection(argv) and not _off(argv, env) and _has_kernels(argv, env):
        return False
    policy = _policy_above(_directory())
    return not (policy and _steers_backend(policy))


def _default_signals() -> None:
    """Python ignores these; nvcc's own children expect them to end a process."""
    for name in ("SIGPIPE", "SIGXFSZ"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)


def _become_nvcc(argv: Sequence[str], env: Mapping[str, str]) -> None:
    """Become the real nvcc; returns where there is none."""
    from gpuopt_driver.nvcc.find import find_nvcc, guarded

    nvcc = find_nvcc(env)
    if nvcc is None:
        return
    _default_signals()
    rest = [argument for argument in argv if argument != _OFF]
    words = (*rest, *f"{env.get('NVCC_PREPEND_FLAGS', '')} {env.get('NVCC_APPEND_FLAGS', '')}".split())
    runs = "-run" in words or "--run" in words  # a program that nvcc starts must not inherit the guard against loops
    os.execve(nvcc.path, [nvcc.path, *rest], dict(env) if runs else guarded(env, nvcc.path))


def _repeat(known: Remembered, argv: Sequence[str], env: Mapping[str, str], *, is_usual: bool) -> int | None:
    """Do again what came of the same command line before; None where the nvcc is another one now."""
    from gpuopt_driver.nvcc.find import find_nvcc, guarded

    nvcc = find_nvcc(env)
    if nvcc is None or nvcc.path != known.nvcc:
        return None
    from gpuopt_driver.store import refusals

    told = "".join(f"gpuopt: warning: {line}\n" for line in (*refusals(env), *map(one_line, faults(env))))
    try:
        os.write(2, os.fsencode(told) + known.tell)
    except OSError:
        pass  # that nobody can be told is no reason not to build
    rest = [argument for argument in argv if not argument.startswith(_OURS)]  # as `memo.is_plain` has it
    status = None
    if is_usual and not known.runs:
        from gpuopt_driver.backends.ahead import start

        running = start(rest, env, os.getcwd(), is_known=True)
        status = None if running is None else running.finish()
    if status is None:
        _default_signals()
        os.execve(nvcc.path, [nvcc.path, *rest], dict(env) if known.runs else guarded(env, nvcc.path))
    return status


def _named_nvcc(word: str, env: Mapping[str, str]) -> str | None:
    """The program that a launcher's first argument names (`nvcc`, `/x/bin/nvcc-13`), None if it names none."""
    name = os.path.basename(word)
    if word.startswith("-") or not (name == "nvcc" or name.startswith("nvcc-")) or name.endswith((".cu", ".o")):
        return None
    places = [""] if "/" in word else env.get("PATH", os.defpath).split(os.pathsep)
    paths = (os.path.join(place, word) for place in places)
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)


def _as_launcher(argv: list[str], env: Mapping[str, str]) -> tuple[list[str], Mapping[str, str]]:
    """`gpuopt-nvcc /usr/local/cuda/bin/nvcc ARGS...` (a compiler launcher): ARGS, and that nvcc as the real one."""
    path = _named_nvcc(argv[0], env) if argv else None
    if path is None:
        return argv, env
    from gpuopt_driver.nvcc.find import is_ours

    return argv[1:], env if is_ours(path) else {**env, "GPUOPT_NVCC": path}


def _may_steer(argv: Sequence[str], env: Mapping[str, str]) -> bool:
    """Whether something may decide that it is not the usual nvcc that builds, or that it sees something of ours.

    Where dependency files are written nvcc sees the policy named in the sources, whatever the analysis says.
    """
    if any(argument.startswith(_OURS) for argument in argv) or env.get("GPUOPT_BACKEND", "") not in _NVCC:
        return True
    from gpuopt_driver.nvcc.simple import writes_dependencies

    names = writes_dependencies(argv)
    sources = [os.path.dirname(os.path.abspath(argument)) for argument in argv if argument.endswith(".cu")]
    found = [env.get("GPUOPT_POLICY", ""), *(_policy_above(place) for place in dict.fromkeys([*sources, os.getcwd()]))]
    return any(path and (names or _steers_backend(path)) for path in found)


def _run(argv: Sequence[str], env: Mapping[str, str], known: Remembered | None, ahead: Ahead | None = None) -> int:
    gc.set_threshold(_GARBAGE_AT)
    from gpuopt_driver.expressions import compile_lazily

    compile_lazily()
    from gpuopt_driver.driver import run

    return run(argv, env, os.getcwd(), known, ahead)


def _gets_versions(argv: Sequence[str]) -> bool:
    """Whether sources that are new are likely to be patched, so that what nvcc does meanwhile would be thrown away."""
    from gpuopt_driver.nvcc.scan import launches_its_kernels

    include_dirs = _include_dirs(argv)
    sources = [argument for argument in argv if argument.endswith(".cu") and os.path.isfile(argument)]
    return include_dirs is not None and any(launches_its_kernels(source, include_dirs) for source in sources)


def _is_for_nvcc(argv: Sequence[str], env: Mapping[str, str], known: Remembered | None) -> bool:
    """Whether nvcc's own build of the sources is likely to count: nothing is patched, or they do not compile."""
    if known.simple if known is not None else not _gets_versions(argv):
        return True
    from gpuopt_driver.memo import has_failed

    return not (known is not None and known.holds) and has_failed(argv, env, os.getcwd())


def _beside_nvcc(argv: Sequence[str], env: Mapping[str, str]) -> int:
    """The exit status of a run for which nvcc is started first, if that can be done."""
    from gpuopt_driver.backends.ahead import start

    ahead = start(argv, env, os.getcwd())
    return _run(argv, env, None) if ahead is None else ahead.besides(lambda: _run(argv, env, None, ahead))


def _without_us(argv: Sequence[str], env: Mapping[str, str], error: Exception) -> int:
    """After a failure of ours that nobody has foreseen: become nvcc as if we were not there, with one warning."""
    if is_on(env, "GPUOPT_DEBUG"):
        raise error
    what = one_line(f"internal error, please report it: {type(error).__name__}: {error}")
    hint = "GPUOPT_DEBUG=1 shows where"
    theirs = [argument for argument in argv if not argument.startswith("--gpuopt-")]
    is_emulated = "emulator" in env.get("GPUOPT_BACKEND", "") or "--gpuopt-backend=emulator" in argv
    if not is_emulated:
        sys.stderr.write(f"gpuopt: warning: {what}; compiled without patches ({hint})\n")
        sys.stderr.flush()
        try:
            _become_nvcc(theirs, env)
        except (GpuoptError, OSError) as worse:
            what = one_line(f"{what}; {worse}")
    sys.stderr.write(f"gpuopt: error: {what}; {hint}\n")
    return _INTERNAL_STATUS


def main() -> int:
    """Entry point: the exit status (where we did not become nvcc)."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends us as it ends nvcc, without a traceback
    _open_streams()
    _uncoerce_locale()
    if os.environ.get("PYTHONPATH") and not sys.flags.ignore_environment:
        from gpuopt_driver.paths import leave_out_relative_parts

        leave_out_relative_parts()
    argv: list[str] = sys.argv[1:]
    env: Mapping[str, str] = os.environ
    try:
        argv, env = _as_launcher(argv, env)
        if _HELP in argv:
            from gpuopt_driver.nvcc.own_help import TEXT

            sys.stdout.write(TEXT)
            return 0
        if passes_straight(argv, env) or not _directory():  # who removed it gives nvcc absolute paths
            _become_nvcc(argv, env)
        is_usual = not _keep_closed()
        if argv == [_FINGERPRINT]:
            from gpuopt_driver.shown import fingerprint

            sys.stdout.write(f"{fingerprint(env, os.getcwd())}\n")
            return 0
        from gpuopt_driver import memo

        known = memo.last(argv, env, os.getcwd())
        if known is not None and known.simple and known.holds:
            status = _repeat(known, argv, env, is_usual=is_usual)
            if status is not None:
                return status
        if not (known is not None and known.holds) and _can_patch_nothing(argv, env):
            _become_nvcc(argv, env)
        if is_usual and _is_for_nvcc(argv, env, known) and not _may_steer(argv, env):
            return _beside_nvcc(argv, env)
        return _run(argv, env, known if known is not None and known.holds else None)
    except GpuoptError as error:
        sys.stderr.write(f"gpuopt: error: {one_line(str(error))}\n")
        return error.status
    except OSError as error:
        what = one_line(f"{error.filename or 'nvcc'}: {error.strerror}")
        sys.stderr.write(f"gpuopt: error: {what}\n")
        return 1
    except Exception as error:
        return _without_us(argv, env, error)


if __name__ == "__main__":
    from gpuopt_driver.paths import leave_out_working_directory

    leave_out_working_directory()
    sys.exit(main())

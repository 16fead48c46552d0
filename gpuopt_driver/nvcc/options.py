"""The options of nvcc 11 to 13 as data: long and short name, arity, whether a value may be glued on, what it is for.

Our reading of a command line is for information only (the user's own argv goes to nvcc), so the table errs on the
side of knowing more options than any one nvcc does.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache


class Arity(Enum):
    """How many values an option takes: none, one (the last one counts), or a comma-separated list that adds up."""

    FLAG = "flag"
    SINGLE = "single"
    LIST = "list"


class Topic(Enum):
    """What an option is about; decides which options a derived device-only compilation keeps."""

    PHASE = "phase"  # up to which stage to compile
    FILES = "files"  # outputs, temporary and dependency files
    SOURCE = "source"  # preprocessing and the language
    HOST = "host"  # host code generation and the host compiler
    DEVICE = "device"  # device code generation
    ARCH = "arch"  # which GPUs
    LINK = "link"  # linking and archiving
    DRIVER = "driver"  # how nvcc itself runs
    INFO = "info"  # print something and stop


@dataclass(frozen=True, slots=True)
class Option:
    """One option. `name` is the long name without dashes; `since`, `until`: toolkit versions, None if unlimited."""

    name: str
    short: str
    arity: Arity
    topic: Topic
    glued: bool = False
    since: tuple[int, int] | None = None
    until: tuple[int, int] | None = None


# long name, short name, arity (- flag, 1 single, * list, + after it: value may be glued to the short name), topic
_TABLE = """
cuda cuda - phase
cubin cubin - phase
fatbin fatbin - phase
ptx ptx - phase
optix-ir optix-ir - phase since=11.7
ltoir ltoir - phase since=12.4
preprocess E - phase
generate-dependencies M - phase
generate-nonsystem-dependencies MM - phase
compile c - phase
device-c dc - phase
device-w dw - phase
device-link dlink - phase
link link - phase
lib lib - phase
run run - phase
fdevice-syntax-only fdevice-syntax-only - phase since=12.9
generate-dependencies-with-compile MD - files
generate-nonsystem-dependencies-with-compile MMD - files
dependency-output MF 1 files
generate-dependency-targets MP - files
dependency-target-name MT 1 files
output-file o 1 files
output-directory odir 1 files
objdir-as-tempdir objtemp - files
keep keep - files
keep-dir keep-dir 1 files
save-temps save-temps - files
clean-targets clean - files
time time 1 files
fdevice-time-trace fdevice-time-trace 1 files since=12.9
pre-include include * source
define-macro D *+ source
undefine-macro U *+ source
include-path I *+ source
system-include isystem * source
x x 1 source
std std 1 source
no-host-device-initializer-list nohdinitlist - source
no-host-device-move-forward nohdmoveforward - source
expt-relaxed-constexpr expt-relaxed-constexpr - source
extended-lambda extended-lambda - source
expt-extended-lambda expt-extended-lambda - source
ftemplate-backtrace-limit ftemplate-backtrace-limit 1 source
ftemplate-depth ftemplate-depth 1 source
default-stream default-stream 1 source
relocatable-device-code rdc 1 source
machine m 1 source
m64 m64 - source
m32 m32 - source until=12.0
compiler-options Xcompiler * host
compiler-bindir ccbin 1 host
allow-unsupported-compiler allow-unsupported-compiler - host
profile pg - host
debug g - host
optimize O 1+ host
no-exceptions noeh - host
forward-unknown-to-host-compiler forward-unknown-to-host-compiler - host
forward-unknown-to-host-linker forward-unknown-to-host-linker - host
forward-unknown-opts forward-unknown-opts - host since=12.2
forward-slash-prefix-opts forward-slash-prefix-opts - host
use-local-env use-local-env - host
force-cl-env-setup force-cl-env-setup - host
static-global-template-stub static-global-template-stub 1 host since=12.8
device-entity-has-hidden-visibility device-entity-has-hidden-visibility 1 host since=12.8
no-align-double no-align-double - host
device-debug G - device
generate-line-info lineinfo - device
optimization-info opt-info * device
Ofast-compile Ofc 1 device
dopt dopt 1 device
dlink-time-opt dlto - device
lto lto - device
gen-opt-lto gen-opt-lto - device
maxrregcount maxrregcount 1 device
use_fast_math use_fast_math - device
ftz ftz 1 device
prec-div prec-div 1 device
prec-sqrt prec-sqrt 1 device
fmad fmad 1 device
extra-device-vectorization extra-device-vectorization - device
keep-device-functions keep-device-functions - device
source-in-ptx src-in-ptx - device
restrict restrict - device
ptxas-options Xptxas * device
cudafe-options Xcudafe * device
cicc-options Xcicc * device
resource-usage res-usage - device
extensible-whole-program ewp - device
jump-table-density jtd 1 device
relocatable-ptx reloc-ptx - device
device-stack-protector device-stack-protector 1 device
sanitize sanitize 1 device
frandom-seed frandom-seed 1 device
random-seed random-seed 1 device
split-compile split-compile 1 device
libdevice-directory ldir 1 device
gpu-architecture arch 1 arch
gpu-code code * arch
generate-code gencode * arch
entries e * arch
library l *+ link
library-path L *+ link
linker-options Xlinker * link
archive-options Xarchive * link
archiver-binary arbin 1 link
nvlink-options Xnvlink * link
fatbin-options Xfatbin * link
cudart cudart 1 link
cudadevrt cudadevrt 1 link
shared shared - link
no-device-link nodlink - link
host-linker-script hls 1 link
augment-host-linker-script aug-hls - link
relocatable-link r - link
split-compile-extended split-compile-extended 1 link
no-compress no-compress - link
compress-mode compress-mode 1 link
target-directory target-dir 1 driver
dont-use-profile noprof - driver
dryrun dryrun - driver
verbose v - driver
threads t 1+ driver
jobserver jobserver - driver
run-args run-args * driver
input-drive-prefix idp 1 driver
dependency-drive-prefix ddp 1 driver
drive-prefix dp 1 driver
qpp-config qpp-config - driver
compile-as-tools-patch astoolspatch - driver
options-file optf * driver
disable-warnings w - driver
Wreorder Wreorder - driver
Wdefault-stream-launch Wdefault-stream-launch - driver
Wmissing-launch-bounds Wmissing-launch-bounds - driver
Wext-lambda-captures-this Wext-lambda-captures-this - driver
Wno-deprecated-declarations Wno-deprecated-declarations - driver
Wno-deprecated-gpu-targets Wno-deprecated-gpu-targets - driver
Werror Werror * driver
display-error-number err-no - driver
no-display-error-number no-err-no - driver
diag-error diag-error * driver
diag-suppress diag-suppress * driver
diag-warn diag-warn * driver
brief-diagnostics brief-diag 1 driver
list-gpu-code code-ls - info
list-gpu-arch arch-ls - info
help h - info
version V - info
"""


def _version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")
    return int(major), int(minor)


def _option(line: str) -> Option:
    name, short, arity, topic, *limits = line.split()
    versions = {key: _version(value) for key, _, value in (limit.partition("=") for limit in limits)}
    kinds = {"-": Arity.FLAG, "1": Arity.SINGLE, "*": Arity.LIST}
    return Option(
        name,
        short,
        kinds[arity[0]],
        Topic(topic),
        glued=arity.endswith("+"),
        since=versions.get("since"),
        until=versions.get("until"),
    )


OPTIONS: tuple[Option, ...] = tuple(_option(line) for line in _TABLE.strip().splitlines())


@cache
def spellings() -> dict[str, Option]:
    """Every exact spelling (`--compile`, `-c`) of every option."""
    table = {f"-{option.short}": option for option in OPTIONS}
    table.update({f"--{option.name}": option for option in OPTIONS})
    return table


@cache
def _glued() -> tuple[tuple[str, Option], ...]:
    return tuple((f"-{option.short}", option) for option in OPTIONS if option.glued)


def match(argument: str) -> tuple[Option, str | None] | None:
    """The option that an argument spells and the value that came with it (`-I=x`, `-Ix`), None if it is not known."""
    table = spellings()
    option = table.get(argument)
    if option is not None:
        return option, None
    name, equals, value = argument.partition("=")
    option = table.get(name)
    if equals and option is not None and option.arity is not Arity.FLAG:
        return option, value
    if not argument.startswith("--"):
        for prefix, glued in _glued():
            if argument.startswith(prefix):
                return glued, argument[len(prefix) :]
    return None

"""nvcc's options as data, one line each: what `nvcc --help` of 11.8, 12.4 and 13.0 to 13.5 lists, and what it does not.

Columns: long name; short name (a leading dash where there is none of its own); arity: `-` flag, `1` single value, `?`
one that may be missing, `*` list, and a `+` behind it where a value may be glued to the short name; topic; `since=`
and `until=`: the first and the last of those versions that have it (`since=11.8`, `until=13.5` left out), and `hidden`
for what is not in `--help`.
"""

from __future__ import annotations

TABLE = """
cuda cuda - phase
cubin cubin - phase
fatbin fatbin - phase
ptx ptx - phase
optix-ir optix-ir - phase
ltoir ltoir - phase since=13.0
tilebc tilebc - phase since=13.3
tilecubin tilecubin - phase since=13.3
tilefatbin tilefatbin - phase since=13.3
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
fdevice-syntax-only fdevice-syntax-only - phase since=12.4
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
fdevice-time-trace fdevice-time-trace 1 files since=13.0
fdevice-time-trace-granularity fdevice-time-trace-granularity 1 files since=13.5
pre-include include * source
define-macro D *+ source
undefine-macro U *+ source
include-path I *+ source
system-include isystem * source
x x 1 source
std std 1 source
stdlib stdlib 1 host since=13.4
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
m32 m32 - source until=11.8
compiler-options Xcompiler * host
compiler-bindir ccbin 1 host
allow-unsupported-compiler allow-unsupported-compiler - host
profile pg - host
debug g - host
optimize O 1+ host
no-exceptions noeh - host
forward-unknown-to-host-compiler forward-unknown-to-host-compiler - host
forward-unknown-to-host-linker forward-unknown-to-host-linker - host
forward-unknown-opts forward-unknown-opts - host
use-local-env use-local-env - host
force-cl-env-setup force-cl-env-setup - host since=13.0
static-global-template-stub static-global-template-stub 1 host since=13.0
device-entity-has-hidden-visibility device-entity-has-hidden-visibility 1 host since=13.0
no-align-double -no-align-double - host
device-debug G - device
generate-line-info lineinfo - device
optimization-info opt-info * device
Ofast-compile Ofc ? device since=13.0
dopt dopt 1 device
dlink-time-opt dlto - device
lto lto - device
gen-opt-lto gen-opt-lto - device since=12.4
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
cudafe-options Xcudafe * device hidden
cicc-options Xcicc * device hidden
resource-usage res-usage - device
extensible-whole-program ewp - device
jump-table-density jtd 1 device since=12.4
relocatable-ptx reloc-ptx - device since=13.0
device-stack-protector device-stack-protector 1 device since=13.0
sanitize sanitize 1 device since=13.0 until=13.0
fdevice-sanitize fdevice-sanitize 1 device since=13.1
skip-ptx-semantics-check skip-ptx-semantics-check - device since=13.2
enable-tile enable-tile - device since=13.3
tile-preview tile-preview 1 device since=13.5
tile-only tile-only - device since=13.3
simt-only simt-only - device since=13.3
tileiras-options Xtileiras * device since=13.3
apply-controls apply-controls 1 device since=13.3
safety-compatibility safety-compat - device since=13.3
frandom-seed frandom-seed 1 device since=13.0
split-compile split-compile 1 device since=12.4
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
nvprune-options Xnvprune * link since=13.3
fatbin-options Xfatbin * link hidden
cudart cudart 1 link
cudadevrt cudadevrt 1 link
shared shared - link
no-device-link nodlink - link
host-linker-script hls ? link
augment-host-linker-script aug-hls - link
relocatable-link r - link since=13.0
split-compile-extended split-compile-extended 1 link since=12.4
no-compress no-compress - link
prune prune - link since=13.3
concat concat - link since=13.4
compress-mode compress-mode 1 link since=13.0
target-directory target-dir 1 driver
dont-use-profile noprof - driver
dryrun dryrun - driver
verbose v - driver
verbose2 v2 - driver since=13.2
threads t 1+ driver
jobserver jobserver - driver since=13.0
run-args run-args * driver
input-drive-prefix idp 1 driver
dependency-drive-prefix ddp 1 driver
drive-prefix dp 1 driver
qpp-config qpp-config 1 driver
compile-as-tools-patch astoolspatch - driver
options-file optf * driver
disable-warnings w - driver
Wreorder Wreorder - driver
Wdefault-stream-launch Wdefault-stream-launch - driver
Wmissing-launch-bounds Wmissing-launch-bounds - driver
Wext-lambda-captures-this Wext-lambda-captures-this - driver
Wno-deprecated-declarations Wno-deprecated-declarations - driver
Wno-deprecated-gpu-targets Wno-deprecated-gpu-targets - driver
Wconversion Wconversion - driver since=13.4
fmax-errors fmax-errors 1 driver since=13.4
utf-8 utf-8 - driver since=13.4
Werror Werror * driver
display-error-number err-no - driver
no-display-error-number no-err-no - driver
diag-error diag-error * driver
diag-suppress diag-suppress * driver
diag-warn diag-warn * driver
brief-diagnostics brief-diag 1 driver since=12.4
list-gpu-code code-ls - info
list-gpu-arch arch-ls - info
help h - info
version V - info
version-ident dQ 1 driver hidden
no-lineinfo-inlined-at no-lineinfo-ia - device hidden
no-device-inline nodinline - device hidden
aggressive-inline aggressive-inline - device hidden since=13.0
fassociative-math fassociative-math - device hidden
no-shadow-functions no-shadow-functions - device hidden
legacy-launch-seq legacy-launch-seq - device hidden since=12.4
restrict-in-struct restrict-in-struct - device hidden
global_var global_var - device hidden
no-libdevice no-libdevice 1 device hidden
nvvm-version nvvm-version 1 device hidden
device-compilation -device-compilation 1 device hidden
nvasm-options Xnvasm * device hidden
nvdisasm-options Xnvdisasm * device hidden
nvasm-loopback nvasm-loopback - device hidden
use-cubin use-cubin * device hidden
export-dir dir 1 device hidden
extern-mode ext 1 device hidden
intern-mode int 1 device hidden
host-relocatable-link host-r - link hidden
dD dD - driver hidden
tdump tdump - driver hidden
tool-name tool-name 1 driver hidden
cuda-api-version cuda-api-version 1 driver hidden
all-prefix -all-prefix 1 driver hidden
cpp-prefix -cpp-prefix 1 driver hidden
cudafe-prefix -cudafe-prefix 1 driver hidden
cicc-prefix -cicc-prefix 1 driver hidden
ptxas-prefix -ptxas-prefix 1 driver hidden
nvlink-prefix -nvlink-prefix 1 driver hidden
"""

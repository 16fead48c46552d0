#!/usr/bin/env bash
# Random kernels on a machine with a GPU: built by nvcc and by gpuopt-nvcc with every plugin forced, compared bit by bit.
#
#     benchmarks/random_programs_on_gpu.sh OUTPUT [PROGRAMS] [SECONDS] [FIRST SEED] [KERNELS]
#
# Needs gpuopt-nvcc and nvcc in PATH. PROGRAMS of KERNELS kernels each (16 of 36) are built, a processor for each, and run
# as soon as they are built, on one GPU after the other: with each plugin's versions alone, all together, every arm of each
# launch, and learning. All of it ends after SECONDS (420): what is under way is run as far as there is time, and told of.
# OUTPUT gets one line of JSON for each run (run.jsonl), figures and what differs (runs.txt), what was said by builds
# (builds.txt) and decided (decisions.txt). A program is made again by
# `python -m tests.random_programs --gpu DIR --seed SEED --kernels N --per-program N`. Exit status 1 if anything differs,
# is not built, or nothing ran.
set -u
if [ $# -lt 1 ] || [ $# -gt 5 ] || [[ "${*:2}" =~ [^0-9\ ] ]]; then
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2
    exit 2
fi
for name in nvcc gpuopt-nvcc; do
    command -v $name >/dev/null || { echo "$name is not in PATH" >&2 && exit 2; }
done
output=$1 programs=${2:-16} first=${4:-1}
export KERNELS=${5:-36} END BEGAN GPUS
GPUS=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
BEGAN=$(date +%s) END=$((BEGAN + ${3:-420}))
PLACE=$(mktemp -d) && export PLACE
trap 'rm -rf "$PLACE"' EXIT
mkdir -p "$output"

# Builds and runs the program of a seed; a build may take what is left but for 40 s.
one() {
    local left=$((END - $(date +%s) - 40))
    [ $left -gt 0 ] || { echo "$1: no time was left for it" && return; }
    timeout $left python3 -m tests.random_programs --gpu "$PLACE/$1" --kernels "$KERNELS" --per-program "$KERNELS" \
        --seed "$1" >"$PLACE/$1.log" 2>&1
    [ -f "$PLACE/$1/programs.json" ] || { echo "$1: not built after $(($(date +%s) - BEGAN)) s" && return; }
    [ "$GPUS" -gt 1 ] && export CUDA_VISIBLE_DEVICES=$(($1 / 10000 % GPUS))
    left=$((END - $(date +%s)))
    timeout $((left > 1 ? left : 1)) python3 "$PLACE/$1/run.py" --output "$PLACE/$1.jsonl" --seconds $((left - 15)) >"$PLACE/$1.runs" 2>&1
    grep '^{\|stopped\|Error' "$PLACE/$1.runs" | cut -c1-400
    echo "$1: done after $(($(date +%s) - BEGAN)) s"
}
export -f one
seq -f '%.0f0000' "$first" $((first + programs - 1)) | xargs -P "$(nproc)" -I{} bash -c 'one {}' >"$output/runs.txt"

cat "$PLACE"/*.log >"$output/builds.txt" 2>/dev/null
cat "$PLACE"/*.jsonl >"$output/run.jsonl" 2>/dev/null
python3 tests/random_programs/on_gpu.py --figures "$output/run.jsonl" >>"$output/runs.txt"
status=$?
grep -q 'not built\|no time was left' "$output/runs.txt" && status=1
python3 - "$PLACE" >"$output/decisions.txt" <<'PY'
import collections, json, pathlib, sys

found = collections.Counter()
for path in pathlib.Path(sys.argv[1]).glob("*-sources/*.json"):
    for unit in json.loads(path.read_text())["units"]:
        found.update((one["plugin"], one["decision"], one["code"]) for one in unit["decisions"])
for (plugin, decision, code), times in sorted(found.items()):
    print(plugin, decision, code, times)
PY
tail -3 "$output/runs.txt"
exit $status

#!/usr/bin/env bash
# Random kernels on a machine with a GPU: built by nvcc and by gpuopt-nvcc with every plugin forced, compared bit by bit.
#
#     benchmarks/random_programs_on_gpu.sh OUTPUT [PROGRAMS] [SECONDS] [FIRST SEED]
#
# Needs gpuopt-nvcc and nvcc in PATH. PROGRAMS of a hundred kernels each are built with all cores for SECONDS at most,
# then run. OUTPUT gets one line of JSON for each way to run a program (run.jsonl), and what was decided (decisions.txt).
set -u
output=$1 programs=${2:-20} seconds=${3:-400} first=${4:-1}
place=$(mktemp -d)
mkdir -p "$output"
seq "$first" $((first + programs - 1)) | timeout "$seconds" xargs -P "$(nproc)" -I{} sh -c \
    "python3 -m tests.random_programs --gpu $place/{} --kernels 100 --seed {}0000 >$place/{}.log 2>&1"
cat "$place"/*.log >"$output/builds.txt"
for directory in "$place"/*/; do
    if [ -f "${directory}programs.json" ]; then
        timeout 120 python3 "$directory/run.py" --output "$output/run-$(basename "$directory").jsonl" >>"$output/runs.txt" 2>&1
    fi
done
cat "$output"/run-*.jsonl >"$output/run.jsonl"
rm -f "$output"/run-*.jsonl
python3 - "$place" >"$output/decisions.txt" <<'PY'
import collections, json, pathlib, sys

found = collections.Counter()
for path in pathlib.Path(sys.argv[1]).glob("*-sources/*.json"):
    for unit in json.loads(path.read_text())["units"]:
        found.update((one["plugin"], one["decision"], one["code"]) for one in unit["decisions"])
for (plugin, decision, code), times in sorted(found.items()):
    print(plugin, decision, code, times)
PY
rm -rf "$place"

#!/bin/sh
# Build gesummv with gpuopt-nvcc, run it with a launch that fills an H200, and print what was decided and chosen.
# Where no GPU answers, the program is built for the emulator.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

backend=emulator
if nvidia-smi -L >/dev/null 2>&1; then
    backend=auto
fi
gpuopt-nvcc --gpuopt-backend=$backend --gpuopt-gpu=h200 --gpuopt-report="$work/report.json" -O3 \
    "$here/gesummv.cu" -o "$work/gesummv"
GPUOPT_DISPATCH=trace "$work/gesummv" 270336 64 256
gpuopt report "$work/report.json"

#!/bin/sh
# What gpuopt-nvcc does to one program: built, run without and with its versions of the kernel, and what that gained.
# On a GPU the program is timed; where none answers, the emulator runs it and models an H100. Where gpuopt-nvcc is not in
# PATH, it is installed into .venv of this clone first.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
runtime= begun= clock=
trap 'kill $runtime $begun $clock 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Waits for what was begun. On a terminal, a line counts seconds meanwhile, and goes.
ended() {
    if [ -t 2 ]; then
        { seconds=0 && while sleep 1; do seconds=$((seconds + 1)) && printf '\r   ... %d s' $seconds; done; } >&2 &
        clock=$!
    fi
    status=0
    wait "$1" || status=$?
    if [ -n "$clock" ]; then
        kill -KILL $clock && printf '\r            \r' >&2
        clock=
    fi
    return $status
}

if nvidia-smi -L >/dev/null 2>&1; then
    backend=auto gpu=auto
else
    backend=emulator gpu=h100
fi

if ! command -v gpuopt-nvcc >/dev/null; then
    cd "$here/.."
    next=" (in $PWD/.venv/bin)"
    if [ $backend = emulator ]; then
        echo "0. pip installs gpuopt into $PWD/.venv; the emulator's runtime is compiled meanwhile, once"
        python3 -B -m gpuopt_driver.emulator.before_install &
        runtime=$!
    else
        echo "0. pip installs gpuopt into $PWD/.venv"
    fi
    python3 -m venv .venv
    # Bytecode of what every build imports; Python makes that of numpy and others when somebody needs them.
    .venv/bin/pip install -q --disable-pip-version-check --no-compile .
    python3 -m compileall -q .venv/lib/python3*/site-packages/gpuopt_*
    PATH="$PWD/.venv/bin:$PATH"
fi

echo "1. gpuopt-nvcc builds examples/gesummv.cu in nvcc's place ($([ $backend = auto ] && echo "for this machine's GPU" ||
    echo "no GPU answers: for the emulator, as for an H100"))"
gpuopt-nvcc --gpuopt-backend=$backend --gpuopt-gpu=$gpu -O3 "$here/gesummv.cu" -o "$work/gesummv" &
begun=$!
[ -z "$runtime" ] || wait "$runtime" || true # it counts seconds itself
runtime=
ended $begun

echo "2. The program runs with nvcc's kernel, and with what gpuopt-nvcc chooses when it is launched"
if [ $backend = auto ]; then
    run() {
        GPUOPT_LEARN=off GPUOPT_DISPATCH=${1#chosen} "$work/gesummv" 270336 64 256 20 >"$work/$1" &
        begun=$!
        ended $begun
    }
    run original
    run chosen
    for which in original chosen; do
        printf '   %-22s %s\n' "$([ $which = original ] && echo "nvcc's kernel:" || echo "gpuopt-nvcc's choice:")" \
            "$(sed -n 's/^gesummv: gesummv //p' "$work/$which")"
    done
else
    model() {
        GPUOPT_DISPATCH=${1#chosen} GPUOPT_EMU_MODE=model GPUOPT_EMU_GPU=$gpu GPUOPT_EMU_LAUNCHES=1 GPUOPT_EMU_REPORT="$work/$1.json" \
            "$work/gesummv" 270336 24 256 1 --no-check >"$work/$1" 2>"$work/$1.errors" &
    }
    model original
    begun=$!
    model chosen
    begun="$begun $!"
    for one in $begun; do
        ended $one || { cat "$work"/*.errors >&2 && exit 1; }
    done
    gpuopt compare "$work/original.json" "$work/chosen.json" | awk -F '  +' '
        BEGIN { print "   an H100, modelled:          nvcc'"'"'s kernel -> the choice"
                name["cycles"] = "cycles"; name["l1_load_hit_rate"] = "loads that hit L1"
                name["l2_read_sectors"] = "sectors read from L2" }
        /^launch/ { ours = /gpuopt_accumulators_catt/ }
        ours && $2 in name { printf "   %-27s %-12s -> %s (%s)\n", name[$2], $3, $4, $5 }'
fi
if [ "$(grep checksum "$work/original")" = "$(grep checksum "$work/chosen")" ]; then
    echo "   the same results, bit for bit"
else
    echo "   other results: please report it" >&2
    exit 1
fi

echo "3. What it did: sums are kept in registers, and the block's warps run the loop in groups, so that what they read again lies in L1"
gpuopt diff --full "$here/gesummv.cu" --gpu "$([ $gpu = auto ] && echo h100 || echo $gpu)" >"$work/patch"
sed -n 's/^+ */   + /; s/const size_t i = [^;]*; //; /_accumulators_catt(::/,/#line/{ /for (unsigned gpuopt_g0/p; /gpuopt_s0 +=/p; /gpuopt_s1 +=/p; /__syncthreads/p; }' "$work/patch"
echo
echo "Next: gpuopt explain YOUR.cu${next-}    what was found in your own kernels, and what was decided with which numbers"

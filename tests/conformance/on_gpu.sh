#!/bin/sh
# Builds every program here with nvcc and compares what it prints on this machine's GPU with expected/.
#   tests/conformance/on_gpu.sh [ARCH] [DIRECTORY]     (sm_90; with --build-only as a third argument nothing runs)
arch=${1:-sm_90}
out=${2:-$(mktemp -d)}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
wrong=0
for expected in "$here"/expected/*.txt; do
  name=$(basename "$expected" .txt)
  program=${name%%.*}
  argument=${name#"$program"}
  source=$here/$program.cu
  flags=$(sed -n 's,^// flags:,,p' "$source")
  with=$(sed -n "s,^// with: *,$here/,p" "$source")
  # shellcheck disable=SC2086
  [ -x "$out/$program" ] || nvcc -arch="$arch" $flags "$source" $with -o "$out/$program" || { wrong=1; continue; }
  [ "$3" = --build-only ] && continue
  if "$out/$program" ${argument#.} 2>/dev/null | diff "$expected" - >"$out/$name.diff"; then
    echo "same: $name"
  else
    echo "DIFFERENT: $name"
    cat "$out/$name.diff"
    wrong=1
  fi
done
exit $wrong

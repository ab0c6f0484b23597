#!/usr/bin/env bash
# The flagship on real input: a 12-megapixel photograph is encrypted, then decrypted, expanded, resized, sharpened and encoded by
# five stages on CPU, OpenCL and RTL controllers, each in its own process; first as WOA, then as RPC through the caller. Checks the
# pictures and prints what each model cost. Run it by `make demo`; results are left in build/demo.
#
# INPUT=photo.jpg    the picture to take instead of the painted one
# INSTANCES (40)     traversals per model
# BUILD (build)      the build to use
set -euo pipefail
cd "$(dirname "$0")/.."

build=${BUILD:-build}
out=build/demo
woa=$build/woa
flagship_graph=graphs/decrypt-expand-resize.yaml
graph=$flagship_graph
device_missing=
instances=${INSTANCES:-40}
mkdir -p "$out"

say() { printf '\n%4ds  %s\n' "$SECONDS" "$*"; }
note() { printf '       %s\n' "$*"; }
has() { command -v "$1" >/dev/null; }

# The functions below stop the script on failure (set -e), so none of them is called in a condition.

make_photo() {
  if [ -n "${INPUT:-}" ]; then
    say "taking $INPUT"
    [ -r "$INPUT" ] || { echo "demo: INPUT: cannot read $INPUT" >&2; exit 2; }
    if [ ! "$INPUT" -ef "$out/photo.jpg" ]; then cp -- "$INPUT" "$out/photo.jpg"; fi
  else
    say "painting a 12-megapixel photograph"
    "$build/tools/make_photo" 4000 3000 | cjpeg -quality 90 -outfile "$out/photo.jpg"
  fi
  note "$out/photo.jpg, $(wc -c <"$out/photo.jpg") bytes"
}

# run_woa JSON GRAPH ARGUMENTS...: sets device_missing if GRAPH is the flagship and this machine lacks one of its
# devices.
run_woa() {
  local json=$1 code=0
  shift
  "$woa" run "$@" --processes per-controller --json >"$json" || code=$?
  if [ "$code" = 3 ] && [ "$1" = "$flagship_graph" ]; then
    device_missing=1
  elif [ "$code" != 0 ]; then
    echo "demo: this failed with exit code $code, see above: $woa run $*" >&2
    exit 1
  fi
}

encrypt() {
  say "encrypting it with a new key"
  rm -f "$out/key.hex"
  (umask 077 && od -An -v -N32 -tx1 /dev/urandom | tr -d ' \n' >"$out/key.hex")
  run_woa "$out/encrypt.json" graphs/encrypt.yaml --in plain="$out/photo.jpg" --param encrypt.key_file="$out/key.hex" \
    --out packet="$out/photo.enc"
}

# use_cpu_graph: the flagship with CPU cores for gpu and fpga, where such a device is missing, even a simulated one.
use_cpu_graph() {
  note "a device is missing (see above), so CPU cores stand in for gpu and fpga"
  graph=$out/flagship-cpu.yaml
  sed -e 's/on: gpu\b/on: "cpu:2"/' -e 's/on: fpga\b/on: "cpu:3"/' -e 's/^graph: .*/&-cpu/' "$flagship_graph" >"$graph"
}

# flagship MODEL: runs the flagship; leaves MODEL.json, pictures and, under woa, a trace.
flagship() {
  local model=$1 extra=()
  if [ "$model" = woa ]; then extra=(--trace "$out/trace.json"); fi
  say "$instances instances under $model"
  rm -rf "${out:?}/$model"
  mkdir -p "$out/$model"
  run_woa "$out/$model.json" "$graph" --in packet="$out/photo.enc" --param decrypt.key_file="$out/key.hex" \
    --instances "$instances" --model "$model" --out picture="$out/$model/%i.png" "${extra[@]}"
}

# Fails unless the pictures of both models are all the same file, and that file is right.
check_pictures() {
  local first="" picture count=0
  for picture in "$out"/woa/*.png "$out"/rpc-hub/*.png; do
    if [ -z "$first" ]; then first=$picture; fi
    cmp -- "$first" "$picture" || { echo "demo: the pictures differ" >&2; exit 1; }
    count=$((count + 1))
  done
  [ "$count" = $((2 * instances)) ] || { echo "demo: $count pictures, expected $((2 * instances))" >&2; exit 1; }
  say "all $count pictures are identical"
  cp -- "$first" "$out/picture.png"
  rm -rf "$out/woa" "$out/rpc-hub"
  if ! has python3 || ! has djpeg; then
    note "not compared with the independent reference: it needs python3 and djpeg (libjpeg-turbo-progs)"
    return
  fi
  note "comparing with the independent reference (djpeg and plain Python; some seconds)"
  local verdict
  verdict=$(python3 -B tools/demo/reference.py "$out/photo.jpg" "$out/picture.png")
  note "$verdict"
}

# null_graph: runs the flagship's shape without work, and leaves null-MODEL.json.
null_graph() {
  say "the same graph with null kernels and 64-byte tokens, one instance at a time"
  head -c 64 /dev/zero >"$out/token"
  local model
  for model in woa rpc-hub; do
    run_woa "$out/null-$model.json" graphs/demo-null.yaml --in packet="$out/token" --instances 2000 --window 1 --model "$model"
  done
}

# why_no_flagship: prints what this machine lacks for the flagship; nothing if it can run.
why_no_flagship() {
  local reason
  for reason in "$build"/kernels/{aes_gcm_encrypt,aes_gcm_decrypt,jpeg_decode,png_encode}/unavailable.txt; do
    if [ -e "$reason" ]; then head -n 1 "$reason"; fi
  done
  if [ -z "${INPUT:-}" ] && ! has cjpeg; then
    echo "cjpeg (libjpeg-turbo-progs) is not here to make a photograph, and none was given by INPUT=photo.jpg"
  fi
}

rm -f "$out"/{woa,rpc-hub,null-woa,null-rpc-hub}.json
missing=$(why_no_flagship | sort -u)
if [ -z "$missing" ]; then
  make_photo
  encrypt
  flagship woa
  if [ -n "$device_missing" ]; then
    use_cpu_graph
    flagship woa
  fi
  flagship rpc-hub
  check_pictures
else
  say "no flagship on this machine:"
  while read -r reason; do note "$reason"; done <<<"$missing"
fi
null_graph

tables=()
if [ -z "$missing" ]; then tables+=("$out/woa.json" "$out/rpc-hub.json"); fi
tables+=("$out/null-woa.json" "$out/null-rpc-hub.json")
if has python3; then
  python3 -B tools/demo/table.py "${tables[@]}"
else
  say "no table: it needs python3. The figures are in: ${tables[*]}"
fi
if [ -z "$missing" ]; then
  printf '\nresult   %s\ntrace    %s (open it in https://ui.perfetto.dev)\nfigures  %s %s\n' \
    "$out/picture.png" "$out/trace.json" "$out/woa.json" "$out/rpc-hub.json"
fi

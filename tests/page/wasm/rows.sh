#!/bin/sh
# Tests the kernels of WebAssembly alone (rows.cpp), in seconds. Needs emscripten and node.
#   tests/page/wasm/rows.sh [FOLDER]
# If a program is missing, a line says so, and nothing is tested. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/../../.." || exit 1
folder=${1:-build-wasm}/rows
skip() {
    echo "skipped: the kernels of WebAssembly: $1"
    echo "0 passed, 0 failed"
    exit 0
}
within() { if command -v timeout >/dev/null; then timeout "$@"; else shift && "$@"; fi; }
compile() {
    NODE_PATH=/usr/share/nodejs within 60 em++ -std=c++20 -O2 -ffp-contract=off -msimd128 -fwasm-exceptions -I. \
        -include lib/machine/wasm_library.hpp -sSINGLE_FILE=1 -sENVIRONMENT=node "$@" >"$folder/log" 2>&1
}
for tool in em++ node; do
    command -v $tool >/dev/null || skip "there is no $tool here"
done
mkdir -p "$folder"
# If emscripten must first build its own library, or cannot build it, this is not a failure of ours.
echo 'int main() {}' >"$folder/nothing.cpp"
compile "$folder/nothing.cpp" -o "$folder/nothing.js" || skip "this em++ makes no program of int main() {} within a minute"
compile tests/page/wasm/rows.cpp lib/core/rng.cpp lib/core/math.cpp -o "$folder/rows.js" ||
    { cat "$folder/log"; echo "0 passed, 1 failed"; exit 1; }
node "$folder/rows.js"
